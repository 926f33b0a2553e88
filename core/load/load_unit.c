/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files of one unit into a rank, and says about each what came of it. */
#include "core/load/load_private.h"

#include "core/base/mem.h"
#include "core/load/db/db_load.h"
#include "core/load/doc/doc_load.h"
#include "core/load/layout_private.h"
#include "core/load/table/table_load.h"
#include "core/load/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The reading of one unit. */
struct unit {
	struct loader *l;
	const struct layout_unit *u;
	struct rank *r;
	struct builder *build;		/* made when the first event source is met */
	uint64_t span_next;		/* spans below are taken */
	int rank_from_info, rank_from_db;
	struct run_info db_info;	/* what a database says, used where no document says it */
};

static struct file_finding *add_finding(struct unit *x, const struct layout_file *f)
{
	struct capture *c = x->l->c;
	const struct tree_entry *e = &x->l->tree->entries[f->entry];
	struct file_finding *n = &ARRAY_PUSH(c, findings, nfindings, cap_findings);

	*n = (struct file_finding){ .kind = f->kind, .bytes = e->size, .records = -1, .reason = "", .rank = x->u->is_cluster ? -1 : (int)c->nranks - 1,
		.path = arena_copy(&c->arena, e->path, strlen(e->path)) };
	return n;
}

/* The reader's word on a file it could not take. */
static void finding_refuse(struct unit *x, struct file_finding *n, const struct diag *d)
{
	struct capture *c = x->l->c;

	n->accepted = false;
	n->records = -1;
	if (d->line >= 0)
		n->reason = arena_printf(&c->arena, "line %" PRId64 ": %s", d->line, d->text);
	else if (d->byte >= 0)
		n->reason = arena_printf(&c->arena, "byte %" PRId64 ": %s", d->byte, d->text);
	else
		n->reason = arena_copy(&c->arena, d->text, strlen(d->text));
	if (!x->l->first.err) {
		x->l->first = *d;
		if (!d->file[0])
			snprintf(x->l->first.file, sizeof x->l->first.file, "%s", x->l->tree->is_file ? x->l->tree->root : n->path);
	}
}

/* ---- documents --------------------------------------------------------------------------------------------------------------------- */

static enum err load_doc_text(struct unit *x, enum artifact kind, struct str text, struct str name, struct diag *d)
{
	struct rank *r = x->r;
	struct names *names = &x->l->c->names;
	struct rank_hint hint = { -1, false };
	enum err err;

	switch (kind) {
	case ART_PROFILER_INFO:
		err = doc_load_profiler_info(text, names, &r->info, &hint, d);
		if (!err && x->rank_from_info < 0)
			x->rank_from_info = hint.has_rank ? hint.rank : rank_of_suffix(name);
		return err;
	case ART_METADATA:
		return doc_load_metadata(text, names, &r->info, &r->comm, d);
	case ART_COMMUNICATION:
		return doc_load_communication(text, names, &r->comm, d);
	case ART_CLUSTER_COMM:
		return doc_load_cluster_communication(text, names, &r->comm, d);
	case ART_COMM_MATRIX:
	case ART_CLUSTER_MATRIX:
		return doc_load_matrix(text, kind == ART_CLUSTER_MATRIX, names, &r->comm, d);
	default:
		return doc_load_groups(text, names, &r->comm, d);
	}
}

static const char *doc_reason(struct unit *x, enum artifact kind, size_t ops, size_t edges, size_t groups, size_t skipped)
{
	struct arena *a = &x->l->c->arena;
	const struct comm *c = &x->r->comm;
	const char *odd = c->skipped > skipped ? arena_printf(a, "; %zu entries of another shape skipped", c->skipped - skipped) : "";

	switch (kind) {
	case ART_COMMUNICATION:
	case ART_CLUSTER_COMM:
		return arena_printf(a, "%zu collectives%s%s", comm_count(c) - ops,
			c->unofficial ? ", not in the official form: count and total time only" : "", odd);
	case ART_COMM_MATRIX:
	case ART_CLUSTER_MATRIX:
		return arena_printf(a, "%zu links between ranks%s", c->nedges - edges, odd);
	case ART_COMM_GROUP:
		return arena_printf(a, "%zu process groups%s", c->ngroups - groups, odd);
	default:
		return artifact_title(kind);
	}
}

