/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables CANN contributes to the profiler database: tasks, kernels,
 * collectives with their plane tasks, API calls, pipe metrics. globalTaskId is
 * the task's position in the sorted list; collectives have their own opId.
 */
#include "samples/db.h"

#include <string.h>

#define NONE 4294967295

struct ids {
	const char *name;
	int64_t id;
};

static int64_t find_id(const struct ids *list, size_t n, const char *name, int64_t otherwise)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].name, name) == 0)
			return list[i].id;
	return otherwise;
}

static void write_tasks(struct db *d, const struct capture *c)
{
	sqlite3_stmt *st;

	db_run(d, "CREATE TABLE TASK (startNs INTEGER,endNs INTEGER,deviceId INTEGER,connectionId INTEGER,globalTaskId INTEGER,"
		  "globalPid INTEGER,taskType INTEGER,contextId INTEGER,streamId INTEGER,taskId INTEGER,modelId INTEGER)");
	st = db_insert(d, "TASK", 11);
	for (size_t i = 0; i < c->task.n && st; i++) {
		const struct task_ev *t = &c->task.at[i];
		const int64_t row[] = { t->start, t->end, c->device, t->conn, (int64_t)i, c->host_pid,
			db_string(d, task_type_db(t), DB_CANN), NONE, t->stream, t->task_id, t->model };
		db_bind(st, 0, row, 11);
		db_step(d, st);
	}
	db_end(d, st);
	db_run(d, "CREATE INDEX TaskIndex ON TASK (startNs,globalTaskId)");
}

static void write_kernels(struct db *d, const struct capture *c)
{
	sqlite3_stmt *st;

	db_run(d, "CREATE TABLE COMPUTE_TASK_INFO (name INTEGER,globalTaskId INTEGER PRIMARY KEY,blockDim INTEGER,"
		  "mixBlockDim INTEGER,taskType INTEGER,opType INTEGER,inputFormats INTEGER,inputDataTypes INTEGER,"
		  "inputShapes INTEGER,outputFormats INTEGER,outputDataTypes INTEGER,outputShapes INTEGER,attrInfo INTEGER)");
	st = db_insert(d, "COMPUTE_TASK_INFO", 13);
	for (size_t i = 0; i < c->task.n && st; i++) {
		const struct kernel_desc *k = c->task.at[i].kernel;
		if (!k)
			continue;
		const int64_t row[] = { db_string(d, k->name, DB_CANN), (int64_t)i, k->blocks,
			strncmp(k->core, "MIX", 3) == 0 ? 2 * k->blocks : 0, db_string(d, k->core, DB_CANN),
			db_string(d, k->type, DB_CANN), db_string(d, k->in_formats, DB_CANN),
			db_string(d, k->in_types, DB_CANN), db_string(d, k->in_shapes, DB_CANN),
			db_string(d, k->out_formats, DB_CANN), db_string(d, k->out_types, DB_CANN),
			db_string(d, k->out_shapes, DB_CANN), db_string(d, "", DB_CANN) };
		db_bind(st, 0, row, 13);
		db_step(d, st);
	}
	db_end(d, st);
}

static int64_t pipe_time(int64_t ns, int share)
{
	return ns * share / 1000;
}

struct pmu {
	const char *time, *ratio;
	int share;
};

static void pmu_row(struct db *d, sqlite3_stmt *st, size_t task, const char *name, int64_t value, bool permille)
{
	sqlite3_bind_int64(st, 1, (int64_t)task);
	sqlite3_bind_int64(st, 2, db_string(d, name, DB_CANN));
	if (permille)
		sqlite3_bind_double(st, 3, (double)value / 1000.0);
	else
		sqlite3_bind_int64(st, 3, value);
	db_step(d, st);
}

