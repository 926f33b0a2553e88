/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulation behind every sample (see build.h). Four clocks per rank: host
 * main thread, launch thread, compute stream, communication stream. Nothing
 * here knows a file format. Invariant: a task never starts before its launch
 * ended, so every launch link points forward in time.
 */
#include "samples/build.h"

#include "samples/rng.h"

#include <stdlib.h>
#include <string.h>

enum {
	QUEUE_LATENCY_NS = 1500,	/* enqueue end to dequeue start */
	LAUNCH_LATENCY_NS = 2600,	/* launch end to task start on an idle stream */
	TASK_GAP_NS = 240,		/* between back-to-back tasks of a stream */
	GRAPH_GAP_NS = 900,
	COPY_LATENCY_NS = 1900,
	COMM_LATENCY_NS = 60,		/* keeps a collective off the start of its neighbour kernel */
	FIRST_CORRELATION = 10000000,	/* away from the connection ids */
};

struct quota_run {
	int64_t *part;
	size_t next;
};

struct sim {
	const struct scenario *s;
	struct capture *cap;
	struct rng rng;
	struct quota_run *quota;
	int64_t host, acl, compute, comm;	/* the four clocks */
	int64_t correlation, memory;
	int task_id, frame, parent_frame, collectives;
	int step;
	int64_t graph_conn;			/* launch the running graph belongs to, 0: eager */
	int graph_host;
};

struct launch {
	int64_t ready, conn, model;
	int host;
	bool flow;
};

static int64_t draw(struct sim *m, const void *desc, bool host, int64_t mean, int jitter)
{
	for (size_t i = 0; i < m->s->nquota; i++) {
		const struct quota *q = &m->s->quota[i];
		if (q->desc == desc && q->host == host && m->quota[i].next < q->count)
			return m->quota[i].part[m->quota[i].next++];
	}
	return rng_around(&m->rng, mean, jitter);
}

static int64_t next_conn(struct sim *m)
{
	return ++m->cap->last_conn;
}

static int push_host(struct sim *m, struct host_ev e)
{
	e.step = m->step;
	VEC_PUSH(m->cap->host, e);
	return (int)m->cap->host.n - 1;
}

static void push_api(struct sim *m, struct api_ev e)
{
	VEC_PUSH(m->cap->api, e);
}

static void push_task(struct sim *m, struct task_ev t)
{
	t.step = m->step;
	t.task_id = ++m->task_id & 0xffff;
	VEC_PUSH(m->cap->task, t);
}

static void open_frame(struct sim *m, const char *name, int64_t start, int64_t end, int module)
{
	if (!(m->s->flags & SF_FRAMES))
		return;
	push_host(m, (struct host_ev){ .start = start, .end = end, .kind = HOST_FRAME, .name = name,
		.frame = ++m->frame, .frame_parent = m->parent_frame, .module = module });
}

/* A framework operator on the main thread: what the launch of a task starts from. */
struct issue {
	const void *desc;
	const char *op, *inner, *acl, *item, *mode, *dims, *types;
	int64_t host_ns;
	int jitter;
};

/* The launch thread takes the work: dequeue, the API call, the launch inside it. */
static void dequeue(struct sim *m, const struct issue *is, int64_t from, int64_t correlation, struct launch *l)
{
	const struct host_cost *cost = &m->s->cost;
	int64_t start = (from + QUEUE_LATENCY_NS > m->acl ? from + QUEUE_LATENCY_NS : m->acl);
	int64_t took = rng_around(&m->rng, cost->dequeue, 80);
	int64_t launch_ns = rng_around(&m->rng, cost->launch, 80);
	int64_t at = start + took * 2 / 5;

	push_host(m, (struct host_ev){ .start = start, .end = start + took, .kind = HOST_DEQUEUE,
		.name = is->acl, .correlation = correlation });
	if (!(m->s->flags & SF_BARE) && is->item)
		push_api(m, (struct api_ev){ .start = start + took / 10, .end = start + took - took / 20,
			.conn = next_conn(m), .level = API_ACL, .acl_thread = true, .name = is->acl, .mode = "ACL_NN" });
	l->conn = next_conn(m);
	l->ready = at + launch_ns;
	push_api(m, (struct api_ev){ .start = at, .end = at + launch_ns, .conn = l->conn,
		.level = is->item ? API_NODE : API_ACL, .acl_thread = true, .flow = true,
		.name = is->item ? "launch" : is->acl, .item = is->item, .mode = is->mode });
	m->acl = start + took + 180;
}

