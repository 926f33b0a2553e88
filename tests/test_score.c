/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scores and verdicts from given indicators: points worked out by hand, gates, what is unknown, which of two leads; and the thresholds: each
 * is used, and moving one moves what hangs on it.
 */
#include "tests/help/analysis_run.h"

#include <dirent.h>

/* A scope with nothing known but what is set afterwards. */
static struct scope *fresh(struct scope *s)
{
	static struct interval window = { 0, 1000000 };

	*s = (struct scope){ .nsteps = 10 };
	s->window.items = &window;
	s->window.n = 1;
	for (int i = 0; i < IND_MAX; i++)
		s->v[i] = NAN;
	return s;
}

static double score_of(const struct scope *s, enum bottleneck b)
{
	struct thresholds t;
	struct verdict v;

	thresholds_init(&t);
	verdict_of(s, &t, &v);
	return v.scores[b].score;
}

static enum bottleneck leader_of(const struct scope *s)
{
	struct thresholds t;
	struct verdict v;

	thresholds_init(&t);
	verdict_of(s, &t, &v);
	return v.headline;
}

#define assert_score(s, b, want) \
	do { \
		double got = score_of(s, b); \
		if (fabs(got - (want)) > 0.051) \
			fail_msg("line %d: %.1f, not %.1f", __LINE__, got, (double)(want)); \
	} while (0)

/* ---- by hand -------------------------------------------------------------------------------------------------------------------------------- */

static void test_host(void **state)
{
	struct scope s;

	(void)state;
	fresh(&s);
	assert_score(&s, BN_HOST, 0);
	s.v[IND_HOST_ONLY_PCT] = 25;		/* at its gate: half the severity */
	s.v[IND_IDLE_PCT] = 7.9;		/* below its gate */
	assert_score(&s, BN_HOST, 22.5);
	s.v[IND_HOST_ONLY_PCT] = 24.9;
	assert_score(&s, BN_HOST, 0);
	s.v[IND_IDLE_PCT] = 12;			/* one and a half of the gate: 0.75 */
	assert_score(&s, BN_HOST, 33.75);
	s.v[IND_IDLE_PCT] = 16;			/* twice: 1, and more is no more */
	assert_score(&s, BN_HOST, 45);
	s.v[IND_IDLE_PCT] = 99;
	assert_score(&s, BN_HOST, 45);
	s.v[IND_DISPATCH] = 1800;		/* 0.75 of 35 */
	assert_score(&s, BN_HOST, 71.25);
	s.v[IND_HOST_EXCLUSIVE] = 1600;		/* the larger of the two counts */
	assert_score(&s, BN_HOST, 80);
	s.v[IND_HOST_BUSY_PCT] = 45;
	assert_score(&s, BN_HOST, 90);
	s.v[IND_HOST_BUSY_PCT] = 90;
	assert_score(&s, BN_HOST, 100);
	s.v[IND_HOST_ONLY_PCT] = NAN;		/* without the host nobody can say that it sets the pace */
	assert_score(&s, BN_HOST, 0);
}

static void test_compute(void **state)
{
	struct scope s;

	(void)state;
	fresh(&s);
	s.v[IND_DEVICE_BUSY_PCT] = 99;
	assert_score(&s, BN_COMPUTE, 0);	/* both gates are asked for */
	s.v[IND_COMPUTE_PCT] = 54;
	assert_score(&s, BN_COMPUTE, 0);
	s.v[IND_COMPUTE_PCT] = 82.5;		/* 0.75 of 55 */
	assert_score(&s, BN_COMPUTE, 41.25);
	s.v[IND_EXPOSED_PCT] = 0;
	assert_score(&s, BN_COMPUTE, 66.25);
	s.v[IND_EXPOSED_PCT] = 12.5;
	assert_score(&s, BN_COMPUTE, 41.25);
	s.v[IND_MTE2] = 0.5;
	assert_score(&s, BN_COMPUTE, 53.25);
	s.v[IND_MAC] = 0.5;			/* the matrix unit before memory, not both */
	assert_score(&s, BN_COMPUTE, 61.25);
}

