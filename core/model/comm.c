/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/comm.h"

#include <stdlib.h>

void comm_done(struct comm *c)
{
	for (size_t i = 0; i < c->ngroups; i++)
		free(c->groups[i].ranks);
	free(c->groups);
	free(c->ops);
	free(c->transports);
	free(c->packets);
	free(c->edges);
	*c = (struct comm){ 0 };
}

size_t comm_count(const struct comm *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nops; i++)
		n += !c->ops[i].total;
	return n;
}
