/* SPDX-License-Identifier: Apache-2.0 */
/* How figures are written for people: the same in text, Markdown, HTML and panes. */
#include "core/report/analysis_report.h"

#include "core/base/utf8.h"
#include "core/base/wrap.h"

#include <math.h>

void report_us(struct buf *out, double us)
{
	if (!isfinite(us) || fabs(us) > 9e15)
		buf_str(out, "-");
	else if (!(fabs(us) > 0))
		buf_str(out, "0 us");
	else
		wrap_time(out, (int64_t)(us * 1e3 + (us < 0 ? -0.5 : 0.5)));
}

/* A little is not nothing, and nearly all is not all: rounding to a tenth must not say so. */
static void report_percent(struct buf *out, double value)
{
	if (value > 0 && value < 0.05)
		buf_str(out, "under 0.1 %");
	else if (value < 100 && value >= 99.95)
		buf_str(out, "over 99.9 %");
	else
		buf_printf(out, "%.1f %%", value);
}

void report_value(struct buf *out, double value, const char *unit)
{
	if (!isfinite(value)) {
		buf_str(out, "-");
	} else if (strcmp(unit, "us") == 0 || strcmp(unit, "us/step") == 0) {
		report_us(out, value);
		buf_str(out, unit + 2);
	} else if (strcmp(unit, "%") == 0) {
		report_percent(out, value);
	} else if (unit[0] == '\0' && fabs(value) < 1 && fabs(value) > 0) {
		buf_printf(out, "%.2f", value);
	} else {
		buf_printf(out, fabs(value - floor(value)) > 0 ? "%.1f" : "%.0f", value);
		buf_printf(out, unit[0] && unit[0] != '/' ? " %s" : "%s", unit);
	}
}

void report_distance(struct buf *out, const struct gate *g)
{
	const char *unit = indicator_unit(g->indicator);
	double off = fabs(g->value - g->limit);

	if (!isfinite(g->value)) {
		buf_str(out, "not evaluable");
		return;
	}
	report_value(out, off, unit);
	buf_str(out, g->passed ? " past the gate" : " short of the gate");
}

void report_name(struct buf *out, struct str name, size_t most)
{
	struct buf clean = { 0 };
	size_t at = 0;

	utf8_add_clean(&clean, name);
	if (clean.n <= most) {
		buf_add(out, clean.p ? clean.p : "", clean.n);
	} else {
		while (at < clean.n) {
			uint32_t cp;
			size_t n = utf8_next((struct str){ clean.p + at, clean.n - at }, &cp);

			if (at + n + 2 > most)
				break;
			at += n;
		}
		buf_add(out, clean.p, at);
		buf_str(out, "..");
	}
	buf_done(&clean);
}
