/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures at the edge of what there can be: one event, one side only, no time, time that runs backwards, thousands of lanes, hundreds of
 * ranks, one file alone. Each gives a defined result: JSON that parses, text within 80 columns without control characters, and no number
 * that nothing stands for.
 */
#include "tests/help/analysis_run.h"
#include "tests/help/tmpdir.h"

#include "core/report/analysis_report.h"

#include <cjson/cJSON.h>

#define HOST   "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"Python\"}}"
#define DEVICE "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":2,\"tid\":0,\"args\":{\"name\":\"Ascend Hardware\"}}"
#define COMM   "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":3,\"tid\":0,\"args\":{\"name\":\"Communication\"}}," \
	"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":3,\"tid\":0,\"args\":{\"name\":\"Group 0 Communication\"}}"
#define OP(ts, dur) "{\"ph\":\"X\",\"name\":\"aten::add\",\"cat\":\"cpu_op\",\"pid\":1,\"tid\":1,\"ts\":\"17645844010" ts "\",\"dur\":" dur "}"
#define KERNEL(ts, dur) "{\"ph\":\"X\",\"name\":\"Add\",\"pid\":2,\"tid\":1,\"ts\":\"17645844010" ts "\",\"dur\":" dur \
	",\"args\":{\"Task Type\":\"AI_VECTOR_CORE\"}}"
#define COPY(ts, dur) "{\"ph\":\"X\",\"name\":\"MEMCPY_ASYNC\",\"pid\":2,\"tid\":1,\"ts\":\"17645844010" ts "\",\"dur\":" dur \
	",\"args\":{\"Task Type\":\"MEMCPY_ASYNC\"}}"
#define STEP(n, ts, dur) "{\"ph\":\"X\",\"name\":\"ProfilerStep#" n "\",\"cat\":\"cpu_op\",\"pid\":1,\"tid\":1,\"ts\":\"17645844010" ts "\",\"dur\":" dur "}"

/* ---- what holds for any result ------------------------------------------------------------------------------------------------------------ */

static void check_lines(const struct buf *b)
{
	size_t column = 0;

	for (size_t i = 0; i < b->n; i++) {
		unsigned char ch = (unsigned char)b->p[i];

		if (ch == '\n') {
			column = 0;
			continue;
		}
		assert_true(ch >= 0x20 && ch != 0x7f);
		column += (ch & 0xc0) != 0x80;
		if (column > 80)
			fail_msg("a line of more than 80 columns: %.200s", b->p + i + 1 - column);
	}
}

static void check_faces(const struct analysis *a)
{
	struct buf b = { 0 };
	cJSON *json;

	analysis_write_text(a, &b);
	check_lines(&b);
	if (strstr(b.p, " nan") || strstr(b.p, "-nan") || strstr(b.p, "(null)") || strstr(b.p, " inf ") || strstr(b.p, " -inf"))
		fail_msg("%s", b.p);
	buf_done(&b);
	analysis_write_json(a, &b);
	json = cJSON_ParseWithLength(b.p, b.n);
	if (!json)
		fail_msg("no JSON: %.300s", b.p);
	assert_non_null(cJSON_GetObjectItem(json, "bottleneck"));
	cJSON_Delete(json);
	buf_done(&b);
	analysis_write_markdown(a, &b);
	assert_true(b.n > 0 && !strstr(b.p, " nan") && !strstr(b.p, "(null)"));
	buf_done(&b);
}

static void check_numbers(const struct analysis *a)
{
	for (size_t u = 0; u < a->nunits; u++)
		for (size_t s = 0; s < a->units[u].nscopes; s++) {
			const double *v = a->units[u].scopes[s].v;

			for (int i = 0; i < IND_MAX; i++) {
				if (isinf(v[i]) || v[i] < 0)
					fail_msg("%s is %g", indicator_key((enum indicator)i), v[i]);
				if (strcmp(indicator_unit((enum indicator)i), "%") == 0 && v[i] > 100.0001)
					fail_msg("%s is %g", indicator_key((enum indicator)i), v[i]);
			}
		}
	for (size_t i = 0; i < a->findings.n; i++)
		assert_true(!isinf(a->findings.items[i].stake_us) && !(a->findings.items[i].stake_us < 0));
	for (size_t i = 0; i < a->silent.n; i++)
		assert_true(a->silent.items[i].missing[0] && a->silent.items[i].recollect[0]);
}

