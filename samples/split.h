/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interval arithmetic over a capture: the unions behind the Overlap Analysis
 * lanes and the rows of step_trace_time. Everything in nanoseconds.
 */
#ifndef ASCOPE_SAMPLES_SPLIT_H
#define ASCOPE_SAMPLES_SPLIT_H

#include "samples/model.h"

struct spans {
	struct span *at;
	size_t n, room;
};

enum lane { LANE_COMPUTING, LANE_COMMUNICATION, LANE_NOT_OVERLAPPED, LANE_FREE, LANE_COUNT };

/* The lanes of one step (by number), or of the whole capture (step -1). */
struct lanes {
	struct spans lane[LANE_COUNT];
	int64_t first, last;	/* window: first start to last end of that work */
};

struct step_row {
	int64_t computing, not_overlapped, overlapped, communication, free, stage, preparing;
};

void lanes_make(const struct capture *c, int step, struct lanes *l);
void lanes_done(struct lanes *l);
int64_t spans_total(const struct spans *s);
struct step_row step_row_make(const struct capture *c, const struct step *s);

#endif
