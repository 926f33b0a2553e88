/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps and phases of any timeline: the input is a list of 8-byte records, each an event (or an event with the flow that launched another
 * one) of a host, a device or a step trace. Whatever they say, steps are in order, do not overlap, and their windows lie inside.
 */
#include "core/analysis/steps.h"
#include "core/model/build.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { RECORD = 8, RECORDS_MAX = 4096 };

static struct classifier *classifier;

static const struct kind {
	const char *process, *thread, *type, *name;
} kinds[] = {
	{ "Python", "Thread 1", "cpu_op", "ProfilerStep#1" },
	{ "Python", "Thread 1", "cpu_op", "execute_model" },
	{ "Python", "Thread 1", "python_function", "a.py(1): execute_model" },
	{ "Python", "Thread 2", "mstx", "prefill" },
	{ "Python", "Thread 2", "mstx", "decode 1" },
	{ "Python", "Thread 2", "mstx", "batch 7" },
	{ "Python", "Thread 1", "cpu_op", "aten::mm" },
	{ "Ascend Hardware", "Stream 1", "AI_CORE", "MatMulV2" },
	{ "Ascend Hardware", "Stream 1", "AI_CORE", "Embedding" },
	{ "Ascend Hardware", "Stream 1", "AI_VECTOR_CORE", "Add" },
	{ "Ascend Hardware", "Stream 2", "MIX_AIC", "PagedAttention" },
	{ "Ascend Hardware", "Stream 2", "MIX_AIC", "FlashAttentionScore" },
	{ "Ascend Hardware", "Stream 1", "MEMCPY_ASYNC", "MEMCPY_ASYNC" },
	{ "Ascend Hardware", "Stream 2", "EVENT_WAIT", "EVENT_WAIT" },
	{ "Communication", "Group 1 Communication", "", "hcom_allReduce__1_0_1" },
	{ "Step Trace", "Iterations", "", "Iteration 1" },
};

static uint32_t name_of(struct names *names, const char *text)
{
	return names_add(names, str_of(text));
}

/* kind, flags, two bytes start, two bytes duration, exponent, flow: times of any size come from the exponent. */
static void add_record(struct builder *b, struct names *names, const uint8_t *r)
{
	const struct kind *k = &kinds[r[0] % ARRAY_LEN(kinds)];
	uint32_t pid = name_of(names, k->process), lane = build_lane(b, pid, name_of(names, k->thread));
	int64_t start = (int64_t)((r[2] << 8 | r[3]) - (r[1] & 1 ? 32768 : 0)) * ((int64_t)1 << (r[6] % 40));
	int64_t dur = (int64_t)(r[4] << 8 | r[5]) * ((int64_t)1 << ((r[6] >> 4) + (r[1] >> 4)));

	build_process_name(b, pid, pid);
	build_lane_name(b, pid, name_of(names, k->thread), name_of(names, k->thread));
	build_event(b, &(struct raw_event){ .start = start, .dur = dur, .connection = NO_CONNECTION, .lane = lane, .name = name_of(names, k->name),
		.type = name_of(names, k->type), .phase = r[1] & 2 ? 'i' : 'X' });
	if (r[7])
		build_flow(b, &(struct raw_flow){ .time = start, .id = r[7] >> 1, .lane = lane, .category = name_of(names, "async_npu"),
			.phase = r[7] & 1 ? 's' : 'f' });
}

static void check(const struct steps *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct step *t = &s->items[i];

		if (t->start > t->end || (i + 1 < s->n && t->end != t[1].start))
			abort();
		if (t->first != NO_TIME && (t->first < t->start || t->first >= t->end || t->last < t->first))
			abort();
		if ((unsigned)t->phase >= PHASE_MAX)
			abort();
	}
	if (!s->reason || !s->phase_reason || (unsigned)s->source >= STEPS_SOURCE_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct capture c = { 0 };
	struct rank rank = { 0 };
	struct work_model *m;
	struct builder *b;
	size_t count;

	if (!classifier)
		classifier = classifier_new(NULL);
	names_init(&c.names);
	b = build_new(&c.names);
	for (size_t i = 0; i + RECORD <= n && i < (size_t)RECORD * RECORDS_MAX; i += RECORD)
		add_record(b, &c.names, data + i);
	build_finish(b, &rank.events, &rank.account);
	m = work_new(&c, &rank, classifier, &count);
	for (size_t i = 0; i < count; i++) {
		struct steps s;

		steps_find(&m[i], PHASES_AUTO, &s);
		check(&s);
		steps_done(&s);
	}
	work_free(m, count);
	events_done(&rank.events);
	names_done(&c.names);
	return 0;
}
