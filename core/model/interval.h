/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of time as sorted half-open intervals [start, end) in ns: busy time is such a union, never a sum of durations. Analysis and level of
 * detail build one set per lane or class, then combine sets by merge walks and ask for windows by binary search. A zeroed struct is the
 * empty set; intervals_done() frees. Empty and reversed input (start >= end) covers nothing; times are held within +-INTERVAL_TIME_MAX.
 */
#ifndef ASCOPE_CORE_MODEL_INTERVAL_H
#define ASCOPE_CORE_MODEL_INTERVAL_H

#include "core/base/base.h"

/* No length or total of a set overflows below this. */
#define INTERVAL_TIME_MAX (((int64_t)1 << 62) - 1)

struct interval {
	int64_t start, end;
};

struct intervals {
	struct interval *items;
	size_t n, cap;
	int64_t *before;		/* with an index: time of the set before items[i] */
	bool unsorted;			/* added out of order: intervals_normalise() is due */
};

void intervals_done(struct intervals *s);			/* leaves the empty set */
void intervals_clear(struct intervals *s);			/* the empty set, memory kept */

/* Adds [start, end). In order of start the set stays normalised, and touching or overlapping neighbours become one at once. */
void intervals_add(struct intervals *s, int64_t start, int64_t end);

/* Sorts and unites: afterwards starts rise, and there is a gap between any two intervals. At no cost when it is so already. */
void intervals_normalise(struct intervals *s);

/* Prepares a normalised set for many windows; adding anything afterwards drops the index. */
void intervals_index(struct intervals *s);

/* ---- everything below takes normalised sets ---- */

int64_t intervals_total(const struct intervals *s);		/* ns covered */
bool    intervals_has(const struct intervals *s, int64_t t);

/* The first interval that ends after t; n when there is none. */
size_t intervals_find(const struct intervals *s, int64_t t);

/* ns of the set inside [a, b), 0 when b <= a. O(log n) with an index, else the intervals inside are added up. */
int64_t intervals_within(const struct intervals *s, int64_t a, int64_t b);

/* out is emptied first, must be none of the inputs, and comes out normalised. */
void intervals_union(struct intervals *out, const struct intervals *a, const struct intervals *b);
void intervals_intersect(struct intervals *out, const struct intervals *a, const struct intervals *b);
void intervals_subtract(struct intervals *out, const struct intervals *a, const struct intervals *b);	/* in a, not in b */
void intervals_clip(struct intervals *out, const struct intervals *s, int64_t a, int64_t b);		/* the part inside [a, b) */
void intervals_gaps(struct intervals *out, const struct intervals *s, int64_t a, int64_t b);		/* what [a, b) has besides */

#endif
