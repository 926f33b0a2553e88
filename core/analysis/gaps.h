/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the device does nothing, and why. A gap is a time without compute, collective or copy between the first and the last of them (or
 * inside one step window), longer than a floor. Each gets one cause, with the host events that filled it; all gaps are kept and summed.
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
	int64_t host_busy;		/* ns of the gap in which the host was in an operator or a CANN call */
	uint32_t host[3];		/* names of the host operators with most time inside the gap (outermost operators), 0 none */
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
	struct gap_sum below, all, by_cause[GAP_MAX];
};

/* floor_ns < 0: the default threshold (thresholds.def, minGapUs). Freed with gaps_done(). Linear in events and gaps. */
void gaps_find(const struct work_model *m, const struct steps *steps, int64_t floor_ns, struct gaps *out);
void gaps_done(struct gaps *g);

const char *gap_key(enum gap_cause c);
const char *gap_title(enum gap_cause c);
const char *gap_text(enum gap_cause c);

#endif
