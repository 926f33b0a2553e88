/* SPDX-License-Identifier: Apache-2.0 */
/* Where steps come from: marks, engine calls, user marks, pauses, repeated kernels. */
#include "tests/help/steps_trace.h"

/* ---- profiler marks ------------------------------------------------------------------------------------------------------------------ */

static void test_device_lags_behind_host(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	kernel(&t, "Before", 90, 5);			/* launched before the capture */
	host(&t, "cpu_op", "ProfilerStep#3", 100, 100);
	host(&t, "cpu_op", "ProfilerStep#4", 200, 100);
	launch(&t, 110, "A", 150, 50);
	launch(&t, 120, "B", 220, 100);			/* of step 3, while the host is in step 4 */
	launch(&t, 210, "A", 330, 50);
	launch(&t, 220, "B", 390, 10);
	launch(&t, 300, "After", 410, 10);		/* launched when the last mark is over */
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.source, STEPS_MARKS);
	assert_int_equal(r.s.confidence, CONF_HIGH);
	assert_int_equal(r.s.n, 2);
	check_step(&r, 0, 150, 330);
	check_step(&r, 1, 330, 410);
	check_window(&r, 0, 150, 320);
	check_window(&r, 1, 330, 400);
	check_label(&r, 1, "ProfilerStep#4");
	assert_int_equal(r.s.items[1].host_start, US(200));
	assert_int_equal(r.s.items[1].host_end, US(300));
	assert_false(r.s.items[0].partial || r.s.items[1].partial);
	run_done(&r);
}

static void test_copy_launched_ahead(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	host(&t, "cpu_op", "ProfilerStep#1", 0, 100);
	host(&t, "cpu_op", "ProfilerStep#2", 100, 100);
	launch_on(&t, 10, 2, "MEMCPY_ASYNC", "MEMCPY_ASYNC", 40, 5);
	launch(&t, 20, "A", 50, 200);
	launch_on(&t, 110, 2, "MEMCPY_ASYNC", "MEMCPY_ASYNC", 115, 5);	/* of step 2, beside A of step 1 */
	launch(&t, 120, "A", 260, 20);
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.n, 2);
	check_step(&r, 0, 40, 260);
	check_step(&r, 1, 260, 280);
	check_window(&r, 0, 50, 250);
	run_done(&r);
}

static void test_mark_without_work(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	for (int i = 0; i < 4; i++) {
		char name[32];

		snprintf(name, sizeof name, "ProfilerStep#%d", i);
		host(&t, "cpu_op", name, 100 * i, 100);
	}
	launch(&t, 10, "A", 150, 300);
	launch(&t, 20, "B", 460, 20);
	launch(&t, 210, "A", 500, 100);			/* step 1 has nothing of its own */
	trace_run(&t, &r, PHASES_AUTO);			/* and neither has step 3 */
	assert_int_equal(r.s.n, 4);
	check_step(&r, 0, 150, 480);
	check_step(&r, 1, 480, 500);
	check_step(&r, 2, 500, 600);
	check_step(&r, 3, 600, 600);
	assert_true(r.s.items[1].first == NO_TIME && r.s.items[3].last == NO_TIME);
	check_window(&r, 2, 500, 600);
	run_done(&r);
}

static void test_marks_without_links(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	host(&t, "cpu_op", "ProfilerStep#2", 200, 100);	/* the file is not in order of time */
	kernel(&t, "A", 210, 80);
	host(&t, "cpu_op", "ProfilerStep#1", 100, 100);
	kernel(&t, "A", 110, 80);
	kernel(&t, "Early", 10, 5);
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.n, 2);
	check_step(&r, 0, 110, 200);
	check_step(&r, 1, 200, 300);			/* the host's end is later than the device's */
	check_label(&r, 0, "ProfilerStep#1");
	run_done(&r);
}

static void test_nested_and_overlapping_marks(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	host(&t, "cpu_op", "ProfilerStep#1", 100, 100);
	host(&t, "cpu_op", "ProfilerStep#1", 100, 100);	/* twice the same */
	host(&t, "cpu_op", "ProfilerStep#9", 120, 30);	/* inside */
	host(&t, "cpu_op", "ProfilerStep#2", 190, 110);	/* begins before #1 ends */
	host(&t, "cpu_op", "ProfilerStep#3", 300, 0);	/* no time at all */
	kernel(&t, "A", 110, 10);
	kernel(&t, "A", 195, 10);
	kernel(&t, "A", 310, 10);
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.n, 3);
	check_step(&r, 0, 110, 190);
	check_step(&r, 1, 190, 300);
	check_step(&r, 2, 300, 320);
	run_done(&r);
}

static void test_steps_of_the_host_alone(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	host(&t, "cpu_op", "ProfilerStep#1", 100, 100);
	host(&t, "cpu_op", "ProfilerStep#2", 200, 100);
	host(&t, "cpu_op", "aten::mm", 210, 200);
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.n, 2);
	check_step(&r, 0, 100, 200);
	check_step(&r, 1, 200, 410);
	assert_true(r.s.items[0].first == NO_TIME && r.s.items[1].last == NO_TIME);
	run_done(&r);
}

