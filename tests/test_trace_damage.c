/* SPDX-License-Identifier: Apache-2.0 */
/* The trace reader on damaged, cut, huge and unreadable files: what can be read is read, the loss is counted, for every size of chunk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/load/trace/json_scan.h"
#include "tests/help/trace_text.h"

#include <fcntl.h>

#define EV(name, ts)      "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":3,\"tid\":1,\"ts\":" ts ",\"dur\":2}"
#define META(key, pid, tid, args) "{\"ph\":\"M\",\"name\":\"" key "\",\"pid\":" pid ",\"tid\":" tid ",\"args\":{" args "}}"

static void load_text(struct loaded *l, struct str text)
{
	const char *wrong = loaded_all_ways(l, text);

	if (wrong)
		fail_msg("%.200s: %s", text.p, wrong);
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

/* Every beginning of a trace: nothing crashes, nothing is lost that was there, and what is there only grows. */
static void check_prefixes(struct str text)
{
	size_t was = 0;

	for (size_t n = 0; n <= text.n; n++) {
		struct loaded l, other;

		loaded_text(&l, (struct str){ text.p, n }, 0, 1);
		loaded_text(&other, (struct str){ text.p, n }, 1 + n % 13, 2);
		assert_null(loaded_broken(&l, (int64_t)n));
		assert_null(loaded_differ(&l, &other));
		loaded_done(&other);
		assert_true(l.events.n >= was);
		was = l.events.n;
		if (!l.err && n + 40 < text.n)
			assert_true(l.info.unclosed && dropped(&l, DROP_TRUNCATED) <= 1);
		loaded_done(&l);
	}
	assert_int_equal(was, 5);
}

#define FIVE \
	META("process_name", "3", "0", "\"name\":\"Python\"") ",\n" EV("a \\\"quoted\\\"", "\"5.125\"") "," \
	" {\"args\":{\"k\":[1,{\"a\":\"}]\"}]},\"ph\":\"X\",\"ts\":7}," EV("b", "8") "," \
	"{\"ph\":\"B\",\"ts\":\"9\"},{\"ph\":\"E\",\"ts\":\"9.5\"}," EV("\xe4\xb8\xad", "1e1")

static void test_prefixes(void **state)
{
	(void)state;
	check_prefixes(STR("[" FIVE " ]\n"));
	check_prefixes(STR("{\"x\":[1,\"]\"],\"traceEvents\":[" FIVE "],\"y\":2}"));
}

/* ---- damage -------------------------------------------------------------------------------------------------------------------------- */

