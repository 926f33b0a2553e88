/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace event JSON (trace_view.json, msprof_*.json and relatives) into a builder: the reader the program exists for. Files are cut into
 * chunks that are scanned side by side; the result does not depend on the number of threads.
 *
 * A chunk's beginning is guessed from the text and verified afterwards against where the chunk before it really ended; a wrong guess is
 * scanned again from the right place. Damage costs the events it touches, no more, and is listed with its place.
 */
#ifndef ASCOPE_CORE_LOAD_TRACE_TRACE_H
#define ASCOPE_CORE_LOAD_TRACE_TRACE_H

#include "core/base/diag.h"
#include "core/base/file.h"
#include "core/base/progress.h"
#include "core/model/build.h"

enum { TRACE_ISSUES = 16 };

struct trace_issue {
	int64_t at, length;		/* bytes; length 0: a comma is missing, nothing is lost */
	enum drop what;
};

struct trace_info {
	bool is_object;			/* {"traceEvents": [...]}; else a bare array */
	bool unclosed;			/* the array has no closing bracket: the writer was interrupted */
	bool text_times;		/* time stamps are strings (exact); else numbers */
	bool early_end;			/* events follow after the closing bracket (two writers, or two files in one) */
	size_t nissues;			/* all; the first TRACE_ISSUES are listed */
	struct trace_issue issues[TRACE_ISSUES];
};

/*
 * Reads one file. Spans of its events are span_base + offset in the file. Names go to `names` in order of first appearance, everything
 * else to b. threads 0 means par_threads(). Errors: ERR_FORMAT when the file is no trace (nothing was added to b then), ERR_UNREADABLE,
 * ERR_CANCELLED.
 */
enum err trace_load(const struct file *f, uint64_t span_base, struct names *names, struct builder *b, struct account *account,
		struct trace_info *info, unsigned threads, struct progress *p, struct diag *d);

/* True when the first bytes of a file look like a trace: an array or object that leads to an event. */
bool trace_sniff(const struct file *f);

/* Sizes for tests: how many bytes a chunk has, how long one event may be. Zero restores the default. Not for use while loading. */
void trace_set_sizes(size_t chunk, size_t event_max);

#endif
