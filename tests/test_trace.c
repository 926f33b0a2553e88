/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace reader case by case: every shape of a file, every form a member may have. Each text is read in chunks of several sizes by
 * several threads, and all results must be the same; what a result must be is worked out by hand. Damage is in test_trace_damage.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/base/decimal.h"
#include "tests/help/trace_text.h"

#include <inttypes.h>
#include <math.h>

#define EV(name, ts)      "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":3,\"tid\":1,\"ts\":" ts ",\"dur\":2}"
#define META(key, pid, tid, args) "{\"ph\":\"M\",\"name\":\"" key "\",\"pid\":" pid ",\"tid\":" tid ",\"args\":{" args "}}"

static void load_text(struct loaded *l, struct str text)
{
	const char *wrong = loaded_all_ways(l, text);

	if (wrong)
		fail_msg("%.200s: %s", text.p, wrong);
}

static void load(struct loaded *l, const char *text)
{
	load_text(l, str_of(text));
}

/* The one event of that name. */
static size_t named(const struct loaded *l, const char *name)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < l->events.n; i++)
		if (str_is(names_str(&l->names, l->events.name[i]), str_of(name))) {
			if (found != SIZE_MAX)
				fail_msg("two events named %s", name);
			found = i;
		}
	if (found == SIZE_MAX)
		fail_msg("no event named %s", name);
	return found;
}

static size_t dropped(const struct loaded *l, enum drop why)
{
	return l->account.dropped[why].count;
}

/* ---- the shape of the file ----------------------------------------------------------------------------------------------------------- */

