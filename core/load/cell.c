/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/cell.h"

#include "core/base/decimal.h"

#include <math.h>

#define BYTES(c) (0x0101010101010101u * (unsigned char)(c))

/* A plain decimal: value = digits / 10^fraction, at most 19 digits. */
struct number {
	uint64_t digits;
	unsigned fraction;
	bool negative;
};

static const uint64_t power[20] = { 1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u, 1000000000u, 10000000000u,
	100000000000u, 1000000000000u, 10000000000000u, 100000000000000u, 1000000000000000u, 10000000000000000u, 100000000000000000u,
	1000000000000000000u, 10000000000000000000u };

static inline uint64_t word_at(const char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof w);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

/* Eight digits 0-9, one a byte, the first in the lowest byte: pairs, then fours, then all. */
static inline uint64_t join_digits(uint64_t w)
{
	w = w * 10 + (w >> 8);
	return ((w & 0x000000ff000000ffu) * (100 + ((uint64_t)1000000 << 32)) + ((w >> 16 & 0x000000ff000000ffu) * (1 + ((uint64_t)10000 << 32)))) >> 32;
}

/*
 * The n (1..8) characters at p appended to a number: digits, with a point somewhere when *point is not set yet. The point is squeezed out by
 * moving what stands before it up a byte; zeros are moved in at the front.
 */
static inline bool number_add(struct number *num, const char *p, size_t n, bool *point)
{
	uint64_t w = (word_at(p) ^ BYTES('0')) << (64 - 8 * n);
	uint64_t x = w ^ BYTES('.' ^ '0'), mark = (x - BYTES(1)) & ~x & BYTES(0x80);
	size_t count = n;

	if (mark) {
		uint64_t below = ((mark & (0 - mark)) >> 7) - 1;

		if (*point)
			return false;
		*point = true;
		num->fraction = 7 - (unsigned)(__builtin_ctzll(mark) >> 3);
		w = (w & ~(below << 8 | 0xff)) | (w & below) << 8;
		count--;
	} else if (*point) {
		num->fraction += (unsigned)n;
	}
	if (((w + BYTES(0x76)) | w) & BYTES(0x80))
		return false;
	num->digits = num->digits * power[count] + join_digits(w);
	return true;
}

/* False for whatever is not a plain decimal of at most 19 digits; decimal.h settles those. */
static inline bool number_parse(struct str s, struct number *num)
{
	bool point = false, twenty;

	*num = (struct number){ 0 };
	if (s.n && *s.p == '-') {
		num->negative = true;
		s.p++, s.n--;
	}
	if (s.n <= 1 ? s.n == 0 || *s.p == '.' : s.n > 20)
		return false;
	twenty = s.n == 20;
	for (; s.n > 8; s.p += 8, s.n -= 8)
		if (!number_add(num, s.p, 8, &point))
			return false;
	return number_add(num, s.p, s.n, &point) && (point || !twenty);
}

static inline struct str trim_end(struct str s)
{
	while (s.n && (unsigned char)s.p[s.n - 1] <= ' ' && s.p[s.n - 1])
		s.n--;
	return s;
}

bool cell_is_missing_text(struct str s)
{
	return s.n == 0 || (s.n == 3 && memcmp(s.p, "N/A", 3) == 0) || (s.n == 4 && memcmp(s.p, "NULL", 4) == 0);
}

/* "host" is what api_statistic writes as Device_id. */
static bool is_missing_number(struct str s)
{
	static const char *const words[] = { "N/A", "NULL", "NA", "nan", "-nan", "inf", "+inf", "-inf", "infinity", "-infinity", "none", "-", "--",
		"host" };

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

	if (up > 0 && v > (uint64_t)INT64_MAX / power[up])
		return false;
	if (up > 0)
		v *= power[up];
	else if (up < 0)
		v = (v + power[-up] / 2) / power[-up];
	*out = v;
	return v <= (uint64_t)INT64_MAX;
}

enum cell cell_int(struct str s, int scale, int64_t *out)
{
	struct number num;
	uint64_t v;

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
	whole = num.digits / power[num.fraction];
	part = num.digits % power[num.fraction];
	if (num.fraction > most)
		part /= power[num.fraction - most];
	scale = power[MIN(num.fraction, most)];
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

enum cell cell_real(struct str s, double *out)
{
	static const double tens[20] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
		1e19 };
	struct number num;

	s = trim_end(s);
	/* Both operands are exact then, so the quotient is the nearest double. */
	if (!number_parse(s, &num) || num.digits >= (uint64_t)1 << 53)
		return cell_real_slow(s, out);
	*out = (double)num.digits / tens[num.fraction];
	if (num.negative)
		*out = -*out;
	return CELL_VALUE;
}
