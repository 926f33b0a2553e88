/* SPDX-License-Identifier: Apache-2.0 */
/* Opening databases: what is refused, what is left alone, write-ahead logs, hostile schemas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/load/db/db.h"
#include "tests/help/db_make.h"
#include "tests/help/tmpdir.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char small[] =
	"CREATE TABLE STRING_IDS(id INTEGER PRIMARY KEY, value TEXT); INSERT INTO STRING_IDS VALUES(0,'EVENT_WAIT'),(1,'KERNEL_AIVEC');"
	"CREATE TABLE TASK(startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER, globalPid INTEGER,"
	" taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);"
	"INSERT INTO TASK VALUES(1000,3000,0,-1,0,77,0,4294967295,2,5,4294967295),(5000,6000,0,-1,1,77,1,4294967295,2,6,4294967295);";

static char dir[256];

static int setup(void **state)
{
	(void)state;
	tmpdir_make(dir, sizeof dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tmpdir_remove(dir);
	return 0;
}

static char *file_bytes(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *p = malloc(1 << 22);

	assert_non_null(f);
	assert_non_null(p);
	*n = fread(p, 1, 1 << 22, f);
	fclose(f);
	return p;
}

static size_t files_in(const char *folder)
{
	DIR *d = opendir(folder);
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Loads, and holds that no byte changed and nothing was made beside the file. */
static void load_untouched(struct db_loaded *l, const char *path)
{
	size_t before_n, after_n, files = files_in(dir);
	char *before = file_bytes(path, &before_n), *after;

	db_loaded_open(l, path);
	after = file_bytes(path, &after_n);
	assert_int_equal(before_n, after_n);
	assert_memory_equal(before, after, before_n);
	assert_int_equal(files_in(dir), files);
	free(before);
	free(after);
}

static void test_odd_paths(void **state)
{
	static const char *const odd[] = { "a b.db", "q?mode=rwc.db", "p%41.db", "h#1.db", "\xe6\x80\xa7\xe8\x83\xbd.db", "file:x.db",
			"-wal", "a'b\".db" };
	char path[512];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		struct db_loaded l;

		db_make(dir, odd[i], small, path, sizeof path);
		load_untouched(&l, path);
		assert_int_equal(l.err, ERR_OK);
		assert_int_equal(l.events.n, 2);
		db_loaded_done(&l);
		assert_int_equal(unlink(path), 0);
	}
}

static void test_relative_path_and_fd_path(void **state)
{
	char path[512], fd_path[64], old[512];
	struct db_loaded l;
	FILE *f;

	(void)state;
	db_make(dir, "x.db", small, path, sizeof path);
	assert_non_null(getcwd(old, sizeof old));
	assert_int_equal(chdir(dir), 0);
	db_loaded_open(&l, "x.db");
	assert_int_equal(chdir(old), 0);
	assert_int_equal(l.events.n, 2);
	db_loaded_done(&l);

	/* a member of an archive: a file that has no name any more */
	f = fopen(path, "rb");
	assert_non_null(f);
	assert_int_equal(unlink(path), 0);
	snprintf(fd_path, sizeof fd_path, "/proc/self/fd/%d", fileno(f));
	db_loaded_open(&l, fd_path);
	assert_int_equal(l.err, ERR_OK);
	assert_int_equal(l.events.n, 2);
	db_loaded_done(&l);
	fclose(f);
}

static void expect_error(const char *path, enum err err, const char *words)
{
	enum db_kind kind;
	struct diag d = { 0 };
	char line[700];

	assert_int_equal(db_sniff(path, &kind, &d), err);
	diag_format(&d, line, sizeof line);
	if (!strstr(line, words))
		fail_msg("\"%s\" lacks \"%s\"", line, words);
	assert_null(strchr(line, '\n'));
}

