/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the table builder, for the CSV reader: columns under construction. A column takes memory from its first value on, and one of zeros
 * only from its first other value; cells that were passed over are filled with "missing" when the next value comes or at the end. The
 * public calls are in table_load.h.
 */
#ifndef ASCOPE_CORE_LOAD_TABLE_TABLE_BUILD_H
#define ASCOPE_CORE_LOAD_TABLE_TABLE_BUILD_H

#include "core/load/table/table_load.h"
#include "core/model/cells.h"

enum { METRICS_MAX = 512 };		/* metric columns of one table; more are passed over */

struct slot {
	struct column column;
	size_t n, cap;			/* cells filled, cells there is room for; n > cap = 0: n zeros that take no memory yet */
	bool is_duration;		/* rows with a negative value here are counted */
};

struct table_builder {
	struct table *t;
	struct names *names;
	struct slot *slots;
	size_t nslots, cap_slots;
	struct cells_pool pool;
	size_t rows;			/* rows so far; for the public calls the current row is rows - 1 */
	size_t rows_expected;		/* a guess of what rows will become; 0 none */
	size_t slot_of[COL_MAX];	/* index + 1, 0 none */
	size_t nmetrics, metric_at;	/* metric_at: where the last one was found */
	bool row_negative;		/* the current row is counted in t->negative */

	size_t bytes_max, row_bytes;	/* bound on memory for cells; cells of one row in columns that hold something */
	bool over;			/* the bound was hit: values are lost, give up */

	/* as it was before, for table_build_undo() */
	size_t rows_before, slots_before, negative_before;
	struct account account_before;
};

/* The slot of a column, made when new; SIZE_MAX when there are METRICS_MAX metrics already. metric: name id, 0 for other columns. */
size_t slot_find(struct table_builder *b, enum col id, uint32_t metric);

/* What a run of cells for one column holds; the cells stand as in struct column, missing ones included. */
struct cell_run {
	union {
		const uint32_t *text;
		const int64_t *num;
		const double *real;
	};
	size_t n;
	bool has_values, has_others;	/* any value; anything but zeros (a missing cell counts) */
};

/* Stores cells for rows at .. at + run->n - 1; rows before at that have none yet become missing. */
void slot_put(struct table_builder *b, struct slot *s, size_t at, const struct cell_run *run);

/* True when the bound on memory is hit, by what is stored or by what filling up the columns at the end would store. */
bool table_build_is_over(const struct table_builder *b);

/* Takes back everything since table_build() and frees the builder. */
void table_build_undo(struct table_builder *b);

#endif
