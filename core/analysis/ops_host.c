/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Self times on the host. At any moment of a lane the time belongs to the operator that began last and has not ended, so the self times of
 * a lane add up to the time it was in operators, whatever is nested or overlaps. CANN calls are told apart from framework operators:
 * each has its own stack, for a call runs inside an operator and its time is in the operator too.
 */
#include "core/analysis/ops_private.h"

#include "core/base/mem.h"

#include <stdlib.h>

struct frame {
	int64_t end;
	size_t member;
};

struct sweep {
	struct op_build *b;
	struct frame *stack;
	size_t n, cap;
	int64_t now;			/* time up to which everything is given out */
};

static void give(struct sweep *s, size_t member, int64_t until)
{
	if (until <= s->now)
		return;
	s->b->members[member].ns = ns_add(s->b->members[member].ns, ns_between(s->now, until));
	s->now = until;
}

static void sweep_to(struct sweep *s, int64_t time)
{
	while (s->n && s->stack[s->n - 1].end <= time) {
		s->n--;
		give(s, s->stack[s->n].member, s->stack[s->n].end);
	}
	if (s->n)
		give(s, s->stack[s->n - 1].member, time);
	s->now = MAX(s->now, time);
}

static void sweep_push(struct sweep *s, size_t member, int64_t end)
{
	ARRAY_PUSH(s, stack, n, cap) = (struct frame){ end, member };
}

/* Time of a row with what runs inside: calls of the same row on one lane are united. */
static void add_inclusive(struct op_build *b, uint32_t row, size_t lane, int64_t start, int64_t end)
{
	struct op_row *r = &b->out->rows[row];
	struct cover *c;

	while (b->ncovers <= row)
		ARRAY_PUSH(b, covers, ncovers, cap_covers) = (struct cover){ 0, 0 };
	c = &b->covers[row];
	if (c->lane != lane + 1)
		*c = (struct cover){ lane + 1, start };
	if (end <= c->until)
		return;
	r->inclusive_ns = ns_add(r->inclusive_ns, ns_between(MAX(start, c->until), end));
	c->until = end;
}

static void add_lane(struct op_build *b, size_t l, struct sweep sweeps[2])
{
	const struct events *e = &b->m->r->events;
	const struct lane *lane = &e->lanes[l];

	sweeps[0].now = sweeps[1].now = INT64_MIN;
	for (size_t i = lane->first; i < lane->first + lane->n; i++) {
		enum work kind = (enum work)b->m->kind[i];
		struct sweep *s = &sweeps[kind == WORK_HOST_RUNTIME];
		int64_t end = ns_add(e->start[i], e->dur[i]);
		uint32_t row;

		if (kind != WORK_HOST_OP && kind != WORK_HOST_RUNTIME)
			continue;
		row = ops_row(b, kind, ops_normal(b, e->name[i]));
		b->members[b->nmembers] = (struct member){ 0, (uint32_t)i, row };
		sweep_to(s, e->start[i]);
		sweep_push(s, b->nmembers++, end);
		add_inclusive(b, row, l, e->start[i], end);
	}
	sweep_to(&sweeps[0], INT64_MAX);
	sweep_to(&sweeps[1], INT64_MAX);
}

void ops_add_host(struct op_build *b)
{
	struct sweep sweeps[2] = { { .b = b }, { .b = b } };

	for (size_t l = 0; b->m->kind && l < b->m->r->events.nlanes; l++)
		add_lane(b, l, sweeps);
	free(sweeps[0].stack);
	free(sweeps[1].stack);
}
