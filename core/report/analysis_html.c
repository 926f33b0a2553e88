/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analysis as one HTML page that needs nothing else: no script, no font, no image; the policy in its head forbids them all. Sections
 * stand in the order of the reasoning. The same analysis gives the same bytes.
 */
#include "core/report/html_private.h"

#include "core/base/wrap.h"

enum { NOTES_SHOWN = 20 };

static const char *const style =
#define CSS(text) text "\n"
#include "core/report/html_style.def"
#undef CSS
	;

static void write_head(const struct page *p)
{
	struct buf *out = p->out;

	buf_str(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
		"dark\">\n<title>");
	html_str(out, str_of(p->a->c->root), 200);
	buf_str(out, " - ascope</title>\n<style>\n");
	buf_str(out, style);
	buf_str(out, "</style>\n</head>\n<body>\n<main>\n");
}

static void fact_count(struct buf *out, const char *title, size_t n)
{
	buf_printf(out, "<div><dt>%s</dt><dd>", title);
	wrap_count(out, (int64_t)n);
	buf_str(out, "</dd></div>\n");
}

/* The first rank that names it speaks for the capture. */
static uint32_t first_name(const struct analysis *a, size_t offset)
{
	for (size_t i = 0; i < a->c->nranks; i++) {
		uint32_t name;

		memcpy(&name, (const char *)&a->c->ranks[i].info + offset, sizeof name);
		if (name)
			return name;
	}
	return 0;
}

static void write_run(const struct page *p)
{
	static const struct {
		const char *title;
		size_t offset;
	} names[] = { { "device", offsetof(struct run_info, device_type) }, { "CANN", offsetof(struct run_info, cann) },
		{ "torch_npu", offsetof(struct run_info, torch_npu) }, { "framework", offsetof(struct run_info, framework) },
		{ "level", offsetof(struct run_info, level) }, { "metrics", offsetof(struct run_info, aic_metrics) } };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		uint32_t name = first_name(p->a, names[i].offset);

		if (!name)
			continue;
		buf_printf(p->out, "<div><dt>%s</dt><dd>", names[i].title);
		html_name(p, name);
		buf_str(p->out, "</dd></div>\n");
	}
}

static void write_facts(const struct page *p)
{
	size_t host = 0, device = 0, steps = 0;

	for (size_t i = 0; i < p->a->nunits; i++) {
		const struct unit *u = &p->a->units[i];
		const size_t *n = u->work->counts;

		host += n[WORK_HOST_OP] + n[WORK_HOST_RUNTIME] + n[WORK_HOST_QUEUE] + n[WORK_HOST_FRAME] + n[WORK_HOST_GC]
			+ n[WORK_STEP_MARK] + n[WORK_MARK];
		device += n[WORK_COMPUTE] + n[WORK_COMMUNICATION] + n[WORK_COPY];
		steps += u->steps.n;
	}
	buf_str(p->out, "<dl class=\"facts\">\n");
	fact_count(p->out, "ranks", p->a->c->nranks);
	fact_count(p->out, "host events", host);
	fact_count(p->out, "device events", device);
	fact_count(p->out, "steps", steps);
	if (p->u) {
		buf_str(p->out, "<div><dt>window</dt><dd>");
		report_us(p->out, p->u->scopes[0].v[IND_WALL]);
		buf_str(p->out, "</dd></div>\n<div><dt>mean step</dt><dd>");
		report_us(p->out, p->u->scopes[0].v[IND_AVG_STEP]);
		buf_printf(p->out, "</dd></div>\n<div><dt>source</dt><dd>%s</dd></div>\n", p->u->work->from_table ? "kernel table" : "timeline");
	}
	write_run(p);
	buf_str(p->out, "</dl>\n");
}

