/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/jsonw.h"

#include "core/base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void jw_indent(struct jsonw *w)
{
	buf_char(w->out, '\n');
	for (int i = 0; i < w->depth; i++)
		buf_char(w->out, ' ');
}

/* What stands before any value: a comma and a line break, unless it follows a key. */
static void jw_lead(struct jsonw *w)
{
	if (w->after_key) {
		w->after_key = false;
		return;
	}
	if (!w->depth)
		return;
	if (w->has_items[w->depth])
		buf_char(w->out, ',');
	w->has_items[w->depth] = true;
	jw_indent(w);
}

void jw_open(struct jsonw *w, char bracket)
{
	jw_lead(w);
	buf_char(w->out, bracket);
	if (w->depth + 1 >= JSONW_DEPTH)
		abort();
	w->depth++;
	w->has_items[w->depth] = false;
	w->closer[w->depth] = bracket == '{' ? '}' : ']';
}

void jw_close(struct jsonw *w)
{
	bool any = w->has_items[w->depth];
	char closer = w->closer[w->depth];

	w->depth--;
	if (any)
		jw_indent(w);
	buf_char(w->out, closer);
	if (!w->depth)
		buf_char(w->out, '\n');
}

void jw_key(struct jsonw *w, const char *key)
{
	jw_str(w, str_of(key));
	buf_str(w->out, ": ");
	w->after_key = true;
}

static void jw_char(struct buf *out, uint32_t cp)
{
	static const char plain[] = "\b\f\n\r\t\"\\", letter[] = "bfnrt\"\\";
	const char *at = cp && cp < 0x80 ? strchr(plain, (int)cp) : NULL;
	char bytes[4];

	if (at) {
		buf_char(out, '\\');
		buf_char(out, letter[at - plain]);
	} else if (utf8_is_control(cp)) {
		buf_printf(out, "\\u%04x", (unsigned)cp);
	} else {
		buf_add(out, bytes, utf8_put(cp, bytes));
	}
}

void jw_str(struct jsonw *w, struct str s)
{
	jw_lead(w);
	buf_char(w->out, '"');
	while (s.n) {
		uint32_t cp;
		size_t n = utf8_next(s, &cp);

		jw_char(w->out, cp);
		s.p += n, s.n -= n;
	}
	buf_char(w->out, '"');
}

void jw_int(struct jsonw *w, int64_t v)
{
	jw_lead(w);
	buf_printf(w->out, "%" PRId64, v);
}

void jw_num(struct jsonw *w, double v)
{
	char text[40];

	if (!isfinite(v)) {
		jw_null(w);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, v);
		if (strtod(text, NULL) >= v && strtod(text, NULL) <= v)
			break;
	}
	for (char *p = text; *p; p++)		/* a locale may write a decimal comma */
		if (*p == ',')
			*p = '.';
	jw_lead(w);
	buf_str(w->out, text);
}

void jw_us(struct jsonw *w, int64_t ns)
{
	uint64_t v = ns < 0 ? (uint64_t)0 - (uint64_t)ns : (uint64_t)ns;

	jw_lead(w);
	buf_printf(w->out, "%s%" PRIu64 ".%03" PRIu64, ns < 0 ? "-" : "", v / 1000, v % 1000);
}

void jw_bool(struct jsonw *w, bool v)
{
	jw_lead(w);
	buf_str(w->out, v ? "true" : "false");
}

void jw_null(struct jsonw *w)
{
	jw_lead(w);
	buf_str(w->out, "null");
}

void jw_str_of(struct jsonw *w, const char *key, const char *text)
{
	jw_key(w, key);
	if (text)
		jw_str(w, str_of(text));
	else
		jw_null(w);
}

void jw_int_of(struct jsonw *w, const char *key, int64_t v)
{
	jw_key(w, key);
	jw_int(w, v);
}

void jw_open_of(struct jsonw *w, const char *key, char bracket)
{
	jw_key(w, key);
	jw_open(w, bracket);
}
