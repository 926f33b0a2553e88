/* SPDX-License-Identifier: Apache-2.0 */
/* Steps from what stands on the host's time line: the profiler's marks, the user's marks (mstx), calls of the engine. */
#include "core/analysis/steps_private.h"

#include "core/base/index_map.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"

#include <stdlib.h>

enum { NOT_A_STEP = 255, MARKS_MIN = 3, RANK_PHASE = 0, RANK_REPEAT = 1 };

/* ---- the profiler's marks ------------------------------------------------------------------------------------------------------------ */

static void add_mark(struct finder *f, size_t event, bool on_device)
{
	const struct events *e = &f->m->r->events;
	struct cut c = { .host_start = e->start[event], .host_end = event_end(e, event), .start = NO_TIME,
		.label = f->m->kind[event] == WORK_HOST_FRAME ? 0 : e->name[event] };	/* a frame's name is a place in a file */

	if (on_device)
		c.start = c.host_start;		/* host times are taken off once the cuts are in order */
	ARRAY_PUSH(&f->cuts, items, n, cap) = c;
}

static size_t collect_marks(struct finder *f, bool on_device)
{
	const struct events *e = &f->m->r->events;

	for (size_t l = 0; l < e->nlanes; l++) {
		const struct process *p = &e->processes[e->lanes[l].process];

		if ((p->layer == LAYER_STEP_TRACE) != on_device || (f->m->device >= 0 && p->device >= 0 && p->device != f->m->device))
			continue;
		for (size_t i = e->lanes[l].first; i < e->lanes[l].first + e->lanes[l].n; i++)
			if (f->m->kind[i] == WORK_STEP_MARK)
				add_mark(f, i, on_device);
	}
	cuts_settle(&f->cuts);
	for (size_t i = 0; on_device && i < f->cuts.n; i++)
		f->cuts.items[i].host_start = f->cuts.items[i].host_end = NO_TIME;
	return f->cuts.n;
}

bool find_marks(struct finder *f)
{
	const struct names *names = &f->m->c->names;
	bool on_device = false;
	struct buf b = { 0 };

	/* Rows of the kernel table know their step; without a timeline of the device nothing else ties them to the marks. */
	if (!f->m->kind || (f->m->from_table && table_col(rank_kernels(f->m->r), COL_STEP)))
		return false;
	if (!collect_marks(f, false)) {
		on_device = true;
		if (!collect_marks(f, true))
			return false;
	}
	utf8_add_clean(&b, names_str(names, f->cuts.items[0].label));
	f->out->confidence = CONF_HIGH;
	f->out->reason = arena_printf(&f->out->arena, "%zu step %s %s, the first is \"%s\".", f->cuts.n,
		f->cuts.n == 1 ? "mark stands" : "marks stand",
		on_device ? "in the device's step trace" : "on the host's time line", b.p);
	buf_done(&b);
	return true;
}

/* ---- named groups of marks ----------------------------------------------------------------------------------------------------------- */

/* What a name means as a sign of steps, by distinct name. */
struct sign {
	uint32_t group;
	uint8_t rank;
};

struct signs {
	const struct work_model *m;
	struct index_map of_name;	/* index + 1 into items */
	struct sign *items;
	size_t n, cap;
	struct names groups;
	uint8_t *rank_of_group;
	size_t cap_ranks;
	uint8_t (*rank)(struct str name, struct buf *group);
};

static struct sign sign_of(struct signs *s, uint32_t name)
{
	uint32_t *slot = index_map_slot(&s->of_name, name);
	struct buf group = { 0 };
	struct sign sign = { 0, NOT_A_STEP };

	if (*slot)
		return s->items[*slot - 1];
	sign.rank = s->rank(names_str(&s->m->c->names, name), &group);
	if (sign.rank != NOT_A_STEP)
		sign.group = names_add(&s->groups, (struct str){ group.p ? group.p : "", group.n });
	buf_done(&group);
	ARRAY_PUSH(s, items, n, cap) = sign;
	*slot = (uint32_t)s->n;
	return sign;
}

