/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace text through the whole reader and builder, and whether two results are the same to the last id. For the tests and the fuzz target
 * of the trace reader; header only, so that fuzz programs need no other object. The caller ends a result with loaded_done().
 */
#ifndef ASCOPE_TESTS_HELP_TRACE_TEXT_H
#define ASCOPE_TESTS_HELP_TRACE_TEXT_H

#include "core/load/trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct loaded {
	struct names names;
	struct events events;
	struct account account;
	struct trace_info info;
	struct diag diag;
	enum err err;
};

/* Reads an open file. chunk: bytes of a chunk, 0 the default. threads: of the reader and of the builder. */
static inline void loaded_from(struct loaded *l, const struct file *f, size_t chunk, unsigned threads)
{
	struct builder *b;
	char text[16];

	*l = (struct loaded){ .err = ERR_OK };
	snprintf(text, sizeof text, "%u", threads);
	setenv("ASCOPE_THREADS", text, 1);
	trace_set_sizes(chunk, 0);
	names_init(&l->names);
	b = build_new(&l->names);
	l->err = trace_load(f, 0, &l->names, b, &l->account, &l->info, threads, NULL, &l->diag);
	trace_set_sizes(0, 0);
	if (l->err)
		build_free(b);
	else
		build_finish(b, &l->events, &l->account);
}

/* A file in memory that holds the text; closed with file_close(). */
static inline struct file text_file(struct str text)
{
	struct file f = { "text", memfd_create("trace", MFD_CLOEXEC), (int64_t)text.n };

	for (size_t done = 0; done < text.n;) {
		ssize_t n = write(f.fd, text.p + done, text.n - done);

		if (n <= 0)
			abort();
		done += (size_t)n;
	}
	return f;
}

static inline void loaded_text(struct loaded *l, struct str text, size_t chunk, unsigned threads)
{
	struct file f = text_file(text);

	loaded_from(l, &f, chunk, threads);
	file_close(&f);
}

static inline void loaded_done(struct loaded *l)
{
	events_done(&l->events);
	names_done(&l->names);
}

/* ---- the same? ----------------------------------------------------------------------------------------------------------------------- */

static inline bool bytes_same(const void *a, const void *b, size_t n)
{
	return n == 0 || memcmp(a, b, n) == 0;
}

static inline bool names_same(const struct names *a, const struct names *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (!str_is(names_str(a, i), names_str(b, i)))
			return false;
	return true;
}

static inline bool processes_same(const struct events *a, const struct events *b)
{
	if (a->nprocesses != b->nprocesses)
		return false;
	for (size_t i = 0; i < a->nprocesses; i++) {
		const struct process *p = &a->processes[i], *q = &b->processes[i];

		if (p->pid != q->pid || p->name != q->name || p->labels != q->labels || p->sort_index != q->sort_index
				|| p->device != q->device || p->layer != q->layer)
			return false;
	}
	return true;
}

static inline bool lanes_same(const struct events *a, const struct events *b)
{
	if (a->nlanes != b->nlanes)
		return false;
	for (size_t i = 0; i < a->nlanes; i++) {
		const struct lane *p = &a->lanes[i], *q = &b->lanes[i];

		if (p->process != q->process || p->tid != q->tid || p->name != q->name || p->sort_index != q->sort_index
				|| p->first != q->first || p->n != q->n)
			return false;
	}
	return true;
}

static inline bool columns_same(const struct events *a, const struct events *b)
{
	size_t n = a->n;

	return n == b->n && bytes_same(a->start, b->start, n * sizeof *a->start) && bytes_same(a->dur, b->dur, n * sizeof *a->dur)
		&& bytes_same(a->name, b->name, n * sizeof *a->name) && bytes_same(a->type, b->type, n * sizeof *a->type)
		&& bytes_same(a->connection, b->connection, n * sizeof *a->connection) && bytes_same(a->span, b->span, n * sizeof *a->span)
		&& bytes_same(a->span_len, b->span_len, n * sizeof *a->span_len) && bytes_same(a->flags, b->flags, n)
		&& a->first_start == b->first_start && a->last_end == b->last_end && a->noutliers == b->noutliers;
}

static inline bool counters_same(const struct events *a, const struct events *b)
{
	if (a->ncounters != b->ncounters || a->nsamples != b->nsamples)
		return false;
	for (size_t i = 0; i < a->ncounters; i++) {
		const struct counter *c = &a->counters[i], *d = &b->counters[i];

		if (c->process != d->process || c->name != d->name || c->series != d->series || c->first != d->first || c->n != d->n)
			return false;
	}
	return bytes_same(a->counter_time, b->counter_time, a->nsamples * sizeof *a->counter_time)
		&& bytes_same(a->counter_value, b->counter_value, a->nsamples * sizeof *a->counter_value);
}

