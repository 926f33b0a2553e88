/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile CSV tables and small JSON files (see hostile.def). The kernel tables
 * use the columns every version has; all healthy rows last 60.25 us, so sums are
 * easy to check.
 */
#include "samples/hostile.h"

#include <string.h>

#define HEAD "Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,Input Shapes"
#define ROW(name, us) "5,0," name ",MatMulV2,AI_CORE,1764584401000" us ".500\t,60.250,39.750000,24,\"\"\"32,1024;4096,1024\"\"\""
#define TIMED(name, us, dur) "5,0," name ",MatMulV2,AI_CORE,1764584401000" us ".500\t," dur ",0,24,N/A"

#define FIXED(id, text) \
	static void id(struct out *o) \
	{ \
		out_mem(o, text, sizeof(text) - 1); \
	}

FIXED(csv_bom, "\xef\xbb\xbf" HEAD "\r\n" ROW("a", "200") "\r\n" ROW("b", "300") "\r\n")
FIXED(csv_gbk, HEAD "\r\n" ROW("\xbe\xd8\xd5\xf3\xb3\xcb", "200") "\r\n" ROW("\xd7\xa2\xd2\xe2\xc1\xa6", "300") "\r\n")
FIXED(csv_line_ends, HEAD "\r\n" ROW("a", "200") "\n" ROW("b", "300") "\r\n\n\r\n" ROW("c", "400") "\n")
FIXED(csv_line_breaks, HEAD "\r\n" ROW("\"first\nsecond\r\nthird\"", "200") "\r\n" ROW("b", "300") "\r\n")
FIXED(csv_quotes, HEAD "\r\n" ROW("\"say \"\"hello, world\"\"\"", "200") "\r\n" ROW("\"\"\"\"", "300") "\r\n" ROW("\"\"", "400") "\r\n")
FIXED(csv_open_quote, HEAD "\r\n" ROW("a", "200") "\r\n" ROW("\"never closed", "300") "\r\n" ROW("c", "400") "\r\n")
FIXED(csv_ragged, HEAD "\r\n" ROW("a", "200") "\r\n5,0,short\r\n" ROW("b", "300") ",extra,extra,extra\r\n,\r\n5\r\n" ROW("c", "400") "\r\n")
FIXED(csv_all_na, HEAD "\r\nN/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A\r\nN/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A\r\n")
FIXED(csv_header_only, HEAD "\r\n")
FIXED(csv_empty, "")
FIXED(csv_header_twice, HEAD "\r\n" ROW("a", "200") "\r\n" HEAD "\r\n" ROW("b", "300") "\r\n")
FIXED(csv_nul, HEAD "\r\n" ROW("a\0b", "200") "\r\n" TIMED("c", "300", "60.\0" "250") "\r\n" ROW("d", "400") "\r\n")
FIXED(csv_exponent, HEAD "\r\n" TIMED("a", "200", "1e-05") "\r\n" TIMED("b", "300", "2.5E+2") "\r\n" TIMED("c", "700", "6025e-2") "\r\n")
FIXED(csv_digits, HEAD "\r\n" ROW("a", "200") "\r\n" TIMED("b", "300", "1234567890123456789012345678901234567890") "\r\n"
	TIMED("c", "400", "60.2500000000000000000000000000000000000001") "\r\n")
FIXED(csv_negative, HEAD "\r\n" ROW("a", "200") "\r\n" TIMED("b", "300", "-60.250") "\r\n" TIMED("c", "400", "-0") "\r\n")
FIXED(csv_no_newline, HEAD "\r\n" ROW("a", "200") "\r\n" ROW("b", "300"))
FIXED(csv_unknown, "Colour,Step Id,Device_id,Name,\xe6\x9c\xaa\xe7\x9f\xa5,Type,Accelerator Core,Start Time(us),Duration(us),,Wait Time(us),"
	"Block Dim\r\nred,5,0,a,?,MatMulV2,AI_CORE,1764584401000200.500\t,60.250,,0,24\r\n"
	"blue,5,0,b,?,MatMulV2,AI_CORE,1764584401000300.500\t,60.250,,39.750000,24\r\n")

