/* SPDX-License-Identifier: Apache-2.0 */
#include "core/report/info.h"

#include "core/base/jsonw.h"

#include <stdio.h>

const char *health_state_key(enum health_state s)
{
	static const char *const keys[] = { "ok", "partial", "missing", "unknown" };

	return keys[s];
}

static void name_of(struct jsonw *w, const struct capture *c, const char *key, uint32_t id)
{
	jw_key(w, key);
	if (id)
		jw_str(w, names_str(&c->names, id));
	else
		jw_null(w);
}

static void write_files(struct jsonw *w, const struct capture *c, const char *key, bool accepted)
{
	jw_open_of(w, key, '[');
	for (size_t i = 0; i < c->nfindings; i++) {
		const struct file_finding *f = &c->findings[i];

		if (f->accepted != accepted)
			continue;
		jw_open(w, '{');
		jw_str_of(w, "path", f->path);
		jw_str_of(w, "kind", f->kind == ART_NONE ? NULL : artifact_key(f->kind));
		jw_str_of(w, "reason", f->reason);
		jw_int_of(w, "bytes", f->bytes);
		if (f->records >= 0)
			jw_int_of(w, "records", f->records);
		if (f->rank >= 0)
			jw_int_of(w, "rank", c->ranks[f->rank].id);
		jw_close(w);
	}
	jw_close(w);
}

static void write_phases(struct jsonw *w, const struct account *a)
{
	jw_open_of(w, "events_by_phase", '{');
	for (size_t i = 0; i < ARRAY_LEN(a->by_phase); i++) {
		char key[8];

		if (!a->by_phase[i])
			continue;
		if (i > ' ' && i < 127)
			snprintf(key, sizeof key, "%c", (char)i);
		else
			snprintf(key, sizeof key, i ? "\\x%02x" : "none", (unsigned)i);
		jw_int_of(w, key, (int64_t)a->by_phase[i]);
	}
	jw_close(w);
	jw_int_of(w, "kept", (int64_t)a->kept);
}

static void write_drops(struct jsonw *w, const struct account *a)
{
	jw_open_of(w, "dropped", '[');
	for (int i = 0; i < DROP_MAX; i++) {
		if (!a->dropped[i].count)
			continue;
		jw_open(w, '{');
		jw_str_of(w, "reason", drop_text((enum drop)i));
		jw_int_of(w, "count", (int64_t)a->dropped[i].count);
		jw_int_of(w, "first_at", a->dropped[i].first_at);
		jw_close(w);
	}
	jw_close(w);
}

static void write_layers(struct jsonw *w, const struct events *e)
{
	size_t lanes[LAYER_MAX] = { 0 }, events[LAYER_MAX] = { 0 };

	for (size_t i = 0; i < e->nlanes; i++) {
		enum layer l = e->processes[e->lanes[i].process].layer;

		lanes[l] += e->lanes[i].n > 0;
		events[l] += e->lanes[i].n;
	}
	jw_open_of(w, "layers", '[');
	for (int l = 0; l < LAYER_MAX; l++) {
		if (!events[l])
			continue;
		jw_open(w, '{');
		jw_str_of(w, "layer", layer_title((enum layer)l));
		jw_int_of(w, "lanes", (int64_t)lanes[l]);
		jw_int_of(w, "events", (int64_t)events[l]);
		jw_close(w);
	}
	jw_close(w);
}

static void write_lanes(struct jsonw *w, const struct capture *c, const struct events *e)
{
	jw_open_of(w, "lanes", '[');
	for (size_t i = 0; i < e->nlanes; i++) {
		const struct lane *l = &e->lanes[i];
		const struct process *p = &e->processes[l->process];

		if (!l->n)
			continue;
		jw_open(w, '{');
		jw_str_of(w, "layer", layer_title(p->layer));
		name_of(w, c, "process", p->name);
		name_of(w, c, "thread", l->name);
		name_of(w, c, "pid", p->pid);
		name_of(w, c, "tid", l->tid);
		if (p->device >= 0)
			jw_int_of(w, "device", p->device);
		jw_int_of(w, "events", (int64_t)l->n);
		jw_close(w);
	}
	jw_close(w);
}

static void write_links(struct jsonw *w, const struct events *e)
{
	jw_open_of(w, "links", '[');
	for (int k = 0; k < LINK_MAX; k++) {
		const struct link_count *n = &e->link_counts[k];

		if (!n->starts && !n->finishes)
			continue;
		jw_open(w, '{');
		jw_str_of(w, "kind", link_title((enum link_kind)k));
		jw_int_of(w, "starts", (int64_t)n->starts);
		jw_int_of(w, "finishes", (int64_t)n->finishes);
		jw_int_of(w, "links", (int64_t)n->n);
		jw_int_of(w, "unmatched", (int64_t)n->unmatched);
		jw_close(w);
	}
	jw_close(w);
}

static void write_tables(struct jsonw *w, const struct rank *r)
{
	jw_open_of(w, "tables", '[');
	for (int a = 0; a < ART_MAX; a++) {
		const struct table *t = r->tables[a];

		if (!t)
			continue;
		jw_open(w, '{');
		jw_str_of(w, "kind", artifact_key((enum artifact)a));
		jw_int_of(w, "rows", (int64_t)t->nrows);
		jw_int_of(w, "columns", (int64_t)t->ncolumns);
		write_drops(w, &t->account);
		jw_close(w);
	}
	jw_close(w);
}

