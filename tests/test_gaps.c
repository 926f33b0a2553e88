/* SPDX-License-Identifier: Apache-2.0 */
/* Causes of gaps: for each one a trace made by hand, with exact times. */
#include "core/analysis/gaps.h"
#include "core/load/load.h"
#include "tests/help/gaps_check.h"
#include "tests/help/tmpdir.h"

#include <stdio.h>

#define US   1000
#define BASE 1736408883700000000	/* ns; times of the traces below count from here */

static char dir[256];
static struct classifier *classifier;

static int setup(void **state)
{
	struct diag d;

	(void)state;
	tmpdir_make(dir, sizeof dir);
	classifier = classifier_new(&d);
	return classifier ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	classifier_free(classifier);
	tmpdir_remove(dir);
	return 0;
}

/* ---- a capture and its gaps ---------------------------------------------------------------------------------------------------- */

struct found {
	struct capture *c;
	struct work_model *models;
	size_t n;
	struct gaps g;			/* of the model asked for */
};

static void found_done(struct found *f)
{
	gaps_done(&f->g);
	work_free(f->models, f->n);
	capture_free(f->c);
}

static const char *name_of(const struct found *f, uint32_t id)
{
	return names_text(&f->c->names, id);
}

/* ---- traces made by hand ------------------------------------------------------------------------------------------------------------- */

enum { PYTHON = 1, CANN, HARDWARE, COMMUNICATION, GC };

static struct buf text;

static void begin(void)
{
	static const char *const processes[] = { "Python", "CANN", "Ascend Hardware", "Communication", "Python GC" };

	text.n = 0;
	for (size_t i = 0; i < ARRAY_LEN(processes); i++)
		buf_printf(&text, "%c{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%zu,\"args\":{\"name\":\"%s\"}}", i ? ',' : '[', i + 1,
			processes[i]);
}

static void lane_name(int pid, int tid, const char *name)
{
	buf_printf(&text, ",{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s\"}}", pid, tid, name);
}

/* ns as microseconds, exactly */
static void put_time(const char *key, int64_t ns, const char *quote)
{
	buf_printf(&text, ",\"%s\":%s%lld.%03d%s", key, quote, (long long)(ns / US), (int)(ns % US), quote);
}

/* extra: category of a host event, task type of a device task */
static void event(int pid, int tid, const char *name, const char *extra, int64_t start, int64_t end)
{
	buf_printf(&text, ",{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\"", pid, tid, name);
	put_time("ts", BASE + start, "\"");
	put_time("dur", end - start, "");
	if (pid == HARDWARE)
		buf_printf(&text, ",\"args\":{\"Task Type\":\"%s\"}}", extra);
	else
		buf_printf(&text, "%s%s%s}", *extra ? ",\"cat\":\"" : "", extra, *extra ? "\"" : "");
}

static void op(int tid, const char *name, int64_t start, int64_t end)
{
	event(PYTHON, tid, name, "cpu_op", start, end);
}

static void call(int tid, const char *name, int64_t start, int64_t end)
{
	event(CANN, tid, name, "", start, end);
}

static void kernel(int stream, const char *name, int64_t start, int64_t end)
{
	event(HARDWARE, stream, name, "AI_CORE", start, end);
}

static void flow_end(char phase, const char *category, int id, int pid, int tid, int64_t t)
{
	buf_printf(&text, ",{\"ph\":\"%c\",\"cat\":\"%s\",\"name\":\"x\",\"id\":\"%d\",\"pid\":%d,\"tid\":%d", phase, category, id,
		pid, tid);
	put_time("ts", BASE + t, "\"");
	buf_str(&text, "}");
}

static void flow(const char *category, int pid, int tid, int64_t t, int to_pid, int to_tid, int64_t to_t)
{
	static int id;

	flow_end('s', category, ++id, pid, tid, t);
	flow_end('f', category, id, to_pid, to_tid, to_t);
}

