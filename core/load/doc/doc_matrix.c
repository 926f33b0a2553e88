/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traffic between ranks, walked down to single edges:
 *	communication_matrix.json		{ step: { "p2p" | "collective": { "op@group": { "src-dst": edge } } } }
 *	msprof's own				{ "op@group": { "src-dst": edge } }
 *	cluster_communication_matrix.json	{ rank set: { step: { "op@group": { "src-dst": edge } } } }
 */
#include "core/load/doc/doc_part.h"

#include "core/base/mem.h"

#include <cjson/cJSON.h>
#include <math.h>

/* "3-11". A side that is no rank is -1; false without a '-' between two texts. */
static bool link_read(struct str key, int *src, int *dst)
{
	const char *dash = memchr(key.p, '-', key.n);

	if (!dash || dash == key.p || dash == key.p + key.n - 1)
		return false;
	if (!rank_of((struct str){ key.p, (size_t)(dash - key.p) }, src))
		*src = -1;
	if (!rank_of((struct str){ dash + 1, (size_t)(key.p + key.n - dash - 1) }, dst))
		*dst = -1;
	return true;
}

static bool edge_read(struct place *at, struct comm_edge edge, struct str link, struct str value)
{
	struct comm *comm = at->comm;
	struct doc doc;

	if (!link_read(link, &edge.src, &edge.dst) || doc_kind(value) != '{' || doc_open(&doc, value, NULL))
		return false;
	part_name(comm, at->names, doc_get(doc.root, "Transport Type"), &edge.transport);
	part_name(comm, at->names, doc_get(doc.root, "Op Name"), &edge.op_name);
	part_num(comm, doc_get(doc.root, "Transit Size(MB)"), &edge.size_mb);
	part_int(comm, doc_get(doc.root, "Transit Time(ms)"), 6, &edge.transit_ns);
	part_num(comm, doc_get(doc.root, "Bandwidth(GB/s)"), &edge.bandwidth_gbs);
	ARRAY_PUSH(comm, edges, nedges, cap_edges) = edge;
	doc_close(&doc);
	return true;
}

/* The newer form sums up operators: "allreduce-top1", -middle, -bottomN, -total. The older one has the operator itself. */
static bool op_is_summary(struct str op)
{
	return str_like(op, "*-top#") || str_like(op, "*-middle") || str_like(op, "*-bottom#") || str_like(op, "*-total") ||
		op_is_total(op);
}

static void edges_read(struct place *at, struct str key, struct str value)
{
	struct comm_edge edge = { .step = at->step, .src = -1, .dst = -1, .p2p = at->p2p, .size_mb = NAN, .bandwidth_gbs = NAN,
		.transit_ns = NO_TIME };
	struct doc_walk w;
	struct str link, item;

	if (!doc_walk_start(&w, value, '{')) {
		at->comm->skipped++;
		return;
	}
	at->known++;
	op_split(key, at->names, &edge.op, &edge.group);
	if (!edge.group)
		edge.group = at->set_name;
	if (!op_is_summary(names_str(at->names, edge.op)))
		edge.op_name = edge.op;
	while (doc_walk_next(&w, &link, &item))
		if (!edge_read(at, edge, link, item))
			at->comm->skipped++;
	doc_walk_done(&w);
}

static void ops_read(struct place *at, struct str value)
{
	struct doc_walk w;
	struct str op, item;

	if (!doc_walk_start(&w, value, '{'))
		at->comm->skipped++;
	else
		at->known++;
	while (doc_walk_next(&w, &op, &item))
		edges_read(at, op, item);
	doc_walk_done(&w);
}

/* Is it a step of kinds, or an operator of links? An empty one is a step. */
static bool is_step(struct str value)
{
	struct doc_walk w;
	struct str key, item;
	bool step = doc_walk_start(&w, value, '{');
	int src, dst;

	while (step && doc_walk_next(&w, &key, &item))
		if (link_read(key, &src, &dst) && src >= 0 && dst >= 0)
			step = false;
	doc_walk_done(&w);
	return step;
}

static void set_read(struct place *at, struct str key, struct str value)
{
	struct ranks set;
	struct doc_walk w;
	struct str step, item;
	bool is_set = ranks_read(at->comm, key, &set);

	ranks_done(&set);
	at->p2p = str_is(key, STR("p2p"));
	at->set_name = is_set ? names_add(at->names, key) : 0;
	if ((!is_set && !at->p2p) || !doc_walk_start(&w, value, '{')) {
		at->comm->skipped++;
		return;
	}
	while (doc_walk_next(&w, &step, &item)) {
		at->step = names_add(at->names, step);
		ops_read(at, item);
	}
	doc_walk_done(&w);
}

enum err doc_load_matrix(struct str text, bool cluster, struct names *names, struct comm *comm, struct diag *d)
{
	struct place at = { .comm = comm, .names = names };
	struct str top, key, value;
	size_t members = 0;
	struct doc_walk w;
	enum err err = doc_top(text, &top, d);

	if (err)
		return err;
	doc_walk_start(&w, top, '{');
	for (; doc_walk_next(&w, &key, &value); members++) {
		if (cluster) {
			set_read(&at, key, value);
		} else if (is_step(value)) {
			step_read(&at, key, value, ops_read);
		} else {
			at.p2p = op_is_p2p(key);
			edges_read(&at, key, value);
		}
	}
	doc_walk_done(&w);
	return members && !at.known ? doc_nothing_known("traffic between ranks", d) : ERR_OK;
}
