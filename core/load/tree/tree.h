/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the user named, as a flat list of regular files: a folder (walked to any depth, never through symbolic links to folders, never out
 * of it), one file, or an archive (zip, tar, tar.gz, tgz, *.gz) whose members are spooled to unlinked temporary files. Archives inside a
 * folder are entries like any other; only the one the user named is opened. Nothing is ever written beside the capture.
 */
#ifndef ASCOPE_CORE_LOAD_TREE_TREE_H
#define ASCOPE_CORE_LOAD_TREE_TREE_H

#include "core/base/arena.h"
#include "core/base/file.h"
#include "core/base/progress.h"

struct tree_entry {
	const char *path;		/* relative to the root, '/' between parts; just the name for a single file */
	const char *real;		/* path that open() takes; for an archive member "/proc/self/fd/N" or the like */
	const char *refused;		/* NULL, or why this entry is not to be read (link out of the capture, device, over a limit) */
	int64_t size, mtime_ns;
	int fd;				/* spooled member; -1 for a file on disk */
};

struct tree {
	struct arena arena;
	const char *root;		/* as the user named it */
	const char *name;		/* last part of the root's absolute path: folder or archive name */
	bool is_archive, is_file;
	struct tree_entry *entries;	/* sorted by path */
	size_t n, cap;
	const char **folders;		/* every folder seen, relative, sorted: empty ones tell things too (FRAMEWORK/, PROF_*) */
	size_t nfolders, cap_folders;
};

/* Bounds for archives; a zeroed member means the default. */
struct tree_limits {
	size_t members;			/* default 100 000 */
	int64_t total_bytes;		/* unpacked, default 256 GiB */
	int64_t ratio;			/* unpacked / packed over the whole archive once 64 MiB are unpacked, default 400 */
};

enum err tree_open(struct tree *t, const char *path, const struct tree_limits *limits, struct progress *p, struct diag *d);
void     tree_close(struct tree *t);

/* Opens entry i for reading; its path is shown as "archive.zip!member" for members. The caller closes with file_close(). */
enum err tree_file(const struct tree *t, size_t i, struct file *f, struct diag *d);

#endif