static void test_comm(void **state)
{
	struct scope s;

	(void)state;
	fresh(&s);
	s.v[IND_COMM_OF_DEVICE] = 24;
	s.v[IND_EXPOSED_PCT] = 4.9;
	assert_score(&s, BN_COMM, 0);
	s.v[IND_EXPOSED_PCT] = 5;
	assert_score(&s, BN_COMM, 55);
	s.v[IND_COMM_OVERLAP] = 39;
	assert_score(&s, BN_COMM, 70);
	s.v[IND_COMM_MEDIAN] = 60;
	assert_score(&s, BN_COMM, 90);
	s.v[IND_COMM_SIZE] = 100;		/* short ones are latency whatever they move */
	assert_score(&s, BN_COMM, 90);
	s.v[IND_COMM_MEDIAN] = 61;
	assert_score(&s, BN_COMM, 85);
	s.v[IND_COMM_TRANSIT] = 3;		/* waiting before both */
	assert_score(&s, BN_COMM, 90);
	s.v[IND_COMM_OVERLAP] = NAN;
	assert_score(&s, BN_COMM, 75);
}

static void test_copy(void **state)
{
	struct scope s;

	(void)state;
	fresh(&s);
	s.v[IND_HOST_COPY_OF_HOST] = 90;	/* conversions on the host prove nothing */
	s.v[IND_SYNC] = 300;
	s.v[IND_COPY_PCT] = 0;
	s.v[IND_D2H] = s.v[IND_H2D] = 0;
	assert_score(&s, BN_COPY, 0);
	s.v[IND_D2H] = 400;			/* twice the gate, but 0.4 % of the step */
	s.v[IND_AVG_STEP] = 100000;
	assert_score(&s, BN_COPY, 0);
	s.v[IND_AVG_STEP] = 40000;		/* 1 % */
	assert_score(&s, BN_COPY, 57);
	s.v[IND_SYNC] = 0.5;
	assert_score(&s, BN_COPY, 51);
	s.v[IND_H2D] = 200;
	assert_score(&s, BN_COPY, 56);
	s.v[IND_COPY_PCT] = 60;
	assert_score(&s, BN_COPY, 89);
}

/* Nothing known: nothing located, nothing said to be evaluable, and nothing counts as a pass. */
static void test_unknown(void **state)
{
	struct scope s;
	struct thresholds t;
	struct verdict v;

	(void)state;
	thresholds_init(&t);
	verdict_of(fresh(&s), &t, &v);
	assert_int_equal(v.headline, BN_NONE);
	assert_true(v.confidence <= CONF_MEDIUM);
	for (int b = 0; b < BN_MAX; b++) {
		assert_false(v.scores[b].evaluable);
		assert_false(v.scores[b].located);
		assert_true(v.scores[b].score == 0);
		assert_string_equal(v.scores[b].subtype, "");
		for (size_t i = 0; i < v.scores[b].ngates; i++)
			assert_false(v.scores[b].gates[i].passed);
	}
	s.window.n = 0;
	verdict_of(&s, &t, &v);
	assert_int_equal(v.headline, BN_NONE);
}

/* Scores saturate: of two that keep kernels away the one that costs more leads; compute by its score. */
static void test_leader(void **state)
{
	struct scope s;

	(void)state;
	fresh(&s);
	s.v[IND_HOST_ONLY_PCT] = 24.7;
	s.v[IND_IDLE_PCT] = 28.4;
	s.v[IND_HOST_EXCLUSIVE] = 38500;
	s.v[IND_HOST_BUSY_PCT] = 96;
	s.v[IND_COMM_OF_DEVICE] = 94.9;
	s.v[IND_EXPOSED_PCT] = 65.4;
	s.v[IND_COMM_TRANSIT] = 3.5;
	assert_score(&s, BN_HOST, 100);
	assert_score(&s, BN_COMM, 75);
	assert_int_equal(leader_of(&s), BN_COMM);
	s.v[IND_EXPOSED_PCT] = 20;
	assert_int_equal(leader_of(&s), BN_HOST);
}

/* Points stand with the gates: what is shown adds up to the score. */
static void test_points_add_up(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int round = 0; round < 4000; round++) {
		struct scope s;
		struct thresholds t;
		struct verdict v;

		thresholds_init(&t);
		fresh(&s);
		for (int i = 0; i < IND_MAX; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			if ((seed >> 33) % 5)
				s.v[i] = (double)((seed >> 40) % 2000) / 10;
		}
		verdict_of(&s, &t, &v);
		for (int b = 0; b < BN_MAX; b++) {
			double points = 0;

			for (size_t i = 0; i < v.scores[b].ngates; i++) {
				points += v.scores[b].gates[i].points;
				assert_true(v.scores[b].gates[i].severity == 0 || v.scores[b].gates[i].severity >= 0.5);
				assert_true(v.scores[b].gates[i].passed == (v.scores[b].gates[i].severity > 0));
			}
			assert_true(v.scores[b].score >= 0 && v.scores[b].score <= 100);
			if (v.scores[b].score > 0)
				assert_true(fabs(v.scores[b].score - MIN(100, points)) < 0.051);
			assert_true(v.scores[b].located == (v.scores[b].score >= 40));
		}
		if (v.headline != BN_NONE)
			assert_true(v.scores[v.headline].located);
	}
}

