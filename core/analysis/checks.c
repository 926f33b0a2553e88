/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our figures beside the exporter's: the split of each step (step table) and the time by operator type (op_statistic). A deviation is shown,
 * never hidden or adjusted away.
 */
#include "core/analysis/analysis_private.h"

#include "core/base/mem.h"

#include <math.h>

struct checker {
	struct analysis *a;
	const struct unit *u;
};

static void add_check(struct checker *k, const char *step, const char *metric, double ours_us, double exporter_us, enum artifact from)
{
	struct cross_check c = { .rank = k->u->rank, .step = step, .metric = metric, .ours_us = ours_us, .exporter_us = exporter_us,
		.artifact = artifact_key(from) };

	c.deviation_pct = fabs(exporter_us) > 0 ? 100 * (ours_us - exporter_us) / exporter_us : fabs(ours_us) > 0 ? INFINITY : 0;
	ARRAY_PUSH(k->a, checks, nchecks, cap_checks) = c;
}

/* Digits at the end of a label: "ProfilerStep#50" and "50" are the same step. */
static bool same_step(struct str label, struct str row)
{
	while (label.n && !(label.p[0] >= '0' && label.p[0] <= '9'))
		label.p++, label.n--;
	while (row.n && !(row.p[0] >= '0' && row.p[0] <= '9'))
		row.p++, row.n--;
	return label.n && str_is(label, row);
}

/* The step a row of the step table is about: by number, else by place when there are as many, UINT32_MAX none. */
static size_t step_of_row(const struct checker *k, const struct table *t, size_t row)
{
	const struct column *label = table_col(t, COL_STEP);
	const struct names *names = &k->a->c->names;
	const struct steps *s = &k->u->steps;
	struct str text = label ? names_str(names, label->text[row]) : STR("");

	for (size_t i = 0; text.n && i < s->n; i++)
		if (same_step(names_str(names, s->items[i].label), text))
			return i;
	return s->n == t->nrows ? row : SIZE_MAX;
}

static double in_window(const struct intervals *set, int64_t from, int64_t to)
{
	return (double)intervals_within(set, from, to) / 1e3;
}

static void check_step(struct checker *k, const struct table *t, size_t row)
{
	static const struct {
		enum col column;
		const char *name;
	} metrics[] = { { COL_COMPUTING, "Computing" }, { COL_COMMUNICATION, "Communication" },
		{ COL_COMM_EXPOSED, "Communication(Not Overlapped)" }, { COL_FREE, "Free" } };
	size_t at = step_of_row(k, t, row);
	const struct step *s = at < k->u->steps.n ? &k->u->steps.items[at] : NULL;
	const struct work_sets *w = &k->u->work->sets;
	double ours[4], unit = k->a->c->ranks[k->u->rank].step_unit_ns / 1e3;
	const char *label;

	if (!s || s->first == NO_TIME)
		return;
	ours[0] = in_window(&w->compute, s->first, s->last);
	ours[1] = in_window(&w->comm, s->first, s->last);
	ours[2] = in_window(&w->exposed, s->first, s->last);
	ours[3] = (double)(s->last - s->first) / 1e3 - ours[0] - ours[2];
	label = names_text(&k->a->c->names, s->label);
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
		const struct column *c = table_col(t, metrics[i].column);

		if (c && isfinite(c->real[row]))
			add_check(k, label, metrics[i].name, ours[i], c->real[row] * unit, t->kind);
	}
}

/* The exporter's total of a type: it has a row for each core the type ran on. The first of these rows stands for all. */
static bool type_total(const struct table *t, size_t row, double *total_us)
{
	const struct column *type = table_col(t, COL_TYPE), *total = table_col(t, COL_TOTAL_TIME);

	*total_us = 0;
	for (size_t i = 0; i < t->nrows; i++) {
		if (type->text[i] != type->text[row] || total->num[i] == NO_TIME)
			continue;
		if (i < row)
			return false;
		*total_us += (double)total->num[i] / 1e3;
	}
	return true;
}

/* Operator types of op_statistic that our table has too. */
static void check_types(struct checker *k, const struct table *t)
{
	const struct column *type = table_col(t, COL_TYPE);
	double total;

	for (size_t row = 0; type && table_col(t, COL_TOTAL_TIME) && row < t->nrows; row++)
		for (size_t i = 0; i < k->u->ops.ndevice; i++) {
			const struct op_row *o = &k->u->ops.rows[i];

			if (o->name != type->text[row] || !type_total(t, row, &total))
				continue;
			add_check(k, "", names_text(&k->a->c->names, o->name), (double)o->total_ns / 1e3, total, t->kind);
			break;
		}
}

void checks_run(struct analysis *a)
{
	for (size_t i = 0; i < a->nunits; i++) {
		struct checker k = { a, &a->units[i] };
		const struct rank *r = &a->c->ranks[a->units[i].rank];
		const struct table *steps = r->tables[ART_STEP_TRACE_TIME], *types = r->tables[ART_OP_STATISTIC];

		for (size_t row = 0; steps && row < steps->nrows; row++)
			check_step(&k, steps, row);
		if (types)
			check_types(&k, types);
	}
}