static struct launch issue_op(struct sim *m, const struct issue *is)
{
	const struct host_cost *cost = &m->s->cost;
	struct launch l = { .model = 4294967295, .flow = true };
	int64_t took = draw(m, is->desc, true, is->host_ns, is->jitter);
	int64_t enqueue = rng_around(&m->rng, cost->enqueue, 100);
	int64_t start = m->host, end = start + took, queued = end - took / 12 - enqueue;
	struct host_ev op = { .start = start, .end = end, .kind = HOST_OP, .name = is->op,
		.dims = is->dims, .types = is->types, .kernel_dims = true };
	bool nested = (m->s->flags & SF_NEST) && is->inner;

	op.child_ns = nested ? (took * 9 / 10) - took / 8 : 0;
	l.host = push_host(m, op);
	if (nested) {
		op.start = start + took / 8;
		op.end = start + took * 9 / 10;
		op.name = is->inner;
		op.child_ns = 0;
		l.host = push_host(m, op);
		queued = op.end - took / 12 - enqueue;
	}
	push_host(m, (struct host_ev){ .start = queued, .end = queued + enqueue, .kind = HOST_ENQUEUE,
		.name = is->acl, .correlation = ++m->correlation });
	dequeue(m, is, queued + enqueue, m->correlation, &l);
	m->cap->host.at[l.host].first_conn = l.conn;
	m->host = end + rng_around(&m->rng, cost->between_ops, 300);
	return l;
}

/* Inside a replayed graph nothing is issued: every task hangs on the one launch. */
static struct launch launch_for(struct sim *m, const struct issue *is)
{
	if (!m->graph_conn)
		return issue_op(m, is);
	return (struct launch){ .ready = 0, .conn = m->graph_conn, .model = 1, .host = NO_HOST };
}

static int64_t stream_ready(struct sim *m, int64_t clock, const struct launch *l)
{
	int64_t gap = m->graph_conn ? GRAPH_GAP_NS : TASK_GAP_NS;
	int64_t ready = l->ready ? l->ready + LAUNCH_LATENCY_NS : 0;

	return clock + gap > ready ? clock + gap : ready;
}

static void remember_allocation(struct sim *m, const struct kernel_desc *k, int64_t at)
{
	int64_t bytes = 512 * (1 + (int64_t)rng_below(&m->rng, 65536));

	m->memory += bytes;
	VEC_PUSH(m->cap->mem, ((struct mem_ev){ .at = at, .release = at + 40 * k->ns, .bytes = bytes,
		.total = m->memory, .name = k->inner ? k->inner : k->op }));
	m->memory -= bytes / 64 * 63;
}

static void play_kernel(struct sim *m, const struct kernel_desc *k)
{
	struct issue is = { k, k->op, k->inner, k->acl, k->name, "launch", k->in_shapes, k->in_types,
		k->host_ns, k->jitter };
	int64_t issued = m->host;
	struct launch l = launch_for(m, &is);
	int64_t took = draw(m, k, false, k->ns, k->jitter);
	int64_t start = stream_ready(m, m->compute, &l);

	if (m->cap->rank == m->s->slow_rank)
		took = took * m->s->slow_permille / 1000;
	push_task(m, (struct task_ev){ .start = start, .end = start + took, .conn = l.conn, .model = l.model,
		.kind = TASK_KERNEL, .stream = STREAM_COMPUTE, .comm = -1, .host = l.host, .flow = l.flow, .kernel = k });
	m->compute = start + took;
	if (l.host != NO_HOST) {
		struct host_ev *op = &m->cap->host.at[l.host];
		op->device_ns += took;
		op->aicore_ns += core_is_cube(k->core) ? took : 0;
	}
	if (m->cap->task.n % 24 == 1)
		remember_allocation(m, k, issued);
}

