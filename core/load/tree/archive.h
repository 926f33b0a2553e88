/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Archives (zip, tar, gzip) into a tree: for tree_open() alone. Members that a reader could take are spooled to unlinked temporary files,
 * one descriptor each; all others are listed and refused. Reading is by libarchive from an open descriptor; no path of a member ever
 * reaches the file system.
 */
#ifndef ASCOPE_CORE_LOAD_TREE_ARCHIVE_H
#define ASCOPE_CORE_LOAD_TREE_ARCHIVE_H

#include "core/load/tree/tree.h"

enum { ARCHIVE_TAR_BLOCK = 512 };

enum pack { PACK_NONE, PACK_ZIP, PACK_TAR, PACK_GZIP };		/* PACK_GZIP: of a tar or of one file, the content tells */

/*
 * Adds the members of the archive open as fd, in the order they stand, to t->entries and its folder members to t->folders; t->root, t->name
 * and every limit are set. On an error what was added stays in *t with its descriptors: tree_close() frees all. Raises the soft limit of
 * open files to the hard one.
 */
enum err archive_unpack(struct tree *t, int fd, enum pack kind, const struct tree_limits *limits, struct progress *p, struct diag *d);

/*
 * Whether the first n bytes are a tar header, by its checksum: holds for every tar format, and for hardly any other file. False when n is
 * less than ARCHIVE_TAR_BLOCK.
 */
bool archive_is_tar_header(const unsigned char *h, int64_t n);

/* macOS puts "._name" files and __MACOSX folders beside the real ones when it packs or copies: they look like captures but hold none. */
bool archive_is_mac_litter(const char *path);

#endif
