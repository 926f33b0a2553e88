/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis.db: step times in microseconds, collectives in milliseconds, like
 * their text twins. The only place where times become doubles, by one correctly
 * rounded division each.
 */
#include "samples/db.h"

#include "samples/comm.h"
#include "samples/split.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void bind_micro(sqlite3_stmt *st, int column, int64_t ns)
{
	if (ns % 1000 == 0)
		sqlite3_bind_int64(st, column, ns / 1000);
	else
		sqlite3_bind_double(st, column, (double)ns / 1000.0);
}

static void analysis_steps(struct db *d, const struct capture *c)
{
	sqlite3_stmt *st;
	char step[16];

	db_run(d, "CREATE TABLE StepTraceTime (deviceId INTEGER, step TEXT, computing NUMERIC, communication_not_overlapped NUMERIC, "
		  "overlapped NUMERIC, communication NUMERIC, free NUMERIC, stage NUMERIC, bubble NUMERIC, "
		  "communication_not_overlapped_and_exclude_receive NUMERIC, preparing NUMERIC)");
	st = db_insert(d, "StepTraceTime", 11);
	for (size_t i = 0; i < c->step.n && st; i++) {
		struct step_row r = step_row_make(c, &c->step.at[i]);
		const int64_t ns[] = { r.computing, r.not_overlapped, r.overlapped, r.communication, r.free, r.stage, 0,
			r.not_overlapped, r.preparing };
		snprintf(step, sizeof(step), "%d", c->step.at[i].number);
		sqlite3_bind_int64(st, 1, c->device);
		sqlite3_bind_text(st, 2, step, -1, SQLITE_TRANSIENT);
		for (int k = 0; k < 9; k++)
			bind_micro(st, k + 3, ns[k]);
		db_step(d, st);
	}
	db_end(d, st);
}

/* Milliseconds, but for the start time. */
static void analysis_comm(struct db *d, const struct capture *c)
{
	sqlite3_stmt *st;
	char name[64], group[24], step[16];

	db_run(d, "CREATE TABLE CommAnalyzerTime (hccl_op_name TEXT, group_name TEXT, start_timestamp NUMERIC, elapse_time NUMERIC, "
		  "transit_time NUMERIC, wait_time NUMERIC, synchronization_time NUMERIC, idle_time NUMERIC, step TEXT, type TEXT)");
	st = db_insert(d, "CommAnalyzerTime", 10);
	snprintf(group, sizeof(group), "%" PRIu64, c->group);
	for (size_t i = 0; i < c->comm.n && st; i++) {
		const struct comm_ev *e = &c->comm.at[i];
		int64_t idle = e->end - e->start - e->transit_ns - e->wait_ns;
		const int64_t ns[] = { e->end - e->start, e->transit_ns, e->wait_ns, e->sync_ns, idle > 0 ? idle : 0 };
		comm_name(e, c->group, name, sizeof(name));
		snprintf(step, sizeof(step), "step%d", e->step);
		sqlite3_bind_text(st, 1, name, -1, SQLITE_TRANSIENT);
		sqlite3_bind_text(st, 2, group, -1, SQLITE_TRANSIENT);
		bind_micro(st, 3, e->start);
		for (int k = 0; k < 5; k++)
			sqlite3_bind_double(st, k + 4, (double)ns[k] / 1000000.0);
		sqlite3_bind_text(st, 9, step, -1, SQLITE_TRANSIENT);
		sqlite3_bind_text(st, 10, "collective", -1, SQLITE_STATIC);
		db_step(d, st);
	}
	db_end(d, st);
}

