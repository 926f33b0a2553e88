/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/names.h"

#include "core/base/mem.h"

#include <stdlib.h>

void names_init(struct names *t)
{
	*t = (struct names){ 0 };
	t->nslots = 256;
	t->slots = mem_zalloc(t->nslots, sizeof *t->slots);
	names_add(t, STR(""));
}

void names_done(struct names *t)
{
	free(t->by_id);
	free(t->hash_by_id);
	free(t->slots);
	arena_done(&t->text);
	*t = (struct names){ 0 };
}

static void names_rehash(struct names *t)
{
	t->nslots *= 2;
	free(t->slots);
	t->slots = mem_zalloc(t->nslots, sizeof *t->slots);
	for (size_t id = 0; id < t->n; id++) {
		size_t at = t->hash_by_id[id] & (t->nslots - 1);

		while (t->slots[at])
			at = (at + 1) & (t->nslots - 1);
		t->slots[at] = (uint32_t)id + 1;
	}
}

static uint32_t names_append(struct names *t, struct str s, uint32_t hash)
{
	size_t cap = t->cap;

	if (t->n >= UINT32_MAX - 1)
		abort();
	t->by_id = array_grow(t->by_id, t->n, &t->cap, sizeof *t->by_id);
	t->hash_by_id = array_grow(t->hash_by_id, t->n, &cap, sizeof *t->hash_by_id);
	t->by_id[t->n] = (struct str){ arena_copy(&t->text, s.p, s.n), s.n };
	t->hash_by_id[t->n] = hash;
	return (uint32_t)t->n++;
}

uint32_t names_add_hashed(struct names *t, struct str s, uint32_t hash)
{
	size_t at = hash & (t->nslots - 1);

	for (; t->slots[at]; at = (at + 1) & (t->nslots - 1)) {
		uint32_t id = t->slots[at] - 1;

		if (t->hash_by_id[id] == hash && str_is(t->by_id[id], s))
			return id;
	}
	t->slots[at] = names_append(t, s, hash) + 1;
	if (t->n * 2 > t->nslots)
		names_rehash(t);
	return (uint32_t)t->n - 1;
}

uint32_t names_add(struct names *t, struct str s)
{
	return names_add_hashed(t, s, str_hash(s));
}

bool names_find(const struct names *t, struct str s, uint32_t *id)
{
	uint32_t hash = str_hash(s);
	size_t at = hash & (t->nslots - 1);

	for (; t->slots[at]; at = (at + 1) & (t->nslots - 1)) {
		uint32_t i = t->slots[at] - 1;

		if (t->hash_by_id[i] == hash && str_is(t->by_id[i], s)) {
			*id = i;
			return true;
		}
	}
	return false;
}
