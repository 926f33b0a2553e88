/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/table/table_head.h"

#include "core/base/mem.h"
#include "core/load/table/csv.h"
#include "core/load/table/table_load.h"
#include "core/model/column.h"

#include <stdlib.h>

void head_read(struct head *h, const struct str *fields, size_t n)
{
	*h = (struct head){ .n = MIN(n, (size_t)HEAD_MAX) };
	h->fields = mem_zalloc(h->n, sizeof *h->fields);
	for (size_t i = 0; i < h->n; i++) {
		struct head_field *f = &h->fields[i];

		f->id = col_of_header(fields[i], &f->unit);
		if (f->id == COL_UNKNOWN)
			continue;
		if (!h->at[f->id])
			h->at[f->id] = i + 1;
		else if (f->id != COL_METRIC)
			f->id = COL_UNKNOWN;
	}
}

void head_done(struct head *h)
{
	free(h->fields);
	*h = (struct head){ 0 };
}

enum col head_lacks(const struct head *h, enum artifact kind)
{
	enum col needed[NEEDED_MAX];
	size_t n = artifact_needed(kind, needed);

	for (size_t i = 0; i < n; i++)
		if (!h->at[needed[i]])
			return needed[i];
	return COL_UNKNOWN;
}

enum { SNIFF_COLUMNS = 3 };

/*
 * Tried from the top: a table whose columns are a part of another's comes after it. A rule fits when the needed columns (artifact.def)
 * and those of `also` are there, those of `not` are not, and the column of names has the spelling given.
 */
static const struct {
	enum artifact kind;
	const char *name;			/* NULL: any */
	enum col also[SNIFF_COLUMNS], not[SNIFF_COLUMNS];	/* COL_MAX: none */
} sniff_rules[] = {
#define NONE { COL_MAX, COL_MAX, COL_MAX }
	{ ART_CLUSTER_STEP,     NULL,          NONE, NONE },
	{ ART_STEP_TRACE_TIME,  NULL,          NONE, NONE },
	{ ART_STEP_TRACE,       NULL,          NONE, NONE },
	{ ART_OPERATOR_DETAILS, NULL,          { COL_HOST_SELF, COL_MAX, COL_MAX }, NONE },
	{ ART_OPERATOR_DETAILS, NULL,          { COL_HOST_TOTAL, COL_MAX, COL_MAX }, NONE },
	{ ART_OP_SUMMARY,       "Op Name",     NONE, NONE },
	{ ART_TASK_TIME,        "kernel_name", NONE, NONE },
	{ ART_OPERATOR_MEMORY,  NULL,          NONE, NONE },
	{ ART_MEMORY_RECORD,    NULL,          { COL_ALLOCATED, COL_MAX, COL_MAX }, NONE },
	{ ART_NPU_MODULE_MEM,   NULL,          { COL_RESERVED, COL_MAX, COL_MAX }, NONE },
	{ ART_L2_CACHE,         NULL,          NONE, NONE },
	{ ART_API_STATISTIC,    "API Name",    NONE, NONE },
	{ ART_API_STATISTIC,    NULL,          { COL_LEVEL, COL_MAX, COL_MAX }, NONE },
	{ ART_KERNEL_DETAILS,   "Name",        NONE, NONE },
	{ ART_OP_STATISTIC,     NULL,          { COL_CORE, COL_MAX, COL_MAX }, NONE },
	{ ART_COMM_STATISTIC,   NULL,          NONE, { COL_CORE, COL_NAME, COL_MAX } },
	{ ART_OPERATOR_DETAILS, "Name",        { COL_INPUT_SHAPES, COL_MAX, COL_MAX }, { COL_TYPE, COL_START, COL_DURATION } },
#undef NONE
};

static bool has_all(const struct head *h, const enum col cols[SNIFF_COLUMNS])
{
	for (size_t i = 0; i < SNIFF_COLUMNS; i++)
		if (cols[i] != COL_MAX && !h->at[cols[i]])
			return false;
	return true;
}

static bool has_any(const struct head *h, const enum col cols[SNIFF_COLUMNS])
{
	for (size_t i = 0; i < SNIFF_COLUMNS; i++)
		if (cols[i] != COL_MAX && h->at[cols[i]])
			return true;
	return false;
}

static bool is_named(const struct head *h, const struct str *fields, const char *name)
{
	return !name || (h->at[COL_NAME] && header_is(str_trim(fields[h->at[COL_NAME] - 1]), str_of(name)));
}

enum artifact head_artifact(const struct head *h, const struct str *fields)
{
	for (size_t i = 0; i < ARRAY_LEN(sniff_rules); i++)
		if (head_lacks(h, sniff_rules[i].kind) == COL_UNKNOWN && is_named(h, fields, sniff_rules[i].name)
			&& has_all(h, sniff_rules[i].also) && !has_any(h, sniff_rules[i].not))
			return sniff_rules[i].kind;
	return ART_NONE;
}

enum artifact table_sniff_csv(const struct file *f)
{
	const size_t most = (size_t)64 * 1024;
	enum artifact kind = ART_NONE;
	struct csv c;
	struct head h;
	bool has_row;

	if (csv_open(&c, f, most, NULL))
		return ART_NONE;
	c.row_max = most;
	do {
		if (csv_next(&c, &has_row, NULL))
			has_row = false;
	} while (has_row && !c.nfields);
	if (has_row) {
		head_read(&h, c.fields, c.nfields);
		kind = head_artifact(&h, c.fields);
		head_done(&h);
	}
	csv_close(&c);
	return kind;
}
