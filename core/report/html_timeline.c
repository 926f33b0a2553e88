/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTML report's timeline, one SVG of the headline unit. A lane is a row of columns; a column's height is the exact share of its time in
 * which the lane has work, from the sets of the work model: nothing is sampled. A pale column says that there is something, however little.
 */
#include "core/report/html_private.h"

#include "core/base/mem.h"
#include "core/base/utf8.h"

#include <stdlib.h>

enum { COLUMNS = 1080, LEFT = 108, RIGHT = 12, LANE = 34, GAP = 9, FULL = 1000, STEP_H = 20, STEPS_DRAWN = 300, LABELS = 6, LABEL_ROWS = 3 };

/* A lane's parts. Stacked ones do not overlap and stand on each other; else each contains the next one and is drawn over it. */
struct lane_view {
	const char *title;
	const struct intervals *sets[GAP_MAX];
	const char *css[GAP_MAX];
	size_t n;
	bool stacked;
};

struct plot {
	struct buf *out;
	struct range range;
	size_t columns;
	int64_t edges[COLUMNS + 1];
	int y;
};

/* Makes the range reach to first and last, each by at most `slack`. */
static void stretch(int64_t *start, int64_t *end, int64_t first, int64_t last, int64_t slack)
{
	if (first < *start && first >= *start - slack)
		*start = first;
	if (last > *end && last <= *end + slack)
		*end = last;
}

bool html_range(const struct unit *u, struct range *r)
{
	const struct work_model *m = u->work;
	const struct intervals *w = &u->scopes[0].window, *host = &m->sets.host;
	const struct gaps *g = &u->gaps;
	int64_t start = INT64_MAX, end = INT64_MIN, slack;

	if (w->n) {
		start = w->items[0].start;
		end = w->items[w->n - 1].end;
	}
	if (m->first != NO_TIME) {
		start = MIN(start, m->first);
		end = MAX(end, m->last);
	}
	if (start >= end) {
		if (!host->n)
			return false;
		start = host->items[0].start;
		end = host->items[host->n - 1].end;
	}
	/* The host's beginning and end are drawn where they do not squeeze the rest. */
	slack = (end - start) / 4;
	if (host->n)
		stretch(&start, &end, host->items[0].start, host->items[host->n - 1].end, slack);
	if (g->n)
		stretch(&start, &end, g->items[0].start, g->items[g->n - 1].end, slack);
	*r = (struct range){ start, end, intervals_total(host) - intervals_within(host, start, end) };
	return end > start;
}

/* ---- columns ------------------------------------------------------------------------------------------------------------------------------ */

static void plot_edges(struct plot *g)
{
	int64_t length = g->range.end - g->range.start, n;

	g->columns = (size_t)MIN((int64_t)COLUMNS, length);
	n = (int64_t)g->columns;
	for (int64_t i = 0; i <= n; i++)
		g->edges[i] = g->range.start + length / n * i + length % n * i / n;
}

/* A time's place in the drawing, in tenths of a unit. */
static int plot_x10(const struct plot *g, int64_t t)
{
	double share = (double)(t - g->range.start) / (double)(g->range.end - g->range.start);

	return (int)(MIN(MAX(share, 0.0), 1.0) * COLUMNS * 10 + 0.5);
}

/* Of FULL: 0 only when there is nothing, FULL only when there is no hole. */
static uint16_t share_of(int64_t part, int64_t whole)
{
	int share = (int)((double)part / (double)whole * FULL + 0.5);

	if (part <= 0)
		return 0;
	if (part >= whole)
		return FULL;
	return (uint16_t)MIN(MAX(share, 1), FULL - 1);
}

/* One path over all columns, runs of equal height as one piece. Heights of a lane without work make no path. */
static void write_area(struct plot *g, const uint16_t *height, const char *css)
{
	size_t n = g->columns;
	bool any = false;

	for (size_t i = 0; i < n && !any; i++)
		any = height[i] > 0;
	if (!any)
		return;
	buf_printf(g->out, "<path class=\"%s\" d=\"M0 %d", css, FULL);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && height[end] == height[i];)
			end++;
		buf_printf(g->out, "V%dH%zu", FULL - height[i], end);
	}
	buf_printf(g->out, "V%dZ\"/>", FULL);
}

