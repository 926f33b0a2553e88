/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over kernels: AI CPU, bound types, shapes, block dims, sequences of small kernels. */
#include "core/analysis/rules.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

#define METRICS "aic_metrics=torch_npu.profiler.AiCMetrics.PipeUtilization (msprof: --aic-metrics=PipeUtilization)"
#define LEVEL1 "profiler_level=torch_npu.profiler.ProfilerLevel.Level1 (msprof: --task-time=l1)"

static double per_step(const struct rule_call *r, int64_t ns)
{
	return (double)ns / 1e3 / r->steps;
}

static const char *row_name(const struct rule_call *r, const struct op_row *o)
{
	return names_text(&r->a->c->names, o->name);
}

static bool has_kernels(struct rule_call *r)
{
	if (r->u->work->first != NO_TIME)
		return true;
	rule_lacks(r, "kernels of the device", LEVEL1);
	return false;
}

static const struct table *kernel_table(struct rule_call *r)
{
	const struct table *t = rank_kernels(r->u->work->r);

	if (!t)
		rule_lacks(r, "kernel_details.csv, op_summary.csv or a database with kernels", LEVEL1);
	return t;
}

/* ---- AI CPU: only what nothing else covers is at stake -------------------------------------------------------------------------------------- */

void rule_AICPU(struct rule_call *r)
{
	const struct op_table *t = &r->u->ops;
	struct intervals aicpu = { 0 }, rest = { 0 }, exposed = { 0 };
	const struct op_row *top = NULL;
	int64_t total, alone;
	struct finding *f;

	if (!has_kernels(r))
		return;
	for (size_t i = 0; i < r->u->work->nspans; i++) {
		const struct span *s = &r->u->work->spans[i];
		const struct op_row *o = t->row_of_span[i] < t->n ? &t->rows[t->row_of_span[i]] : NULL;

		if (s->kind == WORK_WAIT)
			continue;
		if (o && o->core == CORE_AICPU && s->kind == WORK_COMPUTE) {
			intervals_add(&aicpu, s->start, span_end(s));
			top = !top || o->total_ns > top->total_ns ? o : top;
		} else {
			intervals_add(&rest, s->start, span_end(s));
		}
	}
	intervals_normalise(&aicpu);
	intervals_normalise(&rest);
	intervals_subtract(&exposed, &aicpu, &rest);
	total = intervals_total(&aicpu);
	alone = intervals_total(&exposed);
	f = top ? rule_finds(r, per_step(r, alone)) : NULL;
	if (f) {
		double masked = 1 - (double)alone / (double)total;

		f->text = rule_text(r, "AI CPU operators take %.1f us a step, %.0f %% of it beside other work; the heaviest is %s (%zu"
			" calls).", per_step(r, total),
			100 * masked, row_name(r, top), top->count);
		finding_figure(f, "AI CPU time nothing covers", per_step(r, alone), "us/step",
			"union(AI CPU) - union(all other device work)", "timeline, kernel_details: Accelerator Core");
		finding_figure(f, "masked share", 100 * masked, "%", "1 - exposed / AI CPU time", "timeline");
		rule_place(r, f, exposed.items[0].start, exposed.items[0].end, row_name(r, top));
	}
	intervals_done(&aicpu);
	intervals_done(&rest);
	intervals_done(&exposed);
}

/* ---- bound types -------------------------------------------------------------------------------------------------------------------------- */

void rule_BOUND(struct rule_call *r)
{
	const struct op_table *t = &r->u->ops;
	const char *text = "";
	int64_t stake = 0;
	struct finding *f;
	size_t shown = 0;

	if (!t->has_metrics) {
		rule_lacks(r, "pipe utilisation columns (aic_mac_ratio, aiv_vec_ratio, ...)", METRICS);
		return;
	}
	for (size_t i = 0; i < t->ndevice && shown < 3; i++) {
		const struct op_row *o = &t->rows[i];

		if (o->kind != WORK_COMPUTE || o->bound == BOUND_UNKNOWN || o->total_ns * 20 < t->device_ns)
			continue;
		text = rule_text(r, "%s%s%s (%.1f %% of device operators): %s", text, *text ? "; " : "", row_name(r, o),
			100.0 * (double)o->total_ns / (double)t->device_ns, bound_title(o->bound));
		stake += o->total_ns;
		shown++;
	}
	f = shown ? rule_finds(r, per_step(r, stake)) : NULL;
	if (!f)
		return;
	f->severity = SEV_INFO;		/* what limits an operator is no fault */
	f->text = text;
	finding_indicator(f, r->s, IND_MAC);
	finding_indicator(f, r->s, IND_MTE2);
	finding_indicator(f, r->s, IND_VEC);
}

