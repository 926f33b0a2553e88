/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CSV tokenizer: what the format allows, what writers do to it, and damage; random texts against a reader that looks at one byte at a
 * time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/base/mem.h"
#include "core/load/table/csv.h"
#include "core/load/table/gbk.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct file file_of(const char *text, size_t n)
{
	struct file f = { .path = "t.csv", .fd = memfd_create("csv", MFD_CLOEXEC), .size = (int64_t)n };

	for (size_t done = 0; done < n;) {
		ssize_t w = write(f.fd, text + done, n - done);

		assert_true(w > 0);
		done += (size_t)w;
	}
	return f;
}

/* Rows as text: fields in [..], a line feed behind each row. */
static void rows_as_text(struct str text, size_t buffer, struct buf *out)
{
	struct file f = file_of(text.p, text.n);
	struct csv c;
	struct diag d;
	bool has_row;

	out->n = 0;
	buf_str(out, "");
	assert_int_equal(csv_open(&c, &f, buffer, &d), ERR_OK);
	for (;;) {
		assert_int_equal(csv_next(&c, &has_row, &d), ERR_OK);
		if (!has_row)
			break;
		for (size_t i = 0; i < c.nfields; i++) {
			buf_char(out, '[');
			buf_add(out, c.fields[i].p, c.fields[i].n);
			buf_char(out, ']');
		}
		buf_char(out, '\n');
	}
	csv_close(&c);
	file_close(&f);
}

/* The same by the book, a byte at a time. */
static size_t slow_field(struct str t, size_t i, struct buf *out)
{
	bool quoted = i < t.n && t.p[i] == '"';

	buf_char(out, '[');
	for (i += quoted; i < t.n; i++) {
		char c = t.p[i];

		if (quoted && c == '"' && i + 1 < t.n && t.p[i + 1] == '"')
			i++;
		else if (quoted && c == '"') {
			quoted = false;
			continue;
		} else if (!quoted && (c == ',' || c == '\n' || c == '\r'))
			break;
		buf_char(out, c);
	}
	buf_char(out, ']');
	return i;
}

static void slow_rows(struct str t, struct buf *out)
{
	out->n = 0;
	buf_str(out, "");
	for (size_t i = 0; i < t.n;) {
		if (t.p[i] != '\n' && t.p[i] != '\r') {
			i = slow_field(t, i, out);
			while (i < t.n && t.p[i] == ',')
				i = slow_field(t, i + 1, out);
		}
		buf_char(out, '\n');
		if (i + 2 < t.n && memcmp(t.p + i, "\r\r\n", 3) == 0)
			i += 2;
		else if (i + 1 < t.n && memcmp(t.p + i, "\r\n", 2) == 0)
			i++;
		i++;
	}
}

/* STR() as a constant */
#define TEXT(literal) { "" literal, sizeof(literal) - 1 }

struct sample {
	struct str text;
	const char *rows;
};

static void test_samples(void **state)
{
	static const struct sample samples[] = {
		{ TEXT("a,b\n1,2\n"), "[a][b]\n[1][2]\n" },
		{ TEXT("a,b\r\n1,2\r\n"), "[a][b]\n[1][2]\n" },
		{ TEXT("a,b\r1,2\r"), "[a][b]\n[1][2]\n" },
		{ TEXT("a\r\nb\nc\rd"), "[a]\n[b]\n[c]\n[d]\n" },
		{ TEXT("a,b\r\r\n1,2\r\r\n"), "[a][b]\n[1][2]\n" },
		{ TEXT("a,,\n,,\n"), "[a][][]\n[][][]\n" },
		{ TEXT("a\n\nb\n\n"), "[a]\n\n[b]\n\n" },
		{ TEXT("a,b,"), "[a][b][]\n" },
		{ TEXT("\"x,y\",\"p\nq\r\nr\"\n"), "[x,y][p\nq\r\nr]\n" },
		{ TEXT("\"\"\"8,2048;4\"\"\",\"\"\n"), "[\"8,2048;4\"][]\n" },
		{ TEXT("\"1764246877082702.440\t\",12\t,\t\n"), "[1764246877082702.440\t][12\t][\t]\n" },
		{ TEXT("\"a\" ,\"b\"c\"d\",e\"f\"\n"), "[a ][bc\"d\"][e\"f\"]\n" },
		{ TEXT("\xef\xbb\xbf" "a,b\n"), "[a][b]\n" },
		{ TEXT("a,\"b\n1,2\n"), "[a][b\n1,2\n]\n" },
		{ TEXT("\""), "[]\n" },
		{ TEXT("\"\""), "[]\n" },
		{ TEXT("\xef\xbb\xbf"), "" },
		{ TEXT(""), "" },
	};
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(samples); i++)
		for (size_t buffer = 0; buffer < 40; buffer += 13) {
			rows_as_text(samples[i].text, buffer, &out);
			assert_string_equal(out.p, samples[i].rows);
		}
	buf_done(&out);
}

