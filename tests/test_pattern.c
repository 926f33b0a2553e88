/* SPDX-License-Identifier: Apache-2.0 */
/* core/base/pattern.c: hits and their places, case, bytes that are no text, patterns that would take for ever, threads. */
#include "core/base/pattern.h"

#include "core/base/mem.h"
#include "core/base/par.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct pattern *compiled(const char *text, unsigned flags)
{
	struct pattern *p = NULL;
	struct diag d = { 0 };

	if (pattern_compile(str_of(text), flags, &p, &d) != ERR_OK)
		fail_msg("%s: %s", text, d.text);
	assert_non_null(p);
	return p;
}

static bool has(const char *pattern, unsigned flags, const char *text)
{
	struct pattern *p = compiled(pattern, flags), *plain = compiled(pattern, flags | PATTERN_PLAIN);
	bool hit = pattern_has(p, str_of(text));

	assert_int_equal(hit, pattern_has(plain, str_of(text)));
	pattern_free(p);
	pattern_free(plain);
	return hit;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void spans(void **state)
{
	static const struct {
		const char *pattern;
		unsigned flags;
		const char *text;
		size_t from;
		int start, end;		/* -1: no hit */
	} cases[] = {
		{ "MatMul", 0, "aclnnMm_MatMulCommon_MatMulV2", 0, 8, 14 },
		{ "MatMul", 0, "aclnnMm_MatMulCommon_MatMulV2", 9, 21, 27 },
		{ "MatMul", 0, "aclnnMm_MatMulCommon_MatMulV2", 22, -1, -1 },
		{ "V\\d+$", 0, "MatMulV2", 0, 6, 8 },
		{ "^Mat", 0, "xMat", 1, -1, -1 },			/* '^' is the text's start, not `from` */
		{ "\\bMat", 0, "xMat", 1, -1, -1 },
		{ "(?<=x)Mat", 0, "xMat", 1, 1, 4 },
		{ "a|ab", 0, "ab", 0, 0, 1 },
		{ "(a)(b)(c)(d)(e)", 0, "xabcde", 0, 1, 6 },		/* more groups than anybody asks for */
		{ "", 0, "abc", 2, 2, 2 },
		{ "", 0, "", 0, 0, 0 },
		{ "a", 0, "", 0, -1, -1 },
		{ "a.c", PATTERN_LITERAL, "abc a.c", 0, 4, 7 },
		{ "[x", PATTERN_LITERAL, "a[x]", 0, 1, 3 },
		{ "ab", PATTERN_WHOLE, "abc", 0, -1, -1 },
		{ "ab|abc", PATTERN_WHOLE, "abc", 0, 0, 3 },
		{ "a.c", PATTERN_LITERAL | PATTERN_WHOLE, "a.c", 0, 0, 3 },
		{ "a.c", PATTERN_LITERAL | PATTERN_CASELESS, "A.C", 0, 0, 3 },
		{ "op$", 0, "op\n", 0, -1, -1 },			/* the very end, not before a last line feed */
		{ "\xc3\xa9", PATTERN_CASELESS, "caf\xc3\x89", 0, 3, 5 },
		{ "f.n", 0, "f\xe7\x9f\xa9n", 0, 0, 5 },		/* one character of three bytes */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (unsigned plain = 0; plain < 2; plain++) {
			struct pattern *p = compiled(cases[i].pattern, cases[i].flags | (plain ? PATTERN_PLAIN : 0));
			struct pattern_span at = { 99, 99 };
			enum pattern_hit hit = pattern_find(p, str_of(cases[i].text), cases[i].from, &at);

			if (hit != (cases[i].start < 0 ? PATTERN_MISS : PATTERN_HIT))
				fail_msg("case %zu: %d", i, (int)hit);
			if (hit == PATTERN_HIT && (at.start != (size_t)cases[i].start || at.end != (size_t)cases[i].end))
				fail_msg("case %zu: [%zu, %zu)", i, at.start, at.end);
			pattern_free(p);
		}
	}
}

static void from_beyond_the_end_misses(void **state)
{
	struct pattern *p = compiled("", 0);

	(void)state;
	assert_int_equal(pattern_find(p, STR("abc"), 3, NULL), PATTERN_HIT);
	assert_int_equal(pattern_find(p, STR("abc"), 4, NULL), PATTERN_MISS);
	assert_int_equal(pattern_find(p, STR("abc"), SIZE_MAX, NULL), PATTERN_MISS);
	assert_true(pattern_has(p, (struct str){ NULL, 0 }));
	pattern_free(p);
	pattern_free(NULL);
}

static void smart_case(void **state)
{
	static const struct {
		const char *pattern;
		bool caseless;
	} cases[] = {
		{ "matmul", true }, { "MatMul", false }, { "mat\\Sul", true }, { "mat\\Wul", true }, { "\\D\\H\\N\\R\\V", true },
		{ "\\p{Lu}x", true }, { "\\P{Lu}", true }, { "\\pLx", true }, { "\\x{AF}", true }, { "\\xAFx", true }, { "\\xAFX", false },
		{ "\\x4a\\x4B", true }, { "\\cAx", true }, { "\\cAX", false }, { "\\QabC\\E", false }, { "\\Qabc\\EX", false },
		{ "\\Q\\S\\E", false }, { "\\N{U+AB}", true }, { "\\o{101}", true }, { "(?<Name>a)\\k<Name>", true },
		{ "(?P<Name>a)\\k{Name}", true }, { "(?'Name'a)\\k'Name'", true }, { "(?<=B)a", false }, { "(?<!B)a", false },
		{ "(?<=b)a", true }, { "(*UTF)a", true }, { "(*UTF)A", false }, { "[a-z]", true }, { "[A-Z]", false }, { "(a)", true },
		{ "(?i)a", true }, { "(?:a)", true }, { "(B)", false }, { "", true }, { "\xc3\x89", true }, { "\\Q(?<N\\E", false },
		{ "[[:alpha:]]", true }, { "\\g{1}(a)", true }, { "\\\\A", false }, { "\\(A", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct pattern *p = compiled(cases[i].pattern, PATTERN_SMART_CASE | PATTERN_PLAIN);

		if (pattern_is_caseless(p) != cases[i].caseless)
			fail_msg("%s", cases[i].pattern);
		pattern_free(p);
	}
	assert_true(has("matmul", PATTERN_SMART_CASE, "MatMulV2"));
	assert_false(has("MATMUL", PATTERN_SMART_CASE, "MatMulV2"));
	assert_true(has("MatMul", PATTERN_SMART_CASE, "MatMulV2"));
	assert_false(has("\\S", PATTERN_SMART_CASE | PATTERN_LITERAL, "x"));
	assert_false(has("matmul", 0, "MatMulV2"));
	assert_true(has("MATMUL", PATTERN_CASELESS, "MatMulV2"));
}

/* A pattern cut anywhere must be judged without reading past it. */
static void smart_case_of_cut_patterns(void **state)
{
	static const char whole[] = "a(?P<Name>\\x{AF}\\xAF\\cA\\pL\\k'N'\\QxX\\E(*UTF)(?<=q)";

	(void)state;
	for (size_t n = 0; n < sizeof whole; n++) {
		char *exact = mem_alloc(n, 1);
		struct pattern *p;

		memcpy(exact, whole, n);
		pattern_compile((struct str){ exact, n }, PATTERN_SMART_CASE | PATTERN_PLAIN, &p, NULL);
		pattern_free(p);
		free(exact);
	}
}

static void mistakes_are_explained(void **state)
{
	static const struct {
		const char *pattern, *words;
		int64_t byte;
	} cases[] = {
		{ "a(b", "missing closing parenthesis", 3 },
		{ "a)b", "unmatched closing parenthesis", 1 },
		{ "[a", "missing terminating ]", 2 },
		{ "*a", "quantifier does not follow a repeatable item", 0 },
		{ "a\\", "\\ at end of pattern", 2 },
		{ "a\xff", "UTF-8 error", 1 },
		{ "\\C", "using \\C is disabled", 2 },
		{ "(?<=a*)b", "lookbehind assertion is not fixed length", 0 },
	};
	struct pattern *p = (struct pattern *)&p;
	struct diag d;
	char line[700];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(pattern_compile(str_of(cases[i].pattern), 0, &p, &d), ERR_USAGE);
		assert_null(p);
		assert_int_equal(d.err, ERR_USAGE);
		if (!strstr(d.text, cases[i].words) || d.byte != cases[i].byte)
			fail_msg("%s: byte %lld: %s", cases[i].pattern, (long long)d.byte, d.text);
		diag_format(&d, line, sizeof line);
		for (const char *c = line; *c; c++)
			assert_true((unsigned char)*c >= ' ');
	}
	assert_int_equal(pattern_compile(STR("("), 0, &p, NULL), ERR_USAGE);
}

static void size_and_depth_are_limited(void **state)
{
	struct pattern *p;
	struct diag d;
	char *text = mem_alloc(PATTERN_MAX_BYTES + 2, 1);

	(void)state;
	memset(text, 'a', PATTERN_MAX_BYTES + 1);
	assert_int_equal(pattern_compile((struct str){ text, PATTERN_MAX_BYTES + 1 }, 0, &p, &d), ERR_LIMIT);
	assert_null(p);
	assert_int_equal(pattern_compile((struct str){ text, PATTERN_MAX_BYTES }, 0, &p, &d), ERR_OK);
	pattern_free(p);
	memset(text, '(', 2000);
	memset(text + 2000, ')', 2000);
	assert_int_equal(pattern_compile((struct str){ text, 4000 }, 0, &p, &d), ERR_USAGE);
	assert_non_null(strstr(d.text, "parentheses are too deeply nested"));
	assert_int_equal(pattern_compile(STR("((((a{1,999}){1,999}){1,999}){1,999})"), 0, &p, &d), ERR_USAGE);
	free(text);
}

static void zero_bytes_are_bytes(void **state)
{
	struct pattern *p;
	struct pattern_span at;

	(void)state;
	assert_int_equal(pattern_compile((struct str){ "a\0b", 3 }, 0, &p, NULL), ERR_OK);
	assert_int_equal(pattern_find(p, (struct str){ "xa\0by", 5 }, 0, &at), PATTERN_HIT);
	assert_int_equal(at.start, 1);
	assert_int_equal(at.end, 4);
	assert_false(pattern_has(p, STR("a")));
	pattern_free(p);
}

/* Text with bytes that are no UTF-8, and searches that begin inside a character. */
static void broken_text(void **state)
{
	static const char text[] = "\xff" "MatMul\xc3" "x\xe7\x9f\xa9Mat\x80Mul\xf0\x9f";
	struct str s = { text, sizeof text - 1 };
	struct pattern *p = compiled("mat", PATTERN_CASELESS), *any = compiled(".", 0);
	struct pattern_span at;

	(void)state;
	assert_int_equal(pattern_find(p, s, 0, &at), PATTERN_HIT);
	assert_int_equal(at.start, 1);
	for (size_t from = 0; from <= s.n; from++) {
		enum pattern_hit hit = pattern_find(p, s, from, &at);

		assert_int_equal(hit, from <= 12 ? PATTERN_HIT : PATTERN_MISS);
		if (hit == PATTERN_HIT)
			assert_int_equal(at.start, from <= 1 ? 1 : 12);
		hit = pattern_find(any, s, from, &at);
		if (hit == PATTERN_HIT)
			assert_true(at.start >= from && at.end <= s.n && at.end > at.start);
	}
	assert_false(has("Mat.Mul", 0, "Mat\x80Mul"));
	assert_false(has("x*", PATTERN_WHOLE, "\xffx"));		/* a broken byte is not where a text ends */
	assert_false(has("x*", PATTERN_WHOLE, "x\xff"));
	assert_true(has("x*", PATTERN_WHOLE, "xx"));
	pattern_free(p);
	pattern_free(any);
}

/* All hits one after the other, as a list or a lane marks them, against memcmp at every place. */
static void all_hits_against_brute_force(void **state)
{
	uint32_t seed = 7;

	(void)state;
	for (int round = 0; round < 400; round++) {
		char text[64], needle[4];
		size_t n, m, from = 0, want = 0, got = 0;
		struct pattern *p;
		struct pattern_span at;

		seed = seed * 1664525u + 1013904223u;
		n = 1 + (seed >> 8) % 60;
		m = 1 + (seed >> 16) % 3;
		for (size_t i = 0; i < n; i++)
			seed = seed * 1664525u + 1013904223u, text[i] = "ab."[(seed >> 20) % 3];
		for (size_t i = 0; i < m; i++)
			seed = seed * 1664525u + 1013904223u, needle[i] = "ab."[(seed >> 20) % 3];
		for (size_t i = 0; i + m <= n;)
			if (memcmp(text + i, needle, m) == 0)
				want = want * 67 + i + 1, i += m;
			else
				i++;
		assert_int_equal(pattern_compile((struct str){ needle, m }, PATTERN_LITERAL, &p, NULL), ERR_OK);
		while (pattern_find(p, (struct str){ text, n }, from, &at) == PATTERN_HIT) {
			got = got * 67 + at.start + 1;
			assert_int_equal(at.end - at.start, m);
			from = pattern_after((struct str){ text, n }, at);
		}
		assert_true(got == want);
		pattern_free(p);
	}
}

static void empty_hits_move_on(void **state)
{
	static const struct {
		const char *text;
		const char *hits;	/* start:end of every hit; NULL: left open, but there is an end */
	} cases[] = {
		{ "", "0:0 " }, { "axb", "0:0 1:2 2:2 3:3 " }, { "xx", "0:2 2:2 " }, { "\xe7\x9f\xa9" "a", "0:0 3:3 4:4 " }, { "\xff", NULL },
	};
	struct pattern *p = compiled("x*", 0);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str s = str_of(cases[i].text);
		struct pattern_span at;
		struct buf got = { 0 };
		size_t from = 0, steps = 0;

		buf_str(&got, "");
		while (steps++ < 20 && pattern_find(p, s, from, &at) == PATTERN_HIT) {
			buf_printf(&got, "%zu:%zu ", at.start, at.end);
			from = pattern_after(s, at);
		}
		assert_true(steps < 20);
		if (cases[i].hits)
			assert_string_equal(got.p, cases[i].hits);
		buf_done(&got);
	}
	pattern_free(p);
}

