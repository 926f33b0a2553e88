/* SPDX-License-Identifier: Apache-2.0 */
/* Small SQLite databases for tests, and everything a load of one gives. Failures to set up end the test program with a message. */
#ifndef ASCOPE_TESTS_HELP_DB_MAKE_H
#define ASCOPE_TESTS_HELP_DB_MAKE_H

#include "core/load/db/db_load.h"

/* Runs SQL on the database at dir/name (made when absent) and writes its path to path[size]. */
void db_make(const char *dir, const char *name, const char *sql, char path[], size_t size);

struct db_loaded {
	struct names names;
	struct events events;
	struct account account;
	struct table *tables[ART_MAX];
	struct comm comm;
	struct run_info info;
	struct db_target target;
	enum err err;
	struct diag diag;
};

/* Loads whatever kind of database it is (by db_sniff); after an error there is nothing in it but err and diag. */
void db_loaded_open(struct db_loaded *l, const char *path);
void db_loaded_done(struct db_loaded *l);

/* Events of a process, a lane and a name; NULL is any. The first one's index (SIZE_MAX when there is none), and how many. */
size_t db_loaded_find(const struct db_loaded *l, const char *process, const char *lane, const char *name);
size_t db_loaded_count(const struct db_loaded *l, const char *process, const char *lane, const char *name);

/* Links of a kind from one event name to another. */
size_t db_loaded_links(const struct db_loaded *l, enum link_kind kind, const char *from, const char *to);

const char *db_loaded_name(const struct db_loaded *l, size_t event);
const char *db_loaded_type(const struct db_loaded *l, size_t event);

/* One cell; texts: "" when missing. */
const char *db_loaded_text(const struct db_loaded *l, enum artifact a, enum col id, size_t row);
int64_t     db_loaded_int(const struct db_loaded *l, enum artifact a, enum col id, size_t row);
double      db_loaded_num(const struct db_loaded *l, enum artifact a, enum col id, size_t row);
double      db_loaded_metric(const struct db_loaded *l, enum artifact a, const char *metric, size_t row);

#endif
