/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host beside the gaps. Lanes of one thread number are one thread, in Python as in CANN. Every step is linear in events, or in the
 * events that overlap a gap.
 */
#include "core/analysis/gaps_private.h"

#include "core/base/index_map.h"
#include "core/base/mem.h"

#include <stdlib.h>

/* CANN calls that return only when the device has come so far. A wait that a stream does (StreamWaitEvent) holds no host. */
static const char *const sync_calls[] = {
	"*ynchronize", "*ynchronizeStream*", "*ynchronizeDevice*", "*ynchronizeEvent*", "*ynchronizeWithTimeout", "*SyncStream*",
	"aclrtMemcpy", "*@aclrtMemcpy", "aclrtMemcpy2d", "*@aclrtMemcpy2d", "rtMemcpy", "*@rtMemcpy",
};

/* Operators and frames that wait if their tensor is on the device. They count where the capture has no AscendCL calls, which tell. */
static const char *const sync_ops[] = {
	"aten::item", "aten::_local_scalar_dense", "aten::tolist", "*asnumpy*",
	"<built-in method item of *", "<built-in method tolist of *", "<built-in method cpu of *", "<built-in method numpy of *",
};

/* What a name tells. */
enum {
	NAME_ASKED = 1,
	NAME_SYNC_CALL = 2,
	NAME_SYNC_OP = 4,
	NAME_ACL = 8,
};

static bool is_any(struct str name, const char *const *globs, size_t n)
{
	bool found = false;

	for (size_t i = 0; i < n && !found; i++)
		found = str_like(name, globs[i]);
	return found;
}

/* Answers are kept by name id. */
static uint8_t ask_name(const struct names *names, uint32_t name, uint8_t *answers)
{
	struct str s = names_str(names, name);

	if (name >= names->n)
		return 0;
	if (!answers[name])
		answers[name] = (uint8_t)(NAME_ASKED | (is_any(s, sync_calls, ARRAY_LEN(sync_calls)) ? NAME_SYNC_CALL : 0)
			| (is_any(s, sync_ops, ARRAY_LEN(sync_ops)) ? NAME_SYNC_OP : 0)
			| (str_begins(s, STR("AscendCL@")) || str_begins(s, STR("acl")) ? NAME_ACL : 0));
	return answers[name];
}

static bool is_host_kind(enum work k)
{
	return k == WORK_HOST_OP || k == WORK_HOST_RUNTIME || k == WORK_HOST_QUEUE || k == WORK_HOST_FRAME || k == WORK_HOST_GC;
}

/* ---- threads ----------------------------------------------------------------------------------------------------------------------- */

static uint32_t thread_new(struct gap_host *h)
{
	ARRAY_PUSH(h, threads, nthreads, cap_threads) = (struct host_thread){ 0 };
	return (uint32_t)(h->nthreads - 1);
}

static bool lane_is_host(const struct work_model *m, const struct lane *l)
{
	for (size_t i = l->first; i < l->first + l->n; i++)
		if (is_host_kind((enum work)m->kind[i]))
			return true;
	return false;
}

static void name_threads(struct gap_host *h)
{
	const struct events *e = &h->m->r->events;
	struct index_map of_tid = { 0 };

	h->thread_of_lane = mem_alloc(e->nlanes, sizeof *h->thread_of_lane);
	for (size_t l = 0; l < e->nlanes; l++) {
		uint32_t *slot;

		h->thread_of_lane[l] = NO_INDEX;
		if (!lane_is_host(h->m, &e->lanes[l]))
			continue;
		slot = index_map_slot(&of_tid, e->lanes[l].tid);
		if (!*slot)
			*slot = thread_new(h) + 1;
		h->thread_of_lane[l] = *slot - 1;
	}
	index_map_done(&of_tid);
}

/* Whether CANN's own calls were recorded, which tell better than operators when the host waited. */
static bool has_acl(const struct work_model *m, uint8_t *answers)
{
	bool found = false;

	for (size_t i = 0; i < m->r->events.n && !found; i++)
		found = m->kind[i] == WORK_HOST_RUNTIME && ask_name(&m->c->names, m->r->events.name[i], answers) & NAME_ACL;
	return found;
}

/* sync: the NAME_ flags of which one makes a call a synchronising one; gc gets the garbage collections */
static void thread_events(struct gap_host *h, struct host_thread *t, const struct lane *l, uint8_t *answers, unsigned sync,
		struct intervals *gc)
{
	const struct events *e = &h->m->r->events;

