/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communication tables: milliseconds become ns. What the cluster file calls otherwise (elapsed_time, band_type, rank_id) is the same thing.
 * An operator is told by name, group, step and rank; its rows of bandwidth, one per packet size, may stand anywhere.
 */
#include "core/load/db/db_comm.h"

#include "core/base/index_map.h"
#include "core/base/jsonw.h"
#include "core/base/mem.h"
#include "core/load/doc/doc_part.h"

#include <math.h>
#include <stdlib.h>

struct reader {
	struct db *db;
	struct names *names;
	struct comm *comm;
	size_t first_op;		/* ops before it came from elsewhere */
	struct index_map op_of;		/* hash of an operator to index + 1 among the new ones */
	uint32_t *next;			/* another operator with the same hash: index + 1 */
	size_t nnext, cap_next;
};

/* ---- who ---- */

struct who {
	uint32_t name, group, step;
	int rank;
	bool p2p, total;
};

/* The columns that say whose row it is come first in every query. */
#define WHO_COLUMNS "hccl_op_name group_name step type rank_set rank_id "
enum { W_NAME, W_GROUP, W_STEP, W_TYPE, W_SET, W_RANK, W_END };

static uint32_t set_name(struct reader *r, struct str text)
{
	struct ranks ranks = { 0 };
	uint32_t name = text.n && text.p[0] == '(' && ranks_read(r->comm, text, &ranks) ? ranks_name(&ranks, r->names) : 0;

	ranks_done(&ranks);
	return name;
}

static struct who who_of(struct reader *r, const struct db_rows *rows)
{
	struct str name = db_text(rows, W_NAME), type;
	struct who w = { .rank = -1, .total = op_is_total(name) };
	int64_t rank;

	w.name = names_add(r->names, name);
	w.p2p = op_is_p2p(name);
	w.group = names_add(r->names, db_text(rows, W_GROUP));
	w.step = names_add(r->names, db_text(rows, W_STEP));
	type = db_text(rows, W_TYPE);
	if (type.n)
		w.p2p = str_is(type, STR("p2p"));
	if (!w.group)
		w.group = set_name(r, db_text(rows, W_SET));
	if (db_int(rows, W_RANK, &rank) && rank >= 0 && rank <= INT32_MAX)
		w.rank = (int)rank;
	return w;
}

static uint64_t who_hash(const struct who *w)
{
	uint64_t h = ((uint64_t)w->name << 32 | w->group) * 0xff51afd7ed558ccdu;

	h ^= h >> 29;
	return (h ^ ((uint64_t)w->step << 32 | (uint32_t)w->rank)) * 0xc4ceb9fe1a85ec53u;
}

static size_t op_find(const struct reader *r, const struct who *w)
{
	for (uint32_t at = index_map_find(&r->op_of, who_hash(w)); at; at = r->next[at - 1]) {
		const struct comm_op *op = &r->comm->ops[r->first_op + at - 1];

		if (op->name == w->name && op->group == w->group && op->step == w->step && op->rank == w->rank)
			return r->first_op + at - 1;
	}
	return SIZE_MAX;
}

/* ---- operators ---- */

/* Which rank set a group is, once per group. */
static void group_note(struct reader *r, struct group_map *map, const struct who *w, struct str set)
{
	struct ranks ranks = { 0 };
	size_t *known;

	if (!set.n || set.p[0] != '(' || !w->group || w->p2p)
		return;
	known = group_map_at(map, w->group);
	if (*known)
		return;
	if (!ranks_read(r->comm, set, &ranks)) {
		ranks_done(&ranks);
		return;
	}
	comm_group_add(r->comm, w->group, names_add(r->names, STR("collective")), &ranks);
	*known = r->comm->ngroups;
}

static void op_add(struct reader *r, const struct db_rows *rows, const struct who *w)
{
	struct comm_op op = { .name = w->name, .group = w->group, .step = w->step, .rank = w->rank, .p2p = w->p2p, .total = w->total,
		.start_ns = NO_TIME, .elapse_ns = NO_TIME, .transit_ns = NO_TIME, .wait_ns = NO_TIME, .sync_ns = NO_TIME,
		.idle_ns = NO_TIME, .size_bytes = -1, .count = -1 };
	uint32_t *slot = index_map_slot(&r->op_of, who_hash(w));

	db_scaled(rows, W_END, 3, &op.start_ns);
	db_scaled(rows, W_END + 1, 6, &op.elapse_ns);
	db_scaled(rows, W_END + 2, 6, &op.transit_ns);
	db_scaled(rows, W_END + 3, 6, &op.wait_ns);
	db_scaled(rows, W_END + 4, 6, &op.sync_ns);
	db_scaled(rows, W_END + 5, 6, &op.idle_ns);
	if (op.total)
		op.start_ns = NO_TIME;
	ARRAY_PUSH(r->comm, ops, nops, cap_ops) = op;
	ARRAY_PUSH(r, next, nnext, cap_next) = *slot;
	*slot = (uint32_t)r->nnext;
}

