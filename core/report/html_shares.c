/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report: device time by class as one bar, and the tables of operators. */
#include "core/report/html_private.h"

#include "core/base/wrap.h"

enum { DEVICE_ROWS = 100, HOST_ROWS = 40 };

/* Classes with time, most first; equal ones in order of the list. Returns how many. */
static size_t classes_by_time(const struct op_table *t, int out[CLASS_MAX])
{
	size_t n = 0;

	for (int c = 0; c < CLASS_MAX; c++) {
		size_t at = n;

		if (t->classes[c].total_ns <= 0)
			continue;
		while (at > 0 && t->classes[out[at - 1]].total_ns < t->classes[c].total_ns) {
			out[at] = out[at - 1];
			at--;
		}
		out[at] = c;
		n++;
	}
	return n;
}

void html_classes(const struct page *p)
{
	const struct op_table *t = &p->u->ops;
	int order[CLASS_MAX];
	size_t n = classes_by_time(t, order);

	section_open(p->out, "classes", "Device time by class", "Of the sum over all device operators: parallel ones count each. Union "
		"counts parallel time once.");
	if (!n) {
		buf_str(p->out, "<p>The capture has no device operators.</p>\n");
		section_close(p->out);
		return;
	}
	buf_str(p->out, "<div class=\"whole\">");
	for (size_t i = 0; i < n; i++) {
		const struct op_class_sum *s = &t->classes[order[i]];
		double share = 100.0 * (double)s->total_ns / (double)t->device_ns;

		buf_printf(p->out, "<div class=\"%s\" style=\"width:%.3f%%\" title=\"%s %.1f %%\">", class_css((enum class_id)order[i]), share,
			class_title((enum class_id)order[i]), share);
		if (share > 9)
			buf_printf(p->out, "<span>%s</span>", class_title((enum class_id)order[i]));
		buf_str(p->out, "</div>");
	}
	buf_str(p->out, "</div>\n");
	table_open(p->out, "classes", "class|#count|#total ms|#union ms|#share %");
	for (size_t i = 0; i < n; i++) {
		const struct op_class_sum *s = &t->classes[order[i]];

		buf_printf(p->out, "<tr><th scope=\"row\"><i class=\"dot %s\"></i>%s</th>", class_css((enum class_id)order[i]),
			class_title((enum class_id)order[i]));
		cell_count(p->out, s->count);
		cell_ms(p->out, s->total_ns);
		cell_ms(p->out, intervals_total(&s->set));
		buf_printf(p->out, "<td class=\"n\">%.2f</td></tr>\n", 100.0 * (double)s->total_ns / (double)t->device_ns);
	}
	table_close(p->out, 0, "", NO_TIME);
	section_close(p->out);
}

static void operator_row(const struct page *p, const struct op_row *o, int64_t whole)
{
	struct buf *out = p->out;
	bool device = o->side == SIDE_DEVICE;
	double share = whole > 0 ? 100.0 * (double)o->total_ns / (double)whole : 0;

	buf_str(out, "<tr>");
	cell_name(p, o->name);
	if (device)
		buf_printf(out, "<td><i class=\"dot %s\"></i>%s</td><td>%s</td>", class_css(o->class.class), class_key(o->class.class),
			core_key(o->core));
	else
		buf_printf(out, "<td>%s</td>", work_title(o->kind));
	cell_count(out, o->count);
	cell_ms(out, o->total_ns);
	cell_us(out, o->total_ns / (int64_t)MAX(o->count, (size_t)1));
	cell_us(out, o->p50_ns);
	cell_us(out, o->p95_ns);
	cell_us(out, o->max_ns);
	buf_printf(out, "<td class=\"n share\" style=\"background-size:%.1f%% 100%%\">%.2f</td>", MIN(share, 100.0), share);
	if (device)
		buf_printf(out, "<td>%s</td>", o->bound == BOUND_UNKNOWN ? "-" : o->bound == BOUND_NONE ? "latency" : bound_key(o->bound));
	else
		cell_ms(out, o->inclusive_ns);
	buf_str(out, "</tr>\n");
}

/* Rows [from, to), at most `most` of them. */
static void operator_rows(const struct page *p, size_t from, size_t to, size_t most, int64_t whole, const char *what)
{
	size_t shown = MIN(to - from, most);
	int64_t left = 0;

	for (size_t i = from; i < from + shown; i++)
		operator_row(p, &p->u->ops.rows[i], whole);
	for (size_t i = from + shown; i < to; i++)
		left += p->u->ops.rows[i].total_ns;
	table_close(p->out, to - from - shown, what, left);
}

void html_operators(const struct page *p)
{
	const struct op_table *t = &p->u->ops;

	section_open(p->out, "operators", "Operators", "");
	buf_str(p->out, "<h3>On the device</h3>\n<p class=\"intro\">Share is of the sum over all device operators, ");
	html_time(p->out, t->device_ns);
	buf_str(p->out, ". Bound names the unit that limits the kernels; latency: no unit does, the kernel is too small.</p>\n");
	table_open(p->out, "ops", "type|class|core|#count|#total ms|#mean us|#p50 us|#p95 us|#max us|#share %|bound");
	operator_rows(p, 0, t->ndevice, DEVICE_ROWS, t->device_ns, "device operators");
	if (t->n > t->ndevice) {
		buf_str(p->out, "<h3>On the host</h3>\n<p class=\"intro\">Self times: an operator inside another one counts in the inner one. "
			"Share is of all of them, CANN calls included: ");
		html_time(p->out, t->host_ns + t->runtime_ns);
		buf_str(p->out, ".</p>\n");
		table_open(p->out, "ops", "name|kind|#count|#self ms|#mean us|#p50 us|#p95 us|#max us|#share %|#with inner ms");
		operator_rows(p, t->ndevice, t->n, HOST_ROWS, t->host_ns + t->runtime_ns, "host operators and calls");
	}
	section_close(p->out);
}
