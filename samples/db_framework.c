/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The framework's and the fixed tables of the profiler database: PYTORCH_API
 * with its connection ids and call stacks, steps, memory, and the enumerations
 * and descriptions every file carries.
 */
#include "samples/db.h"

#include "samples/names.h"

#include <inttypes.h>
#include <stdio.h>

static const int64_t api_type[] = {
	[HOST_OP] = 50001, [HOST_STEP] = 50001, [HOST_FRAME] = 50003, [HOST_ENQUEUE] = 50002, [HOST_DEQUEUE] = 50002,
};

static void bind_ns_text(sqlite3_stmt *st, int column, int64_t ns)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, ns);
	sqlite3_bind_text(st, column, text, -1, SQLITE_TRANSIENT);
}

/* The operator's connection, or the queue's; -1 when it has none. */
static int64_t host_connection(const struct host_ev *e)
{
	return e->kind == HOST_ENQUEUE || e->kind == HOST_DEQUEUE ? e->correlation : e->first_conn ? e->first_conn : -1;
}

static void host_row(struct db *d, sqlite3_stmt *st, const struct capture *c, const struct host_ev *e, int64_t link)
{
	char text[NAME_SIZE], dims[NAME_SIZE], types[NAME_SIZE];
	bool op = e->kind == HOST_OP || e->kind == HOST_STEP;

	sqlite3_clear_bindings(st);
	bind_ns_text(st, 1, e->start);
	bind_ns_text(st, 2, e->end);
	sqlite3_bind_int64(st, 3, c->host_pid << 32 | (e->kind == HOST_DEQUEUE ? c->acl_tid : c->main_tid));
	if (link >= 0)
		sqlite3_bind_int64(st, 4, link);
	sqlite3_bind_int64(st, 5, db_string(d, host_name(e, text, sizeof(text)), DB_FRAMEWORK));
	if (op) {
		sqlite3_bind_int64(st, 6, -1);
		sqlite3_bind_int64(st, 7, 0);
	}
	if (host_dims(e, dims, types, sizeof(dims))) {
		sqlite3_bind_int64(st, 8, db_string(d, types, DB_FRAMEWORK));
		sqlite3_bind_int64(st, 9, db_string(d, dims, DB_FRAMEWORK));
	}
	if (host_stack(c, e))
		sqlite3_bind_int64(st, 10, 0);
	sqlite3_bind_int64(st, 11, api_type[e->kind]);
	db_step(d, st);
}

static void write_host(struct db *d, const struct capture *c)
{
	sqlite3_stmt *st;
	int64_t link = 0;

	db_run(d, "CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, name INTEGER, "
		  "sequenceNumber INTEGER, fwdThreadId INTEGER, inputDtypes INTEGER, inputShapes INTEGER, callchainId INTEGER, "
		  "type INTEGER)");
	st = db_insert(d, "PYTORCH_API", 11);
	for (size_t i = 0; i < c->host.n && st; i++) {
		const struct host_ev *e = &c->host.at[i];
		host_row(d, st, c, e, host_connection(e) >= 0 ? link++ : -1);
	}
	db_end(d, st);
	link = 0;
	db_run(d, "CREATE TABLE CONNECTION_IDS (id INTEGER, connectionId INTEGER)");
	st = db_insert(d, "CONNECTION_IDS", 2);
	for (size_t i = 0; i < c->host.n && st; i++) {
		const int64_t row[] = { link, host_connection(&c->host.at[i]) };
		if (row[1] < 0)
			continue;
		db_bind(st, 0, row, 2);
		db_step(d, st);
		link++;
	}
	db_end(d, st);
}

static void write_stacks(struct db *d)
{
	static const char *const frame[] = { "vllm_ascend/ops/linear.py(318): forward",
		"vllm_ascend/worker/model_runner_v1.py(2214): execute_model", "vllm/v1/worker/worker_base.py(97): <lambda>" };
	sqlite3_stmt *st;

	db_run(d, "CREATE TABLE PYTORCH_CALLCHAINS (id INTEGER, stack INTEGER, stackDepth INTEGER)");
	st = db_insert(d, "PYTORCH_CALLCHAINS", 3);
	for (int i = 0; i < 3 && st; i++) {
		const int64_t row[] = { 0, db_string(d, frame[i], DB_FRAMEWORK), i };
		db_bind(st, 0, row, 3);
		db_step(d, st);
	}
	db_end(d, st);
}

static void write_steps(struct db *d, const struct capture *c)
{
	sqlite3_stmt *st;

	db_run(d, "CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER)");
	st = db_insert(d, "STEP_TIME", 3);
	for (size_t i = 0; i < c->step.n && st; i++) {
		const int64_t row[] = { c->step.at[i].number, c->step.at[i].start, c->step.at[i].end };
		db_bind(st, 0, row, 3);
		db_step(d, st);
	}
	db_end(d, st);
}

