/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/layout.h"

#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/load/layout_private.h"
#include "core/load/table/table_load.h"
#include "core/load/trace/trace.h"

#include <stdlib.h>

/* ---- paths --------------------------------------------------------------------------------------------------------------------------- */

struct str path_base(struct str path)
{
	size_t at = path.n;

	while (at && path.p[at - 1] != '/')
		at--;
	return (struct str){ path.p + at, path.n - at };
}

static struct str path_folder(struct str path)
{
	struct str base = path_base(path);

	return (struct str){ path.p, path.n - base.n - (path.n > base.n) };
}

/* The first part of rest; rest moves behind it. */
static struct str next_part(struct str *rest)
{
	const char *slash = memchr(rest->p, '/', rest->n);
	struct str part = { rest->p, slash ? (size_t)(slash - rest->p) : rest->n };

	rest->p += part.n + (slash != NULL);
	rest->n -= part.n + (slash != NULL);
	return part;
}

static bool is_export_folder(struct str name)
{
	return str_is(name, STR("ASCEND_PROFILER_OUTPUT")) || str_is(name, STR("mindstudio_profiler_output"));
}

static bool is_capture_folder(struct str name)
{
	return str_ends(name, STR("_ascend_pt")) || str_ends(name, STR("_ascend_ms"));
}

/* ---- which unit ---------------------------------------------------------------------------------------------------------------------- */

/* The folder of the unit that a path belongs to. */
static struct str unit_folder(struct str path, bool root_is_unit)
{
	struct str rest = path, before = { path.p, 0 }, prof = { NULL, 0 };

	if (root_is_unit)
		return before;
	while (memchr(rest.p, '/', rest.n)) {
		struct str part = next_part(&rest);
		struct str upto = { path.p, (size_t)(part.p + part.n - path.p) };

		if (is_capture_folder(part))
			return upto;
		if (is_export_folder(part))
			return prof.p ? prof : before;
		if (!prof.p && (str_begins(part, STR("PROF_")) || str_begins(part, STR("OPPROF_"))))
			prof = upto;
		before = upto;
	}
	return prof.p ? prof : path_folder(path);
}

/* True when the root itself is one rank's capture, whatever stands below it. */
static bool is_root_unit(const struct tree *t)
{
	struct str name = str_of(t->name);

	if (is_capture_folder(name) || str_begins(name, STR("PROF_")) || is_export_folder(name))
		return true;
	for (size_t i = 0; i < t->nfolders; i++)
		if (is_export_folder(str_of(t->folders[i])) || strcmp(t->folders[i], "FRAMEWORK") == 0)
			return true;
	return false;
}

static struct layout_unit *unit_find(struct layout *l, struct str folder, bool is_cluster)
{
	struct layout_unit *u;

	for (size_t i = l->n; i-- > 0;)		/* entries are sorted: the last unit is nearly always the one */
		if (l->units[i].is_cluster == is_cluster && (is_cluster || str_is(str_of(l->units[i].folder), folder)))
			return &l->units[i];
	u = &ARRAY_PUSH(l, units, n, cap);
	*u = (struct layout_unit){ .folder = arena_copy(&l->arena, folder.p, folder.n), .is_cluster = is_cluster, .rank_in_name = -1 };
	return u;
}

/* ---- what a file is ------------------------------------------------------------------------------------------------------------------ */

static const char *const artifact_files[ART_MAX] = {
#define ARTIFACT(id, key, form, files, needed, text) [ART_##id] = files,
#include "core/model/artifact.def"
#undef ARTIFACT
};

static const struct {
	const char *files, *reason;
} skips[] = {
#define SKIP(files, reason) { files, reason },
#include "core/load/skip.def"
#undef SKIP
};

/* Any of the globs matches: those with a '/' the path, the others the name. */
static bool any_like(const char *globs, struct str path)
{
	struct str base = path_base(path);

	while (*globs) {
		size_t n = strcspn(globs, "|");
		char glob[128];

		memcpy(glob, globs, MIN(n, sizeof glob - 1));
		glob[MIN(n, sizeof glob - 1)] = '\0';
		if (str_like(strchr(glob, '/') ? path : base, glob))
			return true;
		globs += n + (globs[n] == '|');
	}
	return false;
}

