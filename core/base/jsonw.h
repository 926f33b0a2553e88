/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON out, into a buf. Call order: jw_open('{'), then jw_key + value pairs or the jw_*_of shorthands, jw_close(); commas and indents are
 * the writer's business. Text is written as valid UTF-8 with control characters escaped: a reader gets back what the file held, malformed
 * bytes as U+FFFD.
 */
#ifndef ASCOPE_CORE_BASE_JSONW_H
#define ASCOPE_CORE_BASE_JSONW_H

#include "core/base/str.h"

enum { JSONW_DEPTH = 32 };

struct jsonw {
	struct buf *out;
	int depth;
	bool has_items[JSONW_DEPTH], after_key;
	char closer[JSONW_DEPTH];
};

void jw_open(struct jsonw *w, char bracket);		/* '{' or '[' */
void jw_close(struct jsonw *w);
void jw_key(struct jsonw *w, const char *key);
void jw_str(struct jsonw *w, struct str s);
void jw_int(struct jsonw *w, int64_t v);
void jw_num(struct jsonw *w, double v);			/* null when not finite; shortest text that reads back the same, at most 17 digits */
void jw_us(struct jsonw *w, int64_t ns);		/* nanoseconds as exact microseconds, "12.345" as a number */
void jw_bool(struct jsonw *w, bool v);
void jw_null(struct jsonw *w);

/* key and value in one call */
void jw_str_of(struct jsonw *w, const char *key, const char *text);	/* null for NULL */
void jw_int_of(struct jsonw *w, const char *key, int64_t v);
void jw_open_of(struct jsonw *w, const char *key, char bracket);

#endif
