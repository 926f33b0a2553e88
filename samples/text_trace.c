/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_view.json, the framework's half: Python operators, frames, queue events
 * and their flows, then the process names; after it the CANN and device half
 * (text_device.c) and last the torch_to_npu flows, in the order the profiler
 * writes them. A bare array on one line.
 */
#include "samples/text.h"

#include "samples/names.h"

static void field_ts(struct out *o, int64_t ns)
{
	out_str(o, ", \"ts\": \"");
	out_fixed(o, ns, 3);
	out_char(o, '"');
}

static void field_place(struct out *o, int64_t pid, int64_t tid)
{
	out_str(o, ", \"pid\": ");
	out_i64(o, pid);
	out_str(o, ", \"tid\": ");
	out_i64(o, tid);
}

void text_next(struct out *o)
{
	if (out_bytes(o) > 1)
		out_str(o, ", ");
}

static void span_head(struct out *o, const char *name, int64_t pid, int64_t tid, int64_t start, int64_t end)
{
	text_next(o);
	out_str(o, "{\"ph\": \"X\", \"name\": \"");
	out_json(o, name);
	out_char(o, '"');
	field_place(o, pid, tid);
	field_ts(o, start);
	out_str(o, ", \"dur\": ");
	out_short(o, end - start, 3);
}

static void operator_args(const struct capture *c, const struct host_ev *e, struct out *o)
{
	char dims[NAME_SIZE], types[NAME_SIZE];
	const char *stack = host_stack(c, e);

	out_str(o, ", \"cat\": \"cpu_op\", \"args\": {\"Sequence number\": -1, \"Fwd thread id\": 0");
	if (host_dims(e, dims, types, sizeof(dims))) {
		out_str(o, ", \"Input Dims\": \"");
		out_json(o, dims);
		out_str(o, "\", \"Input type\": \"");
		out_json(o, types);
		out_char(o, '"');
	}
	if (stack) {
		out_str(o, ", \"Call stack\": \"");
		out_json(o, stack);
		out_char(o, '"');
	}
	out_str(o, "}}");
}

static void frame_args(const struct host_ev *e, struct out *o)
{
	out_str(o, ", \"cat\": \"python_function\", \"args\": {\"Python id\": ");
	out_i64(o, e->frame);
	out_str(o, ", \"Python parent id\": ");
	if (e->frame_parent)
		out_i64(o, e->frame_parent);
	else
		out_str(o, "null");
	if (e->module >= 0) {
		out_str(o, ", \"Python module id\": ");
		out_i64(o, e->module);
	}
	out_str(o, "}}");
}

static void queue_args(const struct host_ev *e, struct out *o, int64_t pid, int64_t tid)
{
	bool enqueue = e->kind == HOST_ENQUEUE;

	out_str(o, enqueue ? ", \"cat\": \"enqueue\"" : ", \"cat\": \"dequeue\"");
	out_str(o, ", \"args\": {\"correlation_id\": ");
	out_i64(o, e->correlation);
	out_str(o, "}}, {\"ph\": \"");
	out_char(o, enqueue ? 's' : 'f');
	out_str(o, "\", \"bp\": \"e\", \"name\": \"enqueue_to_dequeue\", \"id\": ");
	out_i64(o, e->correlation);
	field_place(o, pid, tid);
	field_ts(o, e->start);
	out_str(o, ", \"cat\": \"async_task_queue\"}");
}

static void host_event(const struct capture *c, const struct host_ev *e, struct out *o)
{
	char text[NAME_SIZE];
	int64_t tid = e->kind == HOST_DEQUEUE ? c->acl_tid : c->main_tid;

	span_head(o, host_name(e, text, sizeof(text)), c->host_pid, tid, e->start, e->end);
	if (e->kind == HOST_FRAME)
		frame_args(e, o);
	else if (e->kind == HOST_ENQUEUE || e->kind == HOST_DEQUEUE)
		queue_args(e, o, c->host_pid, tid);
	else
		operator_args(c, e, o);
}

static void host_events(const struct capture *c, struct out *o, enum host_kind first, enum host_kind last)
{
	for (size_t i = 0; i < c->host.n; i++)
		if (c->host.at[i].kind >= first && c->host.at[i].kind <= last)
			host_event(c, &c->host.at[i], o);
}

static void meta(struct out *o, const char *what, int64_t pid, int64_t tid, const char *key, const char *text,
	int64_t number)
{
	text_next(o);
	out_str(o, "{\"ph\": \"M\", \"name\": \"");
	out_str(o, what);
	out_char(o, '"');
	field_place(o, pid, tid);
	out_str(o, ", \"args\": {\"");
	out_str(o, key);
	out_str(o, "\": ");
	if (text) {
		out_char(o, '"');
		out_str(o, text);
		if (number)
			out_i64(o, number);
		out_char(o, '"');
	} else {
		out_i64(o, number);
	}
	out_str(o, "}}");
}

static void host_names(const struct capture *c, struct out *o)
{
	meta(o, "process_name", c->host_pid, 0, "name", "Python", 0);
	meta(o, "process_labels", c->host_pid, 0, "labels", "CPU", 0);
	meta(o, "process_sort_index", c->host_pid, 0, "sort_index", NULL, 0);
	meta(o, "thread_name", c->host_pid, c->main_tid, "name", "Thread ", c->main_tid);
	meta(o, "thread_sort_index", c->host_pid, c->main_tid, "sort_index", NULL, c->main_tid);
	meta(o, "thread_name", c->host_pid, c->acl_tid, "name", "Thread ", c->acl_tid);
	meta(o, "thread_sort_index", c->host_pid, c->acl_tid, "sort_index", NULL, c->acl_tid);
}

/* The flow is named by the device start, which is how the profiler makes its ids. */
static void flow_half(struct out *o, char ph, int64_t id, int64_t pid, int64_t tid, int64_t ts)
{
	text_next(o);
	out_str(o, "{\"ph\": \"");
	out_char(o, ph);
	out_str(o, "\", \"bp\": \"e\", \"name\": \"torch_to_npu\", \"id\": ");
	out_i64(o, id);
	field_place(o, pid, tid);
	field_ts(o, ts);
	out_str(o, ", \"cat\": \"async_npu\"}");
}

static void torch_flow(const struct capture *c, struct out *o, int host, int64_t start, int layer, int tid)
{
	if (host == NO_HOST)
		return;
	flow_half(o, 's', start, c->host_pid, c->main_tid, c->host.at[host].start);
	flow_half(o, 'f', start, layer_pid(c, layer, false), tid, start);
}

void text_trace(const struct capture *c, struct out *o)
{
	out_char(o, '[');
	host_events(c, o, HOST_OP, HOST_STEP);
	host_events(c, o, HOST_ENQUEUE, HOST_DEQUEUE);
	host_names(c, o);
	host_events(c, o, HOST_FRAME, HOST_FRAME);
	text_device_events(c, o);
	for (size_t i = 0; i < c->task.n; i++)
		if (c->task.at[i].flow)
			torch_flow(c, o, c->task.at[i].host, c->task.at[i].start, LAYER_HARDWARE, c->task.at[i].stream);
	for (size_t i = 0; i < c->comm.n; i++)
		if (c->comm.at[i].flow)
			torch_flow(c, o, c->comm.at[i].host, c->comm.at[i].start, LAYER_COMM, 0);
	out_char(o, ']');
}
