/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/db/db_read.h"

#include "core/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* a second spelling where an older version had another */
static const char *const event_tables[DB_EVENTS_MAX][2] = {
	[DB_TASK] = { "TASK" },
	[DB_COLLECTIVE] = { "COMMUNICATION_OP" },
	[DB_PLANE] = { "COMMUNICATION_TASK_INFO" },
	[DB_CANN] = { "CANN_API", "API" },
	[DB_PYTORCH] = { "PYTORCH_API" },
	[DB_MSTX] = { "MSTX_EVENTS" },
	[DB_STEP] = { "STEP_TIME" },
	[DB_GC] = { "GC_RECORD" },
	[DB_OVERLAP] = { "OVERLAP_ANALYSIS" },
	[DB_OS] = { "OSRT_API" },
};

const char *db_events_table(const struct db *db, enum db_events e)
{
	for (size_t i = 0; i < ARRAY_LEN(event_tables[e]); i++)
		if (event_tables[e][i] && db_has(db, event_tables[e][i]))
			return event_tables[e][i];
	return NULL;
}

static int64_t number_of(const struct db_reader *r, enum db_events e, const struct db_rows *rows)
{
	return (int64_t)r->first_row[e] + rows->row;
}

bool event_times(struct db_reader *r, enum db_events e, const struct db_rows *rows, int start_column, int end_column,
		int64_t *start, int64_t *dur)
{
	struct account *a = r->t->build ? r->t->account : NULL;
	enum drop why = DROP_MAX;
	int64_t end = 0;

	if (!db_int(rows, start_column, start) || !db_int(rows, end_column, &end))
		why = DROP_NO_TIME;
	else if (*start < 0 || end < 0)
		why = DROP_TIME_RANGE;
	else if (end < *start)
		why = DROP_END_BEFORE;
	*dur = why == DROP_MAX ? end - *start : 0;
	if (!a)
		return why == DROP_MAX;
	a->by_phase['X']++;
	if (why == DROP_MAX)
		a->kept++;
	else
		account_drop(a, why, number_of(r, e, rows));
	return why == DROP_MAX;
}

void event_drop(struct db_reader *r, enum db_events e, const struct db_rows *rows, enum drop why)
{
	if (!r->t->build)
		return;
	r->t->account->kept--;
	account_drop(r->t->account, why, number_of(r, e, rows));
}

struct raw_event event_of(const struct db_reader *r, enum db_events e, const struct db_rows *rows, uint32_t lane, uint32_t name,
		uint32_t type)
{
	return (struct raw_event){ .span = r->t->span_base + r->first_row[e] + (uint64_t)rows->row, .span_len = 1,
		.connection = NO_CONNECTION, .lane = lane, .name = name, .type = type, .phase = 'X' };
}

uint64_t connection_of(const struct db_rows *rows, int column)
{
	int64_t v;

	return db_int(rows, column, &v) && v >= 0 && v != UINT32_MAX ? (uint64_t)v : NO_CONNECTION;
}

void flow_add(struct db_reader *r, char phase, uint64_t id, uint32_t lane, int64_t time, uint32_t category)
{
	build_flow(r->t->build, &(struct raw_flow){ .time = time, .id = id, .lane = lane, .category = category, .phase = phase });
}

struct table *table_wanted(struct db_reader *r, enum artifact kind)
{
	struct table **at = r->t->tables ? &r->t->tables[kind] : NULL;

	if (!at || (*at && (*at)->nrows))
		return NULL;
	if (!*at)
		*at = mem_zalloc(1, sizeof **at);
	return *at;
}

uint32_t name_of(struct db_reader *r, const char *text)
{
	return names_add(r->t->names, str_of(text));
}

uint32_t name_printf(struct db_reader *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return names_add(r->t->names, (struct str){ text, n < 0 ? 0 : MIN((size_t)n, sizeof text - 1) });
}

void texts_read(struct db_reader *r)
{
	struct db_rows rows;
	int64_t id;

	r->nothing[0] = name_of(r, "N/A");
	r->nothing[1] = name_of(r, "NULL");
	if (!db_rows_open(&rows, &r->db, "STRING_IDS", "id value"))
		return;
	progress_stage(r->db.progress, "texts");
	while (db_rows_next(&rows)) {
		uint32_t name = names_add(r->t->names, db_text(&rows, 1));

		if (name && db_int(&rows, 0, &id))
			ids_put(&r->strings, id, name);
	}
}

uint32_t enum_name(struct db_reader *r, const char *table, int64_t id)
{
	struct db_rows rows;
	uint32_t name = 0;

	if (!db_find_open(&rows, &r->db, table, "id name", id))
		return 0;
	name = names_add(r->t->names, db_text(&rows, 1));
	db_rows_close(&rows);
	return name;
}
