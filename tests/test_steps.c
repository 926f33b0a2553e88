/* SPDX-License-Identifier: Apache-2.0 */
/* Steps and phases on small traces whose answer is worked out by hand or by the slow way. */
#include "tests/help/steps_run.h"

#include "tests/help/tmpdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- traces made by hand ------------------------------------------------------------------------------------------------------------- */

struct trace {
	struct buf text;
	char dir[256];
	int flows;
};

enum { HOST = 1, DEVICE = 2, COMM = 3, BASE_S = 1700000000 };

static void trace_add(struct trace *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void trace_add(struct trace *t, const char *fmt, ...)
{
	char line[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	buf_str(&t->text, t->text.n ? "," : "[");
	buf_str(&t->text, line);
}

static void trace_start(struct trace *t)
{
	static const char *const names[] = { "", "Python", "Ascend Hardware", "Communication" };

	*t = (struct trace){ 0 };
	tmpdir_make(t->dir, sizeof t->dir);
	for (int p = HOST; p <= COMM; p++)
		trace_add(t, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"tid\":0,\"args\":{\"name\":\"%s\"}}", p, names[p]);
	trace_add(t, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":1,\"args\":{\"name\":\"Group 1 Communication\"}}", COMM);
	for (int s = 1; s < 4; s++)
		trace_add(t, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"Stream %d\"}}", DEVICE, s, s);
}

/* Times in these traces are whole us after BASE_S. */
static void host(struct trace *t, const char *cat, const char *name, int64_t start, int64_t dur)
{
	trace_add(t, "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":7,\"ts\":\"%d%06lld.000\",\"dur\":%lld}",
		cat, name, HOST, BASE_S, (long long)start, (long long)dur);
}

static void task(struct trace *t, int stream, const char *type, const char *name, int64_t start, int64_t dur)
{
	trace_add(t, "{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":\"%d%06lld.000\",\"dur\":%lld,\"args\":{\"Task Type\":\"%s\"}}",
		name, DEVICE, stream, BASE_S, (long long)start, (long long)dur, type);
}

static void kernel(struct trace *t, const char *name, int64_t start, int64_t dur)
{
	task(t, 1, "AI_CORE", name, start, dur);
}

/* A kernel or copy that an operator at `at` launched. */
static void launch_on(struct trace *t, int64_t at, int stream, const char *type, const char *name, int64_t start, int64_t dur)
{
	int id = ++t->flows;

	host(t, "cpu_op", "aten::op", at, 1);
	task(t, stream, type, name, start, dur);
	trace_add(t, "{\"ph\":\"s\",\"cat\":\"async_npu\",\"name\":\"torch_to_npu\",\"id\":%d,\"pid\":%d,\"tid\":7,\"ts\":\"%d%06lld.000\"}",
		id, HOST, BASE_S, (long long)at);
	trace_add(t, "{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"async_npu\",\"name\":\"torch_to_npu\",\"id\":%d,\"pid\":%d,"
		"\"tid\":%d,\"ts\":\"%d%06lld.000\"}",
		id, DEVICE, stream, BASE_S, (long long)start);
}

static void launch(struct trace *t, int64_t at, const char *name, int64_t start, int64_t dur)
{
	launch_on(t, at, 1, "AI_CORE", name, start, dur);
}

static void trace_run(struct trace *t, struct run *r, enum phase_choice choice)
{
	buf_str(&t->text, "]");
	tmpdir_write(t->dir, "trace_view.json", t->text.p, t->text.n);
	assert_true(run_open(r, t->dir));
	run_rank(r, 0, choice);
	check_order(&r->m[0], &r->s);
	buf_done(&t->text);
	tmpdir_remove(t->dir);
}

#define US(t) (((int64_t)BASE_S * 1000000 + (t)) * 1000)

static void check_step(const struct run *r, size_t i, int64_t start, int64_t end)
{
	assert_true(i < r->s.n);
	assert_int_equal(r->s.items[i].start, US(start));
	assert_int_equal(r->s.items[i].end, US(end));
}

static void check_window(const struct run *r, size_t i, int64_t first, int64_t last)
{
	assert_int_equal(r->s.items[i].first, US(first));
	assert_int_equal(r->s.items[i].last, US(last));
}

static void check_label(const struct run *r, size_t i, const char *label)
{
	assert_string_equal(names_text(&r->c->names, r->s.items[i].label), label);
}

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
