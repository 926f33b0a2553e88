/* SPDX-License-Identifier: Apache-2.0 */
/* CSV files into tables: what the writers do, what damages files, and that the account adds up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/base/str.h"
#include "core/load/table/table_load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct loaded {
	struct names names;
	struct table *t;
	struct csv_info info;
	struct diag d;
};

static struct file file_of(struct str text)
{
	struct file f = { .path = "t.csv", .fd = memfd_create("csv", MFD_CLOEXEC), .size = (int64_t)text.n };

	for (size_t done = 0; done < text.n;) {
		ssize_t w = write(f.fd, text.p + done, text.n - done);

		assert_true(w > 0);
		done += (size_t)w;
	}
	return f;
}

static enum err load_more(struct loaded *l, enum artifact kind, struct str text)
{
	struct file f = file_of(text);
	enum err err = table_load_csv(&l->t, kind, &f, &l->names, &l->info, NULL, &l->d);

	file_close(&f);
	return err;
}

static enum err load(struct loaded *l, enum artifact kind, struct str text)
{
	*l = (struct loaded){ 0 };
	names_init(&l->names);
	return load_more(l, kind, text);
}

static void load_done(struct loaded *l)
{
	if (l->t)
		table_done(l->t);
	free(l->t);
	names_done(&l->names);
}

static const char *text_at(const struct loaded *l, enum col id, size_t row)
{
	const struct column *c = table_col(l->t, id);

	return c ? names_text(&l->names, c->text[row]) : "(no column)";
}

static int64_t num_at(const struct loaded *l, enum col id, size_t row)
{
	const struct column *c = table_col(l->t, id);

	return c ? c->num[row] : -77;
}

static double metric_at(const struct loaded *l, const char *name, size_t row)
{
	const struct column *c = table_metric(l->t, &l->names, name);

	return c ? c->real[row] : -77;
}

static void check_account(const struct loaded *l, size_t rows, size_t kept, enum drop why, int64_t first_at)
{
	const struct account *a = &l->t->account;

	assert_int_equal(a->by_phase['R'], rows);
	assert_int_equal(account_total(a), rows);
	assert_int_equal(a->kept, kept);
	assert_int_equal(l->t->nrows, kept);
	assert_int_equal(account_dropped(a), rows - kept);
	if (rows > kept) {
		assert_int_equal(a->dropped[why].count, rows - kept);
		assert_int_equal(a->dropped[why].first_at, first_at);
	}
}

static void test_kernel_rows(void **state)
{
	struct loaded l;

	(void)state;
	assert_int_equal(load(&l, ART_KERNEL_DETAILS, STR(
		"Step Id,Device_id,Model ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,Mix Block Dim,"
		"Input Shapes,Context ID,aic_mac_ratio,aicore_time(us),aic_l1_read_bw(GB/s),Odd One,cube_utilization(%)\r\n"
		"13,0,4294967295,op/a,MatMul,AI_CORE,1764246877073569.640\t,1892.920,0,40,0,"
		"\"\"\"375815680;1,2\"\"\",N/A,0.5,9.25,1e-05,x,0.000\r\n"
		"13,0,4294967295,hcom_allReduce__1,N/A,HCCL,\"1764246877073570\t\",0.5,734.370000,N/A,0,"
		"N/A,N/A,N/A,N/A,N/A,,N/A\r\n")), ERR_OK);
	check_account(&l, 2, 2, DROP_MAX, 0);
	assert_int_equal(num_at(&l, COL_START, 0), 1764246877073569640);
	assert_int_equal(num_at(&l, COL_START, 1), 1764246877073570000);
	assert_int_equal(num_at(&l, COL_DURATION, 0), 1892920);
	assert_int_equal(num_at(&l, COL_WAIT, 1), 734370);
	assert_int_equal(num_at(&l, COL_MODEL_ID, 1), 4294967295);
	assert_int_equal(num_at(&l, COL_BLOCK_DIM, 1), NO_INT);
	assert_int_equal(num_at(&l, COL_MIX_BLOCK_DIM, 1), 0);
	assert_string_equal(text_at(&l, COL_STEP, 0), "13");
	assert_string_equal(text_at(&l, COL_INPUT_SHAPES, 0), "\"375815680;1,2\"");
	assert_int_equal(table_col(l.t, COL_INPUT_SHAPES)->text[1], 0);
	assert_int_equal(table_col(l.t, COL_TYPE)->text[1], 0);
	assert_null(table_col(l.t, COL_CONTEXT_ID));
	assert_true(metric_at(&l, "aic_mac_ratio", 0) == 0.5 && isnan(metric_at(&l, "aic_mac_ratio", 1)));
	assert_true(metric_at(&l, "aicore_time", 0) == 9.25);
	assert_true(metric_at(&l, "aic_l1_read_bw", 0) == 1e-05);
	assert_string_equal(names_text(&l.names, table_metric(l.t, &l.names, "aic_l1_read_bw")->unit), "GB/s");
	assert_string_equal(names_text(&l.names, table_metric(l.t, &l.names, "cube_utilization")->header), "cube_utilization(%)");
	assert_string_equal(names_text(&l.names, table_col(l.t, COL_START)->unit), "us");
	assert_int_equal(l.info.unknown_columns, 1);
	assert_string_equal(l.info.unknown, "Odd One");
	assert_int_equal(l.info.odd_columns, 0);
	assert_string_equal(l.info.encoding, "UTF-8");
	load_done(&l);
}

static void test_level0(void **state)
{
	struct loaded l;

	(void)state;
	assert_int_equal(load(&l, ART_KERNEL_DETAILS, STR(
		"Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim\n"
		"1,aclnnAdd,N/A,N/A,1000.5,2.25,0,0\n2,N/A,N/A,N/A,1003,1,0,0")), ERR_OK);
	check_account(&l, 2, 2, DROP_MAX, 0);
	assert_null(table_col(l.t, COL_TYPE));
	assert_null(table_col(l.t, COL_CORE));
	assert_int_equal(num_at(&l, COL_BLOCK_DIM, 1), 0);
	assert_int_equal(num_at(&l, COL_START, 0), 1000500);
	assert_int_equal(table_col(l.t, COL_NAME)->text[1], 0);
	load_done(&l);
}

static void test_units(void **state)
{
	struct loaded l;

	(void)state;
	assert_int_equal(load(&l, ART_OPERATOR_MEMORY, STR(
		"Name,Size(KB),Allocation Time(us),Release Time(ms),Active Release Time(ns),Duration(s),Active Duration,"
		"Allocation Total Allocated(MB),Release Total Reserved(B)\n"
		"a,18816.5,1736408883694624.810\t,1.5,250,2.5,3,954.3701171875,17\n"
		"b,,1.0,,,,,,\nc,-0.5,2.0,,,-1,,,\n")), ERR_OK);
	check_account(&l, 3, 2, DROP_RAGGED_ROW, 2);
	assert_int_equal(num_at(&l, COL_SIZE, 0), 19268096);
	assert_int_equal(num_at(&l, COL_ALLOC_TIME, 0), 1736408883694624810);
	assert_int_equal(num_at(&l, COL_RELEASE_TIME, 0), 1500000);
	assert_int_equal(num_at(&l, COL_ACTIVE_RELEASE, 0), 250);
	assert_int_equal(num_at(&l, COL_DURATION, 0), 2500000000);
	assert_int_equal(num_at(&l, COL_ACTIVE_DURATION, 0), 3000);
	assert_int_equal(num_at(&l, COL_ALLOC_ALLOCATED, 0), 1000729600);
	assert_int_equal(num_at(&l, COL_REL_RESERVED, 0), 17);
	assert_int_equal(num_at(&l, COL_SIZE, 1), -512);
	assert_int_equal(num_at(&l, COL_DURATION, 1), -1000000000);
	assert_int_equal(l.t->negative, 1);
	load_done(&l);
}

static void test_memory_record(void **state)
{
	struct loaded l;

	(void)state;
	assert_int_equal(load(&l, ART_MEMORY_RECORD, STR(
		"Component,Timestamp(us),Total Allocated(KB),Total Reserved(KB),Device\nAPP,1736408883573957.920\t,,2160232,NPU:0\n"
		"PTA,1736408883573958\t,0.5,1,NPU:0\n")), ERR_OK);
	check_account(&l, 2, 2, DROP_MAX, 0);
	assert_int_equal(num_at(&l, COL_ALLOCATED, 0), NO_INT);
	assert_int_equal(num_at(&l, COL_ALLOCATED, 1), 512);
	assert_int_equal(num_at(&l, COL_RESERVED, 0), 2212077568);
	assert_int_equal(num_at(&l, COL_START, 1), 1736408883573958000);
	assert_string_equal(text_at(&l, COL_DEVICE, 1), "NPU:0");
	load_done(&l);
}

static void test_call_stacks(void **state)
{
	struct loaded l;

	(void)state;
	assert_int_equal(load(&l, ART_OPERATOR_DETAILS, STR(
		"Name,Input Shapes,Call Stack,Host Self Duration(us)\r\n"
		"aten::add,\"[[1,2]\n;[3]]\",\"/a.py(1): <lambda>;\r\n/b.py(2): f(\"\"x\"\", y);\r\n\",1.5\r\n"
		"aten::mul,,,2\r\n,,,\r\n\r\naten::pad\r\n")), ERR_OK);
	check_account(&l, 5, 3, DROP_EMPTY_ROW, 3);
	assert_string_equal(text_at(&l, COL_CALL_STACK, 0), "/a.py(1): <lambda>;\r\n/b.py(2): f(\"x\", y);");
	assert_string_equal(text_at(&l, COL_INPUT_SHAPES, 0), "[[1,2]\n;[3]]");
	assert_int_equal(num_at(&l, COL_HOST_SELF, 1), 2000);
	assert_string_equal(text_at(&l, COL_NAME, 2), "aten::pad");
	assert_int_equal(num_at(&l, COL_HOST_SELF, 2), NO_INT);
	load_done(&l);
}

static void test_ragged(void **state)
{
	struct loaded l;

	(void)state;
	/* a field less, fields more, a needed column cut off, words for numbers, times out of range */
	assert_int_equal(load(&l, ART_KERNEL_DETAILS, STR(
		"Name,Start Time(us),Duration(us),Block Dim\na,1,2\nb,3,4,5,6,7\nc,8\nd,now,9,1\n")), ERR_OK);
	check_account(&l, 4, 2, DROP_RAGGED_ROW, 3);
	assert_int_equal(num_at(&l, COL_BLOCK_DIM, 0), NO_INT);
	assert_int_equal(num_at(&l, COL_BLOCK_DIM, 1), 5);
	load_done(&l);
	assert_int_equal(load(&l, ART_KERNEL_DETAILS, STR(
		"Name,Start Time(us),Duration(us)\na,1e30,2\nb,4611686018427387.904,1\nc,4611686018427387.903,1\n")), ERR_OK);
	check_account(&l, 3, 1, DROP_TIME_RANGE, 1);
	assert_int_equal(num_at(&l, COL_START, 0), ((int64_t)1 << 62) - 1);
	load_done(&l);
	assert_int_equal(load(&l, ART_L2_CACHE, STR(
		"Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\n2,5,N/A,0.25,Conv\n2,6,0.5,N/A,Add\n")), ERR_OK);
	check_account(&l, 2, 2, DROP_MAX, 0);
	assert_true(isnan(table_col(l.t, COL_HIT_RATE)->real[0]) && table_col(l.t, COL_HIT_RATE)->real[1] == 0.5);
	load_done(&l);
}

