/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps from the order of kernels. A kernel that occurs once a step cuts the sequence into segments that resemble each other. So does a
 * kernel that occurs once a layer, but then one segment a step is different: it holds what stands between the last layer and the next
 * first one. So from any kernel one climbs: as long as there is a kernel that occurs as often as the odd segments, that one is tried next.
 * The count at which most kernels arrive is the number of steps. Linear in the number of spans but for the look-up of counts.
 */
#include "core/analysis/steps_private.h"

#include "core/base/index_map.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"

#include <math.h>
#include <stdlib.h>

enum { SEGMENTS_MIN = 3, EXACT_BELOW = 50, CLIMBS_MAX = 16 };

#define PAUSE_MIN ((int64_t)200000)	/* ns */
#define SHIFT_MIN ((int64_t)10000)	/* ns, on average */
#define SIMILAR_MIN 0.9			/* share of the spans that lie in segments with a like */

/* One distinct kernel name as a possible beginning of steps. */
struct anchor {
	size_t first, n;		/* its occurrences: a run of sequence.at */
	size_t odd;			/* segments that are not of the most frequent kind */
	bool fits;
	int64_t pause;			/* ns the device stood still before its occurrences */
	size_t votes;			/* anchors that lead to its count */
};

/* Kernels of one lane in order: lanes run side by side, and their order among each other is chance. */
struct sequence {
	size_t *span;			/* index into the model's spans */
	uint32_t *key;			/* its kernel: index into anchors */
	uint64_t *sum;			/* sum[i]: of the hashes of all kernels before i */
	size_t n;
	struct anchor *anchors;
	size_t nanchors;
	size_t *at;			/* places in the sequence, by anchor */
};

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* ---- the sequence -------------------------------------------------------------------------------------------------------------------- */

/* The lane of a span: of its event, or the stream of its row. */
static uint64_t lane_of(const struct work_model *m, const struct column *stream, const struct span *p)
{
	if (!m->from_table)
		return (uint64_t)(events_lane(&m->r->events, p->source) - m->r->events.lanes);
	return stream ? (uint64_t)stream->num[p->source] : 0;
}

/* Picks the kernels and copies of the lane that has most kernels. */
static void pick_lane(struct sequence *q, const struct work_model *m)
{
	const struct table *t = m->from_table ? rank_kernels(m->r) : NULL;
	const struct column *stream = t ? table_col(t, COL_STREAM_ID) : NULL;
	struct index_map counts = { 0 };
	uint64_t *lane = mem_alloc(m->nspans, sizeof *lane), best = 0;
	uint32_t most = 0;

	for (size_t i = 0; i < m->nspans; i++) {
		uint32_t *slot;

		lane[i] = lane_of(m, stream, &m->spans[i]);
		if (m->spans[i].kind != WORK_COMPUTE)
			continue;
		slot = index_map_slot(&counts, lane[i]);
		if (++*slot > most) {
			most = *slot;
			best = lane[i];
		}
	}
	index_map_done(&counts);
	q->span = mem_alloc(m->nspans, sizeof *q->span);
	for (size_t i = 0; i < m->nspans && most; i++)
		if ((m->spans[i].kind == WORK_COMPUTE || m->spans[i].kind == WORK_COPY) && lane[i] == best)
			q->span[q->n++] = i;
	free(lane);
}

static void key_spans(struct sequence *q, const struct work_model *m)
{
	struct index_map of_name = { 0 };
	struct names shapes;

	names_init(&shapes);
	q->key = mem_alloc(q->n, sizeof *q->key);
	q->sum = mem_alloc(q->n + 1, sizeof *q->sum);
	q->sum[0] = 0;
	for (size_t i = 0; i < q->n; i++) {
		uint32_t name = m->spans[q->span[i]].name, *slot = index_map_slot(&of_name, name);

		if (!*slot) {
			struct buf b = { 0 };

			buf_str(&b, "=");
			name_shape(&b, names_str(&m->c->names, name));
			*slot = names_add(&shapes, (struct str){ b.p, b.n });	/* not 0: that is the empty text */
			buf_done(&b);
		}
		q->key[i] = *slot;
		q->sum[i + 1] = q->sum[i] + mix(*slot);
	}
	q->nanchors = shapes.n;
	names_done(&shapes);
	index_map_done(&of_name);
}

