/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the device does nothing, and why. A gap is a time without compute, collective or copy between the first and the last of them,
 * longer than a floor. Each gets one cause, with the host events that filled it; all gaps are kept and summed. The times in which only the
 * host was recorded, before the first and after the last device work, are listed too, as GAP_EDGE.
 */
#ifndef ASCOPE_CORE_ANALYSIS_GAPS_H
#define ASCOPE_CORE_ANALYSIS_GAPS_H

#include "core/analysis/steps.h"

/* GAP(id, key, title, explanation) */
enum gap_cause {
#define GAP(id, key, title, text) GAP_##id,
#include "core/analysis/gap.def"
#undef GAP
	GAP_MAX
};

struct gap {
	int64_t start, end;
	enum gap_cause cause;
	enum confidence confidence;
	uint32_t before, after;		/* indexes into work_model.spans: the work that ends it and that begins after it; UINT32_MAX none */
	uint32_t launch;		/* event on the host that launched `after`, UINT32_MAX unknown */
	/* Of the threads that `after` was launched through where they are known, else of all. */
	int64_t host_busy;		/* ns of the gap in which the host was in an operator, a CANN call or queue work */
	uint32_t host[3];		/* what took most of it: outermost operators, else CANN calls, else innermost frames; 0 none */
	int64_t host_ns[3];
	uint32_t step;			/* index into steps, UINT32_MAX between or outside steps */
};

struct gap_sum {
	size_t count;
	int64_t total_ns, longest_ns;
};

struct gaps {
	struct gap *items;		/* by start */
	size_t n, cap;
	int64_t floor_ns;		/* gaps up to this are not listed, but counted in `below` */
	/* Busy time + all + below = last - first of the work model. Edges lie outside: they are in by_cause[GAP_EDGE] only. */
	struct gap_sum below, all, by_cause[GAP_MAX];
};

/*
 * floor_ns < 0: the default threshold (threshold.def, minGapUs). steps may be NULL. Freed with gaps_done(); *out is empty when the model
 * has no device work. Linear in events, gaps and overlaps of the two, but for sorting.
 */
void gaps_find(const struct work_model *m, const struct steps *steps, int64_t floor_ns, struct gaps *out);
void gaps_done(struct gaps *g);

const char *gap_key(enum gap_cause c);
const char *gap_title(enum gap_cause c);
const char *gap_text(enum gap_cause c);

#endif
