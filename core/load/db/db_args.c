/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of an event that the model does not hold, read again when someone looks; keys are those of the text export. */
#include "core/load/db/db_read.h"

#include "core/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum how { AS_NUMBER, AS_TEXT, AS_ENUM, AS_YES_NO, AS_THREAD, AS_TASK, AS_STACK, AS_TENSORS };

/* A column, the key it is shown under, and for AS_ENUM the table of its words. */
struct field {
	const char *columns, *key;
	enum how how;
	const char *words;
};

enum { FIELDS = 18 };

static const struct field fields[DB_EVENTS_MAX][FIELDS] = {
	[DB_TASK] = {
		{ "modelId", "Model Id", AS_NUMBER, NULL }, { "taskType", "Task Type", AS_TEXT, NULL },
		{ "streamId", "Physic Stream Id", AS_NUMBER, NULL }, { "taskId", "Task Id", AS_NUMBER, NULL },
		{ "contextId", "Subtask Id", AS_NUMBER, NULL }, { "connectionId", "connection_id", AS_NUMBER, NULL },
		{ "globalTaskId", "", AS_TASK, NULL },
	},
	[DB_COLLECTIVE] = {
		{ "connectionId", "connection_id", AS_NUMBER, NULL }, { "groupName", "group name", AS_TEXT, NULL },
		{ "opType", "op type", AS_TEXT, NULL }, { "dataType", "data_type", AS_ENUM, "ENUM_HCCL_DATA_TYPE" },
		{ "algType", "alg_type", AS_TEXT, NULL }, { "count", "count", AS_NUMBER, NULL }, { "relay", "relay", AS_YES_NO, NULL },
		{ "retry", "retry", AS_YES_NO, NULL }, { "rankSize", "rank_size", AS_NUMBER, NULL },
	},
	[DB_PLANE] = {
		{ "name", "op name", AS_TEXT, NULL }, { "groupName", "group name", AS_TEXT, NULL },
		{ "notifyId", "notify_id", AS_NUMBER, NULL }, { "taskType", "task type", AS_TEXT, NULL },
		{ "srcRank", "src rank", AS_NUMBER, NULL }, { "dstRank", "dst rank", AS_NUMBER, NULL },
		{ "transportType", "transport type", AS_ENUM, "ENUM_HCCL_TRANSPORT_TYPE" }, { "size", "size(Byte)", AS_NUMBER, NULL },
		{ "dataType", "data type", AS_ENUM, "ENUM_HCCL_DATA_TYPE" }, { "linkType", "link type", AS_ENUM, "ENUM_HCCL_LINK_TYPE" },
		{ "rdmaType", "rdma type", AS_ENUM, "ENUM_HCCL_RDMA_TYPE" }, { "bandwidth", "bandwidth", AS_NUMBER, NULL },
		{ "isMaster", "is master", AS_YES_NO, NULL },
	},
	[DB_CANN] = {
		{ "globalTid", "Thread Id", AS_THREAD, NULL }, { "type", "level", AS_ENUM, "ENUM_API_TYPE" },
		{ "connectionId", "connection_id", AS_NUMBER, NULL },
	},
	[DB_PYTORCH] = {
		{ "sequenceNumber", "Sequence number", AS_NUMBER, NULL }, { "fwdThreadId", "Fwd thread id", AS_NUMBER, NULL },
		{ "inputDtypes", "", AS_TENSORS, NULL }, { "inputShapes", "", AS_TENSORS, NULL },
		{ "callchainId", "Call stack", AS_STACK, NULL },
	},
	[DB_MSTX] = {
		{ "eventType", "event_type", AS_ENUM, "ENUM_MSTX_EVENT_TYPE" }, { "category", "Category", AS_NUMBER, NULL },
		{ "domainId", "domain", AS_TEXT, NULL }, { "rangeId", "range id", AS_NUMBER, NULL },
		{ "connectionId", "connection_id", AS_NUMBER, NULL },
	},
};

/* Of the kernel or copy behind a task. */
static const struct field kernel_fields[FIELDS] = {
	{ "opType", "Op Type", AS_TEXT, NULL }, { "taskType", "Accelerator Core", AS_TEXT, NULL }, { "opState", "OP State", AS_TEXT, NULL },
	{ "blockNum|blockDim|block_dim", "Block Num", AS_NUMBER, NULL }, { "mixBlockNum|mixBlockDim", "Mix Block Num", AS_NUMBER, NULL },
	{ "hf32Eligible", "HF32 Eligible", AS_TEXT, NULL }, { "inputShapes", "Input Shapes", AS_TEXT, NULL },
	{ "inputDataTypes", "Input Data Types", AS_TEXT, NULL }, { "inputFormats", "Input Formats", AS_TEXT, NULL },
	{ "outputShapes", "Output Shapes", AS_TEXT, NULL }, { "outputDataTypes", "Output Data Types", AS_TEXT, NULL },
	{ "outputFormats", "Output Formats", AS_TEXT, NULL }, { "attrInfo", "Attr Info", AS_TEXT, NULL },
};

static const struct field copy_fields[FIELDS] = {
	{ "size", "size(B)", AS_NUMBER, NULL }, { "memcpyOperation", "operation", AS_ENUM, "ENUM_MEMCPY_OPERATION" },
};

/* ---- one value ---- */

static void text_add(struct args *out, struct db *db, const char *key, int64_t id)
{
	struct db_rows r;

	if (!db_find_open(&r, db, "STRING_IDS", "id value", id))
		return;
	if (db_text(&r, 1).n)
		args_add(out, str_of(key), db_text(&r, 1));
	db_rows_close(&r);
}

