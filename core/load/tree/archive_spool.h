/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unpacked side of an archive: files without a name in TMPDIR, /tmp or /var/tmp, whichever has room; for core/load/tree/archive.c alone.
 * They are gone when their descriptor is closed, however the program ends. The descriptors are the caller's to close.
 */
#ifndef ASCOPE_CORE_LOAD_TREE_ARCHIVE_SPOOL_H
#define ASCOPE_CORE_LOAD_TREE_ARCHIVE_SPOOL_H

#include "core/base/base.h"

#include <sys/resource.h>

struct spool {
	const char *dirs[3];
	size_t n, at;			/* at: the folder in use */
	rlim_t descriptors;		/* how many this process may have */
	bool full;			/* the last folder ran out of room too */
};

/* Looks where files may go, and raises the soft limit of open files to the hard one. */
void spool_init(struct spool *s);

/*
 * A new empty file without a name; -1 with errno. Memory is the last resort, where no folder can be written to at all. Some descriptors are
 * kept free for others: EMFILE then.
 */
int spool_file(struct spool *s);

/*
 * Writes all n bytes at offset; false with errno. Where the folder in use is full it goes on in the next one: *fd is then another file,
 * with the first `have` bytes copied.
 */
bool spool_write(struct spool *s, int *fd, const void *block, size_t n, int64_t offset, int64_t have);

/* The folder in use, to name it in messages. */
const char *spool_place(const struct spool *s);

/* Whether an errno means that no descriptor was left. */
bool spool_lacks_descriptors(int e);

#endif
