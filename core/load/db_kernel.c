/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_details from TASK, COMPUTE_TASK_INFO, COMMUNICATION_OP and TASK_PMU_INFO, and the statistic by operator type over its kernels.
 * Rows stand by device and start. A wait is the time from the end of the row before (of the same device) to the start, not below zero.
 */
#include "core/load/db_read.h"

#include "core/base/mem.h"
#include "core/load/table_load.h"

#include <math.h>
#include <stdlib.h>

enum { METRICS_KEPT = 256 };

struct metric {
	uint32_t name, shown;		/* as in the database; as in the text export */
	double scale;
	double *values;			/* by kernel */
	uint32_t *next;			/* by compute row: the kernel (index + 1) that gets the next value; NULL when each ran once */
	bool any;			/* a value that is not zero */
};

struct metrics {
	struct metric *items;
	size_t n, cap;
	struct index_map by_name;
	bool repeats;			/* some compute row ran more than once */
};

/* ---- metrics ---- */

/* Times are ns and bandwidths bytes per second in the database, us and GB/s (2^30) in the text export, where two times have other names. */
static struct metric metric_of(struct db_reader *r, uint32_t name)
{
	struct str text = names_str(r->t->names, name);
	struct metric m = { .name = name, .shown = name, .scale = 1 };

	if (str_is(text, STR("aic_total_time")))
		m.shown = name_of(r, "aicore_time");
	else if (str_is(text, STR("aiv_total_time")))
		m.shown = name_of(r, "aiv_time");
	if (str_ends(text, STR("_time")))
		m.scale = 0.001;
	else if (str_has(text, STR("_bw")))
		m.scale = 1.0 / (1 << 30);
	return m;
}

static struct metric *metric_get(struct db_reader *r, struct metrics *all, uint32_t name)
{
	uint32_t *slot = index_map_slot(&all->by_name, name);
	struct metric *m;

	if (*slot)
		return *slot <= all->n ? &all->items[*slot - 1] : NULL;
	*slot = UINT32_MAX;
	if (all->n == METRICS_KEPT || name_is_nothing(r, name))
		return NULL;
	ARRAY_PUSH(all, items, n, cap) = metric_of(r, name);
	ARRAY_PUSH(&r->metrics, items, n, cap) = name;
	*slot = (uint32_t)all->n;
	m = &all->items[all->n - 1];
	m->values = mem_alloc(r->kernels.n, sizeof *m->values);
	for (size_t i = 0; i < r->kernels.n; i++)
		m->values[i] = (double)NAN;
	if (all->repeats) {
		m->next = mem_alloc(r->computes.n, sizeof *m->next);
		for (size_t i = 0; i < r->computes.n; i++)
			m->next[i] = r->computes.items[i].first_kernel;
	}
	return m;
}

/* Kernels of the same compute row in the order in which they ran. */
static bool kernels_chain(struct db_reader *r)
{
	uint32_t *last = mem_zalloc(r->computes.n, sizeof *last);
	bool repeats = false;

	for (size_t i = 0; i < r->kernels.n; i++) {
		uint32_t c = r->kernels.items[i].compute;

		if (last[c])
			r->kernels.items[last[c] - 1].next = (uint32_t)i + 1;
		else
			r->computes.items[c].first_kernel = (uint32_t)i + 1;
		repeats = repeats || last[c];
		last[c] = (uint32_t)i + 1;
	}
	free(last);
	return repeats;
}