static void launch(int tid, int64_t t, int stream, int64_t to)
{
	flow("HostToDevice", CANN, tid, t, HARDWARE, stream, to);
}

static void load_text(struct found *f, int64_t floor_ns)
{
	char path[300];
	struct diag d;

	buf_str(&text, "]");
	tmpdir_write(dir, "trace_view.json", text.p, text.n);
	snprintf(path, sizeof path, "%s/trace_view.json", dir);
	assert_int_equal(capture_load(path, NULL, NULL, &f->c, &d), ERR_OK);
	f->models = work_new(f->c, &f->c->ranks[0], classifier, &f->n);
	gaps_find(&f->models[0], NULL, floor_ns, &f->g);
	check_sums(&f->models[0], &f->g);
}

/* The only gap that is no edge: 100 us after the first kernel, which runs from 200 to 300 us. */
static const struct gap *the_gap(struct found *f)
{
	const struct gap *found = NULL;

	load_text(f, -1);
	for (size_t i = 0; i < f->g.n; i++)
		if (f->g.items[i].cause != GAP_EDGE) {
			assert_null(found);
			found = &f->g.items[i];
		}
	assert_non_null(found);
	assert_int_equal(found->start - BASE, 300 * US);
	return found;
}

static void assert_cause(const struct gap *g, enum gap_cause cause, enum confidence confidence)
{
	assert_string_equal(gap_key(g->cause), gap_key(cause));
	assert_int_equal(g->confidence, confidence);
}

/* Two kernels with 500.125 us between them; the second is launched at `launched` by a CANN call of 5 us. */
static void two_kernels(int64_t launched)
{
	begin();
	kernel(2, "MatMulV2_1", 200 * US, 300 * US);
	kernel(2, "RmsNorm_2", 800 * US + 125, 900 * US);
	if (launched < 0)
		return;
	call(70, "Node@launch", launched, launched + 5 * US);
	launch(70, launched + 1, 2, 800 * US + 125);
}

static void test_host_late(void **state)
{
	struct found f;
	const struct gap *g;

	(void)state;
	two_kernels(700 * US);
	op(70, "aten::linear", 290 * US, 450 * US);
	op(70, "aten::matmul", 300 * US, 400 * US);		/* inside the one before: counts once, under its name */
	op(70, "aten::add", 450 * US, 600 * US + 7);
	op(70, "aten::linear", 650 * US, 720 * US);
	op(71, "aten::other_thread", 300 * US, 800 * US);
	g = the_gap(&f);
	assert_int_equal(g->end - BASE, 800 * US + 125);
	assert_cause(g, GAP_HOST_LATE, CONF_HIGH);
	assert_int_equal(g->host_busy, 370 * US + 7);
	assert_string_equal(name_of(&f, g->host[0]), "aten::linear");
	assert_int_equal(g->host_ns[0], 220 * US);
	assert_string_equal(name_of(&f, g->host[1]), "aten::add");
	assert_int_equal(g->host_ns[1], 150 * US + 7);
	assert_int_equal(g->host[2], 0);
	assert_string_equal(name_of(&f, f.models[0].spans[g->before].name), "MatMulV2_1");
	assert_string_equal(name_of(&f, f.models[0].spans[g->after].name), "RmsNorm_2");
	assert_int_equal(f.models[0].r->events.start[g->launch] - BASE, 700 * US);
	assert_int_equal(f.g.by_cause[GAP_HOST_LATE].total_ns, 500 * US + 125);
	found_done(&f);
}

/* The share is that of the time until the launch: half of it is enough, one ns less is not. */
static void test_half(void **state)
{
	struct found f;

	(void)state;
	two_kernels(700 * US);
	op(70, "aten::linear", 300 * US, 500 * US);
	assert_cause(the_gap(&f), GAP_HOST_LATE, CONF_HIGH);
	found_done(&f);
	two_kernels(700 * US);
	op(70, "aten::linear", 300 * US, 500 * US - 1);
	assert_cause(the_gap(&f), GAP_HOST_IDLE, CONF_MEDIUM);
	found_done(&f);
}

