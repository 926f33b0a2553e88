/* SPDX-License-Identifier: Apache-2.0 */
#include "core/report/analysis_report.h"

#include "core/base/jsonw.h"
#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

/* More gaps than this: the longest are listed, the sums are over all. */
enum { GAPS_LISTED = 10000 };

const char *scope_key(const struct scope *s)
{
	return s->phase == PHASE_UNKNOWN ? "overall" : phase_key(s->phase);
}

static void num(struct jsonw *w, const char *key, double v)
{
	jw_key(w, key);
	jw_num(w, v);
}

static void time_us(struct jsonw *w, const char *key, int64_t ns)
{
	jw_key(w, key);
	if (ns == NO_TIME)
		jw_null(w);
	else
		jw_us(w, ns);
}

static void flag(struct jsonw *w, const char *key, bool v)
{
	jw_key(w, key);
	jw_bool(w, v);
}

static void name(struct jsonw *w, const struct analysis *a, const char *key, uint32_t id)
{
	jw_key(w, key);
	jw_str(w, names_str(&a->c->names, id));
}

static int rank_id(const struct analysis *a, int rank)
{
	return rank >= 0 && (size_t)rank < a->c->nranks ? a->c->ranks[rank].id : -1;
}

/* ---- capture and verdict ------------------------------------------------------------------------------------------------------------------ */

static void write_capture(struct jsonw *w, const struct analysis *a)
{
	size_t host = 0, device = 0, steps = 0;

	for (size_t i = 0; i < a->nunits; i++) {
		const size_t *n = a->units[i].work->counts;

		host += n[WORK_HOST_OP] + n[WORK_HOST_RUNTIME] + n[WORK_HOST_QUEUE] + n[WORK_HOST_FRAME] + n[WORK_HOST_GC] + n[WORK_STEP_MARK] + n[WORK_MARK];
		device += n[WORK_COMPUTE] + n[WORK_COMMUNICATION] + n[WORK_COPY];
		steps += a->units[i].steps.n;
	}
	jw_open_of(w, "capture", '{');
	jw_str_of(w, "path", a->c->root);
	jw_int_of(w, "events", (int64_t)(host + device));
	jw_int_of(w, "host_events", (int64_t)host);
	jw_int_of(w, "device_events", (int64_t)device);
	jw_int_of(w, "steps", (int64_t)steps);
	jw_int_of(w, "ranks", (int64_t)a->c->nranks);
	jw_close(w);
}

static void write_bottleneck(struct jsonw *w, const struct analysis *a)
{
	const struct unit *u = analysis_headline(a);
	enum bottleneck b = u ? u->verdicts[0].headline : BN_NONE;

	jw_open_of(w, "bottleneck", '{');
	jw_str_of(w, "type", bottleneck_key(b));
	num(w, "score", u && b != BN_NONE ? u->verdicts[0].scores[b].score : 0);
	jw_str_of(w, "scope", "overall");
	jw_str_of(w, "subtype", u && b != BN_NONE ? u->verdicts[0].scores[b].subtype : "");
	jw_str_of(w, "confidence", confidence_key(u ? u->verdicts[0].confidence : CONF_LOW));
	jw_int_of(w, "rank", u ? rank_id(a, u->rank) : -1);
	jw_str_of(w, "sentence", a->sentence);
	jw_close(w);
}

static void write_gates(struct jsonw *w, const struct score *s)
{
	jw_open_of(w, "gates", '[');
	for (size_t i = 0; i < s->ngates; i++) {
		const struct gate *g = &s->gates[i];

		jw_open(w, '{');
		jw_str_of(w, "metric", indicator_key(g->indicator));
		num(w, "value", g->value);
		num(w, "gate", g->limit);
		jw_str_of(w, "relation", g->relation == REL_AT_LEAST ? ">=" : "<=");
		flag(w, "passed", g->passed);
		flag(w, "required", g->required);
		num(w, "severity", g->severity);
		num(w, "points", g->points);
		jw_str_of(w, "threshold", threshold_key(g->threshold));
		jw_close(w);
	}
	jw_close(w);
}

