/* SPDX-License-Identifier: Apache-2.0 */
/* Columns by header, artifacts, and tables built row by row. Files are in test_table_load.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/load/table/table_load.h"
#include "core/model/cells.h"
#include "core/model/column.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct header_case {
	const char *header;
	enum col id;
	const char *unit;
};

static void test_headers(void **state)
{
	static const struct header_case cases[] = {
		{ "Duration(us)", COL_DURATION, "us" },		{ "task duration(us)", COL_DURATION, "us" },
		{ "task_time(us)", COL_DURATION, "us" },	{ "Start Time(us)", COL_START, "us" },
		{ "Task_Start Time(us)", COL_START, "us" },	{ "Timestamp(us)", COL_START, "us" },
		{ "task_stop(us)", COL_END, "us" },		{ " Step Id ", COL_STEP, "" },
		{ "Step ID", COL_STEP, "" },			{ "Device_id", COL_DEVICE_ID, "" },
		{ "device id", COL_DEVICE_ID, "" },		{ "Block Num", COL_BLOCK_DIM, "" },
		{ "Mix Block Dim", COL_MIX_BLOCK_DIM, "" },	{ "Time(us)", COL_TOTAL_TIME, "us" },
		{ "Avg(us)", COL_AVG_TIME, "us" },		{ "Ratio(%)", COL_RATIO, "%" },
		{ "Size(KB)", COL_SIZE, "KB" },			{ "Size( MB )", COL_SIZE, "MB" },
		{ "Total Reserved(KB)", COL_RESERVED, "KB" },	{ "Active Duration(us)", COL_ACTIVE_DURATION, "us" },
		{ "Communication(Not Overlapped)", COL_COMM_EXPOSED, "" },
		{ "Communication(Not Overlapped)(ms)", COL_COMM_EXPOSED, "ms" },
		{ "communication_not_overlapped", COL_COMM_EXPOSED, "" },
		{ "Communication(Not Overlapped and Exclude Receive)", COL_COMM_NO_RECEIVE, "" },
		{ "Communication", COL_COMMUNICATION, "" },	{ "Communication (us)", COL_COMMUNICATION, "us" },
		{ "Device Self Duration With AICore(us)", COL_AICORE_SELF, "us" },
		{ "Hit Rate", COL_HIT_RATE, "" },		{ "cube_utilization(%)", COL_METRIC, "%" },
		{ "aic_l1_read_bw(GB/s)", COL_METRIC, "GB/s" },	{ "aiv_vec_time(us)", COL_METRIC, "us" },
		{ "aicore_time(us)", COL_METRIC, "us" },	{ "mac_ratio", COL_METRIC, "" },
		{ "mte2_ratio", COL_METRIC, "" },		{ "vec_fp32_ratio", COL_METRIC, "" },
		{ "ub_read_bw(GB/s)", COL_METRIC, "GB/s" },	{ "icache_miss_rate", COL_METRIC, "" },
		{ "aiv_vec_bankgroup_cflt_ratio", COL_METRIC, "" }, { "aic_write_cache_hit", COL_METRIC, "" },
		{ "r0_read_cache_hit", COL_METRIC, "" },	{ "read_main_memory_datas(KB)", COL_METRIC, "KB" },
		{ "aic_cube_fops", COL_METRIC, "" },		{ "aic_total_cycles", COL_METRIC, "" },
		{ "Duration(%)", COL_UNKNOWN, "%" },		{ "Size(GB/s)", COL_UNKNOWN, "GB/s" },
		{ "Duration(furlongs)", COL_UNKNOWN, "" },	{ "", COL_UNKNOWN, "" },
		{ "(us)", COL_UNKNOWN, "us" },			{ ")", COL_UNKNOWN, "" },
		{ "()", COL_UNKNOWN, "" },			{ "Names", COL_UNKNOWN, "" },
		{ "task type", COL_CORE, "" },			{ "Min Time(\xc2\xb5s)", COL_MIN_TIME, "\xc2\xb5s" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str unit;
		enum col id = col_of_header(str_of(cases[i].header), &unit);

		if (id != cases[i].id || !str_is(unit, str_of(cases[i].unit)))
			fail_msg("\"%s\": %s, unit \"%.*s\"", cases[i].header, col_key(id), (int)unit.n, unit.p);
	}
}

/* Every column is found by every spelling of its own, and no spelling stands for two. */
static void test_columns(void **state)
{
	static const struct {
		enum col id;
		const char *name, *spellings;
		size_t size;
	} columns[] = {
#define COLUMN(col, type, words) { COL_##col, #col, words, sizeof(words) },
#include "core/model/column.def"
#undef COLUMN
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		const char *key = col_key(columns[i].id);

		assert_string_equal(col_spelling(columns[i].id), columns[i].spellings);
		assert_int_equal(strlen(key), strlen(columns[i].name));
		for (size_t k = 0; key[k]; k++)
			assert_int_equal(key[k], tolower(columns[i].name[k]));
		for (const char *w = columns[i].spellings; w < columns[i].spellings + columns[i].size; w += strlen(w) + 1) {
			struct str unit;

			assert_int_equal(col_of_header(str_of(w), &unit), columns[i].id);
		}
	}
	assert_string_equal(col_key(COL_METRIC), "metric");
	assert_int_equal(col_type_of(COL_METRIC), CT_NUM);
	assert_string_equal(col_key(COL_UNKNOWN), "unknown");
	assert_string_equal(col_spelling(COL_STEP), "Step Id");
	assert_int_equal(col_type_of(COL_START), CT_TIME);
	assert_int_equal(col_type_of(COL_SIZE), CT_BYTES);
}

