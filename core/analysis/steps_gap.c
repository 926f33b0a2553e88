/* SPDX-License-Identifier: Apache-2.0 */
/* Steps from pauses of the device: where it stands still much longer than between kernels, a step ends. */
#include "core/analysis/steps_private.h"

#include "core/base/mem.h"

#include <stdlib.h>

enum { SPANS_MIN = 4, MEDIANS = 4, STEPS_MIN = 2 };

#define GAP_MIN ((int64_t)200000)	/* ns */

static int time_compare(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static int64_t median_gap(const struct intervals *busy)
{
	int64_t *gaps = mem_alloc(busy->n, sizeof *gaps), median = 0;
	size_t n = 0;

	for (size_t i = 1; i < busy->n; i++)
		gaps[n++] = busy->items[i].start - busy->items[i - 1].end;
	if (n) {
		qsort(gaps, n, sizeof *gaps, time_compare);
		median = gaps[n / 2];
	}
	free(gaps);
	return median;
}

bool find_gaps(struct finder *f)
{
	const struct intervals *busy = &f->m->sets.busy;
	int64_t median, least;

	if (f->m->nspans < SPANS_MIN || busy->n < STEPS_MIN)
		return false;
	median = median_gap(busy);
	least = MAX(GAP_MIN, median < INTERVAL_TIME_MAX / MEDIANS ? median * MEDIANS : INTERVAL_TIME_MAX);
	for (size_t i = 0; i < busy->n; i++)
		if (i == 0 || busy->items[i].start - busy->items[i - 1].end > least)
			ARRAY_PUSH(&f->cuts, items, n, cap) = (struct cut){ .host_start = NO_TIME, .host_end = NO_TIME, .start = busy->items[i].start };
	if (f->cuts.n < STEPS_MIN)
		return false;
	f->out->confidence = CONF_LOW;
	f->out->reason = arena_printf(&f->out->arena, "No marks and no repeated kernel sequence; the device pauses %zu times for more than %.1f us"
		" (its median pause is %.1f us), and each pause ends a step.", f->cuts.n - 1, (double)least / 1e3, (double)median / 1e3);
	return true;
}