static void write_scope(struct jsonw *w, const struct scope *s, const struct verdict *v)
{
	jw_open(w, '{');
	jw_str_of(w, "scope", scope_key(s));
	jw_str_of(w, "type", bottleneck_key(v->headline));
	jw_str_of(w, "confidence", confidence_key(v->confidence));
	jw_open_of(w, "scores", '{');
	for (int b = 0; b < BN_MAX; b++)
		num(w, bottleneck_key((enum bottleneck)b), v->scores[b].score);
	jw_close(w);
	jw_open_of(w, "indicators", '{');
	for (int i = 0; i < IND_MAX; i++)
		num(w, indicator_key((enum indicator)i), s->v[i]);
	jw_close(w);
	jw_open_of(w, "evidence", '[');
	for (int b = 0; b < BN_MAX; b++) {
		jw_open(w, '{');
		jw_str_of(w, "type", bottleneck_key((enum bottleneck)b));
		flag(w, "located", v->scores[b].located);
		flag(w, "evaluable", v->scores[b].evaluable);
		jw_str_of(w, "subtype", v->scores[b].subtype);
		write_gates(w, &v->scores[b]);
		jw_close(w);
	}
	jw_close(w);
	jw_close(w);
}

static void write_scopes(struct jsonw *w, const struct unit *u)
{
	jw_open_of(w, "scopes", '[');
	for (size_t i = 0; u && i < u->nscopes; i++)
		write_scope(w, &u->scopes[i], &u->verdicts[i]);
	jw_close(w);
}

/* ---- ranks -------------------------------------------------------------------------------------------------------------------------------- */

static void write_comm(struct jsonw *w, const struct collectives *c)
{
	jw_open_of(w, "communication", '{');
	jw_int_of(w, "collectives", (int64_t)c->n);
	jw_str_of(w, "verdict", comm_verdict_key(c->verdict));
	jw_str_of(w, "reason", c->reason);
	time_us(w, "elapse_us", c->n ? c->elapse : NO_TIME);
	time_us(w, "transit_us", c->has_split ? c->transit : NO_TIME);
	time_us(w, "wait_us", c->has_split ? c->wait : NO_TIME);
	time_us(w, "synchronization_us", c->has_split ? c->sync : NO_TIME);
	time_us(w, "idle_us", c->has_split ? c->idle : NO_TIME);
	num(w, "size_mb", c->size_mb);
	num(w, "bandwidth_gbs", c->bandwidth_gbs);
	time_us(w, "median_us", c->median_ns);
	flag(w, "from_file", c->from_file);
	jw_close(w);
}

static void write_unit(struct jsonw *w, const struct analysis *a, const struct unit *u)
{
	jw_open(w, '{');
	jw_int_of(w, "rank", rank_id(a, u->rank));
	jw_int_of(w, "device", u->work->device);
	jw_str_of(w, "source", u->work->from_table ? "kernel table" : "timeline");
	jw_str_of(w, "type", bottleneck_key(u->verdicts[0].headline));
	jw_open_of(w, "steps_found", '{');
	jw_int_of(w, "count", (int64_t)u->steps.n);
	jw_str_of(w, "source", step_source_key(u->steps.source));
	jw_str_of(w, "confidence", confidence_key(u->steps.confidence));
	jw_str_of(w, "reason", u->steps.reason);
	jw_str_of(w, "phase_confidence", confidence_key(u->steps.phase_confidence));
	jw_str_of(w, "phase_reason", u->steps.phase_reason);
	jw_close(w);
	jw_open_of(w, "events_by_work", '{');
	for (int k = 0; k < WORK_MAX; k++)
		if (u->work->counts[k])
			jw_int_of(w, work_key((enum work)k), (int64_t)u->work->counts[k]);
	jw_close(w);
	write_comm(w, &u->colls);
	write_scopes(w, u);
	jw_close(w);
}

static void write_late(struct jsonw *w, const struct analysis *a)
{
	const struct late_rank *l = &a->late;

	jw_open_of(w, "ranks_compared", '{');
	jw_int_of(w, "collectives", (int64_t)l->ncollectives);
	jw_int_of(w, "late_rank", l->late >= 0 && (size_t)l->late < l->nranks ? l->ranks[l->late].id : -1);
	num(w, "compute_spread_pct", l->spread_pct);
	jw_str_of(w, "reason", l->reason);
	jw_open_of(w, "votes", '[');
	for (size_t i = 0; i < l->nranks; i++) {
		jw_open(w, '{');
		jw_int_of(w, "rank", l->ranks[i].id);
		jw_int_of(w, "votes", (int64_t)l->ranks[i].votes);
		time_us(w, "wait_us", l->ranks[i].wait);
		time_us(w, "transit_us", l->ranks[i].transit);
		time_us(w, "compute_us", l->ranks[i].compute);
		jw_close(w);
	}
	jw_close(w);
	jw_close(w);
}

