/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaps on random input: where they are, against a walk over every nanosecond; why, and what the host was in, against a decision that looks
 * at every event for every nanosecond of a gap.
 */
#include "core/analysis/threshold.h"
#include "core/base/mem.h"
#include "core/model/build.h"
#include "tests/help/gaps_check.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t random_below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*seed >> 33) % n);
}

/* ---- arithmetic: random spans on a short axis ------------------------------------------------------------------------------------- */

enum { AXIS = 480, LAST_START = AXIS - 120 };

struct small {
	struct capture c;
	struct rank r;
	struct work_model m;
	bool busy[AXIS];
	struct step step_items[3];
	struct steps steps;
};

/* Spans are rows of a table: no host. Some have no duration, some are waits. */
static void small_make(struct small *s, uint64_t *seed)
{
	static const enum work kinds[] = { WORK_COMPUTE, WORK_COMMUNICATION, WORK_COPY, WORK_WAIT };
	size_t n = random_below(seed, 14);
	int64_t start = 0;

	*s = (struct small){ 0 };
	s->m = (struct work_model){ .c = &s->c, .r = &s->r, .device = -1, .from_table = true, .first = NO_TIME, .last = NO_TIME };
	for (size_t i = 0; i < n && start < LAST_START; i++) {
		struct span p = { start += random_below(seed, 45), random_below(seed, 30), (uint32_t)i, 0, kinds[random_below(seed, 4)] };

		if (random_below(seed, 6) == 0)
			p.dur = 0;
		ARRAY_PUSH(&s->m, spans, nspans, cap_spans) = p;
		if (p.kind == WORK_WAIT)
			continue;
		intervals_add(&s->m.sets.busy, p.start, span_end(&p));
		s->m.first = s->m.first == NO_TIME ? p.start : s->m.first;
		s->m.last = MAX(s->m.last, span_end(&p));
		for (int64_t t = p.start; t < span_end(&p); t++)
			s->busy[t] = true;
	}
	intervals_normalise(&s->m.sets.busy);
	intervals_index(&s->m.sets.busy);
	s->steps = (struct steps){ .items = s->step_items, .n = random_below(seed, 4) };
	start = random_below(seed, 60);
	for (size_t i = 0; i < s->steps.n; i++, start += random_below(seed, 3) * 20) {
		s->step_items[i].start = start;
		s->step_items[i].end = start += 1 + random_below(seed, 120);
	}
}

static uint32_t small_step(const struct small *s, int64_t t)
{
	for (size_t i = 0; i < s->steps.n; i++)
		if (t >= s->step_items[i].start && t < s->step_items[i].end)
			return (uint32_t)i;
	return NONE;
}

static void test_arithmetic(void **state)
{
	uint64_t seed = 1;
	size_t listed = 0, in_steps = 0;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct small s;
		struct gaps g;
		size_t at = 0, below = 0;

		small_make(&s, &seed);
		gaps_find(&s.m, random_below(&seed, 8) ? &s.steps : NULL, random_below(&seed, 25), &g);
		check_sums(&s.m, &g);
		for (int64_t t = s.m.first; t < s.m.last; ) {
			int64_t end = t;

			while (end < s.m.last && !s.busy[end])
				end++;
			if (end - t > g.floor_ns) {
				assert_true(at < g.n);
				assert_int_equal(g.items[at].start, t);
				assert_int_equal(g.items[at].end, end);
				assert_int_equal(g.items[at].cause, GAP_UNKNOWN);
				assert_true(g.items[at].step == small_step(&s, t) || g.items[at].step == NONE);
				in_steps += g.items[at].step != NONE;
				at++;
			} else {
				below += end > t;
			}
			t = end > t ? end : t + 1;
		}
		assert_int_equal(at, g.n);
		assert_int_equal(below, g.below.count);
		listed += g.n;
		gaps_done(&g);
		intervals_done(&s.m.sets.busy);
		free(s.m.spans);
	}
	assert_true(listed > 5000 && in_steps > 1000);
}

