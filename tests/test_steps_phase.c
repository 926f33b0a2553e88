/* SPDX-License-Identifier: Apache-2.0 */
/* Steps from tables, phases, and many steps at random. */
#include "tests/help/steps_trace.h"

/* ---- tables -------------------------------------------------------------------------------------------------------------------------- */

static void test_table_end_to_end(void **state)
{
	static const char table[] = "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
		"Communication(Not Overlapped and Exclude Receive),Preparing\r\n"
		"0,5,40.0,0,0,0,10.0,50.0,0,0,0\r\n0,6,40.0,0,0,0,20.0,60.0,0,0,0\r\n0,7,20,0,0,0,0,20,0,0,0\r\n";
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	tmpdir_write(t.dir, "step_trace_time.csv", table, sizeof table - 1);
	kernel(&t, "Ka", 100, 40);
	kernel(&t, "Kb", 150, 40);
	kernel(&t, "Kc", 210, 20);
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.source, STEPS_TABLE);
	assert_int_equal(r.s.confidence, CONF_LOW);
	assert_int_equal(r.s.n, 3);
	check_step(&r, 0, 100, 150);
	check_step(&r, 1, 150, 210);
	check_step(&r, 2, 210, 230);
	check_label(&r, 2, "7");
	assert_non_null(strstr(r.s.reason, "end to end"));
	run_done(&r);
}

static void test_kernel_table_alone(void **state)
{
	static const char table[] = "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim\n"
		"8,B,B,AI_CORE,1700000000000200.000\t,50.5,0,1\n7,A,A,AI_CORE,1700000000000100.000\t,50,0,1\n"
		"7,hcom_x,hcom_x,HCCL,1700000000000140.250\t,30,0,1\n,Z,Z,AI_CORE,1700000000000010.000\t,5,0,1\n";
	struct trace t = { 0 };
	struct run r;

	(void)state;
	tmpdir_make(t.dir, sizeof t.dir);
	tmpdir_write(t.dir, "kernel_details.csv", table, sizeof table - 1);
	assert_true(run_open(&r, t.dir));
	run_rank(&r, 0, PHASES_AUTO);
	check_order(&r.m[0], &r.s);
	assert_true(r.m[0].from_table);
	assert_int_equal(r.s.source, STEPS_TABLE);
	assert_int_equal(r.s.n, 2);
	check_step(&r, 0, 100, 200);
	assert_int_equal(r.s.items[0].last, US(170) + 250);
	assert_int_equal(r.s.items[1].end, US(250) + 500);
	check_label(&r, 0, "7");
	run_done(&r);
	tmpdir_remove(t.dir);
}

/* ---- phases -------------------------------------------------------------------------------------------------------------------------- */

/* n steps, the i-th with one kernel of this name and length. */
static void phase_run(struct run *r, int n, const char *(*name)(int), int64_t (*length)(int), enum phase_choice choice)
{
	struct trace t;
	int64_t at = 0;

	trace_start(&t);
	for (int i = 0; i < n; i++) {
		host(&t, "cpu_op", "execute_model", at, 5);
		kernel(&t, name(i), at + 10, length(i));
		at += length(i) + 20;
	}
	trace_run(&t, r, choice);
	assert_int_equal(r->s.n, n);
}

static const char *plain_name(int i)
{
	(void)i;
	return "aclnnFusedInferAttentionScoreV3_FusedInferAttentionScore";
}

static const char *attention_name(int i)
{
	return i < 3 ? "aclnnPromptFlashAttention" : i == 5 ? "FlashAttentionScore" : "PagedAttentionMaskNdKernel";
}

static const char *training_name(int i)
{
	return i % 2 ? "FlashAttentionScoreGrad" : "FlashAttentionScore";
}

static int64_t even_length(int i)
{
	return 1000 + i % 3;
}

static int64_t two_lengths(int i)
{
	return i % 4 ? 900 + i : 9000 + i;
}

static int64_t wild_length(int i)
{
	return 1000 + 100 * i;
}

static void test_phases_from_shape(void **state)
{
	size_t counts[PHASE_MAX];
	struct run r;

	(void)state;
	phase_run(&r, 12, attention_name, even_length, PHASES_AUTO);
	for (size_t i = 0; i < 12; i++)
		assert_int_equal(r.s.items[i].phase, i < 3 || i == 5 ? PHASE_PREFILL : PHASE_DECODE);
	assert_int_equal(r.s.phase_confidence, CONF_MEDIUM);
	assert_non_null(strstr(r.s.phase_reason, "4 prefill and 8 decode of 12 steps"));
	run_done(&r);

	phase_run(&r, 12, plain_name, two_lengths, PHASES_AUTO);
	for (size_t i = 0; i < 12; i++)
		assert_int_equal(r.s.items[i].phase, i % 4 ? PHASE_DECODE : PHASE_PREFILL);
	assert_int_equal(r.s.phase_confidence, CONF_LOW);
	run_done(&r);

	phase_run(&r, 12, plain_name, even_length, PHASES_AUTO);
	count_phases(&r.s, counts);
	assert_int_equal(counts[PHASE_DECODE], 12);
	assert_int_equal(r.s.phase_confidence, CONF_LOW);
	run_done(&r);

	phase_run(&r, 7, plain_name, wild_length, PHASES_AUTO);
	count_phases(&r.s, counts);
	assert_int_equal(counts[PHASE_UNKNOWN], 7);
	run_done(&r);

	phase_run(&r, 12, training_name, two_lengths, PHASES_AUTO);
	count_phases(&r.s, counts);
	assert_int_equal(counts[PHASE_UNKNOWN], 12);
	assert_non_null(strstr(r.s.phase_reason, "training"));
	run_done(&r);
}

