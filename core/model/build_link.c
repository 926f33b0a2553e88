/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows and connection ids to links between events.
 *
 * A flow end belongs to the innermost event of its lane that contains its time (the last to start among those that have not ended). Ends
 * with one id are joined: each finish (or step) with the latest start of its id that is not later than it, else the earliest one.
 * Everything here is linear in events and flows but for two radix sorts.
 */
#include "core/model/build_private.h"

#include "core/base/mem.h"
#include "core/base/par.h"
#include "core/base/sort.h"

#include <stdlib.h>

#define NO_EVENT UINT32_MAX

struct flow_end {
	struct raw_flow f;
	uint32_t event;			/* the event it belongs to, NO_EVENT when there is none */
	uint8_t kind;
};

struct flow_set {
	struct flow_end *ends;		/* sorted by lane, time, order of arrival */
	size_t n;
};

struct link_list {
	struct link *items;
	size_t n, cap;
};

/* ---- where each end belongs -------------------------------------------------------------------------------------------------------- */

/* Gathers the flows of each lane, in order of arrival; fills first[nlanes + 1]. Frees the raw blocks. */
static struct flow_set flows_by_lane(struct builder *b, size_t nlanes, size_t *first)
{
	struct flow_set set = { scratch_alloc(b->raw.flows.n, sizeof *set.ends), b->raw.flows.n };
	size_t *next = mem_alloc(nlanes + 1, sizeof *next);

	memset(first, 0, (nlanes + 1) * sizeof *first);
	for (const struct block *bl = b->raw.flows.first; bl; bl = bl->next)
		for (size_t i = 0; i < bl->n; i++)
			first[((const struct raw_flow *)(const void *)bl->items)[i].lane + 1]++;
	for (size_t i = 0; i < nlanes; i++)
		first[i + 1] += first[i];
	memcpy(next, first, (nlanes + 1) * sizeof *next);
	for (struct block *bl = b->raw.flows.first; bl; bl = block_free(bl)) {
		const struct raw_flow *f = (const void *)bl->items;

		for (size_t i = 0; i < bl->n; i++)
			set.ends[next[f[i].lane]++] = (struct flow_end){ .f = f[i], .event = NO_EVENT };
	}
	b->raw.flows = (struct blocks){ 0 };
	free(next);
	return set;
}

static void sort_ends(struct flow_end *ends, size_t n)
{
	uint64_t *keys;
	uint32_t *order;
	struct flow_end *sorted;
	size_t i = 1;

	while (i < n && ends[i - 1].f.time <= ends[i].f.time)
		i++;
	if (i >= n)
		return;
	keys = scratch_alloc(n, sizeof *keys);
	order = scratch_alloc(n, sizeof *order);
	sorted = scratch_alloc(n, sizeof *sorted);
	for (i = 0; i < n; i++)
		keys[i] = sort_key(ends[i].f.time);
	sort_by_key(keys, order, n);
	for (i = 0; i < n; i++)
		sorted[i] = ends[order[i]];
	memcpy(ends, sorted, n * sizeof *ends);
	scratch_free(sorted, n, sizeof *sorted);
	scratch_free(order, n, sizeof *order);
	scratch_free(keys, n, sizeof *keys);
}

/* One sweep over a lane with a stack of events that may still contain a later end. */
static void place_ends(const struct events *e, const struct lane *l, struct flow_end *ends, size_t n, uint32_t *stack)
{
	size_t depth = 0, next = l->first, end = l->first + l->n;

	for (size_t i = 0; i < n; i++) {
		int64_t t = ends[i].f.time;

		for (; next < end && e->start[next] <= t; next++) {
			while (depth && event_end(e, stack[depth - 1]) < e->start[next])
				depth--;
			stack[depth++] = (uint32_t)next;
		}
		while (depth && event_end(e, stack[depth - 1]) < t)
			depth--;
		ends[i].event = depth ? stack[depth - 1] : NO_EVENT;
	}
}

struct placing {
	const struct events *e;
	struct flow_set *set;
	const size_t *first;		/* by lane: its ends in the set */
};

static void place_lane(void *arg, unsigned worker, size_t l)
{
	struct placing *p = arg;
	struct flow_end *ends = p->set->ends + p->first[l];
	size_t n = p->first[l + 1] - p->first[l];
	uint32_t *stack;

	(void)worker;
	if (!n)
		return;
	stack = scratch_alloc(p->e->lanes[l].n, sizeof *stack);
	sort_ends(ends, n);
	place_ends(p->e, &p->e->lanes[l], ends, n, stack);
	scratch_free(stack, p->e->lanes[l].n, sizeof *stack);
}

/* ---- joining ends by id ------------------------------------------------------------------------------------------------------------- */

/* Ends with one id: order[first[g]] .. order[first[g + 1] - 1] are the ends of group g by time. */
struct flow_groups {
	uint32_t *order, *first;
	uint32_t n;
};