static void test_steps(void **state)
{
	struct span spans[] = { { 100, 10, 0, 0, WORK_COMPUTE }, { 200, 10, 1, 0, WORK_COMPUTE }, { 300, 10, 2, 0, WORK_COMPUTE },
		{ 400, 10, 3, 0, WORK_COMPUTE } };
	struct step items[] = { { .start = 110, .end = 200 }, { .start = 200, .end = 210 }, { .start = 305, .end = 306 },
		{ .start = 310, .end = 311 } };
	struct steps steps = { .items = items, .n = ARRAY_LEN(items) }, none = { 0 };
	struct capture c = { 0 };
	struct rank r = { 0 };
	struct work_model m = { .c = &c, .r = &r, .from_table = true, .spans = spans, .nspans = ARRAY_LEN(spans), .first = 100,
		.last = 410 };
	struct gaps g;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(spans); i++)
		intervals_add(&m.sets.busy, spans[i].start, span_end(&spans[i]));
	gaps_find(&m, &steps, 0, &g);
	assert_int_equal(g.n, 3);
	assert_int_equal(g.items[0].step, 0);		/* begins with the step */
	assert_int_equal(g.items[1].step, NONE);	/* begins where step 1 ends */
	assert_int_equal(g.items[2].step, 3);
	gaps_done(&g);
	gaps_find(&m, &none, 0, &g);
	assert_int_equal(g.items[0].step, NONE);
	gaps_done(&g);
	intervals_done(&m.sets.busy);
}

static void test_nothing(void **state)
{
	struct capture c = { 0 };
	struct rank r = { 0 };
	struct work_model m = { .c = &c, .r = &r, .first = NO_TIME, .last = NO_TIME };
	struct gaps g;

	(void)state;
	gaps_find(&m, NULL, -1, &g);
	assert_int_equal(g.n, 0);
	assert_int_equal(g.floor_ns, 50000);
	assert_int_equal(g.floor_ns, (int64_t)(threshold_default(TH_MIN_GAP) * 1000));
	gaps_done(&g);
	gaps_done(&g);
}

static void test_texts(void **state)
{
	(void)state;
	for (int i = 0; i < GAP_MAX; i++) {
		assert_true(strlen(gap_key((enum gap_cause)i)) > 3 && strlen(gap_title((enum gap_cause)i)) > 3);
		assert_true(strlen(gap_text((enum gap_cause)i)) > 20);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(gap_key((enum gap_cause)i), gap_key((enum gap_cause)k));
	}
	assert_string_equal(gap_key(GAP_HOST_LATE), "host_late");
	assert_string_equal(gap_key(GAP_MAX), "?");
}

/* ---- causes: random captures on a short axis --------------------------------------------------------------------------------------- */

enum { PYTHON, CANN, HARDWARE, COMMUNICATION, PROCESSES, LENGTH = 600, BEGIN = 1000 };

struct scene {
	struct capture c;
	struct rank r;
	struct builder *b;
	uint64_t seed;
	uint32_t flow;
	struct { uint32_t lane; int64_t start, end; } calls[200], ops[200], tasks[100];
	size_t ncalls, nops, ntasks;
};

static uint32_t add_name(struct scene *s, const char *text)
{
	return names_add(&s->c.names, str_of(text));
}

static uint32_t add_lane(struct scene *s, int process, const char *tid, const char *name)
{
	static const char *const pids[] = { "1", "2", "3", "4" };
	static const char *const names[] = { "Python", "CANN", "Ascend Hardware", "Communication" };
	uint32_t pid = add_name(s, pids[process]);

	build_process_name(s->b, pid, add_name(s, names[process]));
	build_lane_name(s->b, pid, add_name(s, tid), add_name(s, name));
	return build_lane(s->b, pid, add_name(s, tid));
}

static void add_event(struct scene *s, uint32_t lane, const char *name, const char *type, int64_t start, int64_t end)
{
	build_event(s->b, &(struct raw_event){ .start = BEGIN + start, .dur = end - start, .connection = NO_CONNECTION, .lane = lane,
		.name = add_name(s, name), .type = add_name(s, type), .phase = 'X' });
}

/* Events anywhere on a lane: they nest, overlap and touch as it comes. */
static void random_lane(struct scene *s, uint32_t lane, size_t n, const char *const *names, size_t nnames, const char *type, int longest)
{
	for (size_t i = 0; i < n; i++) {
		int64_t start = random_below(&s->seed, LENGTH), end = start + random_below(&s->seed, (uint32_t)longest);
		bool is_call = type[0] == 0;

		add_event(s, lane, names[random_below(&s->seed, (uint32_t)nnames)], type, start, end);
		if (is_call)
			s->calls[s->ncalls].lane = lane, s->calls[s->ncalls].start = start, s->calls[s->ncalls++].end = end;
		else if (strcmp(type, "cpu_op") == 0)
			s->ops[s->nops].lane = lane, s->ops[s->nops].start = start, s->ops[s->nops++].end = end;
	}
}

