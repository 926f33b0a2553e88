/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tar and gzip writer for test archives, uncompressed inside (stored deflate
 * blocks). Like zip.h it writes any name it is given. Dates and owners are fixed.
 */
#ifndef ASCOPE_SAMPLES_TAR_H
#define ASCOPE_SAMPLES_TAR_H

#include "samples/emit.h"

enum { TAR_FILE = '0', TAR_LINK = '2', TAR_BLOCK = 512 };

struct tar {
	char *at;
	size_t n, room;
};

/* link is the target of a TAR_LINK, "" else. Out of memory aborts. */
void tar_add(struct tar *t, const char *name, char type, const char *link, const void *data, size_t n);
void tar_end(struct tar *t);
void tar_done(struct tar *t);

/* data[0..n) as a gzip file; cut bytes are left off its end. 0 or -1. */
int gzip_write(const char *path, const void *data, size_t n, size_t cut);

#endif