static void test_odd_cells(void **state)
{
	struct loaded l;

	(void)state;
	assert_int_equal(load(&l, ART_API_STATISTIC, STR(
		"Device_id,Level,API Name,Time(us),Count,Variance\nhost,acl,x,1.5,1,0\nhost,acl,y,2,2,many\n"
		"host,acl,z,2,2,\"more\n\"\n")), ERR_OK);
	check_account(&l, 3, 3, DROP_MAX, 0);
	assert_null(table_col(l.t, COL_DEVICE_ID));
	assert_int_equal(l.info.odd_columns, 1);
	assert_string_equal(l.info.odd, "Variance: 2 x, first \"many\"");
	assert_true(table_col(l.t, COL_VARIANCE)->real[0] == 0 && isnan(table_col(l.t, COL_VARIANCE)->real[1]));
	load_done(&l);
}

static void test_stage_words(void **state)
{
	struct loaded l;

	(void)state;
	assert_int_equal(load(&l, ART_STEP_TRACE_TIME, STR(
		"Device_id,Step,Computing,Communication(Not Overlapped),Free,Stage,Bubble,Preparing\n"
		"0,0,8.5,0,1.25,Prefill,,\n0,1,9,1,1,Decode,,\n")), ERR_OK);
	assert_string_equal(text_at(&l, COL_PHASE, 0), "Prefill");
	assert_string_equal(text_at(&l, COL_PHASE, 1), "Decode");
	assert_null(table_col(l.t, COL_STAGE));
	assert_null(table_col(l.t, COL_BUBBLE));
	assert_true(table_col(l.t, COL_COMM_EXPOSED)->real[0] == 0);
	assert_int_equal(l.info.odd_columns, 0);
	load_done(&l);
	assert_int_equal(load(&l, ART_STEP_TRACE_TIME, STR("Step,Computing,Free,Stage\n,8873.756000000001,1,136581.0\n")), ERR_OK);
	assert_null(table_col(l.t, COL_PHASE));
	assert_null(table_col(l.t, COL_STEP));
	assert_true(table_col(l.t, COL_STAGE)->real[0] == 136581.0);
	assert_true(table_col(l.t, COL_COMPUTING)->real[0] == 8873.756000000001);
	load_done(&l);
}

