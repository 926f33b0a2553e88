/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The database export of one capture: ascend_pytorch_profiler_<rank>.db (epoch
 * nanoseconds) and analysis.db (microseconds), from the same event list as the
 * text export. Statement building, interned strings and a stable file header
 * live here so that hostile databases can be made with the same tools.
 */
#ifndef ASCOPE_SAMPLES_DB_H
#define ASCOPE_SAMPLES_DB_H

#include "samples/model.h"

#include <sqlite3.h>

struct db_string;

struct db {
	sqlite3 *sql;
	bool failed;
	struct db_string *slot;		/* hash table of interned strings */
	size_t room, used;
	int64_t next_cann, next_framework;
};

enum db_space { DB_CANN, DB_FRAMEWORK };

/* A fresh file (an old one is removed); one transaction from open to close. */
int db_open(struct db *d, const char *path);
/* Commits, closes, and fixes the library version in the header. */
int db_close(struct db *d);

/* Runs sql on an existing file, in one transaction. 0 or -1. */
int db_edit(const char *path, const char *sql);

void db_run(struct db *d, const char *sql);
sqlite3_stmt *db_insert(struct db *d, const char *table, int columns);
/* Binds n integers from column first (0-based). */
void db_bind(sqlite3_stmt *st, int first, const int64_t *v, int n);
void db_step(struct db *d, sqlite3_stmt *st);
void db_end(struct db *d, sqlite3_stmt *st);

int64_t db_string(struct db *d, const char *text, enum db_space space);
void db_write_strings(struct db *d);

/* Both files under dir/ASCEND_PROFILER_OUTPUT and dir/profiler_info. 0 or -1. */
int db_write(const struct capture *c, const char *dir);

void db_cann_tables(struct db *d, const struct capture *c);
void db_framework_tables(struct db *d, const struct capture *c);
void db_fixed_tables(struct db *d, const struct capture *c);
int db_write_analysis(const struct capture *c, const char *path);

#endif
