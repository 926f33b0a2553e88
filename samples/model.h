/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One rank's capture in memory: what the host did, what the CANN layer did,
 * what the device did, all in epoch nanoseconds. build.c fills it; the text and
 * database writers only read it, which is why both exports of a sample agree to
 * the nanosecond. Owner of everything: struct capture, freed at once.
 */
#ifndef ASCOPE_SAMPLES_MODEL_H
#define ASCOPE_SAMPLES_MODEL_H

#include "samples/scenario.h"

enum { STREAM_PROFILER = 0, STREAM_COMPUTE = 2, STREAM_COMM = 4, NO_HOST = -1 };

enum host_kind { HOST_OP, HOST_STEP, HOST_FRAME, HOST_ENQUEUE, HOST_DEQUEUE };

struct host_ev {
	int64_t start, end, child_ns;	/* child_ns: time inside nested operators */
	int64_t correlation;		/* queue events */
	enum host_kind kind;
	int step, frame, frame_parent, module;
	int64_t device_ns, aicore_ns;	/* kernels it launched */
	int64_t first_conn;		/* connection of its task, 0: none */
	const char *name;		/* HOST_STEP: NULL, the number is step */
	const char *dims, *types;	/* kernel shapes or Input Dims */
	bool kernel_dims;		/* dims/types are written in kernel notation */
};

enum api_level { API_ACL, API_NODE, API_MODEL, API_COMM };

struct api_ev {
	int64_t start, end, conn;
	enum api_level level;
	bool acl_thread, flow;
	const char *name;		/* "aclnnMatmul", "launch" */
	const char *item;		/* launch: kernel name */
	const char *mode;
};

enum task_kind { TASK_KERNEL, TASK_COPY, TASK_RECORD, TASK_WAIT, TASK_PART, TASK_MARK };
enum part_kind { PART_NOTIFY_WAIT, PART_COPY, PART_NOTIFY_RECORD, PART_REDUCE };

struct task_ev {
	int64_t start, end, conn, model;
	enum task_kind kind;
	enum part_kind part;		/* TASK_PART */
	int stream, task_id, step, comm, plane, peer;
	int host;			/* index of the framework operator, or NO_HOST */
	bool to_host, flow;
	int64_t bytes;
	const struct kernel_desc *kernel;
	const char *mark;
};

struct comm_ev {
	int64_t start, end, conn, wait_ns, transit_ns, sync_ns, model;
	int step, host, index;
	bool flow;
	const struct comm_desc *desc;
};

struct mem_ev {
	int64_t at, release, bytes, total;
	const char *name;
};

struct step {
	int number;
	int64_t start, end;		/* the framework's step mark */
	const struct phase *phase;
};

struct span {
	int64_t start, end;
};

#define VEC(type) struct { type *at; size_t n, room; }

struct capture {
	const struct scenario *scenario;
	int rank, device;
	int64_t host_pid, main_tid, acl_tid;
	int64_t last_conn;
	uint64_t group;			/* hash of the communication group */
	VEC(struct host_ev) host;
	VEC(struct api_ev) api;
	VEC(struct task_ev) task;
	VEC(struct comm_ev) comm;
	VEC(struct mem_ev) mem;
	VEC(struct step) step;
};

/* Room for one more; out of memory ends the program. */
void *vec_grow(void *at, size_t n, size_t *room, size_t size);
#define VEC_PUSH(v, value) \
	((v).at = vec_grow((v).at, (v).n, &(v).room, sizeof(*(v).at)), (v).at[(v).n++] = (value))

void capture_init(struct capture *c, const struct scenario *s, int rank);
void capture_sort(struct capture *c);
void capture_done(struct capture *c);

/* Process ids as the exporter makes them: host pid, layer, device. */
int64_t layer_pid(const struct capture *c, int layer, bool host_side);

/* "hcom_allReduce__123_0_1" */
void comm_name(const struct comm_ev *e, uint64_t group, char *text, size_t size);

/* First and last instant of anything in the capture. */
struct span capture_span(const struct capture *c);

const char *task_type_text(const struct task_ev *t);	/* trace "Task Type" */
const char *task_name_text(const struct task_ev *t);	/* Ascend Hardware name */
const char *task_type_db(const struct task_ev *t);	/* TASK.taskType */
bool core_is_cube(const char *core);

#endif
