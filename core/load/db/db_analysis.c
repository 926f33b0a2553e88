/* SPDX-License-Identifier: Apache-2.0 */
/* analysis.db and cluster_analysis.db: their step tables, as they are (us). The rest of them is in core/load/db/db_comm.c. */
#include "core/load/db/db_comm.h"

#include "core/base/mem.h"
#include "core/load/table/table_load.h"

static const struct {
	enum col id;
	int column;
} step_numbers[] = {
	{ COL_COMPUTING, 4 }, { COL_COMM_EXPOSED, 5 }, { COL_OVERLAPPED, 6 }, { COL_COMMUNICATION, 7 }, { COL_FREE, 8 }, { COL_STAGE, 9 },
	{ COL_BUBBLE, 10 }, { COL_COMM_NO_RECEIVE, 11 }, { COL_PREPARING, 12 },
};

static const struct {
	enum col id;
	int column;
} step_indexes[] = { { COL_DEVICE_ID, 0 }, { COL_DP_INDEX, 13 }, { COL_PP_INDEX, 14 }, { COL_TP_INDEX, 15 } };

static void text_set(struct table_builder *b, enum col id, struct str s)
{
	if (s.n)
		table_set_text(b, id, s);
}

static void step_row(struct table_builder *b, const struct db_rows *rows)
{
	int64_t i;
	double v;

	table_row(b);
	text_set(b, COL_STEP, db_text(rows, 1));
	text_set(b, COL_TYPE, db_text(rows, 2));
	text_set(b, COL_INDEX, db_text(rows, 3));
	for (size_t k = 0; k < ARRAY_LEN(step_indexes); k++)
		if (db_int(rows, step_indexes[k].column, &i))
			table_set_int(b, step_indexes[k].id, i);
	for (size_t k = 0; k < ARRAY_LEN(step_numbers); k++)
		if (db_num(rows, step_numbers[k].column, &v))
			table_set_num(b, step_numbers[k].id, v);
}

static void steps_table(struct db *db, struct db_target *t, const char *name, enum artifact kind)
{
	static const char columns[] = "deviceId step type index computing communication_not_overlapped overlapped communication free stage "
		"bubble communication_not_overlapped_and_exclude_receive preparing dp_index pp_index tp_index";
	struct table **at = t->tables ? &t->tables[kind] : NULL;
	struct table_builder *b = NULL;
	struct db_rows rows;

	if (!at || (*at && (*at)->nrows) || !db_rows_open(&rows, db, name, columns))
		return;
	while (db_rows_next(&rows)) {
		if (!*at)
			*at = mem_zalloc(1, sizeof **at);
		if (!b)
			b = table_build(*at, kind, t->names);
		step_row(b, &rows);
	}
	if (b)
		table_built(b);
}

enum err db_load_analysis(const char *path, struct db_target *t, struct progress *p, struct diag *d)
{
	struct db db;
	enum err err = db_open(&db, path, p, d);

	t->rank = -1;
	t->has_rank = false;
	if (err)
		return err;
	steps_table(&db, t, "StepTraceTime", ART_STEP_TRACE_TIME);
	steps_table(&db, t, "ClusterStepTraceTime", ART_CLUSTER_STEP);
	if (t->comm)
		comm_read(&db, t);
	err = db_failed(&db, d);
	db_close(&db);
	return err;
}