static void metrics_read(struct db_reader *r, struct metrics *all)
{
	struct db_rows rows;
	int64_t id;
	double v;

	all->repeats = kernels_chain(r);
	if (!r->kernels.n || !db_rows_open(&rows, &r->db, "TASK_PMU_INFO", "globalTaskId name value"))
		return;
	progress_stage(r->db.progress, "hardware counters");
	while (db_rows_next(&rows)) {
		uint32_t compute = db_int(&rows, 0, &id) ? ids_get(&r->compute_of, id) : 0;
		struct metric *m = compute && db_num(&rows, 2, &v) ? metric_get(r, all, text_column(r, &rows, 1)) : NULL;
		uint32_t kernel = !m ? 0 : m->next ? m->next[compute - 1] : r->computes.items[compute - 1].first_kernel;

		if (!kernel)
			continue;
		m->values[kernel - 1] = v * m->scale;
		m->any = m->any || v > 0 || v < 0;
		if (m->next)
			m->next[compute - 1] = r->kernels.items[kernel - 1].next;
	}
}

/* The database also has counters of units that a core does not have; text exports leave them out. */
static bool metric_is_void(const struct db_reader *r, const struct metric *m)
{
	static const char *const without[] = { "aic_vec_*", "aiv_mac_*", "aiv_mte1_*", "aiv_fixpipe_*" };

	for (size_t i = 0; i < ARRAY_LEN(without) && !m->any; i++)
		if (str_like(names_str(r->t->names, m->name), without[i]))
			return true;
	return false;
}

static void metrics_done(struct metrics *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->items[i].values);
		free(all->items[i].next);
	}
	free(all->items);
	index_map_done(&all->by_name);
}

/* ---- rows ---- */

struct row {
	int64_t start;
	int32_t device;
	uint32_t index;			/* in kernels, or in collectives after them */
};