static enum artifact artifact_of_name(struct str path)
{
	for (int a = 0; a < ART_MAX; a++)
		if (any_like(artifact_files[a], path))
			return (enum artifact)a;
	return ART_NONE;
}

/* Whether the entry is about whole folders: such hold thousands of files, and get one line. */
static const char *skip_of_name(struct str path, bool *is_folder)
{
	for (size_t i = 0; i < ARRAY_LEN(skips); i++)
		if (any_like(skips[i].files, path)) {
			*is_folder = strchr(skips[i].files, '/') != NULL;
			return skips[i].reason;
		}
	return NULL;
}

/* A file with an odd name: by what it holds. */
static enum artifact artifact_of_content(const struct tree *t, size_t entry, const char **why_not)
{
	struct str name = str_of(t->entries[entry].path);
	enum artifact kind = ART_NONE;
	struct file f;

	*why_not = "no profiler artifact: name a capture's folder, or one trace JSON, CSV, database or archive";
	if (!str_ends(name, STR(".json")) && !str_ends(name, STR(".csv")) && !str_ends(name, STR(".db")))
		return ART_NONE;
	if (tree_file(t, entry, &f, NULL)) {
		*why_not = "cannot be opened";
		return ART_NONE;
	}
	if (str_ends(name, STR(".csv"))) {
		kind = table_sniff_csv(&f);
		*why_not = f.size ? "CSV with columns of no artifact that is known" : "is empty: the export was interrupted";
	} else if (str_ends(name, STR(".json"))) {
		kind = trace_sniff(&f) ? ART_TRACE : ART_NONE;
		*why_not = f.size ? "JSON, but neither events nor a document of the profiler" : "is empty: the export was interrupted";
	} else {
		kind = ART_PYTORCH_DB;		/* its reader tells by the tables */
	}
	file_close(&f);
	return kind;
}

static bool is_cluster_kind(enum artifact a)
{
	return a == ART_CLUSTER_STEP || a == ART_CLUSTER_COMM || a == ART_CLUSTER_MATRIX || a == ART_COMM_GROUP || a == ART_CLUSTER_DB;
}

static int place_of(struct str path)
{
	if (str_has(path, STR("ASCEND_PROFILER_OUTPUT/")))
		return 0;
	return str_has(path, STR("mindstudio_profiler_output/")) ? 1 : 2;
}

/* ---- raw data: one line a folder, not a line a file ------------------------------------------------------------------------------------ */

static void reject(struct layout *l, const char *path, const char *reason, int64_t bytes)
{
	ARRAY_PUSH(l, rejects, nrejects, cap_rejects) = (struct layout_reject){ path, reason, bytes };
}

/* Adds to the last reject when it is the same folder for the same reason; raw folders hold thousands of files. */
static void reject_raw(struct layout *l, struct str path, const char *reason, int64_t bytes)
{
	struct str folder = path_folder(path);
	struct layout_reject *last = l->nrejects ? &l->rejects[l->nrejects - 1] : NULL;

	if (last && last->reason == reason && str_ends(str_of(last->path), STR("/"))
			&& str_is((struct str){ last->path, strlen(last->path) - 1 }, folder)) {
		last->bytes += bytes;
		return;
	}
	reject(l, arena_printf(&l->arena, "%.*s/", (int)folder.n, folder.p), reason, bytes);
}

static void add_entry(struct layout *l, const struct tree *t, size_t i, bool root_is_unit)
{
	const struct tree_entry *e = &t->entries[i];
	struct str path = str_of(e->path), folder = unit_folder(path, root_is_unit);
	const char *why_not = NULL;
	enum artifact kind = ART_NONE;
	struct layout_unit *u;
	bool is_folder = false;

	if (e->refused) {
		reject(l, e->path, e->refused, e->size);
		return;
	}
	why_not = t->is_file ? NULL : skip_of_name(path, &is_folder);
	if (why_not && is_folder && memchr(path.p, '/', path.n)) {
		reject_raw(l, path, why_not, e->size);
		return;
	}
	if (!why_not)
		kind = artifact_of_name(path);
	if (!why_not && kind == ART_NONE)
		kind = artifact_of_content(t, i, &why_not);
	if (kind == ART_NONE) {
		reject(l, e->path, why_not, e->size);
		return;
	}
	u = unit_find(l, folder, is_cluster_kind(kind));
	ARRAY_PUSH(u, files, nfiles, cap_files) = (struct layout_file){ .entry = i, .kind = kind, .place = place_of(path),
		.stamp = stamp_of_name(path_base(path)), .slice = slice_of_name(path_base(path)) };
}

