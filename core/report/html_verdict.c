/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report's first half: gauges with their gates, evidence, key figures, ranks. */
#include "core/report/html_private.h"

#include "core/base/wrap.h"

#include <math.h>

enum { RANKS_SHOWN = 256 };

static const char *gate_state(const struct gate *g)
{
	return !isfinite(g->value) ? "unknown" : g->passed ? "met" : "unmet";
}

static const char *relation_sign(enum relation r)
{
	return r == REL_AT_LEAST ? "&ge;" : "&le;";
}

/* ---- gauges ------------------------------------------------------------------------------------------------------------------------------- */

static void gauge_gates(struct buf *out, const struct score *s)
{
	buf_str(out, "<ul class=\"gates\">\n");
	for (size_t i = 0; i < s->ngates; i++) {
		const struct gate *g = &s->gates[i];
		const char *unit = indicator_unit(g->indicator);

		buf_printf(out, "<li class=\"%s\"><span class=\"row\"><span class=\"key\">%s</span><b>", gate_state(g),
			indicator_key(g->indicator));
		report_value(out, g->value, unit);
		buf_printf(out, "</b></span><span class=\"gate\">gate %s ", relation_sign(g->relation));
		report_value(out, g->limit, unit);
		buf_str(out, g->required ? ", required: <span class=\"off\">" : ": <span class=\"off\">");
		report_distance(out, g);
		buf_str(out, "</span>");
		buf_str(out, "</span></li>\n");
	}
	buf_str(out, "</ul>\n");
}

static void gauge(const struct page *p, const struct score *s)
{
	struct buf *out = p->out;
	double trigger = p->a->options.thresholds.v[TH_TRIGGER];

	buf_printf(out, "<article class=\"gauge %s%s\">\n<h3>%s</h3>\n", bottleneck_css(s->type), s->located ? " located" : "",
		bottleneck_title(s->type));
	if (s->evaluable)
		buf_printf(out, "<p class=\"score\"><b>%.1f</b><span>of 100</span></p>\n", s->score);
	else
		buf_str(out, "<p class=\"score\"><b>-</b><span>not evaluable</span></p>\n");
	buf_printf(out, "<div class=\"meter\"><i style=\"width:%.1f%%\"></i><u style=\"left:%.1f%%\"></u></div>\n",
		s->evaluable ? MIN(MAX(s->score, 0), 100) : 0, MIN(MAX(trigger, 0), 100));
	buf_str(out, "<p class=\"state\">");
	if (s->located)
		buf_str(out, "located");
	else if (!s->evaluable)
		buf_str(out, "a required figure is missing");
	else
		buf_printf(out, "not located: %.1f points short of %.0f", trigger - s->score, trigger);
	if (s->located && s->subtype[0])
		buf_printf(out, ", %s", s->subtype);
	buf_str(out, "</p>\n");
	gauge_gates(out, s);
	buf_str(out, "</article>\n");
}

static void scope_rows(const struct page *p)
{
	const struct unit *u = p->u;

	table_open(p->out, "scopes", "scope|#steps|#host|#compute|#communication|#copy|verdict|confidence");
	for (size_t i = 0; i < u->nscopes; i++) {
		const struct verdict *v = &u->verdicts[i];

		buf_printf(p->out, "<tr><th scope=\"row\">%s</th>", scope_key(&u->scopes[i]));
		cell_count(p->out, u->scopes[i].nsteps);
		for (int b = 0; b < BN_MAX; b++)
			if (v->scores[b].evaluable)
				buf_printf(p->out, "<td class=\"n\">%.1f</td>", v->scores[b].score);
			else
				buf_str(p->out, "<td class=\"n\">-</td>");
		buf_printf(p->out, "<td>%s</td><td>%s</td></tr>\n", bottleneck_title(v->headline), confidence_key(v->confidence));
	}
	table_close(p->out, 0, "", NO_TIME);
}

