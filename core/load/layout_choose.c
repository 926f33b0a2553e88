/* SPDX-License-Identifier: Apache-2.0 */
/* Which of several files with the same data is read, and what a name says about rank, time and slice. */
#include "core/load/layout_private.h"

#include "core/base/mem.h"

#include <stdlib.h>

/* Files of one export are written within seconds of each other; two exports are further apart. */
enum { SAME_EXPORT_S = 60 };

/* ---- names ---------------------------------------------------------------------------------------------------------------------------- */

static struct str without_ending(struct str name)
{
	size_t at = name.n;

	while (at && name.p[at - 1] != '.')
		at--;
	return (struct str){ name.p, at ? at - 1 : name.n };
}

/* The digits at the end of s. */
static struct str digits_at_end(struct str s)
{
	size_t at = s.n;

	while (at && s.p[at - 1] >= '0' && s.p[at - 1] <= '9')
		at--;
	return (struct str){ s.p + at, s.n - at };
}

static int64_t digits_value(const char *p, size_t n)
{
	uint64_t v = 0;

	str_to_u64((struct str){ p, n }, &v);
	return (int64_t)v;
}

int64_t stamp_of_name(struct str name)
{
	struct str d = digits_at_end(without_ending(name));
	int64_t year, month, day, days;

	if (d.n != 14)
		return 0;
	year = digits_value(d.p, 4);
	month = digits_value(d.p + 4, 2);
	day = digits_value(d.p + 6, 2);
	/* Days since 1970-03-01 with years that begin in March: leap days come last. */
	year -= month <= 2;
	month += month <= 2 ? 9 : -3;
	days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 719469;
	return ((days * 24 + digits_value(d.p + 8, 2)) * 60 + digits_value(d.p + 10, 2)) * 60 + digits_value(d.p + 12, 2);
}

int slice_of_name(struct str name)
{
	for (size_t i = 0; i + 7 < name.n; i++) {
		size_t n = 0;

		if (memcmp(name.p + i, "_slice_", 7) != 0)
			continue;
		while (i + 7 + n < name.n && name.p[i + 7 + n] >= '0' && name.p[i + 7 + n] <= '9')
			n++;
		if (n && n < 9)
			return (int)digits_value(name.p + i + 7, n);
	}
	return -1;
}

int rank_of_name(struct str name)
{
	for (size_t i = 0; i + 4 < name.n; i++) {
		size_t at = i + 4, n = 0;

		if (!str_is_nocase((struct str){ name.p + i, 4 }, STR("rank")))
			continue;
		if (i && ((name.p[i - 1] | 0x20) >= 'a' && (name.p[i - 1] | 0x20) <= 'z'))
			continue;		/* "prank3" */
		if (name.p[at] == '_' || name.p[at] == '-')
			at++;
		while (at + n < name.n && name.p[at + n] >= '0' && name.p[at + n] <= '9')
			n++;
		if (n && n < 9)
			return (int)digits_value(name.p + at, n);
	}
	return -1;
}

int rank_of_suffix(struct str name)
{
	struct str stem = without_ending(name), d = digits_at_end(stem);

	if (!d.n || d.n > 8 || d.p == stem.p || d.p[-1] != '_')
		return -1;
	return (int)digits_value(d.p, d.n);
}

/* ---- choosing -------------------------------------------------------------------------------------------------------------------------- */

bool unit_has_data(const struct layout_unit *u)
{
	for (size_t i = 0; i < u->nfiles; i++)
		if (u->files[i].kind != ART_PROFILER_INFO && u->files[i].kind != ART_METADATA)
			return true;
	return false;
}

static bool unit_reads(const struct layout_unit *u, enum artifact kind)
{
	for (size_t i = 0; i < u->nfiles; i++)
		if (u->files[i].kind == kind && !u->files[i].skip)
			return true;
	return false;
}

/* Several traces in one place: trace_view.json holds what msprof_*.json holds, and that what the single timelines hold. */
static int trace_rank(struct str base)
{
	return str_begins(base, STR("trace_view")) ? 0 : str_begins(base, STR("msprof")) ? 1 : 2;
}

