/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interned text: each distinct text once, named by a 32-bit id in order of first appearance. Id 0 is the empty text. Ids and pointers
 * stay valid until names_done(). Not safe for two threads at once: loaders keep private tables and merge them in file order.
 */
#ifndef ASCOPE_CORE_BASE_NAMES_H
#define ASCOPE_CORE_BASE_NAMES_H

#include "core/base/arena.h"
#include "core/base/str.h"

struct names {
	struct arena text;
	struct str *by_id;
	uint32_t *hash_by_id;
	size_t n, cap;
	uint32_t *slots;		/* id + 1, 0 free */
	size_t nslots;			/* a power of two */
};

void       names_init(struct names *t);
void       names_done(struct names *t);
uint32_t   names_add(struct names *t, struct str s);			/* the id, new or known */
uint32_t   names_add_hashed(struct names *t, struct str s, uint32_t hash);
bool       names_find(const struct names *t, struct str s, uint32_t *id);

/* The hash that names_add_hashed() expects. */
static inline uint32_t str_hash(struct str s)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ (uint64_t)s.n, w;
	const char *p = s.p;
	size_t n = s.n;

	for (; n >= 8; p += 8, n -= 8) {
		memcpy(&w, p, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	if (n) {
		w = 0;
		memcpy(&w, p, n);
		h = (h ^ w) * 0xff51afd7ed558ccdu;
	}
	h ^= h >> 29;
	h *= 0xc4ceb9fe1a85ec53u;
	return (uint32_t)(h >> 32);
}

static inline struct str names_str(const struct names *t, uint32_t id)
{
	return id < t->n ? t->by_id[id] : (struct str){ "", 0 };
}

/* NUL-terminated; a NUL inside the text ends it early for such readers. */
static inline const char *names_text(const struct names *t, uint32_t id)
{
	return names_str(t, id).p;
}

#endif
