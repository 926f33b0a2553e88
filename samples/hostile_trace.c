/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile trace_view.json files (see hostile.def). Each starts from the same few
 * healthy events, so that a reader's result can be counted: a host operator and
 * two kernels, 100 us apart, plus the names of their processes.
 */
#include "samples/hostile.h"

#include <string.h>

#define NAMES \
	"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1000,\"tid\":0,\"args\":{\"name\":\"Python\"}}," \
	"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1024416,\"tid\":0,\"args\":{\"name\":\"Ascend Hardware\"}}," \
	"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1024416,\"tid\":2,\"args\":{\"name\":\"Stream 2\"}}"
#define HOST_AT(name, us) \
	"{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":1000,\"tid\":1000,\"ts\":\"1764584401000" us ".250\",\"dur\":40.5," \
	"\"cat\":\"cpu_op\",\"args\":{\"Sequence number\":-1,\"Fwd thread id\":0}}"
#define TASK_ARGS(type) \
	"\"args\":{\"Model Id\":4294967295,\"Task Type\":\"" type "\",\"Physic Stream Id\":2,\"Task Id\":7,\"Batch Id\":0," \
	"\"Subtask Id\":4294967295,\"connection_id\":12}"
#define TASK_AT(name, us) \
	"{\"name\":\"" name "\",\"pid\":1024416,\"tid\":2,\"ts\":\"1764584401000" us ".500\",\"dur\":60.25," \
	TASK_ARGS("AI_CORE") ",\"ph\":\"X\"}"
#define HEALTHY HOST_AT("aten::mm", "100") "," TASK_AT("MatMulV2_1", "200") "," TASK_AT("MatMulV2_2", "300")

#define FIXED(id, text) \
	static void id(struct out *o) \
	{ \
		out_mem(o, text, sizeof(text) - 1); \
	}

FIXED(missing_bracket, "[" NAMES "," HEALTHY)
FIXED(trailing_comma, "[" NAMES "," HEALTHY ",]")
FIXED(cut_in_event, "[" NAMES "," HOST_AT("aten::mm", "100") "," TASK_AT("MatMulV2_1", "200") ",{\"name\":\"MatMulV2_2\",\"pid\":10")
FIXED(cut_in_string, "[" NAMES "," HOST_AT("aten::mm", "100") "," TASK_AT("MatMulV2_1", "200") ",{\"name\":\"MatMul")
FIXED(garbage_between, "[" NAMES "," HOST_AT("aten::mm", "100") ",\x01\x02%%#@!~}{]garbage\xff\xfe,," TASK_AT("MatMulV2_1", "200") "]")
FIXED(unescaped_quote, "[" NAMES "," HOST_AT("say \"hello\" twice", "100") "," TASK_AT("MatMulV2_1", "200") "]")
FIXED(control_chars, "[" NAMES "," HOST_AT("red \x1b[31m\x1b]0;title\x07 bell \x07 tab\tback\x08\x7f", "100") ","
	TASK_AT("line\nbreak\r\x1b[2J\x1b[?1049h", "200") "," TASK_AT("c1 \xc2\x9b" "31m \xc2\x9d", "300") "]")
FIXED(odd_order, "\n\n [ \t\r\n" NAMES "\n ,\n { \"args\" : { \"connection_id\" : 12 , \"Task Type\" : \"AI_CORE\" } ,\n\n"
	"  \"dur\" :\t60.25 , \"tid\" : 2 , \"ph\"\n:\n\"X\" , \"ts\" : \"1764584401000200.500\" , \"pid\" : 1024416 ,"
	" \"name\"\t: \"MatMulV2_1\"\n}\n\n, " HOST_AT("aten::mm", "100") "\n\n]\n\n\n")
FIXED(object_form, "{\"schemaVersion\":1,\"deviceProperties\":[{\"ph\":\"X\",\"name\":\"no event\",\"ts\":1,\"dur\":1,\"pid\":1}],"
	"\"traceEvents\":[" NAMES "," HEALTHY "],\"otherData\":{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"no event\",\"ts\":5,"
	"\"dur\":5,\"pid\":1}]},\"displayTimeUnit\":\"ns\"}")
