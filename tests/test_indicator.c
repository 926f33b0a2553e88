/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indicators on random small timelines against a walk over every nanosecond: unions, overlaps, gaps, counts, medians, in the whole and in
 * phases made of scattered steps. Times are a few hundred ns, so that edges meet often.
 */
#include "tests/help/analysis_run.h"
#include "tests/help/tmpdir.h"

enum { AXIS = 700, EVENTS = 40, ORIGIN_US = 1764584401 };

enum thing { KERNEL, COLLECTIVE, COPY_BACK, COPY_IN, WAITING, OPERATOR, OPERATOR_SYNC, OPERATOR_COPY, CALL, FRAME, THINGS };

static const struct {
	const char *name, *extra;	/* extra: category or task type */
	int pid, tid;
} things[THINGS] = {
	[KERNEL] = { "aclnnAdd_AddAiCore_Add", "AI_VECTOR_CORE", 30, 2 },
	[COLLECTIVE] = { "hcom_allReduce__129_0_1", "", 40, 0 },
	[COPY_BACK] = { "MEMCPY_ASYNC", "MEMCPY_ASYNC", 30, 3 },
	[COPY_IN] = { "MEMCPY_ASYNC", "MEMCPY_ASYNC", 30, 3 },
	[WAITING] = { "EVENT_WAIT", "EVENT_WAIT", 30, 4 },
	[OPERATOR] = { "aten::add", "cpu_op", 10, 10 },
	[OPERATOR_SYNC] = { "aten::item", "cpu_op", 10, 10 },
	[OPERATOR_COPY] = { "aten::copy_", "cpu_op", 10, 11 },
	[CALL] = { "AscendCL@aclnnAdd", "", 20, 10 },
	[FRAME] = { "model.py(7): forward", "python_function", 10, 10 },
};

struct item {
	enum thing thing;
	int start, dur;			/* ns from the origin */
};

static uint32_t below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*seed >> 33) % n);
}

static void write_meta(struct buf *b, int pid, int tid, const char *what, const char *name)
{
	buf_printf(b, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s\"}},\n", what, pid, tid, name);
}

static void write_trace(const char *dir, const struct item *items, size_t n)
{
	struct buf b = { 0 };

	buf_str(&b, "[");
	write_meta(&b, 10, 0, "process_name", "Python");
	write_meta(&b, 20, 0, "process_name", "CANN");
	write_meta(&b, 30, 0, "process_name", "Ascend Hardware");
	write_meta(&b, 40, 0, "process_name", "Communication");
	write_meta(&b, 40, 0, "thread_name", "Group 0 Communication");
	for (size_t i = 0; i < n; i++) {
		enum thing t = items[i].thing;

		buf_printf(&b, "{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":\"%d000000.%03d\",\"dur\":%d.%03d", things[t].name, things[t].pid,
			things[t].tid, ORIGIN_US, items[i].start, items[i].dur / 1000, items[i].dur % 1000);
		if (things[t].pid == 10)
			buf_printf(&b, ",\"cat\":\"%s\"", things[t].extra);
		else if (things[t].pid == 30)
			buf_printf(&b, ",\"args\":{\"Task Type\":\"%s\"}", things[t].extra);
		buf_str(&b, i + 1 < n ? "},\n" : "}");
	}
	buf_str(&b, "]");
	tmpdir_write(dir, "trace_view.json", b.p, b.n);
	buf_done(&b);
}

/* ---- the slow way ------------------------------------------------------------------------------------------------------------------------- */

enum mask { M_DEVICE = 1, M_COMM = 2, M_COMPUTE = 4, M_COPY = 8, M_HOST = 16, M_OP = 32, M_SYNC = 64, M_HOST_COPY = 128 };

static const unsigned masks[THINGS] = {
	[KERNEL] = M_DEVICE | M_COMPUTE, [COLLECTIVE] = M_DEVICE | M_COMM, [COPY_BACK] = M_DEVICE | M_COPY, [COPY_IN] = M_DEVICE | M_COPY,
	[OPERATOR] = M_HOST | M_OP, [OPERATOR_SYNC] = M_HOST | M_OP | M_SYNC, [OPERATOR_COPY] = M_HOST | M_OP | M_HOST_COPY, [CALL] = M_HOST,
};

struct grid {
	unsigned at[AXIS];
	bool inside[AXIS];		/* of the scope */
	int first, last;		/* of the device's work; of all when there is none */
};

static int count_ns(const struct grid *g, unsigned has, unsigned hasnt)
{
	int n = 0;

	for (int t = 0; t < AXIS; t++)
		n += g->inside[t] && (g->at[t] & has) == has && !(g->at[t] & hasnt);
	return n;
}

static void expect_us(const struct scope *s, enum indicator i, double ns, int line)
{
	if (!(fabs(s->v[i] - ns / 1e3) < 1e-6))
		fail_msg("line %d: %s is %.4f us, not %.4f", line, indicator_key(i), s->v[i], ns / 1e3);
}

