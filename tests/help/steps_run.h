/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture with the work model and the steps of one of its ranks, for tests of steps; header only. run_open(), run_rank(), then
 * run_done(), which frees all. Uses a classifier that steps_setup() makes for the whole test program.
 */
#ifndef ASCOPE_TESTS_HELP_STEPS_RUN_H
#define ASCOPE_TESTS_HELP_STEPS_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/analysis/steps.h"
#include "core/load/load.h"

static struct classifier *classifier;

static inline int steps_setup(void **state)
{
	(void)state;
	classifier = classifier_new(NULL);
	return classifier ? 0 : -1;
}

static inline int steps_teardown(void **state)
{
	(void)state;
	classifier_free(classifier);
	return 0;
}

struct run {
	struct capture *c;
	struct work_model *m;
	size_t n;
	struct steps s;			/* of the first rank's first device */
};

static inline void run_rank(struct run *r, size_t rank, enum phase_choice choice)
{
	r->m = work_new(r->c, &r->c->ranks[rank], classifier, &r->n);
	steps_find(&r->m[0], choice, &r->s);
}

static inline void run_rank_done(struct run *r)
{
	steps_done(&r->s);
	work_free(r->m, r->n);
	r->m = NULL;
}

static inline bool run_open(struct run *r, const char *path)
{
	struct diag d;

	*r = (struct run){ 0 };
	if (capture_load(path, NULL, NULL, &r->c, &d))
		return false;
	return true;
}

static inline void run_done(struct run *r)
{
	if (r->m)
		run_rank_done(r);
	capture_free(r->c);
}

/* What holds for any result. */
static inline void check_order(const struct work_model *m, const struct steps *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct step *t = &s->items[i];

		assert_true(t->start <= t->end);
		assert_true(i + 1 == s->n || t->end == s->items[i + 1].start);
		if (t->first == NO_TIME)
			continue;
		assert_true(t->first >= t->start && t->first < t->end && t->last >= t->first);
	}
	assert_non_null(s->reason);
	assert_non_null(s->phase_reason);
	assert_true(s->n == 0 || strlen(s->reason) > 20);
	for (size_t i = 0; s->n && i < m->nspans; i++) {
		const struct span *p = &m->spans[i];

		if (p->kind == WORK_WAIT || p->start < s->items[0].start || s->source == STEPS_MARKS)
			continue;
		assert_true(p->start < s->items[s->n - 1].end);
	}
}

static inline void count_phases(const struct steps *s, size_t counts[PHASE_MAX])
{
	memset(counts, 0, PHASE_MAX * sizeof *counts);
	for (size_t i = 0; i < s->n; i++)
		counts[s->items[i].phase]++;
}

#endif
