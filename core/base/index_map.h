/* SPDX-License-Identifier: Apache-2.0 */
/* A map from 64-bit keys to nonzero 32-bit values: open addressing, no deletion. A zeroed struct is empty. */
#ifndef ASCOPE_CORE_BASE_INDEX_MAP_H
#define ASCOPE_CORE_BASE_INDEX_MAP_H

#include "core/base/base.h"

struct index_map {
	uint64_t *keys;
	uint32_t *values;		/* 0: free slot */
	size_t nslots, n;
};

uint32_t *index_map_slot(struct index_map *m, uint64_t key);	/* 0 when new: the caller fills it before the next call */
uint32_t  index_map_find(const struct index_map *m, uint64_t key);	/* 0 when absent */
void      index_map_reserve(struct index_map *m, size_t n);	/* room for n keys without growing; only for an empty map */
void      index_map_done(struct index_map *m);

#endif
