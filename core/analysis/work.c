/* SPDX-License-Identifier: Apache-2.0 */
#include "core/analysis/work.h"

#include "core/base/index_map.h"
#include "core/base/mem.h"
#include "core/base/sort.h"

#include <stdlib.h>

/* ---- the kind of every event ------------------------------------------------------------------------------------------------------------ */

/* Kinds that depend on what covers the time: while they are open, an event's kind is OPEN + index. */
#define OPEN 128
_Static_assert((int)WORK_MAX < OPEN, "a kind and an open case share a byte");

struct kinds {
	const struct capture *c;
	const struct events *e;
	const struct classifier *cl;
	uint8_t *kind;
	struct work_kind open[OPEN];
	size_t nopen;
	bool *comm_lane;		/* by lane: holds tasks that certainly belong to a collective */
	bool named_kernels;
};

/* "Stream 12" and "Stream 3" are told by the same rules: lanes of a layer whose names differ in digits only share their answers. */
static uint32_t lane_group(const struct kinds *k, struct names *groups, const struct lane *l)
{
	struct str name = names_str(&k->c->names, l->name);
	struct buf b = { 0 };
	uint32_t id;

	buf_char(&b, (char)('A' + k->e->processes[l->process].layer));
	for (size_t i = 0; i < name.n; i++) {
		bool digit = name.p[i] >= '0' && name.p[i] <= '9';

		if (!digit || i == 0 || name.p[i - 1] < '0' || name.p[i - 1] > '9')
			buf_char(&b, digit ? '0' : name.p[i]);
	}
	id = names_add(groups, (struct str){ b.p, b.n });
	buf_done(&b);
	return id;
}

static uint8_t open_case(struct kinds *k, struct work_kind w)
{
	size_t i = 0;

	while (i < k->nopen && !(k->open[i].kind == w.kind && k->open[i].covered == w.covered && k->open[i].alone == w.alone
			&& k->open[i].flags == w.flags))
		i++;
	if (i == OPEN)
		return (uint8_t)w.kind;
	if (i == k->nopen)
		k->open[k->nopen++] = w;
	return (uint8_t)(OPEN + i);
}

static void classify_lane(struct kinds *k, const struct lane *l, struct index_map *answers, bool *of_comm)
{
	enum layer layer = k->e->processes[l->process].layer;
	struct str lane = names_str(&k->c->names, l->name);

	for (size_t i = l->first; i < l->first + l->n; i++) {
		uint32_t *slot = index_map_slot(answers, (uint64_t)k->e->type[i] << 32 | k->e->name[i]);

		if (!*slot) {
			struct work_kind w = classify_work(k->cl, layer, lane, names_str(&k->c->names, k->e->type[i]), names_str(&k->c->names, k->e->name[i]));

			*slot = 1u + (work_is_certain(w) ? (uint32_t)w.kind : open_case(k, w)) + (w.flags & WORK_OF_COMM ? 512u : 0);
		}
		k->kind[i] = (uint8_t)((*slot - 1) & 255);
		*of_comm |= (*slot - 1) >> 9 && k->kind[i] < OPEN;
		k->named_kernels |= k->kind[i] == WORK_COMPUTE;
	}
}

static void classify_all(struct kinds *k)
{
	struct index_map *answers = NULL;	/* by group */
	size_t cap = 0, ngroups = 0;
	struct names groups;

	names_init(&groups);
	for (size_t l = 0; l < k->e->nlanes; l++) {
		uint32_t group = lane_group(k, &groups, &k->e->lanes[l]);

		while (ngroups <= group) {
			answers = array_grow(answers, ngroups, &cap, sizeof *answers);
			answers[ngroups++] = (struct index_map){ 0 };
		}
		classify_lane(k, &k->e->lanes[l], &answers[group], &k->comm_lane[l]);
	}
	for (size_t i = 0; i < ngroups; i++)
		index_map_done(&answers[i]);
	free(answers);
	names_done(&groups);
}

/* Group-level collectives that are certain: what covers a task decides the open cases. */
static void certain_collectives(const struct kinds *k, struct intervals *comm)
{
	for (size_t i = 0; i < k->e->n; i++)
		if (k->kind[i] == WORK_COMMUNICATION)
			intervals_add(comm, k->e->start[i], event_end(k->e, i));
	intervals_normalise(comm);
	intervals_index(comm);
}