static void test_refused(void **state)
{
	char path[512], cut[512];
	size_t n;
	char *bytes;

	(void)state;
	db_make(dir, "x.db", small, path, sizeof path);
	bytes = file_bytes(path, &n);
	snprintf(cut, sizeof cut, "%s/cut.db", dir);
	tmpdir_write(dir, "cut.db", bytes, n / 2);
	expect_error(cut, ERR_FORMAT, "cut off");
	tmpdir_write(dir, "cut.db", bytes, 50);
	expect_error(cut, ERR_FORMAT, "cut off inside its header");
	tmpdir_write(dir, "cut.db", bytes, 5);
	expect_error(cut, ERR_FORMAT, "not a SQLite database");
	tmpdir_write(dir, "cut.db", "Step,Computing\n1,2\n", 19);
	expect_error(cut, ERR_FORMAT, "not a SQLite database");
	bytes[17] = 3, bytes[16] = 0;
	tmpdir_write(dir, "cut.db", bytes, n);
	expect_error(cut, ERR_FORMAT, "page size 3");
	expect_error(dir, ERR_UNREADABLE, "not a regular file");
	snprintf(cut, sizeof cut, "%s/none.db", dir);
	expect_error(cut, ERR_NO_INPUT, "No such file");
	free(bytes);
}

static void test_damaged_pages(void **state)
{
	char path[512];
	size_t n, refused = 0;
	char *bytes;

	(void)state;
	db_make(dir, "x.db", small, path, sizeof path);
	bytes = file_bytes(path, &n);
	for (size_t page = 0; page + 4096 <= n; page += 4096) {
		struct db_loaded l;
		char *copy = malloc(n);

		assert_non_null(copy);
		memcpy(copy, bytes, n);
		memset(copy + page + (page ? 0 : 100), 0xa5, 200);
		tmpdir_write(dir, "y.db", copy, n);
		snprintf(path, sizeof path, "%s/y.db", dir);
		load_untouched(&l, path);
		assert_true(l.err == ERR_OK || l.err == ERR_FORMAT);
		refused += l.err == ERR_FORMAT;
		if (l.err)
			assert_true(strlen(l.diag.text) > 0);
		db_loaded_done(&l);
		free(copy);
	}
	assert_true(refused >= 3);		/* schema, texts, tasks */
	free(bytes);
}

static void test_empty(void **state)
{
	enum db_kind kind = DB_UNKNOWN;
	struct db_loaded l;
	char path[512];

	(void)state;
	tmpdir_write(dir, "zero.db", NULL, 0);
	snprintf(path, sizeof path, "%s/zero.db", dir);
	assert_int_equal(db_sniff(path, &kind, NULL), ERR_OK);
	assert_int_equal(kind, DB_EMPTY);
	load_untouched(&l, path);
	assert_int_equal(l.err, ERR_OK);
	assert_int_equal(l.events.n, 0);
	assert_int_equal(l.target.rank, -1);
	db_loaded_done(&l);
	assert_int_equal(db_load_analysis(path, &(struct db_target){ .names = NULL }, NULL, NULL), ERR_OK);

	db_make(dir, "none.db", "CREATE TABLE a(b); DROP TABLE a;", path, sizeof path);
	assert_int_equal(db_sniff(path, &kind, NULL), ERR_OK);
	assert_int_equal(kind, DB_EMPTY);
}

static void test_kinds(void **state)
{
	static const struct {
		const char *sql;
		enum db_kind kind;
	} cases[] = {
		{ "CREATE TABLE TASK(startNs)", DB_PROFILER },
		{ "CREATE TABLE API(startNs)", DB_PROFILER },
		{ "CREATE TABLE StepTraceTime(step TEXT)", DB_ANALYSIS },
		{ "CREATE TABLE CommAnalyzerTime(step TEXT)", DB_ANALYSIS },
		{ "CREATE TABLE ClusterStepTraceTime(step TEXT)", DB_CLUSTER },
		{ "CREATE TABLE AscendTask(a)", DB_RAW_MSPROF },
		{ "CREATE TABLE ge_summary(a)", DB_RAW_MSPROF },
		{ "CREATE TABLE customers(a)", DB_UNKNOWN },
		{ "CREATE VIEW TASK AS SELECT 1 AS startNs", DB_EMPTY },
	};
	char name[32], path[512];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		enum db_kind kind = DB_UNKNOWN;

		snprintf(name, sizeof name, "%zu.db", i);
		db_make(dir, name, cases[i].sql, path, sizeof path);
		assert_int_equal(db_sniff(path, &kind, NULL), ERR_OK);
		assert_int_equal(kind, cases[i].kind);
	}
}

