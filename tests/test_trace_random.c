/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random traces. Any text, damaged or not, gives the same result for every size of chunk and number of threads. A valid one gives what a
 * plain reader makes of it: one that takes a JSON tree, looks lanes up by their texts, sorts by insertion, and pairs and links by the rule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/base/mem.h"
#include "tests/help/naive_links.h"
#include "tests/help/trace_gen.h"
#include "tests/help/trace_text.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>

__extension__ typedef __int128 wide;

/* ---- the plain reader ---------------------------------------------------------------------------------------------------------------- */

struct plain_process {
	const char *pid, *name, *labels;
	int64_t sort;
	int device;
	enum layer layer;
};

struct plain_lane {
	const char *tid, *name;
	size_t process, place;		/* place: where it stands in the result */
	int64_t sort;
};

struct plain_event {
	int64_t start, dur;
	const char *name, *type;
	uint64_t connection;
	size_t lane;
	int flags;
	char phase;
	bool taken;
};

struct plain_sample {
	int64_t time;
	double value;
	const char *pid, *name, *series;
};

struct plain_counts {
	size_t by_phase[256], kept, dropped[DROP_MAX];
};

struct plain {
	cJSON *tree;
	struct plain_process processes[200];
	struct plain_lane lanes[2000];
	struct plain_event events[3000], marks[3000];
	struct naive_flow flows[3000];
	struct plain_sample samples[6000];
	size_t nprocesses, nlanes, nevents, nmarks, nflows, nsamples;
	struct plain_counts counts;
};