static void random_device(struct scene *s, uint32_t lane, const char *name, const char *type)
{
	int64_t t = 60 + random_below(&s->seed, 60);

	for (int i = 0; i < 8 && t < LENGTH - 60; i++) {
		int64_t end = t + random_below(&s->seed, 30);

		add_event(s, lane, name, type, t, end);
		s->tasks[s->ntasks].lane = lane, s->tasks[s->ntasks].start = t, s->tasks[s->ntasks++].end = end;
		t = end + random_below(&s->seed, 110);
	}
}

static void random_flow(struct scene *s, const char *category, uint32_t from, int64_t t, uint32_t to, int64_t to_t)
{
	struct raw_flow f = { .time = BEGIN + t, .id = ++s->flow, .lane = from, .category = add_name(s, category), .phase = 's' };

	build_flow(s->b, &f);
	f.time = BEGIN + to_t;
	f.lane = to;
	f.phase = 'f';
	build_flow(s->b, &f);
}

static void random_flows(struct scene *s)
{
	for (size_t i = 0; i < s->ntasks; i++) {
		size_t call = s->ncalls ? random_below(&s->seed, (uint32_t)s->ncalls) : 0;
		size_t op = s->nops ? random_below(&s->seed, (uint32_t)s->nops) : 0;

		for (size_t tries = 0; tries < 20 && s->ncalls && s->calls[call].start > s->tasks[i].start; tries++)
			call = random_below(&s->seed, (uint32_t)s->ncalls);
		if (s->ncalls && random_below(&s->seed, 3))
			random_flow(s, "HostToDevice", s->calls[call].lane, s->calls[call].start, s->tasks[i].lane, s->tasks[i].start);
		if (s->nops && random_below(&s->seed, 2))
			random_flow(s, "async_npu", s->ops[op].lane, s->ops[op].start, s->tasks[i].lane, s->tasks[i].start);
	}
}

static void scene_make(struct scene *s, uint64_t seed)
{
	static const char *const ops[] = { "aten::add", "aten::item", "aten::mul", "aten::empty", "aten::linear" };
	static const char *const calls[] = { "Node@launch", "Node@launch", "AscendCL@aclrtSynchronizeStream", "AscendCL@aclnnAdd" };
	static const char *const frames[] = { "a.py(1): f", "b.py(2): g", "<built-in method item of Tensor object at 0x1>" };
	struct account account = { 0 };
	size_t dense;

	*s = (struct scene){ .seed = seed * 977 + 13 };
	names_init(&s->c.names);
	s->b = build_new(&s->c.names);
	dense = random_below(&s->seed, 3);
	for (int thread = 0; thread < 3 && seed % 10; thread++) {	/* every tenth has no host */
		const char *tid = (const char *const[]){ "70", "71", "72" }[thread];
		uint32_t python = add_lane(s, PYTHON, tid, "Thread"), cann = add_lane(s, CANN, tid, "Thread");

		random_lane(s, python, random_below(&s->seed, 8) * dense, ops, ARRAY_LEN(ops), "cpu_op", 90);
		random_lane(s, python, random_below(&s->seed, 6) * dense, frames, ARRAY_LEN(frames), "python_function", 200);
		random_lane(s, cann, random_below(&s->seed, 12), calls, random_below(&s->seed, 2) ? 1 : ARRAY_LEN(calls), "", 70);
		if (random_below(&s->seed, 4) == 0) {
			add_event(s, python, "Enqueue", "enqueue", 10, 12);
			add_event(s, add_lane(s, PYTHON, "70", "Thread"), "Dequeue@x", "dequeue", 20, 30);
			random_flow(s, "async_task_queue", python, 10, add_lane(s, PYTHON, "70", "Thread"), 20);
		}
	}
	random_device(s, add_lane(s, HARDWARE, "2", "Stream 2"), "MatMulV2_1", "AI_CORE");
	random_device(s, add_lane(s, COMMUNICATION, "0", "Group 0 Communication"), "hcom_allReduce__1_0_1", "");
	if (random_below(&s->seed, 2))
		random_device(s, add_lane(s, HARDWARE, "3", "Stream 3"), "EVENT_WAIT", "EVENT_WAIT");
	if (random_below(&s->seed, 3) == 0)
		random_device(s, add_lane(s, HARDWARE, "4", "Stream 4"), "Notify Wait", "Notify Wait");
	random_flows(s);
	build_finish(s->b, &s->r.events, &account);
	s->c.ranks = &s->r;
	s->c.nranks = 1;
}

static void scene_done(struct scene *s)
{
	events_done(&s->r.events);
	names_done(&s->c.names);
}

/* ---- the slow decision --------------------------------------------------------------------------------------------------------------- */

