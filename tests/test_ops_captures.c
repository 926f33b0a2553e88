/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator table on samples and real captures: the exporter's totals, the founding case, text against database, and properties that
 * hold on any capture, checked the slow way.
 */
#include "core/analysis/ops.h"
#include "core/load/load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

static struct classifier *cl;
static const char *real, *samples;	/* NULL when there are none */

static const char *folder(const char *variable, const char *other)
{
	const char *path = getenv(variable);
	struct stat st;

	if (!path || stat(path, &st) != 0)
		path = other;
	return stat(path, &st) == 0 ? path : NULL;
}

static int setup_all(void **state)
{
	(void)state;
	cl = classifier_new(NULL);
	real = folder("ASCOPE_CAPTURES", "../shared/captures");
	samples = folder("ASCOPE_SAMPLES", "build/samples");
	return cl ? 0 : -1;
}

static int teardown_all(void **state)
{
	(void)state;
	classifier_free(cl);
	return 0;
}

static void need(const char *what, const char *variable)
{
	if (what)
		return;
	print_message("skipped: no captures (%s)\n", variable);
	skip();
}

/* Every rank and device of a capture. */
struct loaded {
	struct capture *c;
	struct work_model *models[64];
	size_t n[64], nranks;
	struct op_table *tables[64];
};

static void open_capture(struct loaded *l, const char *root, const char *name)
{
	char path[1024];
	struct diag d;

	memset(l, 0, sizeof *l);
	snprintf(path, sizeof path, "%s/%s", root, name);
	if (capture_load(path, NULL, NULL, &l->c, &d))
		fail_msg("%s: %s", path, d.text);
	l->nranks = MIN(l->c->nranks, (size_t)64);
	for (size_t r = 0; r < l->nranks; r++) {
		l->models[r] = work_new(l->c, &l->c->ranks[r], cl, &l->n[r]);
		l->tables[r] = calloc(l->n[r], sizeof *l->tables[r]);
		for (size_t i = 0; i < l->n[r]; i++)
			ops_find(&l->models[r][i], cl, &l->tables[r][i]);
	}
}

static void close_capture(struct loaded *l)
{
	for (size_t r = 0; r < l->nranks; r++) {
		for (size_t i = 0; i < l->n[r]; i++)
			ops_done(&l->tables[r][i]);
		free(l->tables[r]);
		work_free(l->models[r], l->n[r]);
	}
	capture_free(l->c);
}

static const struct op_row *find_row(const struct loaded *l, size_t rank, enum op_side side, enum work kind, const char *name)
{
	const struct op_table *t = &l->tables[rank][0];

	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].side == side && t->rows[i].kind == kind && strcmp(names_text(&l->c->names, t->rows[i].name), name) == 0)
			return &t->rows[i];
	return NULL;
}

/* ---- the exporter's totals ----------------------------------------------------------------------------------------------------------- */

struct sum {
	int64_t count, total;
	bool first;
};

/* op_statistic has a row for each type and core: ours are by type. */
static struct sum exporter_sum(const struct table *t, size_t row)
{
	const struct column *type = table_col(t, COL_TYPE), *count = table_col(t, COL_COUNT), *total = table_col(t, COL_TOTAL_TIME);
	struct sum s = { 0, 0, true };

	for (size_t i = 0; i < t->nrows; i++) {
		if (type->text[i] != type->text[row])
			continue;
		s.first &= i >= row;
		s.count += count->num[i];
		s.total += total->num[i];
	}
	return s;
}

