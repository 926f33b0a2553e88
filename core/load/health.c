/* SPDX-License-Identifier: Apache-2.0 */
/* What can and what cannot be concluded from a capture: one check an entry of health.def, over all ranks. */
#include "core/load/load_private.h"

#include "core/base/mem.h"

#include <stdarg.h>
#include <stdio.h>

enum health_id {
#define HEALTH(id, key, use, torch, msprof) HEALTH_ID_##id,
#include "core/load/health.def"
#undef HEALTH
	HEALTH_ID_MAX
};

static const struct {
	const char *key, *use, *torch, *msprof;
} health_info[HEALTH_ID_MAX] = {
#define HEALTH(id, key, use, torch, msprof) [HEALTH_ID_##id] = { key, use, torch, msprof },
#include "core/load/health.def"
#undef HEALTH
};

/* A check's word on one rank. */
struct word {
	enum health_state state;
	const char *why;
};

struct check {
	struct capture *c;
	const struct rank *r;
};

static struct word say(struct check *k, enum health_state state, const char *fmt, ...) PRINTF_LIKE(3, 4);

static struct word say(struct check *k, enum health_state state, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return (struct word){ state, arena_copy(&k->c->arena, text, strlen(text)) };
}

static size_t layer_events(const struct events *e, enum layer layer)
{
	size_t n = 0;

	for (size_t i = 0; i < e->nlanes; i++)
		if (e->processes[e->lanes[i].process].layer == layer)
			n += e->lanes[i].n;
	return n;
}

static const char *name_text(const struct check *k, uint32_t id)
{
	return names_text(&k->c->names, id);
}

static bool has_column(const struct table *t, enum col id)
{
	return t && table_col(t, id);
}

/* ---- checks ------------------------------------------------------------------------------------------------------------------------- */

static struct word check_EVENTS(struct check *k)
{
	if (k->r->events.n)
		return say(k, HEALTH_OK, "%zu events", k->r->events.n);
	return say(k, HEALTH_MISSING, "no trace_view.json, msprof_*.json or profiler database with events");
}

static struct word check_HOST(struct check *k)
{
	const struct events *e = &k->r->events;
	size_t python = layer_events(e, LAYER_PYTHON) + layer_events(e, LAYER_FRAMEWORK), cann = layer_events(e, LAYER_CANN);

	if (!e->n)
		return say(k, HEALTH_MISSING, "no timeline");
	if (python && cann)
		return say(k, HEALTH_OK, "%zu framework and %zu CANN events", python, cann);
	if (python || cann)
		return say(k, HEALTH_PARTIAL, python ? "framework events, but none of CANN" : "CANN events, but none of the framework");
	return say(k, HEALTH_MISSING, "no framework and no CANN events");
}

static struct word check_DEVICE(struct check *k)
{
	size_t n = layer_events(&k->r->events, LAYER_HARDWARE), comm = layer_events(&k->r->events, LAYER_COMMUNICATION);

	if (n)
		return say(k, HEALTH_OK, "%zu tasks, %zu communication events", n, comm);
	return say(k, HEALTH_MISSING, k->r->events.n ? "no Ascend Hardware lane in the timeline" : "no timeline");
}

static struct word check_LINKS(struct check *k)
{
	const struct link_count *c = k->r->events.link_counts;
	size_t torch = c[LINK_TORCH].n + c[LINK_SELF].n, launch = c[LINK_LAUNCH].n;

	if (torch && launch)
		return say(k, HEALTH_OK, "%zu from framework operators, %zu from CANN launches", torch, launch);
	if (torch || launch)
		return say(k, HEALTH_PARTIAL, "%zu from framework operators, %zu from CANN launches", torch, launch);
	return say(k, HEALTH_MISSING, "no flow joins a host call with a device task");
}

static struct word check_LEVEL(struct check *k)
{
	const char *level = name_text(k, k->r->info.level);

	if (!*level)
		return say(k, HEALTH_UNKNOWN, "no profiler_info: the level is not written anywhere");
	if (strcmp(level, "Level0") == 0 || strcmp(level, "none") == 0 || strcmp(level, "Level_none") == 0)
		return say(k, HEALTH_MISSING, "%s", level);
	return say(k, HEALTH_OK, "%s", level);
}

static struct word check_KERNELS(struct check *k)
{
	const struct table *t = rank_kernels(k->r);

	if (!t)
		return say(k, HEALTH_MISSING, "no kernel_details, op_summary or database with kernels");
	if (!has_column(t, COL_TYPE))
		return say(k, HEALTH_PARTIAL, "%zu kernels, but no operator types (Level0)", t->nrows);
	return say(k, HEALTH_OK, "%zu kernels", t->nrows);
}