static void play_copy(struct sim *m, const struct copy_desc *y)
{
	const char *acl = y->to_host ? "acl_memcpy_device_to_host" : "acl_memcpy_host_to_device";
	struct issue is = { y, y->op, NULL, acl, NULL, "ACL_RTS", NULL, NULL, y->host_ns, y->jitter };
	struct launch l = issue_op(m, &is);
	int64_t after = m->compute > m->comm ? m->compute : m->comm;
	int64_t start = stream_ready(m, after, &l) + COPY_LATENCY_NS;
	int64_t took = draw(m, y, false, y->ns, y->jitter);

	m->cap->api.at[m->cap->api.n - 1].name = "aclrtMemcpyAsync";
	push_task(m, (struct task_ev){ .start = start, .end = start + took, .conn = l.conn, .model = l.model,
		.kind = TASK_COPY, .stream = STREAM_COMPUTE, .comm = -1, .host = l.host, .flow = true,
		.to_host = y->to_host, .bytes = y->bytes });
	m->compute = start + took;
	m->cap->host.at[l.host].device_ns += took;
}

static void play_host(struct sim *m, const struct host_desc *h)
{
	int64_t took = draw(m, h, true, h->ns, h->jitter);

	push_host(m, (struct host_ev){ .start = m->host, .end = m->host + took, .kind = HOST_OP, .name = h->name,
		.dims = h->dims, .types = h->types });
	m->host += took + rng_around(&m->rng, m->s->cost.between_ops, 300);
}

static int64_t device_done(const struct sim *m)
{
	return m->compute > m->comm ? m->compute : m->comm;
}

/* The host stands in a stream synchronisation until the device is done. */
static void play_sync(struct sim *m, const struct host_desc *h)
{
	int64_t start = m->host, done = device_done(m) + 3000;
	int64_t took = rng_around(&m->rng, h->ns, h->jitter);
	int64_t end = (done > start + took ? done : start + took);

	push_host(m, (struct host_ev){ .start = start, .end = end + 2100, .kind = HOST_OP, .name = h->name,
		.dims = h->dims, .types = h->types });
	push_api(m, (struct api_ev){ .start = start + 1300, .end = end, .conn = next_conn(m), .level = API_ACL,
		.name = "aclrtSynchronizeStreamWithTimeout", .mode = "ACL_RTS" });
	m->host = end + 2100 + rng_around(&m->rng, m->s->cost.between_ops, 300);
}

/* The pieces of one collective, plane by plane, inside [start, end). */
static void plane_parts(struct sim *m, const struct comm_ev *e, int index)
{
	int planes = e->desc->plane_tasks, peers = m->s->world - 1;
	int64_t span = e->end - e->start, move = e->transit_ns;
	static const enum part_kind order[] = { PART_NOTIFY_RECORD, PART_NOTIFY_WAIT, PART_COPY, PART_REDUCE };

	for (int i = 0; i < planes; i++) {
		enum part_kind part = order[i % 4];
		int64_t from = part == PART_NOTIFY_RECORD ? e->start + 20 : part == PART_NOTIFY_WAIT ? e->start + 60
			: part == PART_COPY ? e->end - move : e->end - move / 3;
		int64_t took = part == PART_NOTIFY_RECORD ? 20 : part == PART_NOTIFY_WAIT ? span - move - 80
			: part == PART_COPY ? move * 3 / 5 : move / 3 - 20;
		if (took < 20)
			took = 20;
		push_task(m, (struct task_ev){ .start = from, .end = from + took, .conn = e->conn, .model = e->model,
			.kind = TASK_PART, .part = part, .stream = STREAM_COMM, .comm = index, .host = NO_HOST,
			.plane = i / 4, .peer = (m->cap->rank + 1 + i / 4 % peers) % m->s->world,
			.bytes = part == PART_COPY || part == PART_REDUCE ? e->desc->bytes / m->s->world : 0 });
	}
}

