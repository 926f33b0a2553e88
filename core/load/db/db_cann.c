/* SPDX-License-Identifier: Apache-2.0 */
/* CANN_API: one event per call, named "<layer>@<call>" as in the text export, and the statistic by call. */
#include "core/load/db/db_read.h"

#include "core/base/mem.h"
#include "core/load/table/table_load.h"

#include <math.h>
#include <stdlib.h>

enum { NODE_LEVEL = 10000, KINDS_MAX = 64 };

struct kind {				/* of call: CANN_API.type */
	int64_t type;
	uint32_t level;			/* "acl", "node", ... */
	const char *prefix;
};

struct total {				/* of one call name at one level */
	uint32_t event_name, name, level;
	int64_t count, sum, min, max;
	unsigned __int128 squares;
};

struct calls {
	struct kind kinds[KINDS_MAX];
	size_t nkinds;
	struct index_map by_name;	/* kind and name to index + 1 */
	struct total *totals;
	size_t ntotals, cap_totals;
};

static const struct {
	int64_t type;
	const char *level, *prefix;
} levels[] = {
	{ 20000, "acl", "AscendCL" }, { 15000, "model", "Model" }, { NODE_LEVEL, "node", "Node" }, { 5500, "hccl", "Hccl" },
	{ 5500, "communication", "Communication" }, { 5000, "runtime", "Runtime" },
};

static const struct kind *kind_of(struct db_reader *r, struct calls *c, int64_t type)
{
	struct kind *k;

	for (size_t i = 0; i < c->nkinds; i++)
		if (c->kinds[i].type == type)
			return &c->kinds[i];
	k = &c->kinds[c->nkinds < KINDS_MAX ? c->nkinds++ : KINDS_MAX - 1];
	*k = (struct kind){ .type = type, .level = enum_name(r, "ENUM_API_TYPE", type), .prefix = "Api" };
	for (size_t i = ARRAY_LEN(levels); i-- > 0;)
		if (!k->level && levels[i].type == type)
			k->level = name_of(r, levels[i].level);
	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (str_is(names_str(r->t->names, k->level), str_of(levels[i].level)))
			k->prefix = levels[i].prefix;
	return k;
}

static struct total *total_of(struct db_reader *r, struct calls *c, int64_t type, uint32_t name)
{
	const struct kind *k = kind_of(r, c, type);
	uint32_t *slot = index_map_slot(&c->by_name, (uint64_t)(k - c->kinds) << 32 | name);
	struct str text = names_str(r->t->names, name);
	struct buf full = { 0 };

	if (!*slot) {
		buf_printf(&full, "%s@", k->prefix);
		buf_add(&full, text.p, text.n);
		ARRAY_PUSH(c, totals, ntotals, cap_totals) = (struct total){ .name = name, .level = k->level, .min = INT64_MAX,
			.event_name = names_add(r->t->names, (struct str){ full.p, full.n }) };
		*slot = (uint32_t)c->ntotals;
		buf_done(&full);
	}
	return &c->totals[*slot - 1];
}

static void total_add(struct total *t, int64_t dur)
{
	t->count++;
	t->sum = (int64_t)((uint64_t)t->sum + (uint64_t)dur);
	t->min = MIN(t->min, dur);
	t->max = MAX(t->max, dur);
	t->squares += (unsigned __int128)dur * (unsigned __int128)dur;
}

/* A launch inside a step: what it starts on the device belongs to the step. */
static void step_note(struct db_reader *r, uint64_t connection, int64_t start, int64_t end)
{
	size_t lo = 0, hi = r->steps.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (r->steps.items[mid].start <= start)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo && end <= r->steps.items[lo - 1].end)
		ids_put(&r->step_of, (int64_t)connection, (uint32_t)lo);
}

