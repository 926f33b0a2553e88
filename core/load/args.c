/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/args.h"

#include "core/base/mem.h"
#include "core/load/db/db_load.h"
#include "core/load/trace/json_scan.h"
#include "core/load/trace/trace_event.h"
#include "core/load/tree/tree.h"

#include <stdlib.h>

/* Text between quotes decoded, other values as they stand. */
static struct str decoded(struct str raw, bool escaped, struct buf *scratch)
{
	if (!escaped)
		return raw;
	scratch->n = 0;
	json_unescape(raw, scratch);
	return (struct str){ scratch->p ? scratch->p : "", scratch->n };
}

enum err args_of_json(struct str event, struct args *out, struct diag *d)
{
	char *text = mem_alloc(event.n + JSON_PAD + 1, 1), *end = text + event.n;
	struct buf key_text = { 0 }, value_text = { 0 };
	struct trace_event e;
	struct member value;
	struct str key;
	enum err err = ERR_OK;

	*out = (struct args){ 0 };
	memcpy(text, event.p, event.n);
	*end++ = '\n';			/* an event that ends with the text ends before the buffer does */
	json_pad(end);
	if (*text != '{' || !trace_event_read(text, end, &e)) {
		err = diag_set(d, ERR_FORMAT, NULL, -1, -1, "is no trace event");
	} else if (e.args.n && *e.args.p == '{') {
		for (const char *p = e.args.p; (p = trace_arg_next(p, end, &key, &value));)
			args_add(out, decoded(key, memchr(key.p, '\\', key.n) != NULL, &key_text),
				decoded((struct str){ value.p, value.n }, value.escaped, &value_text));
	}
	buf_done(&key_text);
	buf_done(&value_text);
	free(text);
	return err;
}

static enum err text_args(const struct span_sources *s, const struct span_source *from, uint64_t at, size_t n, struct args *out, struct diag *d)
{
	struct file f;
	enum err err = tree_file(s->tree, from->entry, &f, d);
	char *text;

	if (err)
		return err;
	text = mem_alloc(n + 1, 1);
	if (file_read_at(&f, (int64_t)at, text, n) != (int64_t)n)
		err = diag_set(d, ERR_UNREADABLE, f.path, (int64_t)at, -1, "is shorter than when it was loaded");
	else
		err = args_of_json((struct str){ text, n }, out, d);
	if (err == ERR_FORMAT)
		diag_set(d, ERR_UNREADABLE, f.path, (int64_t)at, -1, "has changed since it was loaded");
	file_close(&f);
	free(text);
	return err;
}

enum err args_of_event(const struct rank *r, size_t i, struct args *out, struct diag *d)
{
	const struct span_sources *s = r->sources;
	uint64_t span;

	if (!s || !r->events.span_len[i])
		return ERR_OK;
	span = r->events.span[i];
	for (size_t k = 0; k < s->n; k++) {
		const struct span_source *from = &s->list[k];

		if (span < from->base || span - from->base >= from->size)
			continue;
		if (from->is_db)
			return db_event_args(s->tree->entries[from->entry].real, span - from->base, out, d);
		return text_args(s, from, span - from->base, r->events.span_len[i], out, d);
	}
	return ERR_OK;
}
