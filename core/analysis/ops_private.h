/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the operator table share. ops.c collects members (spans and host events) with their row and time, then makes the rows
 * from them; ops_match.c finds the kernel of a span, ops_host.c the host's self times, ops_util.c the ratios. Times are ns.
 */
#ifndef ASCOPE_CORE_ANALYSIS_OPS_PRIVATE_H
#define ASCOPE_CORE_ANALYSIS_OPS_PRIVATE_H

#include "core/analysis/ops.h"
#include "core/base/index_map.h"

#define NO_INDEX UINT32_MAX

/* One distinct (name, type, core, kind) of spans: classified once. */
struct variant {
	uint32_t row;
	struct op_class class;
	enum core_kind core;
	int64_t ns;
};

/* A span or a host event in its row. */
struct member {
	int64_t ns;
	uint32_t id, row;
};

/* Until when the calls of a host row cover a lane. */
struct cover {
	size_t lane;			/* + 1, 0 none yet */
	int64_t until;
};

struct op_build {
	const struct work_model *m;
	const struct classifier *cl;
	struct names *names;
	const struct table *kernels;	/* NULL when there is none */
	struct op_table *out;
	uint32_t *normal;		/* by name id, for the first nnormal: its normal name, NO_INDEX not asked yet */
	size_t nnormal;
	struct index_map row_of_name;	/* kind << 32 | name -> row + 1 */
	struct index_map pairs;		/* type << 32 | core -> number + 1 */
	uint32_t npairs;
	struct index_map variant_of;	/* name << 32 | pair << 3 | kind -> variant + 1 */
	struct variant *variants;
	size_t nvariants, cap_variants;
	uint32_t *variant_of_span;
	struct cover *covers;		/* by row, host rows only */
	size_t ncovers, cap_covers;
	struct member *members;
	size_t nmembers;
};

/* ops.c: the row of this kind and name, made at first sight. */
uint32_t ops_row(struct op_build *b, enum work kind, uint32_t name);

/* ops.c: op_normal_name(), remembered. */
uint32_t ops_normal(struct op_build *b, uint32_t name);

/* ops_match.c: by span, its row of the kernel table or NO_INDEX; by name, the first row with it or NO_INDEX (NULL: no table). */
void ops_match(const struct work_model *m, const struct table *kernels, uint32_t *kernel_of_span);
uint32_t *ops_rows_by_name(const struct work_model *m, const struct table *kernels);

/* ops_host.c: adds the framework operators and CANN calls as members with self times. */
void ops_add_host(struct op_build *b);

/* ops_util.c: ratios, block fill, and the means of the table. All members are there. */
void ops_add_ratios(struct op_build *b);

/* ops_name.c: the operator type that a kernel's name tells. */
uint32_t op_type_of_name(struct names *names, uint32_t name);

/* A sum that stays at the end of the range instead of wrapping. */
static inline int64_t ns_add(int64_t a, int64_t b)
{
	if (b > 0 && a > INT64_MAX - b)
		return INT64_MAX;
	if (b < 0 && a < INT64_MIN - b)
		return INT64_MIN;
	return a + b;
}

/* end - start of times that come from files, 0 when end is not after start. */
static inline int64_t ns_between(int64_t start, int64_t end)
{
	uint64_t ns = (uint64_t)end - (uint64_t)start;

	return end <= start ? 0 : ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

#endif