static void place_anchors(struct sequence *q)
{
	size_t *next = mem_alloc(q->nanchors, sizeof *next), at = 0;

	q->anchors = mem_zalloc(q->nanchors, sizeof *q->anchors);
	q->at = mem_alloc(q->n, sizeof *q->at);
	for (size_t i = 0; i < q->n; i++)
		q->anchors[q->key[i]].n++;
	for (size_t k = 0; k < q->nanchors; k++) {
		q->anchors[k].first = next[k] = at;
		at += q->anchors[k].n;
	}
	for (size_t i = 0; i < q->n; i++)
		q->at[next[q->key[i]]++] = i;
	free(next);
}

/* ---- segments ------------------------------------------------------------------------------------------------------------------------ */

/* Segments of one kind: short ones hold the same kernels, long ones may differ by a few. */
static uint64_t segment_kind(const struct sequence *q, size_t from, size_t to)
{
	size_t n = to - from;

	return n < EXACT_BELOW ? mix(q->sum[to] - q->sum[from]) | 1u << 20 : EXACT_BELOW + (uint64_t)(log((double)n / EXACT_BELOW) / log(1.04));
}

/* How long the device stood still before a place of the sequence. */
static int64_t pause_before(const struct sequence *q, const struct work_model *m, size_t at)
{
	const struct intervals *busy = &m->sets.busy;
	int64_t start = m->spans[q->span[at]].start;
	size_t i = intervals_find(busy, start);

	return i > 0 && i < busy->n && busy->items[i].start == start ? start - busy->items[i - 1].end : 0;
}

static void judge_anchor(const struct sequence *q, struct anchor *a, const struct work_model *m)
{
	const size_t *at = q->at + a->first;
	struct index_map kinds = { 0 };
	size_t similar = 0;
	uint32_t most = 0;

	if (a->n < SEGMENTS_MIN)
		return;
	for (size_t i = 0; i + 1 < a->n; i++) {
		uint32_t *count = index_map_slot(&kinds, segment_kind(q, at[i], at[i + 1]));

		++*count;
		most = MAX(most, *count);
	}
	for (size_t i = 0; i + 1 < a->n; i++)
		if (index_map_find(&kinds, segment_kind(q, at[i], at[i + 1])) > 1)
			similar += at[i + 1] - at[i];
	index_map_done(&kinds);
	a->odd = a->n - 1 - most;
	/* The last segment is cut by the end of the capture; what lies before the first is not much either when the anchor is one. */
	a->fits = most > 1 && (double)similar >= SIMILAR_MIN * (double)(at[a->n - 1] - at[0]) && 2 * (q->n - at[0]) >= q->n;
	for (size_t i = 1; i < a->n; i++)
		a->pause += pause_before(q, m, at[i]);
}

/* ---- the choice ---------------------------------------------------------------------------------------------------------------------- */

struct counted {
	size_t count, anchor;
};

static int counted_compare(const void *x, const void *y)
{
	const struct counted *a = x, *b = y;

	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return (a->anchor > b->anchor) - (a->anchor < b->anchor);
}

/* The fitting anchor whose count is nearest to `odd` and below `count`; n when none is near. */
static size_t nearest(const struct counted *c, size_t n, size_t odd, size_t count)
{
	size_t slack = 1 + odd / 50, low = 0, high = n, best = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c[mid].count + slack < odd)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t off = SIZE_MAX; low < n && c[low].count <= odd + slack && c[low].count < count; low++) {
		size_t d = c[low].count > odd ? c[low].count - odd : odd - c[low].count;

		if (d < off) {
			off = d;
			best = low;
		}
		while (low + 1 < n && c[low + 1].count == c[low].count)
			low++;
	}
	return best;
}

static bool is_earlier(const struct sequence *q, size_t a, size_t b)
{
	return q->at[q->anchors[a].first] < q->at[q->anchors[b].first];
}

