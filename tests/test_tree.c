/* SPDX-License-Identifier: Apache-2.0 */
/* core/load/tree/tree.c on folders and single files, and core/base/path.c; archives are in test_archive.c. */
#include "core/base/path.h"
#include "tests/help/tmpdir.h"
#include "tests/help/tree_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- folders ---------------------------------------------------------------------------------------------------------------------- */

static void folder_is_listed_in_order(void **state)
{
	static const char *const names[] = { "b/2.csv", "a.json", "b/1\n\033[31m.csv", "b.db", "b/\xff\xfe.json", "b-/z", "b/c/d/e" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		dir_put(names[i], names[i]);
	assert_int_equal(mkdir(dir_at("FRAMEWORK"), 0700), 0);
	assert_opens(tc.dir);
	assert_int_equal(tc.tree.n, ARRAY_LEN(names));
	assert_int_equal(tc.tree.nfolders, 5);
	assert_true(tree_has_folder("FRAMEWORK") && tree_has_folder("b") && tree_has_folder("b-"));
	assert_true(tree_has_folder("b/c") && tree_has_folder("b/c/d"));
	assert_sorted();
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_text(names[i], names[i]);
	assert_false(tc.tree.is_archive || tc.tree.is_file);
	assert_true(tc.tree.entries[0].mtime_ns > 1000000000000000000);
}

static void links_stay_inside(void **state)
{
	char text[700];

	(void)state;
	dir_put("cap/x/real.json", "[]");
	dir_put("outside.json", "{}");
	dir_put("cap2/near.json", "{}");
	assert_int_equal(symlink("x/real.json", dir_at("cap/in.json")), 0);
	assert_int_equal(symlink(dir_at("cap/x/real.json"), dir_at("cap/in_absolute.json")), 0);
	assert_int_equal(symlink("../outside.json", dir_at("cap/out.json")), 0);
	assert_int_equal(symlink("../cap2/near.json", dir_at("cap/near.json")), 0);
	assert_int_equal(symlink("x", dir_at("cap/folder")), 0);
	assert_int_equal(symlink(".", dir_at("cap/self")), 0);
	assert_int_equal(symlink("loop2", dir_at("cap/loop1")), 0);
	assert_int_equal(symlink("loop1", dir_at("cap/loop2")), 0);
	assert_int_equal(symlink("nothing", dir_at("cap/dangling.csv")), 0);
	assert_int_equal(symlink("/dev/null", dir_at("cap/null.csv")), 0);
	assert_opens(dir_at("cap"));
	assert_int_equal(tc.tree.n, 11);
	assert_int_equal(tc.tree.nfolders, 1);
	assert_text("in.json", "[]");
	assert_text("in_absolute.json", "[]");
	snprintf(text, sizeof text, "out of the capture, to %s/outside.json", tc.dir);
	assert_refused("out.json", text);
	assert_refused("near.json", "out of the capture");
	assert_refused("folder", "link to a folder");
	assert_refused("self", "link to a folder");
	assert_refused("loop1", "Too many levels");
	assert_refused("dangling.csv", "link to nothing");
	assert_refused("null.csv", "link to a character device");
	/* named through a link itself, the same */
	assert_int_equal(symlink("cap", dir_at("latest")), 0);
	assert_opens(dir_at("latest"));
	assert_string_equal(tc.tree.name, "latest");
	assert_text("in.json", "[]");
	assert_refused("out.json", "out of the capture");
}

static void pipes_are_not_waited_for(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(dir_at("trace_view.json"), 0600), 0);
	dir_put("._kernel_details.csv", "Mac OS X");
	dir_put("ok.csv", "a,b\n");
	assert_opens(tc.dir);
	assert_refused("trace_view.json", "a named pipe");
	assert_refused("._kernel_details.csv", "macOS");
	assert_text("ok.csv", "a,b\n");
	assert_fails(dir_at("trace_view.json"), ERR_UNREADABLE, "a named pipe");
}

static void unreadable_is_said(void **state)
{
	bool root = geteuid() == 0;

	(void)state;
	dir_put("shut/in.csv", "x");
	dir_put("shut.json", "x");
	dir_put("ok.json", "x");
	chmod(dir_at("shut"), 0);
	chmod(dir_at("shut.json"), 0);
	chmod(tc.dir, 0755);
	chmod(dir_at("ok.json"), 0644);
	if (root && seteuid(65534) != 0) {
		print_message("unreadable_is_said: cannot stop being root\n");
		skip();
	}
	assert_opens(tc.dir);
	assert_refused("shut", "Permission denied");
	assert_refused("shut.json", "Permission denied");
	assert_text("ok.json", "x");
	assert_true(tree_has_folder("shut"));
	assert_fails(dir_at("shut"), ERR_UNREADABLE, "Permission denied");
	assert_fails(dir_at("shut.json"), ERR_UNREADABLE, "Permission denied");
	assert_fails(dir_at("shut/in.csv"), ERR_UNREADABLE, "Permission denied");
	if (root)
		assert_int_equal(seteuid(0), 0);
}

static void depth_has_an_end(void **state)
{
	char path[400] = "";

	(void)state;
	for (int i = 0; i < 64; i++)
		strcat(path, "d/");
	strcat(path, "in.csv");
	dir_put(path, "64 folders");
	strcpy(path + 128, "d/out.csv");
	dir_put(path, "65 folders");
	assert_opens(tc.dir);
	assert_int_equal(tc.tree.n, 2);
	strcpy(path + 128, "in.csv");
	assert_text(path, "64 folders");
	strcpy(path + 128, "d");
	assert_refused(path, "64 folders deep");
	assert_int_equal(tc.tree.nfolders, 65);
}