struct slow {
	const struct work_model *m;
	const struct events *e;
	const struct gap *g;
	uint32_t tids[3];		/* the threads that count; n = 0: all */
	size_t n;
	int64_t launch;			/* NO_TIME: not known */
	uint32_t launch_event;
	bool exact, has_acl;
};

static const char *slow_name(const struct slow *s, size_t event)
{
	return names_text(&s->m->c->names, s->e->name[event]);
}

static enum work slow_kind(const struct slow *s, size_t event)
{
	return (enum work)s->m->kind[event];
}

static bool is_host(enum work k)
{
	return k >= WORK_HOST_OP && k <= WORK_HOST_GC;
}

/* The source of a link to `to` that starts latest of those not after it, else the first. */
static uint32_t slow_link(const struct slow *s, enum link_kind kind, uint32_t to)
{
	const struct link_count *count = &s->e->link_counts[kind];
	uint32_t best = NONE, first = NONE;

	for (size_t i = count->first; i < count->first + count->n; i++) {
		uint32_t from = s->e->links[i].from;

		if (s->e->links[i].to != to)
			continue;
		first = first == NONE ? from : first;
		if (s->e->start[from] <= s->e->start[to] && (best == NONE || s->e->start[from] > s->e->start[best]))
			best = from;
	}
	return best == NONE ? first : best;
}

static bool slow_fed(const struct slow *s, uint32_t tid)
{
	const struct link_count *count = &s->e->link_counts[LINK_QUEUE];

	for (size_t i = count->first; i < count->first + count->n; i++) {
		uint32_t from = events_lane(s->e, s->e->links[i].from)->tid;

		if (events_lane(s->e, s->e->links[i].to)->tid == tid && from != tid)
			return true;
	}
	return false;
}

static bool has_tid(const struct slow *s, uint32_t tid)
{
	bool found = s->n == 0;

	for (size_t i = 0; i < s->n; i++)
		found |= s->tids[i] == tid;
	return found;
}

static void slow_launch(struct slow *s)
{
	uint32_t to = s->g->after == NONE ? NONE : s->m->spans[s->g->after].source;

	s->launch = NO_TIME;
	s->launch_event = NONE;
	for (int k = 0; k < 2 && to != NONE; k++) {
		uint32_t from = slow_link(s, k ? LINK_TORCH : LINK_LAUNCH, to);

		if (from == NONE)
			continue;
		if (!s->n || !has_tid(s, events_lane(s->e, from)->tid))
			s->tids[s->n++] = events_lane(s->e, from)->tid;
		if (s->launch_event == NONE) {
			s->launch_event = from;
			s->launch = s->e->start[from];
			s->exact = k == 0;
		}
	}
	if (s->n == 1 && slow_fed(s, s->tids[0]))
		s->n = 0;
}

/* ns of [a, b) in which an event that fits runs. */
static int64_t slow_share(const struct slow *s, int64_t a, int64_t b, bool (*fits)(const struct slow *, size_t))
{
	int64_t sum = 0;

	for (int64_t t = a; t < b; t++) {
		bool on = false;

		for (size_t i = 0; i < s->e->n && !on; i++)
			on = s->e->start[i] <= t && event_end(s->e, i) > t && fits(s, i);
		sum += on;
	}
	return sum;
}

static bool fits_busy(const struct slow *s, size_t i)
{
	return is_host(slow_kind(s, i)) && slow_kind(s, i) != WORK_HOST_FRAME && has_tid(s, events_lane(s->e, i)->tid);
}

static bool fits_sync(const struct slow *s, size_t i)
{
	const char *name = slow_name(s, i);
	bool item = strcmp(name, "aten::item") == 0 || strncmp(name, "<built-in method item", 21) == 0;

	return has_tid(s, events_lane(s->e, i)->tid) && (strstr(name, "Synchronize") || (item && !s->has_acl));
}

static bool fits_wait(const struct slow *s, size_t i)
{
	return slow_kind(s, i) == WORK_WAIT;
}

static bool fits_comm_wait(const struct slow *s, size_t i)
{
	return slow_kind(s, i) == WORK_WAIT && strcmp(slow_name(s, i), "Notify Wait") == 0;
}

static enum gap_cause slow_host(const struct slow *s, int64_t until)
{
	int64_t a = s->g->start;

	if (2 * slow_share(s, a, until, fits_sync) > until - a)
		return GAP_SYNC;
	return 2 * slow_share(s, a, until, fits_busy) >= until - a ? GAP_HOST_LATE : GAP_HOST_IDLE;
}

