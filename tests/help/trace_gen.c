/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/help/trace_gen.h"

#include "core/base/arena.h"

#include <inttypes.h>

enum { MEMBERS = 16 };

struct gen {
	uint64_t seed;
	struct arena arena;
	struct buf *out;
	int64_t origin;			/* ns */
	size_t span;			/* ns */
	bool quoted;
	int blanks;			/* 0 none, 1 one behind commas and colons, 2 any */
	struct {
		const char *key, *value;
	} members[MEMBERS];
	size_t n;
};

size_t gen_below(uint64_t *seed, size_t n)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (size_t)((z ^ z >> 31) % n);
}

static bool chance(struct gen *g, size_t percent)
{
	return gen_below(&g->seed, 100) < percent;
}

#define PICK(g, list) ((list)[gen_below(&(g)->seed, ARRAY_LEN(list))])

static void put_blank(struct gen *g)
{
	static const char *const any[] = { "", "", "", " ", "\n", "\t", "\r\n", "   ", "\n\n  " };

	if (g->blanks == 1)
		buf_char(g->out, ' ');
	else if (g->blanks == 2)
		buf_str(g->out, PICK(g, any));
}

static void add(struct gen *g, const char *key, const char *value)
{
	g->members[g->n].key = key;
	g->members[g->n++].value = value;
}

static const char *number(struct gen *g, const char *text)
{
	return arena_printf(&g->arena, g->quoted ? "\"%s\"" : "%s", text);
}

static const char *text(struct gen *g, const char *inside)
{
	return arena_printf(&g->arena, "\"%s\"", inside);
}

/* Either: the same id as a number and as a text. */
static const char *id(struct gen *g, const char *digits)
{
	return chance(g, 50) ? number(g, digits) : text(g, digits);
}

/* ---- times --------------------------------------------------------------------------------------------------------------------------- */

static const char *us_text(struct gen *g, int64_t ns)
{
	uint64_t v = ns < 0 ? (uint64_t)-ns : (uint64_t)ns;
	char *s = arena_printf(&g->arena, "%s%" PRIu64 ".%03" PRIu64, ns < 0 ? "-" : "", v / 1000, v % 1000);
	size_t n = strlen(s);

	if (chance(g, 40)) {			/* 12.500 is 12.5, 12.000 is 12 */
		while (s[n - 1] == '0')
			s[--n] = '\0';
		if (s[n - 1] == '.')
			s[--n] = '\0';
	}
	if (chance(g, 5))
		return arena_printf(&g->arena, "%s%s", s, strchr(s, '.') ? "4" : ".0004");
	if (chance(g, 5))
		return arena_printf(&g->arena, "%se0", s);
	if (chance(g, 5))
		return arena_printf(&g->arena, "%" PRId64 "E-3", ns);
	return s;
}

static void add_time(struct gen *g)
{
	static const char *const bad[] = { "\"soon\"", "\"\"", "{\"ts\":1}", "[1]", "\"1e300\"", "\"99999999999999999999999\"",
		"\"18446744073709552\"", "\"NaN\"" };
	int64_t ns = g->origin + (int64_t)gen_below(&g->seed, g->span);

	if (chance(g, 2))
		return;
	if (chance(g, 3))
		add(g, "ts", PICK(g, bad));
	else if (chance(g, 60))
		add(g, "ts", arena_printf(&g->arena, chance(g, 5) ? "\" %s\n\"" : "\"%s\"", us_text(g, ns)));
	else
		add(g, "ts", number(g, us_text(g, ns)));
}

static void add_duration(struct gen *g)
{
	static const char *const odd[] = { "\"\"", "\"N/A\"", "[]", "\"1e300\"", "\"-1e-9\"", "\"0.0005\"", "\"1e-05\"",
		"\"5000000000000000\"" };
	size_t most = chance(g, 50) ? g->span / 20 : g->span / 2;
	const char *us;

	if (chance(g, 5))
		return;
	if (chance(g, 5)) {
		add(g, "dur", PICK(g, odd));
		return;
	}
	us = us_text(g, (int64_t)gen_below(&g->seed, most + 1) * (chance(g, 3) ? -1 : 1));
	add(g, "dur", chance(g, 85) ? number(g, us) : text(g, us));
}