static struct word check_METRICS(struct check *k)
{
	static const char *const pipes[] = { "aic_mac_ratio", "aiv_vec_ratio", "mac_ratio", "vec_ratio" };
	const struct table *t = rank_kernels(k->r);
	const char *metrics = name_text(k, k->r->info.aic_metrics);
	size_t n = 0;

	for (size_t i = 0; t && i < t->ncolumns; i++)
		n += t->columns[i].id == COL_METRIC;
	for (size_t i = 0; t && i < ARRAY_LEN(pipes); i++)
		if (table_metric(t, &k->c->names, pipes[i]))
			return say(k, HEALTH_OK, "pipe utilisation, %zu metric columns", n);
	if (n)
		return say(k, HEALTH_PARTIAL, "%zu metric columns%s%s, but not pipe utilisation", n, *metrics ? " of " : "", metrics);
	return say(k, HEALTH_MISSING, "no metric column in the kernel table");
}

static struct word check_SHAPES(struct check *k)
{
	bool kernels = has_column(rank_kernels(k->r), COL_INPUT_SHAPES), ops = has_column(k->r->tables[ART_OPERATOR_DETAILS], COL_INPUT_SHAPES);

	if (kernels || ops)
		return say(k, HEALTH_OK, kernels && ops ? "of kernels and of framework operators" : kernels ? "of kernels" : "of framework operators");
	return say(k, HEALTH_MISSING, k->r->info.shapes == TRI_NO ? "record_shapes was off" : "no shapes in any table");
}

static struct word check_STACKS(struct check *k)
{
	if (has_column(k->r->tables[ART_OPERATOR_DETAILS], COL_CALL_STACK))
		return say(k, HEALTH_OK, "in operator_details");
	if (k->r->info.stacks == TRI_YES || k->r->info.modules == TRI_YES)
		return say(k, HEALTH_OK, "collected: %s", k->r->info.stacks == TRI_YES ? "with_stack" : "with_modules");
	return say(k, HEALTH_MISSING, k->r->info.stacks == TRI_NO ? "with_stack was off" : "no call stacks found");
}

/* Events named ProfilerStep#N. */
static size_t step_marks(const struct check *k)
{
	const struct events *e = &k->r->events;
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++)
		n += str_begins(names_str(&k->c->names, e->name[i]), STR("ProfilerStep"));
	return n;
}

static struct word check_STEPS(struct check *k)
{
	const struct table *steps = k->r->tables[ART_STEP_TRACE_TIME];
	size_t marks = step_marks(k), named = 0;

	for (size_t i = 0; has_column(steps, COL_STEP) && i < steps->nrows; i++)
		named += table_col(steps, COL_STEP)->text[i] != 0;
	if (marks || named)
		return say(k, HEALTH_OK, "%zu", marks ? marks : named);
	if (k->r->tables[ART_STEP_TRACE])
		return say(k, HEALTH_OK, "%zu iterations of msprof", k->r->tables[ART_STEP_TRACE]->nrows);
	return say(k, HEALTH_PARTIAL, "no step marks: steps have to be inferred");
}

static struct word check_STEP_TABLE(struct check *k)
{
	if (k->r->tables[ART_STEP_TRACE_TIME])
		return say(k, HEALTH_OK, "of %zu step%s", k->r->tables[ART_STEP_TRACE_TIME]->nrows, k->r->tables[ART_STEP_TRACE_TIME]->nrows == 1 ? "" : "s");
	return say(k, HEALTH_MISSING, "no step_trace_time.csv or analysis.db");
}

static struct word check_COMM(struct check *k)
{
	const struct comm *c = &k->r->comm;
	size_t n = comm_count(c);

	if (n)
		return c->unofficial ? say(k, HEALTH_PARTIAL, "%zu collectives, without transit and wait", n) : say(k, HEALTH_OK, "%zu collectives", n);
	if (layer_events(&k->r->events, LAYER_COMMUNICATION))
		return say(k, HEALTH_PARTIAL, "only on the timeline: no communication.json");
	return say(k, HEALTH_MISSING, "no communication.json (a single card has none)");
}

static struct word check_MATRIX(struct check *k)
{
	if (k->r->comm.nedges)
		return say(k, HEALTH_OK, "%zu links", k->r->comm.nedges);
	return say(k, HEALTH_MISSING, "no communication_matrix.json (a single card has none)");
}

static struct word check_MEMORY(struct check *k)
{
	bool record = k->r->tables[ART_MEMORY_RECORD], blocks = k->r->tables[ART_OPERATOR_MEMORY];