static void test_nul_bytes(void **state)
{
	struct buf out = { 0 };

	(void)state;
	rows_as_text(STR("ab,c\0d,\0\n\"\0\"\n"), 16, &out);
	assert_true(str_is((struct str){ out.p, out.n }, STR("[ab][c\0d][\0]\n[\0]\n")));
	buf_done(&out);
}

static uint64_t rng_next(uint64_t *s)
{
	*s ^= *s << 13, *s ^= *s >> 7, *s ^= *s << 17;
	return *s;
}

static void test_random(void **state)
{
	static const char alphabet[] = "aaaab1,,,\"\"\n\r\t\xe6";
	static const size_t buffers[] = { 16, 17, 23, 64, 97, 0 };
	uint64_t seed = 88172645463325252u;
	struct buf fast = { 0 }, slow = { 0 }, text = { 0 };

	(void)state;
	for (int round = 0; round < 4000; round++) {
		size_t n = rng_next(&seed) % 200;

		text.n = 0;
		buf_char(&text, 'h');
		for (size_t i = 0; i < n; i++)
			buf_char(&text, alphabet[rng_next(&seed) % (sizeof alphabet - 1)]);
		slow_rows((struct str){ text.p, text.n }, &slow);
		rows_as_text((struct str){ text.p, text.n }, buffers[(size_t)round % ARRAY_LEN(buffers)], &fast);
		assert_int_equal(fast.n, slow.n);
		assert_memory_equal(fast.p, slow.p, fast.n);
	}
	buf_done(&fast);
	buf_done(&slow);
	buf_done(&text);
}

static void test_places(void **state)
{
	const char *text = "a,b\r\n\"x\ny\",2\n\n3,4\r5,6";
	static const int64_t lines[] = { 1, 2, 4, 5, 6 }, bytes[] = { 0, 5, 13, 14, 18 };
	struct file f = file_of(text, strlen(text));
	struct csv c;
	struct diag d;
	bool has_row;

	(void)state;
	assert_int_equal(csv_open(&c, &f, 16, &d), ERR_OK);
	for (size_t i = 0; i < ARRAY_LEN(bytes); i++) {
		assert_int_equal(csv_next(&c, &has_row, &d), ERR_OK);
		assert_true(has_row);
		assert_int_equal(c.row_byte, bytes[i]);
		/* a lone CR ends a row, so lines behind it count on from there */
		assert_int_equal(c.row_line, lines[i]);
	}
	assert_int_equal(csv_next(&c, &has_row, &d), ERR_OK);
	assert_false(has_row);
	assert_int_equal(csv_tell(&c), f.size);
	assert_false(c.unterminated_quote);
	csv_close(&c);
	file_close(&f);
}

static void test_wide_text(void **state)
{
	static const struct str texts[] = {
		TEXT("\xff\xfe" "a\0,\0"), TEXT("\xfe\xff\0a\0,"), TEXT("\xff\xfe\0\0a\0\0\0"), TEXT("\0\0\xfe\xff\0\0\0a"),
		TEXT("N\0a\0m\0e\0"), TEXT("\0N\0a\0m\0e"),
	};
	struct csv c;
	struct diag d;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct file f = file_of(texts[i].p, texts[i].n);

		assert_int_equal(csv_open(&c, &f, 0, &d), ERR_FORMAT);
		assert_non_null(strstr(d.text, "UTF-16"));
		assert_string_equal(d.file, "t.csv");
		file_close(&f);
	}
}

static void test_unterminated(void **state)
{
	struct file f = file_of("a,b\n1,\"2\n3,4\n", 13);
	struct csv c;
	struct diag d;
	bool has_row;

	(void)state;
	assert_int_equal(csv_open(&c, &f, 0, &d), ERR_OK);
	assert_int_equal(csv_next(&c, &has_row, &d), ERR_OK);
	assert_false(c.unterminated_quote);
	assert_int_equal(csv_next(&c, &has_row, &d), ERR_OK);
	assert_int_equal(c.nfields, 2);
	assert_true(str_is(c.fields[1], STR("2\n3,4\n")));
	assert_true(c.unterminated_quote);
	assert_int_equal(csv_next(&c, &has_row, &d), ERR_OK);
	assert_false(has_row);
	csv_close(&c);
	file_close(&f);
}

/* A file of "h\n1," and then a field of n bytes that opens with `first`. */
static enum err read_long(size_t n, char first, struct csv *c, struct diag *d)
{
	char *text = mem_alloc(n + 5, 1);
	struct file f;
	bool has_row;
	enum err err;