static void kernel_pmu(struct db *d, sqlite3_stmt *st, size_t task, const struct task_ev *t)
{
	const struct pipes *p = &t->kernel->pipes;
	const struct pmu aic[] = {
		{ "aic_mac_time", "aic_mac_ratio", p->mac }, { "aic_scalar_time", "aic_scalar_ratio", p->scalar },
		{ "aic_mte1_time", "aic_mte1_ratio", p->mte1 }, { "aic_mte2_time", "aic_mte2_ratio", p->mte2 },
		{ "aic_fixpipe_time", "aic_fixpipe_ratio", p->fixpipe },
	};
	const struct pmu aiv[] = {
		{ "aiv_vec_time", "aiv_vec_ratio", p->vec }, { "aiv_scalar_time", "aiv_scalar_ratio", p->vscalar },
		{ "aiv_mte2_time", "aiv_mte2_ratio", p->vmte2 }, { "aiv_mte3_time", "aiv_mte3_ratio", p->vmte3 },
	};
	int64_t used = t->end - t->start - (t->end - t->start) / 64, cycles = used * 1800 / 1000 * t->kernel->blocks;
	bool cube = core_is_cube(t->kernel->core), vector = strcmp(t->kernel->core, "AI_CORE") != 0;

	pmu_row(d, st, task, "aic_total_time", cube ? used : 0, false);
	pmu_row(d, st, task, "aic_total_cycles", cube ? cycles : 0, false);
	for (size_t i = 0; cube && i < sizeof(aic) / sizeof(aic[0]); i++) {
		pmu_row(d, st, task, aic[i].time, pipe_time(used, aic[i].share), false);
		pmu_row(d, st, task, aic[i].ratio, aic[i].share, true);
	}
	pmu_row(d, st, task, "aiv_total_time", vector ? used : 0, false);
	pmu_row(d, st, task, "aiv_total_cycles", vector ? cycles : 0, false);
	for (size_t i = 0; vector && i < sizeof(aiv) / sizeof(aiv[0]); i++) {
		pmu_row(d, st, task, aiv[i].time, pipe_time(used, aiv[i].share), false);
		pmu_row(d, st, task, aiv[i].ratio, aiv[i].share, true);
	}
}

static void write_pmu(struct db *d, const struct capture *c)
{
	sqlite3_stmt *st;

	db_run(d, "CREATE TABLE TASK_PMU_INFO (globalTaskId INTEGER,name INTEGER,value NUMERIC)");
	st = db_insert(d, "TASK_PMU_INFO", 3);
	for (size_t i = 0; i < c->task.n && st; i++)
		if (c->task.at[i].kernel)
			kernel_pmu(d, st, i, &c->task.at[i]);
	db_end(d, st);
}

static void write_collectives(struct db *d, const struct capture *c)
{
	static const struct ids type[] = { { "FP16", 3 }, { "FP32", 4 }, { "BFP16", 11 } };
	sqlite3_stmt *st;
	char name[64];

	db_run(d, "CREATE TABLE COMMUNICATION_OP (opName INTEGER,startNs INTEGER,endNs INTEGER,connectionId INTEGER,"
		  "groupName INTEGER,opId INTEGER PRIMARY KEY,relay INTEGER,retry INTEGER,dataType INTEGER,algType INTEGER,"
		  "count NUMERIC,opType INTEGER,deviceId INTEGER)");
	st = db_insert(d, "COMMUNICATION_OP", 13);
	for (size_t i = 0; i < c->comm.n && st; i++) {
		const struct comm_ev *e = &c->comm.at[i];
		comm_name(e, c->group, name, sizeof(name));
		const int64_t row[] = { db_string(d, name, DB_CANN), e->start, e->end, e->conn,
			db_string(d, "127.0.0.1%lo_60000_0_1764576000000000", DB_CANN), (int64_t)i + 1, 0, 0,
			find_id(type, 3, e->desc->data_type, 65535), db_string(d, "MESH-RING", DB_CANN), e->desc->count,
			db_string(d, e->desc->api, DB_CANN), c->device };
		db_bind(st, 0, row, 13);
		db_step(d, st);
	}
	db_end(d, st);
}

