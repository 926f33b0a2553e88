/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A SQLite file read table by table: columns by name, absent tables and columns are normal, values of the wrong type read as missing.
 * Used by core/load/db_*.c. Nothing is ever written, not even a lock (core/load/db/db_vfs.h). The first failure is kept in the struct: passes
 * over tables just end, and db_failed() tells at last. db_close() frees everything.
 *
 *	struct db_rows r;
 *	if (db_rows_open(&r, &db, "TASK", "startNs endNs blockDim|blockNum"))
 *		while (db_rows_next(&r))
 *			db_int(&r, 0, &start) ...
 */
#ifndef ASCOPE_CORE_LOAD_DB_DB_H
#define ASCOPE_CORE_LOAD_DB_DB_H

#include "core/base/diag.h"
#include "core/base/names.h"
#include "core/base/progress.h"

struct sqlite3;
struct sqlite3_stmt;
struct db_vfs;

struct db {
	struct sqlite3 *handle;		/* NULL for a file of zero bytes, which has no tables */
	struct db_vfs *vfs;
	const char *path;		/* kept by reference */
	struct progress *progress;
	struct names tables;		/* names of the ordinary tables */
	int64_t bytes, bytes_told;	/* size of the file; what progress was told */
	bool without_log;		/* a write-ahead log stands beside it and could not be read */
	enum err err;			/* the first failure */
	char why[200];
};

/*
 * ERR_UNREADABLE, ERR_FORMAT (no SQLite database, damaged, cut off). When all is well and yet a write-ahead log had to be left out, d says
 * so with ERR_OK.
 */
enum err db_open(struct db *db, const char *path, struct progress *p, struct diag *d);
void     db_close(struct db *db);
enum err db_failed(const struct db *db, struct diag *d);		/* the first failure since db_open() */

bool    db_has(const struct db *db, const char *table);
int64_t db_count(struct db *db, const char *table);			/* rows; 0 without such a table */

enum { DB_COLUMNS = 32 };

struct db_rows {
	struct db *db;
	struct sqlite3_stmt *stmt;
	int64_t row;			/* from 0, in the order of the table's rowid */
	uint32_t has;			/* bit per column: it is there */
};

/* columns: names with blanks between, '|' between spellings of one. False (and nothing to close) when there is no such table. */
bool db_rows_open(struct db_rows *r, struct db *db, const char *table, const char *columns);
/* Only rows where a column fulfils a condition ("BETWEEN 0 AND 9"); row then counts those. False also when there is no such column. */
bool db_rows_open_if(struct db_rows *r, struct db *db, const char *table, const char *columns, const char *column, const char *condition);
bool db_rows_next(struct db_rows *r);					/* false at the end: closed by itself */
void db_rows_close(struct db_rows *r);					/* only to stop early */

/* The row with this running number alone; close it with db_rows_close(). */
bool db_row_open(struct db_rows *r, struct db *db, const char *table, const char *columns, int64_t row);

/* The first row whose first column is `key`; the caller orders a lookup, not a join. Close it with db_rows_close(). */
bool db_find_open(struct db_rows *r, struct db *db, const char *table, const char *columns, int64_t key);

/* Values; false, or an empty text, when missing or not of that kind. Numbers may stand as text. Texts live until the next row. */
bool       db_int(const struct db_rows *r, int column, int64_t *out);
bool       db_num(const struct db_rows *r, int column, double *out);
struct str db_text(const struct db_rows *r, int column);
bool       db_is_null(const struct db_rows *r, int column);
/* A number in a unit of 10^scale (microseconds to ns: 3), rounded as its shortest decimal text. */
bool       db_scaled(const struct db_rows *r, int column, int scale, int64_t *out);

#endif
