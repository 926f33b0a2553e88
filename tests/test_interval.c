/* SPDX-License-Identifier: Apache-2.0 */
/* Interval sets: corners by hand, then thousands of random sets against one flag per nanosecond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/model/interval.h"

#include <string.h>

/* ---- corners ---- */

static void expect(const struct intervals *s, size_t n, const struct interval *want)
{
	assert_false(s->unsorted);
	assert_int_equal(s->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(s->items[i].start, want[i].start);
		assert_int_equal(s->items[i].end, want[i].end);
	}
}

#define EXPECT(s, ...) \
	expect((s), sizeof((struct interval[]){ __VA_ARGS__ }) / sizeof(struct interval), (const struct interval[]){ __VA_ARGS__ })

static void test_add_and_normalise(void **state)
{
	struct intervals s = { 0 };

	(void)state;
	intervals_add(&s, 5, 5);
	intervals_add(&s, 9, 3);
	assert_int_equal(s.n, 0);
	intervals_add(&s, 10, 20);
	intervals_add(&s, 20, 25);
	intervals_add(&s, 12, 14);
	EXPECT(&s, { 10, 25 });
	intervals_add(&s, 26, 30);
	EXPECT(&s, { 10, 25 }, { 26, 30 });
	intervals_add(&s, -5, 0);
	intervals_add(&s, 0, 3);
	intervals_add(&s, 25, 26);
	assert_true(s.unsorted);
	intervals_normalise(&s);
	EXPECT(&s, { -5, 3 }, { 10, 30 });
	assert_int_equal(intervals_total(&s), 28);
	intervals_clear(&s);
	intervals_normalise(&s);
	assert_int_equal(intervals_total(&s), 0);
	intervals_done(&s);
}

static void test_empty_set(void **state)
{
	struct intervals none = { 0 }, some = { 0 }, out = { 0 };

	(void)state;
	intervals_index(&none);
	assert_int_equal(intervals_within(&none, -100, 100), 0);
	assert_int_equal(intervals_find(&none, 0), 0);
	assert_false(intervals_has(&none, 0));
	intervals_gaps(&out, &none, 3, 8);
	EXPECT(&out, { 3, 8 });
	intervals_gaps(&out, &none, 8, 3);
	assert_int_equal(out.n, 0);
	intervals_add(&some, 1, 4);
	intervals_union(&out, &none, &some);
	EXPECT(&out, { 1, 4 });
	intervals_subtract(&out, &some, &none);
	EXPECT(&out, { 1, 4 });
	intervals_subtract(&out, &none, &some);
	assert_int_equal(out.n, 0);
	intervals_intersect(&out, &some, &none);
	assert_int_equal(out.n, 0);
	intervals_done(&none);
	intervals_done(&some);
	intervals_done(&out);
}

static void test_extreme_times(void **state)
{
	struct intervals s = { 0 }, out = { 0 };

	(void)state;
	intervals_add(&s, INT64_MIN, INT64_MAX);
	EXPECT(&s, { -INTERVAL_TIME_MAX, INTERVAL_TIME_MAX });
	assert_int_equal(intervals_total(&s), INT64_MAX - 1);
	intervals_index(&s);
	assert_int_equal(intervals_within(&s, INT64_MIN, INT64_MAX), INT64_MAX - 1);
	assert_int_equal(intervals_within(&s, INT64_MAX, INT64_MIN), 0);
	intervals_clip(&out, &s, INT64_MIN, 0);
	EXPECT(&out, { -INTERVAL_TIME_MAX, 0 });
	intervals_gaps(&out, &s, INT64_MIN, INT64_MAX);
	assert_int_equal(out.n, 0);
	/* An epoch in ns, one ns long. */
	intervals_clear(&s);
	intervals_add(&s, 1764246877082702440, 1764246877082702441);
	assert_int_equal(intervals_within(&s, 0, INT64_MAX), 1);
	intervals_done(&s);
	intervals_done(&out);
}

static void test_index_is_dropped(void **state)
{
	struct intervals s = { 0 };

	(void)state;
	intervals_add(&s, 0, 10);
	intervals_index(&s);
	assert_int_equal(intervals_within(&s, 5, 100), 5);
	intervals_add(&s, 8, 20);
	assert_null(s.before);
	assert_int_equal(intervals_within(&s, 5, 100), 15);
	intervals_index(&s);
	intervals_add(&s, 30, 30);
	assert_non_null(s.before);
	assert_int_equal(intervals_within(&s, 5, 100), 15);
	intervals_done(&s);
}

/* ---- against brute force ---- */

enum { LOW = -24, HIGH = 40, SPAN = HIGH - LOW, CASES = 6000 };

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static int64_t random_time(uint32_t *state)
{
	return LOW + (int64_t)(next_random(state) % (SPAN + 1));
}

struct model {
	bool at[SPAN];
};

