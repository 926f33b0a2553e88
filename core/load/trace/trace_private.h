/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the trace reader share. */
#ifndef ASCOPE_CORE_LOAD_TRACE_TRACE_PRIVATE_H
#define ASCOPE_CORE_LOAD_TRACE_TRACE_PRIVATE_H

#include "core/base/index_map.h"
#include "core/load/trace/trace.h"
#include "core/load/trace/trace_event.h"

/* A growable list of ids. */
struct id_list {
	uint32_t *items;
	size_t n, cap;
};

enum meta_kind { META_PROCESS_NAME, META_PROCESS_LABELS, META_PROCESS_SORT, META_THREAD_NAME, META_THREAD_SORT, META_OTHER };

struct meta {
	enum meta_kind kind;
	uint32_t pid, tid, text;	/* name ids of the worker until merged */
	int64_t number;
	size_t lanes_before;		/* how many lanes its chunk had listed: processes appear in file order */
};

/* One run of events of the file and what came out of it. Ids are the worker's own until trace_merge(). */
struct chunk {
	int64_t begin, end;		/* where it was cut: it holds the events that begin in [begin, end) */
	int64_t first, next;		/* where its first event begins (-1: none was found), where the chunk after it has to begin */
	bool last;			/* the events end here: bracket or end of file */
	bool unclosed, early_end, text_times;
	unsigned worker;
	uint32_t stamp;			/* marks the names and lanes it has listed */
	struct raw_blocks raw;
	struct id_list names, lanes;	/* of the worker, each once, in order of first appearance */
	struct meta *metas;
	size_t nmetas, cap_metas;
	struct account account;
	struct trace_issue issues[TRACE_ISSUES];
	size_t nissues;
	enum err err;
	int sys;			/* errno of a failed read */
};

/* Lanes seen lately by the text of pid and tid: most events hit, and cost two short compares. */
struct lane_slot {
	uint32_t lane;			/* + 1; 0 empty */
	uint8_t npid, ntid;
	char text[50];
};

enum { LANE_SLOTS = 256 };

struct own_lane {
	uint32_t pid, tid;		/* the worker's name ids */
};

/* A thread's window on the file and its private tables. */
struct worker {
	const struct file *f;
	char *window;			/* bytes [base, base + len) of the file, padded */
	size_t cap, len;
	bool eof;			/* the window reaches the end of the file; its last byte is a blank that the file does not have */
	int64_t base;
	struct block_pool pool;
	struct names names;
	uint32_t *name_stamp;		/* by name id: the last chunk that listed it */
	size_t cap_name_stamp;
	uint32_t *name_to_global;
	size_t n_to_global;
	struct own_lane *lanes;
	size_t nlanes, cap_lanes;
	struct index_map lane_of_ids;
	uint32_t *lane_stamp, *lane_to_global, *process_to_global;
	size_t cap_lane_stamp;
	struct lane_slot slots[LANE_SLOTS];
	struct buf scratch;
	uint32_t next_stamp;
	uint64_t span_base;
};

void worker_init(struct worker *w, const struct file *f, uint64_t span_base);
void worker_done(struct worker *w);
void chunk_done(struct chunk *c);
void chunk_reset(struct chunk *c);	/* forgets the result, keeps begin and end */

/* trace_record.c: one event into the chunk's raw lists, counted in its account */
void chunk_record(struct worker *w, struct chunk *c, const struct trace_event *e, int64_t offset, uint32_t length);

/*
 * trace_chunk.c: scans c. first_at < 0: the beginning is guessed. is_object: a ']' ends the events for good.
 */
void chunk_scan(struct worker *w, struct chunk *c, int64_t first_at, bool is_object, struct progress *p);

/* Makes the window hold at least `want` bytes from offset `at` on (less only at the end of the file). False on a read error. */
bool window_at(struct worker *w, int64_t at, size_t want, int *sys);

/* trace_head.c: where the first element of the event array begins. */
enum err trace_head(struct worker *w, bool *is_object, int64_t *first, struct diag *d);

/* The longest event that is read, in bytes. */
size_t trace_event_max(void);

#endif
