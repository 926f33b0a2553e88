/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps from tables: the Step column of the kernel table gives them exactly; the exporter's step table only gives how many there are and
 * how long each is, so their places come from another source that counts as many, or else from the lengths laid end to end.
 */
#include "core/analysis/steps_private.h"

#include "core/base/index_map.h"
#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

/* ---- the kernel table ---------------------------------------------------------------------------------------------------------------- */

static bool row_of_device(const struct work_model *m, const struct column *device, size_t row)
{
	return !device || m->device < 0 || device->num[row] == NO_INT || device->num[row] == m->device;
}

/* Ids that writers use for "no step". */
static bool is_step_id(struct str id)
{
	return id.n && !str_is(id, STR("4294967295")) && !str_is(id, STR("-1"));
}

static void cuts_of_kernels(struct finder *f, const struct table *t)
{
	const struct column *step = table_col(t, COL_STEP), *start = table_col(t, COL_START), *device = table_col(t, COL_DEVICE_ID);
	const struct column *dur = table_col(t, COL_DURATION);
	struct index_map of_step = { 0 };

	for (size_t i = 0; step && start && i < t->nrows; i++) {
		uint32_t *slot;
		struct cut *c;

		if (start->num[i] == NO_TIME || !row_of_device(f->m, device, i) || !is_step_id(names_str(&f->m->c->names, step->text[i])))
			continue;
		if (f->m->from_table && (!dur || dur->num[i] == NO_TIME))
			continue;
		slot = index_map_slot(&of_step, step->text[i]);
		if (!*slot) {
			ARRAY_PUSH(&f->cuts, items, n, cap) = (struct cut){ .host_start = NO_TIME, .host_end = NO_TIME, .start = start->num[i],
				.label = step->text[i] };
			*slot = (uint32_t)f->cuts.n;
		}
		c = &f->cuts.items[*slot - 1];
		c->start = MIN(c->start, start->num[i]);
	}
	index_map_done(&of_step);
	cuts_settle(&f->cuts);
}

static bool find_kernel_steps(struct finder *f)
{
	const struct table *t = rank_kernels(f->m->r);
	const struct work_model *m = f->m;

	if (!t)
		return false;
	cuts_of_kernels(f, t);
	/* Another clock than the timeline's would put the steps beside the work. */
	if (f->cuts.n && m->first != NO_TIME && (f->cuts.items[0].start < m->first || f->cuts.items[f->cuts.n - 1].start > m->last))
		f->cuts.n = 0;
	if (!f->cuts.n)
		return false;
	f->out->confidence = CONF_HIGH;
	f->out->reason = arena_printf(&f->out->arena, "The Step column of %s names %zu %s; each begins with its first kernel.",
		artifact_key(t->kind), f->cuts.n, f->cuts.n == 1 ? "step" : "steps");
	return true;
}

/* ---- the step table ------------------------------------------------------------------------------------------------------------------ */

struct table_steps {
	uint32_t *label;
	int64_t *length;		/* ns */
	size_t n, cap_label, cap_length;
};

static double cell(const struct table *t, enum col id, size_t row)
{
	const struct column *c = table_col(t, id);

	return c && isfinite(c->real[row]) ? c->real[row] : 0;
}

static void read_steps(const struct work_model *m, const struct table *t, struct table_steps *s)
{
	const struct column *step = table_col(t, COL_STEP), *device = table_col(t, COL_DEVICE_ID);

	for (size_t i = 0; i < t->nrows; i++) {
		double ns = (cell(t, COL_COMPUTING, i) + cell(t, COL_COMM_EXPOSED, i) + cell(t, COL_FREE, i)) * m->r->step_unit_ns;

		if (!row_of_device(m, device, i))
			continue;
		s->label = array_grow(s->label, s->n, &s->cap_label, sizeof *s->label);
		s->length = array_grow(s->length, s->n, &s->cap_length, sizeof *s->length);
		s->label[s->n] = step ? step->text[i] : 0;
		s->length[s->n++] = ns > 0 && ns < 1e15 ? (int64_t)(ns + 0.5) : 0;
	}
}

/* One of the sources without a table that finds as many steps as the table has rows. */
static bool find_as_many(struct finder *f, size_t n)
{
	static bool (*const finds[])(struct finder *) = { find_engine, find_repeat, find_gaps };

	for (size_t i = 0; i < ARRAY_LEN(finds); i++) {
		f->cuts.n = 0;
		if (finds[i](f) && f->cuts.n == n)
			return true;
	}
	f->cuts.n = 0;
	return false;
}

static void lay_end_to_end(struct finder *f, const struct table_steps *s)
{
	int64_t at = f->m->first;

	for (size_t i = 0; i < s->n; i++) {
		ARRAY_PUSH(&f->cuts, items, n, cap) = (struct cut){ .host_start = NO_TIME, .host_end = NO_TIME, .start = at, .label = s->label[i] };
		at = at < INT64_MAX - s->length[i] ? at + s->length[i] : at;
	}
	f->out->confidence = CONF_LOW;
	f->out->reason = arena_printf(&f->out->arena,
		"The step table has %zu rows but nothing tells when they were: their lengths are laid end to end"
		" from the first device work.", s->n);
}

static bool find_table_steps(struct finder *f)
{
	const struct table *t = f->m->r->tables[ART_STEP_TRACE_TIME];
	struct table_steps s = { 0 };

	if (t)
		read_steps(f->m, t, &s);
	if (s.n > 1 && find_as_many(f, s.n)) {
		for (size_t i = 0; i < s.n; i++)
			f->cuts.items[i].label = s.label[i] ? s.label[i] : f->cuts.items[i].label;
		f->out->confidence = f->out->confidence == CONF_HIGH ? CONF_HIGH : CONF_MEDIUM;
		f->out->reason = arena_printf(&f->out->arena, "The step table has %zu rows and no times, and as many steps were found otherwise: %s", s.n,
			f->out->reason);
	} else if (s.n > 1 && f->m->first != NO_TIME) {
		lay_end_to_end(f, &s);
	}
	free(s.label);
	free(s.length);
	return f->cuts.n > 0;
}

bool find_table(struct finder *f)
{
	return find_kernel_steps(f) || find_table_steps(f);
}
