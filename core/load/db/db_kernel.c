/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_details from TASK, COMPUTE_TASK_INFO, COMMUNICATION_OP and TASK_PMU_INFO. Rows stand by device and start. A wait is the time from
 * the end of the row before (of the same device) to the start, not below zero. There may be millions of rows: cells are handed to the table
 * column by column, a batch of rows at a time, and texts by their ids.
 */
#include "core/load/db/db_kernel.h"

#include "core/base/mem.h"
#include "core/load/table/table_build.h"

#include <math.h>
#include <stdlib.h>

/* ---- which rows ---- */

static int row_compare(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Tasks that the exporter's table leaves out: no operators, or parts of collectives. */
static bool is_listed(const struct db_reader *r, const struct kernel *k)
{
	static const char *const out[] = { "WRITE_BACK", "INVALID", "HCCL_AI_CPU", "COMMUNICATION" };
	const struct compute *c = &r->computes.items[k->compute];
	struct str core = names_str(r->t->names, c->core);

	for (size_t i = 0; i < ARRAY_LEN(out); i++)
		if (str_is(core, str_of(out[i])))
			return i == 3 && str_ends(names_str(r->t->names, c->name), STR("AivKernel"));
	return true;
}

static struct row *rows_sorted(const struct db_reader *r, size_t *n)
{
	struct row *rows = mem_alloc(r->kernels.n + r->collectives.n, sizeof *rows);
	bool sorted = true;

	*n = 0;
	for (size_t i = 0; i < r->kernels.n; i++)
		if (is_listed(r, &r->kernels.items[i]))
			rows[(*n)++] = (struct row){ r->kernels.items[i].start, r->kernels.items[i].device, (uint32_t)i };
	for (size_t i = 0; i < r->collectives.n; i++)
		rows[(*n)++] = (struct row){ r->collectives.items[i].start, (int32_t)r->collectives.items[i].device,
			(uint32_t)(r->kernels.n + i) };
	for (size_t i = 1; i < *n && sorted; i++)
		sorted = row_compare(&rows[i - 1], &rows[i]) <= 0;
	if (!sorted)
		qsort(rows, *n, sizeof *rows, row_compare);
	return rows;
}

/* ---- cells ---- */

enum { BATCH = 2048 };

struct batch {
	struct db_reader *r;
	struct table_builder *b;
	const struct row *rows;		/* of this batch */
	size_t n;
	union {
		uint32_t text[BATCH];
		int64_t num[BATCH];
		double real[BATCH];
	};
};

static const struct kernel *kernel_at(const struct batch *t, size_t i)
{
	return t->rows[i].index < t->r->kernels.n ? &t->r->kernels.items[t->rows[i].index] : NULL;
}

static const struct collective *collective_at(const struct batch *t, size_t i)
{
	return &t->r->collectives.items[t->rows[i].index - t->r->kernels.n];
}

/* Finding a slot may move them all, so it comes first. */
static void run_put(struct batch *t, enum col id, uint32_t metric, struct cell_run run)
{
	size_t slot = slot_find(t->b, id, metric);

	if (slot != SIZE_MAX)
		slot_put(t->b, &t->b->slots[slot], t->b->rows, &run);
}

static void texts_put(struct batch *t, enum col id)
{
	bool values = false;

	for (size_t i = 0; i < t->n; i++) {
		if (name_is_nothing(t->r, t->text[i]))
			t->text[i] = 0;
		values = values || t->text[i];
	}
	if (values)
		run_put(t, id, 0, (struct cell_run){ .text = t->text, .n = t->n, .has_values = true, .has_others = true });
}

static void nums_put(struct batch *t, enum col id)
{
	bool values = false, others = false;

	for (size_t i = 0; i < t->n; i++) {
		values = values || t->num[i] != NO_INT;
		others = others || t->num[i];
	}
	if (values)
		run_put(t, id, 0, (struct cell_run){ .num = t->num, .n = t->n, .has_values = true, .has_others = others });
}

static void metric_put(struct batch *t, const struct metric *m)
{
	bool values = false, others = false;

	for (size_t i = 0; i < t->n; i++) {
		t->real[i] = t->rows[i].index < t->r->kernels.n ? m->values[t->rows[i].index] : (double)NAN;
		values = values || !isnan(t->real[i]);
		others = others || !(t->real[i] >= 0 && t->real[i] <= 0);
	}
	if (values)
		run_put(t, COL_METRIC, m->shown, (struct cell_run){ .real = t->real, .n = t->n, .has_values = true, .has_others = others });
}

/* ---- columns ---- */

/* The first step whose share of the device the row starts in, as the exporter does. *from: steps before it are over; starts only grow. */
static uint32_t step_at(const struct db_reader *r, int64_t start, size_t *from)
{
	const struct step *steps = r->steps.items;

	while (*from < r->steps.n && steps[*from].device_end < start)
		++*from;
	for (size_t i = *from; i < r->steps.n && steps[i].later_start <= start; i++)
		if (start >= steps[i].device_start && start <= steps[i].device_end)
			return steps[i].name;
	return 0;
}

static const struct {
	enum col id;
	size_t of_compute;
} compute_texts[] = {
	{ COL_STATE, offsetof(struct compute, state) }, { COL_HF32, offsetof(struct compute, hf32) },
	{ COL_INPUT_SHAPES, offsetof(struct compute, in_shapes) }, { COL_INPUT_TYPES, offsetof(struct compute, in_types) },
	{ COL_INPUT_FORMATS, offsetof(struct compute, in_formats) }, { COL_OUTPUT_SHAPES, offsetof(struct compute, out_shapes) },
	{ COL_OUTPUT_TYPES, offsetof(struct compute, out_types) }, { COL_OUTPUT_FORMATS, offsetof(struct compute, out_formats) },
};

static const struct {
	enum col id;
	size_t of_kernel;
	uint8_t bit;
} kernel_numbers[] = {
	{ COL_MODEL_ID, offsetof(struct kernel, model), KERNEL_HAS_MODEL }, { COL_TASK_ID, offsetof(struct kernel, task), KERNEL_HAS_TASK },
	{ COL_STREAM_ID, offsetof(struct kernel, stream), KERNEL_HAS_STREAM },
	{ COL_CONTEXT_ID, offsetof(struct kernel, context), KERNEL_HAS_CONTEXT },
};

static uint32_t member(const void *o, size_t at)
{
	return *(const uint32_t *)(const void *)((const char *)o + at);
}

/* Name, type and core are there for kernels and collectives, the other texts for kernels only. */
static void names_put(struct batch *t)
{
	const struct compute *computes = t->r->computes.items;
	uint32_t comm = name_of(t->r, t->r->calls_hccl ? "HCCL" : "COMMUNICATION");
	const struct kernel *k;

	for (size_t i = 0; i < t->n; i++)
		t->text[i] = (k = kernel_at(t, i)) ? computes[k->compute].name : collective_at(t, i)->name;
	texts_put(t, COL_NAME);
	for (size_t i = 0; i < t->n; i++)
		t->text[i] = (k = kernel_at(t, i)) ? computes[k->compute].op_type : collective_at(t, i)->type;
	texts_put(t, COL_TYPE);
	for (size_t i = 0; i < t->n; i++)
		t->text[i] = (k = kernel_at(t, i)) ? computes[k->compute].core : comm;
	texts_put(t, COL_CORE);
	for (size_t c = 0; c < ARRAY_LEN(compute_texts); c++) {
		for (size_t i = 0; i < t->n; i++)
			t->text[i] = (k = kernel_at(t, i)) ? member(&computes[k->compute], compute_texts[c].of_compute) : 0;
		texts_put(t, compute_texts[c].id);
	}
}

/* The block dimension of a collective is 0, its other numbers are missing. */
static void numbers_put(struct batch *t)
{
	const struct compute *computes = t->r->computes.items;
	const struct kernel *k;

	for (size_t c = 0; c < ARRAY_LEN(kernel_numbers); c++) {
		for (size_t i = 0; i < t->n; i++) {
			uint32_t v = (k = kernel_at(t, i)) ? member(k, kernel_numbers[c].of_kernel) : 0;
			bool has = k && (k->has & kernel_numbers[c].bit) && !(kernel_numbers[c].id == COL_CONTEXT_ID && v == UINT32_MAX);

			t->num[i] = has ? (int64_t)v : NO_INT;
		}
		nums_put(t, kernel_numbers[c].id);
	}
	for (size_t i = 0; i < t->n; i++) {
		int32_t v = (k = kernel_at(t, i)) ? computes[k->compute].blocks : 0;

		t->num[i] = v < 0 ? NO_INT : v;
	}
	nums_put(t, COL_BLOCK_DIM);
	for (size_t i = 0; i < t->n; i++) {
		int32_t v = (k = kernel_at(t, i)) ? computes[k->compute].mix_blocks : -1;

		t->num[i] = v < 0 ? NO_INT : v;
	}
	nums_put(t, COL_MIX_BLOCK_DIM);
}

/* before: the row before this batch, NULL for the first. */
static void times_put(struct batch *t, const struct row *before)
{
	for (size_t i = 0; i < t->n; i++)
		t->num[i] = t->rows[i].start;
	nums_put(t, COL_START);
	for (size_t i = 0; i < t->n; i++)
		t->num[i] = row_dur(t->r, &t->rows[i]);
	nums_put(t, COL_DURATION);
	for (size_t i = 0; i < t->n; i++) {
		bool same = before && before->device == t->rows[i].device;
		int64_t end = same ? before->start + row_dur(t->r, before) : t->rows[i].start;

		t->num[i] = MAX(t->rows[i].start - end, 0);
		before = &t->rows[i];
	}
	nums_put(t, COL_WAIT);
	for (size_t i = 0; i < t->n; i++)
		t->num[i] = t->rows[i].device >= 0 ? t->rows[i].device : NO_INT;
	nums_put(t, COL_DEVICE_ID);
}

static void steps_put(struct batch *t, const struct row *before, size_t *step)
{
	for (size_t i = 0; i < t->n; i++) {
		if (before && before->device != t->rows[i].device)
			*step = 0;
		t->text[i] = step_at(t->r, t->rows[i].start, step);
		before = &t->rows[i];
	}
	texts_put(t, COL_STEP);
}

static void details_make(struct db_reader *r, struct table *table, const struct metrics *all, const struct row *rows, size_t n)
{
	struct batch *t = mem_alloc(1, sizeof *t);
	size_t step = 0;

	t->r = r;
	t->b = table_build(table, ART_KERNEL_DETAILS, r->t->names);
	for (size_t at = 0; at < n; at += t->n) {
		t->rows = rows + at;
		t->n = MIN(n - at, (size_t)BATCH);
		steps_put(t, at ? &rows[at - 1] : NULL, &step);
		times_put(t, at ? &rows[at - 1] : NULL);
		names_put(t);
		numbers_put(t);
		for (size_t m = 0; m < all->n; m++)
			if (!metric_is_void(r, &all->items[m]))
				metric_put(t, &all->items[m]);
		t->b->rows += t->n;
		table->account.by_phase['R'] += t->n;
		table->account.kept += t->n;
	}
	table_built(t->b);
	free(t);
}

void kernels_make(struct db_reader *r)
{
	struct metrics all = { 0 };
	struct table *t;
	struct row *rows;
	size_t n;

	if (!r->wants_kernels || (!r->kernels.n && !r->collectives.n))
		return;
	metrics_read(r, &all);
	rows = rows_sorted(r, &n);
	t = n ? table_wanted(r, ART_KERNEL_DETAILS) : NULL;
	if (t)
		details_make(r, t, &all, rows, n);
	op_totals_make(r, rows, n);
	free(rows);
	metrics_done(&all);
}
