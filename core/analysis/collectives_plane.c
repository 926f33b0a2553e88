/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plane tasks: what a collective did on each of its planes ("Plane N" lanes under the lane of its group). See collectives.h for the rule.
 * All in one walk over the lanes; only sizes and peers are read again from the files, and of those a bounded number.
 */
#include "core/analysis/collectives_private.h"

#include "core/base/decimal.h"
#include "core/base/mem.h"
#include "core/base/sort.h"
#include "core/model/args.h"

#include <math.h>
#include <stdlib.h>

enum {
	SIZES_MOST = 1024,		/* transfers whose size is read again: about a second for a database */
	PEERS_MOST = 8,			/* waits whose peer is read again: the longest ones */
};

/* One plane within one collective. */
struct plane {
	int64_t wait, transit, sync, longest;
	uint32_t event;			/* of the longest wait */
	uint32_t nwaits, ntasks;
};

/* What is known of one item from its planes. */
struct planes {
	struct plane first;		/* the first plane with a wait: it counts */
	int64_t most_transit;		/* of any plane */
	int64_t longest;		/* wait on any plane */
	uint32_t event;			/* that wait */
	uint32_t nwaiting;		/* planes with waits */
	bool any;
};

struct walk {
	const struct work_model *m;
	struct collectives *c;
	uint32_t *item_of_event;	/* index + 1 */
	struct planes *planes;		/* by item */
	struct index_map moves;		/* by name: 1 no, 2 yes */
	uint32_t *transfers;		/* events; items in transfer_item */
	size_t n, cap;
	uint32_t *transfer_item;
	size_t nitem, cap_item;
	bool keep;			/* sizes are wanted */
};

/* ---- one task -------------------------------------------------------------------------------------------------------------------- */

/* Names of plane tasks that move data. */
static bool name_moves(struct walk *w, uint32_t name)
{
	static const char *const words[] = { "Memcpy*", "Reduce*", "Inline*Reduce*", "SDMA*", "RDMA*", "Write", "Read", "UB_*" };
	uint32_t *slot = index_map_slot(&w->moves, name);

	if (!*slot) {
		struct str text = names_str(&w->m->c->names, name);

		*slot = 1;
		for (size_t i = 0; i < ARRAY_LEN(words); i++)
			if (str_like(text, words[i]))
				*slot = 2;
	}
	return *slot == 2;
}

static void task_add(struct walk *w, size_t event, uint32_t item, struct plane *p)
{
	const struct events *e = &w->m->r->events;
	int64_t dur = e->dur[event];

	p->ntasks++;
	if (w->m->kind[event] == WORK_WAIT) {
		p->sync = p->transit ? p->sync : time_add(p->sync, dur);
		p->wait = time_add(p->wait, dur);
		p->nwaits++;
		if (dur > p->longest) {
			p->longest = dur;
			p->event = (uint32_t)event;
		}
	} else if (name_moves(w, e->name[event])) {
		p->transit = time_add(p->transit, dur);
		if (w->keep && w->n < SIZES_MOST + 1) {
			ARRAY_PUSH(w, transfers, n, cap) = (uint32_t)event;
			ARRAY_PUSH(w, transfer_item, nitem, cap_item) = item;
		}
	}
}

/* ---- lanes ----------------------------------------------------------------------------------------------------------------------- */

static void plane_flush(struct walk *w, uint32_t item, struct plane *p)
{
	struct planes *all = &w->planes[item];

	if (p->ntasks) {
		all->any = true;
		all->nwaiting += p->nwaits > 0;
		if (p->nwaits && !all->first.nwaits)
			all->first = *p;
		all->most_transit = MAX(all->most_transit, p->transit);
		if (p->longest > all->longest) {
			all->longest = p->longest;
			all->event = p->event;
		}
	}
	*p = (struct plane){ 0 };
}

/* Both lanes are by start: each task belongs to the last collective of the group that begins before it, if it begins within. */
static void plane_walk(struct walk *w, const struct lane *group, const struct lane *plane)
{
	const struct events *e = &w->m->r->events;
	size_t g = group->first, end = group->first + group->n;
	uint32_t current = 0;		/* item + 1 */
	struct plane p = { 0 };

	for (size_t i = plane->first; i < plane->first + plane->n; i++) {
		uint32_t item;

		if (w->m->kind[i] != WORK_WAIT && w->m->kind[i] != WORK_COMM_DETAIL)
			continue;
		while (g + 1 < end && e->start[g + 1] <= e->start[i])
			g++;
		item = e->start[g] <= e->start[i] && e->start[i] <= event_end(e, g) ? w->item_of_event[g] : 0;
		if (item != current && current)
			plane_flush(w, current - 1, &p);
		current = item;
		if (item)
			task_add(w, i, item - 1, &p);
	}
	if (current)
		plane_flush(w, current - 1, &p);
}

static bool lane_is_group(const struct walk *w, const struct lane *l)
{
	for (size_t i = l->first; i < l->first + l->n; i++)
		if (w->m->kind[i] == WORK_COMMUNICATION)
			return true;
	return false;
}

