/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A zip writer for test archives: members are stored, or given ready-deflated.
 * Names and modes are written as asked, which is the point: the hostile archives
 * need names no honest packer would write. Dates are fixed.
 */
#ifndef ASCOPE_SAMPLES_ZIP_H
#define ASCOPE_SAMPLES_ZIP_H

#include "samples/emit.h"

enum { ZIP_MEMBERS = 32, ZIP_NAME = 200, ZIP_FILE_MODE = 0100644, ZIP_LINK_MODE = 0120777 };

struct zip_member {
	char name[ZIP_NAME];
	uint32_t crc, packed, size, offset, mode;
	uint16_t method;	/* 0 stored, 8 deflated */
};

struct zip {
	struct out out;
	struct zip_member member[ZIP_MEMBERS];
	size_t n;
};

uint32_t crc32_more(uint32_t crc, const void *data, size_t n);

int zip_open(struct zip *z, const char *path);
void zip_store(struct zip *z, const char *name, const void *data, size_t n, uint32_t mode);
/* Deflated bytes of size original ones with the given checksum. */
void zip_deflated(struct zip *z, const char *name, const void *data, size_t n, uint32_t size, uint32_t crc);
/* Stores a file from disk. 0 or -1. */
int zip_store_file(struct zip *z, const char *name, const char *path);
/* directory false leaves the archive without its central directory. */
int zip_close(struct zip *z, bool directory);

#endif