/* The anchor to begin steps with; nanchors when none. */
static size_t choose_anchor(struct sequence *q)
{
	struct counted *c = mem_alloc(q->nanchors, sizeof *c);
	size_t n = 0, best = q->nanchors, steps = 0, votes = 0;

	for (size_t k = 0; k < q->nanchors; k++)
		if (q->anchors[k].fits)
			c[n++] = (struct counted){ q->anchors[k].n, k };
	if (n)
		qsort(c, n, sizeof *c, counted_compare);
	for (size_t i = 0; i < n; i++) {
		size_t at = i;

		for (size_t climb = 0, up; climb < CLIMBS_MAX && q->anchors[c[at].anchor].odd + 1 >= SEGMENTS_MIN; climb++, at = up) {
			up = nearest(c, n, q->anchors[c[at].anchor].odd, c[at].count);
			if (up == n)
				break;
		}
		while (at > 0 && c[at - 1].count == c[at].count)
			at--;
		if (++q->anchors[c[at].anchor].votes >= votes) {
			votes = q->anchors[c[at].anchor].votes;
			steps = c[at].count;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (c[i].count == steps && (best == q->nanchors || is_earlier(q, c[i].anchor, best)))
			best = c[i].anchor;
	/* The earliest one, unless the device clearly waits at another. */
	for (size_t i = 0; i < n; i++)
		if (c[i].count == steps && q->anchors[c[i].anchor].pause > q->anchors[best].pause + (int64_t)steps * SHIFT_MIN)
			best = c[i].anchor;
	free(c);
	return best;
}

/*
 * Whether the segments are rather the layers of one or two steps: kernels that occur as often as such a step would, at both ends of what
 * the anchor cuts, or around its one odd segment.
 */
static bool is_inside_step(const struct sequence *q, const struct anchor *a)
{
	size_t first = q->at[a->first], last = q->at[a->first + a->n - 1], before = 0, after = 0, twice = 0;

	if (a->odd > 1)
		return false;
	for (size_t i = 0; i < q->n; i++) {
		const struct anchor *k = &q->anchors[q->key[i]];

		before += k->n == 1 && i < first;
		after += k->n == 1 && i > last;
		twice += k->n == 2;
	}
	return a->odd ? twice >= 4 : before && after;
}

/* ---- where steps begin --------------------------------------------------------------------------------------------------------------- */

/* Places of the sequence at which steps begin. */
struct starts {
	size_t *at, n;
};

static int time_compare(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* The most frequent distance between marks in flags[n], and how many distances have it. */
static size_t usual_distance(const bool *flags, size_t n, size_t *same, size_t *all)
{
	size_t *counts = mem_zalloc(n + 1, sizeof *counts), last = SIZE_MAX, best = 0;

	*all = 0;
	for (size_t i = 0; i < n; i++) {
		if (!flags[i])
			continue;
		if (last != SIZE_MAX) {
			++*all;
			if (++counts[i - last] > counts[best])
				best = i - last;
		}
		last = i;
	}
	*same = counts[best];
	free(counts);
	return best;
}

/*
 * An anchor that has no better one above it may still be one of layers. Then every n-th occurrence follows a pause that is much longer
 * than the others, and steps begin there. Keeps those; returns how many layers a step has, 0 when there is no such order.
 */
static size_t keep_after_pauses(struct starts *s, const struct sequence *q, const struct work_model *m)
{
	int64_t *pauses = mem_alloc(s->n, sizeof *pauses), *sorted = mem_alloc(s->n, sizeof *sorted), least;
	bool *after = mem_alloc(s->n, sizeof *after);
	size_t each, same, all, kept = 0, first = SIZE_MAX;

	for (size_t i = 0; i < s->n; i++)
		pauses[i] = sorted[i] = pause_before(q, m, s->at[i]);
	qsort(sorted, s->n, sizeof *sorted, time_compare);
	least = MAX(PAUSE_MIN, sorted[s->n / 2] < INTERVAL_TIME_MAX / 4 ? 4 * sorted[s->n / 2] : INTERVAL_TIME_MAX);
	for (size_t i = 0; i < s->n; i++) {
		after[i] = pauses[i] > least;
		first = after[i] && first == SIZE_MAX ? i : first;
	}
	each = usual_distance(after, s->n, &same, &all);
	if (each >= 2 && all + 1 >= SEGMENTS_MIN - 1 && 5 * same >= 4 * all) {
		after[0] |= first * 10 >= each * 9;
		for (size_t i = 0; i < s->n; i++)
			if (after[i])
				s->at[kept++] = s->at[i];
		s->n = kept;
	} else {
		each = 0;
	}
	free(pauses);
	free(sorted);
	free(after);
	return each;
}

/* The anchor may stand anywhere in the step: the step begins where the device pauses longest, if that is clear. */
static void shift_to_pause(struct starts *s, const struct sequence *q, const struct work_model *m)
{
	size_t shortest = SIZE_MAX, best = 0, kept = 0, usual = (s->at[s->n - 1] - s->at[0]) / (s->n - 1);
	int64_t own = 0, most = 0;

	for (size_t i = 0; i + 1 < s->n; i++)
		shortest = MIN(shortest, s->at[i + 1] - s->at[i]);
	for (size_t j = 0; j < shortest; j++) {
		int64_t sum = 0;

		for (size_t i = 0; i + 1 < s->n; i++)
			sum += pause_before(q, m, s->at[i] + j);
		own = j ? own : sum;
		if (sum > most) {
			most = sum;
			best = j;
		}
	}
	if (most <= 2 * own || most < (int64_t)s->n * SHIFT_MIN)
		best = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i] + best < q->n)
			s->at[kept++] = s->at[i] + best;
	s->n = kept;
	/* What lies before the first one is a step too when there is enough of it; the room is there, see cut_at_anchor(). */
	if (s->at[0] && s->at[0] * 10 >= usual * 9) {
		memmove(s->at + 1, s->at, s->n++ * sizeof *s->at);
		s->at[0] = s->at[1] > usual + usual / 10 ? s->at[1] - usual : 0;
	}
}

/* A step of a model holds many layers, so something in it repeats. Segments in which nothing repeats may be layers themselves. */
static bool holds_layers(const struct sequence *q, size_t steps)
{
	for (size_t k = 0; k < q->nanchors; k++)
		if (q->anchors[k].n >= 2 * steps)
			return true;
	return false;
}

static void cut_at_anchor(struct finder *f, const struct sequence *q, const struct anchor *a)
{
	const struct work_model *m = f->m;
	struct starts s = { mem_alloc(a->n + 1, sizeof *s.at), a->n };
	struct buf name = { 0 };
	size_t layers;

	memcpy(s.at, q->at + a->first, a->n * sizeof *s.at);
	layers = keep_after_pauses(&s, q, m);
	if (!layers)
		shift_to_pause(&s, q, m);
	for (size_t i = 0; i < s.n; i++)
		ARRAY_PUSH(&f->cuts, items, n, cap) = (struct cut){ .host_start = NO_TIME, .host_end = NO_TIME,
			.start = m->spans[q->span[s.at[i]]].start };
	cuts_settle(&f->cuts);
	utf8_add_clean(&name, names_str(&m->c->names, m->spans[q->span[q->at[a->first]]].name));
	f->out->confidence = s.n >= 2 * SEGMENTS_MIN && (layers || a->odd * 10 <= a->n) && holds_layers(q, s.n) ? CONF_MEDIUM : CONF_LOW;
	f->out->reason = layers ? arena_printf(&f->out->arena,
			"No marks; %.80s occurs %zu times among %zu kernels of one stream, every %zu times after"
			" a long pause, and a step begins there.", name.p ? name.p : "", a->n, q->n, layers)
		: arena_printf(&f->out->arena, "No marks; %.80s occurs %zu times among %zu kernels of one stream and cuts them into segments of which"
			" %zu are alike. Each begins a step.", name.p ? name.p : "", a->n, q->n, a->n - 1 - a->odd);
	buf_done(&name);
	free(s.at);
}

bool find_repeat(struct finder *f)
{
	struct sequence q = { 0 };
	size_t best;

	if (f->m->counts[WORK_COMPUTE] < SEGMENTS_MIN)
		return false;
	pick_lane(&q, f->m);
	key_spans(&q, f->m);
	place_anchors(&q);
	for (size_t k = 0; k < q.nanchors; k++)
		judge_anchor(&q, &q.anchors[k], f->m);
	best = choose_anchor(&q);
	if (best < q.nanchors && !is_inside_step(&q, &q.anchors[best]))
		cut_at_anchor(f, &q, &q.anchors[best]);
	free(q.span);
	free(q.key);
	free(q.sum);
	free(q.anchors);
	free(q.at);
	return f->cuts.n >= SEGMENTS_MIN;
}