static void test_damage(void **state)
{
	static const struct {
		struct str text;
		size_t n;
		size_t issues;
	} t[] = {
		{ STR("[" EV("a", "1") ",\x01\x02%%#@!~}{]garbage\xff\xfe,," EV("b", "2") "]"), 2, 1 },
		{ STR("[" EV("a", "1") ",{\"ph\":\"X\",\"name\":\"say \"hello\" twice\",\"ts\":2}," EV("b", "3") "]"), 2, 1 },
		{ STR("[" EV("a", "1") ",\0\0\0\0\0\0\0\0" EV("b", "3") "]"), 2, 1 },
		/* a writer died, another went on */
		{ STR("[" EV("a", "1") ",{\"ph\":\"X\",\"na" EV("b", "3") "," EV("c", "4") "]"), 3, 1 },
		{ STR("[" EV("a", "1") ",{\"ph\":\"X\"\"ts\":2}," EV("b", "3") "]"), 2, 1 },
		{ STR("[" EV("a", "1") ",{\"ph\":\"X\",,\"ts\":2}," EV("b", "3") "]"), 2, 1 },
		{ STR("[" EV("a", "1") ",{\"ph\":\"X\",\"ts\":2,}," EV("b", "3") "]"), 2, 1 },
		{ STR("[" EV("a", "1") ",{\"ph\":\"X\",\"ts\":}," EV("b", "3") "]"), 2, 1 },
		{ STR("[" EV("a", "1") ",{\"ph\":\"X\",\"args\":{\"a\":[1,2},\"ts\":2}," EV("b", "3") "]"), 2, 1 },
		{ STR("[" EV("a", "1") ",{\"ph\":\"X\",\"args\":{\"a\" 1},\"ts\":2}," EV("b", "3") "]"), 2, 1 },
		{ STR("[" EV("a", "1") ",{\"ph\":\"X\",\"args\":{1:2},\"ts\":2}," EV("b", "3") "]"), 2, 1 },
		/* what follows a colon is the value of a key */
		{ STR("[" EV("a", "1") ",:" EV("b", "3") "," EV("c", "4") "]"), 2, 1 },
		{ STR("[" EV("a", "1") ",\"x\": {\"ph\":\"X\",\"ts\":1}," EV("b", "3") "]"), 2, 1 },
		{ STR("[" EV("a", "1") "," EV("b", "2") ",{\"ph\":\"X\",\"name\":\"cut in a stri"), 2, 1 },
		{ STR("[" EV("a", "1") "," EV("b", "2") ",{\"ph\":\"X\",\"name\":\"cut\\"), 2, 1 },
		{ STR("[" EV("a", "1") "," EV("b", "2") ",{"), 2, 1 },
		{ STR("[" EV("a", "1") "," EV("b", "2") ",{\"args\":{"), 2, 1 },
		{ STR("[" EV("a", "1") "," EV("b", "2") ",\x80\x80"), 2, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct loaded l;

		load_text(&l, t[i].text);
		if (l.err || l.events.n != t[i].n || l.info.nissues != t[i].issues || account_dropped(&l.account) != t[i].issues)
			fail_msg("%zu: error %d, %zu events, %zu issues, %zu drops", i, l.err, l.events.n, l.info.nissues,
				account_dropped(&l.account));
		named(&l, "a");
		if (i < 13)
			named(&l, i == 11 ? "c" : "b");
		assert_true(l.info.issues[0].at > 30 && l.info.issues[0].length > 0);
		assert_int_equal(l.info.issues[0].what, i == 13 || i == 14 || i == 15 || i == 16 ? DROP_TRUNCATED : DROP_DAMAGED);
		assert_int_equal(l.info.unclosed, i >= 13);
		loaded_done(&l);
	}
}

/* More damage than the list holds: all is counted, the first is listed. */
static void test_many_issues(void **state)
{
	struct buf b = { 0 };
	struct loaded l;

	(void)state;
	buf_char(&b, '[');
	for (int i = 0; i < 100; i++)
		buf_printf(&b, "{\"ph\":\"X\",\"ts\":%d},%s", i, i < 99 ? "{\"ph\":!}," : "");
	buf_char(&b, ']');
	load_text(&l, (struct str){ b.p, b.n });
	assert_true(l.events.n == 100 && l.info.nissues == 99 && dropped(&l, DROP_DAMAGED) == 99 && l.account.by_phase[0] == 99);
	for (size_t i = 0; i < TRACE_ISSUES; i++) {
		assert_true(l.info.issues[i].length == 9 && memcmp(b.p + l.info.issues[i].at, "{\"ph\":!}", 8) == 0);
		assert_true(i == 0 || l.info.issues[i].at > l.info.issues[i - 1].at);
	}
	assert_int_equal(l.account.dropped[DROP_DAMAGED].first_at, l.info.issues[0].at);
	loaded_done(&l);
	buf_done(&b);
}

/* What may begin an event is told by the 64 bytes before it, wherever they stand in a window. */
static void test_far_colon(void **state)
{
	(void)state;
	for (int blanks = 60; blanks < 70; blanks++) {
		struct buf b = { 0 };
		struct loaded l;

		buf_printf(&b, "[" EV("a", "1") ",:%*s" EV("b", "2") "," EV("c", "3") "]", blanks, "");
		load_text(&l, (struct str){ b.p, b.n });
		assert_int_equal(l.events.n, blanks < 64 ? 2 : 3);
		loaded_done(&l);
		buf_done(&b);
	}
}

/* A search for the next event that begins in one window and ends in another: the event is cut by the window's end at each of its bytes. */
static void test_search_over_windows(void **state)
{
	(void)state;
	for (size_t garbage = 66450; garbage < 66650; garbage++) {
		struct buf b = { 0 };
		struct loaded l;

		buf_str(&b, "[" EV("a", "1") ",");
		while (b.n < garbage)
			buf_str(&b, "garbage ");
		b.n = garbage;
		buf_str(&b, "{  \"name\"  :\"b\",\"ph\":\"X\",\"ts\":2}]");
		loaded_text(&l, (struct str){ b.p, b.n }, 1000, 1);
		assert_true(l.events.n == 2 && l.info.nissues == 1 && l.info.issues[0].length > 60000);
		loaded_done(&l);
		buf_done(&b);
	}
}

/* Two writers in blocks of 61 bytes: whatever comes of it, it is the same for every chunk size (load_text), and adds up. */
static void test_interleaved(void **state)
{
	static const char a[] = "[" FIVE "," FIVE "]", z[] = "[" EV("q", "1") "," FIVE "," EV("r", "2") "]";
	struct buf b = { 0 };
	struct loaded l;

	(void)state;
	for (size_t i = 0; i < sizeof a - 1 || i < sizeof z - 1; i += 61) {
		buf_add(&b, a + MIN(i, sizeof a - 1), MIN((size_t)61, sizeof a - 1 - MIN(i, sizeof a - 1)));
		buf_add(&b, z + MIN(i, sizeof z - 1), MIN((size_t)61, sizeof z - 1 - MIN(i, sizeof z - 1)));
	}
	load_text(&l, (struct str){ b.p, b.n });
	assert_true(!l.err && l.events.n > 0 && l.info.nissues > 3);
	loaded_done(&l);
	buf_done(&b);
}

static void test_deep_nesting(void **state)
{
	static const size_t depths[] = { 1, 62, 63, 64, 65, 100000 };		/* args is one level, the array the others */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(depths); i++) {
		struct buf b = { 0 };
		struct loaded l;

		buf_str(&b, "[" EV("a", "1") ",{\"ph\":\"X\",\"name\":\"deep\",\"ts\":2,\"args\":{\"x\":");
		for (size_t k = 0; k < depths[i]; k++)
			buf_str(&b, "[");
		for (size_t k = 0; k < depths[i]; k++)
			buf_str(&b, "]");
		buf_str(&b, "}}," EV("b", "3") "]");
		load_text(&l, (struct str){ b.p, b.n });
		assert_int_equal(l.events.n, depths[i] <= JSON_DEPTH ? 3 : 2);
		assert_int_equal(dropped(&l, DROP_DAMAGED), depths[i] > JSON_DEPTH);
		loaded_done(&l);
		buf_done(&b);
	}
}

