/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQLite plumbing of the database export (see db.h). The files must be the same
 * bytes on every run: no journal, fixed page size, rows in list order, and the
 * writer's library version in the header replaced by a constant.
 */
#include "samples/db.h"

#include "samples/emit.h"
#include "samples/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERSION_OFFSET = 96, VERSION_NUMBER = 3040001 };

struct db_string {
	char *text;
	int64_t id;
};

static void db_check(struct db *d, int rc)
{
	if (rc == SQLITE_OK || rc == SQLITE_DONE || rc == SQLITE_ROW || d->failed)
		return;
	fprintf(stderr, "make-samples: sqlite: %s\n", d->sql ? sqlite3_errmsg(d->sql) : "cannot open");
	d->failed = true;
}

static void db_attach(struct db *d, const char *path)
{
	memset(d, 0, sizeof(*d));
	d->next_framework = 1 << 28;
	db_check(d, sqlite3_open(path, &d->sql));
	db_run(d, "PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA encoding='UTF-8'; BEGIN");
}

int db_open(struct db *d, const char *path)
{
	unlink(path);
	db_attach(d, path);
	return d->failed ? -1 : 0;
}

int db_edit(const char *path, const char *sql)
{
	struct db d;

	db_attach(&d, path);
	db_run(&d, sql);
	return db_close(&d);
}

static int fix_header(const char *path)
{
	const unsigned char version[4] = { VERSION_NUMBER >> 24 & 255, VERSION_NUMBER >> 16 & 255, VERSION_NUMBER >> 8 & 255,
		VERSION_NUMBER & 255 };
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	ssize_t n = pwrite(fd, version, sizeof(version), VERSION_OFFSET);
	return close(fd) != 0 || n != (ssize_t)sizeof(version) ? -1 : 0;
}

int db_close(struct db *d)
{
	char path[4096] = "";
	const char *name = d->sql ? sqlite3_db_filename(d->sql, "main") : NULL;

	if (name)
		snprintf(path, sizeof(path), "%s", name);
	db_run(d, "COMMIT");
	sqlite3_close(d->sql);
	for (size_t i = 0; i < d->room; i++)
		free(d->slot[i].text);
	free(d->slot);
	return d->failed ? -1 : fix_header(path);
}

void db_run(struct db *d, const char *sql)
{
	if (d->sql && !d->failed)
		db_check(d, sqlite3_exec(d->sql, sql, NULL, NULL, NULL));
}

sqlite3_stmt *db_insert(struct db *d, const char *table, int columns)
{
	sqlite3_stmt *st = NULL;
	char sql[256];
	int n = snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?", table);

	for (int i = 1; i < columns; i++)
		n += snprintf(sql + n, sizeof(sql) - (size_t)n, ",?");
	snprintf(sql + n, sizeof(sql) - (size_t)n, ")");
	if (!d->failed)
		db_check(d, sqlite3_prepare_v2(d->sql, sql, -1, &st, NULL));
	return st;
}

void db_bind(sqlite3_stmt *st, int first, const int64_t *v, int n)
{
	for (int i = 0; i < n; i++)
		sqlite3_bind_int64(st, first + i + 1, v[i]);
}

void db_step(struct db *d, sqlite3_stmt *st)
{
	if (!st)
		return;
	db_check(d, sqlite3_step(st));
	sqlite3_reset(st);
}

void db_end(struct db *d, sqlite3_stmt *st)
{
	if (st)
		db_check(d, sqlite3_finalize(st));
}

static uint64_t hash(const char *s)
{
	uint64_t h = 14695981039346656037u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211u;
	return h;
}

static struct db_string *slot_find(struct db_string *slot, size_t room, const char *text)
{
	size_t i = (size_t)hash(text) & (room - 1);

	while (slot[i].text && strcmp(slot[i].text, text) != 0)
		i = (i + 1) & (room - 1);
	return &slot[i];
}

static void slots_grow(struct db *d)
{
	size_t room = d->room ? d->room * 2 : 256;
	struct db_string *slot = calloc(room, sizeof(*slot));

	if (!slot) {
		fputs("make-samples: out of memory\n", stderr);
		exit(1);
	}
	for (size_t i = 0; i < d->room; i++)
		if (d->slot[i].text)
			*slot_find(slot, room, d->slot[i].text) = d->slot[i];
	free(d->slot);
	d->slot = slot;
	d->room = room;
}

int64_t db_string(struct db *d, const char *text, enum db_space space)
{
	if (d->used * 2 >= d->room)
		slots_grow(d);
	struct db_string *s = slot_find(d->slot, d->room, text);
	if (!s->text) {
		s->text = strdup(text);
		if (!s->text) {
			fputs("make-samples: out of memory\n", stderr);
			exit(1);
		}
		s->id = space == DB_CANN ? d->next_cann++ : d->next_framework++;
		d->used++;
	}
	return s->id;
}

static int string_order(const void *x, const void *y)
{
	const struct db_string *a = x, *b = y;

	return (a->id > b->id) - (a->id < b->id);
}

/* After the last db_string(): the table is written in id order. */
void db_write_strings(struct db *d)
{
	sqlite3_stmt *st;
	size_t n = 0;

	for (size_t i = 0; i < d->room; i++)
		if (d->slot[i].text) {
			struct db_string s = d->slot[i];
			d->slot[i].text = NULL;
			d->slot[n++] = s;
		}
	if (n)
		qsort(d->slot, n, sizeof(*d->slot), string_order);
	db_run(d, "CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY,value TEXT)");
	st = db_insert(d, "STRING_IDS", 2);
	for (size_t i = 0; i < n; i++) {
		sqlite3_bind_int64(st, 1, d->slot[i].id);
		sqlite3_bind_text(st, 2, d->slot[i].text, -1, SQLITE_STATIC);
		db_step(d, st);
	}
	db_end(d, st);
}

int db_write(const struct capture *c, const char *dir)
{
	char path[4096];
	struct db d;

	snprintf(path, sizeof(path), "%s/ASCEND_PROFILER_OUTPUT", dir);
	if (dir_make(path) != 0)
		return -1;
	snprintf(path, sizeof(path), "%s/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_%d.db", dir, c->rank);
	if (db_open(&d, path) == 0) {
		db_fixed_tables(&d, c);
		db_cann_tables(&d, c);
		db_framework_tables(&d, c);
		db_write_strings(&d);
	}
	if (db_close(&d) != 0)
		return -1;
	snprintf(path, sizeof(path), "%s/ASCEND_PROFILER_OUTPUT/analysis.db", dir);
	return db_write_analysis(c, path) != 0 ? -1 : text_write_info(c, dir, true);
}
