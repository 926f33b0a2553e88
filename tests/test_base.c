/* SPDX-License-Identifier: Apache-2.0 */
/* The base library against values computed another way: exact numbers, text that is safe to show, names, maps, memory, threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/base/arena.h"
#include "core/base/decimal.h"
#include "core/base/index_map.h"
#include "core/base/jsonw.h"
#include "core/base/mem.h"
#include "core/base/names.h"
#include "core/base/par.h"
#include "core/base/utf8.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__extension__ typedef __int128 wide;

static uint64_t rnd(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static size_t below(uint64_t *state, size_t n)
{
	return (size_t)(rnd(state) % n);
}

/* ---- decimal ------------------------------------------------------------------------------------------------------------------------- */

/* Computed with exact fractions in Python. */
static void test_decimal_table(void **state)
{
	static const struct {
		const char *text;
		int scale;
		bool ok;
		int64_t value;
	} t[] = {
		{ "1736414119636754.590", 3, true, INT64_C(1736414119636754590) },
		{ "1736413971558972.912", 3, true, INT64_C(1736413971558972912) },
		{ "1695115378713661", 3, true, INT64_C(1695115378713661000) },
		{ "1764246877082702.4400000000000000000000000000000000001", 3, true, INT64_C(1764246877082702440) },
		{ "1.76458440100043e15", 3, true, INT64_C(1764584401000430000) },
		{ "1.76458440100044E+15", 3, true, INT64_C(1764584401000440000) },
		{ "0", 3, true, 0 }, { "-0.0005", 3, true, -1 }, { "0.0005", 3, true, 1 }, { "0.0005000", 3, true, 1 },
		{ "0.00049999999999999999999", 3, true, 0 }, { "1e-05", 3, true, 0 }, { "4e-06", 3, true, 0 }, { "1e-05", 9, true, 10000 },
		{ "9223372036854775807", 0, true, INT64_MAX }, { "9223372036854775808", 0, false, 0 },
		{ "-9223372036854775807", 0, true, -INT64_MAX }, { "-9223372036854775808", 0, false, 0 },
		{ "9223372036854775806.5", 0, true, INT64_MAX }, { "9223372036854775807.4999", 0, true, INT64_MAX },
		{ "9223372036854775807.5", 0, false, 0 }, { "9223372036854775.807", 3, true, INT64_MAX },
		{ "9223372036854775.8075", 3, false, 0 }, { "9223372036854775.80749999999999999999999", 3, true, INT64_MAX },
		{ "92233720368547758.07", 3, false, 0 }, { "123456789012345678901234567890e-20", 3, true, INT64_C(1234567890123) },
		{ "0.000000000000000000000000000001e33", 3, true, 1000000 }, { "00012.5", 0, true, 13 }, { "+12.5", 0, true, 13 },
		{ "-12.5", 0, true, -13 }, { "12.4999999999999999999999999", 0, true, 12 }, { ".5", 0, true, 1 }, { "5.", 0, true, 5 },
		{ "1e0", 0, true, 1 }, { "1E+2", 0, true, 100 }, { "1e-1", 0, true, 0 }, { "15e-1", 0, true, 2 }, { "14e-1", 0, true, 1 },
		{ "1e18", 0, true, INT64_C(1000000000000000000) }, { "1e19", 0, false, 0 }, { "1e400", 0, false, 0 },
		{ "1e-400", 0, true, 0 },
		{ "0e400", 0, true, 0 }, { "1e99999999999999999999", 0, false, 0 }, { "1e-99999999999999999999", 0, true, 0 },
		{ "18446744073709551615", -1, true, INT64_C(1844674407370955162) },
		{ "18446744073709551616", -1, true, INT64_C(1844674407370955162) },
		{ "99999999999999999995e-1", -1, true, INT64_C(1000000000000000000) },
		{ "1844674407370955161.5", 0, true, INT64_C(1844674407370955162) },
		{ "1844674407370955160999e-3", 0, true, INT64_C(1844674407370955161) },
		{ "2.5", 0, true, 3 }, { "3.5", 0, true, 4 }, { "-2.5", 0, true, -3 }, { "0.05", 1, true, 1 }, { "123456", -3, true, 123 },
		{ "123500", -3, true, 124 }, { "999999999999999999999e-12", 0, true, 1000000000 },
		{ "49999999999999999999e-20", 0, true, 0 },
		{ "50000000000000000000e-20", 0, true, 1 }, { "8388.608", 6, true, INT64_C(8388608000) },
		{ "4294967295", 0, true, INT64_C(4294967295) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		int64_t v = 0;
		bool ok = decimal_to_int(str_of(t[i].text), t[i].scale, &v);

		if (ok != t[i].ok || (ok && v != t[i].value))
			fail_msg("%s scale %d: %d %" PRId64, t[i].text, t[i].scale, ok, v);
	}
}

static void test_decimal_refuses(void **state)
{
	static const char *const bad[] = { "", "-", "+", ".", "e5", "-.", "1e", "1e+", "1 ", " 1", "1..2", "1.2.3", "0x10", "1,5", "--1",
		"1e5.0", "NaN",
		"inf", "N/A", "1\t" };
	int64_t i = 77;
	double d = 77;

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(bad); k++)
		if (decimal_to_int(str_of(bad[k]), 3, &i) || decimal_to_double(str_of(bad[k]), &d))
			fail_msg("\"%s\" was taken", bad[k]);
	assert_false(decimal_to_int((struct str){ "1\0", 2 }, 0, &i));
	assert_true(i == 77 && fabs(d - 77) < 0.5);
	assert_false(decimal_to_double(STR("1e400"), &d));
}