/* What the host did after the launch is no excuse for the time before it. */
static void test_host_idle(void **state)
{
	struct found f;
	const struct gap *g;

	(void)state;
	two_kernels(700 * US);
	call(70, "AscendCL@aclrtFree", 310 * US, 330 * US);
	call(70, "AscendCL@aclrtMalloc", 710 * US, 800 * US + 125);
	event(PYTHON, 70, "queue.py(154): get", "python_function", 250 * US, 690 * US);
	g = the_gap(&f);
	assert_cause(g, GAP_HOST_IDLE, CONF_MEDIUM);
	assert_int_equal(g->host_busy, 20 * US + 5 * US + 90 * US + 125);
	assert_string_equal(name_of(&f, g->host[0]), "AscendCL@aclrtMalloc");
	assert_int_equal(g->host_ns[0], 90 * US + 125);
	found_done(&f);
}

/* Frames tell by what is innermost. */
static void test_frames(void **state)
{
	struct found f;
	const struct gap *g;

	(void)state;
	begin();
	kernel(2, "MatMulV2_1", 200 * US, 300 * US);
	kernel(2, "RmsNorm_2", 800 * US, 900 * US);
	event(PYTHON, 70, "worker.py(10): run", "python_function", 100 * US, 950 * US);
	event(PYTHON, 70, "worker.py(20): step", "python_function", 310 * US, 800 * US);
	event(PYTHON, 70, "queue.py(154): get", "python_function", 350 * US, 600 * US);
	g = the_gap(&f);
	assert_cause(g, GAP_HOST_IDLE, CONF_LOW);
	assert_string_equal(name_of(&f, g->host[0]), "queue.py(154): get");
	assert_int_equal(g->host_ns[0], 250 * US);
	assert_string_equal(name_of(&f, g->host[1]), "worker.py(20): step");
	assert_int_equal(g->host_ns[1], 240 * US);
	assert_string_equal(name_of(&f, g->host[2]), "worker.py(10): run");
	assert_int_equal(g->host_ns[2], 10 * US);
	assert_int_equal(f.g.by_cause[GAP_EDGE].count, 1);	/* before the device; 50 us after it are not over the floor */
	assert_int_equal(f.g.by_cause[GAP_EDGE].total_ns, 100 * US);
	found_done(&f);
}

static void test_launch(void **state)
{
	struct found f;

	(void)state;
	two_kernels(250 * US);
	op(70, "aten::linear", 300 * US, 800 * US);
	assert_cause(the_gap(&f), GAP_LAUNCH, CONF_HIGH);
	found_done(&f);
	two_kernels(300 * US);		/* at the very moment */
	assert_cause(the_gap(&f), GAP_LAUNCH, CONF_HIGH);
	found_done(&f);
	begin();			/* the way took more than a millisecond: something else held it */
	kernel(2, "MatMulV2_1", 200 * US, 300 * US);
	kernel(2, "RmsNorm_2", 1300 * US, 1400 * US);
	call(70, "Node@launch", 250 * US, 255 * US);
	launch(70, 251 * US, 2, 1300 * US);
	assert_cause(the_gap(&f), GAP_LAUNCH, CONF_LOW);
	found_done(&f);
	begin();			/* the launching call itself lasts: it compiles */
	kernel(2, "MatMulV2_1", 200 * US, 300 * US);
	kernel(2, "RmsNorm_2", 800 * US, 900 * US);
	call(70, "AscendCL@aclopCompileAndExecute", 290 * US, 700 * US);
	launch(70, 291 * US, 2, 800 * US);
	assert_cause(the_gap(&f), GAP_HOST_LATE, CONF_MEDIUM);
	found_done(&f);
}