static enum work settle_case(const struct kinds *k, size_t event, bool comm_lane, const struct intervals *comm)
{
	const struct work_kind *w = &k->open[k->kind[event] - OPEN];
	int64_t start = k->e->start[event], dur = k->e->dur[event];
	bool covered = comm->n && (dur ? intervals_within(comm, start, start + dur) == dur : intervals_has(comm, start));
	enum work kind = covered ? w->covered : w->alone;

	if (covered && w->kind == WORK_COPY && !comm_lane)
		kind = WORK_COPY;
	if (kind == WORK_COMPUTE && (w->flags & WORK_UNNAMED) && k->named_kernels)
		kind = WORK_PSEUDO;
	return kind;
}

static void settle_open(struct kinds *k)
{
	struct intervals comm = { 0 };

	certain_collectives(k, &comm);
	for (size_t l = 0; l < k->e->nlanes; l++)
		for (size_t i = k->e->lanes[l].first; i < k->e->lanes[l].first + k->e->lanes[l].n; i++)
			if (k->kind[i] >= OPEN)
				k->kind[i] = (uint8_t)settle_case(k, i, k->comm_lane[l], &comm);
	intervals_done(&comm);
}

static uint8_t *kinds_of_events(const struct capture *c, const struct events *e, const struct classifier *cl)
{
	struct kinds k = { .c = c, .e = e, .cl = cl };

	k.kind = mem_zalloc(e->n, sizeof *k.kind);
	k.comm_lane = mem_zalloc(e->nlanes, sizeof *k.comm_lane);
	classify_all(&k);
	if (k.nopen)
		settle_open(&k);
	free(k.comm_lane);
	return k.kind;
}

/* ---- spans ------------------------------------------------------------------------------------------------------------------------------ */

static bool is_device_kind(enum work kind)
{
	return kind == WORK_COMPUTE || kind == WORK_COMMUNICATION || kind == WORK_COPY || kind == WORK_WAIT;
}

static void add_span(struct work_model *m, struct span s)
{
	m->counts[s.kind]++;
	if (is_device_kind(s.kind))
		ARRAY_PUSH(m, spans, nspans, cap_spans) = s;
}

static void spans_of_events(struct work_model *m)
{
	const struct events *e = &m->r->events;

	for (size_t l = 0; l < e->nlanes; l++) {
		const struct lane *lane = &e->lanes[l];
		int device = e->processes[lane->process].device;

		if (m->device >= 0 && device >= 0 && device != m->device)
			continue;
		for (size_t i = lane->first; i < lane->first + lane->n; i++)
			add_span(m, (struct span){ e->start[i], e->dur[i], (uint32_t)i, e->name[i], (enum work)m->kind[i] });
	}
}

/* Rows of the kernel table: collectives by their core, the rest computes. */
static void spans_of_table(struct work_model *m, const struct table *t)
{
	const struct column *start = table_col(t, COL_START), *dur = table_col(t, COL_DURATION), *name = table_col(t, COL_NAME);
	const struct column *core = table_col(t, COL_CORE);
	const struct names *names = &m->c->names;

	if (!start || !dur)
		return;
	for (size_t i = 0; i < t->nrows; i++) {
		struct str unit = core ? names_str(names, core->text[i]) : STR("");
		uint32_t id = name ? name->text[i] : 0;
		bool comm = str_is(unit, STR("HCCL")) || str_is(unit, STR("COMMUNICATION")) || str_begins(names_str(names, id), STR("hcom_"));

		if (start->num[i] == NO_TIME || dur->num[i] == NO_TIME)
			continue;
		add_span(m, (struct span){ start->num[i], MAX(dur->num[i], 0), (uint32_t)i, id, comm ? WORK_COMMUNICATION : WORK_COMPUTE });
	}
}

