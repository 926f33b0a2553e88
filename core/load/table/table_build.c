/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/table/table_build.h"

#include "core/base/mem.h"
#include "core/load/table/cell.h"
#include "core/model/column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_FIRST = 64, ROWS_GUESS_MAX = 1 << 23 };

static size_t cell_width(const struct slot *s)
{
	return s->column.type == CT_TEXT ? sizeof *s->column.text : sizeof *s->column.num;
}

/* Columns that say how long something took; a start, or a wait for others, may lie before another time. */
static bool is_duration(enum col id)
{
	static const enum col durations[] = {
		COL_DURATION, COL_TOTAL_TIME, COL_MIN_TIME, COL_AVG_TIME, COL_MAX_TIME, COL_HOST_SELF, COL_HOST_TOTAL, COL_DEVICE_SELF,
		COL_DEVICE_TOTAL, COL_AICORE_SELF, COL_AICORE_TOTAL, COL_ITERATION_TIME, COL_FP_TO_BP, COL_ACTIVE_DURATION,
	};

	for (size_t i = 0; i < ARRAY_LEN(durations); i++)
		if (durations[i] == id)
			return true;
	return false;
}

static size_t slot_add(struct table_builder *b, struct column like)
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

static void slot_resize(struct table_builder *b, struct slot *s, size_t cap)
{
	size_t width = cell_width(s);

	s->column.num = s->cap ? cells_resize(s->column.num, s->cap * width, cap * width) : cells_new(&b->pool, cap * width);
	s->cap = cap;
}

/* How many cells to make room for: the guess at first, small steps behind it because room that is used up costs a move, not a copy. */
static size_t slot_room(const struct table_builder *b, const struct slot *s, size_t rows)
{
	size_t room = MAX(rows, (size_t)ROWS_FIRST);

	if (s->cap < ROWS_GUESS_MAX && b->rows_expected > s->cap)
		return MAX(room, MIN(b->rows_expected, (size_t)ROWS_GUESS_MAX));
	return MAX(room, s->cap + (b->rows_expected ? s->cap / 4 : s->cap));
}

/* Room for cells up to row `rows`; false when the bound on memory is hit. */
static bool slot_reach(struct table_builder *b, struct slot *s, size_t rows)
{
	size_t more = s->cap ? 0 : cell_width(s);

	if (s->cap >= rows)
		return true;
	b->over |= b->row_bytes + more > b->bytes_max / rows;
	if (b->over)
		return false;
	b->row_bytes += more;
	slot_resize(b, s, slot_room(b, s, rows));
	return true;
}

void slot_put(struct table_builder *b, struct slot *s, size_t at, const struct cell_run *run)
{
	size_t width = cell_width(s);

	if (!run->has_values)
		return;
	if (!s->cap && !run->has_others && s->n == at) {
		s->n += run->n;
		return;
	}
	if (!slot_reach(b, s, at + run->n))
		return;
	slot_fill(s, at);
	memcpy((char *)s->column.num + at * width, run->num, run->n * width);
	s->n = at + run->n;
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

/* The only cell of the current row for one column; a second one takes its place. */
static void put_one(struct table_builder *b, size_t slot, const void *cell, bool is_zero)
{
	struct slot *s = &b->slots[slot];

	if (!b->rows)
		return;
	if (!s->cap && s->n == b->rows)
		s->n--;
	slot_put(b, s, b->rows - 1, &(struct cell_run){ .num = cell, .n = 1, .has_values = true, .has_others = !is_zero });
}

void table_set_text(struct table_builder *b, enum col id, struct str s)
{
	uint32_t text;

	if (cell_is_missing_text(s) || id >= COL_METRIC || col_type_of(id) != CT_TEXT)
		return;
	text = names_add(b->names, s);
	put_one(b, slot_find(b, id, 0), &text, false);
}

void table_set_int(struct table_builder *b, enum col id, int64_t v)
{
	enum col_type type = col_type_of(id);
	size_t slot;

	if (v == NO_INT || id >= COL_METRIC || type == CT_TEXT)
		return;
	if (type == CT_NUM) {
		table_set_num(b, id, (double)v);
		return;
	}
	slot = slot_find(b, id, 0);
	put_one(b, slot, &v, v == 0);
	if (v < 0 && b->slots[slot].is_duration && !b->row_negative) {
		b->row_negative = true;
		b->t->negative++;
	}
}

void table_set_num(struct table_builder *b, enum col id, double v)
{
	if (!isnan(v) && id < COL_METRIC && col_type_of(id) == CT_NUM)
		put_one(b, slot_find(b, id, 0), &v, v == 0);
}

void table_set_metric(struct table_builder *b, struct str name, double v)
{
	size_t at;

	if (isnan(v) || !name.n)
		return;
	at = slot_find(b, COL_METRIC, names_add(b->names, name));
	if (at != SIZE_MAX)
		put_one(b, at, &v, v == 0);
}

bool table_build_is_over(const struct table_builder *b)
{
	return b->over || (b->rows && b->row_bytes > b->bytes_max / b->rows);
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

		if (!s->n)
			continue;
		if (s->cap < b->rows)
			slot_resize(b, s, b->rows);
		slot_fill(s, b->rows);
		slot_resize(b, s, b->rows);
		t->columns[t->ncolumns++] = s->column;
	}
	cells_pool_done(&b->pool);
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

		s->n = i < b->slots_before ? MIN(s->n, b->rows) : 0;
		if (s->cap)
			slot_resize(b, s, i < b->slots_before ? MAX(s->cap, b->rows) : 0);
	}
	table_built(b);
}
