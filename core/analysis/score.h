/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The four scores of a scope, 0 to 100, each with its gates, its terms and what would have to change. A bottleneck is located when its gates
 * hold and its score reaches the trigger. The headline is the located one with the highest score; among host, communication and copy, which
 * all keep kernels from running, the one that costs the most time.
 *
 * Severity of a gate: 0 when it fails, 0.5 at the gate, 1 at twice the gate ("at least" gates) or at half of it ("at most" gates).
 */
#ifndef ASCOPE_CORE_ANALYSIS_SCORE_H
#define ASCOPE_CORE_ANALYSIS_SCORE_H

#include "core/analysis/indicator.h"

enum bottleneck { BN_HOST, BN_COMPUTE, BN_COMM, BN_COPY, BN_MAX, BN_NONE = BN_MAX };
enum relation { REL_AT_LEAST, REL_AT_MOST };

struct gate {
	enum indicator indicator;
	enum threshold threshold;
	enum relation relation;
	double value, limit;		/* value is NaN when the capture cannot tell */
	bool passed, required;		/* required: without it there is no score */
	double severity, points;	/* what it adds to the score */
};

enum { GATES_MAX = 6 };

struct score {
	enum bottleneck type;
	double score;			/* 0..100, one decimal */
	bool located;
	bool evaluable;			/* false: a required indicator is unknown */
	struct gate gates[GATES_MAX];
	size_t ngates;
	const char *subtype;		/* "compute-bound", "memory-bound", "low-efficiency", "latency", "bandwidth", "wait", or "" */
};

struct verdict {
	struct score scores[BN_MAX];
	enum bottleneck headline;	/* BN_NONE: balanced */
	enum confidence confidence;
};

void verdict_of(const struct scope *s, const struct thresholds *t, struct verdict *v);

const char *bottleneck_key(enum bottleneck b);		/* "host", "compute", "communication", "copy", "none" */
const char *bottleneck_title(enum bottleneck b);

#endif
