/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real databases: against the text export of the same run where there is one (the readers of text share no code with those of databases),
 * and against numbers taken with another SQLite client.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/base/file.h"
#include "core/load/doc/doc_load.h"
#include "core/load/table/table_load.h"
#include "core/load/trace/trace.h"
#include "tests/help/db_make.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define P950 "real/msprof-950-db/"
#define P910 "real/pytorch-910b-level1-db/rank%d_ascend_pt/ASCEND_PROFILER_OUTPUT/"
#define P83 "real/pytorch-cann83-pp2dp2-4ranks/rank_%d_ascend_pt/ASCEND_PROFILER_OUTPUT/"

static const char *captures_root(void)
{
	const char *env = getenv("ASCOPE_CAPTURES");

	if (env && access(env, R_OK) == 0)
		return env;
	return access("../shared/captures", R_OK) == 0 ? "../shared/captures" : NULL;
}

/* The path of a capture's file; skips the test when it is not there. */
static const char *capture(char out[512], const char *fmt, int rank)
{
	const char *root = captures_root();
	char part[400];
	int n;

	if (!root) {
		print_message("no captures: set ASCOPE_CAPTURES\n");
		skip();
	}
	n = strstr(fmt, "%d") ? snprintf(part, sizeof part, "%.*s%d%s", (int)(strstr(fmt, "%d") - fmt), fmt, rank, strstr(fmt, "%d") + 2)
			      : snprintf(part, sizeof part, "%s", fmt);
	assert_true(n > 0 && (size_t)n < sizeof part);
	snprintf(out, 512, "%s/%s", root, part);
	if (access(out, R_OK) != 0) {
		print_message("no %s\n", part);
		skip();
	}
	return out;
}

static uint64_t file_hash(const char *path)
{
	uint64_t h = 1469598103934665603u;
	FILE *f = fopen(path, "rb");
	int c;

	assert_non_null(f);
	while ((c = getc(f)) != EOF)
		h = (h ^ (uint64_t)c) * 1099511628211u;
	fclose(f);
	return h;
}

static void load_untouched(struct db_loaded *l, const char *path)
{
	uint64_t before = file_hash(path);
	char beside[520];

	db_loaded_open(l, path);
	assert_int_equal(l->err, ERR_OK);
	assert_true(file_hash(path) == before);
	snprintf(beside, sizeof beside, "%s-shm", path);
	assert_int_not_equal(access(beside, F_OK), 0);
	snprintf(beside, sizeof beside, "%s-wal", path);
	assert_int_not_equal(access(beside, F_OK), 0);
}

static struct str text_of_file(const char *path)
{
	struct file f;
	char *p;
	size_t n;

	assert_int_equal(file_open(&f, path, NULL), ERR_OK);
	assert_int_equal(file_read_all(&f, 64 << 20, &p, &n, NULL), ERR_OK);
	file_close(&f);
	return (struct str){ p, n };
}

/* ---- one run, exported twice ---- */

static const struct process *process_named(const struct events *e, const struct names *names, const char *name)
{
	for (size_t i = 0; i < e->nprocesses; i++)
		if (!strcmp(names_text(names, e->processes[i].name), name))
			return &e->processes[i];
	return NULL;
}

static void lanes_equal(const struct db_loaded *l, const struct events *text, const struct lane *a)
{
	const struct lane *b = NULL;

	for (size_t i = 0; i < text->nlanes; i++)
		if (text->lanes[i].tid == a->tid && text->processes[text->lanes[i].process].pid == l->events.processes[a->process].pid)
			b = &text->lanes[i];
	assert_non_null(b);
	assert_int_equal(a->name, b->name);
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		size_t x = a->first + i, y = b->first + i;

		assert_int_equal(l->events.start[x], text->start[y]);
		assert_int_equal(l->events.dur[x], text->dur[y]);
		assert_int_equal(l->events.name[x], text->name[y]);
		assert_int_equal(l->events.type[x], text->type[y]);
		assert_true(l->events.connection[x] == text->connection[y]);
	}
}

