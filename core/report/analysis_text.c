/* SPDX-License-Identifier: Apache-2.0 */
#include "core/report/analysis_report.h"

#include "core/base/wrap.h"

#include <math.h>

enum { OPS_SHOWN = 14, FINDINGS_SHOWN = 12, GAUGE = 40, NAME_WIDTH = 30 };

static void heading(struct buf *out, const char *text)
{
	buf_printf(out, "\n%s\n", text);
}

static void wrap(struct buf *out, const char *text, size_t indent)
{
	wrap_text(out, str_of(text), indent, 0, TEXT_COLUMNS);
}

static void wrap_line(struct buf *out, struct buf *line, size_t indent)
{
	wrap_text(out, (struct str){ line->p ? line->p : "", line->n }, indent, 0, TEXT_COLUMNS);
	buf_done(line);
}

/* Pads with blanks from the line's beginning `from` to column `to`. */
static void pad(struct buf *out, size_t from, size_t to)
{
	while (out->n - from < to)
		buf_char(out, ' ');
}

/* ---- scores ------------------------------------------------------------------------------------------------------------------------------- */

/* The gate that decides: the required one furthest from failing, or nearest to passing. */
static const struct gate *key_gate(const struct score *s)
{
	const struct gate *best = NULL;

	for (size_t i = 0; i < s->ngates; i++) {
		const struct gate *g = &s->gates[i];

		if (g->required && isfinite(g->value) && (!best || g->severity > best->severity))
			best = g;
	}
	return best;
}

static void write_score(struct buf *out, const struct score *s, double trigger)
{
	const struct gate *g = key_gate(s);
	size_t from = out->n;

	buf_printf(out, "  %s", bottleneck_title(s->type));
	pad(out, from, 17);
	if (!s->evaluable) {
		buf_str(out, "    -  not evaluable\n");
		return;
	}
	buf_printf(out, "%5.1f ", s->score);
	for (int i = 0; i < GAUGE; i++)
		buf_char(out, i < (int)(s->score / 100 * GAUGE + 0.5) ? '#' : i == (int)(trigger / 100 * GAUGE) ? '|' : '.');
	buf_char(out, '\n');
	if (!g)
		return;
	buf_printf(out, "  %17s%s ", "", indicator_key(g->indicator));
	report_value(out, g->value, indicator_unit(g->indicator));
	buf_str(out, ", ");
	report_distance(out, g);
	buf_str(out, s->subtype[0] && s->located ? "; " : "");
	buf_str(out, s->located ? s->subtype : "");
	buf_char(out, '\n');
}

static void write_scores(struct buf *out, const struct analysis *a, const struct unit *u)
{
	for (size_t i = 0; i < u->nscopes; i++) {
		const struct verdict *v = &u->verdicts[i];
		struct buf line = { 0 };

		buf_printf(&line, "Scores, %s: %s", scope_key(&u->scopes[i]), bottleneck_title(v->headline));
		if (u->scopes[i].nsteps)
			buf_printf(&line, ", %zu step%s", u->scopes[i].nsteps, u->scopes[i].nsteps == 1 ? "" : "s");
		buf_printf(&line, ", confidence %s", confidence_key(v->confidence));
		buf_char(out, '\n');
		wrap_line(out, &line, 0);
		for (int b = 0; b < BN_MAX; b++)
			write_score(out, &v->scores[b], a->options.thresholds.v[TH_TRIGGER]);
	}
}

static void write_figure(struct buf *out, const struct scope *s, enum indicator i, size_t line, size_t column)
{
	buf_str(out, indicator_key(i));
	pad(out, line, column);
	report_value(out, s->v[i], indicator_unit(i));
}

static void write_figures(struct buf *out, const struct scope *s)
{
	static const enum indicator shown[] = {
		IND_WALL, IND_AVG_STEP, IND_DEVICE_BUSY_PCT, IND_HOST_BUSY_PCT, IND_IDLE_PCT, IND_HOST_ONLY_PCT,
		IND_COMPUTE_PCT, IND_EXPOSED_PCT, IND_COPY_PCT, IND_DISPATCH, IND_HOST_EXCLUSIVE, IND_SYNC,
		IND_COMM_STEP_US, IND_COMM_TRANSIT, IND_D2H, IND_H2D, IND_MAC, IND_MTE2,
	};

	heading(out, "Key figures");
	for (size_t i = 0; i + 1 < ARRAY_LEN(shown); i += 2) {
		size_t from = out->n;

		buf_str(out, "  ");
		write_figure(out, s, shown[i], from, 26);
		pad(out, from, 40);
		write_figure(out, s, shown[i + 1], from, 65);
		buf_char(out, '\n');
	}
}

/* ---- steps, ranks, gaps --------------------------------------------------------------------------------------------------------------------- */

static void write_steps(struct buf *out, const struct unit *u)
{
	heading(out, "Steps");
	wrap(out, u->steps.reason, 2);
	if (u->steps.phase_reason[0])
		wrap(out, u->steps.phase_reason, 2);
}

