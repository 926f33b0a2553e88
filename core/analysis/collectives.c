/* SPDX-License-Identifier: Apache-2.0 */
#include "core/analysis/collectives_private.h"

#include "core/analysis/threshold.h"
#include "core/base/mem.h"
#include "core/base/sort.h"

#include <math.h>
#include <stdlib.h>

/* ---- kinds ----------------------------------------------------------------------------------------------------------------------- */

enum subtype_id comm_kind(struct comm_kinds *k, uint32_t name)
{
	uint32_t *slot = index_map_slot(&k->of_name, name);

	if (!*slot) {
		struct op_class op = { .class = CLASS_COLLECTIVE, .subtype = SUB_COLLECTIVE_OTHER };

		if (k->cl)
			op = classify_op(k->cl, names_str(k->names, name), STR(""), STR("COMMUNICATION"));
		*slot = 1u + (uint32_t)(op.class == CLASS_COLLECTIVE ? op.subtype : SUB_COLLECTIVE_OTHER);
	}
	return (enum subtype_id)(*slot - 1);
}

void comm_kinds_done(struct comm_kinds *k)
{
	index_map_done(&k->of_name);
	classifier_free(k->cl);
	k->cl = NULL;
}

bool comm_is_p2p(enum subtype_id kind)
{
	return kind == SUB_COLLECTIVE_SEND || kind == SUB_COLLECTIVE_RECEIVE || kind == SUB_COLLECTIVE_BATCH_SEND_RECV;
}

/* ---- items of a file ------------------------------------------------------------------------------------------------------------- */

static struct collective item_blank(void)
{
	return (struct collective){ .start = NO_TIME, .elapse = NO_TIME, .transit = NO_TIME, .wait = NO_TIME, .sync = NO_TIME,
		.idle = NO_TIME, .size_mb = (double)NAN, .bandwidth_gbs = (double)NAN, .link_ns = NO_TIME, .peer = -1, .span = UINT32_MAX,
		.step = UINT32_MAX, .kind = SUB_COLLECTIVE_OTHER };
}

/* A negative time is none. */
static int64_t given(int64_t ns)
{
	return ns < 0 ? NO_TIME : ns;
}

/* "SDMA" is the sum of "HCCS", "PCIE" and "SIO": those count only where it is empty. */
static void links_of_op(const struct comm *comm, const struct names *names, const struct comm_op *op, struct collective *item)
{
	enum { PART, SUM, OTHER, KINDS };
	double size[KINDS] = { 0, 0, 0 };
	int64_t ns[KINDS] = { 0, 0, 0 };
	int of;

	for (size_t i = op->first_transport; i < op->first_transport + op->ntransports && i < comm->ntransports; i++) {
		const struct comm_transport *t = &comm->transports[i];
		struct str kind = names_str(names, t->kind);
		bool part = str_is(kind, STR("HCCS")) || str_is(kind, STR("PCIE")) || str_is(kind, STR("SIO"));
		int at = part ? PART : str_is(kind, STR("SDMA")) ? SUM : OTHER;

		if (!(t->size_mb > 0) || !isfinite(t->size_mb) || t->transit_ns <= 0)
			continue;
		size[at] += t->size_mb;
		ns[at] = time_add(ns[at], t->transit_ns);
	}
	of = ns[SUM] ? SUM : PART;
	item->size_mb = size[OTHER] + size[of];
	item->link_ns = time_add(ns[OTHER], ns[of]);
}

/* To how many ranks the file's matrix has links in this group: they work at the same time. */
static int64_t links_of_group(const struct comm *comm, uint32_t group)
{
	uint64_t seen[16] = { 0 };	/* ranks below 1024 are told apart */
	int64_t n = 0;

	for (size_t i = 0; i < comm->nedges; i++) {
		const struct comm_edge *e = &comm->edges[i];
		unsigned at = (unsigned)e->dst % 1024;

		if (e->group != group || e->dst < 0 || e->src == e->dst || seen[at / 64] >> (at % 64) & 1)
			continue;
		seen[at / 64] |= (uint64_t)1 << (at % 64);
		n++;
	}
	return n ? n : 1;
}