static void expect_num(const struct scope *s, enum indicator i, double v, int line)
{
	if (!((isnan(v) && isnan(s->v[i])) || fabs(s->v[i] - v) < 1e-6))
		fail_msg("line %d: %s is %.6f, not %.6f", line, indicator_key(i), s->v[i], v);
}

#define US(i, ns)  expect_us(s, IND_##i, ns, __LINE__)
#define NUM(i, x)  expect_num(s, IND_##i, x, __LINE__)

static int int_compare(const void *x, const void *y)
{
	return *(const int *)x - *(const int *)y;
}

static double median_of(const struct grid *g, const struct item *items, size_t n, enum thing thing)
{
	int list[EVENTS], k = 0;

	for (size_t i = 0; i < n; i++)
		if (items[i].thing == thing && g->inside[items[i].start])
			list[k++] = items[i].dur;
	qsort(list, (size_t)k, sizeof *list, int_compare);
	return k ? (list[(k - 1) / 2] + list[k / 2]) / 2e3 : NAN;
}

static int count_starts(const struct grid *g, const struct item *items, size_t n, unsigned mask)
{
	int k = 0;

	for (size_t i = 0; i < n; i++)
		k += (masks[items[i].thing] & mask) && g->inside[items[i].start];
	return k;
}

static void check_gaps(const struct grid *g, const struct scope *s, int floor_ns)
{
	int total = 0, longest = 0, count = 0, run = 0;

	for (int t = 0; t <= AXIS; t++) {
		if (t < AXIS && g->inside[t] && !(g->at[t] & M_DEVICE)) {
			run++;
			continue;
		}
		if (run > floor_ns) {
			total += run;
			count++;
			longest = MAX(longest, run);
		}
		run = 0;
	}
	US(IDLE, total);
	US(MAX_GAP, longest);
	NUM(GAPS, count);
	US(MEAN_GAP, count ? (double)total / count : 0);
}

static void check_scope(const struct grid *g, const struct item *items, size_t n, const struct scope *s, int floor_ns)
{
	int wall = count_ns(g, 0, 0), device = count_ns(g, M_DEVICE, 0), comm = count_ns(g, M_COMM, 0), exposed = count_ns(g, M_COMM, M_COMPUTE);
	bool ops = false, host = false;

	for (size_t i = 0; i < n; i++) {
		host |= (masks[items[i].thing] & M_HOST) != 0;
		ops |= (masks[items[i].thing] & M_OP) != 0;
	}
	US(WALL, wall);
	US(DEVICE_BUSY, device);
	NUM(DEVICE_BUSY_PCT, wall ? 100.0 * device / wall : NAN);
	US(COMM, comm);
	US(EXPOSED, exposed);
	NUM(COMM_OVERLAP, comm ? 100.0 * (comm - exposed) / comm : NAN);
	US(COMPUTE, count_ns(g, M_COMPUTE, 0));
	US(COPY, count_ns(g, M_COPY, 0));
	NUM(COMM_MEDIAN, median_of(g, items, n, COLLECTIVE));
	NUM(COMPUTE_MEDIAN, median_of(g, items, n, KERNEL));
	NUM(COMM_COUNT, count_starts(g, items, n, M_COMM));
	NUM(DEVICE_EVENTS, count_starts(g, items, n, M_DEVICE));
	check_gaps(g, s, floor_ns);
	if (!host) {
		NUM(HOST_BUSY, NAN);
		NUM(HOST_ONLY, NAN);
		return;
	}
	US(HOST_BUSY, count_ns(g, M_HOST, 0));
	US(HOST_ONLY, count_ns(g, M_HOST, M_DEVICE));
	US(DEVICE_ONLY, count_ns(g, M_DEVICE, M_HOST));
	US(SYNC_US, count_ns(g, M_SYNC, 0));
	US(SYNC_IDLE, count_ns(g, M_SYNC, M_DEVICE));
	NUM(HOST_EVENTS, count_starts(g, items, n, M_HOST));
	if (!ops) {
		NUM(DISPATCHES, NAN);
		return;
	}
	US(HOST_SCHEDULE, count_ns(g, M_OP, 0));
	US(HOST_COPY, count_ns(g, M_HOST_COPY, 0));
	NUM(DISPATCHES, count_starts(g, items, n, M_OP));
}

/* ---- one random timeline --------------------------------------------------------------------------------------------------------------------- */

static size_t make_items(struct item *items, uint64_t *seed, struct grid *g)
{
	size_t n = 2 + below(seed, EVENTS - 2);

	*g = (struct grid){ .first = AXIS, .last = 0 };
	for (size_t i = 0; i < n; i++) {
		struct item *it = &items[i];

		it->thing = (enum thing)below(seed, THINGS);
		if (i == 0)
			it->thing = KERNEL;
		it->start = (int)below(seed, AXIS - 120);
		it->dur = below(seed, 5) ? (int)below(seed, 110) : 0;
		for (int t = it->start; t < it->start + it->dur; t++)
			g->at[t] |= masks[it->thing];
	}
	return n;
}