static const cJSON *member(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* A text member; "" when it is absent or something else. */
static const char *text_of(const cJSON *object, const char *key)
{
	const cJSON *m = member(object, key);

	return cJSON_IsString(m) ? m->valuestring : "";
}

enum reading { READ_OK, READ_NOTHING, READ_FAR };

/* Microseconds to ns in 128 bits, half away from zero. The texts of the generator have 25 digits at most. */
static enum reading plain_ns(const char *s, int64_t *out)
{
	bool minus, point = false, digits = false;
	wide v = 0, divisor = 1;
	long exp = 3;

	s += strspn(s, " \t\r\n");
	minus = *s == '-';
	for (s += minus; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
		point |= *s == '.';
		if (*s == '.')
			continue;
		digits = true;
		v = v * 10 + (*s - '0');
		exp -= point;
	}
	if (digits && (*s == 'e' || *s == 'E'))
		exp += strtol(s + 1, (char **)(uintptr_t)&s, 10);
	s += strspn(s, " \t\r\n");
	if (!digits || *s)
		return READ_NOTHING;
	for (; exp > 0; exp--)
		if ((v *= 10) > (wide)1 << 90)
			return READ_FAR;
	for (; exp < 0 && divisor < (wide)1 << 90; exp++)
		divisor *= 10;
	v = (2 * v + divisor) / (2 * divisor);
	*out = minus ? -(int64_t)v : (int64_t)v;
	return v < (wide)1 << 62 ? READ_OK : READ_FAR;
}

static size_t plain_process(struct plain *p, const char *pid)
{
	size_t i = 0;

	while (i < p->nprocesses && strcmp(p->processes[i].pid, pid) != 0)
		i++;
	if (i == p->nprocesses)
		p->processes[p->nprocesses++] = (struct plain_process){ pid, "", "", INT64_MAX, -1, LAYER_OTHER };
	return i;
}

static size_t plain_lane(struct plain *p, const cJSON *e)
{
	size_t process = plain_process(p, text_of(e, "pid")), i = 0;
	const char *tid = text_of(e, "tid");

	while (i < p->nlanes && (p->lanes[i].process != process || strcmp(p->lanes[i].tid, tid) != 0))
		i++;
	if (i == p->nlanes)
		p->lanes[p->nlanes++] = (struct plain_lane){ tid, "", process, 0, INT64_MAX };
	return i;
}

static bool plain_drop(struct plain *p, enum drop why)
{
	p->counts.dropped[why]++;
	return false;
}

static bool plain_time(struct plain *p, const cJSON *e, int64_t *ns)
{
	enum reading r = plain_ns(text_of(e, "ts"), ns);

	return r == READ_OK || plain_drop(p, r == READ_FAR ? DROP_TIME_RANGE : DROP_NO_TIME);
}

static uint64_t plain_connection(const cJSON *args)
{
	const char *s = text_of(args, "connection_id");
	char *end;
	unsigned long long v = strtoull(s, &end, 10);

	return !*s || *end || *s == '-' || v == UINT32_MAX || v == UINT64_MAX ? NO_CONNECTION : v;
}

static bool plain_span(struct plain *p, const cJSON *e, char phase)
{
	struct plain_event r = { .name = text_of(e, "name"), .phase = phase };
	const cJSON *args = member(e, "args");
	enum reading dur;

	if (!plain_time(p, e, &r.start))
		return false;
	if (phase == 'X') {
		dur = plain_ns(text_of(e, "dur"), &r.dur);
		if (dur == READ_FAR)
			return plain_drop(p, DROP_TIME_RANGE);
		r.flags = dur == READ_NOTHING ? EV_NO_DURATION : r.dur < 0 ? EV_NEGATIVE : 0;
		r.dur = r.flags ? 0 : r.dur;
	} else if (phase == 'i') {
		r.flags = EV_INSTANT;
	}
	args = cJSON_IsObject(args) ? args : NULL;
	r.connection = plain_connection(args);
	r.type = *text_of(args, "Task Type") ? text_of(args, "Task Type") : text_of(args, "task type");
	r.type = *r.type ? r.type : text_of(e, "cat");
	r.lane = plain_lane(p, e);
	if (phase == 'X' || phase == 'i')
		p->events[p->nevents++] = r;
	else
		p->marks[p->nmarks++] = r;
	return true;
}

static bool plain_flow(struct plain *p, const cJSON *e, char phase)
{
	struct naive_flow f = { .id = str_of(text_of(e, "id")), .order = p->nflows, .phase = phase };

	if (!plain_time(p, e, &f.time))
		return false;
	if (!f.id.n)
		return plain_drop(p, DROP_NO_FLOW_ID);
	f.kind = link_kind_of(str_of(text_of(e, "cat")));
	f.lane = plain_lane(p, e);
	p->flows[p->nflows++] = f;
	return true;
}

static bool plain_counter(struct plain *p, const cJSON *e)
{
	const cJSON *args = member(e, "args"), *m;
	size_t before = p->nsamples;
	int64_t ns;

	if (!plain_time(p, e, &ns))
		return false;
	plain_lane(p, e);
	args = cJSON_IsObject(args) ? args : NULL;
	cJSON_ArrayForEach(m, args) {
		char *end;
		double v;

		if (!cJSON_IsString(m) || !m->valuestring[0])
			continue;
		v = strtod(m->valuestring, &end);
		if (!*end)
			p->samples[p->nsamples++] = (struct plain_sample){ ns, v, text_of(e, "pid"), text_of(e, "name"), m->string };
	}
	return p->nsamples > before || plain_drop(p, DROP_NO_VALUE);
}

static int64_t plain_int(const char *s)
{
	return strlen(s) > 18 || !*s ? INT64_MAX : strtoll(s, NULL, 10);
}

static int plain_device(const char *labels, int was)
{
	size_t n = strlen(labels);

	if (!strstr(labels, "NPU"))
		return was;
	while (n > 0 && labels[n - 1] >= '0' && labels[n - 1] <= '9')
		n--;
	return labels[n] ? atoi(labels + n) : -1;
}

static void plain_meta(struct plain *p, const cJSON *e)
{
	const cJSON *args = member(e, "args");
	const char *kind = text_of(e, "name");

	if (strcmp(kind, "process_name") == 0 && cJSON_IsString(member(args, "name"))) {
		p->processes[plain_process(p, text_of(e, "pid"))].name = text_of(args, "name");
	} else if (strcmp(kind, "process_labels") == 0 && cJSON_IsString(member(args, "labels"))) {
		struct plain_process *process = &p->processes[plain_process(p, text_of(e, "pid"))];

		process->labels = text_of(args, "labels");
		process->device = plain_device(process->labels, process->device);
	} else if (strcmp(kind, "process_sort_index") == 0 && cJSON_IsString(member(args, "sort_index"))) {
		p->processes[plain_process(p, text_of(e, "pid"))].sort = plain_int(text_of(args, "sort_index"));
	} else if (strcmp(kind, "thread_name") == 0 && cJSON_IsString(member(args, "name"))) {
		p->lanes[plain_lane(p, e)].name = text_of(args, "name");
	} else if (strcmp(kind, "thread_sort_index") == 0 && cJSON_IsString(member(args, "sort_index"))) {
		p->lanes[plain_lane(p, e)].sort = plain_int(text_of(args, "sort_index"));
	}
}

static void plain_element(struct plain *p, const cJSON *e)
{
	const char *ph = text_of(e, "ph");
	char phase = strlen(ph) == 1 ? ph[0] : '\0';
	bool kept = true;

	p->counts.by_phase[(unsigned char)phase]++;
	if (!phase || !strchr("XBEiIRstfCM", phase))
		kept = plain_drop(p, phase ? DROP_UNKNOWN_PHASE : DROP_NO_PHASE);
	else if (strchr("XBE", phase))
		kept = plain_span(p, e, phase);
	else if (strchr("iIR", phase))
		kept = plain_span(p, e, 'i');
	else if (strchr("stf", phase))
		kept = plain_flow(p, e, phase);
	else if (phase == 'C')
		kept = plain_counter(p, e);
	else
		plain_meta(p, e);
	p->counts.kept += kept;
}

/* By time, equal times in file order: each E closes the last B of its lane that is open. */
static void plain_pairs(struct plain *p)
{
	for (size_t lane = 0; lane < p->nlanes; lane++)
		for (;;) {
			size_t end = SIZE_MAX, begin = SIZE_MAX;

			for (size_t i = 0; i < p->nmarks; i++)
				if (p->marks[i].lane == lane && p->marks[i].phase == 'E' && !p->marks[i].taken
						&& (end == SIZE_MAX || p->marks[i].start < p->marks[end].start))
					end = i;
			if (end == SIZE_MAX)
				break;
			for (size_t i = 0; i < p->nmarks; i++) {
				const struct plain_event *m = &p->marks[i];
				bool before = m->start < p->marks[end].start || (m->start == p->marks[end].start && i < end);

				if (m->lane == lane && m->phase == 'B' && !m->taken && before
						&& (begin == SIZE_MAX || m->start >= p->marks[begin].start))
					begin = i;
			}
			p->marks[end].taken = true;
			p->counts.kept -= begin == SIZE_MAX;
			p->counts.dropped[DROP_NO_BEGIN] += begin == SIZE_MAX;
			if (begin == SIZE_MAX)
				continue;
			p->marks[begin].taken = true;
			p->events[p->nevents] = p->marks[begin];
			p->events[p->nevents].flags |= EV_PAIR;
			p->events[p->nevents++].dur = p->marks[end].start - p->marks[begin].start;
		}
	for (size_t i = 0; i < p->nmarks; i++)
		if (!p->marks[i].taken) {
			p->counts.dropped[DROP_NO_END]++;
			p->counts.kept--;
		}
}

static bool lane_before(const struct plain *p, const struct plain_lane *a, const struct plain_lane *b)
{
	const struct plain_process *x = &p->processes[a->process], *y = &p->processes[b->process];

	if (x->layer != y->layer)
		return x->layer < y->layer;
	if (x->device != y->device)
		return x->device < y->device;
	if (x->sort != y->sort)
		return x->sort < y->sort;
	if (a->process != b->process)
		return a->process < b->process;
	return a->sort != b->sort ? a->sort < b->sort : a < b;
}

static bool event_before(const struct plain *p, const struct plain_event *a, const struct plain_event *b)
{
	size_t la = p->lanes[a->lane].place, lb = p->lanes[b->lane].place;

	if (la != lb)
		return la < lb;
	return a->start != b->start ? a->start < b->start : a->dur > b->dur;
}

static void plain_sort(struct plain *p)
{
	for (size_t i = 0; i < p->nprocesses; i++)
		p->processes[i].layer = layer_of_process(str_of(p->processes[i].name));
	for (size_t i = 0; i < p->nlanes; i++)
		for (size_t k = 0; k < p->nlanes; k++)
			p->lanes[i].place += lane_before(p, &p->lanes[k], &p->lanes[i]);
	for (size_t i = 1; i < p->nevents; i++) {
		struct plain_event e = p->events[i];
		size_t at = i;

		for (; at > 0 && event_before(p, &e, &p->events[at - 1]); at--)
			p->events[at] = p->events[at - 1];
		p->events[at] = e;
	}
	for (size_t i = 0; i < p->nflows; i++)
		p->flows[i].lane = p->lanes[p->flows[i].lane].place;
}

static struct plain *plain_read(struct str text)
{
	struct plain *p = mem_zalloc(1, sizeof *p);
	const cJSON *e, *list;

	p->tree = cJSON_ParseWithLength(text.p, text.n);
	if (!p->tree)
		fail_msg("no JSON: %.300s", text.p);
	list = cJSON_IsArray(p->tree) ? p->tree : member(p->tree, "traceEvents");
	cJSON_ArrayForEach(e, list)
		plain_element(p, e);
	plain_pairs(p);
	plain_sort(p);
	return p;
}

static void plain_free(struct plain *p)
{
	cJSON_Delete(p->tree);
	free(p);
}

/* ---- against the plain reader -------------------------------------------------------------------------------------------------------- */

static bool name_is(const struct loaded *l, uint32_t id, const char *text)
{
	return str_is(names_str(&l->names, id), str_of(text));
}

static void compare_lanes(const struct plain *p, const struct loaded *l)
{
	assert_int_equal(l->events.nlanes, p->nlanes);
	assert_int_equal(l->events.nprocesses, p->nprocesses);
	for (size_t i = 0; i < p->nprocesses; i++) {
		const struct plain_process *a = &p->processes[i];
		const struct process *b = &l->events.processes[i];

		assert_true(name_is(l, b->pid, a->pid) && name_is(l, b->name, a->name) && name_is(l, b->labels, a->labels));
		assert_true(b->sort_index == a->sort && b->device == a->device && b->layer == a->layer);
	}
	for (size_t i = 0; i < p->nlanes; i++) {
		const struct plain_lane *a = &p->lanes[i];
		const struct lane *b = &l->events.lanes[a->place];

		assert_true(b->process == a->process && b->sort_index == a->sort && name_is(l, b->tid, a->tid)
			&& name_is(l, b->name, a->name));
	}
}

static void compare_events(const struct plain *p, const struct loaded *l, struct str text)
{
	const struct events *e = &l->events;

	assert_int_equal(e->n, p->nevents);
	for (size_t i = 0; i < e->n; i++) {
		const struct plain_event *a = &p->events[i];
		bool same_lane = (size_t)(events_lane(e, i) - e->lanes) == p->lanes[a->lane].place;

		if (!same_lane || e->start[i] != a->start || e->dur[i] != a->dur || !name_is(l, e->name[i], a->name)
				|| !name_is(l, e->type[i], a->type) || e->connection[i] != a->connection || e->flags[i] != a->flags)
			fail_msg("event %zu: %" PRId64 " %" PRId64 " %s, want %" PRId64 " %" PRId64 " %s", i, e->start[i], e->dur[i],
				names_text(&l->names, e->name[i]), a->start, a->dur, a->name);
		assert_true(text.p[e->span[i]] == '{' && text.p[e->span[i] + e->span_len[i] - 1] == '}');
	}
}

static void compare_links(struct plain *p, const struct loaded *l)
{
	struct link *want = mem_alloc(p->nflows + 1, sizeof *want);
	size_t at = 0;

	for (int k = 0; k < LINK_MAX; k++) {
		const struct link_count *got = &l->events.link_counts[k];
		struct link_count count;
		size_t n = naive_links(&l->events, p->flows, p->nflows, (enum link_kind)k, want, &count);

		assert_true(got->starts == count.starts && got->finishes == count.finishes && got->unmatched == count.unmatched);
		assert_true(got->n == n && got->first == at);
		assert_true(n == 0 || memcmp(l->events.links + at, want, n * sizeof *want) == 0);
		at += n;
	}
	assert_int_equal(l->events.nlinks, at);
	free(want);
}

/* The samples of one series by time: the first not yet taken of the earliest time. */
static void compare_counters(const struct plain *p, const struct loaded *l)
{
	const struct events *e = &l->events;
	bool *taken = mem_zalloc(p->nsamples + 1, sizeof *taken);

	assert_int_equal(e->nsamples, p->nsamples);
	for (size_t c = 0; c < e->ncounters; c++) {
		const struct counter *k = &e->counters[c];

		for (size_t i = k->first; i < k->first + k->n; i++) {
			size_t next = SIZE_MAX;

			for (size_t s = 0; s < p->nsamples; s++)
				if (!taken[s] && name_is(l, e->processes[k->process].pid, p->samples[s].pid)
						&& name_is(l, k->name, p->samples[s].name) && name_is(l, k->series, p->samples[s].series)
						&& (next == SIZE_MAX || p->samples[s].time < p->samples[next].time))
					next = s;
			assert_true(next != SIZE_MAX);
			assert_true(e->counter_time[i] == p->samples[next].time);
			assert_true(memcmp(&e->counter_value[i], &p->samples[next].value, sizeof(double)) == 0);
			taken[next] = true;
		}
	}
	free(taken);
}

static void compare_counts(const struct plain *p, const struct loaded *l)
{
	assert_memory_equal(p->counts.by_phase, l->account.by_phase, sizeof p->counts.by_phase);
	assert_int_equal(p->counts.kept, l->account.kept);
	for (int d = 0; d < DROP_MAX; d++)
		assert_int_equal(p->counts.dropped[d], l->account.dropped[d].count);
	assert_true(l->info.nissues == 0 && !l->info.unclosed && !l->info.early_end);
}

static void check_plain(uint64_t seed, size_t n)
{
	struct buf text = { 0 }, quoted = { 0 };
	struct plain *p;
	struct loaded l;

	trace_gen(&text, seed, n, false);
	trace_gen(&quoted, seed, n, true);
	p = plain_read((struct str){ quoted.p, quoted.n });
	loaded_text(&l, (struct str){ text.p, text.n }, 1 + (size_t)(seed % 100), 1 + (unsigned)(seed % 3));
	if (l.err)
		assert_int_equal(p->counts.by_phase[0], n);		/* no element has a phase: refused */
	else {
		compare_counts(p, &l);
		compare_lanes(p, &l);
		compare_events(p, &l, (struct str){ text.p, text.n });
		compare_links(p, &l);
		compare_counters(p, &l);
	}
	loaded_done(&l);
	plain_free(p);
	buf_done(&text);
	buf_done(&quoted);
}

static void test_plain_reader(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++)
		check_plain(seed, seed % 4 ? 2 + seed % 50 : seed % 300);
	for (uint64_t seed = 1000; seed < 1004; seed++)
		check_plain(seed, 2500);
}

