/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel side of the CSV export: kernel_details.csv with the pipe metrics
 * (47 columns, CRLF, a TAB after each start time), op_statistic.csv and
 * step_trace_time.csv. Times are microseconds.
 */
#include "samples/text.h"

#include "samples/split.h"

#include <stdlib.h>
#include <string.h>

static const char kernel_header[] =
	"Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),"
	"Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,Output Shapes,"
	"Output Data Types,Output Formats,Context ID,aicore_time(us),aic_total_cycles,aic_mac_time(us),aic_mac_ratio,"
	"aic_scalar_time(us),aic_scalar_ratio,aic_mte1_time(us),aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,"
	"aic_fixpipe_time(us),aic_fixpipe_ratio,aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,aiv_vec_time(us),"
	"aiv_vec_ratio,aiv_scalar_time(us),aiv_scalar_ratio,aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte3_time(us),"
	"aiv_mte3_ratio,aiv_icache_miss_rate,cube_utilization(%)\r\n";

enum { COLUMNS_AFTER_BLOCK = 34 };

/* A field whose content already carries the quotes of a shape list. */
static void shape(struct out *o, const char *s)
{
	out_str(o, ",\"");
	for (; *s; s++) {
		if (*s == '"')
			out_char(o, '"');
		out_char(o, *s);
	}
	out_char(o, '"');
}

static void text(struct out *o, const char *s)
{
	out_char(o, ',');
	out_str(o, s);
}

static void number(struct out *o, int64_t v)
{
	out_char(o, ',');
	out_i64(o, v);
}

static void micro(struct out *o, int64_t ns)
{
	out_char(o, ',');
	out_short(o, ns, 3);
}

/* Time and share of each pipe of one core half; ns 0 writes the empty half. */
static void pipe_half(struct out *o, int64_t ns, int blocks, const int *share, int n)
{
	micro(o, ns);
	number(o, ns * 1800 / 1000 * blocks);
	for (int i = 0; i < n; i++) {
		micro(o, ns * share[i] / 1000);
		micro(o, ns ? share[i] : 0);
	}
	micro(o, ns ? 2 + ns % 7 : 0);
}

static void pipes(struct out *o, const struct kernel_desc *k, int64_t ns)
{
	const struct pipes *p = &k->pipes;
	const int aic[] = { p->mac, p->scalar, p->mte1, p->mte2, p->fixpipe };
	const int aiv[] = { p->vec, p->vscalar, p->vmte2, p->vmte3 };
	int64_t used = ns - ns / 64;
	bool cube = core_is_cube(k->core), vector = strcmp(k->core, "AI_CORE") != 0;

	pipe_half(o, cube ? used : 0, k->blocks, aic, 5);
	pipe_half(o, vector ? used : 0, k->blocks, aiv, 4);
	out_char(o, ',');
	out_fixed(o, cube ? p->cube_util * 100 : 0, 3);
}

static void row_head(const struct capture *c, struct out *o, int step, int64_t model)
{
	out_i64(o, step);
	number(o, c->device);
	number(o, model);
}

static void row_times(struct out *o, int64_t start, int64_t end, int64_t before)
{
	int64_t wait = before && start > before ? start - before : 0;

	out_char(o, ',');
	out_fixed(o, start, 3);
	out_str(o, "\t,");
	out_fixed(o, end - start, 3);
	out_char(o, ',');
	if (wait)
		out_fixed(o, wait * 1000, 6);
	else
		out_char(o, '0');
}

static void kernel_row(const struct capture *c, struct out *o, const struct task_ev *t, int64_t before)
{
	const struct kernel_desc *k = t->kernel;

	row_head(c, o, t->step, t->model);
	number(o, t->task_id);
	number(o, t->stream);
	text(o, k->name);
	text(o, k->type);
	text(o, "dynamic");
	text(o, k->core);
	row_times(o, t->start, t->end, before);
	number(o, k->blocks);
	number(o, strncmp(k->core, "MIX", 3) == 0 ? 2 * k->blocks : 0);
	text(o, "NO");
	shape(o, k->in_shapes);
	text(o, k->in_types);
	text(o, k->in_formats);
	shape(o, k->out_shapes);
	text(o, k->out_types);
	text(o, k->out_formats);
	text(o, "N/A");
	pipes(o, k, t->end - t->start);
	out_str(o, "\r\n");
}

