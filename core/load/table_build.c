/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/table_build.h"

#include "core/base/mem.h"
#include "core/model/cells.h"
#include "core/model/column.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS_FIRST = 64 };

static size_t cell_width(const struct slot *s)
{
	return s->column.type == CT_TEXT ? sizeof *s->column.text : sizeof *s->column.num;
}

/* Columns that say how long something took; a start, or a wait for others, may lie before another time. */
static bool is_duration(enum col id)
{
	static const enum col durations[] = { COL_DURATION, COL_TOTAL_TIME, COL_MIN_TIME, COL_AVG_TIME, COL_MAX_TIME, COL_HOST_SELF, COL_HOST_TOTAL,
		COL_DEVICE_SELF, COL_DEVICE_TOTAL, COL_AICORE_SELF, COL_AICORE_TOTAL, COL_ITERATION_TIME, COL_FP_TO_BP, COL_ACTIVE_DURATION };

	for (size_t i = 0; i < ARRAY_LEN(durations); i++)
		if (durations[i] == id)
			return true;
	return false;
}

size_t slot_add(struct table_builder *b, struct column like)
{
	if (like.id == COL_METRIC && b->nmetrics == METRICS_MAX)
		return SIZE_MAX;
	b->slots = array_grow(b->slots, b->nslots, &b->cap_slots, sizeof *b->slots);
	b->slots[b->nslots] = (struct slot){ .column = like, .is_duration = is_duration(like.id) };
	b->slots[b->nslots].column.num = NULL;
	if (like.id == COL_METRIC)
		b->nmetrics++;
	else
		b->slot_of[like.id] = b->nslots + 1;
	return b->nslots++;
}

/* Metrics come in the same order for every row, so the search starts behind the last one found. */
static size_t metric_find(struct table_builder *b, uint32_t metric)
{
	for (size_t i = 0; i < b->nslots; i++) {
		size_t at = b->metric_at + 1 + i;

		at = at >= b->nslots ? at - b->nslots : at;
		if (at < b->nslots && b->slots[at].column.id == COL_METRIC && b->slots[at].column.metric == metric)
			return b->metric_at = at;
	}
	return SIZE_MAX;
}

size_t slot_find(struct table_builder *b, enum col id, uint32_t metric)
{
	struct column c = { .id = id, .type = col_type_of(id), .metric = metric };
	size_t at;

	if (id == COL_METRIC) {
		at = metric_find(b, metric);
		c.header = metric;
		return at == SIZE_MAX ? slot_add(b, c) : at;
	}
	if (b->slot_of[id])
		return b->slot_of[id] - 1;
	c.header = names_add(b->names, str_of(col_spelling(id)));
	return slot_add(b, c);
}

static void slot_fill(struct slot *s, size_t rows)
{
	for (; s->n < rows; s->n++) {
		if (s->column.type == CT_TEXT)
			s->column.text[s->n] = 0;
		else if (s->column.type == CT_NUM)
			s->column.real[s->n] = (double)NAN;
		else
			s->column.num[s->n] = NO_INT;
	}
}

static void slot_resize(struct slot *s, size_t cap)
{
	size_t width = cell_width(s);

	s->column.num = cells_resize(s->column.num, s->cap * width, cap * width);
	s->cap = cap;
}

bool slot_reach(struct table_builder *b, struct slot *s)
{
	size_t more = s->cap ? 0 : cell_width(s);

	if (b->over || !b->rows)
		return false;
	if (s->cap < b->rows) {
		if ((b->row_bytes + more) > b->bytes_max / b->rows) {
			b->over = true;
			return false;
		}
		b->row_bytes += more;
		slot_resize(s, MAX(s->cap * 2, MAX(b->rows, (size_t)ROWS_FIRST)));
	}
	slot_fill(s, b->rows - 1);
	return true;
}

struct table_builder *table_build(struct table *t, enum artifact kind, struct names *names)
{
	struct table_builder *b = mem_zalloc(1, sizeof *b);

	*b = (struct table_builder){ .t = t, .names = names, .rows = t->nrows, .rows_before = t->nrows, .bytes_max = SIZE_MAX / 4,
		.negative_before = t->negative, .account_before = t->account };
	t->kind = kind;
	for (size_t i = 0; i < t->ncolumns; i++) {
		size_t at = slot_add(b, t->columns[i]);
		struct slot *s = &b->slots[at];

		s->column.num = t->columns[i].num;
		s->n = s->cap = t->nrows;
		b->row_bytes += cell_width(s);
	}
	b->slots_before = b->nslots;
	return b;
}

void table_row(struct table_builder *b)
{
	b->rows++;
	b->row_negative = false;
	b->t->account.by_phase['R']++;
	b->t->account.kept++;
}

void table_set_text(struct table_builder *b, enum col id, struct str s)
{
	if (s.n && id < COL_METRIC && col_type_of(id) == CT_TEXT)
		slot_set_text(b, &b->slots[slot_find(b, id, 0)], names_add(b->names, s));
}

void table_set_int(struct table_builder *b, enum col id, int64_t v)
{
	enum col_type type = col_type_of(id);

	if (v == NO_INT || id >= COL_METRIC || type == CT_TEXT)
		return;
	if (type == CT_NUM)
		slot_set_num(b, &b->slots[slot_find(b, id, 0)], (double)v);
	else
		slot_set_int(b, &b->slots[slot_find(b, id, 0)], v);
}

void table_set_num(struct table_builder *b, enum col id, double v)
{
	if (!isnan(v) && id < COL_METRIC && col_type_of(id) == CT_NUM)
		slot_set_num(b, &b->slots[slot_find(b, id, 0)], v);
}

void table_set_metric(struct table_builder *b, struct str name, double v)
{
	size_t at;

	if (isnan(v) || !name.n)
		return;
	at = slot_find(b, COL_METRIC, names_add(b->names, name));
	if (at != SIZE_MAX)
		slot_set_num(b, &b->slots[at], v);
}

void table_built(struct table_builder *b)
{
	struct table *t = b->t;

	free(t->columns);
	t->columns = mem_zalloc(b->nslots, sizeof *t->columns);
	t->ncolumns = 0;
	t->nrows = b->rows;
	for (size_t i = 0; i < b->nslots; i++) {
		struct slot *s = &b->slots[i];

		if (!s->cap)
			continue;
		slot_resize(s, MAX(s->cap, b->rows));
		slot_fill(s, b->rows);
		slot_resize(s, b->rows);
		t->columns[t->ncolumns++] = s->column;
	}
	free(b->slots);
	free(b);
}

void table_build_undo(struct table_builder *b)
{
	b->t->negative = b->negative_before;
	b->t->account = b->account_before;
	b->rows = b->rows_before;
	for (size_t i = 0; i < b->nslots; i++) {
		struct slot *s = &b->slots[i];

		s->n = MIN(s->n, b->rows);
		slot_resize(s, i < b->slots_before ? MAX(s->cap, b->rows) : 0);
	}
	table_built(b);
}