static size_t check_op_statistic(const struct loaded *l, size_t rank)
{
	const struct table *t = l->c->ranks[rank].tables[ART_OP_STATISTIC];
	const struct op_table *ops = &l->tables[rank][0];
	size_t types = 0, ours = 0;

	if (!t || !ops->ndevice)
		return 0;
	for (size_t i = 0; i < t->nrows; i++) {
		const char *name = names_text(&l->c->names, table_col(t, COL_TYPE)->text[i]);
		struct sum s = exporter_sum(t, i);
		const struct op_row *r = find_row(l, rank, SIDE_DEVICE, WORK_COMPUTE, name);

		if (!s.first)
			continue;
		types++;
		if (!r)
			fail_msg("rank %zu: no row %s", rank, name);
		assert_int_equal(r->count, s.count);
		/* The exporter adds before it rounds to whole ns: at most half a ns a kernel. */
		if (llabs(r->total_ns - s.total) > s.count / 2 + 1)
			fail_msg("%s: %lld, exporter %lld", name, (long long)r->total_ns, (long long)s.total);
	}
	for (size_t i = 0; i < ops->ndevice; i++)
		ours += ops->rows[i].kind == WORK_COMPUTE;
	assert_int_equal(ours, types);
	return types;
}

static size_t types_of(const char *root, const char *name)
{
	struct loaded l;
	size_t n = 0;

	open_capture(&l, root, name);
	for (size_t r = 0; r < l.nranks; r++)
		n += check_op_statistic(&l, r);
	close_capture(&l);
	return n;
}

static void test_op_statistic_real(void **state)
{
	(void)state;
	need(real, "ASCOPE_CAPTURES");
	assert_int_equal(types_of(real, "real/pytorch-910b-level1"), 66);
	assert_int_equal(types_of(real, "real/pytorch-910b-level1-db"), 66);
	assert_int_equal(types_of(real, "real/msprof-910b"), 3);
	assert_int_equal(types_of(real, "real/msprof-950-db"), 1);
	assert_int_equal(types_of(real, "real/pytorch-cann83-pp2dp2-4ranks"), 80);
}

static const char *const sample_names[] = { "copy-bound", "decode-comm-bound", "host-schedule-bound", "host-schedule-bound-optimized",
	"mixed-phases", "prefill-compute-bound", "ranks4-slow-rank" };

static void test_op_statistic_samples(void **state)
{
	(void)state;
	need(samples, "ASCOPE_SAMPLES");
	for (size_t i = 0; i < ARRAY_LEN(sample_names); i++)
		assert_true(types_of(samples, sample_names[i]) > 0);
}

/* ---- the founding case --------------------------------------------------------------------------------------------------------------- */

static void assert_share(int64_t part, int64_t whole, double percent)
{
	double share = 100.0 * (double)part / (double)whole;

	if (fabs(floor(share * 10 + 0.5) / 10 - percent) > 1e-6)
		fail_msg("%.3f %%, want %.1f %%", share, percent);
}

static void check_founding(const char *name)
{
	static const struct {
		const char *name;
		enum work kind;
		size_t count;
		int64_t total;
		double of_all, of_device;
	} want[] = {
		{ "MatMulV2", WORK_COMPUTE, 192, 813009180, 52.5, 58.7 }, { "FusedInferAttentionScore", WORK_COMPUTE, 192, 495854330, 32.0, 35.8 },
		{ "RmsNorm", WORK_COMPUTE, 192, 40328270, 2.6, 2.9 }, { "AllReduce", WORK_COMMUNICATION, 192, 34353620, 2.2, 2.5 },
		{ "Memcpy", WORK_COPY, 6, 360000, 0, 0 },
	};
	const struct op_table *t;
	struct loaded l;

	open_capture(&l, samples, name);
	t = &l.tables[0][0];
	assert_int_equal(t->ndevice, ARRAY_LEN(want));
	assert_int_equal(t->device_ns, 1383905400);
	assert_int_equal(t->host_ns, 163400000);
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		const struct op_row *r = &t->rows[i];

		/* Of a copy a timeline as text may tell the direction too. */
		assert_true(str_begins(names_str(&l.c->names, r->name), str_of(want[i].name)));
		assert_int_equal(r->kind, want[i].kind);
		assert_int_equal(r->count, want[i].count);
		assert_int_equal(r->total_ns, want[i].total);
		assert_share(r->total_ns, t->device_ns + t->host_ns, want[i].of_all);
		assert_share(r->total_ns, t->device_ns, want[i].of_device);
	}
	assert_true(fabs(t->rows[0].cube - 0.72) < 1e-3 && fabs(t->rows[0].mte2 - 0.38) < 1e-3);
	assert_int_equal(t->rows[0].bound, BOUND_NONE);
	assert_int_equal(t->rows[1].core, CORE_MIX);
	close_capture(&l);
}