/* Kind and textness select a map of their own: an id uses all 64 bits. */
static size_t map_of(const struct flow_end *end)
{
	return (size_t)end->kind * 2 + end->f.id_is_text;
}

/* Numbers the distinct (kind, id) in order of appearance. */
static uint32_t number_groups(const struct flow_set *set, uint32_t *group_of)
{
	struct index_map maps[LINK_MAX * 2] = { 0 };
	size_t ends[LINK_MAX * 2] = { 0 };
	uint32_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		ends[map_of(&set->ends[i])]++;
	for (size_t i = 0; i < ARRAY_LEN(maps); i++)
		if (ends[i])			/* nearly always a start and a finish share an id */
			index_map_reserve(&maps[i], ends[i] / 2 + 1);
	for (size_t i = 0; i < set->n; i++) {
		const struct flow_end *end = &set->ends[i];
		uint32_t *slot = index_map_slot(&maps[map_of(end)], end->f.id);

		if (!*slot)
			*slot = ++n;
		group_of[i] = *slot - 1;
	}
	for (size_t i = 0; i < ARRAY_LEN(maps); i++)
		index_map_done(&maps[i]);
	return n;
}

/* A start comes before a finish of the same time; else the order of the set. */
static bool end_before(const struct flow_end *a, const struct flow_end *b)
{
	if (a->f.time != b->f.time)
		return a->f.time < b->f.time;
	return (a->f.phase == 's') != (b->f.phase == 's') ? a->f.phase == 's' : a < b;
}

/* Shell sort with the gaps 1, 4, 10, 23, ...: groups are two to five ends, and one huge group must not be quadratic either. */
static void sort_group(const struct flow_set *set, uint32_t *order, size_t n)
{
	static const size_t gaps[] = { 1, 4, 10, 23, 57, 132, 301, 701, 1750, 4376, 10941, 27353, 68383, 170958, 427396, 1068491, 2671228,
		6678071, 16695178, 41737946, 104344866 };

	size_t g = 0;

	while (g < ARRAY_LEN(gaps) && gaps[g] < n)
		g++;
	while (g-- > 0) {
		size_t gap = gaps[g];

		for (size_t i = gap; i < n; i++) {
			uint32_t v = order[i];
			size_t at = i;

			for (; at >= gap && end_before(&set->ends[v], &set->ends[order[at - gap]]); at -= gap)
				order[at] = order[at - gap];
			order[at] = v;
		}
	}
}

static struct flow_groups group_ends(const struct flow_set *set)
{
	uint32_t *group_of = scratch_alloc(set->n, sizeof *group_of), *next;
	struct flow_groups g = { scratch_alloc(set->n, sizeof *g.order), NULL, number_groups(set, group_of) };

	g.first = scratch_alloc((size_t)g.n + 1, sizeof *g.first);
	for (size_t i = 0; i < set->n; i++)
		g.first[group_of[i] + 1]++;
	for (size_t i = 0; i < g.n; i++)
		g.first[i + 1] += g.first[i];
	next = scratch_alloc((size_t)g.n + 1, sizeof *next);
	memcpy(next, g.first, ((size_t)g.n + 1) * sizeof *next);
	for (uint32_t i = 0; i < set->n; i++)
		g.order[next[group_of[i]]++] = i;
	for (size_t i = 0; i < g.n; i++)
		sort_group(set, g.order + g.first[i], g.first[i + 1] - g.first[i]);
	scratch_free(next, (size_t)g.n + 1, sizeof *next);
	scratch_free(group_of, set->n, sizeof *group_of);
	return g;
}

/* Fills partner[finish] with the end that starts it; a finish before every start takes the first. Counts ends without a partner. */
static void join_group(const struct flow_set *set, const uint32_t *order, size_t n, uint32_t *partner, struct link_count *count)
{
	uint32_t start = NO_EVENT, first;
	size_t i = 0, finishes = 0, idle_starts = 0;
	bool used = false;

	while (i < n && set->ends[order[i]].f.phase != 's')
		i++;
	if (i < n)
		start = order[i];
	first = start;
	for (i = 0; i < n; i++) {
		if (set->ends[order[i]].f.phase == 's') {
			idle_starts += order[i] != first && !used;
			used = order[i] == first && used;
			start = order[i];
			continue;
		}
		finishes++;
		used = true;
		partner[order[i]] = start;
	}
	count->starts += n - finishes;
	count->finishes += finishes;
	count->unmatched += start == NO_EVENT ? n : idle_starts + !used;
}

static void link_add(struct link_list *l, uint32_t from, uint32_t to)
{
	ARRAY_PUSH(l, items, n, cap) = (struct link){ from, to };
}

