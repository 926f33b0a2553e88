/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links from framework operators, as flows of the text export's categories.
 *	async_task_queue	an Enqueue and its Dequeue share an id
 *	fwdbwd			a forward and a backward operator share autograd's sequence number (CONNECTION_IDS joins them too, but by
 *				the outermost operator, where the text export has the innermost)
 *	async_npu		an operator and what it made run: by the launches that CONNECTION_IDS gives it, and where that has nothing
 *				(copies, events; the exporter notes kernels only) by time: the call that launched lies in a Dequeue, whose
 *				Enqueue lies in the operator; without a queue the call itself lies in the operator. The innermost operator
 *				counts.
 * The tasks of a collective have no link of their own: their collective has it.
 */
#include "core/load/db/db_read.h"

#include "core/base/mem.h"

#include <stdlib.h>

/* Something at a time in a thread, to be found inside spans of the same thread. */
struct moment {
	int64_t tid, start, end;
	uint64_t connection;
	uint32_t found;			/* index + 1 of the innermost span, 0 none */
};

struct span {
	int64_t tid, start, end;
	uint32_t index;			/* in the list it came from */
};

struct links {
	uint32_t torch, queue, backward, mstx;
	struct ids op_of;		/* connection of a launch to index + 1 of its operator; 0 unknown */
	struct ids on_device;		/* connections of tasks and collectives: 1, 2 once a flow begins there */
};

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int moment_compare(const void *x, const void *y)
{
	const struct moment *a = x, *b = y;
	int c = compare(a->tid, b->tid);

	return c ? c : compare(a->start, b->start);
}

/* Longer first, so that the inner of two spans with one start comes later. */
static int span_compare(const void *x, const void *y)
{
	const struct span *a = x, *b = y;
	int c = compare(a->tid, b->tid);

	c = c ? c : compare(a->start, b->start);
	c = c ? c : compare(b->end, a->end);
	return c ? c : compare(a->index, b->index);
}

/* Finds the innermost span that contains each moment whole: one sweep with a stack of open spans. Sorts both lists. */
static void moments_place(struct moment *m, size_t nm, struct span *s, size_t ns)
{
	struct span *stack = mem_alloc(ns, sizeof *stack);
	size_t depth = 0, next = 0;

	if (nm)
		qsort(m, nm, sizeof *m, moment_compare);
	if (ns)
		qsort(s, ns, sizeof *s, span_compare);
	for (size_t i = 0; i < nm; i++) {
		size_t at;

		for (; next < ns && (s[next].tid < m[i].tid || (s[next].tid == m[i].tid && s[next].start <= m[i].start)); next++) {
			while (depth && (stack[depth - 1].tid != s[next].tid || stack[depth - 1].end < s[next].start))
				depth--;
			stack[depth++] = s[next];
		}
		while (depth && (stack[depth - 1].tid != m[i].tid || stack[depth - 1].end < m[i].start))
			depth--;
		for (at = depth; at > 0 && depth - at < 64 && stack[at - 1].end < m[i].end; at--)
			;
		m[i].found = at && stack[at - 1].end >= m[i].end ? stack[at - 1].index + 1 : 0;
	}
	free(stack);
}

/* ---- which operator launched what ---- */

/* Rows may share a list of ids: all walks together are bounded, so that a crafted file cannot make them square. */
static void launches_known(struct db_reader *r, struct links *l)
{
	size_t budget = 16 * r->ids.n + 64 * r->ops.n;

	for (size_t i = 0; i < r->ops.n; i++) {
		const struct python_op *op = &r->ops.items[i];

		for (size_t k = op->first_id; k < op->first_id + op->nids && budget; k++, budget--) {
			int64_t connection = (int64_t)r->ids.items[k].connection;

			if (r->ids.items[k].connection > r->last_call)
				break;
			if (!ids_get(&l->op_of, connection))
				ids_put(&l->op_of, connection, (uint32_t)i + 1);
		}
	}
}

/* The calls that launched something on the device and whose operator is not known. */
static struct moment *calls_open(struct db_reader *r, const struct links *l, size_t *n)
{
	struct moment *m = mem_alloc(r->calls.n, sizeof *m);

	*n = 0;
	for (size_t i = 0; i < r->calls.n; i++) {
		const struct host_call *c = &r->calls.items[i];

		if (ids_get(&l->on_device, (int64_t)c->connection) && !ids_get(&l->op_of, (int64_t)c->connection))
			m[(*n)++] = (struct moment){ c->tid, c->start, c->end, c->connection, 0 };
	}
	return m;
}

