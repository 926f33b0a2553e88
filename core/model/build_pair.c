/* SPDX-License-Identifier: Apache-2.0 */
/*
 * B and E events to durations. Within a lane they are taken by time, then order of arrival; an E ends the innermost open B. The result is
 * handed to the builder as ordinary events.
 */
#include "core/model/build_private.h"

#include "core/base/mem.h"

#include <stdlib.h>

struct mark {
	const struct raw_event *e;
	size_t order;
};

static int mark_compare(const void *x, const void *y)
{
	const struct mark *a = x, *b = y;

	if (a->e->lane != b->e->lane)
		return a->e->lane < b->e->lane ? -1 : 1;
	if (a->e->start != b->e->start)
		return a->e->start < b->e->start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static struct mark *marks_sorted(const struct blocks *pairs)
{
	struct mark *marks = mem_alloc(pairs->n, sizeof *marks);
	size_t n = 0;

	for (const struct block *bl = pairs->first; bl; bl = bl->next)
		for (size_t i = 0; i < bl->n; i++, n++)
			marks[n] = (struct mark){ (const struct raw_event *)(const void *)bl->items + i, n };
	qsort(marks, n, sizeof *marks, mark_compare);
	return marks;
}

static void drop_mark(struct account *a, const struct raw_event *e)
{
	account_drop(a, e->phase == 'B' ? DROP_NO_END : DROP_NO_BEGIN, e->span_len ? (int64_t)e->span : -1);
	a->kept--;
}

void build_pairs(struct builder *b, struct account *account)
{
	struct mark *marks = marks_sorted(&b->raw.pairs);
	const struct raw_event **open = mem_alloc(b->raw.pairs.n, sizeof *open);
	size_t nopen = 0;

	for (size_t i = 0; i < b->raw.pairs.n; i++) {
		const struct raw_event *e = marks[i].e;

		while (nopen && open[nopen - 1]->lane != e->lane)
			drop_mark(account, open[--nopen]);
		if (e->phase == 'B') {
			open[nopen++] = e;
		} else if (nopen) {
			struct raw_event pair = *open[--nopen];

			pair.dur = e->start - pair.start;
			pair.phase = 'X';
			pair.flags |= EV_PAIR;
			build_event(b, &pair);
		} else {
			drop_mark(account, e);
		}
	}
	while (nopen)
		drop_mark(account, open[--nopen]);
	free(open);
	free(marks);
	blocks_free(&b->raw.pairs);
}
