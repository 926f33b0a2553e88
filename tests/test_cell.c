/* SPDX-License-Identifier: Apache-2.0 */
/* CSV cells as numbers: the short ways against the exact ones of core/base/decimal.h, strtod(), and figures worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/base/decimal.h"
#include "core/load/table/cell.h"

#include <stdio.h>
#include <stdlib.h>

/* The text with bytes behind it that would change the number if they were taken for a part of it. */
static struct str padded(const char *text, char out[128])
{
	size_t n = strlen(text);

	assert_true(n < 100);
	memset(out, '7', 128);
	memcpy(out, text, n);
	return (struct str){ out, n };
}

struct number_case {
	const char *text;
	int scale;
	enum cell cell;
	int64_t value;
};

static void test_integers(void **state)
{
	static const struct number_case cases[] = {
		{ "0", 0, CELL_VALUE, 0 },			{ "4294967295", 0, CELL_VALUE, 4294967295 },
		{ "1736408883704643.212", 3, CELL_VALUE, 1736408883704643212 },
		{ "1736408883704643.212\t", 3, CELL_VALUE, 1736408883704643212 },
		{ " 1695115378713661 ", 3, CELL_VALUE, 1695115378713661000 },
		{ "53.741", 3, CELL_VALUE, 53741 },		{ "734.370000", 3, CELL_VALUE, 734370 },
		{ "0.0004", 3, CELL_VALUE, 0 },			{ "0.0005", 3, CELL_VALUE, 1 },
		{ "-0.0005", 3, CELL_VALUE, -1 },		{ "-12.5", 3, CELL_VALUE, -12500 },
		{ "1e-05", 6, CELL_VALUE, 10 },			{ "1.5E3", 0, CELL_VALUE, 1500 },
		{ "+7", 0, CELL_VALUE, 7 },			{ ".5", 3, CELL_VALUE, 500 },
		{ "5.", 3, CELL_VALUE, 5000 },			{ "12345678.", 0, CELL_VALUE, 12345678 },
		{ "9223372036854775807", 0, CELL_VALUE, INT64_MAX },
		{ "9223372036854775808", 0, CELL_ODD, 0 },	{ "18446744073709551615", 0, CELL_ODD, 0 },
		{ "12345678901234567890", 0, CELL_ODD, 0 },	{ "9223372036854775.8075", 3, CELL_ODD, 0 },
		{ "1234567890.1234567890", 0, CELL_VALUE, 1234567890 },
		{ "", 0, CELL_MISSING, 0 },			{ "\t", 0, CELL_MISSING, 0 },
		{ "N/A", 0, CELL_MISSING, 0 },			{ "N/A\t", 0, CELL_MISSING, 0 },
		{ "NULL", 0, CELL_MISSING, 0 },			{ "nan", 0, CELL_MISSING, 0 },
		{ "NaN", 0, CELL_MISSING, 0 },			{ "inf", 0, CELL_MISSING, 0 },
		{ "-Infinity", 0, CELL_MISSING, 0 },		{ "-", 0, CELL_MISSING, 0 },
		{ "host", 0, CELL_MISSING, 0 },			{ ".", 0, CELL_ODD, 0 },
		{ "-.", 0, CELL_ODD, 0 },			{ "1.2.3", 0, CELL_ODD, 0 },
		{ "1234567.8.9", 0, CELL_ODD, 0 },		{ "12 3", 0, CELL_ODD, 0 },
		{ "0x10", 0, CELL_ODD, 0 },			{ "1e", 0, CELL_ODD, 0 },
		{ "--1", 0, CELL_ODD, 0 },			{ "Prefill", 0, CELL_ODD, 0 },
		{ "\xef\xbc\x91", 0, CELL_ODD, 0 },		{ "1:2", 0, CELL_ODD, 0 },
		{ "1/2", 0, CELL_ODD, 0 },			{ "123456789012345678901234567890", 0, CELL_ODD, 0 },
		{ "0.00000000000000000000000000005", 9, CELL_VALUE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char room[128];
		int64_t v = 0;
		enum cell got = cell_int(padded(cases[i].text, room), cases[i].scale, &v);

		if (got != cases[i].cell || (got == CELL_VALUE && v != cases[i].value))
			fail_msg("\"%s\": %d, %lld", cases[i].text, (int)got, (long long)v);
	}
}

static uint64_t rng_next(uint64_t *s)
{
	*s ^= *s << 13, *s ^= *s >> 7, *s ^= *s << 17;
	return *s;
}

/* A random number of up to 24 characters, now and then with something in it that does not belong. */
static void random_number(uint64_t *seed, char out[32])
{
	size_t n = 1 + rng_next(seed) % 24, point = rng_next(seed) % 30;
	bool negative = rng_next(seed) % 5 == 0;

	for (size_t i = 0; i < n; i++)
		out[i] = (char)('0' + rng_next(seed) % 10);
	if (point < n)
		out[point] = '.';
	if (negative)
		out[0] = '-';
	if (rng_next(seed) % 16 == 0)
		out[rng_next(seed) % n] = "/:.eE-+ \t\x80\xff"[rng_next(seed) % 11];
	out[n] = '\0';
}

static void test_random_numbers(void **state)
{
	uint64_t seed = 2463534242u;

	(void)state;
	for (int i = 0; i < 300000; i++) {
		char text[32], room[128];
		struct str s;
		int scale = (int)(rng_next(&seed) % 10);
		int64_t fast, exact;
		double real;

		random_number(&seed, text);
		s = padded(text, room);
		if (decimal_to_int(str_trim(s), scale, &exact)) {
			assert_int_equal(cell_int(s, scale, &fast), CELL_VALUE);
			if (fast != exact)
				fail_msg("\"%s\" scale %d: %lld, not %lld", text, scale, (long long)fast, (long long)exact);
		} else {
			assert_int_not_equal(cell_int(s, scale, &fast), CELL_VALUE);
		}
		if (s.n <= 19 && cell_real(s, &real) == CELL_VALUE && real != strtod(text, NULL))
			fail_msg("\"%s\": %.17g", text, real);
	}
}

static void test_reals(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{ "0.0", 0 }, { "0.027", 0.027 }, { "3.696", 3.696 }, { "124333600", 124333600 }, { "-1.5", -1.5 }, { "1e-05", 1e-05 },
		{ "158558.00000000032", 158558.00000000032 }, { "8873.756000000001", 8873.756000000001 },
		{ "6.849717316350341", 6.849717316350341 },
		{ "0.0005153", 0.0005153 }, { "100", 100 }, { "9007199254740993", 9007199254740992.0 }, { "\t4.5\t", 4.5 },
	};
	double v;
	char room[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(cell_real(padded(cases[i].text, room), &v), CELL_VALUE);
		assert_true(v == cases[i].value);
	}
	assert_int_equal(cell_real(padded("1e999", room), &v), CELL_ODD);
	assert_int_equal(cell_real(padded("N/A", room), &v), CELL_MISSING);
	assert_int_equal(cell_real(padded("Decode", room), &v), CELL_ODD);
}

