/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of one rank as columns: who (lane), when (start, duration in int64 ns), what (name and type ids), where to read the rest (span).
 * Every lane is a contiguous run of events sorted by start, longer first, then file order. Filled once by a reader through the builder in
 * core/model/build.h, immutable afterwards. Freed by events_done().
 */
#ifndef ASCOPE_CORE_MODEL_EVENTS_H
#define ASCOPE_CORE_MODEL_EVENTS_H

#include "core/base/names.h"

/* Layers are told by process name, never by pid. LAYER(id, "name for people", "process names, '|' between, '*' and '#' as in str_like") */
enum layer {
#define LAYER(id, title, names) LAYER_##id,
#include "core/model/layer.def"
#undef LAYER
	LAYER_MAX
};

const char *layer_title(enum layer l);
enum layer  layer_of_process(struct str process_name);

struct process {
	uint32_t pid;			/* text of the pid as the file writes it */
	uint32_t name, labels;		/* 0 when the file gives none */
	int64_t sort_index;
	int device;			/* -1 when not told */
	enum layer layer;
};

struct lane {
	uint32_t process;		/* index into events.processes */
	uint32_t tid;			/* text of the tid as the file writes it */
	uint32_t name;			/* thread name, 0 when the file gives none */
	int64_t sort_index;
	size_t first, n;		/* its events: first .. first + n - 1 */
};

/* event flags */
enum {
	EV_INSTANT = 1,			/* a moment (phase i), duration 0 */
	EV_PAIR = 2,			/* from a B and an E event; the span is that of the B */
	EV_NO_DURATION = 4,		/* the file gives no duration: 0 */
	EV_NEGATIVE = 8,		/* the file gives a negative duration: counted as 0 */
};

/* One series of a counter: one (process, name, key) of phase C, sorted by time. */
struct counter {
	uint32_t process, name, series;
	size_t first, n;		/* its samples in counter_time/counter_value */
};

/* Link kinds: LINK(id, "flow category", "what it joins") */
enum link_kind {
#define LINK(id, category, text) LINK_##id,
#include "core/model/link.def"
#undef LINK
	LINK_MAX
};

enum link_kind link_kind_of(struct str category);
const char    *link_title(enum link_kind k);

/* From the event that launches to the event it launched, both as indexes into the event columns. Sorted by (kind, to, from). */
struct link {
	uint32_t from, to;
};

struct link_count {
	size_t starts, finishes;	/* flow events in the file (or connections in the database) */
	size_t first, n;		/* resolved links of this kind: a run in events.links */
	size_t unmatched;		/* starts or finishes whose other end or whose event is not in the capture */
};

struct events {
	struct process *processes;
	size_t nprocesses;
	struct lane *lanes;		/* sorted by layer, device, process sort index, thread sort index, order of appearance */
	size_t nlanes;

	size_t n;			/* duration and instant events */
	int64_t *start, *dur;		/* ns since the epoch; ns, never negative */
	uint32_t *name, *type;		/* type: of a hardware task its task type, of a copy between host and device the direction; else the category */
	uint64_t *connection;		/* connection id that joins host and device, NO_CONNECTION when none */
	uint64_t *span;			/* where the event stands: see core/model/args.h */
	uint32_t *span_len;		/* bytes there; 0 when it cannot be read again */
	uint8_t *flags;

	struct counter *counters;
	size_t ncounters, nsamples;
	int64_t *counter_time;		/* ns */
	double *counter_value;		/* unit as in the file */

	struct link *links;
	size_t nlinks;
	struct link_count link_counts[LINK_MAX];

	/* Over all events but the outliers; NO_TIME when there are none. */
	int64_t first_start, last_end;
	size_t noutliers;		/* events of a capture of our time that claim the first day of 1970: kept, but they stretch no axis */
};

#define NO_CONNECTION UINT64_MAX

void events_done(struct events *e);

/* The lane that holds event i: O(log lanes). */
const struct lane *events_lane(const struct events *e, size_t i);

static inline int64_t event_end(const struct events *e, size_t i)
{
	return e->start[i] + e->dur[i];
}

#endif
