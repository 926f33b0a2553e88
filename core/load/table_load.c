/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/table_load.h"

#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/load/cell.h"
#include "core/load/csv.h"
#include "core/load/gbk.h"
#include "core/load/table_build.h"
#include "core/load/table_head.h"
#include "core/model/column.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAMED_MAX = 3, SAMPLE_MAX = 24, SCALE_US = 3 };

/* A bound on memory for tables that their file cannot fill: hundreds of columns, and rows that stop after three. */
enum { CELL_BYTES_FREE = 256 << 20, CELL_BYTES_EACH = 16 };

/* One field of the file that goes into a column. */
struct bind {
	size_t field, slot;
	enum col id;
	enum col_type type;
	int scale;			/* TIME: from the unit to ns */
	int64_t bytes_each;		/* BYTES: of one unit */
	struct str last;		/* TEXT: the cell before, in the name table, and its id; repeated text is the rule */
	uint32_t last_id;
	size_t odd;			/* cells that are no number */
	char sample[SAMPLE_MAX];
};

struct reader {
	struct csv csv;
	struct table_builder *b;
	struct names *names;
	struct csv_info *info;
	struct bind *binds;
	size_t nbinds, cap_binds;
	struct bind needed[NEEDED_MAX];
	size_t nneeded;
	size_t phase;			/* slot + 1 for words under Stage, 0 none */
	struct gbk gbk;
	struct buf converted;
	size_t from_gbk, kept_bytes;	/* texts that were not UTF-8 */
};

/* The id of a text that is not in the cache of its column. */
static uint32_t text_id(struct reader *r, struct str s)
{
	if (text_is_ascii(s) || text_is_utf8(s))
		return names_add(r->names, s);
	if (gbk_to_utf8(&r->gbk, s, &r->converted)) {
		r->from_gbk++;
		return names_add(r->names, (struct str){ r->converted.p, r->converted.n });
	}
	r->kept_bytes++;
	return names_add(r->names, s);
}

static inline bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void set_text(struct reader *r, struct bind *f, struct str s)
{
	if (s.n && (is_space(s.p[0]) || is_space(s.p[s.n - 1])))
		s = str_trim(s);
	if (!str_is(s, f->last)) {
		if (cell_is_missing_text(s))
			return;
		f->last_id = text_id(r, s);
		f->last = names_str(r->names, f->last_id);
	}
	if (f->last_id)
		slot_set_text(r->b, &r->b->slots[f->slot], f->last_id);
}

static void note_odd(struct reader *r, struct bind *f, struct str s)
{
	if (f->id == COL_STAGE && r->phase) {
		slot_set_text(r->b, &r->b->slots[r->phase - 1], text_id(r, str_trim(s)));
		return;
	}
	if (f->odd++ == 0)
		utf8_clean(s, f->sample, sizeof f->sample);
}

static enum cell cell_of(const struct bind *f, struct str s, int64_t *v)
{
	enum cell got = f->type == CT_BYTES ? cell_bytes(s, f->bytes_each, v) : cell_int(s, f->scale, v);

	if (got == CELL_VALUE && f->type == CT_TIME && (*v >= CELL_MAX || *v <= -CELL_MAX))
		return CELL_ODD;
	return got;
}

static inline void set_cell(struct reader *r, struct bind *f, struct str s)
{
	struct slot *slot = &r->b->slots[f->slot];
	enum cell got;
	double real;
	int64_t v;

	if (!s.n)
		return;
	if (f->type == CT_TEXT) {
		set_text(r, f, s);
		return;
	}
	if (f->type == CT_NUM) {
		got = cell_real(s, &real);
		if (got == CELL_VALUE)
			slot_set_num(r->b, slot, real);
	} else {
		got = cell_of(f, s, &v);
		if (got == CELL_VALUE)
			slot_set_int(r->b, slot, v);
	}
	if (UNLIKELY(got == CELL_ODD))
		note_odd(r, f, s);
}

static bool row_is_blank(const struct csv *c)
{
	for (size_t i = 0; i < c->nfields; i++)
		if (str_trim(c->fields[i]).n)
			return false;
	return true;
}