/* The exporter looks at one plane. Where that one moves nothing although links did, what they did is the transit, held within the rest. */
static void transit_correct(const struct comm *comm, struct index_map *links, struct collective *item)
{
	uint32_t *n;
	int64_t rest;

	if (item->transit != 0 || item->link_ns == NO_TIME || item->link_ns <= 0 || item->wait == NO_TIME || item->elapse == NO_TIME)
		return;
	n = index_map_slot(links, item->group);
	if (!*n)
		*n = (uint32_t)links_of_group(comm, item->group);
	rest = MAX(item->elapse - item->wait, 0);
	item->transit = MIN(item->link_ns / (int64_t)*n, rest);
	item->idle = rest - item->transit;
}

struct collective collective_of_op(const struct comm *comm, const struct comm_op *op, struct comm_kinds *kinds, struct index_map *links)
{
	struct collective item = item_blank();

	item.name = op->name;
	item.group = op->group;
	item.kind = comm_kind(kinds, op->name);
	item.start = op->start_ns;
	item.elapse = given(op->elapse_ns);
	if (op->size_bytes >= 0)		/* a form that knows no more than elapse and size */
		item.size_mb = (double)op->size_bytes / 1e6;
	if (op->size_bytes >= 0 || op->count >= 0)
		return item;
	item.transit = given(op->transit_ns);
	item.wait = given(op->wait_ns);
	item.sync = given(op->sync_ns);
	item.idle = given(op->idle_ns);
	if (op->ntransports)
		links_of_op(comm, kinds->names, op, &item);
	transit_correct(comm, links, &item);
	return item;
}

static void items_of_file(const struct comm *comm, struct comm_kinds *kinds, struct collectives *out)
{
	struct index_map links = { 0 };

	for (size_t i = 0; i < comm->nops; i++)
		if (!comm->ops[i].total)
			ARRAY_PUSH(out, items, n, cap) = collective_of_op(comm, &comm->ops[i], kinds, &links);
	index_map_done(&links);
}

/* ---- items of the timeline ------------------------------------------------------------------------------------------------------- */

static bool on_comm_layer(const struct work_model *m, const struct span *s)
{
	const struct events *e = &m->r->events;

	return !m->from_table && s->source < e->n && e->processes[events_lane(e, s->source)->process].layer == LAYER_COMMUNICATION;
}

/*
 * The group of a lane "Group <name> Communication": that name where it is known otherwise (databases write the group's hash), else the
 * lane's name.
 */
static uint32_t group_of_span(const struct work_model *m, const struct span *s)
{
	const struct names *names = &m->c->names;
	struct str head = STR("Group "), tail = STR(" Communication"), lane;
	uint32_t id;

	if (!on_comm_layer(m, s))
		return 0;
	id = events_lane(&m->r->events, s->source)->name;
	lane = names_str(names, id);
	if (lane.n > head.n + tail.n && str_begins(lane, head) && str_ends(lane, tail))
		names_find(names, (struct str){ lane.p + head.n, lane.n - head.n - tail.n }, &id);
	return id;
}

static void item_of_span(const struct work_model *m, uint32_t span, struct comm_kinds *kinds, struct collectives *out)
{
	const struct span *s = &m->spans[span];
	struct collective item = item_blank();

	item.name = s->name;
	item.group = group_of_span(m, s);
	item.kind = comm_kind(kinds, s->name);
	item.start = s->start;
	item.elapse = s->dur;
	item.span = span;
	ARRAY_PUSH(out, items, n, cap) = item;
}

/* The spans that are collectives: those on the lanes of groups where there are any, else all. */
struct candidates {
	uint32_t *spans;
	size_t n, cap;
	bool comm_layer;
};