static void call_read(struct db_reader *r, struct calls *c, const struct db_rows *rows)
{
	int64_t start, dur, type = 0, tid = 0;
	struct total *t;
	struct raw_event ev;

	if (!event_times(r, DB_CANN, rows, 0, 1, &start, &dur))
		return;
	db_int(rows, 2, &type);
	db_int(rows, 3, &tid);
	t = total_of(r, c, type, text_column(r, rows, 5));
	total_add(t, dur);
	if (!r->t->build) {
		ev.connection = connection_of(rows, 4);
	} else {
		ev = event_of(r, DB_CANN, rows, lane_of_thread(r, PROC_CANN, tid), t->event_name, 0);
		ev.start = start;
		ev.dur = dur;
		ev.connection = connection_of(rows, 4);
		build_event(r->t->build, &ev);
	}
	if (ev.connection == NO_CONNECTION)
		return;
	r->last_call = MAX(r->last_call, ev.connection);
	if (r->steps.n && type == NODE_LEVEL)
		step_note(r, ev.connection, start, start + dur);
	if (r->has_torch && r->t->build)
		ARRAY_PUSH(&r->calls, items, n, cap) = (struct host_call){ ev.connection, start, start + dur, tid };
}

/* ---- api_statistic ---- */

struct total_order {
	const struct names *names;
	const struct total *t;
};

static int text_compare(struct str a, struct str b)
{
	int c = memcmp(a.p, b.p, MIN(a.n, b.n));

	return c ? c : (a.n > b.n) - (a.n < b.n);
}

static int total_compare(const void *x, const void *y)
{
	const struct total_order *a = x, *b = y;
	int c = text_compare(names_str(a->names, a->t->name), names_str(b->names, b->t->name));

	return c ? c : text_compare(names_str(a->names, a->t->level), names_str(b->names, b->t->level));
}

static int64_t rounded(int64_t sum, int64_t n)
{
	return sum / n + (sum % n >= n - n / 2);
}

/* In square microseconds, around the average rounded to ns, to three decimals: as the exporter writes it. */
static double variance(const struct total *t, int64_t avg)
{
	unsigned __int128 a = (unsigned __int128)avg, n = (unsigned __int128)t->count;
	unsigned __int128 around = t->squares + n * a * a - 2 * a * (unsigned __int128)t->sum;

	return round((double)around / (double)t->count / 1e6 * 1000) / 1000;
}

static void statistic_make(struct db_reader *r, const struct calls *c)
{
	struct table *table = c->ntotals ? table_wanted(r, ART_API_STATISTIC) : NULL;
	struct total_order *order;
	struct table_builder *b;

	if (!table)
		return;
	order = mem_alloc(c->ntotals, sizeof *order);
	for (size_t i = 0; i < c->ntotals; i++)
		order[i] = (struct total_order){ r->t->names, &c->totals[i] };
	qsort(order, c->ntotals, sizeof *order, total_compare);
	b = table_build(table, ART_API_STATISTIC, r->t->names);
	for (size_t i = 0; i < c->ntotals; i++) {
		const struct total *t = order[i].t;
		int64_t avg = rounded(t->sum, t->count);

		table_row(b);
		table_set_text(b, COL_LEVEL, names_str(r->t->names, t->level));
		table_set_text(b, COL_NAME, names_str(r->t->names, t->name));
		table_set_int(b, COL_TOTAL_TIME, t->sum);
		table_set_int(b, COL_COUNT, t->count);
		table_set_int(b, COL_AVG_TIME, avg);
		table_set_int(b, COL_MIN_TIME, t->min);
		table_set_int(b, COL_MAX_TIME, t->max);
		table_set_num(b, COL_VARIANCE, variance(t, avg));
	}
	table_built(b);
	free(order);
}

void cann_read(struct db_reader *r)
{
	const char *table = db_events_table(&r->db, DB_CANN);
	struct calls c = { 0 };
	struct db_rows rows;

	if (!table || !db_rows_open(&rows, &r->db, table, "startNs endNs type globalTid connectionId name"))
		return;
	progress_stage(r->db.progress, "CANN calls");
	while (db_rows_next(&rows))
		call_read(r, &c, &rows);
	statistic_make(r, &c);
	if (r->t->build)
		build_link_connections(r->t->build, LINK_LAUNCH, LAYER_CANN);
	index_map_done(&c.by_name);
	free(c.totals);
}