static void write_memory(struct db *d, const struct capture *c)
{
	sqlite3_stmt *st;

	db_run(d, "CREATE TABLE MEMORY_RECORD (component INTEGER, timestamp INTEGER, totalAllocated INTEGER, totalReserved INTEGER, "
		  "totalActive INTEGER, streamPtr INTEGER, deviceId INTEGER)");
	st = db_insert(d, "MEMORY_RECORD", 7);
	for (size_t i = 0; i < c->mem.n * 2 && st; i++) {
		const struct mem_ev *e = &c->mem.at[i / 2];
		const int64_t row[] = { db_string(d, i % 2 ? "PTA+GE" : "PTA", DB_FRAMEWORK), e->at, e->total, 13958643712,
			e->total, 281470681743360, c->device };
		db_bind(st, 0, row, 7);
		db_step(d, st);
	}
	db_end(d, st);
	db_run(d, "CREATE TABLE OP_MEMORY (name INTEGER, size INTEGER, allocationTime INTEGER, releaseTime INTEGER, "
		  "activeReleaseTime INTEGER, duration INTEGER, activeDuration INTEGER, allocationTotalAllocated INTEGER, "
		  "allocationTotalReserved INTEGER, allocationTotalActive INTEGER, releaseTotalAllocated INTEGER, "
		  "releaseTotalReserved INTEGER, releaseTotalActive INTEGER, streamPtr INTEGER, deviceId INTEGER)");
	st = db_insert(d, "OP_MEMORY", 15);
	for (size_t i = 0; i < c->mem.n && st; i++) {
		const struct mem_ev *e = &c->mem.at[i];
		int64_t after = e->total - e->bytes, took = e->release - e->at;
		const int64_t row[] = { db_string(d, e->name, DB_FRAMEWORK), e->bytes, e->at, e->release, e->release, took, took,
			e->total, 13958643712, e->total, after, 13958643712, after, 281470681743360, c->device };
		db_bind(st, 0, row, 15);
		db_step(d, st);
	}
	db_end(d, st);
}

void db_framework_tables(struct db *d, const struct capture *c)
{
	write_host(d, c);
	if (c->scenario->flags & SF_FRAMES)
		write_stacks(d);
	write_steps(d, c);
	write_memory(d, c);
}

static const char fixed_tables[] =
	"CREATE TABLE NPU_INFO (id INTEGER,name TEXT);"
	"CREATE TABLE HOST_INFO (hostUid TEXT,hostName TEXT);"
	"CREATE TABLE SESSION_TIME_INFO (startTimeNs INTEGER,endTimeNs INTEGER);"
	"CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER);"
	"CREATE TABLE META_DATA (name TEXT,value TEXT);"
	"CREATE TABLE AICORE_FREQ (deviceId INTEGER,timestampNs NUMERIC,freq INTEGER);"
	"CREATE TABLE ENUM_API_TYPE (id INTEGER PRIMARY KEY,name TEXT);"
	"CREATE TABLE ENUM_HCCL_DATA_TYPE (id INTEGER PRIMARY KEY,name TEXT);"
	"CREATE TABLE ENUM_HCCL_LINK_TYPE (id INTEGER PRIMARY KEY,name TEXT);"
	"CREATE TABLE ENUM_HCCL_TRANSPORT_TYPE (id INTEGER PRIMARY KEY,name TEXT);"
	"CREATE TABLE ENUM_HCCL_RDMA_TYPE (id INTEGER PRIMARY KEY,name TEXT);"
	"CREATE TABLE ENUM_MEMCPY_OPERATION (id INTEGER PRIMARY KEY,name TEXT);"
	"INSERT INTO HOST_INFO VALUES('3538958389648580163','atlas800');"
	"INSERT INTO META_DATA VALUES('SCHEMA_VERSION_MICRO','0'),('SCHEMA_VERSION_MINOR','1'),('SCHEMA_VERSION_MAJOR','1'),"
	"('SCHEMA_VERSION','1.1.0');"
	"INSERT INTO ENUM_API_TYPE VALUES(5000,'runtime'),(5500,'communication'),(10000,'node'),(15000,'model'),(20000,'acl'),"
	"(50001,'op'),(50002,'queue'),(50003,'trace'),(50004,'mstx');"
	"INSERT INTO ENUM_HCCL_DATA_TYPE VALUES(0,'INT8'),(1,'INT16'),(2,'INT32'),(3,'FP16'),(4,'FP32'),(5,'INT64'),(6,'UINT64'),"
	"(7,'UINT8'),(8,'UINT16'),(9,'UINT32'),(10,'FP64'),(11,'BFP16'),(12,'INT128'),(65534,'N/A'),(65535,'INVALID_TYPE');"
	"INSERT INTO ENUM_HCCL_LINK_TYPE VALUES(0,'ON_CHIP'),(1,'HCCS'),(2,'PCIE'),(3,'ROCE'),(4,'SIO'),(5,'HCCS_SW'),"
	"(6,'STANDARD_ROCE'),(7,'RESERVED'),(65534,'N/A'),(65535,'INVALID_TYPE');"
	"INSERT INTO ENUM_HCCL_TRANSPORT_TYPE VALUES(0,'SDMA'),(1,'RDMA'),(2,'LOCAL'),(65534,'N/A'),(65535,'INVALID_TYPE');"
	"INSERT INTO ENUM_HCCL_RDMA_TYPE VALUES(0,'RDMA_SEND_NOTIFY'),(1,'RDMA_SEND_PAYLOAD'),(65534,'N/A'),(65535,'INVALID_TYPE');"
	"INSERT INTO ENUM_MEMCPY_OPERATION VALUES(0,'host to host'),(1,'host to device'),(2,'device to host'),"
	"(3,'device to device'),(65535,'other');";

void db_fixed_tables(struct db *d, const struct capture *c)
{
	struct span all = capture_span(c);
	char sql[512];

	db_run(d, fixed_tables);
	snprintf(sql, sizeof(sql),
		"INSERT INTO NPU_INFO VALUES(%d,'Ascend910B'); INSERT INTO RANK_DEVICE_MAP VALUES(%d,%d);"
		"INSERT INTO SESSION_TIME_INFO VALUES(%" PRId64 ",%" PRId64 ");"
		"INSERT INTO AICORE_FREQ VALUES(%d,%" PRId64 ",1800),(%d,%" PRId64 ",1800);",
		c->device, c->rank, c->device, all.start - 5000000, all.end + 5000000, c->device, all.start, c->device, all.end);
	db_run(d, sql);
}
