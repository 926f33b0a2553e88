/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indicators: the figures that verdicts are made of, for a scope (the whole, or one phase). A scope's time is a set of intervals, so a phase
 * is the union of its steps and never contains the gaps of the other phase. A figure that the capture cannot give is a NaN.
 */
#ifndef ASCOPE_CORE_ANALYSIS_INDICATOR_H
#define ASCOPE_CORE_ANALYSIS_INDICATOR_H

#include "core/analysis/collectives.h"
#include "core/analysis/gaps.h"
#include "core/analysis/ops.h"
#include "core/analysis/threshold.h"

enum direction { DIR_NONE, DIR_UP, DIR_DOWN };

enum indicator {
#define INDICATOR(id, key, unit, better, formula, source) IND_##id,
#include "core/analysis/indicator.def"
#undef INDICATOR
	IND_MAX
};

struct scope {
	enum phase phase;		/* PHASE_UNKNOWN: the overall scope */
	struct intervals window;	/* normalised, indexed */
	size_t nsteps;			/* whole steps; 0 when none were found */
	double v[IND_MAX];
};

/* Everything known about one rank and device before a verdict. Members are const: made by the modules they belong to. */
struct facts {
	const struct work_model *work;
	const struct steps *steps;
	const struct gaps *gaps;
	const struct op_table *ops;
	const struct collectives *colls;
	const struct thresholds *thresholds;
};

/* Fills s for the overall scope (PHASE_UNKNOWN) or a phase; an empty window when the phase has no step. Freed with scope_done(). */
void scope_measure(const struct facts *f, enum phase phase, struct scope *s);
void scope_done(struct scope *s);

const char    *indicator_key(enum indicator i);
const char    *indicator_unit(enum indicator i);
const char    *indicator_formula(enum indicator i);
const char    *indicator_source(enum indicator i);
enum direction indicator_direction(enum indicator i);
bool           indicator_find(const char *key, enum indicator *out);

#endif