static inline bool links_same(const struct events *a, const struct events *b)
{
	if (a->nlinks != b->nlinks || !bytes_same(a->links, b->links, a->nlinks * sizeof *a->links))
		return false;
	for (int k = 0; k < LINK_MAX; k++) {
		const struct link_count *c = &a->link_counts[k], *d = &b->link_counts[k];

		if (c->starts != d->starts || c->finishes != d->finishes || c->first != d->first || c->n != d->n
				|| c->unmatched != d->unmatched)
			return false;
	}
	return true;
}

static inline bool accounts_same(const struct account *a, const struct account *b)
{
	if (!bytes_same(a->by_phase, b->by_phase, sizeof a->by_phase) || a->kept != b->kept)
		return false;
	for (int i = 0; i < DROP_MAX; i++)
		if (a->dropped[i].count != b->dropped[i].count || (a->dropped[i].count && a->dropped[i].first_at != b->dropped[i].first_at))
			return false;
	return true;
}

static inline bool infos_same(const struct trace_info *a, const struct trace_info *b)
{
	if (a->is_object != b->is_object || a->unclosed != b->unclosed || a->text_times != b->text_times || a->early_end != b->early_end
			|| a->nissues != b->nissues)
		return false;
	for (size_t i = 0; i < MIN(a->nissues, (size_t)TRACE_ISSUES); i++)
		if (a->issues[i].at != b->issues[i].at || a->issues[i].length != b->issues[i].length
				|| a->issues[i].what != b->issues[i].what)
			return false;
	return true;
}

/* NULL when the two are the same, else a word for the first difference. */
static inline const char *loaded_differ(const struct loaded *a, const struct loaded *b)
{
	const struct {
		const char *what;
		bool same;
	} parts[] = {
		{ "error", a->err == b->err },
		{ "account", accounts_same(&a->account, &b->account) },
		{ "issues", a->err || infos_same(&a->info, &b->info) },
		{ "names", names_same(&a->names, &b->names) },
		{ "processes", processes_same(&a->events, &b->events) },
		{ "lanes", lanes_same(&a->events, &b->events) },
		{ "columns", columns_same(&a->events, &b->events) },
		{ "counters", counters_same(&a->events, &b->events) },
		{ "links", links_same(&a->events, &b->events) },
	};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (!parts[i].same)
			return parts[i].what;
	return NULL;
}

/* ---- what holds for every result ----------------------------------------------------------------------------------------------------- */

static inline bool lanes_sorted(const struct events *e)
{
	size_t at = 0;

	for (size_t l = 0; l < e->nlanes; l++) {
		if (e->lanes[l].first != at || e->lanes[l].process >= e->nprocesses)
			return false;
		at += e->lanes[l].n;
		for (size_t i = e->lanes[l].first + 1; i < at; i++)
			if (e->start[i - 1] > e->start[i] || (e->start[i - 1] == e->start[i] && e->dur[i - 1] < e->dur[i]))
				return false;
	}
	return at == e->n;
}

static inline bool events_in_range(const struct loaded *l, int64_t size)
{
	const struct events *e = &l->events;
	size_t outliers = 0;

	for (size_t i = 0; i < e->n; i++) {
		if (e->dur[i] < 0 || e->name[i] >= l->names.n || e->type[i] >= l->names.n || (int64_t)e->span[i] + e->span_len[i] > size)
			return false;
		if (e->start[i] < e->first_start)
			outliers++;
		else if (event_end(e, i) > e->last_end)
			return false;
	}
	if (outliers != e->noutliers)
		return false;
	for (size_t i = 0; i < e->nlinks; i++)
		if (e->links[i].from >= e->n || e->links[i].to >= e->n)
			return false;
	for (size_t c = 0; c < e->ncounters; c++)
		for (size_t i = e->counters[c].first + 1; i < e->counters[c].first + e->counters[c].n; i++)
			if (e->counter_time[i - 1] > e->counter_time[i])
				return false;
	return true;
}

/* NULL when a result is consistent in itself, else a word for what is wrong. size: bytes of the file. */
static inline const char *loaded_broken(const struct loaded *l, int64_t size)
{
	if (l->err)
		return l->account.kept || l->names.n != 1 || !l->diag.text[0] ? "an error left something behind" : NULL;
	if (l->account.kept + account_dropped(&l->account) != account_total(&l->account))
		return "kept and dropped are not all";
	if (!lanes_sorted(&l->events))
		return "order inside lanes";
	return events_in_range(l, size) ? NULL : "a value out of range";
}

/* Reads a text whole by one thread, and again in small chunks by several. NULL when all results are the same, and consistent. */
static inline const char *loaded_all_ways(struct loaded *l, struct str text)
{
	static const size_t chunks[] = { 1, 2, 7, 64, 1000 };
	const char *wrong;

	loaded_text(l, text, 0, 1);
	wrong = loaded_broken(l, (int64_t)text.n);
	for (size_t i = 0; i < ARRAY_LEN(chunks) && !wrong; i++) {
		struct loaded other;

		if (text.n > chunks[i] * 20000)
			continue;
		loaded_text(&other, text, chunks[i], 1 + (unsigned)i % 3);
		wrong = loaded_differ(l, &other);
		loaded_done(&other);
	}
	return wrong;
}

#endif
