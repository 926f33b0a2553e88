/* SPDX-License-Identifier: Apache-2.0 */
/* The event builder on its own: order inside lanes, pairs, links, counters, lanes; against slow and plain computations of the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/base/mem.h"
#include "core/model/build.h"
#include "tests/help/naive_links.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static size_t below(uint64_t *state, size_t n)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (size_t)((z ^ z >> 31) % n);
}

static void use_threads(unsigned n)
{
	char text[16];

	snprintf(text, sizeof text, "%u", n);
	setenv("ASCOPE_THREADS", text, 1);
}

static uint32_t number_name(struct names *names, size_t i)
{
	char text[24];

	return names_add(names, (struct str){ text, (size_t)snprintf(text, sizeof text, "n%zu", i) });
}

/* ---- order inside lanes -------------------------------------------------------------------------------------------------------------- */

static int compare_raw(const struct raw_event *a, const struct raw_event *b)
{
	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->dur != b->dur)
		return a->dur > b->dur ? -1 : 1;
	return a->span < b->span ? -1 : a->span > b->span;		/* the span holds the order of arrival */
}

static int compare_raw_void(const void *a, const void *b)
{
	return compare_raw(a, b);
}

/* Lanes are made in order and nothing is known of them, so they keep their numbers. */
static void check_order(uint64_t seed, size_t n, size_t nlanes, size_t spread, unsigned threads)
{
	static const int64_t origins[] = { 0, INT64_C(1736414119636754590), -((INT64_C(1) << 62) - 1), (INT64_C(1) << 62) - 200000 };
	struct raw_event *raw = mem_zalloc(n, sizeof *raw);
	struct account account = { 0 };
	struct events e;
	struct names names;
	struct builder *b;

	use_threads(threads);
	names_init(&names);
	b = build_new(&names);
	for (size_t i = 0; i < nlanes; i++)
		assert_int_equal(build_lane(b, number_name(&names, i / 3), number_name(&names, i)), i);
	for (size_t i = 0; i < n; i++) {
		raw[i] = (struct raw_event){ .start = origins[seed % 4] + (int64_t)below(&seed, spread), .dur = (int64_t)below(&seed, 9),
			.span = i, .connection = i * 7, .span_len = (uint32_t)i * 3, .lane = (uint32_t)below(&seed, nlanes),
			.name = (uint32_t)i * 5, .type = (uint32_t)i * 11, .flags = (uint8_t)(i % 251), .phase = 'X' };
		build_event(b, &raw[i]);
	}
	build_finish(b, &e, &account);
	qsort(raw, n, sizeof *raw, compare_raw_void);
	assert_true(e.n == n && e.nlanes == nlanes && e.nprocesses == (nlanes + 2) / 3);
	for (size_t i = 0; i < n; i++) {
		size_t at = (size_t)raw[i].span;

		if (e.span[i] != at || e.start[i] != raw[i].start || e.dur[i] != raw[i].dur || e.connection[i] != at * 7
				|| e.span_len[i] != (uint32_t)at * 3 || e.name[i] != (uint32_t)at * 5 || e.type[i] != (uint32_t)at * 11
				|| e.flags[i] != at % 251 || events_lane(&e, i) != &e.lanes[raw[i].lane])
			fail_msg("n %zu lanes %zu: place %zu", n, nlanes, i);
	}
	events_done(&e);
	names_done(&names);
	free(raw);
}

static void test_order(void **state)
{
	static const size_t sizes[] = { 1, 2, 583, 584, 585, 1168, 5000, 40000 }, lanes[] = { 1, 2, 7, 300, 5000 };
	static const size_t spreads[] = { 1, 2, 50, 100000 };
	uint64_t seed = 0;

	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(sizes); s++)
		for (size_t l = 0; l < ARRAY_LEN(lanes); l++)
			for (size_t k = 0; k < ARRAY_LEN(spreads); k++, seed++)
				check_order(seed, sizes[s], lanes[l], spreads[k], (unsigned)(1 + seed % 3 * 2));
}

static void test_nothing(void **state)
{
	struct account account = { 0 };
	struct names names;
	struct events e;

	(void)state;
	names_init(&names);
	build_finish(build_new(&names), &e, &account);
	assert_true(e.n == 0 && e.nlanes == 0 && e.nlinks == 0 && e.ncounters == 0 && e.first_start == NO_TIME && e.last_end == NO_TIME);
	assert_null(events_lane(&e, 0));
	events_done(&e);
	build_free(build_new(&names));
	build_free(NULL);
	names_done(&names);
}

