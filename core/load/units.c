/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unit of the step table, whose header names none, is settled by evidence: its sum is compared with the sum of the same thing in another
 * artifact of the same capture whose unit is known. Candidates are a factor of 1000 apart, so a match within a factor of 2.5 decides; a
 * witness that covers only part of the time matches none.
 * Official writers use microseconds; some tools write milliseconds. Never decided by magnitude.
 */
#include "core/load/load_private.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

static const struct {
	const char *name;
	double ns;
} candidates[] = { { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "ns", 1 } };

/* Something to compare a step column with. */
struct witness {
	enum col column;
	double ns;			/* the same sum by another artifact; 0 when it has none */
	const char *what;
};

static double column_sum(const struct table *t, enum col id)
{
	const struct column *c = t ? table_col(t, id) : NULL;
	double sum = 0;

	for (size_t i = 0; c && i < t->nrows; i++)
		if (isfinite(c->real[i]))
			sum += c->real[i];
	return sum;
}

static bool is_communication_row(const struct capture *c, const struct table *t, size_t row)
{
	const struct column *core = table_col(t, COL_CORE), *name = table_col(t, COL_NAME);
	struct str core_text = core ? names_str(&c->names, core->text[row]) : (struct str){ "", 0 };

	if (str_is(core_text, STR("HCCL")) || str_is(core_text, STR("COMMUNICATION")))
		return true;
	return name && str_begins(names_str(&c->names, name->text[row]), STR("hcom_"));
}

/* Durations of all rows that are not communication, ns. */
static double kernel_sum(const struct capture *c, const struct table *t)
{
	const struct column *dur = t ? table_col(t, COL_DURATION) : NULL;
	double sum = 0;

	for (size_t i = 0; dur && i < t->nrows; i++)
		if (dur->num[i] > 0 && !is_communication_row(c, t, i))
			sum += (double)dur->num[i];
	return sum;
}

/* Durations of the exporter's own summary lane of that name, ns. */
static double overlap_sum(const struct capture *c, const struct events *e, struct str lane_name)
{
	double sum = 0;

	for (size_t l = 0; l < e->nlanes; l++) {
		const struct lane *lane = &e->lanes[l];

		if (e->processes[lane->process].layer != LAYER_OVERLAP || !str_is(names_str(&c->names, lane->name), lane_name))
			continue;
		for (size_t i = lane->first; i < lane->first + lane->n; i++)
			sum += (double)e->dur[i];
	}
	return sum;
}

static double hardware_sum(const struct events *e)
{
	double sum = 0;

	for (size_t l = 0; l < e->nlanes; l++)
		for (size_t i = e->lanes[l].first; i < e->lanes[l].first + e->lanes[l].n; i++)
			if (e->processes[e->lanes[l].process].layer == LAYER_HARDWARE)
				sum += (double)e->dur[i];
	return sum;
}

static double elapse_sum(const struct comm *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->nops; i++)
		if (!c->ops[i].total && c->ops[i].elapse_ns > 0)
			sum += (double)c->ops[i].elapse_ns;
	return sum;
}

/* The candidate whose ns come closest to the witness, NULL when none is near. */
static const char *match_unit(double sum, double witness_ns, double *unit_ns)
{
	for (size_t i = 0; i < ARRAY_LEN(candidates); i++) {
		double ratio = sum * candidates[i].ns / witness_ns;

		if (ratio > 0.4 && ratio < 2.5) {
			*unit_ns = candidates[i].ns;
			return candidates[i].name;
		}
	}
	return NULL;
}

static const char *artifact_path(const struct capture *c, enum artifact kind, int rank)
{
	for (size_t i = 0; i < c->nfindings; i++)
		if (c->findings[i].kind == kind && c->findings[i].accepted && c->findings[i].rank == rank)
			return c->findings[i].path;
	return artifact_key(kind);
}

static void add_unit(struct capture *c, struct unit_finding u)
{
	ARRAY_PUSH(c, units, nunits, cap_units) = u;
}

/* Compares the step table of r with the witnesses in turn. */
static void settle_steps(struct capture *c, struct rank *r, const struct table *steps, const char *path)
{
	const struct witness witnesses[] = {
		{ COL_COMPUTING, kernel_sum(c, rank_kernels(r)), "the kernels of the kernel table" },
		{ COL_COMPUTING, overlap_sum(c, &r->events, STR("Computing")), "the timeline's Computing lane" },
		{ COL_COMMUNICATION, elapse_sum(&r->comm), "the elapse times of the communication file" },
		{ COL_COMPUTING, hardware_sum(&r->events), "all tasks of the timeline" },
	};

	for (size_t i = 0; i < ARRAY_LEN(witnesses); i++) {
		double sum = column_sum(steps, witnesses[i].column);
		const char *unit = sum > 0 && witnesses[i].ns > 0 ? match_unit(sum, witnesses[i].ns, &r->step_unit_ns) : NULL;

		if (!unit)
			continue;
		add_unit(c, (struct unit_finding){ path, unit, arena_printf(&c->arena, "%s sums to %.10g; %s sum to %.10g us: %.4f of it as %s",
			col_spelling(witnesses[i].column), sum, witnesses[i].what, witnesses[i].ns / 1e3,
			sum * r->step_unit_ns / witnesses[i].ns, unit), false });
		return;
	}
	r->step_unit_ns = 1e3;
	add_unit(c, (struct unit_finding){ path, "us", "nothing in this capture to compare with; the official writers use us", true });
}

/* Microseconds by format; confirmed when the kernel table's starts lie inside the events. */
static void confirm_trace(struct capture *c, const struct rank *r, int index)
{
	const struct table *t = rank_kernels(r);
	const struct column *start = t ? table_col(t, COL_START) : NULL;
	const char *path = artifact_path(c, ART_TRACE, index);
	size_t inside = 0, known = 0;

	for (size_t i = 0; start && i < t->nrows; i++) {
		known += start->num[i] != NO_TIME;
		inside += start->num[i] != NO_TIME && start->num[i] >= r->events.first_start && start->num[i] <= r->events.last_end;
	}
	if (!known)
		add_unit(c, (struct unit_finding){ path, "us", "the format's unit; no kernel table to compare with", true });
	else
		add_unit(c, (struct unit_finding){ path, "us", arena_printf(&c->arena, "%zu of %zu kernels of the kernel table start inside the timeline",
			inside, known), inside * 2 < known });
}

void units_settle(struct capture *c)
{
	for (size_t i = 0; i < c->nranks; i++) {
		struct rank *r = &c->ranks[i];
		bool from_text = false;

		for (size_t k = 0; k < c->nfindings; k++)
			from_text |= c->findings[k].kind == ART_TRACE && c->findings[k].accepted && c->findings[k].rank == (int)i;
		if (from_text && r->events.n)
			confirm_trace(c, r, (int)i);
		if (r->tables[ART_STEP_TRACE_TIME]) {
			const char *path = artifact_path(c, ART_STEP_TRACE_TIME, (int)i);

			if (path == artifact_key(ART_STEP_TRACE_TIME))
				path = artifact_path(c, ART_ANALYSIS_DB, (int)i);
			settle_steps(c, r, r->tables[ART_STEP_TRACE_TIME], path);
		}
	}
	if (c->has_cluster && c->cluster.tables[ART_CLUSTER_STEP])
		settle_steps(c, &c->cluster, c->cluster.tables[ART_CLUSTER_STEP], artifact_path(c, ART_CLUSTER_STEP, -1));
}
