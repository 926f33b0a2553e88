/* SPDX-License-Identifier: Apache-2.0 */
/* What a profiler database says about itself: pids, devices, rank, and which options it can only have been taken with. */
#include "core/load/db/db_read.h"

#include "core/load/doc/doc_load.h"

#include <stdio.h>
#include <string.h>

/* ---- before reading ---- */

static bool first_int(struct db_reader *r, const char *table, const char *column, int64_t *out)
{
	struct db_rows rows;
	bool ok;

	if (!table || !db_rows_open(&rows, &r->db, table, column))
		return false;
	if (!db_rows_next(&rows))
		return false;
	ok = db_int(&rows, 0, out);
	db_rows_close(&rows);
	return ok;
}

static int64_t host_pid_of(struct db_reader *r)
{
	int64_t v;

	if (first_int(r, "TASK", "globalPid", &v) && v > 0)
		return v;
	if (first_int(r, db_events_table(&r->db, DB_CANN), "globalTid", &v) && v > UINT32_MAX)
		return v >> 32;
	if (first_int(r, "PYTORCH_API", "globalTid", &v) && v > UINT32_MAX)
		return v >> 32;
	return 0;
}

static void ranks_read(struct db_reader *r)
{
	struct db_rows rows;
	int64_t rank, device;

	r->t->rank = -1;
	r->t->has_rank = false;
	if (!db_rows_open(&rows, &r->db, "RANK_DEVICE_MAP", "rankId deviceId"))
		return;
	while (db_rows_next(&rows)) {
		if (!r->t->has_rank && db_int(&rows, 0, &rank) && rank >= 0 && rank < INT32_MAX) {
			r->t->rank = (int)rank;
			r->t->has_rank = true;
		}
		if (r->device == -1 && db_int(&rows, 1, &device) && device >= 0)
			r->device = device;
	}
}

static void devices_read(struct db_reader *r)
{
	struct run_info *info = r->t->info;
	struct db_rows rows;
	int64_t id;
	size_t n = 0;

	r->device = -1;
	if (!db_rows_open(&rows, &r->db, "NPU_INFO", "id name"))
		return;
	while (db_rows_next(&rows)) {
		struct str name = db_text(&rows, 1);

		if (info && !info->device_type && name.n && !str_is_nocase(name, STR("UNKNOWN")))
			info->device_type = names_add(r->t->names, name);
		if (db_int(&rows, 0, &id) && id >= 0 && n++ == 0)
			r->device = id;
	}
	if (n > 1)
		r->device = -2;		/* several: RANK_DEVICE_MAP cannot decide either */
}

static bool enum_has(struct db_reader *r, const char *table, struct str word)
{
	struct db_rows rows;

	if (!db_rows_open(&rows, &r->db, table, "name"))
		return false;
	while (db_rows_next(&rows))
		if (str_is(db_text(&rows, 0), word)) {
			db_rows_close(&rows);
			return true;
		}
	return false;
}

void basics_read(struct db_reader *r)
{
	uint64_t rows = 0;

	for (int e = 0; e < DB_EVENTS_MAX; e++) {
		const char *table = db_events_table(&r->db, (enum db_events)e);
		int64_t n = table ? db_count(&r->db, table) : 0;

		r->first_row[e] = rows;
		rows += (uint64_t)n;
		if (e == DB_PYTORCH)
			r->has_torch = n > 0;
	}
	r->host_pid = host_pid_of(r);
	devices_read(r);
	ranks_read(r);
	r->device = r->device < 0 ? -1 : r->device;
	r->calls_hccl = enum_has(r, "ENUM_API_TYPE", STR("hccl"));
}

/* ---- after reading ---- */

/* META_DATA holds the members of profiler_metadata.json as name and JSON value: read as that document. */
static void metadata_read(struct db_reader *r, struct run_info *info)
{
	static const struct {
		const char *p;
		size_t n;
	} known[] = { { "distributed_args", 16 }, { "parallel_group_info", 19 } };
	struct buf json = { 0 };
	struct comm spare = { 0 };
	struct db_rows rows;
	bool any = false;

	if (!db_rows_open(&rows, &r->db, "META_DATA", "name value"))
		return;
	buf_char(&json, '{');
	while (db_rows_next(&rows)) {
		struct str name = db_text(&rows, 0), value;

		info->known = true;
		for (size_t i = 0; i < ARRAY_LEN(known); i++) {
			if (!str_is(name, (struct str){ known[i].p, known[i].n }))
				continue;
			value = db_text(&rows, 1);
			buf_printf(&json, "%s\"%s\":", any ? "," : "", known[i].p);
			buf_add(&json, value.p, value.n);
			any = true;
		}
	}
	buf_char(&json, '}');
	if (any)
		doc_load_metadata((struct str){ json.p, json.n }, r->t->names, info, r->t->comm ? r->t->comm : &spare, NULL);
	comm_done(&spare);
	buf_done(&json);
}

static bool column_filled(struct db_reader *r, const char *table, const char *column)
{
	struct db_rows rows;

	if (!db_rows_open(&rows, &r->db, table, column))
		return false;
	while (db_rows_next(&rows))
		if (!db_is_null(&rows, 0)) {
			db_rows_close(&rows);
			return true;
		}
	return false;
}

/* Each group of AI Core metrics by a counter that no other group has; the words are those of profiler_info. */
static const struct {
	const char *counter, *group;
} metric_groups[] = {
	{ "*mac_fp16_ratio", "ArithmeticUtilization" }, { "*_l0a_read_bw*", "MemoryL0" }, { "*_ub_read_bw_vector*", "MemoryUB" },
	{ "*_ub_read_bw_scalar*", "MemoryUB" }, { "*_l1_read_bw*", "Memory" }, { "*main_mem_read_bw*", "Memory" },
	{ "*bankgroup_cflt_ratio", "ResourceConflictRatio" }, { "*write_cache_hit*", "L2Cache" }, { "*_mte2_time", "PipeUtilization" },
};

static void metrics_tell(struct db_reader *r, struct run_info *info)
{
	for (size_t m = 0; m < r->metrics.n; m++)
		for (size_t i = 0; i < ARRAY_LEN(metric_groups) && !info->aic_metrics; i++)
			if (str_like(names_str(r->t->names, r->metrics.items[m]), metric_groups[i].counter))
				info->aic_metrics = name_of(r, metric_groups[i].group);
}

static void tell(enum tri *fact, bool seen)
{
	if (seen && *fact == TRI_UNKNOWN)
		*fact = TRI_YES;
}

/* Only what can be told for certain: data that is there was asked for; data that is absent may have been asked for in vain. */
void info_read(struct db_reader *r)
{
	struct run_info *info = r->t->info;

	if (!info)
		return;
	metadata_read(r, info);
	metrics_tell(r, info);
	tell(&info->stacks, db_count(&r->db, "PYTORCH_CALLCHAINS") > 0);
	tell(&info->shapes, column_filled(r, "PYTORCH_API", "inputShapes"));
	tell(&info->memory, db_count(&r->db, "OP_MEMORY") > 0);
	tell(&info->mstx, db_count(&r->db, "MSTX_EVENTS") > 0);
	tell(&info->gc, db_count(&r->db, "GC_RECORD") > 0);
	tell(&info->sys_io, db_count(&r->db, "NIC") > 0 || db_count(&r->db, "ROCE") > 0);
}
