/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTML report's treemap: device operators by total time, laid out in rows of boxes as square as they can be. Areas are exact shares; what
 * is too small to be drawn apart is one box. A label stands only where it fits.
 */
#include "core/report/html_private.h"

#include "core/base/utf8.h"

#include <stdio.h>

enum { WIDTH = 1200, HEIGHT = 380, BOXES = 48 };

struct box {
	double x, y, w, h;
};

/* The worst ratio of sides of boxes of these areas in a row along `side`. */
static double worst_ratio(double sum, double least, double most, double side)
{
	double a = side * side * most / (sum * sum), b = sum * sum / (side * side * least);

	return MAX(a, b);
}

/* Puts areas[from, to) in one row at the edge of `space`, and takes the row off the space. */
static void place_row(const double *areas, size_t from, size_t to, double sum, struct box *space, struct box *out)
{
	bool upright = space->w >= space->h;
	double thick = sum / (upright ? space->h : space->w), at = upright ? space->y : space->x;

	for (size_t i = from; i < to; i++) {
		double length = areas[i] / thick;

		out[i] = upright ? (struct box){ space->x, at, thick, length } : (struct box){ at, space->y, length, thick };
		at += length;
	}
	if (upright) {
		space->x += thick;
		space->w = MAX(space->w - thick, 0);
	} else {
		space->y += thick;
		space->h = MAX(space->h - thick, 0);
	}
}

/* areas: falling, all above 0, adding up to the area of the space. */
static void squarify(const double *areas, size_t n, struct box space, struct box *out)
{
	for (size_t from = 0, to; from < n; from = to) {
		double side = MIN(space.w, space.h), sum = areas[from];

		/* Only rounding leaves no space before the last box. */
		if (side < 1e-6) {
			out[from] = (struct box){ space.x, space.y, 0, 0 };
			to = from + 1;
			continue;
		}
		for (to = from + 1; to < n; to++) {
			if (worst_ratio(sum + areas[to], areas[to], areas[from], side) > worst_ratio(sum, areas[to - 1], areas[from], side))
				break;
			sum += areas[to];
		}
		place_row(areas, from, to, sum, &space, out);
	}
}

static void write_label(const struct page *p, const struct box *b, struct str name, double share)
{
	double room = (b->w - 12) / 7.3;
	struct buf clean = { 0 };
	size_t columns;

	if (room < 4 || b->h < 20)
		return;
	report_name(&clean, name, HTML_NAME);
	columns = utf8_columns((struct str){ clean.p, clean.n });
	/* A wide character takes two columns and at least three bytes, so bytes are a safe measure for cutting. */
	if ((double)columns <= room || room >= 7) {
		buf_printf(p->out, "<text x=\"%.1f\" y=\"%.1f\">", b->x + 6, b->y + 15);
		html_str(p->out, name, (double)columns <= room ? (size_t)HTML_NAME : (size_t)room);
		buf_str(p->out, "</text>");
		if (b->h >= 36 && room >= 6)
			buf_printf(p->out, "<text class=\"pct\" x=\"%.1f\" y=\"%.1f\">%.1f %%</text>", b->x + 6, b->y + 30, share);
	}
	buf_done(&clean);
}

static void write_box(const struct page *p, const struct box *b, const char *css, struct str name, int64_t ns)
{
	double share = 100.0 * (double)ns / (double)p->u->ops.device_ns;

	buf_printf(p->out, "<g><rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>", css, b->x, b->y,
		MAX(b->w, 0.1), MAX(b->h, 0.1));
	html_str(p->out, name, HTML_NAME);
	buf_str(p->out, ", ");
	html_time(p->out, ns);
	buf_printf(p->out, ", %.2f %%</title></rect>", share);
	write_label(p, b, name, share);
	buf_str(p->out, "</g>\n");
}

/* What one box stands for: a row of the table, or (row == SIZE_MAX) all that are not drawn apart. */
struct tile {
	size_t row;
	int64_t ns;
};

/* Tiles by falling time. Returns how many. */
static size_t choose_tiles(const struct op_table *t, struct tile tiles[BOXES + 1], size_t *others)
{
	size_t n = 0, at;
	int64_t rest = 0;

	for (; n < MIN(t->ndevice, (size_t)BOXES) && t->rows[n].total_ns > 0 && (double)t->rows[n].total_ns >= 2e-4 * (double)t->device_ns; n++)
		tiles[n] = (struct tile){ n, t->rows[n].total_ns };
	for (size_t i = n; i < t->ndevice; i++)
		rest += t->rows[i].total_ns;
	*others = t->ndevice - n;
	if (rest <= 0)
		return n;
	for (at = n; at > 0 && tiles[at - 1].ns < rest; at--)
		tiles[at] = tiles[at - 1];
	tiles[at] = (struct tile){ SIZE_MAX, rest };
	return n + 1;
}

void html_treemap(const struct page *p)
{
	const struct op_table *t = &p->u->ops;
	struct tile tiles[BOXES + 1];
	double areas[BOXES + 1];
	struct box boxes[BOXES + 1];
	size_t others, n = choose_tiles(t, tiles, &others);
	char rest[64];

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		areas[i] = (double)tiles[i].ns / (double)t->device_ns * WIDTH * HEIGHT;
	squarify(areas, n, (struct box){ 0, 0, WIDTH, HEIGHT }, boxes);
	snprintf(rest, sizeof rest, "%zu %s", others, others == 1 ? "other" : "others");
	section_open(p->out, "treemap", "Operators by total time", "Area is the share of the sum over all device operators, colour the class.");
	buf_printf(p->out, "<figure class=\"scroll\">\n<svg class=\"treemap\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Operators "
		"by total time\">\n", WIDTH,
		HEIGHT);
	for (size_t i = 0; i < n; i++)
		if (tiles[i].row == SIZE_MAX)
			write_box(p, &boxes[i], "k9", str_of(rest), tiles[i].ns);
		else
			write_box(p, &boxes[i], class_css(t->rows[tiles[i].row].class.class), names_str(&p->a->c->names,
				t->rows[tiles[i].row].name), tiles[i].ns);
	buf_str(p->out, "</svg>\n</figure>\n");
	section_close(p->out);
}