	memcpy(text, "h\n1,", 4);
	memset(text + 4, 'x', n);
	text[4] = first;
	text[n + 4] = first == '"' ? 'x' : '\n';
	f = file_of(text, n + 5);
	assert_int_equal(csv_open(c, &f, 0, d), ERR_OK);
	assert_int_equal(csv_next(c, &has_row, d), ERR_OK);
	err = csv_next(c, &has_row, d);
	if (!err)
		assert_int_equal(c->fields[1].n, n);
	csv_close(c);
	file_close(&f);
	free(text);
	return err;
}

static void test_long_fields(void **state)
{
	struct csv c;
	struct diag d;

	(void)state;
	assert_int_equal(read_long(CSV_FIELD_MAX, 'x', &c, &d), ERR_OK);
	assert_int_equal(read_long((size_t)CSV_FIELD_MAX + 1, 'x', &c, &d), ERR_LIMIT);
	assert_int_equal(d.line, 2);
	assert_int_equal(d.byte, 4);
	assert_int_equal(read_long((size_t)CSV_FIELD_MAX + 4096, '"', &c, &d), ERR_LIMIT);
	assert_int_equal(d.byte, 4);
	assert_non_null(strstr(d.text, "quote"));
}

static void test_long_row(void **state)
{
	struct file f = file_of("h\naaaaaaa,bbbbbbb,ccccccc,ddddddd,eeeeeee\n", 42);
	struct csv c;
	struct diag d;
	bool has_row;

	(void)state;
	assert_int_equal(csv_open(&c, &f, 16, &d), ERR_OK);
	c.row_max = 32;
	assert_int_equal(csv_next(&c, &has_row, &d), ERR_OK);
	assert_int_equal(csv_next(&c, &has_row, &d), ERR_LIMIT);
	assert_false(has_row);
	assert_int_equal(d.line, 2);
	csv_close(&c);
	file_close(&f);
}

static void test_many_fields(void **state)
{
	size_t n = CSV_FIELDS_MAX + 1000;
	char *text = mem_alloc(n + 6, 1);
	struct file f;
	struct csv c;
	struct diag d;
	bool has_row;

	(void)state;
	memset(text, ',', n);
	memcpy(text + n, "\"\"\"\"\nz", 6);
	f = file_of(text, n + 6);
	assert_int_equal(csv_open(&c, &f, 0, &d), ERR_OK);
	assert_int_equal(csv_next(&c, &has_row, &d), ERR_OK);
	assert_int_equal(c.nfields, CSV_FIELDS_MAX);
	assert_int_equal(csv_next(&c, &has_row, &d), ERR_OK);
	assert_int_equal(c.nfields, 1);
	assert_true(str_is(c.fields[0], STR("z")));
	csv_close(&c);
	file_close(&f);
	free(text);
}

static void test_guess_and_errors(void **state)
{
	struct file f = file_of("a,b\n\"1\n1\",2\n3,4\n5,6\n", 20), closed = { .path = "gone", .fd = -1, .size = 10 };
	struct csv c;
	struct diag d;

	(void)state;
	assert_int_equal(csv_open(&c, &f, 0, &d), ERR_OK);
	assert_in_range(csv_guess_rows(&c), 4, 8);
	csv_close(&c);
	file_close(&f);
	assert_int_equal(csv_open(&c, &closed, 0, &d), ERR_UNREADABLE);
	assert_string_equal(d.file, "gone");
}

static void test_gbk(void **state)
{
	struct gbk g = { 0 };
	struct buf out = { 0 };

	(void)state;
	assert_true(text_is_ascii(STR("only letters and 123, longer than eight")));
	assert_false(text_is_ascii(STR("1234567\x80")));
	assert_false(text_is_ascii(STR("123456789\xff")));
	assert_true(text_is_utf8(STR("\xe7\xae\x97\xe5\xad\x90")));
	assert_false(text_is_utf8(STR("\xcb\xe3\xd7\xd3")));
	if (gbk_to_utf8(&g, STR("\xcb\xe3\xd7\xd3 op"), &out)) {
		assert_string_equal(out.p, "\xe7\xae\x97\xe5\xad\x90 op");
		assert_false(gbk_to_utf8(&g, STR("caf\xe9"), &out));
		assert_false(gbk_to_utf8(&g, STR("\xff\xff"), &out));
		assert_true(gbk_to_utf8(&g, STR("\xcb\xe3"), &out));
		assert_string_equal(out.p, "\xe7\xae\x97");
	} else {
		print_message("the C library has no GBK here: skipped\n");
	}
	gbk_done(&g);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),		cmocka_unit_test(test_nul_bytes),	cmocka_unit_test(test_random),
		cmocka_unit_test(test_places),		cmocka_unit_test(test_wide_text),	cmocka_unit_test(test_unterminated),
		cmocka_unit_test(test_long_fields),	cmocka_unit_test(test_long_row),	cmocka_unit_test(test_many_fields),
		cmocka_unit_test(test_guess_and_errors), cmocka_unit_test(test_gbk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
