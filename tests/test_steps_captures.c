/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of the samples and of real captures against the rows of the exporter's step table, and with every mark taken out of the samples:
 * what is found then must be what the marks said.
 */
#include "tests/help/steps_run.h"

#include "tests/help/tmpdir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- against the exporter's rows ----------------------------------------------------------------------------------------------------- */

static const char *folder(const char *variable, const char *other)
{
	const char *path = getenv(variable);
	struct stat st;

	if (!path || stat(path, &st) != 0)
		path = other;
	if (stat(path, &st) == 0)
		return path;
	print_message("skipped: no folder %s (%s)\n", other, variable);
	skip();
	return NULL;
}

static double row_ns(const struct rank *rank, const struct table *t, enum col id, size_t row)
{
	const struct column *c = table_col(t, id);

	return c ? c->real[row] * rank->step_unit_ns : 0;
}

/* Each step's union of kernels, of collectives, of collectives alone, and what is left of its window, against its row. */
static size_t compare_rows(const struct run *r, const struct rank *rank, double tolerance)
{
	const struct table *t = rank->tables[ART_STEP_TRACE_TIME];

	if (!t || !r->m[0].nspans)
		return 0;
	assert_int_equal(r->s.n, t->nrows);
	for (size_t i = 0; i < t->nrows; i++) {
		const struct step *s = &r->s.items[i];
		int64_t compute = intervals_within(&r->m[0].sets.compute, s->first, s->last);
		int64_t comm = intervals_within(&r->m[0].sets.comm, s->first, s->last);
		int64_t exposed = intervals_within(&r->m[0].sets.exposed, s->first, s->last);
		struct { int64_t ours; enum col id; } all[] = { { compute, COL_COMPUTING }, { comm, COL_COMMUNICATION }, { exposed, COL_COMM_EXPOSED },
			{ s->last - s->first - compute - exposed, COL_FREE } };

		for (size_t k = 0; k < ARRAY_LEN(all); k++) {
			double theirs = row_ns(rank, t, all[k].id, i);

			if (fabs((double)all[k].ours - theirs) > (tolerance > 0 ? fmax(tolerance * theirs, 1000 * tolerance) : 0.5))
				fail_msg("step %zu, %s: %lld ns, the row has %.1f ns", i, col_key(all[k].id), (long long)all[k].ours, theirs);
		}
	}
	return t->nrows;
}

static size_t compare_capture(const char *root, const char *name, double tolerance, enum step_source source)
{
	char path[512];
	size_t rows = 0;
	struct run r;

	snprintf(path, sizeof path, "%s/%s", root, name);
	if (!run_open(&r, path))
		fail_msg("%s cannot be loaded", path);
	for (size_t i = 0; i < r.c->nranks; i++) {
		size_t n;

		run_rank(&r, i, PHASES_AUTO);
		check_order(&r.m[0], &r.s);
		n = compare_rows(&r, &r.c->ranks[i], tolerance);
		if (n)
			assert_int_equal(r.s.source, source);
		rows += n;
		run_rank_done(&r);
	}
	run_done(&r);
	return rows;
}

static void test_samples_equal_their_tables(void **state)
{
	static const struct {
		const char *name;
		size_t rows;
	} all[] = {
		{ "copy-bound", 12 }, { "decode-comm-bound", 24 }, { "host-schedule-bound", 20 }, { "host-schedule-bound-optimized", 20 },
		{ "mixed-phases", 24 }, { "prefill-compute-bound", 6 }, { "ranks4-slow-rank", 32 },
	};
	const char *root = folder("ASCOPE_SAMPLES", "build/samples");
	char name[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		assert_int_equal(compare_capture(root, all[i].name, 0, STEPS_MARKS), all[i].rows);
		snprintf(name, sizeof name, "%s-db", all[i].name);
		assert_int_equal(compare_capture(root, name, 0, STEPS_MARKS), all[i].rows);
	}
}

static void test_real_captures_equal_their_tables(void **state)
{
	const char *root = folder("ASCOPE_CAPTURES", "../shared/captures");

	(void)state;
	assert_int_equal(compare_capture(root, "real/pytorch-910b-level1", 0.001, STEPS_MARKS), 2);
	assert_int_equal(compare_capture(root, "real/pytorch-910b-level1-db", 0.001, STEPS_MARKS), 2);
	assert_int_equal(compare_capture(root, "real/pytorch-cann83-pp2dp2-4ranks", 0.001, STEPS_TABLE), 2);
}

