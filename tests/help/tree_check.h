/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of core/load/tree/tree.h share: a folder to fill, the tree opened last, and assertions on its entries. tree_setup() and
 * tree_teardown() go around each test; the latter fails it when a descriptor or a temporary file stays behind.
 */
#ifndef ASCOPE_TESTS_HELP_TREE_CHECK_H
#define ASCOPE_TESTS_HELP_TREE_CHECK_H

#include "core/load/tree/tree.h"

struct tree_check {
	char dir[256], spool[256];	/* where tests put files; TMPDIR */
	struct tree tree;
	struct diag diag;
	size_t fds;			/* descriptors open when the test began */
};

extern struct tree_check tc;

int tree_setup(void **state);
int tree_teardown(void **state);

size_t      count_in(const char *folder);		/* its names, "." and ".." too; 0 when it cannot be read */
const char *dir_at(const char *rel);			/* dir/rel; good for the next seven calls */
void        dir_put(const char *rel, const char *text);

void   assert_opens(const char *path);					/* into tc.tree, closing what was there */
void   assert_fails(const char *path, enum err err, const char *part);	/* part: of the message */
size_t tree_find(const char *path);					/* the first entry of that path; fails without */
bool   tree_has_folder(const char *path);
void   assert_refused(const char *path, const char *part);		/* with `part` in the reason, and tree_file() gives nothing */
void   assert_holds(size_t i, const char *data, size_t n);		/* exactly these bytes, by tree_file() and by opening `real` */
void   assert_text(const char *path, const char *text);
void   assert_sorted(void);

#endif
