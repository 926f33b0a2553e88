/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/doc/doc_part.h"

#include "core/base/mem.h"

#include <limits.h>
#include <stdlib.h>

enum err doc_top(struct str text, struct str *top, struct diag *d)
{
	enum err err = doc_check(text, DOC_BYTES_MAX, top, d);

	if (err)
		return err;
	if (doc_kind(*top) != '{')
		return diag_set(d, ERR_FORMAT, NULL, top->p - text.p, -1, "an object should be at the top, the document starts with '%c'",
			top->p[0]);
	return ERR_OK;
}

enum err doc_nothing_known(const char *what, struct diag *d)
{
	return diag_set(d, ERR_FORMAT, NULL, -1, -1, "JSON, but nothing in it is %s", what);
}

void part_int(struct comm *comm, const struct cJSON *item, int scale, int64_t *out)
{
	if (item && !doc_int(item, scale, out))
		comm->skipped++;
}

void part_num(struct comm *comm, const struct cJSON *item, double *out)
{
	if (item && !doc_num(item, out))
		comm->skipped++;
}

void part_name(struct comm *comm, struct names *names, const struct cJSON *item, uint32_t *out)
{
	struct str s;

	if (item && doc_text(item, &s))
		*out = names_add(names, s);
	else if (item)
		comm->skipped++;
}

void op_split(struct str key, struct names *names, uint32_t *op, uint32_t *group)
{
	const char *at = memrchr(key.p, '@', key.n);

	*op = names_add(names, at ? (struct str){ key.p, (size_t)(at - key.p) } : key);
	*group = at ? names_add(names, (struct str){ at + 1, (size_t)(key.p + key.n - at - 1) }) : 0;
}

static bool begins_nocase(struct str s, struct str head)
{
	return s.n >= head.n && str_is_nocase((struct str){ s.p, head.n }, head);
}

bool op_is_total(struct str name)
{
	return begins_nocase(name, STR("Total Op Info"));
}

bool op_is_p2p(struct str name)
{
	return begins_nocase(name, STR("hcom_send")) || begins_nocase(name, STR("hcom_receive")) ||
		begins_nocase(name, STR("hcom_batchsendrecv"));
}

void step_read(struct place *at, struct str name, struct str value, void (*ops_read)(struct place *at, struct str operators))
{
	struct doc_walk w;
	struct str kind, item;

	at->step = names_add(at->names, name);
	doc_walk_start(&w, value, '{');
	while (doc_walk_next(&w, &kind, &item)) {
		at->p2p = str_is(kind, STR("p2p"));
		if (at->p2p || str_is(kind, STR("collective")))
			ops_read(at, item);
		else
			at->comm->skipped++;
	}
	doc_walk_done(&w);
	at->step = 0;
}

bool rank_of(struct str text, int *rank)
{
	uint64_t v;

	if (!str_to_u64(str_trim(text), &v) || v > INT_MAX)
		return false;
	*rank = (int)v;
	return true;
}

static void ranks_push(struct comm *comm, struct ranks *r, struct str text)
{
	int rank;

	if (rank_of(text, &rank))
		ARRAY_PUSH(r, items, n, cap) = rank;
	else
		comm->skipped++;
}

/* A tuple or list as Python prints it. */
static bool ranks_from_text(struct comm *comm, struct str s, struct ranks *r)
{
	s = str_trim(s);
	if (s.n < 2 || !((s.p[0] == '(' && s.p[s.n - 1] == ')') || (s.p[0] == '[' && s.p[s.n - 1] == ']')))
		return false;
	s.p++, s.n -= 2;
	for (size_t from = 0, to; from <= s.n; from = to + 1) {
		struct str part;

		for (to = from; to < s.n && s.p[to] != ','; to++)
			;
		part = str_trim((struct str){ s.p + from, to - from });
		/* "()" is empty, and a single member is written "(8,)". */
		if (part.n || to < s.n)
			ranks_push(comm, r, part);
	}
	return true;
}

bool ranks_read(struct comm *comm, struct str value, struct ranks *r)
{
	struct doc_walk w;
	struct str key, item;

	*r = (struct ranks){ 0 };
	if (doc_kind(value) == '"' && value.n >= 2)
		return ranks_from_text(comm, (struct str){ value.p + 1, value.n - 2 }, r);
	if (value.n && value.p[0] == '(')
		return ranks_from_text(comm, value, r);
	if (!doc_walk_start(&w, value, '['))
		return false;
	while (doc_walk_next(&w, &key, &item)) {
		if (doc_kind(item) == '"' && item.n >= 2)
			item = (struct str){ item.p + 1, item.n - 2 };
		ranks_push(comm, r, item);
	}
	doc_walk_done(&w);
	return true;
}

void ranks_done(struct ranks *r)
{
	free(r->items);
	*r = (struct ranks){ 0 };
}

uint32_t ranks_name(const struct ranks *r, struct names *names)
{
	struct buf b = { 0 };
	uint32_t id;

	buf_char(&b, '(');
	for (size_t i = 0; i < r->n; i++)
		buf_printf(&b, "%s%d", i ? ", " : "", r->items[i]);
	buf_str(&b, r->n == 1 ? ",)" : ")");
	id = names_add(names, (struct str){ b.p, b.n });
	buf_done(&b);
	return id;
}

void comm_group_add(struct comm *comm, uint32_t name, uint32_t type, struct ranks *r)
{
	ARRAY_PUSH(comm, groups, ngroups, cap_groups) = (struct comm_group){ name, type, r->items, r->n };
	*r = (struct ranks){ 0 };
}

void group_map_init(struct group_map *m, const struct comm *comm)
{
	*m = (struct group_map){ 0 };
	for (size_t i = 0; i < comm->ngroups; i++) {
		size_t *at = group_map_at(m, comm->groups[i].name);

		if (!*at)
			*at = i + 1;
	}
}

void group_map_done(struct group_map *m)
{
	free(m->by_name);
	*m = (struct group_map){ 0 };
}

size_t *group_map_at(struct group_map *m, uint32_t name)
{
	if (name >= m->n) {
		size_t n = MAX(m->n * 2, (size_t)name + 64);

		m->by_name = mem_resize(m->by_name, n, sizeof *m->by_name);
		memset(m->by_name + m->n, 0, (n - m->n) * sizeof *m->by_name);
		m->n = n;
	}
	return &m->by_name[name];
}
