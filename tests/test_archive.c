/* SPDX-License-Identifier: Apache-2.0 */
/* core/load/tree/tree.c and archive*.c on archives: whole, damaged and hostile, by hand and by other programs. */
#include "tests/help/packs.h"
#include "tests/help/tmpdir.h"
#include "tests/help/tree_check.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { SKIPPED = 77 };

/* Each writes dir/rel and frees what it is given. */
static void write_buf(const char *rel, struct buf *b)
{
	tmpdir_write(tc.dir, rel, b->p, b->n);
	buf_done(b);
}

static void write_gzip(const char *rel, struct buf *b)
{
	struct buf packed = gzip_of(b->p, b->n);

	write_buf(rel, &packed);
	buf_done(b);
}

static void write_zip(struct zip *z, const char *rel)
{
	zip_end(z);
	write_buf(rel, &z->data);
	*z = (struct zip){ 0 };
}

static const char *const members[][2] = {
	{ "r_ascend_pt/profiler_info_0.json", "{\"rank_id\":0}" },
	{ "r_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", "Name,Type\nMatMul,AI_CORE\n" },
	{ "r_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db", "" },
	{ "r_ascend_pt/ASCEND_PROFILER_OUTPUT/\xe6\x97\xa0.json", "[]" },
	{ "r_ascend_pt/FRAMEWORK/torch.op_range", "raw" },
};

static void assert_members(void)
{
	assert_true(tc.tree.is_archive);
	assert_int_equal(tc.tree.n, ARRAY_LEN(members));
	for (size_t i = 0; i < 4; i++)
		assert_text(members[i][0], members[i][1]);
	assert_refused(members[4][0], "not a file any reader takes");
	assert_int_equal(tc.tree.entries[tree_find(members[4][0])].size, 3);
	assert_int_equal(tc.tree.nfolders, 3);
	assert_true(tree_has_folder("r_ascend_pt") && tree_has_folder("r_ascend_pt/FRAMEWORK"));
	assert_sorted();
}

static void make_tar(struct buf *b, const char *head)
{
	char name[200];

	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		snprintf(name, sizeof name, "%s%s", head, members[i][0]);
		tar_text(b, name, members[i][1]);
	}
	tar_end(b);
}

static void same_capture_any_archive(void **state)
{
	struct buf tar = { 0 };
	struct zip zip = { 0 };
	struct file f;
	char shown[700];

	(void)state;
	make_tar(&tar, "");
	write_buf("c.tar", &tar);
	assert_opens(dir_at("c.tar"));
	assert_members();
	assert_int_equal(tc.tree.entries[0].mtime_ns, 1700000000ll * 1000000000);
	make_tar(&tar, ".///./");
	write_gzip("c.tar.gz", &tar);
	assert_opens(dir_at("c.tar.gz"));
	assert_members();
	make_tar(&tar, "");
	write_gzip("named_otherwise", &tar);
	assert_opens(dir_at("named_otherwise"));
	assert_members();
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		zip_add(&zip, members[i][0], members[i][1], S_IFREG | 0600, 0x800, 0);
	write_zip(&zip, "c.zip");
	assert_opens(dir_at("c.zip"));
	assert_members();
	assert_string_equal(tc.tree.name, "c.zip");
	snprintf(shown, sizeof shown, "%s!%s", tc.tree.root, members[0][0]);
	assert_int_equal(tree_file(&tc.tree, tree_find(members[0][0]), &f, &tc.diag), ERR_OK);
	assert_string_equal(f.path, shown);
	file_close(&f);
	assert_int_equal(count_in(tc.dir), 2 + 4);		/* nothing was written beside them */
}

