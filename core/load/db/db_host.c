/* SPDX-License-Identifier: Apache-2.0 */
/* The smaller event tables of the host: marks of the user, steps, garbage collection, calls into the system; and the exporter's overlap. */
#include "core/load/db/db_read.h"

#include "core/base/mem.h"

/* MSTX_EVENTS.connectionId: this for a mark without a task, larger for one with a task. CANN calls stay below. */
#define MARK_WITHOUT_TASK UINT64_C(4000000000)

void marks_read(struct db_reader *r)
{
	uint32_t type = name_of(r, "mstx");
	int64_t start, dur, tid;
	struct db_rows rows;

	if (!r->t->build || !db_rows_open(&rows, &r->db, "MSTX_EVENTS", "startNs endNs globalTid message connectionId"))
		return;
	progress_stage(r->db.progress, "marks");
	while (db_rows_next(&rows)) {
		struct raw_event ev;

		if (!event_times(r, DB_MSTX, &rows, 0, 1, &start, &dur))
			continue;
		tid = 0;
		db_int(&rows, 2, &tid);
		ev = event_of(r, DB_MSTX, &rows, lane_of_thread(r, PROC_MSTX, tid), text_column(r, &rows, 3), type);
		ev.start = start;
		ev.dur = dur;
		ev.connection = connection_of(&rows, 4);
		if (ev.connection <= MARK_WITHOUT_TASK)
			ev.connection = NO_CONNECTION;
		build_event(r->t->build, &ev);
		if (ev.connection == NO_CONNECTION)
			continue;
		ids_put(&r->mark_of, (int64_t)ev.connection, 1);
		ARRAY_PUSH(&r->marks, items, n, cap) = (struct device_end){ ev.connection, start, ev.lane };
	}
}

/* Spans with a fixed name on one lane per thread. */
static void spans_read(struct db_reader *r, enum db_events e, enum db_process p, const char *columns, const char *name, uint32_t type)
{
	const char *table = db_events_table(&r->db, e);
	uint32_t fixed = name ? name_of(r, name) : 0;
	int64_t start, dur, tid;
	struct db_rows rows;

	if (!table || !db_rows_open(&rows, &r->db, table, columns))
		return;
	while (db_rows_next(&rows)) {
		struct raw_event ev;

		if (!event_times(r, e, &rows, 0, 1, &start, &dur))
			continue;
		tid = 0;
		db_int(&rows, 2, &tid);
		ev = event_of(r, e, &rows, lane_of_thread(r, p, tid), name ? fixed : text_column(r, &rows, 3), type);
		ev.start = start;
		ev.dur = dur;
		build_event(r->t->build, &ev);
	}
}

/* Only when the steps do not stand among the framework's operators already, where the text export has them. */
static void step_events_read(struct db_reader *r)
{
	uint32_t type = name_of(r, "cpu_op");
	int64_t start, dur, id;
	struct db_rows rows;

	if (r->has_step_ops || !db_rows_open(&rows, &r->db, "STEP_TIME", "startNs endNs id"))
		return;
	while (db_rows_next(&rows)) {
		struct raw_event ev;

		if (!event_times(r, DB_STEP, &rows, 0, 1, &start, &dur))
			continue;
		id = -1;
		db_int(&rows, 2, &id);
		ev = event_of(r, DB_STEP, &rows, lane_of(r, PROC_PYTHON, r->host_pid, NO_INT),
				name_printf(r, "ProfilerStep#%lld", (long long)id), type);
		ev.start = start;
		ev.dur = dur;
		build_event(r->t->build, &ev);
	}
}

/* The exporter's own split, or that of the viewer which opened the file: type 0 to 3, each a lane whose name its events have. */
static void overlap_read(struct db_reader *r)
{
	static const char *const names[] = { "Computing", "Communication", "Communication(Not Overlapped)", "Free" };
	int64_t start, dur, type, device;
	struct db_rows rows;

	if (!db_rows_open(&rows, &r->db, "OVERLAP_ANALYSIS", "startNs endNs type deviceId"))
		return;
	while (db_rows_next(&rows)) {
		struct raw_event ev;

		if (!event_times(r, DB_OVERLAP, &rows, 0, 1, &start, &dur))
			continue;
		type = -1;
		device = r->device;
		db_int(&rows, 2, &type);
		db_int(&rows, 3, &device);
		ev = event_of(r, DB_OVERLAP, &rows, lane_of(r, PROC_OVERLAP, device, type),
				type >= 0 && type < (int64_t)ARRAY_LEN(names) ? name_of(r, names[type]) : 0, 0);
		ev.start = start;
		ev.dur = dur;
		build_event(r->t->build, &ev);
	}
}

void host_rest_read(struct db_reader *r)
{
	if (!r->t->build)
		return;
	step_events_read(r);
	spans_read(r, DB_GC, PROC_GC, "startNs endNs globalTid", "GC", name_of(r, "GC"));
	spans_read(r, DB_OS, PROC_OS, "startNs endNs globalTid name", NULL, 0);
	overlap_read(r);
}