static void write_parts(struct db *d, const struct capture *c)
{
	static const char *const name[] = { "Notify_Wait", "Memcpy", "Notify_Record", "Reduce_Inline" };
	sqlite3_stmt *st;
	char op[64];

	db_run(d, "CREATE TABLE COMMUNICATION_TASK_INFO (name INTEGER,globalTaskId INTEGER,taskType INTEGER,planeId INTEGER,"
		  "groupName INTEGER,notifyId INTEGER,rdmaType INTEGER,srcRank INTEGER,dstRank INTEGER,transportType INTEGER,"
		  "size INTEGER,dataType INTEGER,linkType INTEGER,opId INTEGER,isMaster INTEGER,bandwidth NUMERIC)");
	st = db_insert(d, "COMMUNICATION_TASK_INFO", 16);
	for (size_t i = 0; i < c->task.n && st; i++) {
		const struct task_ev *t = &c->task.at[i];
		if (t->kind != TASK_PART)
			continue;
		comm_name(&c->comm.at[t->comm], c->group, op, sizeof(op));
		const int64_t row[] = { db_string(d, op, DB_CANN), (int64_t)i, db_string(d, name[t->part], DB_CANN), t->plane,
			db_string(d, "127.0.0.1%lo_60000_0_1764576000000000", DB_CANN),
			t->bytes ? 0 : (int64_t)(t->plane + 1) << 32 | t->peer, 65535, c->rank, t->peer,
			t->part == PART_NOTIFY_WAIT ? 2 : 0, t->bytes, t->part == PART_REDUCE ? 11 : 65535,
			t->bytes ? 1 : 65535, t->comm + 1, 1, t->bytes * 1000000000 / (t->end - t->start) };
		db_bind(st, 0, row, 16);
		db_step(d, st);
	}
	db_end(d, st);
	db_run(d, "CREATE INDEX CommunicationTaskIndex ON COMMUNICATION_TASK_INFO (globalTaskId)");
}

static void write_copies(struct db *d, const struct capture *c)
{
	sqlite3_stmt *st;

	db_run(d, "CREATE TABLE MEMCPY_INFO (globalTaskId INTEGER,size NUMERIC,memcpyOperation INTEGER)");
	st = db_insert(d, "MEMCPY_INFO", 3);
	for (size_t i = 0; i < c->task.n && st; i++) {
		const struct task_ev *t = &c->task.at[i];
		const int64_t row[] = { (int64_t)i, t->bytes, t->to_host ? 2 : 1 };
		if (t->kind != TASK_COPY)
			continue;
		db_bind(st, 0, row, 3);
		db_step(d, st);
	}
	db_end(d, st);
}

static void write_api(struct db *d, const struct capture *c)
{
	static const int64_t type[] = { 20000, 10000, 15000, 5500 };
	sqlite3_stmt *st;

	db_run(d, "CREATE TABLE CANN_API (startNs INTEGER,endNs INTEGER,type INTEGER,globalTid INTEGER,"
		  "connectionId INTEGER PRIMARY KEY,name INTEGER)");
	st = db_insert(d, "CANN_API", 6);
	for (size_t i = 0; i < c->api.n && st; i++) {
		const struct api_ev *e = &c->api.at[i];
		const int64_t row[] = { e->start, e->end, type[e->level],
			c->host_pid << 32 | (e->acl_thread ? c->acl_tid : c->main_tid), e->conn,
			db_string(d, e->name, DB_CANN) };
		db_bind(st, 0, row, 6);
		db_step(d, st);
	}
	db_end(d, st);
}

void db_cann_tables(struct db *d, const struct capture *c)
{
	write_tasks(d, c);
	write_kernels(d, c);
	write_collectives(d, c);
	write_parts(d, c);
	write_copies(d, c);
	write_api(d, c);
	write_pmu(d, c);
}