FIXED(nested_args, "[" NAMES ",{\"ph\":\"X\",\"name\":\"outer\",\"pid\":1000,\"tid\":1000,\"ts\":\"1764584401000100.250\",\"dur\":40.5,"
	"\"args\":{\"list\":[{\"ph\":\"X\",\"name\":\"inner\",\"ts\":\"1\",\"dur\":9,\"pid\":5},[[{\"ph\":\"X\"}]]],\"ph\":\"B\",\"ts\":3,"
	"\"text\":\"},{\\\"ph\\\":\\\"X\\\"\"}}," TASK_AT("MatMulV2_1", "200") "," TASK_AT("MatMulV2_2", "300") "]")

#define TS(name, value) "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":1000,\"tid\":1,\"ts\":" value ",\"dur\":5}"
FIXED(ts_kinds, "[" NAMES "," HEALTHY "," TS("number", "1764584401000400") "," TS("decimal", "1764584401000410.125") ","
	TS("text", "\"1764584401000420.125\"") "," TS("exponent", "1.76458440100043e15") "," TS("exponent text", "\"1.76458440100044E+15\"")
	"," TS("negative", "-17") "," TS("huge", "99999999999999999999999999") "," TS("nan", "NaN") "," TS("infinity", "Infinity") ","
	TS("null", "null") "," TS("word", "\"soon\"") "," TS("empty", "\"\"") "," TS("spaces", "\" 1764584401000450.125 \"") ","
	"{\"ph\":\"X\",\"name\":\"missing\",\"pid\":1000,\"tid\":1,\"dur\":5}]")

#define DUR(name, us, value) \
	"{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":1000,\"tid\":1,\"ts\":\"17645844010004" us ".000\"" value "}"
FIXED(dur_kinds, "[" NAMES "," HEALTHY "," DUR("missing", "00", "") "," DUR("negative", "10", ",\"dur\":-3.5") ","
	DUR("text", "20", ",\"dur\":\"4.25\"") "," DUR("exponent", "30", ",\"dur\":1e-05") "," DUR("null", "40", ",\"dur\":null") ","
	DUR("zero", "50", ",\"dur\":0") "," DUR("huge", "60", ",\"dur\":1e300") "," DUR("word", "70", ",\"dur\":\"long\"") "]")

FIXED(pid_kinds, "[" NAMES "," HEALTHY ",{\"ph\":\"X\",\"name\":\"a\",\"pid\":\"worker-1\",\"tid\":\"main\",\"ts\":\"1764584401000400.000\","
	"\"dur\":5},{\"ph\":\"X\",\"name\":\"b\",\"pid\":\"1000\",\"ts\":\"1764584401000410.000\",\"dur\":5},"
	"{\"ph\":\"X\",\"name\":\"c\",\"ts\":\"1764584401000420.000\",\"dur\":5},"
	"{\"ph\":\"X\",\"name\":\"d\",\"pid\":-4,\"tid\":18446744073709551615,\"ts\":\"1764584401000430.000\",\"dur\":5}]")

#define PH(ph, name, us) "{\"ph\":\"" ph "\",\"name\":\"" name "\",\"pid\":1000,\"tid\":1,\"ts\":\"17645844010005" us ".000\"}"
FIXED(begin_end, "[" NAMES "," HEALTHY "," PH("B", "outer", "00") "," PH("B", "inner", "10") "," PH("E", "inner", "20") ","
	PH("E", "outer", "30") "," PH("E", "no begin", "40") "," PH("B", "no end", "50") "]")
FIXED(unknown_phases, "[" NAMES "," HEALTHY "," PH("Z", "z", "00") "," PH("", "none", "10") "," PH("XX", "two", "20") ","
	PH("\\u0058", "escaped X, no dur", "30") ",{\"name\":\"no phase\",\"pid\":1,\"tid\":1,\"ts\":\"1764584401000540.000\"},"
	"{\"ph\":88,\"name\":\"number\",\"ts\":\"1764584401000550.000\"},42,\"text\",null,[],{}]")
FIXED(meta_last, "[" HEALTHY "," NAMES "]")
FIXED(meta_twice, "[" NAMES "," HEALTHY ",{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1024416,\"tid\":0,\"args\":{\"name\":\"Ascend Hardware"
	" again\"}}," NAMES ",{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1000},{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1000,\"args\":[]}]")

#define FLOW(ph, id, pid, us) \
	"{\"ph\":\"" ph "\",\"bp\":\"e\",\"name\":\"torch_to_npu\",\"cat\":\"async_npu\",\"id\":" id ",\"pid\":" pid ",\"tid\":2," \
	"\"ts\":\"1764584401000" us "\"}"
