/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the host was in while the device did nothing, by name. Outermost operators and calls, innermost Python frames; only what reaches
 * into a gap is kept. One sweep over gaps and items with the items that are still running: the work is that of the overlaps.
 */
#include "core/analysis/gaps_private.h"

#include "core/base/mem.h"
#include "core/base/sort.h"

#include <stdlib.h>

/* ---- what was running in the gaps -------------------------------------------------------------------------------------------------- */

/* Collects the items of one lane and tier, in order of time, and keeps those that reach into a gap. */
struct collector {
	struct gap_host *h;
	const struct gap *gaps;
	size_t ngaps, at;		/* at: the first gap that does not end before the next item */
	uint32_t thread;
	enum host_tier tier;
};

static void collect(struct collector *c, uint32_t name, int64_t start, int64_t end)
{
	while (c->at < c->ngaps && c->gaps[c->at].end <= start)
		c->at++;
	if (start < end && c->at < c->ngaps && c->gaps[c->at].start < end)
		ARRAY_PUSH(c->h, items, n, cap) = (struct host_item){ start, end, name, c->thread, c->tier };
}

static enum host_tier tier_of(enum work kind)
{
	switch (kind) {
	case WORK_HOST_OP:
	case WORK_HOST_GC:
		return TIER_OP;
	case WORK_HOST_RUNTIME:
		return TIER_RUNTIME;
	case WORK_HOST_QUEUE:
		return TIER_QUEUE;
	case WORK_HOST_FRAME:
		return TIER_FRAME;
	default:
		return TIER_MAX;
	}
}

/* Outermost events; of two that overlap without nesting the later one begins where the earlier one ends. */
static void collect_outermost(struct collector *c, const struct lane *l)
{
	const struct events *e = &c->h->m->r->events;
	int64_t covered = INT64_MIN;

	for (size_t i = l->first; i < l->first + l->n; i++) {
		if (tier_of((enum work)c->h->m->kind[i]) != c->tier || event_end(e, i) <= covered)
			continue;
		collect(c, e->name[i], MAX(e->start[i], covered), event_end(e, i));
		covered = event_end(e, i);
	}
}

/* Python frames by their own time: the outermost one is the whole program and tells nothing. */
static void collect_innermost(struct collector *c, const struct lane *l, uint32_t *stack)
{
	const struct events *e = &c->h->m->r->events;
	size_t depth = 0;
	int64_t t = INT64_MIN;

	for (size_t i = l->first; i <= l->first + l->n; i++) {
		bool last = i == l->first + l->n;

		if (!last && tier_of((enum work)c->h->m->kind[i]) != c->tier)
			continue;
		for (; depth && (last || event_end(e, stack[depth - 1]) <= e->start[i]); depth--) {
			int64_t end = event_end(e, stack[depth - 1]);

			collect(c, e->name[stack[depth - 1]], t, end);
			t = MAX(t, end);
		}
		if (last)
			break;
		if (depth)
			collect(c, e->name[stack[depth - 1]], t, e->start[i]);
		t = MAX(t, e->start[i]);
		stack[depth++] = (uint32_t)i;
	}
}

static void sort_items(struct gap_host *h)
{
	uint64_t *keys = mem_alloc(h->n, sizeof *keys);
	uint32_t *order = mem_alloc(h->n, sizeof *order);
	struct host_item *sorted = mem_alloc(h->n, sizeof *sorted);

	for (size_t i = 0; i < h->n; i++)
		keys[i] = sort_key(h->items[i].start);
	sort_by_key(keys, order, h->n);
	for (size_t i = 0; i < h->n; i++)
		sorted[i] = h->items[order[i]];
	free(h->items);
	h->items = sorted;
	h->cap = h->n;
	free(order);
	free(keys);
}

/* The tiers that a lane has events of, one bit each: most lanes have one, and need one sweep. */
static unsigned tiers_of(const struct gap_host *h, const struct lane *l)
{
	unsigned kinds = 0, tiers = 0;

	for (size_t i = l->first; i < l->first + l->n; i++)
		kinds |= 1u << h->m->kind[i];
	for (int k = 0; k < WORK_MAX; k++)
		if (kinds >> k & 1 && tier_of((enum work)k) < TIER_MAX)
			tiers |= 1u << tier_of((enum work)k);
	return tiers;
}

