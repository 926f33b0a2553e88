/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cause for a gap, from the evidence that the capture has: waiting tasks on the device, then when the next task was launched, then what
 * the host did until it launched it.
 */
#include "core/analysis/gaps_private.h"

/* Hardware queues take microseconds: a task that was launched longer ago waits for something that the capture does not show. */
#define LAUNCH_WAY_NS 1000000

/* ---- waits ------------------------------------------------------------------------------------------------------------------------- */

static bool says_notify(struct str s)
{
	return s.n >= 6 && str_is_nocase((struct str){ s.p, 6 }, STR("notify"));
}

static bool wait_is_of_comm(const struct work_model *m, const struct process *p, size_t event)
{
	const struct events *e = &m->r->events;

	return m->kind[event] == WORK_COMM_DETAIL || p->layer == LAYER_COMMUNICATION || says_notify(names_str(&m->c->names, e->type[event]))
		|| says_notify(names_str(&m->c->names, e->name[event]));
}

void gap_waits_init(struct gap_waits *w, const struct work_model *m)
{
	const struct events *e = &m->r->events;
	struct intervals *sets[] = { &w->all, &w->comm };

	*w = (struct gap_waits){ 0 };
	for (size_t l = 0; m->kind && l < e->nlanes; l++) {
		const struct process *p = &e->processes[e->lanes[l].process];

		if (m->device >= 0 && p->device >= 0 && p->device != m->device)
			continue;
		for (size_t i = e->lanes[l].first; i < e->lanes[l].first + e->lanes[l].n; i++) {
			if (m->kind[i] != WORK_WAIT && m->kind[i] != WORK_COMM_DETAIL)
				continue;
			intervals_add(&w->all, e->start[i], event_end(e, i));
			if (wait_is_of_comm(m, p, i))
				intervals_add(&w->comm, e->start[i], event_end(e, i));
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
		intervals_normalise(sets[i]);
		intervals_index(sets[i]);
	}
}

void gap_waits_done(struct gap_waits *w)
{
	intervals_done(&w->all);
	intervals_done(&w->comm);
}

/* ---- launches ---------------------------------------------------------------------------------------------------------------------- */

/* The event that a link of this kind leads from to event `to`: the latest that does not start after it, else the first. */
static uint32_t link_source(const struct gap_host *h, enum link_kind kind, uint32_t to)
{
	const struct events *e = &h->m->r->events;
	const struct link *links = e->links + e->link_counts[kind].first;
	size_t n = e->link_counts[kind].n, lo = 0, hi = n;
	uint32_t best = NO_INDEX;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (links[mid].to < to)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < n && links[lo].to == to; lo++) {
		uint32_t from = links[lo].from;

		if (h->thread_of_lane[events_lane(e, from) - e->lanes] == NO_INDEX)
			continue;
		if (best == NO_INDEX || (e->start[from] <= e->start[to]
				&& (e->start[best] > e->start[to] || e->start[from] > e->start[best])))
			best = from;
	}
	return best;
}

static void add_thread(struct thread_set *t, uint32_t thread)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->items[i] == thread)
			return;
	t->items[t->n++] = thread;
}

struct gap_launch gap_launch_of(const struct gap_host *h, uint32_t after)
{
	static const enum link_kind kinds[] = { LINK_LAUNCH, LINK_TORCH, LINK_SELF };	/* the most exact first */
	struct gap_launch l = { NO_INDEX, NO_TIME, false, { .n = 0 } };
	const struct events *e = &h->m->r->events;

	_Static_assert(ARRAY_LEN(kinds) <= ARRAY_LEN(l.threads.items), "a thread for each kind");
	if (!h->nthreads || h->m->from_table || after == NO_INDEX)
		return l;
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		uint32_t from = link_source(h, kinds[k], after);

