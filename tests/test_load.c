/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts, ranks, generations, units by evidence, health and accounting, on folders made here and on samples. */
#include "core/load/layout.h"
#include "core/load/layout_private.h"
#include "core/load/load.h"
#include "tests/help/tmpdir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

static char dir[256];

static int setup(void **state)
{
	(void)state;
	tmpdir_make(dir, sizeof dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tmpdir_remove(dir);
	return 0;
}

static void put(const char *path, const char *text)
{
	tmpdir_write(dir, path, text, strlen(text));
}

static struct capture *load(const char *relative)
{
	char path[600];
	struct capture *c;
	struct diag d;

	snprintf(path, sizeof path, "%s%s%s", dir, relative[0] ? "/" : "", relative);
	if (capture_load(path, NULL, NULL, &c, &d)) {
		print_message("%s: %s\n", path, d.text);
		return NULL;
	}
	return c;
}

static enum err load_fails(const char *relative, struct diag *d)
{
	char path[600];
	struct capture *c = NULL;
	enum err err;

	snprintf(path, sizeof path, "%s%s%s", dir, relative[0] ? "/" : "", relative);
	err = capture_load(path, NULL, NULL, &c, d);
	assert_null(c);
	return err;
}

static const char trace[] = "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":7,\"args\":{\"name\":\"Ascend Hardware\"}},"
	"{\"ph\":\"X\",\"name\":\"MatMulV2_1\",\"pid\":7,\"tid\":2,\"ts\":\"1736408883700000.125\",\"dur\":10.5,\"args\":{\"Task Type\":\"AI_CORE\"}},"
	"{\"ph\":\"X\",\"name\":\"RmsNorm_2\",\"pid\":7,\"tid\":2,\"ts\":\"1736408883700020.000\",\"dur\":4,\"args\":{\"Task Type\":\"AI_VECTOR_CORE\"}}]";
static const char kernels[] = "Name,Type,Accelerator Core,Start Time(us),Duration(us)\n"
	"MatMulV2_1,MatMulV2,AI_CORE,1736408883700000.125\t,10.5\nRmsNorm_2,RmsNorm,AI_VECTOR_CORE,1736408883700020.000\t,4\n";

static const struct file_finding *finding_of(const struct capture *c, const char *path)
{
	for (size_t i = 0; i < c->nfindings; i++)
		if (strcmp(c->findings[i].path, path) == 0)
			return &c->findings[i];
	fail_msg("no finding for %s", path);
	return NULL;
}

static const struct health *health_of(const struct capture *c, const char *id)
{
	for (size_t i = 0; i < c->nhealth; i++)
		if (strcmp(c->health[i].id, id) == 0)
			return &c->health[i];
	fail_msg("no health entry %s", id);
	return NULL;
}

/* ---- names ---------------------------------------------------------------------------------------------------------------------------- */

static void test_names(void **state)
{
	(void)state;
	assert_int_equal(rank_of_name(STR("rank0_3345_20260101120000123_ascend_pt")), 0);
	assert_int_equal(rank_of_name(STR("dp0_pp0_tp3_dcp0_ep3_rank11_3345_2026_ascend_pt")), 11);
	assert_int_equal(rank_of_name(STR("rank_3_ascend_pt")), 3);
	assert_int_equal(rank_of_name(STR("host-rank-12")), 12);
	assert_int_equal(rank_of_name(STR("frank3")), -1);
	assert_int_equal(rank_of_name(STR("localhost_123_20260101_ascend_pt")), -1);
	assert_int_equal(rank_of_suffix(STR("profiler_info_3.json")), 3);
	assert_int_equal(rank_of_suffix(STR("ascend_pytorch_profiler_15.db")), 15);
	assert_int_equal(rank_of_suffix(STR("profiler_info.json")), -1);
	assert_int_equal(slice_of_name(STR("op_summary_slice_2_20240131120000.csv")), 2);
	assert_int_equal(slice_of_name(STR("op_summary_20240131120000.csv")), -1);
	assert_int_equal(stamp_of_name(STR("op_summary_19700101000001.csv")), 1);
	assert_int_equal(stamp_of_name(STR("msprof_20240229235959.json")), 1709251199);	/* date -u -d '2024-02-29 23:59:59' +%s */
	assert_int_equal(stamp_of_name(STR("trace_view.json")), 0);
}

/* ---- layouts -------------------------------------------------------------------------------------------------------------------------- */

static void test_job_root_with_ranks(void **state)
{
	struct capture *c;

	(void)state;
	put("a_1_2026_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", trace);
	put("a_1_2026_ascend_pt/profiler_info_5.json", "{\"config\":{},\"rank_id\":5}");
	put("rank2_1_2026_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", kernels);
	put("rank2_1_2026_ascend_pt/FRAMEWORK/torch.op_range", "raw");
	put("b_ascend_pt/FRAMEWORK/torch.op_range", "raw");
	put("b_ascend_pt/PROF_000001_2026_A/device_0/data/x", "raw");
	c = load("");
	assert_non_null(c);
	assert_int_equal(c->nranks, 2);
	assert_int_equal(c->ranks[0].id, 2);
	assert_string_equal(c->ranks[0].id_from, "folder name");
	assert_int_equal(c->ranks[1].id, 5);
	assert_string_equal(c->ranks[1].id_from, "profiler_info");
	assert_int_equal(c->ranks[1].events.n, 2);
	assert_int_equal(c->nnotes, 1);
	assert_non_null(strstr(c->notes[0], "never analysed"));
	assert_non_null(strstr(c->notes[0], "b_ascend_pt"));
	assert_int_equal(finding_of(c, "a_1_2026_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json")->rank, 1);
	capture_free(c);
}

static void test_never_analysed_says_how(void **state)
{
	struct diag d;

	(void)state;
	put("x_ascend_pt/FRAMEWORK/torch.op_range", "raw");
	put("x_ascend_pt/profiler_info.json", "{\"config\":{}}");
	assert_int_equal(load_fails("x_ascend_pt", &d), ERR_NO_INPUT);
	assert_non_null(strstr(d.text, "analyse"));
}

static void test_two_exports_newest_wins(void **state)
{
	struct capture *c;

	(void)state;
	put("PROF_1/mindstudio_profiler_output/msprof_20240101120000.json", trace);
	put("PROF_1/mindstudio_profiler_output/op_summary_20240101120001.csv",
		"Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)\na,A,AI_CORE,1,2\n");
	put("PROF_1/mindstudio_profiler_output/msprof_20240102120000.json", trace);
	put("PROF_1/mindstudio_profiler_output/op_summary_slice_0_20240102120001.csv",
		"Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)\nb,B,AI_CORE,1,2\n");
	put("PROF_1/mindstudio_profiler_output/op_summary_slice_1_20240102120009.csv",
		"Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)\nc,C,AI_CORE,1,2\n");
	c = load("PROF_1");
	assert_non_null(c);
	assert_int_equal(c->nranks, 1);
	assert_string_equal(c->ranks[0].writer, "msprof");
	assert_int_equal(c->ranks[0].events.n, 2);
	assert_int_equal(c->ranks[0].tables[ART_OP_SUMMARY]->nrows, 2);
	assert_false(finding_of(c, "mindstudio_profiler_output/op_summary_20240101120001.csv")->accepted);
	assert_false(finding_of(c, "mindstudio_profiler_output/msprof_20240101120000.json")->accepted);
	assert_int_equal(c->nnotes, 1);
	capture_free(c);
}

static void test_exporter_output_before_raw_export(void **state)
{
	struct capture *c;

	(void)state;
	put("r_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", trace);
	put("r_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", kernels);
	put("r_ascend_pt/PROF_1/mindstudio_profiler_output/msprof_20240101120000.json", trace);
	put("r_ascend_pt/PROF_1/mindstudio_profiler_output/op_summary_20240101120000.csv",
		"Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)\na,A,AI_CORE,1,2\n");
	c = load("");
	assert_non_null(c);
	assert_int_equal(c->nranks, 1);
	assert_int_equal(c->ranks[0].events.n, 2);		/* not four */
	assert_null(c->ranks[0].tables[ART_OP_SUMMARY]);
	assert_true(rank_kernels(&c->ranks[0]) == c->ranks[0].tables[ART_KERNEL_DETAILS]);
	capture_free(c);
}

static void test_loose_files_and_odd_names(void **state)
{
	struct capture *c;

	(void)state;
	put("my timeline of today.json", trace);
	put("numbers.csv", kernels);
	put("other.csv", "a,b,c\n1,2,3\n");
	put("notes.txt", "hello");
	c = load("");
	assert_non_null(c);
	assert_int_equal(c->nranks, 1);
	assert_int_equal(c->ranks[0].events.n, 2);
	assert_non_null(c->ranks[0].tables[ART_KERNEL_DETAILS]);
	assert_false(finding_of(c, "other.csv")->accepted);
	assert_false(finding_of(c, "notes.txt")->accepted);
	capture_free(c);
	c = load("numbers.csv");
	assert_non_null(c);
	assert_int_equal(c->ranks[0].tables[ART_KERNEL_DETAILS]->nrows, 2);
	capture_free(c);
}

static void test_nothing_there(void **state)
{
	struct diag d;

	(void)state;
	assert_int_equal(load_fails("absent", &d), ERR_NO_INPUT);
	put("empty/readme.txt", "x");
	assert_int_equal(load_fails("empty", &d), ERR_NO_INPUT);
	put("x.json", "{\"a\":1}");
	assert_int_equal(load_fails("x.json", &d), ERR_FORMAT);
	put("trace_view.json", "");
	assert_int_equal(load_fails("trace_view.json", &d), ERR_FORMAT);
	assert_non_null(strstr(d.text, "empty"));
	put("y.db", "not a database, but some text that is long enough for a header of one hundred bytes.............");
	assert_int_equal(load_fails("y.db", &d), ERR_FORMAT);
}

static void test_broken_file_beside_good_ones(void **state)
{
	struct capture *c;

	(void)state;
	put("trace_view.json", "[1,2");
	put("kernel_details.csv", kernels);
	put("communication.json", "{\"step1\":");
	c = load("");
	assert_non_null(c);
	assert_int_equal(c->ranks[0].tables[ART_KERNEL_DETAILS]->nrows, 2);
	assert_false(finding_of(c, "trace_view.json")->accepted);
	assert_false(finding_of(c, "communication.json")->accepted);
	assert_true(finding_of(c, "communication.json")->reason[0] != '\0');
	assert_int_equal(health_of(c, "timeline")->state, HEALTH_MISSING);
	capture_free(c);
}

/* ---- units ---------------------------------------------------------------------------------------------------------------------------- */

static void expect_unit(const char *steps, const char *unit, double ns, bool assumed)
{
	struct capture *c;
	const struct unit_finding *u = NULL;

	put("u/step_trace_time.csv", steps);
	c = load("u");
	assert_non_null(c);
	for (size_t i = 0; i < c->nunits; i++)
		if (strstr(c->units[i].artifact, "step_trace_time"))
			u = &c->units[i];
	assert_non_null(u);
	assert_string_equal(u->unit, unit);
	assert_int_equal(u->assumed, assumed);
	assert_true(c->ranks[0].step_unit_ns >= ns && c->ranks[0].step_unit_ns <= ns);
	capture_free(c);
}

/* The kernels sum to 14.5 us; the same numbers in other units are told by that, whatever their size. */
static void test_units_by_evidence(void **state)
{
	(void)state;
	put("u/kernel_details.csv", kernels);
	expect_unit("Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n1,14.5,0,0,0,3\n", "us", 1e3, false);
	expect_unit("Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n1,0.0145,0,0,0,3\n", "ms", 1e6, false);
	expect_unit("Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n1,1.45e-05,0,0,0,3\n", "s", 1e9, false);
	expect_unit("Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n1,14500,0,0,0,3\n", "ns", 1, false);
	expect_unit("Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n1,290,0,0,0,3\n", "us", 1e3, true);
	expect_unit("Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n1,0,0,0,0,3\n", "us", 1e3, true);
}

static void test_unit_by_communication(void **state)
{
	(void)state;
	put("u/communication.json", "{\"step1\":{\"p2p\":{},\"collective\":{\"hcom_allReduce__1@22\":{\"Communication Time Info\":"
		"{\"Start Timestamp(us)\":1,\"Elapse Time(ms)\":2.5,\"Transit Time(ms)\":1,\"Wait Time(ms)\":1,\"Synchronization Time(ms)\":1,"
		"\"Idle Time(ms)\":0.5}}}}}");
	expect_unit("Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n1,100,0,0,2500,3\n", "us", 1e3, false);
	expect_unit("Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n1,100,0,0,2.5,3\n", "ms", 1e6, false);
}

/* ---- samples -------------------------------------------------------------------------------------------------------------------------- */

static struct capture *load_sample(const char *name)
{
	const char *samples = getenv("ASCOPE_SAMPLES");
	char path[700];
	struct capture *c;
	struct diag d;

	snprintf(path, sizeof path, "%s/%s", samples ? samples : "build/samples", name);
	if (capture_load(path, NULL, NULL, &c, &d)) {
		print_message("no sample %s: make samples\n", name);
		skip();
	}
	return c;
}

static void kernel_totals(const struct capture *c, const char *type, size_t *count, int64_t *total)
{
	const struct table *t = rank_kernels(&c->ranks[0]);
	const struct column *types = table_col(t, COL_TYPE), *dur = table_col(t, COL_DURATION);

	*count = 0;
	*total = 0;
	for (size_t i = 0; i < t->nrows; i++)
		if (str_is(names_str(&c->names, types->text[i]), str_of(type))) {
			++*count;
			*total += dur->num[i];
		}
}

/* The founding case's facts, in text and in the database. */
static void test_founding_case(void **state)
{
	static const struct {
		const char *type;
		int64_t ns;
	} facts[] = { { "MatMulV2", 813009180 }, { "FusedInferAttentionScore", 495854330 }, { "RmsNorm", 40328270 } };
	const char *samples[] = { "prefill-compute-bound", "prefill-compute-bound-db" };

	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(samples); s++) {
		struct capture *c = load_sample(samples[s]);
		const struct events *e = &c->ranks[0].events;
		size_t host = 0, device = 0, count;
		int64_t total;

		assert_int_equal(c->nranks, 1);
		assert_int_equal(c->ranks[0].account.by_phase['X'], 6742);
		for (size_t i = 0; i < e->nlanes; i++) {
			enum layer l = e->processes[e->lanes[i].process].layer;

			host += l == LAYER_PYTHON || l == LAYER_CANN ? e->lanes[i].n : 0;
			device += l == LAYER_HARDWARE || l == LAYER_COMMUNICATION ? e->lanes[i].n : 0;
		}
		assert_int_equal(host, 5968);
		assert_int_equal(device, 774);
		for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
			kernel_totals(c, facts[i].type, &count, &total);
			assert_int_equal(count, 192);
			assert_int_equal(total, facts[i].ns);
		}
		assert_int_equal(c->ranks[0].tables[ART_STEP_TRACE_TIME]->nrows, 6);
		assert_true(c->ranks[0].step_unit_ns >= 1e3 && c->ranks[0].step_unit_ns <= 1e3);
		capture_free(c);
	}
}

