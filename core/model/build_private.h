/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the event builder share. */
#ifndef ASCOPE_CORE_MODEL_BUILD_PRIVATE_H
#define ASCOPE_CORE_MODEL_BUILD_PRIVATE_H

#include "core/base/index_map.h"
#include "core/model/build.h"

struct builder {
	struct names *names;
	struct process *processes;
	size_t nprocesses, cap_processes;
	struct lane *lanes;
	size_t nlanes, cap_lanes;
	struct index_map process_of_pid, lane_of_ids;
	struct block_pool pool;
	struct raw_blocks raw;
	bool connect[LINK_MAX];
	enum layer connect_from[LINK_MAX];
	unsigned threads;
};

/* build_pair.c: B and E to durations; what stays alone is dropped with its span as the place */
void build_pairs(struct builder *b, struct account *account);

/* build_sort.c: sorts each lane by (start, longer first, order of arrival) */
void build_sort_lanes(struct events *e, unsigned threads);

/* build_counter.c */
void build_counters(struct builder *b, struct events *e);

/* build_link.c */
void build_links(struct builder *b, struct events *e);

#endif
