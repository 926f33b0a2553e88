/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is late: collectives of several ranks are matched by group, kind and order, and each match is a vote. Group and kind are compared as
 * text, so the ranks may come from different captures.
 */
#include "core/analysis/collectives_private.h"

#include "core/analysis/threshold.h"
#include "core/base/mem.h"
#include "core/base/sort.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double majority = 0.5, clear_majority = 0.8;

enum { COLLECTIVES_LEAST = 3 };		/* fewer are chance */

/* ---- what votes ------------------------------------------------------------------------------------------------------------------ */

struct voter {
	const struct collective *items;	/* by start */
	size_t n;
	const struct names *names;
};

/* One collective of one rank. */
struct entry {
	uint32_t key, rank;
	int64_t start, elapse;
	uint32_t used;			/* 1: has been matched */
};

struct ballot {
	struct entry *list;		/* by key, rank, start */
	size_t n, cap;
	struct names keys;
	struct late_rank *out;
	int64_t *lost;			/* by rank */
};

static bool is_number(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > 4;
}

/* "hcom_allReduce__586_0_1": 586, the end of the group's hash; empty when there is none. */
static struct str group_in_name(struct str name)
{
	for (size_t i = 0; i + 2 < name.n; i++)
		if (name.p[i] == '_' && name.p[i + 1] == '_') {
			size_t from = i + 2, to = from;

			while (to < name.n && name.p[to] >= '0' && name.p[to] <= '9')
				to++;
			if (to > from)
				return (struct str){ name.p + from, to - from };
		}
	return (struct str){ "", 0 };
}

/* The lanes of a text timeline number their groups rank by rank: only hashes and names that are no lanes are the same everywhere. */
static bool group_is_global(const struct voter *v, const struct collective *item)
{
	struct str group = names_str(v->names, item->group);

	return group.n && (is_number(group) || (!str_like(group, "Group * Communication") && !str_like(group, "#")));
}

static uint32_t key_of(struct ballot *b, const struct voter *v, const struct collective *item, bool by_group)
{
	struct str name = names_str(v->names, item->name), group = by_group ? names_str(v->names, item->group) : group_in_name(name);
	struct buf text = { 0 };
	uint32_t key;

	buf_add(&text, group.p, group.n);
	buf_printf(&text, "\n%s", subtype_key(item->kind));
	if (item->kind == SUB_COLLECTIVE_OTHER)
		buf_add(&text, name.p, name.n);
	key = names_add(&b->keys, (struct str){ text.p, text.n });
	buf_done(&text);
	return key;
}

static void ballot_fill(struct ballot *b, const struct voter *voters, size_t n)
{
	bool by_group = true;
	struct entry *sorted;
	uint64_t *keys;
	uint32_t *order;

	for (size_t r = 0; r < n; r++)
		for (size_t i = 0; i < voters[r].n && by_group; i++)
			by_group = group_is_global(&voters[r], &voters[r].items[i]);
	for (size_t r = 0; r < n; r++)
		for (size_t i = 0; i < voters[r].n; i++) {
			const struct collective *item = &voters[r].items[i];

			if (comm_is_p2p(item->kind) || item->elapse == NO_TIME)
				continue;
			ARRAY_PUSH(b, list, n, cap) = (struct entry){ key_of(b, &voters[r], item, by_group), (uint32_t)r, item->start,
				item->elapse, 0 };
		}
	keys = mem_alloc(b->n, sizeof *keys);
	order = mem_alloc(b->n, sizeof *order);
	sorted = mem_alloc(b->n, sizeof *sorted);
	for (size_t i = 0; i < b->n; i++)
		keys[i] = b->list[i].key;
	sort_by_key(keys, order, b->n);
	for (size_t i = 0; i < b->n; i++)
		sorted[i] = b->list[order[i]];
	free(b->list);
	b->list = sorted;
	free(keys);
	free(order);
}

/* ---- matching -------------------------------------------------------------------------------------------------------------------- */

/* One rank's collectives of one key. */
struct run {
	struct entry *items;
	size_t n, next;
};

static void vote(struct ballot *b, struct entry *const *of, size_t n)
{
	const struct entry *least = of[0], *most = of[0];

	for (size_t i = 0; i < n; i++) {
		of[i]->used = 1;
		least = of[i]->elapse < least->elapse ? of[i] : least;
		most = of[i]->elapse > most->elapse ? of[i] : most;
	}
	b->out->ncollectives++;
	if ((double)(most->elapse - least->elapse) * 100 < b->out->limits.v[TH_RANK_SPREAD] * (double)most->elapse || most->elapse == 0) {
		b->out->nties++;
		return;
	}
	b->out->ranks[least->rank].votes++;
	b->out->ranks[least->rank].late_by = time_add(b->out->ranks[least->rank].late_by, most->elapse - least->elapse);
}

