/* SPDX-License-Identifier: Apache-2.0 */
/* Every CSV table of the real and the reference captures against row counts and column sums taken with another CSV reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/load/table/table_load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

struct sums {
	const char *path;
	enum artifact kind;
	size_t rows;
	const char *columns;
};

static const struct sums all_sums[] = {
#define SUMS(file, artifact, nrows, cols) { file, ART_##artifact, nrows, cols },
#include "tests/table_sums.def"
#undef SUMS
};

static const char *captures_root(void)
{
	const char *env = getenv("ASCOPE_CAPTURES");

	if (env && access(env, R_OK) == 0)
		return env;
	return access("../shared/captures", R_OK) == 0 ? "../shared/captures" : NULL;
}

static bool cell_is_missing(const struct column *c, size_t row)
{
	return c->type == CT_TEXT ? c->text[row] == 0 : c->type == CT_NUM ? isnan(c->real[row]) : c->num[row] == NO_INT;
}

struct total {
	size_t values;
	uint64_t integer;
	double real;
	uLong crc;
};

static struct total column_total(const struct column *c, size_t rows, const struct names *names)
{
	struct total t = { 0 };

	for (size_t i = 0; i < rows; i++) {
		struct str s;

		if (cell_is_missing(c, i))
			continue;
		t.values++;
		if (c->type == CT_TEXT) {
			s = names_str(names, c->text[i]);
			t.crc = crc32(crc32(t.crc, (const Bytef *)s.p, (uInt)s.n), (const Bytef *)"\n", 1);
		} else if (c->type == CT_NUM) {
			t.real += c->real[i];
		} else {
			t.integer += (uint64_t)c->num[i];
		}
	}
	return t;
}

static const struct column *column_by_header(const struct table *t, const struct names *names, struct str header)
{
	for (size_t i = 0; i < t->ncolumns; i++)
		if (str_is(names_str(names, t->columns[i].header), header))
			return &t->columns[i];
	return NULL;
}

/* One "header=values/sum" of the list. */
static void check_column(const struct table *t, const struct names *names, struct str header, const char *figures)
{
	const struct column *c = column_by_header(t, names, header);
	struct total total;
	char *sum;

	if (!c)
		fail_msg("no column %.*s", (int)header.n, header.p);
	total = column_total(c, t->nrows, names);
	assert_int_equal(total.values, strtoull(figures, &sum, 10));
	assert_true(*sum++ == '/');
	if (c->type == CT_TEXT)
		assert_int_equal(total.crc, strtoul(sum, NULL, 16));
	else if (c->type == CT_NUM)
		assert_true(total.real == strtod(sum, NULL));
	else
		assert_true(total.integer == strtoull(sum, NULL, 10));
}

static void check_table(const struct sums *want, const struct table *t, const struct names *names)
{
	const char *at = want->columns;
	size_t n = 0;

	assert_int_equal(t->kind, want->kind);
	assert_int_equal(t->nrows, want->rows);
	assert_int_equal(t->account.by_phase['R'], want->rows);
	assert_int_equal(t->account.kept, want->rows);
	assert_int_equal(account_dropped(&t->account), 0);
	assert_int_equal(t->negative, 0);
	for (; *at; n++) {
		const char *equals = strstr(at, "=");

		assert_non_null(equals);
		check_column(t, names, (struct str){ at, (size_t)(equals - at) }, equals + 1);
		at = strchr(at, ';') + 1;
	}
	assert_int_equal(t->ncolumns, n);
}

static void test_sums(void **state)
{
	const char *root = captures_root();

	(void)state;
	if (!root) {
		print_message("no captures here (ASCOPE_CAPTURES): skipped\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_LEN(all_sums); i++) {
		struct table *t = NULL;
		struct names names;
		struct csv_info info;
		struct file f;
		struct diag d;
		char path[4096];

		snprintf(path, sizeof path, "%s/%s", root, all_sums[i].path);
		names_init(&names);
		if (file_open(&f, path, &d))
			fail_msg("%s: %s", path, d.text);
		if (table_load_csv(&t, all_sums[i].kind, &f, &names, &info, NULL, &d))
			fail_msg("%s: %s", path, d.text);
		check_table(&all_sums[i], t, &names);
		assert_int_equal(table_sniff_csv(&f), all_sums[i].kind);
		assert_int_equal(info.unknown_columns, 0);
		assert_int_equal(info.odd_columns, 0);
		assert_string_equal(info.encoding, "UTF-8");
		file_close(&f);
		table_done(t);
		free(t);
		names_done(&names);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
