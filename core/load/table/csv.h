/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV text into rows of fields, through one buffer that slides over the file: quoted fields with commas, line breaks and "" in them, line
 * ends CRLF, LF and CR in any mix, a byte order mark. Fields are slices of the buffer, valid until the next call; CSV_PAD bytes behind each
 * may be read. Who opens a reader closes it with csv_close().
 *
 *	err = csv_open(&c, file, 0, d);
 *	while (!err && !(err = csv_next(&c, &has_row, d)) && has_row)
 *		... c.fields[0 .. c.nfields - 1]
 *	csv_close(&c);
 */
#ifndef ASCOPE_CORE_LOAD_TABLE_CSV_H
#define ASCOPE_CORE_LOAD_TABLE_CSV_H

#include "core/base/file.h"
#include "core/base/str.h"

enum {
	CSV_PAD = 80,
	CSV_FIELD_MAX = 16 << 20,	/* a longer field is refused */
	CSV_ROW_MAX = 64 << 20,		/* a longer row too */
	CSV_FIELDS_MAX = 1 << 18,	/* fields of a row behind these are passed over */
};

struct csv {
	const struct file *file;
	char *buf;
	size_t cap, n;			/* room for file bytes, bytes held */
	size_t at;			/* where the next row starts in buf */
	int64_t base;			/* offset in the file of buf[0] */
	bool at_end;			/* buf holds the last byte of the file */
	size_t row_max;			/* CSV_ROW_MAX; may be lowered after csv_open() */

	struct str *fields;		/* this row's are fields[first .. first + nfields - 1] */
	size_t nfields;			/* 0: an empty line */
	size_t first;			/* 0 unless the caller sets it, to keep the fields of rows before */
	int64_t row_line, row_byte;	/* where this row starts: line from 1, offset in the file */
	bool has_bom, unterminated_quote;

	/* private */
	size_t cap_fields;
	int64_t line;
	const char *block;		/* 64 bytes at and behind the next row, with the commas and line breaks not passed yet */
	uint64_t marks;
	size_t *escaped;		/* indexes of fields with a quote in them: to be cleaned when the row is whole */
	size_t nescaped, cap_escaped;
};

/* Starts reading f, which stays the caller's. buffer: bytes, 0 for the default (256 KiB). ERR_FORMAT for UTF-16 and UTF-32 text. */
enum err csv_open(struct csv *c, const struct file *f, size_t buffer, struct diag *d);

/* The next row, *has_row false at the end. An empty line is a row without fields; the line break that ends the file makes no row. */
enum err csv_next(struct csv *c, bool *has_row, struct diag *d);

/*
 * The same in two parts, for who keeps the fields of several rows: csv_row() never moves the buffer, csv_more() moves it and reads on.
 * CSV_FAILED: *err and d are set.
 */
enum csv_row { CSV_ROW, CSV_MORE, CSV_END, CSV_FAILED };
enum csv_row csv_row(struct csv *c, enum err *err, struct diag *d);
enum err csv_more(struct csv *c, struct diag *d);

void csv_close(struct csv *c);

/* How many rows the file may have, judged by the length of the first ones; call it after csv_open(). */
size_t csv_guess_rows(const struct csv *c);

/* Bytes of the file behind the rows read so far. */
static inline int64_t csv_tell(const struct csv *c)
{
	return c->base + (int64_t)c->at;
}

#endif