FIXED(big_ids, "[" NAMES "," HEALTHY "," FLOW("s", "1764584401000200500", "1000", "100.250") ","
	FLOW("f", "1764584401000200500", "1024416", "200.500") "," FLOW("s", "1764584401000200501", "1000", "110.250") ","
	FLOW("f", "1764584401000200501", "1024416", "300.500") "," FLOW("s", "\"40004631069296951295123\"", "1000", "120.250") ","
	FLOW("f", "\"40004631069296951295123\"", "1024416", "300.500") "," FLOW("s", "\"40004631069296951295124\"", "1000", "130.250") "]")

static void deep_nesting(struct out *o)
{
	out_str(o, "[" NAMES "," HOST_AT("aten::mm", "100") ",{\"ph\":\"X\",\"name\":\"deep\",\"pid\":1000,\"tid\":1,"
		   "\"ts\":\"1764584401000150.000\",\"dur\":5,\"args\":{\"a\":");
	out_fill(o, '[', 100000);
	out_fill(o, ']', 100000);
	out_str(o, "}}," TASK_AT("MatMulV2_1", "200") "]");
}

static void long_string(struct out *o)
{
	out_str(o, "[" NAMES "," HOST_AT("aten::mm", "100") ",{\"ph\":\"X\",\"name\":\"");
	for (int i = 0; i < 3 * 1024; i++)
		out_fill(o, (char)('a' + i % 26), 1024);
	out_str(o, "\",\"pid\":1000,\"tid\":1,\"ts\":\"1764584401000150.000\",\"dur\":5}," TASK_AT("MatMulV2_1", "200") "]");
}

FIXED(utf8_bom, "\xef\xbb\xbf[" NAMES "," HEALTHY "]")

static void utf16(struct out *o)
{
	static const char text[] = "[" NAMES "," HEALTHY "]";

	out_str(o, "\xff\xfe");
	for (size_t i = 0; i + 1 < sizeof(text); i++) {
		out_char(o, text[i]);
		out_char(o, '\0');
	}
}

FIXED(empty_file, "")
FIXED(only_bracket, "[")
FIXED(empty_array, "[]")
FIXED(empty_object, "{}")
FIXED(one_byte, "x")
FIXED(two_arrays, "[" NAMES "," HOST_AT("aten::mm", "100") "][" TASK_AT("MatMulV2_1", "200") "," TASK_AT("MatMulV2_2", "300") "]")

/* Blocks of 61 bytes of two files in turn, as two processes on one file would leave it. */
static void interleaved(struct out *o)
{
	static const char a[] = "[" NAMES "," HEALTHY "," HEALTHY "]", b[] = "[" HEALTHY "," NAMES "," HEALTHY "]";

	for (size_t i = 0; i < sizeof(a) - 1 || i < sizeof(b) - 1; i += 61) {
		if (i < sizeof(a) - 1)
			out_mem(o, a + i, sizeof(a) - 1 - i < 61 ? sizeof(a) - 1 - i : 61);
		if (i < sizeof(b) - 1)
			out_mem(o, b + i, sizeof(b) - 1 - i < 61 ? sizeof(b) - 1 - i : 61);
	}
}

FIXED(ts_zero, "[" NAMES "," HEALTHY "," TS("outlier", "\"0.000\"") "," TS("outlier", "0") "]")
FIXED(invalid_utf8, "[" NAMES "," HOST_AT("\xc3\x28 \xa0\xa1 \xe2\x28\xa1", "100") "," TASK_AT("\xf0\x28\x8c\x28 \xff\xfe", "200") ","
	TASK_AT("overlong \xc0\xaf \xed\xa0\x80", "300") "]")
FIXED(escapes, "[" NAMES "," HOST_AT("smile \\uD83D\\uDE00 \\u00e9", "100") "," TASK_AT("lone \\uD83D and \\uDE00 swapped \\uDE00\\uD83D", "200")
	"," TASK_AT("\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0000 \\u001b[31m", "300") "]")
FIXED(bad_escapes, "[" NAMES "," HOST_AT("aten::mm", "100") "," TASK_AT("\\x \\uZZZZ \\u12", "200") "," TASK_AT("MatMulV2_2", "300") "]")

static const struct hostile_case cases[] = {
#define TRACE(id, path, outcome, remark) { path, outcome, remark, id, NULL },
#include "samples/hostile.def"
};

struct hostile_list hostile_traces(void)
{
	return (struct hostile_list){ cases, sizeof(cases) / sizeof(cases[0]) };
}
