/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report: findings with evidence, places and actions; advice with gain, verification and risk. */
#include "core/report/html_private.h"

#include <math.h>

enum { FINDINGS_SHOWN = 60, ADVICE_SHOWN = 40 };

static void actions(struct buf *out, const char *const *list)
{
	if (!list || !*list)
		return;
	buf_str(out, "<ul class=\"do\">\n");
	for (; *list; list++) {
		buf_str(out, "<li>");
		html_text(out, *list);
		buf_str(out, "</li>\n");
	}
	buf_str(out, "</ul>\n");
}

static void evidence_row(struct buf *out, const struct evidence *e, bool gates)
{
	buf_str(out, "<tr><th scope=\"row\" class=\"name\">");
	html_text(out, e->metric);
	buf_str(out, "</th>");
	cell_value(out, e->value, e->unit);
	if (gates && e->has_gate) {
		buf_str(out, e->relation == REL_AT_LEAST ? "<td class=\"n\">&ge; " : "<td class=\"n\">&le; ");
		report_value(out, e->gate, e->unit);
		buf_printf(out, "</td><td>%s</td>", !isfinite(e->value) ? "-" : e->passed ? "met" : "not met");
	} else if (gates) {
		buf_str(out, "<td class=\"n\">-</td><td>-</td>");
	}
	cell_text(out, e->formula);
	cell_text(out, e->source);
	buf_str(out, "</tr>\n");
}

static void evidence(struct buf *out, const struct finding *f)
{
	bool gates = false;

	if (!f->nevidence)
		return;
	for (size_t i = 0; i < f->nevidence; i++)
		gates |= f->evidence[i].has_gate;
	table_open(out, "small", gates ? "metric|#value|#gate|met|formula|source" : "metric|#value|formula|source");
	for (size_t i = 0; i < f->nevidence; i++)
		evidence_row(out, &f->evidence[i], gates);
	table_close(out, 0, "", NO_TIME);
}

/* The timeline's zero of a rank, so that places can be found on it: the beginning of what its first unit would draw. */
static int64_t rank_zero(const struct analysis *a, int rank)
{
	struct range r;

	for (size_t i = 0; i < a->nunits; i++)
		if (a->units[i].rank == rank && html_range(&a->units[i], &r))
			return r.start;
	return NO_TIME;
}

/* False, and nothing written, when the place says nothing. */
static bool place(const struct page *p, const struct place *at, const char *before)
{
	int64_t zero = rank_zero(p->a, at->rank);
	bool timed = at->start != NO_TIME && zero != NO_TIME, named = at->label && at->label[0];

	if (!timed && !named)
		return false;
	buf_str(p->out, before);
	if (named)
		html_str(p->out, str_of(at->label), HTML_NAME);
	if (timed) {
		buf_str(p->out, named ? " at " : "at ");
		html_time(p->out, at->start - zero);
	}
	if (timed && at->end != NO_TIME) {
		buf_str(p->out, ", ");
		html_time(p->out, at->end - at->start);
		buf_str(p->out, " long");
	}
	if (p->a->c->nranks > 1 && at->rank >= 0) {
		buf_str(p->out, " on rank ");
		html_rank(p, at->rank);
	}
	return true;
}

static void places(const struct page *p, const struct finding *f)
{
	bool any = false;

	for (size_t i = 0; i < f->nplaces; i++)
		any |= place(p, &f->places[i], any ? "; " : "<p class=\"where\">Where: ");
	if (any)
		buf_str(p->out, "</p>\n");
}

static void stake(struct buf *out, const struct finding *f)
{
	if (!isfinite(f->stake_us))
		return;
	buf_str(out, "<span class=\"stake\">");
	report_us(out, f->stake_us);
	buf_str(out, " a step");
	if (isfinite(f->stake_pct))
		buf_printf(out, ", %.1f %%", f->stake_pct);
	buf_str(out, "</span>");
}

