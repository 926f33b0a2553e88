/* SPDX-License-Identifier: Apache-2.0 */
/* How rules see the world: one unit at a time, and two ways to answer. */
#ifndef ASCOPE_CORE_ANALYSIS_RULES_H
#define ASCOPE_CORE_ANALYSIS_RULES_H

#include "core/analysis/advice_private.h"

enum rule_id {
#define RULE(id, key, title, type, verify, targets, actions) RULE_##id,
#include "core/analysis/rule.def"
#undef RULE
	RULE_MAX
};

struct rule_call {
	struct analysis *a;
	const struct unit *u;
	const struct scope *s;		/* overall */
	enum rule_id id;
	double steps;			/* at least 1: what rates are per */
	double step_us;			/* mean step, or the window without steps */
};

#define RULE(id, key, title, type, verify, targets, actions) void rule_##id(struct rule_call *r);
#include "core/analysis/rule.def"
#undef RULE

/* A finding of this rule on this unit with its time at stake (us per step); text is made in the findings' arena. NULL when below minStepSharePct. */
struct finding *rule_finds(struct rule_call *r, double stake_us);
/* The same whatever the stake is. */
struct finding *rule_notes(struct rule_call *r, double stake_us);
/* This rule cannot be evaluated: what is missing, and the option to re-collect with. Said once, whatever the number of ranks. */
void rule_lacks(struct rule_call *r, const char *missing, const char *recollect);
const char *rule_text(struct rule_call *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Adds a place of a span or a range; ignored when the finding has PLACES_MAX already. */
void rule_place(struct rule_call *r, struct finding *f, int64_t start, int64_t end, const char *label);

#endif
