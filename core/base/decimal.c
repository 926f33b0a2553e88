/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A number as digits of an integer and a power of ten: value = mantissa * 10^exponent, plus a hint for what was cut off. */
struct decimal {
	uint64_t mantissa;
	int64_t exponent;
	bool negative;
	bool dropped;			/* the number has more digits than the mantissa holds (19 or so) */
	int first_dropped;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void decimal_push(struct decimal *d, int digit, bool fraction)
{
	if (d->mantissa < (UINT64_MAX - 9) / 10 && !d->dropped) {
		d->mantissa = d->mantissa * 10 + (uint64_t)digit;
		d->exponent -= fraction;
		return;
	}
	if (!d->dropped)
		d->first_dropped = digit;
	d->dropped = true;
	d->exponent += !fraction;
}

static bool decimal_exponent(const char **p, const char *end, int64_t *out)
{
	int64_t v = 0;
	bool minus = false;

	if (*p < end && (**p == '+' || **p == '-'))
		minus = *(*p)++ == '-';
	if (*p == end || !is_digit(**p))
		return false;
	for (; *p < end && is_digit(**p); ++*p)
		v = MIN(v * 10 + (**p - '0'), 1000000);
	*out = minus ? -v : v;
	return true;
}

static bool decimal_parse(struct str s, struct decimal *d)
{
	const char *p = s.p, *end = s.p + s.n;
	bool digits = false;
	int64_t exp = 0;

	*d = (struct decimal){ 0 };
	if (p < end && (*p == '-' || *p == '+'))
		d->negative = *p++ == '-';
	for (; p < end && is_digit(*p); p++, digits = true)
		decimal_push(d, *p - '0', false);
	if (p < end && *p == '.')
		for (p++; p < end && is_digit(*p); p++, digits = true)
			decimal_push(d, *p - '0', true);
	if (!digits)
		return false;
	if (p < end && (*p == 'e' || *p == 'E') && (p++, !decimal_exponent(&p, end, &exp)))
		return false;
	d->exponent += exp;
	return p == end;
}

/* Divides by 10^n, rounding half away from zero: the highest digit taken off decides. */
static uint64_t decimal_shrink(uint64_t v, int64_t n)
{
	uint64_t rest = 0;

	if (n > 20)
		return 0;
	for (; n > 0; n--) {
		rest = v % 10;
		v /= 10;
	}
	return v + (rest >= 5);
}

bool decimal_to_int(struct str s, int scale, int64_t *out)
{
	struct decimal d;
	int64_t shift;
	uint64_t v;

	if (!decimal_parse(s, &d))
		return false;
	shift = d.exponent + scale;
	v = shift < 0 ? decimal_shrink(d.mantissa, -shift) : d.mantissa;
	if (shift == 0 && d.dropped && d.first_dropped >= 5)
		v++;
	for (; shift > 0 && v; shift--) {
		if (v > UINT64_MAX / 10)
			return false;
		v *= 10;
	}
	if (v > (uint64_t)INT64_MAX)
		return false;
	*out = d.negative ? -(int64_t)v : (int64_t)v;
	return true;
}

/* Up to 15 digits without sign, fraction or exponent: most counters and counts. */
static bool small_integer(struct str s, double *out)
{
	int64_t v = 0;

	if (!s.n || s.n > 15)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (!is_digit(s.p[i]))
			return false;
		v = v * 10 + (s.p[i] - '0');
	}
	*out = (double)v;
	return true;
}

bool decimal_to_double(struct str s, double *out)
{
	static const double ten[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
		1e18, 1e19, 1e20, 1e21, 1e22 };
	struct decimal d;
	char text[64];

	if (small_integer(s, out))
		return true;
	if (!decimal_parse(s, &d))
		return false;
	if (d.mantissa < (uint64_t)1 << 53 && !d.dropped && d.exponent >= -22 && d.exponent <= 22) {
		double v = (double)d.mantissa;

		v = d.exponent < 0 ? v / ten[-d.exponent] : v * ten[d.exponent];
		*out = d.negative ? -v : v;
		return true;
	}
	/* Without a decimal point strtod() gives the same in every locale. */
	snprintf(text, sizeof text, "%s%" PRIu64 "e%" PRId64, d.negative ? "-" : "", d.mantissa, d.exponent);
	*out = strtod(text, NULL);
	return isfinite(*out);
}