/* ---- write-ahead logs ---- */

/* A database in WAL mode: what a viewer leaves behind. with_log: its last row is only in the log. */
static void wal_make(char path[], size_t size, bool with_log)
{
	char from[512], wal[520];
	sqlite3 *db;
	size_t n;
	char *bytes;

	snprintf(from, sizeof from, "%s/from.db", dir);
	assert_int_equal(sqlite3_open(from, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, small, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL), SQLITE_OK);
	if (with_log)
		assert_int_equal(sqlite3_exec(db, "INSERT INTO TASK VALUES(7000,9000,0,-1,2,77,0,4294967295,2,7,4294967295)", NULL, NULL,
				NULL), SQLITE_OK);
	snprintf(path, size, "%s/wal.db", dir);
	bytes = file_bytes(from, &n);
	tmpdir_write(dir, "wal.db", bytes, n);
	free(bytes);
	if (with_log) {
		snprintf(wal, sizeof wal, "%s-wal", from);
		bytes = file_bytes(wal, &n);
		assert_true(n > 32);
		tmpdir_write(dir, "wal.db-wal", bytes, n);
		free(bytes);
	}
	sqlite3_close(db);
	unlink(from);
}

static void test_wal_header_alone(void **state)
{
	struct db_loaded l;
	char path[512];
	size_t n;
	char *bytes;

	(void)state;
	wal_make(path, sizeof path, false);
	bytes = file_bytes(path, &n);
	assert_int_equal(bytes[18], 2);
	free(bytes);
	load_untouched(&l, path);
	assert_int_equal(l.err, ERR_OK);
	assert_int_equal(l.events.n, 2);
	assert_string_equal(l.diag.text, "");
	db_loaded_done(&l);
	tmpdir_write(dir, "wal.db-wal", NULL, 0);	/* an empty one counts as none */
	load_untouched(&l, path);
	assert_int_equal(l.events.n, 2);
	db_loaded_done(&l);
}

static void test_wal_is_read(void **state)
{
	struct db_loaded l;
	char path[512], wal[520];
	size_t before_n, after_n;
	char *before, *after;

	(void)state;
	wal_make(path, sizeof path, true);
	snprintf(wal, sizeof wal, "%s-wal", path);
	before = file_bytes(wal, &before_n);
	load_untouched(&l, path);
	assert_int_equal(l.err, ERR_OK);
	assert_string_equal(l.diag.text, "");
	assert_int_equal(l.events.n, 3);
	after = file_bytes(wal, &after_n);
	assert_int_equal(before_n, after_n);
	assert_memory_equal(before, after, before_n);
	db_loaded_done(&l);

	memset(before, 0x11, before_n);			/* rubbish: SQLite takes no frame of it */
	tmpdir_write(dir, "wal.db-wal", before, before_n);
	load_untouched(&l, path);
	assert_int_equal(l.err, ERR_OK);
	assert_int_equal(l.events.n, 2);
	db_loaded_done(&l);
	free(before);
	free(after);
}

