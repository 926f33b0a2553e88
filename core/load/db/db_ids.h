/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map from the ids that writers hand out to nonzero 32-bit values. They count up, from 0 or from a multiple of 1 << 28 (STRING_IDS: CANN,
 * framework, memory), so each such range is an array; an id out of line goes to a hash table. A zeroed struct is empty; ids_done() frees.
 */
#ifndef ASCOPE_CORE_LOAD_DB_DB_IDS_H
#define ASCOPE_CORE_LOAD_DB_DB_IDS_H

#include "core/base/index_map.h"

enum { ID_RANGES = 4, ID_RANGE_BITS = 28 };

struct ids {
	struct id_range {
		uint32_t *values;	/* 0: absent */
		size_t n;
	} ranges[ID_RANGES];
	struct index_map others;
	size_t n;			/* ids put in */
};

void ids_put(struct ids *m, int64_t id, uint32_t value);	/* value != 0; replaces what was there */
void ids_done(struct ids *m);

static inline uint32_t ids_get(const struct ids *m, int64_t id)
{
	uint64_t range = (uint64_t)id >> ID_RANGE_BITS, at = (uint64_t)id & (((uint64_t)1 << ID_RANGE_BITS) - 1);

	if (range < ID_RANGES && at < m->ranges[range].n && m->ranges[range].values[at])
		return m->ranges[range].values[at];
	return m->others.n ? index_map_find(&m->others, (uint64_t)id) : 0;
}

#endif