	for (size_t i = l->first; i < l->first + l->n; i++) {
		enum work kind = (enum work)h->m->kind[i];
		int64_t start = e->start[i], end = event_end(e, i);

		if (!is_host_kind(kind) || start < e->first_start)	/* an outlier */
			continue;
		h->first = h->first == NO_TIME ? start : MIN(h->first, start);
		h->last = MAX(h->last, end);
		if (kind != WORK_HOST_FRAME)
			intervals_add(&t->busy, start, end);
		if (kind == WORK_HOST_GC)
			intervals_add(gc, start, end);
		if (ask_name(&h->m->c->names, e->name[i], answers) & sync) {
			intervals_add(&t->sync, start, end);
			intervals_add(&h->sync, start, end);
		}
	}
}

/* A thread on which queued work comes out does what another one asks for. */
static void mark_fed(struct gap_host *h)
{
	const struct events *e = &h->m->r->events;
	const struct link_count *queue = &e->link_counts[LINK_QUEUE];

	for (size_t i = queue->first; i < queue->first + queue->n; i++) {
		uint32_t from = h->thread_of_lane[events_lane(e, e->links[i].from) - e->lanes];
		uint32_t to = h->thread_of_lane[events_lane(e, e->links[i].to) - e->lanes];

		if (to != NO_INDEX && from != to)
			h->threads[to].fed = true;
	}
}

static void set_finish(struct intervals *s)
{
	intervals_normalise(s);
	intervals_index(s);
}

void gap_host_init(struct gap_host *h, const struct work_model *m)
{
	struct intervals gc = { 0 };
	uint8_t *answers;
	unsigned sync;

	*h = (struct gap_host){ .m = m, .first = NO_TIME, .last = NO_TIME };
	if (!m->kind)
		return;
	answers = mem_zalloc(m->c->names.n, 1);
	sync = NAME_SYNC_CALL | (has_acl(m, answers) ? 0 : NAME_SYNC_OP);
	name_threads(h);
	for (size_t l = 0; l < m->r->events.nlanes; l++)
		if (h->thread_of_lane[l] != NO_INDEX)
			thread_events(h, &h->threads[h->thread_of_lane[l]], &m->r->events.lanes[l], answers, sync, &gc);
	mark_fed(h);
	for (size_t i = 0; i < h->nthreads; i++) {
		set_finish(&h->threads[i].busy);
		set_finish(&h->threads[i].sync);
	}
	set_finish(&h->sync);
	intervals_normalise(&gc);
	intervals_union(&h->busy, &m->sets.host, &gc);
	intervals_index(&h->busy);
	intervals_done(&gc);
	free(answers);
}

void gap_host_done(struct gap_host *h)
{
	for (size_t i = 0; i < h->nthreads; i++) {
		intervals_done(&h->threads[i].busy);
		intervals_done(&h->threads[i].sync);
	}
	intervals_done(&h->busy);
	intervals_done(&h->sync);
	free(h->threads);
	free(h->thread_of_lane);
	free(h->items);
	*h = (struct gap_host){ 0 };
}

/* ---- shares of a window ------------------------------------------------------------------------------------------------------------ */

/* ns of [a, b) that any of up to three sets covers: a walk over the intervals inside. */
static int64_t union_within(const struct intervals *const *sets, size_t n, int64_t a, int64_t b)
{
	size_t at[ARRAY_LEN(((struct thread_set *)NULL)->items)];
	int64_t covered = 0;

	if (n == 1)
		return intervals_within(sets[0], a, b);
	for (size_t i = 0; i < n; i++)
		at[i] = intervals_find(sets[i], a);
	while (a < b) {
		int64_t start = b, end = b;

		for (size_t i = 0; i < n; i++) {
			while (at[i] < sets[i]->n && sets[i]->items[at[i]].end <= a)
				at[i]++;
			if (at[i] < sets[i]->n && sets[i]->items[at[i]].start < start) {
				start = sets[i]->items[at[i]].start;
				end = sets[i]->items[at[i]].end;
			}
		}
		start = MAX(start, a);
		end = MIN(end, b);
		covered += end - start;
		a = end;
	}
	return covered;
}

int64_t gap_host_busy(const struct gap_host *h, const struct thread_set *t, int64_t a, int64_t b)
{
	const struct intervals *sets[ARRAY_LEN(t->items)];

	if (!t->n)
		return intervals_within(&h->busy, a, b);
	for (size_t i = 0; i < t->n; i++)
		sets[i] = &h->threads[t->items[i]].busy;
	return union_within(sets, t->n, a, b);
}

int64_t gap_host_sync(const struct gap_host *h, const struct thread_set *t, int64_t a, int64_t b)
{
	const struct intervals *sets[ARRAY_LEN(t->items)];

	if (!t->n)
		return intervals_within(&h->sync, a, b);
	for (size_t i = 0; i < t->n; i++)
		sets[i] = &h->threads[t->items[i]].sync;
	return union_within(sets, t->n, a, b);
}