static void test_shapes(void **state)
{
	static const struct {
		const char *text;
		size_t n, drops, issues;
		bool is_object, unclosed, early_end;
	} t[] = {
		{ "[]", 0, 0, 0, false, false, false },
		{ " [ ] \n", 0, 0, 0, false, false, false },
		{ "{\"traceEvents\":[]}", 0, 0, 0, true, false, false },
		{ "{\"traceEvents\" : [ \n ] }", 0, 0, 0, true, false, false },
		{ "[" EV("a", "1") "]", 1, 0, 0, false, false, false },
		{ "\xef\xbb\xbf[" EV("a", "1") "]", 1, 0, 0, false, false, false },
		{ "\n\t [\r\n " EV("a", "1") " \n,\n " EV("b", "2") "\n ] \n\n", 2, 0, 0, false, false, false },
		{ "{\"a\":[" EV("x", "1") "],\"traceEvents\":[" EV("a", "1") "],\"b\":{\"traceEvents\":[" EV("y", "1") "]}}", 1, 0, 0, true,
			false, false },
		{ "{\"a\":{\"traceEvents\":[" EV("x", "1") "]},\"traceEvents\":[" EV("a", "1") "],\"traceEvents\":[" EV("y", "1") "]}",
			1, 0, 0, true, false, false },
		{ "{\"traceEvents\":null,\"b\":\"]}[{\\\"\",\"traceEvents\":[" EV("a", "1") "]}", 1, 0, 0, true, false, false },
		{ "[" EV("a", "1"), 1, 0, 0, false, true, false },
		{ "[" EV("a", "1") ",", 1, 0, 0, false, true, false },
		{ "[" EV("a", "1") "\n , \n", 1, 0, 0, false, true, false },
		{ "[" EV("a", "1") ",]", 1, 0, 0, false, false, false },
		{ "[" EV("a", "1") " , ] ", 1, 0, 0, false, false, false },
		{ "{\"traceEvents\":[" EV("a", "1") ",", 1, 0, 0, true, true, false },
		{ "[" EV("a", "1") ",{\"ph\":\"X\",\"ts\"", 1, 1, 1, false, true, false },
		{ "[" EV("a", "1") "][" EV("b", "2") "]", 2, 0, 0, false, false, true },
		{ "[" EV("a", "1") "]\n[\n" EV("b", "2") "]\n[]", 2, 1, 1, false, false, true },
		{ "[" EV("a", "1") "] trailing", 1, 1, 1, false, false, false },
		{ "[" EV("a", "1") EV("b", "2") "\n" EV("c", "3") "]", 3, 0, 2, false, false, false },
		{ "[" EV("a", "1") ",," EV("b", "2") "]", 2, 1, 1, false, false, false },
		{ "[," EV("a", "1") "]", 1, 1, 1, false, false, false },
		{ "[" EV("a", "1") ",42,\"text\",null,[]," EV("b", "2") "]", 2, 1, 1, false, false, false },
		{ "[" EV("a", "1") ",42]", 1, 1, 1, false, false, false },
		{ "[" EV("a", "1") ",{}," EV("b", "2") "]", 2, 1, 0, false, false, false },
		{ "{\"traceEvents\":[" EV("a", "1") ",42],\"b\":1}", 1, 1, 1, true, false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct loaded l;

		load(&l, t[i].text);
		if (l.err || l.events.n != t[i].n || account_dropped(&l.account) != t[i].drops || l.info.nissues != t[i].issues
				|| l.info.is_object != t[i].is_object || l.info.unclosed != t[i].unclosed
				|| l.info.early_end != t[i].early_end)
			fail_msg("%s: error %d, %zu events, %zu drops, %zu issues, %d %d %d", t[i].text, l.err, l.events.n,
				account_dropped(&l.account), l.info.nissues, l.info.is_object, l.info.unclosed, l.info.early_end);
		loaded_done(&l);
	}
}

static void test_refused(void **state)
{
	static const struct {
		struct str text;
		const char *word;
	} t[] = {
		{ STR(""), "empty" }, { STR(" \n "), "blank" }, { STR("["), "before the first event" },
		{ STR(" [ "), "before the first event" },
		{ STR("[{"), "no event in it is whole" }, { STR("[{\"ph\":\"X\",\"ts\":1"), "1 damaged place:" },
		{ STR("{}"), "traceEvents" },
		{ STR("{\"traceEvents\":5}"), "traceEvents" }, { STR("{\"traceEvents\":"), "traceEvents" }, { STR("{\"a"), "traceEvents" },
		{ STR("{\"a\" 5}"), "traceEvents" }, { STR("[1,2,3]"), "no event" }, { STR("[{\"a\":1}]"), "no element" },
		{ STR("[[]]"), "no event" },
		{ STR("hello"), "does not begin" }, { STR("<html>"), "does not begin" }, { STR("Step,Computing\n"), "does not begin" },
		{ STR("\x1f\x8b\x08\x00"), "gzip" }, { STR("PK\x03\x04..."), "zip" }, { STR("\xff\xfe[\0]\0"), "UTF-16" },
		{ STR("\xfe\xff\0[\0]"), "UTF-16" }, { STR("SQLite format 3\0"), "database" }, { STR("\xef\xbb\xbf"), "blank" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct loaded l;
		struct file f = text_file(t[i].text);

		load_text(&l, t[i].text);
		if (l.err != ERR_FORMAT || !strstr(l.diag.text, t[i].word))
			fail_msg("%zu: error %d, %s", i, l.err, l.diag.text);
		assert_string_equal(l.diag.file, "text");
		loaded_done(&l);
		assert_true(!trace_sniff(&f) || i == 5);	/* the beginning of an event, and no more */
		file_close(&f);
	}
}

static void test_sniff(void **state)
{
	static const char *const yes[] = { "[" EV("a", "1"), "\xef\xbb\xbf[\n{ \"args\" :", "{\"traceEvents\":[ {\"ph\":",
		"{\"a\":[1],\"traceEvents\":[{\"cat\":1" };
	static const char *const no[] = { "[]", "[{\"step\":1}]", "{\"step\":{\"collective\":{}}}", "[\"ph\"]", "{\"ph\":\"X\"}" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(yes) + ARRAY_LEN(no); i++) {
		const char *text = i < ARRAY_LEN(yes) ? yes[i] : no[i - ARRAY_LEN(yes)];
		struct file f = text_file(str_of(text));

		if (trace_sniff(&f) != (i < ARRAY_LEN(yes)))
			fail_msg("%s", text);
		file_close(&f);
	}
}

/* ---- members ------------------------------------------------------------------------------------------------------------------------- */

enum { KEPT = DROP_MAX };

static void test_times(void **state)
{
	static const struct {
		const char *json;
		int why;			/* KEPT or the reason of the drop */
		int64_t ns;
	} t[] = {
		{ "\"1736414119636754.590\"", KEPT, INT64_C(1736414119636754590) },
		{ "1736414119636754.590", KEPT, INT64_C(1736414119636754590) },
		{ "1695115378713661", KEPT, INT64_C(1695115378713661000) },
		{ "\"1736414119636754.59\"", KEPT, INT64_C(1736414119636754590) },
		{ "1.76458440100043e15", KEPT, INT64_C(1764584401000430000) },
		{ "\"1.76458440100043E+15\"", KEPT, INT64_C(1764584401000430000) },
		{ "\" 17.5 \"", KEPT, 17500 }, { "-17", KEPT, -17000 }, { "\"-0.0005\"", KEPT, -1 }, { "0", KEPT, 0 },
		{ "0.0004", KEPT, 0 },
		{ "12.3455", KEPT, 12346 }, { "12.", KEPT, 12000 }, { ".5", KEPT, 500 },
		{ "4611686018427387.903", KEPT, (INT64_C(1) << 62) - 1 },
		{ "4611686018427387.904", DROP_TIME_RANGE, 0 }, { "-4611686018427387.904", DROP_TIME_RANGE, 0 },
		{ "18446744073709552", DROP_TIME_RANGE, 0 }, { "\"18446744073709552\"", DROP_TIME_RANGE, 0 },
		{ "99999999999999999", DROP_TIME_RANGE, 0 },
		{ "9223372036854775.808", DROP_TIME_RANGE, 0 }, { "99999999999999999999999999", DROP_TIME_RANGE, 0 },
		{ "\" 1e300 \"", DROP_TIME_RANGE, 0 },
		{ "18446744073709551616", DROP_TIME_RANGE, 0 }, { "NaN", DROP_NO_TIME, 0 }, { "Infinity", DROP_NO_TIME, 0 },
		{ "null", DROP_NO_TIME, 0 },
		{ "\"soon\"", DROP_NO_TIME, 0 }, { "\"\"", DROP_NO_TIME, 0 }, { "{\"ts\":5}", DROP_NO_TIME, 0 }, { "[5]", DROP_NO_TIME, 0 },
		{ "true", DROP_NO_TIME, 0 }, { "\"1,5\"", DROP_NO_TIME, 0 }, { "1.2.3", DROP_NO_TIME, 0 }, { "\".\"", DROP_NO_TIME, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct buf b = { 0 };
		struct loaded l;

		buf_printf(&b, "[{\"ph\":\"i\",\"ts\":%s},{\"ph\":\"X\"}]", t[i].json);
		load(&l, b.p);
		if (l.events.n != (t[i].why == KEPT) || (l.events.n && l.events.start[0] != t[i].ns)
				|| (t[i].why != KEPT && l.account.dropped[t[i].why].first_at != 1))
			fail_msg("%s: %zu events at %" PRId64, t[i].json, l.events.n, l.events.n ? l.events.start[0] : 0);
		assert_int_equal(l.info.text_times, l.events.n && t[i].json[0] == '"');
		assert_int_equal(dropped(&l, DROP_NO_TIME), 1 + (t[i].why == DROP_NO_TIME));
		loaded_done(&l);
		buf_done(&b);
	}
}

/* The quick way to read a time against the exact one. */
static void test_random_times(void **state)
{
	uint64_t seed = 9;
	struct buf text = { 0 };
	char ts[4000][32];
	struct loaded l;
	size_t kept = 0;

	(void)state;
	buf_char(&text, '[');
	for (size_t i = 0; i < ARRAY_LEN(ts); i++) {
		size_t n = 1 + (seed = seed * 6364136223846793005u + 1442695040888963407u, seed >> 40) % 22, point = (seed >> 33) % 26;

		for (size_t k = 0; k < n; k++)
			ts[i][k] = k == point ? '.' : (char)('0' + (seed >> (k % 50)) % 10);
		ts[i][n] = '\0';
		buf_printf(&text, i % 2 ? "%s{\"ph\":\"i\",\"tid\":%zu,\"ts\":%s}" : "%s{\"ph\":\"i\",\"tid\":%zu,\"ts\":\"%s\"}",
			i ? "," : "", i, ts[i]);
	}
	buf_char(&text, ']');
	loaded_text(&l, (struct str){ text.p, text.n }, 0, 1);
	for (size_t i = 0; i < ARRAY_LEN(ts); i++) {
		int64_t ns;

		if (!decimal_to_int(str_of(ts[i]), 3, &ns) || ns >= INT64_C(1) << 62)
			continue;
		if (l.events.start[kept] != ns)
			fail_msg("%s: %" PRId64, ts[i], l.events.start[kept]);
		kept++;
	}
	assert_int_equal(l.events.n, kept);
	assert_true(kept > 1000 && kept < ARRAY_LEN(ts) - 100);
	loaded_done(&l);
	buf_done(&text);
}

static void test_durations(void **state)
{
	static const struct {
		const char *json;
		int64_t ns;
		int flags;
	} t[] = {
		{ ",\"dur\":12.5", 12500, 0 }, { ",\"dur\":\"12.5\"", 12500, 0 }, { ",\"dur\":0", 0, 0 }, { ",\"dur\":1e-05", 0, 0 },
		{ ",\"dur\":4e-4", 0, 0 }, { ",\"dur\":5e-4", 1, 0 }, { "", 0, EV_NO_DURATION }, { ",\"dur\":null", 0, EV_NO_DURATION },
		{ ",\"dur\":\"\"", 0, EV_NO_DURATION }, { ",\"dur\":\"N/A\"", 0, EV_NO_DURATION }, { ",\"dur\":{}", 0, EV_NO_DURATION },
		{ ",\"dur\":-3.5", 0, EV_NEGATIVE }, { ",\"dur\":\"-1\"", 0, EV_NEGATIVE }, { ",\"dur\":-99999999999999", 0, EV_NEGATIVE },
		{ ",\"dur\":4611686018427387.903", (INT64_C(1) << 62) - 1, 0 },
	};
	struct loaded l;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct buf b = { 0 };

		buf_printf(&b, "[{\"ph\":\"X\",\"ts\":1%s}]", t[i].json);
		load(&l, b.p);
		assert_int_equal(l.events.n, 1);
		if (l.events.dur[0] != t[i].ns || l.events.flags[0] != t[i].flags)
			fail_msg("%s: %" PRId64 " %d", t[i].json, l.events.dur[0], l.events.flags[0]);
		loaded_done(&l);
		buf_done(&b);
	}
	load(&l, "[{\"ph\":\"X\",\"ts\":1,\"dur\":1e300},{\"ph\":\"X\",\"ts\":1,\"dur\":4611686018427387.904},"
		"{\"ph\":\"i\",\"ts\":1,\"dur\":-1}]");
	assert_true(l.events.n == 1 && dropped(&l, DROP_TIME_RANGE) == 2 && l.events.flags[0] == EV_INSTANT);
	loaded_done(&l);
}

static void test_phases(void **state)
{
	static const char letters[] = "XBEMCstfiIR";
	struct buf b = { 0 };
	struct loaded l;

	(void)state;
	buf_char(&b, '[');
	for (size_t i = 0; letters[i]; i++)
		buf_printf(&b, "{\"ph\":\"%c\",\"ts\":%zu,\"id\":1,\"args\":{\"v\":1}},", letters[i], i);
	buf_str(&b, "{\"ph\":\"Z\",\"ts\":1},{\"ph\":\"x\",\"ts\":1},{\"ph\":\"\",\"ts\":1},{\"ph\":\"XX\",\"ts\":1},"
		"{\"ph\":\"\\u0058\",\"ts\":1},"
		"{\"ph\":88,\"ts\":1},{\"ph\":null,\"ts\":1},{\"ts\":1},{},{\"ph\":[\"X\"],\"ts\":1},{\"ph\":5,\"ts\":1}]");
	load_text(&l, (struct str){ b.p, b.n });
	for (size_t i = 0; letters[i]; i++)
		assert_int_equal(l.account.by_phase[(unsigned char)letters[i]], 1);
	assert_int_equal(l.account.kept, 11);
	assert_int_equal(l.events.n, 1 + 1 + 3);
	assert_int_equal(dropped(&l, DROP_UNKNOWN_PHASE), 3);		/* Z, x, and the number 5, which is one character */
	assert_int_equal(dropped(&l, DROP_NO_PHASE), 8);
	assert_int_equal(l.account.by_phase[0], 8);
	assert_int_equal(l.events.nsamples, 1);
	assert_true(l.events.link_counts[LINK_OTHER].starts == 1 && l.events.link_counts[LINK_OTHER].finishes == 2);
	assert_int_equal(l.info.nissues, 0);
	loaded_done(&l);
	buf_done(&b);
}

/* Any order of keys, keys nobody knows, keys twice (the last counts), blanks wherever JSON allows them. */
static void test_keys(void **state)
{
	struct loaded l;
	size_t i;

	(void)state;
	load(&l, "[\t{\r\n\"zz\" : [ { } , [ ] , \"\\\\\" ] , \"args\" : { \"x\" : { \"connection_id\" : 1 } , \"connection_id\" : 12 ,"
		" \"Task Type\" : \"AI_CORE\" , \"y\" : [ 1 ] } , \"dur\"\t:\n2.5 , \"tid\":\"t\" , \"id\" : 1 , \"ts\" : \"7.5\","
		"\"cat\":\"c\" , \"pid\" : \"p\" , \"name\" : \"first\" , \"n\\u0061me\" : \"not this\" , \"name2\" : 1 , \"nam\" : 2 ,"
		" \"name\" : \"last\" , \"ph\" : \"B\" , \"bp\":\"e\","
		" \"ph\" : \"X\" } , {\"ph\":\"X\",\"ts\":1,\"cat\":\"only\",\"args\":{\"task type\":\"SDMA\"},\"args\":{ }},"
		"{\"ph\":\"X\",\"ts\":2,\"cat\":\"category\",\"args\":[{\"Task Type\":\"no\"}]} ]");
	i = named(&l, "last");
	assert_true(l.events.n == 3 && l.info.nissues == 0);
	assert_true(l.events.start[i] == 7500 && l.events.dur[i] == 2500 && l.events.connection[i] == 12);
	assert_string_equal(names_text(&l.names, l.events.type[i]), "AI_CORE");
	assert_string_equal(names_text(&l.names, events_lane(&l.events, i)->tid), "t");
	assert_string_equal(names_text(&l.names, l.events.processes[events_lane(&l.events, i)->process].pid), "p");
	for (i = 0; i < 3; i++)
		if (l.events.start[i] == 2000)
			assert_string_equal(names_text(&l.names, l.events.type[i]), "category");
	loaded_done(&l);
}

/* What looks like an event inside an event is none. */
static void test_nested_events(void **state)
{
	struct loaded l;
	size_t i;

	(void)state;
	load(&l, "[{\"ph\":\"X\",\"name\":\"outer\",\"ts\":1,\"dur\":40,\"args\":{\"list\":[" EV("in1", "1") ","
		EV("in2", "2") ",[[{\"ph\":\"X\"}]]],\"ph\":"
		"\"B\",\"ts\":3,\"o\":" EV("in3", "3") ",\"text\":\"},{\\\"ph\\\":\\\"X\\\",\"}}," EV("next", "50") "]");
	assert_true(l.events.n == 2 && l.account.kept == 2 && account_total(&l.account) == 2);
	i = named(&l, "outer");
	assert_true(l.events.dur[i] == 40000 && l.events.span[i] == 1 && l.events.span_len[i] > 150);
	assert_true(l.events.span[named(&l, "next")] == 1 + l.events.span_len[i] + 1);
	loaded_done(&l);
}

static void test_names(void **state)
{
	static const struct {
		const char *json;
		struct str name;
	} t[] = {
		{ "plain", STR("plain") }, { "\xe4\xb8\xad \xff\xc3(", STR("\xe4\xb8\xad \xff\xc3(") },
		{ "tab\tline\n\x1b[31m\x7f", STR("tab\tline\n\x1b[31m\x7f") },
		{ "\\\"\\\\\\/\\b\\f\\n\\r\\t", STR("\"\\/\b\f\n\r\t") },
		{ "\\u00e9\\u4E2D\\u4e2d", STR("\xc3\xa9\xe4\xb8\xad\xe4\xb8\xad") },
		{ "\\ud83d\\ude00", STR("\xf0\x9f\x98\x80") }, { "\\uD83Dx", STR("\xef\xbf\xbdx") },
		{ "\\ude00\\ud83d", STR("\xef\xbf\xbd\xef\xbf\xbd") },
		{ "\\ud83d\\ud83d\\ude00", STR("\xef\xbf\xbd\xf0\x9f\x98\x80") }, { "\\ud83d\\u0041", STR("\xef\xbf\xbd" "A") },
		{ "\\ud83d\\ue000", STR("\xef\xbf\xbd\xee\x80\x80") },
		{ "a\\u0000b", STR("a\0b") }, { "\\x \\uZZZZ \\u12", STR("x \\uZZZZ \\u12") }, { "\\ud83d\\u", STR("\xef\xbf\xbd\\u") },
		{ "say \\\"hi\\\\\\\"", STR("say \"hi\\\"") }, { "}]{[,:", STR("}]{[,:") }, { "", STR("") },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct buf b = { 0 };
		struct loaded l;

		buf_printf(&b, "[{\"ph\":\"X\",\"ts\":1,\"name\":\"%s\",\"cat\":\"%s\"}]", t[i].json, t[i].json);
		load_text(&l, (struct str){ b.p, b.n });
		assert_true(l.events.n == 1 && l.info.nissues == 0);
		if (!str_is(names_str(&l.names, l.events.name[0]), t[i].name))
			fail_msg("%s: %s", t[i].json, names_text(&l.names, l.events.name[0]));
		assert_int_equal(l.events.type[0], l.events.name[0]);
		loaded_done(&l);
		buf_done(&b);
	}
}

/* ---- who ----------------------------------------------------------------------------------------------------------------------------- */

static void test_lane_ids(void **state)
{
	static const char long_id[] = "worker-with-a-name-of-more-than-fifty-characters-0123456789";
	static const struct {
		const char *json, *pid, *tid;
	} t[] = {
		{ "\"pid\":1000,\"tid\":2", "1000", "2" }, { "\"pid\":\"1000\",\"tid\":\"2\"", "1000", "2" },
		{ "\"pid\":\"worker-1\"", "worker-1", "" },
		{ "\"tid\":7", "", "7" }, { "\"tid\":0", "", "0" }, { "\"cat\":\"c\"", "", "" },
		{ "\"pid\":-4,\"tid\":18446744073709551615", "-4", "18446744073709551615" },
		{ "\"pid\":9007199254740993", "9007199254740993", "" }, { "\"pid\":9007199254740992", "9007199254740992", "" },
		{ "\"pid\":\"40004631069296951295123\"", "40004631069296951295123", "" }, { "\"pid\":\"\\u0041\",\"tid\":1", "A", "1" },
		{ "\"pid\":\"A\",\"tid\":1", "A", "1" },
		{ "\"pid\":\"worker-with-a-name-of-more-than-fifty-characters-0123456789\",\"tid\":1", long_id, "1" },
		{ "\"pid\":12,\"tid\":3", "12", "3" }, { "\"pid\":1,\"tid\":23", "1", "23" },
		{ "\"pid\":12,\"tid\":345678", "12", "345678" }, { "\"pid\":1,\"tid\":2345678", "1", "2345678" },
	};
	struct buf b = { 0 };
	struct loaded l;

	(void)state;
	buf_char(&b, '[');
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < ARRAY_LEN(t); i++)
			buf_printf(&b, "%s{\"ph\":\"X\",\"ts\":%zu,\"name\":\"e\",%s}", b.n > 1 ? "," : "", i, t[i].json);
	buf_char(&b, ']');
	load_text(&l, (struct str){ b.p, b.n });
	assert_int_equal(l.events.nlanes, ARRAY_LEN(t) - 2);		/* 1000 and "1000", A and its escape */
	for (size_t i = 0; i < l.events.n; i++) {
		const struct lane *lane = events_lane(&l.events, i);
		size_t which = (size_t)l.events.start[i] / 1000;

		assert_string_equal(names_text(&l.names, lane->tid), t[which].tid);
		assert_string_equal(names_text(&l.names, l.events.processes[lane->process].pid), t[which].pid);
		assert_int_equal(lane->n, which < 2 || which == 10 || which == 11 ? 4 : 2);
	}
	loaded_done(&l);
	buf_done(&b);
}

#define METAS \
	META("process_name", "7", "0", "\"name\":\"Ascend \\u0048ardware\"") "," \
	META("process_labels", "\"7\"", "0", "\"labels\":\"NPU 3\"") "," \
	META("process_sort_index", "7", "0", "\"sort_index\":13") "," \
	META("thread_name", "7", "2", "\"other\":{},\"name\":\"Stream 2\"") "," \
	META("thread_sort_index", "7", "2", "\"sort_index\":\"-5\"")

static void check_metas(const char *text, size_t metas)
{
	const struct process *p;
	const struct lane *lane;
	struct loaded l;

	load(&l, text);
	assert_true(l.events.n == 1 && l.account.by_phase['M'] == metas && l.account.kept == metas + 1 && l.info.nissues == 0);
	lane = events_lane(&l.events, 0);
	p = &l.events.processes[lane->process];
	assert_string_equal(names_text(&l.names, p->name), "Ascend Hardware");
	assert_string_equal(names_text(&l.names, p->labels), "NPU 3");
	assert_string_equal(names_text(&l.names, lane->name), "Stream 2");
	assert_true(p->device == 3 && p->sort_index == 13 && p->layer == LAYER_HARDWARE && lane->sort_index == -5);
	loaded_done(&l);
}

static void test_metadata(void **state)
{
#define TASK "{\"ph\":\"X\",\"pid\":7,\"tid\":2,\"ts\":1,\"dur\":1}"
	(void)state;
	check_metas("[" METAS "," TASK "]", 5);
	check_metas("[" TASK "," METAS "]", 5);
	check_metas("[" META("process_name", "7", "0", "\"name\":\"Old\"") "," METAS "," TASK "," METAS "]", 11);
	check_metas("[{\"ph\":\"M\"},{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":7}," METAS "," TASK ","
		"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":7,\"args\":[]},{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":7,"
		"\"args\":\"{\"},{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":7,\"tid\":2,"
		"\"args\":{\"Name\":\"x\"}},{\"ph\":\"M\",\"name\":\"unknown\",\"pid\":7,\"args\":{\"name\":\"x\"}}]", 11);
}