static void one_packed_file(void **state)
{
	struct buf b = { 0 }, two, one;

	(void)state;
	buf_str(&b, "[1]");
	one = gzip_of(b.p, b.n);
	two = gzip_of(b.p, b.n);
	buf_add(&two, one.p, one.n);
	buf_add(&two, "\0\0\0\0", 4);
	write_buf("two.csv.GZ", &two);
	buf_done(&one);
	write_gzip("trace_view.json.gz", &b);
	write_gzip("nothing.json.gz", &b);
	write_gzip("notes.txt.gz", &b);
	assert_opens(dir_at("trace_view.json.gz"));
	assert_true(tc.tree.is_archive && !tc.tree.is_file);
	assert_string_equal(tc.tree.name, "trace_view.json.gz");
	assert_int_equal(tc.tree.n, 1);
	assert_text("trace_view.json", "[1]");
	assert_true(tc.tree.entries[0].mtime_ns > 0);
	assert_opens(dir_at("two.csv.GZ"));
	assert_text("two.csv", "[1][1]");
	assert_opens(dir_at("nothing.json.gz"));
	assert_text("nothing.json", "");
	assert_opens(dir_at("notes.txt.gz"));
	assert_refused("notes.txt", "not a file any reader takes");
}

static void hostile_members(void **state)
{
	struct buf b = { 0 }, deep = { 0 };
	struct zip z = { 0 };

	(void)state;
	tar_text(&b, "/etc/passwd.json", "1");
	tar_text(&b, "a/../../up.json", "2");
	tar_text(&b, "..", "3");
	tar_add(&b, "link.json", '2', "/etc/passwd", "", 0);
	tar_add(&b, "hard.json", '1', "ok.json", "", 0);
	tar_add(&b, "null.csv", '3', NULL, "", 0);
	tar_add(&b, "disk.csv", '4', NULL, "", 0);
	tar_add(&b, "fifo.csv", '6', NULL, "", 0);
	tar_add(&b, "../dir/", '5', NULL, "", 0);
	tar_add(&b, "./", '5', NULL, "", 0);
	tar_add(&b, "empty/", '5', NULL, "", 0);
	tar_text(&b, "..a/b..json/c...json", "ok");
	tar_text(&b, "\033[2J\n.csv", "ok");
	for (int i = 0; i < 66; i++)			/* too long for a header: gnu's way */
		buf_str(&deep, i < 65 ? "d/" : "x.csv");
	tar_add(&b, "././@LongLink", 'L', NULL, deep.p, deep.n + 1);
	tar_text(&b, "cut", "deep");
	tar_text(&b, "ok.json", "ok");
	tar_end(&b);
	write_buf("t.tar", &b);
	assert_opens(dir_at("t.tar"));
	assert_refused(deep.p, "64 folders deep");
	buf_done(&deep);
	assert_refused("/etc/passwd.json", "is absolute");
	assert_refused("a/../../up.json", "leads out");
	assert_refused("..", "leads out");
	assert_refused("link.json", "symbolic link");
	assert_refused("hard.json", "hard link");
	assert_refused("null.csv", "a character device");
	assert_refused("disk.csv", "a block device");
	assert_refused("fifo.csv", "a named pipe");
	assert_refused("../dir/", "leads out");
	assert_text("..a/b..json/c...json", "ok");
	assert_text("\033[2J\n.csv", "ok");
	assert_text("ok.json", "ok");
	assert_int_equal(tc.tree.n, 13);
	assert_int_equal(tc.tree.nfolders, 3);		/* ..a, ..a/b..json, empty */
	zip_text(&z, "../../up.csv", "1");
	zip_add(&z, "link.csv", "/etc/passwd", S_IFLNK | 0777, 0, 0);
	zip_text(&z, "__MACOSX/r/._x.csv", "mac");
	zip_text(&z, "r/x.csv", "ok");
	write_zip(&z, "z.zip");
	assert_opens(dir_at("z.zip"));
	assert_refused("../../up.csv", "leads out");
	assert_refused("link.csv", "symbolic link");
	assert_refused("__MACOSX/r/._x.csv", "macOS");
	assert_text("r/x.csv", "ok");
}

static void last_of_a_name_wins(void **state)
{
	struct buf b = { 0 };
	struct zip z = { 0 };

	(void)state;
	tar_text(&b, "a/x.json", "first");
	tar_text(&b, "b.json", "b");
	tar_text(&b, "./a//x.json", "second");
	tar_text(&b, "a/x.json", "third");
	tar_end(&b);
	write_buf("d.tar", &b);
	assert_opens(dir_at("d.tar"));
	assert_int_equal(tc.tree.n, 4);
	assert_refused("a/x.json", "later member");
	assert_non_null(tc.tree.entries[1].refused);
	assert_string_equal(tc.tree.entries[2].path, "a/x.json");
	assert_holds(2, "third", 5);
	zip_text(&z, "x.json", "first");
	zip_text(&z, "x.json", "second");
	write_zip(&z, "d.zip");
	assert_opens(dir_at("d.zip"));
	assert_int_equal(tc.tree.n, 2);
	assert_refused("x.json", "later member");
	assert_holds(1, "second", 6);
}