static void write_lane(struct plot *g, const struct lane_view *v)
{
	size_t n = g->columns, parts = MAX(v->n, (size_t)1);
	uint16_t *height = mem_zalloc(parts * n, sizeof *height), *some = mem_zalloc(n, sizeof *some);
	int64_t total = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t sum = 0, length = g->edges[i + 1] - g->edges[i];

		for (size_t k = 0; k < v->n; k++) {
			int64_t part = intervals_within(v->sets[k], g->edges[i], g->edges[i + 1]);

			sum = v->stacked ? sum + part : part;
			height[k * n + i] = share_of(sum, length);
			if (part)
				some[i] = FULL;
		}
	}
	for (size_t k = 0; k < v->n && (v->stacked || k == 0); k++)
		total += intervals_within(v->sets[k], g->range.start, g->range.end);
	buf_printf(g->out, "<text class=\"lane\" x=\"%d\" y=\"%d\">%s</text><text class=\"sum\" x=\"%d\" y=\"%d\">", LEFT - 10, g->y + 15, v->title,
		LEFT - 10, g->y + 29);
	html_time(g->out, total);
	buf_printf(g->out, "</text>\n<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %zu %d\" "
		"preserveAspectRatio=\"none\">", LEFT, g->y,
		COLUMNS, LANE, n, FULL);
	buf_printf(g->out, "<rect class=\"track\" width=\"%zu\" height=\"%d\"/>", n, FULL);
	write_area(g, some, "pale");
	for (size_t k = 0; k < v->n; k++) {
		size_t part = v->stacked ? v->n - 1 - k : k;

		write_area(g, height + part * n, v->css[part]);
	}
	buf_str(g->out, "</svg>\n");
	free(height);
	free(some);
	g->y += LANE + GAP;
}

/* ---- steps -------------------------------------------------------------------------------------------------------------------------------- */

static const char *const phase_css[PHASE_MAX] = { [PHASE_UNKNOWN] = "ph0", [PHASE_PREFILL] = "ph1", [PHASE_DECODE] = "ph2" };

static void write_step(struct plot *g, const struct page *p, const struct step *s, size_t index)
{
	int x = plot_x10(g, s->start), w = plot_x10(g, s->end) - x;
	struct str label = names_str(&p->a->c->names, s->label);

	if (s->end <= g->range.start || s->start >= g->range.end)
		return;
	buf_printf(g->out, "<rect class=\"%s%s\" x=\"%d.%d\" y=\"%d\" width=\"%d.%d\" height=\"%d\"><title>", phase_css[s->phase],
		index % 2 ? " odd" : "",
		LEFT + x / 10, x % 10, g->y, MAX(w, 1) / 10, MAX(w, 1) % 10, STEP_H);
	html_str(g->out, label.n ? label : STR("step"), HTML_NAME);
	buf_printf(g->out, ", %s%s, ", phase_key(s->phase), s->partial ? ", cut" : "");
	html_time(g->out, s->end - s->start);
	buf_str(g->out, "</title></rect>");
	if (label.n && (size_t)w > utf8_columns(label) * 68 + 60) {
		buf_printf(g->out, "<text class=\"step\" x=\"%d\" y=\"%d\">", LEFT + (x + w / 2) / 10, g->y + 14);
		html_str(g->out, label, HTML_NAME);
		buf_str(g->out, "</text>");
	}
	buf_char(g->out, '\n');
}

/* So many steps that bands would be thinner than a line: their shares instead, like any lane. */
static void write_many_steps(struct plot *g, const struct steps *s)
{
	struct intervals sets[PHASE_MAX] = { 0 };
	struct lane_view v = { .title = "steps", .stacked = true };

	for (size_t i = 0; i < s->n; i++)
		intervals_add(&sets[s->items[i].phase], s->items[i].start, s->items[i].end);
	for (int k = 0; k < PHASE_MAX; k++) {
		intervals_normalise(&sets[k]);
		intervals_index(&sets[k]);
		v.sets[v.n] = &sets[k];
		v.css[v.n++] = phase_css[k];
	}
	write_lane(g, &v);
	for (int k = 0; k < PHASE_MAX; k++)
		intervals_done(&sets[k]);
}