static void test_slices(void **state)
{
	struct loaded l;

	(void)state;
	assert_int_equal(load(&l, ART_KERNEL_DETAILS, STR(
		"Name,Start Time(us),Duration(us),Block Dim,aic_mac_ratio\na,1,2,3,0.5\n")), ERR_OK);
	assert_int_equal(load_more(&l, ART_KERNEL_DETAILS, STR(
		"Duration(ms),Start Time(ms),Name,Type,aiv_vec_ratio\n5,4,b,T,0.25\nx,x,x\n")), ERR_OK);
	check_account(&l, 3, 2, DROP_RAGGED_ROW, 3);
	assert_int_equal(num_at(&l, COL_START, 0), 1000);
	assert_int_equal(num_at(&l, COL_START, 1), 4000000);
	assert_int_equal(num_at(&l, COL_DURATION, 1), 5000000);
	assert_int_equal(num_at(&l, COL_BLOCK_DIM, 1), NO_INT);
	assert_int_equal(table_col(l.t, COL_TYPE)->text[0], 0);
	assert_string_equal(text_at(&l, COL_TYPE, 1), "T");
	assert_true(metric_at(&l, "aic_mac_ratio", 0) == 0.5 && isnan(metric_at(&l, "aic_mac_ratio", 1)));
	assert_true(isnan(metric_at(&l, "aiv_vec_ratio", 0)) && metric_at(&l, "aiv_vec_ratio", 1) == 0.25);
	/* a slice that is none leaves everything as it was */
	assert_int_equal(load_more(&l, ART_KERNEL_DETAILS, STR("Name,Duration(us)\nb,1\n")), ERR_FORMAT);
	assert_int_equal(load_more(&l, ART_KERNEL_DETAILS, STR("")), ERR_FORMAT);
	check_account(&l, 3, 2, DROP_RAGGED_ROW, 3);
	assert_int_equal(l.t->ncolumns, 7);
	load_done(&l);
}

