/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/table/table_batch.h"

#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/load/table/cell.h"

#include <math.h>
#include <stdlib.h>

void batch_init(struct batch *t, struct table_builder *b, struct csv *csv)
{
	*t = (struct batch){ .b = b, .csv = csv, .phase_slot = SIZE_MAX };
}

void batch_done(struct batch *t)
{
	gbk_done(&t->gbk);
	buf_done(&t->converted);
	free(t->binds);
}

uint32_t batch_text(struct batch *t, struct str s)
{
	if (text_is_ascii(s) || text_is_utf8(s))
		return names_add(t->b->names, s);
	if (gbk_to_utf8(&t->gbk, s, &t->converted)) {
		t->from_gbk++;
		return names_add(t->b->names, (struct str){ t->converted.p, t->converted.n });
	}
	t->kept_bytes++;
	return names_add(t->b->names, s);
}

bool row_is_blank(const struct str *fields, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_trim(fields[i]).n)
			return false;
	return true;
}

static inline struct str cell_at(const struct batch *t, const struct str *fields, size_t row, size_t field)
{
	return LIKELY(field < t->rows[row].n) ? fields[t->rows[row].first + field] : (struct str){ "", 0 };
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static uint32_t text_cell(struct batch *t, struct bind *f, struct str s)
{
	if (!s.n)
		return 0;
	if (is_space(s.p[0]) || is_space(s.p[s.n - 1]))
		s = str_trim(s);
	if (str_is(s, f->last))
		return f->last_id;
	if (cell_is_missing_text(s))
		return 0;
	f->last_id = batch_text(t, s);
	f->last = names_str(t->b->names, f->last_id);
	return f->last_id;
}

static void note_odd(struct batch *t, struct bind *f, struct str s, size_t row)
{
	s = str_trim(s);
	if (f->id == COL_STAGE && t->phase_slot != SIZE_MAX)
		t->phase[row] = batch_text(t, s);
	else if (f->odd++ == 0)
		utf8_clean(s, f->sample, sizeof f->sample);
}

static inline enum cell int_cell(const struct bind *f, struct str s, int64_t *v)
{
	enum cell got = f->type == CT_BYTES ? cell_bytes(s, f->bytes_each, v) : cell_int(s, f->scale, v);

	if (got == CELL_VALUE && f->type == CT_TIME && (*v >= CELL_MAX || *v <= -CELL_MAX))
		return CELL_ODD;
	return got;
}

/* The bytes of zeros, of a NaN or of NO_INT tell them apart, so one test does for both kinds of numbers. */
static bool all_zero(const void *cells, size_t bytes)
{
	static const char zeros[BATCH_ROWS * sizeof(int64_t)];

	return memcmp(cells, zeros, bytes) == 0;
}

static void flush_text(struct batch *t, struct bind *f)
{
	const struct str *fields = t->csv->fields;
	uint32_t out[BATCH_ROWS], any = 0;

	for (size_t i = 0, n = t->n; i < n; i++)
		any |= out[i] = text_cell(t, f, cell_at(t, fields, i, f->field));
	slot_put(t->b, &t->b->slots[f->slot], t->b->rows,
		&(struct cell_run){ .text = out, .n = t->n, .has_values = any, .has_others = true });
}

static void flush_int(struct batch *t, struct bind *f)
{
	const struct str *fields = t->csv->fields;
	struct slot *slot = &t->b->slots[f->slot];
	int64_t out[BATCH_ROWS] = { 0 };
	size_t values = 0;

	for (size_t i = 0, n = t->n; i < n; i++) {
		struct str s = cell_at(t, fields, i, f->field);
		enum cell got = int_cell(f, s, &out[i]);

		if (LIKELY(got == CELL_VALUE)) {
			values++;
			if (UNLIKELY(out[i] < 0))
				t->negative[i] |= slot->is_duration;
			continue;
		}
		out[i] = NO_INT;
		if (got == CELL_ODD)
			note_odd(t, f, s, i);
	}
	slot_put(t->b, slot, t->b->rows, &(struct cell_run){ .num = out, .n = t->n, .has_values = values != 0,
		.has_others = values != t->n || !all_zero(out, t->n * sizeof *out) });
}

static void flush_real(struct batch *t, struct bind *f)
{
	const struct str *fields = t->csv->fields;
	double out[BATCH_ROWS] = { 0 };
	size_t values = 0;

	for (size_t i = 0, n = t->n; i < n; i++) {
		struct str s = cell_at(t, fields, i, f->field);
		enum cell got = cell_real(s, &out[i]);

		if (LIKELY(got == CELL_VALUE)) {
			values++;
			continue;
		}
		out[i] = (double)NAN;
		if (got == CELL_ODD)
			note_odd(t, f, s, i);
	}
	slot_put(t->b, &t->b->slots[f->slot], t->b->rows, &(struct cell_run){ .real = out, .n = t->n, .has_values = values != 0,
		.has_others = values != t->n || !all_zero(out, t->n * sizeof *out) });
}

static void flush_phase(struct batch *t)
{
	uint32_t any = 0;

	if (t->phase_slot == SIZE_MAX)
		return;
	for (size_t i = 0; i < t->n; i++)
		any |= t->phase[i];
	slot_put(t->b, &t->b->slots[t->phase_slot], t->b->rows,
		&(struct cell_run){ .text = t->phase, .n = t->n, .has_values = any, .has_others = true });
	memset(t->phase, 0, sizeof t->phase);
}

void batch_flush(struct batch *t)
{
	t->csv->first = 0;
	if (!t->n)
		return;
	for (size_t i = 0; i < t->nbinds; i++) {
		struct bind *f = &t->binds[i];

		if (f->type == CT_TEXT)
			flush_text(t, f);
		else if (f->type == CT_NUM)
			flush_real(t, f);
		else
			flush_int(t, f);
	}
	flush_phase(t);
	for (size_t i = 0; i < t->n; i++)
		t->b->t->negative += t->negative[i];
	memset(t->negative, 0, sizeof t->negative);
	t->b->rows += t->n;
	t->b->t->account.by_phase['R'] += t->n;
	t->b->t->account.kept += t->n;
	t->n = 0;
}

/* Why the row cannot be kept; DROP_MAX when it can. */
static enum drop row_fault(const struct batch *t, const struct str *fields, size_t n)
{
	for (size_t i = 0; i < t->nneeded; i++) {
		const struct bind *f = &t->needed[i];
		struct str s;
		double real;
		int64_t v;

		if (f->field >= n)
			return row_is_blank(fields, n) ? DROP_EMPTY_ROW : DROP_RAGGED_ROW;
		s = fields[f->field];
		if (f->type == CT_TEXT) {
			if (!s.n && row_is_blank(fields, n))
				return DROP_EMPTY_ROW;
			continue;
		}
		/* Writers put N/A for a rate that was not measured; a time that is not there makes the row useless. */
		if (f->type == CT_NUM ? cell_real(s, &real) != CELL_ODD : int_cell(f, s, &v) == CELL_VALUE)
			continue;
		if (row_is_blank(fields, n))
			return DROP_EMPTY_ROW;
		return f->type == CT_TIME && cell_real(s, &real) == CELL_VALUE ? DROP_TIME_RANGE : DROP_RAGGED_ROW;
	}
	return DROP_MAX;
}

void batch_row(struct batch *t)
{
	struct csv *c = t->csv;
	enum drop why = row_fault(t, c->fields + c->first, c->nfields);

	if (UNLIKELY(why != DROP_MAX)) {
		struct account *a = &t->b->t->account;

		a->by_phase['R']++;
		account_drop(a, why, (int64_t)(a->by_phase['R'] + t->n));
		return;
	}
	t->rows[t->n].first = c->first;
	t->rows[t->n].n = c->nfields;
	c->first += c->nfields;
	if (++t->n == BATCH_ROWS || c->first > BATCH_FIELDS)
		batch_flush(t);
}