/* ---- B and E ------------------------------------------------------------------------------------------------------------------------- */

struct mark {
	int64_t time;
	size_t lane;
	char phase;
	bool taken;
};

/* The innermost open B for the E at marks[e]: the last one before it, by time then arrival, that no E before it has taken. */
static long open_begin(const struct mark *marks, size_t n, size_t e)
{
	long best = -1;

	for (size_t i = 0; i < n; i++) {
		const struct mark *m = &marks[i];
		bool before = m->time < marks[e].time || (m->time == marks[e].time && i < e);

		if (m->lane != marks[e].lane || m->phase != 'B' || m->taken || !before)
			continue;
		if (best < 0 || m->time > marks[best].time || (m->time == marks[best].time && i > (size_t)best))
			best = (long)i;
	}
	return best;
}

/* The E to look at next: the earliest, by time then arrival, not looked at. */
static long next_end(const struct mark *marks, size_t n)
{
	long best = -1;

	for (size_t i = 0; i < n; i++)
		if (marks[i].phase == 'E' && !marks[i].taken && (best < 0 || marks[i].time < marks[best].time))
			best = (long)i;
	return best;
}

static bool has_pair(const struct events *e, const struct mark *m, size_t order, int64_t end)
{
	for (size_t i = e->lanes[m->lane].first; i < e->lanes[m->lane].first + e->lanes[m->lane].n; i++)
		if (e->span[i] == order && e->start[i] == m->time && event_end(e, i) == end && e->flags[i] == EV_PAIR
				&& e->name[i] == order % 7)
			return true;
	return false;
}

static void check_pairs(uint64_t seed)
{
	enum { MOST = 60, LANES = 3 };
	struct mark marks[MOST];
	size_t n = below(&seed, MOST), pairs = 0, lonely[2] = { 0, 0 };
	struct account account = { .kept = n };
	struct names names;
	struct events e;
	struct builder *b;

	names_init(&names);
	b = build_new(&names);
	for (size_t i = 0; i < LANES; i++)
		build_lane(b, 0, number_name(&names, i));
	for (size_t i = 0; i < n; i++) {
		marks[i] = (struct mark){ (int64_t)below(&seed, 30) - 10, below(&seed, LANES), "BE"[below(&seed, 2)], false };
		build_event(b, &(struct raw_event){ .start = marks[i].time, .span = i, .span_len = 1, .lane = (uint32_t)marks[i].lane,
			.name = (uint32_t)i % 7, .phase = marks[i].phase });
	}
	build_finish(b, &e, &account);
	for (long end; (end = next_end(marks, n)) >= 0;) {
		long begin = open_begin(marks, n, (size_t)end);

		marks[end].taken = true;
		if (begin < 0) {
			lonely[1]++;
			continue;
		}
		marks[begin].taken = true;
		pairs++;
		assert_true(has_pair(&e, &marks[begin], (size_t)begin, marks[end].time));
	}
	for (size_t i = 0; i < n; i++)
		lonely[0] += marks[i].phase == 'B' && !marks[i].taken;
	assert_int_equal(e.n, pairs);
	assert_int_equal(account.dropped[DROP_NO_END].count, lonely[0]);
	assert_int_equal(account.dropped[DROP_NO_BEGIN].count, lonely[1]);
	assert_int_equal(account.kept, n - lonely[0] - lonely[1]);
	events_done(&e);
	names_done(&names);
}

static void test_pairs(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++)
		check_pairs(seed);
}

/* A pair counts like any event: the parent of what begins at the same time and is shorter, and behind X events of its own length. */
static void test_pair_order(void **state)
{
	struct account account = { .kept = 4 };
	struct names names;
	struct events e;
	struct builder *b;

	(void)state;
	names_init(&names);
	b = build_new(&names);
	build_lane(b, 0, 0);
	build_event(b, &(struct raw_event){ .start = 10, .span = 1, .phase = 'B' });
	build_event(b, &(struct raw_event){ .start = 10, .dur = 5, .span = 2, .phase = 'X' });
	build_event(b, &(struct raw_event){ .start = 10, .dur = 20, .span = 3, .phase = 'X' });
	build_event(b, &(struct raw_event){ .start = 30, .span = 4, .phase = 'E' });
	build_finish(b, &e, &account);
	assert_true(e.n == 3 && e.span[0] == 3 && e.span[1] == 1 && e.span[2] == 2);
	assert_true(e.first_start == 10 && e.last_end == 30 && account.kept == 4);
	events_done(&e);
	names_done(&names);
}

