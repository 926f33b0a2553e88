/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names from files are data: whatever bytes they hold, what reaches a terminal, a report or JSON is valid UTF-8 without control characters.
 */
#ifndef ASCOPE_CORE_BASE_UTF8_H
#define ASCOPE_CORE_BASE_UTF8_H

#include "core/base/str.h"

/* Decodes one character at s.p (s.n > 0); *cp is U+FFFD for a malformed byte. Returns the bytes used (1 for a malformed one). */
size_t utf8_next(struct str s, uint32_t *cp);
size_t utf8_put(uint32_t cp, char out[4]);			/* bytes written; surrogates and values over U+10FFFF become U+FFFD */

/* True for C0, DEL, C1, line and paragraph separators, and the bidirectional controls that can reorder a line. */
bool utf8_is_control(uint32_t cp);

/* Terminal columns of a character: 0 combining, 2 wide (East Asian, emoji), else 1. Independent of the locale. */
int    utf8_width(uint32_t cp);
size_t utf8_columns(struct str s);

/*
 * Safe text: control characters as \n, \t, \xNN or \u{NNNN}, malformed bytes as \xNN, everything else unchanged.
 * utf8_clean() fills out[size], NUL-terminated, cut at a character boundary; utf8_add_clean() appends without limit.
 */
void utf8_clean(struct str s, char *out, size_t size);
void utf8_add_clean(struct buf *b, struct str s);

#endif