/* ---- thresholds ----------------------------------------------------------------------------------------------------------------------------- */

/* As code names them: TH_X, or X as the gate of a ratio in the table of bounds. */
static const char *const threshold_ids[][2] = {
#define THRESHOLD(id, key, value, unit, reason) { "TH_" #id, ", " #id "," },
#include "core/analysis/threshold.def"
#undef THRESHOLD
};

static bool word_in(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
		if (!(p[n] == '_' || (p[n] >= 'A' && p[n] <= 'Z') || (p[n] >= '0' && p[n] <= '9')))
			return true;
	return false;
}

static void mark_used(const char *path, bool *used)
{
	FILE *f = fopen(path, "rb");
	char *text = calloc(1, 1 << 20);

	assert_non_null(f);
	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
	fclose(f);
	for (size_t i = 0; i < ARRAY_LEN(threshold_ids); i++)
		used[i] |= word_in(text, threshold_ids[i][0]) || strstr(text, threshold_ids[i][1]);
	free(text);
}

static void test_every_threshold_is_used(void **state)
{
	DIR *dir = opendir("core/analysis");
	bool used[ARRAY_LEN(threshold_ids)] = { false };
	const struct dirent *e;

	(void)state;
	if (!dir) {
		print_message("the sources are not here\n");
		skip();
	}
	while ((e = readdir(dir))) {
		char path[600];
		size_t n = strlen(e->d_name);

		if (n < 3 || strcmp(e->d_name + n - 2, ".c") != 0)
			continue;
		snprintf(path, sizeof path, "core/analysis/%s", e->d_name);
		mark_used(path, used);
	}
	closedir(dir);
	for (size_t i = 0; i < ARRAY_LEN(used); i++)
		if (!used[i])
			fail_msg("no rule uses %s", threshold_ids[i][0]);
}

static void test_threshold_table(void **state)
{
	struct thresholds t;

	(void)state;
	thresholds_init(&t);
	for (int i = 0; i < TH_MAX; i++) {
		assert_true(t.v[i] == threshold_default((enum threshold)i));
		assert_false(t.changed[i]);
		assert_true(strlen(threshold_reason((enum threshold)i)) > 10);
		assert_true(threshold_set(&t, threshold_key((enum threshold)i), 123));
		assert_true(t.v[i] == 123 && t.changed[i]);
	}
	assert_false(threshold_set(&t, "noSuchThreshold", 1));
}

/* A gate moved past its value: the gate fails, and the score falls. */
static const struct {
	enum threshold th;
	enum bottleneck of;
	double moved;
} moves[] = {
	{ TH_HOST_ONLY, BN_HOST, 60 }, { TH_DEVICE_IDLE, BN_HOST, 60 }, { TH_DISPATCH, BN_HOST, 9000 }, { TH_HOST_EXCLUSIVE, BN_HOST, 90000 },
	{ TH_HOST_BUSY, BN_HOST, 99 }, { TH_DEVICE_BUSY, BN_COMPUTE, 99 }, { TH_COMPUTE_SHARE, BN_COMPUTE, 99 }, { TH_COMM_EXPOSED_LOW, BN_COMPUTE, 1 },
	{ TH_MAC_BOUND, BN_COMPUTE, 0.9 }, { TH_COMM_SHARE, BN_COMM, 99 }, { TH_COMM_EXPOSED, BN_COMM, 99 }, { TH_COMM_LATENCY, BN_COMM, 1 },
	{ TH_COPY_SHARE, BN_COPY, 99 }, { TH_D2H_PER_STEP, BN_COPY, 9000 },
};

