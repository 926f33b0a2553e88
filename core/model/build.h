/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a reader hands events over. One builder takes all sources of one rank; build_finish() sorts every lane, pairs B with E, resolves
 * flows to links and fills struct events.
 *
 *	struct builder *b = build_new(&names);
 *	uint32_t lane = build_lane(b, pid, tid);
 *	build_process_name(b, pid, name); ...
 *	build_event(b, &(struct raw_event){ ... });
 *	build_finish(b, &events, &account);	(frees b)
 *
 * Events may be handed over in any order; ties are kept in order of arrival.
 */
#ifndef ASCOPE_CORE_MODEL_BUILD_H
#define ASCOPE_CORE_MODEL_BUILD_H

#include "core/model/account.h"
#include "core/model/blocks.h"
#include "core/model/events.h"

struct builder;

struct raw_event {
	int64_t start, dur;		/* ns */
	uint64_t span, connection;	/* connection: NO_CONNECTION when none */
	uint32_t span_len, lane, name, type;
	uint8_t flags;			/* EV_* */
	char phase;			/* 'X', 'B', 'E' or 'i' */
};

struct raw_flow {
	int64_t time;			/* ns */
	uint64_t id;			/* the id itself when it is a decimal below 2^64, else the name id of its text with id_is_text set */
	uint32_t lane, category;
	bool id_is_text;
	char phase;			/* 's', 't' or 'f' */
};

struct raw_sample {
	int64_t time;
	double value;
	uint32_t process, name, series;	/* process: as build_process() gives it */
};

struct builder *build_new(struct names *names);
void            build_free(struct builder *b);		/* gives up without a result */

/* Lanes and processes by the text of pid and tid; made at first sight. pid and tid are name ids. */
uint32_t build_process(struct builder *b, uint32_t pid);
uint32_t build_lane(struct builder *b, uint32_t pid, uint32_t tid);
void     build_process_name(struct builder *b, uint32_t pid, uint32_t name);
void     build_process_labels(struct builder *b, uint32_t pid, uint32_t labels);	/* a number at the end is the device */
void     build_process_device(struct builder *b, uint32_t pid, int device);
void     build_process_sort(struct builder *b, uint32_t pid, int64_t sort_index);
void     build_lane_name(struct builder *b, uint32_t pid, uint32_t tid, uint32_t name);
void     build_lane_sort(struct builder *b, uint32_t pid, uint32_t tid, int64_t sort_index);

void build_event(struct builder *b, const struct raw_event *e);
void build_flow(struct builder *b, const struct raw_flow *f);
void build_sample(struct builder *b, const struct raw_sample *s);

/*
 * Takes over whole lists of raw records (each list is empty afterwards), for readers that collect on several threads: struct raw_event of
 * phases X and i, the same of phases B and E, struct raw_flow, struct raw_sample. Lanes, processes and names are the builder's.
 */
struct raw_blocks {
	struct blocks events, pairs, flows, samples;
};

void build_adopt(struct builder *b, struct raw_blocks *raw);
void raw_blocks_free(struct raw_blocks *raw);

/*
 * Links by connection id, for sources without flows (databases): joins each event of layer `from` to the device tasks and collectives
 * with the same connection. Used at build_finish() for every kind asked for here that has no flow events.
 */
void build_link_connections(struct builder *b, enum link_kind kind, enum layer from);

/* Sorts, pairs, links. Unpaired B and E go to account->dropped. Frees the builder. */
void build_finish(struct builder *b, struct events *out, struct account *account);

#endif
