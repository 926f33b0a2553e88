/* SPDX-License-Identifier: Apache-2.0 */
/* What causes and advice share: one scope of one unit under judgement. */
#ifndef ASCOPE_CORE_ANALYSIS_ADVICE_PRIVATE_H
#define ASCOPE_CORE_ANALYSIS_ADVICE_PRIVATE_H

#include "core/analysis/analysis_private.h"

struct judge {
	const struct unit *unit;
	const struct scope *scope;
	const struct verdict *verdict;
	const struct thresholds *t;
	enum phase phase;		/* of the scope; for the overall scope the phase with most time, PHASE_UNKNOWN none */
};

/* cause.c */
void          causes_of(struct analysis *a, const struct judge *j, enum bottleneck type);
void          judge_stake(const struct judge *j, struct finding *f, enum indicator i);	/* us a step and % of the step */
enum severity severity_of_stake(double pct);

#endif
