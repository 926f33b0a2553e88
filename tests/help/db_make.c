/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/help/db_make.h"

#include "core/load/doc/doc_load.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void db_make(const char *dir, const char *name, const char *sql, char path[], size_t size)
{
	sqlite3 *db;
	char *why = NULL;

	snprintf(path, size, "%s/%s", dir, name);
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) || sqlite3_exec(db, sql, NULL, NULL, &why)) {
		fprintf(stderr, "db_make %s: %s\n", path, why ? why : sqlite3_errmsg(db));
		abort();
	}
	sqlite3_close(db);
}

void db_loaded_open(struct db_loaded *l, const char *path)
{
	enum db_kind kind;

	*l = (struct db_loaded){ 0 };
	names_init(&l->names);
	run_info_init(&l->info);
	l->target = (struct db_target){ .names = &l->names, .build = build_new(&l->names), .account = &l->account, .tables = l->tables,
		.comm = &l->comm, .info = &l->info, .rank = 99, .span_base = 1000 };
	l->err = db_sniff(path, &kind, &l->diag);
	if (!l->err && (kind == DB_ANALYSIS || kind == DB_CLUSTER))
		l->err = db_load_analysis(path, &l->target, NULL, &l->diag);
	else if (!l->err)
		l->err = db_load_profiler(path, &l->target, NULL, &l->diag);
	if (l->err)
		build_free(l->target.build);
	else
		build_finish(l->target.build, &l->events, &l->account);
}

void db_loaded_done(struct db_loaded *l)
{
	for (size_t i = 0; i < ART_MAX; i++)
		if (l->tables[i]) {
			table_done(l->tables[i]);
			free(l->tables[i]);
		}
	events_done(&l->events);
	comm_done(&l->comm);
	names_done(&l->names);
	*l = (struct db_loaded){ 0 };
}

static bool is_text(const struct db_loaded *l, uint32_t id, const char *text)
{
	return !text || !strcmp(names_text(&l->names, id), text);
}

static size_t find(const struct db_loaded *l, const char *process, const char *lane, const char *name, size_t *count)
{
	size_t first = SIZE_MAX;

	*count = 0;
	for (size_t k = 0; k < l->events.nlanes; k++) {
		const struct lane *at = &l->events.lanes[k];

		if (!is_text(l, l->events.processes[at->process].name, process) || !is_text(l, at->name, lane))
			continue;
		for (size_t i = at->first; i < at->first + at->n; i++)
			if (is_text(l, l->events.name[i], name) && (*count)++ == 0)
				first = i;
	}
	return first;
}

size_t db_loaded_find(const struct db_loaded *l, const char *process, const char *lane, const char *name)
{
	size_t n;

	return find(l, process, lane, name, &n);
}

size_t db_loaded_count(const struct db_loaded *l, const char *process, const char *lane, const char *name)
{
	size_t n;

	find(l, process, lane, name, &n);
	return n;
}

size_t db_loaded_links(const struct db_loaded *l, enum link_kind kind, const char *from, const char *to)
{
	const struct link_count *c = &l->events.link_counts[kind];
	size_t n = 0;

	for (size_t i = c->first; i < c->first + c->n; i++)
		n += is_text(l, l->events.name[l->events.links[i].from], from) && is_text(l, l->events.name[l->events.links[i].to], to);
	return n;
}

const char *db_loaded_name(const struct db_loaded *l, size_t event)
{
	return names_text(&l->names, l->events.name[event]);
}

const char *db_loaded_type(const struct db_loaded *l, size_t event)
{
	return names_text(&l->names, l->events.type[event]);
}

static const struct column *cell(const struct db_loaded *l, enum artifact a, enum col id, size_t row)
{
	const struct column *c = l->tables[a] && row < l->tables[a]->nrows ? table_col(l->tables[a], id) : NULL;

	return c;
}

const char *db_loaded_text(const struct db_loaded *l, enum artifact a, enum col id, size_t row)
{
	const struct column *c = cell(l, a, id, row);

	return c && c->type == CT_TEXT ? names_text(&l->names, c->text[row]) : "";
}

int64_t db_loaded_int(const struct db_loaded *l, enum artifact a, enum col id, size_t row)
{
	const struct column *c = cell(l, a, id, row);

	return c && c->type != CT_TEXT && c->type != CT_NUM ? c->num[row] : NO_INT;
}

double db_loaded_num(const struct db_loaded *l, enum artifact a, enum col id, size_t row)
{
	const struct column *c = cell(l, a, id, row);

	return c && c->type == CT_NUM ? c->real[row] : (double)NAN;
}

double db_loaded_metric(const struct db_loaded *l, enum artifact a, const char *metric, size_t row)
{
	const struct column *c = l->tables[a] && row < l->tables[a]->nrows ? table_metric(l->tables[a], &l->names, metric) : NULL;

	return c ? c->real[row] : (double)NAN;
}