static void test_950_events_as_text(void **state)
{
	char path[512], json[512];
	struct account account = { 0 };
	struct trace_info info;
	struct events text;
	struct db_loaded l;
	struct builder *b;
	struct file f;

	(void)state;
	load_untouched(&l, capture(path, P950 "msprof_20260523022641.db", 0));
	b = build_new(&l.names);
	assert_int_equal(file_open(&f, capture(json, P950 "mindstudio_profiler_output/msprof_20260523022641.json", 0), NULL), ERR_OK);
	assert_int_equal(trace_load(&f, 0, &l.names, b, &account, &info, 1, NULL, NULL), ERR_OK);
	file_close(&f);
	build_finish(b, &text, &account);

	assert_int_equal(l.events.n, 43);
	assert_int_equal(l.account.kept, 43);
	assert_int_equal(l.events.nlanes, 3);
	for (size_t i = 0; i < l.events.nlanes; i++)
		lanes_equal(&l, &text, &l.events.lanes[i]);
	for (size_t i = 0; i < l.events.nprocesses; i++) {
		const struct process *p = &l.events.processes[i], *q = process_named(&text, &l.names, names_text(&l.names, p->name));

		assert_non_null(q);
		assert_int_equal(p->pid, q->pid);
		assert_int_equal(p->labels, q->labels);
		assert_int_equal(p->device, q->device);
		assert_int_equal(p->sort_index, q->sort_index);
	}
	/* the text has 43 + 3 of Overlap Analysis, which this database has not */
	assert_int_equal(text.n, 46);
	assert_int_equal(l.events.link_counts[LINK_LAUNCH].n, text.link_counts[LINK_LAUNCH].n);
	assert_int_equal(db_loaded_links(&l, LINK_LAUNCH, "Node@launch", "_Z14scatter_customIfiEvPT_PKS0_PKT0_jj"), 1);
	assert_int_equal(l.target.rank, -1);
	assert_false(l.target.has_rank);
	events_done(&text);
	db_loaded_done(&l);
}

static struct table *csv(struct names *names, const char *path, enum artifact kind)
{
	struct table *t = NULL;
	struct csv_info info;
	struct file f;

	assert_int_equal(file_open(&f, path, NULL), ERR_OK);
	assert_int_equal(table_load_csv(&t, kind, &f, names, &info, NULL, NULL), ERR_OK);
	file_close(&f);
	return t;
}

/* Every column of the CSV is in the database's table with the same values;
		numbers that the CSV rounds to three decimals may differ by that. */
static void table_as_csv(const struct db_loaded *l, enum artifact kind, struct table *text, const char *const *without, size_t nwithout)
{
	const struct table *db = l->tables[kind];

	assert_non_null(db);
	assert_int_equal(db->nrows, text->nrows);
	for (size_t i = 0; i < text->ncolumns; i++) {
		const struct column *c = &text->columns[i], *d;
		bool skipped = false;

		for (size_t k = 0; k < nwithout; k++)
			skipped = skipped || !strcmp(names_text(&l->names, c->header), without[k]);
		if (skipped)
			continue;
		d = c->id == COL_METRIC ? table_metric(db, &l->names, names_text(&l->names, c->metric)) : table_col(db, c->id);
		if (!d)
			fail_msg("no column %s", names_text(&l->names, c->header));
		for (size_t r = 0; r < text->nrows; r++)
			if (c->type == CT_TEXT)
				assert_int_equal(c->text[r], d->text[r]);
			else if (c->type == CT_NUM)
				assert_true((isnan(c->real[r]) && isnan(d->real[r])) || fabs(c->real[r] - d->real[r]) <= 0.0005001);
			else
				assert_int_equal(c->num[r], d->num[r]);
	}
	table_done(text);
	free(text);
}