/* value = digits * 10^shift rounded half away from zero, in 128 bits; false when it is no int64. */
static bool brute_scale(wide digits, int shift, int64_t *out)
{
	wide divisor = 1;

	for (; shift > 0; shift--)
		if ((digits *= 10) > (wide)INT64_MAX * 2)
			return false;
	for (; shift < 0 && divisor < (wide)1 << 100; shift++)
		divisor *= 10;
	digits = (digits * 2 + divisor) / (divisor * 2);
	*out = (int64_t)digits;
	return digits <= INT64_MAX;
}

static void test_decimal_brute_force(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		size_t whole = below(&seed, 20), fraction = below(&seed, 9), n = 0;
		int exp = below(&seed, 3) ? 0 : (int)below(&seed, 25) - 12, scale = (int)below(&seed, 13) - 3;
		bool minus = below(&seed, 4) == 0, ok, want;
		wide digits = 0;
		int64_t got = 0, value = 0;
		char text[80];

		if (!whole && !fraction)
			continue;
		if (minus)
			text[n++] = '-';
		for (size_t k = 0; k < whole + fraction; k++) {
			char d = (char)('0' + (below(&seed, 3) ? below(&seed, 10) : below(&seed, 2) ? 9 : 0));

			if (k == whole)
				text[n++] = '.';
			text[n++] = d;
			digits = digits * 10 + (d - '0');
		}
		n += exp ? (size_t)snprintf(text + n, 20, "e%d", exp) : 0;
		ok = decimal_to_int((struct str){ text, n }, scale, &got);
		want = brute_scale(digits, exp - (int)fraction + scale, &value);
		if (ok != want || (ok && got != (minus ? -value : value)))
			fail_msg("%.*s scale %d: %d %" PRId64 ", want %d %" PRId64, (int)n, text, scale, ok, got, want, value);
	}
}

static bool same_double(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0;
}

/* The C library reads the same number; up to 19 digits count. */
static void test_decimal_double(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		size_t digits = 1 + below(&seed, 19), point = below(&seed, digits + 1), n = 0;
		char text[80];
		double got = 0;

		if (below(&seed, 4) == 0)
			text[n++] = '-';
		for (size_t k = 0; k < digits; k++) {
			if (k == point)
				text[n++] = '.';
			text[n++] = (char)('0' + below(&seed, 10));
		}
		text[n] = '\0';
		if (below(&seed, 2))
			n += (size_t)snprintf(text + n, 20, "e%d", (int)below(&seed, 640) - 320);
		if (!decimal_to_double((struct str){ text, n }, &got))
			assert_true(isinf(strtod(text, NULL)));
		else if (!same_double(got, strtod(text, NULL)))
			fail_msg("%s: %.17g", text, got);
	}
}

