/* SPDX-License-Identifier: Apache-2.0 */
/* How the args of events are read again: from the bytes of a trace file, or from a database. */
#ifndef ASCOPE_CORE_LOAD_ARGS_H
#define ASCOPE_CORE_LOAD_ARGS_H

#include "core/model/args.h"

/* Decodes the args of one event from its JSON text (the whole event object). */
enum err args_of_json(struct str event, struct args *out, struct diag *d);

/* One file or database that events of a rank came from. */
struct span_source {
	uint64_t base;			/* spans [base, base + size) are its own */
	uint64_t size;
	size_t entry;			/* in the capture's tree */
	bool is_db;			/* spans are numbers of the database reader, not byte offsets */
};

struct tree;

struct span_sources {
	const struct tree *tree;
	struct span_source *list;
	size_t n, cap;
};

/* What rank.read_args is set to. */
enum err args_of_event(const struct rank *r, size_t i, struct args *out, struct diag *d);

#endif
