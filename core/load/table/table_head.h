/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header row of a CSV table: which column each field is. Used by the reader and by table_sniff_csv(). Freed by head_done(); texts are
 * slices of the fields it was read from.
 */
#ifndef ASCOPE_CORE_LOAD_TABLE_TABLE_HEAD_H
#define ASCOPE_CORE_LOAD_TABLE_TABLE_HEAD_H

#include "core/model/table.h"

enum { HEAD_MAX = 4096 };		/* header fields behind these are not looked at */

struct head_field {
	enum col id;			/* COL_UNKNOWN for a second header of the same column, too */
	struct str unit;		/* empty when the header has none */
};

struct head {
	struct head_field *fields;
	size_t n;
	size_t at[COL_MAX];		/* field + 1 of each column, 0 when absent; the first of the metrics */
};

void head_read(struct head *h, const struct str *fields, size_t n);
void head_done(struct head *h);

/* The first needed column of `kind` that is absent; COL_UNKNOWN when none is. */
enum col head_lacks(const struct head *h, enum artifact kind);

/* What table this is the header of, by content alone; ART_NONE when unknown. fields: what head_read() was given. */
enum artifact head_artifact(const struct head *h, const struct str *fields);

#endif