/* ---- nothing much -------------------------------------------------------------------------------------------------------------------- */

static void test_one_event(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	kernel(&t, "A", 100, 0);			/* of no length: it still is in its step */
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.source, STEPS_WHOLE);
	assert_int_equal(r.s.n, 1);
	assert_int_equal(r.s.items[0].start, US(100));
	assert_int_equal(r.s.items[0].end, US(100) + 1);
	assert_int_equal(r.s.items[0].last, US(100));
	assert_int_equal(r.s.items[0].phase, PHASE_UNKNOWN);
	run_done(&r);
}

static void test_only_copies(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	host(&t, "cpu_op", "ProfilerStep#1", 0, 100);
	host(&t, "cpu_op", "ProfilerStep#2", 100, 100);
	launch_on(&t, 10, 1, "MEMCPY_ASYNC", "MEMCPY_ASYNC", 20, 30);
	launch_on(&t, 110, 1, "MEMCPY_ASYNC", "MEMCPY_ASYNC", 130, 30);
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.n, 2);
	check_step(&r, 0, 20, 130);
	check_step(&r, 1, 130, 200);
	assert_true(r.s.items[0].first == NO_TIME);
	run_done(&r);
}

static void test_nothing(void **state)
{
	struct capture c = { 0 };
	struct rank rank = { 0 };
	struct work_model *m;
	struct steps s;
	size_t n;

	(void)state;
	names_init(&c.names);
	rank.events.first_start = rank.events.last_end = NO_TIME;
	m = work_new(&c, &rank, classifier, &n);
	steps_find(&m[0], PHASES_DECODE, &s);
	assert_int_equal(s.n, 0);
	assert_non_null(s.reason);
	assert_non_null(s.phase_reason);
	steps_done(&s);
	work_free(m, n);
	names_done(&c.names);
}

/* ---- engine -------------------------------------------------------------------------------------------------------------------------- */

static void test_engine_calls_merge(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	for (int i = 0; i < 4; i++) {
		int64_t at = 1000 * i;

		host(&t, "python_function", "vllm_ascend/worker/model_runner_v1.py(2214): execute_model", at, 500);
		host(&t, "cpu_op", "execute_model", at + 10, 400);
		host(&t, "cpu_op", "NPUModelRunner.execute_model", at + 20, 100);
		host(&t, "cpu_op", "Sampler.forward", at + 600, 50);
		host(&t, "cpu_op", "Other.forward", at + 700, 50);
		launch(&t, at + 30, "A", at + 800, 100);
		launch(&t, at + 610, "B", at + 950, 100);
	}
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.source, STEPS_ENGINE);
	assert_int_equal(r.s.n, 4);
	for (size_t i = 0; i < 3; i++)
		check_step(&r, i, 800 + 1000 * (int64_t)i, 1800 + 1000 * (int64_t)i);
	check_step(&r, 3, 3800, 4050);
	check_label(&r, 0, "");
	assert_non_null(strstr(r.s.reason, "execute_model 4 times"));
	run_done(&r);
}

static void test_engine_names_requests(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	for (int i = 0; i < 4; i++) {
		host(&t, "cpu_op", i ? "execute_context_0(0)_generation_12(12)" : "execute_context_1(700)_generation_3(3)", 1000 * i, 500);
		kernel(&t, "A", 1000 * i + 100, 100);
	}
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.n, 4);
	assert_int_equal(r.s.items[0].phase, PHASE_PREFILL);
	for (size_t i = 1; i < 4; i++)
		assert_int_equal(r.s.items[i].phase, PHASE_DECODE);
	assert_int_equal(r.s.phase_confidence, CONF_HIGH);
	run_done(&r);
}

static void test_engine_in_a_corner(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	for (int i = 0; i < 3; i++)
		host(&t, "cpu_op", "execute_model", 90000 + 100 * i, 50);
	kernel(&t, "X", 0, 80000);
	kernel(&t, "Y", 90010, 10);
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_not_equal(r.s.source, STEPS_ENGINE);
	run_done(&r);
}

static void test_last_step_is_cut(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	for (int i = 0; i < 6; i++) {
		host(&t, "cpu_op", "execute_model", 1000 * i, 500);
		for (int k = 0; k < (i == 5 ? 3 : 10); k++)
			kernel(&t, "A", 1000 * i + 10 + 50 * k, 40);
	}
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.n, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(r.s.items[i].partial, i == 5);
	run_done(&r);
}

/* ---- user marks ---------------------------------------------------------------------------------------------------------------------- */

