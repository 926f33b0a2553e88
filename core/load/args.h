/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rest of an event (its args), read again from the file or database it came from when someone looks.
 */
#ifndef ASCOPE_CORE_LOAD_ARGS_H
#define ASCOPE_CORE_LOAD_ARGS_H

#include "core/base/arena.h"
#include "core/base/diag.h"
#include "core/base/str.h"
#include "core/model/capture.h"

struct arg {
	struct str key, value;		/* value: text decoded; numbers as written; nested values as their JSON text */
};

struct args {
	struct arena arena;		/* owns all text below; args_done() frees */
	struct arg *list;
	size_t n, cap;
};

void       args_add(struct args *a, struct str key, struct str value);	/* copies both */
struct str args_find(const struct args *a, const char *key);		/* empty when absent */
void       args_done(struct args *a);

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

/*
 * The args of event i of a rank, read again from where it came from. Fills *out (freed with args_done() also after an error). ERR_UNREADABLE
 * when the file changed or went away since it was loaded.
 */
enum err event_args(const struct rank *r, size_t i, struct args *out, struct diag *d);

#endif
