/* SPDX-License-Identifier: Apache-2.0 */
/* Scans one chunk: event after event, and what to do where the text is not an event. */
#include "core/load/trace/trace_private.h"

#include "core/base/mem.h"
#include "core/load/trace/json_scan.h"

#include <errno.h>
#include <stdlib.h>

enum {
	LOOK_AHEAD = 64 * 1024,		/* bytes after a chunk, so that its last event is nearly always whole at once */
	FIND_STEP = 1 << 20,		/* window of a search for the next event */
	FIND_OVERLAP = 4096,		/* the beginning of an event fits in */
};

void worker_init(struct worker *w, const struct file *f, uint64_t span_base)
{
	*w = (struct worker){ .f = f, .span_base = span_base };
	names_init(&w->names);
}

void worker_done(struct worker *w)
{
	names_done(&w->names);
	index_map_done(&w->lane_of_ids);
	buf_done(&w->scratch);
	block_pool_done(&w->pool);
	scratch_free(w->window, w->cap, 1);
	free(w->name_stamp);
	free(w->name_to_global);
	free(w->lanes);
	free(w->lane_stamp);
	free(w->lane_to_global);
	free(w->process_to_global);
}

void chunk_done(struct chunk *c)
{
	raw_blocks_free(&c->raw);
	free(c->names.items);
	free(c->lanes.items);
	free(c->metas);
}

void chunk_reset(struct chunk *c)
{
	struct chunk fresh = { .begin = c->begin, .end = c->end, .first = -1 };

	chunk_done(c);
	*c = fresh;
}

/* ---- the window ---------------------------------------------------------------------------------------------------------------------- */

bool window_at(struct worker *w, int64_t at, size_t want, int *sys)
{
	int64_t base = MAX(0, at - TRACE_LOOK_BACK), got;
	size_t size = MAX(want, (size_t)LOOK_AHEAD) + TRACE_LOOK_BACK;	/* never a few bytes: what follows is asked for next */

	if (w->window && base >= w->base && (w->eof || at + (int64_t)want <= w->base + (int64_t)w->len))
		return true;
	if (w->cap < size + JSON_PAD + 1) {
		scratch_free(w->window, w->cap, 1);
		w->cap = size + JSON_PAD + 1;
		w->window = scratch_alloc(w->cap, 1);
	}
	got = file_read_at(w->f, base, w->window, size);
	if (got < 0) {
		*sys = errno;
		w->len = 0;
		return false;
	}
	w->base = base;
	w->len = (size_t)got;
	w->eof = w->len < size || base + got >= w->f->size;
	if (w->eof)			/* so that an event that ends with the file's last byte ends before the window does */
		w->window[w->len++] = '\n';
	json_pad(w->window + w->len);
	return true;
}

static const char *window_ptr(const struct worker *w, int64_t at)
{
	return w->window + (at - w->base);
}

static const char *window_end(const struct worker *w)
{
	return w->window + w->len;
}

static int64_t window_offset(const struct worker *w, const char *p)
{
	return w->base + (p - w->window);
}

/* ---- between events ------------------------------------------------------------------------------------------------------------------ */

/* Where the scan of a chunk stands. A failed read is told by chunk.err, and ends the scan like the end of the file. */
struct scan {
	struct worker *w;
	struct chunk *c;
	int64_t at;			/* the next byte to look at */
	ptrdiff_t event_max;
	bool is_object;
};

static bool scan_window(struct scan *s, size_t want)
{
	if (window_at(s->w, s->at, want, &s->c->sys))
		return true;
	s->c->err = ERR_UNREADABLE;
	return false;
}

/* Moves over blanks to the next byte that is none. False at the end of the file. */
static bool scan_blank(struct scan *s)
{
	while (scan_window(s, 1)) {
		const char *p = json_blank(window_ptr(s->w, s->at));

		s->at = window_offset(s->w, p);
		if (p < window_end(s->w))
			return true;
		if (s->w->eof)
			return false;
	}
	return false;
}

static void scan_issue(struct scan *s, int64_t at, enum drop what)
{
	struct chunk *c = s->c;

	if (c->nissues < TRACE_ISSUES)
		c->issues[c->nissues] = (struct trace_issue){ at, s->at - at, what };
	c->nissues++;
	if (s->at == at)		/* a missing comma: nothing is lost */
		return;
	c->account.by_phase[0]++;
	account_drop(&c->account, what, at);
}

/*
 * Looks for the next event from s->at on; leaves s->at there, or at the end of the file and returns false. Stops looking at `limit`. The
 * window is used up before another is read: in a file full of damage every search is a short one.
 */