/* ---- shapes ------------------------------------------------------------------------------------------------------------------------------- */

/* The last dimension of each tensor of "8,2048,16;16;": false when one is not a multiple of `unit`. Scalars and unknown text pass. */
static bool inner_axes_fit(struct str shapes, int64_t unit)
{
	int64_t last = 0, dims = 0, value = 0;
	bool digits = false;

	for (size_t i = 0; i <= shapes.n; i++) {
		char c = i < shapes.n ? shapes.p[i] : ';';

		if (c >= '0' && c <= '9') {
			value = MIN(value * 10 + (c - '0'), INT32_MAX);
			digits = true;
			continue;
		}
		if (digits) {
			last = value;
			dims++;
		}
		value = 0;
		digits = false;
		if (c == ';' || c == ']') {
			if (dims >= 2 && last >= unit / 8 && last % unit)
				return false;
			dims = 0;
		}
	}
	return true;
}

void rule_AFFINITY(struct rule_call *r)
{
	const struct op_table *t = &r->u->ops;
	const struct table *k = kernel_table(r);
	const struct column *shapes = k ? table_col(k, COL_INPUT_SHAPES) : NULL;
	int64_t ns = 0, heaviest = 0;
	uint32_t example = 0, shape = 0;
	size_t n = 0;
	struct finding *f;

	if (!k)
		return;
	if (!shapes) {
		rule_lacks(r, "input shapes of kernels", LEVEL1);
		return;
	}
	for (size_t i = 0; i < r->u->work->nspans; i++) {
		const struct op_row *o = t->row_of_span[i] < t->n ? &t->rows[t->row_of_span[i]] : NULL;
		uint32_t row = t->kernel_of_span[i];
		bool matmul = o && o->class.class == CLASS_MATMUL, attention = o && o->class.class == CLASS_ATTENTION;

		if (row >= k->nrows || (!matmul && !attention) || r->u->work->spans[i].dur < 20000)
			continue;
		if (inner_axes_fit(names_str(&r->a->c->names, shapes->text[row]), matmul ? 256 : 128))
			continue;
		ns += r->u->work->spans[i].dur;
		n++;
		if (o->total_ns > heaviest) {
			heaviest = o->total_ns;
			example = o->name;
			shape = shapes->text[row];
		}
	}
	f = n ? rule_finds(r, per_step(r, ns)) : NULL;
	if (!f)
		return;
	f->severity = SEV_LOW;		/* the time of these kernels, not what padding would save */
	f->confidence = CONF_LOW;
	f->text = rule_text(r, "%zu kernels (%.1f us a step) have an inner axis that is no multiple of 256 (attention: 128), %s with %.120s for one.", n,
		per_step(r, ns), names_text(&r->a->c->names, example), names_text(&r->a->c->names, shape));
	finding_figure(f, "time of these kernels", per_step(r, ns), "us/step", "sum over kernels of 20 us and more", "kernel_details: Input Shapes");
}

/* ---- block dim ---------------------------------------------------------------------------------------------------------------------------- */

void rule_BLOCK_DIM(struct rule_call *r)
{
	const struct op_table *t = &r->u->ops;
	const struct table *k = kernel_table(r);
	const struct column *dims = k ? table_col(k, COL_BLOCK_DIM) : NULL;
	double idle_ns = 0;
	const struct op_row *top = NULL;
	size_t n = 0;
	struct finding *f;

	if (!k)
		return;
	if (!dims || !t->cube_cores) {
		rule_lacks(r, "block dims of kernels", LEVEL1);
		return;
	}
	for (size_t i = 0; i < r->u->work->nspans; i++) {
		const struct op_row *o = t->row_of_span[i] < t->n ? &t->rows[t->row_of_span[i]] : NULL;
		uint32_t row = t->kernel_of_span[i];
		int64_t cores, dim, waves;

		if (!o || row >= k->nrows || (o->core != CORE_CUBE && o->core != CORE_VECTOR))
			continue;
		cores = o->core == CORE_CUBE ? t->cube_cores : t->vector_cores;
		dim = dims->num[row];
		if (cores <= 0 || dim <= 0 || dim % cores == 0 || (double)r->u->work->spans[i].dur / 1e3 < r->a->options.thresholds.v[TH_BLOCK_MIN_US])
			continue;
		waves = (dim + cores - 1) / cores;
		idle_ns += (double)r->u->work->spans[i].dur * (1 - (double)dim / (double)(waves * cores));
		top = !top || o->total_ns > top->total_ns ? o : top;
		n++;
	}
	f = n ? rule_finds(r, idle_ns / 1e3 / r->steps) : NULL;
	if (!f)
		return;
	f->confidence = t->cores_assumed ? CONF_LOW : CONF_MEDIUM;
	f->text = rule_text(r, "%zu kernels of %g us and more fill their last wave of cores only in part (%s most): %.1f us a step of"
		" idle cores, counting %lld cube"
		" and %lld vector cores%s.", n, r->a->options.thresholds.v[TH_BLOCK_MIN_US], row_name(r, top), idle_ns / 1e3 / r->steps,
		(long long)t->cube_cores,
		(long long)t->vector_cores, t->cores_assumed ? " (the largest block dims seen)" : "");
	finding_figure(f, "idle share of cores x time", idle_ns / 1e3 / r->steps, "us/step", "duration x (1 - blocks / (waves x cores))",
		"kernel_details: Block Dim");
}