static void candidates_find(const struct work_model *m, struct candidates *out)
{
	for (int pass = 0; pass < 2 && !out->n; pass++) {
		out->comm_layer = pass == 0;
		for (size_t i = 0; i < m->nspans; i++)
			if (m->spans[i].kind == WORK_COMMUNICATION && (pass || on_comm_layer(m, &m->spans[i])))
				ARRAY_PUSH(out, spans, n, cap) = (uint32_t)i;
	}
}

/* ---- file and timeline together -------------------------------------------------------------------------------------------------- */

struct order {
	uint64_t *keys;
	uint32_t *index;
	size_t n;
};

static struct order order_new(size_t n)
{
	return (struct order){ mem_alloc(n, sizeof(uint64_t)), mem_alloc(n, sizeof(uint32_t)), n };
}

static void order_done(struct order *o)
{
	free(o->keys);
	free(o->index);
}

void collectives_sort(struct collectives *c)
{
	struct order o = order_new(c->n);
	struct collective *sorted = mem_alloc(c->n, sizeof *sorted);

	for (size_t i = 0; i < c->n; i++)
		o.keys[i] = sort_key(c->items[i].start);
	sort_by_key(o.keys, o.index, c->n);
	for (size_t i = 0; i < c->n; i++)
		sorted[i] = c->items[o.index[i]];
	free(c->items);
	c->items = sorted;
	c->cap = c->n;
	order_done(&o);
}

static uint64_t distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static void item_join(const struct work_model *m, struct collective *item, uint32_t span, uint8_t *taken)
{
	const struct span *s = &m->spans[span];

	item->span = span;
	item->start = s->start;
	item->elapse = item->elapse == NO_TIME ? s->dur : item->elapse;
	item->group = item->group ? item->group : group_of_span(m, s);
	taken[span] = 1;
}

/* Items and spans of one name, each by start. */
struct pairing {
	const struct work_model *m;
	struct collective *items;
	const uint32_t *spans, *item_at, *span_at;
	size_t nitems, nspans;
};

static uint64_t apart(const struct pairing *p, size_t item, size_t span)
{
	return distance(p->m->spans[p->spans[p->span_at[span]]].start, p->items[p->item_at[item]].start);
}

/* One to one when there are as many. Else some of the longer side stay alone: those whose successor begins nearer to the other. */
static void pairing_join(const struct pairing *p, uint8_t *taken)
{
	for (size_t k = 0, s = 0; k < p->nitems && s < p->nspans;) {
		size_t items = p->nitems - k, spans = p->nspans - s;
		bool timed = p->items[p->item_at[k]].start != NO_TIME;

		if (timed && spans > items && apart(p, k, s + 1) < apart(p, k, s)) {
			s++;
		} else if (items > spans && (!timed || apart(p, k + 1, s) < apart(p, k, s))) {
			k++;
		} else {
			item_join(p->m, &p->items[p->item_at[k]], p->spans[p->span_at[s]], taken);
			k++, s++;
		}
	}
}

static size_t run_end(const struct order *o, const uint32_t *key_of, size_t at)
{
	size_t end = at;

	while (end < o->n && key_of[o->index[end]] == key_of[o->index[at]])
		end++;
	return end;
}

/* Both sides in runs of one name. */
static void join_by_name(const struct work_model *m, struct collectives *c, const struct candidates *from, uint8_t *taken)
{
	uint32_t *item_name = mem_alloc(c->n, sizeof *item_name), *span_name = mem_alloc(from->n, sizeof *span_name);
	struct order items = order_new(c->n), spans = order_new(from->n);

	for (size_t i = 0; i < c->n; i++)
		items.keys[i] = item_name[i] = c->items[i].name;
	for (size_t i = 0; i < from->n; i++)
		spans.keys[i] = span_name[i] = m->spans[from->spans[i]].name;
	sort_by_key(items.keys, items.index, items.n);
	sort_by_key(spans.keys, spans.index, spans.n);
	for (size_t a = 0, b = 0; a < items.n && b < spans.n;) {
		uint32_t x = item_name[items.index[a]], y = span_name[spans.index[b]];
		size_t a_end = run_end(&items, item_name, a), b_end = run_end(&spans, span_name, b);
		struct pairing p = { m, c->items, from->spans, items.index + a, spans.index + b, a_end - a, b_end - b };

		if (x == y)
			pairing_join(&p, taken);
		a = x <= y ? a_end : a;
		b = y <= x ? b_end : b;
	}
	order_done(&items);
	order_done(&spans);
	free(item_name);
	free(span_name);
}

