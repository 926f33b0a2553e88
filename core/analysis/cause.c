/* SPDX-License-Identifier: Apache-2.0 */
/* Causes of located bottlenecks: a table of conditions over the indicators of a scope. */
#include "core/analysis/advice_private.h"

#include <math.h>

enum cause_id {
#define CAUSE(id, key, type, phase, title, mechanism, stake, checks) CAUSE_##id,
#include "core/analysis/cause.def"
#undef CAUSE
	CAUSE_MAX
};

#define CHECKS(...) ((const char *const[]){ __VA_ARGS__, NULL })
static const struct {
	const char *key;
	enum bottleneck type;
	enum phase phase;
	const char *title, *mechanism;
	enum indicator stake;
	const char *const *checks;
} causes[CAUSE_MAX] = {
#define CAUSE(id, key, type, phase, title, mechanism, stake, checks) [CAUSE_##id] = { key, type, phase, title, mechanism, stake, checks },
#include "core/analysis/cause.def"
#undef CAUSE
};

/* NaN is neither at least nor at most anything. */
static double v(const struct judge *j, enum indicator i)
{
	return j->scope->v[i];
}

static bool applies_EAGER(const struct judge *j)
{
	return v(j, IND_DISPATCH) >= 400 && v(j, IND_DEVICE_BUSY_PCT) < 95;
}

static bool applies_SAMPLER_SYNC(const struct judge *j)
{
	return v(j, IND_SYNC) >= j->t->v[TH_SYNC_PER_STEP] && v(j, IND_SYNC_IDLE) >= 0.01 * v(j, IND_WALL);
}

static bool applies_PREFILL_METADATA(const struct judge *j)
{
	return v(j, IND_HOST_ONLY_PCT) >= 15 && v(j, IND_DISPATCH) >= 300;
}

/* By share and by step, so that a longer capture of the same says the same. Gaps with another known cause are not launches. */
static bool applies_LAUNCH_GAPS(const struct judge *j)
{
	const struct gap_sum *by = j->unit->gaps.by_cause;
	int64_t launches = by[GAP_LAUNCH].total_ns + by[GAP_UNKNOWN].total_ns;

	if (!launches || launches * 2 < j->unit->gaps.all.total_ns)
		return false;
	return v(j, IND_GAPS) >= MAX(1, v(j, IND_STEPS)) && v(j, IND_MEAN_GAP) >= 80 && v(j, IND_IDLE_PCT) >= 5;
}

static bool applies_ATTENTION_QUADRATIC(const struct judge *j)
{
	const struct op_class_sum *sums = j->unit->ops.classes;
	size_t larger = 0;

	for (int c = 0; c < CLASS_MAX; c++)
		larger += sums[c].total_ns > sums[CLASS_ATTENTION].total_ns;
	return v(j, IND_COMPUTE_PCT) >= 55 && sums[CLASS_ATTENTION].total_ns > 0 && larger < 5;
}

static bool applies_MEMORY_BOUND(const struct judge *j)
{
	double mac = v(j, IND_MAC), mte2 = v(j, IND_MTE2);

	/* One of the two ratios may be unknown, not both. */
	return v(j, IND_DEVICE_BUSY_PCT) >= 70 && (isfinite(mac) || isfinite(mte2)) && !(mac >= 0.35) && !(mte2 < 0.25);
}

static bool applies_FRAGMENTED(const struct judge *j)
{
	return v(j, IND_DEVICE_BUSY_PCT) >= 70 && v(j, IND_COMPUTE_PCT) >= 40 && v(j, IND_COMPUTE_MEDIAN) < j->t->v[TH_SMALL_OP_US];
}

static bool waits(const struct judge *j)
{
	return v(j, IND_COMM_TRANSIT) < j->t->v[TH_TRANSIT_SHARE];
}

static bool applies_SMALL_MESSAGE(const struct judge *j)
{
	return v(j, IND_COMM_OF_DEVICE) >= 12 && v(j, IND_COMM_MEDIAN) <= 120 && !waits(j);
}

