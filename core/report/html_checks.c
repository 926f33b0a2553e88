/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report's end: our figures beside the exporter's, what cannot be told, the thresholds. */
#include "core/report/html_private.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { CHECKS_SHOWN = 40, SILENT_SHOWN = 100 };

struct ranked {
	double deviation;
	size_t index;
};

static int deviation_compare(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->deviation > b->deviation || a->deviation < b->deviation)
		return a->deviation > b->deviation ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static void check_row(const struct page *p, const struct cross_check *c)
{
	struct buf *out = p->out;

	buf_str(out, "<tr><td class=\"n\">");
	html_rank(p, c->rank);
	buf_str(out, "</td><td class=\"name\">");
	html_str(out, c->step && c->step[0] ? str_of(c->step) : STR("all"), HTML_NAME);
	buf_str(out, "</td><th scope=\"row\" class=\"name\">");
	html_str(out, str_of(c->metric), HTML_NAME);
	buf_printf(out, "</th><td class=\"n\">%.3f</td><td class=\"n\">%.3f</td><td class=\"n\">", c->ours_us, c->exporter_us);
	if (isfinite(c->deviation_pct))
		buf_printf(out, "%.4f", c->deviation_pct);
	else
		buf_char(out, '-');
	buf_str(out, "</td><td class=\"small\">");
	html_str(out, str_of(c->artifact), HTML_NAME);
	buf_str(out, "</td></tr>\n");
}

void html_checks(const struct page *p)
{
	const struct analysis *a = p->a;
	size_t n = a->nchecks, shown = MIN(n, (size_t)CHECKS_SHOWN), within = 0;
	struct ranked *order = mem_alloc(MAX(n, (size_t)1), sizeof *order);

	for (size_t i = 0; i < n; i++) {
		double off = fabs(a->checks[i].deviation_pct);

		order[i] = (struct ranked){ isfinite(off) ? off : HUGE_VAL, i };
		within += isfinite(off) && off <= 0.1;
	}
	qsort(order, n, sizeof *order, deviation_compare);
	section_open(p->out, "checks", "Against the exporter's own figures", "");
	if (!n) {
		buf_str(p->out, "<p>The capture has no figures of the exporter to compare with.</p>\n");
	} else {
		buf_printf(p->out, "<p class=\"intro\">%zu figures compared, %zu within 0.1 %%; the largest deviations first.</p>\n", n, within);
		table_open(p->out, "checks", "#rank|step|metric|#ours us|#exporter us|#deviation %|artifact");
		for (size_t i = 0; i < shown; i++)
			check_row(p, &a->checks[order[i].index]);
		table_close(p->out, n - shown, "figures, none deviates more", NO_TIME);
	}
	section_close(p->out);
	free(order);
}

/* ---- what cannot be told ------------------------------------------------------------------------------------------------------------------ */

static void silent_row(struct buf *out, const char *what, const char *id, const char *missing, const char *recollect)
{
	buf_str(out, "<tr><th scope=\"row\" class=\"text\">");
	html_text(out, what);
	buf_str(out, "</th><td><code>");
	html_text(out, id);
	buf_str(out, "</code></td>");
	cell_text(out, missing);
	cell_text(out, recollect && recollect[0] ? recollect : "-");
	buf_str(out, "</tr>\n");
}

void html_silent(const struct page *p)
{
	const struct analysis *a = p->a;
	size_t shown = MIN(a->silent.n, (size_t)SILENT_SHOWN), poor = 0, listed = 0;

	for (size_t i = 0; i < a->c->nhealth; i++)
		poor += a->c->health[i].state == HEALTH_PARTIAL || a->c->health[i].state == HEALTH_MISSING;
	section_open(p->out, "silent", "What cannot be told", "");
	if (!a->silent.n && !poor) {
		buf_str(p->out, "<p>Every rule could be evaluated.</p>\n");
		section_close(p->out);
		return;
	}
	table_open(p->out, "silent", "what|id|what is missing|re-collect with");
	for (size_t i = 0; i < shown; i++) {
		const struct finding *f = &a->silent.items[i];

		silent_row(p->out, f->title, f->id, f->missing, f->recollect);
	}
	for (size_t i = 0; i < a->c->nhealth && listed < SILENT_SHOWN; i++) {
		const struct health *h = &a->c->health[i];

		if (h->state != HEALTH_PARTIAL && h->state != HEALTH_MISSING)
			continue;
		silent_row(p->out, h->state == HEALTH_PARTIAL ? "Collected in part" : "Not collected", h->id, h->why, h->recollect);
		listed++;
	}
	table_close(p->out, a->silent.n - shown + poor - listed, "rows", NO_TIME);
	section_close(p->out);
}

void html_thresholds(const struct page *p)
{
	const struct thresholds *t = &p->a->options.thresholds;

	section_open(p->out, "thresholds", "Thresholds used", "");
	table_open(p->out, "thresholds", "threshold|#value|#default|why");
	for (int i = 0; i < TH_MAX; i++) {
		enum threshold id = (enum threshold)i;

		buf_printf(p->out, "<tr%s><th scope=\"row\">%s</th>", t->changed[i] ? " class=\"chosen\"" : "", threshold_key(id));
		cell_value(p->out, t->v[i], threshold_unit(id));
		cell_value(p->out, threshold_default(id), threshold_unit(id));
		buf_str(p->out, "<td class=\"small\">");
		html_text(p->out, threshold_reason(id));
		buf_str(p->out, "</td></tr>\n");
	}
	table_close(p->out, 0, "", NO_TIME);
	section_close(p->out);
}