static void write_checks(struct jsonw *w, const struct analysis *a)
{
	jw_open_of(w, "exporter_check", '[');
	for (size_t i = 0; i < a->nchecks; i++) {
		const struct cross_check *c = &a->checks[i];

		jw_open(w, '{');
		jw_int_of(w, "rank", rank_id(a, c->rank));
		jw_str_of(w, "step", c->step);
		jw_str_of(w, "metric", c->metric);
		num(w, "ours_us", c->ours_us);
		num(w, "exporter_us", c->exporter_us);
		num(w, "deviation_pct", c->deviation_pct);
		jw_str_of(w, "artifact", c->artifact);
		jw_close(w);
	}
	jw_close(w);
}

/* ---- steps, gaps, operators ---------------------------------------------------------------------------------------------------------------- */

static void write_steps(struct jsonw *w, const struct analysis *a)
{
	jw_open_of(w, "steps", '[');
	for (size_t k = 0; k < a->nunits; k++) {
		const struct unit *u = &a->units[k];

		for (size_t i = 0; i < u->steps.n; i++) {
			const struct step *s = &u->steps.items[i];

			jw_open(w, '{');
			jw_int_of(w, "rank", rank_id(a, u->rank));
			name(w, a, "label", s->label);
			jw_str_of(w, "phase", phase_key(s->phase));
			time_us(w, "start_us", s->start);
			time_us(w, "end_us", s->end);
			flag(w, "partial", s->partial);
			time_us(w, "compute_us", intervals_within(&u->work->sets.compute, s->start, s->end));
			time_us(w, "communication_us", intervals_within(&u->work->sets.comm, s->start, s->end));
			time_us(w, "exposed_us", intervals_within(&u->work->sets.exposed, s->start, s->end));
			time_us(w, "copy_us", intervals_within(&u->work->sets.copy, s->start, s->end));
			time_us(w, "idle_us", s->end - s->start - intervals_within(&u->work->sets.busy, s->start, s->end));
			jw_close(w);
		}
	}
	jw_close(w);
}

static void span_name(struct jsonw *w, const struct analysis *a, const struct unit *u, const char *key, uint32_t span)
{
	jw_key(w, key);
	if (span < u->work->nspans)
		jw_str(w, names_str(&a->c->names, u->work->spans[span].name));
	else
		jw_null(w);
}

static void write_gap(struct jsonw *w, const struct analysis *a, const struct unit *u, const struct gap *g)
{
	jw_open(w, '{');
	jw_int_of(w, "rank", rank_id(a, u->rank));
	time_us(w, "start_us", g->start);
	time_us(w, "length_us", g->end - g->start);
	jw_str_of(w, "cause", gap_key(g->cause));
	jw_str_of(w, "confidence", confidence_key(g->confidence));
	span_name(w, a, u, "before", g->before);
	span_name(w, a, u, "after", g->after);
	time_us(w, "host_busy_us", g->host_busy);
	jw_open_of(w, "host", '[');
	for (size_t k = 0; k < ARRAY_LEN(g->host) && g->host[k]; k++) {
		jw_open(w, '{');
		name(w, a, "name", g->host[k]);
		time_us(w, "us", g->host_ns[k]);
		jw_close(w);
	}
	jw_close(w);
	jw_close(w);
}

static int length_compare(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return a > b ? -1 : a < b;
}

/* The length from which a gap is listed: 0 when all are. */
static int64_t listed_from(const struct gaps *g)
{
	int64_t *lengths, from;

	if (g->n <= GAPS_LISTED)
		return 0;
	lengths = mem_alloc(g->n, sizeof *lengths);
	for (size_t i = 0; i < g->n; i++)
		lengths[i] = g->items[i].end - g->items[i].start;
	qsort(lengths, g->n, sizeof *lengths, length_compare);
	from = lengths[GAPS_LISTED - 1];
	free(lengths);
	return from;
}

static void write_gaps(struct jsonw *w, const struct analysis *a)
{
	jw_open_of(w, "gaps", '[');
	for (size_t k = 0; k < a->nunits; k++) {
		const struct gaps *g = &a->units[k].gaps;
		int64_t from = listed_from(g);

		for (size_t i = 0; i < g->n; i++)
			if (g->items[i].end - g->items[i].start >= from)
				write_gap(w, a, &a->units[k], &g->items[i]);
	}
	jw_close(w);
	jw_open_of(w, "gap_causes", '[');
	for (size_t k = 0; k < a->nunits; k++)
		for (int c = 0; c < GAP_MAX; c++) {
			const struct gap_sum *s = &a->units[k].gaps.by_cause[c];

			if (!s->count)
				continue;
			jw_open(w, '{');
			jw_int_of(w, "rank", rank_id(a, a->units[k].rank));
			jw_str_of(w, "cause", gap_key((enum gap_cause)c));
			jw_int_of(w, "count", (int64_t)s->count);
			time_us(w, "total_us", s->total_ns);
			time_us(w, "longest_us", s->longest_ns);
			jw_close(w);
		}
	jw_close(w);
}

