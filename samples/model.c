/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event list of one rank (see model.h): growing, ordering, and the few
 * names that both exports derive from it in the same way.
 */
#include "samples/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *vec_grow(void *at, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return at;
	*room = *room ? *room * 2 : 256;
	at = realloc(at, *room * size);
	if (!at) {
		fputs("make-samples: out of memory\n", stderr);
		exit(1);
	}
	return at;
}

void capture_init(struct capture *c, const struct scenario *s, int rank)
{
	memset(c, 0, sizeof(*c));
	c->scenario = s;
	c->rank = rank;
	c->device = rank;
	c->host_pid = 21000 + 37 * rank + (int64_t)(s->seed % 97);
	c->main_tid = c->host_pid;
	c->acl_tid = c->host_pid + 412;
	c->group = 11978775601474615112u + s->seed;
}

static int by_time(int64_t a, int64_t b, int64_t a_end, int64_t b_end)
{
	if (a != b)
		return a < b ? -1 : 1;
	if (a_end != b_end)
		return a_end > b_end ? -1 : 1;
	return 0;
}


static int api_order(const void *x, const void *y)
{
	const struct api_ev *a = x, *b = y;
	int o = by_time(a->start, b->start, a->end, b->end);

	return o ? o : (a->conn > b->conn) - (a->conn < b->conn);
}

static int task_order(const void *x, const void *y)
{
	const struct task_ev *a = x, *b = y;
	int o = by_time(a->start, b->start, a->end, b->end);

	return o ? o : (a->task_id > b->task_id) - (a->task_id < b->task_id);
}

/* Tasks keep pointing at host operators by index, so only tasks and API move. */
void capture_sort(struct capture *c)
{
	qsort(c->api.at, c->api.n, sizeof(*c->api.at), api_order);
	qsort(c->task.at, c->task.n, sizeof(*c->task.at), task_order);
}

void capture_done(struct capture *c)
{
	free(c->host.at);
	free(c->api.at);
	free(c->task.at);
	free(c->comm.at);
	free(c->mem.at);
	free(c->step.at);
	memset(c, 0, sizeof(*c));
}

int64_t layer_pid(const struct capture *c, int layer, bool host_side)
{
	return c->host_pid << 10 | layer << 5 | (host_side ? 31 : c->device);
}

void comm_name(const struct comm_ev *e, uint64_t group, char *text, size_t size)
{
	snprintf(text, size, "%s_%03d_%d_1", e->desc->api, (int)(group % 1000), e->index);
}

static void span_add(struct span *s, int64_t start, int64_t end)
{
	if (start < s->start)
		s->start = start;
	if (end > s->end)
		s->end = end;
}

struct span capture_span(const struct capture *c)
{
	struct span s = { INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < c->host.n; i++)
		span_add(&s, c->host.at[i].start, c->host.at[i].end);
	for (size_t i = 0; i < c->task.n; i++)
		span_add(&s, c->task.at[i].start, c->task.at[i].end);
	for (size_t i = 0; i < c->comm.n; i++)
		span_add(&s, c->comm.at[i].start, c->comm.at[i].end);
	return s;
}

struct task_text {
	const char *name, *type, *db;
};

static const struct task_text part_text[] = {
	[PART_NOTIFY_WAIT] = { "Notify Wait", "Notify Wait", "Notify Wait" },
	[PART_COPY] = { "SDMA", "SDMA", "SDMA" },
	[PART_NOTIFY_RECORD] = { "Write Value", "Write Value", "Write Value" },
	[PART_REDUCE] = { "SDMA", "SDMA", "SDMA" },
};

static struct task_text task_text(const struct task_ev *t)
{
	switch (t->kind) {
	case TASK_KERNEL:
		return (struct task_text){ t->kernel->name, t->kernel->core,
			strcmp(t->kernel->core, "AI_CORE") == 0 ? "KERNEL_AICORE"
			: strcmp(t->kernel->core, "AI_VECTOR_CORE") == 0 ? "KERNEL_AIVEC" : t->kernel->core };
	case TASK_COPY:
		return (struct task_text){ "MEMCPY_ASYNC", "MEMCPY_ASYNC", "MEMCPY_ASYNC" };
	case TASK_RECORD:
		return (struct task_text){ "EVENT_RECORD", "EVENT_RECORD_SQE", "EVENT_RECORD" };
	case TASK_WAIT:
		return (struct task_text){ "EVENT_WAIT", "EVENT_WAIT_SQE", "EVENT_WAIT" };
	case TASK_PART:
		return part_text[t->part];
	default:
		return (struct task_text){ t->mark, "PLACE_HOLDER_SQE", t->mark };
	}
}

const char *task_type_text(const struct task_ev *t)
{
	return task_text(t).type;
}

const char *task_name_text(const struct task_ev *t)
{
	return task_text(t).name;
}

const char *task_type_db(const struct task_ev *t)
{
	return task_text(t).db;
}

bool core_is_cube(const char *core)
{
	return strcmp(core, "AI_CORE") == 0 || strcmp(core, "MIX_AIC") == 0;
}
