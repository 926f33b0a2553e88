/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/str.h"

#include "core/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static char ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool str_is_nocase(struct str a, struct str b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (ascii_lower(a.p[i]) != ascii_lower(b.p[i]))
			return false;
	return true;
}

bool str_has(struct str s, struct str part)
{
	for (size_t i = 0; i + part.n <= s.n; i++)
		if (memcmp(s.p + i, part.p, part.n) == 0)
			return true;
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str str_trim(struct str s)
{
	while (s.n && is_blank(s.p[0]))
		s.p++, s.n--;
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool str_to_u64(struct str s, uint64_t *out)
{
	uint64_t v = 0;

	if (!s.n)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		unsigned d = (unsigned)(s.p[i] - '0');

		if (d > 9 || v > (UINT64_MAX - d) / 10)
			return false;
		v = v * 10 + d;
	}
	*out = v;
	return true;
}

bool str_like(struct str s, const char *glob)
{
	for (; *glob; glob++) {
		if (*glob == '*') {
			for (size_t i = 0; i <= s.n; i++)
				if (str_like((struct str){ s.p + i, s.n - i }, glob + 1))
					return true;
			return false;
		}
		if (*glob == '#') {
			size_t digits = 0;

			while (digits < s.n && s.p[digits] >= '0' && s.p[digits] <= '9')
				digits++;
			if (!digits)
				return false;
			s.p += digits, s.n -= digits;
			continue;
		}
		if (!s.n || s.p[0] != *glob)
			return false;
		s.p++, s.n--;
	}
	return s.n == 0;
}

static void buf_room(struct buf *b, size_t more)
{
	if (b->n + more + 1 <= b->cap)
		return;
	b->cap = MAX(b->cap * 2, b->n + more + 64);
	b->p = mem_resize(b->p, b->cap, 1);
}

void buf_add(struct buf *b, const char *text, size_t n)
{
	buf_room(b, n);
	if (n)
		memcpy(b->p + b->n, text, n);
	b->n += n;
	b->p[b->n] = '\0';
}

void buf_str(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n <= 0)
		return;
	buf_room(b, (size_t)n);
	va_start(ap, fmt);
	vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}

void buf_done(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ 0 };
}