static void write_tri(struct jsonw *w, const char *key, enum tri t)
{
	jw_key(w, key);
	if (t == TRI_UNKNOWN)
		jw_null(w);
	else
		jw_bool(w, t == TRI_YES);
}

static void write_run(struct jsonw *w, const struct capture *c, const struct run_info *i)
{
	jw_open_of(w, "run", '{');
	name_of(w, c, "torch_npu", i->torch_npu);
	name_of(w, c, "cann", i->cann);
	name_of(w, c, "mindspore", i->mindspore);
	name_of(w, c, "framework", i->framework);
	name_of(w, c, "device_type", i->device_type);
	name_of(w, c, "level", i->level);
	name_of(w, c, "aic_metrics", i->aic_metrics);
	write_tri(w, "with_stack", i->stacks);
	write_tri(w, "record_shapes", i->shapes);
	write_tri(w, "profile_memory", i->memory);
	write_tri(w, "with_modules", i->modules);
	write_tri(w, "l2_cache", i->l2_cache);
	write_tri(w, "mstx", i->mstx);
	jw_int_of(w, "world_size", i->world_size);
	jw_close(w);
}

static void write_events(struct jsonw *w, const struct capture *c, const struct rank *r)
{
	const struct events *e = &r->events;

	jw_int_of(w, "events", (int64_t)e->n);
	jw_int_of(w, "outliers", (int64_t)e->noutliers);
	jw_int_of(w, "counter_samples", (int64_t)e->nsamples);
	if (e->n) {
		jw_key(w, "first_start_us");
		jw_us(w, e->first_start);
		jw_key(w, "last_end_us");
		jw_us(w, e->last_end);
	}
	write_phases(w, &r->account);
	write_drops(w, &r->account);
	write_layers(w, e);
	write_lanes(w, c, e);
	write_links(w, e);
}

static void write_rank(struct jsonw *w, const struct capture *c, const struct rank *r)
{
	jw_open(w, '{');
	jw_int_of(w, "rank", r->id);
	jw_str_of(w, "rank_from", r->id_from);
	jw_str_of(w, "folder", r->folder);
	jw_str_of(w, "writer", r->writer);
	write_run(w, c, &r->info);
	write_events(w, c, r);
	write_tables(w, r);
	jw_int_of(w, "collectives", (int64_t)comm_count(&r->comm));
	jw_int_of(w, "rank_links", (int64_t)r->comm.nedges);
	jw_close(w);
}

static void write_totals(struct jsonw *w, const struct capture *c)
{
	struct account sum = { 0 };

	for (size_t i = 0; i < c->nranks; i++)
		account_add(&sum, &c->ranks[i].account);
	jw_open_of(w, "totals", '{');
	write_phases(w, &sum);
	jw_int_of(w, "dropped", (int64_t)account_dropped(&sum));
	jw_close(w);
}

static void write_units(struct jsonw *w, const struct capture *c)
{
	jw_open_of(w, "units", '[');
	for (size_t i = 0; i < c->nunits; i++) {
		jw_open(w, '{');
		jw_str_of(w, "artifact", c->units[i].artifact);
		jw_str_of(w, "unit", c->units[i].unit);
		jw_str_of(w, "evidence", c->units[i].evidence);
		jw_key(w, "assumed");
		jw_bool(w, c->units[i].assumed);
		jw_close(w);
	}
	jw_close(w);
}

static void write_health(struct jsonw *w, const struct capture *c)
{
	jw_open_of(w, "health", '[');
	for (size_t i = 0; i < c->nhealth; i++) {
		jw_open(w, '{');
		jw_str_of(w, "id", c->health[i].id);
		jw_str_of(w, "state", health_state_key(c->health[i].state));
		jw_str_of(w, "why", c->health[i].why);
		jw_str_of(w, "recollect", c->health[i].recollect);
		jw_close(w);
	}
	jw_close(w);
}

void info_write_json(const struct capture *c, struct buf *out)
{
	struct jsonw w = { .out = out };

	jw_open(&w, '{');
	jw_int_of(&w, "schema", 1);
	jw_str_of(&w, "path", c->root);
	write_files(&w, c, "accepted", true);
	write_files(&w, c, "rejected", false);
	jw_open_of(&w, "ranks", '[');
	for (size_t i = 0; i < c->nranks; i++)
		write_rank(&w, c, &c->ranks[i]);
	jw_close(&w);
	if (c->has_cluster) {
		jw_open_of(&w, "cluster", '{');
		write_tables(&w, &c->cluster);
		jw_int_of(&w, "collectives", (int64_t)comm_count(&c->cluster.comm));
		jw_int_of(&w, "rank_links", (int64_t)c->cluster.comm.nedges);
		jw_int_of(&w, "groups", (int64_t)c->cluster.comm.ngroups);
		jw_close(&w);
	}
	write_totals(&w, c);
	write_units(&w, c);
	write_health(&w, c);
	jw_open_of(&w, "notes", '[');
	for (size_t i = 0; i < c->nnotes; i++)
		jw_str(&w, str_of(c->notes[i]));
	jw_close(&w);
	jw_close(&w);
}