static double share(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : NAN;
}

static void write_operator(struct jsonw *w, const struct analysis *a, const struct unit *u, const struct op_row *o)
{
	const struct op_table *t = &u->ops;
	double wall = u->nscopes ? u->scopes[0].v[IND_WALL] : NAN, busy = u->nscopes ? u->scopes[0].v[IND_DEVICE_BUSY] : NAN;

	jw_open(w, '{');
	jw_int_of(w, "rank", rank_id(a, u->rank));
	name(w, a, "name", o->name);
	jw_str_of(w, "class", class_key(o->class.class));
	jw_str_of(w, "subtype", subtype_key(o->class.subtype));
	jw_str_of(w, "side", o->side == SIDE_DEVICE ? "device" : "host");
	jw_str_of(w, "work", work_key(o->kind));
	jw_str_of(w, "core", core_key(o->core));
	jw_int_of(w, "count", (int64_t)o->count);
	time_us(w, "total_us", o->total_ns);
	num(w, "mean_us", (double)o->total_ns / 1e3 / (double)MAX((size_t)1, o->count));
	time_us(w, "p50_us", o->p50_ns);
	time_us(w, "p95_us", o->p95_ns);
	time_us(w, "max_us", o->max_ns);
	num(w, "share_ops_pct", o->kind == WORK_HOST_RUNTIME ? NAN : share(o->total_ns, t->device_ns + t->host_ns));
	num(w, "share_device_pct", o->side == SIDE_DEVICE ? share(o->total_ns, t->device_ns) : NAN);
	num(w, "share_busy_pct", o->side == SIDE_DEVICE && busy > 0 ? (double)o->total_ns / 10 / busy : NAN);
	num(w, "share_wall_pct", wall > 0 ? (double)o->total_ns / 10 / wall : NAN);
	jw_str_of(w, "bound", bound_key(o->bound));
	num(w, "cube_ratio", o->cube);
	num(w, "vector_ratio", o->vector);
	num(w, "mte2_ratio", o->mte2);
	num(w, "mte3_ratio", o->mte3);
	jw_close(w);
}

static void write_operators(struct jsonw *w, const struct analysis *a)
{
	jw_open_of(w, "operators", '[');
	for (size_t k = 0; k < a->nunits; k++)
		for (size_t i = 0; i < a->units[k].ops.n; i++)
			write_operator(w, a, &a->units[k], &a->units[k].ops.rows[i]);
	jw_close(w);
	jw_open_of(w, "classes", '[');
	for (size_t k = 0; k < a->nunits; k++)
		for (int c = 0; c < CLASS_MAX; c++) {
			const struct op_class_sum *s = &a->units[k].ops.classes[c];

			if (!s->count)
				continue;
			jw_open(w, '{');
			jw_int_of(w, "rank", rank_id(a, a->units[k].rank));
			jw_str_of(w, "class", class_key((enum class_id)c));
			jw_int_of(w, "count", (int64_t)s->count);
			time_us(w, "total_us", s->total_ns);
			time_us(w, "union_us", intervals_total(&s->set));
			jw_close(w);
		}
	jw_close(w);
}

/* ---- findings and advice ------------------------------------------------------------------------------------------------------------------ */

static void write_evidence(struct jsonw *w, const struct finding *f)
{
	jw_open_of(w, "evidence", '[');
	for (size_t i = 0; i < f->nevidence; i++) {
		const struct evidence *e = &f->evidence[i];

		jw_open(w, '{');
		jw_str_of(w, "metric", e->metric);
		num(w, "value", e->value);
		jw_str_of(w, "unit", e->unit);
		if (e->has_gate) {
			num(w, "gate", e->gate);
			jw_str_of(w, "relation", e->relation == REL_AT_LEAST ? ">=" : "<=");
			flag(w, "passed", e->passed);
		}
		jw_str_of(w, "formula", e->formula);
		jw_str_of(w, "source", e->source);
		jw_close(w);
	}
	jw_close(w);
}

static void write_places(struct jsonw *w, const struct analysis *a, const struct finding *f)
{
	jw_open_of(w, "where", '[');
	for (size_t i = 0; i < f->nplaces; i++) {
		const struct place *p = &f->places[i];

		jw_open(w, '{');
		jw_int_of(w, "rank", rank_id(a, p->rank));
		jw_str_of(w, "label", p->label);
		time_us(w, "start_us", p->start);
		time_us(w, "end_us", p->end);
		jw_close(w);
	}
	jw_close(w);
}

