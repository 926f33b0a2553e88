/* SPDX-License-Identifier: Apache-2.0 */
/*
 * communication.json and cluster_communication.json. The outer levels are walked, each operator is one small tree: memory stays that of the
 * text and the result. Shapes of a top-level member, told by its keys:
 *	step      { "p2p": { "op@group": leaf }, "collective": { ... } }	torch_npu, MindSpore
 *	leaf      { "Communication Time Info", "Communication Bandwidth Info" }	msprof's own analyze/communication.json: op@group at the top
 *	listed    { "count", "totalTimeUs", "op": [ { name, group, durationUs, sizeBytes } ] }	unofficial
 */
#include "core/load/doc/doc_part.h"

#include "core/base/decimal.h"
#include "core/base/mem.h"

#include <cjson/cJSON.h>
#include <math.h>

enum shape { SHAPE_NONE, SHAPE_STEP, SHAPE_LEAF, SHAPE_LISTED, SHAPE_EMPTY };

#define TIME_INFO "Communication Time Info"
#define BAND_INFO "Communication Bandwidth Info"

/* ---- one operator ---- */

static const struct {
	const char *key;
	int scale;			/* of the key's unit to ns */
	size_t at;
} time_fields[] = {
	{ "Start Timestamp(us)", 3, offsetof(struct comm_op, start_ns) },
	{ "Elapse Time(ms)", 6, offsetof(struct comm_op, elapse_ns) },
	{ "Transit Time(ms)", 6, offsetof(struct comm_op, transit_ns) },
	{ "Wait Time(ms)", 6, offsetof(struct comm_op, wait_ns) },
	{ "Synchronization Time(ms)", 6, offsetof(struct comm_op, sync_ns) },
	{ "Idle Time(ms)", 6, offsetof(struct comm_op, idle_ns) },
};

static struct comm_op op_blank(const struct place *at)
{
	return (struct comm_op){ .step = at->step, .p2p = at->p2p, .rank = at->rank, .start_ns = NO_TIME, .elapse_ns = NO_TIME,
		.transit_ns = NO_TIME, .wait_ns = NO_TIME, .sync_ns = NO_TIME, .idle_ns = NO_TIME, .size_bytes = -1, .count = -1,
		.first_transport = at->comm->ntransports };
}

/* "8.388608": [count, total ms] */
static void packets_read(struct comm *comm, const struct cJSON *sizes)
{
	if (!sizes)
		return;
	if (!cJSON_IsObject(sizes)) {
		comm->skipped++;
		return;
	}
	for (const struct cJSON *item = sizes->child; item; item = item->next) {
		const struct cJSON *count = cJSON_IsArray(item) ? item->child : NULL;
		struct comm_packet p;

		if (count && count->next && !count->next->next && doc_int(count, 0, &p.count) && doc_int(count->next, 6, &p.total_ns) &&
				decimal_to_double(str_of(item->string), &p.size_mb))
			ARRAY_PUSH(comm, packets, npackets, cap_packets) = p;
		else
			comm->skipped++;
	}
}

static void transports_read(const struct place *at, const struct cJSON *info)
{
	struct comm *comm = at->comm;

	if (!info)
		return;
	if (!cJSON_IsObject(info)) {
		comm->skipped++;
		return;
	}
	for (const struct cJSON *item = info->child; item; item = item->next) {
		struct comm_transport t = { .size_mb = NAN, .bandwidth_gbs = NAN, .large_packet_ratio = NAN, .transit_ns = NO_TIME,
			.first_packet = comm->npackets };

		if (!cJSON_IsObject(item)) {
			comm->skipped++;
			continue;
		}
		t.kind = names_add(at->names, str_of(item->string));
		part_num(comm, doc_get(item, "Transit Size(MB)"), &t.size_mb);
		part_int(comm, doc_get(item, "Transit Time(ms)"), 6, &t.transit_ns);
		part_num(comm, doc_get(item, "Bandwidth(GB/s)"), &t.bandwidth_gbs);
		part_num(comm, doc_get(item, "Large Packet Ratio"), &t.large_packet_ratio);
		packets_read(comm, doc_get(item, "Size Distribution"));
		t.npackets = comm->npackets - t.first_packet;
		ARRAY_PUSH(comm, transports, ntransports, cap_transports) = t;
	}
}