		if (from == NO_INDEX)
			continue;
		add_thread(&l.threads, h->thread_of_lane[events_lane(e, from) - e->lanes]);
		if (l.event != NO_INDEX)
			continue;
		l.event = from;
		l.time = e->start[from];
		l.exact = kinds[k] == LINK_LAUNCH;
	}
	/* A thread that only launches what others queue is idle whenever they are late: without knowing them, every thread counts. */
	if (l.threads.n == 1 && h->threads[l.threads.items[0]].fed)
		l.threads.n = 0;
	return l;
}

/* ---- the cause --------------------------------------------------------------------------------------------------------------------- */

static void set_cause(struct gap *g, enum gap_cause cause, enum confidence confidence)
{
	g->cause = cause;
	g->confidence = confidence;
}

/* part of whole is at least half of it */
static bool is_half(int64_t part, int64_t whole)
{
	return part >= whole - part;
}

/*
 * Parts of a collective that run mean that it was launched and waits. Any other wait stands on its stream before the work it holds back: it
 * counts from the launch of that work on, for until then the work itself was missing.
 */
static bool decide_wait(struct gap *g, const struct work_model *m, const struct gap_waits *w, const struct gap_launch *l)
{
	int64_t length = g->end - g->start, comm = intervals_within(&w->comm, g->start, g->end);
	int64_t from = l->time == NO_TIME ? g->start : MAX(l->time, g->start), all = intervals_within(&w->all, from, g->end);
	bool before_comm = g->after != NO_INDEX && m->spans[g->after].kind == WORK_COMMUNICATION;

	if (is_half(comm, length))
		set_cause(g, GAP_COMM_WAIT, comm == length ? CONF_HIGH : CONF_MEDIUM);
	else if (is_half(all, length))
		set_cause(g, before_comm || is_half(comm, all) ? GAP_COMM_WAIT : GAP_EVENT_WAIT,
			l->exact && all == length ? CONF_HIGH : CONF_MEDIUM);
	else
		return false;
	return true;
}

/* What the host did in [g->start, until), while it should have launched. */
static void decide_host(struct gap *g, const struct gap_host *h, const struct thread_set *t, int64_t until, enum confidence confidence)
{
	int64_t window = until - g->start, sync = gap_host_sync(h, t, g->start, until);

	if (sync > window - sync)
		set_cause(g, GAP_SYNC, confidence);
	else if (is_half(gap_host_busy(h, t, g->start, until), window))
		set_cause(g, GAP_HOST_LATE, confidence);
	else
		set_cause(g, GAP_HOST_IDLE, MIN(confidence, CONF_MEDIUM));
}

static void decide_without_launch(struct gap *g, const struct gap_host *h, const struct thread_set *t)
{
	if (h->first == NO_TIME || g->end <= h->first || g->start >= h->last)
		set_cause(g, GAP_UNKNOWN, CONF_LOW);
	else
		decide_host(g, h, t, g->end, CONF_LOW);
}

/* Launched while the device still worked. A call that holds the host far into the gap compiles, or waits for room in the queue. */
static void decide_early_launch(struct gap *g, const struct work_model *m, const struct gap_launch *l)
{
	int64_t inside = MIN(event_end(&m->r->events, l->event), g->end) - g->start;

	if (l->exact && is_half(inside, g->end - g->start))
		set_cause(g, GAP_HOST_LATE, CONF_MEDIUM);
	else
		set_cause(g, GAP_LAUNCH, g->end - l->time > LAUNCH_WAY_NS ? CONF_LOW : l->exact ? CONF_HIGH : CONF_MEDIUM);
}

void gap_decide(struct gap *g, const struct work_model *m, const struct gap_host *h, const struct gap_waits *w, const struct gap_launch *l)
{
	if (decide_wait(g, m, w, l))
		return;
	if (l->event == NO_INDEX)
		decide_without_launch(g, h, &l->threads);
	else if (l->time <= g->start)
		decide_early_launch(g, m, l);
	else
		decide_host(g, h, &l->threads, MIN(l->time, g->end), l->exact ? CONF_HIGH : CONF_MEDIUM);
}