static void write_verdict(const struct page *p)
{
	const struct verdict *v = p->u ? &p->u->verdicts[0] : NULL;

	buf_printf(p->out, "<header class=\"%s\">\n<p class=\"path\">", bottleneck_css(v ? v->headline : BN_NONE));
	html_str(p->out, str_of(p->a->c->root), 400);
	buf_str(p->out, "</p>\n<h1>");
	html_text(p->out, p->a->sentence);
	buf_str(p->out, "</h1>\n");
	if (v) {
		buf_printf(p->out, "<p class=\"sub\">Scope overall, confidence %s", confidence_key(v->confidence));
		if (p->a->c->nranks > 1) {
			buf_str(p->out, ", rank ");
			html_rank(p, p->u->rank);
			buf_printf(p->out, " of %zu", p->a->c->nranks);
		}
		buf_str(p->out, ".</p>\n");
	}
	write_facts(p);
	if (p->a->advice.n) {
		buf_str(p->out, "<p class=\"first\">First: ");
		for (size_t i = 0; i < MIN(p->a->advice.n, (size_t)3); i++) {
			buf_str(p->out, i ? " &middot; <a href=\"#advice\">" : "<a href=\"#advice\">");
			html_text(p->out, p->a->advice.items[i].title);
			buf_str(p->out, "</a>");
		}
		buf_str(p->out, "</p>\n");
	}
	buf_str(p->out, "</header>\n");
}

static void write_contents(const struct page *p)
{
	static const struct {
		const char *id, *text;
	} links[] = { { "gauges", "Scores" }, { "evidence", "Evidence" }, { "ranks", "Ranks" }, { "timeline", "Timeline" }, { "classes",
		"Classes" },
		{ "operators", "Operators" }, { "gaps", "Gaps" }, { "communication", "Communication" }, { "findings", "Findings" },
			{ "advice", "Advice" },
		{ "checks", "Cross-check" }, { "silent", "Not evaluable" }, { "figures", "Figures" }, { "thresholds", "Thresholds" } };

	buf_str(p->out, "<nav>");
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		buf_printf(p->out, "<a href=\"#%s\">%s</a> ", links[i].id, links[i].text);
	buf_str(p->out, "</nav>\n");
}

static void write_steps_source(const struct page *p)
{
	const struct steps *s = &p->u->steps;

	buf_printf(p->out, "<section id=\"steps\">\n<h2>Steps and phases</h2>\n<p>%zu %s, from %s, confidence %s. ", s->n,
		s->n == 1 ? "step" : "steps",
		step_source_key(s->source), confidence_key(s->confidence));
	html_sentence(p->out, s->reason);
	buf_printf(p->out, "</p>\n<p>Phases, confidence %s: ", confidence_key(s->phase_confidence));
	html_sentence(p->out, s->phase_reason);
	buf_str(p->out, "</p>\n");
	section_close(p->out);
}

/* What the loader said about the whole. */
static void write_notes(const struct page *p)
{
	const struct capture *c = p->a->c;
	size_t shown = MIN(c->nnotes, (size_t)NOTES_SHOWN);

	if (!shown)
		return;
	buf_str(p->out, "<section id=\"notes\">\n<h2>About the capture</h2>\n<ul>\n");
	for (size_t i = 0; i < shown; i++) {
		buf_str(p->out, "<li>");
		html_sentence(p->out, c->notes[i]);
		buf_str(p->out, "</li>\n");
	}
	buf_str(p->out, "</ul>\n");
	if (c->nnotes > shown)
		buf_printf(p->out, "<p class=\"note\">%zu more: <code>ascope info</code> lists them.</p>\n", c->nnotes - shown);
	section_close(p->out);
}

void analysis_write_html(const struct analysis *a, struct buf *out)
{
	static void (*const sections[])(const struct page *) = { write_contents, html_gauges, html_evidence, html_ranks, html_timeline,
		write_steps_source, html_classes, html_treemap, html_operators, html_gaps, html_comm };
	static void (*const for_all[])(const struct page *) = { html_findings, html_advice, html_checks, html_silent, write_notes };
	struct page p = { .a = a, .u = analysis_headline(a), .out = out };

	write_head(&p);
	write_verdict(&p);
	for (size_t i = 0; p.u && i < ARRAY_LEN(sections); i++)
		sections[i](&p);
	for (size_t i = 0; i < ARRAY_LEN(for_all); i++)
		for_all[i](&p);
	if (p.u)
		html_figures(&p);
	html_thresholds(&p);
	buf_printf(out, "</main>\n<footer>ascope %s. The capture was not changed.</footer>\n</body>\n</html>\n", ASCOPE_VERSION);
}
