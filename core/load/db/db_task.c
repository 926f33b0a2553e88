/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TASK: what ran on the device, one lane per stream. The name is that of the kernel, or the type where it is none. Tasks that consist of
 * parts (FFTS+: mixed kernels, collectives) stand there as a whole (contextId none) and as parts with the same stream and task number; as
 * in the text export only the parts are shown.
 */
#include "core/load/db/db_read.h"

#include "core/base/mem.h"

#include <stdlib.h>

enum { C_START, C_END, C_DEVICE, C_CONNECTION, C_TASK, C_TYPE, C_CONTEXT, C_STREAM, C_NUMBER, C_MODEL };

#define TASK_COLUMNS "startNs endNs deviceId connectionId globalTaskId taskType contextId streamId taskId modelId"
#define IS_PART "BETWEEN 0 AND 4294967294"

/* A part of a task that has parts. */
struct part {
	int64_t device, stream, number, start;
};

struct tasks {
	struct part *parts;		/* sorted */
	size_t nparts, cap_parts;
	struct index_map type_of;	/* name id of TASK.taskType to the text export's word for it, + 1 */
	struct ids copy_of;		/* globalTaskId of a copy between host and device to its direction's name id */
	uint32_t mstx;
};

/* ---- wholes and parts ---- */

static int part_compare(const void *x, const void *y)
{
	const struct part *a = x, *b = y;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

static int64_t device_of(const struct db_reader *r, const struct db_rows *rows, int column)
{
	int64_t v;

	return db_int(rows, column, &v) && v >= 0 ? v : r->device;
}

static void parts_read(struct db_reader *r, struct tasks *t)
{
	struct db_rows rows;

	if (!db_rows_open_if(&rows, &r->db, "TASK", "deviceId streamId taskId startNs", "contextId", IS_PART))
		return;
	while (db_rows_next(&rows)) {
		struct part p = { .device = device_of(r, &rows, 0) };

		if (db_int(&rows, 1, &p.stream) && db_int(&rows, 2, &p.number) && db_int(&rows, 3, &p.start))
			ARRAY_PUSH(t, parts, nparts, cap_parts) = p;
	}
	if (t->nparts)
		qsort(t->parts, t->nparts, sizeof *t->parts, part_compare);
}

/* Task numbers come back after 65 536 tasks, so a part must also begin within the whole. */
static bool has_parts(const struct db_reader *r, const struct tasks *t, const struct db_rows *rows, int64_t start, int64_t dur)
{
	struct part p = { .device = device_of(r, rows, C_DEVICE), .start = start };
	size_t lo = 0, hi = t->nparts;
	int64_t context;

	if (!t->nparts || (db_int(rows, C_CONTEXT, &context) && context >= 0 && context < UINT32_MAX))
		return false;
	if (!db_int(rows, C_STREAM, &p.stream) || !db_int(rows, C_NUMBER, &p.number))
		return false;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (part_compare(&t->parts[mid], &p) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	p.start += dur;
	return lo < t->nparts && part_compare(&t->parts[lo], &p) <= 0;
}

/* As in the text export: a copy within the device may be a part of a collective, and keeps its type. */
static void copies_read(struct db_reader *r, struct tasks *t)
{
	uint32_t direction[8] = { 0 };
	struct db_rows rows;
	int64_t id, operation;

	for (size_t i = 0; i < ARRAY_LEN(direction); i++) {
		direction[i] = enum_name(r, "ENUM_MEMCPY_OPERATION", (int64_t)i);
		if (!str_has(names_str(r->t->names, direction[i]), STR("host")))
			direction[i] = 0;
	}
	if (!db_rows_open(&rows, &r->db, "MEMCPY_INFO", "globalTaskId memcpyOperation"))
		return;
	while (db_rows_next(&rows))
		if (db_int(&rows, 0, &id) && db_int(&rows, 1, &operation) && operation >= 0 && operation < (int64_t)ARRAY_LEN(direction) &&
				direction[operation])
			ids_put(&t->copy_of, id, direction[operation]);
}

/* ---- one task ---- */

/* Where the database says what was launched, the text export says what it ran as. */
static uint32_t type_of(struct db_reader *r, struct tasks *t, uint32_t type)
{
	static const char *const words[][2] = {
		{ "KERNEL_AICORE", "AI_CORE" }, { "KERNEL_AIVEC", "AI_VECTOR_CORE" }, { "KERNEL_AICPU", "AI_CPU" },
	};
	uint32_t *slot = index_map_slot(&t->type_of, type);

	if (!*slot) {
		*slot = type + 1;
		for (size_t i = 0; i < ARRAY_LEN(words); i++)
			if (str_is(names_str(r->t->names, type), str_of(words[i][0])))
				*slot = name_of(r, words[i][1]) + 1;
	}
	return *slot - 1;
}

static int number_take(const struct db_rows *rows, int column, uint32_t *out, int bit)
{
	int64_t v;

	if (!db_int(rows, column, &v) || v < 0 || v > UINT32_MAX)
		return 0;
	*out = (uint32_t)v;
	return bit;
}

static void kernel_add(struct db_reader *r, const struct db_rows *rows, uint32_t compute, int64_t start, int64_t dur)
{
	struct kernel k = { .start = start, .dur = dur, .compute = compute };
	int64_t device = device_of(r, rows, C_DEVICE);

	k.device = device <= INT32_MAX ? (int32_t)device : -1;
	k.has = (uint8_t)(number_take(rows, C_STREAM, &k.stream, KERNEL_HAS_STREAM) |
		number_take(rows, C_NUMBER, &k.task, KERNEL_HAS_TASK) |
		number_take(rows, C_CONTEXT, &k.context, KERNEL_HAS_CONTEXT) |
		number_take(rows, C_MODEL, &k.model, KERNEL_HAS_MODEL));
	ARRAY_PUSH(&r->kernels, items, n, cap) = k;
}

static void run_add(struct db_reader *r, struct run_list *list, int64_t start, int64_t dur, int64_t device)
{
	ARRAY_PUSH(&r->runs, items, n, cap) = (struct task_run){ start, dur, device, 0 };
	if (list->last)
		r->runs.items[list->last - 1].next = (uint32_t)r->runs.n;
	else
		list->first = (uint32_t)r->runs.n;
	list->last = (uint32_t)r->runs.n;
}

static void step_extend(struct db_reader *r, uint64_t connection, int64_t start, int64_t dur)
{
	uint32_t at = connection == NO_CONNECTION ? 0 : ids_get(&r->step_of, (int64_t)connection);
	struct step *s = at ? &r->steps.items[at - 1] : NULL;

	if (!s)
		return;
	s->device_start = MIN(s->device_start, start);
	s->device_end = MAX(s->device_end, start + dur);
}

/* Links start here: from a mark at once, from operators when all is read. The tasks of a collective leave that to the collective. */
static void links_note(struct db_reader *r, const struct tasks *t, const struct raw_event *ev, bool of_collective)
{
	if (ev->connection == NO_CONNECTION || of_collective)
		return;
	if (ids_get(&r->mark_of, (int64_t)ev->connection)) {
		ids_put(&r->mark_of, (int64_t)ev->connection, 2);
		flow_add(r, 'f', ev->connection, ev->lane, ev->start, t->mstx);
	} else if (r->has_torch) {
		ARRAY_PUSH(&r->device_ends, items, n, cap) = (struct device_end){ ev->connection, ev->start, ev->lane };
	}
}

static void task_draw(struct db_reader *r, struct tasks *t, const struct db_rows *rows, const struct compute *c, bool of_collective,
		int64_t start, int64_t dur)
{
	uint32_t type = text_column(r, rows, C_TYPE), name = type, direction = 0;
	int64_t stream = NO_INT, id;
	struct raw_event ev;

	db_int(rows, C_STREAM, &stream);
	if (c && !name_is_nothing(r, c->name))
		name = c->name;
	type = c && !name_is_nothing(r, c->core) ? c->core : type_of(r, t, type);
	if (t->copy_of.n && db_int(rows, C_TASK, &id))
		direction = ids_get(&t->copy_of, id);
	type = direction ? direction : type;
	ev = event_of(r, DB_TASK, rows, lane_of(r, PROC_HARDWARE, device_of(r, rows, C_DEVICE), stream), name, type);
	ev.start = start;
	ev.dur = dur;
	ev.connection = connection_of(rows, C_CONNECTION);
	build_event(r->t->build, &ev);
	links_note(r, t, &ev, of_collective);
}

static void task_read(struct db_reader *r, struct tasks *t, const struct db_rows *rows)
{
	int64_t start, dur, id;
	uint32_t compute = 0, list = 0;

	if (!event_times(r, DB_TASK, rows, C_START, C_END, &start, &dur))
		return;
	if (has_parts(r, t, rows, start, dur)) {
		event_drop(r, DB_TASK, rows, DROP_WHOLE);
		return;
	}
	if (db_int(rows, C_TASK, &id)) {
		compute = ids_get(&r->compute_of, id);
		list = ids_get(&r->runs_of, id);
	}
	if (r->steps.n)
		step_extend(r, connection_of(rows, C_CONNECTION), start, dur);
	if (list)
		run_add(r, &r->run_lists.items[list - 1], start, dur, device_of(r, rows, C_DEVICE));
	if (compute && r->wants_kernels)
		kernel_add(r, rows, compute - 1, start, dur);
	if (r->t->build)
		task_draw(r, t, rows, compute ? &r->computes.items[compute - 1] : NULL, list != 0, start, dur);
}

void tasks_read(struct db_reader *r)
{
	struct tasks t = { .mstx = name_of(r, "MsTx") };
	struct db_rows rows;

	parts_read(r, &t);
	copies_read(r, &t);
	if (db_rows_open(&rows, &r->db, "TASK", TASK_COLUMNS)) {
		progress_stage(r->db.progress, "device tasks");
		while (db_rows_next(&rows))
			task_read(r, &t, &rows);
	}
	index_map_done(&t.type_of);
	ids_done(&t.copy_of);
	free(t.parts);
}
