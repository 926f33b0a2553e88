/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the time in collectives says. Bandwidth is held against the best seen for the same transport and size in this capture, never against
 * a number of some product; a link is called slow only when the traffic between two ranks shows it.
 */
#include "core/analysis/collectives_private.h"

#include "core/analysis/threshold.h"
#include "core/base/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Below this share of the best bandwidth a link is slow; the time lost on it must be this share of all link time to be worth a verdict. */
static const double slow_ratio = 0.8, lost_share = 0.05;

/* ---- the best bandwidth by transport and size ------------------------------------------------------------------------------------ */

struct best {
	struct index_map at;		/* transport and power of two of the size, to index + 1 */
	double *gbs;
	size_t n, cap;
};

static double *best_slot(struct best *b, uint32_t transport, double size_mb)
{
	int power = 0;
	uint32_t *slot;

	frexp(size_mb, &power);
	slot = index_map_slot(&b->at, (uint64_t)transport << 32 | (uint32_t)(power + 4096));
	if (!*slot) {
		ARRAY_PUSH(b, gbs, n, cap) = 0;
		*slot = (uint32_t)b->n;
	}
	return &b->gbs[*slot - 1];
}

static void best_done(struct best *b)
{
	index_map_done(&b->at);
	free(b->gbs);
}

static bool has_rate(double size_mb, int64_t ns)
{
	return size_mb > 0 && isfinite(size_mb) && ns > 0;
}

static double rate_gbs(double size_mb, int64_t ns)
{
	return size_mb * 1e6 / (double)ns;
}

/* This rank's transfers against its own best: time they would take at that over the time they took. */
static double best_ratio(const struct work_model *m)
{
	const struct comm *comm = &m->r->comm;
	struct best best = { 0 };
	double ideal = 0, real = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < comm->nops; i++) {
			const struct comm_op *op = &comm->ops[i];

			for (size_t k = 0; !op->total && k < op->ntransports && op->first_transport + k < comm->ntransports; k++) {
				const struct comm_transport *t = &comm->transports[op->first_transport + k];
				double *slot;

				if (!has_rate(t->size_mb, t->transit_ns))
					continue;
				slot = best_slot(&best, t->kind, t->size_mb);
				if (pass == 0) {
					*slot = MAX(*slot, rate_gbs(t->size_mb, t->transit_ns));
					continue;
				}
				ideal += t->size_mb * 1e6 / *slot;
				real += (double)t->transit_ns;
			}
		}
	best_done(&best);
	return real > 0 ? ideal / real : (double)NAN;
}

/* ---- links ----------------------------------------------------------------------------------------------------------------------- */

struct link_rate {
	int src, dst;
	uint32_t transport;
	double gbs, best_gbs, lost_ns;
};

static bool edge_counts(const struct names *names, const struct comm_edge *e)
{
	return has_rate(e->size_mb, e->transit_ns) && e->src >= 0 && e->dst >= 0 && e->src != e->dst
		&& !str_is(names_str(names, e->transport), STR("LOCAL"));
}

static void best_of_edges(const struct names *names, const struct comm *comm, struct best *best)
{
	for (size_t i = 0; i < comm->nedges; i++) {
		const struct comm_edge *e = &comm->edges[i];
		double *slot;

		if (!edge_counts(names, e))
			continue;
		slot = best_slot(best, e->transport, e->size_mb);
		*slot = MAX(*slot, rate_gbs(e->size_mb, e->transit_ns));
	}
}

/* The exporter sums up each kind in a "-total" row and shows the fastest and slowest calls apart: only totals count where there are any. */
static bool edge_is_total(const struct names *names, const struct comm_edge *e)
{
	return str_ends(names_str(names, e->op), STR("-total"));
}