static enum gap_cause slow_cause(const struct slow *s)
{
	int64_t a = s->g->start, b = s->g->end, length = b - a, comm = slow_share(s, a, b, fits_comm_wait);
	int64_t all = slow_share(s, s->launch == NO_TIME ? a : MAX(a, s->launch), b, fits_wait);
	bool before = false, beside = false;

	if (2 * comm >= length)
		return GAP_COMM_WAIT;
	if (2 * all >= length)
		return 2 * comm >= all || s->m->spans[s->g->after].kind == WORK_COMMUNICATION ? GAP_COMM_WAIT : GAP_EVENT_WAIT;
	for (size_t i = 0; i < s->e->n; i++) {
		before |= is_host(slow_kind(s, i)) && s->e->start[i] < b;
		beside |= is_host(slow_kind(s, i)) && event_end(s->e, i) > a;
	}
	if (s->launch == NO_TIME)
		return before && beside ? slow_host(s, b) : GAP_UNKNOWN;
	if (s->launch > a)
		return slow_host(s, MIN(s->launch, b));
	return s->exact && 2 * (MIN(event_end(s->e, s->launch_event), b) - a) >= length ? GAP_HOST_LATE : GAP_LAUNCH;
}

/* ns of each name of one tier inside the gap. In every ns each lane is in one event: the first of it, for frames the last. */
static int64_t slow_names(const struct slow *s, enum work tier, bool own, int64_t *ns)
{
	int64_t sum = 0;

	for (size_t l = 0; l < s->e->nlanes; l++) {
		const struct lane *lane = &s->e->lanes[l];

		if (own && !has_tid(s, lane->tid))
			continue;
		for (int64_t t = s->g->start; t < s->g->end; t++) {
			uint32_t at = NONE;

			for (size_t i = lane->first; i < lane->first + lane->n; i++)
				if (slow_kind(s, i) == tier && s->e->start[i] <= t && event_end(s->e, i) > t
						&& (at == NONE || tier == WORK_HOST_FRAME))
					at = (uint32_t)i;
			if (at != NONE) {
				ns[s->e->name[at]]++;
				sum++;
			}
		}
	}
	return sum;
}

static void check_names(const struct slow *s)
{
	static const enum work tiers[] = { WORK_HOST_OP, WORK_HOST_RUNTIME, WORK_HOST_QUEUE, WORK_HOST_FRAME };
	int64_t ns[64] = { 0 }, found = 0;

	assert_true(s->m->c->names.n < ARRAY_LEN(ns));
	for (int all = 0; all < 2 && !found; all++)
		for (size_t t = 0; t < ARRAY_LEN(tiers) && !found; t++)
			found = slow_names(s, tiers[t], !all, ns);
	for (size_t k = 0; k < ARRAY_LEN(s->g->host); k++) {
		int64_t most = 0;
		size_t name = 0;

		for (size_t i = 0; i < ARRAY_LEN(ns); i++)
			if (ns[i] > most) {
				most = ns[i];
				name = i;
			}
		assert_int_equal(s->g->host_ns[k], most);
		assert_int_equal(s->g->host[k], name);
		ns[name] = 0;
	}
}

static void check_gap(const struct work_model *m, const struct gap *g, size_t *counts)
{
	struct slow s = { .m = m, .e = &m->r->events, .g = g };

	for (size_t i = 0; i < s.e->n; i++)
		s.has_acl |= strncmp(slow_name(&s, i), "AscendCL@", 9) == 0;
	slow_launch(&s);
	assert_int_equal(g->launch, s.launch_event);
	assert_int_equal(g->host_busy, slow_share(&s, g->start, g->end, fits_busy));
	check_names(&s);
	if (g->cause != GAP_EDGE)
		assert_string_equal(gap_key(g->cause), gap_key(slow_cause(&s)));
	counts[g->cause]++;
}

static void test_causes(void **state)
{
	struct diag d;
	struct classifier *classifier = classifier_new(&d);
	size_t counts[GAP_MAX] = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		struct scene s;
		struct work_model *m;
		struct gaps g;
		size_t n;

		scene_make(&s, seed);
		m = work_new(&s.c, &s.r, classifier, &n);
		gaps_find(m, NULL, 3, &g);
		check_sums(m, &g);
		for (size_t i = 0; i < g.n; i++)
			check_gap(m, &g.items[i], counts);
		gaps_done(&g);
		work_free(m, n);
		scene_done(&s);
	}
	for (int i = 0; i < GAP_MAX; i++) {
		if (counts[i] < 20)
			print_message("%s: %zu\n", gap_key((enum gap_cause)i), counts[i]);
		assert_true(counts[i] >= 20);
	}
	classifier_free(classifier);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_causes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