/* Why the row cannot be kept; DROP_MAX when it can. */
static enum drop row_fault(const struct reader *r)
{
	for (size_t i = 0; i < r->nneeded; i++) {
		const struct bind *f = &r->needed[i];
		struct str s;
		double real;
		int64_t v;

		if (f->field >= r->csv.nfields)
			return row_is_blank(&r->csv) ? DROP_EMPTY_ROW : DROP_RAGGED_ROW;
		s = r->csv.fields[f->field];
		if (f->type == CT_TEXT) {
			if (!s.n && row_is_blank(&r->csv))
				return DROP_EMPTY_ROW;
			continue;
		}
		/* Writers put N/A for a rate that was not measured; a time that is not there makes the row useless. */
		if (f->type == CT_NUM ? cell_real(s, &real) != CELL_ODD : cell_of(f, s, &v) == CELL_VALUE)
			continue;
		if (row_is_blank(&r->csv))
			return DROP_EMPTY_ROW;
		return f->type == CT_TIME && cell_real(s, &real) == CELL_VALUE ? DROP_TIME_RANGE : DROP_RAGGED_ROW;
	}
	return DROP_MAX;
}

static void read_row(struct reader *r)
{
	enum drop why = row_fault(r);
	size_t n = r->csv.nfields;

	if (UNLIKELY(why != DROP_MAX)) {
		struct account *a = &r->b->t->account;

		a->by_phase['R']++;
		account_drop(a, why, (int64_t)a->by_phase['R']);
		return;
	}
	table_row(r->b);
	for (size_t i = 0; i < r->nbinds && r->binds[i].field < n; i++)
		set_cell(r, &r->binds[i], r->csv.fields[r->binds[i].field]);
}

/* "a; b; c" with at most three parts; the counter behind tells how many there were. */
static void info_name(char *list, size_t size, size_t nth, const char *part)
{
	size_t used = strlen(list);

	if (nth <= NAMED_MAX)
		snprintf(list + used, size - used, "%s%s", used ? "; " : "", part);
}

static void note_unknown(struct reader *r, struct str header)
{
	char text[52];

	header = str_trim(header);
	if (!header.n)
		return;			/* a trailing comma */
	utf8_clean(header, text, sizeof text);
	info_name(r->info->unknown, sizeof r->info->unknown, ++r->info->unknown_columns, text);
}

static bool is_bound(const struct reader *r, size_t slot)
{
	for (size_t i = 0; i < r->nbinds; i++)
		if (r->binds[i].slot == slot)
			return true;
	return false;
}

/* Makes header field i feed a column; false when it is none or its column has a field already. */
static bool bind_field(struct reader *r, const struct head_field *h, size_t i)
{
	struct str header = r->csv.fields[i], unit;
	const struct unit_info *u = h->unit.n ? unit_of(h->unit) : NULL;
	char metric[METRIC_NAME_MAX];
	uint32_t metric_id = 0;
	struct slot *slot;
	size_t at;

	if (h->id == COL_UNKNOWN)
		return false;
	if (h->id == COL_METRIC) {
		if (!metric_of_name(header_name(header, &unit), metric))
			return false;
		metric_id = names_add(r->names, str_of(metric));
	}
	at = slot_find(r->b, h->id, metric_id);
	if (at == SIZE_MAX || is_bound(r, at))
		return false;
	slot = &r->b->slots[at];
	if (at >= r->b->slots_before) {
		slot->column.header = text_id(r, str_trim(header));
		slot->column.unit = names_add(r->names, h->unit);
	}
	ARRAY_PUSH(r, binds, nbinds, cap_binds) = (struct bind){ .field = i, .slot = at, .id = h->id, .type = slot->column.type,
		.scale = slot->column.type != CT_TIME ? 0 : u ? u->time_scale : SCALE_US, .bytes_each = u && u->bytes ? u->bytes : 1 };
	return true;
}

static void bind_needed(struct reader *r, enum artifact kind)
{
	enum col needed[NEEDED_MAX];
	size_t n = artifact_needed(kind, needed);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < r->nbinds; k++)
			if (r->binds[k].id == needed[i])
				r->needed[r->nneeded++] = r->binds[k];
}

static void bind_all(struct reader *r, const struct head *h, enum artifact kind)
{
	for (size_t i = 0; i < r->csv.nfields; i++)
		if (i >= h->n || !bind_field(r, &h->fields[i], i))
			note_unknown(r, r->csv.fields[i]);
	bind_needed(r, kind);
	if (h->at[COL_STAGE] && !h->at[COL_PHASE])
		r->phase = slot_find(r->b, COL_PHASE, 0) + 1;
}

/* Reads up to and with the header, and checks that it is one of this kind. */
static enum err read_head(struct reader *r, struct head *h, enum artifact kind, struct diag *d)
{
	const char *path = r->csv.file->path;
	enum col missing;
	char start[64];
	bool has_row;