static uint32_t word(const unsigned char *p, bool big)
{
	return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
		   : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/* A log of a version to come, its checksum right: SQLite refuses it, we go on without it and say so. */
static void test_wal_of_another_version(void **state)
{
	char path[512], wal[520];
	struct db_loaded l;
	uint32_t sum[2] = { 0, 0 };
	size_t n;
	char *bytes;
	unsigned char *h;

	(void)state;
	wal_make(path, sizeof path, true);
	snprintf(wal, sizeof wal, "%s-wal", path);
	bytes = file_bytes(wal, &n);
	h = (unsigned char *)bytes;
	h[7]++;
	for (int i = 0; i < 24; i += 8) {
		sum[0] += word(h + i, h[3] & 1) + sum[1];
		sum[1] += word(h + i + 4, h[3] & 1) + sum[0];
	}
	for (int i = 0; i < 8; i++)
		h[24 + i] = (unsigned char)(sum[i / 4] >> (24 - i % 4 * 8));
	tmpdir_write(dir, "wal.db-wal", bytes, n);
	free(bytes);
	load_untouched(&l, path);
	assert_int_equal(l.err, ERR_OK);
	assert_int_equal(l.events.n, 2);
	assert_non_null(strstr(l.diag.text, "write-ahead log"));
	assert_int_equal(l.diag.err, ERR_OK);
	db_loaded_done(&l);
}

static void test_hot_journal_is_left(void **state)
{
	struct db_loaded l;
	char path[512];

	(void)state;
	db_make(dir, "x.db", small, path, sizeof path);
	tmpdir_write(dir, "x.db-journal", "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7rubbish that a writer left", 34);
	load_untouched(&l, path);
	assert_int_equal(l.err, ERR_OK);
	assert_int_equal(l.events.n, 2);
	db_loaded_done(&l);
}

/* ---- schemas from hell ---- */

static void test_hostile_schemas(void **state)
{
	static const char *const cases[] = {
		/* a view, a virtual table, generated columns, triggers, an index that covers, odd types, no rowid */
		"CREATE VIEW TASK AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x AS startNs, x AS endNs FROM c;"
		"CREATE TABLE STRING_IDS(id, value);",
		"CREATE VIRTUAL TABLE TASK USING fts4(startNs, endNs);",
		"CREATE TABLE TASK(startNs INTEGER, endNs INTEGER GENERATED ALWAYS AS (length(zeroblob(900000000))) VIRTUAL);"
		"INSERT INTO TASK(startNs) VALUES(1);",
		"CREATE TABLE TASK(startNs, endNs); INSERT INTO TASK VALUES(x'00ff', 1.5), ('abc', ''), (NULL, NULL), (9e99, -9e99),"
		" ('12x', '13');"
		"CREATE TABLE STRING_IDS(id BLOB, value BLOB); INSERT INTO STRING_IDS VALUES(x'01', x'02'), ('a', 'b'), (NULL, NULL), (-5,"
		" 'm');",
		"CREATE TABLE TASK(endNs INTEGER, startNs INTEGER, streamId,"
		" PRIMARY KEY(startNs)) WITHOUT ROWID; INSERT INTO TASK VALUES(20,10,3);"
		"CREATE INDEX i ON TASK(streamId, endNs, startNs);",
		"CREATE TABLE STRING_IDS(id INTEGER, value TEXT); INSERT INTO STRING_IDS VALUES(9223372036854775807,'far'),"
		"(1099511627776,'mid'),"
		"(-9223372036854775808,'neg'),(0,'near'); CREATE TABLE CANN_API(startNs, endNs, type, globalTid, connectionId, name);"
		"INSERT INTO CANN_API VALUES(1,2,5000,1,1,9223372036854775807),(3,4,5000,1,2,1099511627776),(5,6,5000,1,3,0);",
	};
	static const size_t expected[] = { 0, 0, 0, 0, 1, 3 };
	char name[32], path[512];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct db_loaded l;

		snprintf(name, sizeof name, "h%zu.db", i);
		db_make(dir, name, cases[i], path, sizeof path);
		load_untouched(&l, path);
		assert_int_equal(l.err, ERR_OK);
		assert_int_equal(l.events.n, expected[i]);
		assert_int_equal(l.account.kept + account_dropped(&l.account), account_total(&l.account));
		if (i == 5) {
			assert_int_equal(db_loaded_count(&l, "CANN", "Thread 1", "Runtime@far"), 1);
			assert_int_equal(db_loaded_count(&l, "CANN", "Thread 1", "Runtime@mid"), 1);
			assert_int_equal(db_loaded_count(&l, "CANN", "Thread 1", "Runtime@near"), 1);
		}
		db_loaded_done(&l);
	}
}

static void test_cancel(void **state)
{
	struct progress p = { 0 };
	struct names names;
	struct db_target t = { .names = &names };
	struct account a = { 0 };
	struct diag d = { 0 };
	char path[512];

	(void)state;
	db_make(dir, "x.db", small, path, sizeof path);
	names_init(&names);
	t.account = &a;
	t.build = build_new(&names);
	assert_int_equal(db_load_profiler(path, &t, &p, &d), ERR_OK);
	assert_true(p.events >= 4);
	assert_true(p.bytes_done > 0);
	p.cancel = 1;
	assert_int_equal(db_load_profiler(path, &t, &p, &d), ERR_CANCELLED);
	build_free(t.build);
	names_done(&names);
}

