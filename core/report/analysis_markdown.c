/* SPDX-License-Identifier: Apache-2.0 */
#include "core/report/analysis_report.h"

#include "core/base/utf8.h"
#include "core/base/wrap.h"

#include <math.h>

enum { OPS_SHOWN = 20 };

/* A table cell: safe text, with what Markdown would read as markup taken literally. */
static void cell(struct buf *out, struct str text)
{
	struct buf clean = { 0 };

	utf8_add_clean(&clean, text);
	for (size_t i = 0; i < clean.n; i++) {
		if (strchr("|<>*_`[]\\#", clean.p[i]))
			buf_char(out, '\\');
		buf_char(out, clean.p[i]);
	}
	buf_done(&clean);
}

static void text_cell(struct buf *out, const char *text)
{
	cell(out, str_of(text));
}

static void write_scores(const struct unit *u, struct buf *out)
{
	buf_str(out, "## 1 Bottleneck\n\n| scope | steps |");
	for (int b = 0; b < BN_MAX; b++)
		buf_printf(out, " %s |", bottleneck_title((enum bottleneck)b));
	buf_str(out, " verdict | confidence |\n|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < u->nscopes; i++) {
		buf_printf(out, "| %s | %zu |", scope_key(&u->scopes[i]), u->scopes[i].nsteps);
		for (int b = 0; b < BN_MAX; b++)
			if (u->verdicts[i].scores[b].evaluable)
				buf_printf(out, " %.1f |", u->verdicts[i].scores[b].score);
			else
				buf_str(out, " not evaluable |");
		buf_printf(out, " %s | %s |\n", bottleneck_title(u->verdicts[i].headline), confidence_key(u->verdicts[i].confidence));
	}
}

static void write_gates(const struct unit *u, struct buf *out)
{
	buf_str(out, "\n## 2 Evidence\n\n| score | metric | value | gate | met | formula | source |\n|---|---|---|---|---|---|---|\n");
	for (int b = 0; b < BN_MAX; b++) {
		const struct score *s = &u->verdicts[0].scores[b];

		for (size_t i = 0; i < s->ngates; i++) {
			const struct gate *g = &s->gates[i];
			const char *unit = indicator_unit(g->indicator);

			buf_printf(out, "| %s | %s | ", bottleneck_key((enum bottleneck)b), indicator_key(g->indicator));
			report_value(out, g->value, unit);
			buf_str(out, g->relation == REL_AT_LEAST ? " | >= " : " | <= ");
			report_value(out, g->limit, unit);
			buf_printf(out, " | %s | ", !isfinite(g->value) ? "not evaluable" : g->passed ? "yes" : "no");
			text_cell(out, indicator_formula(g->indicator));
			buf_str(out, " | ");
			text_cell(out, indicator_source(g->indicator));
			buf_str(out, " |\n");
		}
	}
}

static void write_evidence(const struct finding *f, struct buf *out)
{
	for (size_t i = 0; i < f->nevidence; i++) {
		const struct evidence *e = &f->evidence[i];

		buf_str(out, "   - ");
		text_cell(out, e->metric);
		buf_str(out, ": ");
		report_value(out, e->value, e->unit);
		if (e->has_gate) {
			buf_str(out, e->relation == REL_AT_LEAST ? " (gate >= " : " (gate <= ");
			report_value(out, e->gate, e->unit);
			buf_str(out, ")");
		}
		buf_char(out, '\n');
	}
}

static void write_findings(const struct analysis *a, struct buf *out)
{
	buf_str(out, "\n## 3 Findings, by time at stake\n\n");
	for (size_t i = 0; i < a->findings.n; i++) {
		const struct finding *f = &a->findings.items[i];

		buf_printf(out, "%zu. **", i + 1);
		text_cell(out, f->title);
		buf_printf(out, "** (`%s`, %s, confidence %s", f->id, severity_key(f->severity), confidence_key(f->confidence));
		if (isfinite(f->stake_us)) {
			buf_str(out, ", ");
			report_us(out, f->stake_us);
			buf_str(out, " a step");
			if (isfinite(f->stake_pct))
				buf_printf(out, ", %.1f %%", f->stake_pct);
		}
		buf_str(out, ")  \n   ");
		text_cell(out, f->text);
		buf_char(out, '\n');
		write_evidence(f, out);
		for (const char *const *p = f->actions; *p; p++) {
			buf_str(out, "   - to do: ");
			text_cell(out, *p);
			buf_char(out, '\n');
		}
	}
	if (!a->findings.n)
		buf_str(out, "None.\n");
}