static int64_t entry_end(const struct entry *e)
{
	return time_add(e->start, e->elapse);
}

/* The next one of the run that overlaps e, NULL when there is none. Among neighbours that do, the one that ends nearest. */
static struct entry *partner(struct run *r, const struct entry *e)
{
	struct entry *best = NULL;

	while (r->next < r->n && entry_end(&r->items[r->next]) <= e->start)
		r->next++;
	for (size_t i = r->next; i < r->n && r->items[i].start < entry_end(e); i++) {
		int64_t now = entry_end(&r->items[i]) - entry_end(e), before = best ? entry_end(best) - entry_end(e) : 0;

		if (best && llabs(now) >= llabs(before))
			break;
		best = &r->items[i];
		r->next = i + 1;
	}
	return best;
}

static bool run_has_times(const struct run *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->items[i].start < 0)		/* NO_TIME too */
			return false;
	return true;
}

/*
 * As many on all ranks: one to one, in order. Else one rank's capture began earlier or lost some: those that overlap in time belong
 * together; without times, in order from the first.
 */
static void runs_match(struct ballot *b, struct run *runs, size_t n, struct entry **of)
{
	size_t least = 0;
	bool even = true, times = true;

	for (size_t i = 0; i < n; i++) {
		least = runs[i].n < runs[least].n ? i : least;
		even &= runs[i].n == runs[0].n;
		times &= run_has_times(&runs[i]);
	}
	for (size_t k = 0; k < runs[least].n; k++) {
		bool whole = true;

		for (size_t i = 0; i < n; i++) {
			of[i] = even || !times || i == least ? &runs[i].items[k] : partner(&runs[i], &runs[least].items[k]);
			whole &= of[i] != NULL;
		}
		if (whole)
			vote(b, of, n);
	}
}

static void ballot_count(struct ballot *b, size_t nranks)
{
	struct run *runs = mem_alloc(nranks, sizeof *runs);
	struct entry **of = mem_alloc(nranks, sizeof(struct entry *));

	for (size_t i = 0; i < b->n;) {
		uint32_t key = b->list[i].key;
		size_t n = 0;

		while (i < b->n && b->list[i].key == key) {
			uint32_t rank = b->list[i].rank;

			runs[n] = (struct run){ .items = &b->list[i] };
			while (i < b->n && b->list[i].key == key && b->list[i].rank == rank)
				i++, runs[n].n++;
			n++;
		}
		if (n > 1)
			runs_match(b, runs, n, of);
	}
	for (size_t i = 0; i < b->n; i++)
		b->out->nunmatched += !b->list[i].used;
	free(runs);
	free(of);
}

/* ---- compute --------------------------------------------------------------------------------------------------------------------- */

static void spread_find(struct late_rank *out)
{
	double sum = 0, least = INFINITY, most = 0;

	out->spread_pct = (double)NAN;
	for (size_t i = 0; i < out->nranks; i++) {
		double t = (double)out->ranks[i].compute;

		if (out->ranks[i].compute == NO_TIME)
			return;
		sum += t;
		least = MIN(least, t);
		most = MAX(most, t);
	}
	if (out->nranks && sum > 0)
		out->spread_pct = 100 * (most - least) * (double)out->nranks / sum;
}

/* Computing of a step table over its steps, in ns; NO_TIME when it has none. */
static int64_t step_table_compute(const struct rank *r, const struct table *t)
{
	const struct column *computing = t ? table_col(t, COL_COMPUTING) : NULL;
	double sum = 0;

	if (!computing || !(r->step_unit_ns > 0))
		return NO_TIME;
	for (size_t i = 0; i < t->nrows; i++)
		if (computing->real[i] > 0)
			sum += computing->real[i];
	sum *= r->step_unit_ns;
	return sum > 0 && sum < 9e18 ? (int64_t)(sum + 0.5) : NO_TIME;
}

/* All ranks by the same source: spans where all have them, else the step table. */
static void compute_of_works(const struct work_model *const *works, size_t n, struct late_rank *out)
{
	bool spans = true;

	for (size_t i = 0; i < n; i++)
		spans &= works[i]->sets.compute.n > 0;
	for (size_t i = 0; i < n; i++)
		out->ranks[i].compute = spans ? intervals_total(&works[i]->sets.compute)
			: step_table_compute(works[i]->r, works[i]->r->tables[ART_STEP_TRACE_TIME]);
}

/* ---- who stands out -------------------------------------------------------------------------------------------------------------- */

