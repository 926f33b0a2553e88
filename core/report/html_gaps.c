/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report: gaps by cause with the longest of them, and communication. */
#include "core/report/html_private.h"

#include "core/base/wrap.h"

#include <math.h>

enum { LONGEST = 12 };

size_t html_longest_gaps(const struct unit *u, size_t *out, size_t n)
{
	const struct gaps *g = &u->gaps;
	size_t found = 0;

	for (size_t i = 0; i < g->n; i++) {
		int64_t length = g->items[i].end - g->items[i].start;
		size_t at = found;

		while (at > 0 && g->items[out[at - 1]].end - g->items[out[at - 1]].start < length)
			at--;
		if (at >= n)
			continue;
		found = MIN(found + 1, n);
		memmove(&out[at + 1], &out[at], (found - at - 1) * sizeof *out);
		out[at] = i;
	}
	return found;
}

static void causes(const struct page *p)
{
	const struct gaps *g = &p->u->gaps;
	double most = 0;

	for (int c = 0; c < GAP_MAX; c++)
		most = MAX(most, (double)g->by_cause[c].total_ns);
	table_open(p->out, "causes", "cause|#gaps|#total ms|#longest us||how it is told");
	for (int c = 0; c < GAP_MAX; c++) {
		const struct gap_sum *s = &g->by_cause[c];

		if (!s->count)
			continue;
		buf_printf(p->out, "<tr><th scope=\"row\"><i class=\"dot g%d\"></i>%s</th>", c, gap_title((enum gap_cause)c));
		cell_count(p->out, s->count);
		cell_ms(p->out, s->total_ns);
		cell_us(p->out, s->longest_ns);
		buf_printf(p->out, "<td class=\"barcell\"><div class=\"bar\"><i class=\"g%d\" style=\"width:%.2f%%\"></i></div></td>"
			"<td class=\"small\">", c, most > 0 ? 100.0 * (double)s->total_ns / most : 0);
		html_text(p->out, gap_text((enum gap_cause)c));
		buf_str(p->out, "</td></tr>\n");
	}
	table_close(p->out, 0, "", NO_TIME);
	buf_str(p->out, "<p class=\"note\">");
	wrap_count(p->out, (int64_t)g->below.count);
	buf_str(p->out, " shorter gaps of up to ");
	html_time(p->out, g->floor_ns);
	buf_str(p->out, ", ");
	html_time(p->out, g->below.total_ns);
	buf_str(p->out, " in all, are not blamed.</p>\n");
}

static void cell_span(const struct page *p, uint32_t span)
{
	const struct work_model *m = p->u->work;

	buf_str(p->out, "<td class=\"name\">");
	if (span < m->nspans)
		html_name(p, m->spans[span].name);
	else
		buf_char(p->out, '-');
	buf_str(p->out, "</td>");
}

static void gap_row(const struct page *p, const struct gap *g, int64_t from)
{
	struct buf *out = p->out;

	buf_str(out, "<tr>");
	cell_ms(out, g->start - from);
	cell_us(out, g->end - g->start);
	buf_printf(out, "<td><i class=\"dot g%d\"></i>%s</td><td>%s</td>", (int)g->cause, gap_title(g->cause), confidence_key(g->confidence));
	cell_span(p, g->before);
	cell_span(p, g->after);
	buf_str(out, "<td class=\"small\">");
	for (size_t k = 0; k < ARRAY_LEN(g->host) && g->host[k]; k++) {
		buf_str(out, k ? ", " : "");
		html_name(p, g->host[k]);
		buf_char(out, ' ');
		html_time(out, g->host_ns[k]);
	}
	buf_str(out, g->host[0] ? "</td></tr>\n" : "-</td></tr>\n");
}

void html_gaps(const struct page *p)
{
	size_t longest[LONGEST], n = html_longest_gaps(p->u, longest, LONGEST);
	struct range r;

	section_open(p->out, "gaps", "Gaps by cause", "Times without kernels, collectives and copies, each with one cause.");
	if (!p->u->gaps.n) {
		buf_str(p->out, "<p>No gap is longer than ");
		html_time(p->out, p->u->gaps.floor_ns);
		buf_str(p->out, ".</p>\n");
	} else {
		causes(p);
		buf_str(p->out, "<h3>The longest</h3>\n");
		table_open(p->out, "longest", "#at ms|#length us|cause|confidence|after|before|on the host meanwhile");
		for (size_t i = 0; i < n && html_range(p->u, &r); i++)
			gap_row(p, &p->u->gaps.items[longest[i]], r.start);
		table_close(p->out, p->u->gaps.n - n, "gaps", NO_TIME);
	}
	section_close(p->out);
}

/* ---- communication ------------------------------------------------------------------------------------------------------------------------ */

static void fact_time(struct buf *out, const char *title, int64_t ns)
{
	buf_printf(out, "<div><dt>%s</dt><dd>", title);
	html_time(out, ns);
	buf_str(out, "</dd></div>\n");
}

static void fact_value(struct buf *out, const char *title, double value, const char *unit)
{
	buf_printf(out, "<div><dt>%s</dt><dd>", title);
	report_value(out, value, unit);
	buf_str(out, "</dd></div>\n");
}

static void votes(const struct page *p)
{
	const struct late_rank *l = &p->a->late;
	size_t shown = MIN(l->nranks, (size_t)256);

	buf_str(p->out, "<h3>Who came last</h3>\n");
	table_open(p->out, "votes", "#rank|#last in|#late by ms|#wait ms|#transit ms|#compute ms");
	for (size_t i = 0; i < shown; i++) {
		const struct rank_vote *v = &l->ranks[i];

		buf_printf(p->out, "<tr%s><th scope=\"row\" class=\"n\">%d</th>", l->late == (int)i ? " class=\"chosen\"" : "", v->id);
		cell_count(p->out, v->votes);
		cell_ms(p->out, v->late_by);
		cell_ms(p->out, v->wait);
		cell_ms(p->out, v->transit);
		cell_ms(p->out, v->compute);
		buf_str(p->out, "</tr>\n");
	}
	table_close(p->out, l->nranks - shown, "ranks", NO_TIME);
}

void html_comm(const struct page *p)
{
	const struct collectives *c = &p->u->colls;

	section_open(p->out, "communication", "Communication", "");
	if (!c->n) {
		buf_str(p->out, "<p>The capture has no collectives.</p>\n");
		section_close(p->out);
		return;
	}
	buf_str(p->out, "<p>");
	html_sentence(p->out, c->reason);
	buf_str(p->out, "</p>\n<dl class=\"facts\">\n");
	fact_value(p->out, "collectives", (double)c->n, "");
	fact_time(p->out, "elapsed", c->elapse);
	fact_time(p->out, "moving data", c->has_split ? c->transit : NO_TIME);
	fact_time(p->out, "waiting", c->has_split ? c->wait : NO_TIME);
	fact_time(p->out, "idle", c->has_split ? c->idle : NO_TIME);
	fact_time(p->out, "median", c->median_ns);
	fact_value(p->out, "moved", c->size_mb, "MB");
	fact_value(p->out, "bandwidth of a link", c->bandwidth_gbs, "GB/s");
	buf_printf(p->out, "<div><dt>split from</dt><dd>%s</dd></div>\n</dl>\n", !c->has_split ? "-" : c->from_file ? "exporter's "
		"file" : "plane tasks");
	if (p->a->late.nranks > 1 && p->a->late.ncollectives)
		votes(p);
	section_close(p->out);
}
