/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/table/table_load.h"

#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/load/table/table_batch.h"
#include "core/load/table/table_head.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAMED_MAX = 3, SCALE_US = 3 };

/* A bound on memory for tables that their file cannot fill: hundreds of columns, and rows that stop after three. */
enum { CELL_BYTES_FREE = 256 << 20, CELL_BYTES_EACH = 16 };

struct reader {
	struct csv csv;
	struct names *names;
	struct csv_info *info;
	struct batch batch;
};

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

static bool is_bound(const struct batch *t, size_t slot)
{
	for (size_t i = 0; i < t->nbinds; i++)
		if (t->binds[i].slot == slot)
			return true;
	return false;
}

/* Makes header field i feed a column; false when it is none or its column has a field already. */
static bool bind_field(struct reader *r, const struct head_field *h, size_t i)
{
	struct str header = r->csv.fields[i], unit;
	const struct unit_info *u = h->unit.n ? unit_of(h->unit) : NULL;
	struct batch *t = &r->batch;
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
	at = slot_find(t->b, h->id, metric_id);
	if (at == SIZE_MAX || is_bound(t, at))
		return false;
	slot = &t->b->slots[at];
	if (at >= t->b->slots_before) {
		slot->column.header = batch_text(t, str_trim(header));
		slot->column.unit = names_add(r->names, h->unit);
	}
	ARRAY_PUSH(t, binds, nbinds, cap_binds) = (struct bind){ .field = i, .slot = at, .id = h->id, .type = slot->column.type,
		.scale = slot->column.type != CT_TIME ? 0 : u ? u->time_scale : SCALE_US, .bytes_each = u && u->bytes ? u->bytes : 1 };
	return true;
}

static void bind_needed(struct batch *t, enum artifact kind)
{
	enum col needed[NEEDED_MAX];
	size_t n = artifact_needed(kind, needed);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < t->nbinds; k++)
			if (t->binds[k].id == needed[i])
				t->needed[t->nneeded++] = t->binds[k];
}

static void bind_all(struct reader *r, const struct head *h, enum artifact kind)
{
	for (size_t i = 0; i < r->csv.nfields; i++)
		if (i >= h->n || !bind_field(r, &h->fields[i], i))
			note_unknown(r, r->csv.fields[i]);
	bind_needed(&r->batch, kind);
	if (h->at[COL_STAGE] && !h->at[COL_PHASE])
		r->batch.phase_slot = slot_find(r->batch.b, COL_PHASE, 0);
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
	} while (has_row && row_is_blank(r->csv.fields, r->csv.nfields));
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

/* All rows that are whole in the buffer; *ended when there is no further one. */
static enum err read_buffer(struct reader *r, int64_t *rows, bool *ended, struct diag *d)
{
	enum csv_row got;
	enum err err = ERR_OK;

	while ((got = csv_row(&r->csv, &err, d)) == CSV_ROW && !r->batch.b->over) {
		batch_row(&r->batch);
		++*rows;
	}
	batch_flush(&r->batch);
	*ended = got != CSV_MORE;
	if (!err && table_build_is_over(r->batch.b))
		err = diag_set(d, ERR_LIMIT, r->csv.file->path, -1, r->csv.row_line, "rows this short cannot fill that many columns");
	return err;
}

static enum err read_rows(struct reader *r, struct progress *p, struct diag *d)
{
	struct table_builder *b = r->batch.b;
	const size_t allowed = (size_t)CELL_BYTES_FREE + CELL_BYTES_EACH * b->rows_before * b->row_bytes;
	int64_t told = 0;

	for (;;) {
		int64_t rows = 0;
		bool ended;
		enum err err;

		if (progress_cancelled(p))
			return diag_set(d, ERR_CANCELLED, r->csv.file->path, -1, r->csv.row_line, "cancelled");
		b->bytes_max = allowed + CELL_BYTES_EACH * (size_t)(r->csv.base + (int64_t)r->csv.n);
		err = read_buffer(r, &rows, &ended, d);
		progress_add(p, csv_tell(&r->csv) - told, rows);
		told = csv_tell(&r->csv);
		if (!err && !ended)
			err = csv_more(&r->csv, d);
		if (err || ended)
			return err;
	}
}

static void reader_report(struct reader *r)
{
	const struct batch *t = &r->batch;
	struct csv_info *info = r->info;

	info->unterminated_quote = r->csv.unterminated_quote;
	info->encoding = t->kept_bytes ? "Latin-1 or other" : t->from_gbk ? "GBK" : r->csv.has_bom ? "UTF-8 with BOM" : "UTF-8";
	for (size_t i = 0; i < t->nbinds; i++) {
		const struct bind *f = &t->binds[i];
		char header[40], part[120];

		if (!f->odd)
			continue;
		utf8_clean(names_str(r->names, t->b->slots[f->slot].column.header), header, sizeof header);
		snprintf(part, sizeof part, "%s: %zu x, first \"%s\"", header, f->odd, f->sample);
		info_name(info->odd, sizeof info->odd, ++info->odd_columns, part);
	}
}

/* Reads the file behind an opened csv into t; t is as before when this fails. */
static enum err reader_run(struct reader *r, struct table *t, enum artifact kind, struct progress *p, struct diag *d)
{
	size_t rows = csv_guess_rows(&r->csv);
	struct table_builder *b;
	struct head h;
	enum err err = read_head(r, &h, kind, d);

	if (err)
		return err;
	b = table_build(t, kind, r->names);
	b->rows_expected = b->rows + rows + rows / 64;
	batch_init(&r->batch, b, &r->csv);
	bind_all(r, &h, kind);
	head_done(&h);
	err = read_rows(r, p, d);
	reader_report(r);
	batch_done(&r->batch);
	if (err)
		table_build_undo(b);
	else
		table_built(b);
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
	csv_close(&r.csv);
	if (made && err) {
		table_done(made);
		free(made);
	} else if (made) {
		*t = made;
	}
	return err;
}