/* The link of this rank on which most time is lost against the best of all ranks. False when none is slow. */
static bool slow_link_find(const struct work_model *m, struct link_rate *worst)
{
	const struct comm *comm = &m->r->comm;
	const struct names *names = &m->c->names;
	struct best best = { 0 };
	bool totals = false;
	double all = 0;

	*worst = (struct link_rate){ .lost_ns = 0 };
	for (size_t i = 0; i < m->c->nranks; i++)
		best_of_edges(names, &m->c->ranks[i].comm, &best);
	best_of_edges(names, &m->c->cluster.comm, &best);
	for (size_t i = 0; i < comm->nedges; i++)
		totals |= edge_is_total(names, &comm->edges[i]);
	for (size_t i = 0; i < comm->nedges; i++) {
		const struct comm_edge *e = &comm->edges[i];
		double top, gbs, lost;

		if (!edge_counts(names, e) || (totals && !edge_is_total(names, e)))
			continue;
		all += (double)e->transit_ns;
		gbs = rate_gbs(e->size_mb, e->transit_ns);
		top = *best_slot(&best, e->transport, e->size_mb);
		top = MAX(top, gbs);		/* a work model's rank need not be one of the capture's */
		lost = (double)e->transit_ns * (1 - gbs / top);
		if (gbs < slow_ratio * top && lost > worst->lost_ns)
			*worst = (struct link_rate){ e->src, e->dst, e->transport, gbs, top, lost };
	}
	best_done(&best);
	return worst->lost_ns > lost_share * all;
}

/* ---- verdict --------------------------------------------------------------------------------------------------------------------- */

struct shares {
	int64_t split, transit;		/* elapse of the collectives with a split, and their transit */
	int64_t p2p_waits;		/* not transit, in sends and receives */
	int64_t brief;			/* elapse of collectives up to the latency limit */
	int64_t limit;			/* that, ns */
};

static struct shares shares_find(const struct collectives *c)
{
	struct shares s = { .limit = (int64_t)(c->limits.v[TH_COMM_LATENCY] * 1000) };

	for (size_t i = 0; i < c->n; i++) {
		const struct collective *item = &c->items[i];

		if (!collective_has_split(item))
			continue;
		s.split = time_add(s.split, item->elapse);
		s.transit = time_add(s.transit, item->transit);
		if (comm_is_p2p(item->kind))
			s.p2p_waits = time_add(s.p2p_waits, MAX(item->elapse - item->transit, 0));
		if (item->elapse <= s.limit)
			s.brief = time_add(s.brief, item->elapse);
	}
	return s;
}

/* "; a link moves data at 15.7 GB/s" */
static void say_link(const struct collectives *c, struct buf *b)
{
	if (!isnan(c->bandwidth_gbs))
		buf_printf(b, "; a link moves data at %.1f GB/s", c->bandwidth_gbs);
	if (!isnan(c->best_ratio))
		buf_printf(b, " (%.0f %% of the best seen for each transport and size)", c->best_ratio * 100);
}

static void say_unknown(const struct work_model *m, const struct collectives *c, const struct shares *s, bool planes, struct buf *b)
{
	bool file = comm_count(&m->r->comm) > 0;

	buf_printf(b, "%zu collectives, %.2f ms, median %.1f us: what of it is transfer and what is waiting is not known; ", c->n,
		time_ms(c->elapse), time_ms(c->median_ns) * 1000);
	if (!isnan(c->size_mb))
		buf_printf(b, "%.1f MB; ", c->size_mb);
	if (file && m->r->comm.unofficial)
		buf_str(b, "communication.json gives only durations and sizes, ");
	else if (file)
		buf_printf(b, "the communication file tells it for %.2f ms, ", time_ms(s->split));
	else
		buf_str(b, "there is no communication.json and no communication table of a database, ");
	buf_str(b, planes ? "and the plane tasks of the timeline show too few transfers and waits" : "and the timeline has no plane tasks");
	buf_str(b, "; collect again with profiler level 1");
}

static void say_slow(const struct work_model *m, const struct link_rate *l, struct buf *b)
{
	buf_printf(b, "the link from rank %d to rank %d is slow: %.1f GB/s over %s, ", l->src, l->dst, l->gbs,
		names_text(&m->c->names, l->transport));
	buf_printf(b, "%.0f %% of the best seen for that size (%.1f GB/s)", 100 * l->gbs / l->best_gbs, l->best_gbs);
}

