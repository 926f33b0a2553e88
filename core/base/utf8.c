/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/utf8.h"

#include <stdio.h>

static bool is_tail(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t utf8_next(struct str s, uint32_t *cp)
{
	static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char c = (unsigned char)s.p[0];
	size_t n = c < 0x80 ? 1 : (c & 0xe0) == 0xc0 ? 2 : (c & 0xf0) == 0xe0 ? 3 : (c & 0xf8) == 0xf0 ? 4 : 0;
	uint32_t v;

	*cp = 0xfffd;
	if (n == 1) {
		*cp = c;
		return 1;
	}
	if (n == 0 || n > s.n)
		return 1;
	v = c & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if (!is_tail(s.p[i]))
			return 1;
		v = v << 6 | ((unsigned char)s.p[i] & 0x3f);
	}
	if (v < least[n] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
		return 1;
	*cp = v;
	return n;
}

size_t utf8_put(uint32_t cp, char out[4])
{
	if (cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
		cp = 0xfffd;
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

bool utf8_is_control(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x2028 || cp == 0x2029 || cp == 0x61c
		|| (cp >= 0x200e && cp <= 0x200f) || (cp >= 0x202a && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069);
}

struct cp_range {
	uint32_t first, last;
};

/* Unicode 15: nonspacing and enclosing marks, joiners, variation selectors (the ranges that occur in practice). */
static const struct cp_range zero_width[] = {
	{ 0x300, 0x36f }, { 0x483, 0x489 }, { 0x591, 0x5bd }, { 0x5bf, 0x5bf }, { 0x5c1, 0x5c2 }, { 0x5c4, 0x5c5 }, { 0x5c7, 0x5c7 },
	{ 0x610, 0x61a }, { 0x64b, 0x65f }, { 0x670, 0x670 }, { 0x6d6, 0x6dc }, { 0x6df, 0x6e4 }, { 0x6e7, 0x6e8 }, { 0x6ea, 0x6ed },
	{ 0x93c, 0x93c }, { 0x941, 0x948 }, { 0x94d, 0x94d }, { 0xe31, 0xe31 }, { 0xe34, 0xe3a }, { 0xe47, 0xe4e }, { 0x1160, 0x11ff },
	{ 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200d }, { 0x2060, 0x2064 }, { 0x20d0, 0x20ff }, { 0x302a, 0x302d },
	{ 0x3099, 0x309a }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xfeff, 0xfeff }, { 0xe0100, 0xe01ef },
};

/* East Asian Wide and Fullwidth, and the emoji that terminals draw in two columns. */
static const struct cp_range double_width[] = {
	{ 0x1100, 0x115f }, { 0x231a, 0x231b }, { 0x2329, 0x232a }, { 0x23e9, 0x23ec }, { 0x23f0, 0x23f0 }, { 0x23f3, 0x23f3 },
	{ 0x25fd, 0x25fe }, { 0x2614, 0x2615 }, { 0x2648, 0x2653 }, { 0x267f, 0x267f }, { 0x2693, 0x2693 }, { 0x26a1, 0x26a1 },
	{ 0x26aa, 0x26ab }, { 0x26bd, 0x26be }, { 0x26c4, 0x26c5 }, { 0x26ce, 0x26ce }, { 0x26d4, 0x26d4 }, { 0x26ea, 0x26ea },
	{ 0x26f2, 0x26f3 }, { 0x26f5, 0x26f5 }, { 0x26fa, 0x26fa }, { 0x26fd, 0x26fd }, { 0x2705, 0x2705 }, { 0x270a, 0x270b },
	{ 0x2728, 0x2728 }, { 0x274c, 0x274c }, { 0x274e, 0x274e }, { 0x2753, 0x2755 }, { 0x2757, 0x2757 }, { 0x2795, 0x2797 },
	{ 0x27b0, 0x27b0 }, { 0x27bf, 0x27bf }, { 0x2b1b, 0x2b1c }, { 0x2b50, 0x2b50 }, { 0x2b55, 0x2b55 }, { 0x2e80, 0x303e },
	{ 0x3041, 0x33ff }, { 0x3400, 0x4dbf }, { 0x4e00, 0x9fff }, { 0xa000, 0xa4cf }, { 0xa960, 0xa97f }, { 0xac00, 0xd7a3 },
	{ 0xf900, 0xfaff }, { 0xfe10, 0xfe19 }, { 0xfe30, 0xfe6f }, { 0xff01, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x16fe0, 0x18aff },
	{ 0x1b000, 0x1b2ff }, { 0x1f004, 0x1f004 }, { 0x1f0cf, 0x1f0cf }, { 0x1f18e, 0x1f18e }, { 0x1f191, 0x1f19a }, { 0x1f200, 0x1f320 },
	{ 0x1f32d, 0x1f335 }, { 0x1f337, 0x1f37c }, { 0x1f37e, 0x1f393 }, { 0x1f3a0, 0x1f3ca }, { 0x1f3cf, 0x1f3d3 }, { 0x1f3e0, 0x1f3f0 },
	{ 0x1f3f4, 0x1f3f4 }, { 0x1f3f8, 0x1f43e }, { 0x1f440, 0x1f440 }, { 0x1f442, 0x1f4fc }, { 0x1f4ff, 0x1f53d }, { 0x1f54b, 0x1f567 },
	{ 0x1f57a, 0x1f57a }, { 0x1f595, 0x1f596 }, { 0x1f5a4, 0x1f5a4 }, { 0x1f5fb, 0x1f64f }, { 0x1f680, 0x1f6c5 }, { 0x1f6cc, 0x1f6cc },
	{ 0x1f6d0, 0x1f6df }, { 0x1f6eb, 0x1f6ec }, { 0x1f6f4, 0x1f6fc }, { 0x1f7e0, 0x1f7f0 }, { 0x1f90c, 0x1f9ff }, { 0x1fa70, 0x1faff },
	{ 0x20000, 0x2fffd }, { 0x30000, 0x3fffd },
};

static bool in_ranges(const struct cp_range *r, size_t n, uint32_t cp)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (cp > r[mid].last)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && cp >= r[lo].first;
}

int utf8_width(uint32_t cp)
{
	if (cp < 0x300)
		return 1;
	if (in_ranges(zero_width, ARRAY_LEN(zero_width), cp))
		return 0;
	return in_ranges(double_width, ARRAY_LEN(double_width), cp) ? 2 : 1;
}

size_t utf8_columns(struct str s)
{
	size_t columns = 0;

	while (s.n) {
		uint32_t cp;
		size_t n = utf8_next(s, &cp);

		columns += (size_t)utf8_width(cp);
		s.p += n, s.n -= n;
	}
	return columns;
}

/* The safe form of the character at s.p in out[16]; returns its length and sets *used. */
static size_t clean_next(struct str s, size_t *used, char out[16])
{
	uint32_t cp;

	*used = utf8_next(s, &cp);
	if (cp == 0xfffd && *used == 1)
		return (size_t)snprintf(out, 16, "\\x%02X", (unsigned char)s.p[0]);
	if (!utf8_is_control(cp)) {
		memcpy(out, s.p, *used);
		return *used;
	}
	if (cp == '\n' || cp == '\r' || cp == '\t')
		return (size_t)snprintf(out, 16, "\\%c", cp == '\n' ? 'n' : cp == '\r' ? 'r' : 't');
	return (size_t)snprintf(out, 16, cp < 0x100 ? "\\x%02X" : "\\u{%X}", (unsigned)cp);
}

void utf8_clean(struct str s, char *out, size_t size)
{
	size_t at = 0;

	while (s.n && size) {
		char safe[16];
		size_t used, n = clean_next(s, &used, safe);

		if (at + n >= size)
			break;
		memcpy(out + at, safe, n);
		at += n;
		s.p += used, s.n -= used;
	}
	if (size)
		out[at] = '\0';
}

void utf8_add_clean(struct buf *b, struct str s)
{
	while (s.n) {
		char safe[16];
		size_t used, n = clean_next(s, &used, safe);

		buf_add(b, safe, n);
		s.p += used, s.n -= used;
	}
}
