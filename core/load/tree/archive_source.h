/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packed side of an archive: what libarchive's callbacks read from, for core/load/tree/archive.c alone. It counts progress and lets a cancel
 * end any call. gzip is undone here and not by libarchive, which does not look at the checksum and drops the last good bytes before a
 * fault. To libarchive a fault is the end of the data; who reads looks at `fault` then.
 */
#ifndef ASCOPE_CORE_LOAD_TREE_ARCHIVE_SOURCE_H
#define ASCOPE_CORE_LOAD_TREE_ARCHIVE_SOURCE_H

#include "core/base/file.h"
#include "core/base/progress.h"

#include <archive.h>
#include <zlib.h>

enum { SOURCE_BYTES = 128 * 1024 };

struct source {
	struct file file;		/* the caller's: not closed here */
	int64_t at, told;		/* told: bytes reported as progress */
	struct progress *p;
	bool is_gzip, in_gzip, done;	/* in_gzip: between the header and the checksum of a gzip member */
	const char *fault;		/* of the gzip data, NULL so far; what was good before it is handed out all the same */
	int64_t out;			/* unpacked bytes, gzip only */
	int64_t ahead;			/* bytes of buf that source_look_ahead() left for source_read() */
	z_stream z;
	unsigned char in[SOURCE_BYTES];
	unsigned char buf[SOURCE_BYTES];
};

bool source_open(struct source *s, const struct file *f, bool is_gzip, struct progress *p);	/* false: out of memory */
void source_close(struct source *s);

/* Unpacks gzip data into s->buf: the bytes there; 0 at the end, or at a fault (then s->fault is set); -1 with errno. */
int64_t source_inflate(struct source *s);

/* The same, without taking them: source_read() gives them out again. Once, before anything is read. */
int64_t source_look_ahead(struct source *s);

/* Reports n more bytes of the file as done, never more than it has. */
void source_tell(struct source *s, int64_t n);

/* libarchive's callbacks; data is a struct source. Skipping and seeking are for files that are not gzip. */
la_ssize_t source_read(struct archive *a, void *data, const void **out);
la_int64_t source_skip(struct archive *a, void *data, la_int64_t n);
la_int64_t source_seek(struct archive *a, void *data, la_int64_t offset, int whence);

#endif