static void encrypted_zip(void **state)
{
	struct zip z = { 0 };

	(void)state;
	zip_add(&z, "trace_view.json", "0123456789abcdef", S_IFREG | 0600, 1, 0);
	write_zip(&z, "e.zip");
	assert_fails(dir_at("e.zip"), ERR_FORMAT, "is encrypted");
	assert_null(strchr(tc.diag.text, '\n'));
	zip_add(&z, "trace_view.json", "0123456789abcdef", S_IFREG | 0600, 1, 0);
	zip_text(&z, "open.json", "[]");
	write_zip(&z, "half.zip");
	assert_opens(dir_at("half.zip"));
	assert_refused("trace_view.json", "encrypted");
	assert_text("open.json", "[]");
}

/* Cut anywhere: what is given out is whole and right; the cut is said whenever a member is absent. */
static void cut_archive(const char *rel, const struct buf *whole)
{
	size_t most = 0;

	for (size_t n = 1; n < whole->n; n += 1 + n % 23) {
		size_t good = 0;
		bool said = false;
		enum err err;

		tmpdir_write(tc.dir, rel, whole->p, n);
		tree_close(&tc.tree);
		err = tree_open(&tc.tree, dir_at(rel), NULL, NULL, &tc.diag);
		if (err) {
			assert_int_equal(err, ERR_FORMAT);
			continue;
		}
		for (size_t i = 0; i < tc.tree.n; i++) {
			const char *why = tc.tree.entries[i].refused;

			said |= why && (strstr(why, "breaks off") || strstr(why, "gzip data"));
			good += !why;
		}
		for (size_t i = 0; i < tc.tree.n; i++)
			for (size_t k = 0; !tc.tree.entries[i].refused && k < 4; k++)
				if (strcmp(tc.tree.entries[i].path, members[k][0]) == 0)
					assert_holds(i, members[k][1], strlen(members[k][1]));
		if (tc.tree.is_archive)
			assert_true(said || good == 4);
		most = MAX(most, tc.tree.is_archive ? good : 0);
	}
	assert_int_equal(most, 4);
}

static void cut_anywhere(void **state)
{
	struct buf tar = { 0 }, gz;
	struct zip z = { 0 };

	(void)state;
	make_tar(&tar, "");
	cut_archive("cut.tar", &tar);
	gz = gzip_of(tar.p, tar.n);
	cut_archive("cut.tgz", &gz);
	buf_done(&gz);
	buf_done(&tar);
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		zip_text(&z, members[i][0], members[i][1]);
	zip_end(&z);
	cut_archive("cut.zip", &z.data);
	buf_done(&z.data);
}

static void wrong_checksums(void **state)
{
	struct buf b = { 0 }, gz;
	struct zip z = { 0 };

	(void)state;
	zip_text(&z, "a.csv", "good");
	zip_add(&z, "b.csv", "bad", S_IFREG | 0600, 0, 1);
	zip_text(&z, "c.csv", "good");
	write_zip(&z, "w.zip");
	assert_opens(dir_at("w.zip"));
	assert_text("a.csv", "good");
	assert_refused("b.csv", "CRC");
	assert_text("c.csv", "good");
	make_tar(&b, "");
	gz = gzip_of(b.p, b.n);
	gz.p[gz.n - 6] ^= 1;
	write_buf("w.tgz", &gz);
	assert_opens(dir_at("w.tgz"));
	assert_refused("w.tgz", "gzip data is damaged (incorrect data check)");
	assert_text(members[1][0], members[1][1]);
	gz = gzip_of("[1,2,3]", 7);
	gz.p[gz.n - 6] ^= 1;
	write_buf("w.json.gz", &gz);
	assert_fails(dir_at("w.json.gz"), ERR_FORMAT, "data check");
	buf_done(&b);
}