/* ---- text ---------------------------------------------------------------------------------------------------------------------------- */

/* The same rules, one step of text and pattern at a time; '#' takes all the digits that stand there. */
static bool like(const char *s, const char *g)
{
	if (!*g)
		return !*s;
	if (*g == '*')
		return like(s, g + 1) || (*s && like(s + 1, g));
	if (*g == '#') {
		if (*s < '0' || *s > '9')
			return false;
		return s[1] >= '0' && s[1] <= '9' ? like(s + 1, g) : like(s + 1, g + 1);
	}
	return *s == *g && like(s + 1, g + 1);
}

static void test_str_like(void **state)
{
	uint64_t seed = 3;
	int hits = 0;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		char text[10] = "", glob[7] = "";
		bool got;

		for (size_t k = below(&seed, sizeof text); k-- > 0;)
			text[k] = "ab12"[below(&seed, 4)];
		for (size_t k = below(&seed, sizeof glob); k-- > 0;)
			glob[k] = "ab1*#"[below(&seed, 5)];
		got = str_like(str_of(text), glob);
		hits += got;
		if (got != like(text, glob))
			fail_msg("%s %s: %d", text, glob, got);
	}
	assert_true(hits > 1000);
	assert_true(str_like(STR("msprof_20260511093035.json"), "msprof_#.json"));
	assert_false(str_like(STR("msprof_.json"), "msprof_#.json"));
	assert_true(str_like(STR("Step Trace(Model ID:2)"), "Step Trace*"));
	assert_false(str_like((struct str){ "ab", 1 }, "ab"));
}

static void test_str(void **state)
{
	static const char *const bad[] = { "", "-1", "+1", " 1", "1 ", "18446744073709551616", "99999999999999999999", "1e3", "0x1",
		"1.0" };
	struct buf b = { 0 };
	uint64_t v = 5;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(str_to_u64(str_of(bad[i]), &v));
	assert_true(str_to_u64(STR("18446744073709551615"), &v) && v == UINT64_MAX);
	assert_true(str_to_u64(STR("000"), &v) && v == 0);
	assert_true(str_is_nocase(STR("NPU 0"), STR("npu 0")) && !str_is_nocase(STR("a["), STR("A{")));
	assert_true(str_is(str_trim(STR(" \t\r\n a b \n")), STR("a b")) && str_trim(STR(" \n")).n == 0);
	assert_true(str_has(STR("abcab"), STR("cab")) && !str_has(STR("abc"), STR("abcd")) && str_has(STR("a"), STR("")));
	assert_true(str_begins(STR("abc"), STR("ab")) && !str_begins(STR("a"), STR("ab")) && str_ends(STR("abc"), STR("bc")));
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "%d,", i);
	assert_int_equal(b.n, 10 * 2 + 90 * 3 + 900 * 4);
	assert_true(str_ends((struct str){ b.p, b.n }, STR(",998,999,")) && b.p[b.n] == '\0');
	buf_done(&b);
	buf_add(&b, "", 0);
	assert_true(b.n == 0 && b.p[0] == '\0');
	buf_done(&b);
}

