/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/db/db_ids.h"

#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* An array may be this much longer than the ids there are: a lone large id must not cost memory. */
enum { GAP_MAX = 65536, GAP_FACTOR = 4 };

static void range_grow(struct id_range *r, size_t at)
{
	size_t n = MAX(at + 1, r->n * 2);

	r->values = mem_resize(r->values, n, sizeof *r->values);
	memset(r->values + r->n, 0, (n - r->n) * sizeof *r->values);
	r->n = n;
}

void ids_put(struct ids *m, int64_t id, uint32_t value)
{
	uint64_t range = (uint64_t)id >> ID_RANGE_BITS, at = (uint64_t)id & (((uint64_t)1 << ID_RANGE_BITS) - 1);

	m->n++;
	if (range < ID_RANGES && at < m->n * GAP_FACTOR + GAP_MAX) {
		if (at >= m->ranges[range].n)
			range_grow(&m->ranges[range], (size_t)at);
		m->ranges[range].values[at] = value;
	} else {
		*index_map_slot(&m->others, (uint64_t)id) = value;
	}
}

void ids_done(struct ids *m)
{
	for (size_t i = 0; i < ID_RANGES; i++)
		free(m->ranges[i].values);
	index_map_done(&m->others);
	*m = (struct ids){ 0 };
}