static void limits_hold(void **state)
{
	struct buf b = { 0 };
	char *zeros = calloc(80, 1 << 20);
	size_t bomb = (size_t)80 << 20;

	(void)state;
	tar_add(&b, "bomb.bin", '0', NULL, zeros, bomb);		/* not even a file that would be spooled */
	write_gzip("bomb.tgz", &b);
	assert_fails(dir_at("bomb.tgz"), ERR_LIMIT, "400 times its size");
	b = gzip_of(zeros, bomb);
	write_buf("bomb.json.gz", &b);
	assert_fails(dir_at("bomb.json.gz"), ERR_LIMIT, "400 times its size");
	assert_int_equal(tree_open(&tc.tree, dir_at("bomb.json.gz"), &(struct tree_limits){ .ratio = 2000 }, NULL, &tc.diag), ERR_OK);
	assert_holds(0, zeros, bomb);
	tree_close(&tc.tree);
	free(zeros);
	make_tar(&b, "");
	write_buf("c.tar", &b);
	assert_int_equal(tree_open(&tc.tree, dir_at("c.tar"), &(struct tree_limits){ .members = 5, .total_bytes = 40 }, NULL, &tc.diag),
			 ERR_OK);
	assert_members();
	tree_close(&tc.tree);
	assert_int_equal(tree_open(&tc.tree, dir_at("c.tar"), &(struct tree_limits){ .members = 4 }, NULL, &tc.diag), ERR_LIMIT);
	assert_non_null(strstr(tc.diag.text, "more than 4 files"));
	assert_int_equal(tree_open(&tc.tree, dir_at("c.tar"), &(struct tree_limits){ .total_bytes = 39 }, NULL, &tc.diag), ERR_LIMIT);
	assert_non_null(strstr(tc.diag.text, "more than 39 bytes"));
}

static void other_archives_are_named(void **state)
{
	static const struct {
		const char *name, *bytes, *said;
	} cases[] = {
		{ "c.7z", "7z\274\257\047\034xxxx", "a 7z archive" }, { "c.tar.xz", "\3757zXZ", "xz data" },
		{ "c.zst", "\050\265\057\375xx", "zstd data" },	      { "c.zip", "Rar!\032\007\001", "a rar archive" },
		{ "c.tbz", "BZh91AY", "bzip2 data" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		tmpdir_write(tc.dir, cases[i].name, cases[i].bytes, i == 1 ? 6 : strlen(cases[i].bytes));
		assert_fails(dir_at(cases[i].name), ERR_FORMAT, cases[i].said);
		assert_non_null(strstr(tc.diag.text, "repack as zip or tar.gz"));
	}
	dir_put("plain.json.gz", "[]");
	assert_fails(dir_at("plain.json.gz"), ERR_FORMAT, "named like gzip data");
	dir_put("e.zip", "");
	assert_fails(dir_at("e.zip"), ERR_FORMAT, "is empty");
	dir_put("text.zip", "hello");
	assert_fails(dir_at("text.zip"), ERR_FORMAT, "damaged");
	dir_put("text.tar", "hello");
	assert_fails(dir_at("text.tar"), ERR_FORMAT, "damaged");
}

/* ---- room, descriptors, cancelling ------------------------------------------------------------------------------------------------ */

static void in_child(int (*run)(void), const char *name)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(run());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == SKIPPED) {
		print_message("%s: not possible here\n", name);
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int run_without_room(void)
{
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 65536, 65536 });
	if (tree_open(&tc.tree, dir_at("big.tar"), NULL, NULL, &tc.diag) != ERR_UNREADABLE)
		return 1;
	return strstr(tc.diag.text, "set TMPDIR to a folder with more room") && count_in("/proc/self/fd") == tc.fds ? 0 : 2;
}

/* The first folder is full after 64 KiB: the member goes on in the next one. */
static int run_in_next_folder(void)
{
	struct file f;
	char *got;
	size_t n;

	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("ascope-test", tc.spool, "tmpfs", 0, "size=65536") != 0)
		return SKIPPED;
	if (tree_open(&tc.tree, dir_at("big.tar"), NULL, NULL, &tc.diag) != ERR_OK || tc.tree.n != 2 || tc.tree.entries[1].refused)
		return 1;
	if (tree_file(&tc.tree, 1, &f, &tc.diag) != ERR_OK || file_read_all(&f, 1 << 20, &got, &n, &tc.diag) != ERR_OK || n != 300000)
		return 2;
	for (size_t i = 0; i < n; i++)
		if (got[i] != (char)(i % 251))
			return 3;
	free(got);
	file_close(&f);
	tree_close(&tc.tree);
	return count_in("/proc/self/fd") == tc.fds ? 0 : 4;
}