/* What one row of the rank table holds: per step, as measured, or as the exporter's step table says where there is nothing to measure. */
struct rank_cells {
	double step, compute, comm;	/* us */
	double exposed, busy;		/* % */
	const char *verdict;
};

/* Mean of a column of the step table in us, NaN when it is not there. */
static double table_mean(const struct rank *r, enum col id)
{
	const struct table *t = r->tables[ART_STEP_TRACE_TIME];
	const struct column *c = t ? table_col(t, id) : NULL;
	double sum = 0;

	for (size_t i = 0; c && i < t->nrows; i++)
		sum += c->real[i];
	return c && t->nrows ? sum * r->step_unit_ns / 1e3 / (double)t->nrows : (double)NAN;
}

static struct rank_cells measured_cells(const struct unit *u)
{
	const struct scope *s = &u->scopes[0];
	double steps = s->nsteps ? (double)s->nsteps : 1;

	return (struct rank_cells){ s->v[IND_AVG_STEP], s->v[IND_COMPUTE] / steps, s->v[IND_COMM] / steps, s->v[IND_EXPOSED_PCT],
		s->v[IND_DEVICE_BUSY_PCT], bottleneck_title(u->verdicts[0].headline) };
}

static struct rank_cells table_cells(const struct rank *r)
{
	double compute = table_mean(r, COL_COMPUTING), exposed = table_mean(r, COL_COMM_EXPOSED);
	double step = compute + exposed + table_mean(r, COL_FREE);

	return (struct rank_cells){ step, compute, table_mean(r, COL_COMMUNICATION), 100 * exposed / step, 100 * (compute + exposed) / step,
		isfinite(step) ? "step table" : "no timeline" };
}

static void write_rank_name(struct buf *out, const struct rank *r)
{
	struct str folder = str_of(r->folder);

	if (r->id >= 0)
		buf_printf(out, "  %d", r->id);
	else if (folder.n)
		buf_str(out, "  "), wrap_fit(out, folder, 11);
	else
		buf_str(out, "  -");
}

static void write_rank(struct buf *out, const struct analysis *a, const struct unit *u)
{
	static const size_t stops[] = { 14, 25, 36, 47, 57, 66 };
	const struct rank *r = &a->c->ranks[u->rank];
	struct rank_cells c = u->scopes[0].window.n ? measured_cells(u) : table_cells(r);
	const struct {
		double value;
		const char *unit;
	} cells[] = { { c.step, "us" }, { c.compute, "us" }, { c.comm, "us" }, { c.exposed, "%" }, { c.busy, "%" } };
	size_t from = out->n;

	write_rank_name(out, r);
	if (u->work->device >= 0)
		buf_printf(out, " NPU %d", u->work->device);
	for (size_t k = 0; k < ARRAY_LEN(cells); k++) {
		pad(out, from, stops[k]);
		report_value(out, cells[k].value, cells[k].unit);
	}
	pad(out, from, stops[5]);
	buf_printf(out, "%s\n", c.verdict);
}

static void write_ranks(struct buf *out, const struct analysis *a)
{
	if (a->nunits < 2)
		return;
	heading(out, "Ranks              step     compute     comm.  exposed   device   verdict");
	for (size_t i = 0; i < a->nunits; i++)
		write_rank(out, a, &a->units[i]);
	if (a->late.reason && a->late.reason[0])
		wrap(out, a->late.reason, 2);
}

static void write_gaps(struct buf *out, const struct unit *u)
{
	if (!u->gaps.all.count)
		return;
	heading(out, "Device gaps by cause");
	for (int c = 0; c < GAP_MAX; c++) {
		const struct gap_sum *s = &u->gaps.by_cause[c];
		size_t from = out->n;

		if (!s->count)
			continue;
		buf_printf(out, "  %s", gap_title((enum gap_cause)c));
		pad(out, from, 26);
		wrap_time(out, s->total_ns);
		pad(out, from, 38);
		buf_printf(out, "in %zu, longest ", s->count);
		wrap_time(out, s->longest_ns);
		buf_char(out, '\n');
	}
}

static void write_comm(struct buf *out, const struct unit *u)
{
	if (!u->colls.n)
		return;
	heading(out, "Communication");
	wrap(out, u->colls.reason, 2);
}

/* ---- operators ------------------------------------------------------------------------------------------------------------------------------ */

static void write_operators(struct buf *out, const struct analysis *a, const struct unit *u)
{
	const struct op_table *t = &u->ops;
	size_t shown = 0;

	if (!t->ndevice)
		return;
	heading(out, "Operators on the device        class         count      total  share   bound");
	for (size_t i = 0; i < t->ndevice && shown < OPS_SHOWN; i++, shown++) {
		const struct op_row *o = &t->rows[i];
		size_t from = out->n;

		buf_str(out, "  ");
		report_name(out, names_str(&a->c->names, o->name), NAME_WIDTH - 2);
		pad(out, from, 31);
		buf_printf(out, "%-12.12s %6zu ", class_key(o->class.class), o->count);
		pad(out, from, 52);
		wrap_time(out, o->total_ns);
		pad(out, from, 63);
		buf_printf(out, "%5.1f %%", t->device_ns ? 100.0 * (double)o->total_ns / (double)t->device_ns : 0);
		buf_printf(out, " %s\n", o->bound == BOUND_UNKNOWN ? "-" : bound_key(o->bound));
	}
	if (t->ndevice > shown)
		buf_printf(out, "  and %zu more (--json lists all); share is of the sum over device operators\n", t->ndevice - shown);
}