static void write_steps(struct plot *g, const struct page *p)
{
	const struct steps *s = &p->u->steps;

	if (s->n > STEPS_DRAWN) {
		write_many_steps(g, s);
		return;
	}
	buf_printf(g->out, "<text class=\"lane\" x=\"%d\" y=\"%d\">steps</text>\n", LEFT - 10, g->y + 14);
	for (size_t i = 0; i < s->n; i++)
		write_step(g, p, &s->items[i], i);
	g->y += STEP_H + GAP;
}

/* ---- gaps --------------------------------------------------------------------------------------------------------------------------------- */

static void write_gap_lane(struct plot *g, const struct gaps *gaps)
{
	static const char *const css[GAP_MAX] = { [GAP_HOST_LATE] = "g0", [GAP_LAUNCH] = "g1", [GAP_COMM_WAIT] = "g2", [GAP_EVENT_WAIT] = "g3",
		[GAP_SYNC] = "g4", [GAP_HOST_IDLE] = "g5", [GAP_EDGE] = "g6", [GAP_UNKNOWN] = "g7" };
	struct intervals sets[GAP_MAX] = { 0 };
	struct lane_view v = { .title = "gaps", .stacked = true };

	for (size_t i = 0; i < gaps->n; i++)
		intervals_add(&sets[gaps->items[i].cause], gaps->items[i].start, gaps->items[i].end);
	for (int k = 0; k < GAP_MAX; k++) {
		intervals_normalise(&sets[k]);
		intervals_index(&sets[k]);
		v.sets[v.n] = &sets[k];
		v.css[v.n++] = css[k];
	}
	write_lane(g, &v);
	for (int k = 0; k < GAP_MAX; k++)
		intervals_done(&sets[k]);
}

static int index_compare(const void *x, const void *y)
{
	size_t a = *(const size_t *)x, b = *(const size_t *)y;

	return a < b ? -1 : a > b;
}

/* Labels of the longest gaps below their lane, in rows so that none covers another; what does not fit stands in the table only. */
static void write_gap_labels(struct plot *g, const struct unit *u)
{
	size_t longest[LABELS], n = html_longest_gaps(u, longest, LABELS);
	int free_from[LABEL_ROWS] = { 0 }, rows = 0;

	qsort(longest, n, sizeof *longest, index_compare);
	for (size_t i = 0; i < n; i++) {
		const struct gap *gap = &u->gaps.items[longest[i]];
		int x = LEFT + (plot_x10(g, gap->start) + plot_x10(g, gap->end)) / 20, row = 0, width, at;
		struct buf text = { 0 };

		if (gap->end <= g->range.start || gap->start >= g->range.end)
			continue;
		buf_printf(&text, "%s ", gap_title(gap->cause));
		html_time(&text, gap->end - gap->start);
		width = (int)text.n * 64 / 10;
		at = MIN(MAX(x - width / 2, LEFT), LEFT + COLUMNS - width);
		while (row < LABEL_ROWS && free_from[row] > at)
			row++;
		if (row < LABEL_ROWS) {
			int y = g->y - GAP + 16 + 14 * row;

			buf_printf(g->out, "<path class=\"lead\" d=\"M%d %dV%d\"/><text class=\"gap\" x=\"%d\" y=\"%d\">%s</text>\n", x,
				g->y - GAP + 1, y - 10,
				at + width / 2, y, text.p);
			free_from[row] = at + width + 10;
			rows = MAX(rows, row + 1);
		}
		buf_done(&text);
	}
	g->y += rows ? 14 * rows + 6 : 0;
}

/* ---- axis --------------------------------------------------------------------------------------------------------------------------------- */

/* 1, 2 or 5 times a power of ten that makes at most 12 pieces of the length. */
static int64_t tick_step(int64_t length)
{
	static const int64_t times[] = { 1, 2, 5 };

	for (int64_t power = 1;; power *= 10)
		for (size_t i = 0; i < ARRAY_LEN(times); i++)
			if (length / (power * times[i]) < 12 || power > INT64_MAX / 100)
				return power * times[i];
}

