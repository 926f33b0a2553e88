/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/db_strings.h"

#include "core/base/mem.h"

#include <stdlib.h>

/* An array may be this much longer than what is in it: a lone large id must not cost memory. */
enum { GAP_MAX = 65536 };

static void range_put(struct string_range *r, size_t at, uint32_t name)
{
	if (at >= r->cap) {
		size_t cap = MAX(at + 1, r->cap * 2);

		r->ids = mem_resize(r->ids, cap, sizeof *r->ids);
		r->cap = cap;
	}
	for (; r->n <= at; r->n++)
		r->ids[r->n] = 0;
	r->ids[at] = name;
}

void strings_load(struct strings *s, struct db *db, struct names *names)
{
	struct db_rows r;
	int64_t id;

	*s = (struct strings){ 0 };
	if (!db_rows_open(&r, db, "STRING_IDS", "id value"))
		return;
	while (db_rows_next(&r)) {
		uint32_t name;
		uint64_t range, at;

		if (!db_int(&r, 0, &id) || id < 0)
			continue;
		name = names_add(names, db_text(&r, 1));
		range = (uint64_t)id >> STRING_RANGE_BITS;
		at = (uint64_t)id & (((uint64_t)1 << STRING_RANGE_BITS) - 1);
		s->rows++;
		if (range < STRING_RANGES && at < s->rows + GAP_MAX)
			range_put(&s->ranges[range], (size_t)at, name);
		else
			*index_map_slot(&s->others, (uint64_t)id) = name + 1;
	}
}

void strings_done(struct strings *s)
{
	for (size_t i = 0; i < STRING_RANGES; i++)
		free(s->ranges[i].ids);
	index_map_done(&s->others);
	*s = (struct strings){ 0 };
}

uint32_t strings_name(const struct strings *s, int64_t id)
{
	uint64_t range = (uint64_t)id >> STRING_RANGE_BITS, at = (uint64_t)id & (((uint64_t)1 << STRING_RANGE_BITS) - 1);
	uint32_t name;

	if (range < STRING_RANGES && at < s->ranges[range].n && s->ranges[range].ids[at])
		return s->ranges[range].ids[at];
	if (!s->others.n)
		return 0;
	name = index_map_find(&s->others, (uint64_t)id);
	return name ? name - 1 : 0;
}

uint32_t strings_column(const struct strings *s, const struct db_rows *r, int column)
{
	int64_t id;

	return db_int(r, column, &id) ? strings_name(s, id) : 0;
}