static size_t most_votes(const struct late_rank *l)
{
	size_t top = 0;

	for (size_t i = 1; i < l->nranks; i++)
		if (l->ranks[i].votes > l->ranks[top].votes)
			top = i;
	return top;
}

static void say_compute(const struct late_rank *l, size_t top, struct buf *b)
{
	double sum = 0, own = (double)l->ranks[top].compute, others;

	if (isnan(l->spread_pct))
		return;
	for (size_t i = 0; i < l->nranks; i++)
		sum += (double)l->ranks[i].compute;
	others = (sum - own) / (double)(l->nranks - 1);
	if (others <= 0)
		return;
	if (own > others * (1 + l->limits.v[TH_RANK_SPREAD] / 100))
		buf_printf(b, "; it computes %.2f ms, %.1f %% more than the mean of the others: its kernels are slow or it has more work",
			own / 1e6, 100 * (own / others - 1));
	else
		buf_printf(b, "; it computes %.2f ms, not more than the others (%.2f ms): look at its host and its gaps", own / 1e6,
			others / 1e6);
}

static void say_result(struct late_rank *l, struct buf *b)
{
	size_t top = most_votes(l);
	const struct rank_vote *r = &l->ranks[top];
	double share = (double)r->votes / (double)l->ncollectives;
	bool differs = l->spread_pct >= l->limits.v[TH_RANK_SPREAD];

	if (l->ncollectives >= COLLECTIVES_LEAST && (share > clear_majority || (share > majority && differs)))
		l->late = (int)top;
	if (l->late >= 0) {
		buf_printf(b, "the others wait for rank %d: it was last in %zu of %zu collectives (%.0f %%), by %.2f ms in all", r->id,
			r->votes, l->ncollectives, share * 100, time_ms(r->late_by));
		say_compute(l, top, b);
		return;
	}
	buf_printf(b, "no rank stands out in %zu collectives of %zu ranks", l->ncollectives, l->nranks);
	if (r->votes)
		buf_printf(b, ": rank %d was last most often, in %zu (%.0f %%), by %.2f ms in all", r->id, r->votes, share * 100,
			time_ms(r->late_by));
	if (l->nties)
		buf_printf(b, "; in %zu all came within %.0f %%", l->nties, l->limits.v[TH_RANK_SPREAD]);
	if (l->ncollectives < COLLECTIVES_LEAST)
		buf_printf(b, "; fewer than %d tell nothing", COLLECTIVES_LEAST);
	if (!isnan(l->spread_pct))
		buf_printf(b, "; compute differs by %.1f %%", l->spread_pct);
}

static void conclude(struct late_rank *l)
{
	struct buf b = { 0 };

	if (l->nranks < 2)
		buf_str(&b, l->nranks ? "there is one rank only: nothing to compare it with" : "there is no rank");
	else if (!l->ncollectives)
		buf_str(&b, "the ranks have no collective in common");
	else
		say_result(l, &b);
	if (l->outside >= 0)
		buf_printf(&b, "; the ranks of this capture wait longest for rank %d, which is not in it", l->outside);
	l->reason = arena_copy(&l->arena, b.p ? b.p : "", b.n);
	buf_done(&b);
}

static void late_rank_start(struct late_rank *out, size_t n)
{
	*out = (struct late_rank){ .late = -1, .outside = -1, .nranks = n, .spread_pct = (double)NAN };
	out->ranks = mem_zalloc(n, sizeof *out->ranks);
}

static void run_vote(const struct voter *voters, size_t n, struct late_rank *out)
{
	struct ballot b = { .out = out };

	names_init(&b.keys);
	ballot_fill(&b, voters, n);
	ballot_count(&b, n);
	names_done(&b.keys);
	free(b.list);
	for (size_t r = 0; r < n; r++)
		for (size_t i = 0; i < voters[r].n; i++) {
			out->ranks[r].wait = time_add(out->ranks[r].wait, voters[r].items[i].wait);
			out->ranks[r].transit = time_add(out->ranks[r].transit, voters[r].items[i].transit);
		}
	spread_find(out);
}

/* ---- ranks that are not there ---------------------------------------------------------------------------------------------------- */

static bool is_among(const struct work_model *const *works, size_t n, int id)
{
	for (size_t i = 0; i < n; i++)
		if (works[i]->r->id == id)
			return true;
	return false;
}

/* The rank outside that most of these wait longest for, when they are all of one mind. */
static int outside_find(const struct work_model *const *works, const struct collectives *const *colls, size_t n)
{
	int peer = -1;

	for (size_t i = 0; i < n; i++) {
		if (colls[i]->peer < 0 || colls[i]->verdict != COMM_LATE_RANK)
			continue;
		if (peer >= 0 && colls[i]->peer != peer)
			return -1;
		peer = colls[i]->peer;
	}
	return peer >= 0 && !is_among(works, n, peer) ? peer : -1;
}