static int row_compare(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Tasks that the exporter's table leaves out: no operators, or parts of collectives. */
static bool is_listed(const struct db_reader *r, const struct kernel *k)
{
	static const char *const out[] = { "WRITE_BACK", "INVALID", "HCCL_AI_CPU", "COMMUNICATION" };
	const struct compute *c = &r->computes.items[k->compute];
	struct str core = names_str(r->t->names, c->core);

	for (size_t i = 0; i < ARRAY_LEN(out); i++)
		if (str_is(core, str_of(out[i])))
			return i == 3 && str_ends(names_str(r->t->names, c->name), STR("AivKernel"));
	return true;
}

static struct row *rows_sorted(const struct db_reader *r, size_t *n)
{
	struct row *rows = mem_alloc(r->kernels.n + r->collectives.n, sizeof *rows);
	bool sorted = true;

	*n = 0;
	for (size_t i = 0; i < r->kernels.n; i++)
		if (is_listed(r, &r->kernels.items[i]))
			rows[(*n)++] = (struct row){ r->kernels.items[i].start, r->kernels.items[i].device, (uint32_t)i };
	for (size_t i = 0; i < r->collectives.n; i++)
		rows[(*n)++] = (struct row){ r->collectives.items[i].start, (int32_t)r->collectives.items[i].device,
			(uint32_t)(r->kernels.n + i) };
	for (size_t i = 1; i < *n && sorted; i++)
		sorted = row_compare(&rows[i - 1], &rows[i]) <= 0;
	if (!sorted)
		qsort(rows, *n, sizeof *rows, row_compare);
	return rows;
}

static int64_t row_dur(const struct db_reader *r, const struct row *row)
{
	return row->index < r->kernels.n ? r->kernels.items[row->index].dur : r->collectives.items[row->index - r->kernels.n].dur;
}

static void text_set(struct table_builder *b, const struct db_reader *r, enum col id, uint32_t name)
{
	if (!name_is_nothing(r, name))
		table_set_text(b, id, names_str(r->t->names, name));
}

static void number_set(struct table_builder *b, enum col id, bool has, int64_t v)
{
	if (has)
		table_set_int(b, id, v);
}

/* The first step whose share of the device the row starts in, as the exporter does. *from: steps before it are over; starts only grow. */
static uint32_t step_at(const struct db_reader *r, int64_t start, size_t *from)
{
	const struct step *steps = r->steps.items;

	while (*from < r->steps.n && steps[*from].device_end < start)
		++*from;
	for (size_t i = *from; i < r->steps.n && steps[i].later_start <= start; i++)
		if (start >= steps[i].device_start && start <= steps[i].device_end)
			return steps[i].name;
	return 0;
}

static void kernel_write(struct db_reader *r, struct table_builder *b, const struct metrics *all, size_t at)
{
	const struct kernel *k = &r->kernels.items[at];
	const struct compute *c = &r->computes.items[k->compute];

	number_set(b, COL_MODEL_ID, k->has & KERNEL_HAS_MODEL, k->model);
	number_set(b, COL_TASK_ID, k->has & KERNEL_HAS_TASK, k->task);
	number_set(b, COL_STREAM_ID, k->has & KERNEL_HAS_STREAM, k->stream);
	text_set(b, r, COL_NAME, c->name);
	text_set(b, r, COL_TYPE, c->op_type);
	text_set(b, r, COL_STATE, c->state);
	text_set(b, r, COL_CORE, c->core);
	number_set(b, COL_BLOCK_DIM, c->blocks >= 0, c->blocks);
	number_set(b, COL_MIX_BLOCK_DIM, c->mix_blocks >= 0, c->mix_blocks);
	text_set(b, r, COL_HF32, c->hf32);
	text_set(b, r, COL_INPUT_SHAPES, c->in_shapes);
	text_set(b, r, COL_INPUT_TYPES, c->in_types);
	text_set(b, r, COL_INPUT_FORMATS, c->in_formats);
	text_set(b, r, COL_OUTPUT_SHAPES, c->out_shapes);
	text_set(b, r, COL_OUTPUT_TYPES, c->out_types);
	text_set(b, r, COL_OUTPUT_FORMATS, c->out_formats);
	number_set(b, COL_CONTEXT_ID, k->has & KERNEL_HAS_CONTEXT && k->context != UINT32_MAX, k->context);
	for (size_t m = 0; m < all->n; m++)
		if (!isnan(all->items[m].values[at]) && !metric_is_void(r, &all->items[m]))
			table_set_metric(b, names_str(r->t->names, all->items[m].shown), all->items[m].values[at]);
}

static void collective_write(struct db_reader *r, struct table_builder *b, const struct collective *c)
{
	text_set(b, r, COL_NAME, c->name);
	text_set(b, r, COL_TYPE, c->type);
	table_set_text(b, COL_CORE, r->calls_hccl ? STR("HCCL") : STR("COMMUNICATION"));
	table_set_int(b, COL_BLOCK_DIM, 0);
}

static void details_make(struct db_reader *r, struct table *t, const struct metrics *all, const struct row *rows, size_t n)
{
	struct table_builder *b = table_build(t, ART_KERNEL_DETAILS, r->t->names);
	size_t step = 0;

	for (size_t i = 0; i < n; i++) {
		bool same = i && rows[i - 1].device == rows[i].device;
		int64_t before = same ? rows[i - 1].start + row_dur(r, &rows[i - 1]) : rows[i].start;

		step = same ? step : 0;
		table_row(b);
		text_set(b, r, COL_STEP, step_at(r, rows[i].start, &step));
		if (rows[i].device >= 0)
			table_set_int(b, COL_DEVICE_ID, rows[i].device);
		table_set_int(b, COL_START, rows[i].start);
		table_set_int(b, COL_DURATION, row_dur(r, &rows[i]));
		table_set_int(b, COL_WAIT, MAX(rows[i].start - before, 0));
		if (rows[i].index < r->kernels.n)
			kernel_write(r, b, all, rows[i].index);
		else
			collective_write(r, b, &r->collectives.items[rows[i].index - r->kernels.n]);
	}
	table_built(b);
}

/* ---- op_statistic ---- */

struct total {
	int64_t device, count, sum, min, max;
	uint32_t type, core;
};

struct totals {
	struct total *items;
	size_t n, cap;
};

static int sum_compare(const void *x, const void *y)
{
	const struct total *a = x, *b = y;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->sum != b->sum)
		return a->sum > b->sum ? -1 : 1;
	return a->type != b->type ? (a->type < b->type ? -1 : 1) : (a->core > b->core) - (a->core < b->core);
}

