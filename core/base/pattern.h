/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions (PCRE2, 8-bit, UTF-8), for the tables that classify names and for what people type as a search. Compiled once, then
 * read by any number of threads at the same time. Every match is bounded: a pattern that needs too much gives up instead of hanging.
 * Text may hold any bytes: a malformed byte matches nothing but does no harm. '$' means the very end. Offsets are bytes.
 */
#ifndef ASCOPE_CORE_BASE_PATTERN_H
#define ASCOPE_CORE_BASE_PATTERN_H

#include "core/base/diag.h"
#include "core/base/str.h"

struct pattern;

enum {
	PATTERN_CASELESS = 1,		/* letters match in both cases */
	PATTERN_SMART_CASE = 2,		/* caseless unless the pattern itself asks for a capital ASCII letter */
	PATTERN_LITERAL = 4,		/* no character is special */
	PATTERN_WHOLE = 8,		/* the whole text must match */
	PATTERN_PLAIN = 16,		/* no machine code: for patterns that are tried only a few times */
};

enum pattern_hit {
	PATTERN_MISS,
	PATTERN_HIT,
	PATTERN_GAVE_UP,		/* a limit was reached: nothing is known about this text */
};

struct pattern_span {
	size_t start, end;		/* [start, end): empty matches are possible */
};

#define PATTERN_MAX_BYTES 4096		/* longer patterns are refused */

/*
 * Compiles `text` (need not be NUL-terminated). ERR_USAGE with the place and the reason in `d` when it is no pattern, ERR_LIMIT when it is
 * too long; *out is NULL then. The caller frees with pattern_free().
 */
enum err pattern_compile(struct str text, unsigned flags, struct pattern **out, struct diag *d);
void     pattern_free(struct pattern *p);		/* NULL is fine */

/*
 * The first match that starts at or after `from`, which is moved on when it stands inside a character; *span (NULL is fine) is set on a hit.
 * What is before `from` still counts for \b and ^. With PATTERN_WHOLE only from 0 can hit.
 */
enum pattern_hit pattern_find(const struct pattern *p, struct str s, size_t from, struct pattern_span *span);

/* True on a hit; a text that is given up on is no hit. */
bool pattern_has(const struct pattern *p, struct str s);

/* Where to look for the match after `span`: its end, or one character further when it is empty. May be s.n + 1, which finds nothing. */
size_t pattern_after(struct str s, struct pattern_span span);

/* Whether a pattern compiled with these flags ignores case; what PATTERN_SMART_CASE decided. */
bool pattern_is_caseless(const struct pattern *p);

#endif
