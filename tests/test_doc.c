/* SPDX-License-Identifier: Apache-2.0 */
/* The text layer of JSON documents: what is accepted, where errors are, and that numbers keep every digit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/base/doc.h"
#include "core/base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST ((size_t)1 << 26)

/* The text in heap memory of exactly its size, so that a sanitizer sees a read behind it. */
static struct str exact(struct str s)
{
	return (struct str){ s.n ? memcpy(mem_alloc(s.n, 1), s.p, s.n) : mem_alloc(1, 1), s.n };
}

static enum err check(struct str s, struct diag *d)
{
	struct str text = exact(s), value;
	enum err err = doc_check(text, MOST, &value, d);

	free((char *)(uintptr_t)text.p);
	return err;
}

static void test_accepts(void **state)
{
	static const char *const good[] = {
		"{}", "[]", " [ ] \r\n", "null", "true", "false", "0", "-1.5e-05", "\"\"", "[1,2,[3,{\"a\":null}]]",
		"\xef\xbb\xbf{\"a\":1}",
		"{\"a\":NaN,\"b\":[Infinity,-Infinity]}", "\"\\u0041\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"a\nb\tc\"", "\"\\ud83d\"",
		"{\"a\":1,\"a\":2}", "01", "1E+5",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct diag d = { 0 };

		if (check(str_of(good[i]), &d) != ERR_OK)
			fail_msg("%s: %s", good[i], d.text);
	}
	assert_int_equal(check(STR("{}\0\0\0"), NULL), ERR_OK);
}

static void test_value_without_wrapping(void **state)
{
	struct str value;

	(void)state;
	assert_int_equal(doc_check(STR("\xef\xbb\xbf\r\n {\"a\": 1} \n\0"), MOST, &value, NULL), ERR_OK);
	assert_true(str_is(value, STR("{\"a\": 1}")));
}

static void test_refuses(void **state)
{
	const struct {
		struct str text;
		int64_t byte, line;
		const char *says;
	} bad[] = {
		{ STR(""), 0, -1, "empty" },
		{ STR("\0\0\0"), 0, -1, "NUL" },
		{ STR(" \n "), 0, -1, "blanks" },
		{ STR("\xef\xbb\xbf"), 0, -1, "blanks" },
		{ STR("\xff\xfe{\0}\0"), 0, 1, "UTF-16" },
		{ STR("\xfe\xff\0{\0}"), 0, 1, "UTF-16" },
		{ STR("{\0}\0"), 0, 1, "UTF-16" },
		{ STR("\0{\0}"), 0, 1, "UTF-16" },
		{ STR("\0\0\0{}"), 0, 1, "NUL" },
		{ STR("{\n\"a\":\n1"), 8, 3, "object that opens at byte 0" },
		{ STR("{\"a\": [1, 2"), 11, 1, "array that opens at byte 6" },
		{ STR("{\"a\": \"tex"), 10, 1, "cut off" },
		{ STR("{\"a\": tru"), 9, 1, "cut off" },
		{ STR("{\"a\": -"), 7, 1, "cut off" },
		{ STR("{\"a\":\"\\u00"), 10, 1, "cut off" },
		{ STR("{\"a\":1}\n{\"b\":2}"), 8, 2, "nothing more" },
		{ STR("{\"a\":1,}"), 7, 1, "a key" },
		{ STR("[1,]"), 3, 1, "a value" },
		{ STR("{a:1}"), 1, 1, "a key" },
		{ STR("{\"a\" 1}"), 5, 1, "':'" },
		{ STR("{\"a\":1 \"b\":2}"), 7, 1, "','" },
		{ STR("[1}"), 2, 1, "',' or ']'" },
		{ STR("]"), 0, 1, "a value" },
		{ STR("{'a':1}"), 1, 1, "a key" },
		{ STR("\n\n[\"C:\\Users\"]"), 6, 3, "backslash" },
		{ STR("[1.]"), 1, 1, "not '1'" },
		{ STR("[+1]"), 1, 1, "not '+'" },
		{ STR("Step,Computing\n1,2\n"), 0, 1, "not 'S'" },
		{ STR("SQLite format 3\0"), 0, 1, "not 'S'" },
		{ STR("<html>"), 0, 1, "not '<'" },
		{ STR("\x1f\x8b\x08"), 0, 1, "byte 0x1f" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct diag d = { 0 };
		enum err err = check(bad[i].text, &d);

		if (err != ERR_FORMAT || d.byte != bad[i].byte || d.line != bad[i].line ||
				(!strstr(d.text, bad[i].says) && strcmp(bad[i].says, "',' or ']'") != 0))
			fail_msg("case %zu: err %d byte %lld line %lld: %s", i, err, (long long)d.byte, (long long)d.line, d.text);
	}
}

/* n opening brackets, a value, n closing ones. */
static struct str nested(size_t n, const char *open, const char *close)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < n; i++)
		buf_str(&b, open);
	buf_str(&b, "1");
	for (size_t i = 0; i < n; i++)
		buf_str(&b, close);
	return (struct str){ b.p, b.n };
}