static void ops_read(struct reader *r, const char *table)
{
	static const char columns[] =
		WHO_COLUMNS "start_timestamp elapse_time|elapsed_time transit_time wait_time synchronization_time idle_time";
	struct group_map map;
	struct db_rows rows;

	if (!db_rows_open(&rows, r->db, table, columns))
		return;
	group_map_init(&map, r->comm);
	while (db_rows_next(&rows)) {
		struct who w = who_of(r, &rows);

		if (!w.name) {
			r->comm->skipped++;
			continue;
		}
		op_add(r, &rows, &w);
		group_note(r, &map, &w, db_text(&rows, W_SET));
	}
	group_map_done(&map);
}

/* ---- bandwidth ---- */

struct band {
	size_t op, order;
	uint32_t kind;
	double size_mb, bandwidth, ratio, packet_mb;
	int64_t transit_ns, count, total_ns;
};

struct bands {
	struct band *items;
	size_t n, cap;
};

static int band_compare(const void *x, const void *y)
{
	const struct band *a = x, *b = y;

	if (a->op != b->op)
		return a->op < b->op ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static void bands_read(struct reader *r, const char *table, struct bands *all)
{
	static const char columns[] = WHO_COLUMNS
		"transport_type|band_type transit_size transit_time bandwidth large_packet_ratio package_size count total_duration";
	struct db_rows rows;

	if (!db_rows_open(&rows, r->db, table, columns))
		return;
	while (db_rows_next(&rows)) {
		struct who w = who_of(r, &rows);
		struct band b = { .op = op_find(r, &w), .order = all->n, .transit_ns = NO_TIME, .size_mb = (double)NAN,
			.bandwidth = (double)NAN, .ratio = (double)NAN };

		if (b.op == SIZE_MAX) {
			r->comm->skipped++;
			continue;
		}
		b.kind = names_add(r->names, db_text(&rows, W_END));
		db_num(&rows, W_END + 1, &b.size_mb);
		db_scaled(&rows, W_END + 2, 6, &b.transit_ns);
		db_num(&rows, W_END + 3, &b.bandwidth);
		db_num(&rows, W_END + 4, &b.ratio);
		db_num(&rows, W_END + 5, &b.packet_mb);
		db_int(&rows, W_END + 6, &b.count);
		db_scaled(&rows, W_END + 7, 6, &b.total_ns);
		ARRAY_PUSH(all, items, n, cap) = b;
	}
}

/* A transport without packets stands there with one row of zeros. */
static void bands_place(struct comm *comm, const struct bands *all)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct band *b = &all->items[i], *last = i ? b - 1 : NULL;
		struct comm_op *op = &comm->ops[b->op];

		if (!last || last->op != b->op)
			op->first_transport = comm->ntransports;
		if (!last || last->op != b->op || last->kind != b->kind) {
			ARRAY_PUSH(comm, transports, ntransports, cap_transports) = (struct comm_transport){ .kind = b->kind,
				.size_mb = b->size_mb, .bandwidth_gbs = b->bandwidth, .large_packet_ratio = b->ratio,
				.transit_ns = b->transit_ns, .first_packet = comm->npackets };
			op->ntransports++;
		}
		if (b->count <= 0)
			continue;
		ARRAY_PUSH(comm, packets, npackets, cap_packets) = (struct comm_packet){ b->packet_mb, b->count, b->total_ns };
		comm->transports[comm->ntransports - 1].npackets++;
	}
}

/* ---- matrix ---- */

static int rank_or_none(const struct db_rows *rows, int column)
{
	int rank;

	return rank_of(str_trim(db_text(rows, column)), &rank) ? rank : -1;
}

static bool op_is_summary(struct str op)
{
	return str_like(op, "*-top#") || str_like(op, "*-middle") || str_like(op, "*-bottom#") || str_like(op, "*-total") ||
		op_is_total(op);
}

