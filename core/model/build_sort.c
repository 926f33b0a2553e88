/* SPDX-License-Identifier: Apache-2.0 */
/* Order inside lanes. Exporters write most lanes in order, so the common case is one look; the rest is a radix sort, linear in events. */
#include "core/model/build_private.h"

#include "core/base/mem.h"
#include "core/base/par.h"
#include "core/base/sort.h"

#include <stdlib.h>

/* a before b: starts earlier, or at the same time and is longer (a parent before its child). */
static bool in_order(const struct events *e, size_t a, size_t b)
{
	return e->start[a] < e->start[b] || (e->start[a] == e->start[b] && e->dur[a] >= e->dur[b]);
}

static bool lane_is_sorted(const struct events *e, const struct lane *l)
{
	for (size_t i = l->first + 1; i < l->first + l->n; i++)
		if (!in_order(e, i - 1, i))
			return false;
	return true;
}

struct tie {
	int64_t dur;
	uint32_t at;
};

static int tie_compare(const void *x, const void *y)
{
	const struct tie *a = x, *b = y;

	if (a->dur != b->dur)
		return a->dur > b->dur ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

enum { FEW_TIES = 16 };

/* Longer first, then order of arrival; runs are nearly always a parent and its first child. */
static void order_run(const int64_t *dur, uint32_t *order, size_t n)
{
	struct tie *ties;

	if (n <= FEW_TIES) {
		for (size_t i = 1; i < n; i++) {
			uint32_t v = order[i];
			size_t at = i;

			for (; at > 0 && dur[order[at - 1]] < dur[v]; at--)
				order[at] = order[at - 1];
			order[at] = v;
		}
		return;
	}
	ties = mem_alloc(n, sizeof *ties);
	for (size_t i = 0; i < n; i++)
		ties[i] = (struct tie){ dur[order[i]], order[i] };
	qsort(ties, n, sizeof *ties, tie_compare);
	for (size_t i = 0; i < n; i++)
		order[i] = ties[i].at;
	free(ties);
}

static void order_ties(const struct events *e, size_t first, uint32_t *order, size_t n)
{
	const int64_t *start = e->start + first;

	for (size_t i = 0, end; i < n; i = end) {
		end = i + 1;
		while (end < n && start[order[end]] == start[order[i]])
			end++;
		if (end - i > 1)
			order_run(e->dur + first, order + i, end - i);
	}
}

#define REORDER(column, type) do { \
		type *values = (type *)spare; \
		for (size_t i = 0; i < n; i++) \
			values[i] = (column)[order[i]]; \
		memcpy((column), values, n * sizeof(type)); \
	} while (0)

static void lane_reorder(struct events *e, size_t first, const uint32_t *order, size_t n, void *spare)
{
	REORDER(e->start + first, int64_t);
	REORDER(e->dur + first, int64_t);
	REORDER(e->name + first, uint32_t);
	REORDER(e->type + first, uint32_t);
	REORDER(e->connection + first, uint64_t);
	REORDER(e->span + first, uint64_t);
	REORDER(e->span_len + first, uint32_t);
	REORDER(e->flags + first, uint8_t);
}

static void lane_sort(void *arg, unsigned worker, size_t item)
{
	struct events *e = arg;
	const struct lane *l = &e->lanes[item];
	uint64_t *keys;
	uint32_t *order;

	(void)worker;
	if (lane_is_sorted(e, l))
		return;
	keys = scratch_alloc(l->n, sizeof *keys);
	order = scratch_alloc(l->n, sizeof *order);
	for (size_t i = 0; i < l->n; i++)	/* flip the sign bit: signed order as unsigned order */
		keys[i] = sort_key(e->start[l->first + i]);
	sort_by_key(keys, order, l->n);
	order_ties(e, l->first, order, l->n);
	lane_reorder(e, l->first, order, l->n, keys);
	scratch_free(order, l->n, sizeof *order);
	scratch_free(keys, l->n, sizeof *keys);
}

void build_sort_lanes(struct events *e, unsigned threads)
{
	par_for(threads, e->nlanes, lane_sort, e);
}
