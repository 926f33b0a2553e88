/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the readers of communication documents share. Private to core/load/doc_*.c. A reader gets checked text and only adds to comm;
 * parts of the wrong shape are counted in comm->skipped.
 */
#ifndef ASCOPE_CORE_LOAD_DOC_DOC_PART_H
#define ASCOPE_CORE_LOAD_DOC_DOC_PART_H

#include "core/base/doc.h"
#include "core/load/doc/doc_load.h"

/* Checks the text and its top level: an object. */
enum err doc_top(struct str text, struct str *top, struct diag *d);

/* The document is JSON, but nothing in it is what its name says. */
enum err doc_nothing_known(const char *what, struct diag *d);

/* ---- members of a leaf: absent leaves *out alone, present but unreadable is counted ---- */
void part_int(struct comm *comm, const struct cJSON *item, int scale, int64_t *out);
void part_num(struct comm *comm, const struct cJSON *item, double *out);
void part_name(struct comm *comm, struct names *names, const struct cJSON *item, uint32_t *out);

/* ---- operators ---- */

/* "op@group" at its last '@'; group is 0 without one. */
void op_split(struct str key, struct names *names, uint32_t *op, uint32_t *group);
bool op_is_total(struct str name);			/* "Total Op Info" */
bool op_is_p2p(struct str name);			/* hcom_send*, hcom_receive*, hcom_batchsendrecv* */

/* ---- where in a document the reader is ---- */

struct group_map;
struct ranks;

struct place {
	struct comm *comm;
	struct names *names;
	uint32_t step, set_name;	/* name ids, 0 when outside of one */
	bool p2p;			/* inside "p2p" rather than "collective" or a rank set */
	size_t known;			/* members that look like what they should be */
	/* operators only */
	struct group_map *groups;	/* cluster documents only */
	const struct ranks *set;	/* of a cluster document's rank set, NULL for p2p */
	int rank;
};

/* One step: {"p2p": operators, "collective": operators}. Anything else in it is counted as skipped. */
void step_read(struct place *at, struct str name, struct str value, void (*ops_read)(struct place *at, struct str operators));

/* ---- ranks and groups ---- */

bool rank_of(struct str text, int *rank);		/* decimal digits that fit an int */

struct ranks {
	int *items;
	size_t n, cap;
};

/* From "(0, 1, 2)", "[0,1]" or a JSON array of numbers or numeric texts; false when it is neither. Entries that are no rank are counted. */
bool ranks_read(struct comm *comm, struct str value, struct ranks *r);
void ranks_done(struct ranks *r);

/* The text a rank set has in the cluster documents: "(0, 1)", "(8,)". */
uint32_t ranks_name(const struct ranks *r, struct names *names);

/* Takes over the ranks. */
void comm_group_add(struct comm *comm, uint32_t name, uint32_t type, struct ranks *r);

/* Which group names are there: name id -> index in comm->groups + 1, for one load. */
struct group_map {
	size_t *by_name, n;
};

void    group_map_init(struct group_map *m, const struct comm *comm);
void    group_map_done(struct group_map *m);
size_t *group_map_at(struct group_map *m, uint32_t name);	/* grows; valid until the next call */

#endif
