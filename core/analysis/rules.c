/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every rule over every unit. The rules themselves are in rules_*.c, their texts in rule.def. */
#include "core/analysis/rules.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define TARGETS(...) .targets = (const enum indicator[]){ __VA_ARGS__ }, .ntargets = sizeof((enum indicator[]){ __VA_ARGS__ }) / sizeof(enum indicator)
#define ACTIONS(...) .actions = (const char *const[]){ __VA_ARGS__, NULL }
static const struct {
	const char *key, *title;
	enum bottleneck type;
	const char *verify;
	const enum indicator *targets;
	size_t ntargets;
	const char *const *actions;
} info[RULE_MAX] = {
#define RULE(id, key, title, type, verify, ...) [RULE_##id] = { key, title, type, verify, __VA_ARGS__ },
#include "core/analysis/rule.def"
#undef RULE
};

static void (*const rules[RULE_MAX])(struct rule_call *) = {
#define RULE(id, key, title, type, verify, targets, actions) [RULE_##id] = rule_##id,
#include "core/analysis/rule.def"
#undef RULE
};

struct finding *rule_notes(struct rule_call *r, double stake_us)
{
	struct finding *f = finding_add(&r->a->findings, info[r->id].key, info[r->id].title);

	f->type = info[r->id].type;
	f->verify = info[r->id].verify;
	f->targets = info[r->id].targets;
	f->ntargets = info[r->id].ntargets;
	f->actions = info[r->id].actions;
	f->stake_us = stake_us;
	f->total_us = stake_us * r->steps;
	f->stake_pct = r->step_us > 0 ? 100 * stake_us / r->step_us : NAN;
	f->severity = severity_of_stake(f->stake_pct);
	f->confidence = r->s->nsteps ? CONF_HIGH : CONF_MEDIUM;
	f->ranks = 1;
	rule_place(r, f, NO_TIME, NO_TIME, "");
	return f;
}

struct finding *rule_finds(struct rule_call *r, double stake_us)
{
	if (!(stake_us > 0) || !(100 * stake_us / r->step_us >= r->a->options.thresholds.v[TH_STEP_SHARE_MIN]))
		return NULL;
	return rule_notes(r, stake_us);
}

void rule_lacks(struct rule_call *r, const char *missing, const char *recollect)
{
	struct finding *f;

	for (size_t i = 0; i < r->a->silent.n; i++)
		if (strcmp(r->a->silent.items[i].id, info[r->id].key) == 0)
			return;
	f = finding_add(&r->a->silent, info[r->id].key, info[r->id].title);
	f->missing = missing;
	f->recollect = recollect;
}

const char *rule_text(struct rule_call *r, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return arena_copy(&r->a->findings.arena, text, strlen(text));
}

void rule_place(struct rule_call *r, struct finding *f, int64_t start, int64_t end, const char *label)
{
	/* The first place stands for the rank alone until a time is known. */
	if (f->nplaces == 1 && f->places[0].start == NO_TIME && start != NO_TIME)
		f->nplaces = 0;
	if (f->nplaces < PLACES_MAX)
		f->places[f->nplaces++] = (struct place){ .rank = r->u->rank, .span = UINT32_MAX, .start = start, .end = end, .label = label };
}

/* One finding a rule: the rank with most at stake speaks, and says that it is not alone. */
static void merge_ranks(struct analysis *a)
{
	struct findings *l = &a->findings;
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		size_t k = 0;

		while (k < kept && strcmp(l->items[k].title, l->items[i].title) != 0)
			k++;
		if (k == kept) {
			l->items[kept++] = l->items[i];
			continue;
		}
		if (l->items[i].stake_us > l->items[k].stake_us) {
			l->items[i].ranks += l->items[k].ranks;
			l->items[k] = l->items[i];
		} else {
			l->items[k].ranks += l->items[i].ranks;
		}
	}
	l->n = kept;
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].ranks > 1)
			l->items[i].text = arena_printf(&l->arena, "%s (rank %d, the most of %zu ranks that have it)", l->items[i].text,
				a->c->ranks[l->items[i].places[0].rank].id, l->items[i].ranks);
}

void rules_run(struct analysis *a)
{
	bool any = false;		/* with no time at all to judge, rules still say what they lack */

	for (size_t i = 0; i < a->nunits; i++)
		any |= a->units[i].scopes[0].window.n > 0;
	for (size_t i = 0; i < a->nunits; i++) {
		const struct unit *u = &a->units[i];
		struct rule_call r = { .a = a, .u = u, .s = &u->scopes[0] };

		if (any && !u->scopes[0].window.n)
			continue;
		r.steps = u->scopes[0].nsteps ? (double)u->scopes[0].nsteps : 1;
		r.step_us = u->scopes[0].v[IND_WALL] / r.steps;
		for (int id = 0; id < RULE_MAX; id++) {
			r.id = (enum rule_id)id;
			rules[id](&r);
		}
	}
	merge_ranks(a);
}