static void skip_kind(struct layout_unit *u, enum artifact kind, const char *why)
{
	for (size_t i = 0; i < u->nfiles; i++)
		if (u->files[i].kind == kind && !u->files[i].skip)
			u->files[i].skip = why;
}

/* Keeps of one kind what stands in the best place. */
static void keep_best_place(struct layout_unit *u, enum artifact kind)
{
	int best = INT32_MAX;

	for (size_t i = 0; i < u->nfiles; i++)
		if (u->files[i].kind == kind)
			best = MIN(best, u->files[i].place);
	for (size_t i = 0; i < u->nfiles; i++)
		if (u->files[i].kind == kind && u->files[i].place > best)
			u->files[i].skip = "not read: the same data stands in the exporter's output folder";
}

static void keep_best_trace(struct layout_unit *u, const struct tree *t)
{
	int best = INT32_MAX;

	for (size_t i = 0; i < u->nfiles; i++)
		if (u->files[i].kind == ART_TRACE && !u->files[i].skip)
			best = MIN(best, trace_rank(path_base(str_of(t->entries[u->files[i].entry].path))));
	for (size_t i = 0; i < u->nfiles; i++)
		if (u->files[i].kind == ART_TRACE && !u->files[i].skip
				&& trace_rank(path_base(str_of(t->entries[u->files[i].entry].path))) > best)
			u->files[i].skip = "not read: the main timeline holds the same events";
}

/* A folder exported twice holds two generations: the newest is read. Returns whether there were two. */
static bool keep_newest(struct layout_unit *u, enum artifact kind)
{
	int64_t newest = 0;
	bool older = false;

	for (size_t i = 0; i < u->nfiles; i++)
		if (u->files[i].kind == kind && !u->files[i].skip)
			newest = MAX(newest, u->files[i].stamp);
	for (size_t i = 0; newest && i < u->nfiles; i++) {
		struct layout_file *f = &u->files[i];

		if (f->kind != kind || f->skip || f->stamp + (f->slice >= 0 ? SAME_EXPORT_S : 0) >= newest)
			continue;
		f->skip = "not read: an older export of the same capture";
		older = true;
	}
	return older;
}

static int file_compare(const void *x, const void *y)
{
	const struct layout_file *a = x, *b = y;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->slice != b->slice)
		return a->slice < b->slice ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static bool has_events(const struct layout_unit *u)
{
	return unit_reads(u, ART_TRACE);
}

void layout_choose(struct layout *l, struct layout_unit *u, const struct tree *t)
{
	static const enum artifact event_dbs[] = { ART_PYTORCH_DB, ART_MINDSPORE_DB, ART_MSPROF_DB };
	bool two_exports = false, have = false;

	for (int k = 0; k < ART_MAX; k++) {
		keep_best_place(u, (enum artifact)k);
		if (k == ART_TRACE)
			keep_best_trace(u, t);
		two_exports |= keep_newest(u, (enum artifact)k);
	}
	if (unit_reads(u, ART_KERNEL_DETAILS))
		skip_kind(u, ART_OP_SUMMARY, "not read: kernel_details holds the same rows");
	/* Text first: it holds the exporter's own summary lanes and metrics; a database of the same run holds the same events. */
	have = has_events(u);
	for (size_t i = 0; i < ARRAY_LEN(event_dbs); i++) {
		if (have)
			skip_kind(u, event_dbs[i], "not read: the timeline holds the same events (name the database itself to read it)");
		have = have || unit_reads(u, event_dbs[i]);
	}
	if (u->nfiles)
		qsort(u->files, u->nfiles, sizeof *u->files, file_compare);
	if (two_exports)
		ARRAY_PUSH(l, notes, nnotes, cap_notes) = arena_printf(&l->arena, "%s: exported more than once, the newest export is read",
			u->folder[0] ? u->folder : t->name);
}
