/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule by which flows become links, the slow way: every flow looks at every event of its lane and at every other flow. Events are taken
 * as they stand in the columns. For tests of the event builder; the caller frees nothing.
 */
#ifndef ASCOPE_TESTS_HELP_NAIVE_LINKS_H
#define ASCOPE_TESTS_HELP_NAIVE_LINKS_H

#include "core/model/events.h"

enum { NAIVE_NONE = -1 };

struct naive_flow {
	int64_t time;
	struct str id;			/* its text, whatever it is in the file */
	size_t lane, order;		/* place of the lane in the result; order in the file */
	enum link_kind kind;
	char phase;
	long event;			/* filled in: the event it belongs to, or NAIVE_NONE */
	bool used;			/* filled in: of a start, whether a finish is joined to it */
};

/* The innermost event of a lane that contains time t: the last one to start, of those that have not ended. */
static inline long naive_event_at(const struct events *e, size_t lane, int64_t t)
{
	long best = NAIVE_NONE;

	for (size_t i = e->lanes[lane].first; i < e->lanes[lane].first + e->lanes[lane].n; i++)
		if (e->start[i] <= t && event_end(e, i) >= t)
			best = (long)i;
	return best;
}

static inline bool naive_before(const struct naive_flow *a, const struct naive_flow *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->lane != b->lane ? a->lane < b->lane : a->order < b->order;
}

/* The start a finish is joined to: the latest not after it, else the earliest; NULL when its id has none. */
static inline struct naive_flow *naive_start_of(struct naive_flow *flows, size_t n, const struct naive_flow *finish)
{
	struct naive_flow *latest = NULL, *earliest = NULL;

	for (size_t i = 0; i < n; i++) {
		struct naive_flow *f = &flows[i];

		if (f->phase != 's' || f->kind != finish->kind || !str_is(f->id, finish->id))
			continue;
		if (!earliest || naive_before(f, earliest))
			earliest = f;
		if (f->time <= finish->time && (!latest || naive_before(latest, f)))
			latest = f;
	}
	return latest ? latest : earliest;
}

static inline void naive_link_add(struct link *links, size_t n, struct link l)
{
	while (n > 0 && (links[n - 1].to > l.to || (links[n - 1].to == l.to && links[n - 1].from > l.from))) {
		links[n] = links[n - 1];
		n--;
	}
	links[n] = l;
}

/* The links of one kind into links[], room for n, sorted by (to, from); returns how many. Fills the counts but not their place. */
static inline size_t naive_links(const struct events *e, struct naive_flow *flows, size_t n, enum link_kind kind, struct link *links,
		struct link_count *count)
{
	size_t found = 0;

	*count = (struct link_count){ 0 };
	for (size_t i = 0; i < n; i++) {
		flows[i].event = naive_event_at(e, flows[i].lane, flows[i].time);
		flows[i].used = false;
	}
	for (size_t i = 0; i < n; i++) {
		struct naive_flow *start;

		if (flows[i].kind != kind || flows[i].phase == 's')
			continue;
		count->finishes++;
		start = naive_start_of(flows, n, &flows[i]);
		if (start)
			start->used = true;
		if (!start || start->event == NAIVE_NONE || flows[i].event == NAIVE_NONE)
			count->unmatched++;
		else
			naive_link_add(links, found++, (struct link){ (uint32_t)start->event, (uint32_t)flows[i].event });
	}
	for (size_t i = 0; i < n; i++)
		if (flows[i].kind == kind && flows[i].phase == 's') {
			count->starts++;
			count->unmatched += !flows[i].used;
		}
	count->n = found;
	return found;
}

#endif