static void test_phases_forced(void **state)
{
	size_t counts[PHASE_MAX];
	struct run r;

	(void)state;
	phase_run(&r, 12, attention_name, even_length, PHASES_PREFILL);
	count_phases(&r.s, counts);
	assert_int_equal(counts[PHASE_PREFILL], 12);
	run_done(&r);
	phase_run(&r, 12, attention_name, even_length, PHASES_DECODE);
	count_phases(&r.s, counts);
	assert_int_equal(counts[PHASE_DECODE], 12);
	run_done(&r);
}

static void test_phases_from_tokens(void **state)
{
	static const int64_t tokens[] = { 2048, 16, 16, 16, 1500, 16, 16, 16 };
	struct trace t;
	struct run r;
	struct buf table = { 0 };

	(void)state;
	trace_start(&t);
	buf_str(&table, "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,Input Shapes\n");
	for (int i = 0; i < 8; i++) {
		host(&t, "cpu_op", "execute_model", 100 * i, 5);
		kernel(&t, "MatMulV2", 100 * i + 10, 80);
		buf_printf(&table, "MatMulV2,MatMulV2,AI_CORE,%d%06d.000\t,80,0,1,\"\"\"%lld,512;512,64\"\"\"\n",
			BASE_S, 100 * i + 10, (long long)tokens[i]);
	}
	tmpdir_write(t.dir, "kernel_details.csv", table.p, table.n);
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.n, 8);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(r.s.items[i].phase, tokens[i] > 1000 ? PHASE_PREFILL : PHASE_DECODE);
	assert_int_equal(r.s.phase_confidence, CONF_MEDIUM);
	run_done(&r);
	buf_done(&table);
}

/* ---- many, and at random ------------------------------------------------------------------------------------------------------------- */

static void test_ten_thousand_steps(void **state)
{
	struct trace t;
	struct run r;
	clock_t before;

	(void)state;
	trace_start(&t);
	for (int i = 0; i < 10000; i++) {
		char name[32];

		snprintf(name, sizeof name, "ProfilerStep#%d", i);
		host(&t, "cpu_op", name, 30 * i, 30);
		launch(&t, 30 * i + 5, "A", 30 * i + 40, 10);
		launch(&t, 30 * i + 6, "B", 30 * i + 52, 10);
	}
	buf_str(&t.text, "]");
	tmpdir_write(t.dir, "trace_view.json", t.text.p, t.text.n);
	buf_done(&t.text);
	assert_true(run_open(&r, t.dir));
	tmpdir_remove(t.dir);
	r.m = work_new(r.c, &r.c->ranks[0], classifier, &r.n);
	before = clock();
	steps_find(&r.m[0], PHASES_AUTO, &r.s);
	assert_true(clock() - before < CLOCKS_PER_SEC * 2);
	assert_int_equal(r.s.n, 10000);
	for (size_t i = 0; i < 10000; i++)
		check_window(&r, i, 30 * (int64_t)i + 40, 30 * (int64_t)i + 62);
	run_done(&r);
}

static uint32_t random_next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* Kernels launched at random under random marks: the beginnings by looking at every kernel for every mark. */
static void random_once(uint64_t seed)
{
	enum { KERNELS = 60, MARKS = 8 };
	int64_t at[KERNELS], start[KERNELS], mark[MARKS + 1], free_at = 50, now = 100, want[MARKS];
	struct trace t;
	struct run r;

	trace_start(&t);
	for (int i = 0; i < MARKS; i++) {
		char name[32];

		snprintf(name, sizeof name, "ProfilerStep#%d", i);
		mark[i] = now;
		now += 20 + random_next(&seed) % 200;
		host(&t, "cpu_op", name, mark[i], now - mark[i]);
	}
	mark[MARKS] = now;
	for (int k = 0; k < KERNELS; k++) {
		at[k] = 100 + (now - 101) * k / KERNELS;
		start[k] = MAX(free_at, at[k]) + 1 + random_next(&seed) % 30;
		free_at = start[k] + 1 + random_next(&seed) % 20;
		launch(&t, at[k], k % 3 ? "A" : "B", start[k], free_at - start[k]);
	}
	for (int i = 0; i < MARKS; i++) {
		want[i] = INT64_MAX;
		for (int k = 0; k < KERNELS; k++)
			if (at[k] >= mark[i] && at[k] < mark[i + 1])
				want[i] = MIN(want[i], start[k]);
	}
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.n, MARKS);
	for (size_t i = 0; i < MARKS; i++)
		if (want[i] != INT64_MAX)
			assert_int_equal(r.s.items[i].start, US(want[i]));
		else
			assert_true(r.s.items[i].first == NO_TIME);
	run_done(&r);
}

static void test_random_launches(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++)
		random_once(seed);
}

static void test_keys(void **state)
{
	(void)state;
	assert_string_equal(phase_key(PHASE_DECODE), "decode");
	assert_string_equal(step_source_key(STEPS_REPEAT), "repeat");
	assert_string_equal(confidence_key(CONF_HIGH), "high");
	assert_string_equal(phase_key((enum phase)77), "unknown");
	assert_string_equal(step_source_key((enum step_source)77), "whole");
	assert_string_equal(confidence_key((enum confidence)77), "low");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_end_to_end),
		cmocka_unit_test(test_kernel_table_alone),
		cmocka_unit_test(test_phases_from_shape),
		cmocka_unit_test(test_phases_forced),
		cmocka_unit_test(test_phases_from_tokens),
		cmocka_unit_test(test_ten_thousand_steps),
		cmocka_unit_test(test_random_launches),
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests_name("steps", tests, steps_setup, steps_teardown);
}