static void enum_add(struct args *out, struct db *db, const struct field *f, int64_t id)
{
	char text[24];
	struct db_rows r;

	if (db_find_open(&r, db, f->words, "id name", id)) {
		args_add(out, str_of(f->key), db_text(&r, 1));
		db_rows_close(&r);
		return;
	}
	snprintf(text, sizeof text, "%" PRId64, id);
	args_add(out, str_of(f->key), str_of(text));
}

/* Writers put shapes into the column of types and the other way round; a type has letters, a shape has none. */
static void tensors_add(struct args *out, struct db *db, int64_t id)
{
	bool letters = false;
	struct db_rows r;
	struct str s;

	if (!db_find_open(&r, db, "STRING_IDS", "id value", id))
		return;
	s = db_text(&r, 1);
	for (size_t i = 0; i < s.n; i++)
		letters = letters || (s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= 'A' && s.p[i] <= 'Z');
	args_add(out, letters ? STR("Input type") : STR("Input Dims"), s);
	db_rows_close(&r);
}

struct frame {
	int64_t depth, text;
};

static int frame_compare(const void *x, const void *y)
{
	const struct frame *a = x, *b = y;

	return (a->depth > b->depth) - (a->depth < b->depth);
}

enum { FRAMES = 1024 };

static void stack_add(struct args *out, struct db *db, const char *key, int64_t id)
{
	struct frame *frames = mem_alloc(FRAMES, sizeof *frames);
	struct buf text = { 0 };
	char is[32];
	struct db_rows r;
	size_t n = 0;

	snprintf(is, sizeof is, "=%" PRId64, id);
	if (db_rows_open_if(&r, db, "PYTORCH_CALLCHAINS", "stackDepth stack", "id", is))
		while (db_rows_next(&r))
			if (n < FRAMES && db_int(&r, 0, &frames[n].depth) && db_int(&r, 1, &frames[n].text))
				n++;
	if (n)
		qsort(frames, n, sizeof *frames, frame_compare);
	for (size_t i = 0; i < n; i++) {
		if (!db_find_open(&r, db, "STRING_IDS", "id value", frames[i].text))
			continue;
		buf_str(&text, text.n ? ";\r\n" : "");
		buf_add(&text, db_text(&r, 1).p, db_text(&r, 1).n);
		db_rows_close(&r);
	}
	if (text.n)
		args_add(out, str_of(key), (struct str){ text.p, text.n });
	buf_done(&text);
	free(frames);
}

static void details_add(struct args *out, struct db *db, const char *table, const struct field *list, int64_t task);

static void field_add(struct args *out, struct db *db, const struct db_rows *r, int column, const struct field *f)
{
	char text[24];
	int64_t v;

	if (db_is_null(r, column))
		return;
	if (!db_int(r, column, &v) || f->how == AS_NUMBER) {
		args_add(out, str_of(f->key), db_text(r, column));
		return;
	}
	switch (f->how) {
	case AS_TEXT:
		text_add(out, db, f->key, v);
		break;
	case AS_ENUM:
		enum_add(out, db, f, v);
		break;
	case AS_YES_NO:
		args_add(out, str_of(f->key), v == 1 ? STR("yes") : STR("no"));
		break;
	case AS_THREAD:
		snprintf(text, sizeof text, "%" PRIu32, (uint32_t)((uint64_t)v & UINT32_MAX));
		args_add(out, str_of(f->key), str_of(text));
		break;
	case AS_TASK:
		details_add(out, db, "COMPUTE_TASK_INFO", kernel_fields, v);
		details_add(out, db, "MEMCPY_INFO", copy_fields, v);
		break;
	case AS_STACK:
		stack_add(out, db, f->key, v);
		break;
	case AS_TENSORS:
		tensors_add(out, db, v);
		break;
	case AS_NUMBER:
		break;
	}
}

static void columns_of(struct buf *b, const struct field *list)
{
	for (size_t i = 0; i < FIELDS && list[i].columns; i++)
		buf_printf(b, "%s%s", b->n ? " " : "", list[i].columns);
}

static void row_add(struct args *out, struct db *db, struct db_rows *r, int first, const struct field *list)
{
	for (int i = 0; i < FIELDS && list[i].columns; i++)
		field_add(out, db, r, first + i, &list[i]);
	db_rows_close(r);
}

static void details_add(struct args *out, struct db *db, const char *table, const struct field *list, int64_t task)
{
	struct buf columns = { 0 };
	struct db_rows r;

	buf_str(&columns, "globalTaskId");
	columns_of(&columns, list);
	if (db_find_open(&r, db, table, columns.p, task))
		row_add(out, db, &r, 1, list);
	buf_done(&columns);
}

/* ---- the event ---- */

enum err db_event_args(const char *path, uint64_t span, struct args *out, struct diag *d)
{
	struct buf columns = { 0 };
	struct db_rows r;
	struct db db;
	enum err err = db_open(&db, path, NULL, d);
	int e = 0;

	*out = (struct args){ 0 };
	if (err)
		return err;
	for (; e < DB_EVENTS_MAX; e++) {
		const char *table = db_events_table(&db, (enum db_events)e);
		uint64_t n = table ? (uint64_t)db_count(&db, table) : 0;

		if (span < n)
			break;
		span -= n;
	}
	if (e < DB_EVENTS_MAX && fields[e][0].columns) {
		columns_of(&columns, fields[e]);
		if (db_row_open(&r, &db, db_events_table(&db, (enum db_events)e), columns.p, (int64_t)span))
			row_add(out, &db, &r, 0, fields[e]);
	}
	buf_done(&columns);
	err = db_failed(&db, d);
	if (!err && e == DB_EVENTS_MAX)
		err = diag_set(d, ERR_FORMAT, path, -1, -1, "no event %" PRIu64 ": the database changed since it was read", span);
	db_close(&db);
	if (err)
		args_done(out);
	return err;
}
