/* SPDX-License-Identifier: Apache-2.0 */
/* One trace event, found in its JSON text: where its members stand, nothing decoded. */
#ifndef ASCOPE_CORE_LOAD_TRACE_TRACE_EVENT_H
#define ASCOPE_CORE_LOAD_TRACE_TRACE_EVENT_H

#include "core/base/str.h"

enum { TRACE_LOOK_BACK = 64 };		/* bytes before a place that tell whether an event can begin there */

/* A member's value: for a string the text between the quotes, escapes as they stand; else the JSON text. n = 0 and p = NULL: absent. */
struct member {
	const char *p;
	uint32_t n;
	bool is_string, escaped;
};

struct trace_event {
	struct member ph, name, pid, tid, ts, dur, cat, id, args;
	struct member task_type, direction, connection;	/* of the args: task type, memcpy direction or operation, connection_id */
};

/*
 * Reads the event at p (its '{'). Returns the position after its '}', or NULL when it is not valid JSON. A result >= end means that the
 * event goes on after the buffer. The buffer must be padded (json_scan.h).
 */
const char *trace_event_read(const char *p, const char *end, struct trace_event *e);

/* Members of an args object one by one: p is its '{' the first time, then what the last call returned; NULL after the last or at damage. */
const char *trace_arg_next(const char *p, const char *end, struct str *key, struct member *value);

/*
 * The next place at or after p that looks like the beginning of an event: '{', a quoted key that events have, ':', and not the value of
 * another key. NULL when there is none before end. `begin` bounds the look back, TRACE_LOOK_BACK bytes at most.
 */
const char *trace_event_find(const char *begin, const char *p, const char *end);

#endif