/* Counted in the files' Stage column. */
static void test_reference_phases_are_declared(void **state)
{
	static const struct {
		const char *name;
		size_t prefill, decode;
	} all[] = {
		{ "decode-comm-bound", 2, 22 }, { "host-schedule-bound", 2, 18 }, { "host-schedule-bound-optimized", 2, 18 },
		{ "prefill-compute-bound", 5, 1 },
	};
	const char *root = folder("ASCOPE_CAPTURES", "../shared/captures");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		size_t counts[PHASE_MAX];
		char path[512];
		struct run r;

		snprintf(path, sizeof path, "%s/reference/%s", root, all[i].name);
		assert_true(run_open(&r, path));
		run_rank(&r, 0, PHASES_AUTO);
		check_order(&r.m[0], &r.s);
		assert_int_equal(r.s.source, STEPS_TABLE);
		count_phases(&r.s, counts);
		assert_int_equal(counts[PHASE_PREFILL], all[i].prefill);
		assert_int_equal(counts[PHASE_DECODE], all[i].decode);
		assert_int_equal(r.s.phase_confidence, CONF_HIGH);
		run_done(&r);
	}
}

/* ---- the default capture of vLLM: nothing but kernels and calls ---------------------------------------------------------------------- */

static void replace_all(struct buf *b, const char *from, const char *to)
{
	size_t n = strlen(from);

	assert_int_equal(n, strlen(to));
	for (char *p = b->p; (p = memmem(p, b->n - (size_t)(p - b->p), from, n)); p += n)
		memcpy(p, to, n);
}

static void read_file(const char *path, struct buf *b)
{
	FILE *f = fopen(path, "rb");
	char block[65536];
	size_t n;

	if (!f)
		fail_msg("%s", path);
	while ((n = fread(block, 1, sizeof block, f)) > 0)
		buf_add(b, block, n);
	fclose(f);
}

/* The sample's trace under other names; the steps must be those that its marks gave. */
static void unmarked(const char *root, const char *sample, const char *inner, bool engine)
{
	static const char table[] = "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
		"Communication(Not Overlapped and Exclude Receive),Preparing\r\n0,,1000.0,0,0,0,10.0,1010.0,0,0,0\r\n";
	char path[512], dir[256];
	struct run whole, r;
	struct buf b = { 0 };

	snprintf(path, sizeof path, "%s/%s", root, sample);
	assert_true(run_open(&whole, path));
	run_rank(&whole, 0, PHASES_AUTO);
	snprintf(path, sizeof path, "%s/%s/%s/ASCEND_PROFILER_OUTPUT/trace_view.json", root, sample, inner);
	read_file(path, &b);
	replace_all(&b, "ProfilerStep#", "SomeOperator#");
	if (!engine) {
		replace_all(&b, "execute_model", "something_els");
		replace_all(&b, "forward", "onwards");
		replace_all(&b, "ForCausalLM", "ForAnything");
	}
	tmpdir_make(dir, sizeof dir);
	tmpdir_write(dir, "trace_view.json", b.p, b.n);
	tmpdir_write(dir, "step_trace_time.csv", table, sizeof table - 1);
	assert_true(run_open(&r, dir));
	run_rank(&r, 0, PHASES_AUTO);
	check_order(&r.m[0], &r.s);
	assert_int_equal(r.s.source, engine ? STEPS_ENGINE : STEPS_REPEAT);
	assert_int_equal(r.s.n, whole.s.n);
	for (size_t i = 0; i < r.s.n; i++) {
		assert_int_equal(r.s.items[i].start, whole.s.items[i].start);
		assert_int_equal(r.s.items[i].first, whole.s.items[i].first);
		assert_int_equal(r.s.items[i].last, whole.s.items[i].last);
		assert_false(r.s.items[i].partial);
	}
	run_done(&r);
	run_done(&whole);
	buf_done(&b);
	tmpdir_remove(dir);
}

static void test_unmarked_captures(void **state)
{
	static const struct {
		const char *sample, *inner;
	} all[] = {
		{ "copy-bound", "atlas800_21014_20251201092001602_ascend_pt" },
		{ "decode-comm-bound", "atlas800_21012_20251201082001480_ascend_pt" },
		{ "host-schedule-bound", "atlas800_21013_20251201084001935_ascend_pt" },
		{ "mixed-phases", "atlas800_21015_20251201094001070_ascend_pt" },
		{ "prefill-compute-bound", "atlas800_21011_20251201080001120_ascend_pt" },
	};
	const char *root = folder("ASCOPE_SAMPLES", "build/samples");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		unmarked(root, all[i].sample, all[i].inner, true);
		unmarked(root, all[i].sample, all[i].inner, false);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_equal_their_tables),
		cmocka_unit_test(test_real_captures_equal_their_tables),
		cmocka_unit_test(test_reference_phases_are_declared),
		cmocka_unit_test(test_unmarked_captures),
	};

	return cmocka_run_group_tests_name("steps of captures", tests, steps_setup, steps_teardown);
}
