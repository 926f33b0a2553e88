/* SPDX-License-Identifier: Apache-2.0 */
#include "core/analysis/score.h"

#include <math.h>

static const struct {
	const char *key, *title;
} info[BN_MAX + 1] = {
	[BN_HOST] = { "host", "host dispatch" },
	[BN_COMPUTE] = { "compute", "NPU compute" },
	[BN_COMM] = { "communication", "communication" },
	[BN_COPY] = { "copy", "data copy" },
	[BN_NONE] = { "none", "balanced" },
};

const char *bottleneck_key(enum bottleneck b)
{
	return info[b].key;
}

const char *bottleneck_title(enum bottleneck b)
{
	return info[b].title;
}

static double clamp01(double v)
{
	return v < 0 ? 0 : v > 1 ? 1 : v;
}

static double severity_of(const struct gate *g)
{
	if (!g->passed)
		return 0;
	if (g->limit <= 0)
		return 1;
	if (g->relation == REL_AT_LEAST)
		return 0.5 + 0.5 * clamp01((g->value - g->limit) / g->limit);
	return 0.5 + 0.5 * clamp01((g->limit - g->value) / (g->limit / 2));
}

/* One score in the making. */
struct scorer {
	const struct scope *s;
	const struct thresholds *t;
	struct score *out;
	double points;
};

static struct gate *add_gate(struct scorer *k, enum indicator ind, enum threshold th, enum relation rel, bool required)
{
	struct gate *g = &k->out->gates[k->out->ngates++];

	*g = (struct gate){ .indicator = ind, .threshold = th, .relation = rel, .value = k->s->v[ind], .limit = k->t->v[th], .required = required };
	g->passed = isfinite(g->value) && (rel == REL_AT_LEAST ? g->value >= g->limit : g->value <= g->limit);
	g->severity = severity_of(g);
	return g;
}

/* Adds weight * the larger severity; the points stand with the gate that has it. */
static void add_max(struct scorer *k, double weight, struct gate *a, struct gate *b)
{
	struct gate *g = b && b->severity > a->severity ? b : a;

	g->points += weight * g->severity;
	k->points += weight * g->severity;
}

static void add_fixed(struct scorer *k, double points, struct gate *g)
{
	if (!g->passed)
		return;
	g->points += points;
	k->points += points;
}

static void finish(struct scorer *k, bool gate)
{
	double score = gate ? MIN(100, MAX(0, k->points)) : 0;

	k->out->score = floor(score * 10 + 0.5) / 10;
	k->out->located = k->out->score >= k->t->v[TH_TRIGGER];
}

/* The host sets the pace: the device waits while the host works. */
static void score_host(struct scorer *k)
{
	struct gate *only = add_gate(k, IND_HOST_ONLY_PCT, TH_HOST_ONLY, REL_AT_LEAST, true);
	struct gate *idle = add_gate(k, IND_IDLE_PCT, TH_DEVICE_IDLE, REL_AT_LEAST, true);
	struct gate *dispatch = add_gate(k, IND_DISPATCH, TH_DISPATCH, REL_AT_LEAST, false);
	struct gate *exclusive = add_gate(k, IND_HOST_EXCLUSIVE, TH_HOST_EXCLUSIVE, REL_AT_LEAST, false);
	struct gate *busy = add_gate(k, IND_HOST_BUSY_PCT, TH_HOST_BUSY, REL_AT_LEAST, false);

	k->out->evaluable = isfinite(only->value) && isfinite(idle->value);
	add_max(k, 45, only, idle);
	add_max(k, 35, dispatch, exclusive);
	add_max(k, 20, busy, NULL);
	finish(k, k->out->evaluable && (only->passed || idle->passed));
}

/* The kernels are the limit: the device is busy, and with kernels. */
static void score_compute(struct scorer *k)
{
	struct gate *busy = add_gate(k, IND_DEVICE_BUSY_PCT, TH_DEVICE_BUSY, REL_AT_LEAST, true);
	struct gate *share = add_gate(k, IND_COMPUTE_PCT, TH_COMPUTE_SHARE, REL_AT_LEAST, true);
	struct gate *exposed = add_gate(k, IND_EXPOSED_PCT, TH_COMM_EXPOSED_LOW, REL_AT_MOST, false);
	struct gate *mac = add_gate(k, IND_MAC, TH_MAC_BOUND, REL_AT_LEAST, false);
	struct gate *mte2 = add_gate(k, IND_MTE2, TH_MTE2_BOUND, REL_AT_LEAST, false);

	k->out->evaluable = isfinite(busy->value) && isfinite(share->value);
	add_max(k, 55, busy, share);
	add_fixed(k, 25, exposed);
	if (mac->passed)
		add_fixed(k, 20, mac);
	else
		add_fixed(k, 12, mte2);
	k->out->subtype = mac->passed ? "compute-bound" : mte2->passed ? "memory-bound"
		: isfinite(mac->value) && mac->value < k->t->v[TH_LOW_UTILISATION] ? "low-efficiency" : "";
	finish(k, busy->passed && share->passed);
}