/* ---- any chunk, any thread ----------------------------------------------------------------------------------------------------------- */

static void check_same(const struct loaded *whole, struct str text, uint64_t seed, size_t chunk, unsigned threads)
{
	struct loaded l;

	loaded_text(&l, text, chunk, threads);
	if (loaded_differ(whole, &l))
		fail_msg("seed %" PRIu64 ", chunks of %zu, %u threads: %s differ in\n%.2000s", seed, chunk, threads,
			loaded_differ(whole, &l), text.p);
	loaded_done(&l);
}

/* Valid for even seeds, damaged for odd ones; every tenth of two traces, one after or in the other. */
static struct buf any_text(uint64_t seed, size_t n)
{
	struct buf b = { 0 };

	trace_gen(&b, seed, n, false);
	if (seed % 10 == 9) {
		struct buf other = { 0 }, mixed = { 0 };
		size_t step = seed % 20 == 9 ? b.n : 1 + (size_t)(seed % 300);

		trace_gen(&other, seed + 1, n, false);
		for (size_t at = 0; at < MAX(b.n, other.n); at += step) {
			buf_add(&mixed, b.p + MIN(at, b.n), MIN(step, b.n - MIN(at, b.n)));
			buf_add(&mixed, other.p + MIN(at, other.n), MIN(step, other.n - MIN(at, other.n)));
		}
		buf_done(&b);
		buf_done(&other);
		b = mixed;
	} else if (seed % 2) {
		trace_gen_damage(&b, seed);
	}
	return b;
}

