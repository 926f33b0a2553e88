/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/db/db.h"

#include "core/base/decimal.h"
#include "core/base/jsonw.h"
#include "core/base/mem.h"
#include "core/load/db/db_vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPS_PER_LOOK = 50000, ROWS_PER_TELL = 4096, TABLES_MAX = 10000 };

/* ---- opening ---- */

static uint32_t big_endian(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* What the first 100 bytes tell; a better message than SQLite's, and a cut-off file is told before it is half read. */
static enum err header_check(const char *path, const unsigned char *h, int64_t n, int64_t bytes, bool wal, struct diag *d)
{
	uint32_t page, pages;

	if (n < 16 || memcmp(h, "SQLite format 3", 16) != 0)
		return diag_set(d, ERR_FORMAT, path, 0, -1, "not a SQLite database");
	if (n < 100)
		return diag_set(d, ERR_FORMAT, path, n, -1, "a SQLite database cut off inside its header; copy it again");
	page = (uint32_t)h[16] << 8 | h[17];
	page = page == 1 ? 65536 : page;
	if (page < 512 || (page & (page - 1)))
		return diag_set(d, ERR_FORMAT, path, 16, -1, "damaged SQLite database: page size %" PRIu32, page);
	pages = big_endian(h + 28);
	if (!wal && big_endian(h + 24) == big_endian(h + 92) && (int64_t)pages * page > bytes)
		return diag_set(d, ERR_FORMAT, path, bytes, -1, "cut off: %" PRId64 " of %" PRId64 " bytes are there; copy it again", bytes,
				(int64_t)pages * page);
	return ERR_OK;
}

static enum err file_check(struct db *db, bool wal, struct diag *d)
{
	unsigned char head[100];
	struct stat st;
	ssize_t n;
	int fd = open(db->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return diag_set(d, errno == ENOENT ? ERR_NO_INPUT : ERR_UNREADABLE, db->path, -1, -1, "%s", strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return diag_set(d, ERR_UNREADABLE, db->path, -1, -1, "not a regular file");
	}
	db->bytes = st.st_size;
	n = pread(fd, head, sizeof head, 0);
	close(fd);
	if (n < 0)
		return diag_set(d, ERR_UNREADABLE, db->path, -1, -1, "%s", strerror(errno));
	return st.st_size ? header_check(db->path, head, n, st.st_size, wal, d) : ERR_OK;
}

static void db_fail(struct db *db)
{
	int code = sqlite3_errcode(db->handle);

	if (db->err)
		return;
	db->err = code == SQLITE_INTERRUPT ? ERR_CANCELLED : code == SQLITE_CANTOPEN || code == SQLITE_IOERR ? ERR_UNREADABLE : ERR_FORMAT;
	if (code == SQLITE_NOMEM || code == SQLITE_TOOBIG)
		db->err = ERR_LIMIT;
	snprintf(db->why, sizeof db->why, "%s", sqlite3_errmsg(db->handle));
}

static int look(void *arg)
{
	return progress_cancelled(arg);
}

/* A file from anywhere may hold a hostile schema: small limits, no extension, no function of the schema's choice. */
static void guard(struct db *db)
{
	static const struct {
		int id, value;
	} limits[] = {
		{ SQLITE_LIMIT_LENGTH, 256 << 20 }, { SQLITE_LIMIT_EXPR_DEPTH, 100 }, { SQLITE_LIMIT_COMPOUND_SELECT, 4 },
		{ SQLITE_LIMIT_VDBE_OP, 100000 }, { SQLITE_LIMIT_FUNCTION_ARG, 8 }, { SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100 }, { SQLITE_LIMIT_VARIABLE_NUMBER, 8 }, { SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};
	static const struct {
		int id, value;
	} switches[] = {
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 }, { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 }, { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
		{ SQLITE_DBCONFIG_ENABLE_VIEW, 0 }, { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 }, { SQLITE_DBCONFIG_DQS_DML, 0 },
		{ SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1 },
	};

	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		sqlite3_limit(db->handle, limits[i].id, limits[i].value);
	for (size_t i = 0; i < ARRAY_LEN(switches); i++)
		sqlite3_db_config(db->handle, switches[i].id, switches[i].value, NULL);
	if (db->progress)
		sqlite3_progress_handler(db->handle, OPS_PER_LOOK, look, db->progress);
}

/* Views, virtual tables and SQLite's own tables have no business here. */
static void tables_list(struct db *db)
{
	struct sqlite3_stmt *s;
	int rc = SQLITE_ROW;

	if (sqlite3_prepare_v2(db->handle, "SELECT name FROM sqlite_master WHERE type='table' AND rootpage>0", -1, &s, NULL) != SQLITE_OK) {
		db_fail(db);
		return;
	}
	while (db->tables.n < TABLES_MAX && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(s, 0);

		if (name && sqlite3_strnicmp(name, "sqlite_", 7) != 0)
			names_add(&db->tables, str_of(name));
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		db_fail(db);
	sqlite3_finalize(s);
}

static void db_shut(struct db *db)
{
	sqlite3_close(db->handle);
	db_vfs_free(db->vfs);
	db->handle = NULL;
	db->vfs = NULL;
}

static void db_begin(struct db *db, bool wal)
{
	/* The lock mode comes first: with it, the index of a log is kept in memory and no file is wanted for it. */
	static const char settings[] =
		"PRAGMA locking_mode=EXCLUSIVE; PRAGMA query_only=1; PRAGMA temp_store=2; PRAGMA cell_size_check=1;"
		"PRAGMA cache_size=-16384;";
	int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;

	db->err = ERR_OK;
	db->vfs = db_vfs_new(db->path, wal);
	if (sqlite3_open_v2(DB_VFS_FILE, &db->handle, flags, db_vfs_name(db->vfs)) != SQLITE_OK) {
		db_fail(db);
		return;
	}
	guard(db);
	if (sqlite3_exec(db->handle, settings, NULL, NULL, NULL) != SQLITE_OK)
		db_fail(db);
	else
		tables_list(db);
}

enum err db_open(struct db *db, const char *path, struct progress *p, struct diag *d)
{
	bool wal = db_has_wal(path);
	enum err err;

	*db = (struct db){ .path = path, .progress = p };
	names_init(&db->tables);
	err = file_check(db, wal, d);
	if (err || !db->bytes)
		goto done;
	db_begin(db, wal);
	if (wal && db->err && db->err != ERR_CANCELLED) {
		db_shut(db);
		db->without_log = true;
		db_begin(db, false);
	}
	err = db_failed(db, d);
	if (!err && db->without_log)
		diag_set(d, ERR_OK, path, -1, -1, "the write-ahead log beside it (-wal) cannot be read: the last rows may be absent");
done:
	if (err)
		db_close(db);
	return err;
}

void db_close(struct db *db)
{
	if (db->progress && db->bytes > db->bytes_told)
		progress_add(db->progress, db->bytes - db->bytes_told, 0);
	db_shut(db);
	names_done(&db->tables);
	*db = (struct db){ 0 };
}

enum err db_failed(const struct db *db, struct diag *d)
{
	if (progress_cancelled(db->progress) || db->err == ERR_CANCELLED)
		return diag_set(d, ERR_CANCELLED, db->path, -1, -1, "cancelled");
	if (db->err)
		return diag_set(d, db->err, db->path, -1, -1, "SQLite: %s", db->why);
	return ERR_OK;
}

bool db_has(const struct db *db, const char *table)
{
	uint32_t id;

	return db->handle && names_find(&db->tables, str_of(table), &id);
}

/* ---- passes ---- */

static bool prepare(struct db_rows *r, struct db *db, const char *sql)
{
	*r = (struct db_rows){ .db = db, .row = -1 };
	if (db->err || sqlite3_prepare_v2(db->handle, sql, -1, &r->stmt, NULL) != SQLITE_OK) {
		db_fail(db);
		return false;
	}
	return true;
}

/* One number from a statement without parameters. */
static bool one_int(struct db *db, const char *sql, int column, int64_t *out)
{
	struct db_rows r;
	bool ok = prepare(&r, db, sql);

	if (ok && sqlite3_step(r.stmt) == SQLITE_ROW)
		*out = sqlite3_column_int64(r.stmt, column);
	else if (ok)
		db_fail(db), ok = false;
	sqlite3_finalize(r.stmt);
	return ok;
}

int64_t db_count(struct db *db, const char *table)
{
	int64_t n = 0;
	char sql[128];

	if (!db_has(db, table))
		return 0;
	snprintf(sql, sizeof sql, "SELECT count(*) FROM \"%s\"", table);
	one_int(db, sql, 0, &n);
	return n;
}

/* The spelling of a column that the table has, or an empty text. */
static struct str column_there(const struct names *have, struct str spellings)
{
	while (spellings.n) {
		const char *bar = memchr(spellings.p, '|', spellings.n);
		struct str one = { spellings.p, bar ? (size_t)(bar - spellings.p) : spellings.n };

		for (size_t i = 1; i < have->n; i++)
			if (str_is_nocase(have->by_id[i], one))
				return one;
		spellings.p += one.n + (bar != NULL);
		spellings.n -= one.n + (bar != NULL);
	}
	return (struct str){ "", 0 };
}

static void columns_have(struct db *db, const char *table, struct names *have)
{
	struct db_rows r;
	char sql[128];
	int rc = SQLITE_DONE;

	snprintf(sql, sizeof sql, "PRAGMA table_info(\"%s\")", table);
	if (!prepare(&r, db, sql))
		return;
	while ((rc = sqlite3_step(r.stmt)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(r.stmt, 1);

		if (name)
			names_add(have, str_of(name));
	}
	if (rc != SQLITE_DONE)
		db_fail(db);
	sqlite3_finalize(r.stmt);
}

/* SELECT with the columns in the order asked for; first: the column that a lookup goes by. */
static void select_write(struct buf *sql, uint32_t *has, struct db *db, const char *table, const char *columns, struct str *first)
{
	struct names have;
	int at = 0;

	names_init(&have);
	columns_have(db, table, &have);
	buf_str(sql, "SELECT ");
	for (const char *p = columns; *p && at < DB_COLUMNS; at++) {
		size_t n = strcspn(p, " ");
		struct str name = column_there(&have, (struct str){ p, n });

		buf_str(sql, at ? "," : "");
		if (name.n) {
			*has |= (uint32_t)1 << at;
			buf_printf(sql, "\"%.*s\"", (int)name.n, name.p);
		} else {
			buf_str(sql, "NULL");
		}
		if (at == 0)
			*first = name;
		p += n + (p[n] == ' ');
	}
	buf_printf(sql, " FROM \"%s\"", table);
	names_done(&have);
}

/* NOT INDEXED: an index that happens to hold every column asked for would change the order of rows. */
static bool rows_begin(struct db_rows *r, struct db *db, const char *table, const char *columns, const char *tail, bool by_key)
{
	struct buf sql = { 0 };
	struct str first = { "", 0 };
	uint32_t has = 0;
	bool ok;

	*r = (struct db_rows){ .db = db, .row = -1 };
	if (!db_has(db, table) || db->err)
		return false;
	select_write(&sql, &has, db, table, columns, &first);
	if (by_key)
		buf_printf(&sql, " WHERE \"%.*s\"=?1 LIMIT 1", (int)first.n, first.p);
	else
		buf_printf(&sql, " NOT INDEXED%s", tail);
	ok = !db->err && (!by_key || first.n) && prepare(r, db, sql.p);
	r->has = has;
	buf_done(&sql);
	return ok;
}

bool db_rows_open(struct db_rows *r, struct db *db, const char *table, const char *columns)
{
	return rows_begin(r, db, table, columns, "", false);
}

bool db_rows_open_if(struct db_rows *r, struct db *db, const char *table, const char *columns, const char *column, const char *condition)
{
	struct names have;
	char where[160];
	bool there;

	if (!db_has(db, table))
		return false;
	names_init(&have);
	columns_have(db, table, &have);
	there = column_there(&have, str_of(column)).n > 0;
	names_done(&have);
	snprintf(where, sizeof where, " WHERE \"%s\" %s", column, condition);
	return there && rows_begin(r, db, table, columns, where, false);
}

static void tell(struct db *db, int64_t rows)
{
	int misses = 0, high = 0;
	int64_t done;

	if (!db->progress)
		return;
	sqlite3_db_status(db->handle, SQLITE_DBSTATUS_CACHE_MISS, &misses, &high, 0);
	done = MIN((int64_t)misses * 4096, db->bytes);
	progress_add(db->progress, done > db->bytes_told ? done - db->bytes_told : 0, rows);
	db->bytes_told = MAX(db->bytes_told, done);
}

static void rows_end(struct db_rows *r)
{
	tell(r->db, (r->row + 1) % ROWS_PER_TELL);
	db_rows_close(r);
}

bool db_rows_next(struct db_rows *r)
{
	int rc = r->db->err ? SQLITE_DONE : sqlite3_step(r->stmt);

	if (LIKELY(rc == SQLITE_ROW)) {
		if ((++r->row + 1) % ROWS_PER_TELL == 0)
			tell(r->db, ROWS_PER_TELL);
		return true;
	}
	if (rc != SQLITE_DONE)
		db_fail(r->db);
	rows_end(r);
	return false;
}

void db_rows_close(struct db_rows *r)
{
	sqlite3_finalize(r->stmt);
	r->stmt = NULL;
}

/* Rowids without gaps are the rule (tables written once): then the row is found at once, otherwise by counting. */
bool db_row_open(struct db_rows *r, struct db *db, const char *table, const char *columns, int64_t row)
{
	char sql[192], tail[96];
	int64_t first = 0, last = -1, n = db_count(db, table);

	if (row < 0 || row >= n)
		return false;
	snprintf(sql, sizeof sql, "SELECT min(rowid) FROM \"%s\"", table);
	if (!one_int(db, sql, 0, &first)) {
		db->err = ERR_OK;			/* a table without rowid */
	} else {
		snprintf(sql, sizeof sql, "SELECT max(rowid) FROM \"%s\"", table);
		one_int(db, sql, 0, &last);
	}
	if (last >= first && (uint64_t)last - (uint64_t)first == (uint64_t)n - 1)
		snprintf(tail, sizeof tail, " WHERE rowid=%" PRId64, first + row);
	else
		snprintf(tail, sizeof tail, " LIMIT 1 OFFSET %" PRId64, row);
	if (!rows_begin(r, db, table, columns, tail, false))
		return false;
	return db_rows_next(r);
}

bool db_find_open(struct db_rows *r, struct db *db, const char *table, const char *columns, int64_t key)
{
	if (!rows_begin(r, db, table, columns, "", true))
		return false;
	sqlite3_bind_int64(r->stmt, 1, key);
	return db_rows_next(r);
}

/* ---- values ---- */

static bool text_int(const char *p, int n, int64_t *out)
{
	uint64_t v = 0;
	int i = 0;

	for (; i < n && i < 19 && p[i] >= '0' && p[i] <= '9'; i++)
		v = v * 10 + (uint64_t)(p[i] - '0');
	if (i == n && n > 0 && v <= INT64_MAX) {
		*out = (int64_t)v;
		return true;
	}
	return decimal_to_int(str_trim((struct str){ p, (size_t)n }), 0, out);
}

bool db_int(const struct db_rows *r, int column, int64_t *out)
{
	double v;

	switch (sqlite3_column_type(r->stmt, column)) {
	case SQLITE_INTEGER:
		*out = sqlite3_column_int64(r->stmt, column);
		return true;
	case SQLITE_FLOAT:
		v = sqlite3_column_double(r->stmt, column);
		if (!(v > -9.2e18 && v < 9.2e18))
			return false;
		*out = llround(v);
		return true;
	case SQLITE_TEXT:
		return text_int((const char *)sqlite3_column_text(r->stmt, column), sqlite3_column_bytes(r->stmt, column), out);
	default:
		return false;
	}
}

bool db_num(const struct db_rows *r, int column, double *out)
{
	switch (sqlite3_column_type(r->stmt, column)) {
	case SQLITE_INTEGER:
	case SQLITE_FLOAT:
		*out = sqlite3_column_double(r->stmt, column);
		return isfinite(*out);
	case SQLITE_TEXT:
		return decimal_to_double(str_trim(db_text(r, column)), out);
	default:
		return false;
	}
}

bool db_scaled(const struct db_rows *r, int column, int scale, int64_t *out)
{
	struct buf text = { 0 };
	struct jsonw w = { .out = &text };
	double v;
	bool ok;

	if (sqlite3_column_type(r->stmt, column) != SQLITE_FLOAT)
		return decimal_to_int(str_trim(db_text(r, column)), scale, out);
	v = sqlite3_column_double(r->stmt, column);
	jw_num(&w, v);
	ok = isfinite(v) && decimal_to_int((struct str){ text.p, text.n }, scale, out);
	buf_done(&text);
	return ok;
}

struct str db_text(const struct db_rows *r, int column)
{
	int type = sqlite3_column_type(r->stmt, column);
	const char *p = type == SQLITE_NULL || type == SQLITE_BLOB ? NULL : (const char *)sqlite3_column_text(r->stmt, column);

	return p ? (struct str){ p, (size_t)sqlite3_column_bytes(r->stmt, column) } : (struct str){ "", 0 };
}

bool db_is_null(const struct db_rows *r, int column)
{
	return sqlite3_column_type(r->stmt, column) == SQLITE_NULL;
}