/* Every character goes out and back; everything else is one malformed byte. */
static void test_utf8_round_trip(void **state)
{
	static const char *const bad[] = { "\x80", "\xbf.", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",
		"\xed\xa0\x80",
		"\xed\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xfe", "\xc3", "\xc3(", "\xe2\x82", "\xe2\x82(",
			"\xf0\x9f\x98", "\xf0\x9f\x98(" };
	uint32_t cp;
	char out[4];

	(void)state;
	for (uint32_t c = 0; c < 0x110000; c++) {
		size_t n = utf8_put(c, out), want = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
		bool surrogate = c >= 0xd800 && c < 0xe000;

		if (n != want || utf8_next((struct str){ out, n }, &cp) != n || cp != (surrogate ? 0xfffd : c))
			fail_msg("U+%04X", c);
	}
	assert_true(utf8_put(0x110000, out) == 3 && memcmp(out, "\xef\xbf\xbd", 3) == 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (utf8_next(str_of(bad[i]), &cp) != 1 || cp != 0xfffd)
			fail_msg("malformed %zu", i);
	assert_int_equal(utf8_next((struct str){ "\xe2\x82\xac", 2 }, &cp), 1);
}

/* Widths from Unicode's tables (category and East Asian Width). */
static void test_utf8_width(void **state)
{
	static const struct {
		uint32_t cp;
		int width;
	} t[] = {
		{ 'a', 1 }, { 0xe9, 1 }, { 0x2ff, 1 }, { 0x300, 0 }, { 0x36f, 0 }, { 0x370, 1 }, { 0x5bd, 0 }, { 0x5be, 1 }, { 0xe31, 0 },
		{ 0xe32, 1 },
		{ 0x10ff, 1 }, { 0x1100, 2 }, { 0x115f, 2 }, { 0x1160, 0 }, { 0x200b, 0 }, { 0x200d, 0 }, { 0x2010, 1 }, { 0x20ac, 1 },
		{ 0x231a, 2 },
		{ 0x231c, 1 }, { 0x2500, 1 }, { 0x2588, 1 }, { 0x2705, 2 }, { 0x2714, 1 }, { 0x2801, 1 }, { 0x2e80, 2 }, { 0x302a, 0 },
		{ 0x303f, 1 },
		{ 0x3042, 2 }, { 0x3099, 0 }, { 0x4e2d, 2 }, { 0x9fff, 2 }, { 0xa4d0, 1 }, { 0xac00, 2 }, { 0xd7a3, 2 }, { 0xf900, 2 },
		{ 0xfe0f, 0 },
		{ 0xfeff, 0 }, { 0xff01, 2 }, { 0xff61, 1 }, { 0xffe0, 2 }, { 0xfffd, 1 }, { 0x1d11e, 1 }, { 0x1f600, 2 }, { 0x1f980, 2 },
		{ 0x20000, 2 },
		{ 0x3fffd, 2 }, { 0xe0100, 0 }, { 0x10ffff, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		if (utf8_width(t[i].cp) != t[i].width)
			fail_msg("U+%04X: %d", t[i].cp, utf8_width(t[i].cp));
	assert_int_equal(utf8_columns(STR("a\xe4\xb8\xad" "e\xcc\x81\xf0\x9f\x98\x80")), 1 + 2 + 1 + 2);
}

static void test_utf8_clean(void **state)
{
	static const struct {
		struct str in;
		const char *out;
	} t[] = {
		{ STR("plain \xe4\xb8\xad\xf0\x9f\x98\x80"), "plain \xe4\xb8\xad\xf0\x9f\x98\x80" },
		{ STR("\n\r\t"), "\\n\\r\\t" }, { STR("\0\x01\x1b[31m\x7f"), "\\x00\\x01\\x1B[31m\\x7F" },
		{ STR("\xc2\x9b" "31m"), "\\x9B31m" },
		{ STR("\xe2\x80\xae" "x\xe2\x81\xa6\xe2\x80\xa8"), "\\u{202E}x\\u{2066}\\u{2028}" }, { STR("\xff\xc3("), "\\xFF\\xC3(" },
		{ STR("\xef\xbf\xbd"), "\xef\xbf\xbd" }, { STR("\xed\xa0\x80"), "\\xED\\xA0\\x80" }, { STR("a\\n"), "a\\n" },
		{ STR(""), "" },
	};
	char out[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct buf b = { 0 };

		utf8_clean(t[i].in, out, sizeof out);
		assert_string_equal(out, t[i].out);
		utf8_add_clean(&b, t[i].in);
		assert_string_equal(b.p ? b.p : "", t[i].out);
		buf_done(&b);
		/* cut short: valid, ended, a beginning of the whole */
		for (size_t size = 1; size <= strlen(t[i].out) + 1; size++) {
			uint32_t cp;

			memset(out, 'Z', sizeof out);
			utf8_clean(t[i].in, out, size);
			assert_true(strlen(out) < size && strncmp(out, t[i].out, strlen(out)) == 0 && out[size] == 'Z');
			for (struct str s = str_of(out); s.n;) {
				size_t n = utf8_next(s, &cp);

				assert_true(n > 1 || cp != 0xfffd);
				s.p += n, s.n -= n;
			}
		}
	}
	out[0] = 'q';
	utf8_clean(STR("x"), out, 0);
	assert_int_equal(out[0], 'q');
}

/* ---- names, maps, memory ------------------------------------------------------------------------------------------------------------- */

static void test_names(void **state)
{
	struct names t;
	const char *first;
	uint32_t id;

	(void)state;
	names_init(&t);
	assert_int_equal(names_add(&t, STR("")), 0);
	assert_int_equal(names_add(&t, STR("a")), 1);
	first = names_text(&t, 1);
	assert_int_equal(names_add(&t, (struct str){ "a\0b", 3 }), 2);
	assert_int_equal(names_add(&t, (struct str){ "a\0c", 3 }), 3);
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 50000; i++) {
			char text[32];
			int n = snprintf(text, sizeof text, "%0*u", (int)(i % 17) + 1, i);

			assert_int_equal(names_add(&t, (struct str){ text, (size_t)n }), 4 + i);
			text[0] = 'x';
		}
	assert_int_equal(t.n, 50004);
	assert_ptr_equal(names_text(&t, 1), first);
	assert_true(str_is(names_str(&t, 2), (struct str){ "a\0b", 3 }));
	assert_true(names_find(&t, STR("a"), &id) && id == 1);
	assert_true(names_find(&t, (struct str){ "a\0c", 3 }, &id) && id == 3);
	assert_false(names_find(&t, STR("absent"), &id));
	assert_int_equal(names_str(&t, 1000000).n, 0);
	names_done(&t);
}

/* A multiset of keys that hurt hashing: multiples of powers of two, neighbours, both ends. */
static void test_index_map(void **state)
{
	enum { N = 3000 };
	static uint64_t keys[N];
	struct index_map m = { 0 };
	uint64_t seed = 4;

	(void)state;
	assert_int_equal(index_map_find(&m, 0), 0);
	for (size_t i = 0; i < N; i++) {
		size_t kind = i % 4, was = 0;
		uint32_t *slot;

		keys[i] = kind == 0 ? (uint64_t)i << 32 : kind == 1 ? i / 8 : kind == 2 ? UINT64_MAX - i / 16 : rnd(&seed);
		while (keys[was] != keys[i])
			was++;
		slot = index_map_slot(&m, keys[i]);
		assert_int_equal(*slot, was < i ? was + 1 : 0);
		if (!*slot)
			*slot = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < N; i++)
		assert_true(keys[index_map_find(&m, keys[i]) - 1] == keys[i]);
	assert_int_equal(index_map_find(&m, UINT64_C(77) << 50 | 1), 0);
	index_map_done(&m);
	assert_int_equal(index_map_find(&m, 0), 0);
}

static void test_arena(void **state)
{
	struct arena a = { 0 };
	struct {
		unsigned char *p;
		size_t n;
	} held[500];
	uint64_t seed = 5;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(held); i++) {
		size_t n = i % 50 == 7 ? 100000 : below(&seed, 300);

		held[i].n = n;
		if (i % 3 == 0) {
			static const char text[300] = "text";

			held[i].p = (unsigned char *)arena_copy(&a, text, n % sizeof text);
			held[i].n = n % sizeof text + 1;
			assert_true(memcmp(held[i].p, text, n % sizeof text) == 0 && held[i].p[n % sizeof text] == '\0');
		} else {
			held[i].p = arena_alloc(&a, n);
			assert_int_equal((uintptr_t)held[i].p % _Alignof(max_align_t), 0);
			for (size_t k = 0; k < n; k++)
				assert_int_equal(held[i].p[k], 0);
		}
		if (held[i].n)
			memset(held[i].p, (int)(i % 251), held[i].n);
	}
	for (size_t i = 0; i < ARRAY_LEN(held); i++)		/* nobody wrote over a neighbour */
		for (size_t k = 0; k < held[i].n; k++)
			assert_int_equal(held[i].p[k], i % 251);
	assert_string_equal(arena_printf(&a, "%d-%s", 12, "x"), "12-x");
	assert_true(a.total >= 10 * 100000);
	arena_done(&a);
	assert_true(!a.head && !a.total);
	arena_done(&a);
}

static jmp_buf out_of_memory;

static void jump_out(void)
{
	longjmp(out_of_memory, 1);
}

static void test_mem(void **state)
{
	struct {
		int *items;
		size_t n, cap;
	} list = { 0 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *big;

	(void)state;
	for (int i = 0; i < 1000; i++)
		ARRAY_PUSH(&list, items, n, cap) = i;
	assert_true(list.n == 1000 && list.cap >= 1000 && list.items[999] == 999 && list.items[8] == 8);
	free(list.items);
	for (size_t n = 1; n < 7u << 20; n = n * 3 + page - 1) {
		big = big_alloc(n, 1);
		assert_int_equal((uintptr_t)big % page, 0);
		for (size_t i = 0; i < n; i += 997)
			assert_int_equal(big[i], 0);
		big[n - 1] = 1;
		big_free(big, n, 1);
		big = scratch_alloc(n, 1);
		for (size_t i = 0; i < n; i += 997)
			assert_int_equal(big[i], 0);
		big[n - 1] = 1;
		scratch_free(big, n, 1);
	}
	assert_null(big_alloc(0, 8));
	big_free(NULL, 5, 8);
	scratch_free(scratch_alloc(0, 8), 0, 8);
	scratch_free(NULL, 1 << 20, 8);
	mem_set_fail(jump_out);
	if (setjmp(out_of_memory) == 0) {
		free(mem_alloc(SIZE_MAX / 2, 4));
		fail_msg("an overflowing size was allocated");
	}
	mem_set_fail(NULL);
}

struct tally {
	atomic_int done[1000];
	atomic_int wrong;
	unsigned threads;
};

static void tally_item(void *arg, unsigned worker, size_t item)
{
	struct tally *t = arg;

	atomic_fetch_add(&t->done[item], 1);
	if (worker >= t->threads)
		atomic_fetch_add(&t->wrong, 1);
}

static void test_par(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 7, 1000 };

	(void)state;
	for (unsigned threads = 1; threads <= 9; threads += 2)
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
			static struct tally t;

			memset(&t, 0, sizeof t);
			t.threads = threads;
			par_for(threads, sizes[i], tally_item, &t);
			assert_int_equal(t.wrong, 0);
			for (size_t k = 0; k < ARRAY_LEN(t.done); k++)
				assert_int_equal(t.done[k], k < sizes[i]);
		}
	setenv("ASCOPE_THREADS", "7", 1);
	assert_int_equal(par_threads(), 7);
	setenv("ASCOPE_THREADS", "100000", 1);
	assert_int_equal(par_threads(), 256);
	setenv("ASCOPE_THREADS", "0", 1);
	assert_true(par_threads() >= 1);
	unsetenv("ASCOPE_THREADS");
	assert_true(par_threads() >= 1 && par_threads() <= 256);
}