static void test_user_marks(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	host(&t, "mstx", "load weights", 0, 50);
	for (int i = 0; i < 5; i++) {
		char name[32];

		snprintf(name, sizeof name, "batch %d", i);
		host(&t, "mstx", name, 100 + 100 * i, 90);
		kernel(&t, "A", 110 + 100 * i, 50);
	}
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.source, STEPS_MSTX);
	assert_int_equal(r.s.n, 5);
	check_step(&r, 1, 200, 300);
	check_label(&r, 4, "batch 4");
	run_done(&r);
}

static void test_marks_that_name_phases(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	host(&t, "mstx", "Prefill", 0, 100);
	host(&t, "mstx", "decode step", 100, 100);
	kernel(&t, "A", 10, 50);
	kernel(&t, "A", 110, 50);
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.source, STEPS_MSTX);
	assert_int_equal(r.s.n, 2);
	assert_int_equal(r.s.items[0].phase, PHASE_PREFILL);
	assert_int_equal(r.s.items[1].phase, PHASE_DECODE);
	run_done(&r);
}

static void test_phase_marks_around_engine_calls(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	host(&t, "mstx", "prefill", 0, 190);
	host(&t, "mstx", "decode", 200, 790);
	for (int i = 0; i < 10; i++) {
		host(&t, "cpu_op", "execute_model", 100 * i + 5, 80);
		kernel(&t, "A", 100 * i + 10, 50);
	}
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.source, STEPS_ENGINE);
	assert_int_equal(r.s.n, 10);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(r.s.items[i].phase, i < 2 ? PHASE_PREFILL : PHASE_DECODE);
	assert_int_equal(r.s.phase_confidence, CONF_HIGH);
	run_done(&r);
}

/* ---- no marks at all ----------------------------------------------------------------------------------------------------------------- */

static void test_pauses(void **state)
{
	struct trace t;
	struct run r;
	char name[16];

	(void)state;
	trace_start(&t);
	for (int i = 0; i < 12; i++) {
		snprintf(name, sizeof name, "K%c", 'a' + i);	/* nothing repeats */
		kernel(&t, name, i * 20 + i / 4 * 1000, 10);
	}
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.source, STEPS_GAPS);
	assert_int_equal(r.s.n, 3);
	check_step(&r, 0, 0, 1080);
	check_step(&r, 1, 1080, 2160);
	check_step(&r, 2, 2160, 2230);
	assert_non_null(strstr(r.s.reason, "200.0 us"));
	run_done(&r);
}

static void test_repeated_kernels(void **state)
{
	struct trace t;
	struct run r;
	int64_t at = 1000;

	(void)state;
	trace_start(&t);
	kernel(&t, "Tail", 900, 10);				/* of a step before the capture */
	for (int i = 0; i < 8; i++) {
		kernel(&t, "Embedding", at, 5);
		for (int k = 0; k < 12; k++) {
			kernel(&t, "MatMul", at + 10 + 20 * k, 10);
			kernel(&t, "Add", at + 20 + 20 * k, 10);
		}
		kernel(&t, "ArgMax", at + 250, 5);
		at += 260;
	}
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.source, STEPS_REPEAT);
	assert_int_equal(r.s.confidence, CONF_MEDIUM);
	assert_int_equal(r.s.n, 8);
	for (size_t i = 0; i < 8; i++)
		check_step(&r, i, 1000 + 260 * (int64_t)i, i < 7 ? 1260 + 260 * (int64_t)i : at - 5);
	run_done(&r);
}

/* One step of 40 layers is no 40 steps. */
static void test_layers_are_no_steps(void **state)
{
	struct trace t;
	struct run r;

	(void)state;
	trace_start(&t);
	kernel(&t, "Embedding", 0, 5);
	for (int k = 0; k < 40; k++) {
		kernel(&t, "MatMul", 10 + 20 * k, 10);
		kernel(&t, "Add", 20 + 20 * k, 10);
	}
	kernel(&t, "ArgMax", 1000, 5);
	trace_run(&t, &r, PHASES_AUTO);
	assert_int_equal(r.s.source, STEPS_WHOLE);
	assert_int_equal(r.s.n, 1);
	run_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_device_lags_behind_host),
		cmocka_unit_test(test_copy_launched_ahead),
		cmocka_unit_test(test_mark_without_work),
		cmocka_unit_test(test_marks_without_links),
		cmocka_unit_test(test_nested_and_overlapping_marks),
		cmocka_unit_test(test_steps_of_the_host_alone),
		cmocka_unit_test(test_one_event),
		cmocka_unit_test(test_only_copies),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_engine_calls_merge),
		cmocka_unit_test(test_engine_names_requests),
		cmocka_unit_test(test_engine_in_a_corner),
		cmocka_unit_test(test_last_step_is_cut),
		cmocka_unit_test(test_user_marks),
		cmocka_unit_test(test_marks_that_name_phases),
		cmocka_unit_test(test_phase_marks_around_engine_calls),
		cmocka_unit_test(test_pauses),
		cmocka_unit_test(test_repeated_kernels),
		cmocka_unit_test(test_layers_are_no_steps),
	};

	return cmocka_run_group_tests_name("steps", tests, steps_setup, steps_teardown);
}
