/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communication of one rank: every collective once, with what its time was: moving data, waiting for peers, synchronising, idle. From the
 * exporter's communication file or database where there is one, else from the plane tasks of the timeline. And the verdict: is a rank late,
 * or is a link slow.
 */
#ifndef ASCOPE_CORE_ANALYSIS_COLLECTIVES_H
#define ASCOPE_CORE_ANALYSIS_COLLECTIVES_H

#include "core/analysis/steps.h"

enum comm_verdict { COMM_NONE, COMM_LATE_RANK, COMM_SLOW_LINK, COMM_LATENCY, COMM_TRANSFER, COMM_UNKNOWN };

struct collective {
	uint32_t name, group;
	enum subtype_id kind;		/* SUB_COMMUNICATION_* */
	int64_t start, elapse;		/* ns; start NO_TIME when not given */
	int64_t transit, wait, sync, idle;	/* NO_TIME when unknown; sync is part of wait in the exporter's files */
	double size_mb;			/* moved by this rank, NaN unknown */
	double bandwidth_gbs;		/* size / transit, NaN unknown */
	uint32_t span;			/* index into work_model.spans, UINT32_MAX when not on the timeline */
	uint32_t step;
};

struct collectives {
	struct collective *items;	/* by start */
	size_t n, cap;
	bool from_file;			/* transit and wait are the exporter's */
	bool has_split;			/* transit and wait are known */
	int64_t elapse, transit, wait, sync, idle;	/* sums over collectives, ns */
	double size_mb, bandwidth_gbs;	/* total moved; total size / total transit */
	double small_share;		/* share of collectives below small_mb each, by count */
	double small_mb;
	int64_t median_ns;		/* of elapse */
	enum comm_verdict verdict;
	const char *reason;		/* a sentence with the figures; owned by `arena` */
	struct arena arena;
};

void collectives_find(const struct work_model *m, const struct steps *steps, struct collectives *out);
void collectives_done(struct collectives *c);
const char *comm_verdict_key(enum comm_verdict v);	/* "none", "late_rank", "slow_link", "latency", "transfer", "unknown" */

/* Which rank the others wait for: by vote over the collectives that all ranks take part in (same group, same order). */
struct rank_vote {
	size_t votes;			/* collectives in which this rank was last (waited least) */
	int64_t wait, transit;		/* its sums */
	int64_t compute;		/* union of compute */
};

struct late_rank {
	struct rank_vote *ranks;	/* by index of the works array */
	size_t nranks, ncollectives;
	int late;			/* index of the late rank, -1 none stands out */
	double spread_pct;		/* (max - min) / mean of compute over ranks */
	const char *reason;
	struct arena arena;
};

void late_rank_find(const struct work_model *const *works, const struct collectives *const *colls, size_t n, struct late_rank *out);
void late_rank_done(struct late_rank *l);

#endif