/* Analyses what is in dir and removes it. */
static void judge(struct judged *j, const char *dir)
{
	judged_open(j, dir, NULL);
	check_faces(j->a);
	check_numbers(j->a);
	tmpdir_remove(dir);
}

static void judge_trace(struct judged *j, const char *text)
{
	char dir[300];

	tmpdir_make(dir, sizeof dir);
	tmpdir_write(dir, "trace_view.json", text, strlen(text));
	judge(j, dir);
}

static enum bottleneck headline_of(const struct judged *j)
{
	return analysis_headline(j->a) ? analysis_headline(j->a)->verdicts[0].headline : BN_NONE;
}

/* ---- small timelines ----------------------------------------------------------------------------------------------------------------------- */

static void test_one_event(void **state)
{
	struct judged j;

	(void)state;
	judge_trace(&j, "[" DEVICE "," KERNEL("44000.000", "5.0") "]");
	assert_true(fabs(j.a->units[0].scopes[0].v[IND_COMPUTE] - 5) < 1e-9);
	assert_true(isnan(j.a->units[0].scopes[0].v[IND_HOST_BUSY]));
	judged_done(&j);
	judge_trace(&j, "[" HOST "," OP("44000.000", "5.0") "]");
	assert_int_equal(headline_of(&j), BN_NONE);
	judged_done(&j);
}

/* A host trace alone: nothing is known of the device, so nobody is blamed. */
static void test_no_device(void **state)
{
	struct judged j;
	const double *v;

	(void)state;
	judge_trace(&j, "[" HOST "," OP("44000.000", "900.0") "," OP("45000.000", "900.0") "]");
	v = j.a->units[0].scopes[0].v;
	assert_int_equal(headline_of(&j), BN_NONE);
	assert_true(isnan(v[IND_DEVICE_BUSY]) && isnan(v[IND_IDLE_PCT]) && isnan(v[IND_HOST_ONLY_PCT]) && isnan(v[IND_D2H]));
	assert_true(fabs(v[IND_HOST_BUSY] - 1800) < 1e-6);
	assert_int_equal(j.a->findings.n, 0);
	assert_non_null(strstr(j.a->sentence, "no device work"));
	judged_done(&j);
}

static void test_no_host(void **state)
{
	struct judged j;

	(void)state;
	judge_trace(&j, "[" DEVICE "," KERNEL("44000.000", "100.0") "," KERNEL("45000.000", "100.0") "]");
	assert_int_equal(headline_of(&j), BN_NONE);
	assert_false(j.a->units[0].verdicts[0].scores[BN_HOST].evaluable);
	assert_non_null(finding_of(&j.a->silent, "gap.host-late"));
	assert_true(isnan(j.a->units[0].scopes[0].v[IND_DISPATCHES]));
	judged_done(&j);
}

static void test_no_time(void **state)
{
	struct judged j;

	(void)state;
	judge_trace(&j, "[" HOST "," DEVICE "," KERNEL("44000.000", "0") "," OP("44000.000", "0") "," KERNEL("44000.000", "0") "]");
	assert_int_equal(headline_of(&j), BN_NONE);
	judged_done(&j);
	judge_trace(&j, "[" HOST "," DEVICE "," STEP("1", "44000.000", "0") "," STEP("2", "44000.000", "0") "," KERNEL("44000.000", "0") "]");
	judged_done(&j);
}

/* Later in the file, earlier in time; and a duration below zero. */
static void test_backwards(void **state)
{
	struct judged j;

	(void)state;
	judge_trace(&j, "[" HOST "," DEVICE "," KERNEL("49000.000", "10") "," KERNEL("48000.000", "10") "," KERNEL("44000.000", "10") ","
		OP("49500.000", "20") "," OP("43000.000", "20") "," KERNEL("46000.000", "-5") "]");
	assert_true(fabs(j.a->units[0].scopes[0].v[IND_COMPUTE] - 30) < 1e-6);
	assert_true(j.a->units[0].scopes[0].v[IND_WALL] >= 5010 && j.a->units[0].scopes[0].v[IND_WALL] <= 6520);	/* steps, or all there is */
	judged_done(&j);
}

