/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/table/cell.h"

#include "core/base/decimal.h"

#include <math.h>

/* A plain decimal: value = digits / 10^fraction, at most 19 digits. */
struct number {
	uint64_t digits;
	unsigned fraction;
	bool point, negative;
};

/* Appends the n (1..8) characters at p: digits, and the point when it was not seen yet. False when there is anything else. */
static inline bool number_add(struct number *num, const char *p, size_t n)
{
	uint64_t w = number_word(p, n), mark = word_mark(w, NUMBER_POINT);
	size_t count = n;

	if (mark) {
		if (num->point)
			return false;
		num->point = true;
		num->fraction = 7 - (unsigned)word_first(mark);
		w = number_squeeze(w, mark);
		count--;
	} else if (num->point) {
		num->fraction += (unsigned)n;
	}
	num->digits = num->digits * cell_power[count] + word_digits(w);
	return !word_above_9(w);
}

/* False for whatever is not a plain decimal of at most 19 digits; decimal.h settles those. */
static bool number_parse(struct str s, struct number *num)
{
	bool twenty;

	*num = (struct number){ 0 };
	if (s.n && *s.p == '-') {
		num->negative = true;
		s.p++, s.n--;
	}
	if (s.n <= 1 ? s.n == 0 || *s.p == '.' : s.n > 20)
		return false;
	twenty = s.n == 20;
	for (; s.n > 8; s.p += 8, s.n -= 8)
		if (!number_add(num, s.p, 8))
			return false;
	return number_add(num, s.p, s.n) && (num->point || !twenty);
}

static inline struct str trim_end(struct str s)
{
	while (s.n && (unsigned char)s.p[s.n - 1] <= ' ' && s.p[s.n - 1])
		s.n--;
	return s;
}

/* By far the most frequent cell that is no number. */
static inline bool is_na(struct str s)
{
	return s.n == 3 && memcmp(s.p, "N/A", 3) == 0;
}

bool cell_is_missing_text(struct str s)
{
	return s.n == 0 || is_na(s) || (s.n == 4 && memcmp(s.p, "NULL", 4) == 0);
}

/* "host" is what api_statistic writes as Device_id. */
static bool is_missing_number(struct str s)
{
	static const char *const words[] = {
		"N/A", "NULL", "NA", "nan", "-nan", "inf", "+inf", "-inf", "infinity", "-infinity", "none", "-", "--", "host",
	};

	if (cell_is_missing_text(s))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_is_nocase(s, str_of(words[i])))
			return true;
	return false;
}

static enum cell cell_int_slow(struct str s, int scale, int64_t *out)
{
	s = str_trim(s);
	if (is_missing_number(s))
		return CELL_MISSING;
	return decimal_to_int(s, scale, out) ? CELL_VALUE : CELL_ODD;
}

/* digits / 10^fraction * 10^scale */
static inline bool number_scale(const struct number *num, int scale, uint64_t *out)
{
	int up = scale - (int)num->fraction;
	uint64_t v = num->digits;

	if (up > 0 && v > (uint64_t)INT64_MAX / cell_power[up])
		return false;
	if (up > 0)
		v *= cell_power[up];
	else if (up < 0)
		v = (v + cell_power[-up] / 2) / cell_power[-up];
	*out = v;
	return v <= (uint64_t)INT64_MAX;
}

enum cell cell_int_any(struct str s, int scale, int64_t *out)
{
	struct number num;
	uint64_t v;

	if (is_na(s))
		return CELL_MISSING;
	s = trim_end(s);
	if (!number_parse(s, &num) || !number_scale(&num, scale, &v))
		return cell_int_slow(s, scale, out);
	*out = num.negative ? -(int64_t)v : (int64_t)v;
	return CELL_VALUE;
}

static enum cell cell_bytes_slow(struct str s, int64_t bytes_each, int64_t *out)
{
	double v;

	s = str_trim(s);
	if (is_missing_number(s))
		return CELL_MISSING;
	if (!decimal_to_double(s, &v) || !(fabs(v) * (double)bytes_each < (double)CELL_MAX))
		return CELL_ODD;
	*out = (int64_t)llround(v * (double)bytes_each);
	return CELL_VALUE;
}

enum cell cell_bytes(struct str s, int64_t bytes_each, int64_t *out)
{
	const unsigned most = bytes_each > 1 << 20 ? 9 : 12;	/* decimals whose product with bytes_each fits 64 bits */
	struct number num;
	uint64_t whole, part, scale, each = (uint64_t)bytes_each;

	s = trim_end(s);
	if (!number_parse(s, &num))
		return cell_bytes_slow(s, bytes_each, out);
	whole = num.digits / cell_power[num.fraction];
	part = num.digits % cell_power[num.fraction];
	if (num.fraction > most)
		part /= cell_power[num.fraction - most];
	scale = cell_power[MIN(num.fraction, most)];
	if (whole >= (uint64_t)CELL_MAX / each - 1)
		return CELL_ODD;
	whole = whole * each + (part * each + scale / 2) / scale;
	*out = num.negative ? -(int64_t)whole : (int64_t)whole;
	return CELL_VALUE;
}

static enum cell cell_real_slow(struct str s, double *out)
{
	s = str_trim(s);
	if (is_missing_number(s))
		return CELL_MISSING;
	return decimal_to_double(s, out) ? CELL_VALUE : CELL_ODD;
}

enum cell cell_real_any(struct str s, double *out)
{
	struct number num;

	if (is_na(s))
		return CELL_MISSING;
	s = trim_end(s);
	/* Both operands are exact then, so the quotient is the nearest double. */
	if (!number_parse(s, &num) || num.digits >= (uint64_t)1 << 53)
		return cell_real_slow(s, out);
	*out = (double)num.digits / cell_tens[num.fraction];
	if (num.negative)
		*out = -*out;
	return CELL_VALUE;
}
