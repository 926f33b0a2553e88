/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a CSV file into the columns of a table builder, some rows at a time and column by column, because one column is one kind of text.
 * The reader binds header fields to columns, adds rows, and flushes before the buffer that holds their text moves. Freed by batch_done().
 */
#ifndef ASCOPE_CORE_LOAD_TABLE_TABLE_BATCH_H
#define ASCOPE_CORE_LOAD_TABLE_TABLE_BATCH_H

#include "core/load/table/csv.h"
#include "core/load/table/gbk.h"
#include "core/load/table/table_build.h"
#include "core/model/column.h"

enum { BATCH_ROWS = 32, BATCH_FIELDS = 1 << 14, SAMPLE_MAX = 24 };

/* One field of the file that goes into a column. */
struct bind {
	size_t field, slot;
	enum col id;
	enum col_type type;
	int scale;			/* TIME: from the header's unit to ns */
	int64_t bytes_each;		/* BYTES: of one unit */
	struct str last;		/* TEXT: the cell before, in the name table, and its id; repeated text is the rule */
	uint32_t last_id;
	size_t odd;			/* cells that are no number, and the first one's text */
	char sample[SAMPLE_MAX];
};

struct batch {
	struct table_builder *b;
	struct csv *csv;
	struct bind *binds;		/* by field */
	size_t nbinds, cap_binds;
	struct bind needed[NEEDED_MAX];	/* copies of those that a row cannot do without */
	size_t nneeded;
	size_t phase_slot;		/* for words under Stage; SIZE_MAX none */

	struct {
		size_t first, n;	/* its fields in csv->fields */
	} rows[BATCH_ROWS];
	size_t n;			/* rows added */
	bool negative[BATCH_ROWS];
	uint32_t phase[BATCH_ROWS];

	struct gbk gbk;
	struct buf converted;
	size_t from_gbk, kept_bytes;	/* texts that were not UTF-8: converted, or kept as they are */
};

void batch_init(struct batch *t, struct table_builder *b, struct csv *csv);

/*
 * Adds the row that csv holds, or counts why it is dropped. Its fields stay in csv->fields until the batch is flushed, which it does itself
 * when full; csv_more() and csv_next() may be called only after batch_flush().
 */
void batch_row(struct batch *t);
void batch_flush(struct batch *t);
void batch_done(struct batch *t);

/* The name id of a text, converted to UTF-8 where that is possible. */
uint32_t batch_text(struct batch *t, struct str s);

bool row_is_blank(const struct str *fields, size_t n);

#endif
