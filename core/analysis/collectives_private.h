/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files behind collectives.h: the steps of collectives_find() and what several of them need. Times in ns. */
#ifndef ASCOPE_CORE_ANALYSIS_COLLECTIVES_PRIVATE_H
#define ASCOPE_CORE_ANALYSIS_COLLECTIVES_PRIVATE_H

#include "core/analysis/collectives.h"
#include "core/base/index_map.h"

/* Kinds of collectives by name id, asked once a name. A zeroed struct with a classifier is empty; kinds_done() frees the map. */
struct comm_kinds {
	struct classifier *cl;		/* NULL: everything is SUB_COLLECTIVE_OTHER */
	const struct names *names;
	struct index_map of_name;
};

enum subtype_id comm_kind(struct comm_kinds *k, uint32_t name);
void            comm_kinds_done(struct comm_kinds *k);

bool comm_is_p2p(enum subtype_id kind);

/* A row of a communication file as an item; no totals. `links` is a memory between calls, by group: index_map_done() it afterwards. */
struct collective collective_of_op(const struct comm *comm, const struct comm_op *op, struct comm_kinds *kinds, struct index_map *links);

/* Sorts items by start; those without one stay in front, in their order. */
void collectives_sort(struct collectives *c);

/* Splits the time of items on the timeline by its plane tasks, and finds peers and (without a file) sizes. False: no such tasks. */
bool collectives_split(const struct work_model *m, struct collectives *c);

/* Verdict and reason from the items and sums. planes: there are plane tasks. */
void collectives_judge(const struct work_model *m, bool planes, struct collectives *c);

static inline bool collective_has_split(const struct collective *i)
{
	return i->elapse != NO_TIME && i->transit != NO_TIME && i->wait != NO_TIME;
}

/* a + b where NO_TIME is nothing. */
static inline int64_t time_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (a == NO_TIME || b == NO_TIME)
		return a == NO_TIME ? b : a;
	if (__builtin_add_overflow(a, b, &sum))
		return a > 0 ? INT64_MAX : -INT64_MAX;
	return sum;
}

static inline double time_ms(int64_t ns)
{
	return ns == NO_TIME ? 0 : (double)ns / 1e6;
}

#endif