/* Planes stand below the lane of their group. */
static void lanes_walk(struct walk *w)
{
	const struct events *e = &w->m->r->events;
	const struct lane *group = NULL;

	for (size_t i = 0; i < e->nlanes; i++) {
		const struct lane *l = &e->lanes[i];

		if (e->processes[l->process].layer != LAYER_COMMUNICATION || !l->n)
			continue;
		if (lane_is_group(w, l))
			group = l;
		else if (group && group->process == l->process)
			plane_walk(w, group, l);
	}
}

static void item_split(struct collective *item, const struct planes *p)
{
	int64_t rest;

	if (!p->any || item->elapse == NO_TIME || collective_has_split(item))
		return;
	item->wait = MIN(p->first.wait, item->elapse);
	item->sync = MIN(p->first.sync, item->wait);
	rest = item->elapse - item->wait;
	if (!p->most_transit && item->wait < rest)	/* neither moving nor waiting: what it did is not shown */
		return;
	item->transit = MIN(p->first.transit ? p->first.transit : p->most_transit, rest);
	item->idle = rest - item->transit;
}

/* ---- what only the files know ---------------------------------------------------------------------------------------------------- */

static bool arg_number(const struct args *a, const char *key, int64_t *out)
{
	return decimal_to_int(args_find(a, key), 0, out) && *out >= 0;
}

/* The other rank of a task: false when it has none, or it is this one. */
static bool peer_of(const struct args *a, int64_t *peer)
{
	int64_t src;

	return arg_number(a, "dst rank", peer) && *peer < INT32_MAX && (!arg_number(a, "src rank", &src) || src != *peer);
}

static void sizes_read(struct walk *w)
{
	const struct events *e = &w->m->r->events;

	if (w->n > SIZES_MOST) {
		w->c->sizes_skipped = true;
		return;
	}
	for (size_t i = 0; i < w->n; i++) {
		struct collective *item = &w->c->items[w->transfer_item[i]];
		int64_t peer, size;
		struct args a;

		if (!event_args(w->m->r, w->transfers[i], &a, NULL) && arg_number(&a, "size(Byte)", &size) && peer_of(&a, &peer)
				&& !str_is(args_find(&a, "link type"), STR("ON_CHIP"))) {
			item->size_mb = (isnan(item->size_mb) ? 0 : item->size_mb) + (double)size / 1e6;
			item->link_ns = time_add(item->link_ns, e->dur[w->transfers[i]]);
		}
		args_done(&a);
	}
}

struct tally {
	int peer;
	int64_t wait;
};

/*
 * The peers of the longest waits, and the one that all of them together are longest for. Only where several planes wait, each for a rank of
 * its own: on a single plane a rank waits for its neighbour, whoever is late.
 */
static void peers_read(struct walk *w)
{
	uint64_t *keys = mem_alloc(w->c->n, sizeof *keys);
	uint32_t *order = mem_alloc(w->c->n, sizeof *order);
	struct tally all[PEERS_MOST] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < w->c->n; i++)
		keys[i] = ~(uint64_t)(w->planes[i].nwaiting > 1 ? w->planes[i].longest : 0);
	sort_by_key(keys, order, w->c->n);
	for (size_t k = 0; k < w->c->n && k < PEERS_MOST; k++) {
		const struct planes *p = &w->planes[order[k]];
		struct collective *item = &w->c->items[order[k]];
		int64_t peer;
		struct args a;
		size_t at = 0;

		if (!p->longest || p->nwaiting < 2)
			break;
		item->peer_wait = p->longest;
		if (!event_args(w->m->r, p->event, &a, NULL) && peer_of(&a, &peer)) {
			item->peer = (int)peer;
			while (at < n && all[at].peer != item->peer)
				at++;
			if (at == n)
				all[n++] = (struct tally){ .peer = item->peer };
			all[at].wait = time_add(all[at].wait, p->longest);
		}
		args_done(&a);
	}
	for (size_t i = 0; i < n; i++)
		if (all[i].wait > w->c->peer_wait) {
			w->c->peer = all[i].peer;
			w->c->peer_wait = all[i].wait;
		}
	free(keys);
	free(order);
}

bool collectives_split(const struct work_model *m, struct collectives *c)
{
	struct walk w = { .m = m, .c = c, .keep = !c->from_file };

	bool any = false;

	if (m->from_table || !m->kind || !c->n)
		return false;
	w.item_of_event = mem_zalloc(m->r->events.n, sizeof *w.item_of_event);
	w.planes = mem_zalloc(c->n, sizeof *w.planes);
	for (size_t i = 0; i < c->n; i++) {
		if (c->items[i].span != UINT32_MAX && m->spans[c->items[i].span].source < m->r->events.n)
			w.item_of_event[m->spans[c->items[i].span].source] = (uint32_t)i + 1;
		w.keep &= isnan(c->items[i].size_mb);
	}
	lanes_walk(&w);
	for (size_t i = 0; i < c->n; i++) {
		item_split(&c->items[i], &w.planes[i]);
		any |= w.planes[i].any;
	}
	if (w.keep)
		sizes_read(&w);
	peers_read(&w);
	index_map_done(&w.moves);
	free(w.transfers);
	free(w.transfer_item);
	free(w.planes);
	free(w.item_of_event);
	return any;
}
