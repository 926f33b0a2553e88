/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables of kernels share: hardware counters by kernel, and the rows in order. Private to core/load/db_*.c. */
#ifndef ASCOPE_CORE_LOAD_DB_DB_KERNEL_H
#define ASCOPE_CORE_LOAD_DB_DB_KERNEL_H

#include "core/load/db/db_read.h"

struct metric {
	uint32_t name, shown;		/* as in the database; as in the text export */
	double scale;
	double *values;			/* by kernel, NaN where missing */
	uint32_t *next;			/* by compute row: the kernel (index + 1) that gets the next value; NULL when each ran once */
	bool any;			/* a value that is not zero */
};

struct metrics {
	struct metric *items;
	size_t n, cap;
	struct index_map by_name;
	bool repeats;			/* some compute row ran more than once */
};

/* A row of kernel_details. */
struct row {
	int64_t start;
	int32_t device;
	uint32_t index;			/* in kernels, or in collectives after them */
};

static inline int64_t row_dur(const struct db_reader *r, const struct row *row)
{
	return row->index < r->kernels.n ? r->kernels.items[row->index].dur : r->collectives.items[row->index - r->kernels.n].dur;
}

/* db_metric.c: TASK_PMU_INFO; metrics_done() frees. A void one is of a unit that the core does not have. */
void metrics_read(struct db_reader *r, struct metrics *all);
void metrics_done(struct metrics *all);
bool metric_is_void(const struct db_reader *r, const struct metric *m);

/* db_op_total.c: op_statistic over the rows, which stand by device. */
void op_totals_make(struct db_reader *r, const struct row *rows, size_t n);

#endif
