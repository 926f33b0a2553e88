/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the gap search share: the host by threads (gaps_host.c), what it was in (gaps_items.c), the evidence of the device
 * and the choice of a cause (gaps_cause.c). Only core/analysis/gaps*.c include this. Times are ns; both structs are freed by their _done().
 */
#ifndef ASCOPE_CORE_ANALYSIS_GAPS_PRIVATE_H
#define ASCOPE_CORE_ANALYSIS_GAPS_PRIVATE_H

#include "core/analysis/gaps.h"

#define NO_INDEX UINT32_MAX

/* What fills host time, the most telling first: a gap is described by the first of these that occurs in it. */
enum host_tier { TIER_OP, TIER_RUNTIME, TIER_QUEUE, TIER_FRAME, TIER_MAX };

/* One thread of the host: all lanes with its number, whatever the layer. */
struct host_thread {
	struct intervals busy;		/* operators, CANN calls, queue work, garbage collection */
	struct intervals sync;		/* calls that wait for the device */
	bool fed;			/* takes its work from another thread's queue */
};

/* A time in which one thread was in one outermost operator or call, or in one innermost Python frame. Disjoint by thread, lane and tier. */
struct host_item {
	int64_t start, end;
	uint32_t name, thread;
	enum host_tier tier;
};

/* The threads that a launch came through: who launched it, and who asked for it. n = 0: unknown, any of them. */
struct thread_set {
	uint32_t items[3];
	size_t n;
};

struct gap_host {
	const struct work_model *m;
	struct host_thread *threads;
	size_t nthreads, cap_threads;
	uint32_t *thread_of_lane;	/* NO_INDEX: no lane of the host */
	struct host_item *items;	/* by start; only those that reach into a gap */
	size_t n, cap;
	struct intervals busy, sync;	/* of all threads */
	int64_t first, last;		/* of all host events; NO_TIME when there are none */
};

/* The span that ends a gap and how it was launched. */
struct gap_launch {
	uint32_t event;			/* on the host, NO_INDEX unknown */
	int64_t time;			/* NO_TIME unknown */
	bool exact;			/* by the CANN call, not by the framework operator */
	struct thread_set threads;
};

/* gaps_host.c: threads, shares of a window */
void    gap_host_init(struct gap_host *h, const struct work_model *m);
void    gap_host_done(struct gap_host *h);
int64_t gap_host_busy(const struct gap_host *h, const struct thread_set *t, int64_t a, int64_t b);	/* ns in [a, b) */
int64_t gap_host_sync(const struct gap_host *h, const struct thread_set *t, int64_t a, int64_t b);

/* gaps_items.c: finds the items that reach into gaps; then fills host and host_ns of every gap, threads[i] being those of gaps[i] */
void gap_host_items(struct gap_host *h, const struct gap *gaps, size_t n);
void gap_host_names(const struct gap_host *h, struct gap *gaps, const struct thread_set *threads, size_t n);

/* gaps_cause.c */
struct gap_waits {
	struct intervals all, comm;	/* waiting tasks and parts of collectives on this device; those of collectives */
};

void gap_waits_init(struct gap_waits *w, const struct work_model *m);
void gap_waits_done(struct gap_waits *w);

/* How event `after` (a span's source) was launched. */
struct gap_launch gap_launch_of(const struct gap_host *h, uint32_t after);

/* Sets cause and confidence of a gap that is no edge. `before`, `after` and `launch` are set. */
void gap_decide(struct gap *g, const struct work_model *m, const struct gap_host *h, const struct gap_waits *w, const struct gap_launch *l);

#endif