	if (record && blocks)
		return say(k, HEALTH_OK, "over time and by operator");
	if (record || blocks)
		return say(k, HEALTH_PARTIAL, record ? "over time, not by operator" : "by operator, not over time");
	return say(k, HEALTH_MISSING, k->r->info.memory == TRI_NO ? "profile_memory was off" : "no memory tables");
}

static bool rank_is_here(const struct capture *c, int id)
{
	for (size_t i = 0; i < c->nranks; i++)
		if (c->ranks[i].id == id)
			return true;
	return false;
}

/* The lowest rank that traffic refers to and that was not captured, -1 none. */
static int rank_elsewhere(const struct capture *c)
{
	int lowest = INT32_MAX;

	for (size_t r = 0; r < c->nranks; r++) {
		const struct comm *m = &c->ranks[r].comm;

		for (size_t i = 0; i < m->nedges; i++) {
			if (m->edges[i].src >= 0 && !rank_is_here(c, m->edges[i].src))
				lowest = MIN(lowest, m->edges[i].src);
			if (m->edges[i].dst >= 0 && !rank_is_here(c, m->edges[i].dst))
				lowest = MIN(lowest, m->edges[i].dst);
		}
	}
	return lowest == INT32_MAX ? -1 : lowest;
}

static struct word check_RANKS(struct check *k)
{
	int64_t world = k->r->info.world_size;
	size_t seen = k->c->nranks;
	int other = rank_elsewhere(k->c);

	if (world > 0)
		return say(k, (int64_t)seen >= world ? HEALTH_OK : HEALTH_PARTIAL, "%zu of %lld ranks", seen, (long long)world);
	if (other >= 0)
		return say(k, HEALTH_PARTIAL, "%zu here, but traffic goes to others (rank %d first)", seen, other);
	if (k->r->comm.nedges)
		return say(k, HEALTH_OK, "%zu here, and traffic goes to no other", seen);
	return say(k, HEALTH_UNKNOWN, "%zu here; the world size is not written anywhere", seen);
}

static struct word check_DAMAGE(struct check *k)
{
	const struct account *a = &k->r->account;
	size_t lost = a->dropped[DROP_DAMAGED].count + a->dropped[DROP_TRUNCATED].count + a->dropped[DROP_TOO_LONG].count;

	if (lost)
		return say(k, HEALTH_PARTIAL, "%zu damaged place%s in the timeline", lost, lost == 1 ? "" : "s");
	return say(k, HEALTH_OK, "every event of the files is accounted for");
}

static struct word (*const checks[HEALTH_ID_MAX])(struct check *) = {
#define HEALTH(id, key, use, torch, msprof) [HEALTH_ID_##id] = check_##id,
#include "core/load/health.def"
#undef HEALTH
};

/* ---- over all ranks ------------------------------------------------------------------------------------------------------------------- */

static const char *recollect_for(const struct capture *c, enum health_id id)
{
	for (size_t i = 0; i < c->nranks; i++)
		if (strcmp(c->ranks[i].writer, "msprof") != 0)
			return health_info[id].torch;
	return health_info[id].msprof;
}

/* The worst rank decides; "partial" when some ranks have it and some do not. */
static struct health over_ranks(struct capture *c, enum health_id id)
{
	struct health h = { .id = health_info[id].key, .state = HEALTH_OK, .why = "", .recollect = "" };
	size_t counts[HEALTH_UNKNOWN + 1] = { 0 }, worst = 0;

	for (size_t i = 0; i < c->nranks; i++) {
		struct check k = { c, &c->ranks[i] };
		struct word w = checks[id](&k);

		counts[w.state]++;
		if (i == 0 || w.state > h.state) {
			h.state = w.state;
			h.why = w.why;
			worst = i;
		}
	}
	if (c->nranks > 1 && counts[h.state] < c->nranks) {
		h.why = arena_printf(&c->arena, "%zu of %zu ranks; rank %d: %s", counts[HEALTH_OK], c->nranks, c->ranks[worst].id, h.why);
		if (h.state == HEALTH_MISSING)
			h.state = HEALTH_PARTIAL;
	}
	if (h.state != HEALTH_OK)
		h.recollect = recollect_for(c, id);
	return h;
}

void health_check(struct capture *c)
{
	if (!c->nranks)
		return;
	for (int id = 0; id < HEALTH_ID_MAX; id++) {
		struct health h = over_ranks(c, (enum health_id)id);

		ARRAY_PUSH(c, health, nhealth, cap_health) = h;
	}
}

const char *health_use(const char *id)
{
	for (size_t i = 0; i < HEALTH_ID_MAX; i++)
		if (strcmp(health_info[i].key, id) == 0)
			return health_info[i].use;
	return "";
}