static void test_950_tables_as_csv(void **state)
{
	static const char *const not_there[] = { "cube_utilization(%)" }, *const host[] = { "Device_id" };
	char path[512];
	struct db_loaded l;

	(void)state;
	load_untouched(&l, capture(path, P950 "msprof_20260523022641.db", 0));
	table_as_csv(&l, ART_KERNEL_DETAILS, csv(&l.names, capture(path, P950 "mindstudio_profiler_output/op_summary_20260523022642.csv",
			0), ART_OP_SUMMARY),
			not_there, 1);
	table_as_csv(&l, ART_API_STATISTIC, csv(&l.names, capture(path,
			P950 "mindstudio_profiler_output/api_statistic_20260523022642.csv", 0), ART_API_STATISTIC),
			host, 1);
	table_as_csv(&l, ART_OP_STATISTIC, csv(&l.names, capture(path, P950 "mindstudio_profiler_output/op_statistic_20260523022642.csv",
			0), ART_OP_STATISTIC),
			NULL, 0);
	assert_string_equal(names_text(&l.names, l.info.device_type), "Ascend950");
	assert_string_equal(names_text(&l.names, l.info.aic_metrics), "PipeUtilization");
	db_loaded_done(&l);
}

/* ---- torch_npu, 910B: counts and sums taken with SQL ---- */

struct span {
	int64_t start, end;
};

static int span_compare(const void *x, const void *y)
{
	const struct span *a = x, *b = y;

	return a->start < b->start ? -1 : a->start > b->start;
}

static int64_t union_of(struct span *s, size_t n)
{
	int64_t sum = 0, end = INT64_MIN;

	qsort(s, n, sizeof *s, span_compare);
	for (size_t i = 0; i < n; i++) {
		if (s[i].end > end)
			sum += s[i].end - (s[i].start > end ? s[i].start : end);
		end = s[i].end > end ? s[i].end : end;
	}
	return sum;
}