static void test_any_chunk(void **state)
{
	static const unsigned threads[] = { 1, 2, 5 };
	size_t next = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct buf b = any_text(seed, 1 + seed % 40);
		struct str text = { b.p, b.n };
		struct loaded whole;

		loaded_text(&whole, text, 0, 1);
		if (loaded_broken(&whole, (int64_t)text.n))
			fail_msg("seed %" PRIu64 ": %s", seed, loaded_broken(&whole, (int64_t)text.n));
		check_same(&whole, text, seed, 0, threads[1 + seed % 2]);
		for (size_t k = 0; k < 3; k++, next++)		/* in the end each of 1..200 four times */
			check_same(&whole, text, seed, 1 + next % 200, threads[next % 3]);
		loaded_done(&whole);
		buf_done(&b);
	}
}

static void test_every_chunk(void **state)
{
	(void)state;
	for (uint64_t seed = 2000; seed < 2002; seed++) {
		struct buf b = any_text(seed, 8);
		struct str text = { b.p, b.n };
		struct loaded whole;

		loaded_text(&whole, text, 0, 1);
		for (size_t chunk = 1; chunk <= 200; chunk++)
			check_same(&whole, text, seed, chunk, 1 + (unsigned)(chunk + seed) % 3 * 2);
		loaded_done(&whole);
		buf_done(&b);
	}
}

