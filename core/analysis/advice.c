/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice for every located bottleneck of the unit that speaks for the capture, over all its scopes. A gain is computed from this capture
 * where that is possible, and marked as experience where it is not; it never exceeds what the step holds.
 */
#include "core/analysis/advice_private.h"

#include <math.h>
#include <stdlib.h>

enum advice_id {
#define ADVICE(id, key, type, phase, priority, title, of, conf, verify, risk, version, targets, actions) ADV_##id,
#include "core/analysis/advice.def"
#undef ADVICE
	ADV_MAX
};

#define TARGETS(...) .targets = (const enum indicator[]){ __VA_ARGS__ }, .ntargets = sizeof((enum indicator[]){ __VA_ARGS__ }) / sizeof(enum indicator)
#define ACTIONS(...) .actions = (const char *const[]){ __VA_ARGS__, NULL }
static const struct {
	const char *key;
	enum bottleneck type;
	enum phase phase;
	enum severity priority;
	const char *title, *of;
	enum confidence confidence;
	const char *verify, *risk, *version;
	const enum indicator *targets;
	size_t ntargets;
	const char *const *actions;
} info[ADV_MAX] = {
#define ADVICE(id, key, type, phase, priority, title, of, conf, verify, risk, version, ...) \
	[ADV_##id] = { key, type, phase, priority, title, of, conf, verify, risk, version, __VA_ARGS__ },
#include "core/analysis/advice.def"
#undef ADVICE
};

/* What one piece can gain, in % of its `of`. */
struct gain {
	double low, estimate, high;
	bool from_capture;
	const char *basis;
};

static double v(const struct judge *j, enum indicator i)
{
	return j->scope->v[i];
}

/* A share of the step that the capture itself shows, of which between low and high can go. */
static struct gain part_of_step(const struct judge *j, double us_per_step, double low, double estimate, double high, double most, const char *basis)
{
	double share = v(j, IND_AVG_STEP) > 0 ? MIN(1, us_per_step / v(j, IND_AVG_STEP)) : NAN;

	return (struct gain){ 100 * MIN(most, low * share), 100 * MIN(most, estimate * share), 100 * MIN(most, high * share), true, basis };
}

static struct gain experience(double low, double estimate, double high)
{
	return (struct gain){ low, estimate, high, false, "" };
}

static bool gain_GRAPH_MODE(const struct judge *j, struct gain *g)
{
	*g = part_of_step(j, v(j, IND_HOST_EXCLUSIVE), 0.45, 0.75, 0.75, 0.8, "45 to 75 % of the host-exclusive time of a step");
	return v(j, IND_HOST_ONLY_PCT) >= 15 && v(j, IND_DISPATCH) >= 300;
}

static bool gain_ASYNC_SAMPLING(const struct judge *j, struct gain *g)
{
	double us = v(j, IND_SYNC_IDLE) / MAX(1, v(j, IND_STEPS));

	*g = part_of_step(j, us, 0.5, 0.8, 1, 0.5, "50 to 100 % of the time a step in which the host synchronises and the device is idle,"
		" at most half the step");
	return v(j, IND_SYNC) >= j->t->v[TH_SYNC_PER_STEP] && us >= j->t->v[TH_STEP_SHARE_MIN] / 100 * v(j, IND_AVG_STEP);
}

static bool gain_REDUCE_DISPATCH(const struct judge *j, struct gain *g)
{
	double busy = v(j, IND_HOST_BUSY_PCT);

	*g = (struct gain){ MIN(40, 0.15 * busy), MIN(40, 0.35 * busy), MIN(40, 0.45 * busy), true, "15 to 45 % of the host's busy share" };
	return v(j, IND_DISPATCH) >= 800;
}

static bool gain_CPU_BINDING(const struct judge *j, struct gain *g)
{
	*g = part_of_step(j, v(j, IND_HOST_EXCLUSIVE), 0.05, 0.15, 0.3, 0.3, "5 to 30 % of the host-exclusive time of a step");
	/* Only where the device waited for the host to launch; a host that is idle too, or alone before the first kernel, gains nothing. */
	return v(j, IND_HOST_ONLY_PCT) >= 15
		&& j->unit->gaps.by_cause[GAP_HOST_LATE].total_ns + j->unit->gaps.by_cause[GAP_LAUNCH].total_ns > 0;
}

static bool gain_QUANTIZE(const struct judge *j, struct gain *g)
{
	*g = experience(20, 30, 45);
	return v(j, IND_COMPUTE_PCT) >= 50 && j->unit->ops.classes[CLASS_MATMUL].total_ns > 0;
}

static bool gain_INCREASE_BATCH(const struct judge *j, struct gain *g)
{
	double most = MIN(60, MAX(0, 100 - v(j, IND_DEVICE_BUSY_PCT)) + 15);

	*g = (struct gain){ most / 2, most, most, false, "" };
	return v(j, IND_DEVICE_BUSY_PCT) >= 70 && !(v(j, IND_MAC) >= 0.4);
}

static bool gain_FUSE_SMALL(const struct judge *j, struct gain *g)
{
	*g = experience(10, 20, 30);
	return v(j, IND_DEVICE_BUSY_PCT) >= 70 && v(j, IND_COMPUTE_MEDIAN) < j->t->v[TH_SMALL_OP_US];
}

static bool gain_CHUNKED_PREFILL(const struct judge *j, struct gain *g)
{
	*g = experience(5, 12, 25);
	return v(j, IND_STEPS) >= 2;
}

/* Waiting for a late rank cannot be overlapped away. */
static bool waits(const struct judge *j)
{
	return v(j, IND_COMM_TRANSIT) < j->t->v[TH_TRANSIT_SHARE];
}

static bool gain_OVERLAP_FUSION(const struct judge *j, struct gain *g)
{
	double us = v(j, IND_EXPOSED) / MAX(1, v(j, IND_STEPS));

	*g = part_of_step(j, us, 0.36, 0.6, 0.6, 0.6, "36 to 60 % of the exposed communication of a step");
	return v(j, IND_COMM_OF_DEVICE) >= 10 && v(j, IND_COMM_OVERLAP) < 60 && !waits(j);
}

static bool gain_BATCH_AMORTIZE(const struct judge *j, struct gain *g)
{
	*g = part_of_step(j, v(j, IND_COMM_STEP_US), 0.3, 0.7, 0.8, 0.45, "30 to 80 % of the communication of a step, at most 45 %");
	return v(j, IND_COMM_MEDIAN) <= 120 && !waits(j);
}

static bool gain_PARALLEL_STRATEGY(const struct judge *j, struct gain *g)
{
	*g = experience(5, 15, 30);
	return v(j, IND_COMM_OF_DEVICE) >= 20 && !waits(j);
}

static bool gain_BALANCE_RANKS(const struct judge *j, struct gain *g)
{
	double exposed = v(j, IND_EXPOSED) / MAX(1, v(j, IND_STEPS)), us = MIN(v(j, IND_COMM_WAIT_STEP), exposed);

	*g = part_of_step(j, us, 0.3, 0.6, 0.9, 0.9, "30 to 90 % of the exposed waiting of a step");
	return waits(j);
}

static bool gain_ASYNC_D2H(const struct judge *j, struct gain *g)
{
	*g = part_of_step(j, v(j, IND_D2H), 0.5, 0.7, 1, 0.9, "50 to 100 % of the copies to the host of a step");
	return v(j, IND_D2H) >= 100;
}

static bool gain_KV_LOCALITY(const struct judge *j, struct gain *g)
{
	*g = part_of_step(j, v(j, IND_H2D), 0.5, 0.8, 1, 0.9, "50 to 100 % of the copies to the device of a step");
	return v(j, IND_H2D) >= 150;
}

static bool gain_PROFILING_OVERHEAD(const struct judge *j, struct gain *g)
{
	*g = experience(2, 5, 10);
	return v(j, IND_SYNC_US) >= 0.05 * v(j, IND_WALL);
}

static bool gain_PHASE_ISOLATION(const struct judge *j, struct gain *g)
{
	bool prefill = false, decode = false;

	for (size_t i = 0; i < j->unit->steps.n; i++) {
		prefill |= j->unit->steps.items[i].phase == PHASE_PREFILL;
		decode |= j->unit->steps.items[i].phase == PHASE_DECODE;
	}
	*g = experience(NAN, NAN, NAN);
	return prefill && decode && j->unit->steps.phase_confidence == CONF_LOW;
}

static bool gain_RICHER_PROFILE(const struct judge *j, struct gain *g)
{
	*g = experience(NAN, NAN, NAN);
	return !j->unit->ops.has_metrics || j->unit->work->from_table;
}

static bool (*const gains[ADV_MAX])(const struct judge *, struct gain *) = {
#define ADVICE(id, key, type, phase, priority, title, of, conf, verify, risk, version, targets, actions) [ADV_##id] = gain_##id,
#include "core/analysis/advice.def"
#undef ADVICE
};

/* The indicator that holds the time each kind of advice works on. */
static const enum indicator stakes[BN_MAX] = {
	[BN_HOST] = IND_HOST_EXCLUSIVE, [BN_COMPUTE] = IND_COMPUTE, [BN_COMM] = IND_EXPOSED, [BN_COPY] = IND_COPY,
};

static const enum threshold gate_of[BN_MAX] = {
	[BN_HOST] = TH_HOST_ONLY, [BN_COMPUTE] = TH_COMPUTE_SHARE, [BN_COMM] = TH_COMM_EXPOSED, [BN_COPY] = TH_COPY_SHARE,
};

static const enum indicator gate_value[BN_MAX] = {
	[BN_HOST] = IND_HOST_ONLY_PCT, [BN_COMPUTE] = IND_COMPUTE_PCT, [BN_COMM] = IND_EXPOSED_PCT, [BN_COPY] = IND_COPY_PCT,
};

static void fill(const struct judge *j, struct finding *f, enum advice_id id, const struct gain *g, double score)
{
	double weight = info[id].priority == SEV_HIGH ? 3 : info[id].priority == SEV_MEDIUM ? 2 : 1;

	f->severity = info[id].priority;
	f->type = info[id].type;
	f->phase = info[id].phase;
	f->confidence = info[id].confidence;
	f->verify = info[id].verify;
	f->risk = info[id].risk;
	f->version = info[id].version;
	f->targets = info[id].targets;
	f->ntargets = info[id].ntargets;
	f->actions = info[id].actions;
	f->benefit = (struct benefit){ g->low, g->estimate, g->high, info[id].of, g->basis, g->from_capture };
	f->priority = 20 * weight + MIN(40, 0.4 * score) + (isfinite(g->estimate) ? MIN(20, 0.4 * g->estimate) : 0);
	if (f->type != BN_NONE) {
		judge_stake(j, f, stakes[f->type]);
		finding_gate(f, j->scope, j->t, gate_value[f->type], gate_of[f->type], REL_AT_LEAST);
	}
	for (size_t i = 0; i < f->ntargets; i++)
		finding_indicator(f, j->scope, f->targets[i]);
	f->places[f->nplaces++] = (struct place){ .rank = j->unit->rank, .span = UINT32_MAX, .start = NO_TIME, .end = NO_TIME, .label = "" };
}

static struct finding *advice_known(struct analysis *a, const char *key)
{
	for (size_t i = 0; i < a->advice.n; i++)
		if (strcmp(a->advice.items[i].id, key) == 0)
			return &a->advice.items[i];
	return NULL;
}

/* Advice for one bottleneck in one scope; the same advice in a later scope replaces it when it weighs more there. */
static void advise(struct analysis *a, const struct judge *j, enum bottleneck type, double score)
{
	for (int i = 0; i < ADV_MAX; i++) {
		struct finding *known, fresh;
		struct gain g;

		if (info[i].type != type || (info[i].phase != PHASE_UNKNOWN && info[i].phase != j->phase))
			continue;
		if (!gains[i](j, &g))
			continue;
		known = advice_known(a, info[i].key);
		if (!known)
			known = finding_add(&a->advice, info[i].key, info[i].title);
		fresh = *known;
		fresh.nevidence = fresh.nplaces = 0;
		fill(j, &fresh, (enum advice_id)i, &g, score);
		if (!known->ntargets || fresh.priority > known->priority)
			*known = fresh;
	}
}

static int advice_compare(const void *x, const void *y)
{
	const struct finding *a = x, *b = y;

	if (a->priority > b->priority || a->priority < b->priority)
		return a->priority > b->priority ? -1 : 1;
	return strcmp(a->id, b->id);
}

/* The phase with most time in its steps. */
static enum phase main_phase(const struct unit *u)
{
	int64_t ns[PHASE_MAX] = { 0 };

	for (size_t i = 0; i < u->steps.n; i++)
		ns[u->steps.items[i].phase] += u->steps.items[i].end - u->steps.items[i].start;
	if (!ns[PHASE_PREFILL] && !ns[PHASE_DECODE])
		return PHASE_UNKNOWN;
	return ns[PHASE_PREFILL] > ns[PHASE_DECODE] ? PHASE_PREFILL : PHASE_DECODE;
}

void advice_run(struct analysis *a)
{
	const struct unit *u = analysis_headline(a);

	for (size_t i = 0; u && i < u->nscopes; i++) {
		struct judge j = { u, &u->scopes[i], &u->verdicts[i], &a->options.thresholds,
			u->scopes[i].phase != PHASE_UNKNOWN ? u->scopes[i].phase : main_phase(u) };

		for (int b = 0; b < BN_MAX; b++)
			if (u->verdicts[i].scores[b].located) {
				causes_of(a, &j, (enum bottleneck)b);
				advise(a, &j, (enum bottleneck)b, u->verdicts[i].scores[b].score);
			}
		if (i == 0)
			advise(a, &j, BN_NONE, 0);
	}
	if (a->advice.n)
		qsort(a->advice.items, a->advice.n, sizeof *a->advice.items, advice_compare);
}