static void write_advice(const struct analysis *a, struct buf *out)
{
	buf_str(out, "\n## 4 What to change, and 5 what it can gain\n\n");
	for (size_t i = 0; i < a->advice.n; i++) {
		const struct finding *f = &a->advice.items[i];

		buf_printf(out, "%zu. **", i + 1);
		text_cell(out, f->title);
		buf_printf(out, "** (`%s`)", f->id);
		if (isfinite(f->benefit.estimate_pct))
			buf_printf(out, ": %.1f %% (%.1f to %.1f %%) of %s, %s", f->benefit.estimate_pct, f->benefit.low_pct,
				f->benefit.high_pct, f->benefit.of, f->benefit.from_capture ? f->benefit.basis : "experience, not computed from this capture");
		buf_char(out, '\n');
		for (const char *const *p = f->actions; *p; p++) {
			buf_str(out, "   - ");
			text_cell(out, *p);
			buf_char(out, '\n');
		}
		if (f->verify[0])
			buf_printf(out, "   - verify: %s\n", f->verify);
		if (f->risk[0])
			buf_printf(out, "   - risk: %s\n", f->risk);
		if (f->version[0])
			buf_printf(out, "   - %s\n", f->version);
	}
	if (!a->advice.n)
		buf_str(out, "None.\n");
}

static void write_operators(const struct analysis *a, const struct unit *u, struct buf *out)
{
	const struct op_table *t = &u->ops;

	buf_str(out, "\n## Operators on the device\n\n| operator | class | core | count | total | mean | p95 | share | bound |\n"
		"|---|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < MIN(t->ndevice, (size_t)OPS_SHOWN); i++) {
		const struct op_row *o = &t->rows[i];

		buf_str(out, "| ");
		cell(out, names_str(&a->c->names, o->name));
		buf_printf(out, " | %s | %s | %zu | ", class_key(o->class.class), core_key(o->core), o->count);
		wrap_time(out, o->total_ns);
		buf_str(out, " | ");
		wrap_time(out, o->total_ns / (int64_t)MAX((size_t)1, o->count));
		buf_str(out, " | ");
		wrap_time(out, o->p95_ns);
		buf_printf(out, " | %.1f %% | %s |\n", t->device_ns ? 100.0 * (double)o->total_ns / (double)t->device_ns : 0, bound_key(o->bound));
	}
}

static void write_gaps(const struct unit *u, struct buf *out)
{
	buf_str(out, "\n## Device gaps by cause\n\n| cause | gaps | total | longest |\n|---|---|---|---|\n");
	for (int c = 0; c < GAP_MAX; c++) {
		const struct gap_sum *s = &u->gaps.by_cause[c];

		if (!s->count)
			continue;
		buf_printf(out, "| %s | %zu | ", gap_title((enum gap_cause)c), s->count);
		wrap_time(out, s->total_ns);
		buf_str(out, " | ");
		wrap_time(out, s->longest_ns);
		buf_str(out, " |\n");
	}
}

static void write_checks(const struct analysis *a, struct buf *out)
{
	buf_str(out, "\n## Against the exporter's own figures\n\n| rank | step | metric | ours | exporter | deviation |\n|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < a->nchecks; i++) {
		const struct cross_check *c = &a->checks[i];

		buf_printf(out, "| %d | ", a->c->ranks[c->rank].id);
		text_cell(out, c->step);
		buf_str(out, " | ");
		text_cell(out, c->metric);
		buf_str(out, " | ");
		report_us(out, c->ours_us);
		buf_str(out, " | ");
		report_us(out, c->exporter_us);
		buf_printf(out, " | %.3f %% |\n", c->deviation_pct);
	}
}

static void write_silent(const struct analysis *a, struct buf *out)
{
	buf_str(out, "\n## Not evaluable\n\n");
	for (size_t i = 0; i < a->silent.n; i++) {
		buf_str(out, "- ");
		text_cell(out, a->silent.items[i].title);
		buf_str(out, ": ");
		text_cell(out, a->silent.items[i].missing);
		buf_str(out, "; re-collect with ");
		text_cell(out, a->silent.items[i].recollect);
		buf_char(out, '\n');
	}
	if (!a->silent.n)
		buf_str(out, "Every rule could be evaluated.\n");
}

void analysis_write_markdown(const struct analysis *a, struct buf *out)
{
	const struct unit *u = analysis_headline(a);

	buf_str(out, "# ");
	text_cell(out, a->c->root);
	buf_str(out, "\n\n");
	text_cell(out, a->sentence);
	buf_str(out, "\n\n");
	if (!u)
		return;
	write_scores(u, out);
	write_gates(u, out);
	write_findings(a, out);
	write_advice(a, out);
	write_operators(a, u, out);
	write_gaps(u, out);
	write_checks(a, out);
	write_silent(a, out);
}