/* ---- members ------------------------------------------------------------------------------------------------------------------------- */

static const char *const names[] = { "aten::mm", "MatMulV2", "a", "", "\xe4\xb8\xad\xe6\x96\x87", "say \\\"hi\\\"", "back\\\\slash", "\\/",
		"tab\there",
	"line\nbreak", "\\u00e9\\u4e2d", "\\ud83d\\ude00", "\\b\\f\\n\\r\\t", "}],[{\\\"ph\\\":\\\"X\\\"", "x\x1b[31m", "Notify Wait" };

static void add_ids(struct gen *g)
{
	static const char *const pids[] = { "3", "1024416", "1024448", "9007199254740993", "9007199254740992", "-4" };
	static const char *const tids[] = { "0", "1", "2", "20000", "18446744073709551615" };
	static const char *const words[] = { "\"worker-1\"", "\"\\u0041 b\"", "\"40004631069296951295123\"", "\"\"" };

	if (chance(g, 95))
		add(g, "pid", chance(g, 92) ? id(g, PICK(g, pids)) : PICK(g, words));
	if (chance(g, 92))
		add(g, "tid", chance(g, 95) ? id(g, PICK(g, tids)) : PICK(g, words));
}

static const char *nested(struct gen *g)
{
	static const char *const shapes[] = {
		"{}", "[]", "[[],{}]", "{\"ph\":\"X\",\"ts\":\"1\",\"dur\":\"1\"}",
			"[{\"ph\":\"X\",\"name\":\"in\"},{\"ph\":\"B\"},[{\"ts\":\"1\"}]]",
		"\"},{\\\"ph\\\":\\\"X\\\",\"", "true", "{\"a\":{\"b\":[{\"c\":\"]}\"}]}}",
			"{\"connection_id\":\"5\",\"Task Type\":\"no\"}", "[ [ [ \"[\" ] ] ]",
		"null", "\"\\\\\"", "\"\\\"\"",
	};

	return PICK(g, shapes);
}

static const char *object(struct gen *g, const char *const *parts, size_t n)
{
	const char *all = "{";

	for (size_t i = 0; i < n; i++)
		all = arena_printf(&g->arena, "%s%s%s", all, i ? g->blanks == 2 && chance(g, 30) ? " ,\n " : "," : "", parts[i]);
	return arena_printf(&g->arena, "%s}", all);
}

static void add_args(struct gen *g)
{
	static const char *const tasks[] = { "AI_CORE", "AI_VECTOR_CORE", "SDMA", "EVENT_\\u0057AIT", "" };
	static const char *const connections[] = { "12", "7", "4294967295", "18446744073709551615", "18446744073709551614", "-1", "0",
		"1.5" };
	const char *parts[6];
	size_t n = 0;

	if (chance(g, 20))
		return;
	if (chance(g, 5)) {
		add(g, "args", nested(g));
		return;
	}
	if (chance(g, 40))
		parts[n++] = arena_printf(&g->arena, "\"k\":%s", nested(g));
	if (chance(g, 50))
		parts[n++] = arena_printf(&g->arena, "\"%s\":\"%s\"", chance(g, 80) ? "Task Type" : "task type", PICK(g, tasks));
	if (chance(g, 30))
		parts[n++] = arena_printf(&g->arena, "\"Input Dims\" : %s", nested(g));
	if (chance(g, 50))
		parts[n++] = arena_printf(&g->arena, "\"connection_id\":%s", id(g, PICK(g, connections)));
	if (chance(g, 20))
		parts[n++] = "\"Connection_id\":\"99\"";
	add(g, "args", object(g, parts, n));
}

