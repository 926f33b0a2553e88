/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the profiler database reader share. One struct db_reader lives for one db_load_profiler(); each part reads its tables
 * once, in the order of core/load/db/db_load.c. Private to core/load/db_*.c.
 *
 * Accounting: each row of an event table is one event of the account and at most one event of the model. A task of a collective stands in
 * TASK (drawn on its stream) and in COMMUNICATION_TASK_INFO (drawn on its plane with the times of TASK): two rows, two events, as in the
 * text export. A row of a counter table is one 'C', however many values it has.
 */
#ifndef ASCOPE_CORE_LOAD_DB_DB_READ_H
#define ASCOPE_CORE_LOAD_DB_DB_READ_H

#include "core/base/index_map.h"
#include "core/load/db/db.h"
#include "core/load/db/db_ids.h"
#include "core/load/db/db_load.h"

/* ---- event tables, in the order in which their rows are numbered ---- */

enum db_events {
	DB_TASK, DB_COLLECTIVE, DB_PLANE, DB_CANN, DB_PYTORCH, DB_MSTX, DB_STEP, DB_GC, DB_OVERLAP, DB_OS, DB_EVENTS_MAX
};

const char *db_events_table(const struct db *db, enum db_events e);	/* the spelling that is there; NULL when none is */

/* ---- lanes ---- */

enum db_process { PROC_PYTHON, PROC_GC, PROC_MSTX, PROC_CANN, PROC_OS, PROC_HARDWARE, PROC_COMMUNICATION, PROC_OVERLAP, PROC_MAX };

struct lane_entry {
	int64_t owner, number;
	uint32_t lane;
	uint8_t process;
	bool used;
};

enum { LANE_ENTRIES = 256 };

/* ---- what tasks, kernels and links need ---- */

/* One row of COMPUTE_TASK_INFO (or COMMUNICATION_SCHEDULE_TASK_INFO): texts are name ids, 0 none. */
struct compute {
	uint32_t name, core, op_type, state, hf32;
	uint32_t in_shapes, in_types, in_formats, out_shapes, out_types, out_formats;
	uint32_t first_kernel;		/* index + 1 of the first run of it, 0 none */
	int32_t blocks, mix_blocks;	/* -1 when not given */
};

/* There may be millions: the writer's 32-bit numbers as such, a bit in `has` for each that is given. */
struct kernel {
	int64_t start, dur;
	uint32_t stream, task, context, model;
	uint32_t compute;		/* index */
	uint32_t next;			/* index + 1 of the next run of the same compute row, 0 last */
	int32_t device;			/* -1 unknown */
	uint8_t has;			/* KERNEL_HAS_* */
};

enum { KERNEL_HAS_STREAM = 1, KERNEL_HAS_TASK = 2, KERNEL_HAS_CONTEXT = 4, KERNEL_HAS_MODEL = 8 };

struct collective {
	int64_t start, dur, device;
	uint32_t name, type;
};

/* A run of a collective's task, waiting for its row in COMMUNICATION_TASK_INFO; runs of one task are taken in the order of their rows. */
struct task_run {
	int64_t start, dur, device;
	uint32_t next;			/* index + 1 of the next run of the same task, 0 last */
};

struct run_list {
	uint32_t first, last;		/* index + 1 in runs, 0 none */
};

struct step {
	uint32_t name;			/* "50" */
	int64_t start, end;		/* on the host */
	int64_t device_start, device_end;	/* from the first task launched inside it to the last, or to the end on the host */
	int64_t later_start;		/* the least device_start of this step and those behind it */
};

/* A host call that may have launched something: kept for steps and for links from framework operators. */
struct host_call {
	uint64_t connection;
	int64_t start, end, tid;	/* tid: globalTid */
};

struct python_op {
	int64_t start, end, tid;
	int64_t sequence;		/* of autograd, -1 none: a forward and a backward operator share it */
	uint32_t lane;
	bool backward;			/* it names the thread of its forward operator */
	size_t first_id, nids;		/* in ids */
};

struct queue_end {
	int64_t start, end, tid;
	uint64_t connection;
	uint32_t lane;
};

/* A task or collective with a connection to the host. */
struct device_end {
	uint64_t connection;
	int64_t start;
	uint32_t lane;
};

struct connection_id {
	int64_t owner;			/* CONNECTION_IDS.id */
	uint64_t connection;
};

#define DB_LIST(type, name) struct { type *items; size_t n, cap; } name

struct db_reader {
	struct db db;
	struct db_target *t;
	struct ids strings;		/* STRING_IDS: to name ids */
	uint32_t nothing[2];		/* the names "N/A" and "NULL" */
	uint64_t first_row[DB_EVENTS_MAX];	/* running number of each table's first row */
	int64_t host_pid;
	int64_t device;			/* the only device, -1 when there are several or none is known */
	bool has_torch;			/* PYTORCH_API holds rows: links from operators are wanted */
	bool wants_kernels;
	bool calls_hccl;		/* the older word for communication */
	bool has_step_ops;		/* ProfilerStep#N stands among the framework's operators */
	struct lane_entry lanes[LANE_ENTRIES];
	struct index_map groups;	/* device and group name to their number + 1 */