static void head(struct buf *out, const struct finding *f, size_t number, const char *word)
{
	buf_printf(out, "<article class=\"item %s\">\n<h3><span class=\"no\">%zu</span>", bottleneck_css(f->type), number);
	html_text(out, f->title);
	buf_str(out, "</h3>\n<p class=\"tags\">");
	if (word[0])
		buf_printf(out, "<span class=\"tag %s\">%s</span>", word, word);
	buf_printf(out, "<code>%s</code><span>confidence %s</span>", f->id, confidence_key(f->confidence));
	if (f->phase != PHASE_UNKNOWN)
		buf_printf(out, "<span>%s</span>", phase_key(f->phase));
	stake(out, f);
	buf_str(out, "</p>\n");
	if (f->text && f->text[0]) {
		buf_str(out, "<p>");
		html_sentence(out, f->text);
		buf_str(out, "</p>\n");
	}
}

static void left_out(struct buf *out, size_t n, const char *what)
{
	if (n)
		buf_printf(out, "<p class=\"note\">%zu more %s: <code>--json</code> lists them.</p>\n", n, what);
}

void html_findings(const struct page *p)
{
	size_t shown = MIN(p->a->findings.n, (size_t)FINDINGS_SHOWN);

	section_open(p->out, "findings", "Findings", "By time at stake.");
	for (size_t i = 0; i < shown; i++) {
		const struct finding *f = &p->a->findings.items[i];

		head(p->out, f, i + 1, severity_key(f->severity));
		evidence(p->out, f);
		places(p, f);
		actions(p->out, f->actions);
		buf_str(p->out, "</article>\n");
	}
	if (!shown)
		buf_str(p->out, "<p>None.</p>\n");
	left_out(p->out, p->a->findings.n - shown, "findings");
	section_close(p->out);
}

/* ---- advice ------------------------------------------------------------------------------------------------------------------------------- */

static void gain(struct buf *out, const struct benefit *b)
{
	double low, high;

	if (!isfinite(b->estimate_pct)) {
		buf_str(out, "<p class=\"gain\">Gain: cannot be estimated from this capture.</p>\n");
		return;
	}
	low = MIN(MAX(b->low_pct, 0), 100);
	high = MIN(MAX(b->high_pct, low), 100);
	buf_printf(out, "<div class=\"gain\"><p>Gain: <b>%.1f %%</b> of %s, from %.1f to %.1f %%.</p>", b->estimate_pct, b->of, b->low_pct,
		b->high_pct);
	buf_printf(out, "<div class=\"span\"><i style=\"left:%.1f%%;width:%.1f%%\"></i><u style=\"left:%.1f%%\"></u></div>", low,
		MAX(high - low, 0.5),
		MIN(MAX(b->estimate_pct, 0), 100));
	buf_str(out, "<p class=\"small\">Basis: ");
	html_text(out, b->from_capture ? "computed from this capture" : "experience, not computed from this capture");
	if (b->basis && b->basis[0]) {
		buf_str(out, "; ");
		html_text(out, b->basis);
	}
	buf_str(out, "</p></div>\n");
}

static void line(struct buf *out, const char *title, const char *text)
{
	if (!text || !text[0])
		return;
	buf_printf(out, "<div><dt>%s</dt><dd>", title);
	html_text(out, text);
	buf_str(out, "</dd></div>\n");
}

static void advice(const struct page *p, const struct finding *f, size_t number)
{
	struct buf *out = p->out;

	head(out, f, number, severity_key(f->severity));
	gain(out, &f->benefit);
	actions(out, f->actions);
	evidence(out, f);
	buf_str(out, "<dl class=\"lines\">\n");
	if (f->ntargets) {
		buf_str(out, "<div><dt>Metrics</dt><dd>");
		for (size_t i = 0; i < f->ntargets; i++)
			buf_printf(out, "%s<code>%s</code>", i ? ", " : "", indicator_key(f->targets[i]));
		buf_str(out, "</dd></div>\n");
	}
	line(out, "Verify", f->verify);
	line(out, "Risk", f->risk);
	line(out, "Version", f->version);
	buf_str(out, "</dl>\n</article>\n");
}

void html_advice(const struct page *p)
{
	size_t shown = MIN(p->a->advice.n, (size_t)ADVICE_SHOWN);

	section_open(p->out, "advice", "What to change, and what it can gain", "");
	for (size_t i = 0; i < shown; i++)
		advice(p, &p->a->advice.items[i], i + 1);
	if (!shown)
		buf_str(p->out, "<p>None.</p>\n");
	left_out(p->out, p->a->advice.n - shown, "pieces of advice");
	section_close(p->out);
}