static void load_doc(struct unit *x, const struct layout_file *lf, struct file_finding *n)
{
	const struct comm *c = &x->r->comm;
	size_t ops = comm_count(c), edges = c->nedges, groups = c->ngroups, skipped = c->skipped, size = 0;
	struct diag d = { .line = -1, .byte = -1 };
	struct file f;
	char *text;
	enum err err = tree_file(x->l->tree, lf->entry, &f, &d);

	if (!err) {
		err = file_read_all(&f, DOC_BYTES_MAX, &text, &size, &d);
		if (!err)
			err = load_doc_text(x, lf->kind, (struct str){ text, size }, path_base(str_of(n->path)), &d);
		free(text);
		file_close(&f);
	}
	progress_add(x->l->progress, (int64_t)size, 0);
	n->accepted = !err;
	if (err)
		finding_refuse(x, n, &d);
	else
		n->reason = doc_reason(x, lf->kind, ops, edges, groups, skipped);
	if (lf->kind == ART_COMMUNICATION || lf->kind == ART_CLUSTER_COMM)
		n->records = (int64_t)(comm_count(c) - ops);
}

/* ---- tables ------------------------------------------------------------------------------------------------------------------------ */

/* Rows that were left out since `before`, by reason. */
static const char *drops_since(struct arena *a, const struct account *now, const struct account *before)
{
	const char *s = "";

	for (int i = 0; i < DROP_MAX; i++)
		if (now->dropped[i].count > before->dropped[i].count)
			s = arena_printf(a, "%s; %zu dropped: %s", s, now->dropped[i].count - before->dropped[i].count, drop_text((enum drop)i));
	return s;
}

static const char *table_reason(struct unit *x, const struct table *t, size_t rows, const struct account *before, const struct csv_info *info)
{
	struct arena *a = &x->l->c->arena;
	const char *s = arena_printf(a, "%zu row%s, %zu columns", rows, rows == 1 ? "" : "s", t->ncolumns);

	if (strcmp(info->encoding, "UTF-8") != 0)
		s = arena_printf(a, "%s, %s", s, info->encoding);
	if (info->unknown_columns)
		s = arena_printf(a, "%s; not used: %s%s", s, info->unknown, info->unknown_columns > 3 ? ", ..." : "");
	if (info->odd_columns)
		s = arena_printf(a, "%s; not numbers: %s", s, info->odd);
	if (info->unterminated_quote)
		s = arena_printf(a, "%s; a quote is never closed: the rest of the file is one field", s);
	return arena_printf(a, "%s%s", s, drops_since(a, &t->account, before));
}

static void load_table(struct unit *x, const struct layout_file *lf, struct file_finding *n)
{
	struct table **t = &x->r->tables[lf->kind];
	size_t before = *t ? (*t)->nrows : 0;
	struct account account = *t ? (*t)->account : (struct account){ 0 };
	struct csv_info info = { 0 };
	struct diag d = { .line = -1, .byte = -1 };
	struct file f;
	enum err err = tree_file(x->l->tree, lf->entry, &f, &d);

	if (!err) {
		err = table_load_csv(t, lf->kind, &f, &x->l->c->names, &info, x->l->progress, &d);
		file_close(&f);
	}
	n->accepted = !err;
	if (err) {
		finding_refuse(x, n, &d);
		return;
	}
	n->records = (int64_t)((*t)->nrows - before);
	n->reason = table_reason(x, *t, (*t)->nrows - before, &account, &info);
}

/* ---- events ------------------------------------------------------------------------------------------------------------------------- */

static struct builder *unit_builder(struct unit *x)
{
	if (!x->build)
		x->build = build_new(&x->l->c->names);
	return x->build;
}

static const char *trace_reason(struct unit *x, const struct trace_info *info, size_t events)
{
	struct arena *a = &x->l->c->arena;
	const char *s = arena_printf(a, "%zu events, %s, times as %s", events, info->is_object ? "object" : "array",
		info->text_times ? "text (exact)" : "numbers");

	if (info->unclosed)
		s = arena_printf(a, "%s; no closing bracket: the export was interrupted", s);
	if (info->early_end)
		s = arena_printf(a, "%s; events follow the closing bracket: two exports in one file", s);
	if (info->nissues)
		s = arena_printf(a, "%s; damaged in %zu place%s, first at byte %" PRId64 " (%" PRId64 " bytes, %s)", s, info->nissues,
			info->nissues == 1 ? "" : "s", info->issues[0].at, info->issues[0].length, drop_text(info->issues[0].what));
	return s;
}