/* ---- JSON out ------------------------------------------------------------------------------------------------------------------------ */

static void test_jsonw_layout(void **state)
{
	struct buf b = { 0 };
	struct jsonw w = { .out = &b };

	(void)state;
	jw_open(&w, '{');
	jw_int_of(&w, "a", INT64_MIN);
	jw_open_of(&w, "list", '[');
	jw_bool(&w, true);
	jw_null(&w);
	jw_open(&w, '{');
	jw_close(&w);
	jw_num(&w, NAN);
	jw_num(&w, -INFINITY);
	jw_close(&w);
	jw_str_of(&w, "k\"ey", NULL);
	jw_str_of(&w, "", "v");
	jw_close(&w);
	assert_string_equal(b.p, "{\n \"a\": -9223372036854775808,\n \"list\": [\n  true,\n  null,\n  {},\n  null,\n  null\n ],\n"
		" \"k\\\"ey\": null,\n \"\": \"v\"\n}\n");
	buf_done(&b);
}

/* What cJSON reads of one written string. The caller frees the tree. */
static cJSON *read_back(struct buf *b)
{
	cJSON *tree = cJSON_ParseWithLength(b->p, b->n);

	if (!tree || !cJSON_IsArray(tree))
		fail_msg("no JSON: %s", b->p);
	return tree;
}