/* Patterns that need exponential time or much memory end soon, by machine code and without. */
static void hard_patterns_give_up(void **state)
{
	static const char *const patterns[] = {
		"(a+)+$", "(a|a)*$", "(a*)*b", "^(?:a?){40}a{40}$", "(?:a|b|ab)*c", "(a?)*?$z", "((a{1,9}){1,9}){1,9}$", "(?R)?a+b",
		"(.*)(.*)(.*)(.*)(.*)(.*)b", "(?=(a+))(\\1)*b", "^(a|(?1)a)*b$", "(?s).*?.*?.*?.*?.*?z",
	};
	char text[4096];

	(void)state;
	memset(text, 'a', sizeof text);
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		for (unsigned plain = 0; plain < 2; plain++) {
			struct pattern *p = compiled(patterns[i], plain ? PATTERN_PLAIN : 0);

			for (size_t n = 40; n <= sizeof text; n *= 8) {
				double before = seconds();
				enum pattern_hit hit;

				text[n - 1] = '!';
				hit = pattern_find(p, (struct str){ text, n }, 0, NULL);
				text[n - 1] = 'a';
				assert_true(hit == PATTERN_MISS || hit == PATTERN_GAVE_UP);
				assert_true(seconds() - before < 5);	/* some 10 ms as a rule; sanitizers are slower */
			}
			pattern_free(p);
		}
	}
	assert_true(has("(a+)+$", 0, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

/* More than the machine stack of the compiled code holds: the interpreter takes over and finds what there is. */
static void long_repeats_find_the_end(void **state)
{
	size_t n = 6000;
	char *text = mem_alloc(n, 1);
	struct pattern *p = compiled("^(?:(a)|(b))*!$", 0);

	(void)state;
	for (size_t i = 0; i < n; i++)
		text[i] = "ab"[i % 2];
	text[n - 1] = '!';
	assert_int_equal(pattern_find(p, (struct str){ text, n }, 0, NULL), PATTERN_HIT);
	free(text);
	pattern_free(p);
}

struct shared {
	struct pattern *p;
	atomic_size_t hits;
};

static void match_shared(void *arg, unsigned worker, size_t item)
{
	struct shared *s = arg;
	char text[40];
	int n = snprintf(text, sizeof text, "aclnnMm_%zu_MatMulV2", item);
	struct pattern_span at;

	(void)worker;
	if (pattern_find(s->p, (struct str){ text, (size_t)n }, 0, &at) == PATTERN_HIT && at.end == (size_t)n)
		atomic_fetch_add(&s->hits, 1);
}

static void one_pattern_for_many_threads(void **state)
{
	struct shared s = { compiled("[02468]_MatMul(V\\d)?$", 0), 0 };

	(void)state;
	par_for(8, 20000, match_shared, &s);
	assert_int_equal(atomic_load(&s.hits), 10000);
	pattern_free(s.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans),
		cmocka_unit_test(from_beyond_the_end_misses),
		cmocka_unit_test(smart_case),
		cmocka_unit_test(smart_case_of_cut_patterns),
		cmocka_unit_test(mistakes_are_explained),
		cmocka_unit_test(size_and_depth_are_limited),
		cmocka_unit_test(zero_bytes_are_bytes),
		cmocka_unit_test(broken_text),
		cmocka_unit_test(all_hits_against_brute_force),
		cmocka_unit_test(empty_hits_move_on),
		cmocka_unit_test(hard_patterns_give_up),
		cmocka_unit_test(long_repeats_find_the_end),
		cmocka_unit_test(one_pattern_for_many_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