/* A leaf: false when it is none. */
static bool leaf_read(const struct place *at, struct str key, struct str value)
{
	struct comm *comm = at->comm;
	struct comm_op op = op_blank(at);
	const struct cJSON *time, *band;
	struct doc doc;

	if (doc_kind(value) != '{' || doc_open(&doc, value, NULL))
		return false;
	time = doc_get(doc.root, TIME_INFO);
	band = doc_get(doc.root, BAND_INFO);
	if (!cJSON_IsObject(time) && !cJSON_IsObject(band)) {
		doc_close(&doc);
		return false;
	}
	op_split(key, at->names, &op.name, &op.group);
	op.total = op_is_total(key);
	if (time && !cJSON_IsObject(time))
		comm->skipped++;
	for (size_t i = 0; i < ARRAY_LEN(time_fields); i++) {
		int64_t *ns = (int64_t *)(void *)((char *)&op + time_fields[i].at);

		part_int(comm, doc_get(time, time_fields[i].key), time_fields[i].scale, ns);
	}
	transports_read(at, band);
	op.ntransports = comm->ntransports - op.first_transport;
	if (at->set_name && !op.group)
		op.group = at->set_name;
	ARRAY_PUSH(comm, ops, nops, cap_ops) = op;
	doc_close(&doc);
	return true;
}

/* { "op@group": leaf, ... } */
static void ops_read(struct place *at, struct str value)
{
	struct doc_walk w;
	struct str key, item;

	if (!doc_walk_start(&w, value, '{')) {
		at->comm->skipped++;
		return;
	}
	at->known++;
	while (doc_walk_next(&w, &key, &item))
		if (!leaf_read(at, key, item))
			at->comm->skipped++;
	doc_walk_done(&w);
}

/* ---- communication.json ---- */

static enum shape shape_of(struct str value)
{
	static const struct {
		struct str key;
		enum shape shape;
	} tells[] = {
		{ { "p2p", 3 }, SHAPE_STEP }, { { "collective", 10 }, SHAPE_STEP },
		{ { TIME_INFO, sizeof TIME_INFO - 1 }, SHAPE_LEAF }, { { BAND_INFO, sizeof BAND_INFO - 1 }, SHAPE_LEAF },
		{ { "op", 2 }, SHAPE_LISTED }, { { "totalTimeUs", 11 }, SHAPE_LISTED },
	};
	enum shape shape = SHAPE_EMPTY;
	struct doc_walk w;
	struct str key, item;

	if (!doc_walk_start(&w, value, '{'))
		return SHAPE_NONE;
	while ((shape == SHAPE_EMPTY || shape == SHAPE_NONE) && doc_walk_next(&w, &key, &item)) {
		shape = SHAPE_NONE;
		for (size_t i = 0; i < ARRAY_LEN(tells); i++)
			if (str_is(key, tells[i].key))
				shape = tells[i].shape;
	}
	doc_walk_done(&w);
	return shape;
}

static bool listed_one(struct place *at, uint32_t type, struct str value)
{
	struct comm_op op = op_blank(at);
	struct doc doc;

	if (doc_kind(value) != '{' || doc_open(&doc, value, NULL))
		return false;
	op.name = type;
	part_name(at->comm, at->names, doc_get(doc.root, "name"), &op.name);
	part_name(at->comm, at->names, doc_get(doc.root, "group"), &op.group);
	part_int(at->comm, doc_get(doc.root, "durationUs"), 3, &op.elapse_ns);
	part_int(at->comm, doc_get(doc.root, "sizeBytes"), 0, &op.size_bytes);
	op.p2p = op_is_p2p(names_str(at->names, op.name));
	ARRAY_PUSH(at->comm, ops, nops, cap_ops) = op;
	doc_close(&doc);
	return true;
}

static void listed_items(struct place *at, uint32_t type, struct str value)
{
	struct doc_walk w;
	struct str key, item;

	if (!doc_walk_start(&w, value, '['))
		at->comm->skipped++;
	while (doc_walk_next(&w, &key, &item))
		if (!listed_one(at, type, item))
			at->comm->skipped++;
	doc_walk_done(&w);
}

/* The whole of an operator type as a total row, then those operators the file lists: it may list fewer than it counts. */
static void listed_read(struct place *at, struct str name, struct str value)
{
	struct comm_op total = op_blank(at);
	struct doc_walk w;
	struct str key, item;
	size_t row = at->comm->nops;

	total.name = names_add(at->names, name);
	total.p2p = op_is_p2p(name);
	total.total = true;
	ARRAY_PUSH(at->comm, ops, nops, cap_ops) = total;
	doc_walk_start(&w, value, '{');
	while (doc_walk_next(&w, &key, &item)) {
		if (str_is(key, STR("op")))
			listed_items(at, total.name, item);
		else if (str_is(key, STR("count")))
			at->comm->skipped += !doc_raw_int(item, 0, &total.count);
		else if (str_is(key, STR("totalTimeUs")))
			at->comm->skipped += !doc_raw_int(item, 3, &total.elapse_ns);
	}
	doc_walk_done(&w);
	at->comm->ops[row] = total;
	at->comm->unofficial = true;
}

