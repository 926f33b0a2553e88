/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the HTML report share: text made safe, cells, tables, and the sections in the order of the page. Only analysis_html.c
 * calls the sections. Every text that comes from a file goes through html_str() or one of its relatives. Times are ns unless named us.
 * Caps on rows and on the length of names keep the page near 1 MB whatever the capture is; what is left out is counted on the page.
 */
#ifndef ASCOPE_CORE_REPORT_HTML_PRIVATE_H
#define ASCOPE_CORE_REPORT_HTML_PRIVATE_H

#include "core/report/analysis_report.h"

enum { HTML_NAME = 96, HTML_TEXT = 1600 };	/* bytes of a name, of a sentence */

/* One page under construction. u is the headline unit; only sections that need none are called when it is NULL. */
struct page {
	const struct analysis *a;
	const struct unit *u;
	struct buf *out;
};

/* ---- html_text.c: pieces ---------------------------------------------------------------------------------------------------------------- */

void html_str(struct buf *out, struct str s, size_t most);	/* clean, cut with "..", and escaped */
void html_text(struct buf *out, const char *text);		/* a sentence; NULL is empty */
void html_sentence(struct buf *out, const char *text);		/* the same with a capital letter and a full stop */
void html_name(const struct page *p, uint32_t name);		/* of the capture's names; "(no name)" for the empty one */
void html_time(struct buf *out, int64_t ns);			/* in the unit that reads best; "-" for NO_TIME */
/* ns / per with thousands apart and that many decimals (0 to 6): figures of one unit below each other. "-" for NO_TIME. */
void html_fixed(struct buf *out, int64_t ns, int64_t per, int decimals);
void html_percent(struct buf *out, double part, double whole);	/* "12.3 %"; "-" when whole is not positive */
void html_rank(const struct page *p, int rank);			/* its number by index into capture.ranks; "-" when it has none */

void section_open(struct buf *out, const char *id, const char *title, const char *intro);	/* intro: plain text, "" none */
void section_close(struct buf *out);

/* A table that scrolls sideways. heads: titles separated by '|'; one that begins with '#' is a column of numbers. */
void table_open(struct buf *out, const char *class, const char *heads);
/* left > 0 is said below: "12 more operators, 3.2 ms in all". what_ns NO_TIME: no time is said. */
void table_close(struct buf *out, size_t left, const char *what, int64_t what_ns);
void cell_text(struct buf *out, const char *text);		/* a whole <td>, escaped */
void cell_name(const struct page *p, uint32_t name);		/* a whole <th scope="row"> */
void cell_count(struct buf *out, size_t n);			/* a whole number's <td> */
void cell_us(struct buf *out, int64_t ns);			/* us with one decimal, of a column that says "us" */
void cell_ms(struct buf *out, int64_t ns);			/* ms with three decimals */
void cell_value(struct buf *out, double value, const char *unit);

const char *bottleneck_css(enum bottleneck b);			/* the colour's class: "host", "comp", "comm", "copy", "none" */
const char *class_css(enum class_id c);				/* "k0" ... "k9": the same for a class in every report */

/* ---- sections --------------------------------------------------------------------------------------------------------------------------- */

void html_gauges(const struct page *p);			/* html_verdict.c */
void html_evidence(const struct page *p);
void html_figures(const struct page *p);
void html_ranks(const struct page *p);
void html_timeline(const struct page *p);		/* html_timeline.c */
void html_gaps(const struct page *p);			/* html_gaps.c */
void html_comm(const struct page *p);
void html_classes(const struct page *p);		/* html_shares.c */
void html_treemap(const struct page *p);		/* html_treemap.c */
void html_operators(const struct page *p);		/* html_shares.c */
void html_findings(const struct page *p);		/* html_findings.c */
void html_advice(const struct page *p);
void html_checks(const struct page *p);			/* html_checks.c */
void html_silent(const struct page *p);
void html_thresholds(const struct page *p);

/* The n longest gaps of the headline unit, longest first, equal ones by start; indexes into gaps.items. Returns how many. */
size_t html_longest_gaps(const struct unit *u, size_t *out, size_t n);

/* What the timeline draws: window and device work, and the host's where it does not dwarf them. False when there is nothing to draw. */
struct range {
	int64_t start, end;
	int64_t host_left_out;		/* ns of host work outside */
};

bool html_range(const struct unit *u, struct range *r);

#endif
