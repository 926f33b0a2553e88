/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of a capture (a CSV file, its slices, or the matching database tables) as typed columns. Columns that hold nothing in any row
 * are left out, so "column absent" and "column empty" are one case: table_col() gives NULL.
 */
#ifndef ASCOPE_CORE_MODEL_TABLE_H
#define ASCOPE_CORE_MODEL_TABLE_H

#include "core/base/names.h"
#include "core/model/account.h"

enum artifact {
#define ARTIFACT(id, key, form, files, needed, text) ART_##id,
#include "core/model/artifact.def"
#undef ARTIFACT
	ART_MAX,
	ART_NONE = ART_MAX
};

enum form { FORM_TRACE, FORM_TABLE, FORM_DOC, FORM_DB };

const char *artifact_key(enum artifact a);
const char *artifact_title(enum artifact a);
enum form   artifact_form(enum artifact a);

enum col_type { CT_TEXT, CT_INT, CT_NUM, CT_TIME, CT_BYTES };

enum col {
#define COLUMN(id, type, spellings) COL_##id,
#include "core/model/column.def"
#undef COLUMN
	COL_METRIC,			/* a hardware metric (aic_*, aiv_*, mac_ratio, ...), told apart by its name; NUM */
	COL_MAX,
	COL_UNKNOWN = COL_MAX
};

/* What a missing cell (empty, N/A, NULL) holds: TEXT 0; INT, TIME, BYTES INT64_MIN; NUM a NaN. */
#define NO_INT INT64_MIN

struct column {
	enum col id;
	enum col_type type;
	uint32_t header;		/* as the file writes it */
	uint32_t metric;		/* COL_METRIC: its name without the unit; else 0 */
	uint32_t unit;			/* the unit in the header ("us", "GB/s", "%"), 0 none; TIME is ns and BYTES is bytes whatever it says */
	union {
		uint32_t *text;
		int64_t *num;		/* INT, TIME (ns), BYTES */
		double *real;		/* NUM */
	};
};

struct table {
	enum artifact kind;
	size_t nrows;
	struct column *columns;
	size_t ncolumns;
	struct account account;		/* rows: by_phase['R'] */
	size_t negative;		/* rows with a negative duration: kept, counted as 0 by sums */
};

const struct column *table_col(const struct table *t, enum col id);		/* NULL when absent or empty */
const struct column *table_metric(const struct table *t, const struct names *names, const char *metric);
void                 table_done(struct table *t);

const char  *col_key(enum col id);			/* lower-case id for messages */
const char  *col_spelling(enum col id);			/* the first spelling, for "column X is absent" */
enum col_type col_type_of(enum col id);

/* The column a CSV header means, COL_UNKNOWN when none. *unit is the text in the closing parentheses when it is a unit, else empty. */
enum col col_of_header(struct str header, struct str *unit);

#endif