static bool scan_find(struct scan *s, int64_t limit)
{
	for (size_t want = 1; s->at < limit && scan_window(s, want); want = FIND_STEP) {
		const char *end = window_end(s->w);
		const char *found = trace_event_find(s->w->window, window_ptr(s->w, s->at), end);

		if (found) {
			s->at = window_offset(s->w, found);
			return true;
		}
		if (s->w->eof)
			break;
		s->at = MAX(s->at, window_offset(s->w, end) - FIND_OVERLAP);
	}
	s->at = MAX(s->at, s->w->f->size);
	return false;
}

/* Whether the file, whose end is in the window, ends like an array that was closed. */
static bool ends_closed(const struct scan *s)
{
	const char *p = window_end(s->w);

	while (p > s->w->window && (unsigned char)p[-1] <= ' ')
		p--;
	return p > s->w->window && (p[-1] == ']' || (s->is_object && p[-1] == '}'));
}

/*
 * What stands at `from` is no event, or follows one without a comma: goes on at the next event from s->at on, and notes the damage.
 * `at_end`: the text only stops, at the end of the file.
 */
static void scan_recover(struct scan *s, int64_t from, enum drop what, bool at_end)
{
	bool found = scan_find(s, INT64_MAX);

	if (!found) {
		s->c->last = true;
		s->c->unclosed = at_end || !ends_closed(s);
	}
	scan_issue(s, from, found || !at_end ? what : DROP_TRUNCATED);
}

/* The closing bracket was read. In a bare array nothing may follow; when events do, someone wrote twice: they are read too. */
static void scan_close(struct scan *s)
{
	int64_t from = s->at;

	s->c->last = true;
	if (s->is_object || !scan_blank(s))
		return;
	if (scan_find(s, INT64_MAX)) {
		s->c->early_end = true;
		s->c->last = false;
	} else {
		scan_issue(s, from, DROP_DAMAGED);
	}
}

/* At the beginning of the array or after a comma: over blanks to the next element, or ends the chunk. */
static void scan_element(struct scan *s)
{
	if (!scan_blank(s)) {
		s->c->last = s->c->unclosed = true;
	} else if (*window_ptr(s->w, s->at) == ']') {
		s->at++;
		scan_close(s);
	}
}

/* After an event: over the comma. Leaves s->at at the next element, or ends the chunk. */
static void scan_separator(struct scan *s)
{
	char c = scan_blank(s) ? *window_ptr(s->w, s->at) : ']';

	if (c == ',')
		s->at++;
	if (c == ',' || c == ']')
		scan_element(s);
	else
		scan_recover(s, s->at, DROP_DAMAGED, false);
}

/* ---- events -------------------------------------------------------------------------------------------------------------------------- */

/* Reads the element at s->at and steps to the next. */
static void scan_event(struct scan *s)
{
	struct trace_event e;
	size_t want = 1;

	while (scan_window(s, want)) {
		const char *p = window_ptr(s->w, s->at), *end = window_end(s->w), *after;
		bool too_long;

		after = *p == '{' ? trace_event_read(p, end, &e) : NULL;
		if (LIKELY(after && after < end && after - p <= s->event_max)) {
			chunk_record(s->w, s->c, &e, s->at, (uint32_t)(after - p));
			s->at += after - p;
			scan_separator(s);
			return;
		}
		too_long = after && MIN(after, end) - p > s->event_max;
		if (!after || s->w->eof || too_long) {
			s->at++;
			scan_recover(s, s->at - 1, too_long ? DROP_TOO_LONG : DROP_DAMAGED, after && !too_long);
			return;
		}
		want = (size_t)(end - p) * 2;
	}
}

void chunk_scan(struct worker *w, struct chunk *c, int64_t first_at, bool is_object, struct progress *p)
{
	struct scan s = { .w = w, .c = c, .at = first_at < 0 ? c->begin : first_at, .event_max = (ptrdiff_t)trace_event_max(),
		.is_object = is_object };

	c->stamp = ++w->next_stamp;
	c->first = -1;
	if (progress_cancelled(p)) {
		c->err = ERR_CANCELLED;
		return;
	}
	if (!scan_window(&s, (size_t)(c->end - c->begin) + LOOK_AHEAD))
		return;
	if (first_at < 0 && (!scan_find(&s, c->end) || s.at >= c->end))
		return;
	c->first = s.at;
	if (first_at >= 0)
		scan_element(&s);
	while (s.at < c->end && !c->last && !c->err)
		scan_event(&s);
	c->next = s.at;
	progress_add(p, c->end - c->begin, (int64_t)account_total(&c->account));
}