void html_gauges(const struct page *p)
{
	section_open(p->out, "gauges", "Where the bottleneck is",
		"Scores from 0 to 100 over the whole window; from the mark on a bottleneck counts as located. Required gates decide "
		"whether there is a score.");
	buf_str(p->out, "<div class=\"gauges\">\n");
	for (int b = 0; b < BN_MAX; b++)
		gauge(p, &p->u->verdicts[0].scores[b]);
	buf_str(p->out, "</div>\n");
	if (p->u->nscopes > 1)
		scope_rows(p);
	section_close(p->out);
}

/* ---- evidence ----------------------------------------------------------------------------------------------------------------------------- */

static const struct gate *gate_of(const struct score *s, enum indicator i)
{
	for (size_t k = 0; k < s->ngates; k++)
		if (s->gates[k].indicator == i)
			return &s->gates[k];
	return NULL;
}

/* A gate of the overall scope, and the same one in the phases beside it. */
static void evidence_row(const struct page *p, enum bottleneck b, const struct gate *g)
{
	const char *unit = indicator_unit(g->indicator);
	struct buf *out = p->out;

	buf_printf(out, "<tr><td><i class=\"dot %s\"></i>%s</td><th scope=\"row\">%s%s</th><td class=\"n\">%s ", bottleneck_css(b),
		bottleneck_key(b),
		indicator_key(g->indicator), g->required ? "*" : "", relation_sign(g->relation));
	report_value(out, g->limit, unit);
	buf_str(out, "</td>");
	for (size_t i = 0; i < p->u->nscopes; i++) {
		const struct gate *own = gate_of(&p->u->verdicts[i].scores[b], g->indicator);

		buf_printf(out, "<td class=\"n %s\">", own ? gate_state(own) : "unknown");
		report_value(out, own ? own->value : NAN, unit);
		buf_printf(out, " <span class=\"sign\">%s</span></td>", own && own->passed ? "met" : "");
	}
	buf_printf(out, "<td class=\"n\">%.1f</td><td class=\"small\">", g->points);
	html_text(out, indicator_formula(g->indicator));
	buf_str(out, "</td><td class=\"small\">");
	html_text(out, indicator_source(g->indicator));
	buf_str(out, "</td></tr>\n");
}

void html_evidence(const struct page *p)
{
	const struct unit *u = p->u;
	struct buf heads = { 0 };

	section_open(p->out, "evidence", "Evidence", "Every gate of every score: the figure, the gate it is held against, and where it comes from. "
		"A star marks a required gate; points are what it adds to the overall score.");
	buf_str(&heads, "score|metric|#gate");
	for (size_t i = 0; i < u->nscopes; i++)
		buf_printf(&heads, "|#%s <span class=\"sign\"></span>", scope_key(&u->scopes[i]));
	buf_str(&heads, "|#points|formula|source");
	table_open(p->out, "evidence", heads.p);
	for (int b = 0; b < BN_MAX; b++)
		for (size_t k = 0; k < u->verdicts[0].scores[b].ngates; k++)
			evidence_row(p, (enum bottleneck)b, &u->verdicts[0].scores[b].gates[k]);
	table_close(p->out, 0, "", NO_TIME);
	section_close(p->out);
	buf_done(&heads);
}

void html_figures(const struct page *p)
{
	const struct unit *u = p->u;

	section_open(p->out, "figures", "All figures", "What was measured, by scope; a dash where the capture cannot tell.");
	buf_str(p->out, "<div class=\"scroll\">\n<table class=\"figures\">\n<thead><tr><th scope=\"col\">metric</th>");
	for (size_t i = 0; i < u->nscopes; i++)
		buf_printf(p->out, "<th scope=\"col\" class=\"n\">%s</th>", scope_key(&u->scopes[i]));
	buf_str(p->out, "<th scope=\"col\">formula</th><th scope=\"col\">source</th></tr></thead>\n<tbody>\n");
	for (int k = 0; k < IND_MAX; k++) {
		enum indicator ind = (enum indicator)k;

		buf_printf(p->out, "<tr><th scope=\"row\">%s</th>", indicator_key(ind));
		for (size_t i = 0; i < u->nscopes; i++)
			cell_value(p->out, u->scopes[i].v[ind], indicator_unit(ind));
		buf_str(p->out, "<td class=\"small\">");
		html_text(p->out, indicator_formula(ind));
		buf_str(p->out, "</td><td class=\"small\">");
		html_text(p->out, indicator_source(ind));
		buf_str(p->out, "</td></tr>\n");
	}
	table_close(p->out, 0, "", NO_TIME);
	section_close(p->out);
}