static void test_artifacts(void **state)
{
	enum col needed[NEEDED_MAX];

	(void)state;
	for (enum artifact a = 0; a < ART_MAX; a++) {
		size_t n = artifact_needed(a, needed);

		assert_true(artifact_key(a)[0] && artifact_title(a)[0]);
		assert_int_equal(n > 0, artifact_form(a) == FORM_TABLE);
	}
	assert_int_equal(artifact_needed(ART_CLUSTER_STEP, needed), 3);
	assert_int_equal(needed[0], COL_TYPE);
	assert_int_equal(needed[1], COL_INDEX);
	assert_int_equal(needed[2], COL_COMPUTING);
	assert_int_equal(artifact_needed(ART_NONE, needed), 0);
	assert_string_equal(artifact_key(ART_KERNEL_DETAILS), "kernel_details");
	assert_string_equal(artifact_key(ART_NONE), "unknown");
}

static void test_metric_names(void **state)
{
	char out[METRIC_NAME_MAX];

	(void)state;
	assert_true(metric_of_name(STR("AIC_MAC Ratio"), out));
	assert_string_equal(out, "aic_mac_ratio");
	assert_false(metric_of_name(STR("aic_456789012345678901234567890123456789012345678901234567890123"), out));
	assert_false(metric_of_name(STR("ratios"), out));
	assert_false(metric_of_name(STR(""), out));
}

static void test_builder(void **state)
{
	struct names names;
	struct table t = { 0 };
	struct table_builder *b;

	(void)state;
	names_init(&names);
	b = table_build(&t, ART_KERNEL_DETAILS, &names);
	for (int i = 0; i < 20000; i++) {
		table_row(b);
		table_set_int(b, COL_START, 1000 + i);
		table_set_int(b, COL_MIX_BLOCK_DIM, 0);
		if (i == 15000)
			table_set_text(b, COL_NAME, STR("late"));
		if (i % 2)
			table_set_metric(b, STR("aic_mac_ratio"), i / 8.0);
		table_set_metric(b, STR("aiv_vec_ratio"), i >= 19990 ? 0.5 : 0);
		if (i < 7)
			table_set_int(b, COL_STREAM_ID, 0);
		table_set_int(b, COL_DURATION, i == 3 || i == 4 ? -5 : 5);
		table_set_int(b, COL_WAIT, -1);
		table_set_int(b, COL_TASK_ID, NO_INT);
		table_set_text(b, COL_STATE, i % 3 == 0 ? STR("") : i % 3 == 1 ? STR("N/A") : STR("NULL"));
		table_set_num(b, COL_RATIO, (double)NAN);
	}
	table_built(b);

	assert_int_equal(t.nrows, 20000);
	assert_int_equal(t.negative, 2);
	assert_int_equal(t.account.by_phase['R'], 20000);
	assert_int_equal(t.account.kept, 20000);
	assert_int_equal(t.ncolumns, 8);
	assert_null(table_col(&t, COL_TASK_ID));
	assert_null(table_col(&t, COL_STATE));
	assert_null(table_col(&t, COL_RATIO));
	assert_null(table_col(NULL, COL_RATIO));
	assert_null(table_metric(&t, &names, "aic_mte2_ratio"));
	for (size_t i = 0; i < t.nrows; i++) {
		double mac = table_metric(&t, &names, "aic_mac_ratio")->real[i];

		assert_int_equal(table_col(&t, COL_START)->num[i], 1000 + i);
		assert_int_equal(table_col(&t, COL_MIX_BLOCK_DIM)->num[i], 0);
		assert_int_equal(table_col(&t, COL_STREAM_ID)->num[i], i < 7 ? 0 : NO_INT);
		assert_int_equal(table_col(&t, COL_NAME)->text[i] != 0, i == 15000);
		assert_true(i % 2 ? mac == (double)i / 8 : isnan(mac));
		assert_true(table_metric(&t, &names, "aiv_vec_ratio")->real[i] == (i >= 19990 ? 0.5 : 0));
	}
	assert_string_equal(names_text(&names, table_col(&t, COL_NAME)->text[15000]), "late");
	assert_string_equal(names_text(&names, table_col(&t, COL_START)->header), "Start Time");
	table_done(&t);
	assert_int_equal(t.nrows, 0);
	names_done(&names);
}

