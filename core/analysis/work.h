/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a rank's time is work. Every event gets its kind (compute, collective, part of a collective, copy, wait, host operator, ...), and
 * the device's work becomes a list of spans in order of start and sets of intervals: busy time is a union, never a sum. Where a capture has
 * no timeline, the spans are the rows of its kernel table. Everything later (steps, gaps, indicators, shares) stands on this.
 *
 * Collectives count once, at group level; waits are never busy. One struct per rank and device: devices are not merged either.
 */
#ifndef ASCOPE_CORE_ANALYSIS_WORK_H
#define ASCOPE_CORE_ANALYSIS_WORK_H

#include "core/model/capture.h"
#include "core/model/classify.h"
#include "core/model/interval.h"

struct span {
	int64_t start, dur;		/* ns */
	uint32_t source;		/* event index, or row of the kernel table (work.from_table) */
	uint32_t name;
	enum work kind;			/* WORK_COMPUTE, WORK_COMMUNICATION, WORK_COPY or WORK_WAIT */
};

struct work_sets {
	struct intervals compute, comm, copy;	/* by kind, indexed: intervals_within() is O(log n) */
	struct intervals busy;			/* any of the three */
	struct intervals exposed;		/* comm without compute */
	struct intervals wait;			/* waiting tasks of the device: never part of busy */
	struct intervals host;			/* operators, CANN calls and queue work on the host; no Python frames, no step marks */
};

struct work_model {
	const struct capture *c;
	const struct rank *r;
	int device;			/* -1: the rank has only one */
	bool from_table;		/* spans are rows of the kernel table: no timeline */
	uint8_t *kind;			/* enum work by event, NULL without events */
	struct span *spans;		/* by start, longer first */
	size_t nspans, cap_spans;
	struct work_sets sets;
	int64_t first, last;		/* first start and last end of device work (compute, comm, copy); NO_TIME when there is none */
	size_t counts[WORK_MAX];	/* events (or rows) by kind */
};

/*
 * One model for each device of the rank (one when devices are not told apart). Returns an array of *n models, which the caller frees with
 * work_free(). `c` and `cl` must outlive them.
 */
struct work_model *work_new(const struct capture *c, const struct rank *r, const struct classifier *cl, size_t *n);
void               work_free(struct work_model *models, size_t n);

static inline int64_t span_end(const struct span *s)
{
	return s->start + s->dur;
}

#endif