	do {
		enum err err = csv_next(&r->csv, &has_row, d);

		if (err)
			return err;
	} while (has_row && row_is_blank(&r->csv));
	if (!has_row)
		return diag_set(d, ERR_FORMAT, path, 0, -1, r->csv.file->size ? "holds no header row" : "is empty");
	head_read(h, r->csv.fields, r->csv.nfields);
	missing = head_lacks(h, kind);
	if (missing == COL_UNKNOWN)
		return ERR_OK;
	head_done(h);
	utf8_clean(r->csv.fields[0], start, sizeof start);
	return diag_set(d, ERR_FORMAT, path, -1, r->csv.row_line, "the header (%zu columns, \"%s\" first) has no \"%s\", which %s needs",
		r->csv.nfields, start, col_spelling(missing), artifact_key(kind));
}

static bool is_over(const struct table_builder *b)
{
	return b->over || (b->rows && b->row_bytes > b->bytes_max / b->rows);
}

static enum err read_rows(struct reader *r, struct progress *p, struct diag *d)
{
	const size_t allowed = (size_t)CELL_BYTES_FREE + CELL_BYTES_EACH * r->b->rows_before * r->b->row_bytes;
	int64_t told = 0, rows = 0, base = -1;
	bool has_row = true;
	enum err err;

	while (!(err = csv_next(&r->csv, &has_row, d)) && has_row) {
		if (UNLIKELY(r->csv.base != base)) {
			if (progress_cancelled(p))
				return diag_set(d, ERR_CANCELLED, r->csv.file->path, -1, r->csv.row_line, "cancelled");
			base = r->csv.base;
			r->b->bytes_max = allowed + CELL_BYTES_EACH * (size_t)(base + (int64_t)r->csv.n);
			progress_add(p, base - told, rows);
			told = base, rows = 0;
		}
		read_row(r);
		rows++;
		if (UNLIKELY(r->b->over))
			break;
	}
	if (!err && is_over(r->b))
		err = diag_set(d, ERR_LIMIT, r->csv.file->path, -1, r->csv.row_line, "rows this short cannot fill that many columns");
	progress_add(p, csv_tell(&r->csv) - told, rows);
	return err;
}

static void reader_report(struct reader *r)
{
	struct csv_info *info = r->info;

	info->unterminated_quote = r->csv.unterminated_quote;
	info->encoding = r->kept_bytes ? "Latin-1 or other" : r->from_gbk ? "GBK" : r->csv.has_bom ? "UTF-8 with BOM" : "UTF-8";
	for (size_t i = 0; i < r->nbinds; i++) {
		const struct bind *f = &r->binds[i];
		char header[28], part[120];

		if (!f->odd)
			continue;
		utf8_clean(names_str(r->names, r->b->slots[f->slot].column.header), header, sizeof header);
		snprintf(part, sizeof part, "%s: %zu x, first \"%s\"", header, f->odd, f->sample);
		info_name(info->odd, sizeof info->odd, ++info->odd_columns, part);
	}
}

static void reader_done(struct reader *r)
{
	csv_close(&r->csv);
	gbk_done(&r->gbk);
	buf_done(&r->converted);
	free(r->binds);
}

/* Reads the file behind an opened csv into t; t is as before when this fails. */
static enum err reader_run(struct reader *r, struct table *t, enum artifact kind, struct progress *p, struct diag *d)
{
	struct head h;
	enum err err = read_head(r, &h, kind, d);

	if (err)
		return err;
	r->b = table_build(t, kind, r->names);
	bind_all(r, &h, kind);
	head_done(&h);
	err = read_rows(r, p, d);
	reader_report(r);
	if (err)
		table_build_undo(r->b);
	else
		table_built(r->b);
	return err;
}

enum err table_load_csv(struct table **t, enum artifact kind, const struct file *f, struct names *names, struct csv_info *info,
		struct progress *p, struct diag *d)
{
	struct csv_info unused;
	struct reader r = { .names = names, .info = info ? info : &unused };
	struct table *made = NULL;
	enum err err;

	*r.info = (struct csv_info){ .encoding = "UTF-8" };
	err = csv_open(&r.csv, f, 0, d);
	if (err)
		return err;
	if (!*t)
		made = mem_zalloc(1, sizeof *made);
	err = reader_run(&r, made ? made : *t, kind, p, d);
	reader_done(&r);
	if (made && err) {
		table_done(made);
		free(made);
	} else if (made) {
		*t = made;
	}
	return err;
}
