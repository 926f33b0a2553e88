/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/interval.h"

#include "core/base/mem.h"
#include "core/base/sort.h"

#include <stdlib.h>
#include <string.h>

void intervals_done(struct intervals *s)
{
	free(s->items);
	free(s->before);
	*s = (struct intervals){ 0 };
}

static void index_drop(struct intervals *s)
{
	free(s->before);
	s->before = NULL;
}

void intervals_clear(struct intervals *s)
{
	index_drop(s);
	s->n = 0;
	s->unsorted = false;
}

static int64_t time_hold(int64_t t)
{
	return MAX(MIN(t, INTERVAL_TIME_MAX), -INTERVAL_TIME_MAX);
}

void intervals_add(struct intervals *s, int64_t start, int64_t end)
{
	struct interval *last = s->n ? &s->items[s->n - 1] : NULL;

	start = time_hold(start);
	end = time_hold(end);
	if (start >= end)
		return;
	if (s->before)
		index_drop(s);
	if (last && start >= last->start && start <= last->end) {
		last->end = MAX(last->end, end);
		return;
	}
	if (last && start < last->start)
		s->unsorted = true;
	ARRAY_PUSH(s, items, n, cap) = (struct interval){ start, end };
}

/* The items in order of their starts: a radix sort, because host events come by the million. */
static void sort_items(struct interval *items, size_t n)
{
	uint64_t *keys = scratch_alloc(n, sizeof *keys);
	uint32_t *order = scratch_alloc(n, sizeof *order);
	struct interval *sorted = scratch_alloc(n, sizeof *sorted);

	for (size_t i = 0; i < n; i++)
		keys[i] = sort_key(items[i].start);
	sort_by_key(keys, order, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = items[order[i]];
	memcpy(items, sorted, n * sizeof *items);
	scratch_free(sorted, n, sizeof *sorted);
	scratch_free(order, n, sizeof *order);
	scratch_free(keys, n, sizeof *keys);
}

void intervals_normalise(struct intervals *s)
{
	size_t n = s->n;

	if (!s->unsorted)
		return;
	sort_items(s->items, n);
	/* Adding the sorted ones again unites them in place: never more are written than were read. */
	intervals_clear(s);
	for (size_t i = 0; i < n; i++)
		intervals_add(s, s->items[i].start, s->items[i].end);
}

void intervals_index(struct intervals *s)
{
	int64_t sum = 0;

	index_drop(s);
	s->before = mem_alloc(s->n, sizeof *s->before);
	for (size_t i = 0; i < s->n; i++) {
		s->before[i] = sum;
		sum += s->items[i].end - s->items[i].start;
	}
}

int64_t intervals_total(const struct intervals *s)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->items[i].end - s->items[i].start;
	return sum;
}

size_t intervals_find(const struct intervals *s, int64_t t)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->items[mid].end > t)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

bool intervals_has(const struct intervals *s, int64_t t)
{
	size_t i = intervals_find(s, t);

	return i < s->n && s->items[i].start <= t;
}

/* ns of the set before t; i is intervals_find(t). */
static int64_t time_before(const struct intervals *s, size_t i, int64_t t)
{
	if (i == s->n)
		return i ? s->before[i - 1] + s->items[i - 1].end - s->items[i - 1].start : 0;
	return s->before[i] + (t > s->items[i].start ? t - s->items[i].start : 0);
}

int64_t intervals_within(const struct intervals *s, int64_t a, int64_t b)
{
	int64_t sum = 0;
	size_t i;

	a = time_hold(a);
	b = time_hold(b);
	if (a >= b)
		return 0;
	i = intervals_find(s, a);
	if (s->before)
		return time_before(s, intervals_find(s, b), b) - time_before(s, i, a);
	for (; i < s->n && s->items[i].start < b; i++)
		sum += MIN(s->items[i].end, b) - MAX(s->items[i].start, a);
	return sum;
}

void intervals_union(struct intervals *out, const struct intervals *a, const struct intervals *b)
{
	size_t i = 0, k = 0;

	intervals_clear(out);
	while (i < a->n || k < b->n) {
		bool from_a = k == b->n || (i < a->n && a->items[i].start <= b->items[k].start);
		const struct interval *next = from_a ? &a->items[i++] : &b->items[k++];

		intervals_add(out, next->start, next->end);
	}
}

void intervals_intersect(struct intervals *out, const struct intervals *a, const struct intervals *b)
{
	size_t i = 0, k = 0;

	intervals_clear(out);
	while (i < a->n && k < b->n) {
		const struct interval *x = &a->items[i], *y = &b->items[k];

		intervals_add(out, MAX(x->start, y->start), MIN(x->end, y->end));
		if (x->end < y->end)
			i++;
		else
			k++;
	}
}

void intervals_subtract(struct intervals *out, const struct intervals *a, const struct intervals *b)
{
	size_t k = 0;

	intervals_clear(out);
	for (size_t i = 0; i < a->n; i++) {
		int64_t from = a->items[i].start, end = a->items[i].end;

		while (k < b->n && b->items[k].end <= from)
			k++;
		/* The last one looked at may reach into the next of a: it stays current. */
		for (; k < b->n && b->items[k].start < end; k++) {
			intervals_add(out, from, b->items[k].start);
			from = b->items[k].end;
			if (from >= end)
				break;
		}
		intervals_add(out, from, end);
	}
}

void intervals_clip(struct intervals *out, const struct intervals *s, int64_t a, int64_t b)
{
	intervals_clear(out);
	for (size_t i = intervals_find(s, a); i < s->n && s->items[i].start < b; i++)
		intervals_add(out, MAX(s->items[i].start, a), MIN(s->items[i].end, b));
}

void intervals_gaps(struct intervals *out, const struct intervals *s, int64_t a, int64_t b)
{
	int64_t from = a;

	intervals_clear(out);
	for (size_t i = intervals_find(s, a); i < s->n && s->items[i].start < b; i++) {
		intervals_add(out, from, s->items[i].start);
		from = s->items[i].end;
	}
	intervals_add(out, from, b);
}