/* ---- flows, connections, counters ---------------------------------------------------------------------------------------------------- */

#define FLOW(ph, id, tid, ts) "{\"ph\":\"" ph "\",\"bp\":\"e\",\"cat\":\"async_npu\",\"id\":" id ",\"pid\":3,\"tid\":" tid ",\"ts\":" ts "}"

static void test_flow_ids(void **state)
{
	static const struct {
		const char *start, *finish;
		bool linked;
	} t[] = {
		{ "12", "12", true }, { "\"12\"", "12", true }, { "12", "\"12\"", true }, { "\"0\"", "0", true }, { "0", "00", false },
		{ "1736414119636754590", "1736414119636754590", true }, { "1736414119636754590", "1736414119636754591", false },
		{ "9007199254740993", "\"9007199254740993\"", true }, { "9007199254740992", "9007199254740993", false },
		{ "18446744073709551615", "\"18446744073709551615\"", true }, { "\"18446744073709551616\"", "18446744073709551616", true },
		{ "\"40004631069296951295123\"", "\"40004631069296951295123\"", true },
		{ "\"40004631069296951295123\"", "\"40004631069296951295124\"", false },
		{ "\"x\\ty\"", "\"x\\u0009y\"", true }, { "-1", "-1", true }, { "1", "1.0", false }, { "{\"a\":1}", "{\"a\":1}", true },
	};
	struct loaded l;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct buf b = { 0 };
		const struct link_count *c;

		buf_printf(&b, "[{\"ph\":\"X\",\"pid\":3,\"tid\":1,\"ts\":5,\"dur\":10},"
			"{\"ph\":\"X\",\"pid\":3,\"tid\":2,\"ts\":20,\"dur\":10},"
			FLOW("s", "%s", "1", "6") "," FLOW("f", "%s", "2", "20") "]", t[i].start, t[i].finish);
		load(&l, b.p);
		c = &l.events.link_counts[LINK_TORCH];
		if (c->starts != 1 || c->finishes != 1 || c->n != t[i].linked || c->unmatched != (t[i].linked ? 0 : 2))
			fail_msg("%s %s: %zu links", t[i].start, t[i].finish, c->n);
		assert_true(!c->n || (l.events.links[0].from == 0 && l.events.links[0].to == 1));
		loaded_done(&l);
		buf_done(&b);
	}
	load(&l, "[" FLOW("s", "\"\"", "1", "1") ",{\"ph\":\"f\",\"ts\":1,\"cat\":\"x\"}," FLOW("t", "1", "1", "\"\"") ","
		FLOW("s", "null", "1", "1") "]");
	assert_true(dropped(&l, DROP_NO_FLOW_ID) == 2 && dropped(&l, DROP_NO_TIME) == 1 && l.account.kept == 1);
	loaded_done(&l);
}

