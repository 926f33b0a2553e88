/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communication of one rank: every collective once, with what its time was: moving data, waiting for peers, synchronising, idle. From the
 * exporter's communication file or database where there is one, else from the plane tasks of the timeline. And the verdict: is a rank late,
 * or is a link slow. Reports and rules call it once per work model.
 *
 * How the split is told from plane tasks (it gives the exporter's own figures on captures that have both, to a few ns): the plane that
 * counts is the first one, by plane number, that has a Notify_Wait within the collective. transit is the sum of its copies and reductions,
 * wait that of its Notify_Waits, sync the part of wait before its first transfer, idle = elapse - transit - wait. Other planes are not
 * looked at, so waiting for a peer on another plane shows as idle: idle is waiting too. Where that plane moves nothing although others do,
 * transit is that of the busiest one, held within elapse - wait. A file with such a 0 is put right too: by the time of its links over their
 * number. Where no plane moves anything and waits do not fill half of it, transit and idle stay unknown.
 */
#ifndef ASCOPE_CORE_ANALYSIS_COLLECTIVES_H
#define ASCOPE_CORE_ANALYSIS_COLLECTIVES_H

#include "core/analysis/steps.h"
#include "core/analysis/threshold.h"

enum comm_verdict { COMM_NONE, COMM_LATE_RANK, COMM_SLOW_LINK, COMM_LATENCY, COMM_TRANSFER, COMM_UNKNOWN };

struct collective {
	uint32_t name, group;
	enum subtype_id kind;		/* SUB_COLLECTIVE_* */
	int64_t start, elapse;		/* ns; NO_TIME when not given */
	int64_t transit, wait, sync, idle;	/* NO_TIME when unknown; sync is part of wait in the exporter's files */
	double size_mb;			/* moved by this rank, NaN unknown */
	double bandwidth_gbs;		/* size / link_ns: of one link, NaN unknown */
	int64_t link_ns;		/* time of its transfers, added over links that work at the same time; NO_TIME unknown */
	int64_t peer_wait;		/* the longest wait for one peer, on any plane: 0 unknown */
	int peer;			/* that rank, -1 unknown (told for the longest waits only) */
	uint32_t span;			/* index into work_model.spans, UINT32_MAX when not on the timeline */
	uint32_t step;
};

struct collectives {
	struct thresholds limits;	/* what the verdict was found with */
	struct collective *items;	/* by start */
	size_t n, cap;
	bool from_file;			/* transit and wait are the exporter's */
	bool has_split;			/* transit and wait are known */
	bool sizes_skipped;		/* sizes stand in the timeline only, in more events than are read again */
	int64_t elapse, transit, wait, sync, idle;	/* sums over the collectives that have each, ns */
	double size_mb, bandwidth_gbs;	/* total moved; total size / total time of the links; NaN unknown */
	double best_ratio;		/* bandwidth against the best of this rank for each transport and size, 0..1; NaN unknown */
	double small_share;		/* share of collectives below small_mb each, by count of those with a size; NaN unknown */
	double small_mb;
	int64_t median_ns;		/* of elapse, nearest rank; NO_TIME without collectives */
	int peer;			/* the rank that is waited for longest, -1 unknown */
	int64_t peer_wait;
	int slow_src, slow_dst;		/* the slow link of COMM_SLOW_LINK, else -1 */
	enum comm_verdict verdict;
	const char *reason;		/* a sentence with the figures; owned by `arena` */
	struct arena arena;
};

/*
 * Collectives of m and what they are. steps may be NULL or empty, t NULL for the defaults. *out is freed with collectives_done(); without
 * collectives it is empty and the verdict COMM_NONE. n log n. Reads at most a few thousand events again from the capture's files (sizes and peers).
 */
void collectives_find(const struct work_model *m, const struct steps *steps, const struct thresholds *t, struct collectives *out);
void collectives_done(struct collectives *c);
const char *comm_verdict_key(enum comm_verdict v);	/* "none", "late_rank", "slow_link", "latency", "transfer", "unknown" */

/*
 * Which rank the others wait for: by vote over the collectives of two ranks or more (same group and kind, same order). All leave a
 * collective together, so the one with the shortest time in it came last. When times differ by less than rankSpreadGate nobody was late.
 * Sends and receives do not vote: waiting in them is the shape of a pipeline. A rank stands out with more than half of the collectives
 * when compute times differ by rankSpreadGate or more, or with more than 80 % of them anyway; three collectives at least.
 */
struct rank_vote {
	int id;				/* of the rank */
	size_t votes;			/* collectives in which this rank was last (waited least) */
	int64_t wait, transit;		/* its sums */
	int64_t late_by;		/* how much longer than it others were in the collectives it was last in */
	int64_t compute;		/* union of compute; without spans: Computing of the step table; NO_TIME unknown */
};

struct late_rank {
	struct thresholds limits;	/* what the verdict was found with */
	struct rank_vote *ranks;	/* by index of the works array */
	size_t nranks, ncollectives;	/* collectives that were matched over ranks */
	size_t nties, nunmatched;	/* of them without a late one; without a partner */
	int late;			/* index of the late rank, -1 none stands out */
	int outside;			/* id of a rank that is not in the capture and that these wait for longest, -1 none */
	double spread_pct;		/* (max - min) / mean of compute over ranks, NaN unknown */
	const char *reason;
	struct arena arena;
};

/* works[i] and colls[i] are one rank; ranks may have different counts, no times, no spans. Freed with late_rank_done(). n log n. */
void late_rank_find(const struct work_model *const *works, const struct collectives *const *colls, size_t n, const struct thresholds *t,
		struct late_rank *out);
/* The same from a cluster folder alone (capture.cluster: communication with ranks, step table): ranks[] in order of rank id. */
void late_rank_of_cluster(const struct capture *c, const struct thresholds *t, struct late_rank *out);
void late_rank_done(struct late_rank *l);

#endif
