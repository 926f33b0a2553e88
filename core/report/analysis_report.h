/* SPDX-License-Identifier: Apache-2.0 */
/* The faces of an analysis without a terminal: JSON (docs/analyze.md), text of 80 columns, Markdown, HTML. All read the same struct. */
#ifndef ASCOPE_CORE_REPORT_ANALYSIS_REPORT_H
#define ASCOPE_CORE_REPORT_ANALYSIS_REPORT_H

#include "core/analysis/analysis.h"
#include "core/base/str.h"

void analysis_write_json(const struct analysis *a, struct buf *out);
void analysis_write_text(const struct analysis *a, struct buf *out);
void analysis_write_markdown(const struct analysis *a, struct buf *out);
void analysis_write_html(const struct analysis *a, struct buf *out);	/* one page that opens offline; about 1 MB at most */

/* "1 349.2 ms", "60.0 us": microseconds in the unit that reads best; "-" when unknown. */
void report_us(struct buf *out, double us);
/* A value with its unit as people read it: percent with one decimal, us by size, ratios with two, counts apart; "-" when unknown. */
void report_value(struct buf *out, double value, const char *unit);
/* "3.2x over its gate", "0.6 points short": how far a value is from its gate. */
void report_distance(struct buf *out, const struct gate *g);
/* Text with control characters made visible, cut to `most` bytes at a character with ".." at the end. */
void report_name(struct buf *out, struct str name, size_t most);

const char *scope_key(const struct scope *s);		/* "overall", "prefill", "decode" */

#endif