static void disk_full(void **state)
{
	struct buf b = { 0 };
	char *data = malloc(300000);

	(void)state;
	for (size_t i = 0; i < 300000; i++)
		data[i] = (char)(i % 251);
	tar_text(&b, "a.csv", "a");
	tar_add(&b, "big.csv", '0', NULL, data, 300000);
	tar_end(&b);
	write_buf("big.tar", &b);
	free(data);
	in_child(run_without_room, "run_without_room");
	in_child(run_in_next_folder, "run_in_next_folder");
}

static int run_with_few_descriptors(void)
{
	size_t good = 0, out = 0;

	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 20, 100 });
	if (tree_open(&tc.tree, dir_at("many.tar"), NULL, NULL, &tc.diag) != ERR_OK || tc.tree.n != 200)
		return 1;
	for (size_t i = 0; i < tc.tree.n; i++) {
		good += !tc.tree.entries[i].refused;
		out += tc.tree.entries[i].refused && strstr(tc.tree.entries[i].refused, "out of file descriptors (limit 100)") != NULL;
	}
	tree_close(&tc.tree);
	return good > 20 && good <= 36 && good + out == 200 && count_in("/proc/self/fd") == tc.fds ? 0 : 2;
}

static void few_descriptors(void **state)
{
	struct buf b = { 0 };
	char name[32];

	(void)state;
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof name, "%03d.csv", i);
		tar_text(&b, name, name);
	}
	tar_end(&b);
	write_buf("many.tar", &b);
	in_child(run_with_few_descriptors, "run_with_few_descriptors");
}

static void no_temporary_folder(void **state)
{
	struct buf b = { 0 };

	(void)state;
	make_tar(&b, "");
	write_buf("c.tar", &b);
	setenv("TMPDIR", "/nonexistent/folder", 1);
	assert_opens(dir_at("c.tar"));
	assert_members();
}

static void *cancel_soon(void *arg)
{
	struct progress *p = arg;

	while (atomic_load(&p->bytes_done) < 1 << 20)
		sched_yield();
	atomic_store(&p->cancel, 1);
	return NULL;
}

static void cancelling(void **state)
{
	struct progress p = { 0 };
	struct buf b = { 0 };
	size_t n = (size_t)32 << 20;
	char *data = malloc(n);
	pthread_t thread;

	(void)state;
	for (size_t i = 0; i < n; i++)
		data[i] = (char)((i * 2654435761u) >> 13);
	tar_text(&b, "a.csv", "a");
	tar_add(&b, "big.csv", '0', NULL, data, n);
	tar_end(&b);
	free(data);
	write_buf("big.tar", &b);
	assert_int_equal(tree_open(&tc.tree, dir_at("big.tar"), NULL, &p, &tc.diag), ERR_OK);
	assert_true(atomic_load(&p.bytes_done) == atomic_load(&p.bytes_total) && atomic_load(&p.bytes_total) == (long long)n + 512 * 5);
	tree_close(&tc.tree);
	atomic_store(&p.bytes_done, 0);
	assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &p), 0);
	assert_int_equal(tree_open(&tc.tree, dir_at("big.tar"), NULL, &p, &tc.diag), ERR_CANCELLED);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(tc.diag.err, ERR_CANCELLED);
	assert_int_equal(tree_open(&tc.tree, tc.dir, NULL, &p, &tc.diag), ERR_CANCELLED);
}

/* ---- archives by other programs --------------------------------------------------------------------------------------------------- */

/* Runs a line with $D for the test's folder; its output is not shown. */
static bool shell(const char *line)
{
	setenv("D", tc.dir, 1);
	return system(line) == 0;
}