/* ---- ranks -------------------------------------------------------------------------------------------------------------------------------- */

/* A rank's window as four parts that do not overlap: kernels, collectives alone, copies alone, nothing. */
static void rank_bar(struct buf *out, const struct scope *s)
{
	double wall = s->v[IND_WALL], compute = s->v[IND_COMPUTE], exposed = s->v[IND_EXPOSED], busy = s->v[IND_DEVICE_BUSY];
	const struct {
		const char *css;
		double us;
	} parts[] = { { "comp", compute }, { "comm", exposed }, { "copy", busy - compute - exposed } };

	buf_str(out, "<td class=\"barcell\"><div class=\"bar\">");
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (wall > 0 && isfinite(parts[i].us) && parts[i].us > 0)
			buf_printf(out, "<i class=\"%s\" style=\"width:%.2f%%\"></i>", parts[i].css, MIN(100.0 * parts[i].us / wall, 100.0));
	buf_str(out, "</div></td>");
}

static void rank_row(const struct page *p, const struct unit *u)
{
	static const struct {
		enum indicator indicator;
		double per;		/* us of a ms; 0: as it is */
	} columns[] = { { IND_AVG_STEP, 1e3 }, { IND_COMPUTE, 1e3 }, { IND_COMM, 1e3 }, { IND_EXPOSED_PCT, 0 }, { IND_DEVICE_BUSY_PCT, 0 },
		{ IND_IDLE_PCT, 0 }, { IND_HOST_ONLY_PCT, 0 } };
	const struct scope *s = &u->scopes[0];
	struct buf *out = p->out;

	buf_printf(out, "<tr%s><th scope=\"row\">", u == p->u ? " class=\"chosen\"" : "");
	html_rank(p, u->rank);
	buf_str(out, "</th><td class=\"n\">");
	if (u->work->device >= 0)
		buf_printf(out, "%d", u->work->device);
	else
		buf_char(out, '-');
	buf_str(out, "</td>");
	cell_count(out, s->nsteps);
	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		double v = s->v[columns[i].indicator];

		if (!isfinite(v))
			buf_str(out, "<td class=\"n\">-</td>");
		else if (columns[i].per > 0)
			cell_ms(out, (int64_t)MIN(MAX(v * 1e3, -9e17), 9e17));
		else
			buf_printf(out, "<td class=\"n\">%.1f</td>", v);
	}
	rank_bar(out, s);
	buf_printf(out, "<td><i class=\"dot %s\"></i>%s</td></tr>\n", bottleneck_css(u->verdicts[0].headline),
		bottleneck_title(u->verdicts[0].headline));
}

void html_ranks(const struct page *p)
{
	const struct analysis *a = p->a;
	size_t shown = MIN(a->nunits, (size_t)RANKS_SHOWN);

	section_open(p->out, "ranks", "Ranks", "One row a rank and device, each on its own clock. The verdict above is that of the marked row. "
		"Bar: the window in kernels, in collectives that no kernel covers, in copies alone, and without work.");
	table_open(p->out, "ranks", "rank|#device|#steps|#step ms|#compute ms|#comm. ms|#exposed %|#device busy %|#idle %|#host only "
		"%|window|verdict");
	for (size_t i = 0; i < shown; i++)
		rank_row(p, &a->units[i]);
	table_close(p->out, a->nunits - shown, "ranks", NO_TIME);
	if (a->late.reason && a->late.reason[0] && a->nunits > 1) {
		buf_str(p->out, "<p>");
		html_sentence(p->out, a->late.reason);
		buf_str(p->out, "</p>\n");
	}
	section_close(p->out);
}
