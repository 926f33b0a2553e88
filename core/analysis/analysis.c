/* SPDX-License-Identifier: Apache-2.0 */
#include "core/analysis/analysis_private.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

void analysis_options_init(struct analysis_options *o)
{
	*o = (struct analysis_options){ .phase = PHASES_AUTO, .rank = -1 };
	thresholds_init(&o->thresholds);
}

/* ---- units ------------------------------------------------------------------------------------------------------------------------------ */

static bool has_phase(const struct steps *s, enum phase phase)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].phase == phase)
			return true;
	return false;
}

static void unit_measure(struct unit *u, const struct thresholds *t)
{
	static const enum phase phases[] = { PHASE_UNKNOWN, PHASE_PREFILL, PHASE_DECODE };

	u->facts = (struct facts){ u->work, &u->steps, &u->gaps, &u->ops, &u->colls, t };
	for (size_t i = 0; i < ARRAY_LEN(phases); i++) {
		if (phases[i] != PHASE_UNKNOWN && !has_phase(&u->steps, phases[i]))
			continue;
		scope_measure(&u->facts, phases[i], &u->scopes[u->nscopes]);
		verdict_of(&u->scopes[u->nscopes], t, &u->verdicts[u->nscopes]);
		/* Rates per step are no surer than the steps. */
		u->verdicts[u->nscopes].confidence = MIN(u->verdicts[u->nscopes].confidence, u->steps.confidence);
		u->nscopes++;
	}
}

static void unit_build(struct analysis *a, struct unit *u)
{
	double floor_us = a->options.thresholds.v[TH_MIN_GAP];

	steps_find(u->work, a->options.phase, &u->steps);
	gaps_find(u->work, &u->steps, (int64_t)(floor_us * 1e3), &u->gaps);
	ops_find(u->work, a->classifier, &u->ops);
	ops_set_bounds(&u->ops, &a->options.thresholds);
	collectives_find(u->work, &u->steps, &a->options.thresholds, &u->colls);
}

static void unit_done(struct unit *u)
{
	for (size_t i = 0; i < u->nscopes; i++)
		scope_done(&u->scopes[i]);
	collectives_done(&u->colls);
	ops_done(&u->ops);
	gaps_done(&u->gaps);
	steps_done(&u->steps);
}

static enum err build_units(struct analysis *a, struct progress *p, struct diag *d)
{
	a->models = mem_zalloc(a->c->nranks, sizeof *a->models);
	a->nmodels = mem_zalloc(a->c->nranks, sizeof *a->nmodels);
	for (size_t r = 0; r < a->c->nranks; r++) {
		if (progress_cancelled(p))
			return diag_set(d, ERR_CANCELLED, a->c->root, -1, -1, "cancelled");
		a->models[r] = work_new(a->c, &a->c->ranks[r], a->classifier, &a->nmodels[r]);
		for (size_t i = 0; i < a->nmodels[r]; i++)
			ARRAY_PUSH(a, units, nunits, cap_units) = (struct unit){ .rank = (int)r, .work = &a->models[r][i] };
	}
	for (size_t i = 0; i < a->nunits; i++) {		/* the units stay where they are from here on: facts point into them */
		if (progress_cancelled(p))
			return diag_set(d, ERR_CANCELLED, a->c->root, -1, -1, "cancelled");
		unit_build(a, &a->units[i]);
		unit_measure(&a->units[i], &a->options.thresholds);
	}
	return ERR_OK;
}

/* ---- over ranks ------------------------------------------------------------------------------------------------------------------------- */

static void compare_ranks(struct analysis *a)
{
	const struct work_model **works = mem_alloc(a->nunits, sizeof *works);
	const struct collectives **colls = mem_alloc(a->nunits, sizeof *colls);
	bool any = false;

	for (size_t i = 0; i < a->nunits; i++) {
		works[i] = a->units[i].work;
		colls[i] = &a->units[i].colls;
		any |= colls[i]->n > 0 || works[i]->first != NO_TIME;
	}
	if (!any && a->c->has_cluster)
		late_rank_of_cluster(a->c, &a->options.thresholds, &a->late);
	else
		late_rank_find(works, colls, a->nunits, &a->options.thresholds, &a->late);
	free(works);
	free(colls);
}

/*
 * The unit that speaks for the capture: the rank that was asked for, else of the units whose verdict is the most frequent one the one with
 * the highest score. Ranks are never mixed.
 */
static void choose_headline(struct analysis *a)
{
	size_t votes[BN_MAX + 1] = { 0 };
	enum bottleneck best = BN_NONE;

	a->headline = a->nunits;
	for (size_t i = 0; i < a->nunits; i++)
		votes[a->units[i].verdicts[0].headline]++;
	for (int b = 0; b < BN_MAX; b++)
		if (votes[b] && (best == BN_NONE || votes[b] > votes[best]))
			best = (enum bottleneck)b;
	for (size_t i = 0; i < a->nunits; i++) {
		const struct unit *u = &a->units[i], *h = a->headline < a->nunits ? &a->units[a->headline] : NULL;

		if (a->options.rank >= 0 && a->c->ranks[u->rank].id != a->options.rank)
			continue;
		if (a->options.rank < 0 && best != BN_NONE && u->verdicts[0].headline != best)
			continue;
		if (!h || (u->scopes[0].window.n && !h->scopes[0].window.n)
			|| (best != BN_NONE && u->verdicts[0].scores[best].score > h->verdicts[0].scores[best].score))
			a->headline = i;
	}
}

const struct unit *analysis_headline(const struct analysis *a)
{
	return a->headline < a->nunits ? &a->units[a->headline] : NULL;
}

enum err analysis_run(const struct capture *c, const struct analysis_options *o, struct progress *p, struct analysis **out, struct diag *d)
{
	struct analysis *a = mem_zalloc(1, sizeof *a);
	enum err err;

	*out = NULL;
	a->c = c;
	a->options = *o;
	a->classifier = classifier_new(d);
	err = a->classifier ? build_units(a, p, d) : ERR_FAILED;
	if (err) {
		analysis_free(a);
		return err;
	}
	compare_ranks(a);
	choose_headline(a);
	sentence_make(a);
	checks_run(a);
	rules_run(a);
	advice_run(a);
	findings_sort(&a->findings);
	*out = a;
	return ERR_OK;
}

void analysis_free(struct analysis *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->nunits; i++)
		unit_done(&a->units[i]);
	for (size_t r = 0; a->models && r < a->c->nranks; r++)
		work_free(a->models[r], a->nmodels[r]);
	late_rank_done(&a->late);
	findings_done(&a->findings);
	findings_done(&a->silent);
	findings_done(&a->advice);
	free(a->checks);
	free(a->units);
	free(a->models);
	free(a->nmodels);
	classifier_free(a->classifier);
	arena_done(&a->arena);
	free(a);
}
