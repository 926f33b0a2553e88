/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One CSV cell as a value. The text must have CELL_PAD readable bytes behind it (whatever they hold), as the fields of csv.h have: short
 * numbers are read eight bytes at a time. Exact: no double on the way to an integer.
 */
#ifndef ASCOPE_CORE_LOAD_CELL_H
#define ASCOPE_CORE_LOAD_CELL_H

#include "core/base/str.h"

enum { CELL_PAD = 8 };

/* Times and sizes are below this, so that the sum of two fits: 2^62 ns are 146 years. */
#define CELL_MAX ((int64_t)1 << 62)

enum cell {
	CELL_VALUE,
	CELL_MISSING,			/* empty, N/A, NULL, nan, inf, "-" and other ways to say that there is none */
	CELL_ODD,			/* text, or a number that does not fit */
};

/* The number times 10^scale, rounded half away from zero (scale 0..9), within +-INT64_MAX. */
enum cell cell_int(struct str s, int scale, int64_t *out);

/* The number times bytes_each (1 to 2^30): KB and MB are powers of 1024. Exact where the file gives 12 decimals or fewer. */
enum cell cell_bytes(struct str s, int64_t bytes_each, int64_t *out);

enum cell cell_real(struct str s, double *out);

/* True for text that says "no value" in a text column: empty, N/A, NULL. */
bool cell_is_missing_text(struct str s);

#endif