void late_rank_find(const struct work_model *const *works, const struct collectives *const *colls, size_t n, const struct thresholds *t,
		struct late_rank *out)
{
	struct voter *voters = mem_alloc(n, sizeof *voters);

	late_rank_start(out, n);
	thresholds_choose(&out->limits, t);
	for (size_t i = 0; i < n; i++) {
		voters[i] = (struct voter){ colls[i]->items, colls[i]->n, &works[i]->c->names };
		out->ranks[i].id = works[i]->r->id;
	}
	compute_of_works(works, n, out);
	run_vote(voters, n, out);
	out->outside = outside_find(works, colls, n);
	conclude(out);
	free(voters);
}

/* ---- cluster folders ------------------------------------------------------------------------------------------------------------- */

static int int_compare(const void *x, const void *y)
{
	int a = *(const int *)x, b = *(const int *)y;

	return (a > b) - (a < b);
}

/* The ranks that ops name, in rising order; the caller frees. */
static int *ranks_of_comm(const struct comm *comm, size_t *n)
{
	int *ids = mem_alloc(comm->nops, sizeof *ids);
	size_t all = 0;

	*n = 0;
	for (size_t i = 0; i < comm->nops; i++)
		if (comm->ops[i].rank >= 0 && !comm->ops[i].total)
			ids[all++] = comm->ops[i].rank;
	qsort(ids, all, sizeof *ids, int_compare);
	for (size_t i = 0; i < all; i++)
		if (!i || ids[i] != ids[i - 1])
			ids[(*n)++] = ids[i];
	return ids;
}

/* Computing of a rank's rows in the cluster's step table: Type "rank", Index its id. */
static int64_t cluster_compute(const struct capture *c, int id)
{
	const struct table *t = c->cluster.tables[ART_CLUSTER_STEP];
	const struct column *type = t ? table_col(t, COL_TYPE) : NULL, *index = t ? table_col(t, COL_INDEX) : NULL;
	const struct column *computing = t ? table_col(t, COL_COMPUTING) : NULL;
	char text[16];
	double sum = 0;

	if (!type || !index || !computing || !(c->cluster.step_unit_ns > 0))
		return NO_TIME;
	snprintf(text, sizeof text, "%d", id);
	for (size_t i = 0; i < t->nrows; i++)
		if (str_is(names_str(&c->names, type->text[i]), STR("rank")) && str_is(names_str(&c->names, index->text[i]), str_of(text))
				&& computing->real[i] > 0)
			sum += computing->real[i];
	sum *= c->cluster.step_unit_ns;
	return sum > 0 && sum < 9e18 ? (int64_t)(sum + 0.5) : NO_TIME;
}

/* One pass over the ops, however many ranks there are. */
static void items_of_ranks(const struct capture *c, const int *ids, size_t n, struct collectives *colls)
{
	struct comm_kinds kinds = { .cl = classifier_new(NULL), .names = &c->names };
	const struct comm *comm = &c->cluster.comm;
	struct index_map links = { 0 };

	for (size_t i = 0; i < comm->nops; i++) {
		const int *at = comm->ops[i].total ? NULL : bsearch(&comm->ops[i].rank, ids, n, sizeof *ids, int_compare);
		struct collective item;

		if (!at)
			continue;
		item = collective_of_op(comm, &comm->ops[i], &kinds, &links);
		ARRAY_PUSH(&colls[at - ids], items, n, cap) = item;
	}
	index_map_done(&links);
	comm_kinds_done(&kinds);
}

void late_rank_of_cluster(const struct capture *c, const struct thresholds *t, struct late_rank *out)
{
	size_t n;
	int *ids = ranks_of_comm(&c->cluster.comm, &n);
	struct collectives *colls = mem_zalloc(n, sizeof *colls);
	struct voter *voters = mem_alloc(n, sizeof *voters);

	late_rank_start(out, n);
	thresholds_choose(&out->limits, t);
	items_of_ranks(c, ids, n, colls);
	for (size_t i = 0; i < n; i++) {
		out->ranks[i].id = ids[i];
		out->ranks[i].compute = cluster_compute(c, ids[i]);
		collectives_sort(&colls[i]);
		voters[i] = (struct voter){ colls[i].items, colls[i].n, &c->names };
	}
	run_vote(voters, n, out);
	conclude(out);
	for (size_t i = 0; i < n; i++)
		free(colls[i].items);
	free(colls);
	free(voters);
	free(ids);
}

void late_rank_done(struct late_rank *l)
{
	free(l->ranks);
	arena_done(&l->arena);
	*l = (struct late_rank){ 0 };
}
