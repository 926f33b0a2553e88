/* SPDX-License-Identifier: Apache-2.0 */
#include "core/analysis/gaps.h"

#include "core/analysis/gaps_private.h"
#include "core/analysis/threshold.h"
#include "core/base/mem.h"

#include <stdlib.h>

struct gap_text {
	const char *key, *title, *text;
};

static const struct gap_text texts[GAP_MAX] = {
#define GAP(id, key, title, text) [GAP_##id] = { key, title, text },
#include "core/analysis/gap.def"
#undef GAP
};

/* ---- where ------------------------------------------------------------------------------------------------------------------------- */

static void sum_add(struct gap_sum *s, int64_t ns)
{
	s->count++;
	s->total_ns += ns;
	s->longest_ns = MAX(s->longest_ns, ns);
}

static void gap_add(struct gaps *out, int64_t start, int64_t end, enum gap_cause cause)
{
	ARRAY_PUSH(out, items, n, cap) = (struct gap){
		.start = start, .end = end, .cause = cause, .confidence = CONF_HIGH,
		.before = NO_INDEX, .after = NO_INDEX, .launch = NO_INDEX, .step = NO_INDEX,
	};
}

/* The times between the host's range and the device's, then what lies between the work. All in order of time. */
static void list_gaps(const struct work_model *m, const struct gap_host *h, struct gaps *out)
{
	struct intervals free_time = { 0 };

	if (h->first != NO_TIME && m->first - h->first > out->floor_ns)
		gap_add(out, h->first, m->first, GAP_EDGE);
	intervals_gaps(&free_time, &m->sets.busy, m->first, m->last);
	for (size_t i = 0; i < free_time.n; i++) {
		int64_t start = free_time.items[i].start, end = free_time.items[i].end;

		if (end - start > out->floor_ns)
			gap_add(out, start, end, GAP_UNKNOWN);
		else
			sum_add(&out->below, end - start);
	}
	if (h->first != NO_TIME && h->last - m->last > out->floor_ns)
		gap_add(out, m->last, h->last, GAP_EDGE);
	intervals_done(&free_time);
}

/* ---- neighbours, steps ------------------------------------------------------------------------------------------------------------- */

static bool has_link(const struct work_model *m, const struct gap_host *h, uint32_t span)
{
	return gap_launch_of(h, m->spans[span].source).event != NO_INDEX;
}

/* The work that begins at the end of the gap: of several the first one whose launch is known. `from`: no span before it starts there. */
static uint32_t span_after(const struct work_model *m, const struct gap_host *h, const struct gap *g, size_t from)
{
	uint32_t found = NO_INDEX;

	for (size_t i = from; i < m->nspans && m->spans[i].start <= g->end; i++) {
		if (m->spans[i].start < g->end || m->spans[i].kind == WORK_WAIT)
			continue;
		if (found == NO_INDEX)
			found = (uint32_t)i;
		if (has_link(m, h, (uint32_t)i))
			return (uint32_t)i;
	}
	return found;
}

/* One walk over spans and gaps, both by start. Several spans may end where a gap begins: the first of them is taken. */
static void find_neighbours(const struct work_model *m, const struct gap_host *h, struct gaps *out)
{
	uint32_t last = NO_INDEX;	/* of the work so far the one that ends last */
	size_t at = 0;

	for (size_t i = 0; i < out->n; i++) {
		struct gap *g = &out->items[i];

		for (; at < m->nspans && m->spans[at].start < g->end; at++)
			if (m->spans[at].kind != WORK_WAIT && span_end(&m->spans[at]) <= g->start
					&& (last == NO_INDEX || span_end(&m->spans[at]) > span_end(&m->spans[last])))
				last = (uint32_t)at;
		g->before = last;
		g->after = span_after(m, h, g, at);
	}
}

static void find_steps(const struct steps *steps, struct gaps *out)
{
	size_t at = 0;

	for (size_t i = 0; steps && i < out->n; i++) {
		while (at < steps->n && steps->items[at].end <= out->items[i].start)
			at++;
		if (at < steps->n && steps->items[at].start <= out->items[i].start)
			out->items[i].step = (uint32_t)at;
	}
}

/* ---- causes ------------------------------------------------------------------------------------------------------------------------ */

static void find_causes(const struct work_model *m, struct gap_host *h, struct gaps *out)
{
	struct thread_set *threads = mem_zalloc(out->n, sizeof *threads);
	struct gap_waits waits;

	gap_waits_init(&waits, m);
	for (size_t i = 0; i < out->n; i++) {
		struct gap *g = &out->items[i];
		struct gap_launch launch = gap_launch_of(h, g->after == NO_INDEX ? NO_INDEX : m->spans[g->after].source);

		g->launch = launch.event;
		threads[i] = launch.threads;
		g->host_busy = gap_host_busy(h, &launch.threads, g->start, g->end);
		if (g->cause != GAP_EDGE)
			gap_decide(g, m, h, &waits, &launch);
		sum_add(&out->by_cause[g->cause], g->end - g->start);
		if (g->cause != GAP_EDGE)
			sum_add(&out->all, g->end - g->start);
	}
	gap_waits_done(&waits);
	gap_host_items(h, out->items, out->n);
	gap_host_names(h, out->items, threads, out->n);
	free(threads);
}

void gaps_find(const struct work_model *m, const struct steps *steps, int64_t floor_ns, struct gaps *out)
{
	struct gap_host host;

	*out = (struct gaps){ .floor_ns = floor_ns >= 0 ? floor_ns : (int64_t)(threshold_default(TH_MIN_GAP) * 1000) };
	if (m->first == NO_TIME)
		return;
	gap_host_init(&host, m);
	list_gaps(m, &host, out);
	find_neighbours(m, &host, out);
	find_steps(steps, out);
	find_causes(m, &host, out);
	gap_host_done(&host);
}

void gaps_done(struct gaps *g)
{
	free(g->items);
	*g = (struct gaps){ 0 };
}

/* ---- texts ------------------------------------------------------------------------------------------------------------------------- */

static const struct gap_text *text_of(enum gap_cause c)
{
	static const struct gap_text none = { "?", "?", "?" };

	return (unsigned)c < GAP_MAX ? &texts[c] : &none;
}

const char *gap_key(enum gap_cause c)
{
	return text_of(c)->key;
}

const char *gap_title(enum gap_cause c)
{
	return text_of(c)->title;
}

const char *gap_text(enum gap_cause c)
{
	return text_of(c)->text;
}