/* A second builder adds rows, a column of its own, and leaves one out; the last cell set in a row counts. */
static void test_append(void **state)
{
	struct names names;
	struct table t = { 0 };
	struct table_builder *b;

	(void)state;
	names_init(&names);
	b = table_build(&t, ART_STEP_TRACE_TIME, &names);
	table_row(b);
	table_set_int(b, COL_COMPUTING, 7);
	table_set_int(b, COL_DEVICE_ID, 0);
	table_set_int(b, COL_DEVICE_ID, 0);
	table_built(b);
	b = table_build(&t, ART_STEP_TRACE_TIME, &names);
	table_row(b);
	table_set_num(b, COL_COMPUTING, 1.5);
	table_set_num(b, COL_COMPUTING, 2.5);
	table_set_text(b, COL_STEP, STR("4"));
	table_built(b);
	b = table_build(&t, ART_STEP_TRACE_TIME, &names);
	table_built(b);
	assert_int_equal(t.nrows, 2);
	assert_int_equal(t.ncolumns, 3);
	assert_true(table_col(&t, COL_COMPUTING)->real[0] == 7 && table_col(&t, COL_COMPUTING)->real[1] == 2.5);
	assert_int_equal(table_col(&t, COL_DEVICE_ID)->num[0], 0);
	assert_int_equal(table_col(&t, COL_DEVICE_ID)->num[1], NO_INT);
	assert_int_equal(table_col(&t, COL_STEP)->text[0], 0);
	assert_string_equal(names_text(&names, table_col(&t, COL_STEP)->text[1]), "4");
	table_done(&t);
	names_done(&names);
}

static void test_many_metrics(void **state)
{
	struct names names;
	struct table t = { 0 };
	struct table_builder *b;
	char name[32];

	(void)state;
	names_init(&names);
	b = table_build(&t, ART_KERNEL_DETAILS, &names);
	for (int row = 0; row < 3; row++) {
		table_row(b);
		for (int i = 0; i < 600; i++) {
			snprintf(name, sizeof name, "aic_%d", i);
			table_set_metric(b, str_of(name), row * 1000 + i);
		}
	}
	table_built(b);
	assert_int_equal(t.ncolumns, 512);
	assert_true(table_metric(&t, &names, "aic_511")->real[2] == 2511);
	assert_null(table_metric(&t, &names, "aic_512"));
	table_done(&t);
	names_done(&names);
}

static void test_cells(void **state)
{
	static const size_t sizes[] = { 8, 4000, 70000, 300000, 5000000, 66000, 100, 1 << 20, 64 };
	struct cells_pool pool = { 0 };
	size_t had = 16;
	unsigned char *p = cells_new(&pool, had), *q;

	(void)state;
	memset(p, 7, had);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		p = cells_resize(p, had, sizes[i]);
		for (size_t k = 0; k < MIN(had, sizes[i]); k++)
			assert_int_equal(p[k], 7);
		had = sizes[i];
		memset(p, 7, had);
	}
	q = cells_new(&pool, 100000);
	for (size_t k = 0; k < 100000; k++)
		assert_int_equal(q[k], 0);
	memset(q, 9, 100000);
	cells_pool_done(&pool);
	for (size_t k = 0; k < 100000; k++)
		assert_int_equal(q[k], 9);
	assert_null(cells_new(&pool, 0));
	assert_null(cells_resize(q, 100000, 0));
	assert_null(cells_resize(p, had, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),		cmocka_unit_test(test_columns),		cmocka_unit_test(test_artifacts),
		cmocka_unit_test(test_metric_names),	cmocka_unit_test(test_builder),		cmocka_unit_test(test_append),
		cmocka_unit_test(test_many_metrics),	cmocka_unit_test(test_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
