/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a trace file into chunks, scans them side by side, verifies the cuts, and merges the results in file order. */
#include "core/load/trace/trace_private.h"

#include "core/base/mem.h"
#include "core/base/par.h"
#include "core/load/trace/json_scan.h"

#include <stdlib.h>

enum { CHUNK_BYTES = 4 << 20, EVENT_BYTES_MAX = 64 << 20 };

static size_t chunk_bytes = CHUNK_BYTES, event_bytes_max = EVENT_BYTES_MAX;

void trace_set_sizes(size_t chunk, size_t event_max)
{
	chunk_bytes = chunk ? chunk : CHUNK_BYTES;
	event_bytes_max = event_max ? event_max : EVENT_BYTES_MAX;
}

size_t trace_event_max(void)
{
	return event_bytes_max;
}

struct job {
	const struct file *f;
	struct worker *workers;
	struct chunk *chunks;
	size_t nchunks;
	int64_t first;			/* of the first element */
	bool is_object;
	struct progress *progress;
};

static void scan_item(void *arg, unsigned worker, size_t item)
{
	struct job *job = arg;
	struct chunk *c = &job->chunks[item];

	c->worker = worker;
	chunk_scan(&job->workers[worker], c, item == 0 ? job->first : -1, job->is_object, job->progress);
}

static void cut_chunks(struct job *job)
{
	int64_t size = (int64_t)chunk_bytes, span = MAX(0, job->f->size - job->first);

	job->nchunks = (size_t)(span / size + 1);
	job->chunks = mem_zalloc(job->nchunks, sizeof *job->chunks);
	for (size_t i = 0; i < job->nchunks; i++) {
		job->chunks[i].begin = job->first + (int64_t)i * size;
		job->chunks[i].end = MIN(job->chunks[i].begin + size, job->f->size + 1);
	}
}

/*
 * Follows the true chain of events through the chunks: one whose guess was wrong is scanned again from where the one before it ended; what
 * lies after the end of the events is forgotten.
 */
static enum err verify_chunks(struct job *job, struct diag *d)
{
	int64_t at = job->first;
	bool ended = false;

	for (size_t i = 0; i < job->nchunks; i++) {
		struct chunk *c = &job->chunks[i];

		if (ended || at >= c->end) {
			chunk_reset(c);
			continue;
		}
		if (!c->err && c->first != at) {
			chunk_reset(c);
			chunk_scan(&job->workers[0], c, at, job->is_object, NULL);
		}
		if (c->err == ERR_CANCELLED || progress_cancelled(job->progress))
			return diag_set(d, ERR_CANCELLED, job->f->path, -1, -1, "cancelled");
		if (c->err)
			return diag_set(d, c->err, job->f->path, c->begin, -1, "cannot be read: %s", strerror(c->sys));
		at = c->next;
		ended = c->last;
	}
	return ERR_OK;
}

/* ---- merging ------------------------------------------------------------------------------------------------------------------------- */

static void worker_prepare_merge(struct worker *w)
{
	w->name_to_global = mem_zalloc(w->names.n, sizeof *w->name_to_global);
	w->lane_to_global = mem_alloc(w->nlanes, sizeof *w->lane_to_global);
	w->process_to_global = mem_alloc(w->nlanes, sizeof *w->process_to_global);
}

static void merge_meta(const struct worker *w, const struct meta *m, struct builder *b)
{
	uint32_t pid = w->name_to_global[m->pid], tid = w->name_to_global[m->tid], text = w->name_to_global[m->text];

	switch (m->kind) {
	case META_PROCESS_NAME:
		build_process_name(b, pid, text);
		break;
	case META_PROCESS_LABELS:
		build_process_labels(b, pid, text);
		break;
	case META_PROCESS_SORT:
		build_process_sort(b, pid, m->number);
		break;
	case META_THREAD_NAME:
		build_lane_name(b, pid, tid, text);
		break;
	case META_THREAD_SORT:
		build_lane_sort(b, pid, tid, m->number);
		break;
	default:
		break;
	}
}

static void merge_issues(const struct chunk *c, struct trace_info *info)
{
	for (size_t i = 0; i < MIN(c->nissues, (size_t)TRACE_ISSUES) && info->nissues + i < TRACE_ISSUES; i++)
		info->issues[info->nissues + i] = c->issues[i];
	info->nissues += c->nissues;
	info->unclosed |= c->unclosed;
	info->early_end |= c->early_end;
	info->text_times |= c->text_times;
}

/* Names, lanes and processes get their common ids in file order: the same for any number of workers and any size of chunks. */
static void merge_tables(struct worker *w, const struct chunk *c, struct names *names, struct builder *b)
{
	size_t meta = 0;

	for (size_t i = 0; i < c->names.n; i++) {
		uint32_t own = c->names.items[i];

		if (own && !w->name_to_global[own])
			w->name_to_global[own] = names_add_hashed(names, names_str(&w->names, own), w->names.hash_by_id[own]);
	}
	for (size_t i = 0; i < c->lanes.n; i++) {
		uint32_t own = c->lanes.items[i];
		uint32_t pid = w->name_to_global[w->lanes[own].pid], tid = w->name_to_global[w->lanes[own].tid];

		for (; meta < c->nmetas && c->metas[meta].lanes_before <= i; meta++)
			merge_meta(w, &c->metas[meta], b);
		w->lane_to_global[own] = build_lane(b, pid, tid);
		w->process_to_global[own] = build_process(b, pid);
	}
	for (; meta < c->nmetas; meta++)
		merge_meta(w, &c->metas[meta], b);
}