static void write_strings(struct jsonw *w, const char *key, const char *const *list)
{
	jw_open_of(w, key, '[');
	for (; list && *list; list++)
		jw_str(w, str_of(*list));
	jw_close(w);
}

static void write_finding(struct jsonw *w, const struct analysis *a, const struct finding *f)
{
	jw_open(w, '{');
	jw_str_of(w, "id", f->id);
	jw_str_of(w, "title", f->title);
	jw_str_of(w, "severity", severity_key(f->severity));
	jw_str_of(w, "type", bottleneck_key(f->type));
	jw_str_of(w, "phase", phase_key(f->phase));
	num(w, "time_us", f->stake_us);
	num(w, "step_pct", f->stake_pct);
	jw_str_of(w, "confidence", confidence_key(f->confidence));
	jw_str_of(w, "text", f->text);
	write_evidence(w, f);
	write_places(w, a, f);
	write_strings(w, "actions", f->actions);
	jw_str_of(w, "verify", f->verify);
	jw_close(w);
}

static void write_advice(struct jsonw *w, const struct finding *f)
{
	jw_open(w, '{');
	jw_str_of(w, "id", f->id);
	jw_str_of(w, "title", f->title);
	jw_str_of(w, "type", bottleneck_key(f->type));
	jw_str_of(w, "phase", phase_key(f->phase));
	jw_str_of(w, "severity", severity_key(f->severity));
	num(w, "priority", f->priority);
	num(w, "estimate_pct", f->benefit.estimate_pct);
	jw_open_of(w, "range_pct", '[');
	jw_num(w, f->benefit.low_pct);
	jw_num(w, f->benefit.high_pct);
	jw_close(w);
	jw_str_of(w, "gain_of", f->benefit.of);
	jw_str_of(w, "basis", f->benefit.basis);
	flag(w, "from_capture", f->benefit.from_capture);
	jw_str_of(w, "confidence", confidence_key(f->confidence));
	num(w, "time_us", f->stake_us);
	num(w, "step_pct", f->stake_pct);
	jw_open_of(w, "metrics", '[');
	for (size_t i = 0; i < f->ntargets; i++)
		jw_str(w, str_of(indicator_key(f->targets[i])));
	jw_close(w);
	write_evidence(w, f);
	write_strings(w, "actions", f->actions);
	jw_str_of(w, "verify", f->verify);
	jw_str_of(w, "risk", f->risk);
	jw_str_of(w, "version", f->version);
	jw_close(w);
}

static void write_findings(struct jsonw *w, const struct analysis *a)
{
	jw_open_of(w, "findings", '[');
	for (size_t i = 0; i < a->findings.n; i++)
		write_finding(w, a, &a->findings.items[i]);
	jw_close(w);
	jw_open_of(w, "not_evaluable", '[');
	for (size_t i = 0; i < a->silent.n; i++) {
		jw_open(w, '{');
		jw_str_of(w, "id", a->silent.items[i].id);
		jw_str_of(w, "title", a->silent.items[i].title);
		jw_str_of(w, "missing", a->silent.items[i].missing);
		jw_str_of(w, "recollect", a->silent.items[i].recollect);
		jw_close(w);
	}
	jw_close(w);
	jw_open_of(w, "advice", '[');
	for (size_t i = 0; i < a->advice.n; i++)
		write_advice(w, &a->advice.items[i]);
	jw_close(w);
}

static void write_thresholds(struct jsonw *w, const struct analysis *a)
{
	jw_open_of(w, "thresholds", '[');
	for (int i = 0; i < TH_MAX; i++) {
		jw_open(w, '{');
		jw_str_of(w, "key", threshold_key((enum threshold)i));
		num(w, "value", a->options.thresholds.v[i]);
		jw_str_of(w, "unit", threshold_unit((enum threshold)i));
		flag(w, "changed", a->options.thresholds.changed[i]);
		jw_close(w);
	}
	jw_close(w);
}

void analysis_write_json(const struct analysis *a, struct buf *out)
{
	struct jsonw w = { .out = out };

	jw_open(&w, '{');
	jw_int_of(&w, "schema", 1);
	write_capture(&w, a);
	write_bottleneck(&w, a);
	write_scopes(&w, analysis_headline(a));
	jw_open_of(&w, "ranks", '[');
	for (size_t i = 0; i < a->nunits; i++)
		write_unit(&w, a, &a->units[i]);
	jw_close(&w);
	write_late(&w, a);
	write_findings(&w, a);
	write_checks(&w, a);
	write_steps(&w, a);
	write_gaps(&w, a);
	write_operators(&w, a);
	write_thresholds(&w, a);
	jw_close(&w);
}