static void test_founding_case(void **state)
{
	(void)state;
	need(samples, "ASCOPE_SAMPLES");
	check_founding("prefill-compute-bound");
	check_founding("prefill-compute-bound-db");
}

/* ---- text and database of one run ---------------------------------------------------------------------------------------------------- */

static void assert_same_ratio(double a, double b)
{
	assert_int_equal(isnan(a), isnan(b));
	assert_true(isnan(a) || fabs(a - b) <= 0.001);
}

static void assert_same_row(const struct loaded *a, const struct op_row *p, const struct loaded *b, const struct op_row *q)
{
	assert_string_equal(names_text(&a->c->names, p->name), names_text(&b->c->names, q->name));
	assert_true(p->kind == q->kind && p->class.subtype == q->class.subtype && p->core == q->core && p->bound == q->bound);
	assert_true(p->count == q->count && p->total_ns == q->total_ns && p->inclusive_ns == q->inclusive_ns);
	assert_true(p->min_ns == q->min_ns && p->max_ns == q->max_ns && p->p50_ns == q->p50_ns && p->p95_ns == q->p95_ns);
	assert_same_ratio(p->cube, q->cube);
	assert_same_ratio(p->vector, q->vector);
	assert_same_ratio(p->scalar, q->scalar);
	assert_same_ratio(p->mte2, q->mte2);
	assert_same_ratio(p->mte3, q->mte3);
	assert_same_ratio(p->fixpipe, q->fixpipe);
	assert_same_ratio(p->block_fill, q->block_fill);
}

/* The next row that is no copy: only text tells the direction of a copy, so the copies are compared as one (their class). */
static size_t next_row(const struct op_table *t, size_t i)
{
	while (i < t->n && t->rows[i].kind == WORK_COPY)
		i++;
	return i;
}

/* Everything but wait times (the database has none: the reader derives them) and cube_utilization (not in databases). */
static void assert_same_rows(const struct loaded *a, const struct loaded *b, size_t rank)
{
	const struct op_table *x = &a->tables[rank][0], *y = &b->tables[rank][0];
	size_t i = next_row(x, 0), k = next_row(y, 0);

	assert_int_equal(x->device_ns, y->device_ns);
	assert_int_equal(x->host_ns, y->host_ns);
	assert_int_equal(x->runtime_ns, y->runtime_ns);
	for (; i < x->n && k < y->n; i = next_row(x, i + 1), k = next_row(y, k + 1))
		assert_same_row(a, &x->rows[i], b, &y->rows[k]);
	assert_true(i == x->n && k == y->n);
	for (i = 0; i < CLASS_MAX; i++) {
		assert_int_equal(x->classes[i].count, y->classes[i].count);
		assert_int_equal(x->classes[i].total_ns, y->classes[i].total_ns);
		assert_int_equal(intervals_total(&x->classes[i].set), intervals_total(&y->classes[i].set));
	}
	assert_same_ratio(x->aic_mac, y->aic_mac);
	assert_same_ratio(x->aiv_vec, y->aiv_vec);
}

static void compare(const char *root, const char *text, const char *db)
{
	struct loaded a, b;

	open_capture(&a, root, text);
	open_capture(&b, root, db);
	assert_int_equal(a.nranks, b.nranks);
	for (size_t r = 0; r < a.nranks; r++)
		assert_same_rows(&a, &b, r);
	close_capture(&b);
	close_capture(&a);
}