static void calls_through_queue(struct db_reader *r, struct moment *m, size_t n)
{
	struct span *spans = mem_alloc(r->dequeues.n, sizeof *spans);
	struct ids enqueue_of = { 0 };

	for (size_t i = 0; i < r->dequeues.n; i++)
		spans[i] = (struct span){ r->dequeues.items[i].tid, r->dequeues.items[i].start, r->dequeues.items[i].end, (uint32_t)i };
	for (size_t i = 0; i < r->enqueues.n; i++)
		if (r->enqueues.items[i].connection != NO_CONNECTION)
			ids_put(&enqueue_of, (int64_t)r->enqueues.items[i].connection, (uint32_t)i + 1);
	moments_place(m, n, spans, r->dequeues.n);
	for (size_t i = 0; i < n; i++) {
		uint32_t at = m[i].found ? ids_get(&enqueue_of, (int64_t)r->dequeues.items[m[i].found - 1].connection) : 0;

		if (at) {
			m[i].tid = r->enqueues.items[at - 1].tid;
			m[i].start = r->enqueues.items[at - 1].start;
			m[i].end = r->enqueues.items[at - 1].end;
		}
	}
	ids_done(&enqueue_of);
	free(spans);
}

static void launches_by_time(struct db_reader *r, struct links *l)
{
	size_t n;
	struct moment *m = calls_open(r, l, &n);
	struct span *spans;

	if (n) {
		spans = mem_alloc(r->ops.n, sizeof *spans);
		calls_through_queue(r, m, n);
		for (size_t i = 0; i < r->ops.n; i++)
			spans[i] = (struct span){ r->ops.items[i].tid, r->ops.items[i].start, r->ops.items[i].end, (uint32_t)i };
		moments_place(m, n, spans, r->ops.n);
		for (size_t i = 0; i < n; i++)
			if (m[i].found)
				ids_put(&l->op_of, (int64_t)m[i].connection, m[i].found);
		free(spans);
	}
	free(m);
}

/* ---- flows ---- */

/* One start per launch that reached the device, one finish per task or collective. */
static void torch_flows(struct db_reader *r, struct links *l)
{
	for (size_t i = 0; i < r->device_ends.n; i++) {
		const struct device_end *d = &r->device_ends.items[i];
		uint32_t at = ids_get(&l->op_of, (int64_t)d->connection);

		if (!at)
			continue;
		if (ids_get(&l->on_device, (int64_t)d->connection) == 1) {
			ids_put(&l->on_device, (int64_t)d->connection, 2);
			flow_add(r, 's', d->connection, r->ops.items[at - 1].lane, r->ops.items[at - 1].start, l->torch);
		}
		flow_add(r, 'f', d->connection, d->lane, d->start, l->torch);
	}
}

static void queue_flows(struct db_reader *r, const struct links *l)
{
	for (size_t i = 0; i < r->enqueues.n; i++)
		if (r->enqueues.items[i].connection != NO_CONNECTION)
			flow_add(r, 's', r->enqueues.items[i].connection, r->enqueues.items[i].lane, r->enqueues.items[i].start, l->queue);
	for (size_t i = 0; i < r->dequeues.n; i++)
		if (r->dequeues.items[i].connection != NO_CONNECTION)
			flow_add(r, 'f', r->dequeues.items[i].connection, r->dequeues.items[i].lane, r->dequeues.items[i].start, l->queue);
}

/* Of each side of a sequence number the operator that starts last counts: the innermost, which did the work. */
static void backward_flows(struct db_reader *r, const struct links *l)
{
	struct index_map sides[2] = { { 0 }, { 0 } };

	for (size_t i = 0; i < r->ops.n; i++) {
		const struct python_op *op = &r->ops.items[i];
		uint32_t *slot;

		if (op->sequence < 0)
			continue;
		slot = index_map_slot(&sides[op->backward], (uint64_t)op->sequence);
		if (!*slot || r->ops.items[*slot - 1].start < op->start)
			*slot = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < sides[1].nslots; i++) {
		uint32_t backward = sides[1].values[i], forward = backward ? index_map_find(&sides[0], sides[1].keys[i]) : 0;

		if (!forward)
			continue;
		flow_add(r, 's', sides[1].keys[i], r->ops.items[forward - 1].lane, r->ops.items[forward - 1].start, l->backward);
		flow_add(r, 'f', sides[1].keys[i], r->ops.items[backward - 1].lane, r->ops.items[backward - 1].start, l->backward);
	}
	index_map_done(&sides[0]);
	index_map_done(&sides[1]);
}

static void mark_flows(struct db_reader *r, const struct links *l)
{
	for (size_t i = 0; i < r->marks.n; i++)
		if (ids_get(&r->mark_of, (int64_t)r->marks.items[i].connection) == 2)
			flow_add(r, 's', r->marks.items[i].connection, r->marks.items[i].lane, r->marks.items[i].start, l->mstx);
}

void links_make(struct db_reader *r)
{
	struct links l = { .torch = name_of(r, "async_npu"), .queue = name_of(r, "async_task_queue"), .backward = name_of(r, "fwdbwd"),
		.mstx = name_of(r, "MsTx") };

	if (!r->t->build)
		return;
	mark_flows(r, &l);
	if (!r->has_torch)
		return;
	progress_stage(r->db.progress, "links");
	for (size_t i = 0; i < r->device_ends.n; i++)
		ids_put(&l.on_device, (int64_t)r->device_ends.items[i].connection, 1);
	launches_known(r, &l);
	launches_by_time(r, &l);
	torch_flows(r, &l);
	queue_flows(r, &l);
	backward_flows(r, &l);
	ids_done(&l.op_of);
	ids_done(&l.on_device);
}