static void test_only_copies(void **state)
{
	struct judged j;

	(void)state;
	judge_trace(&j, "[" HOST "," DEVICE "," STEP("1", "44000.000", "1000") "," STEP("2", "45000.000", "1000") "," OP("44000.000", "5") ","
		OP("45000.000", "5") "," COPY("44010.000", "900") "," COPY("45010.000", "900") "]");
	assert_int_equal(headline_of(&j), BN_COPY);
	assert_true(j.a->units[0].scopes[0].v[IND_COMPUTE] == 0);
	assert_true(fabs(j.a->units[0].scopes[0].v[IND_COPY] - 1800) < 1e-6);
	judged_done(&j);
}

static void test_overlapping(void **state)
{
	struct judged j;

	(void)state;
	judge_trace(&j, "[" DEVICE "," COMM "," KERNEL("44000.000", "100") "," KERNEL("44000.000", "100") "," KERNEL("44050.000", "100") ","
		"{\"ph\":\"X\",\"name\":\"hcom_allReduce__129_0_1\",\"pid\":3,\"tid\":0,\"ts\":\"1764584401044100.000\",\"dur\":100}]");
	assert_true(fabs(j.a->units[0].scopes[0].v[IND_COMPUTE] - 150) < 1e-6);
	assert_true(fabs(j.a->units[0].scopes[0].v[IND_EXPOSED] - 50) < 1e-6);
	assert_true(fabs(j.a->units[0].scopes[0].v[IND_COMM_OVERLAP] - 50) < 1e-6);
	judged_done(&j);
}

/* Names that would break a terminal or a table. */
static void test_odd_names(void **state)
{
	struct judged j;

	(void)state;
	judge_trace(&j, "[" HOST "," DEVICE ",{\"ph\":\"X\",\"name\":\"a\\u001b[31m|\\n\\t<b>\\u0007%s%n\","
		"\"pid\":2,\"tid\":1,\"ts\":\"1764584401044000.000\",\"dur\":100,"
		"\"args\":{\"Task Type\":\"AI_CORE\"}}," OP("44000.000",
		"5") ",{\"ph\":\"X\",\"name\":\"\\u4e2d\\u6587\\u4e2d\\u6587\\u4e2d\\u6587\\u4e2d\\u6587\\u4e2d"
		"\\u6587\\u4e2d\\u6587\\u4e2d\\u6587\\u4e2d\\u6587\\u4e2d\\u6587\",\"pid\":2,\"tid\":1,"
		"\"ts\":\"1764584401045000.000\",\"dur\":100,\"args\":{\"Task Type\":"
		"\"AI_CORE\"}}]");
	judged_done(&j);
}

/* ---- many ---------------------------------------------------------------------------------------------------------------------------------- */

static void test_many_lanes(void **state)
{
	struct judged j;
	struct buf b = { 0 };
	char dir[300];

	(void)state;
	buf_str(&b, "[" HOST "," DEVICE);
	for (int i = 0; i < 10000; i++)
		buf_printf(&b, ",{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"cpu_op\",\"pid\":%d,\"tid\":%d,\"ts\":\"17645844010%05d.000\",\"dur\":1.5,"
			"\"args\":{\"Task Type\":\"AI_CORE\"}}", i % 2 ? "Add" : "aten::add", 1 + i % 2, i, 10000 + i * 2);
	buf_str(&b, "]");
	tmpdir_make(dir, sizeof dir);
	tmpdir_write(dir, "trace_view.json", b.p, b.n);
	buf_done(&b);
	judge(&j, dir);
	assert_true(fabs(j.a->units[0].scopes[0].v[IND_COMPUTE] - 7500) < 1e-6);
	judged_done(&j);
}

static void test_many_ranks(void **state)
{
	struct judged j;
	char dir[300];

	(void)state;
	tmpdir_make(dir, sizeof dir);
	for (int r = 0; r < 200; r++) {
		char name[100], text[900];
		int n;

		snprintf(name, sizeof name, "host_%d_20251201102001044_ascend_pt/profiler_info_%d.json", 1000 + r, r);
		n = snprintf(text, sizeof text, "{\"rank_id\":%d,\"config\":{\"common_config\":{\"activities\":[\"ProfilerActivity.NPU\"]}}}", r);
		tmpdir_write(dir, name, text, (size_t)n);
		snprintf(name, sizeof name, "host_%d_20251201102001044_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", 1000 + r);
		n = snprintf(text, sizeof text, "[" DEVICE "," KERNEL("44000.000", "%d.0") "," KERNEL("45000.000", "10.0") "]", 100 + r);
		tmpdir_write(dir, name, text, (size_t)n);
	}
	judge(&j, dir);
	assert_int_equal(j.a->nunits, 200);
	for (int r = 0; r < 200; r++)
		assert_true(fabs(j.a->units[r].scopes[0].v[IND_COMPUTE] - (110 + r)) < 1e-6);
	judged_done(&j);
}