static bool applies_BANDWIDTH(const struct judge *j)
{
	return v(j, IND_COMM_OF_DEVICE) >= 12 && v(j, IND_COMM_SIZE) >= 1 && !waits(j);
}

static bool applies_NO_OVERLAP(const struct judge *j)
{
	return v(j, IND_COMM_OF_DEVICE) >= 8 && v(j, IND_COMM_OVERLAP) < 40 && !waits(j);
}

static bool applies_D2H_SYNC(const struct judge *j)
{
	return v(j, IND_D2H) >= 150;
}

static bool applies_H2D_STEADY(const struct judge *j)
{
	return v(j, IND_H2D) >= 200;
}

static bool (*const conditions[CAUSE_MAX])(const struct judge *) = {
#define CAUSE(id, key, type, phase, title, mechanism, stake, checks) [CAUSE_##id] = applies_##id,
#include "core/analysis/cause.def"
#undef CAUSE
};

/* The indicators that tell a bottleneck, shown with every cause of it. */
static const enum indicator triggers[BN_MAX][6] = {
	[BN_HOST] = { IND_HOST_ONLY_PCT, IND_IDLE_PCT, IND_DISPATCH, IND_HOST_EXCLUSIVE, IND_SYNC, IND_MEAN_GAP },
	[BN_COMPUTE] = { IND_DEVICE_BUSY_PCT, IND_COMPUTE_PCT, IND_MAC, IND_MTE2, IND_EXPOSED_PCT, IND_COMPUTE_MEDIAN },
	[BN_COMM] = { IND_COMM_OF_DEVICE, IND_EXPOSED_PCT, IND_COMM_OVERLAP, IND_COMM_MEDIAN, IND_COMM_TRANSIT, IND_COMM_SIZE },
	[BN_COPY] = { IND_COPY_PCT, IND_D2H, IND_H2D, IND_HOST_COPY_OF_HOST, IND_SYNC, IND_AVG_STEP },
};

void judge_stake(const struct judge *j, struct finding *f, enum indicator i)
{
	bool per_step = strcmp(indicator_unit(i), "us/step") == 0;
	double steps = j->scope->nsteps ? (double)j->scope->nsteps : 1, us = per_step ? v(j, i) : v(j, i) / steps;
	double step = isfinite(v(j, IND_AVG_STEP)) ? v(j, IND_AVG_STEP) : v(j, IND_WALL);

	f->stake_us = us;
	f->total_us = us * steps;
	f->stake_pct = step > 0 ? 100 * us / step : NAN;
}

enum severity severity_of_stake(double pct)
{
	return !isfinite(pct) ? SEV_LOW : pct >= 5 ? SEV_HIGH : pct >= 3 ? SEV_MEDIUM : SEV_LOW;
}

static bool finding_is_known(const struct findings *l, const char *id)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->items[i].id, id) == 0)
			return true;
	return false;
}

void causes_of(struct analysis *a, const struct judge *j, enum bottleneck type)
{
	for (int i = 0; i < CAUSE_MAX; i++) {
		struct finding *f;

		if (causes[i].type != type || (causes[i].phase != PHASE_UNKNOWN && causes[i].phase != j->phase))
			continue;
		if (!conditions[i](j) || finding_is_known(&a->findings, causes[i].key))
			continue;
		f = finding_add(&a->findings, causes[i].key, causes[i].title);
		f->type = type;
		f->phase = causes[i].phase;
		f->text = causes[i].mechanism;
		f->actions = causes[i].checks;
		f->confidence = j->verdict->confidence;
		judge_stake(j, f, causes[i].stake);
		f->severity = severity_of_stake(f->stake_pct);
		for (size_t k = 0; k < ARRAY_LEN(triggers[type]); k++)
			finding_indicator(f, j->scope, triggers[type][k]);
		f->places[f->nplaces++] = (struct place){ .rank = j->unit->rank, .span = UINT32_MAX, .start = NO_TIME, .end = NO_TIME, .label = "" };
	}
}