static void csv_long_field(struct out *o)
{
	out_str(o, HEAD "\r\n" ROW("a", "200") "\r\n5,0,\"");
	for (int i = 0; i < 2048; i++) {
		out_fill(o, 'x', 1022);
		out_str(o, ",\n");
	}
	out_str(o, "\",MatMulV2,AI_CORE,1764584401000300.500\t,60.250,39.750000,24,N/A\r\n" ROW("c", "400") "\r\n");
}

#define STEP_HEAD \
	"Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble," \
	"Communication(Not Overlapped and Exclude Receive),Preparing\r\n"

static int step_table(const char *path, const char *row)
{
	int rc = hostile_file(path, "ASCEND_PROFILER_OUTPUT/step_trace_time.csv", row);

	return rc | hostile_file(path, "ASCEND_PROFILER_OUTPUT/kernel_details.csv",
		HEAD "\r\n5,0,a,MatMulV2,AI_CORE,1764584401000200.500\t,4000.000,0,24,N/A\r\n"
		"5,0,b,MatMulV2,AI_CORE,1764584401005200.500\t,2000.000,1000.000000,24,N/A\r\n");
}

static int step_ms(const char *path, const char *seed)
{
	(void)seed;
	return step_table(path, STEP_HEAD "0,5,6.0,0,0,0,1.0,7.0,0,0,0.2\r\n");
}

static int step_s(const char *path, const char *seed)
{
	(void)seed;
	return step_table(path, STEP_HEAD "0,5,0.006,0,0,0,0.001,0.007,0,0,0.0002\r\n");
}

FIXED(comm_unofficial, "[{\"op\":\"hcom_allReduce__1_0_1\",\"start_us\":1764584401000200.5,\"elapse_ms\":0.25,\"size_mb\":4},"
	"{\"op\":\"hcom_allReduce__1_1_1\",\"elapse_ms\":\"0.25\"}]")
FIXED(comm_empty, "{}")
FIXED(comm_types, "{\"step5\":{\"p2p\":[],\"collective\":{\"hcom_allReduce__1_0_1@17522688603477080586\":{\"Communication Time Info\":"
	"{\"Start Timestamp(us)\":\"soon\",\"Elapse Time(ms)\":null,\"Transit Time(ms)\":[1,2],\"Wait Time(ms)\":{\"a\":1}},"
	"\"Communication Bandwidth Info\":\"fast\"},\"no at sign\":7,\"@\":{}}},\"step6\":null,\"7\":{\"collective\":{}}}")

static void comm_deep(struct out *o)
{
	for (int i = 0; i < 5000; i++)
		out_str(o, "{\"step5\":");
	out_str(o, "1");
	out_fill(o, '}', 5000);
}

static int info_types(const char *path, const char *seed)
{
	int rc = hostile_file(path, "profiler_info_0.json",
		"{\"config\":[],\"start_info\":\"yesterday\",\"end_info\":{\"collectionTimeEnd\":\"x\"},\"rank_id\":{\"a\":[0]},"
		"\"cann_version\":8.3,\"torch_npu_version\":null}");

	(void)seed;
	return rc | hostile_file(path, "ASCEND_PROFILER_OUTPUT/kernel_details.csv",
		HEAD "\r\n" ROW("a", "200") "\r\n" ROW("b", "300") "\r\n");
}

static const struct hostile_case cases[] = {
#define TABLE(id, path, outcome, remark) { path, outcome, remark, id, NULL },
#define TABLE_DIR(id, path, outcome, remark) { path, outcome, remark, NULL, id },
#include "samples/hostile.def"
};

struct hostile_list hostile_tables(void)
{
	return (struct hostile_list){ cases, sizeof(cases) / sizeof(cases[0]) };
}
