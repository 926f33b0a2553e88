/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a small capture: names, host events, spans and a kernel table with extreme times, ratios and block dims, straight into the
 * operator table. Holds: every span is in one row, members and sums agree, ratios are ratios, normal names stay normal.
 */
#include "core/analysis/ops.h"
#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NAMES = 12, ROWS = 24, SPANS = 24, HOST = 24, METRICS = 8 };

struct input {
	const uint8_t *p;
	size_t n;
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

static uint8_t byte(struct input *in)
{
	if (!in->n)
		return 0;
	in->n--;
	return *in->p++;
}

/* A time: mostly small, now and then anything. */
static int64_t number(struct input *in)
{
	uint8_t kind = byte(in);
	uint64_t v = 0;

	if (kind < 200)
		return (int64_t)kind * (1 + byte(in) % 16);
	for (int i = 0; i < 8; i++)
		v = v << 8 | byte(in);
	return (int64_t)v;
}

/* A duration that ends before time does. */
static int64_t length(struct input *in, int64_t start)
{
	int64_t n = number(in), most = start > 0 ? INT64_MAX - start : INT64_MAX;

	return n < 0 ? 0 : MIN(n, most);
}

static double real(struct input *in)
{
	uint8_t kind = byte(in);

	if (kind < 100)
		return kind / 99.0;
	if (kind < 200)
		return kind - 100;
	return kind < 230 ? (double)NAN : kind < 240 ? HUGE_VAL : kind < 250 ? -1.0 : 1e300;
}

static const char *const metrics[METRICS] = {
	"aic_mac_ratio", "aic_mte2_ratio", "aiv_vec_ratio", "mte2_ratio", "cube_utilization", "aicore_time", "aiv_time", "aiv_mte3_ratio",
};

struct made {
	struct capture c;
	struct rank r;
	struct table table;
	struct column columns[7 + METRICS];
	struct work_model m;
	uint32_t names[NAMES];
	size_t nnames;
};

static void make_names(struct made *x, struct input *in)
{
	static const char *const usual[] = {
		"", "AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "hcom_allReduce__1_0_1", "aclnnMm_MatMulCommon_MatMulV2",
	};

	names_init(&x->c.names);
	for (size_t i = 0; i < ARRAY_LEN(usual); i++)
		x->names[x->nnames++] = names_add(&x->c.names, str_of(usual[i]));
	while (x->nnames < NAMES && in->n) {
		size_t len = byte(in) % 40;

		len = MIN(len, in->n);
		x->names[x->nnames++] = names_add(&x->c.names, (struct str){ (const char *)in->p, len });
		in->p += len;
		in->n -= len;
	}
}

static uint32_t name(struct made *x, struct input *in)
{
	return x->names[byte(in) % x->nnames];
}

static void make_column(struct made *x, struct input *in, enum col id, const char *metric)
{
	struct column *c = &x->table.columns[x->table.ncolumns++];

	*c = (struct column){ .id = id, .type = col_type_of(id) };
	if (metric) {
		c->metric = names_add(&x->c.names, str_of(metric));
		c->unit = byte(in) % 4 ? 0 : names_add(&x->c.names, STR("%"));
	}
	c->num = mem_zalloc(ROWS, sizeof *c->num);	/* room for any type */
	for (size_t i = 0; i < x->table.nrows; i++) {
		if (c->type == CT_TEXT)
			c->text[i] = name(x, in);
		else if (c->type == CT_NUM)
			c->real[i] = real(in);
		else
			c->num[i] = number(in);
	}
}

static void make_table(struct made *x, struct input *in)
{
	static const enum col ids[] = { COL_START, COL_DURATION, COL_NAME, COL_TYPE, COL_CORE, COL_WAIT, COL_BLOCK_DIM };
	unsigned which = byte(in) | (unsigned)byte(in) << 8;

	x->table.kind = ART_KERNEL_DETAILS;
	x->table.columns = x->columns;
	x->table.nrows = byte(in) % ROWS;
	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		if (which >> i & 1)
			make_column(x, in, ids[i], NULL);
	for (size_t i = 0; i < METRICS; i++)
		if (which >> (7 + i) & 1)
			make_column(x, in, COL_METRIC, metrics[i]);
	x->r.tables[ART_KERNEL_DETAILS] = &x->table;
}

/* One lane of host events by start, and the events that spans come from behind it. */
static void make_events(struct made *x, struct input *in)
{
	struct events *e = &x->r.events;
	size_t host = byte(in) % HOST;
	int64_t t = number(in);

	e->n = HOST + SPANS;
	e->lanes = mem_zalloc(1, sizeof *e->lanes);
	e->nlanes = 1;
	e->lanes[0].n = host;
	e->start = mem_zalloc(e->n, sizeof *e->start);
	e->dur = mem_zalloc(e->n, sizeof *e->dur);
	e->name = mem_zalloc(e->n, sizeof *e->name);
	e->type = mem_zalloc(e->n, sizeof *e->type);
	x->m.kind = mem_zalloc(e->n, 1);
	for (size_t i = 0; i < host; i++) {
		t += length(in, t);
		e->start[i] = t;
		e->dur[i] = length(in, t);
		e->name[i] = name(x, in);
		x->m.kind[i] = byte(in) % 3 ? WORK_HOST_OP : WORK_HOST_RUNTIME;
	}
}

static int span_order(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void make_spans(struct made *x, struct input *in)
{
	size_t n = byte(in) % SPANS;

	x->m.spans = mem_zalloc(SPANS, sizeof *x->m.spans);
	x->m.from_table = byte(in) % 4 == 0 && x->table.nrows;
	for (size_t i = 0; i < n; i++) {
		static const enum work kinds[] = { WORK_COMPUTE, WORK_COMPUTE, WORK_COMMUNICATION, WORK_COPY, WORK_WAIT };
		struct span *s = &x->m.spans[x->m.nspans++];

		s->start = number(in);
		s->dur = length(in, s->start);
		s->name = name(x, in);
		s->kind = kinds[byte(in) % ARRAY_LEN(kinds)];
		s->source = x->m.from_table ? (uint32_t)(i % x->table.nrows) : (uint32_t)(HOST + i);
		x->r.events.type[HOST + i] = name(x, in);
	}
	if (x->m.nspans)
		qsort(x->m.spans, x->m.nspans, sizeof *x->m.spans, span_order);
}

static void check_row(const struct made *x, const struct op_table *t, size_t i)
{
	const struct op_row *r = &t->rows[i];
	const double *ratios[] = { &r->cube, &r->vector, &r->scalar, &r->mte1, &r->mte2, &r->mte3, &r->fixpipe, &r->cube_use, &r->block_fill };

	require(r->count && r->n == r->count && r->first + r->n <= t->nmembers);
	require((r->side == SIDE_DEVICE) == (i < t->ndevice));
	require(r->min_ns >= 0 && r->min_ns <= r->p50_ns && r->p50_ns <= r->p95_ns && r->p95_ns <= r->max_ns && r->max_ns <= r->total_ns);
	require(r->inclusive_ns >= r->total_ns && r->bound < BOUND_MAX);
	for (size_t k = 0; k < ARRAY_LEN(ratios); k++)
		require(isnan(*ratios[k]) || (*ratios[k] >= 0 && *ratios[k] <= 1.5 + 1e-9));
	for (size_t k = r->first; i < t->ndevice && k < r->first + r->n; k++)
		require(t->row_of_span[t->members[k]] == i && x->m.spans[t->members[k]].kind == r->kind);
	require(op_normal_name((struct names *)&x->c.names, op_normal_name((struct names *)&x->c.names, r->name))
		== op_normal_name((struct names *)&x->c.names, r->name));
}

static void check(const struct made *x, const struct op_table *t)
{
	size_t work = 0, members = 0;

	for (size_t i = 0; i < x->m.nspans; i++) {
		require((t->row_of_span[i] == UINT32_MAX) == (x->m.spans[i].kind == WORK_WAIT));
		work += x->m.spans[i].kind != WORK_WAIT;
	}
	for (size_t i = 0; i < t->n; i++) {
		check_row(x, t, i);
		members += t->rows[i].n;
	}
	require(members == t->nmembers && t->nmembers == work + x->r.events.lanes[0].n);
}

static void made_done(struct made *x)
{
	for (size_t i = 0; i < x->table.ncolumns; i++)
		free(x->columns[i].num);
	free(x->r.events.lanes);
	free(x->r.events.start);
	free(x->r.events.dur);
	free(x->r.events.name);
	free(x->r.events.type);
	free(x->m.kind);
	free(x->m.spans);
	names_done(&x->c.names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct classifier *cl;
	struct input in = { data, size };
	struct made x = { .m = { .device = -1 } };
	struct op_table t;

	if (!cl)
		cl = classifier_new(NULL);
	make_names(&x, &in);
	make_table(&x, &in);
	make_events(&x, &in);
	make_spans(&x, &in);
	x.m.c = &x.c;
	x.m.r = &x.r;
	ops_find(&x.m, cl, &t);
	check(&x, &t);
	ops_done(&t);
	made_done(&x);
	return 0;
}
