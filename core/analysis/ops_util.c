/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Utilisation: the ratios of the kernel table, weighted by time over every kernel that has them. The cube core's columns (aic_*) and the
 * vector core's (aiv_*) are never mixed up: which of them a kernel has is told by the time it spent on each core, else by its core kind.
 * The exporter writes 0, not nothing, for the core a kernel does not use: such zeros are no measurement.
 */
#include "core/analysis/ops_private.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

enum ratio {
	AIC_MAC, AIC_SCALAR, AIC_MTE1, AIC_MTE2, AIC_MTE3, AIC_FIXPIPE, CUBE_USE, AIV_VEC, AIV_SCALAR, AIV_MTE2, AIV_MTE3,
	RATIO_COLUMNS,
	ALL_SCALAR = RATIO_COLUMNS, ALL_MTE2, ALL_MTE3,		/* of both cores */
	RATIO_MAX,
};

/* The columns, and what chips with one kind of core (and unofficial tables) call them. */
static const struct {
	const char *metric, *single;
	bool vector;			/* of the vector core */
} sources[RATIO_COLUMNS] = {
	[AIC_MAC] = { "aic_mac_ratio", "mac_ratio", false },		[AIC_SCALAR] = { "aic_scalar_ratio", "scalar_ratio", false },
	[AIC_MTE1] = { "aic_mte1_ratio", "mte1_ratio", false },		[AIC_MTE2] = { "aic_mte2_ratio", "mte2_ratio", false },
	[AIC_MTE3] = { "aic_mte3_ratio", "mte3_ratio", false },		[AIC_FIXPIPE] = { "aic_fixpipe_ratio", "fixpipe_ratio", false },
	[CUBE_USE] = { "cube_utilization", NULL, false },
	[AIV_VEC] = { "aiv_vec_ratio", "vec_ratio", true },		[AIV_SCALAR] = { "aiv_scalar_ratio", "scalar_ratio", true },
	[AIV_MTE2] = { "aiv_mte2_ratio", "mte2_ratio", true },		[AIV_MTE3] = { "aiv_mte3_ratio", "mte3_ratio", true },
};

/* Units that both cores have. */
static const struct {
	enum ratio aic, aiv, all;
} shared[] = {
	{ AIC_SCALAR, AIV_SCALAR, ALL_SCALAR }, { AIC_MTE2, AIV_MTE2, ALL_MTE2 }, { AIC_MTE3, AIV_MTE3, ALL_MTE3 },
};

/* Cores by device type, where they are known for certain. */
static const struct {
	const char *device;
	int64_t cube, vector;
} known_cores[] = {
	{ "Ascend910B1*", 24, 48 }, { "Ascend910B2*", 24, 48 }, { "Ascend910B3*", 20, 40 }, { "Ascend910B4*", 20, 40 },
};

struct mean {
	double sum, weight;
};

struct use {
	struct mean ratio[RATIO_MAX], fill;
};

struct reader {
	struct op_build *b;
	const struct column *ratio[RATIO_COLUMNS], *aic_time, *aiv_time, *block_dim;
	bool percent[RATIO_COLUMNS];
	struct use *by_row, all;
};

/* What one kernel says. */
struct kernel {
	double weight, aic_time, aiv_time;	/* times NaN when not given */
	bool cube, vector;			/* which cores it ran on */
};

static double cell(const struct column *c, size_t row)
{
	return c ? c->real[row] : (double)NAN;
}

static void mean_add(struct mean *m, double value, double weight)
{
	m->sum += value * weight;
	m->weight += weight;
}

static double mean_of(const struct mean *m)
{
	return m->weight > 0 ? m->sum / m->weight : (double)NAN;
}

static const struct column *metric(const struct reader *r, const char *name)
{
	const struct column *c = name && r->b->kernels ? table_metric(r->b->kernels, r->b->names, name) : NULL;

	return c && c->type == CT_NUM ? c : NULL;
}