static void test_jsonw_strings(void **state)
{
	struct buf b = { 0 }, every = { 0 };
	struct jsonw w = { .out = &b };
	cJSON *tree;
	char bytes[4];

	(void)state;
	for (uint32_t cp = 1; cp < 0x11000; cp += cp < 0x3000 ? 1 : 37)		/* NUL is cJSON's end of a text: below */
		if (cp < 0xd800 || cp >= 0xe000)
			buf_add(&every, bytes, utf8_put(cp, bytes));
	jw_open(&w, '[');
	jw_str(&w, (struct str){ every.p, every.n });
	jw_str(&w, STR("\0\x1f\x7f\xc2\x85\xe2\x80\xae\"\\/\b\f\n\r\t"));
	jw_str(&w, STR("a\xff\xed\xa0\x80z"));
	jw_close(&w);
	for (size_t i = 0; i < b.n; i++)
		assert_true((unsigned char)b.p[i] >= 0x20 || b.p[i] == '\n');
	tree = read_back(&b);
	assert_string_equal(cJSON_GetArrayItem(tree, 0)->valuestring, every.p);
	assert_string_equal(cJSON_GetArrayItem(tree, 2)->valuestring, "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
	assert_non_null(strstr(b.p, "\"\\u0000\\u001f\\u007f\\u0085\\u202e\\\"\\\\/\\b\\f\\n\\r\\t\""));
	cJSON_Delete(tree);
	buf_done(&b);
	buf_done(&every);
}

static void test_jsonw_numbers(void **state)
{
	static const double fixed[] = { 0.0, -0.0, 0.1, 1.0 / 3, 1e22, 1e23, 5e-324, 1.7976931348623157e308, 123456789012345680.0, 2.5,
		-17 };
	uint64_t seed = 6;

	(void)state;
	for (size_t i = 0; i < 20000; i++) {
		struct buf b = { 0 };
		struct jsonw w = { .out = &b };
		double v;
		uint64_t bits = rnd(&seed);

		memcpy(&v, i < ARRAY_LEN(fixed) ? (const void *)&fixed[i] : &bits, sizeof v);
		if (!isfinite(v))
			continue;
		jw_num(&w, v);
		if (b.n > 24 || strspn(b.p, "0123456789+-.e") != b.n || !same_double(strtod(b.p, NULL), v))
			fail_msg("%s", b.p);
		buf_done(&b);
	}
}

static void test_jsonw_us(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} t[] = {
		{ 0, "0.000" }, { 1, "0.001" }, { -1, "-0.001" }, { 999, "0.999" }, { 1000, "1.000" }, { -1001, "-1.001" },
		{ INT64_C(1736414119636754590), "1736414119636754.590" }, { INT64_MAX, "9223372036854775.807" },
		{ INT64_MIN, "-9223372036854775.808" },
	};
	int64_t back;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct buf b = { 0 };
		struct jsonw w = { .out = &b };

		jw_us(&w, t[i].ns);
		assert_string_equal(b.p, t[i].text);
		if (t[i].ns != INT64_MIN)
			assert_true(decimal_to_int(str_of(b.p), 3, &back) && back == t[i].ns);
		buf_done(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decimal_table), cmocka_unit_test(test_decimal_refuses), cmocka_unit_test(test_decimal_brute_force),
		cmocka_unit_test(test_decimal_double), cmocka_unit_test(test_str_like), cmocka_unit_test(test_str),
		cmocka_unit_test(test_utf8_round_trip), cmocka_unit_test(test_utf8_width), cmocka_unit_test(test_utf8_clean),
		cmocka_unit_test(test_names), cmocka_unit_test(test_index_map), cmocka_unit_test(test_arena), cmocka_unit_test(test_mem),
		cmocka_unit_test(test_par), cmocka_unit_test(test_jsonw_layout), cmocka_unit_test(test_jsonw_strings),
		cmocka_unit_test(test_jsonw_numbers), cmocka_unit_test(test_jsonw_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
