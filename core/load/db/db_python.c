/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PYTORCH_API and CONNECTION_IDS. A row's connectionId leads to several ids:
 *	up to the largest CANN_API.connectionId	the launches made for an operator; the event gets the smallest
 *	above it, on rows of the task queue	one id for an Enqueue and its Dequeue
 *	above it, on operators			one id for a forward operator and its backward operator; not used (see core/load/db/db_link.c)
 */
#include "core/load/db/db_read.h"

#include "core/base/mem.h"

#include <stdlib.h>

enum { API_OP = 50001, API_QUEUE = 50002, API_PYTHON = 50003, API_MARK = 50004 };

struct categories {
	uint32_t op, enqueue, dequeue, python, mark;
};

static int id_compare(const void *x, const void *y)
{
	const struct connection_id *a = x, *b = y;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	return (a->connection > b->connection) - (a->connection < b->connection);
}

static void ids_read(struct db_reader *r)
{
	struct db_rows rows;
	bool sorted = true;

	if (!db_rows_open(&rows, &r->db, "CONNECTION_IDS", "id connectionId"))
		return;
	while (db_rows_next(&rows)) {
		struct connection_id id = { .connection = connection_of(&rows, 1) };

		if (!db_int(&rows, 0, &id.owner) || id.connection == NO_CONNECTION)
			continue;
		ARRAY_PUSH(&r->ids, items, n, cap) = id;
		sorted = sorted && (r->ids.n < 2 || id_compare(&r->ids.items[r->ids.n - 2], &id) <= 0);
	}
	if (!sorted)
		qsort(r->ids.items, r->ids.n, sizeof *r->ids.items, id_compare);
}

/* The first id whose owner is not below this one. */
static size_t ids_from(const struct db_reader *r, int64_t owner)
{
	size_t lo = 0, hi = r->ids.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (r->ids.items[mid].owner < owner)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void op_note(struct db_reader *r, const struct db_rows *rows, struct raw_event *ev, int64_t tid, size_t first, size_t n)
{
	int64_t forward_thread = 0, sequence = -1;

	if (n && r->ids.items[first].connection <= r->last_call)
		ev->connection = r->ids.items[first].connection;
	db_int(rows, 6, &forward_thread);
	db_int(rows, 7, &sequence);
	ARRAY_PUSH(&r->ops, items, n, cap) = (struct python_op){ .start = ev->start, .end = ev->start + ev->dur, .tid = tid,
		.lane = ev->lane, .sequence = sequence, .backward = forward_thread != 0, .first_id = first, .nids = n };
	if (!r->has_step_ops && str_begins(names_str(r->t->names, ev->name), STR("ProfilerStep#")))
		r->has_step_ops = true;
}

static void queue_note(struct db_reader *r, struct raw_event *ev, const struct categories *c, int64_t tid, size_t first, size_t n)
{
	struct queue_end q = { .start = ev->start, .end = ev->start + ev->dur, .tid = tid, .lane = ev->lane, .connection = NO_CONNECTION };
	bool dequeue = str_begins(names_str(r->t->names, ev->name), STR("Dequeue"));

	ev->type = dequeue ? c->dequeue : c->enqueue;
	if (n)
		q.connection = r->ids.items[first].connection;
	if (dequeue)
		ARRAY_PUSH(&r->dequeues, items, n, cap) = q;
	else
		ARRAY_PUSH(&r->enqueues, items, n, cap) = q;
}

static void api_read(struct db_reader *r, const struct db_rows *rows, const struct categories *c)
{
	int64_t start, dur, tid = 0, owner, type = API_OP;
	size_t first = 0, n = 0;
	struct raw_event ev;

	if (!event_times(r, DB_PYTORCH, rows, 0, 1, &start, &dur))
		return;
	db_int(rows, 2, &tid);
	db_int(rows, 5, &type);
	if (r->ids.n && db_int(rows, 3, &owner) && owner < INT64_MAX) {
		first = ids_from(r, owner);
		n = ids_from(r, owner + 1) - first;
	}
	ev = event_of(r, DB_PYTORCH, rows, lane_of_thread(r, PROC_PYTHON, tid), text_column(r, rows, 4), c->op);
	ev.start = start;
	ev.dur = dur;
	switch (type) {
	case API_QUEUE:
		queue_note(r, &ev, c, tid, first, n);
		break;
	case API_PYTHON:
		ev.type = c->python;
		break;
	case API_MARK:
		ev.type = c->mark;
		break;
	default:
		op_note(r, rows, &ev, tid, first, n);
	}
	build_event(r->t->build, &ev);
}

void python_read(struct db_reader *r)
{
	struct categories c = { .op = name_of(r, "cpu_op"), .enqueue = name_of(r, "enqueue"), .dequeue = name_of(r, "dequeue"),
		.python = name_of(r, "python_function"), .mark = name_of(r, "mstx") };
	struct db_rows rows;

	if (!r->t->build)
		return;
	ids_read(r);
	if (!db_rows_open(&rows, &r->db, "PYTORCH_API", "startNs endNs globalTid connectionId name type fwdThreadId sequenceNumber"))
		return;
	progress_stage(r->db.progress, "framework operators");
	while (db_rows_next(&rows))
		api_read(r, &rows, &c);
}