/* ---- one file alone ------------------------------------------------------------------------------------------------------------------------ */

static void judge_file(struct judged *j, const char *name, const char *text)
{
	char dir[300];

	tmpdir_make(dir, sizeof dir);
	tmpdir_write(dir, name, text, strlen(text));
	judge(j, dir);
}

static void test_only_a_step_table(void **state)
{
	struct judged j;

	(void)state;
	judge_file(&j, "step_trace_time.csv", "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
		"Communication(Not Overlapped and Exclude Receive),Preparing\n0,2,301.962,84.144,0.0,84.144,13.454,399.56,0,84.144,37.671\n");
	assert_int_equal(headline_of(&j), BN_NONE);
	assert_int_equal(j.a->findings.n, 0);
	judged_done(&j);
}

static void test_only_communication(void **state)
{
	struct judged j;
	const struct finding *f;

	(void)state;
	judge_file(&j, "communication.json", "{\"step2\":{\"p2p\":{},\"collective\":{\"hcom_allReduce__129_0_1@119\":{\"Communication Time Info\":{"
		"\"Start Timestamp(us)\":1764584401044157.033,\"Elapse Time(ms)\":10.0,\"Transit Time(ms)\":1.0,\"Wait"
		" Time(ms)\":8.0,\"Synchronization Time(ms)\":8.0,"
		"\"Idle Time(ms)\":1.0},\"Communication Bandwidth Info\":{}}}}}");
	assert_int_equal(headline_of(&j), BN_NONE);
	f = finding_of(&j.a->findings, "comm.wait-or-link");
	assert_non_null(f);
	assert_true(fabs(f->stake_us - 9000) < 1e-6 && isnan(f->stake_pct));
	assert_non_null(finding_of(&j.a->silent, "compute.aicpu"));
	assert_non_null(finding_of(&j.a->silent, "gap.host-late"));
	judged_done(&j);
}

static void test_only_a_cluster(void **state)
{
	struct judged j;
	char path[600];

	(void)state;
	if (!capture_of(path, "real/cluster-16ranks"))
		skip();
	judged_open(&j, path, NULL);
	check_faces(j.a);
	check_numbers(j.a);
	assert_int_equal(headline_of(&j), BN_NONE);
	assert_non_null(strstr(j.a->sentence, "cluster summary"));
	judged_done(&j);
}

static void test_nothing(void **state)
{
	struct judged j;
	struct diag d;
	char dir[300];

	(void)state;
	tmpdir_make(dir, sizeof dir);
	assert_false(judged_try(&j, dir, NULL, &d));
	assert_int_equal(d.err, ERR_NO_INPUT);
	tmpdir_remove(dir);
	judge_trace(&j, "[" HOST "," DEVICE "]");
	assert_int_equal(headline_of(&j), BN_NONE);
	assert_int_equal(j.a->findings.n, 0);
	judged_done(&j);
}

/* Everything hostile that can be read at all. */
static void test_hostile(void **state)
{
	char list[700], path[600], line[400];
	FILE *f;
	size_t n = 0;

	(void)state;
	if (!sample_of(path, "hostile"))
		skip();
	snprintf(list, sizeof list, "%s/EXPECT.tsv", path);
	f = fopen(list, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		char file[1100];
		struct judged j;
		struct diag d;
		char *tab = strchr(line, '\t');

		if (!tab)
			continue;
		*tab = '\0';
		snprintf(file, sizeof file, "%s/%s", path, line);
		if (!judged_try(&j, file, NULL, &d))
			continue;
		n++;
		check_faces(j.a);
		check_numbers(j.a);
		judged_done(&j);
	}
	fclose(f);
	assert_true(n > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_event),
		cmocka_unit_test(test_no_device),
		cmocka_unit_test(test_no_host),
		cmocka_unit_test(test_no_time),
		cmocka_unit_test(test_backwards),
		cmocka_unit_test(test_only_copies),
		cmocka_unit_test(test_overlapping),
		cmocka_unit_test(test_odd_names),
		cmocka_unit_test(test_many_lanes),
		cmocka_unit_test(test_many_ranks),
		cmocka_unit_test(test_only_a_step_table),
		cmocka_unit_test(test_only_communication),
		cmocka_unit_test(test_only_a_cluster),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