static void join_ends(const struct flow_set *set, struct link_list *lists, struct link_count *counts)
{
	struct flow_groups g = group_ends(set);
	uint32_t *partner = scratch_alloc(set->n, sizeof *partner);

	if (set->n)
		memset(partner, 0xff, set->n * sizeof *partner);
	for (size_t i = 0; i < g.n; i++) {
		const uint32_t *order = g.order + g.first[i];

		join_group(set, order, g.first[i + 1] - g.first[i], partner, &counts[set->ends[order[0]].kind]);
	}
	for (size_t i = 0; i < set->n; i++) {		/* by lane and time: the links come out nearly sorted */
		const struct flow_end *end = &set->ends[i];

		if (partner[i] == NO_EVENT)
			continue;
		if (end->event == NO_EVENT || set->ends[partner[i]].event == NO_EVENT)
			counts[end->kind].unmatched++;
		else
			link_add(&lists[end->kind], set->ends[partner[i]].event, end->event);
	}
	scratch_free(partner, set->n, sizeof *partner);
	scratch_free(g.order, set->n, sizeof *g.order);
	scratch_free(g.first, (size_t)g.n + 1, sizeof *g.first);
}

static void link_flows(struct builder *b, struct events *e, struct link_list *lists)
{
	size_t *first = mem_alloc(e->nlanes + 1, sizeof *first);
	struct flow_set set = flows_by_lane(b, e->nlanes, first);
	struct index_map kinds = { 0 };		/* of category */

	par_for(b->threads, e->nlanes, place_lane, &(struct placing){ e, &set, first });
	for (size_t i = 0; i < set.n; i++) {
		uint32_t *kind = index_map_slot(&kinds, set.ends[i].f.category);

		if (!*kind)
			*kind = (uint32_t)link_kind_of(names_str(b->names, set.ends[i].f.category)) + 1;
		set.ends[i].kind = (uint8_t)(*kind - 1);
	}
	index_map_done(&kinds);
	join_ends(&set, lists, e->link_counts);
	scratch_free(set.ends, set.n, sizeof *set.ends);
	free(first);
}

/* ---- links by connection id, for sources without flows ----------------------------------------------------------------------------- */

static bool is_device_layer(enum layer l)
{
	return l == LAYER_HARDWARE || l == LAYER_COMMUNICATION;
}

static void link_connections(struct events *e, enum link_kind kind, enum layer from, struct link_list *list)
{
	struct index_map hosts = { 0 };
	struct link_count *count = &e->link_counts[kind];

	for (size_t l = 0; l < e->nlanes; l++) {
		const struct lane *lane = &e->lanes[l];

		if (e->processes[lane->process].layer != from)
			continue;
		for (size_t i = lane->first; i < lane->first + lane->n; i++) {
			if (e->connection[i] == NO_CONNECTION)
				continue;
			*index_map_slot(&hosts, e->connection[i]) = (uint32_t)i + 1;	/* nested calls share an id: the innermost */
			count->starts++;
		}
	}
	for (size_t l = 0; l < e->nlanes; l++) {
		const struct lane *lane = &e->lanes[l];

		if (!is_device_layer(e->processes[lane->process].layer))
			continue;
		for (size_t i = lane->first; i < lane->first + lane->n; i++) {
			uint32_t host;

			if (e->connection[i] == NO_CONNECTION)
				continue;
			count->finishes++;
			host = index_map_find(&hosts, e->connection[i]);
			if (host)
				link_add(list, host - 1, (uint32_t)i);
			else
				count->unmatched++;
		}
	}
	index_map_done(&hosts);
}

/* ---- the result --------------------------------------------------------------------------------------------------------------------- */

static int link_compare(const void *x, const void *y)
{
	const struct link *a = x, *b = y;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static void links_sort(struct link_list *l)
{
	for (size_t i = 1; i < l->n; i++)
		if (link_compare(&l->items[i - 1], &l->items[i]) > 0) {
			qsort(l->items, l->n, sizeof *l->items, link_compare);
			return;
		}
}

void build_links(struct builder *b, struct events *e)
{
	struct link_list lists[LINK_MAX] = { 0 };
	size_t n = 0;

	link_flows(b, e, lists);
	for (int k = 0; k < LINK_MAX; k++)
		if (b->connect[k] && !e->link_counts[k].starts && !e->link_counts[k].finishes)
			link_connections(e, (enum link_kind)k, b->connect_from[k], &lists[k]);
	for (int k = 0; k < LINK_MAX; k++)
		n += lists[k].n;
	e->links = mem_alloc(n, sizeof *e->links);
	for (int k = 0; k < LINK_MAX; k++) {
		links_sort(&lists[k]);
		e->link_counts[k].first = e->nlinks;
		e->link_counts[k].n = lists[k].n;
		if (lists[k].n)
			memcpy(e->links + e->nlinks, lists[k].items, lists[k].n * sizeof *e->links);
		e->nlinks += lists[k].n;
		free(lists[k].items);
	}
}