static void comm_row(const struct capture *c, struct out *o, const struct comm_ev *e, int64_t before)
{
	char name[64];

	comm_name(e, c->group, name, sizeof(name));
	row_head(c, o, e->step, e->model);
	out_str(o, ",N/A,N/A");
	text(o, name);
	text(o, e->desc->api);
	text(o, "N/A");
	text(o, "COMMUNICATION");
	row_times(o, e->start, e->end, before);
	text(o, "0");
	for (int i = 0; i < COLUMNS_AFTER_BLOCK; i++)
		text(o, "N/A");
	out_str(o, "\r\n");
}

void text_kernel_details(const struct capture *c, struct out *o)
{
	size_t i = 0, j = 0;
	int64_t before = 0;

	out_str(o, kernel_header);
	for (;;) {
		while (i < c->task.n && c->task.at[i].kind != TASK_KERNEL)
			i++;
		if (i == c->task.n && j == c->comm.n)
			return;
		bool kernel = j == c->comm.n || (i < c->task.n && c->task.at[i].start <= c->comm.at[j].start);
		int64_t end = kernel ? c->task.at[i].end : c->comm.at[j].end;
		if (kernel)
			kernel_row(c, o, &c->task.at[i++], before);
		else
			comm_row(c, o, &c->comm.at[j++], before);
		if (end > before)
			before = end;
	}
}

struct type_sum {
	const char *type, *core;
	int64_t count, total, min, max;
};

static int sum_order(const void *x, const void *y)
{
	const struct type_sum *a = x, *b = y;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return strcmp(a->type, b->type);
}

static void sum_add(struct type_sum *s, int64_t ns)
{
	s->min = !s->count || ns < s->min ? ns : s->min;
	s->max = ns > s->max ? ns : s->max;
	s->total += ns;
	s->count++;
}

enum { MAX_TYPES = 64 };

static size_t type_sums(const struct capture *c, struct type_sum *sum)
{
	size_t n = 0;

	for (size_t i = 0; i < c->task.n; i++) {
		const struct task_ev *t = &c->task.at[i];
		size_t k = 0;
		if (t->kind != TASK_KERNEL)
			continue;
		while (k < n && (strcmp(sum[k].type, t->kernel->type) || strcmp(sum[k].core, t->kernel->core)))
			k++;
		if (k == MAX_TYPES)
			continue;
		if (k == n)
			sum[n++] = (struct type_sum){ .type = t->kernel->type, .core = t->kernel->core };
		sum_add(&sum[k], t->end - t->start);
	}
	qsort(sum, n, sizeof(*sum), sum_order);
	return n;
}

void text_op_statistic(const struct capture *c, struct out *o)
{
	struct type_sum sum[MAX_TYPES] = { { 0 } };
	size_t n = type_sums(c, sum);
	int64_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += sum[i].total;
	out_str(o, "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)\n");
	for (size_t i = 0; i < n; i++) {
		out_i64(o, c->device);
		text(o, sum[i].type);
		text(o, sum[i].core);
		number(o, sum[i].count);
		micro(o, sum[i].total);
		micro(o, sum[i].min);
		micro(o, sum[i].total / sum[i].count);
		micro(o, sum[i].max);
		micro(o, (sum[i].total / 100 * 100000 + all / 200) / (all / 100));
		out_char(o, '\n');
	}
}

void text_step_trace(const struct capture *c, struct out *o)
{
	out_str(o, "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
		   "Communication(Not Overlapped and Exclude Receive),Preparing\r\n");
	for (size_t i = 0; i < c->step.n; i++) {
		struct step_row r = step_row_make(c, &c->step.at[i]);
		out_i64(o, c->device);
		number(o, c->step.at[i].number);
		micro(o, r.computing);
		micro(o, r.not_overlapped);
		micro(o, r.overlapped);
		micro(o, r.communication);
		micro(o, r.free);
		micro(o, r.stage);
		text(o, "0");
		micro(o, r.not_overlapped);
		micro(o, r.preparing);
		out_str(o, "\r\n");
	}
}
