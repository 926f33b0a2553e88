/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over collectives. */
#include "core/analysis/rules.h"

#include <math.h>

#define LEVEL1 "profiler_level=torch_npu.profiler.ProfilerLevel.Level1 (msprof: --hccl=on --task-time=l1)"

static double per_step(const struct rule_call *r, int64_t ns)
{
	return (double)ns / 1e3 / r->steps;
}

static void longest_collectives(struct rule_call *r, struct finding *f)
{
	const struct collectives *c = &r->u->colls;
	size_t taken[PLACES_MAX] = { 0 };

	for (size_t k = 0; k < PLACES_MAX; k++) {
		size_t best = SIZE_MAX;

		for (size_t i = 0; i < c->n; i++) {
			bool seen = false;

			for (size_t m = 0; m < k; m++)
				seen |= taken[m] == i;
			if (!seen && c->items[i].start != NO_TIME && (best == SIZE_MAX || c->items[i].elapse > c->items[best].elapse))
				best = i;
		}
		if (best == SIZE_MAX)
			return;
		taken[k] = best;
		rule_place(r, f, c->items[best].start, c->items[best].start + c->items[best].elapse, names_text(&r->a->c->names, c->items[best].name));
	}
}

void rule_COMM_SPLIT(struct rule_call *r)
{
	const struct collectives *c = &r->u->colls;
	double exposed = r->s->v[IND_EXPOSED] / r->steps, waiting, moving;
	struct finding *f;

	if (!c->n)
		return;
	if (!c->has_split) {
		rule_lacks(r, "transit and wait times (communication.json or plane tasks)", LEVEL1);
		return;
	}
	/* Waiting that kernels cover costs nothing; at stake is what of it is exposed. */
	waiting = per_step(r, c->elapse - c->transit);
	moving = per_step(r, c->transit);
	if (isfinite(exposed))
		f = rule_finds(r, c->verdict == COMM_LATE_RANK ? MIN(waiting, exposed) : MIN(moving, exposed));
	else			/* the communication file alone: nobody knows what kernels cover */
		f = rule_notes(r, c->verdict == COMM_LATE_RANK ? waiting : moving);
	if (!f)
		return;
	f->title = c->verdict == COMM_LATE_RANK ? "Collectives wait for a peer" : c->verdict == COMM_SLOW_LINK ? "A link between ranks is slow"
		: c->verdict == COMM_LATENCY ? "Collectives pay latency" : "Collectives move data";
	f->text = c->reason;
	finding_gate(f, r->s, &r->a->options.thresholds, IND_EXPOSED_PCT, TH_COMM_EXPOSED, REL_AT_LEAST);
	finding_gate(f, r->s, &r->a->options.thresholds, IND_COMM_TRANSIT, TH_TRANSIT_SHARE, REL_AT_MOST);
	finding_figure(f, "elapsed", per_step(r, c->elapse), "us/step", "sum over collectives / steps", "communication.json: Elapse Time(ms)");
	finding_figure(f, "transit", per_step(r, c->transit), "us/step", "sum over collectives / steps", "communication.json: Transit Time(ms)");
	finding_figure(f, "wait", per_step(r, c->wait), "us/step", "sum over collectives / steps", "communication.json: Wait Time(ms)");
	finding_figure(f, "idle", per_step(r, c->idle), "us/step", "sum over collectives / steps", "communication.json: Idle Time(ms)");
	finding_figure(f, "bandwidth", c->bandwidth_gbs, "GB/s", "moved / time of the links", "communication.json: Bandwidth(GB/s)");
	longest_collectives(r, f);
}

/* The first unit that rules are asked about. */
static const struct unit *first_judged(const struct analysis *a)
{
	for (size_t i = 0; i < a->nunits; i++)
		if (a->units[i].scopes[0].window.n)
			return &a->units[i];
	return &a->units[0];
}

