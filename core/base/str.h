/* SPDX-License-Identifier: Apache-2.0 */
/* Text: slices that own nothing, and a builder that owns its bytes. */
#ifndef ASCOPE_CORE_BASE_STR_H
#define ASCOPE_CORE_BASE_STR_H

#include "core/base/base.h"

#include <string.h>

struct str {
	const char *p;
	size_t n;
};

#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })

static inline struct str str_of(const char *s)
{
	return (struct str){ s, s ? strlen(s) : 0 };
}

static inline bool str_is(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_begins(struct str s, struct str head)
{
	return s.n >= head.n && memcmp(s.p, head.p, head.n) == 0;
}

static inline bool str_ends(struct str s, struct str tail)
{
	return s.n >= tail.n && memcmp(s.p + s.n - tail.n, tail.p, tail.n) == 0;
}

bool       str_is_nocase(struct str a, struct str b);			/* ASCII letters only */
bool       str_has(struct str s, struct str part);
struct str str_trim(struct str s);					/* blanks, tabs, CR, LF at both ends */
bool       str_to_u64(struct str s, uint64_t *out);			/* decimal digits only, whole, no overflow */
bool       str_like(struct str s, const char *glob);			/* '*' any run, '#' a run of digits (at least one), else itself */

/* Text under construction. A zeroed struct is empty; text is NUL-terminated once anything was added. Freed by buf_done(). */
struct buf {
	char *p;
	size_t n, cap;
};

void buf_add(struct buf *b, const char *text, size_t n);
void buf_str(struct buf *b, const char *text);
void buf_char(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_done(struct buf *b);

#endif
