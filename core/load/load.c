/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/load_private.h"

#include "core/base/mem.h"
#include "core/load/doc/doc_load.h"

#include <stdlib.h>

static const char analyse_hint[] = "was collected but never analysed: run"
	" python3 -c \"from torch_npu.profiler.profiler import analyse; analyse('DIR')\" (torch_npu), or msprof --export=on --output=DIR (PROF_*)";

static void add_note(struct capture *c, const char *text)
{
	ARRAY_PUSH(c, notes, nnotes, cap_notes) = text;
}

void rank_done(struct rank *r)
{
	events_done(&r->events);
	comm_done(&r->comm);
	for (int a = 0; a < ART_MAX; a++)
		if (r->tables[a]) {
			table_done(r->tables[a]);
			free(r->tables[a]);
		}
	if (r->sources)
		free(r->sources->list);
	free(r->sources);
}

void capture_free(struct capture *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nranks; i++)
		rank_done(&c->ranks[i]);
	if (c->has_cluster)
		rank_done(&c->cluster);
	free(c->ranks);
	free(c->findings);
	free(c->units);
	free(c->health);
	free(c->notes);
	if (c->owned) {
		tree_close(c->owned);
		free(c->owned);
	}
	names_done(&c->names);
	arena_done(&c->arena);
	free(c);
}

static void rank_init(struct rank *r, struct loader *l, const struct layout_unit *u)
{
	*r = (struct rank){ .id = -1, .id_from = "none", .writer = u->writer };
	r->folder = arena_copy(&l->c->arena, u->folder, strlen(u->folder));
	run_info_init(&r->info);
	r->sources = mem_zalloc(1, sizeof *r->sources);
	r->sources->tree = l->tree;
	r->read_args = args_of_event;
}

static int rank_compare(const void *x, const void *y)
{
	const struct rank *a = x, *b = y;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return strcmp(a->folder, b->folder);
}

/* Findings know their rank by its folder until the ranks are in order. */
static void sort_ranks(struct capture *c)
{
	int *place = mem_alloc(c->nranks, sizeof *place);
	const char **folder = mem_alloc(c->nranks, sizeof *folder);

	for (size_t i = 0; i < c->nranks; i++)
		folder[i] = c->ranks[i].folder;
	if (c->nranks)
		qsort(c->ranks, c->nranks, sizeof *c->ranks, rank_compare);
	for (size_t i = 0; i < c->nranks; i++)
		for (size_t k = 0; k < c->nranks; k++)
			if (folder[i] == c->ranks[k].folder)
				place[i] = (int)k;
	for (size_t i = 0; i < c->nfindings; i++)
		if (c->findings[i].rank >= 0)
			c->findings[i].rank = place[c->findings[i].rank];
	free(place);
	free(folder);
}

static void note_double_ranks(struct capture *c)
{
	for (size_t i = 1; i < c->nranks; i++)
		if (c->ranks[i].id >= 0 && c->ranks[i].id == c->ranks[i - 1].id)
			add_note(c, arena_printf(&c->arena, "rank %d was captured more than once (%s, %s): the captures are kept apart", c->ranks[i].id,
				c->ranks[i - 1].folder, c->ranks[i].folder));
}

static enum err load_units(struct loader *l)
{
	struct capture *c = l->c;
	size_t unread = 0;

	c->ranks = mem_zalloc(l->layout.n, sizeof *c->ranks);
	for (size_t i = 0; i < l->layout.n; i++) {
		const struct layout_unit *u = &l->layout.units[i];
		struct rank *r = u->is_cluster ? &c->cluster : &c->ranks[c->nranks];
		enum err err;

		if (u->never_analysed) {
			add_note(c, arena_printf(&c->arena, "%s %s", u->folder[0] ? u->folder : l->tree->name, analyse_hint));
			unread++;
			continue;
		}
		rank_init(r, l, u);
		if (u->is_cluster)
			c->has_cluster = true;
		else
			c->nranks++;
		err = load_unit(l, u, r);
		if (err)
			return err;
	}
	return ERR_OK;
}

/* Reading turned out that a unit holds nothing: its findings say why. */
static bool rank_is_empty(const struct rank *r)
{
	bool any = r->events.n || r->events.nsamples || r->comm.nops || r->comm.nedges || r->comm.ngroups || account_total(&r->account);

	for (int a = 0; a < ART_MAX; a++)
		any = any || r->tables[a];
	return !any;
}