/* Lines go below the lanes, labels under them. */
static void write_axis(struct plot *g, struct buf *lines, int top)
{
	static const struct {
		int64_t ns;
		const char *unit;
	} units[] = { { 1, "ns" }, { 1000, "us" }, { 1000000, "ms" }, { 1000000000, "s" } };
	int64_t length = g->range.end - g->range.start, step = tick_step(length);
	size_t u = ARRAY_LEN(units) - 1;

	while (u > 0 && (step % units[u].ns || step < units[u].ns))
		u--;
	buf_str(lines, "<path class=\"grid\" d=\"");
	for (int64_t t = 0; t <= length; t += step)
		buf_printf(lines, "M%d %dV%d", LEFT + plot_x10(g, g->range.start + t) / 10, top, g->y + 4);
	buf_str(lines, "\"/>\n");
	for (int64_t t = 0; t <= length; t += step)
		buf_printf(g->out, "<text class=\"tick\" x=\"%d\" y=\"%d\">%lld%s%s</text>", LEFT + plot_x10(g, g->range.start + t) / 10, g->y + 17,
			(long long)(t / units[u].ns), t ? "" : " ", t ? "" : units[u].unit);
	buf_char(g->out, '\n');
	g->y += 24;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------------------------- */

static void write_legend(struct buf *out)
{
	static const struct {
		const char *css, *text;
	} parts[] = { { "host", "host work" }, { "comp", "kernels" }, { "comm", "collectives, exposed" }, { "comm2", "collectives under kernels" },
		{ "copy", "copies" }, { "wait", "waiting tasks" }, { "ph1", "prefill" }, { "ph2", "decode" } };

	buf_str(out, "<p class=\"legend\">");
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		buf_printf(out, "<span><i class=\"dot %s\"></i>%s</span> ", parts[i].css, parts[i].text);
	buf_str(out, "</p>\n<p class=\"legend\">gaps: ");
	for (int c = 0; c < GAP_MAX; c++)
		buf_printf(out, "<span><i class=\"dot g%d\"></i>%s</span> ", c, gap_title((enum gap_cause)c));
	buf_str(out, "</p>\n");
}

static void write_lanes(struct plot *g, const struct page *p)
{
	const struct work_sets *s = &p->u->work->sets;
	const struct lane_view lanes[] = {
		{ .title = "host", .sets = { &s->host }, .css = { "host" }, .n = 1 },
		{ .title = "compute", .sets = { &s->compute }, .css = { "comp" }, .n = 1 },
		{ .title = "comm.", .sets = { &s->comm, &s->exposed }, .css = { "comm2", "comm" }, .n = 2 },
		{ .title = "copy", .sets = { &s->copy }, .css = { "copy" }, .n = 1 },
		{ .title = "waits", .sets = { &s->wait }, .css = { "wait" }, .n = 1 },
	};

	write_steps(g, p);
	for (size_t i = 0; i < ARRAY_LEN(lanes); i++)
		write_lane(g, &lanes[i]);
	write_gap_lane(g, &p->u->gaps);
	write_gap_labels(g, p->u);
}

void html_timeline(const struct page *p)
{
	struct buf body = { 0 }, grid = { 0 };
	struct plot g = { .out = &body, .y = 4 };

	section_open(p->out, "timeline", "Timeline", "");
	if (!html_range(p->u, &g.range)) {
		buf_str(p->out, "<p>The capture has no events with times.</p>\n");
		section_close(p->out);
		return;
	}
	plot_edges(&g);
	write_lanes(&g, p);
	write_axis(&g, &grid, 4);
	buf_str(p->out, "<p class=\"intro\">Rank ");
	html_rank(p, p->u->rank);
	buf_str(p->out, ". A column is ");
	html_time(p->out, g.edges[1] - g.edges[0]);
	buf_str(p->out, " wide, its height the exact share of that time with work; pale: some work, however little.</p>\n<figure "
		"class=\"scroll\">\n");
	buf_printf(p->out, "<svg class=\"timeline\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Timeline of host and device work\">\n",
		LEFT + COLUMNS + RIGHT,
		g.y);
	buf_add(p->out, grid.p, grid.n);
	buf_add(p->out, body.p, body.n);
	buf_str(p->out, "</svg>\n</figure>\n");
	buf_done(&grid);
	buf_done(&body);
	write_legend(p->out);
	if (g.range.host_left_out > 0) {
		buf_str(p->out, "<p class=\"note\">");
		html_time(p->out, g.range.host_left_out);
		buf_str(p->out, " of host work lies far outside of this range and is not drawn.</p>\n");
	}
	section_close(p->out);
}
