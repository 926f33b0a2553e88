/* SPDX-License-Identifier: Apache-2.0 */
/* COMPUTE_TASK_INFO: what the kernels are, by globalTaskId. Schedulers of collectives have a smaller table of their own. */
#include "core/load/db_read.h"

#include "core/base/mem.h"

static int64_t int_or_none(const struct db_rows *rows, int column)
{
	int64_t v;

	return db_int(rows, column, &v) ? v : NO_INT;
}

static void compute_add(struct db_reader *r, const struct db_rows *rows, const struct compute *c)
{
	int64_t task;
	uint32_t *slot;

	if (!db_int(rows, 0, &task))
		return;
	slot = index_map_slot(&r->compute_of, (uint64_t)task);
	if (*slot)
		return;
	ARRAY_PUSH(&r->computes, items, n, cap) = *c;
	*slot = (uint32_t)r->computes.n;
}

/* blockDim is blockNum since schema 1.2, where blockDim means the threads of a SIMT kernel. */
static void infos_read(struct db_reader *r)
{
	static const char columns[] = "globalTaskId name taskType opType blockNum|blockDim|block_dim mixBlockNum|mixBlockDim opState hf32Eligible "
		"inputShapes inputDataTypes inputFormats outputShapes outputDataTypes outputFormats";
	const struct strings *s = &r->strings;
	struct db_rows rows;

	if (!db_rows_open(&rows, &r->db, "COMPUTE_TASK_INFO", columns))
		return;
	progress_stage(r->db.progress, "kernels");
	while (db_rows_next(&rows)) {
		struct compute c = {
			.name = strings_column(s, &rows, 1), .core = strings_column(s, &rows, 2), .op_type = strings_column(s, &rows, 3),
			.blocks = int_or_none(&rows, 4), .mix_blocks = int_or_none(&rows, 5), .state = strings_column(s, &rows, 6),
			.hf32 = strings_column(s, &rows, 7), .in_shapes = strings_column(s, &rows, 8), .in_types = strings_column(s, &rows, 9),
			.in_formats = strings_column(s, &rows, 10), .out_shapes = strings_column(s, &rows, 11),
			.out_types = strings_column(s, &rows, 12), .out_formats = strings_column(s, &rows, 13),
		};

		compute_add(r, &rows, &c);
	}
}

static void schedules_read(struct db_reader *r)
{
	struct db_rows rows;

	if (!db_rows_open(&rows, &r->db, "COMMUNICATION_SCHEDULE_TASK_INFO", "globalTaskId name taskType opType"))
		return;
	while (db_rows_next(&rows)) {
		struct compute c = { .name = strings_column(&r->strings, &rows, 1), .core = strings_column(&r->strings, &rows, 2),
			.op_type = strings_column(&r->strings, &rows, 3), .blocks = NO_INT, .mix_blocks = NO_INT };

		compute_add(r, &rows, &c);
	}
}

void computes_read(struct db_reader *r)
{
	infos_read(r);
	schedules_read(r);
}