/* Of several devices of a rank, a file's collective is that of the device that shows it. */
static void drop_of_other_devices(const struct work_model *m, struct collectives *c)
{
	size_t n = 0;

	if (m->device < 0)
		return;
	for (size_t i = 0; i < c->n; i++)
		if (c->items[i].span != UINT32_MAX)
			c->items[n++] = c->items[i];
	c->n = n;
}

/* Adds the spans that no item stands for. The same collective may stand on several lanes, or in the file under another name. */
static void spans_add(const struct work_model *m, const struct candidates *from, const uint8_t *taken, struct comm_kinds *kinds,
		struct collectives *out)
{
	struct intervals known = { 0 }, file = { 0 };

	for (size_t i = 0; i < out->n; i++)
		if (out->items[i].span == UINT32_MAX && out->items[i].start != NO_TIME && out->items[i].elapse != NO_TIME)
			intervals_add(&file, out->items[i].start, time_add(out->items[i].start, out->items[i].elapse));
	for (size_t i = 0; from->comm_layer && i < from->n; i++)
		intervals_add(&known, m->spans[from->spans[i]].start, span_end(&m->spans[from->spans[i]]));
	intervals_normalise(&known);
	intervals_index(&known);
	intervals_normalise(&file);
	intervals_index(&file);
	for (size_t i = 0; i < m->nspans; i++) {
		const struct span *s = &m->spans[i];
		int64_t middle = s->start + s->dur / 2;

		if (s->kind != WORK_COMMUNICATION || taken[i] || intervals_has(&file, middle))
			continue;
		if (!from->comm_layer || on_comm_layer(m, s) || !intervals_has(&known, middle))
			item_of_span(m, (uint32_t)i, kinds, out);
	}
	intervals_done(&known);
	intervals_done(&file);
}

/* An unofficial file may list fewer than there were: the timeline has them all, the file their sizes, told by kind, order and duration. */
static void sizes_take(const struct collectives *listed, struct collectives *c)
{
	size_t *next = mem_zalloc(SUB_MAX, sizeof *next);

	for (size_t i = 0; i < c->n; i++) {
		struct collective *item = &c->items[i];
		size_t *at = &next[item->kind];

		while (*at < listed->n && listed->items[*at].kind != item->kind)
			++*at;
		if (*at == listed->n)
			continue;
		if (distance(listed->items[*at].elapse, item->elapse) <= (uint64_t)MAX(item->elapse, 0) / 100)
			item->size_mb = listed->items[*at].size_mb;
		++*at;
	}
	free(next);
}

static void items_find(const struct work_model *m, struct collectives *out)
{
	struct comm_kinds kinds = { .cl = classifier_new(NULL), .names = &m->c->names };
	uint8_t *taken = mem_zalloc(m->nspans, 1);
	struct candidates from = { 0 };
	struct collectives listed = { 0 };

	candidates_find(m, &from);
	items_of_file(&m->r->comm, &kinds, out);
	if (m->r->comm.unofficial && from.n) {
		listed = *out;
		*out = (struct collectives){ 0 };
	} else if (out->n) {
		collectives_sort(out);
		join_by_name(m, out, &from, taken);
		if (from.n)
			drop_of_other_devices(m, out);
	}
	spans_add(m, &from, taken, &kinds, out);
	if (out->n)
		collectives_sort(out);
	sizes_take(&listed, out);
	free(listed.items);
	free(from.spans);
	free(taken);
	comm_kinds_done(&kinds);
}

