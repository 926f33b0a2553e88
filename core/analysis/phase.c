/* SPDX-License-Identifier: Apache-2.0 */
/* Prefill or decode: as asked for, as declared by a mark or by the step table, or else from the shape of the steps (phase_shape.c). */
#include "core/analysis/steps_private.h"

#include "core/base/index_map.h"
#include "core/base/mem.h"

#include <stdlib.h>

/* ---- what texts say ------------------------------------------------------------------------------------------------------------------ */

static const struct phase_word {
	const char *word;
	enum phase phase;
} phase_words[] = {
	{ "prefill", PHASE_PREFILL },
	{ "prompt", PHASE_PREFILL },
	{ "context phase", PHASE_PREFILL },
	{ "decode", PHASE_DECODE },
	{ "decoding", PHASE_DECODE },
	{ "generation", PHASE_DECODE },
	{ "generating", PHASE_DECODE },
	{ "token phase", PHASE_DECODE },
};

enum phase phase_of_text(struct str text)
{
	static const char context[] = "execute_context_";
	enum phase found = PHASE_UNKNOWN;
	char low[128];
	struct str s = { low, MIN(text.n, sizeof low) };

	for (size_t i = 0; i < s.n; i++)
		low[i] = text.p[i] >= 'A' && text.p[i] <= 'Z' ? (char)(text.p[i] + 32) : text.p[i];
	/* The engine writes the requests of each kind: those with a prompt make it a prefill step. */
	if (str_begins(s, STR("execute_context_")) && s.n > sizeof context - 1)
		return s.p[sizeof context - 1] == '0' ? PHASE_DECODE : PHASE_PREFILL;
	for (size_t i = 0; i < ARRAY_LEN(phase_words); i++) {
		if (!str_has(s, str_of(phase_words[i].word)))
			continue;
		if (found != PHASE_UNKNOWN && found != phase_words[i].phase)
			return PHASE_UNKNOWN;
		found = phase_words[i].phase;
	}
	return found;
}

/* ---- what is declared ---------------------------------------------------------------------------------------------------------------- */

static bool set_phase(struct step *s, enum phase p)
{
	if (s->phase != PHASE_UNKNOWN || p == PHASE_UNKNOWN)
		return false;
	s->phase = p;
	return true;
}

static size_t declared_by_label(const struct work_model *m, struct steps *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += set_phase(&s->items[i], phase_of_text(names_str(&m->c->names, s->items[i].label)));
	return n;
}

/* "50" of the table is "50" or "ProfilerStep#50" among the steps. */
static bool same_step(struct str label, struct str id)
{
	if (!id.n || !str_ends(label, id))
		return false;
	return label.n == id.n || label.p[label.n - id.n - 1] == '#' || label.p[label.n - id.n - 1] == ' ';
}

static size_t declared_by_table(const struct work_model *m, struct steps *s)
{
	const struct table *t = m->r->tables[ART_STEP_TRACE_TIME];
	const struct column *phase = t ? table_col(t, COL_PHASE) : NULL, *id = t ? table_col(t, COL_STEP) : NULL;
	const struct column *device = t ? table_col(t, COL_DEVICE_ID) : NULL;
	size_t n = 0, at = 0, rows = 0;

	if (!phase)
		return 0;
	for (size_t i = 0; i < t->nrows; i++)
		rows += !device || m->device < 0 || device->num[i] == NO_INT || device->num[i] == m->device;
	for (size_t i = 0; i < t->nrows; i++) {
		size_t k = at;

		if (device && m->device >= 0 && device->num[i] != NO_INT && device->num[i] != m->device)
			continue;
		while (id && rows != s->n && k < s->n && !same_step(names_str(&m->c->names, s->items[k].label), names_str(&m->c->names, id->text[i])))
			k++;
		if (k == s->n)
			continue;
		n += set_phase(&s->items[k], phase_of_text(names_str(&m->c->names, phase->text[i])));
		at = k + 1;
	}
	return n;
}

static void collect_phase_marks(const struct work_model *m, struct cuts *marks)
{
	const struct events *e = &m->r->events;
	struct index_map known = { 0 };

	for (size_t i = 0; i < e->n; i++) {
		uint32_t *slot;

		if (m->kind[i] != WORK_MARK)
			continue;
		slot = index_map_slot(&known, e->name[i]);
		if (!*slot)
			*slot = 1 + (uint32_t)phase_of_text(names_str(&m->c->names, e->name[i]));
		if (*slot > 1 + PHASE_UNKNOWN)
			ARRAY_PUSH(marks, items, n, cap) = (struct cut){ e->start[i], event_end(e, i), NO_TIME, e->name[i], *slot - 1 };
	}
	index_map_done(&known);
	cuts_settle(marks);
}

/* The mark that a step begins in, else the first that begins in the step. A mark without duration counts until the next one. */
static enum phase marked_phase(const struct cuts *marks, size_t *at, const struct step *s, int64_t next)
{
	const struct cut *c;

	while (*at < marks->n && marks->items[*at].host_start <= s->host_start)
		++*at;
	if (*at > 0) {
		c = &marks->items[*at - 1];
		if (c->host_end > s->host_start || c->host_end == c->host_start)
			return (enum phase)c->group;
	}
	c = *at < marks->n ? &marks->items[*at] : NULL;
	return c && c->host_start < next ? (enum phase)c->group : PHASE_UNKNOWN;
}

static size_t declared_by_marks(const struct work_model *m, struct steps *s)
{
	struct cuts marks = { 0 };
	size_t n = 0, at = 0;

	if (!m->kind || !m->counts[WORK_MARK])
		return 0;
	collect_phase_marks(m, &marks);
	for (size_t i = 0; i < s->n && marks.n; i++) {
		int64_t next = i + 1 < s->n ? s->items[i + 1].host_start : s->items[i].host_end;

		if (s->items[i].host_start != NO_TIME)
			n += set_phase(&s->items[i], marked_phase(&marks, &at, &s->items[i], next));
	}
	cuts_done(&marks);
	return n;
}

static bool find_declared(const struct work_model *m, struct steps *s)
{
	size_t labels = declared_by_label(m, s), marks = declared_by_marks(m, s), table = declared_by_table(m, s);
	size_t n = labels + marks + table;

	if (!n)
		return false;
	s->phase_confidence = CONF_HIGH;
	s->phase_reason = arena_printf(&s->arena, "Declared for %zu of %zu steps, by %s%s.", n, s->n,
		table == n ? "the Stage text of the step table"
		: labels == n ? "the names of the steps" : marks == n ? "user marks" : "marks and the step table",
		n < s->n ? "; the others are unknown" : "");
	return true;
}

/* ---- all ----------------------------------------------------------------------------------------------------------------------------- */

void phases_find(const struct work_model *m, enum phase_choice choice, struct steps *s)
{
	enum phase forced = choice == PHASES_PREFILL ? PHASE_PREFILL : choice == PHASES_DECODE ? PHASE_DECODE : PHASE_UNKNOWN;

	if (!s->n)
		return;
	if (forced == PHASE_UNKNOWN) {
		if (!find_declared(m, s))
			phases_of_shape(m, s);
		return;
	}
	for (size_t i = 0; i < s->n; i++)
		s->items[i].phase = forced;
	s->phase_confidence = CONF_HIGH;
	s->phase_reason = arena_printf(&s->arena, "As asked: every step is taken as %s.", phase_key(forced));
}
