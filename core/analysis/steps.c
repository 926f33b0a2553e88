/* SPDX-License-Identifier: Apache-2.0 */
#include "core/analysis/steps_private.h"

#include "core/base/mem.h"

#include <stdlib.h>

static const char *const source_keys[STEPS_SOURCE_MAX] = { "marks", "mstx", "table", "engine", "repeat", "gaps", "whole" };
static const char *const phase_keys[PHASE_MAX] = { "unknown", "prefill", "decode" };
static const char *const confidence_keys[] = { "low", "medium", "high" };

const char *phase_key(enum phase p)
{
	return (unsigned)p < PHASE_MAX ? phase_keys[p] : "unknown";
}

const char *step_source_key(enum step_source s)
{
	return (unsigned)s < STEPS_SOURCE_MAX ? source_keys[s] : "whole";
}

const char *confidence_key(enum confidence c)
{
	return (unsigned)c < ARRAY_LEN(confidence_keys) ? confidence_keys[c] : "low";
}

void steps_done(struct steps *s)
{
	free(s->items);
	arena_done(&s->arena);
	*s = (struct steps){ 0 };
}

/* ---- cuts ---------------------------------------------------------------------------------------------------------------------------- */

static int64_t cut_time(const struct cut *c)
{
	return c->host_start != NO_TIME ? c->host_start : c->start;
}

static int cut_compare(const void *x, const void *y)
{
	const struct cut *a = x, *b = y;
	int64_t ta = cut_time(a), tb = cut_time(b);

	if (ta != tb)
		return ta < tb ? -1 : 1;
	if (a->host_end != b->host_end)
		return a->host_end > b->host_end ? -1 : 1;
	return (a->label > b->label) - (a->label < b->label);
}

/* Whether b, which starts no earlier, is the same mark once more or a call inside it: clocks of two sources may differ at the edges. */
static bool cut_holds(const struct cut *a, const struct cut *b)
{
	if (cut_time(a) == cut_time(b))
		return true;
	if (a->host_end == NO_TIME || b->host_end == NO_TIME || b->host_start >= a->host_end)
		return false;
	return b->host_end <= a->host_end || a->host_end - b->host_start > (b->host_end - b->host_start) / 2;
}

void cuts_settle(struct cuts *c)
{
	size_t kept = 0;

	if (c->n > 1)
		qsort(c->items, c->n, sizeof *c->items, cut_compare);
	for (size_t i = 1; i < c->n; i++) {
		if (cut_holds(&c->items[kept], &c->items[i]))
			c->items[kept].host_end = MAX(c->items[kept].host_end, c->items[i].host_end);
		else
			c->items[++kept] = c->items[i];
	}
	c->n = c->n ? kept + 1 : 0;
}

void cuts_done(struct cuts *c)
{
	free(c->items);
	*c = (struct cuts){ 0 };
}

/* ---- the finished steps -------------------------------------------------------------------------------------------------------------- */

size_t step_of_time(const struct steps *s, int64_t t)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->items[mid].start <= t)
			low = mid + 1;
		else
			high = mid;
	}
	return low && t < s->items[low - 1].end ? low - 1 : s->n;
}

static void find_windows(const struct work_model *m, struct steps *s)
{
	size_t at = 0;

	for (size_t i = 0; i < m->nspans; i++) {
		const struct span *p = &m->spans[i];
		struct step *t;

		while (at < s->n && p->start >= s->items[at].end)
			at++;
		if (at == s->n)
			break;
		t = &s->items[at];
		if (p->start < t->start || (p->kind != WORK_COMPUTE && p->kind != WORK_COMMUNICATION))
			continue;
		t->first = t->first == NO_TIME ? p->start : t->first;
		t->last = MAX(t->last, span_end(p));
	}
}

