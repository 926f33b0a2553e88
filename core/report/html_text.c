/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of the HTML report: safe text, figures, tables. */
#include "core/report/html_private.h"

#include "core/base/wrap.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void escape(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		switch (s.p[i]) {
		case '<':
			buf_str(out, "&lt;");
			break;
		case '>':
			buf_str(out, "&gt;");
			break;
		case '&':
			buf_str(out, "&amp;");
			break;
		case '"':
			buf_str(out, "&quot;");
			break;
		case '\'':
			buf_str(out, "&#39;");
			break;
		default:
			buf_char(out, s.p[i]);
		}
}

void html_str(struct buf *out, struct str s, size_t most)
{
	struct buf clean = { 0 };

	/* A name of megabytes need not be cleaned whole to show its beginning. */
	if (s.n > most + 4)
		s.n = most + 4;
	report_name(&clean, s, most);
	escape(out, (struct str){ clean.p ? clean.p : "", clean.n });
	buf_done(&clean);
}

void html_text(struct buf *out, const char *text)
{
	html_str(out, str_of(text ? text : ""), HTML_TEXT);
}

void html_sentence(struct buf *out, const char *text)
{
	struct str s = str_of(text ? text : "");
	size_t word = 0;

	/* Only a plain word before another one gets its capital: a name stays what it is. */
	while (word < s.n && s.p[word] >= 'a' && s.p[word] <= 'z')
		word++;
	if (word && word + 1 < s.n && s.p[word] == ' ' && s.p[word + 1] >= 'a' && s.p[word + 1] <= 'z') {
		buf_char(out, (char)(s.p[0] - 'a' + 'A'));
		s.p++, s.n--;
	}
	html_str(out, s, HTML_TEXT);
	if (s.n && !strchr(".?!", s.p[s.n - 1]))
		buf_char(out, '.');
}

void html_name(const struct page *p, uint32_t name)
{
	struct str s = names_str(&p->a->c->names, name);

	html_str(p->out, s.n ? s : STR("(no name)"), HTML_NAME);
}

void html_time(struct buf *out, int64_t ns)
{
	if (ns == NO_TIME)
		buf_char(out, '-');
	else
		wrap_time(out, ns);
}

void html_fixed(struct buf *out, int64_t ns, int64_t per, int decimals)
{
	static const int64_t tens[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
	uint64_t size, whole, rest, scale = (uint64_t)tens[MIN(MAX(decimals, 0), 6)];

	if (ns == NO_TIME) {
		buf_char(out, '-');
		return;
	}
	size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	whole = size / (uint64_t)per;
	rest = (size % (uint64_t)per * scale + (uint64_t)per / 2) / (uint64_t)per;
	if (rest == scale) {
		whole++;
		rest = 0;
	}
	if (ns < 0)
		buf_char(out, '-');
	wrap_count(out, (int64_t)whole);
	if (scale > 1)
		buf_printf(out, ".%0*" PRIu64, decimals, rest);
}

void html_percent(struct buf *out, double part, double whole)
{
	if (whole > 0 && isfinite(part))
		buf_printf(out, "%.1f %%", 100.0 * part / whole);
	else
		buf_char(out, '-');
}

void html_rank(const struct page *p, int rank)
{
	int id = rank >= 0 && (size_t)rank < p->a->c->nranks ? p->a->c->ranks[rank].id : -1;

	if (id >= 0)
		buf_printf(p->out, "%d", id);
	else
		buf_char(p->out, '-');
}

void section_open(struct buf *out, const char *id, const char *title, const char *intro)
{
	buf_printf(out, "<section id=\"%s\">\n<h2>%s</h2>\n", id, title);
	if (intro[0])
		buf_printf(out, "<p class=\"intro\">%s</p>\n", intro);
}

void section_close(struct buf *out)
{
	buf_str(out, "</section>\n");
}

void table_open(struct buf *out, const char *class, const char *heads)
{
	buf_printf(out, "<div class=\"scroll\">\n<table class=\"%s\">\n<thead><tr>", class);
	while (*heads) {
		size_t n = strcspn(heads, "|");
		bool number = heads[0] == '#';

		buf_str(out, number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
		buf_add(out, heads + number, n - number);
		buf_str(out, "</th>");
		heads += n + (heads[n] == '|');
	}
	buf_str(out, "</tr></thead>\n<tbody>\n");
}

void table_close(struct buf *out, size_t left, const char *what, int64_t what_ns)
{
	buf_str(out, "</tbody>\n</table>\n</div>\n");
	if (!left)
		return;
	buf_str(out, "<p class=\"note\">");
	wrap_count(out, (int64_t)left);
	buf_printf(out, " more %s", what);
	if (what_ns != NO_TIME) {
		buf_str(out, ", ");
		wrap_time(out, what_ns);
		buf_str(out, " in all");
	}
	buf_str(out, ": <code>--json</code> lists them.</p>\n");
}

void cell_text(struct buf *out, const char *text)
{
	buf_str(out, "<td class=\"text\">");
	html_text(out, text);
	buf_str(out, "</td>");
}

void cell_name(const struct page *p, uint32_t name)
{
	buf_str(p->out, "<th scope=\"row\" class=\"name\">");
	html_name(p, name);
	buf_str(p->out, "</th>");
}

void cell_count(struct buf *out, size_t n)
{
	buf_str(out, "<td class=\"n\">");
	wrap_count(out, (int64_t)n);
	buf_str(out, "</td>");
}

void cell_us(struct buf *out, int64_t ns)
{
	buf_str(out, "<td class=\"n\">");
	html_fixed(out, ns, 1000, 1);
	buf_str(out, "</td>");
}

void cell_ms(struct buf *out, int64_t ns)
{
	buf_str(out, "<td class=\"n\">");
	html_fixed(out, ns, 1000000, 3);
	buf_str(out, "</td>");
}

void cell_value(struct buf *out, double value, const char *unit)
{
	buf_str(out, "<td class=\"n\">");
	report_value(out, value, unit);
	buf_str(out, "</td>");
}

const char *bottleneck_css(enum bottleneck b)
{
	static const char *const css[] = { [BN_HOST] = "host", [BN_COMPUTE] = "comp", [BN_COMM] = "comm", [BN_COPY] = "copy", [BN_NONE] = "none" };

	return (unsigned)b <= BN_NONE ? css[b] : "none";
}

const char *class_css(enum class_id c)
{
	static const char *const css[CLASS_MAX] = {
		[CLASS_MATMUL] = "k0", [CLASS_CONV] = "k0", [CLASS_ATTENTION] = "k1", [CLASS_COLLECTIVE] = "k2", [CLASS_COPY] = "k3",
		[CLASS_NORM] = "k4", [CLASS_SOFTMAX] = "k4", [CLASS_ACTIVATION] = "k5", [CLASS_MOE] = "k6", [CLASS_ELEMENTWISE] = "k7",
		[CLASS_REDUCE] = "k7", [CLASS_QUANT] = "k6", [CLASS_ROTARY] = "k8", [CLASS_KV_CACHE] = "k8", [CLASS_EMBEDDING] = "k8",
		[CLASS_TRANSPOSE] = "k3", [CLASS_MOVE] = "k8", [CLASS_CAST] = "k4", [CLASS_OPTIMIZER] = "k5", [CLASS_AICPU] = "k10",
	};

	return (unsigned)c < CLASS_MAX && css[c] ? css[c] : "k9";
}
