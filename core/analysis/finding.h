/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the analysis has to say, in one shape: a finding of a rule, or a piece of advice. Each carries its evidence (value against gate, with
 * formula and source), the time at stake, where to look, what to do, and how to see that it helped; or it says what is missing to tell.
 */
#ifndef ASCOPE_CORE_ANALYSIS_FINDING_H
#define ASCOPE_CORE_ANALYSIS_FINDING_H

#include "core/analysis/score.h"

enum severity { SEV_INFO, SEV_LOW, SEV_MEDIUM, SEV_HIGH };

struct evidence {
	const char *metric;		/* an indicator's key, or a figure's name in words */
	double value, gate;		/* NaN: none */
	const char *unit;
	enum relation relation;
	bool has_gate, passed;
	const char *formula, *source;	/* how it is computed; artifact and column */
};

/* A place on the timeline. */
struct place {
	int rank;			/* index into capture.ranks, -1 none */
	uint32_t span;			/* of the unit's work model, UINT32_MAX none */
	int64_t start, end;		/* NO_TIME none */
	const char *label;		/* operator, lane or gap in words; "" none */
};

enum { EVIDENCE_MAX = 10, PLACES_MAX = 3 };

struct benefit {
	double low_pct, estimate_pct, high_pct;		/* of `of`; NaN when it cannot be estimated */
	const char *of;			/* "step time", "compute time", ... */
	const char *basis;		/* how the figure comes about; "" none */
	bool from_capture;		/* computed from this capture; else experience */
};

struct finding {
	const char *id, *title;		/* stable key; title for people */
	enum severity severity;
	double stake_us;		/* time at stake, us per step (per window without steps); NaN unknown */
	double stake_pct;		/* of the step */
	double total_us;		/* stake over all steps of its scope: what orders findings of long and short phases; NaN unknown */
	const char *text;		/* what was found, with figures, one or two sentences */
	struct evidence evidence[EVIDENCE_MAX];
	size_t nevidence;
	size_t ranks;			/* how many ranks have it; the one with most at stake is shown */
	struct place places[PLACES_MAX];
	size_t nplaces;
	const char *const *actions;	/* NULL-terminated: what to do */
	const char *verify, *risk, *version;	/* "" none */
	const enum indicator *targets;	/* metrics that tell whether it helped, the first is the main one */
	size_t ntargets;
	enum bottleneck type;		/* BN_NONE: of no single one */
	enum phase phase;		/* PHASE_UNKNOWN: any */
	enum confidence confidence;
	struct benefit benefit;
	double priority;		/* advice: order; findings are ordered by stake */
	const char *missing, *recollect;	/* not evaluable: what is absent, and the option that collects it; NULL when evaluable */
};

struct findings {
	struct finding *items;
	size_t n, cap;
	struct arena arena;		/* owns the texts made for this capture */
};

/* A new finding to fill; valid until the next call. Numbers start as NaN, texts as "". */
struct finding *finding_add(struct findings *l, const char *id, const char *title);
void            finding_indicator(struct finding *f, const struct scope *s, enum indicator i);	/* evidence without a gate */
void            finding_gate(struct finding *f, const struct scope *s, const struct thresholds *t, enum indicator i, enum threshold th, enum relation rel);
void            finding_figure(struct finding *f, const char *metric, double value, const char *unit, const char *formula, const char *source);
void            findings_sort(struct findings *l);		/* by stake, then severity, then id; what only informs after that, not evaluable ones last */
void            findings_done(struct findings *l);
const char     *severity_key(enum severity s);		/* "info", "low", "medium", "high" */

#endif
