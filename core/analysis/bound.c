/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What bounds a kernel: the units whose ratio reaches its gate. The cube side is judged by the aic_* columns only, the vector side by the
 * aiv_* columns only; a side that does not run has no ratios, and a gate on a missing ratio is not reached.
 */
#include "core/analysis/ops.h"

#include <math.h>

/* Weighted means of equal values may fall short by rounding. */
#define ROUNDING 1e-9

struct gate {
	size_t ratio;			/* offset in struct op_row */
	enum threshold threshold;
	enum bound bound;
};

#define GATE(ratio, threshold, bound) { offsetof(struct op_row, ratio), TH_##threshold, BOUND_##bound }

static const struct gate gates[] = {
	GATE(cube, CUBE_BOUND, CUBE),		GATE(aic_mte2, CUBE_MTE2, MTE2),	GATE(aic_scalar, CUBE_BOUND, SCALAR),
	GATE(mte1, CUBE_BOUND, MTE1),		GATE(fixpipe, CUBE_BOUND, FIXPIPE),	GATE(aic_mte3, CUBE_BOUND, MTE3),
	GATE(vector, VEC_BOUND, VECTOR),	GATE(aiv_mte2, VEC_BOUND, MTE2),	GATE(aiv_mte3, VEC_BOUND, MTE3),
	GATE(aiv_scalar, VEC_BOUND, SCALAR),
};

static const struct gate attention_gates[] = {
	GATE(cube, CUBE_BOUND, CUBE),		GATE(aic_mte2, ATTN_MTE2, MTE2),	GATE(aiv_mte2, ATTN_MTE2, MTE2),
	GATE(vector, ATTN_VEC, VECTOR),		GATE(fixpipe, ATTN_VEC, FIXPIPE),	GATE(mte1, CUBE_BOUND, MTE1),
	GATE(aiv_mte3, CUBE_BOUND, MTE3),	GATE(aic_scalar, CUBE_BOUND, SCALAR),	GATE(aiv_scalar, CUBE_BOUND, SCALAR),
};

static double ratio_at(const struct op_row *row, size_t offset)
{
	return *(const double *)(const void *)((const char *)row + offset);
}

/* The set of units that reach their gate, one bit a bound; *known when any ratio is there. */
static unsigned reached(const struct op_row *row, const struct thresholds *th, const struct gate *g, size_t n, bool *known)
{
	unsigned set = 0;

	for (size_t i = 0; i < n; i++) {
		double ratio = ratio_at(row, g[i].ratio);

		*known |= !isnan(ratio);
		if (ratio >= th->v[g[i].threshold] - ROUNDING)
			set |= 1u << g[i].bound;
	}
	return set;
}

static double present(double ratio)
{
	return isnan(ratio) ? 0 : ratio;
}

enum bound op_bound(const struct op_row *row, const struct thresholds *th)
{
	bool attention = row->class.class == CLASS_ATTENTION, known = false;
	unsigned set = attention ? reached(row, th, attention_gates, ARRAY_LEN(attention_gates), &known)
		: reached(row, th, gates, ARRAY_LEN(gates), &known);

	if (!known)
		return BOUND_UNKNOWN;
	for (enum bound b = 0; set && b < BOUND_MAX; b++)
		if (set == 1u << b)
			return b;
	if (set)
		return BOUND_MIXED;
	if (!attention && present(row->vector) + present(row->aiv_mte2) + present(row->aiv_mte3) >= th->v[TH_VEC_SUM] - ROUNDING)
		return BOUND_MIXED;
	return BOUND_NONE;
}

void ops_set_bounds(struct op_table *t, const struct thresholds *th)
{
	for (size_t i = 0; i < t->n; i++)
		t->rows[i].bound = op_bound(&t->rows[i], th);
}

static const struct {
	const char *key, *title;
} bound_texts[BOUND_MAX] = {
#define BOUND(id, key, title) { key, title },
#include "core/analysis/bound.def"
#undef BOUND
};

const char *bound_key(enum bound b)
{
	return (int)b >= 0 && b < BOUND_MAX ? bound_texts[b].key : "?";
}

const char *bound_title(enum bound b)
{
	return (int)b >= 0 && b < BOUND_MAX ? bound_texts[b].title : "?";
}