static void test_headers(void **state)
{
	struct loaded l;

	(void)state;
	assert_int_equal(load(&l, ART_OP_SUMMARY, STR(
		"\xef\xbb\xbf\n , \nOp Name ,\"Task Start Time(us)\" ,Task Duration(us), OP Type,Task Duration(us),x1,x2,x3,x4,aic_a,"
		"aic_a(us),\nn,1,2,t,3,,,,,7,8,\n")), ERR_OK);
	check_account(&l, 1, 1, DROP_MAX, 0);
	assert_string_equal(text_at(&l, COL_NAME, 0), "n");
	assert_int_equal(num_at(&l, COL_DURATION, 0), 2000);
	assert_true(metric_at(&l, "aic_a", 0) == 7);
	assert_int_equal(l.info.unknown_columns, 6);
	assert_string_equal(l.info.unknown, "Task Duration(us); x1; x2");
	assert_string_equal(l.info.encoding, "UTF-8 with BOM");
	load_done(&l);
}

static void test_refusals(void **state)
{
	static const struct {
		struct str text;
		enum err err;
		const char *says;
	} cases[] = {
		{ { "", 0 }, ERR_FORMAT, "is empty" },
		{ { "\n\r\n", 3 }, ERR_FORMAT, "no header" },
		{ { "\xff\xfe" "N\0a\0", 6 }, ERR_FORMAT, "UTF-16" },
		{ { "Name,Start Time(us)\na,1\n", 24 }, ERR_FORMAT, "has no \"Duration\", which kernel_details needs" },
		{ { "Name,Start Time(us),Duration(%)\na,1,2\n", 38 }, ERR_FORMAT, "\"Duration\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct loaded l;

		assert_int_equal(load(&l, ART_KERNEL_DETAILS, cases[i].text), cases[i].err);
		assert_null(l.t);
		assert_non_null(strstr(l.d.text, cases[i].says));
		assert_string_equal(l.d.file, "t.csv");
		load_done(&l);
	}
}

static void test_encodings(void **state)
{
	struct loaded l;

	(void)state;
	assert_int_equal(load(&l, ART_OPERATOR_DETAILS, STR(
		"Name,Input Shapes\n\xcb\xe3\xd7\xd3,1\n\xcb\xe3\xd7\xd3,2\n\xe7\xae\x97\xe5\xad\x90,3\n")), ERR_OK);
	if (strcmp(l.info.encoding, "GBK") == 0) {
		assert_string_equal(text_at(&l, COL_NAME, 0), "\xe7\xae\x97\xe5\xad\x90");
		assert_int_equal(table_col(l.t, COL_NAME)->text[0], table_col(l.t, COL_NAME)->text[1]);
		assert_int_equal(table_col(l.t, COL_NAME)->text[0], table_col(l.t, COL_NAME)->text[2]);
	} else {
		print_message("the C library has no GBK here: skipped\n");
	}
	load_done(&l);
	assert_int_equal(load(&l, ART_OPERATOR_DETAILS, STR("Name,Input Shapes\ncaf\xe9,1\na\0b,2\n")), ERR_OK);
	assert_string_equal(l.info.encoding, "Latin-1 or other");
	assert_string_equal(text_at(&l, COL_NAME, 0), "caf\xe9");
	assert_true(str_is(names_str(&l.names, table_col(l.t, COL_NAME)->text[1]), STR("a\0b")));
	load_done(&l);
}

static void test_unterminated(void **state)
{
	struct loaded l;

	(void)state;
	assert_int_equal(load(&l, ART_OPERATOR_DETAILS, STR("Name,Input Shapes\na,1\nb,\"2\nc,3\n")), ERR_OK);
	check_account(&l, 2, 2, DROP_MAX, 0);
	assert_true(l.info.unterminated_quote);
	assert_string_equal(text_at(&l, COL_INPUT_SHAPES, 1), "2\nc,3");
	load_done(&l);
}

/* Enough rows for several buffers and for columns in mapped memory; every value is checked. */
static void test_large(void **state)
{
	const size_t rows = 60000;
	struct buf text = { 0 };
	struct loaded l;
	struct progress p = { 0 };
	struct file f;

	(void)state;
	buf_str(&text, "Name,Start Time(us),Duration(us),Stream ID,Input Shapes,aic_mac_ratio,aiv_vec_ratio\n");
	for (size_t i = 0; i < rows; i++)
		buf_printf(&text, "op%zu,%zu.%03zu\t,%zu.5,%s,\"\"\"%zu,4\"\"\",0.%zu,%s\n", i % 97, 1764246877000000 + i * 3, i % 1000,
			i % 50, i < rows / 2 ? "0" : "N/A", i % 13, i % 1000, i == rows - 1 ? "0.75" : "0.0");
	l = (struct loaded){ 0 };
	names_init(&l.names);
	f = file_of((struct str){ text.p, text.n });
	assert_int_equal(table_load_csv(&l.t, ART_KERNEL_DETAILS, &f, &l.names, &l.info, &p, &l.d), ERR_OK);
	assert_int_equal(atomic_load(&p.events), rows);
	assert_int_equal(atomic_load(&p.bytes_done), text.n);
	check_account(&l, rows, rows, DROP_MAX, 0);
	for (size_t i = 0; i < rows; i++) {
		char want[32], ratio[16];

		snprintf(want, sizeof want, "op%zu", i % 97);
		assert_string_equal(text_at(&l, COL_NAME, i), want);
		snprintf(want, sizeof want, "\"%zu,4\"", i % 13);
		assert_string_equal(text_at(&l, COL_INPUT_SHAPES, i), want);
		assert_int_equal(num_at(&l, COL_START, i), ((int64_t)1764246877000000 + (int64_t)i * 3) * 1000 + (int64_t)i % 1000);
		assert_int_equal(num_at(&l, COL_DURATION, i), (int64_t)(i % 50) * 1000 + 500);
		assert_int_equal(num_at(&l, COL_STREAM_ID, i), i < rows / 2 ? 0 : NO_INT);
		snprintf(ratio, sizeof ratio, "0.%zu", i % 1000);
		assert_true(metric_at(&l, "aic_mac_ratio", i) == strtod(ratio, NULL));
		assert_true(metric_at(&l, "aiv_vec_ratio", i) == (i == rows - 1 ? 0.75 : 0));
	}
	/* cancelled: as before */
	atomic_store(&p.cancel, 1);
	assert_int_equal(table_load_csv(&l.t, ART_KERNEL_DETAILS, &f, &l.names, &l.info, &p, &l.d), ERR_CANCELLED);
	check_account(&l, rows, rows, DROP_MAX, 0);
	assert_int_equal(num_at(&l, COL_DURATION, rows - 1), (int64_t)((rows - 1) % 50) * 1000 + 500);
	file_close(&f);
	buf_done(&text);
	load_done(&l);
}

/* An error in the middle takes back the rows before it, also of columns that only this file has. */
static void test_take_back(void **state)
{
	struct buf text = { 0 };
	struct loaded l;

	(void)state;
	assert_int_equal(load(&l, ART_KERNEL_DETAILS, STR("Name,Start Time(us),Duration(us)\na,1,-2\n")), ERR_OK);
	buf_str(&text, "Name,Start Time(us),Duration(us),Type\n");
	for (int i = 0; i < 50000; i++)
		buf_str(&text, "b,2,-3,T\nc,x,x,x\n");
	buf_str(&text, "\"");
	for (int i = 0; i < 17 << 20; i++)
		buf_char(&text, 'x');
	assert_int_equal(load_more(&l, ART_KERNEL_DETAILS, (struct str){ text.p, text.n }), ERR_LIMIT);
	assert_int_equal(l.d.line, 100002);
	check_account(&l, 1, 1, DROP_MAX, 0);
	assert_int_equal(l.t->ncolumns, 3);
	assert_int_equal(l.t->negative, 1);
	assert_int_equal(num_at(&l, COL_DURATION, 0), -2000);
	assert_int_equal(load_more(&l, ART_KERNEL_DETAILS, STR("Name,Start Time(us),Duration(us)\nb,3,4\n")), ERR_OK);
	assert_int_equal(num_at(&l, COL_DURATION, 1), 4000);
	buf_done(&text);
	load_done(&l);
}

/* Hundreds of columns that only the last row fills would take a thousand times the file's size. */
static void test_bomb(void **state)
{
	struct buf text = { 0 };
	struct loaded l;

	(void)state;
	buf_str(&text, "Name,Start Time(us),Duration(us)");
	for (int i = 0; i < 500; i++)
		buf_printf(&text, ",aic_%d", i);
	for (int i = 0; i < 300000; i++)
		buf_str(&text, "\na,1,1");
	buf_str(&text, "\na,1,1");
	for (int i = 0; i < 500; i++)
		buf_str(&text, ",1");
	assert_int_equal(load(&l, ART_KERNEL_DETAILS, (struct str){ text.p, text.n }), ERR_LIMIT);
	assert_null(l.t);
	buf_done(&text);
	load_done(&l);
}

static void test_sniff(void **state)
{
	static const struct {
		const char *header;
		enum artifact kind;
	} cases[] = {
		{ "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim", ART_KERNEL_DETAILS },
		{ "Device_id,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Task Wait Time(us)", ART_OP_SUMMARY },
		{ "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)", ART_TASK_TIME },
		{ "OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)", ART_OP_STATISTIC },
		{ "Device_id,OP Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)", ART_COMM_STATISTIC },
		{ "Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance", ART_API_STATISTIC },
		{ "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble", ART_STEP_TRACE_TIME },
		{ "Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Communication,Free", ART_CLUSTER_STEP },
		{ "Device_id,Iteration ID,FP Start(us),BP End(us),Iteration End(us),Iteration Time(us)", ART_STEP_TRACE },
		{ "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us)", ART_OPERATOR_DETAILS },
		{ "Name,Input Shapes", ART_OPERATOR_DETAILS },
		{ "Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us)", ART_OPERATOR_MEMORY },
		{ "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type", ART_MEMORY_RECORD },
		{ "Device_id,Component,Timestamp(us),Total Reserved(MB),Device", ART_NPU_MODULE_MEM },
		{ "Stream Id,Task Id,Hit Rate,Victim Rate,Op Name", ART_L2_CACHE },
		{ "\n\n\xef\xbb\xbfnot this,Name", ART_NONE },
		{ "block_id,sub_block_id,aic_time(us),aic_total_cycles,aiv_time(us),", ART_NONE },
		{ "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,Rated Freq,", ART_NONE },
		{ "{\"traceEvents\":[{\"name\":\"a\"}]}", ART_NONE },
		{ "", ART_NONE },
	};
	struct buf wide = { 0 };
	struct file f;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		f = file_of(str_of(cases[i].header));
		if (table_sniff_csv(&f) != cases[i].kind)
			fail_msg("%s: %s", cases[i].header, artifact_key(table_sniff_csv(&f)));
		file_close(&f);
	}
	/* a line that goes on for ever is no header, and is not read to its end */
	for (int i = 0; i < 1 << 20; i++)
		buf_str(&wide, "x,");
	buf_str(&wide, "Name,Start Time(us),Duration(us)\n");
	f = file_of((struct str){ wide.p, wide.n });
	assert_int_equal(table_sniff_csv(&f), ART_NONE);
	file_close(&f);
	buf_done(&wide);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_rows),	cmocka_unit_test(test_level0),		cmocka_unit_test(test_units),
		cmocka_unit_test(test_memory_record),	cmocka_unit_test(test_call_stacks),	cmocka_unit_test(test_ragged),
		cmocka_unit_test(test_odd_cells),	cmocka_unit_test(test_stage_words),	cmocka_unit_test(test_slices),
		cmocka_unit_test(test_headers),		cmocka_unit_test(test_refusals),	cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_unterminated),	cmocka_unit_test(test_large),		cmocka_unit_test(test_take_back),
		cmocka_unit_test(test_bomb),		cmocka_unit_test(test_sniff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
