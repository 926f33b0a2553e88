/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps over JSON text, as fast as the bytes go by. Every function takes a position inside a buffer that is followed by JSON_PAD bytes of
 * padding (json_pad()), and returns the position after what it read, or NULL when the text is not valid there. Reading past `end` is
 * possible only within the padding; a result beyond `end` means that the text goes on after the buffer: the caller compares.
 *
 * Strings may hold raw control characters and malformed UTF-8 (profilers write both); everything else is held to the grammar, so that
 * damage is noticed where it is.
 */
#ifndef ASCOPE_CORE_LOAD_TRACE_JSON_SCAN_H
#define ASCOPE_CORE_LOAD_TRACE_JSON_SCAN_H

#include "core/base/str.h"

enum { JSON_PAD = 32, JSON_DEPTH = 64 };

/* Ends the buffer so that every loop stops: a quote ends a string, and zeros are no JSON. `end` must have JSON_PAD bytes of room. */
static inline void json_pad(char *end)
{
	memset(end, 0, JSON_PAD);
	*end = '"';
}

static inline const char *json_blank(const char *p)
{
	if (LIKELY((unsigned char)*p > ' '))
		return p;
	if (*p == ' ' && (unsigned char)p[1] > ' ')
		return p + 1;
	while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
		p++;
	return p;
}

/* A byte of the result is nonzero (its top bit) from the first byte of w that equals c on; higher bytes may be false alarms. */
static inline uint64_t bytes_equal(uint64_t w, unsigned char c)
{
	uint64_t x = w ^ (0x0101010101010101u * c);

	return (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
}

/* Distance to the first quote or backslash in the 8 bytes at p; 8 when there is none. Little-endian only where words are loaded. */
static inline unsigned quote_in_word(const char *p)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t w, hit;

	memcpy(&w, p, 8);
	hit = bytes_equal(w, '"') | bytes_equal(w, '\\');
	return hit ? (unsigned)__builtin_ctzll(hit) / 8 : 8;
#else
	unsigned i = 0;

	while (i < 8 && p[i] != '"' && p[i] != '\\')
		i++;
	return i;
#endif
}

/*
 * p is after the opening quote; returns the closing quote. *escaped is set when there are escapes. Needs `end` only to stop at a backslash
 * that is the buffer's last byte.
 */
static inline const char *json_string_end(const char *p, const char *end, bool *escaped)
{
	for (;;) {
		unsigned n = quote_in_word(p);

		p += n;
		if (n == 8)
			continue;
		if (*p == '"')
			return p;
		if (p + 1 >= end)
			return end;
		*escaped = true;
		p += 2;
	}
}

/* Numbers, true, false, null, and the NaN and Infinity that Python writes: a run of their characters, at least one. */
static inline bool json_is_scalar(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
}

static inline const char *json_scalar_end(const char *p)
{
	while (json_is_scalar(*p))
		p++;
	return p;
}

/*
 * Skips one value of any kind. Nesting deeper than JSON_DEPTH counts as invalid: no profiler nests more than a handful of levels, and the
 * bound keeps looking for the next event after damage linear.
 */
const char *json_skip(const char *p, const char *end);

/* Appends the text of a string (between its quotes) with escapes decoded; lone surrogates become U+FFFD. */
void json_unescape(struct str raw, struct buf *out);

#endif