void gap_host_items(struct gap_host *h, const struct gap *gaps, size_t n)
{
	const struct events *e = &h->m->r->events;
	size_t most = 0;
	uint32_t *stack;

	for (size_t l = 0; h->nthreads && l < e->nlanes; l++)
		if (h->thread_of_lane[l] != NO_INDEX)
			most = MAX(most, e->lanes[l].n);
	stack = mem_alloc(most, sizeof *stack);
	for (size_t l = 0; h->nthreads && l < e->nlanes; l++) {
		unsigned tiers = h->thread_of_lane[l] != NO_INDEX ? tiers_of(h, &e->lanes[l]) : 0;

		for (int tier = 0; tier < TIER_MAX; tier++) {
			struct collector c = { h, gaps, n, 0, h->thread_of_lane[l], (enum host_tier)tier };

			if (!(tiers >> tier & 1))
				continue;
			if (tier == TIER_FRAME)
				collect_innermost(&c, &e->lanes[l], stack);
			else
				collect_outermost(&c, &e->lanes[l]);
		}
	}
	free(stack);
	sort_items(h);
}

/* ---- the names of a gap ------------------------------------------------------------------------------------------------------------ */

/* A sum by name for one gap; touched holds the names that have one, so that clearing costs no more than filling. */
struct tally {
	int64_t *ns;			/* by name id */
	uint32_t *touched;
	size_t n, cap;
};

static void tally_add(struct tally *t, uint32_t name, int64_t ns)
{
	if (!name)
		return;
	if (!t->ns[name])
		ARRAY_PUSH(t, touched, n, cap) = name;
	t->ns[name] += ns;
}

static void tally_take(struct tally *t, struct gap *g)
{
	for (size_t i = 0; i < t->n; i++) {
		uint32_t name = t->touched[i];
		int64_t ns = t->ns[name];
		size_t at = ARRAY_LEN(g->host);

		while (at > 0 && (g->host_ns[at - 1] < ns || (g->host_ns[at - 1] == ns && g->host[at - 1] > name)))
			at--;
		for (size_t k = ARRAY_LEN(g->host) - 1; k > at; k--) {
			g->host[k] = g->host[k - 1];
			g->host_ns[k] = g->host_ns[k - 1];
		}
		if (at < ARRAY_LEN(g->host)) {
			g->host[at] = name;
			g->host_ns[at] = ns;
		}
		t->ns[name] = 0;
	}
	t->n = 0;
}

static bool has_thread(const struct thread_set *t, uint32_t thread)
{
	bool found = t->n == 0;

	for (size_t i = 0; i < t->n; i++)
		found |= t->items[i] == thread;
	return found;
}

/* Indexes of the items that may still reach into the next gap. */
struct running {
	uint32_t *items;
	size_t n, cap;
};

/* The best tier that occurs in the gap: on its threads when they did anything, else on all of them, and *t is emptied then. */
static enum host_tier best_tier(const struct gap_host *h, const struct running *r, struct thread_set *t)
{
	enum host_tier own = TIER_MAX, any = TIER_MAX;

	for (size_t i = 0; i < r->n; i++) {
		const struct host_item *item = &h->items[r->items[i]];

		any = MIN(any, item->tier);
		if (has_thread(t, item->thread))
			own = MIN(own, item->tier);
	}
	if (own == TIER_MAX)
		t->n = 0;
	return own == TIER_MAX ? any : own;
}

static void drop_ended(const struct gap_host *h, struct running *r, int64_t t)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n; i++)
		if (h->items[r->items[i]].end > t)
			r->items[kept++] = r->items[i];
	r->n = kept;
}

void gap_host_names(const struct gap_host *h, struct gap *gaps, const struct thread_set *threads, size_t n)
{
	struct tally tally = { .ns = mem_zalloc(h->n ? h->m->c->names.n : 0, sizeof *tally.ns) };
	struct running r = { 0 };
	size_t next = 0;

	for (size_t g = 0; h->n && g < n; g++) {
		struct thread_set t = threads[g];
		enum host_tier tier;

		drop_ended(h, &r, gaps[g].start);
		for (; next < h->n && h->items[next].start < gaps[g].end; next++)
			if (h->items[next].end > gaps[g].start)
				ARRAY_PUSH(&r, items, n, cap) = (uint32_t)next;
		tier = best_tier(h, &r, &t);
		for (size_t i = 0; i < r.n; i++) {
			const struct host_item *item = &h->items[r.items[i]];

			if (item->tier == tier && has_thread(&t, item->thread))
				tally_add(&tally, item->name, MIN(item->end, gaps[g].end) - MAX(item->start, gaps[g].start));
		}
		tally_take(&tally, &gaps[g]);
	}
	free(r.items);
	free(tally.touched);
	free(tally.ns);
}
