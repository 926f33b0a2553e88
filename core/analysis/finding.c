/* SPDX-License-Identifier: Apache-2.0 */
#include "core/analysis/finding.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

struct finding *finding_add(struct findings *l, const char *id, const char *title)
{
	struct finding *f = &ARRAY_PUSH(l, items, n, cap);
	static const char *const no_actions[] = { NULL };

	*f = (struct finding){ .id = id, .title = title, .stake_us = NAN, .stake_pct = NAN, .total_us = NAN, .text = "", .actions = no_actions, .verify = "",
		.risk = "", .version = "", .type = BN_NONE, .confidence = CONF_MEDIUM };
	f->benefit = (struct benefit){ NAN, NAN, NAN, "", "", false };
	return f;
}

/* More than EVIDENCE_MAX are left out: the first ones tell most. */
static void add_evidence(struct finding *f, const struct evidence *e)
{
	if (f->nevidence < EVIDENCE_MAX)
		f->evidence[f->nevidence++] = *e;
}

void finding_indicator(struct finding *f, const struct scope *s, enum indicator i)
{
	finding_figure(f, indicator_key(i), s->v[i], indicator_unit(i), indicator_formula(i), indicator_source(i));
}

void finding_gate(struct finding *f, const struct scope *s, const struct thresholds *t, enum indicator i, enum threshold th, enum relation rel)
{
	double value = s->v[i], limit = t->v[th];
	struct evidence e = { .metric = indicator_key(i), .value = value, .gate = limit, .unit = indicator_unit(i), .relation = rel, .has_gate = true,
		.formula = indicator_formula(i), .source = indicator_source(i) };

	e.passed = isfinite(value) && (rel == REL_AT_LEAST ? value >= limit : value <= limit);
	add_evidence(f, &e);
}

void finding_figure(struct finding *f, const char *metric, double value, const char *unit, const char *formula, const char *source)
{
	add_evidence(f, &(struct evidence){ .metric = metric, .value = value, .gate = NAN, .unit = unit, .formula = formula, .source = source });
}

static double rank_value(double v)
{
	return isfinite(v) ? v : -1;
}

static int finding_compare(const void *x, const void *y)
{
	const struct finding *a = x, *b = y;

	if (!a->missing != !b->missing)
		return a->missing ? 1 : -1;
	/* What only informs is no fault, whatever time it is about: after the rest. */
	if ((a->severity == SEV_INFO) != (b->severity == SEV_INFO))
		return a->severity == SEV_INFO ? 1 : -1;
	if (rank_value(a->total_us) > rank_value(b->total_us) || rank_value(a->total_us) < rank_value(b->total_us))
		return rank_value(a->total_us) > rank_value(b->total_us) ? -1 : 1;
	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	return strcmp(a->id, b->id);
}

void findings_sort(struct findings *l)
{
	if (l->n)
		qsort(l->items, l->n, sizeof *l->items, finding_compare);
}

void findings_done(struct findings *l)
{
	free(l->items);
	arena_done(&l->arena);
	*l = (struct findings){ 0 };
}

const char *severity_key(enum severity s)
{
	static const char *const keys[] = { "info", "low", "medium", "high" };

	return keys[s];
}
