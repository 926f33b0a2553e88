/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_view.json, the half that CANN contributes: process and thread names, API
 * calls, hardware tasks, collectives and their planes, the exporter's overlap
 * lanes, the frequency counter. Key order differs from the framework's half:
 * here "ph" comes last.
 */
#include "samples/text.h"

#include "samples/names.h"
#include "samples/split.h"

#include <stdio.h>

#define NO_MODEL 4294967295

static void head(struct out *o, const char *name, int64_t pid, int64_t tid, int64_t start, int64_t took)
{
	text_next(o);
	out_str(o, "{\"name\": \"");
	out_json(o, name);
	out_str(o, "\", \"pid\": ");
	out_i64(o, pid);
	out_str(o, ", \"tid\": ");
	out_i64(o, tid);
	out_str(o, ", \"ts\": \"");
	out_fixed(o, start, 3);
	out_char(o, '"');
	if (took >= 0) {
		out_str(o, ", \"dur\": ");
		out_short(o, took, 3);
	}
}

static void arg(struct out *o, const char *key, int64_t value)
{
	out_str(o, ", \"");
	out_str(o, key);
	out_str(o, "\": ");
	out_i64(o, value);
}

static void arg_text(struct out *o, const char *key, const char *value)
{
	out_str(o, ", \"");
	out_str(o, key);
	out_str(o, "\": \"");
	out_json(o, value);
	out_char(o, '"');
}

static void name_event(struct out *o, const char *what, int64_t pid, int64_t tid, const char *key, const char *text,
	int64_t index)
{
	text_next(o);
	out_str(o, "{\"name\": \"");
	out_str(o, what);
	out_str(o, "\", \"pid\": ");
	out_i64(o, pid);
	out_str(o, ", \"tid\": ");
	out_i64(o, tid);
	out_str(o, ", \"args\": {\"");
	out_str(o, key);
	out_str(o, "\": ");
	if (text) {
		out_char(o, '"');
		out_json(o, text);
		out_char(o, '"');
	} else {
		out_i64(o, index);
	}
	out_str(o, "}, \"ph\": \"M\"}");
}

static void layer_names(const struct capture *c, struct out *o, int layer, const char *name)
{
	bool host = layer == LAYER_CANN;
	int64_t pid = layer_pid(c, layer, host);
	char label[32];

	snprintf(label, sizeof(label), host ? "CPU" : "NPU %d", c->device);
	name_event(o, "process_name", pid, 0, "name", name, 0);
	name_event(o, "process_labels", pid, 0, "labels", label, 0);
	name_event(o, "process_sort_index", pid, 0, "sort_index", NULL, layer);
}

static void thread_name(struct out *o, int64_t pid, int64_t tid, const char *name)
{
	name_event(o, "thread_name", pid, tid, "name", name, 0);
	name_event(o, "thread_sort_index", pid, tid, "sort_index", NULL, tid);
}

static int plane_count(const struct capture *c)
{
	int planes = 0;

	for (size_t i = 0; i < c->task.n; i++)
		if (c->task.at[i].kind == TASK_PART && c->task.at[i].plane >= planes)
			planes = c->task.at[i].plane + 1;
	return planes;
}

