/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths as text, for those who list captures: tidying names that come from an archive, taking paths apart, saying what kind of file a mode
 * is. Nothing here opens a file; path_name() alone asks the system (for the working directory).
 */
#ifndef ASCOPE_CORE_BASE_PATH_H
#define ASCOPE_CORE_BASE_PATH_H

#include "core/base/arena.h"

enum {
	PATH_DEPTH_MAX = 64,		/* folders above a file */
	PATH_BYTES_MAX = 4096
};

/* NULL for a relative path that stays below its root; else why not, in words that follow "its path": absolute, "..", empty, too long. */
const char *path_fault(const char *path);

/* Tidies such a path in place: "./a//b/" becomes "a/b". Answers like path_fault(), and leaves the text alone when there is a fault. */
const char *path_tidy(char *path);

/* The part after the last '/'. Points into path. */
const char *path_last(const char *path);

/* Whether path ends with suffix; ASCII letters of either case are the same. */
bool path_ends(const char *path, const char *suffix);

/* Whether path is folder or lies below it; both absolute and without "." or ".." parts. */
bool path_is_below(const char *path, const char *folder);

/*
 * What to call the thing a path names: its last part, whatever slashes follow it; for "", "." and "..", alone or at the end, the last part
 * of what they stand for; "/" for the root. Copied into the arena.
 */
char *path_name(struct arena *a, const char *path);

/* What a file of this st_mode is, with its article: "a regular file", "a named pipe", ... */
const char *path_kind(unsigned mode);

/* A file's time as one number; 0 for times that do not fit (before 1678, after 2261). */
int64_t path_time_ns(int64_t seconds, long ns);

#endif