/* Longer than the window of a thread: events cut by its end, some longer than it, searches that go on in the next. */
static void test_long_texts(void **state)
{
	(void)state;
	for (uint64_t seed = 3000; seed < 3016; seed++) {
		struct buf b = { 0 };
		struct loaded whole;
		struct str text;
		uint64_t s = seed;

		trace_gen(&b, seed, 1500, false);
		for (int i = 0; i < 3; i++) {			/* names of 100 KB */
			char *at = memmem(b.p + gen_below(&s, b.n / 2), b.n / 2 - 10, "MatMulV2", 8);
			struct buf longer = { 0 };

			if (!at)
				continue;
			buf_add(&longer, b.p, (size_t)(at - b.p));
			for (int k = 0; k < 20000; k++)
				buf_str(&longer, i == 1 ? "{\\\"a\\\"" : "long ");
			buf_add(&longer, at, b.n - (size_t)(at - b.p));
			buf_done(&b);
			b = longer;
		}
		for (uint64_t k = 0; k < seed % 4 * 3; k++)
			trace_gen_damage(&b, seed + k);
		text = (struct str){ b.p, b.n };
		loaded_text(&whole, text, 0, 1);
		if (loaded_broken(&whole, (int64_t)text.n))
			fail_msg("seed %" PRIu64 ": %s", seed, loaded_broken(&whole, (int64_t)text.n));
		for (size_t chunk = 2500; chunk < 300000; chunk *= 3)
			check_same(&whole, text, seed, chunk + gen_below(&s, chunk), 1 + (unsigned)(chunk + seed) % 3 * 2);
		loaded_done(&whole);
		buf_done(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_reader), cmocka_unit_test(test_any_chunk), cmocka_unit_test(test_every_chunk),
			cmocka_unit_test(test_long_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
