/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read-only access to a file's bytes by offset. Reading with pread() (never a memory map) keeps memory at the size of the caller's buffer
 * and turns a file that shrinks while we read into a short read, not into a signal.
 */
#ifndef ASCOPE_CORE_BASE_FILE_H
#define ASCOPE_CORE_BASE_FILE_H

#include "core/base/arena.h"
#include "core/base/diag.h"

struct file {
	const char *path;		/* as shown to people; for an archive member "archive.zip!member" */
	int fd;
	int64_t size;			/* bytes */
};

/* Opens a regular file for reading. The path is kept by reference. On success the caller closes with file_close(). */
enum err file_open(struct file *f, const char *path, struct diag *d);
void     file_close(struct file *f);

/* Reads up to n bytes at offset; fewer only at the end of the file. Returns the count, or -1 with errno set. Restarts after signals. */
int64_t file_read_at(const struct file *f, int64_t offset, void *out, size_t n);

/* The whole file, NUL-terminated, in heap memory the caller frees; ERR_LIMIT when it is larger than `most` bytes. */
enum err file_read_all(const struct file *f, size_t most, char **out, size_t *n, struct diag *d);

/*
 * Writes a file whole or not at all: into a temporary file beside it, which is then renamed. Replaces what was there. ERR_OUTPUT with the
 * reason; nothing is left behind then. A path that is no regular file (a pipe, /dev/stdout) is written directly.
 */
enum err file_write(const char *path, const char *text, size_t n, struct diag *d);

#endif
