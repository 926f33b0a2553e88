/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over copies and the clock. */
#include "core/analysis/rules.h"

#include <math.h>

/* us of one direction a step, by its operator rows. */
static double direction_us(const struct rule_call *r, enum subtype_id direction)
{
	int64_t ns = 0;

	for (size_t i = 0; i < r->u->ops.ndevice; i++)
		if (r->u->ops.rows[i].class.subtype == direction)
			ns += r->u->ops.rows[i].total_ns;
	return (double)ns / 1e3 / r->steps;
}

static void copy_rule(struct rule_call *r, enum indicator per_step, enum subtype_id direction, const char *words)
{
	size_t n = 0;
	struct finding *f;

	if (!isfinite(r->s->v[IND_COPY])) {
		rule_lacks(r, "memory copies (trace_view.json or a database with tasks)", "the timeline kept beside the tables");
		return;
	}
	/* Without steps the rate is that of the window. */
	f = rule_finds(r, isfinite(r->s->v[per_step]) ? r->s->v[per_step] : direction_us(r, direction));
	if (!f)
		return;
	for (size_t i = 0; i < r->u->ops.ndevice; i++)
		if (r->u->ops.rows[i].class.subtype == direction)
			n += r->u->ops.rows[i].count;
	f->text = rule_text(r, "%.1f copies %s a step, %.1f us a step.", (double)n / r->steps, words, f->stake_us);
	finding_gate(f, r->s, &r->a->options.thresholds, per_step, TH_D2H_PER_STEP, REL_AT_LEAST);
	finding_gate(f, r->s, &r->a->options.thresholds, IND_COPY_PCT, TH_COPY_SHARE, REL_AT_LEAST);
}

void rule_D2H(struct rule_call *r)
{
	copy_rule(r, IND_D2H, SUB_COPY_D2H, "to the host");
}

void rule_H2D(struct rule_call *r)
{
	copy_rule(r, IND_H2D, SUB_COPY_H2D, "to the device");
}

/* The mean clock while the device works against the highest seen: samples hold until the next one. An idle device may clock down. */
void rule_FREQUENCY(struct rule_call *r)
{
	const struct events *e = &r->u->work->r->events;
	double highest = 0, sum = 0, time = 0, drop;
	struct finding *f;
	bool any = false;

	for (size_t i = 0; i < e->ncounters; i++) {
		const struct counter *c = &e->counters[i];

		if (!str_has(names_str(&r->a->c->names, e->processes[c->process].name), STR("AI Core Freq")))
			continue;
		any = true;
		for (size_t k = c->first; k < c->first + c->n; k++) {
			int64_t end = k + 1 < c->first + c->n ? e->counter_time[k + 1] : r->u->work->last;
			double len = (double)intervals_within(&r->u->work->sets.busy, e->counter_time[k], end);

			highest = MAX(highest, e->counter_value[k]);
			sum += len * e->counter_value[k];
			time += len;
		}
	}
	if (!any) {
		rule_lacks(r, "the AI Core Freq counter", "profiler_level Level1 or higher");
		return;
	}
	drop = highest > 0 && time > 0 ? 100 * (1 - sum / time / highest) : 0;
	if (drop < r->a->options.thresholds.v[TH_FREQ_DROP])
		return;
	f = rule_notes(r, r->s->v[IND_COMPUTE] / r->steps * drop / 100);
	f->text = rule_text(r, "While the device works, the clock is on average %.1f %% below the highest seen (%.0f MHz).", drop, highest);
	finding_figure(f, "mean clock", time > 0 ? sum / time : NAN, "MHz", "weighted by device busy time", "timeline: AI Core Freq");
	finding_figure(f, "drop", drop, "%", "1 - mean / highest seen", "timeline: AI Core Freq");
}