/* What is kept and what is dropped is everything, on every sample. */
static void test_accounting(void **state)
{
	static const char *const samples[] = { "decode-comm-bound", "decode-comm-bound-db", "host-schedule-bound", "copy-bound-db",
		"mixed-phases", "ranks4-slow-rank", "ranks4-slow-rank-db", "hostile/trace-ts-kinds", "hostile/trace-begin-end",
		"hostile/trace-unknown-phases", "hostile/trace-garbage-between-events", "hostile/db-wrong-types" };

	(void)state;
	for (size_t s = 0; s < ARRAY_LEN(samples); s++) {
		struct capture *c = load_sample(samples[s]);

		for (size_t i = 0; i < c->nranks; i++) {
			const struct account *a = &c->ranks[i].account;

			assert_int_equal(account_total(a), a->kept + account_dropped(a));
			for (int k = 0; k < ART_MAX; k++)
				if (c->ranks[i].tables[k]) {
					const struct account *t = &c->ranks[i].tables[k]->account;

					assert_int_equal(account_total(t), t->kept + account_dropped(t));
					assert_int_equal(t->kept, c->ranks[i].tables[k]->nrows);
				}
		}
		capture_free(c);
	}
}

static void test_four_ranks_in_order(void **state)
{
	struct capture *c = load_sample("ranks4-slow-rank");

	(void)state;
	assert_int_equal(c->nranks, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(c->ranks[i].id, i);
	assert_int_equal(health_of(c, "all_ranks")->state, HEALTH_OK);
	capture_free(c);
}

/* A cancelled load leaves nothing behind. */
static void test_cancel(void **state)
{
	struct progress p = { 0 };
	struct capture *c = NULL;
	struct diag d;

	(void)state;
	put("trace_view.json", trace);
	atomic_store(&p.cancel, 1);
	assert_int_equal(capture_load(dir, NULL, &p, &c, &d), ERR_CANCELLED);
	assert_null(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test_setup_teardown(test_job_root_with_ranks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_never_analysed_says_how, setup, teardown),
		cmocka_unit_test_setup_teardown(test_two_exports_newest_wins, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exporter_output_before_raw_export, setup, teardown),
		cmocka_unit_test_setup_teardown(test_loose_files_and_odd_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing_there, setup, teardown),
		cmocka_unit_test_setup_teardown(test_broken_file_beside_good_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(test_units_by_evidence, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unit_by_communication, setup, teardown),
		cmocka_unit_test(test_founding_case),
		cmocka_unit_test(test_accounting),
		cmocka_unit_test(test_four_ranks_in_order),
		cmocka_unit_test_setup_teardown(test_cancel, setup, teardown),
	};

	return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
