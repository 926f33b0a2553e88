/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the loader share. */
#ifndef ASCOPE_CORE_LOAD_LOAD_PRIVATE_H
#define ASCOPE_CORE_LOAD_LOAD_PRIVATE_H

#include "core/load/args.h"
#include "core/load/layout.h"
#include "core/load/load.h"

/* One capture in the making. */
struct loader {
	struct capture *c;
	struct tree *tree;
	struct layout layout;
	unsigned threads;
	struct progress *progress;
	struct diag first;		/* the first reader's error, for a file named by itself */
};

/* Everything of one unit into r. Only ERR_CANCELLED is returned as an error; the rest become findings. */
enum err load_unit(struct loader *l, const struct layout_unit *u, struct rank *r);

/* units.c: settles the unit of every step table by comparing with what the same capture says in known units. */
void units_settle(struct capture *c);

/* health.c: what can and what cannot be concluded. */
void health_check(struct capture *c);

void rank_done(struct rank *r);

#endif