static void push_comm(struct sim *m, struct comm_ev e, const struct launch *l, unsigned flags)
{
	e.step = m->step;
	e.index = m->collectives++;
	e.host = l->host;
	e.conn = l->conn;
	e.model = l->model;
	e.flow = l->flow;
	VEC_PUSH(m->cap->comm, e);
	if (l->host != NO_HOST)
		m->cap->host.at[l->host].device_ns += e.end - e.start;
	if (!(m->s->flags & SF_BARE)) {
		push_task(m, (struct task_ev){ .start = m->compute + 40, .end = m->compute + 60, .conn = l->conn,
			.model = l->model, .kind = TASK_RECORD, .stream = STREAM_COMPUTE, .comm = -1, .host = NO_HOST });
		plane_parts(m, &e, (int)m->cap->comm.n - 1);
		if (!(flags & IF_OVERLAP))
			push_task(m, (struct task_ev){ .start = m->compute + 80, .end = e.end + 40, .conn = l->conn,
				.model = l->model, .kind = TASK_WAIT, .stream = STREAM_COMPUTE, .comm = -1,
				.host = NO_HOST });
	}
	m->comm = e.end;
	if (!(flags & IF_OVERLAP))
		m->compute = e.end + 60;
}

/* All ranks arrive, the last one starts the transfer, all end together. */
static void play_comm(struct sim *sim, const struct comm_desc *d, unsigned flags)
{
	int ranks = sim[0].s->ranks;
	struct launch l[MAX_RANKS];
	int64_t start[MAX_RANKS], last = 0;
	int64_t took = draw(&sim[0], d, false, d->ns, d->jitter);

	for (int r = 0; r < ranks; r++) {
		struct sim *m = &sim[r];
		struct issue is = { d, d->op, NULL, d->api, d->api, "launch", NULL, NULL, d->host_ns, d->jitter };
		l[r] = launch_for(m, &is);
		start[r] = stream_ready(m, m->compute > m->comm ? m->compute : m->comm, &l[r]) + COMM_LATENCY_NS;
		if (start[r] > last)
			last = start[r];
	}
	for (int r = 0; r < ranks; r++) {
		struct comm_ev e = { .start = start[r], .end = last + took, .desc = d };
		e.wait_ns = last - start[r] + took / 9;
		e.sync_ns = last - start[r] + took / 12;
		e.transit_ns = took * 5 / 6;
		push_comm(&sim[r], e, &l[r], flags);
	}
}

static void play_item(struct sim *sim, const struct item *it, bool first)
{
	if ((it->flags & IF_FIRST) && !first)
		return;
	if (it->kind == IT_COMM) {
		play_comm(sim, it->comm, it->flags);
		return;
	}
	for (int r = 0; r < sim[0].s->ranks; r++) {
		struct sim *m = &sim[r];
		for (int i = 0; i < it->repeat; i++) {
			switch (it->kind) {
			case IT_KERNEL: play_kernel(m, it->kernel); break;
			case IT_COPY: play_copy(m, it->copy); break;
			case IT_HOST: play_host(m, it->host); break;
			case IT_SYNC: play_sync(m, it->host); break;
			default: m->host = device_done(m) > m->host ? device_done(m) + 3000 : m->host; break;
			}
		}
	}
}

static void play_items(struct sim *sim, const struct items *list, bool first)
{
	for (size_t i = 0; i < list->n; i++)
		play_item(sim, &list->item[i], first);
}

/* One launch replays the captured graph of the whole step. */
static void graph_launch(struct sim *m)
{
	static const struct host_desc replay = { "ACLGraph::replay", 38000, 120, NULL, NULL };
	int64_t start = m->host;

	play_host(m, &replay);
	m->graph_host = (int)m->cap->host.n - 1;
	m->graph_conn = next_conn(m);
	push_api(m, (struct api_ev){ .start = start + 4000, .end = start + 26000, .conn = m->graph_conn,
		.level = API_ACL, .flow = true, .name = "aclmdlRIExecuteAsync", .mode = "ACL_RTS" });
	m->cap->host.at[m->graph_host].first_conn = m->graph_conn;
	if (m->compute < start + 26000 + LAUNCH_LATENCY_NS)
		m->compute = start + 26000 + LAUNCH_LATENCY_NS;
}

static void link_graph(struct sim *m, size_t first_task)
{
	for (size_t i = first_task; i < m->cap->task.n; i++)
		if (m->cap->task.at[i].kind == TASK_KERNEL) {
			m->cap->task.at[i].flow = true;
			m->cap->task.at[i].host = m->graph_host;
			return;
		}
}