/* ---- units -------------------------------------------------------------------------------------------------------------------------- */

/* FRAMEWORK or a PROF_* folder below the unit tells that the capture was taken, whatever was exported. */
static bool has_raw_data(const struct tree *t, struct str folder)
{
	for (size_t i = 0; i < t->nfolders; i++) {
		struct str f = str_of(t->folders[i]), base = path_base(f);

		if (folder.n && !(str_begins(f, folder) && f.n > folder.n && f.p[folder.n] == '/'))
			continue;
		if (str_is(base, STR("FRAMEWORK")) || str_like(base, "device_#") || str_begins(base, STR("PROF_")))
			return true;
	}
	return false;
}

/* A folder is a unit when a file right below it belongs to it, and its name says that it is a capture. */
static bool is_unit_folder(struct arena *scratch, struct str folder)
{
	struct str name = path_base(folder);

	if (!is_capture_folder(name) && !str_begins(name, STR("PROF_")))
		return false;
	return str_is(unit_folder(str_of(arena_printf(scratch, "%.*s/x", (int)folder.n, folder.p)), false), folder);
}

/* Capture folders without a single file that is read: collected, never analysed. */
static void add_raw_units(struct layout *l, const struct tree *t, bool root_is_unit)
{
	if (root_is_unit) {
		if (has_raw_data(t, STR("")))
			unit_find(l, STR(""), false);
		return;
	}
	for (size_t i = 0; i < t->nfolders; i++) {
		struct str folder = str_of(t->folders[i]);

		if (is_unit_folder(&l->arena, folder) && has_raw_data(t, folder))
			unit_find(l, folder, false);
	}
}

static const char *unit_writer(const struct tree *t, const struct layout_unit *u)
{
	struct str name = u->folder[0] ? path_base(str_of(u->folder)) : str_of(t->name);

	if (str_ends(name, STR("_ascend_ms")))
		return "MindSpore";
	for (size_t i = 0; i < u->nfiles; i++)
		if (u->files[i].kind == ART_MINDSPORE_DB)
			return "MindSpore";
	if (str_ends(name, STR("_ascend_pt")))
		return "torch_npu";
	for (size_t i = 0; i < u->nfiles; i++)
		if (u->files[i].place == 0 || u->files[i].kind == ART_PYTORCH_DB || u->files[i].kind == ART_KERNEL_DETAILS
				|| u->files[i].kind == ART_PROFILER_INFO)
			return "torch_npu";
	for (size_t i = 0; i < u->nfiles; i++)
		if (u->files[i].place == 1 || u->files[i].kind == ART_OP_SUMMARY || u->files[i].kind == ART_MSPROF_DB)
			return "msprof";
	return str_begins(name, STR("PROF_")) ? "msprof" : "unknown";
}

static int unit_compare(const void *x, const void *y)
{
	const struct layout_unit *a = x, *b = y;

	if (a->is_cluster != b->is_cluster)
		return a->is_cluster ? 1 : -1;
	return strcmp(a->folder, b->folder);
}

void layout_make(struct layout *l, const struct tree *t)
{
	bool root_is_unit = is_root_unit(t);

	*l = (struct layout){ 0 };
	for (size_t i = 0; i < t->n; i++)
		add_entry(l, t, i, root_is_unit);
	add_raw_units(l, t, root_is_unit);
	if (l->n)
		qsort(l->units, l->n, sizeof *l->units, unit_compare);
	for (size_t i = 0; i < l->n; i++) {
		struct layout_unit *u = &l->units[i];

		u->writer = unit_writer(t, u);
		u->rank_in_name = rank_of_name(u->folder[0] ? path_base(str_of(u->folder)) : str_of(t->name));
		layout_choose(l, u, t);
		u->never_analysed = !u->is_cluster && !unit_has_data(u);
	}
}

void layout_done(struct layout *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->units[i].files);
	free(l->units);
	free(l->rejects);
	free(l->notes);
	arena_done(&l->arena);
	*l = (struct layout){ 0 };
}