enum err doc_load_communication(struct str text, struct names *names, struct comm *comm, struct diag *d)
{
	struct place at = { .comm = comm, .names = names, .rank = -1 };
	struct str top, key, value;
	size_t members = 0;
	struct doc_walk w;
	enum err err = doc_top(text, &top, d);

	if (err)
		return err;
	doc_walk_start(&w, top, '{');
	for (; doc_walk_next(&w, &key, &value); members++) {
		enum shape shape = shape_of(value);

		at.known += shape != SHAPE_NONE;
		at.p2p = op_is_p2p(key);
		if (shape == SHAPE_STEP)
			step_read(&at, key, value, ops_read);
		else if (shape == SHAPE_LISTED)
			listed_read(&at, key, value);
		else if (shape != SHAPE_EMPTY && !leaf_read(&at, key, value))
			comm->skipped++;
	}
	doc_walk_done(&w);
	return members && !at.known ? doc_nothing_known("a step or a communication operator", d) : ERR_OK;
}

/* ---- cluster_communication.json: { rank set: { step: { op@group: { rank: leaf } } } } ---- */

/* The ranks of a group are those of the set it stands under. */
static void set_add_group(const struct place *at, struct str op)
{
	struct ranks copy = { 0 };
	uint32_t name, group;
	size_t *index;

	op_split(op, at->names, &name, &group);
	if (!at->set || op_is_total(op))
		return;
	group = group ? group : at->set_name;
	index = group_map_at(at->groups, group);
	if (*index)
		return;
	for (size_t i = 0; i < at->set->n; i++)
		ARRAY_PUSH(&copy, items, n, cap) = at->set->items[i];
	comm_group_add(at->comm, group, names_add(at->names, STR("collective")), &copy);
	*index = at->comm->ngroups;
}

static void cluster_op_read(struct place *at, struct str op, struct str value)
{
	struct doc_walk w;
	struct str rank, leaf;
	size_t before = at->comm->nops;

	if (!doc_walk_start(&w, value, '{'))
		at->comm->skipped++;
	while (doc_walk_next(&w, &rank, &leaf))
		if (!rank_of(rank, &at->rank) || !leaf_read(at, op, leaf))
			at->comm->skipped++;
	doc_walk_done(&w);
	if (at->comm->nops == before)
		return;
	at->known++;
	set_add_group(at, op);
}

static void cluster_set_read(struct place *at, struct str value)
{
	struct doc_walk steps, ops;
	struct str step, op, item;

	if (!doc_walk_start(&steps, value, '{'))
		at->comm->skipped++;
	while (doc_walk_next(&steps, &step, &item)) {
		at->step = names_add(at->names, step);
		if (!doc_walk_start(&ops, item, '{'))
			at->comm->skipped++;
		while (doc_walk_next(&ops, &op, &item))
			cluster_op_read(at, op, item);
		doc_walk_done(&ops);
	}
	doc_walk_done(&steps);
}

enum err doc_load_cluster_communication(struct str text, struct names *names, struct comm *comm, struct diag *d)
{
	struct place at = { .comm = comm, .names = names };
	struct str top, key, value;
	struct group_map groups;
	size_t members = 0;
	struct doc_walk w;
	enum err err = doc_top(text, &top, d);

	if (err)
		return err;
	group_map_init(&groups, comm);
	at.groups = &groups;
	doc_walk_start(&w, top, '{');
	for (; doc_walk_next(&w, &key, &value); members++) {
		struct ranks set = { 0 };
		bool is_set = ranks_read(comm, key, &set);

		at.p2p = str_is(key, STR("p2p"));
		at.set = is_set ? &set : NULL;
		at.set_name = is_set ? names_add(names, key) : 0;
		if (is_set || at.p2p) {
			at.known += shape_of(value) == SHAPE_EMPTY;
			cluster_set_read(&at, value);
		} else {
			comm->skipped++;
		}
		ranks_done(&set);
	}
	doc_walk_done(&w);
	group_map_done(&groups);
	return members && !at.known ? doc_nothing_known("a rank set with communication operators", d) : ERR_OK;
}