static enum err nothing_found(const struct loader *l, struct diag *d)
{
	const struct capture *c = l->c;

	if (l->tree->is_file || (l->first.err && c->nfindings == 1)) {
		if (l->first.err) {
			*d = l->first;
			return d->err;
		}
		return diag_set(d, ERR_FORMAT, l->tree->root, -1, -1, "%s", l->layout.nrejects ? l->layout.rejects[0].reason
			: "is no artifact of a profiler that is known");
	}
	if (c->nnotes)
		return diag_set(d, ERR_NO_INPUT, l->tree->root, -1, -1, "%s", c->notes[0]);
	if (l->first.err)
		return diag_set(d, ERR_FORMAT, l->tree->root, -1, -1, "no file of it can be read; first: %.200s", l->first.text);
	if (l->layout.nrejects)
		return diag_set(d, ERR_NO_INPUT, l->tree->root, -1, -1, "no capture there; first of %zu files: %.120s: %s", l->layout.nrejects,
			l->layout.rejects[0].path, l->layout.rejects[0].reason);
	return diag_set(d, ERR_NO_INPUT, l->tree->root, -1, -1, "no capture there: none of %zu files is a profiler's (trace_view.json, kernel_details.csv,"
		" *.db, ...); name a *_ascend_pt or PROF_* folder, one of its files, or an archive", l->tree->n);
}

static bool capture_is_empty(const struct capture *c)
{
	for (size_t i = 0; i < c->nranks; i++)
		if (!rank_is_empty(&c->ranks[i]))
			return false;
	for (size_t i = 0; i < c->nfindings; i++)
		if (c->findings[i].accepted)
			return false;
	return !c->has_cluster || rank_is_empty(&c->cluster);
}

static void add_rejects(struct loader *l)
{
	struct capture *c = l->c;

	for (size_t i = 0; i < l->layout.nrejects; i++) {
		const struct layout_reject *r = &l->layout.rejects[i];

		ARRAY_PUSH(c, findings, nfindings, cap_findings) = (struct file_finding){ .kind = ART_NONE, .rank = -1, .bytes = r->bytes, .records = -1,
			.path = arena_copy(&c->arena, r->path, strlen(r->path)), .reason = arena_copy(&c->arena, r->reason, strlen(r->reason)) };
	}
	for (size_t i = 0; i < l->layout.nnotes; i++)
		add_note(c, arena_copy(&c->arena, l->layout.notes[i], strlen(l->layout.notes[i])));
}

static void set_total(struct loader *l)
{
	int64_t total = 0;

	for (size_t i = 0; i < l->layout.n; i++)
		for (size_t k = 0; k < l->layout.units[i].nfiles; k++)
			if (!l->layout.units[i].files[k].skip)
				total += l->tree->entries[l->layout.units[i].files[k].entry].size;
	if (l->progress)
		atomic_store(&l->progress->bytes_total, total);
}

enum err capture_load(const char *path, const struct load_options *options, struct progress *p, struct capture **out, struct diag *d)
{
	struct loader l = { .progress = p, .threads = options ? options->threads : 0 };
	enum err err;

	*out = NULL;
	l.tree = mem_zalloc(1, sizeof *l.tree);
	progress_stage(p, "looking for files");
	err = tree_open(l.tree, path, NULL, p, d);
	if (err) {
		free(l.tree);
		return err;
	}
	l.c = mem_zalloc(1, sizeof *l.c);
	l.c->owned = l.tree;
	names_init(&l.c->names);
	l.c->root = arena_copy(&l.c->arena, path, strlen(path));
	layout_make(&l.layout, l.tree);
	set_total(&l);
	err = load_units(&l);
	add_rejects(&l);
	if (err)
		diag_set(d, err, path, -1, -1, "cancelled");
	else if (capture_is_empty(l.c))
		err = nothing_found(&l, d);
	layout_done(&l.layout);
	if (err) {
		capture_free(l.c);
		return err;
	}
	sort_ranks(l.c);
	note_double_ranks(l.c);
	units_settle(l.c);
	health_check(l.c);
	*out = l.c;
	return ERR_OK;
}
