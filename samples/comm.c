/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communication sums (see comm.h). Links differ a little from peer to peer, by a
 * rule and not by chance, so that the text and database matrices agree.
 */
#include "samples/comm.h"

#include <string.h>

void comm_add(struct comm_sum *s, const struct comm_ev *e)
{
	s->elapse += e->end - e->start;
	s->transit += e->transit_ns;
	s->wait += e->wait_ns;
	s->sync += e->sync_ns;
	s->bytes += e->desc->bytes;
	s->count++;
}

struct comm_link comm_link_make(const struct capture *c, const struct comm_sum *s, int peer)
{
	bool local = peer == c->rank;
	int64_t transit = s->transit * (97 + peer) / 100 / (local ? 12 : 1);

	return (struct comm_link){ local ? "LOCAL" : "HCCS", s->bytes / c->scenario->world, transit > 0 ? transit : 1 };
}

const struct comm_ev *comm_step(const struct capture *c, int step, size_t *at, struct comm_sum *all, struct comm_sum *top)
{
	const struct comm_ev *best = NULL;

	memset(all, 0, sizeof(*all));
	memset(top, 0, sizeof(*top));
	for (; *at < c->comm.n && c->comm.at[*at].step == step; ++*at) {
		const struct comm_ev *e = &c->comm.at[*at];
		comm_add(all, e);
		if (!best || e->end - e->start > best->end - best->start)
			best = e;
	}
	if (best)
		comm_add(top, best);
	return best;
}