static void play_layers(struct sim *sim, const struct phase *p, bool first)
{
	int ranks = sim[0].s->ranks;
	size_t task[MAX_RANKS];
	int64_t start[MAX_RANKS];

	for (int r = 0; r < ranks; r++) {
		task[r] = sim[r].cap->task.n;
		if (p->graph)
			graph_launch(&sim[r]);
	}
	for (int i = 0; i < p->layers; i++) {
		for (int r = 0; r < ranks; r++)
			start[r] = sim[r].host;
		play_items(sim, &p->layer, first);
		for (int r = 0; r < ranks && !p->graph; r++)
			open_frame(&sim[r], "nn.Module: QwenDecoderLayer", start[r], sim[r].host, i);
	}
	for (int r = 0; r < ranks; r++) {
		if (p->graph)
			link_graph(&sim[r], task[r]);
		sim[r].graph_conn = 0;
	}
}

static void play_step(struct sim *sim, const struct phase *p, int number, bool first)
{
	int ranks = sim[0].s->ranks, mark[MAX_RANKS], parent[MAX_RANKS];

	for (int r = 0; r < ranks; r++) {
		struct sim *m = &sim[r];
		m->step = number;
		mark[r] = push_host(m, (struct host_ev){ .start = m->host, .kind = HOST_STEP });
		m->host += 900;
		parent[r] = m->parent_frame;
		open_frame(m, "vllm_ascend/worker/model_runner_v1.py(2214): execute_model", m->host, m->host, -1);
		m->parent_frame = m->frame;
	}
	play_items(sim, &p->pre, first);
	play_layers(sim, p, first);
	play_items(sim, &p->post, first);
	for (int r = 0; r < ranks; r++) {
		struct sim *m = &sim[r];
		struct host_ev *e = &m->cap->host.at[mark[r]];
		int64_t end = device_done(m) > m->host ? device_done(m) + 2000 : m->host;
		e->end = end + 700;
		if (m->s->flags & SF_FRAMES)
			e[1].end = end + 300;
		m->parent_frame = parent[r];
		VEC_PUSH(m->cap->step, ((struct step){ number, e->start, end + 700, p }));
		m->host = end + rng_around(&m->rng, m->s->cost.between_steps, 150) + 700;
	}
}

static void sim_init(struct sim *m, const struct scenario *s, struct capture *cap, int rank)
{
	memset(m, 0, sizeof(*m));
	capture_init(cap, s, rank);
	m->s = s;
	m->cap = cap;
	rng_init(&m->rng, s->seed * 977 + (uint64_t)rank);
	m->host = m->acl = m->compute = m->comm = s->start_ns + 1370 * rank;
	m->correlation = FIRST_CORRELATION;
	m->memory = 12000000000;
	m->quota = calloc(s->nquota + 1, sizeof(*m->quota));
	if (!m->quota)
		abort();
	for (size_t i = 0; i < s->nquota; i++) {
		m->quota[i].part = calloc(s->quota[i].count, sizeof(int64_t));
		if (!m->quota[i].part)
			abort();
		rng_split(&m->rng, s->quota[i].total_ns, 90, m->quota[i].part, s->quota[i].count);
	}
}

static void sim_done(struct sim *m)
{
	for (size_t i = 0; i < m->s->nquota; i++)
		free(m->quota[i].part);
	free(m->quota);
}

/* The profiler's own tasks around the capture: on the device, yet no work. */
static void push_mark(struct sim *m, const char *name, int64_t at)
{
	if (!(m->s->flags & SF_BARE))
		push_task(m, (struct task_ev){ .start = at, .end = at + 20, .conn = next_conn(m), .model = 4294967295,
			.kind = TASK_MARK, .mark = name, .stream = STREAM_PROFILER, .comm = -1, .host = NO_HOST });
}

void scenario_build(const struct scenario *s, struct capture *cap)
{
	struct sim sim[MAX_RANKS];
	int number = s->first_step;

	for (int r = 0; r < s->ranks; r++) {
		sim_init(&sim[r], s, &cap[r], r);
		push_mark(&sim[r], "PROFILING_ENABLE", s->start_ns + 400);
	}
	for (size_t p = 0; p < s->nphase; p++)
		for (int i = 0; i < s->phase[p].steps; i++)
			play_step(sim, &s->phase[p], number++, i == 0);
	for (int r = 0; r < s->ranks; r++) {
		push_mark(&sim[r], "PROFILING_DISABLE", device_done(&sim[r]) + 90000);
		sim_done(&sim[r]);
		capture_sort(&cap[r]);
	}
}