static bool is_compute(const char *type)
{
	static const char *const types[] = { "AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "MIX_AIV", "AI_CPU", "DSA_SQE" };

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

/* Computing, communication and both together as the recount of this capture has them. */
static void splits_are(const struct db_loaded *l, int64_t compute, int64_t comm, int64_t overlapped)
{
	struct span *s = malloc(l->events.n * sizeof *s);
	size_t n = 0, ncompute;

	assert_non_null(s);
	for (size_t k = 0; k < l->events.nlanes; k++) {
		const struct lane *at = &l->events.lanes[k];

		for (size_t i = at->first; l->events.processes[at->process].layer == LAYER_HARDWARE && i < at->first + at->n; i++)
			if (is_compute(db_loaded_type(l, i)))
				s[n++] = (struct span){ l->events.start[i], event_end(&l->events, i) };
	}
	assert_int_equal(n, 187);
	assert_int_equal(union_of(s, n), compute);
	ncompute = n;
	for (size_t k = 0; k < l->events.nlanes; k++) {
		const struct lane *at = &l->events.lanes[k];

		for (size_t i = at->first; !strncmp(names_text(&l->names, at->name), "Group ", 6) && i < at->first + at->n; i++)
			s[n++] = (struct span){ l->events.start[i], event_end(&l->events, i) };
	}
	assert_int_equal(n, 191);
	assert_int_equal(union_of(s + ncompute, n - ncompute), comm);
	assert_int_equal(compute + comm - union_of(s, n), overlapped);
	free(s);
}

static int64_t durations(const struct db_loaded *l, const char *process, size_t *n)
{
	int64_t sum = 0;

	*n = 0;
	for (size_t k = 0; k < l->events.nlanes; k++) {
		const struct lane *at = &l->events.lanes[k];

		if (strcmp(names_text(&l->names, l->events.processes[at->process].name), process) != 0)
			continue;
		for (size_t i = at->first; i < at->first + at->n; i++)
			sum += l->events.dur[i];
		*n += at->n;
	}
	return sum;
}

static int64_t column_sum(const struct db_loaded *l, enum artifact a, enum col id)
{
	int64_t sum = 0;

	for (size_t i = 0; i < l->tables[a]->nrows; i++)
		sum += db_loaded_int(l, a, id, i) == NO_INT ? 0 : db_loaded_int(l, a, id, i);
	return sum;
}

static const struct {
	int64_t python, cann, cann_rows, compute, comm, overlapped, allocated;
	size_t durations, samples;
} runs[] = {
	{ 2720514190, 126874070, 710, 8903431, 102108100, 4036153, 956643449856, 552 + 4 + 296 + 710 + 2460 + 382,
			3 + 104 + 26 + 28 + 688 + 16 },
	{ 2641407030, 115123760, 709, 8915634, 98590190, 4034140, 949849342464, 552 + 4 + 296 + 709 + 2460, 3 + 104 + 26 + 27 + 688 + 16 },
};

static void test_910b(void **state)
{
	char path[512];
	size_t n;

	(void)state;
	for (int rank = 0; rank < 2; rank++) {
		struct db_loaded l;

		load_untouched(&l, capture(path, rank ? P910 "ascend_pytorch_profiler_1.db" : P910 "ascend_pytorch_profiler_0.db", rank));
		assert_int_equal(l.target.rank, rank);
		assert_true(l.target.has_rank);
		assert_int_equal(l.account.by_phase['X'], runs[rank].durations);
		assert_int_equal(l.account.by_phase['C'], runs[rank].samples);
		assert_int_equal(l.account.dropped[DROP_WHOLE].count, 17);
		assert_int_equal(account_dropped(&l.account), 17);
		assert_int_equal(l.account.kept, runs[rank].durations + runs[rank].samples - 17);
		assert_int_equal(durations(&l, "Python", &n), runs[rank].python);
		assert_int_equal(n, 2460);
		assert_int_equal(durations(&l, "CANN", &n), runs[rank].cann);
		assert_int_equal(n, runs[rank].cann_rows);
		durations(&l, "Ascend Hardware", &n);
		assert_int_equal(n, 552 - 17);
		assert_int_equal(durations(&l, "Communication", &n) > runs[rank].comm, 1);
		assert_int_equal(n, 300);
		splits_are(&l, runs[rank].compute, runs[rank].comm, runs[rank].overlapped);
		/* kernels: as many as the text export of the same job has, each with its step */
		assert_int_equal(l.tables[ART_KERNEL_DETAILS]->nrows, 191);
		for (size_t i = 0; i < 191; i++)
			assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_STEP, i), "50");
		assert_int_equal(column_sum(&l, ART_OPERATOR_MEMORY, COL_SIZE), 1495289344);
		assert_int_equal(column_sum(&l, ART_NPU_MODULE_MEM, COL_RESERVED), 29716402176);
		assert_int_equal(column_sum(&l, ART_MEMORY_RECORD, COL_ALLOCATED), runs[rank].allocated);
		assert_int_equal(l.info.stacks, TRI_YES);
		assert_int_equal(l.info.shapes, TRI_YES);
		assert_int_equal(l.info.memory, TRI_YES);
		db_loaded_done(&l);
	}
}

/* The text export of the same job, another run: 187 kernels, 24 copies, 26 event tasks, 4 collectives have an operator each. */
static void test_910b_links(void **state)
{
	char path[512];
	struct db_loaded l;

	(void)state;
	load_untouched(&l, capture(path, P910 "ascend_pytorch_profiler_1.db", 1));
	assert_int_equal(l.events.link_counts[LINK_TORCH].n, 187 + 24 + 26 + 4);
	assert_int_equal(l.events.link_counts[LINK_TORCH].unmatched, 0);
	assert_int_equal(l.events.link_counts[LINK_QUEUE].n, 159);
	assert_int_equal(l.events.link_counts[LINK_BACKWARD].n, 27);
	assert_int_equal(db_loaded_links(&l, LINK_TORCH, "record_event", "EVENT_RECORD"), 16);
	assert_int_equal(db_loaded_links(&l, LINK_TORCH, "wait_event", "EVENT_WAIT"), 10);
	assert_int_equal(db_loaded_links(&l, LINK_BACKWARD, "aten::convolution", "ConvolutionBackward0"), 5);
	assert_int_equal(db_loaded_links(&l, LINK_TORCH, NULL, "hcom_allReduce__210_0_1"), 1);
	for (size_t i = 0; i < l.events.link_counts[LINK_TORCH].n; i++) {
		struct link k = l.events.links[l.events.link_counts[LINK_TORCH].first + i];

		assert_true(l.events.start[k.from] < l.events.start[k.to]);
	}
	db_loaded_done(&l);
}

