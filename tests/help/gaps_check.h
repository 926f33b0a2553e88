/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every result of gaps_find(): sums, order, neighbours. For the tests of gaps; header only, fails the running test. */
#ifndef ASCOPE_TESTS_HELP_GAPS_CHECK_H
#define ASCOPE_TESTS_HELP_GAPS_CHECK_H

#include "core/analysis/gaps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define NONE UINT32_MAX

static inline void check_sums(const struct work_model *m, const struct gaps *g)
{
	struct gap_sum all = { 0 }, by_cause[GAP_MAX] = { { 0 } };
	int64_t busy = intervals_total(&m->sets.busy);

	for (size_t i = 0; i < g->n; i++) {
		const struct gap *x = &g->items[i];
		struct gap_sum *sums[] = { &by_cause[x->cause], x->cause == GAP_EDGE ? NULL : &all };

		assert_true(x->end - x->start > g->floor_ns);
		assert_true(i == 0 || x->start >= g->items[i - 1].end);
		assert_int_equal(intervals_within(&m->sets.busy, x->start, x->end), 0);
		assert_true(x->host_busy >= 0 && x->host_busy <= x->end - x->start);
		assert_true(x->host_ns[0] >= x->host_ns[1] && x->host_ns[1] >= x->host_ns[2]);
		assert_true(x->before == NONE || (x->before < m->nspans && span_end(&m->spans[x->before]) == x->start));
		assert_true(x->after == NONE || (x->after < m->nspans && m->spans[x->after].start == x->end));
		assert_true((x->before == NONE || x->after == NONE) == (x->cause == GAP_EDGE));
		for (size_t k = 0; k < ARRAY_LEN(sums) && sums[k]; k++) {
			sums[k]->count++;
			sums[k]->total_ns += x->end - x->start;
			sums[k]->longest_ns = MAX(sums[k]->longest_ns, x->end - x->start);
		}
	}
	assert_memory_equal(&all, &g->all, sizeof all);
	assert_memory_equal(by_cause, g->by_cause, sizeof by_cause);
	assert_int_equal(busy + g->all.total_ns + g->below.total_ns, m->first == NO_TIME ? 0 : m->last - m->first);
}

#endif