static void test_connection_ids(void **state)
{
	static const struct {
		const char *json;
		uint64_t id;
	} t[] = {
		{ "12", 12 }, { "\"12\"", 12 }, { "0", 0 }, { "4294967294", 4294967294u }, { "4294967295", NO_CONNECTION },
		{ "4294967296", 4294967296u },
		{ "18446744073709551614", UINT64_MAX - 1 }, { "18446744073709551615", NO_CONNECTION },
		{ "18446744073709551616", NO_CONNECTION },
		{ "-1", NO_CONNECTION }, { "\"N/A\"", NO_CONNECTION }, { "1.5", NO_CONNECTION }, { "null", NO_CONNECTION },
		{ "[12]", NO_CONNECTION },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct buf b = { 0 };
		struct loaded l;

		buf_printf(&b, "[{\"ph\":\"X\",\"ts\":1,\"args\":{\"connection_id\":%s}},{\"ph\":\"X\",\"ts\":2,\"connection_id\":5,"
			"\"args\":{\"a\":{\"connection_id\":5}}}]", t[i].json);
		load(&l, b.p);
		if (l.events.connection[0] != t[i].id || l.events.connection[1] != NO_CONNECTION)
			fail_msg("%s: %" PRIu64, t[i].json, l.events.connection[0]);
		loaded_done(&l);
		buf_done(&b);
	}
}