/* ---- links --------------------------------------------------------------------------------------------------------------------------- */

/* Few lanes, times, ids and categories, so that everything meets. Even ids are numbers, odd ones texts. */
static void check_links(uint64_t seed, size_t nevents, size_t nflows, unsigned threads)
{
	static const char *const categories[] = { "async_npu", "HostToDevice", "fwdbwd", "of no kind", "mstx", "MsTx" };
	static const char *const ids[] = { "0", "18446744073709551615", "7", "7x", "8589934592", "18446744073709551616" };
	enum { LANES = 4 };
	struct naive_flow *flows = mem_zalloc(nflows, sizeof *flows);
	struct link *want = mem_zalloc(nflows + 1, sizeof *want);
	struct account account = { 0 };
	struct names names;
	struct events e;
	struct builder *b;

	use_threads(threads);
	names_init(&names);
	b = build_new(&names);
	for (size_t i = 0; i < LANES; i++)
		build_lane(b, 0, number_name(&names, i));
	for (size_t i = 0; i < nevents; i++)
		build_event(b, &(struct raw_event){ .start = (int64_t)below(&seed, 200),
			.dur = (int64_t)below(&seed, below(&seed, 2) ? 5 : 60),
			.lane = (uint32_t)below(&seed, LANES - 1), .phase = 'X' });
	for (size_t i = 0; i < nflows; i++) {
		const char *id = ids[below(&seed, ARRAY_LEN(ids))], *category = categories[below(&seed, ARRAY_LEN(categories))];
		struct raw_flow f = { .time = (int64_t)below(&seed, 220), .lane = (uint32_t)below(&seed, LANES),
			.phase = "sft"[below(&seed, 3)],
			.category = names_add(&names, str_of(category)) };

		f.id_is_text = !str_to_u64(str_of(id), &f.id);
		f.id = f.id_is_text ? names_add(&names, str_of(id)) : f.id;
		flows[i] = (struct naive_flow){ f.time, str_of(id), f.lane, i, link_kind_of(str_of(category)), f.phase, 0, false };
		build_flow(b, &f);
	}
	build_finish(b, &e, &account);
	for (int k = 0, at = 0; k < LINK_MAX; k++) {
		const struct link_count *got = &e.link_counts[k];
		struct link_count count;
		size_t n = naive_links(&e, flows, nflows, (enum link_kind)k, want, &count);

		if (got->starts != count.starts || got->finishes != count.finishes || got->n != n || got->first != (size_t)at
				|| got->unmatched != count.unmatched || (n && memcmp(e.links + at, want, n * sizeof *want) != 0))
			fail_msg("kind %d: %zu starts %zu finishes %zu links %zu unmatched, want %zu %zu %zu %zu", k, got->starts,
				got->finishes, got->n, got->unmatched, count.starts, count.finishes, n, count.unmatched);
		at += (int)n;
	}
	events_done(&e);
	names_done(&names);
	free(flows);
	free(want);
}

static void test_links(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 600; seed++)
		check_links(seed, seed % 3 ? seed % 90 : seed % 5, seed % 7 ? seed % 40 : 200, (unsigned)(1 + seed % 2));
	check_links(1000, 500, 3000, 2);
}

