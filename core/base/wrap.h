/* SPDX-License-Identifier: Apache-2.0 */
/* Text for people: made safe, wrapped, with sizes and numbers as one reads them. */
#ifndef ASCOPE_CORE_BASE_WRAP_H
#define ASCOPE_CORE_BASE_WRAP_H

#include "core/base/str.h"

enum { TEXT_COLUMNS = 80 };

/*
 * Appends text wrapped at blanks to at most `columns` wide lines, each indented, the first one continuing at column `at` of the line that is
 * there. Control characters are made visible. A word longer than a line is broken. Ends with a line break.
 */
void wrap_text(struct buf *out, struct str text, size_t indent, size_t at, size_t columns);

/* Appends clean text cut to `columns` with ".." in the middle when it does not fit, padded on the right when it does. */
void wrap_fit(struct buf *out, struct str text, size_t columns);

/* "1.4 GB", "96 MB", "812 B": decimal units, three digits at most. */
void wrap_bytes(struct buf *out, int64_t bytes);

/* "5 812 004": thousands apart. */
void wrap_count(struct buf *out, int64_t n);

/* A duration in the unit that reads best: "231.0 ms", "12.3 us", "1.02 s". */
void wrap_time(struct buf *out, int64_t ns);

#endif
