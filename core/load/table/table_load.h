/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV files into tables, streamed: memory is the columns that hold something plus one buffer, whatever the size of the file.
 */
#ifndef ASCOPE_CORE_LOAD_TABLE_TABLE_LOAD_H
#define ASCOPE_CORE_LOAD_TABLE_TABLE_LOAD_H

#include "core/base/diag.h"
#include "core/base/file.h"
#include "core/base/progress.h"
#include "core/model/table.h"

struct csv_info {
	size_t unknown_columns;		/* columns the program has no use for; their headers, '; ' between, at most 3 named */
	char unknown[160];
	const char *encoding;		/* "UTF-8", "UTF-8 with BOM", "GBK", "Latin-1 or other" */
	bool unterminated_quote;
	size_t odd_columns;		/* number columns with cells that are neither a number nor N/A; such cells count as missing */
	char odd[320];			/* at most 3 of them: header, how many cells, the first one's text */
};

/*
 * Reads one CSV file as artifact `kind` and appends its rows to *t (made when *t is NULL; a slice may lack or add columns). Names are
 * interned in `names`. Returns ERR_FORMAT with the reason when the header lacks a needed column (see artifact.def) or the file is empty;
 * *t is untouched then. The caller frees *t with table_done() and free().
 */
enum err table_load_csv(struct table **t, enum artifact kind, const struct file *f, struct names *names, struct csv_info *info,
		struct progress *p, struct diag *d);

/* The table artifact whose needed columns the header of f has, by content alone; ART_NONE when none. For files with odd names. */
enum artifact table_sniff_csv(const struct file *f);

/* Builds a table row by row: for databases and tests. Cells not set are missing, and so is text that says so: empty, "N/A", "NULL". */
struct table_builder;
struct table_builder *table_build(struct table *t, enum artifact kind, struct names *names);	/* appends to *t, which the caller zeroed */
void table_row(struct table_builder *b);					/* starts the next row */
void table_set_text(struct table_builder *b, enum col id, struct str s);
void table_set_int(struct table_builder *b, enum col id, int64_t v);		/* INT, TIME (ns), BYTES */
void table_set_num(struct table_builder *b, enum col id, double v);
void table_set_metric(struct table_builder *b, struct str name, double v);	/* "aic_mac_ratio", unit left out */
void table_built(struct table_builder *b);					/* finishes and frees b */

#endif
