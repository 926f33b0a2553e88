/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators: who takes the time. One row an operator type and side, from the kernel table where there is one (types, shapes, metrics), else
 * from the timeline's names; host operators by normalised name. Sums are labelled as sums; busy time is elsewhere (work.h).
 */
#ifndef ASCOPE_CORE_ANALYSIS_OPS_H
#define ASCOPE_CORE_ANALYSIS_OPS_H

#include "core/analysis/steps.h"

enum op_side { SIDE_DEVICE, SIDE_HOST };

/* Which unit a kernel's time goes to. BOUND(id, key, title) */
enum bound {
#define BOUND(id, key, title) BOUND_##id,
#include "core/analysis/bound.def"
#undef BOUND
	BOUND_MAX
};

struct op_row {
	uint32_t name;			/* operator type (device) or normalised name (host) */
	enum op_side side;
	struct op_class class;
	enum core_kind core;
	size_t count;
	int64_t total_ns, min_ns, max_ns, p50_ns, p95_ns, wait_ns;	/* percentiles by nearest rank */
	enum bound bound;
	double cube, vector, scalar, mte1, mte2, mte3, fixpipe;		/* ratios 0..1 weighted by time over all rows that have them, NaN absent */
	double block_fill;		/* share of its time in kernels whose block dim is a multiple of the cores, NaN unknown */
	size_t first, n;		/* its spans (device) or events (host): a run in op_table.members */
};

struct op_class_sum {
	enum class_id class;
	size_t count;
	int64_t total_ns;
	struct intervals set;		/* union of its spans, normalised and indexed (device side only) */
};

struct op_table {
	struct op_row *rows;		/* device rows by falling total, then host rows by falling total */
	size_t n, cap;
	uint32_t *members;		/* device rows: indexes into work_model.spans; host rows: event indexes */
	size_t nmembers;
	struct op_class_sum classes[CLASS_MAX];		/* device side */
	uint32_t *row_of_span;		/* by span: its row, UINT32_MAX for waits */
	int64_t device_ns, host_ns;	/* sums of totals by side */
	bool has_metrics;		/* pipe utilisation columns are there */
	/* Weighted by time over all kernel rows that have them; cube core and vector core apart; NaN absent. */
	double aic_mac, aic_mte1, aic_mte2, aic_scalar, aic_fixpipe, aiv_vec, aiv_mte2, aiv_mte3, aiv_scalar;
};

/* Linear in events and rows but for sorting. Freed with ops_done(). */
void ops_find(const struct work_model *m, const struct classifier *cl, struct op_table *out);
void ops_done(struct op_table *t);

/* A framework operator's name without its scope and overload: "aten::add.Tensor" -> "add"; see the rules in ops_name.c. */
uint32_t op_normal_name(struct names *names, uint32_t name);

const char *bound_key(enum bound b);
const char *bound_title(enum bound b);

#endif