void rule_COMM_RANK(struct rule_call *r)
{
	const struct late_rank *l = &r->a->late;
	double wait = 0;
	struct finding *f;
	size_t others = 0;

	if (r->u != first_judged(r->a))
		return;			/* about all ranks: said once */
	if (r->a->nunits < 2) {
		if (r->u->colls.n)
			rule_lacks(r, "the other ranks of the job", "every rank in one folder, and that folder named");
		return;
	}
	if (l->late < 0 || (size_t)l->late >= r->a->nunits)
		return;
	for (size_t i = 0; i < r->a->nunits; i++)
		if ((int)i != l->late) {
			const struct scope *s = &r->a->units[i].scopes[0];

			if (!isfinite(s->v[IND_EXPOSED]))
				continue;
			wait += s->v[IND_EXPOSED] / (s->nsteps ? (double)s->nsteps : 1);
			others++;
		}
	f = rule_finds(r, wait / (double)MAX((size_t)1, others));
	if (!f)
		return;
	f->title = rule_text(r, "Rank %d makes the others wait", l->ranks[l->late].id);
	f->text = l->reason;
	finding_figure(f, "spread of compute over ranks", l->spread_pct, "%", "(max - min) / mean of union(K)", "timeline of each rank");
	finding_figure(f, "collectives it was last in", (double)l->ranks[l->late].votes, "", "shortest time in the collective",
		"communication.json of each rank");
	finding_figure(f, "collectives compared", (double)l->ncollectives, "", "same group, kind and order on every rank", "communication.json of each rank");
	f->places[0].rank = r->a->units[l->late].rank;
}

/* Collectives beside kernels against collectives alone: bandwidth by size. */
void rule_CONTENTION(struct rule_call *r)
{
	const struct collectives *c = &r->u->colls;
	const struct work_sets *w = &r->u->work->sets;
	double best = 0, slow_us = 0;
	size_t n = 0, known = 0;
	struct finding *f;

	for (size_t i = 0; i < c->n; i++)
		if (isfinite(c->items[i].bandwidth_gbs)) {
			best = MAX(best, c->items[i].bandwidth_gbs);
			known++;
		}
	if (c->n && !known) {
		rule_lacks(r, "bandwidth of the collectives", LEVEL1);
		return;
	}
	for (size_t i = 0; i < c->n; i++) {
		const struct collective *p = &c->items[i];

		if (p->start == NO_TIME || !isfinite(p->bandwidth_gbs) || p->bandwidth_gbs >= 0.8 * best || p->link_ns <= 0 || p->size_mb < c->small_mb)
			continue;
		if (intervals_within(&w->compute, p->start, p->start + p->elapse) * 2 < p->elapse)
			continue;
		slow_us += (double)p->link_ns / 1e3 * (1 - p->bandwidth_gbs / best);
		n++;
	}
	f = n ? rule_finds(r, slow_us / r->steps) : NULL;
	if (f)
		f->text = rule_text(r, "%zu collectives that run beside kernels reach less than 80 %% of the %.1f GB/s that others reach:"
		" %.1f us a step.", n, best,
			slow_us / r->steps);
}

void rule_DETAIL(struct rule_call *r)
{
	const struct collectives *c = &r->u->colls;
	struct finding *f;

	if (!c->n || c->verdict == COMM_LATE_RANK)
		return;
	if (!isfinite(c->small_share)) {
		rule_lacks(r, "sizes of the collectives", LEVEL1);
		return;
	}
	/* Small is not slow: only messages that take no longer than a start are said to pay for it. */
	if (c->small_share < 0.5 || !(r->s->v[IND_COMM_MEDIAN] <= r->a->options.thresholds.v[TH_COMM_LATENCY]))
		return;
	f = rule_finds(r, r->s->v[IND_EXPOSED] / r->steps);
	if (!f)
		return;
	f->text = rule_text(r, "%.0f %% of the collectives move less than %.2g MB each; the median takes %.1f us.", 100 * c->small_share, c->small_mb,
		c->median_ns == NO_TIME ? NAN : (double)c->median_ns / 1e3);
	finding_gate(f, r->s, &r->a->options.thresholds, IND_COMM_MEDIAN, TH_COMM_LATENCY, REL_AT_MOST);
	finding_indicator(f, r->s, IND_COMM_SIZE);
	finding_indicator(f, r->s, IND_COMM_PER_STEP);
}
