/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over the gaps of the device, by cause. */
#include "core/analysis/rules.h"

#include <math.h>

/* The longest gaps of a cause: where to look. */
static void place_longest(struct rule_call *r, struct finding *f, enum gap_cause cause)
{
	const struct gaps *g = &r->u->gaps;
	const struct gap *best[PLACES_MAX] = { NULL };

	for (size_t i = 0; i < g->n; i++) {
		const struct gap *p = &g->items[i];

		if (p->cause != cause)
			continue;
		for (size_t k = 0; k < PLACES_MAX; k++)
			if (!best[k] || p->end - p->start > best[k]->end - best[k]->start) {
				for (size_t m = PLACES_MAX - 1; m > k; m--)
					best[m] = best[m - 1];
				best[k] = p;
				break;
			}
	}
	for (size_t k = 0; k < PLACES_MAX && best[k]; k++)
		rule_place(r, f, best[k]->start, best[k]->end, rule_text(r, "before %s", best[k]->after < r->u->work->nspans
			? names_text(&r->a->c->names, r->u->work->spans[best[k]->after].name) : "the end"));
}

/* The host operators with most time inside the gaps of a cause: at most three, "name 1.2 ms". */
static const char *host_names(struct rule_call *r, enum gap_cause cause)
{
	const struct gaps *g = &r->u->gaps;
	struct {
		uint32_t name;
		int64_t ns;
	} sums[64];
	size_t n = 0;
	const char *text = "";

	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; g->items[i].cause == cause && k < ARRAY_LEN(g->items[i].host) && g->items[i].host[k]; k++) {
			size_t at = 0;

			while (at < n && sums[at].name != g->items[i].host[k])
				at++;
			if (at == ARRAY_LEN(sums))
				continue;
			if (at == n)
				sums[n].name = g->items[i].host[k], sums[n++].ns = 0;
			sums[at].ns += g->items[i].host_ns[k];
		}
	for (int shown = 0; shown < 3 && n; shown++) {
		size_t top = 0;

		for (size_t k = 1; k < n; k++)
			if (sums[k].ns > sums[top].ns)
				top = k;
		if (sums[top].ns <= 0)
			break;
		text = rule_text(r, "%s%s%s %.1f us a step", text, *text ? ", " : "", names_text(&r->a->c->names, sums[top].name),
			(double)sums[top].ns / 1e3 / r->steps);
		sums[top].ns = 0;
	}
	return text;
}

/* title: where two causes share a rule; NULL the rule's. */
static void gap_rule(struct rule_call *r, enum gap_cause cause, const char *title)
{
	const struct gap_sum *sum = &r->u->gaps.by_cause[cause];
	double per_step = (double)sum->total_ns / 1e3 / r->steps;
	struct finding *f = rule_finds(r, per_step);
	const char *names;

	if (!f)
		return;
	f->title = title ? title : f->title;
	names = host_names(r, cause);
	f->text = rule_text(r, "%zu gap%s in all, %.1f us a step, the longest %.1f us: %s.%s%s%s", sum->count, sum->count == 1 ? "" : "s", per_step,
		(double)sum->longest_ns / 1e3, gap_text(cause), *names ? " On the host meanwhile: " : "", names, *names ? "." : "");
	finding_gate(f, r->s, &r->a->options.thresholds, IND_IDLE_PCT, TH_DEVICE_IDLE, REL_AT_LEAST);
	finding_figure(f, gap_title(cause), per_step, "us/step", "sum of the gaps of this cause / steps", "timeline: device gaps and launch links");
	finding_indicator(f, r->s, IND_MEAN_GAP);
	place_longest(r, f, cause);
}

static bool has_host(struct rule_call *r)
{
	if (r->u->work->sets.host.n)
		return true;
	rule_lacks(r, "host events beside the gaps", "activities=[ProfilerActivity.CPU, ProfilerActivity.NPU] (msprof: --ascendcl=on --runtime-api=on)");
	return false;
}

void rule_GAP_HOST(struct rule_call *r)
{
	if (has_host(r))
		gap_rule(r, GAP_HOST_LATE, NULL);
}

void rule_GAP_LAUNCH(struct rule_call *r)
{
	if (has_host(r))
		gap_rule(r, GAP_LAUNCH, NULL);
}

void rule_GAP_SYNC(struct rule_call *r)
{
	if (has_host(r))
		gap_rule(r, GAP_SYNC, NULL);
}

void rule_GAP_IDLE(struct rule_call *r)
{
	if (has_host(r))
		gap_rule(r, GAP_HOST_IDLE, NULL);
}

void rule_GAP_WAIT(struct rule_call *r)
{
	gap_rule(r, GAP_COMM_WAIT, "The device waits for a peer");
	gap_rule(r, GAP_EVENT_WAIT, "The device waits for another stream");
}
