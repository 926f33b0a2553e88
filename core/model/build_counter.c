/* SPDX-License-Identifier: Apache-2.0 */
/* Counter samples into series sorted by time. Series are numbered, counted and filled in two walks over the samples. */
#include "core/model/build_private.h"

#include "core/base/mem.h"
#include "core/base/sort.h"

#include <stdlib.h>

struct series_table {
	struct counter *items;
	size_t n, cap;
	struct index_map by_names, by_process;	/* (name, series) -> pair; (process, pair) -> series */
	uint32_t pairs, last;
};

static uint32_t series_of(struct series_table *t, const struct raw_sample *s)
{
	uint32_t *slot, pair;

	if (t->n) {
		const struct counter *c = &t->items[t->last];

		if (c->process == s->process && c->name == s->name && c->series == s->series)
			return t->last;
	}
	slot = index_map_slot(&t->by_names, (uint64_t)s->name << 32 | s->series);
	if (!*slot)
		*slot = ++t->pairs;
	pair = *slot;
	slot = index_map_slot(&t->by_process, (uint64_t)s->process << 32 | pair);
	if (!*slot) {
		ARRAY_PUSH(t, items, n, cap) = (struct counter){ s->process, s->name, s->series, 0, 0 };
		*slot = (uint32_t)t->n;
	}
	t->last = *slot - 1;
	return t->last;
}

static void series_count(struct series_table *t, const struct raw_sample *s)
{
	uint32_t at = series_of(t, s);

	t->items[at].n++;
}

struct series_order {
	const struct counter *c;
	uint32_t series;
};

static int series_compare(const void *x, const void *y)
{
	const struct counter *a = ((const struct series_order *)x)->c, *b = ((const struct series_order *)y)->c;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return a->series < b->series ? -1 : a->series > b->series;
}

/* Lays the series out by (process, name, series); next[series] is where its first sample goes. */
static struct counter *order_series(const struct series_table *t, size_t *next)
{
	struct series_order *order = mem_alloc(t->n, sizeof *order);
	struct counter *sorted = mem_alloc(t->n, sizeof *sorted);
	size_t first = 0;

	for (size_t i = 0; i < t->n; i++)
		order[i] = (struct series_order){ &t->items[i], (uint32_t)i };
	qsort(order, t->n, sizeof *order, series_compare);
	for (size_t i = 0; i < t->n; i++) {
		sorted[i] = *order[i].c;
		sorted[i].first = next[order[i].series] = first;
		first += sorted[i].n;
	}
	free(order);
	return sorted;
}

/* Sorts a series by time where the file did not. */
static void series_sort(struct events *e, const struct counter *c)
{
	int64_t *time = e->counter_time + c->first, *times;
	double *value = e->counter_value + c->first, *values;
	uint64_t *keys;
	uint32_t *order;
	size_t i = 1;

	while (i < c->n && time[i - 1] <= time[i])
		i++;
	if (i >= c->n)
		return;
	keys = mem_alloc(c->n, sizeof *keys);
	order = mem_alloc(c->n, sizeof *order);
	times = mem_alloc(c->n, sizeof *times);
	values = mem_alloc(c->n, sizeof *values);
	for (i = 0; i < c->n; i++)
		keys[i] = sort_key(time[i]);
	sort_by_key(keys, order, c->n);
	for (i = 0; i < c->n; i++) {
		times[i] = time[order[i]];
		values[i] = value[order[i]];
	}
	memcpy(time, times, c->n * sizeof *times);
	memcpy(value, values, c->n * sizeof *values);
	free(keys);
	free(order);
	free(times);
	free(values);
}

void build_counters(struct builder *b, struct events *e)
{
	struct series_table t = { 0 };
	size_t *next;

	for (const struct block *bl = b->raw.samples.first; bl; bl = bl->next)
		for (size_t i = 0; i < bl->n; i++)
			series_count(&t, (const struct raw_sample *)(const void *)bl->items + i);
	next = mem_alloc(t.n, sizeof *next);
	e->nsamples = b->raw.samples.n;
	e->counter_time = big_alloc(e->nsamples, sizeof *e->counter_time);
	e->counter_value = big_alloc(e->nsamples, sizeof *e->counter_value);
	e->counters = order_series(&t, next);
	e->ncounters = t.n;
	for (struct block *bl = b->raw.samples.first; bl; bl = block_free(bl))
		for (size_t i = 0; i < bl->n; i++) {
			const struct raw_sample *s = (const struct raw_sample *)(const void *)bl->items + i;
			size_t at = next[series_of(&t, s)]++;

			e->counter_time[at] = s->time;
			e->counter_value[at] = s->value;
		}
	b->raw.samples = (struct blocks){ 0 };
	for (size_t i = 0; i < e->ncounters; i++)
		series_sort(e, &e->counters[i]);
	free(next);
	free(t.items);
	index_map_done(&t.by_names);
	index_map_done(&t.by_process);
}