/* ---- sums ------------------------------------------------------------------------------------------------------------------------ */

static uint32_t step_at(const struct steps *steps, int64_t t)
{
	size_t lo = 0, hi = steps ? steps->n : 0;

	if (t == NO_TIME)
		return UINT32_MAX;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (steps->items[mid].start <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && t < steps->items[lo - 1].end ? (uint32_t)(lo - 1) : UINT32_MAX;
}

static int64_t median_elapse(const struct collectives *c)
{
	struct order o = order_new(c->n);
	int64_t median = NO_TIME;
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->items[i].elapse != NO_TIME)
			o.keys[n++] = (uint64_t)c->items[i].elapse;
	if (n) {
		uint64_t *values = mem_alloc(n, sizeof *values);

		memcpy(values, o.keys, n * sizeof *values);
		sort_by_key(o.keys, o.index, n);
		median = (int64_t)values[o.index[(n - 1) / 2]];
		free(values);
	}
	order_done(&o);
	return median;
}

static void sums_find(struct collectives *c)
{
	size_t sized = 0, small = 0;
	double linked_mb = 0;
	int64_t link_ns = 0;

	c->small_mb = c->limits.v[TH_COMM_SIZE];
	c->elapse = c->transit = c->wait = c->sync = c->idle = 0;
	c->size_mb = 0;
	for (size_t i = 0; i < c->n; i++) {
		struct collective *item = &c->items[i];

		c->elapse = time_add(c->elapse, item->elapse);
		c->transit = time_add(c->transit, item->transit);
		c->wait = time_add(c->wait, item->wait);
		c->sync = time_add(c->sync, item->sync);
		c->idle = time_add(c->idle, item->idle);
		c->has_split |= collective_has_split(item);
		if (isnan(item->size_mb))
			continue;
		sized++;
		small += item->size_mb < c->small_mb;
		c->size_mb += item->size_mb;
		if (item->link_ns <= 0 || !(item->size_mb > 0))
			continue;
		item->bandwidth_gbs = item->size_mb * 1e6 / (double)item->link_ns;
		linked_mb += item->size_mb;
		link_ns = time_add(link_ns, item->link_ns);
	}
	c->size_mb = sized ? c->size_mb : (double)NAN;
	c->small_share = sized ? (double)small / (double)sized : (double)NAN;
	c->bandwidth_gbs = link_ns > 0 ? linked_mb * 1e6 / (double)link_ns : (double)NAN;
	c->median_ns = median_elapse(c);
}

void collectives_find(const struct work_model *m, const struct steps *steps, const struct thresholds *t, struct collectives *out)
{
	bool planes;

	*out = (struct collectives){ 0 };
	thresholds_choose(&out->limits, t);
	items_find(m, out);
	for (size_t i = 0; i < out->n; i++)
		out->from_file |= collective_has_split(&out->items[i]);
	for (size_t i = 0; i < out->n; i++)
		out->items[i].step = step_at(steps, out->items[i].start);
	out->peer = out->slow_src = out->slow_dst = -1;
	out->best_ratio = (double)NAN;
	planes = collectives_split(m, out);
	sums_find(out);
	collectives_judge(m, planes, out);
}

void collectives_done(struct collectives *c)
{
	free(c->items);
	arena_done(&c->arena);
	*c = (struct collectives){ 0 };
}

const char *comm_verdict_key(enum comm_verdict v)
{
	static const char *const keys[] = {
		[COMM_NONE] = "none", [COMM_LATE_RANK] = "late_rank", [COMM_SLOW_LINK] = "slow_link", [COMM_LATENCY] = "latency",
		[COMM_TRANSFER] = "transfer", [COMM_UNKNOWN] = "unknown",
	};

	return (size_t)v < ARRAY_LEN(keys) ? keys[v] : "?";
}