	DB_LIST(struct compute, computes);
	struct ids compute_of;		/* globalTaskId to index + 1 */
	DB_LIST(struct kernel, kernels);
	DB_LIST(struct collective, collectives);
	DB_LIST(struct task_run, runs);
	DB_LIST(struct run_list, run_lists);
	struct ids runs_of;		/* globalTaskId of a collective's task to index + 1 in run_lists */
	DB_LIST(struct step, steps);
	struct ids step_of;		/* connection of a call inside a step to its index + 1 */
	DB_LIST(uint32_t, metrics);	/* names of the AI Core counters seen */

	DB_LIST(struct host_call, calls);
	uint64_t last_call;		/* largest connection of a CANN call; the framework's own ids come after it */
	DB_LIST(struct connection_id, ids);	/* sorted by owner */
	DB_LIST(struct python_op, ops);
	DB_LIST(struct queue_end, enqueues);
	DB_LIST(struct queue_end, dequeues);
	DB_LIST(struct device_end, device_ends);
	DB_LIST(struct device_end, marks);	/* MSTX_EVENTS with a connection of their own */
	struct ids mark_of;		/* connection of a mark: 1, and 2 once a task has it */
};

/* ---- db_lane.c ---- */

/* A lane of a process. owner: device, or the pid of a host process. number: stream, thread, or what the process numbers. */
uint32_t lane_of(struct db_reader *r, enum db_process p, int64_t owner, int64_t number);
uint32_t lane_of_thread(struct db_reader *r, enum db_process p, int64_t global_tid);
uint32_t lane_of_group(struct db_reader *r, int64_t device, uint32_t group);
uint32_t lane_of_plane(struct db_reader *r, int64_t device, uint32_t group, int64_t plane);

/* The process of a counter: its pid as a name id, named and labelled. device: NO_INT for the host's own. */
uint32_t counter_process(struct db_reader *r, const char *name, unsigned sort, int64_t device);

/* ---- events: db_event.c ---- */

/*
 * Start and duration of the current row, from two columns. When they are no time the row is dropped and counted; otherwise it is counted as
 * kept. Without a builder nothing is counted.
 */
bool event_times(struct db_reader *r, enum db_events e, const struct db_rows *rows, int start_column, int end_column,
		int64_t *start, int64_t *dur);
void event_drop(struct db_reader *r, enum db_events e, const struct db_rows *rows, enum drop why);	/* a row that event_times() kept */

/* What every event has; the caller adds connection and flags. */
struct raw_event event_of(const struct db_reader *r, enum db_events e, const struct db_rows *rows, uint32_t lane, uint32_t name,
		uint32_t type);
uint64_t         connection_of(const struct db_rows *rows, int column);
void             flow_add(struct db_reader *r, char phase, uint64_t id, uint32_t lane, int64_t time, uint32_t category);

/* ---- parts, in the order they run ---- */
void texts_read(struct db_reader *r);		/* db_event.c: STRING_IDS */
void basics_read(struct db_reader *r);		/* db_info.c: pids, devices, rank */
void steps_read(struct db_reader *r);		/* db_step.c */
void cann_read(struct db_reader *r);		/* db_cann.c; api_statistic too */
void python_read(struct db_reader *r);		/* db_python.c */
void marks_read(struct db_reader *r);		/* db_host.c */
void host_rest_read(struct db_reader *r);	/* db_host.c: steps, garbage collection, overlap, OS calls */
void computes_read(struct db_reader *r);	/* db_compute.c */
void plane_tasks_find(struct db_reader *r);	/* db_collective.c: which tasks belong to collectives */
void tasks_read(struct db_reader *r);		/* db_task.c */
void collectives_read(struct db_reader *r);	/* db_collective.c */
void counters_read(struct db_reader *r);	/* db_counter.c */
void links_make(struct db_reader *r);		/* db_link.c */
void steps_settle(struct db_reader *r);		/* db_step.c: once all tasks are read */
void kernels_make(struct db_reader *r);		/* db_kernel.c: kernel_details; db_op_total.c: op_statistic */
void memory_read(struct db_reader *r);		/* db_memory.c */
void info_read(struct db_reader *r);		/* db_info.c: run_info */

/* ---- small ones ---- */

/* The table of this kind, made when it is not there; NULL when the caller wants none or has one with rows (from a text export). */
struct table *table_wanted(struct db_reader *r, enum artifact kind);

uint32_t name_of(struct db_reader *r, const char *text);
uint32_t name_printf(struct db_reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

static inline bool name_is_nothing(const struct db_reader *r, uint32_t name)
{
	return name == 0 || name == r->nothing[0] || name == r->nothing[1];
}

/* The text whose id stands in a column, as a name id; 0, the empty text, for none. */
static inline uint32_t text_column(const struct db_reader *r, const struct db_rows *rows, int column)
{
	int64_t id;

	return db_int(rows, column, &id) ? ids_get(&r->strings, id) : 0;
}

/* The name of an id in an ENUM_* table, 0 when there is none. */
uint32_t enum_name(struct db_reader *r, const char *table, int64_t id);

#endif