static void load_trace(struct unit *x, const struct layout_file *lf, struct file_finding *n)
{
	struct span_sources *sources = x->r->sources;
	size_t before = account_total(&x->r->account);
	struct diag d = { .line = -1, .byte = -1 };
	struct trace_info info;
	struct file f;
	enum err err = tree_file(x->l->tree, lf->entry, &f, &d);

	if (!err) {
		err = trace_load(&f, x->span_next, &x->l->c->names, unit_builder(x), &x->r->account, &info, x->l->threads, x->l->progress, &d);
		file_close(&f);
	}
	n->accepted = !err;
	if (err) {
		finding_refuse(x, n, &d);
		return;
	}
	ARRAY_PUSH(sources, list, n, cap) = (struct span_source){ x->span_next, (uint64_t)n->bytes + 1, lf->entry, false };
	x->span_next += (uint64_t)n->bytes + 1;
	n->records = (int64_t)(account_total(&x->r->account) - before);
	n->reason = trace_reason(x, &info, (size_t)n->records);
}

/* ---- databases ---------------------------------------------------------------------------------------------------------------------- */

/* Tables of a text export come first: a database fills what is missing. */
static size_t take_tables(struct rank *r, struct table **from)
{
	size_t taken = 0;

	for (int a = 0; a < ART_MAX; a++) {
		bool have = r->tables[a] || (a == ART_KERNEL_DETAILS && r->tables[ART_OP_SUMMARY]);

		if (!from[a])
			continue;
		if (have) {
			table_done(from[a]);
			free(from[a]);
		} else {
			r->tables[a] = from[a];
			taken++;
		}
	}
	return taken;
}

static void free_tables(struct table **tables)
{
	for (int a = 0; a < ART_MAX; a++)
		if (tables[a]) {
			table_done(tables[a]);
			free(tables[a]);
		}
}

static enum err read_db(struct unit *x, enum db_kind kind, const char *path, struct db_target *t, struct diag *d)
{
	switch (kind) {
	case DB_PROFILER:
		return db_load_profiler(path, t, x->l->progress, d);
	case DB_ANALYSIS:
	case DB_CLUSTER:
		return db_load_analysis(path, t, x->l->progress, d);
	case DB_EMPTY:
		return diag_set(d, ERR_FORMAT, path, -1, -1, "is empty: the export was interrupted, export it again");
	case DB_RAW_MSPROF:
		return diag_set(d, ERR_FORMAT, path, -1, -1, "holds raw msprof counters: the exported database or files hold the same as times");
	default:
		return diag_set(d, ERR_FORMAT, path, -1, -1, "is a database, but has none of the profiler's tables");
	}
}

static void load_db(struct unit *x, const struct layout_file *lf, struct file_finding *n)
{
	const char *path = x->l->tree->entries[lf->entry].real;
	struct rank *r = x->r;
	struct table *tables[ART_MAX] = { 0 };
	struct comm comm = { 0 };
	struct diag d = { .line = -1, .byte = -1 };
	const struct account before = r->account;
	bool own_builder = !x->build;
	size_t ops;
	enum db_kind kind = DB_UNKNOWN;
	struct db_target t = { .names = &x->l->c->names, .account = &r->account, .tables = tables, .comm = r->comm.nops ? &comm : &r->comm,
		.info = &x->db_info, .rank = -1, .span_base = 0 };
	enum err err = db_sniff(path, &kind, &d);

	if (!err && kind == DB_PROFILER)
		t.build = unit_builder(x);
	ops = comm_count(t.comm);
	if (!err)
		err = read_db(x, kind, path, &t, &d);
	n->accepted = !err;
	if (err) {
		finding_refuse(x, n, &d);
		r->account = before;		/* all or nothing: half a database is no capture */
		if (own_builder) {
			build_free(x->build);
			x->build = NULL;
		}
		free_tables(tables);
	} else {
		size_t events = account_total(&r->account) - account_total(&before), new_ops = comm_count(t.comm) - ops, new_tables = take_tables(r, tables);

		if (kind == DB_PROFILER)
			ARRAY_PUSH(r->sources, list, n, cap) = (struct span_source){ 0, UINT64_MAX, lf->entry, true };
		n->records = (int64_t)events;
		n->reason = arena_printf(&x->l->c->arena, "%zu events, %zu tables, %zu collectives", events, new_tables, new_ops);
		if (t.has_rank && x->rank_from_db < 0)
			x->rank_from_db = t.rank;
		if (x->rank_from_db < 0 && (lf->kind == ART_PYTORCH_DB || lf->kind == ART_MINDSPORE_DB))
			x->rank_from_db = rank_of_suffix(path_base(str_of(n->path)));
	}
	comm_done(&comm);
	progress_add(x->l->progress, n->bytes, 0);
}