/* Kernels by operator type and core, each device for itself: rows stand by device, so its groups are one run of the result. */
static struct totals totals_of(const struct db_reader *r, const struct row *rows, size_t n)
{
	struct index_map group_of = { 0 };
	struct totals t = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct compute *c;
		struct total *g;
		uint32_t *slot;
		int64_t dur = row_dur(r, &rows[i]);

		if (i && rows[i].device != rows[i - 1].device)
			index_map_done(&group_of);
		if (rows[i].index >= r->kernels.n)
			continue;
		c = &r->computes.items[r->kernels.items[rows[i].index].compute];
		if (name_is_nothing(r, c->op_type))
			continue;
		slot = index_map_slot(&group_of, (uint64_t)c->op_type << 32 | c->core);
		if (!*slot) {
			ARRAY_PUSH(&t, items, n, cap) = (struct total){ .device = rows[i].device, .min = INT64_MAX, .type = c->op_type,
				.core = c->core };
			*slot = (uint32_t)t.n;
		}
		g = &t.items[*slot - 1];
		g->count++;
		g->sum = (int64_t)((uint64_t)g->sum + (uint64_t)dur);
		g->min = MIN(g->min, dur);
		g->max = MAX(g->max, dur);
	}
	index_map_done(&group_of);
	return t;
}

/* What all groups of the device at `from` took. */
static double device_sum(const struct totals *t, size_t from)
{
	double sum = 0;

	for (size_t i = from; i < t->n && t->items[i].device == t->items[from].device; i++)
		sum += (double)t->items[i].sum;
	return sum;
}

static void total_write(struct db_reader *r, struct table_builder *b, const struct total *g, double all)
{
	table_row(b);
	if (g->device >= 0)
		table_set_int(b, COL_DEVICE_ID, g->device);
	text_set(b, r, COL_TYPE, g->type);
	text_set(b, r, COL_CORE, g->core);
	table_set_int(b, COL_COUNT, g->count);
	table_set_int(b, COL_TOTAL_TIME, g->sum);
	table_set_int(b, COL_MIN_TIME, g->min);
	table_set_int(b, COL_AVG_TIME, g->sum / g->count + (g->sum % g->count >= g->count - g->count / 2));
	table_set_int(b, COL_MAX_TIME, g->max);
	table_set_num(b, COL_RATIO, all > 0 ? round((double)g->sum / all * 100000) / 1000 : 0);
}

static void statistic_make(struct db_reader *r, const struct row *rows, size_t n)
{
	struct totals t = totals_of(r, rows, n);
	struct table *table = t.n ? table_wanted(r, ART_OP_STATISTIC) : NULL;
	struct table_builder *b = table ? table_build(table, ART_OP_STATISTIC, r->t->names) : NULL;
	double all = 0;

	if (b)
		qsort(t.items, t.n, sizeof *t.items, sum_compare);
	for (size_t i = 0; b && i < t.n; i++) {
		if (!i || t.items[i].device != t.items[i - 1].device)
			all = device_sum(&t, i);
		total_write(r, b, &t.items[i], all);
	}
	if (b)
		table_built(b);
	free(t.items);
}

void kernels_make(struct db_reader *r)
{
	struct metrics all = { 0 };
	struct table *t;
	struct row *rows;
	size_t n;

	if (!r->wants_kernels || (!r->kernels.n && !r->collectives.n))
		return;
	metrics_read(r, &all);
	rows = rows_sorted(r, &n);
	t = n ? table_wanted(r, ART_KERNEL_DETAILS) : NULL;
	if (t)
		details_make(r, t, &all, rows, n);
	statistic_make(r, rows, n);
	free(rows);
	metrics_done(&all);
}
