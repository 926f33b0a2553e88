/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators: who takes the time. One row an operator type and side, from the kernel table where there is one (types, shapes, metrics), else
 * from the timeline's names; host operators by normalised name. Sums are labelled as sums; busy time is elsewhere (work.h).
 *
 * Every compute, collective and copy span is in exactly one device row. A span that the kernel table has too counts with the table's
 * duration (the exporter's own totals come from there; the timeline may differ by 1 ns); op_statistic is never added to anything.
 * Host times are self times: an operator inside another one counts once, in the inner one.
 */
#ifndef ASCOPE_CORE_ANALYSIS_OPS_H
#define ASCOPE_CORE_ANALYSIS_OPS_H

#include "core/analysis/steps.h"
#include "core/analysis/threshold.h"

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
	enum work kind;			/* WORK_COMPUTE, _COMMUNICATION, _COPY; host: WORK_HOST_OP or WORK_HOST_RUNTIME (CANN calls) */
	struct op_class class;		/* of the most time in it; other/unknown for CANN calls */
	enum core_kind core;		/* of the most time in it */
	size_t count;
	int64_t total_ns, min_ns, max_ns, p50_ns, p95_ns;	/* percentiles by nearest rank; host: of self times */
	int64_t inclusive_ns;		/* host: with what runs inside (its own calls inside it once); device: total_ns */
	int64_t wait_ns;		/* sum of the kernel table's wait times, NO_TIME when it gives none */
	enum bound bound;
	/* Ratios 0..1 weighted by time over all kernels of the row that have them, NaN absent. */
	double cube, vector, scalar, mte1, mte2, mte3, fixpipe;		/* scalar, mte2, mte3: of both cores, by their times */
	double aic_scalar, aic_mte2, aic_mte3, aiv_scalar, aiv_mte2, aiv_mte3;	/* the same apart, for the gates */
	double cube_use;		/* the exporter's cube_utilization: of all cube cores, not of those that ran */
	double block_fill;		/* share of its time in kernels whose block dim is a multiple of the cores, NaN unknown */
	size_t first, n;		/* its spans (device) or events (host): a run in op_table.members, by order of their indexes */
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
	size_t ndevice;			/* so many of them are device rows */
	uint32_t *members;		/* device rows: indexes into work_model.spans; host rows: event indexes */
	size_t nmembers;
	struct op_class_sum classes[CLASS_MAX];		/* device side; a span has the class of its row */
	uint32_t *row_of_span;		/* by span: its row, UINT32_MAX for waits */
	uint32_t *kernel_of_span;	/* by span: its row of the kernel table, UINT32_MAX when it has none */
	/*
	 * Sums of total_ns: device rows; framework operators; CANN calls. A CANN call runs inside an operator, so "all operator time" is
	 * device_ns + host_ns, without runtime_ns.
	 */
	int64_t device_ns, host_ns, runtime_ns;
	bool has_metrics;		/* pipe utilisation columns are there */
	int64_t cube_cores, vector_cores;	/* what block_fill compares with, 0 unknown */
	bool cores_assumed;		/* from the largest block dim of cube kernels (vector cores: twice that), not from the device's type */
	/* Weighted by time over all kernel rows that have them; cube core and vector core apart; NaN absent. */
	double aic_mac, aic_mte1, aic_mte2, aic_scalar, aic_fixpipe, aiv_vec, aiv_mte2, aiv_mte3, aiv_scalar, cube_use;
};

/*
 * Linear in events and rows but for sorting rows. Freed with ops_done(). Adds the names of types and normalised names to the names of the
 * capture: not for two threads at once on one capture. Bounds are decided with the default thresholds.
 */
void ops_find(const struct work_model *m, const struct classifier *cl, struct op_table *out);
void ops_done(struct op_table *t);

/* Decides the bound of every row again with these thresholds. */
void ops_set_bounds(struct op_table *t, const struct thresholds *th);

/* What bounds a kernel with these ratios (cube ... aiv_mte3 of the row, and its class). */
enum bound op_bound(const struct op_row *row, const struct thresholds *th);

/* A framework operator's name without its scope and overload: "aten::add.Tensor" -> "add"; see the rules in ops_name.c. */
uint32_t op_normal_name(struct names *names, uint32_t name);

const char *bound_key(enum bound b);
const char *bound_title(enum bound b);

#endif
