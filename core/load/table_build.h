/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the table builder, for the CSV reader: columns under construction. A column takes memory from its first value on; cells that were
 * passed over are filled with "missing" when the next value comes or at the end. The public calls are in table_load.h.
 */
#ifndef ASCOPE_CORE_LOAD_TABLE_BUILD_H
#define ASCOPE_CORE_LOAD_TABLE_BUILD_H

#include "core/load/table_load.h"

enum { METRICS_MAX = 512 };		/* metric columns of one table; more are passed over */

struct slot {
	struct column column;
	size_t n, cap;			/* cells filled, cells there is room for */
	bool is_duration;		/* negative values are counted */
};

struct table_builder {
	struct table *t;
	struct names *names;
	struct slot *slots;
	size_t nslots, cap_slots;
	size_t rows;			/* the current row is rows - 1 */
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
size_t slot_add(struct table_builder *b, struct column like);

/* Room for the current row's cell, everything before it filled; false when the bound on memory was hit. */
bool slot_reach(struct table_builder *b, struct slot *s);

/* Takes back everything since table_build() and frees the builder. */
void table_build_undo(struct table_builder *b);

static inline bool slot_ready(struct table_builder *b, struct slot *s)
{
	return LIKELY(s->cap >= b->rows && s->n + 1 >= b->rows) || slot_reach(b, s);
}

static inline void slot_set_text(struct table_builder *b, struct slot *s, uint32_t id)
{
	if (slot_ready(b, s)) {
		s->column.text[b->rows - 1] = id;
		s->n = b->rows;
	}
}

static inline void slot_set_int(struct table_builder *b, struct slot *s, int64_t v)
{
	if (slot_ready(b, s)) {
		s->column.num[b->rows - 1] = v;
		s->n = b->rows;
	}
	if (UNLIKELY(v < 0) && s->is_duration && !b->row_negative) {
		b->row_negative = true;
		b->t->negative++;
	}
}

static inline void slot_set_num(struct table_builder *b, struct slot *s, double v)
{
	if (slot_ready(b, s)) {
		s->column.real[b->rows - 1] = v;
		s->n = b->rows;
	}
}

#endif
