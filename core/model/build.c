/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/build_private.h"

#include "core/base/mem.h"
#include "core/base/par.h"

#include <stdlib.h>

struct builder *build_new(struct names *names)
{
	struct builder *b = mem_zalloc(1, sizeof *b);

	b->names = names;
	b->threads = par_threads();
	return b;
}

void build_free(struct builder *b)
{
	if (!b)
		return;
	raw_blocks_free(&b->raw);
	block_pool_done(&b->pool);
	index_map_done(&b->process_of_pid);
	index_map_done(&b->lane_of_ids);
	free(b->processes);
	free(b->lanes);
	free(b);
}

uint32_t build_process(struct builder *b, uint32_t pid)
{
	uint32_t *slot = index_map_slot(&b->process_of_pid, pid);

	if (!*slot) {
		ARRAY_PUSH(b, processes, nprocesses, cap_processes) = (struct process){ .pid = pid, .device = -1, .sort_index = INT64_MAX };
		*slot = (uint32_t)b->nprocesses;
	}
	return *slot - 1;
}

uint32_t build_lane(struct builder *b, uint32_t pid, uint32_t tid)
{
	uint32_t *slot = index_map_slot(&b->lane_of_ids, (uint64_t)pid << 32 | tid);

	if (!*slot) {
		ARRAY_PUSH(b, lanes, nlanes, cap_lanes) =
			(struct lane){ .process = build_process(b, pid), .tid = tid, .sort_index = INT64_MAX };
		*slot = (uint32_t)b->nlanes;
	}
	return *slot - 1;
}

/* Looked up first: the arrays move when they grow. */
static struct process *process_at(struct builder *b, uint32_t pid)
{
	uint32_t i = build_process(b, pid);

	return &b->processes[i];
}

static struct lane *lane_at(struct builder *b, uint32_t pid, uint32_t tid)
{
	uint32_t i = build_lane(b, pid, tid);

	return &b->lanes[i];
}

void build_process_name(struct builder *b, uint32_t pid, uint32_t name)
{
	process_at(b, pid)->name = name;
}

/* "NPU 0" -> 0; a bare "NPU" tells nothing */
static int trailing_number(struct str s)
{
	size_t at = s.n;
	uint64_t v;

	while (at > 0 && s.p[at - 1] >= '0' && s.p[at - 1] <= '9')
		at--;
	return at < s.n && str_to_u64((struct str){ s.p + at, s.n - at }, &v) && v < 1u << 20 ? (int)v : -1;
}

void build_process_labels(struct builder *b, uint32_t pid, uint32_t labels)
{
	struct process *p = process_at(b, pid);
	struct str text = names_str(b->names, labels);

	p->labels = labels;
	if (str_has(text, STR("NPU")))
		p->device = trailing_number(text);
}

void build_process_device(struct builder *b, uint32_t pid, int device)
{
	process_at(b, pid)->device = device;
}

void build_process_sort(struct builder *b, uint32_t pid, int64_t sort_index)
{
	process_at(b, pid)->sort_index = sort_index;
}

void build_lane_name(struct builder *b, uint32_t pid, uint32_t tid, uint32_t name)
{
	lane_at(b, pid, tid)->name = name;
}

void build_lane_sort(struct builder *b, uint32_t pid, uint32_t tid, int64_t sort_index)
{
	lane_at(b, pid, tid)->sort_index = sort_index;
}

void build_event(struct builder *b, const struct raw_event *e)
{
	struct blocks *to = e->phase == 'B' || e->phase == 'E' ? &b->raw.pairs : &b->raw.events;

	*(struct raw_event *)blocks_push(&b->pool, to, sizeof *e) = *e;
}

void build_flow(struct builder *b, const struct raw_flow *f)
{
	*(struct raw_flow *)blocks_push(&b->pool, &b->raw.flows, sizeof *f) = *f;
}

void build_sample(struct builder *b, const struct raw_sample *s)
{
	*(struct raw_sample *)blocks_push(&b->pool, &b->raw.samples, sizeof *s) = *s;
}

void build_adopt(struct builder *b, struct raw_blocks *raw)
{
	blocks_move(&b->raw.events, &raw->events);
	blocks_move(&b->raw.pairs, &raw->pairs);
	blocks_move(&b->raw.flows, &raw->flows);
	blocks_move(&b->raw.samples, &raw->samples);
}

