/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact decimal text to integers: profiler times have 19 significant digits, a double holds 16. Independent of the locale.
 */
#ifndef ASCOPE_CORE_BASE_DECIMAL_H
#define ASCOPE_CORE_BASE_DECIMAL_H

#include "core/base/str.h"

/*
 * A decimal number (sign, digits, fraction, exponent: JSON's grammar, and leading '+', '.' or zeros too) times 10^scale, rounded half away
 * from zero to an integer. Microseconds to ns: scale 3; milliseconds: 6; seconds: 9. False when the text is no number or does not fit.
 */
bool decimal_to_int(struct str s, int scale, int64_t *out);

/* The nearest double to the first 19 significant digits; false when the text is no finite number. */
bool decimal_to_double(struct str s, double *out);

#endif