static void test_bytes(void **state)
{
	static const struct {
		const char *text;
		int64_t each, value;
	} cases[] = {
		{ "18816.5", 1024, 19268096 },			{ "0.5", 1024, 512 },
		{ "954.3701171875", 1 << 20, 1000729600 },	{ "954.37060546875", 1 << 20, 1000730112 },
		{ "4304.97412109375", 1 << 20, 4514092544 },	{ "0.00000095367431640625", 1 << 20, 1 },
		{ "9.5367431640625e-07", 1 << 20, 1 },		{ "2109.6015625", 1 << 20, 2212077568 },
		{ "-1.5", 1024, -1536 },			{ "12345.678901234567", 1024, 12641975 },
		{ "17", 1, 17 },				{ "2.5", 1 << 30, 2684354560 },
		{ "0.0", 1 << 20, 0 },
	};
	char room[128];
	int64_t v;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(cell_bytes(padded(cases[i].text, room), cases[i].each, &v), CELL_VALUE);
		if (v != cases[i].value)
			fail_msg("\"%s\": %lld", cases[i].text, (long long)v);
	}
	assert_int_equal(cell_bytes(padded("9223372036854775807", room), 1024, &v), CELL_ODD);
	assert_int_equal(cell_bytes(padded("1e300", room), 1024, &v), CELL_ODD);
	assert_int_equal(cell_bytes(padded("", room), 1024, &v), CELL_MISSING);
	assert_int_equal(cell_bytes(padded("12 KB", room), 1024, &v), CELL_ODD);
}

/* Whole numbers of bytes, written as KB and MB with all their digits, come back as they were. */
static void test_bytes_exact(void **state)
{
	uint64_t seed = 12345;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		int64_t bytes = (int64_t)(rng_next(&seed) % ((uint64_t)1 << (10 + i % 30))), v;
		char text[64], room[128];

		snprintf(text, sizeof text, "%.12f", (double)bytes / 1048576);
		assert_int_equal(cell_bytes(padded(text, room), 1 << 20, &v), CELL_VALUE);
		assert_int_equal(v, bytes);
		snprintf(text, sizeof text, "%.17g", (double)bytes / 1024);
		assert_int_equal(cell_bytes(padded(text, room), 1 << 10, &v), CELL_VALUE);
		assert_int_equal(v, bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),	cmocka_unit_test(test_random_numbers),	cmocka_unit_test(test_reals),
		cmocka_unit_test(test_bytes),		cmocka_unit_test(test_bytes_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
