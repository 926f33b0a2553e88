/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files behind core/analysis/steps.h share. A source fills a list of cuts: where each step begins, on the host by a mark or on the
 * device at once; steps.c turns the chosen list into steps. Times are ns.
 */
#ifndef ASCOPE_CORE_ANALYSIS_STEPS_PRIVATE_H
#define ASCOPE_CORE_ANALYSIS_STEPS_PRIVATE_H

#include "core/analysis/steps.h"

struct cut {
	int64_t host_start, host_end;	/* NO_TIME: not told by a mark */
	int64_t start;			/* on the device; NO_TIME: from what was launched in it */
	uint32_t label;			/* name id */
	uint32_t group;			/* of its name, while marks are looked for */
};

struct cuts {
	struct cut *items;
	size_t n, cap;
};

/* By start (of the host where there is one, else of the device), longer first; those inside another are part of it and go. */
void cuts_settle(struct cuts *c);
void cuts_done(struct cuts *c);

/* When the host launched each span (by index into spans); NO_TIME where nothing tells. */
struct launches {
	int64_t *at;
	size_t known;			/* spans of work with a time */
};

void launches_of(struct launches *l, const struct work_model *m);
void launches_done(struct launches *l);

struct finder {
	const struct work_model *m;
	struct steps *out;
	struct cuts cuts;		/* of the source that is being tried */
};

/* steps_mark.c: each fills f->cuts, sets confidence and reason, and is true when it tells */
bool find_marks(struct finder *f);
bool find_mstx(struct finder *f);
bool find_engine(struct finder *f);
/* steps_table.c */
bool find_table(struct finder *f);
/* steps_repeat.c, steps_gap.c */
bool find_repeat(struct finder *f);
bool find_gaps(struct finder *f);

/* steps_launch.c: fills out->items from f->cuts */
void steps_place(struct finder *f, enum step_source source);

/* phase.c, phase_shape.c */
void       phases_find(const struct work_model *m, enum phase_choice choice, struct steps *s);
enum phase phase_of_text(struct str text);	/* the phase that a mark or a table names */
void       phases_of_shape(const struct work_model *m, struct steps *s);

/* Which step holds time t of the device; s->n when none. O(log n). */
size_t step_of_time(const struct steps *s, int64_t t);

/* Letters small, runs of digits as one '#', nothing behind a '@'. Appends to b. */
void name_shape(struct buf *b, struct str name);

#endif
