/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unions, differences and gaps of sorted intervals (see split.h). Compute means
 * kernels only: waits, records, copies and the parts of a collective are not
 * work of their own.
 */
#include "samples/split.h"

#include <stdlib.h>
#include <string.h>

static int span_order(const void *x, const void *y)
{
	const struct span *a = x, *b = y;

	return (a->start > b->start) - (a->start < b->start);
}

static void spans_push(struct spans *s, int64_t start, int64_t end)
{
	if (end > start)
		VEC_PUSH(*s, ((struct span){ start, end }));
}

static void spans_merge(struct spans *s)
{
	size_t kept = 0;

	if (s->n == 0)
		return;
	qsort(s->at, s->n, sizeof(*s->at), span_order);
	for (size_t i = 1; i < s->n; i++) {
		if (s->at[i].start <= s->at[kept].end) {
			if (s->at[i].end > s->at[kept].end)
				s->at[kept].end = s->at[i].end;
		} else {
			s->at[++kept] = s->at[i];
		}
	}
	s->n = kept + 1;
}

/* out = a without b; both merged. */
static void spans_without(const struct spans *a, const struct spans *b, struct spans *out)
{
	size_t j = 0;

	for (size_t i = 0; i < a->n; i++) {
		int64_t at = a->at[i].start, end = a->at[i].end;
		while (j < b->n && b->at[j].end <= at)
			j++;
		for (size_t k = j; k < b->n && b->at[k].start < end; k++) {
			spans_push(out, at, b->at[k].start);
			if (b->at[k].end > at)
				at = b->at[k].end;
		}
		spans_push(out, at, end);
	}
}

static void spans_copy(struct spans *to, const struct spans *from)
{
	for (size_t i = 0; i < from->n; i++)
		spans_push(to, from->at[i].start, from->at[i].end);
}

int64_t spans_total(const struct spans *s)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->at[i].end - s->at[i].start;
	return sum;
}

void lanes_make(const struct capture *c, int step, struct lanes *l)
{
	struct spans both = { 0 };

	memset(l, 0, sizeof(*l));
	for (size_t i = 0; i < c->task.n; i++) {
		const struct task_ev *t = &c->task.at[i];
		if (t->kind == TASK_KERNEL && (step < 0 || t->step == step))
			spans_push(&l->lane[LANE_COMPUTING], t->start, t->end);
	}
	for (size_t i = 0; i < c->comm.n; i++)
		if (step < 0 || c->comm.at[i].step == step)
			spans_push(&l->lane[LANE_COMMUNICATION], c->comm.at[i].start, c->comm.at[i].end);
	spans_merge(&l->lane[LANE_COMPUTING]);
	spans_merge(&l->lane[LANE_COMMUNICATION]);
	spans_without(&l->lane[LANE_COMMUNICATION], &l->lane[LANE_COMPUTING], &l->lane[LANE_NOT_OVERLAPPED]);
	spans_copy(&both, &l->lane[LANE_COMPUTING]);
	spans_copy(&both, &l->lane[LANE_COMMUNICATION]);
	spans_merge(&both);
	for (size_t i = 1; i < both.n; i++)
		spans_push(&l->lane[LANE_FREE], both.at[i - 1].end, both.at[i].start);
	l->first = both.n ? both.at[0].start : 0;
	l->last = both.n ? both.at[both.n - 1].end : 0;
	free(both.at);
}

void lanes_done(struct lanes *l)
{
	for (int i = 0; i < LANE_COUNT; i++)
		free(l->lane[i].at);
	memset(l, 0, sizeof(*l));
}

struct step_row step_row_make(const struct capture *c, const struct step *s)
{
	struct lanes l;
	struct step_row row;

	lanes_make(c, s->number, &l);
	row.computing = spans_total(&l.lane[LANE_COMPUTING]);
	row.communication = spans_total(&l.lane[LANE_COMMUNICATION]);
	row.not_overlapped = spans_total(&l.lane[LANE_NOT_OVERLAPPED]);
	row.overlapped = row.communication - row.not_overlapped;
	row.free = spans_total(&l.lane[LANE_FREE]);
	row.stage = l.last - l.first;
	row.preparing = l.first - s->start;
	lanes_done(&l);
	return row;
}