static void collect_signs(struct finder *f, struct signs *s, unsigned kinds)
{
	const struct events *e = &f->m->r->events;

	for (size_t i = 0; i < e->n; i++) {
		struct sign sign;

		if (!(kinds >> f->m->kind[i] & 1))
			continue;
		sign = sign_of(s, e->name[i]);
		if (sign.rank == NOT_A_STEP)
			continue;
		while (s->cap_ranks <= sign.group) {
			size_t had = s->cap_ranks;

			s->rank_of_group = array_grow(s->rank_of_group, had, &s->cap_ranks, sizeof *s->rank_of_group);
			memset(s->rank_of_group + had, NOT_A_STEP, s->cap_ranks - had);
		}
		s->rank_of_group[sign.group] = sign.rank;
		add_mark(f, i, false);
		f->cuts.items[f->cuts.n - 1].group = sign.group;
	}
}

static int group_compare(const void *x, const void *y)
{
	const struct cut *a = x, *b = y;

	return (a->group > b->group) - (a->group < b->group);
}

struct best {
	size_t n;
	int64_t time;
	uint32_t group;
	uint8_t rank;
};

static bool is_better(const struct best *a, const struct best *b)
{
	if (!b->n || a->rank != b->rank)
		return !b->n || a->rank < b->rank;
	return a->n != b->n ? a->n > b->n : a->time > b->time;
}

/* Keeps the best group of f->cuts, calls inside calls left out; only groups with at least `least` (phases: 1). False when there is none. */
static bool keep_best(struct finder *f, const struct signs *s, struct best *best)
{
	struct cuts all = f->cuts, group = { 0 }, kept = { 0 };

	*best = (struct best){ 0 };
	f->cuts = (struct cuts){ 0 };
	if (all.n)
		qsort(all.items, all.n, sizeof *all.items, group_compare);
	for (size_t i = 0, k; i < all.n; i = k) {
		struct best now = { .group = all.items[i].group, .rank = s->rank_of_group[all.items[i].group] };

		group.n = 0;
		for (k = i; k < all.n && all.items[k].group == now.group; k++)
			ARRAY_PUSH(&group, items, n, cap) = all.items[k];
		cuts_settle(&group);
		now.n = group.n;
		for (size_t j = 0; j < group.n; j++)
			now.time += group.items[j].host_end - group.items[j].host_start;
		if ((now.n < MARKS_MIN
				&& !(s->groups.n > now.group && str_is(names_str(&s->groups, now.group), STR("phase")))) || !is_better(&now, best))
			continue;
		struct cuts swap = kept;

		kept = group;
		group = swap;
		*best = now;
	}
	f->cuts = kept;
	cuts_done(&all);
	cuts_done(&group);
	return best->n > 0;
}

static void signs_done(struct signs *s)
{
	index_map_done(&s->of_name);
	names_done(&s->groups);
	free(s->items);
	free(s->rank_of_group);
}

static bool find_named(struct finder *f, struct best *best, char *group, size_t size,
	uint8_t (*rank)(struct str, struct buf *), unsigned kinds)
{
	struct signs s = { .m = f->m, .rank = rank };
	bool found;

	if (!f->m->kind)
		return false;
	names_init(&s.groups);
	collect_signs(f, &s, kinds);
	found = keep_best(f, &s, best);
	utf8_clean(names_str(&s.groups, best->group), group, size);
	signs_done(&s);
	return found;
}

/* ---- mstx ---------------------------------------------------------------------------------------------------------------------------- */

void name_shape(struct buf *b, struct str name)
{
	bool digits = false;

	for (size_t i = 0; i < name.n && name.p[i] != '@'; i++) {
		char ch = name.p[i];
		bool digit = ch >= '0' && ch <= '9';

		if (!digit || !digits)
			buf_char(b, digit ? '#' : ch >= 'A' && ch <= 'Z' ? (char)(ch + 32) : ch);
		digits = digit;
	}
}