static int count_compare(const void *x, const void *y)
{
	const size_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* Half of the median number of spans that steps of this phase hold, the first and the last left out. */
static size_t half_of_median(const struct steps *s, const size_t *counts, enum phase phase, size_t *scratch)
{
	size_t n = 0;

	for (size_t i = 1; i + 1 < s->n; i++)
		if (s->items[i].phase == phase)
			scratch[n++] = counts[i];
	if (!n)
		return 0;
	qsort(scratch, n, sizeof *scratch, count_compare);
	return (scratch[n / 2] + 1) / 2;
}

/* The profiler begins and ends with its own step marks; any other source may find a step cut by an end of the capture. */
static void find_partial(const struct work_model *m, struct steps *s)
{
	size_t *counts, *scratch;

	if (s->source == STEPS_MARKS || s->source == STEPS_WHOLE || s->n < 3)
		return;
	counts = mem_zalloc(s->n, sizeof *counts);
	scratch = mem_alloc(s->n, sizeof *scratch);
	for (size_t i = 0, at = 0; i < m->nspans; i++) {
		while (at < s->n && m->spans[i].start >= s->items[at].end)
			at++;
		if (at < s->n && m->spans[i].start >= s->items[at].start)
			counts[at]++;
	}
	for (size_t i = 0; i < s->n; i += s->n - 1)
		s->items[i].partial = counts[i] < half_of_median(s, counts, s->items[i].phase, scratch);
	free(counts);
	free(scratch);
}

/* ---- finding ------------------------------------------------------------------------------------------------------------------------- */

static bool find_whole(struct finder *f)
{
	const struct work_model *m = f->m;
	struct cut c = { .host_start = NO_TIME, .host_end = NO_TIME, .start = m->first };

	if (c.start == NO_TIME)
		c.start = m->r->events.first_start != NO_TIME ? m->r->events.first_start : m->nspans ? m->spans[0].start : 0;
	ARRAY_PUSH(&f->cuts, items, n, cap) = c;
	f->out->confidence = CONF_LOW;
	f->out->reason = arena_printf(&f->out->arena, "No step mark, no step table, no repeated engine call, no repeated kernel sequence and no"
		" regular gaps among %zu device spans: the whole capture is taken as one step.", m->nspans);
	return true;
}

/* Marks that a person or an engine set may cover only a corner of the capture; then they are no steps of it. */
static bool covers_work(const struct work_model *m, const struct steps *s)
{
	int64_t all = intervals_total(&m->sets.busy);

	return s->n && (!all || 2 * intervals_within(&m->sets.busy, s->items[0].start, s->items[s->n - 1].end) >= all);
}

static const struct source {
	enum step_source id;
	bool (*find)(struct finder *f);
	bool may_be_local;		/* has to cover half of the device's busy time */
} sources[] = {
	{ STEPS_MARKS,  find_marks,  false },
	{ STEPS_MSTX,   find_mstx,   true },
	{ STEPS_TABLE,  find_table,  false },
	{ STEPS_ENGINE, find_engine, true },
	{ STEPS_REPEAT, find_repeat, false },
	{ STEPS_GAPS,   find_gaps,   false },
	{ STEPS_WHOLE,  find_whole,  false },
};

void steps_find(const struct work_model *m, enum phase_choice choice, struct steps *out)
{
	struct finder f = { .m = m, .out = out };

	*out = (struct steps){ .source = STEPS_WHOLE, .reason = "There is no device work and no event.", .phase_reason = "There are no steps." };
	if (!m->nspans && !m->r->events.n)
		return;
	for (size_t i = 0; i < ARRAY_LEN(sources) && !out->n; i++) {
		f.cuts.n = 0;
		if (!sources[i].find(&f))
			continue;
		steps_place(&f, sources[i].id);
		if (sources[i].may_be_local && !covers_work(m, out))
			out->n = 0;
	}
	cuts_done(&f.cuts);
	find_windows(m, out);
	phases_find(m, choice, out);
	find_partial(m, out);
}
