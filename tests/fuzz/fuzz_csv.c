/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV files of any content: rows must not depend on where the buffer ends, and a table that loads must add up. The first byte picks the
 * kind of table (or what the header looks like) and the size of the buffer.
 */
#include "core/base/mem.h"
#include "core/load/table/csv.h"
#include "core/load/table/table_load.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* A number that depends on every field, row and place; has_failed when the reader gave up. */
static uint64_t rows_hash(const struct file *f, size_t buffer, bool *has_failed)
{
	struct csv c;
	uint64_t h = 1;
	bool has_row;
	enum err err = csv_open(&c, f, buffer, NULL);

	*has_failed = err != ERR_OK;
	if (err)
		return 0;
	while (!(err = csv_next(&c, &has_row, NULL)) && has_row) {
		for (size_t i = 0; i < c.nfields; i++)
			h = h * 31 + str_hash(c.fields[i]) + c.fields[i].n;
		h = h * 37 + (uint64_t)c.row_line * 3 + (uint64_t)c.row_byte + c.nfields;
	}
	*has_failed = err != ERR_OK;
	h += c.unterminated_quote;
	check(err || csv_tell(&c) == f->size);
	csv_close(&c);
	return h;
}

static void check_column(const struct column *c, size_t rows, const struct names *names)
{
	bool any = false;

	check(c->header < names->n && c->unit < names->n && c->metric < names->n);
	for (size_t i = 0; i < rows; i++) {
		if (c->type == CT_TEXT)
			check(c->text[i] < names->n);
		any |= c->type == CT_TEXT ? c->text[i] != 0 : c->type == CT_NUM ? !isnan(c->real[i]) : c->num[i] != NO_INT;
	}
	check(any);
}

static void check_table(const struct table *t, const struct names *names)
{
	const struct account *a = &t->account;

	check(a->by_phase['R'] == a->kept + account_dropped(a) && a->kept == t->nrows && t->negative <= t->nrows);
	for (size_t i = 0; i < t->ncolumns; i++) {
		check_column(&t->columns[i], t->nrows, names);
		check(t->columns[i].id == COL_METRIC || table_col(t, t->columns[i].id) == &t->columns[i]);
	}
}

static void load_twice(const struct file *f, enum artifact kind)
{
	struct names names;
	struct table *t = NULL;
	struct csv_info info;
	struct diag d;
	size_t rows, columns;

	names_init(&names);
	if (table_load_csv(&t, kind, f, &names, &info, NULL, &d) == ERR_OK) {
		check_table(t, &names);
		rows = t->nrows;
		columns = t->ncolumns;
		check(table_load_csv(&t, kind, f, &names, NULL, NULL, NULL) == ERR_OK);
		check(t->nrows == 2 * rows && t->ncolumns == columns);
		check_table(t, &names);
		table_done(t);
		free(t);
	} else {
		check(!t && d.text[0]);
	}
	names_done(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct file f = { .path = "fuzz.csv", .fd = memfd_create("fuzz", MFD_CLOEXEC) };
	enum artifact kind;
	bool small_failed, large_failed;
	uint64_t small, large;
	uint8_t pick;

	if (!size || f.fd < 0)
		return 0;
	pick = *data++;
	size--;
	if (size && write(f.fd, data, size) != (ssize_t)size)
		abort();
	f.size = (int64_t)size;
	small = rows_hash(&f, 16 + pick % 64, &small_failed);
	large = rows_hash(&f, 0, &large_failed);
	check(small_failed == large_failed && small == large);
	kind = table_sniff_csv(&f);
	if (kind != ART_NONE)
		load_twice(&f, kind);
	load_twice(&f, (enum artifact)(pick % ART_MAX));
	file_close(&f);
	return 0;
}