void raw_blocks_free(struct raw_blocks *raw)
{
	blocks_free(&raw->events);
	blocks_free(&raw->pairs);
	blocks_free(&raw->flows);
	blocks_free(&raw->samples);
}

void build_link_connections(struct builder *b, enum link_kind kind, enum layer from)
{
	b->connect[kind] = true;
	b->connect_from[kind] = from;
}

/* ---- finish ---------------------------------------------------------------------------------------------------------------------- */

struct lane_order {
	const struct builder *b;
	uint32_t lane;
};

static int compare_int(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int lane_compare(const void *x, const void *y)
{
	const struct lane_order *p = x, *q = y;
	const struct lane *a = &p->b->lanes[p->lane], *b = &q->b->lanes[q->lane];
	const struct process *pa = &p->b->processes[a->process], *pb = &p->b->processes[b->process];
	int c = compare_int(pa->layer, pb->layer);

	c = c ? c : compare_int(pa->device, pb->device);
	c = c ? c : compare_int(pa->sort_index, pb->sort_index);
	c = c ? c : compare_int(a->process, b->process);
	c = c ? c : compare_int(a->sort_index, b->sort_index);
	return c ? c : compare_int(p->lane, q->lane);
}

/* Puts the lanes in the order people see; returns the new place of each old lane, which the caller frees. */
static uint32_t *order_lanes(struct builder *b)
{
	struct lane_order *order = mem_alloc(b->nlanes, sizeof *order);
	struct lane *sorted = mem_alloc(b->nlanes, sizeof *sorted);
	uint32_t *place = mem_alloc(b->nlanes, sizeof *place);

	for (size_t i = 0; i < b->nprocesses; i++)
		b->processes[i].layer = layer_of_process(names_str(b->names, b->processes[i].name));
	for (size_t i = 0; i < b->nlanes; i++)
		order[i] = (struct lane_order){ b, (uint32_t)i };
	qsort(order, b->nlanes, sizeof *order, lane_compare);
	for (size_t i = 0; i < b->nlanes; i++) {
		sorted[i] = b->lanes[order[i].lane];
		place[order[i].lane] = (uint32_t)i;
	}
	free(order);
	free(b->lanes);
	b->lanes = sorted;
	return place;
}

/*
 * Spreading the raw events over the columns is memory traffic and page faults, so it is split over threads: each takes a run of blocks, and
 * because the events of every lane are counted per run first, each knows where its own go. Order of arrival is kept.
 */
struct spread {
	struct block **run_first;	/* by run: its first block; the next run's first ends it */
	size_t nruns;
	size_t *next;			/* [run * nlanes + lane] */
	size_t nlanes;
	const uint32_t *place;
	struct events *e;
};

static void count_run(void *arg, unsigned worker, size_t run)
{
	struct spread *s = arg;
	size_t *count = s->next + run * s->nlanes;

	(void)worker;
	for (const struct block *bl = s->run_first[run]; bl != s->run_first[run + 1]; bl = bl->next) {
		const struct raw_event *ev = (const void *)bl->items;

		for (size_t i = 0; i < bl->n; i++)
			count[s->place[ev[i].lane]]++;
	}
}

/* Gives each block back as soon as it is empty. */
static void spread_run(void *arg, unsigned worker, size_t run)
{
	struct spread *s = arg;
	struct events *e = s->e;
	size_t *next = s->next + run * s->nlanes;
	struct block *last = s->run_first[run + 1];

	(void)worker;
	for (struct block *bl = s->run_first[run]; bl != last; bl = block_free(bl)) {
		const struct raw_event *ev = (const void *)bl->items;

		for (size_t i = 0; i < bl->n; i++, ev++) {
			size_t at = next[s->place[ev->lane]]++;

			e->start[at] = ev->start;
			e->dur[at] = ev->dur;
			e->name[at] = ev->name;
			e->type[at] = ev->type;
			e->connection[at] = ev->connection;
			e->span[at] = ev->span;
			e->span_len[at] = ev->span_len;
			e->flags[at] = ev->flags;
		}
	}
}

/* Cuts the list of blocks into runs of the same number of blocks. Many lanes: one run, because each run counts every lane. */
static void cut_runs(struct spread *s, const struct builder *b)
{
	size_t nblocks = 0, at = 0;

	for (const struct block *bl = b->raw.events.first; bl; bl = bl->next)
		nblocks++;
	s->nruns = b->nlanes > 4096 ? 1 : MAX((size_t)1, MIN((size_t)b->threads, nblocks));
	s->run_first = mem_zalloc(s->nruns + 1, sizeof *s->run_first);
	for (struct block *bl = b->raw.events.first; bl; bl = bl->next, at++)
		for (size_t run = 0; run < s->nruns; run++)
			if (at == nblocks * run / s->nruns)
				s->run_first[run] = bl;
}

/* Turns the counts of each run into the place of its first event, and sets the lanes' extents. */
static void place_runs(struct spread *s, struct builder *b)
{
	size_t at = 0;

	for (size_t lane = 0; lane < s->nlanes; lane++) {
		b->lanes[lane].first = at;
		for (size_t run = 0; run < s->nruns; run++) {
			size_t *slot = &s->next[run * s->nlanes + lane], n = *slot;

			*slot = at;
			at += n;
		}
		b->lanes[lane].n = at - b->lanes[lane].first;
	}
}

static void columns_alloc(struct events *e, size_t n)
{
	e->n = n;
	e->start = big_alloc(n, sizeof *e->start);
	e->dur = big_alloc(n, sizeof *e->dur);
	e->name = big_alloc(n, sizeof *e->name);
	e->type = big_alloc(n, sizeof *e->type);
	e->connection = big_alloc(n, sizeof *e->connection);
	e->span = big_alloc(n, sizeof *e->span);
	e->span_len = big_alloc(n, sizeof *e->span_len);
	e->flags = big_alloc(n, sizeof *e->flags);
}

static void spread_events(struct builder *b, const uint32_t *place, struct events *e)
{
	struct spread s = { .nlanes = b->nlanes, .place = place, .e = e };

	cut_runs(&s, b);
	s.next = mem_zalloc(s.nruns * s.nlanes, sizeof *s.next);
	par_for(b->threads, s.nruns, count_run, &s);
	place_runs(&s, b);
	columns_alloc(e, b->raw.events.n);
	par_for(b->threads, s.nruns, spread_run, &s);
	b->raw.events = (struct blocks){ 0 };
	free(s.next);
	free(s.run_first);
}

/*
 * Some exporters write time 0 for what they do not know. Such an event among events of our time (the year 2000 or later) would stretch every
 * axis over decades.
 */
static void find_extent(struct events *e)
{
	const int64_t day = (int64_t)86400 * 1000000000, year_2000 = 10957 * day;
	int64_t latest = INT64_MIN;

	for (size_t i = 0; i < e->n; i++)
		latest = MAX(latest, e->start[i]);
	e->first_start = e->last_end = NO_TIME;
	for (size_t i = 0; i < e->n; i++) {
		if (latest > year_2000 && e->start[i] < day) {
			e->noutliers++;
			continue;
		}
		e->first_start = e->first_start == NO_TIME ? e->start[i] : MIN(e->first_start, e->start[i]);
		e->last_end = MAX(e->last_end, event_end(e, i));
	}
}

static void renumber_flows(struct builder *b, const uint32_t *place)
{
	for (struct block *bl = b->raw.flows.first; bl; bl = bl->next) {
		struct raw_flow *f = (void *)bl->items;

		for (size_t i = 0; i < bl->n; i++)
			f[i].lane = place[f[i].lane];
	}
}

struct finish {
	struct builder *b;
	struct events *e;
};

/* What does not depend on each other. */
static void finish_part(void *arg, unsigned worker, size_t item)
{
	struct finish *f = arg;

	(void)worker;
	if (item == 0)
		build_links(f->b, f->e);
	else if (item == 1)
		build_counters(f->b, f->e);
	else
		find_extent(f->e);
}

void build_finish(struct builder *b, struct events *out, struct account *account)
{
	uint32_t *place;

	*out = (struct events){ 0 };
	build_pairs(b, account);
	place = order_lanes(b);
	spread_events(b, place, out);
	renumber_flows(b, place);
	free(place);
	out->lanes = b->lanes;
	out->nlanes = b->nlanes;
	out->processes = b->processes;
	out->nprocesses = b->nprocesses;
	b->lanes = NULL;
	b->processes = NULL;
	build_sort_lanes(out, b->threads);
	par_for(b->threads, 3, finish_part, &(struct finish){ b, out });
	build_free(b);
}