static void analysis_bandwidth(struct db *d, const struct capture *c)
{
	static const char *const link[] = { "HCCS", "SDMA" };
	sqlite3_stmt *st;
	char name[64], group[24], step[16];

	db_run(d, "CREATE TABLE CommAnalyzerBandwidth (hccl_op_name TEXT, group_name TEXT, transport_type TEXT, transit_size NUMERIC, "
		  "transit_time NUMERIC, bandwidth NUMERIC, large_packet_ratio NUMERIC, package_size NUMERIC, count NUMERIC, "
		  "total_duration NUMERIC, step TEXT, type TEXT)");
	st = db_insert(d, "CommAnalyzerBandwidth", 12);
	snprintf(group, sizeof(group), "%" PRIu64, c->group);
	for (size_t i = 0; i < c->comm.n * 2 && st; i++) {
		const struct comm_ev *e = &c->comm.at[i / 2];
		bool hccs = i % 2 == 0;
		comm_name(e, c->group, name, sizeof(name));
		snprintf(step, sizeof(step), "step%d", e->step);
		sqlite3_bind_text(st, 1, name, -1, SQLITE_TRANSIENT);
		sqlite3_bind_text(st, 2, group, -1, SQLITE_TRANSIENT);
		sqlite3_bind_text(st, 3, link[i % 2], -1, SQLITE_STATIC);
		sqlite3_bind_double(st, 4, (double)e->desc->bytes / 1000000.0);
		sqlite3_bind_double(st, 5, (double)e->transit_ns / 1000000.0);
		sqlite3_bind_double(st, 6, (double)(e->desc->bytes * 10000 / e->transit_ns) / 10000.0);
		sqlite3_bind_int64(st, 7, 0);
		sqlite3_bind_double(st, 8, hccs ? (double)(e->desc->bytes / 8) / 1000000.0 : 0.0);
		sqlite3_bind_int64(st, 9, hccs ? 8 : 0);
		sqlite3_bind_double(st, 10, hccs ? (double)e->transit_ns / 1000000.0 : 0.0);
		sqlite3_bind_text(st, 11, step, -1, SQLITE_TRANSIENT);
		sqlite3_bind_text(st, 12, "collective", -1, SQLITE_STATIC);
		db_step(d, st);
	}
	db_end(d, st);
}

static void bind_int_text(sqlite3_stmt *st, int column, const char *before, int v)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%d", before, v);
	sqlite3_bind_text(st, column, text, -1, SQLITE_TRANSIENT);
}

static void matrix_rows(struct db *d, sqlite3_stmt *st, const struct capture *c, const char *suffix, const struct comm_sum *s,
	const struct comm_ev *e)
{
	char name[64], group[24];

	for (int peer = 0; peer < c->scenario->world; peer++) {
		struct comm_link link = comm_link_make(c, s, peer);
		snprintf(name, sizeof(name), "%s%s", e->desc->matrix, suffix);
		snprintf(group, sizeof(group), "%" PRIu64, c->group);
		sqlite3_clear_bindings(st);
		sqlite3_bind_text(st, 1, name, -1, SQLITE_TRANSIENT);
		sqlite3_bind_text(st, 2, group, -1, SQLITE_TRANSIENT);
		bind_int_text(st, 3, "", c->rank);
		bind_int_text(st, 4, "", peer);
		sqlite3_bind_text(st, 5, link.transport, -1, SQLITE_STATIC);
		sqlite3_bind_double(st, 6, (double)link.bytes / 1000000.0);
		sqlite3_bind_double(st, 7, (double)link.transit / 1000000.0);
		sqlite3_bind_double(st, 8, (double)(link.bytes * 10000 / link.transit) / 10000.0);
		bind_int_text(st, 9, "step", e->step);
		sqlite3_bind_text(st, 10, "collective", -1, SQLITE_STATIC);
		comm_name(e, c->group, name, sizeof(name));
		if (strcmp(suffix, "-total") != 0)
			sqlite3_bind_text(st, 11, name, -1, SQLITE_TRANSIENT);
		db_step(d, st);
	}
}

static void analysis_matrix(struct db *d, const struct capture *c)
{
	sqlite3_stmt *st;
	size_t at = 0;

	db_run(d, "CREATE TABLE CommAnalyzerMatrix (hccl_op_name TEXT, group_name TEXT, src_rank TEXT, dst_rank TEXT, "
		  "transport_type TEXT, transit_size NUMERIC, transit_time NUMERIC, bandwidth NUMERIC, step TEXT, type TEXT, "
		  "op_name TEXT)");
	st = db_insert(d, "CommAnalyzerMatrix", 11);
	for (size_t i = 0; i < c->step.n && st; i++) {
		struct comm_sum all, top;
		const struct comm_ev *best = comm_step(c, c->step.at[i].number, &at, &all, &top);
		if (best) {
			matrix_rows(d, st, c, "-top1", &top, best);
			matrix_rows(d, st, c, "-total", &all, best);
		}
	}
	db_end(d, st);
}

int db_write_analysis(const struct capture *c, const char *path)
{
	struct db d;

	if (db_open(&d, path) == 0) {
		analysis_steps(&d, c);
		analysis_comm(&d, c);
		analysis_bandwidth(&d, c);
		analysis_matrix(&d, c);
	}
	return db_close(&d);
}
