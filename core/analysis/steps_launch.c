/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From cuts to steps. The host runs ahead of the device, so a mark on the host says nothing about when the device came to that step: a step
 * begins on the device with the first kernel or collective that was launched after the mark began. Links tell when each span was launched.
 */
#include "core/analysis/steps_private.h"

#include "core/base/mem.h"

#include <stdlib.h>

static const enum link_kind launch_kinds[] = { LINK_TORCH, LINK_LAUNCH, LINK_SELF };

void launches_of(struct launches *l, const struct work_model *m)
{
	const struct events *e = &m->r->events;
	int64_t *by_event;

	*l = (struct launches){ 0 };
	if (m->from_table || !e->nlinks || !m->nspans)
		return;
	by_event = mem_alloc(e->n, sizeof *by_event);
	for (size_t i = 0; i < e->n; i++)
		by_event[i] = NO_TIME;
	for (size_t k = 0; k < ARRAY_LEN(launch_kinds); k++) {
		const struct link_count *c = &e->link_counts[launch_kinds[k]];

		for (size_t i = c->first; i < c->first + c->n; i++) {
			const struct link *link = &e->links[i];

			if (by_event[link->to] == NO_TIME || e->start[link->from] < by_event[link->to])
				by_event[link->to] = e->start[link->from];
		}
	}
	l->at = mem_alloc(m->nspans, sizeof *l->at);
	for (size_t i = 0; i < m->nspans; i++) {
		l->at[i] = by_event[m->spans[i].source];
		l->known += l->at[i] != NO_TIME && m->spans[i].kind != WORK_WAIT;
	}
	free(by_event);
}

void launches_done(struct launches *l)
{
	free(l->at);
	*l = (struct launches){ 0 };
}

/* The device work that was launched in one step. */
struct own {
	int64_t first, last;		/* of kernels and collectives; NO_TIME none */
	int64_t copy_first, copy_last;	/* of copies that do not start before the kernels of earlier steps are done */
	int64_t busy_until;		/* last end of kernels and collectives of this and earlier steps */
};

/* The last cut whose host time is not after t; n when t is before all. */
static size_t cut_at(const struct cuts *c, int64_t t)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->items[mid].host_start <= t)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? low - 1 : c->n;
}

static void own_kernels(const struct finder *f, const struct launches *l, struct own *own)
{
	const struct work_model *m = f->m;

	for (size_t i = 0; i < m->nspans; i++) {
		const struct span *p = &m->spans[i];
		size_t k = l->at[i] == NO_TIME || (p->kind != WORK_COMPUTE && p->kind != WORK_COMMUNICATION) ? f->cuts.n : cut_at(&f->cuts, l->at[i]);

		if (k == f->cuts.n)
			continue;
		own[k].first = own[k].first == NO_TIME ? p->start : own[k].first;	/* spans come in order of start */
		own[k].last = MAX(own[k].last, span_end(p));
	}
	for (size_t k = 0; k < f->cuts.n; k++)
		own[k].busy_until = MAX(own[k].last, k ? own[k - 1].busy_until : NO_TIME);
}

/* A copy may be launched ahead and run beside the step before; then it does not begin its step. */
static void own_copies(const struct finder *f, const struct launches *l, struct own *own)
{
	const struct work_model *m = f->m;

	for (size_t i = 0; i < m->nspans; i++) {
		const struct span *p = &m->spans[i];
		size_t k = l->at[i] == NO_TIME || p->kind != WORK_COPY ? f->cuts.n : cut_at(&f->cuts, l->at[i]);

		if (k == f->cuts.n || (k && p->start < own[k - 1].busy_until))
			continue;
		own[k].copy_first = own[k].copy_first == NO_TIME ? p->start : own[k].copy_first;
		own[k].copy_last = MAX(own[k].copy_last, span_end(p));
	}
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a == NO_TIME ? b : b == NO_TIME ? a : MIN(a, b);
}

static void starts_by_launch(struct finder *f, const struct launches *l)
{
	struct own *own = mem_alloc(f->cuts.n, sizeof *own);
	int64_t until = NO_TIME;

	for (size_t k = 0; k < f->cuts.n; k++)
		own[k] = (struct own){ NO_TIME, NO_TIME, NO_TIME, NO_TIME, NO_TIME };
	own_kernels(f, l, own);
	own_copies(f, l, own);
	for (size_t k = 0; k < f->cuts.n; k++) {
		struct cut *c = &f->cuts.items[k];

		c->start = earlier(own[k].first, own[k].copy_first);
		if (c->start == NO_TIME)
			c->start = MAX(c->host_start, until);	/* nothing was launched in it: it must not take from the step before */
		until = MAX(until, MAX(own[k].last, own[k].copy_last));
	}
	free(own);
}

/* First work that starts at or after t; NO_TIME when none. */
static int64_t work_after(const struct work_model *m, int64_t t)
{
	for (size_t i = 0; i < m->nspans; i++)
		if (m->spans[i].kind != WORK_WAIT && m->spans[i].start >= t)
			return m->spans[i].start;
	return NO_TIME;
}

static void starts_by_host(struct finder *f)
{
	int64_t first = f->cuts.n ? work_after(f->m, f->cuts.items[0].host_start) : NO_TIME;

	for (size_t k = 0; k < f->cuts.n; k++)
		f->cuts.items[k].start = f->cuts.items[k].host_start;
	if (f->cuts.n && first != NO_TIME)
		f->cuts.items[0].start = first;		/* after the second cut: the order below puts that right */
}

/* Where the last step ends: behind all that starts in it, but before what was launched after the profiler's last mark. */
static int64_t end_of_last(const struct finder *f, const struct launches *l, enum step_source source)
{
	const struct work_model *m = f->m;
	const struct cut *c = &f->cuts.items[f->cuts.n - 1];
	int64_t end = MAX(c->start, c->host_end), after = NO_TIME, start = c->start;
	bool bounded = source == STEPS_MARKS && l->known && c->host_end != NO_TIME;

	for (size_t i = 0; i < m->nspans; i++) {
		const struct span *p = &m->spans[i];

		if (p->kind == WORK_WAIT)
			continue;
		if (bounded && p->start >= start && l->at[i] != NO_TIME && l->at[i] >= c->host_end) {
			after = p->start;
			break;
		}
		end = MAX(end, MAX(span_end(p), p->start + 1));
	}
	if (m->first == NO_TIME && m->r->events.last_end != NO_TIME)
		end = MAX(end, m->r->events.last_end);
	return after != NO_TIME ? MAX(after, start) : end;
}

void steps_place(struct finder *f, enum step_source source)
{
	struct steps *s = f->out;
	struct cuts *c = &f->cuts;
	struct launches l = { 0 };
	bool by_host = c->n && c->items[0].start == NO_TIME;
	int64_t end;

	s->source = source;
	s->n = 0;
	if (!c->n)
		return;
	if (by_host) {
		launches_of(&l, f->m);
		if (l.known)
			starts_by_launch(f, &l);
		else
			starts_by_host(f);
	}
	for (size_t k = c->n - 1; k-- > 0;)
		c->items[k].start = MIN(c->items[k].start, c->items[k + 1].start);
	end = end_of_last(f, &l, source);
	for (size_t k = 0; k < c->n; k++)
		ARRAY_PUSH(s, items, n, cap) = (struct step){ .label = c->items[k].label, .start = c->items[k].start,
			.end = k + 1 < c->n ? c->items[k + 1].start : end, .host_start = c->items[k].host_start,
			.host_end = c->items[k].host_end, .first = NO_TIME, .last = NO_TIME };
	launches_done(&l);
}