static void say_waits(const struct work_model *m, const struct collectives *c, const struct shares *s, struct buf *b)
{
	struct link_rate slow;
	double share = 100 * (double)s->transit / (double)s->split;

	buf_printf(b, "this rank waits for a peer: of %.2f ms in %zu collectives %.2f ms (%.1f %%) move data, the rest is waiting",
		time_ms(s->split), c->n, time_ms(s->transit), share);
	if (s->p2p_waits > (s->split - s->transit) / 2)
		buf_printf(b, ", %.2f ms of it in sends and receives (pipeline stages wait for each other)", time_ms(s->p2p_waits));
	if (c->peer >= 0)
		buf_printf(b, "; it waits longest for rank %d (%.2f ms)", c->peer, time_ms(c->peer_wait));
	if (slow_link_find(m, &slow)) {
		buf_str(b, "; besides, ");
		say_slow(m, &slow, b);
	} else if (!isnan(c->bandwidth_gbs)) {
		buf_printf(b, "; the link is fine: it moves data at %.1f GB/s", c->bandwidth_gbs);
	}
}

static void say_latency(const struct collectives *c, const struct shares *s, struct buf *b)
{
	buf_printf(b, "the collectives are short: %zu of median %.1f us (limit %.0f us)", c->n, time_ms(c->median_ns) * 1000,
		(double)s->limit / 1000);
	buf_str(b, ", so their number and start-up decide, not the bandwidth");
	if (!isnan(c->size_mb))
		buf_printf(b, "; mean size %.3f MB", c->size_mb / (double)c->n);
	say_link(c, b);
}

static void say_transfer(const struct work_model *m, const struct collectives *c, const struct shares *s, struct buf *b)
{
	buf_printf(b, "the time goes into moving data: %.2f of %.2f ms (%.1f %%) in %zu collectives", time_ms(s->transit),
		time_ms(s->split), 100 * (double)s->transit / (double)s->split, c->n);
	if (!isnan(c->size_mb))
		buf_printf(b, " for %.1f MB", c->size_mb);
	say_link(c, b);
	if (!(c->best_ratio < slow_ratio))
		return;
	buf_str(b, m->r->comm.nedges ? "; no pair of ranks is slower than others"
		: "; without communication_matrix.json no link can be named");
}

static enum comm_verdict judge_transfers(const struct work_model *m, struct collectives *c, const struct shares *s, struct buf *b)
{
	struct link_rate slow;

	if (slow_link_find(m, &slow)) {
		c->slow_src = slow.src;
		c->slow_dst = slow.dst;
		say_slow(m, &slow, b);
		return COMM_SLOW_LINK;
	}
	say_transfer(m, c, s, b);
	return COMM_TRANSFER;
}

static enum comm_verdict judge(const struct work_model *m, bool planes, struct collectives *c, struct buf *b)
{
	struct shares s = shares_find(c);
	bool moves, brief;

	if (!c->n) {
		buf_str(b, "no collective in this capture");
		return COMM_NONE;
	}
	if (!c->has_split || s.split <= 0 || s.split < c->elapse / 2) {
		say_unknown(m, c, &s, planes, b);
		return COMM_UNKNOWN;
	}
	c->best_ratio = best_ratio(m);
	moves = (double)s.transit * 100 >= c->limits.v[TH_TRANSIT_SHARE] * (double)s.split;
	/* Waiting inside short collectives is their own start-up, not a peer that is late. */
	brief = moves ? c->median_ns <= s.limit : s.brief > s.split / 2;
	if (brief) {
		say_latency(c, &s, b);
		return COMM_LATENCY;
	}
	if (moves)
		return judge_transfers(m, c, &s, b);
	say_waits(m, c, &s, b);
	return COMM_LATE_RANK;
}

void collectives_judge(const struct work_model *m, bool planes, struct collectives *c)
{
	struct buf b = { 0 };

	c->verdict = judge(m, planes, c, &b);
	if (c->sizes_skipped)
		buf_str(&b, "; sizes stand in the timeline only and are left out, there are too many transfers");
	c->reason = arena_copy(&c->arena, b.p, b.n);
	buf_done(&b);
}