/* The same files, by the same paths, as in the folder. */
static void assert_like_folder(const char *folder, const char *archive)
{
	struct tree plain;
	struct file f;
	char *got;
	size_t n, read = 0;

	assert_opens(archive);
	assert_int_equal(tree_open(&plain, folder, NULL, NULL, &tc.diag), ERR_OK);
	assert_int_equal(tc.tree.n, plain.n);
	assert_int_equal(tc.tree.nfolders, plain.nfolders);
	for (size_t i = 0; i < tc.tree.nfolders; i++)
		assert_string_equal(tc.tree.folders[i], plain.folders[i]);
	for (size_t i = 0; i < tc.tree.n; i++) {
		assert_string_equal(tc.tree.entries[i].path, plain.entries[i].path);
		assert_int_equal(tc.tree.entries[i].size, plain.entries[i].size);
		if (tc.tree.entries[i].refused)
			continue;
		assert_int_equal(tree_file(&plain, i, &f, &tc.diag), ERR_OK);
		assert_int_equal(file_read_all(&f, 1 << 28, &got, &n, &tc.diag), ERR_OK);
		assert_holds(i, got, n);
		file_close(&f);
		free(got);
		read++;
	}
	assert_true(read > 0);
	tree_close(&plain);
}

static void other_packers(void **state)
{
	static const struct {
		const char *program, *name, *line;
	} cases[] = {
		{ "tar", "v7.tar", "cd $D/in && tar --format=v7 -cf ../v7.tar ." },
		{ "tar", "gnu.tar", "cd $D/in && tar -cf ../gnu.tar ." },
		{ "tar", "pax.tgz", "cd $D/in && tar --format=pax -czf ../pax.tgz *" },
		{ "tar", "sparse.tar.gz", "cd $D/in && truncate -s 1M big.csv && tar -Sczf ../sparse.tar.gz ." },
		{ "zip", "info.zip", "cd $D/in && zip -qr ../info.zip ." },
		{ "zip", "stored.zip", "cd $D/in && zip -q0r ../stored.zip ." },
		{ "python3", "python.zip", "cd $D/in && python3 -m zipfile -c ../python.zip *" },
	};
	char name[300], probe[64];
	unsigned done = 0;

	(void)state;
	dir_put("in/PROF_1/a.csv", "a,b\r\n1,2\r\n");
	dir_put("in/PROF_1/device_0/x.bin", "raw");
	dir_put("in/trace.json", "[]");
	memset(name, 'n', sizeof name);
	memcpy(name, "in/long/", 8);
	strcpy(name + 180, "/\xc3\xa9\xc3\xa9.json");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (i == 1)			/* v7 has no room for such a name */
			dir_put(name, "long");
		snprintf(probe, sizeof probe, "command -v %s >/dev/null 2>&1", cases[i].program);
		if (!shell(probe))
			continue;
		assert_true(shell(cases[i].line));
		assert_like_folder(dir_at("in"), dir_at(cases[i].name));
		done++;
	}
	if (!done) {
		print_message("other_packers: no tar, zip or python3 here\n");
		skip();
	}
}

static void real_capture(void **state)
{
	const char *captures = getenv("ASCOPE_CAPTURES");
	char folder[1000];

	(void)state;
	snprintf(folder, sizeof folder, "%s/real/pytorch-cann83-pp2dp2-4ranks", captures && captures[0] ? captures : "../shared/captures");
	setenv("F", folder, 1);
	if (access(folder, R_OK) != 0 || !shell("tar -C \"$F\" -czf $D/real.tgz . 2>/dev/null")) {
		print_message("real_capture: no captures here\n");
		skip();
	}
	assert_like_folder(folder, dir_at("real.tgz"));
	assert_int_equal(tc.tree.nfolders, 8);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(same_capture_any_archive),
		TEST(one_packed_file),
		TEST(hostile_members),
		TEST(last_of_a_name_wins),
		TEST(encrypted_zip),
		TEST(cut_anywhere),
		TEST(wrong_checksums),
		TEST(limits_hold),
		TEST(other_archives_are_named),
		TEST(disk_full),
		TEST(few_descriptors),
		TEST(no_temporary_folder),
		TEST(cancelling),
		TEST(other_packers),
		TEST(real_capture),
	};

	return cmocka_run_group_tests_name("archive", tests, NULL, NULL);
}