/* Only the framework operator is known. */
static void test_torch_link(void **state)
{
	struct found f;
	const struct gap *g;

	(void)state;
	two_kernels(-1);
	op(70, "aten::mul", 250 * US, 290 * US);
	flow("async_npu", PYTHON, 70, 260 * US, HARDWARE, 2, 800 * US + 125);
	assert_cause(the_gap(&f), GAP_LAUNCH, CONF_MEDIUM);
	found_done(&f);
	two_kernels(-1);
	op(70, "aten::view", 300 * US, 700 * US);
	op(70, "aten::mul", 700 * US, 790 * US);
	flow("async_npu", PYTHON, 70, 760 * US, HARDWARE, 2, 800 * US + 125);
	g = the_gap(&f);
	assert_cause(g, GAP_HOST_LATE, CONF_MEDIUM);
	assert_string_equal(name_of(&f, f.models[0].r->events.name[g->launch]), "aten::mul");
	found_done(&f);
}

/* The launching thread takes from a queue and is idle; the one that fills it is busy. */
static void queued(bool with_torch)
{
	two_kernels(700 * US);
	op(60, "aten::linear", 310 * US, 695 * US);
	op(61, "aten::not_its_business", 300 * US, 310 * US);
	event(PYTHON, 60, "Enqueue", "enqueue", 690 * US, 692 * US);
	event(PYTHON, 70, "Dequeue@aclnnRmsNorm", "dequeue", 698 * US, 708 * US);
	flow("async_task_queue", PYTHON, 60, 690 * US, PYTHON, 70, 698 * US);
	if (with_torch)
		flow("async_npu", PYTHON, 60, 600 * US, HARDWARE, 2, 800 * US + 125);
}

static void test_queue(void **state)
{
	struct found f;
	const struct gap *g;

	(void)state;
	queued(true);
	g = the_gap(&f);
	assert_cause(g, GAP_HOST_LATE, CONF_HIGH);
	assert_int_equal(g->host_busy, 385 * US + 10 * US);
	assert_int_equal(f.models[0].r->events.start[g->launch] - BASE, 700 * US);	/* the CANN call, not the operator */
	assert_string_equal(name_of(&f, g->host[0]), "aten::linear");
	assert_int_equal(g->host[1], 0);
	found_done(&f);
	queued(false);		/* who filled the queue is not told: every thread counts */
	g = the_gap(&f);
	assert_cause(g, GAP_HOST_LATE, CONF_HIGH);
	assert_int_equal(g->host_busy, 10 * US + 385 * US + 10 * US);
	assert_string_equal(name_of(&f, g->host[1]), "aten::not_its_business");
	found_done(&f);
}

static void test_sync(void **state)
{
	struct found f;

	(void)state;
	two_kernels(700 * US);
	op(70, "aten::item", 280 * US, 690 * US);
	call(70, "AscendCL@aclrtSynchronizeStreamWithTimeout", 290 * US, 501 * US);
	assert_cause(the_gap(&f), GAP_SYNC, CONF_HIGH);
	assert_int_equal(f.g.by_cause[GAP_SYNC].longest_ns, 500 * US + 125);
	found_done(&f);
	two_kernels(700 * US);		/* no larger part: busy */
	op(70, "aten::item", 280 * US, 690 * US);
	call(70, "AscendCL@aclrtSynchronizeStreamWithTimeout", 290 * US, 500 * US);
	assert_cause(the_gap(&f), GAP_HOST_LATE, CONF_HIGH);
	found_done(&f);
	two_kernels(700 * US);		/* no AscendCL calls in the capture: the operator tells */
	op(70, "aten::item", 280 * US, 690 * US);
	assert_cause(the_gap(&f), GAP_SYNC, CONF_HIGH);
	found_done(&f);
	two_kernels(700 * US);		/* a stream's wait does not hold the host, another thread's no one here */
	call(70, "AscendCL@aclrtStreamWaitEvent", 300 * US, 690 * US);
	call(71, "AscendCL@aclrtSynchronizeDevice", 300 * US, 690 * US);
	assert_cause(the_gap(&f), GAP_HOST_LATE, CONF_HIGH);
	found_done(&f);
	two_kernels(700 * US);		/* a blocking copy */
	call(70, "AscendCL@aclrtMemcpy", 300 * US, 690 * US);
	assert_cause(the_gap(&f), GAP_SYNC, CONF_HIGH);
	found_done(&f);
}