static void device_names(const struct capture *c, struct out *o)
{
	static const char *const lane[] = { "Computing", "Communication", "Communication(Not Overlapped)", "Free" };
	bool bare = c->scenario->flags & SF_BARE;
	int64_t cann = layer_pid(c, LAYER_CANN, true), hardware = layer_pid(c, LAYER_HARDWARE, false);
	int64_t comm = layer_pid(c, LAYER_COMM, false), overlap = layer_pid(c, LAYER_OVERLAP, false);
	char text[64];

	layer_names(c, o, LAYER_CANN, "CANN");
	snprintf(text, sizeof(text), "Thread %lld", (long long)c->main_tid);
	thread_name(o, cann, c->main_tid, text);
	snprintf(text, sizeof(text), "Thread %lld", (long long)c->acl_tid);
	thread_name(o, cann, c->acl_tid, text);
	layer_names(c, o, LAYER_HARDWARE, "Ascend Hardware");
	for (int s = STREAM_PROFILER; s <= STREAM_COMM; s += 2) {
		snprintf(text, sizeof(text), "Stream %d", s);
		if (s == STREAM_COMPUTE || !bare)
			thread_name(o, hardware, s, text);
	}
	layer_names(c, o, LAYER_COMM, "Communication");
	thread_name(o, comm, 0, "Group 0 Communication");
	for (int p = 0; p < plane_count(c); p++) {
		snprintf(text, sizeof(text), "Plane %d", p);
		thread_name(o, comm, p + 1, text);
	}
	layer_names(c, o, LAYER_FREQ, "AI Core Freq");
	if (bare)
		return;
	layer_names(c, o, LAYER_OVERLAP, "Overlap Analysis");
	for (int i = 0; i < LANE_COUNT; i++)
		thread_name(o, overlap, i, lane[i]);
}

/* Ends a device event's launch link; the start sits on the API call. */
static void launch_flow(struct out *o, char ph, int64_t conn, int64_t pid, int64_t tid, int64_t ts)
{
	text_next(o);
	out_str(o, "{\"name\": \"HostToDevice");
	out_i64(o, conn << 32);
	out_str(o, "\", \"ph\": \"");
	out_char(o, ph);
	out_str(o, "\", \"cat\": \"HostToDevice\", \"id\": \"");
	out_i64(o, conn << 32);
	out_str(o, "\", \"pid\": ");
	out_i64(o, pid);
	out_str(o, ", \"tid\": ");
	out_i64(o, tid);
	out_str(o, ", \"ts\": \"");
	out_fixed(o, ts, 3);
	out_str(o, ph == 'f' ? "\", \"bp\": \"e\"}" : "\"}");
}

static void api_event(const struct capture *c, const struct api_ev *e, struct out *o)
{
	static const char *const level[] = { "acl", "node", "model", "communication" };
	int64_t pid = layer_pid(c, LAYER_CANN, true), tid = e->acl_thread ? c->acl_tid : c->main_tid;
	char name[NAME_SIZE];
	bool launch = e->level == API_NODE;

	api_name(e, name, sizeof(name));
	head(o, name, pid, tid, e->start, e->end - e->start);
	out_str(o, ", \"args\": {\"Thread Id\": ");
	out_i64(o, tid);
	arg_text(o, "Mode", e->mode);
	arg_text(o, "level", level[e->level]);
	arg_text(o, "id", launch ? "0" : e->name);
	arg_text(o, "item_id", launch ? e->item : "0");
	arg(o, "connection_id", e->conn);
	out_str(o, "}, \"ph\": \"X\"}");
	if (e->flow)
		launch_flow(o, 's', e->conn, pid, tid, e->start);
}

static void task_event(const struct capture *c, const struct task_ev *t, struct out *o)
{
	int64_t pid = layer_pid(c, LAYER_HARDWARE, false);

	head(o, task_name_text(t), pid, t->stream, t->start, t->end - t->start);
	out_str(o, ", \"args\": {\"Model Id\": ");
	out_i64(o, t->model);
	arg_text(o, "Task Type", task_type_text(t));
	arg(o, "Physic Stream Id", t->stream);
	arg(o, "Task Id", t->task_id);
	arg(o, "Batch Id", 0);
	arg(o, "Subtask Id", NO_MODEL);
	arg(o, "connection_id", t->conn);
	if (t->kind == TASK_COPY) {
		arg(o, "data size(Byte)", t->bytes);
		arg_text(o, "memcpy direction", t->to_host ? "device to host" : "host to device");
	}
	out_str(o, "}, \"ph\": \"X\"}");
	if (t->flow)
		launch_flow(o, 'f', t->conn, pid, t->stream, t->start);
}