static void test_910b_args(void **state)
{
	char path[512];
	struct db_loaded l;
	struct args a;
	size_t e;

	(void)state;
	load_untouched(&l, capture(path, P910 "ascend_pytorch_profiler_1.db", 1));
	e = db_loaded_find(&l, "Ascend Hardware", "Stream 2", "trans_TransData_0");
	assert_int_not_equal(e, SIZE_MAX);
	assert_int_equal(l.events.start[e], 1736410576407391697);
	assert_int_equal(l.events.dur[e], 52541);
	assert_int_equal(db_event_args(path, l.events.span[e] - l.target.span_base, &a, NULL), ERR_OK);
	assert_string_equal(args_find(&a, "Task Id").p, "11061");
	assert_string_equal(args_find(&a, "connection_id").p, "953");
	assert_string_equal(args_find(&a, "Input Shapes").p, "\"32,3,224,224\"");
	assert_string_equal(args_find(&a, "Task Type").p, "KERNEL_AIVEC");
	args_done(&a);
	/* every event can be asked for */
	for (size_t i = 0; i < l.events.n; i += 97) {
		assert_int_equal(db_event_args(path, l.events.span[i] - l.target.span_base, &a, NULL), ERR_OK);
		args_done(&a);
	}
	db_loaded_done(&l);
}

/* ---- analysis.db next to the documents of the same run ---- */

static const struct comm_op *same_op(const struct comm *c, const struct comm_op *op)
{
	for (size_t i = 0; i < c->nops; i++)
		if (c->ops[i].name == op->name && c->ops[i].group == op->group && c->ops[i].step == op->step)
			return &c->ops[i];
	return NULL;
}

static bool near(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * (1 + fabs(b));
}

static void transports_equal(const struct comm *db, const struct comm_op *op, const struct comm *doc, const struct comm_op *want)
{
	size_t found = 0, given = 0;

	for (size_t i = want->first_transport; i < want->first_transport + want->ntransports; i++) {
		const struct comm_transport *t = &doc->transports[i];

		given += t->size_mb > 0;
		for (size_t k = op->first_transport; k < op->first_transport + op->ntransports; k++) {
			const struct comm_transport *u = &db->transports[k];

			if (u->kind != t->kind)
				continue;
			found += t->size_mb > 0;
			assert_true(near(u->size_mb, t->size_mb) && near(u->bandwidth_gbs, t->bandwidth_gbs));
			assert_true(near(u->large_packet_ratio, t->large_packet_ratio));
			assert_int_equal(u->transit_ns, t->transit_ns);
			assert_int_equal(u->npackets, t->npackets);
			for (size_t p = 0; p < t->npackets; p++) {
				assert_true(near(db->packets[u->first_packet + p].size_mb, doc->packets[t->first_packet + p].size_mb));
				assert_int_equal(db->packets[u->first_packet + p].count, doc->packets[t->first_packet + p].count);
				assert_int_equal(db->packets[u->first_packet + p].total_ns, doc->packets[t->first_packet + p].total_ns);
			}
		}
	}
	assert_int_equal(found, given);
}

static size_t ops_equal(const struct comm *db, const struct comm *doc)
{
	size_t n = 0;

	for (size_t i = 0; i < doc->nops; i++) {
		const struct comm_op *want = &doc->ops[i], *op = want->total ? NULL : same_op(db, want);

		if (want->total)
			continue;
		n++;
		assert_non_null(op);
		assert_int_equal(op->start_ns, want->start_ns);
		assert_int_equal(op->elapse_ns, want->elapse_ns);
		assert_int_equal(op->transit_ns, want->transit_ns);
		assert_int_equal(op->wait_ns, want->wait_ns);
		assert_int_equal(op->sync_ns, want->sync_ns);
		assert_int_equal(op->idle_ns, want->idle_ns);
		assert_int_equal(op->p2p, want->p2p);
		transports_equal(db, op, doc, want);
	}
	return n;
}

