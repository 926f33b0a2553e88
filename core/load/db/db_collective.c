/* SPDX-License-Identifier: Apache-2.0 */
/*
 * COMMUNICATION_OP on "Group <name> Communication" lanes and COMMUNICATION_TASK_INFO on "Plane <n>" lanes. The latter has no times of its
 * own: each row takes those of the TASK row with the same globalTaskId.
 */
#include "core/load/db/db_read.h"

#include "core/base/mem.h"

void plane_tasks_find(struct db_reader *r)
{
	struct db_rows rows;
	int64_t id;

	if (!db_rows_open(&rows, &r->db, "COMMUNICATION_TASK_INFO", "globalTaskId"))
		return;
	while (db_rows_next(&rows)) {
		if (!db_int(&rows, 0, &id) || ids_get(&r->runs_of, id))
			continue;
		ARRAY_PUSH(&r->run_lists, items, n, cap) = (struct run_list){ 0 };
		ids_put(&r->runs_of, id, (uint32_t)r->run_lists.n);
	}
}

/* The next run of the row's task; NULL when there is none left. */
static const struct task_run *run_take(struct db_reader *r, const struct db_rows *rows, int column)
{
	int64_t id;
	uint32_t at = db_int(rows, column, &id) ? ids_get(&r->runs_of, id) : 0;
	struct run_list *list = at ? &r->run_lists.items[at - 1] : NULL;
	const struct task_run *run = list && list->first ? &r->runs.items[list->first - 1] : NULL;

	if (run)
		list->first = run->next;
	return run;
}

/* A row without a run is dropped for having no time. device_of_op: opId to device + 2. */
static void planes_read(struct db_reader *r, struct ids *device_of_op)
{
	struct db_rows rows;
	int64_t op, plane;

	if (!db_rows_open(&rows, &r->db, "COMMUNICATION_TASK_INFO", "globalTaskId taskType planeId groupName opId"))
		return;
	progress_stage(r->db.progress, "tasks of collectives");
	while (db_rows_next(&rows)) {
		const struct task_run *run = run_take(r, &rows, 0);
		struct raw_event ev;

		if (run && run->device >= 0 && run->device < INT32_MAX && db_int(&rows, 4, &op))
			ids_put(device_of_op, op, (uint32_t)run->device + 2);
		if (!r->t->build)
			continue;
		r->t->account->by_phase['X']++;
		r->t->account->kept++;
		if (!run) {
			event_drop(r, DB_PLANE, &rows, DROP_NO_TIME);
			continue;
		}
		plane = 0;
		db_int(&rows, 2, &plane);
		ev = event_of(r, DB_PLANE, &rows, lane_of_plane(r, run->device, text_column(r, &rows, 3), plane),
				text_column(r, &rows, 1), 0);
		ev.start = run->start;
		ev.dur = run->dur;
		build_event(r->t->build, &ev);
	}
}

static void op_draw(struct db_reader *r, const struct db_rows *rows, const struct collective *c)
{
	struct raw_event ev = event_of(r, DB_COLLECTIVE, rows, lane_of_group(r, c->device, text_column(r, rows, 4)), c->name, 0);

	ev.start = c->start;
	ev.dur = c->dur;
	ev.connection = connection_of(rows, 3);
	build_event(r->t->build, &ev);
	if (ev.connection != NO_CONNECTION && r->has_torch)
		ARRAY_PUSH(&r->device_ends, items, n, cap) = (struct device_end){ ev.connection, ev.start, ev.lane };
}

/* Older tables have no deviceId: then that of the op's tasks, or the only one. */
static void ops_read(struct db_reader *r, const struct ids *device_of_op)
{
	struct db_rows rows;
	int64_t id;

	if (!db_rows_open(&rows, &r->db, "COMMUNICATION_OP", "startNs endNs opName connectionId groupName opId opType deviceId"))
		return;
	progress_stage(r->db.progress, "collectives");
	while (db_rows_next(&rows)) {
		struct collective c = { .device = r->device };
		uint32_t device;

		if (!event_times(r, DB_COLLECTIVE, &rows, 0, 1, &c.start, &c.dur))
			continue;
		c.name = text_column(r, &rows, 2);
		c.type = text_column(r, &rows, 6);
		if (!db_int(&rows, 7, &c.device) && db_int(&rows, 5, &id) && (device = ids_get(device_of_op, id)) >= 2)
			c.device = (int64_t)device - 2;
		c.device = c.device >= 0 && c.device <= INT32_MAX ? c.device : -1;
		if (r->wants_kernels)
			ARRAY_PUSH(&r->collectives, items, n, cap) = c;
		if (r->t->build)
			op_draw(r, &rows, &c);
	}
}

void collectives_read(struct db_reader *r)
{
	struct ids device_of_op = { 0 };

	planes_read(r, &device_of_op);
	ops_read(r, &device_of_op);
	ids_done(&device_of_op);
}