static void test_gc(void **state)
{
	struct found f;
	const struct gap *g;

	(void)state;
	two_kernels(700 * US);
	event(GC, 70, "GC", "GC", 310 * US, 640 * US);
	g = the_gap(&f);
	assert_cause(g, GAP_HOST_LATE, CONF_HIGH);
	assert_string_equal(name_of(&f, g->host[0]), "GC");
	assert_int_equal(g->host_ns[0], 330 * US);
	found_done(&f);
}

static void test_waits(void **state)
{
	struct found f;

	(void)state;
	two_kernels(310 * US);
	event(HARDWARE, 4, "Notify Wait", "Notify Wait", 305 * US, 790 * US);
	assert_cause(the_gap(&f), GAP_COMM_WAIT, CONF_MEDIUM);
	found_done(&f);
	two_kernels(750 * US);		/* peers are waited for, whenever the kernel came */
	event(HARDWARE, 4, "Notify Wait", "Notify Wait", 300 * US, 800 * US + 125);
	assert_cause(the_gap(&f), GAP_COMM_WAIT, CONF_HIGH);
	found_done(&f);
	two_kernels(310 * US);
	event(HARDWARE, 2, "EVENT_WAIT", "EVENT_WAIT", 300 * US, 800 * US);
	assert_cause(the_gap(&f), GAP_EVENT_WAIT, CONF_MEDIUM);
	found_done(&f);
	two_kernels(250 * US);
	event(HARDWARE, 2, "EVENT_WAIT", "EVENT_WAIT", 290 * US, 800 * US + 125);
	assert_cause(the_gap(&f), GAP_EVENT_WAIT, CONF_HIGH);
	found_done(&f);
	two_kernels(250 * US);		/* 250 of 500.125 us: not half */
	event(HARDWARE, 2, "EVENT_WAIT", "EVENT_WAIT", 300 * US, 550 * US);
	assert_cause(the_gap(&f), GAP_LAUNCH, CONF_HIGH);
	found_done(&f);
	two_kernels(790 * US);		/* the stream waited for work that the host had not launched yet */
	event(HARDWARE, 2, "EVENT_WAIT", "EVENT_WAIT", 300 * US, 800 * US + 125);
	op(70, "aten::linear", 300 * US, 795 * US);
	assert_cause(the_gap(&f), GAP_HOST_LATE, CONF_HIGH);
	found_done(&f);
}

/* A stream's wait before a collective that was launched: its peers or its inputs are not there yet. */
static void test_wait_before_collective(void **state)
{
	struct found f;

	(void)state;
	for (int late = 0; late < 2; late++) {
		int64_t launched = late ? 780 * US : 280 * US;

		begin();
		lane_name(COMMUNICATION, 0, "Group 0 Communication");
		lane_name(COMMUNICATION, 1, "Plane 0");
		kernel(2, "MatMulV2_1", 200 * US, 300 * US);
		event(COMMUNICATION, 0, "hcom_allReduce__1_0_1", "", 800 * US, 900 * US);
		event(COMMUNICATION, 1, "Notify_Wait", "", 801 * US, 880 * US);
		event(HARDWARE, 4, "EVENT_WAIT", "EVENT_WAIT", 300 * US, 800 * US);
		call(70, "Node@launch", launched, launched + 5 * US);
		op(70, "c10d::allreduce_", 250 * US, 790 * US);
		flow("HostToDevice", CANN, 70, launched + 1, COMMUNICATION, 0, 800 * US);
		assert_cause(the_gap(&f), late ? GAP_HOST_LATE : GAP_COMM_WAIT, CONF_HIGH);
		found_done(&f);
	}
}