static void sort_spans(struct work_model *m)
{
	uint64_t *keys = mem_alloc(m->nspans, sizeof *keys);
	uint32_t *order = mem_alloc(m->nspans, sizeof *order);
	struct span *sorted = mem_alloc(m->nspans, sizeof *sorted);

	for (size_t i = 0; i < m->nspans; i++)
		keys[i] = sort_key(m->spans[i].start);
	sort_by_key(keys, order, m->nspans);
	for (size_t i = 0; i < m->nspans; i++)
		sorted[i] = m->spans[order[i]];
	free(m->spans);
	m->spans = sorted;
	m->cap_spans = m->nspans;
	free(order);
	free(keys);
}

/* ---- sets ------------------------------------------------------------------------------------------------------------------------------- */

static void device_sets(struct work_model *m)
{
	struct work_sets *s = &m->sets;

	m->first = m->last = NO_TIME;
	for (size_t i = 0; i < m->nspans; i++) {
		const struct span *p = &m->spans[i];
		struct intervals *to = p->kind == WORK_COMPUTE ? &s->compute : p->kind == WORK_COMMUNICATION ? &s->comm : p->kind == WORK_COPY ? &s->copy
			: &s->wait;

		intervals_add(to, p->start, span_end(p));
		if (p->kind == WORK_WAIT)
			continue;
		intervals_add(&s->busy, p->start, span_end(p));
		m->first = m->first == NO_TIME ? p->start : MIN(m->first, p->start);
		m->last = MAX(m->last, span_end(p));
	}
}

static void host_set(struct work_model *m)
{
	const struct events *e = &m->r->events;

	for (size_t i = 0; m->kind && i < e->n; i++)
		if (m->kind[i] == WORK_HOST_OP || m->kind[i] == WORK_HOST_RUNTIME || m->kind[i] == WORK_HOST_QUEUE)
			intervals_add(&m->sets.host, e->start[i], event_end(e, i));
}

static void finish_sets(struct work_sets *s)
{
	struct intervals *all[] = { &s->compute, &s->comm, &s->copy, &s->busy, &s->wait, &s->host, &s->exposed };

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		intervals_normalise(all[i]);
		if (all[i] == &s->exposed)
			intervals_subtract(&s->exposed, &s->comm, &s->compute);
		intervals_index(all[i]);
	}
}

/* ---- models ----------------------------------------------------------------------------------------------------------------------------- */

/* The devices that hardware lanes with events name; at most `most`. */
static size_t devices_of(const struct events *e, int *devices, size_t most)
{
	size_t n = 0;

	for (size_t l = 0; l < e->nlanes; l++) {
		const struct process *p = &e->processes[e->lanes[l].process];
		size_t i = 0;

		if (p->layer != LAYER_HARDWARE || p->device < 0 || !e->lanes[l].n)
			continue;
		while (i < n && devices[i] != p->device)
			i++;
		if (i == n && n < most)
			devices[n++] = p->device;
	}
	return n;
}

static void model_build(struct work_model *m, const struct classifier *cl)
{
	if (m->r->events.n) {
		m->kind = kinds_of_events(m->c, &m->r->events, cl);
		spans_of_events(m);
	}
	if (!m->counts[WORK_COMPUTE] && !m->counts[WORK_COMMUNICATION] && rank_kernels(m->r)) {
		m->from_table = true;
		m->nspans = 0;
		spans_of_table(m, rank_kernels(m->r));
	}
	sort_spans(m);
	device_sets(m);
	host_set(m);
	finish_sets(&m->sets);
}

struct work_model *work_new(const struct capture *c, const struct rank *r, const struct classifier *cl, size_t *n)
{
	int devices[64];
	size_t ndevices = devices_of(&r->events, devices, ARRAY_LEN(devices));
	struct work_model *models;

	*n = ndevices > 1 ? ndevices : 1;
	models = mem_zalloc(*n, sizeof *models);
	for (size_t i = 0; i < *n; i++) {
		models[i] = (struct work_model){ .c = c, .r = r, .device = ndevices > 1 ? devices[i] : -1 };
		model_build(&models[i], cl);
	}
	return models;
}

void work_free(struct work_model *models, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct work_sets *s = &models[i].sets;
		struct intervals *all[] = { &s->compute, &s->comm, &s->copy, &s->busy, &s->wait, &s->host, &s->exposed };

		for (size_t k = 0; k < ARRAY_LEN(all); k++)
			intervals_done(all[k]);
		free(models[i].kind);
		free(models[i].spans);
	}
	free(models);
}