static void test_nesting(void **state)
{
	static const struct {
		const char *open, *close;
	} kinds[] = { { "[", "]" }, { "{\"k\":", "}" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct str ok = nested(DOC_DEPTH_MAX, kinds[i].open, kinds[i].close);
		struct str deep = nested(DOC_DEPTH_MAX + 1, kinds[i].open, kinds[i].close);
		struct str bomb = nested(2000000, kinds[i].open, "");
		struct diag d = { 0 };
		struct str value;
		struct doc doc;

		assert_int_equal(doc_check(ok, MOST, &value, &d), ERR_OK);
		assert_int_equal(doc_open(&doc, value, &d), ERR_OK);
		doc_close(&doc);
		assert_int_equal(doc_check(deep, MOST, &value, &d), ERR_LIMIT);
		assert_int_equal(d.byte, strlen(kinds[i].open) * DOC_DEPTH_MAX);
		assert_int_equal(doc_check(bomb, MOST, &value, &d), ERR_LIMIT);
		free((char *)(uintptr_t)ok.p);
		free((char *)(uintptr_t)deep.p);
		free((char *)(uintptr_t)bomb.p);
	}
}

static void test_size_limits(void **state)
{
	struct diag d = { 0 };
	struct str value;
	struct buf b = { 0 };
	struct doc doc;

	(void)state;
	assert_int_equal(doc_check(STR("[1, 2]"), 5, &value, &d), ERR_LIMIT);
	assert_int_equal(doc_check(STR("[1, 2]"), 6, &value, &d), ERR_OK);
	buf_char(&b, '"');
	while (b.n < DOC_TREE_BYTES_MAX)
		buf_str(&b, "0123456789abcdef0123456789abcdef");
	buf_char(&b, '"');
	assert_int_equal(doc_check((struct str){ b.p, b.n }, MOST, &value, &d), ERR_OK);
	assert_int_equal(doc_open(&doc, value, &d), ERR_LIMIT);
	assert_null(doc.root);
	buf_done(&b);
}

static void test_walk(void **state)
{
	static const struct {
		const char *key, *value;
		char kind;
	} want[] = {
		{ "a", "1", '0' }, { "b}", "{\"x\":[\"]\",{}]}", '{' }, { "q\"k", "\"t\\\"}\"", '"' }, { "", "[ ]", '[' },
		{ "\xc3\xa9", "true", 't' },
		{ "\xef\xbf\xbd", "false", 'f' }, { "n", "null", 'n' }, { "n", "-Infinity", 'n' }, { "z", "-2.5e3", '0' },
	};
	struct str text = exact(STR("{\"a\" :1,\t\"b}\":{\"x\":[\"]\",{}]},\n\"q\\\"k\" : \"t\\\"}\" , \"\":[ ],\"\\u00e9\":true,"
		"\"\\udc00\":false,\"n\":null,\"n\":-Infinity,\"z\":-2.5e3}"));
	struct str value, key, item;
	struct doc_walk w;
	size_t n = 0;

	(void)state;
	assert_int_equal(doc_check(text, MOST, &value, NULL), ERR_OK);
	assert_false(doc_walk_start(&w, value, '['));
	assert_false(doc_walk_next(&w, &key, &item));
	assert_true(doc_walk_start(&w, value, '{'));
	while (doc_walk_next(&w, &key, &item)) {
		assert_true(n < ARRAY_LEN(want));
		assert_true(str_is(key, str_of(want[n].key)));
		assert_true(str_is(item, str_of(want[n].value)));
		assert_int_equal(doc_kind(item), want[n].kind);
		n++;
	}
	doc_walk_done(&w);
	assert_int_equal(n, ARRAY_LEN(want));
	free((char *)(uintptr_t)text.p);
}

static void test_walk_array(void **state)
{
	struct str key, item;
	struct doc_walk w;
	int64_t sum = 0, v;
	size_t n = 0;

	(void)state;
	assert_true(doc_walk_start(&w, STR("[1, \"2\" ,3.0,[4],\"x\"]"), '['));
	for (; doc_walk_next(&w, &key, &item); n++)
		sum += doc_raw_int(item, 0, &v) ? v : 0;
	doc_walk_done(&w);
	assert_int_equal(n, 5);
	assert_int_equal(sum, 6);
}

/* Digits that no double holds: 2^53 + 1, epoch times, group hashes over 2^63. */
static void test_exact_numbers(void **state)
{
	static const char *const digits[] = {
		"9007199254740993", "1736408883732241.5", "1736413971558972.912", "17522688603477080586", "18446744073709551615",
		"0.000000000000000000000000000000000000000000000000000000000000000000000000001", "1e-05",
		"1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
	};
	struct buf b = { 0 };
	struct doc doc;
	const struct cJSON *item;
	struct str s;
	int64_t ns;

	(void)state;
	buf_str(&b, "{\"deep\":[[{\"x\":12}]],\"empty\":{},\"n\":NaN");
	for (size_t i = 0; i < ARRAY_LEN(digits); i++)
		buf_printf(&b, ",\"k%zu\":%s,\"s%zu\":\"77\"", i, digits[i], i);
	buf_str(&b, "}");
	assert_int_equal(doc_open(&doc, (struct str){ b.p, b.n }, NULL), ERR_OK);
	for (size_t i = 0; i < ARRAY_LEN(digits); i++) {
		char key[16];

		snprintf(key, sizeof key, "k%zu", i);
		item = doc_get(doc.root, key);
		assert_true(doc_text(item, &s));
		assert_true(str_is(s, str_of(digits[i])));
		assert_false(doc_str(item, &s));
	}
	assert_true(doc_int(doc_get(doc.root, "k1"), 3, &ns));
	assert_int_equal(ns, 1736408883732241500);
	assert_true(doc_int(doc_get(doc.root, "k2"), 3, &ns));
	assert_int_equal(ns, 1736413971558972912);
	assert_false(doc_int(doc_get(doc.root, "k4"), 0, &ns));
	assert_true(doc_int(doc_get(doc.root, "k6"), 6, &ns));
	assert_int_equal(ns, 10);
	assert_false(doc_text(doc_get(doc.root, "n"), &s) && s.n);
	doc_close(&doc);
	buf_done(&b);
}

static void test_getters(void **state)
{
	struct str s, text = exact(STR("{\"a\":{\"b\":{\"c\":\" 12.5\\t\"}},\"t\":true,\"f\":\"False\",\"one\":1,\"two\":2,\"nul\":null,"
		"\"big\":1e999,\"pair\":\"\\ud83d\\ude00\",\"half\":\"x\\ud83dy\\udc00\\\\ud83d\"}"));
	struct doc doc;
	int64_t v = 7;
	double x = 7;
	bool on;

	(void)state;
	assert_int_equal(doc_open(&doc, text, NULL), ERR_OK);
	assert_ptr_equal(doc_at(doc.root, ""), doc.root);
	assert_true(doc_int(doc_at(doc.root, "a.b.c"), 3, &v));
	assert_int_equal(v, 12500);
	assert_true(doc_num(doc_at(doc.root, "a.b.c"), &x));
	assert_true(fabs(x - 12.5) < 1e-12);
	assert_null(doc_at(doc.root, "a.x.c"));
	assert_null(doc_at(doc.root, "t.x"));
	assert_false(doc_int(NULL, 0, &v) || doc_num(NULL, &x) || doc_str(NULL, &s) || doc_text(NULL, &s) || doc_bool(NULL, &on));
	assert_false(doc_int(doc_get(doc.root, "a"), 0, &v) || doc_int(doc_get(doc.root, "nul"), 0, &v));
	assert_false(doc_num(doc_get(doc.root, "big"), &x));
	assert_int_equal(v, 12500);
	assert_true(doc_bool(doc_get(doc.root, "t"), &on) && on);
	assert_true(doc_bool(doc_get(doc.root, "f"), &on) && !on);
	assert_true(doc_bool(doc_get(doc.root, "one"), &on) && on);
	assert_false(doc_bool(doc_get(doc.root, "two"), &on) || doc_bool(doc_get(doc.root, "nul"), &on));
	assert_true(doc_str(doc_get(doc.root, "pair"), &s) && str_is(s, STR("\xf0\x9f\x98\x80")));
	assert_true(doc_str(doc_get(doc.root, "half"), &s) && str_is(s, STR("x\xef\xbf\xbdy\xef\xbf\xbd\\ud83d")));
	doc_close(&doc);
	doc_close(&doc);
	free((char *)(uintptr_t)text.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepts), cmocka_unit_test(test_value_without_wrapping), cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_nesting), cmocka_unit_test(test_size_limits), cmocka_unit_test(test_walk),
		cmocka_unit_test(test_walk_array), cmocka_unit_test(test_exact_numbers), cmocka_unit_test(test_getters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