static void edges_equal(const struct comm *db, const struct comm *doc)
{
	assert_int_equal(db->nedges, doc->nedges);
	for (size_t i = 0; i < doc->nedges; i++) {
		const struct comm_edge *e = &doc->edges[i];
		size_t n = 0;

		for (size_t k = 0; k < db->nedges; k++) {
			const struct comm_edge *f = &db->edges[k];

			n += e->op == f->op && e->group == f->group && e->step == f->step && e->src == f->src && e->dst == f->dst &&
					e->p2p == f->p2p &&
				e->transport == f->transport && e->op_name == f->op_name && e->transit_ns == f->transit_ns &&
				near(e->size_mb, f->size_mb) && near(e->bandwidth_gbs, f->bandwidth_gbs);
		}
		assert_int_equal(n, 1);
	}
}

static void test_83_communication_as_documents(void **state)
{
	char path[512];

	(void)state;
	for (int rank = 0; rank < 4; rank++) {
		struct comm doc = { 0 };
		struct db_loaded l;
		struct str text;

		load_untouched(&l, capture(path, P83 "analysis.db", rank));
		text = text_of_file(capture(path, P83 "communication.json", rank));
		assert_int_equal(doc_load_communication(text, &l.names, &doc, NULL), ERR_OK);
		free((char *)(uintptr_t)text.p);
		text = text_of_file(capture(path, P83 "communication_matrix.json", rank));
		assert_int_equal(doc_load_matrix(text, false, &l.names, &doc, NULL), ERR_OK);
		free((char *)(uintptr_t)text.p);
		assert_int_equal(ops_equal(&l.comm, &doc), l.comm.nops);
		edges_equal(&l.comm, &doc);
		assert_int_equal(l.comm.skipped, 0);
		comm_done(&doc);
		db_loaded_done(&l);
	}
}

/* The text export goes through floating point epoch times, so sums differ by up to 1 us. */
static void test_83_steps_as_csv(void **state)
{
	static const enum col columns[] = { COL_COMPUTING, COL_COMM_EXPOSED, COL_OVERLAPPED, COL_COMMUNICATION, COL_FREE, COL_STAGE,
			COL_BUBBLE,
		COL_COMM_NO_RECEIVE, COL_PREPARING };
	char path[512];

	(void)state;
	for (int rank = 0; rank < 4; rank++) {
		struct db_loaded l;
		struct table *t;

		load_untouched(&l, capture(path, P83 "analysis.db", rank));
		t = csv(&l.names, capture(path, P83 "step_trace_time.csv", rank), ART_STEP_TRACE_TIME);
		assert_int_equal(l.tables[ART_STEP_TRACE_TIME]->nrows, t->nrows);
		assert_int_equal(table_col(t, COL_STEP)->text[0], table_col(l.tables[ART_STEP_TRACE_TIME], COL_STEP)->text[0]);
		assert_int_equal(table_col(t, COL_DEVICE_ID)->num[0], table_col(l.tables[ART_STEP_TRACE_TIME], COL_DEVICE_ID)->num[0]);
		for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
			const struct column *c = table_col(t, columns[i]);

			assert_true(fabs((c ? c->real[0] : 0) - db_loaded_num(&l, ART_STEP_TRACE_TIME, columns[i], 0)) < 1);
		}
		table_done(t);
		free(t);
		db_loaded_done(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_950_events_as_text), cmocka_unit_test(test_950_tables_as_csv), cmocka_unit_test(test_910b),
		cmocka_unit_test(test_910b_links), cmocka_unit_test(test_910b_args), cmocka_unit_test(test_83_communication_as_documents),
		cmocka_unit_test(test_83_steps_as_csv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