static void test_text_and_database(void **state)
{
	(void)state;
	need(samples, "ASCOPE_SAMPLES");
	for (size_t i = 0; i < ARRAY_LEN(sample_names); i++) {
		char db[128];

		snprintf(db, sizeof db, "%s-db", sample_names[i]);
		compare(samples, sample_names[i], db);
	}
}

static void test_text_and_database_950(void **state)
{
	(void)state;
	need(real, "ASCOPE_CAPTURES");
	compare(real, "real/msprof-950-db/mindstudio_profiler_output", "real/msprof-950-db/msprof_20260523022641.db");
}

/* ---- properties of any table --------------------------------------------------------------------------------------------------------- */

static int compare_ns(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

/* A device row against its spans. Durations of the table are within 1 ns of the timeline's. */
static void check_device_row(const struct work_model *m, const struct op_table *t, size_t row)
{
	const struct op_row *r = &t->rows[row];
	int64_t *ns = calloc(r->n ? r->n : 1, sizeof *ns), sum = 0;

	assert_int_equal(r->n, r->count);
	for (size_t i = 0; i < r->n; i++) {
		const struct span *s = &m->spans[t->members[r->first + i]];

		assert_int_equal(t->row_of_span[t->members[r->first + i]], row);
		assert_int_equal(s->kind, r->kind);
		ns[i] = s->dur;
		sum += s->dur;
	}
	qsort(ns, r->n, sizeof *ns, compare_ns);
	assert_true(llabs(sum - r->total_ns) <= (int64_t)r->n);
	assert_true(llabs(ns[(r->n + 1) / 2 - 1] - r->p50_ns) <= 1 && llabs(ns[(r->n * 95 + 99) / 100 - 1] - r->p95_ns) <= 1);
	assert_true(llabs(ns[0] - r->min_ns) <= 1 && llabs(ns[r->n - 1] - r->max_ns) <= 1);
	free(ns);
}

/* Host self times add up to the union of each lane. */
static int64_t lanes_union(const struct work_model *m, enum work kind)
{
	const struct events *e = &m->r->events;
	int64_t sum = 0;

	for (size_t l = 0; m->kind && l < e->nlanes; l++) {
		struct intervals set = { 0 };

		for (size_t i = e->lanes[l].first; i < e->lanes[l].first + e->lanes[l].n; i++)
			if (m->kind[i] == kind)
				intervals_add(&set, e->start[i], event_end(e, i));
		intervals_normalise(&set);
		sum += intervals_total(&set);
		intervals_done(&set);
	}
	return sum;
}

static void check_table(const struct work_model *m, const struct op_table *t)
{
	int64_t device = 0, classes = 0;
	size_t spans = 0, members = 0;

	for (size_t i = 0; i < t->n; i++) {
		assert_int_equal(t->rows[i].side, i < t->ndevice ? SIDE_DEVICE : SIDE_HOST);
		assert_true(i == 0 || i == t->ndevice || t->rows[i - 1].total_ns >= t->rows[i].total_ns);
		assert_int_equal(t->rows[i].first, members);
		members += t->rows[i].n;
		assert_true(t->rows[i].inclusive_ns >= t->rows[i].total_ns);
		if (i >= t->ndevice)
			continue;
		check_device_row(m, t, i);
		device += t->rows[i].total_ns;
		spans += t->rows[i].n;
	}
	assert_int_equal(t->nmembers, members);
	assert_int_equal(spans, m->counts[WORK_COMPUTE] + m->counts[WORK_COMMUNICATION] + m->counts[WORK_COPY]);
	assert_int_equal(device, t->device_ns);
	assert_int_equal(t->host_ns, lanes_union(m, WORK_HOST_OP));
	assert_int_equal(t->runtime_ns, lanes_union(m, WORK_HOST_RUNTIME));
	for (size_t i = 0; i < CLASS_MAX; i++) {
		classes += t->classes[i].total_ns;
		assert_true(intervals_total(&t->classes[i].set) <= t->classes[i].total_ns + (int64_t)t->classes[i].count);
	}
	assert_int_equal(classes, t->device_ns);
}

static void check_capture(const char *root, const char *name)
{
	struct loaded l;

	open_capture(&l, root, name);
	for (size_t r = 0; r < l.nranks; r++)
		for (size_t i = 0; i < l.n[r]; i++)
			check_table(&l.models[r][i], &l.tables[r][i]);
	close_capture(&l);
}

static void test_properties(void **state)
{
	static const char *const names[] = { "real/msprof-910b", "real/pytorch-910b-level1", "real/pytorch-910b-level1-db", "real/msprof-950-db",
		"real/msprof-metric-groups", "real/pytorch-cann83-pp2dp2-4ranks", "real/pytorch-timeline-2023", "reference/prefill-compute-bound",
		"reference/decode-comm-bound", "reference/host-schedule-bound", "reference/host-schedule-bound-optimized" };

	(void)state;
	for (size_t i = 0; samples && i < ARRAY_LEN(sample_names); i++)
		check_capture(samples, sample_names[i]);
	need(real, "ASCOPE_CAPTURES");
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		check_capture(real, names[i]);
}

/* Numbers of the same file by another program (rows with time on the core, weighted by duration). */
static void test_utilisation_real(void **state)
{
	const struct op_table *t;
	const struct op_row *r;
	struct loaded l;

	(void)state;
	need(real, "ASCOPE_CAPTURES");
	open_capture(&l, real, "real/pytorch-910b-level1/rank0_ascend_pt");
	t = &l.tables[0][0];
	assert_true(t->has_metrics && t->cores_assumed && t->cube_cores == 24 && t->vector_cores == 48);
	assert_true(fabs(t->aic_mac - 0.472947346) < 1e-8 && fabs(t->aic_mte1 - 0.533107098) < 1e-8 && fabs(t->aic_mte2 - 0.656837586) < 1e-8);
	assert_true(fabs(t->aic_scalar - 0.470830407) < 1e-8 && fabs(t->aic_fixpipe - 0.108405778) < 1e-8);
	assert_true(fabs(t->aiv_vec - 0.112729116) < 1e-8 && fabs(t->aiv_mte2 - 0.606949248) < 1e-8);
	assert_true(fabs(t->aiv_mte3 - 0.286233439) < 1e-8 && fabs(t->aiv_scalar - 0.216642942) < 1e-8);
	r = find_row(&l, 0, SIDE_DEVICE, WORK_COMPUTE, "MatMulV2");
	assert_true(r && r->total_ns == 921498 && r->p50_ns == 45921 && r->p95_ns == 346567 && r->wait_ns == 4079522);
	assert_true(fabs(r->cube - 0.190890634) < 1e-8 && fabs(r->mte2 - 0.886516122) < 1e-8 && fabs(r->block_fill - 0.330121171) < 1e-8);
	r = find_row(&l, 0, SIDE_DEVICE, WORK_COMPUTE, "TransData");
	assert_true(r && r->total_ns == 1423202 && r->p50_ns == 21380 && r->p95_ns == 53561 && r->wait_ns == 9205630);
	assert_true(fabs(r->mte2 - 0.345989396) < 1e-8 && isnan(r->cube));
	r = find_row(&l, 0, SIDE_DEVICE, WORK_COMPUTE, "Conv2D");
	assert_true(r && r->wait_ns == 466110 && fabs(r->cube - 0.690846048) < 1e-8 && fabs(r->mte2 - 0.844494438) < 1e-8);
	close_capture(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_op_statistic_real),
		cmocka_unit_test(test_op_statistic_samples),
		cmocka_unit_test(test_founding_case),
		cmocka_unit_test(test_text_and_database),
		cmocka_unit_test(test_text_and_database_950),
		cmocka_unit_test(test_properties),
		cmocka_unit_test(test_utilisation_real),
	};

	return cmocka_run_group_tests(tests, setup_all, teardown_all);
}