static uint8_t mstx_rank(struct str name, struct buf *group)
{
	if (phase_of_text(name) != PHASE_UNKNOWN) {
		buf_str(group, "phase");
		return RANK_PHASE;
	}
	name_shape(group, str_trim(name));
	return RANK_REPEAT;
}

static bool find_engine_cuts(struct finder *f, struct best *best, char *name, size_t size);

bool find_mstx(struct finder *f)
{
	struct finder engine = { .m = f->m, .out = f->out };
	struct best best, calls = { 0 };
	char name[96], call[96];
	bool holds_steps;

	if (!f->m->counts[WORK_MARK] || !find_named(f, &best, name, sizeof name, mstx_rank, 1u << WORK_MARK))
		return false;
	/* A few marks around many engine calls name phases, the calls are the steps. */
	holds_steps = best.rank == RANK_PHASE && find_engine_cuts(&engine, &calls, call, sizeof call) && calls.n >= 2 * best.n;
	cuts_done(&engine.cuts);
	if (holds_steps)
		return false;
	f->out->confidence = best.rank == RANK_PHASE ? CONF_HIGH : CONF_MEDIUM;
	f->out->reason = best.rank == RANK_PHASE
		? arena_printf(&f->out->arena, "%zu user marks name a phase; each begins a step.", best.n)
		: arena_printf(&f->out->arena, "The user mark \"%s\" repeats %zu times, more than any other; each begins a step.", name, best.n);
	return true;
}

/* ---- engine -------------------------------------------------------------------------------------------------------------------------- */

/* "vllm/model_runner_v1.py(2214): execute_model" and "NPUModelRunner.execute_model_v1" are both "execute_model"; in small letters. */
static void call_name(struct str name, struct buf *b)
{
	static const char ends[] = "_v1";
	size_t from = 0;

	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] == '.' || name.p[i] == '/' || name.p[i] == ':' || name.p[i] == ' ')
			from = i + 1;
	for (size_t i = from; i < name.n; i++)
		buf_char(b, name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] + 32) : name.p[i]);
	if (b->n > sizeof ends - 1 && str_ends((struct str){ b->p, b->n }, STR("_v1")))
		b->n -= sizeof ends - 1;
	if (b->n > 2 && str_ends((struct str){ b->p, b->n }, STR("()")))
		b->n -= 2;
}

static const struct engine {
	uint8_t rank;
	const char *name;
} engines[] = {
#define ENGINE(rank, name) { rank, name },
#include "core/analysis/engine.def"
};

static bool is_optimizer(struct str name)
{
	return str_begins(name, STR("Optimizer.")) || str_has(name, STR("optimizer")) || str_has(name, STR("optim/"));
}

static uint8_t engine_rank(struct str name, struct buf *group)
{
	struct buf call = { 0 };
	uint8_t rank = NOT_A_STEP;

	call_name(str_trim(name), &call);
	for (size_t i = 0; i < ARRAY_LEN(engines) && call.n && rank == NOT_A_STEP; i++)
		if (str_like((struct str){ call.p, call.n }, engines[i].name))
			rank = engines[i].rank;
	if (rank != NOT_A_STEP && is_optimizer(name))
		rank = NOT_A_STEP;
	if (rank != NOT_A_STEP)
		name_shape(group, (struct str){ call.p, call.n });
	buf_done(&call);
	return rank;
}

static bool find_engine_cuts(struct finder *f, struct best *best, char *name, size_t size)
{
	return find_named(f, best, name, size, engine_rank, 1u << WORK_HOST_OP | 1u << WORK_HOST_FRAME | 1u << WORK_MARK);
}

bool find_engine(struct finder *f)
{
	struct best best;
	char name[96];

	if (!find_engine_cuts(f, &best, name, sizeof name))
		return false;
	f->out->confidence = best.rank < 2 ? CONF_HIGH : CONF_MEDIUM;
	f->out->reason = arena_printf(&f->out->arena,
		"No step marks; the host calls %s %zu times, calls inside calls left out. Each call begins a step.",
		name, best.n);
	return true;
}