static void test_counter_values(void **state)
{
	struct loaded l;
	const struct counter *c;

	(void)state;
	load(&l, "[{\"ph\":\"C\",\"name\":\"n\",\"pid\":1,\"ts\":9,\"args\":{\"MHz\":1800,\"a\\\"b\":\"2.5\",\"no\":null,"
		"\"deep\":{\"x\":1},\"list\":[1]}},{\"ph\":\"C\",\"name\":\"n\",\"pid\":1,\"tid\":5,\"ts\":8,\"args\":{\"MHz\":1e-3}},"
		"{\"ph\":\"C\",\"name\":\"n\",\"pid\":1,\"ts\":7,\"args\":{}},"
		"{\"ph\":\"C\",\"name\":\"n\",\"pid\":1,\"ts\":7},{\"ph\":\"C\",\"name\":\"n\",\"pid\":1,\"args\":{\"MHz\":1}},"
		"{\"ph\":\"C\",\"name\":\"n\",\"pid\":1,\"ts\":7,\"args\":{\"MHz\":NaN,\"y\":\"\"}}]");
	assert_true(l.account.kept == 2 && dropped(&l, DROP_NO_VALUE) == 3 && dropped(&l, DROP_NO_TIME) == 1 && l.events.n == 0);
	assert_true(l.events.ncounters == 2 && l.events.nsamples == 3);
	c = &l.events.counters[0];
	assert_string_equal(names_text(&l.names, c->series), "MHz");
	assert_true(c->n == 2 && l.events.counter_time[c->first] == 8000 && l.events.counter_time[c->first + 1] == 9000);
	assert_true(fabs(l.events.counter_value[c->first] - 0.001) < 1e-12 && fabs(l.events.counter_value[c->first + 1] - 1800) < 1e-9);
	assert_string_equal(names_text(&l.names, c[1].series), "a\"b");
	assert_true(c[1].n == 1 && fabs(l.events.counter_value[c[1].first] - 2.5) < 1e-12);
	loaded_done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes), cmocka_unit_test(test_refused), cmocka_unit_test(test_sniff),
		cmocka_unit_test(test_times), cmocka_unit_test(test_random_times), cmocka_unit_test(test_durations),
			cmocka_unit_test(test_phases),
		cmocka_unit_test(test_keys), cmocka_unit_test(test_nested_events), cmocka_unit_test(test_names),
			cmocka_unit_test(test_lane_ids),
		cmocka_unit_test(test_metadata), cmocka_unit_test(test_flow_ids), cmocka_unit_test(test_connection_ids),
		cmocka_unit_test(test_counter_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
