/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole analysis of a capture: one unit a rank and device with its facts, scopes and verdicts; findings and advice over them; checks
 * against the exporter's own figures. Made by analysis_run() from an immutable capture, immutable afterwards. Everything a face shows (text,
 * JSON, Markdown, HTML, panes) is read from here.
 */
#ifndef ASCOPE_CORE_ANALYSIS_ANALYSIS_H
#define ASCOPE_CORE_ANALYSIS_ANALYSIS_H

#include "core/analysis/finding.h"
#include "core/base/diag.h"
#include "core/base/progress.h"

enum { SCOPES_MAX = 3 };		/* overall, prefill, decode */

struct unit {
	int rank;			/* index into capture.ranks */
	const struct work_model *work;
	struct steps steps;
	struct gaps gaps;
	struct op_table ops;
	struct collectives colls;
	struct facts facts;		/* pointers to the above */
	struct scope scopes[SCOPES_MAX];	/* [0] is overall; phases only when there are steps of them */
	struct verdict verdicts[SCOPES_MAX];
	size_t nscopes;
};

/* One figure of ours beside the exporter's. */
struct cross_check {
	int rank;			/* index into capture.ranks */
	const char *step, *metric;	/* step label, "" for the sum; column of the exporter */
	double ours_us, exporter_us, deviation_pct;	/* 100 * (ours - exporter) / exporter */
	const char *artifact;
};

struct analysis_options {
	enum phase_choice phase;
	int rank;			/* rank number to take the headline from; -1: chosen */
	struct thresholds thresholds;
};

struct analysis {
	const struct capture *c;
	struct analysis_options options;
	struct classifier *classifier;
	struct work_model **models;	/* by rank: arrays that the units point into */
	size_t *nmodels;
	struct unit *units;		/* by rank, then device */
	size_t nunits, cap_units;
	struct late_rank late;
	size_t headline;		/* the unit whose verdict speaks for the capture; nunits when there is none */
	const char *sentence;		/* the verdict in one or two sentences with figures */
	struct findings findings;	/* of all rules that fired, by time at stake */
	struct findings silent;		/* rules that cannot be evaluated: missing, recollect */
	struct findings advice;		/* by priority */
	struct cross_check *checks;
	size_t nchecks, cap_checks;
	struct arena arena;
};

void analysis_options_init(struct analysis_options *o);

/* ERR_CANCELLED, or ERR_FAILED with the reason when a built-in table is broken. On ERR_OK the caller frees with analysis_free(). */
enum err analysis_run(const struct capture *c, const struct analysis_options *o, struct progress *p, struct analysis **out, struct diag *d);
void     analysis_free(struct analysis *a);

const struct unit *analysis_headline(const struct analysis *a);	/* NULL when there is none */

#endif
