/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One CSV cell as a value. The text must have CELL_PAD readable bytes behind it (whatever they hold), as the fields of csv.h have: short
 * numbers, nearly all cells of a table, are read eight bytes at a time. Exact: no double on the way to an integer.
 */
#ifndef ASCOPE_CORE_LOAD_TABLE_CELL_H
#define ASCOPE_CORE_LOAD_TABLE_CELL_H

#include "core/load/table/word.h"

enum { CELL_PAD = 8 };

/* Times and sizes are below this, so that the sum of two fits: 2^62 ns are 146 years. */
#define CELL_MAX ((int64_t)1 << 62)

enum cell {
	CELL_VALUE,
	CELL_MISSING,			/* empty, N/A, NULL, nan, inf, "-" and other ways to say that there is none */
	CELL_ODD,			/* text, or a number that does not fit */
};

/* As the calls without _any below, for texts of any length and kind. */
enum cell cell_int_any(struct str s, int scale, int64_t *out);
enum cell cell_real_any(struct str s, double *out);

/* The number times bytes_each (1 to 2^30): KB and MB are powers of 1024. Exact where the file gives 12 decimals or fewer. */
enum cell cell_bytes(struct str s, int64_t bytes_each, int64_t *out);

/* True for text that says "no value" in a text column: empty, N/A, NULL. */
bool cell_is_missing_text(struct str s);

static const double cell_tens[20] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
};

static const uint64_t cell_power[20] = {
	1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u, 1000000000u, 10000000000u, 100000000000u, 1000000000000u,
	10000000000000u, 100000000000000u, 1000000000000000u, 10000000000000000u, 100000000000000000u, 1000000000000000000u,
	10000000000000000000u,
};

/* A number in a word of characters less '0' each, zeros in front: the point squeezed out by moving what stands before it up a byte. */
static inline uint64_t number_squeeze(uint64_t w, uint64_t mark)
{
	uint64_t below = ((mark & (0 - mark)) >> 7) - 1;

	return (w & ~(below << 8 | 0xff)) | (w & below) << 8;
}

static inline uint64_t number_word(const char *p, size_t n)
{
	return (word_at(p) ^ WORD_OF('0')) << (64 - 8 * n);
}

#define NUMBER_POINT ('.' ^ '0')

/* Digits and a point in eight characters or fewer, what most cells hold; false for anything else. */
static inline bool number_short(struct str s, uint64_t *digits, unsigned *fraction)
{
	uint64_t w, mark;

	if (UNLIKELY(s.n - 1 >= 8))
		return false;
	w = number_word(s.p, s.n);
	mark = word_mark(w, NUMBER_POINT);
	*fraction = 0;
	if (mark) {
		w = number_squeeze(w, mark);
		*fraction = 7 - (unsigned)word_first(mark);
	}
	*digits = word_digits(w);
	return !word_above_9(w) && (s.n > 1 || !mark);
}

/* The number times 10^scale (0..9), rounded half away from zero, within +-INT64_MAX. */
static inline enum cell cell_int(struct str s, int scale, int64_t *out)
{
	uint64_t digits;
	unsigned fraction;

	if (UNLIKELY(!number_short(s, &digits, &fraction)) || (int)fraction > scale)
		return cell_int_any(s, scale, out);
	*out = (int64_t)(digits * cell_power[scale - (int)fraction]);
	return CELL_VALUE;
}

static inline enum cell cell_real(struct str s, double *out)
{
	uint64_t digits;
	unsigned fraction;

	/* Both operands are exact, so the quotient is the nearest double. */
	if (UNLIKELY(!number_short(s, &digits, &fraction)))
		return cell_real_any(s, out);
	*out = (double)(int64_t)digits / cell_tens[fraction];
	return CELL_VALUE;
}

#endif
