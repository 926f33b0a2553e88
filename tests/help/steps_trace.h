/* SPDX-License-Identifier: Apache-2.0 */
/* Small traces made by hand for the tests of steps and phases: host events, device tasks, launches, and what is expected of each step. */
#ifndef ASCOPE_TESTS_HELP_STEPS_TRACE_H
#define ASCOPE_TESTS_HELP_STEPS_TRACE_H

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

static inline void trace_add(struct trace *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

static inline void trace_add(struct trace *t, const char *fmt, ...)
{
	char line[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	buf_str(&t->text, t->text.n ? "," : "[");
	buf_str(&t->text, line);
}

static inline void trace_start(struct trace *t)
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
static inline void host(struct trace *t, const char *cat, const char *name, int64_t start, int64_t dur)
{
	trace_add(t, "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":7,\"ts\":\"%d%06lld.000\",\"dur\":%lld}",
		cat, name, HOST, BASE_S, (long long)start, (long long)dur);
}

static inline void task(struct trace *t, int stream, const char *type, const char *name, int64_t start, int64_t dur)
{
	trace_add(t, "{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":\"%d%06lld.000\",\"dur\":%lld,\"args\":{\"Task Type\":\"%s\"}}",
		name, DEVICE, stream, BASE_S, (long long)start, (long long)dur, type);
}

static inline void kernel(struct trace *t, const char *name, int64_t start, int64_t dur)
{
	task(t, 1, "AI_CORE", name, start, dur);
}

/* A kernel or copy that an operator at `at` launched. */
static inline void launch_on(struct trace *t, int64_t at, int stream, const char *type, const char *name, int64_t start, int64_t dur)
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

static inline void launch(struct trace *t, int64_t at, const char *name, int64_t start, int64_t dur)
{
	launch_on(t, at, 1, "AI_CORE", name, start, dur);
}

static inline void trace_run(struct trace *t, struct run *r, enum phase_choice choice)
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

static inline void check_step(const struct run *r, size_t i, int64_t start, int64_t end)
{
	assert_true(i < r->s.n);
	assert_int_equal(r->s.items[i].start, US(start));
	assert_int_equal(r->s.items[i].end, US(end));
}

static inline void check_window(const struct run *r, size_t i, int64_t first, int64_t last)
{
	assert_int_equal(r->s.items[i].first, US(first));
	assert_int_equal(r->s.items[i].last, US(last));
}

static inline void check_label(const struct run *r, size_t i, const char *label)
{
	assert_string_equal(names_text(&r->c->names, r->s.items[i].label), label);
}

#endif