static void matrix_read(struct reader *r, const char *table)
{
	static const char columns[] = WHO_COLUMNS "src_rank dst_rank transport_type transit_size transit_time bandwidth op_name";
	struct db_rows rows;

	if (!db_rows_open(&rows, r->db, table, columns))
		return;
	while (db_rows_next(&rows)) {
		struct who w = who_of(r, &rows);
		struct comm_edge e = { .op = w.name, .group = w.group, .step = w.step, .p2p = w.p2p, .size_mb = (double)NAN,
			.bandwidth_gbs = (double)NAN, .transit_ns = NO_TIME };

		e.src = rank_or_none(&rows, W_END);
		e.dst = rank_or_none(&rows, W_END + 1);
		e.transport = names_add(r->names, db_text(&rows, W_END + 2));
		db_num(&rows, W_END + 3, &e.size_mb);
		db_scaled(&rows, W_END + 4, 6, &e.transit_ns);
		db_num(&rows, W_END + 5, &e.bandwidth_gbs);
		e.op_name = names_add(r->names, db_text(&rows, W_END + 6));
		if (!e.op_name && !op_is_summary(names_str(r->names, e.op)))
			e.op_name = e.op;
		if (w.name)
			ARRAY_PUSH(r->comm, edges, nedges, cap_edges) = e;
		else
			r->comm->skipped++;
	}
}

/* ---- groups: put together as communication_group.json and read as that ---- */

static void group_lists_write(struct reader *r, struct jsonw *w, const char *type)
{
	struct db_rows rows;

	jw_open_of(w, type, '[');
	if (db_rows_open(&rows, r->db, "CommunicationGroup", "type rank_set"))
		while (db_rows_next(&rows))
			if (str_is(db_text(&rows, 0), str_of(type)))
				jw_str(w, db_text(&rows, 1));
	jw_close(w);
}

static void group_mapping_write(struct reader *r, struct jsonw *w)
{
	static const char *const keys[] = { "type", "rank_set", "group_name", "group_id", "pg_name" };
	struct db_rows rows;

	jw_open_of(w, "comm_group_parallel_info", '[');
	if (db_rows_open(&rows, r->db, "CommunicationGroupMapping", "type rank_set group_name group_id pg_name"))
		while (db_rows_next(&rows)) {
			jw_open(w, '{');
			for (int i = 0; i < (int)ARRAY_LEN(keys); i++) {
				jw_key(w, keys[i]);
				jw_str(w, db_text(&rows, i));
			}
			jw_close(w);
		}
	jw_close(w);
}

static void groups_read(struct reader *r)
{
	struct buf json = { 0 };
	struct jsonw w = { .out = &json };
	bool lists = db_has(r->db, "CommunicationGroup"), mapping = db_has(r->db, "CommunicationGroupMapping");

	if (!lists && !mapping)
		return;
	jw_open(&w, '{');
	if (lists) {
		group_lists_write(r, &w, "collective");
		group_lists_write(r, &w, "p2p");
	}
	if (mapping)
		group_mapping_write(r, &w);
	jw_close(&w);
	doc_load_groups((struct str){ json.p, json.n }, r->names, r->comm, NULL);
	buf_done(&json);
}

void comm_read(struct db *db, struct db_target *t)
{
	static const char *const tables[][3] = {
		{ "CommAnalyzerTime", "CommAnalyzerBandwidth", "CommAnalyzerMatrix" },
		{ "ClusterCommAnalyzerTime", "ClusterCommAnalyzerBandwidth", "ClusterCommAnalyzerMatrix" },
		{ "ClusterCommunicationTime", "ClusterCommunicationBandwidth", "ClusterCommunicationMatrix" },
	};
	struct reader r = { .db = db, .names = t->names, .comm = t->comm, .first_op = t->comm->nops };
	bool has_ops = t->comm->nops > 0, has_edges = t->comm->nedges > 0, has_groups = t->comm->ngroups > 0;
	struct bands bands = { 0 };

	progress_stage(db->progress, "communication");
	for (size_t i = 0; i < ARRAY_LEN(tables) && !has_ops; i++) {
		ops_read(&r, tables[i][0]);
		bands_read(&r, tables[i][1], &bands);
	}
	if (bands.n)
		qsort(bands.items, bands.n, sizeof *bands.items, band_compare);
	bands_place(t->comm, &bands);
	for (size_t i = 0; i < ARRAY_LEN(tables) && !has_edges; i++)
		matrix_read(&r, tables[i][2]);
	if (!has_groups)
		groups_read(&r);
	index_map_done(&r.op_of);
	free(r.next);
	free(bands.items);
}