/* Collectives are the limit: a large share of the device's time, and not covered by kernels. */
static void score_comm(struct scorer *k)
{
	struct gate *share = add_gate(k, IND_COMM_OF_DEVICE, TH_COMM_SHARE, REL_AT_LEAST, true);
	struct gate *exposed = add_gate(k, IND_EXPOSED_PCT, TH_COMM_EXPOSED, REL_AT_LEAST, true);
	struct gate *latency = add_gate(k, IND_COMM_MEDIAN, TH_COMM_LATENCY, REL_AT_MOST, false);
	struct gate *size = add_gate(k, IND_COMM_SIZE, TH_COMM_SIZE, REL_AT_LEAST, false);
	struct gate *transit = add_gate(k, IND_COMM_TRANSIT, TH_TRANSIT_SHARE, REL_AT_MOST, false);
	double overlap = k->s->v[IND_COMM_OVERLAP];

	k->out->evaluable = isfinite(exposed->value);
	add_max(k, 55, share, exposed);
	/* Twenty points for knowing what it is: waiting, latency or bandwidth. */
	if (transit->passed)
		add_fixed(k, 20, transit);
	else if (latency->passed)
		add_fixed(k, 20, latency);
	else
		add_fixed(k, 15, size);
	if (isfinite(overlap) && overlap < 40) {
		exposed->points += 15;
		k->points += 15;
	}
	k->out->subtype = transit->passed ? "wait" : latency->passed ? "latency" : size->passed ? "bandwidth" : "";
	finish(k, share->passed && exposed->passed);
}

/*
 * Copies are the limit. The device must copy for it: host operators called "copy" are mostly type conversions that move nothing between host
 * and device, so alone they prove nothing.
 */
static void score_copy(struct scorer *k)
{
	struct gate *share = add_gate(k, IND_COPY_PCT, TH_COPY_SHARE, REL_AT_LEAST, true);
	struct gate *d2h = add_gate(k, IND_D2H, TH_D2H_PER_STEP, REL_AT_LEAST, true);
	struct gate *host = add_gate(k, IND_HOST_COPY_OF_HOST, TH_HOST_COPY, REL_AT_LEAST, false);
	struct gate *h2d = add_gate(k, IND_H2D, TH_D2H_PER_STEP, REL_AT_LEAST, false);
	double sync = k->s->v[IND_SYNC], step = k->s->v[IND_AVG_STEP], wait = k->s->v[IND_D2H];
	bool weighs = share->passed || (d2h->passed && isfinite(step) && wait >= k->t->v[TH_STEP_SHARE_MIN] / 100 * step);

	k->out->evaluable = isfinite(share->value);
	add_max(k, 45, share, d2h);
	if (isfinite(sync) && sync > 0) {
		host->points += 12 * MIN(1, sync);
		k->points += 12 * MIN(1, sync);
	}
	add_max(k, 10, h2d, NULL);
	if (share->passed)
		add_max(k, 33, share, NULL);
	finish(k, weighs);
}

static void (*const scorers[BN_MAX])(struct scorer *) = {
	[BN_HOST] = score_host, [BN_COMPUTE] = score_compute, [BN_COMM] = score_comm, [BN_COPY] = score_copy,
};

/* The share of the window that a bottleneck costs: time in which no kernel runs. Compute costs nothing in that sense. */
static double lost_share(const struct scope *s, enum bottleneck b)
{
	double v = b == BN_HOST ? s->v[IND_IDLE_PCT] : b == BN_COMM ? s->v[IND_EXPOSED_PCT] : b == BN_COPY ? s->v[IND_COPY_PCT] : NAN;

	return isfinite(v) ? v : 0;
}

/*
 * True when a is the better headline. The higher score leads; but of two that keep kernels from running, the one that costs more time: scores
 * saturate, and 28 % of idle time must not outrank 65 % of exposed communication.
 */
static bool leads(const struct scope *s, const struct score *a, const struct score *b)
{
	if (a->type != BN_COMPUTE && b->type != BN_COMPUTE)
		return lost_share(s, a->type) > lost_share(s, b->type);
	return a->score > b->score;
}

void verdict_of(const struct scope *s, const struct thresholds *t, struct verdict *v)
{
	*v = (struct verdict){ .headline = BN_NONE };
	for (int b = 0; b < BN_MAX; b++) {
		struct scorer k = { .s = s, .t = t, .out = &v->scores[b] };

		v->scores[b] = (struct score){ .type = (enum bottleneck)b, .subtype = "" };
		if (s->window.n)
			scorers[b](&k);
		if (v->scores[b].located && (v->headline == BN_NONE || leads(s, &v->scores[b], &v->scores[v->headline])))
			v->headline = (enum bottleneck)b;
	}
	v->confidence = s->nsteps >= 3 ? CONF_HIGH : s->nsteps ? CONF_MEDIUM : CONF_LOW;
	for (int b = 0; b < BN_MAX; b++)
		if (!v->scores[b].evaluable)
			v->confidence = MIN(v->confidence, CONF_MEDIUM);
}
