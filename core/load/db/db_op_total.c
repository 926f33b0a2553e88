/* SPDX-License-Identifier: Apache-2.0 */
/* op_statistic: kernels by operator type and core. */
#include "core/load/db/db_kernel.h"

#include "core/base/mem.h"
#include "core/load/table/table_load.h"

#include <math.h>
#include <stdlib.h>

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
	table_set_text(b, COL_TYPE, names_str(r->t->names, g->type));
	table_set_text(b, COL_CORE, names_str(r->t->names, g->core));
	table_set_int(b, COL_COUNT, g->count);
	table_set_int(b, COL_TOTAL_TIME, g->sum);
	table_set_int(b, COL_MIN_TIME, g->min);
	table_set_int(b, COL_AVG_TIME, g->sum / g->count + (g->sum % g->count >= g->count - g->count / 2));
	table_set_int(b, COL_MAX_TIME, g->max);
	table_set_num(b, COL_RATIO, all > 0 ? round((double)g->sum / all * 100000) / 1000 : 0);
}

void op_totals_make(struct db_reader *r, const struct row *rows, size_t n)
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
