/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over collectives as both communication exports need them. Times are
 * nanoseconds, sizes bytes.
 */
#ifndef ASCOPE_SAMPLES_COMM_H
#define ASCOPE_SAMPLES_COMM_H

#include "samples/model.h"

struct comm_sum {
	int64_t elapse, transit, wait, sync, bytes, count;
};

/* What went from this rank to one peer; peer == rank is the local copy. */
struct comm_link {
	const char *transport;
	int64_t bytes, transit;
};

void comm_add(struct comm_sum *s, const struct comm_ev *e);
struct comm_link comm_link_make(const struct capture *c, const struct comm_sum *s, int peer);

/*
 * Sums of one step, starting at collective *at, which moves behind the step.
 * Returns the longest collective (its sums in top), NULL when there is none.
 */
const struct comm_ev *comm_step(const struct capture *c, int step, size_t *at, struct comm_sum *all, struct comm_sum *top);

#endif