static void test_link_kinds(void **state)
{
	static const struct {
		const char *category;
		enum link_kind kind;
	} t[] = {
		{ "async_npu", LINK_TORCH }, { "async_task_queue", LINK_QUEUE }, { "HostToDevice", LINK_LAUNCH },
		{ "fwdbwd", LINK_BACKWARD },
		{ "MsTx", LINK_MSTX }, { "mstx", LINK_MSTX }, { "async_mindspore", LINK_SELF }, { "", LINK_OTHER },
		{ "hosttodevice", LINK_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		assert_int_equal(link_kind_of(str_of(t[i].category)), t[i].kind);
	for (int k = 0; k < LINK_MAX; k++)
		assert_true(strlen(link_title((enum link_kind)k)) > 3);
	assert_string_equal(link_title(LINK_MAX), link_title(LINK_OTHER));
}

/* A database has no flows: host and device meet by connection id. */
static void test_connections(void **state)
{
	static const struct {
		uint32_t lane;
		int64_t start, dur;
		uint64_t connection;
	} t[] = {
		/* CANN, hardware, communication, and Python, which is no end of these */
		{ 0, 0, 100, 5 }, { 0, 10, 20, 5 }, { 0, 200, 10, 6 }, { 0, 300, 10, NO_CONNECTION }, { 0, 400, 1, 9 },
		{ 1, 50, 5, 5 }, { 1, 60, 5, 5 }, { 1, 70, 5, 7 }, { 1, 80, 5, NO_CONNECTION },
		{ 2, 55, 5, 6 },
		{ 3, 55, 5, 6 },
	};
	static const char *const processes[] = { "CANN", "Ascend Hardware", "HCCL", "Python" };
	struct account account = { 0 };
	struct names names;
	struct events e;
	struct builder *b;
	const struct link_count *c;

	(void)state;
	names_init(&names);
	b = build_new(&names);
	for (size_t i = 0; i < ARRAY_LEN(processes); i++) {
		uint32_t pid = number_name(&names, i);

		build_lane(b, pid, 0);
		build_process_name(b, pid, names_add(&names, str_of(processes[i])));
	}
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		build_event(b, &(struct raw_event){ .start = t[i].start, .dur = t[i].dur, .lane = t[i].lane, .connection = t[i].connection,
			.span = i, .phase = 'X' });
	build_link_connections(b, LINK_LAUNCH, LAYER_CANN);
	build_finish(b, &e, &account);
	c = &e.link_counts[LINK_LAUNCH];
	assert_true(c->starts == 4 && c->finishes == 4 && c->n == 3 && c->unmatched == 1 && e.nlinks == 3);
	for (size_t i = 0; i < 3; i++) {		/* the inner of the two calls with id 5 */
		static const uint64_t from[] = { 1, 1, 2 }, to[] = { 5, 6, 9 };

		assert_true(e.span[e.links[i].from] == from[i] && e.span[e.links[i].to] == to[i]);
	}
	events_done(&e);
	names_done(&names);
}

/* ---- counters ------------------------------------------------------------------------------------------------------------------------ */

static void check_counters(uint64_t seed, size_t n, bool in_order)
{
	enum { SERIES = 12 };
	struct raw_sample *raw = mem_zalloc(n, sizeof *raw);
	struct account account = { 0 };
	struct names names;
	struct events e;
	struct builder *b;
	size_t seen = 0;

	names_init(&names);
	b = build_new(&names);
	for (size_t i = 0; i < 3; i++)
		build_process(b, number_name(&names, i));
	for (size_t i = 0; i < n; i++) {
		size_t s = below(&seed, SERIES);

		raw[i] = (struct raw_sample){ in_order ? (int64_t)i : (int64_t)below(&seed, 40) - 20, (double)i, (uint32_t)(s % 3),
			(uint32_t)(1 + s / 3 % 2), (uint32_t)(1 + s / 6) };
		build_sample(b, &raw[i]);
	}
	build_finish(b, &e, &account);
	assert_int_equal(e.nsamples, n);
	for (size_t c = 0; c < e.ncounters; c++) {
		const struct counter *k = &e.counters[c], *was = c ? k - 1 : NULL;
		double last = -1;

		assert_true(k->n > 0 && k->first == seen);
		assert_true(!was || was->process < k->process || (was->process == k->process && (was->name < k->name
			|| (was->name == k->name && was->series < k->series))));
		for (size_t i = k->first; i < k->first + k->n; i++) {
			const struct raw_sample *s = &raw[(size_t)e.counter_value[i]];
			bool tie = i > k->first && e.counter_time[i - 1] == e.counter_time[i];

			assert_true(s->time == e.counter_time[i] && s->process == k->process && s->name == k->name
				&& s->series == k->series);
			assert_true(i == k->first || e.counter_time[i - 1] <= e.counter_time[i]);
			assert_true(!tie || last < e.counter_value[i]);			/* equal times keep the order of arrival */
			last = e.counter_value[i];
		}
		seen += k->n;
	}
	assert_int_equal(seen, n);
	events_done(&e);
	names_done(&names);
	free(raw);
}

static void test_counters(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++)
		check_counters(seed, seed * 9, seed % 2);
	check_counters(1, 20000, false);
}

/* ---- lanes and processes ------------------------------------------------------------------------------------------------------------- */

static void test_layers(void **state)
{
	static const struct {
		const char *process;
		enum layer layer;
	} t[] = {
		{ "Python", LAYER_PYTHON }, { "Python GC", LAYER_GC }, { "MindSpore", LAYER_FRAMEWORK }, { "CPU OP", LAYER_FRAMEWORK },
		{ "Scope Layer", LAYER_PYTHON }, { "CANN", LAYER_CANN }, { "AscendCL", LAYER_CANN }, { "Ascend Hardware", LAYER_HARDWARE },
		{ "HCCL", LAYER_COMMUNICATION }, { "Communication", LAYER_COMMUNICATION }, { "Overlap Analysis", LAYER_OVERLAP },
		{ "Step Trace(Model ID:2)", LAYER_STEP_TRACE }, { "AI Core Freq", LAYER_COUNTER }, { "NPU MEM", LAYER_COUNTER },
		{ "Stars Soc Info", LAYER_COUNTER }, { "SIO", LAYER_COUNTER }, { "", LAYER_OTHER }, { "python", LAYER_OTHER },
		{ "Ascend Hardware again", LAYER_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		if (layer_of_process(str_of(t[i].process)) != t[i].layer)
			fail_msg("%s", t[i].process);
	for (int l = 0; l < LAYER_MAX; l++)
		assert_true(strlen(layer_title((enum layer)l)) > 3);
	assert_string_equal(layer_title(LAYER_MAX), "Other");
}

static void test_devices(void **state)
{
	static const struct {
		const char *labels;
		int device;
	} t[] = {
		{ "NPU 0", 0 }, { "NPU 15", 15 }, { "NPU", -1 }, { "NPU:7", 7 }, { "CPU 3", 44 }, { "", 44 },
		{ "NPU 99999999999999999999", -1 },
		{ "NPU 1048576", -1 }, { "NPU 1048575", 1048575 }, { "NPU 2 x", -1 },
	};
	struct names names;

	(void)state;
	names_init(&names);
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct builder *b = build_new(&names);
		struct account account = { 0 };
		struct events e;

		build_process_device(b, 0, 44);
		build_process_labels(b, 0, names_add(&names, str_of(t[i].labels)));
		build_finish(b, &e, &account);
		assert_true(e.nprocesses == 1 && e.nlanes == 0);
		if (e.processes[0].device != t[i].device)
			fail_msg("%s: %d", t[i].labels, e.processes[0].device);
		events_done(&e);
	}
	names_done(&names);
}

/* Layer, device, sort index of the process, its appearance, sort index of the thread, its appearance. */
static void test_lane_order(void **state)
{
	static const struct {
		const char *pid, *tid;
		int64_t thread_sort;
	} made[] = {
		{ "hw1", "t0", 0 }, { "py", "t1", 9 }, { "hw0", "t2", 0 }, { "py", "t3", -9 }, { "odd", "t4", 0 }, { "cann-late", "t5", 0 },
		{ "cann-early", "t6", 0 }, { "cann-late", "t7", 0 }, { "py", "t8", INT64_MAX }, { "plain", "t9", INT64_MAX },
	};
	static const char want[][4] = { "t3", "t1", "t8", "t6", "t5", "t7", "t2", "t0", "t4", "t9" };
	struct account account = { 0 };
	struct names names;
	struct events e;
	struct builder *b;

	(void)state;
	names_init(&names);
	b = build_new(&names);
#define NAME(text) names_add(&names, STR(text))
	for (size_t i = 0; i < ARRAY_LEN(made); i++) {
		uint32_t pid = names_add(&names, str_of(made[i].pid)), tid = names_add(&names, str_of(made[i].tid));
		uint32_t lane = build_lane(b, pid, tid);

		assert_true(lane == i && build_lane(b, pid, tid) == i);
		if (made[i].thread_sort != INT64_MAX)
			build_lane_sort(b, pid, tid, made[i].thread_sort);
		build_lane_name(b, pid, tid, tid);
		for (size_t k = 0; k < i % 3; k++)		/* some lanes stay empty */
			build_event(b, &(struct raw_event){ .start = (int64_t)k, .lane = lane, .span = i, .phase = 'X' });
	}
	build_process_name(b, NAME("hw1"), NAME("Ascend Hardware"));
	build_process_labels(b, NAME("hw1"), NAME("NPU 1"));
	build_process_name(b, NAME("hw0"), NAME("Ascend Hardware"));
	build_process_labels(b, NAME("hw0"), NAME("NPU 0"));
	build_process_name(b, NAME("py"), NAME("Old"));
	build_process_name(b, NAME("py"), NAME("Python"));		/* the last name counts */
	build_process_name(b, NAME("cann-late"), NAME("CANN"));
	build_process_sort(b, NAME("cann-late"), 8);
	build_process_name(b, NAME("cann-early"), NAME("CANN"));
	build_process_sort(b, NAME("cann-early"), 7);
	build_finish(b, &e, &account);
	assert_int_equal(e.nlanes, ARRAY_LEN(made));
	for (size_t i = 0; i < e.nlanes; i++) {
		assert_string_equal(names_text(&names, e.lanes[i].tid), want[i]);
		assert_int_equal(e.lanes[i].name, e.lanes[i].tid);
		for (size_t k = e.lanes[i].first; k < e.lanes[i].first + e.lanes[i].n; k++) {
			assert_ptr_equal(events_lane(&e, k), &e.lanes[i]);
			assert_string_equal(made[e.span[k]].tid, want[i]);
		}
	}
	events_done(&e);
	names_done(&names);
}

/* ---- taking over, accounts, blocks --------------------------------------------------------------------------------------------------- */

static void test_adopt(void **state)
{
	struct block_pool pools[2];
	struct raw_blocks raw[2];
	struct account account = { .kept = 2 };
	struct names names;
	struct events e;
	struct builder *b;
	size_t n = 0;

	(void)state;
	memset(pools, 0, sizeof pools);
	memset(raw, 0, sizeof raw);
	names_init(&names);
	b = build_new(&names);
	build_lane(b, 0, 0);
	for (int r = 0; r < 2; r++) {
		for (size_t i = 0; i < 100000; i++, n++)	/* more than a slab */
			*(struct raw_event *)blocks_push(&pools[r], &raw[r].events, sizeof(struct raw_event)) =
				(struct raw_event){ .start = (int64_t)(n * 7919 % 200000), .span = n, .phase = 'X' };
		*(struct raw_event *)blocks_push(&pools[r], &raw[r].pairs, sizeof(struct raw_event)) =
			(struct raw_event){ .start = r, .span = n, .phase = "BE"[r] };
		block_pool_done(&pools[r]);			/* blocks live on */
	}
	build_adopt(b, &raw[0]);
	build_adopt(b, &raw[1]);
	assert_true(!raw[0].events.first && !raw[1].pairs.first && !raw[1].events.n);
	raw_blocks_free(&raw[0]);
	build_finish(b, &e, &account);
	assert_true(e.n == 200001 && account.kept == 2);
	for (size_t i = 1; i < e.n; i++)
		assert_true(e.start[i - 1] <= e.start[i]);
	events_done(&e);
	names_done(&names);
}

static void test_account(void **state)
{
	struct account a = { 0 }, b = { 0 };

	(void)state;
	account_drop(&a, DROP_NO_TIME, 50);
	account_drop(&a, DROP_NO_TIME, 40);
	account_drop(&a, DROP_NO_TIME, 60);
	account_drop(&b, DROP_NO_TIME, 70);
	account_drop(&b, DROP_NO_VALUE, 80);
	a.by_phase['X'] = 5, b.by_phase['X'] = 2, b.by_phase[0] = 1, b.by_phase[255] = 1;
	a.kept = 2, b.kept = 2;
	account_add(&a, &b);
	assert_true(a.dropped[DROP_NO_TIME].count == 4 && a.dropped[DROP_NO_TIME].first_at == 40);
	assert_true(a.dropped[DROP_NO_VALUE].count == 1 && a.dropped[DROP_NO_VALUE].first_at == 80);
	assert_true(account_total(&a) == 9 && account_dropped(&a) == 5 && a.kept == 4);
	for (int d = 0; d < DROP_MAX; d++)
		assert_true(strlen(drop_text((enum drop)d)) > 5);
	assert_string_equal(drop_text(DROP_MAX), "unknown reason");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order), cmocka_unit_test(test_nothing), cmocka_unit_test(test_pairs),
			cmocka_unit_test(test_pair_order),
		cmocka_unit_test(test_links), cmocka_unit_test(test_link_kinds), cmocka_unit_test(test_connections),
			cmocka_unit_test(test_counters),
		cmocka_unit_test(test_layers), cmocka_unit_test(test_devices), cmocka_unit_test(test_lane_order),
			cmocka_unit_test(test_adopt),
		cmocka_unit_test(test_account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
