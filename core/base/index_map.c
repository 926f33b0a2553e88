/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/index_map.h"

#include "core/base/mem.h"

#include <stdlib.h>

enum { BIG_SLOTS = 1 << 16 };	/* from here on memory comes straight from the system, in huge pages */

static void index_map_alloc(struct index_map *m, size_t nslots)
{
	*m = (struct index_map){ .nslots = nslots };
	if (nslots < BIG_SLOTS) {
		m->keys = mem_alloc(nslots, sizeof *m->keys);
		m->values = mem_zalloc(nslots, sizeof *m->values);
	} else {
		m->keys = big_alloc(nslots, sizeof *m->keys);
		m->values = big_alloc(nslots, sizeof *m->values);
	}
}

static void index_map_grow(struct index_map *m)
{
	struct index_map old = *m;

	index_map_alloc(m, old.nslots ? old.nslots * 2 : 64);
	for (size_t i = 0; i < old.nslots; i++)
		if (old.values[i])
			*index_map_slot(m, old.keys[i]) = old.values[i];
	index_map_done(&old);
}

void index_map_reserve(struct index_map *m, size_t n)
{
	size_t nslots = 64;

	while (nslots / 2 <= n)
		nslots *= 2;
	if (!m->nslots)
		index_map_alloc(m, nslots);
}

/* The slot that holds key, or the free one where it belongs. */
static size_t index_map_at(const struct index_map *m, uint64_t key)
{
	uint64_t h = key * 0x9e3779b97f4a7c15u;
	size_t at = (h ^ h >> 32) & (m->nslots - 1);

	while (m->values[at] && m->keys[at] != key)
		at = (at + 1) & (m->nslots - 1);
	return at;
}

uint32_t *index_map_slot(struct index_map *m, uint64_t key)
{
	size_t at;

	if (m->n * 2 >= m->nslots)
		index_map_grow(m);
	at = index_map_at(m, key);
	if (!m->values[at]) {
		m->keys[at] = key;
		m->n++;
	}
	return &m->values[at];
}

uint32_t index_map_find(const struct index_map *m, uint64_t key)
{
	return m->n ? m->values[index_map_at(m, key)] : 0;
}

void index_map_done(struct index_map *m)
{
	if (m->nslots < BIG_SLOTS) {
		free(m->keys);
		free(m->values);
	} else {
		big_free(m->keys, m->nslots, sizeof *m->keys);
		big_free(m->values, m->nslots, sizeof *m->values);
	}
	*m = (struct index_map){ 0 };
}
