/* SPDX-License-Identifier: Apache-2.0 */
/* The thresholds by id, with defaults from threshold.def; a configuration may override them by key, and reports echo what was used. */
#ifndef ASCOPE_CORE_ANALYSIS_THRESHOLD_H
#define ASCOPE_CORE_ANALYSIS_THRESHOLD_H

#include "core/base/base.h"

enum threshold {
#define THRESHOLD(id, key, value, unit, reason) TH_##id,
#include "core/analysis/threshold.def"
#undef THRESHOLD
	TH_MAX
};

struct thresholds {
	double v[TH_MAX];
	bool changed[TH_MAX];		/* not the default */
};

void        thresholds_init(struct thresholds *t);				/* the defaults */
void        thresholds_choose(struct thresholds *t, const struct thresholds *given);	/* a copy of what is given, NULL: the defaults */
bool        threshold_set(struct thresholds *t, const char *key, double value);	/* false: no such key */
const char *threshold_key(enum threshold id);
const char *threshold_unit(enum threshold id);
const char *threshold_reason(enum threshold id);
double      threshold_default(enum threshold id);

#endif