static void find_columns(struct reader *r)
{
	for (size_t i = 0; i < RATIO_COLUMNS; i++) {
		r->ratio[i] = metric(r, sources[i].metric);
		if (!r->ratio[i])
			r->ratio[i] = metric(r, sources[i].single);
		if (!r->ratio[i])
			continue;
		r->percent[i] = str_is(names_str(r->b->names, r->ratio[i]->unit), STR("%"));
		r->b->out->has_metrics = true;
	}
	r->aic_time = metric(r, "aicore_time");
	r->aiv_time = metric(r, "aiv_time");
	r->block_dim = r->b->kernels ? table_col(r->b->kernels, COL_BLOCK_DIM) : NULL;
}

/* 0..1, NaN when it is none: percent are taken as such, and so is what cannot be a ratio. */
static double ratio_value(const struct reader *r, enum ratio i, size_t row)
{
	double v = cell(r->ratio[i], row);

	if (r->percent[i] || v > 1.5)
		v /= 100;
	return v >= 0 && v <= 1.5 ? v : (double)NAN;
}

static struct kernel kernel_at(const struct reader *r, const struct variant *v, int64_t ns, size_t row)
{
	struct kernel k = { .weight = (double)ns, .aic_time = cell(r->aic_time, row), .aiv_time = cell(r->aiv_time, row) };

	k.cube = v->core == CORE_CUBE || v->core == CORE_MIX;
	k.vector = v->core == CORE_VECTOR || v->core == CORE_MIX;
	if (k.aic_time >= 0 && k.aiv_time >= 0 && (k.aic_time > 0 || k.aiv_time > 0)) {
		k.cube = k.aic_time > 0;
		k.vector = k.aiv_time > 0;
	}
	return k;
}

static void add_shared(struct use *u, const struct kernel *k, const double *value)
{
	for (size_t i = 0; i < ARRAY_LEN(shared); i++) {
		double aic = value[shared[i].aic], aiv = value[shared[i].aiv];
		double share = k->aic_time + k->aiv_time > 0 ? k->aic_time / (k->aic_time + k->aiv_time) : 0.5;

		if (!isnan(aic) && !isnan(aiv))
			mean_add(&u->ratio[shared[i].all], share * aic + (1 - share) * aiv, k->weight);
		else if (!isnan(aic) || !isnan(aiv))
			mean_add(&u->ratio[shared[i].all], isnan(aic) ? aiv : aic, k->weight);
	}
}

static void add_kernel(struct reader *r, struct use *u, const struct kernel *k, size_t row)
{
	double value[RATIO_COLUMNS];

	for (size_t i = 0; i < RATIO_COLUMNS; i++) {
		value[i] = (sources[i].vector ? k->vector : k->cube) ? ratio_value(r, (enum ratio)i, row) : (double)NAN;
		if (isnan(value[i]))
			continue;
		mean_add(&u->ratio[i], value[i], k->weight);
		mean_add(&r->all.ratio[i], value[i], k->weight);
	}
	add_shared(u, k, value);
}

/* ---- block fill ---------------------------------------------------------------------------------------------------------------------- */

static void known_device(struct op_build *b)
{
	struct str device = names_str(b->names, b->m->r->info.device_type);

	for (size_t i = 0; i < ARRAY_LEN(known_cores); i++) {
		if (!str_like(device, known_cores[i].device))
			continue;
		b->out->cube_cores = known_cores[i].cube;
		b->out->vector_cores = known_cores[i].vector;
	}
}

/* Takes part in the guess of how many cores there are: kernels of the vector cores may well have more blocks than cores. */
static void guess_cores(struct op_build *b, int64_t most_cube, int64_t most_vector)
{
	if (b->out->cube_cores || (!most_cube && !most_vector))
		return;
	b->out->cores_assumed = true;
	b->out->cube_cores = most_cube;
	b->out->vector_cores = most_cube && most_cube <= INT64_MAX / 2 ? 2 * most_cube : most_vector;
}

static void add_fill(const struct reader *r, struct use *u, const struct kernel *k, size_t row)
{
	int64_t blocks = r->block_dim ? r->block_dim->num[row] : 0;
	int64_t cores = k->cube ? r->b->out->cube_cores : k->vector ? r->b->out->vector_cores : 0;

	if (blocks > 0 && cores > 0)
		mean_add(&u->fill, blocks % cores == 0, k->weight);
}