/* ---- the wrapper ---- */

static void test_rows_by_name(void **state)
{
	struct db_rows r;
	struct db db;
	char path[512];
	int64_t v;
	double x;

	(void)state;
	db_make(dir, "x.db", "CREATE TABLE t(b REAL, A INTEGER, s TEXT); INSERT INTO t VALUES(2.5, 7, 'x' || char(0) || 'y'), (1e300,"
		" '0012', 4),"
			"(1736408883732241.5, 9223372036854775807, '1736410576398511140')", path, sizeof path);
	assert_int_equal(db_open(&db, path, NULL, NULL), ERR_OK);
	assert_true(db_has(&db, "t"));
	assert_false(db_has(&db, "u"));
	assert_int_equal(db_count(&db, "t"), 3);
	assert_int_equal(db_count(&db, "u"), 0);
	assert_false(db_rows_open(&r, &db, "u", "a"));
	assert_true(db_rows_open(&r, &db, "t", "old|a missing b s"));
	assert_int_equal(r.has, 1 | 4 | 8);
	assert_true(db_rows_next(&r));
	assert_true(db_int(&r, 0, &v) && v == 7);
	assert_false(db_int(&r, 1, &v));
	assert_true(db_is_null(&r, 1));
	assert_true(db_num(&r, 2, &x) && x > 2.4 && x < 2.6);
	assert_true(db_int(&r, 2, &v) && v == 3);
	assert_int_equal(db_text(&r, 3).n, 3);
	assert_true(db_rows_next(&r));
	assert_true(db_int(&r, 0, &v) && v == 12);
	assert_false(db_int(&r, 2, &v));
	assert_true(db_num(&r, 3, &x) && x > 3.9 && x < 4.1);
	assert_true(db_rows_next(&r));
	assert_true(db_int(&r, 0, &v) && v == INT64_MAX);
	assert_true(db_scaled(&r, 2, 3, &v));
	assert_int_equal(v, 1736408883732241500);
	assert_true(db_int(&r, 3, &v) && v == 1736410576398511140);
	assert_false(db_rows_next(&r));

	assert_true(db_row_open(&r, &db, "t", "a", 1));
	assert_true(db_int(&r, 0, &v) && v == 12);
	db_rows_close(&r);
	assert_false(db_row_open(&r, &db, "t", "a", 3));
	assert_false(db_row_open(&r, &db, "t", "a", -1));
	assert_true(db_find_open(&r, &db, "t", "a b", 7));
	db_rows_close(&r);
	assert_false(db_find_open(&r, &db, "t", "a b", 8));
	assert_int_equal(db_failed(&db, NULL), ERR_OK);
	db_close(&db);
}

/* Rows deleted in the middle: rowids have gaps, so rows are counted off. */
static void test_row_numbers_with_gaps(void **state)
{
	struct db_rows r;
	struct db db;
	char path[512];
	int64_t v;

	(void)state;
	db_make(dir, "x.db", "CREATE TABLE t(a); INSERT INTO t VALUES(10),(11),(12),(13); DELETE FROM t WHERE a=11;"
			"CREATE TABLE w(a PRIMARY KEY) WITHOUT ROWID; INSERT INTO w VALUES(5),(6);", path, sizeof path);
	assert_int_equal(db_open(&db, path, NULL, NULL), ERR_OK);
	assert_true(db_row_open(&r, &db, "t", "a", 1));
	assert_true(db_int(&r, 0, &v) && v == 12);
	db_rows_close(&r);
	assert_true(db_row_open(&r, &db, "w", "a", 1));
	assert_true(db_int(&r, 0, &v) && v == 6);
	db_rows_close(&r);
	assert_int_equal(db_failed(&db, NULL), ERR_OK);
	db_close(&db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_odd_paths, setup, teardown),
		cmocka_unit_test_setup_teardown(test_relative_path_and_fd_path, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damaged_pages, setup, teardown),
		cmocka_unit_test_setup_teardown(test_empty, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kinds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wal_header_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wal_is_read, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wal_of_another_version, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hot_journal_is_left, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hostile_schemas, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cancel, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rows_by_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_row_numbers_with_gaps, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