static void random_steps(struct steps *st, struct step items[8], uint64_t *seed, int64_t origin)
{
	int64_t at = origin + below(seed, 60);

	*st = (struct steps){ .items = items, .n = 1 + below(seed, 8), .source = STEPS_TABLE };
	for (size_t i = 0; i < st->n; i++) {
		int64_t end = at + 1 + below(seed, 80);

		items[i] = (struct step){ .start = at, .end = end, .host_start = NO_TIME, .host_end = NO_TIME, .first = NO_TIME, .last = NO_TIME,
			.phase = (enum phase)below(seed, PHASE_MAX) };
		at = end;
	}
}

static void check_whole(const struct facts *f, struct grid *g, const struct item *items, size_t n, int64_t origin, int floor_ns)
{
	struct scope s;

	scope_measure(f, PHASE_UNKNOWN, &s);
	assert_int_equal(s.window.n, f->work->r->events.first_start < f->work->r->events.last_end);
	for (int t = 0; t < AXIS; t++)
		g->inside[t] = s.window.n && t >= s.window.items[0].start - origin && t < s.window.items[0].end - origin;
	if (f->steps->n && s.window.n) {
		assert_true(s.window.items[0].start == f->steps->items[0].start);
		assert_true(s.window.items[0].end == f->steps->items[f->steps->n - 1].end);
	}
	if (s.window.n)
		check_scope(g, items, n, &s, floor_ns);
	scope_done(&s);
}

static void check_phases(const struct facts *f, struct grid *g, const struct item *items, size_t n, int64_t origin, int floor_ns)
{
	for (int p = PHASE_PREFILL; p <= PHASE_DECODE; p++) {
		struct scope s;
		size_t count = 0;

		memset(g->inside, 0, sizeof g->inside);
		for (size_t i = 0; i < f->steps->n; i++) {
			if ((int)f->steps->items[i].phase != p)
				continue;
			count++;
			for (int64_t t = f->steps->items[i].start - origin; t < f->steps->items[i].end - origin && t < AXIS; t++)
				g->inside[t] = true;
		}
		scope_measure(f, (enum phase)p, &s);
		assert_int_equal(s.nsteps, count);
		if (count)
			check_scope(g, items, n, &s, floor_ns);
		else
			assert_true(isnan(s.v[IND_WALL]));
		scope_done(&s);
	}
}

static void one_round(const char *dir, struct classifier *cl, uint64_t *seed)
{
	static struct grid g;
	struct item items[EVENTS];
	size_t n = make_items(items, seed, &g), models;
	int64_t origin = (int64_t)ORIGIN_US * 1000000000;
	struct step step_items[8];
	struct steps steps, none = { .source = STEPS_WHOLE };
	struct thresholds t;
	struct capture *c;
	struct diag d;
	struct work_model *m;
	struct op_table ops;
	struct collectives colls;
	int floor_ns = (int)below(seed, 30);

	write_trace(dir, items, n);
	assert_int_equal(capture_load(dir, NULL, NULL, &c, &d), ERR_OK);
	thresholds_init(&t);
	t.v[TH_MIN_GAP] = floor_ns / 1e3;
	m = work_new(c, &c->ranks[0], cl, &models);
	assert_int_equal(models, 1);
	ops_find(m, cl, &ops);
	collectives_find(m, NULL, NULL, &colls);
	check_whole(&(struct facts){ m, &none, NULL, &ops, &colls, &t }, &g, items, n, origin, floor_ns);
	random_steps(&steps, step_items, seed, origin);
	check_whole(&(struct facts){ m, &steps, NULL, &ops, &colls, &t }, &g, items, n, origin, floor_ns);
	check_phases(&(struct facts){ m, &steps, NULL, &ops, &colls, &t }, &g, items, n, origin, floor_ns);
	collectives_done(&colls);
	ops_done(&ops);
	work_free(m, models);
	capture_free(c);
}

static void test_random(void **state)
{
	uint64_t seed = 7;
	char dir[300];
	struct classifier *cl = classifier_new(NULL);

	(void)state;
	setenv("ASCOPE_THREADS", "1", 1);
	tmpdir_make(dir, sizeof dir);
	for (int round = 0; round < 400; round++)
		one_round(dir, cl, &seed);
	tmpdir_remove(dir);
	classifier_free(cl);
	unsetenv("ASCOPE_THREADS");
}

/* Every indicator says what it is, and its key finds it. */
static void test_table(void **state)
{
	(void)state;
	for (int i = 0; i < IND_MAX; i++) {
		enum indicator found;

		assert_true(indicator_find(indicator_key((enum indicator)i), &found));
		assert_int_equal(found, i);
		assert_true(strlen(indicator_formula((enum indicator)i)) > 3);
		assert_true(strlen(indicator_source((enum indicator)i)) > 3);
		assert_non_null(indicator_unit((enum indicator)i));
	}
	assert_false(indicator_find("noSuchKey", &(enum indicator){ 0 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