/* ---- the unit ------------------------------------------------------------------------------------------------------------------------ */

static void load_file(struct unit *x, const struct layout_file *f)
{
	struct file_finding *n = add_finding(x, f);

	if (f->skip) {
		n->reason = f->skip;
		return;
	}
	progress_stage(x->l->progress, artifact_key(f->kind));
	switch (artifact_form(f->kind)) {
	case FORM_DOC:
		load_doc(x, f, n);
		break;
	case FORM_TABLE:
		load_table(x, f, n);
		break;
	case FORM_TRACE:
		load_trace(x, f, n);
		break;
	case FORM_DB:
		load_db(x, f, n);
		break;
	}
}

static void settle_rank(struct unit *x)
{
	static const char *const from[] = { "profiler_info", "database", "folder name" };
	const int found[] = { x->rank_from_info, x->rank_from_db, x->u->rank_in_name };

	for (size_t i = 0; i < ARRAY_LEN(found); i++)
		if (found[i] >= 0) {
			x->r->id = found[i];
			x->r->id_from = from[i];
			return;
		}
}

/* profiler_metadata.json tells these without a profiler_info beside it. */
static void keep_metadata(struct run_info *to, const struct run_info *kept)
{
	int64_t *sizes[] = { &to->world_size, &to->tp, &to->pp, &to->dp, &to->ep, &to->cp };
	const int64_t had[] = { kept->world_size, kept->tp, kept->pp, kept->dp, kept->ep, kept->cp };

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		if (had[i] >= 0)
			*sizes[i] = had[i];
	if (kept->nenv) {
		memcpy(to->env, kept->env, sizeof to->env);
		to->nenv = kept->nenv;
	}
	to->parallel = kept->parallel ? kept->parallel : to->parallel;
}

/* What only the database tells. */
static void merge_info(struct run_info *to, const struct run_info *from)
{
	uint32_t *texts[] = { &to->torch_npu, &to->cann, &to->mindspore, &to->device_type, &to->level, &to->aic_metrics };
	const uint32_t have[] = { from->torch_npu, from->cann, from->mindspore, from->device_type, from->level, from->aic_metrics };

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (!*texts[i])
			*texts[i] = have[i];
	if (!to->known) {
		struct run_info texts_kept = *to;

		*to = *from;
		to->torch_npu = texts_kept.torch_npu, to->cann = texts_kept.cann, to->mindspore = texts_kept.mindspore;
		to->device_type = texts_kept.device_type, to->level = texts_kept.level, to->aic_metrics = texts_kept.aic_metrics;
		keep_metadata(to, &texts_kept);
	}
}

enum err load_unit(struct loader *l, const struct layout_unit *u, struct rank *r)
{
	static const enum form order[] = { FORM_DOC, FORM_TABLE, FORM_TRACE, FORM_DB };
	struct unit x = { .l = l, .u = u, .r = r, .rank_from_info = -1, .rank_from_db = -1 };

	run_info_init(&x.db_info);
	for (size_t k = 0; k < ARRAY_LEN(order); k++)
		for (size_t i = 0; i < u->nfiles && !progress_cancelled(l->progress); i++)
			if (artifact_form(u->files[i].kind) == order[k])
				load_file(&x, &u->files[i]);
	progress_stage(l->progress, "sorting events");
	if (x.build)
		build_finish(x.build, &r->events, &r->account);
	merge_info(&r->info, &x.db_info);
	settle_rank(&x);
	return progress_cancelled(l->progress) ? ERR_CANCELLED : ERR_OK;
}
