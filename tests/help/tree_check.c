/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/help/tree_check.h"

#include "tests/help/tmpdir.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct tree_check tc;

size_t count_in(const char *folder)
{
	DIR *list = opendir(folder);
	size_t n = 0;

	if (!list)
		return 0;
	while (readdir(list))
		n++;
	closedir(list);
	return n;
}

int tree_setup(void **state)
{
	(void)state;
	unsetenv("TMPDIR");
	tmpdir_make(tc.dir, sizeof tc.dir);
	tmpdir_make(tc.spool, sizeof tc.spool);
	setenv("TMPDIR", tc.spool, 1);
	tc.fds = count_in("/proc/self/fd");
	tc.tree = (struct tree){ 0 };
	tc.diag = (struct diag){ 0 };
	return 0;
}

int tree_teardown(void **state)
{
	size_t fds, files;

	(void)state;
	tree_close(&tc.tree);
	fds = count_in("/proc/self/fd");
	files = count_in(tc.spool);
	tmpdir_remove(tc.dir);
	tmpdir_remove(tc.spool);
	return fds == tc.fds && files == 2 ? 0 : -1;
}

const char *dir_at(const char *rel)
{
	static char path[8][600];
	static unsigned turn;
	char *out = path[turn++ % ARRAY_LEN(path)];

	snprintf(out, sizeof path[0], "%s/%s", tc.dir, rel);
	return out;
}

void dir_put(const char *rel, const char *text)
{
	tmpdir_write(tc.dir, rel, text, strlen(text));
}

void assert_opens(const char *path)
{
	tree_close(&tc.tree);
	if (tree_open(&tc.tree, path, NULL, NULL, &tc.diag) != ERR_OK)
		fail_msg("%s: %s", tc.diag.file, tc.diag.text);
}

void assert_fails(const char *path, enum err err, const char *part)
{
	tree_close(&tc.tree);
	assert_int_equal(tree_open(&tc.tree, path, NULL, NULL, &tc.diag), err);
	assert_int_equal(tc.diag.err, err);
	if (!strstr(tc.diag.text, part))
		fail_msg("\"%s\" lacks \"%s\"", tc.diag.text, part);
	assert_null(tc.tree.entries);
}

size_t tree_find(const char *path)
{
	for (size_t i = 0; i < tc.tree.n; i++)
		if (strcmp(tc.tree.entries[i].path, path) == 0)
			return i;
	fail_msg("no entry %s", path);
	return 0;
}

void assert_refused(const char *path, const char *part)
{
	const struct tree_entry *e = &tc.tree.entries[tree_find(path)];
	struct file f;

	assert_non_null(e->refused);
	if (!strstr(e->refused, part))
		fail_msg("%s: \"%s\" lacks \"%s\"", path, e->refused, part);
	assert_int_equal(e->fd, -1);
	assert_int_equal(tree_file(&tc.tree, tree_find(path), &f, &tc.diag), ERR_UNREADABLE);
	assert_int_equal(f.fd, -1);
}

void assert_holds(size_t i, const char *data, size_t n)
{
	const struct tree_entry *e = &tc.tree.entries[i];
	struct file f;
	char *got;
	size_t ngot;

	assert_null(e->refused);
	assert_int_equal(e->size, n);
	for (int way = 0; way < 2; way++) {
		assert_int_equal(way ? file_open(&f, e->real, &tc.diag) : tree_file(&tc.tree, i, &f, &tc.diag), ERR_OK);
		assert_int_equal(f.size, n);
		assert_int_equal(file_read_all(&f, n, &got, &ngot, &tc.diag), ERR_OK);
		assert_int_equal(ngot, n);
		assert_memory_equal(got, data, n);
		free(got);
		file_close(&f);
	}
}

void assert_text(const char *path, const char *text)
{
	assert_holds(tree_find(path), text, strlen(text));
}

void assert_sorted(void)
{
	for (size_t i = 1; i < tc.tree.n; i++)
		assert_true(strcmp(tc.tree.entries[i - 1].path, tc.tree.entries[i].path) <= 0);
	for (size_t i = 1; i < tc.tree.nfolders; i++)
		assert_true(strcmp(tc.tree.folders[i - 1], tc.tree.folders[i]) < 0);
}

bool tree_has_folder(const char *path)
{
	for (size_t i = 0; i < tc.tree.nfolders; i++)
		if (strcmp(tc.tree.folders[i], path) == 0)
			return true;
	return false;
}