static void test_too_long(void **state)
{
	struct account account = { 0 };
	struct trace_info info;
	struct names names;
	struct buf b = { 0 };
	struct diag d;

	(void)state;
	buf_str(&b, "[" EV("a", "1") ",{\"ph\":\"X\",\"ts\":2,\"name\":\"");
	while (b.n < 300000)
		buf_str(&b, "long ");
	buf_str(&b, "\"}," EV("b", "3") "]");
	for (size_t most = 200000; most <= 400000; most += 200000)
		for (size_t chunk = 1000; chunk < 1u << 22; chunk *= 13) {
			struct file f = text_file((struct str){ b.p, b.n });
			struct builder *builder;
			struct events e;

			account = (struct account){ 0 };
			names_init(&names);
			builder = build_new(&names);
			trace_set_sizes(chunk, most);
			assert_int_equal(trace_load(&f, 0, &names, builder, &account, &info, 2, NULL, &d), ERR_OK);
			trace_set_sizes(0, 0);
			build_finish(builder, &e, &account);
			assert_int_equal(e.n, most > 300000 ? 3 : 2);
			assert_int_equal(account.dropped[DROP_TOO_LONG].count, most <= 300000);
			assert_false(info.unclosed);
			events_done(&e);
			names_done(&names);
			file_close(&f);
		}
	buf_done(&b);
}

/* Members before the events that are longer than what is read at first; and longer than what is read at all. */
static void test_long_head(void **state)
{
	struct buf b = { 0 };
	struct loaded l;
	struct file f;

	(void)state;
	buf_str(&b, "{\"a\":[");
	while (b.n < 300000)
		buf_str(&b, "{\"ph\":\"X\",\"ts\":1},");
	buf_str(&b, "{}],\"b\":\"");
	while (b.n < 600000)
		buf_str(&b, "\\\"traceEvents\\\":[");
	buf_str(&b, "\" , \"traceEvents\" : [" EV("a", "1") "]}");
	load_text(&l, (struct str){ b.p, b.n });
	assert_true(!l.err && l.events.n == 1 && l.info.is_object && l.info.nissues == 0);
	loaded_done(&l);
	f = text_file((struct str){ b.p, b.n });
	assert_true(trace_sniff(&f));
	trace_set_sizes(0, 100000);
	assert_false(trace_sniff(&f));
	trace_set_sizes(0, 0);
	file_close(&f);
	buf_done(&b);
}