/* ---- all kernels --------------------------------------------------------------------------------------------------------------------- */

enum pass { PASS_CORES, PASS_ADD };

static void walk_kernels(struct reader *r, enum pass pass)
{
	const struct op_build *b = r->b;
	int64_t most_cube = 0, most_vector = 0;

	for (size_t i = 0; i < b->nmembers && b->out->rows[b->members[i].row].side == SIDE_DEVICE; i++) {
		uint32_t span = b->members[i].id, row = b->out->kernel_of_span[span];
		struct kernel k;

		if (row == NO_INDEX || b->m->spans[span].kind != WORK_COMPUTE)
			continue;
		k = kernel_at(r, &b->variants[b->variant_of_span[span]], b->members[i].ns, row);
		if (pass == PASS_ADD) {
			add_kernel(r, &r->by_row[b->members[i].row], &k, row);
			add_fill(r, &r->by_row[b->members[i].row], &k, row);
		} else if (r->block_dim && k.cube) {
			most_cube = MAX(most_cube, r->block_dim->num[row]);
		} else if (r->block_dim && k.vector) {
			most_vector = MAX(most_vector, r->block_dim->num[row]);
		}
	}
	if (pass == PASS_CORES)
		guess_cores(r->b, most_cube, most_vector);
}

static void fill_row(struct op_row *row, const struct use *u)
{
	row->cube = mean_of(&u->ratio[AIC_MAC]);
	row->vector = mean_of(&u->ratio[AIV_VEC]);
	row->scalar = mean_of(&u->ratio[ALL_SCALAR]);
	row->mte1 = mean_of(&u->ratio[AIC_MTE1]);
	row->mte2 = mean_of(&u->ratio[ALL_MTE2]);
	row->mte3 = mean_of(&u->ratio[ALL_MTE3]);
	row->fixpipe = mean_of(&u->ratio[AIC_FIXPIPE]);
	row->aic_scalar = mean_of(&u->ratio[AIC_SCALAR]);
	row->aic_mte2 = mean_of(&u->ratio[AIC_MTE2]);
	row->aic_mte3 = mean_of(&u->ratio[AIC_MTE3]);
	row->aiv_scalar = mean_of(&u->ratio[AIV_SCALAR]);
	row->aiv_mte2 = mean_of(&u->ratio[AIV_MTE2]);
	row->aiv_mte3 = mean_of(&u->ratio[AIV_MTE3]);
	row->cube_use = mean_of(&u->ratio[CUBE_USE]);
	row->block_fill = mean_of(&u->fill);
}

static void fill_table(struct op_table *t, const struct use *u)
{
	t->aic_mac = mean_of(&u->ratio[AIC_MAC]);
	t->aic_mte1 = mean_of(&u->ratio[AIC_MTE1]);
	t->aic_mte2 = mean_of(&u->ratio[AIC_MTE2]);
	t->aic_scalar = mean_of(&u->ratio[AIC_SCALAR]);
	t->aic_fixpipe = mean_of(&u->ratio[AIC_FIXPIPE]);
	t->cube_use = mean_of(&u->ratio[CUBE_USE]);
	t->aiv_vec = mean_of(&u->ratio[AIV_VEC]);
	t->aiv_mte2 = mean_of(&u->ratio[AIV_MTE2]);
	t->aiv_mte3 = mean_of(&u->ratio[AIV_MTE3]);
	t->aiv_scalar = mean_of(&u->ratio[AIV_SCALAR]);
}

void ops_add_ratios(struct op_build *b)
{
	struct reader r = { .b = b };

	find_columns(&r);
	known_device(b);
	r.by_row = mem_zalloc(b->out->n, sizeof *r.by_row);
	if (b->kernels && !b->out->cube_cores)
		walk_kernels(&r, PASS_CORES);
	if (b->kernels)
		walk_kernels(&r, PASS_ADD);
	for (size_t i = 0; i < b->out->n; i++)
		fill_row(&b->out->rows[i], &r.by_row[i]);
	fill_table(b->out, &r.all);
	free(r.by_row);
}
