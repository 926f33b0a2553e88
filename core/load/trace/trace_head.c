/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of a trace file: a bare array, or an object whose traceEvents may come after other members. */
#include "core/load/trace/trace_private.h"

#include "core/load/trace/json_scan.h"

#include <string.h>

enum { HEAD_BYTES = 64 * 1024 };

static enum err head_bad(const struct worker *w, const char *p, struct diag *d, const char *text)
{
	return diag_set(d, ERR_FORMAT, w->f->path, w->base + (p - w->window), -1, "%s", text);
}

/* Files that people put there by mistake, told by their first bytes. */
static const char *head_known(const char *p, size_t n)
{
	static const struct {
		const char *magic;
		size_t n;
		const char *text;
	} kinds[] = {
		{ "\x1f\x8b", 2, "is compressed (gzip): open it under a name that ends in .gz, or unpack it" },
		{ "PK\x03\x04", 4, "is a zip archive: open it under a name that ends in .zip" },
		{ "\xff\xfe", 2, "is UTF-16: convert it to UTF-8" },
		{ "\xfe\xff", 2, "is UTF-16: convert it to UTF-8" },
		{ "SQLite format 3", 15, "is a database: give it a name that ends in .db" },
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (n >= kinds[i].n && memcmp(p, kinds[i].magic, kinds[i].n) == 0)
			return kinds[i].text;
	return NULL;
}

/*
 * Walks the members of the outer object to traceEvents. The window starts at 0 and grows with a member that does not fit. Returns the
 * array's '[', NULL with *more set when the window is too small, NULL when there is none.
 */
static const char *find_event_array(const char *p, const char *end, bool *more)
{
	*more = false;
	p = json_blank(p + 1);
	while (p < end && *p == '"') {
		bool escaped = false, is_events;
		const char *key = p + 1;

		p = json_string_end(key, end, &escaped);
		is_events = p - key == 11 && memcmp(key, "traceEvents", 11) == 0;
		p = p < end ? json_blank(p + 1) : end;
		if (p < end && *p != ':')
			return NULL;
		p = p < end ? json_blank(p + 1) : end;
		if (p < end && is_events && *p == '[')
			return p;
		if (p < end && !(p = json_skip(p, end)))
			return NULL;
		p = p < end ? json_blank(p) : end;
		if (p < end && *p == ',')
			p = json_blank(p + 1);
	}
	*more = p >= end;
	return NULL;
}

enum err trace_head(struct worker *w, bool *is_object, int64_t *first, struct diag *d)
{
	size_t want = HEAD_BYTES;
	const char *p, *end, *array;
	bool more;
	int sys;

	for (;; want *= 4) {
		if (!window_at(w, 0, want, &sys))
			return diag_set(d, ERR_UNREADABLE, w->f->path, 0, -1, "cannot be read: %s", strerror(sys));
		p = w->window;
		end = w->window + w->len;
		if (head_known(p, w->len))
			return head_bad(w, p, d, head_known(p, w->len));
		if (w->len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
			p += 3;
		p = json_blank(p);
		if (p >= end)
			return head_bad(w, w->window, d, w->f->size ? "holds only blanks" : "is empty: the export was interrupted, export it again");
		*is_object = *p == '{';
		array = *p == '[' ? p : *is_object ? find_event_array(p, end, &more) : NULL;
		if (array)
			break;
		if (*is_object && more && !w->eof && want <= trace_event_max())
			continue;
		return head_bad(w, p, d, *is_object ? "is a JSON object without a traceEvents array: no trace"
			: "does not begin with '[' or '{': no trace event JSON");
	}
	*first = array + 1 - w->window;
	return ERR_OK;
}