static void lively(struct scope *s, enum threshold th)
{
	fresh(s);
	/* Of two gates that share points the other one is kept out. */
	s->v[IND_HOST_ONLY_PCT] = th == TH_DEVICE_IDLE ? 1 : 30;
	s->v[IND_IDLE_PCT] = th == TH_HOST_ONLY ? 1 : 30;
	s->v[IND_DISPATCH] = th == TH_HOST_EXCLUSIVE ? 1 : 1500;
	s->v[IND_HOST_EXCLUSIVE] = th == TH_DISPATCH ? 1 : 1500;
	s->v[IND_HOST_BUSY_PCT] = 60;
	s->v[IND_DEVICE_BUSY_PCT] = 90;
	s->v[IND_COMPUTE_PCT] = 80;
	s->v[IND_EXPOSED_PCT] = 8;
	s->v[IND_MAC] = 0.6;
	s->v[IND_COMM_OF_DEVICE] = 15;
	s->v[IND_COMM_MEDIAN] = 30;
	s->v[IND_COPY_PCT] = th == TH_D2H_PER_STEP ? 1 : 6;
	s->v[IND_D2H] = th == TH_COPY_SHARE ? 1 : 300;
	s->v[IND_AVG_STEP] = 10000;
}

static void test_thresholds_move_scores(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(moves); i++) {
		struct thresholds t;
		struct scope s;
		struct verdict before, after;

		lively(&s, moves[i].th);
		thresholds_init(&t);
		verdict_of(&s, &t, &before);
		assert_true(threshold_set(&t, threshold_key(moves[i].th), moves[i].moved));
		verdict_of(&s, &t, &after);
		if (!(after.scores[moves[i].of].score < before.scores[moves[i].of].score))
			fail_msg("%s: %.1f before, %.1f after", threshold_key(moves[i].th), before.scores[moves[i].of].score, after.scores[moves[i].of].score);
		for (int b = 0; b < BN_MAX; b++)
			if (b != (int)moves[i].of && after.scores[b].score < before.scores[b].score)
				fail_msg("%s moves %s too", threshold_key(moves[i].th), bottleneck_key((enum bottleneck)b));
	}
}

/* The trigger decides what is located, and the verdict with it. */
static void test_trigger(void **state)
{
	struct thresholds t;
	struct scope s;
	struct verdict v;

	(void)state;
	lively(&s, TH_MAX);
	thresholds_init(&t);
	verdict_of(&s, &t, &v);
	assert_int_not_equal(v.headline, BN_NONE);
	threshold_set(&t, "triggerScore", 101);
	verdict_of(&s, &t, &v);
	assert_int_equal(v.headline, BN_NONE);
	threshold_set(&t, "triggerScore", v.scores[BN_COPY].score);
	verdict_of(&s, &t, &v);
	assert_true(v.scores[BN_COPY].located);
}

/* Subtypes follow their thresholds. */
static void test_subtypes(void **state)
{
	struct thresholds t;
	struct scope s;
	struct verdict v;

	(void)state;
	thresholds_init(&t);
	lively(&s, TH_MAX);
	verdict_of(&s, &t, &v);
	assert_string_equal(v.scores[BN_COMPUTE].subtype, "compute-bound");
	assert_string_equal(v.scores[BN_COMM].subtype, "latency");
	s.v[IND_MAC] = 0.2;
	s.v[IND_MTE2] = 0.5;
	s.v[IND_COMM_TRANSIT] = 20;
	verdict_of(&s, &t, &v);
	assert_string_equal(v.scores[BN_COMPUTE].subtype, "memory-bound");
	assert_string_equal(v.scores[BN_COMM].subtype, "wait");
	threshold_set(&t, "mte2RatioMemoryBound", 0.6);
	threshold_set(&t, "transitShareGate", 10);
	verdict_of(&s, &t, &v);
	assert_string_equal(v.scores[BN_COMPUTE].subtype, "low-efficiency");
	assert_string_equal(v.scores[BN_COMM].subtype, "latency");
	threshold_set(&t, "lowUtilizationGate", 0.1);
	threshold_set(&t, "commLatencyBoundUs", 10);
	threshold_set(&t, "commBandwidthBoundMb", 1);
	s.v[IND_COMM_SIZE] = 2;
	verdict_of(&s, &t, &v);
	assert_string_equal(v.scores[BN_COMPUTE].subtype, "");
	assert_string_equal(v.scores[BN_COMM].subtype, "bandwidth");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_compute),
		cmocka_unit_test(test_comm),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_leader),
		cmocka_unit_test(test_points_add_up),
		cmocka_unit_test(test_every_threshold_is_used),
		cmocka_unit_test(test_threshold_table),
		cmocka_unit_test(test_thresholds_move_scores),
		cmocka_unit_test(test_trigger),
		cmocka_unit_test(test_subtypes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