static void random_set(uint32_t *state, struct intervals *s, struct model *m)
{
	size_t n = next_random(state) % 12;
	bool sorted = next_random(state) % 3 == 0;
	int64_t from = LOW;

	memset(m, 0, sizeof *m);
	for (size_t i = 0; i < n; i++) {
		int64_t a = random_time(state), length = (int64_t)(next_random(state) % 9) - 1, b;

		if (sorted) {
			a = from + (int64_t)(next_random(state) % 5);
			from = a;
		}
		b = MIN(a + length, HIGH);
		intervals_add(s, a, b);
		for (int64_t t = a; t < b; t++)
			m->at[t - LOW] = true;
	}
	intervals_normalise(s);
}

/* The set holds exactly what the flags say, and nothing in it touches. */
static void check_set(const struct intervals *s, const struct model *m)
{
	int64_t total = 0;

	assert_false(s->unsorted);
	for (size_t i = 0; i < s->n; i++) {
		assert_true(s->items[i].start < s->items[i].end);
		assert_true(i == 0 || s->items[i - 1].end < s->items[i].start);
	}
	for (int64_t t = LOW; t < HIGH; t++) {
		if (intervals_has(s, t) != m->at[t - LOW])
			fail_msg("at %lld", (long long)t);
		total += m->at[t - LOW];
	}
	assert_int_equal(intervals_total(s), total);
}

static int64_t flags_within(const struct model *m, int64_t a, int64_t b)
{
	int64_t n = 0;

	for (int64_t t = MAX(a, LOW); t < MIN(b, HIGH); t++)
		n += m->at[t - LOW];
	return n;
}

static void check_window(struct intervals *s, const struct model *m, int64_t a, int64_t b, bool index)
{
	struct intervals out = { 0 };
	struct model want;

	if (index)
		intervals_index(s);
	assert_int_equal(intervals_within(s, a, b), flags_within(m, a, b));
	intervals_clip(&out, s, a, b);
	for (int64_t t = LOW; t < HIGH; t++)
		want.at[t - LOW] = m->at[t - LOW] && t >= a && t < b;
	check_set(&out, &want);
	intervals_gaps(&out, s, a, b);
	for (int64_t t = LOW; t < HIGH; t++)
		want.at[t - LOW] = !m->at[t - LOW] && t >= a && t < b;
	check_set(&out, &want);
	intervals_done(&out);
}

static void check_pair(const struct intervals *a, const struct model *ma, const struct intervals *b, const struct model *mb)
{
	struct intervals out = { 0 };
	struct model either, both, only;

	for (size_t i = 0; i < SPAN; i++) {
		either.at[i] = ma->at[i] || mb->at[i];
		both.at[i] = ma->at[i] && mb->at[i];
		only.at[i] = ma->at[i] && !mb->at[i];
	}
	intervals_union(&out, a, b);
	check_set(&out, &either);
	intervals_intersect(&out, a, b);
	check_set(&out, &both);
	intervals_subtract(&out, a, b);
	check_set(&out, &only);
	intervals_done(&out);
}

static void test_against_flags(void **state)
{
	uint32_t random = 20240611;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		struct intervals a = { 0 }, b = { 0 };
		struct model ma, mb;

		random_set(&random, &a, &ma);
		random_set(&random, &b, &mb);
		check_set(&a, &ma);
		check_pair(&a, &ma, &b, &mb);
		for (int k = 0; k < 4; k++)
			check_window(&a, &ma, random_time(&random), random_time(&random), k % 2);
		intervals_done(&a);
		intervals_done(&b);
	}
}

/* Many intervals: a prepared window is the same as counting through. */
static void test_many(void **state)
{
	enum { N = 50000 };
	struct intervals s = { 0 }, half = { 0 };
	uint32_t random = 7;

	(void)state;
	for (int64_t i = N - 1; i >= 0; i--)
		intervals_add(&s, i * 10, i * 10 + 4);
	assert_true(s.unsorted);
	intervals_normalise(&s);
	assert_int_equal(s.n, N);
	assert_int_equal(intervals_total(&s), (int64_t)N * 4);
	for (int k = 0; k < 1000; k++) {
		int64_t a = next_random(&random) % (N * 10), b = next_random(&random) % (N * 10);
		int64_t plain;

		plain = k % 100 ? -1 : (intervals_clip(&half, &s, a, b), intervals_total(&half));
		if (!s.before)
			intervals_index(&s);
		/* Whole tens hold 4 each; the rest by hand. */
		if (a < b)
			assert_int_equal(intervals_within(&s, a, b), (b / 10 * 4 + MIN(b % 10, 4)) - (a / 10 * 4 + MIN(a % 10, 4)));
		if (plain >= 0)
			assert_int_equal(intervals_within(&s, a, b), plain);
	}
	intervals_done(&s);
	intervals_done(&half);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add_and_normalise), cmocka_unit_test(test_empty_set), cmocka_unit_test(test_extreme_times),
		cmocka_unit_test(test_index_is_dropped), cmocka_unit_test(test_against_flags), cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