static void test_many_lanes(void **state)
{
	struct buf b = { 0 };
	struct loaded l;

	(void)state;
	for (int i = 0; i < 20000; i++)
		buf_printf(&b, "%s{\"ph\":\"X\",\"pid\":%d,\"tid\":\"t%d\",\"ts\":%d,\"dur\":1}", i ? "," : "[", i % 100, i % 10000,
			20000 - i);
	buf_char(&b, ']');
	load_text(&l, (struct str){ b.p, b.n });
	assert_true(l.events.n == 20000 && l.events.nlanes == 10000 && l.events.nprocesses == 100);
	for (size_t i = 0; i < l.events.nlanes; i++)
		assert_true(l.events.lanes[i].n == 2 && l.events.start[2 * i + 1] - l.events.start[2 * i] == 10000000);
	loaded_done(&l);
	buf_done(&b);
}

/* ---- the file underneath ------------------------------------------------------------------------------------------------------------- */

static void test_spans(void **state)
{
	static const char text[] = " [ " EV("a", "1") " , {\"ph\":\"B\",\"ts\":2,\"name\":\"pair\"},{\"ph\":\"E\",\"ts\":3} ]";
	struct file f = text_file((struct str){ text, sizeof text - 1 });
	struct account account = { 0 };
	struct trace_info info;
	struct names names;
	struct builder *b;
	struct events e;
	struct diag d;

	(void)state;
	names_init(&names);
	b = build_new(&names);
	assert_int_equal(trace_load(&f, UINT64_C(1) << 40, &names, b, &account, &info, 0, NULL, &d), ERR_OK);
	build_finish(b, &e, &account);
	for (size_t i = 0; i < e.n; i++) {
		const char *at = text + (e.span[i] - (UINT64_C(1) << 40)), *name = names_text(&names, e.name[i]);

		assert_true(at[0] == '{' && at[e.span_len[i] - 1] == '}' && (at[7] == 'X' || at[7] == 'B'));
		assert_true(str_has((struct str){ at, e.span_len[i] }, str_of(name)));
	}
	assert_int_equal(e.n, 2);
	events_done(&e);
	names_done(&names);
	file_close(&f);
}

/* A file that is shorter than it was, one that cannot be read, and one that nobody waits for. */
static void test_bad_files(void **state)
{
	struct progress progress = { .cancel = 1 };
	struct account account = { 0 };
	struct trace_info info;
	struct names names;
	struct builder *b;
	struct loaded l;
	struct file f = text_file(STR("[" EV("a", "1") "," EV("b", "2")));

	(void)state;
	f.size += 1000;
	for (size_t chunk = 1; chunk < 2000; chunk += 333) {
		loaded_from(&l, &f, chunk, 2);
		assert_true(!l.err && l.events.n == 2 && l.info.unclosed);
		loaded_done(&l);
	}
	f.size -= 1020;			/* and one that grew: what it had is read */
	for (size_t chunk = 1; chunk < 2000; chunk += 333) {
		loaded_from(&l, &f, chunk, 2);
		assert_true(!l.err && l.events.n >= 1);
		loaded_done(&l);
	}
	f.size += 20;
	names_init(&names);
	b = build_new(&names);
	assert_int_equal(trace_load(&f, 0, &names, b, &account, &info, 2, &progress, &l.diag), ERR_CANCELLED);
	assert_true(account_total(&account) == 0 && names.n == 1);
	progress.cancel = 0;
	assert_int_equal(trace_load(&f, 0, &names, b, &account, &info, 2, &progress, &l.diag), ERR_OK);
	assert_true(progress.events == 2 && progress.bytes_done >= f.size - 1);
	build_free(b);
	names_done(&names);
	file_close(&f);
	f.fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	loaded_from(&l, &f, 0, 1);
	assert_int_equal(l.err, ERR_UNREADABLE);
	assert_non_null(strstr(l.diag.text, "cannot be read"));
	loaded_done(&l);
	file_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefixes), cmocka_unit_test(test_damage), cmocka_unit_test(test_many_issues),
		cmocka_unit_test(test_far_colon), cmocka_unit_test(test_search_over_windows),
			cmocka_unit_test(test_interleaved),
		cmocka_unit_test(test_deep_nesting), cmocka_unit_test(test_too_long), cmocka_unit_test(test_long_head),
			cmocka_unit_test(test_many_lanes), cmocka_unit_test(test_spans),
		cmocka_unit_test(test_bad_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