static void add_series(struct gen *g)
{
	static const char *const keys[] = { "MHz", "a\\\"b", "Read(MB/s)", "\xe4\xb8\xad" };
	static const char *const values[] = { "1800", "0", "2.5", "1e-3", "-17", "123456789012345678", "0.1" };
	const char *parts[ARRAY_LEN(keys)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (chance(g, 40))
			parts[n++] = arena_printf(&g->arena, "\"%s\":%s", keys[i], chance(g, 85) ? id(g, PICK(g, values)) : nested(g));
	if (chance(g, 95))
		add(g, "args", object(g, parts, n));
}

static void add_meta(struct gen *g)
{
	static const char *const kinds[] = { "process_name", "process_name", "process_labels", "process_sort_index", "thread_name",
		"thread_name",
		"thread_sort_index", "unknown_kind" };
	static const char *const processes[] = { "Python", "CANN", "Ascend Hardware", "HCCL", "Communication", "Overlap Analysis",
		"AI Core Freq", "odd",
		"\\u0050ython" };
	static const char *const labels[] = { "NPU", "NPU 0", "NPU 3", "CPU 5", "" };
	static const char *const sorts[] = { "7", "13", "-5", "0", "99999999999999999999" };
	size_t kind = gen_below(&g->seed, ARRAY_LEN(kinds));
	const char *key = kind == 2 ? "labels" : kind == 3 || kind == 6 ? "sort_index" : "name", *value;

	if (kind == 3 || kind == 6)
		value = id(g, PICK(g, sorts));
	else
		value = text(g, kind < 2 ? PICK(g, processes) : kind == 2 ? PICK(g, labels) : PICK(g, names));
	add(g, "name", text(g, kinds[kind]));
	if (chance(g, 95))
		add(g, "args", arena_printf(&g->arena, "{\"x\":%s,\"%s\":%s}", nested(g), chance(g, 95) ? key : "Key", value));
}

static void add_flow(struct gen *g)
{
	static const char *const categories[] = { "async_npu", "HostToDevice", "fwdbwd", "of no kind", "Host\\u0054oDevice" };
	static const char *const numbers[] = { "1", "2", "3", "8589934592", "1736414119636754590", "1736414119636754591",
		"18446744073709551615" };
	static const char *const words[] = { "\"18446744073709551616\"", "\"007\"", "\"x\"", "\"\"" };

	if (chance(g, 95))
		add(g, "cat", text(g, PICK(g, categories)));
	if (chance(g, 95))
		add(g, "id", chance(g, 85) ? id(g, PICK(g, numbers)) : PICK(g, words));
	if (chance(g, 50))
		add(g, "bp", "\"e\"");
}

/* ---- events -------------------------------------------------------------------------------------------------------------------------- */

static void put_members(struct gen *g)
{
	buf_char(g->out, '{');
	for (size_t left = g->n; left > 0; left--) {
		size_t i = g->blanks ? gen_below(&g->seed, left) : 0;

		if (left < g->n)
			buf_char(g->out, ',');
		put_blank(g);
		buf_printf(g->out, "\"%s\"", g->members[i].key);
		put_blank(g);
		buf_char(g->out, ':');
		put_blank(g);
		buf_str(g->out, g->members[i].value);
		put_blank(g);
		memmove(&g->members[i], &g->members[i + 1], (left - i - 1) * sizeof g->members[0]);
	}
	buf_char(g->out, '}');
}

static void put_event(struct gen *g)
{
	static const char phases[] = "XXXXXXXXXXXXXXXXXssssffffftMMMCCBBBEEEiIRZ?";
	static const char *const none[] = { "\"\"", "\"XX\"", "\"88\"", "[\"X\"]", "{}" };
	char phase[2] = { phases[gen_below(&g->seed, sizeof phases - 1)], '\0' };

	g->n = 0;
	if (phase[0] != '?')
		add(g, "ph", text(g, phase));
	else if (chance(g, 70))
		add(g, "ph", PICK(g, none));
	add_ids(g);
	if (phase[0] != 'M') {
		add_time(g);
		if (chance(g, 95))
			add(g, "name", text(g, PICK(g, names)));
	}
	if (phase[0] == 'X' || chance(g, 3))
		add_duration(g);
	if (phase[0] == 'M')
		add_meta(g);
	else if (phase[0] == 'C')
		add_series(g);
	else if (strchr("sft", phase[0]))
		add_flow(g);
	else
		add_args(g);
	if (strchr("XBEiIR", phase[0]) && chance(g, 60))
		add(g, "cat", text(g, PICK(g, names)));
	if (chance(g, 10))
		add(g, chance(g, 50) ? "tdur" : "Name", nested(g));
	put_members(g);
}

/* Members around the array that look like events, and like arrays of them. */
static void put_neighbours(struct gen *g, bool before)
{
	static const char *const some[] = {
		"\"schemaVersion\":\"1\"", "\"deviceProperties\":[{\"ph\":\"X\",\"name\":\"no\",\"ts\":\"1\"}]",
			"\"o\":{\"traceEvents\":[{\"ph\":\"X\",\"ts\":\"1\"}]}",
		"\"]}\":\"[{\\\"\"", "\"\":{}",
	};

	for (size_t n = gen_below(&g->seed, 3); n > 0; n--) {
		if (!before)
			buf_char(g->out, ',');
		put_blank(g);
		buf_str(g->out, PICK(g, some));
		put_blank(g);
		if (before)
			buf_char(g->out, ',');
	}
}

void trace_gen(struct buf *out, uint64_t seed, size_t n, bool quoted)
{
	static const int64_t origins[] = { INT64_C(1736414119636754590), INT64_C(1736414119636754590), 0, -5000,
		INT64_C(1695115378713661000) };
	static const size_t spans[] = { 20, 300, 20000, 5000000, 1000000000 };
	struct gen g = { .seed = seed, .out = out, .quoted = quoted };
	bool is_object;

	is_object = chance(&g, 20);
	g.origin = PICK(&g, origins);
	g.span = PICK(&g, spans);
	g.blanks = (int)gen_below(&g.seed, 3);
	put_blank(&g);
	if (is_object) {
		buf_char(out, '{');
		put_neighbours(&g, true);
		put_blank(&g);
		buf_str(out, "\"traceEvents\"");
		put_blank(&g);
		buf_char(out, ':');
		put_blank(&g);
	}
	buf_char(out, '[');
	for (size_t i = 0; i < n; i++) {
		put_blank(&g);
		put_event(&g);
		put_blank(&g);
		if (i + 1 < n)
			buf_char(out, ',');
		arena_done(&g.arena);
	}
	put_blank(&g);
	buf_char(out, ']');
	if (is_object) {
		put_neighbours(&g, false);
		buf_char(out, '}');
	}
	put_blank(&g);
}

/* ---- damage -------------------------------------------------------------------------------------------------------------------------- */

/* Takes `cut` bytes at `at` out and puts n others there. */
static void splice(struct buf *b, size_t at, size_t cut, const char *more, size_t n)
{
	struct buf fresh = { 0 };

	buf_add(&fresh, b->p, at);
	buf_add(&fresh, more, n);
	buf_add(&fresh, b->p + at + cut, b->n - at - cut);
	buf_done(b);
	*b = fresh;
}

static void insert_something(struct buf *b, uint64_t *seed, size_t at)
{
	static const struct str some[] = {
		STR("\""), STR(","), STR("]"), STR("}"), STR("{"), STR("["), STR(":"), STR("\\"), STR("]["), STR("\0\0\0"), STR("\xff\xfe"),
			STR("}{"), STR(",]"),
		STR("\n]\n[\n"), STR("garbage"), STR("{\"ph\":"), STR("{\"ph\":\"X\",\"ts\":5}"), STR("\"ph\":{\"ph\":\"X\",\"ts\":5}"),
			STR("                "), STR("null,"),
		STR("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["), STR("]]]]]]]]]]]]"),
	};
	struct str s = some[gen_below(seed, ARRAY_LEN(some))];

	splice(b, at, 0, s.p, s.n);
}

void trace_gen_damage(struct buf *b, uint64_t seed)
{
	for (size_t times = 1 + gen_below(&seed, 4); times > 0 && b->n > 2; times--) {
		size_t at = gen_below(&seed, b->n), n = 1 + gen_below(&seed, gen_below(&seed, 2) ? 8 : 400), to;
		struct buf piece = { 0 };

		n = MIN(n, b->n - at);
		buf_add(&piece, b->p + at, n);
		switch (gen_below(&seed, 7)) {
		case 0:
			splice(b, at, n, "", 0);
			break;
		case 1:
			splice(b, at, 0, piece.p, n);
			break;
		case 2:				/* moved, or written over what stands there */
			to = gen_below(&seed, b->n - n + 1);
			splice(b, to, gen_below(&seed, 2) ? n : 0, piece.p, n);
			break;
		case 3:
			b->p[at] = (char)gen_below(&seed, 256);
			break;
		case 4:
			splice(b, at, b->n - at, "", 0);
			break;
		default:
			insert_something(b, &seed, at);
		}
		buf_done(&piece);
	}
}