static void renumber_events(const struct worker *w, struct blocks *list)
{
	for (struct block *bl = list->first; bl; bl = bl->next) {
		struct raw_event *e = (void *)bl->items;

		for (size_t i = 0; i < bl->n; i++, e++) {
			e->lane = w->lane_to_global[e->lane];
			e->name = w->name_to_global[e->name];
			e->type = w->name_to_global[e->type];
		}
	}
}

static void renumber_flows(const struct worker *w, struct blocks *list)
{
	for (struct block *bl = list->first; bl; bl = bl->next) {
		struct raw_flow *f = (void *)bl->items;

		for (size_t i = 0; i < bl->n; i++, f++) {
			f->lane = w->lane_to_global[f->lane];
			f->category = w->name_to_global[f->category];
			if (f->id_is_text)
				f->id = w->name_to_global[f->id];
		}
	}
}

static void renumber_samples(const struct worker *w, struct blocks *list)
{
	for (struct block *bl = list->first; bl; bl = bl->next) {
		struct raw_sample *s = (void *)bl->items;

		for (size_t i = 0; i < bl->n; i++, s++) {
			s->process = w->process_to_global[s->process];
			s->name = w->name_to_global[s->name];
			s->series = w->name_to_global[s->series];
		}
	}
}

static void renumber_item(void *arg, unsigned worker, size_t item)
{
	struct job *job = arg;
	struct chunk *c = &job->chunks[item];
	const struct worker *w = &job->workers[c->worker];

	(void)worker;
	renumber_events(w, &c->raw.events);
	renumber_events(w, &c->raw.pairs);
	renumber_flows(w, &c->raw.flows);
	renumber_samples(w, &c->raw.samples);
}

static void merge_chunks(struct job *job, unsigned threads, struct names *names, struct builder *b, struct account *account,
		struct trace_info *info)
{
	for (unsigned i = 0; i < threads; i++)
		worker_prepare_merge(&job->workers[i]);
	for (size_t i = 0; i < job->nchunks; i++) {
		struct chunk *c = &job->chunks[i];

		merge_tables(&job->workers[c->worker], c, names, b);
		merge_issues(c, info);
		account_add(account, &c->account);
	}
	par_for(threads, job->nchunks, renumber_item, job);
	for (size_t i = 0; i < job->nchunks; i++)
		build_adopt(b, &job->chunks[i].raw);
}

/* An array whose elements are anything but trace events is some other JSON file; one that only opens holds nothing. */
static enum err check_events(const struct job *job, struct diag *d)
{
	struct account sum = { 0 };
	bool unclosed = false;
	size_t broken;

	for (size_t i = 0; i < job->nchunks; i++) {
		account_add(&sum, &job->chunks[i].account);
		unclosed |= job->chunks[i].unclosed;
	}
	if (account_total(&sum) >= UINT32_MAX)
		return diag_set(d, ERR_LIMIT, job->f->path, -1, -1, "holds %zu events; events of a rank are numbered up to %u",
			account_total(&sum), UINT32_MAX - 1);
	if (account_total(&sum) > sum.by_phase[0] || (!account_total(&sum) && !unclosed))
		return ERR_OK;
	broken = sum.dropped[DROP_DAMAGED].count + sum.dropped[DROP_TRUNCATED].count;
	if (broken)
		return diag_set(d, ERR_FORMAT, job->f->path, job->first, -1, "no event in it is whole, %zu damaged place%s: if two programs wrote it"
			" at once, export it again", broken, broken == 1 ? "" : "s");
	return diag_set(d, ERR_FORMAT, job->f->path, job->first, -1, "%s", account_total(&sum)
		? "no element of its array is a trace event (none has a phase \"ph\")"
		: "ends before the first event: the export was interrupted, export it again");
}

enum err trace_load(const struct file *f, uint64_t span_base, struct names *names, struct builder *b, struct account *account,
		struct trace_info *info, unsigned threads, struct progress *p, struct diag *d)
{
	struct job job = { .f = f, .progress = p };
	enum err err;

	*info = (struct trace_info){ 0 };
	threads = threads ? threads : par_threads();
	job.workers = mem_zalloc(threads, sizeof *job.workers);
	for (unsigned i = 0; i < threads; i++)
		worker_init(&job.workers[i], f, span_base);
	err = trace_head(&job.workers[0], &info->is_object, &job.first, d);
	if (!err) {
		job.is_object = info->is_object;
		cut_chunks(&job);
		par_for(threads, job.nchunks, scan_item, &job);
		err = verify_chunks(&job, d);
	}
	if (!err)
		err = check_events(&job, d);
	if (!err)
		merge_chunks(&job, threads, names, b, account, info);
	for (size_t i = 0; i < job.nchunks; i++)
		chunk_done(&job.chunks[i]);
	for (unsigned i = 0; i < threads; i++)
		worker_done(&job.workers[i]);
	free(job.chunks);
	free(job.workers);
	return err;
}

bool trace_sniff(const struct file *f)
{
	struct worker w;
	struct diag d;
	int64_t first;
	bool is_object, is_trace = false;
	int sys;

	worker_init(&w, f, 0);
	if (!trace_head(&w, &is_object, &first, &d) && window_at(&w, first, 64 * 1024, &sys)) {
		const char *p = json_blank(w.window + (first - w.base)), *end = w.window + w.len;

		is_trace = p < end && trace_event_find(w.window, p, end) == p;
	}
	worker_done(&w);
	return is_trace;
}