static void many_files(void **state)
{
	char name[64];

	(void)state;
	for (int i = 0; i < 6000; i++) {
		snprintf(name, sizeof name, "device_%d/data/%d.bin", i % 3, (int)((unsigned)i * 2654435761u % 1000003u));
		dir_put(name, "");
	}
	assert_opens(tc.dir);
	assert_int_equal(tc.tree.n, 6000);
	assert_int_equal(tc.tree.nfolders, 6);
	assert_sorted();
}

static void names_of_roots(void **state)
{
	static const struct {
		const char *path, *name;
	} cases[] = {
		{ "cap", "cap" },   { "cap///", "cap" },     { "cap/sub/..", "cap" },
		{ "cap/.", "cap" }, { "./cap/sub/", "sub" }, { "cap/f.csv", "f.csv" },
	};
	char here[4096], *base = strrchr(tc.dir, '/') + 1;
	struct arena a = { 0 };

	(void)state;
	dir_put("cap/sub/x.csv", "1");
	dir_put("cap/f.csv", "1");
	assert_non_null(getcwd(here, sizeof here));
	assert_int_equal(chdir(tc.dir), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_opens(cases[i].path);
		assert_string_equal(tc.tree.name, cases[i].name);
		assert_string_equal(tc.tree.root, cases[i].path);
	}
	assert_opens(".");
	assert_string_equal(tc.tree.name, base);
	assert_text("cap/sub/x.csv", "1");
	assert_string_equal(tc.tree.entries[tree_find("cap/f.csv")].real, "./cap/f.csv");
	assert_opens("cap/sub/../..//");
	assert_string_equal(tc.tree.name, base);
	assert_int_equal(chdir(here), 0);
	assert_string_equal(path_name(&a, "/"), "/");
	assert_string_equal(path_name(&a, "//."), "/");
	arena_done(&a);
}

static void nothing_there(void **state)
{
	(void)state;
	dir_put("file.json", "{}");
	assert_fails(dir_at("missing"), ERR_NO_INPUT, "No such file");
	assert_fails(dir_at("file.json/x"), ERR_NO_INPUT, "Not a directory");
	assert_fails("", ERR_NO_INPUT, "No such file");
	assert_fails("/dev/null", ERR_UNREADABLE, "a character device");
	assert_int_equal(tree_open(&tc.tree, dir_at("missing"), NULL, NULL, NULL), ERR_NO_INPUT);
}

static void one_file(void **state)
{
	(void)state;
	dir_put("trace_view.json", "[]");
	dir_put("empty.db", "");
	assert_opens(dir_at("trace_view.json"));
	assert_true(tc.tree.is_file && !tc.tree.is_archive);
	assert_int_equal(tc.tree.n, 1);
	assert_string_equal(tc.tree.name, "trace_view.json");
	assert_text("trace_view.json", "[]");
	assert_opens(dir_at("empty.db"));
	assert_text("empty.db", "");
}

/* ---- paths as text ---------------------------------------------------------------------------------------------------------------- */

static void paths(void **state)
{
	static const struct {
		const char *in, *out, *fault;
	} cases[] = {
		{ "a", "a", NULL },	       { "./a//b/./c/", "a/b/c", NULL }, { "...", "...", NULL },  { "a/..b", "a/..b", NULL },
		{ "", NULL, "empty" },	       { ".//./", NULL, "empty" },	 { "/a", NULL, "abs" },	  { "..", NULL, "leads" },
		{ "a/../b", NULL, "leads" },   { "a/..", NULL, "leads" },	 { "\n/ ", "\n/ ", NULL },
	};
	char text[PATH_BYTES_MAX + 2];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *fault;

		strcpy(text, cases[i].in);
		fault = path_tidy(text);
		assert_string_equal(text, cases[i].out ? cases[i].out : cases[i].in);
		assert_int_equal(!fault, !cases[i].fault);
		if (fault)
			assert_non_null(strstr(fault, cases[i].fault));
	}
	for (size_t parts = 64; parts < 68; parts++) {
		for (size_t i = 0; i < 2 * parts; i++)
			text[i] = i % 2 ? '/' : 'd';
		text[2 * parts - 1] = '\0';
		assert_int_equal(path_fault(text) != NULL, parts > 65);
	}
	memset(text, 'x', sizeof text);
	text[PATH_BYTES_MAX + 1] = '\0';
	assert_non_null(strstr(path_fault(text), "4096"));
	text[PATH_BYTES_MAX] = '\0';
	assert_null(path_fault(text));
	assert_true(path_is_below("/a/b", "/a") && path_is_below("/a", "/a") && path_is_below("/a", "/") && path_is_below("/a/b", "/a/"));
	assert_false(path_is_below("/ab", "/a") || path_is_below("/", "/a") || path_is_below("/b/a", "/a"));
	assert_true(path_ends("X.Json", ".json") && !path_ends("n", ".json") && path_ends("x", ""));
	assert_string_equal(path_last("a/b"), "b");
	assert_string_equal(path_last("b"), "b");
	assert_string_equal(path_kind(S_IFIFO | 0600), "a named pipe");
	assert_int_equal(path_time_ns(1700000000, 5), 1700000000000000005);
	assert_int_equal(path_time_ns(-1, 999999999), -1);
	assert_int_equal(path_time_ns(INT64_MAX, 0), 0);
	assert_int_equal(path_time_ns(13569465600, 0), 0);		/* the year 2400 */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(paths),
		TEST(folder_is_listed_in_order),
		TEST(links_stay_inside),
		TEST(pipes_are_not_waited_for),
		TEST(unreadable_is_said),
		TEST(depth_has_an_end),
		TEST(many_files),
		TEST(names_of_roots),
		TEST(nothing_there),
		TEST(one_file),
	};

	return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