static void test_unknown(void **state)
{
	struct found f;

	(void)state;
	two_kernels(-1);		/* no host at all */
	assert_cause(the_gap(&f), GAP_UNKNOWN, CONF_LOW);
	assert_int_equal(f.g.by_cause[GAP_EDGE].count, 0);
	found_done(&f);
	two_kernels(-1);		/* the host was recorded at another time */
	op(70, "aten::linear", 100 * US, 250 * US);
	assert_cause(the_gap(&f), GAP_UNKNOWN, CONF_LOW);
	found_done(&f);
	two_kernels(-1);		/* no link: by the share of the whole gap */
	op(70, "aten::linear", 300 * US, 560 * US);
	assert_cause(the_gap(&f), GAP_HOST_LATE, CONF_LOW);
	found_done(&f);
	two_kernels(-1);
	op(70, "aten::linear", 300 * US, 500 * US);
	assert_cause(the_gap(&f), GAP_HOST_IDLE, CONF_LOW);
	found_done(&f);
}

static void test_edges(void **state)
{
	struct found f;

	(void)state;
	begin();
	op(70, "aten::linear", 10 * US + 1, 60 * US);
	kernel(2, "MatMulV2_1", 200 * US, 300 * US);
	kernel(2, "MatMulV2_2", 350 * US, 400 * US);	/* 50 us: up to the floor */
	kernel(2, "MatMulV2_3", 450 * US + 1, 500 * US);	/* one ns more */
	call(70, "AscendCL@aclrtFree", 500 * US, 577 * US);
	call(70, "Node@launch", 100 * US, 105 * US);
	launch(70, 101 * US, 2, 200 * US);
	load_text(&f, -1);
	assert_int_equal(f.g.n, 3);
	assert_int_equal(f.g.below.count, 1);
	assert_int_equal(f.g.below.longest_ns, 50 * US);
	assert_int_equal(f.g.all.count, 1);
	assert_int_equal(f.g.all.total_ns, 50 * US + 1);
	assert_cause(&f.g.items[0], GAP_EDGE, CONF_HIGH);
	assert_int_equal(f.g.items[0].start - BASE, 10 * US + 1);
	assert_int_equal(f.g.items[0].before, NONE);
	assert_int_not_equal(f.g.items[0].launch, NONE);
	assert_string_equal(name_of(&f, f.g.items[0].host[0]), "aten::linear");
	assert_cause(&f.g.items[2], GAP_EDGE, CONF_HIGH);
	assert_int_equal(f.g.items[2].end - BASE, 577 * US);
	assert_int_equal(f.g.items[2].after, NONE);
	assert_string_equal(name_of(&f, f.g.items[2].host[0]), "AscendCL@aclrtFree");
	assert_int_equal(f.g.by_cause[GAP_EDGE].total_ns, 190 * US - 1 + 77 * US);
	found_done(&f);
}

/* One event of 1970 is no beginning of the capture. */
static void test_outlier(void **state)
{
	struct found f;

	(void)state;
	two_kernels(700 * US);
	op(70, "aten::linear", 300 * US, 690 * US);
	op(70, "aten::lost", -BASE, 1 - BASE);
	assert_cause(the_gap(&f), GAP_HOST_LATE, CONF_HIGH);
	assert_int_equal(f.g.by_cause[GAP_EDGE].count, 0);
	found_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_late),
		cmocka_unit_test(test_half),
		cmocka_unit_test(test_host_idle),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_launch),
		cmocka_unit_test(test_torch_link),
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_sync),
		cmocka_unit_test(test_gc),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_wait_before_collective),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_outlier),
	};
	int failed = cmocka_run_group_tests(tests, setup, teardown);

	buf_done(&text);
	return failed;
}
