/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which row of the kernel table a span is. Both hold the same task under the same name; its start in the timeline differs by 1 ns at most
 * in captures whose times are text, and by 0.25 us where a writer went through a double. So: the next unused row of that name that starts
 * within a microsecond. Where a name has as many rows as spans but their clocks differ, the order of starts decides.
 */
#include "core/analysis/ops_private.h"

#include "core/base/mem.h"
#include "core/base/sort.h"

#include <stdlib.h>

enum { NEAR_NS = 1000 };

struct name_rows {
	uint32_t first, cursor;		/* rows in order of start */
	uint32_t nrows, nspans, nmatched;
};

struct matcher {
	const struct work_model *m;
	const struct table *t;
	const int64_t *start;
	const uint32_t *name;
	struct name_rows *by_name;
	size_t nnames;
	uint32_t *next;			/* by row: the next of its name */
};

static bool is_near(int64_t a, int64_t b)
{
	return (a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a) <= NEAR_NS;
}

static bool row_is_ours(const struct work_model *m, const struct column *device, size_t row)
{
	return m->device < 0 || !device || device->num[row] == NO_INT || device->num[row] == m->device;
}

/* Lists the rows of each name in order of start. */
static void list_rows(struct matcher *k)
{
	const struct column *device = table_col(k->t, COL_DEVICE_ID);
	uint64_t *keys = mem_alloc(k->t->nrows, sizeof *keys);
	uint32_t *order = mem_alloc(k->t->nrows, sizeof *order);

	for (size_t i = 0; i < k->t->nrows; i++)
		keys[i] = sort_key(k->start[i]);
	sort_by_key(keys, order, k->t->nrows);
	for (size_t i = k->t->nrows; i > 0; i--) {
		uint32_t row = order[i - 1], name = k->name[row];
		struct name_rows *n;

		if (k->start[row] == NO_TIME || name >= k->nnames || !row_is_ours(k->m, device, row))
			continue;
		n = &k->by_name[name];
		k->next[row] = n->first;
		n->first = n->cursor = row;
		n->nrows++;
	}
	free(order);
	free(keys);
}

static void match_starts(struct matcher *k, uint32_t *kernel)
{
	for (size_t i = 0; i < k->m->nspans; i++) {
		const struct span *s = &k->m->spans[i];
		struct name_rows *n;

		if (s->kind == WORK_WAIT || s->name >= k->nnames)
			continue;
		n = &k->by_name[s->name];
		n->nspans++;
		while (n->cursor != NO_INDEX && k->start[n->cursor] < s->start && !is_near(k->start[n->cursor], s->start))
			n->cursor = k->next[n->cursor];
		if (n->cursor == NO_INDEX || !is_near(k->start[n->cursor], s->start))
			continue;
		kernel[i] = n->cursor;
		n->cursor = k->next[n->cursor];
		n->nmatched++;
	}
}

static void match_order(struct matcher *k, uint32_t *kernel)
{
	for (size_t i = 0; i < k->nnames; i++)
		k->by_name[i].cursor = k->by_name[i].first;
	for (size_t i = 0; i < k->m->nspans; i++) {
		const struct span *s = &k->m->spans[i];
		struct name_rows *n;

		if (s->kind == WORK_WAIT || s->name >= k->nnames)
			continue;
		n = &k->by_name[s->name];
		if (n->nmatched == n->nspans || n->nspans != n->nrows || n->cursor == NO_INDEX)
			continue;
		kernel[i] = n->cursor;
		n->cursor = k->next[n->cursor];
	}
}

void ops_match(const struct work_model *m, const struct table *kernels, uint32_t *kernel_of_span)
{
	const struct column *start = kernels ? table_col(kernels, COL_START) : NULL, *name = kernels ? table_col(kernels, COL_NAME) : NULL;
	struct matcher k = { .m = m, .t = kernels, .nnames = m->c->names.n };

	for (size_t i = 0; i < m->nspans; i++)
		kernel_of_span[i] = m->from_table ? m->spans[i].source : NO_INDEX;
	if (m->from_table || !start || !name || !kernels->nrows || kernels->nrows >= NO_INDEX)
		return;
	k.start = start->num;
	k.name = name->text;
	k.by_name = mem_alloc(k.nnames, sizeof *k.by_name);
	k.next = mem_alloc(kernels->nrows, sizeof *k.next);
	for (size_t i = 0; i < k.nnames; i++)
		k.by_name[i] = (struct name_rows){ .first = NO_INDEX, .cursor = NO_INDEX };
	list_rows(&k);
	match_starts(&k, kernel_of_span);
	match_order(&k, kernel_of_span);
	free(k.next);
	free(k.by_name);
}

uint32_t *ops_rows_by_name(const struct work_model *m, const struct table *kernels)
{
	const struct column *name = kernels ? table_col(kernels, COL_NAME) : NULL;
	uint32_t *rows;

	if (!name || kernels->nrows >= NO_INDEX)
		return NULL;
	rows = mem_alloc(m->c->names.n, sizeof *rows);
	memset(rows, 0xff, m->c->names.n * sizeof *rows);
	for (size_t i = kernels->nrows; i > 0; i--)
		if (name->text[i - 1] < m->c->names.n)
			rows[name->text[i - 1]] = (uint32_t)(i - 1);
	return rows;
}
