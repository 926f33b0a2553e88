/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns as people type them, on any text. Input: one byte of flags, the pattern up to a zero byte, the text. What was compiled to machine
 * code and what is interpreted must agree, unless one gave up; places lie inside the text and move on.
 */
#include "core/base/pattern.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void search(const struct pattern *p, const struct pattern *plain, struct str s)
{
	size_t from = 0;

	for (int i = 0; i < 8; i++) {
		struct pattern_span a = { 0, 0 }, b = { 0, 0 };
		enum pattern_hit x = pattern_find(p, s, from, &a), y = pattern_find(plain, s, from, &b);

		check(x == y || x == PATTERN_GAVE_UP || y == PATTERN_GAVE_UP);
		if (x == PATTERN_HIT && y == PATTERN_HIT)
			check(a.start == b.start && a.end == b.end);
		if (x != PATTERN_HIT)
			return;
		check(a.start <= a.end && a.end <= s.n);
		check(pattern_after(s, a) > a.start);
		from = MAX(pattern_after(s, a), from + 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pattern *p = NULL, *plain = NULL;
	const uint8_t *zero;
	struct str pattern, text;
	struct diag d;
	char line[700];
	unsigned flags;

	if (size < 2 || !(zero = memchr(data + 1, 0, size - 1)))
		return 0;
	flags = data[0] & (PATTERN_CASELESS | PATTERN_SMART_CASE | PATTERN_LITERAL | PATTERN_WHOLE);
	pattern = (struct str){ (const char *)data + 1, (size_t)(zero - data - 1) };
	text = (struct str){ (const char *)zero + 1, size - (size_t)(zero + 1 - data) };
	if (pattern_compile(pattern, flags, &p, &d) == ERR_OK) {
		check(pattern_compile(pattern, flags | PATTERN_PLAIN, &plain, NULL) == ERR_OK);
		check(pattern_is_caseless(p) == pattern_is_caseless(plain));
		search(p, plain, text);
	} else {
		check(!p);
		diag_format(&d, line, sizeof line);
	}
	pattern_free(p);
	pattern_free(plain);
	return 0;
}