static void plane_event(const struct capture *c, const struct task_ev *t, struct out *o)
{
	static const char *const name[] = { "Notify_Wait", "Memcpy", "Notify_Record", "Reduce_Inline" };
	bool moves = t->bytes > 0;
	int64_t took = t->end - t->start;

	head(o, name[t->part], layer_pid(c, LAYER_COMM, false), t->plane + 1, t->start, took);
	out_str(o, ", \"args\": {\"notify_id\": \"");
	out_i64(o, moves ? 0 : (int64_t)(t->plane + 1) << 32 | t->peer);
	out_str(o, "\", \"duration estimated(us)\": ");
	out_short(o, took * 9 / 10, 3);
	arg(o, "stream id", t->stream);
	arg(o, "task id", t->task_id);
	arg(o, "context id", NO_MODEL);
	arg_text(o, "task type", name[t->part]);
	arg(o, "src rank", c->rank);
	arg(o, "dst rank", t->peer);
	arg_text(o, "transport type", t->part == PART_NOTIFY_WAIT ? "LOCAL" : "SDMA");
	arg(o, "size(Byte)", t->bytes);
	arg_text(o, "data type", t->part == PART_REDUCE ? "BFP16" : "INVALID_TYPE");
	arg_text(o, "link type", moves ? "HCCS" : "INVALID_TYPE");
	out_str(o, ", \"bandwidth(GB/s)\": ");
	out_short(o, t->bytes * 10000 / took, 4);
	arg(o, "model id", t->model);
	out_str(o, "}, \"ph\": \"X\"}");
}

static void comm_event(const struct capture *c, const struct comm_ev *e, struct out *o)
{
	int64_t pid = layer_pid(c, LAYER_COMM, false);
	char name[NAME_SIZE];

	comm_name(e, c->group, name, sizeof(name));
	head(o, name, pid, 0, e->start, e->end - e->start);
	out_str(o, ", \"args\": {\"connection_id\": ");
	out_i64(o, e->conn);
	arg(o, "model id", e->model);
	arg_text(o, "data_type", e->desc->data_type);
	arg_text(o, "alg_type", "MESH-RING");
	arg(o, "count", e->desc->count);
	arg_text(o, "relay", "no");
	arg_text(o, "retry", "no");
	out_str(o, "}, \"ph\": \"X\"}");
	if (e->flow)
		launch_flow(o, 'f', e->conn, pid, 0, e->start);
}

static void overlap_events(const struct capture *c, struct out *o)
{
	static const char *const lane[] = { "Computing", "Communication", "Communication(Not Overlapped)", "Free" };
	struct lanes l;

	lanes_make(c, -1, &l);
	for (int i = 0; i < LANE_COUNT; i++)
		for (size_t k = 0; k < l.lane[i].n; k++) {
			head(o, lane[i], layer_pid(c, LAYER_OVERLAP, false), i, l.lane[i].at[k].start,
				l.lane[i].at[k].end - l.lane[i].at[k].start);
			out_str(o, ", \"ph\": \"X\"}");
		}
	lanes_done(&l);
}

static void frequency(const struct capture *c, struct out *o, int64_t at, int mhz)
{
	head(o, "AI Core Freq", layer_pid(c, LAYER_FREQ, false), 0, at, -1);
	out_str(o, ", \"args\": {\"MHz\": ");
	out_i64(o, mhz);
	out_str(o, "}, \"ph\": \"C\"}");
}

void text_device_events(const struct capture *c, struct out *o)
{
	struct span all = capture_span(c);

	device_names(c, o);
	frequency(c, o, all.start, 1800);
	frequency(c, o, all.start + 2000000, 1800);
	for (size_t i = 0; i < c->api.n; i++)
		api_event(c, &c->api.at[i], o);
	for (size_t i = 0; i < c->task.n; i++)
		task_event(c, &c->task.at[i], o);
	for (size_t i = 0; i < c->comm.n; i++)
		comm_event(c, &c->comm.at[i], o);
	for (size_t i = 0; i < c->task.n; i++)
		if (c->task.at[i].kind == TASK_PART)
			plane_event(c, &c->task.at[i], o);
	if (!(c->scenario->flags & SF_BARE))
		overlap_events(c, o);
	frequency(c, o, all.end, 1800);
}