/* ---- findings ------------------------------------------------------------------------------------------------------------------------------- */

static void write_stake(struct buf *line, const struct finding *f)
{
	if (!isfinite(f->stake_us))
		return;
	buf_str(line, " (");
	report_us(line, f->stake_us);
	buf_str(line, " a step");
	if (isfinite(f->stake_pct))
		buf_printf(line, ", %.1f %%", f->stake_pct);
	buf_str(line, ")");
}

static void write_findings(struct buf *out, const struct analysis *a)
{
	size_t n = MIN(a->findings.n, (size_t)FINDINGS_SHOWN);

	if (!n)
		return;
	heading(out, "Findings, by time at stake");
	for (size_t i = 0; i < n; i++) {
		const struct finding *f = &a->findings.items[i];
		struct buf line = { 0 };

		buf_printf(&line, "%zu. %s", i + 1, f->title);
		write_stake(&line, f);
		buf_printf(&line, " [%s, confidence %s]", severity_key(f->severity), confidence_key(f->confidence));
		wrap_line(out, &line, 2);
		wrap(out, f->text, 6);
		for (const char *const *p = f->actions; *p; p++) {
			buf_printf(&line, "- %s", *p);
			wrap_line(out, &line, 6);
		}
	}
	if (a->findings.n > n)
		buf_printf(out, "  and %zu more (--json lists all)\n", a->findings.n - n);
}

static void write_advice(struct buf *out, const struct analysis *a)
{
	if (!a->advice.n)
		return;
	heading(out, "What to change");
	for (size_t i = 0; i < a->advice.n; i++) {
		const struct finding *f = &a->advice.items[i];
		struct buf line = { 0 };

		buf_printf(&line, "%zu. %s [%s]", i + 1, f->title, f->id);
		if (isfinite(f->benefit.estimate_pct))
			buf_printf(&line, ": %.0f to %.0f %% of %s%s", f->benefit.low_pct, f->benefit.high_pct, f->benefit.of,
				f->benefit.from_capture ? "" : " (experience)");
		wrap_line(out, &line, 2);
		for (const char *const *p = f->actions; *p; p++) {
			buf_printf(&line, "- %s", *p);
			wrap_line(out, &line, 6);
		}
		if (f->verify[0]) {
			buf_printf(&line, "verify: %s", f->verify);
			wrap_line(out, &line, 6);
		}
	}
}

static void write_silent(struct buf *out, const struct analysis *a)
{
	if (!a->silent.n)
		return;
	heading(out, "Not evaluable");
	for (size_t i = 0; i < a->silent.n; i++) {
		const struct finding *f = &a->silent.items[i];
		struct buf line = { 0 };

		buf_printf(&line, "%s: needs %s", f->id, f->missing);
		if (f->recollect && f->recollect[0])
			buf_printf(&line, "; re-collect with %s", f->recollect);
		wrap_line(out, &line, 2);
	}
}

static void write_checks(struct buf *out, const struct analysis *a)
{
	double worst = 0;
	const struct cross_check *at = NULL;
	struct buf line = { 0 };

	for (size_t i = 0; i < a->nchecks; i++)
		if (!at || fabs(a->checks[i].deviation_pct) > worst) {
			at = &a->checks[i];
			worst = fabs(at->deviation_pct);
		}
	heading(out, "Against the exporter's own figures");
	if (!at) {
		wrap(out, "no step table or operator statistic to compare with", 2);
		return;
	}
	buf_printf(&line, "%zu figures compared, largest deviation %.3f %% (%s%s%s: ours ", a->nchecks, worst, at->metric,
		at->step[0] ? ", step " : "", at->step);
	report_us(&line, at->ours_us);
	buf_str(&line, ", exporter ");
	report_us(&line, at->exporter_us);
	buf_str(&line, ")");
	wrap_line(out, &line, 2);
}

void analysis_write_text(const struct analysis *a, struct buf *out)
{
	const struct unit *u = analysis_headline(a);
	struct buf line = { 0 };

	buf_printf(&line, "%s: %s", a->c->root, a->sentence);
	wrap_line(out, &line, 0);
	if (!u)
		return;
	write_scores(out, a, u);
	write_figures(out, &u->scopes[0]);
	write_ranks(out, a);
	write_findings(out, a);
	write_advice(out, a);
	write_gaps(out, u);
	write_comm(out, u);
	write_operators(out, a, u);
	write_steps(out, u);
	write_checks(out, a);
	write_silent(out, a);
}
