/* SPDX-License-Identifier: Apache-2.0 */
/* COMPUTE_TASK_INFO: what the kernels are, by globalTaskId. Schedulers of collectives have a smaller table of their own. */
#include "core/load/db/db_read.h"

#include "core/base/mem.h"

static int32_t count_or_none(const struct db_rows *rows, int column)
{
	int64_t v;

	return db_int(rows, column, &v) && v >= 0 && v <= INT32_MAX ? (int32_t)v : -1;
}

static void compute_add(struct db_reader *r, const struct db_rows *rows, const struct compute *c)
{
	int64_t task;

	if (!db_int(rows, 0, &task) || ids_get(&r->compute_of, task))
		return;
	ARRAY_PUSH(&r->computes, items, n, cap) = *c;
	ids_put(&r->compute_of, task, (uint32_t)r->computes.n);
}

/* blockDim is blockNum since schema 1.2, where blockDim means the threads of a SIMT kernel. */
static void infos_read(struct db_reader *r)
{
	static const char columns[] = "globalTaskId name taskType opType blockNum|blockDim|block_dim mixBlockNum|mixBlockDim opState "
		"hf32Eligible inputShapes inputDataTypes inputFormats outputShapes outputDataTypes outputFormats";
	struct db_rows rows;

	if (!db_rows_open(&rows, &r->db, "COMPUTE_TASK_INFO", columns))
		return;
	progress_stage(r->db.progress, "kernels");
	while (db_rows_next(&rows)) {
		struct compute c = {
			.name = text_column(r, &rows, 1), .core = text_column(r, &rows, 2), .op_type = text_column(r, &rows, 3),
			.blocks = count_or_none(&rows, 4), .mix_blocks = count_or_none(&rows, 5), .state = text_column(r, &rows, 6),
			.hf32 = text_column(r, &rows, 7), .in_shapes = text_column(r, &rows, 8), .in_types = text_column(r, &rows, 9),
			.in_formats = text_column(r, &rows, 10), .out_shapes = text_column(r, &rows, 11),
			.out_types = text_column(r, &rows, 12), .out_formats = text_column(r, &rows, 13),
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
		struct compute c = { .name = text_column(r, &rows, 1), .core = text_column(r, &rows, 2),
			.op_type = text_column(r, &rows, 3), .blocks = -1, .mix_blocks = -1 };

		compute_add(r, &rows, &c);
	}
}

void computes_read(struct db_reader *r)
{
	infos_read(r);
	schedules_read(r);
}
