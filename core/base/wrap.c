/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/wrap.h"

#include "core/base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

static void add_blanks(struct buf *out, size_t n)
{
	while (n--)
		buf_char(out, ' ');
}

/* Adds a word character by character, breaking the line where it is full. Returns the column after it. */
static size_t add_long_word(struct buf *out, struct str word, size_t indent, size_t at, size_t columns)
{
	while (word.n) {
		uint32_t cp;
		size_t n = utf8_next(word, &cp), w = (size_t)utf8_width(cp);

		if (at + w > columns && at > indent) {
			buf_char(out, '\n');
			add_blanks(out, indent);
			at = indent;
		}
		buf_add(out, word.p, n);
		at += w;
		word.p += n, word.n -= n;
	}
	return at;
}

static struct str next_word(struct str *text)
{
	struct str word;

	while (text->n && text->p[0] == ' ')
		text->p++, text->n--;
	word = *text;
	while (text->n && text->p[0] != ' ')
		text->p++, text->n--;
	word.n -= text->n;
	return word;
}

void wrap_text(struct buf *out, struct str text, size_t indent, size_t at, size_t columns)
{
	struct buf clean = { 0 };
	struct str rest, word;
	bool first = true;

	utf8_add_clean(&clean, text);
	rest = (struct str){ clean.p ? clean.p : "", clean.n };
	if (at < indent) {
		add_blanks(out, indent - at);
		at = indent;
	}
	while ((word = next_word(&rest)).n) {
		size_t w = utf8_columns(word), gap = first ? 0 : 1;

		if (!first && at + gap + w > columns) {
			buf_char(out, '\n');
			add_blanks(out, indent);
			at = indent;
			gap = 0;
		}
		add_blanks(out, gap);
		at = add_long_word(out, word, indent, at + gap, columns);
		first = false;
	}
	buf_char(out, '\n');
	buf_done(&clean);
}

/* Bytes of the longest beginning (or ending) of s that takes at most `columns`. */
static size_t head_bytes(struct str s, size_t columns)
{
	size_t at = 0, used = 0;

	while (at < s.n) {
		uint32_t cp;
		size_t n = utf8_next((struct str){ s.p + at, s.n - at }, &cp), w = (size_t)utf8_width(cp);

		if (used + w > columns)
			break;
		used += w;
		at += n;
	}
	return at;
}

void wrap_fit(struct buf *out, struct str text, size_t columns)
{
	struct buf clean = { 0 };
	size_t width, cut;

	utf8_add_clean(&clean, text);
	width = utf8_columns((struct str){ clean.p, clean.n });
	if (width > columns && columns > 4) {
		size_t head = head_bytes((struct str){ clean.p, clean.n }, (columns - 2) / 3);
		struct str tail = { clean.p + head, clean.n - head };

		while (tail.n && utf8_columns(tail) > columns - 2 - (columns - 2) / 3) {
			uint32_t cp;

			cut = utf8_next(tail, &cp);
			tail.p += cut, tail.n -= cut;
		}
		buf_add(out, clean.p, head);
		buf_str(out, "..");
		buf_add(out, tail.p, tail.n);
		width = utf8_columns((struct str){ clean.p, head }) + 2 + utf8_columns(tail);
	} else {
		buf_add(out, clean.p ? clean.p : "", clean.n);
	}
	if (width < columns)
		add_blanks(out, columns - width);
	buf_done(&clean);
}

void wrap_bytes(struct buf *out, int64_t bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB" };
	double v = (double)bytes;
	size_t u = 0;

	while (v >= 999.5 && u + 1 < ARRAY_LEN(units)) {
		v /= 1000;
		u++;
	}
	buf_printf(out, u == 0 || v >= 99.95 ? "%.0f %s" : v >= 9.995 ? "%.1f %s" : "%.2f %s", v, units[u]);
}

void wrap_count(struct buf *out, int64_t n)
{
	char digits[32];
	size_t len;

	snprintf(digits, sizeof digits, "%" PRId64, n);
	len = strlen(digits);
	for (size_t i = 0; i < len; i++) {
		if (i && digits[i - 1] != '-' && (len - i) % 3 == 0)
			buf_char(out, ' ');
		buf_char(out, digits[i]);
	}
}

void wrap_time(struct buf *out, int64_t ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = { { 1, "ns" }, { 1e3, "us" }, { 1e6, "ms" }, { 1e9, "s" } };
	double size = ns < 0 ? -(double)ns : (double)ns;
	size_t u = 0;

	while (u + 1 < ARRAY_LEN(units) && size >= 999.5 * units[u].ns)
		u++;
	size /= units[u].ns;
	buf_printf(out, u == 0 ? "%s%.0f %s" : size >= 99.95 ? "%s%.1f %s" : size >= 9.995 ? "%s%.2f %s" : "%s%.3f %s", ns < 0 ? "-" : "", size,
		units[u].unit);
}