/* ---- repeated sequences of small kernels --------------------------------------------------------------------------------------------------- */

/* A pair of neighbours on the device, by operator row. */
struct pair {
	uint64_t key;
	size_t n;
	int64_t kernel_ns, wall_ns;
};

static int pair_by_key(const void *x, const void *y)
{
	uint64_t a = ((const struct pair *)x)->key, b = ((const struct pair *)y)->key;

	return (a > b) - (a < b);
}

/*
 * Neighbouring kernels that both are small and repeat: the pair is the seed of every longer sequence. Pairs do not overlap: a kernel belongs
 * to the pair it begins, so nothing is counted twice.
 */
static size_t collect_pairs(struct rule_call *r, struct pair *pairs)
{
	const struct work_model *m = r->u->work;
	const uint32_t *row = r->u->ops.row_of_span;
	int64_t small = (int64_t)(r->a->options.thresholds.v[TH_SMALL_OP_US] * 1e3);
	size_t n = 0, last = SIZE_MAX;

	for (size_t i = 0; i < m->nspans; i++) {
		const struct span *b = &m->spans[i], *a = last == SIZE_MAX ? NULL : &m->spans[last];

		if (b->kind == WORK_WAIT)
			continue;
		if (b->kind != WORK_COMPUTE || b->dur > small || row[i] == UINT32_MAX) {
			last = SIZE_MAX;
			continue;
		}
		if (a && b->start >= span_end(a)) {
			pairs[n++] = (struct pair){ (uint64_t)row[last] << 32 | row[i], 1, a->dur + b->dur, span_end(b) - a->start };
			last = SIZE_MAX;
		} else {
			last = i;
		}
	}
	return n;
}

void rule_SMALL_OPS(struct rule_call *r)
{
	struct pair *pairs = mem_alloc(r->u->work->nspans, sizeof *pairs), best = { 0 };
	size_t n = r->u->ops.row_of_span ? collect_pairs(r, pairs) : 0, repeated = 0;
	int64_t lost = 0;
	struct finding *f = NULL;

	if (!has_kernels(r)) {
		free(pairs);
		return;
	}
	if (n)
		qsort(pairs, n, sizeof *pairs, pair_by_key);
	for (size_t i = 0; i < n;) {
		struct pair sum = pairs[i];
		size_t k = i + 1;

		for (; k < n && pairs[k].key == sum.key; k++) {
			sum.n++;
			sum.kernel_ns += pairs[k].kernel_ns;
			sum.wall_ns += pairs[k].wall_ns;
		}
		i = k;
		/* At least five times a step, and less than 40 % of the time in the kernels: the rest is launching. */
		if ((double)sum.n / r->steps < 5 || (double)sum.kernel_ns >= 0.4 * (double)sum.wall_ns)
			continue;
		repeated += sum.n;
		lost += sum.wall_ns - sum.kernel_ns;
		if (sum.wall_ns > best.wall_ns)
			best = sum;
	}
	if (repeated)
		f = rule_finds(r, per_step(r, lost));
	if (f) {
		f->text = rule_text(r, "%.0f pairs of small kernels a step spend %.1f us between their kernels; most often %s then %s"
			" (%.0f times a step, %.0f %% of the time"
			" in kernels).", (double)repeated / r->steps, per_step(r, lost), row_name(r, &r->u->ops.rows[best.key >> 32]),
			row_name(r, &r->u->ops.rows[best.key & UINT32_MAX]), (double)best.n / r->steps, 100.0 * (double)best.kernel_ns / (double)best.wall_ns);
		finding_figure(f, "time between the kernels of such pairs", per_step(r, lost), "us/step",
			"sum of (end of second - start of first - durations)", "timeline: Ascend Hardware");
		finding_indicator(f, r->s, IND_COMPUTE_MEDIAN);
	}
	free(pairs);
}
