/* SPDX-License-Identifier: Apache-2.0 */
/* Databases to tables and communication, and the rest of an event on demand: small databases whose result is worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/help/db_make.h"
#include "tests/help/tmpdir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char dir[256], path[512];

static int setup(void **state)
{
	(void)state;
	tmpdir_make(dir, sizeof dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tmpdir_remove(dir);
	return 0;
}

static void load(struct db_loaded *l, const char *sql)
{
	db_make(dir, "x.db", sql, path, sizeof path);
	db_loaded_open(l, path);
	assert_int_equal(l->err, ERR_OK);
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

#define STRINGS "CREATE TABLE STRING_IDS(id INTEGER PRIMARY KEY, value TEXT);"
#define TASK "CREATE TABLE TASK(startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER," \
	"globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);"
#define COMPUTE "CREATE TABLE COMPUTE_TASK_INFO(name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockNum INTEGER, mixBlockNum INTEGER," \
	"taskType INTEGER, opType INTEGER, inputFormats INTEGER, inputDataTypes INTEGER, inputShapes INTEGER, outputFormats INTEGER," \
	"outputDataTypes INTEGER, outputShapes INTEGER, attrInfo INTEGER, opState INTEGER, hf32Eligible INTEGER, blockDim INTEGER);"
#define KERNEL_TEXTS "INSERT INTO STRING_IDS VALUES(1,'MatMul_1'),(2,'AI_CORE'),(3,'MatMulV2'),(4,'ND;ND'),(5,'FLOAT16;FLOAT16'),(6,'\"8," \
	"16;16,4\"')," \
	"(7,'N/A'),(8,'dynamic'),(9,'NO'),(10,'Add_2'),(11,'AI_VECTOR_CORE'),(12,'Add'),(13,'HCCL_AI_CPU'),(20,'aic_total_time'),(21," \
	"'aic_mac_ratio')," \
	"(22,'aic_total_cycles'),(23,'aiv_total_time'),(24,'aiv_mte1_time'),(25,'aic_main_mem_read_bw'),(26,'aiv_mac_ratio'),(30,'launch');"

/* ---- kernel_details ---- */

static void test_kernels(void **state)
{
	struct db_loaded l;

	(void)state;
	load(&l, STRINGS KERNEL_TEXTS TASK COMPUTE
		"INSERT INTO COMPUTE_TASK_INFO VALUES(1,100,24,0,2,3,4,5,6,4,5,6,7,8,9,999),(10,101,8,NULL,11,12,7,7,7,7,7,7,7,7,7,7),"
		"(10,102,1,0,13,12,7,7,7,7,7,7,7,7,7,7);"
		"INSERT INTO TASK VALUES(5000,5600,0,2,101,3,0,0,2,8,4294967295),(1000,4000,0,1,100,3,0,4294967295,2,7,1),"
		"(9000,9100,0,3,102,3,0,4294967295,2,9,1),"
		"(9500,9600,0,3,555,3,0,4294967295,2,10,1);"
		"CREATE TABLE TASK_PMU_INFO(globalTaskId INTEGER, name INTEGER, value NUMERIC);"
		"INSERT INTO TASK_PMU_INFO VALUES(100,20,2500),(100,21,0.5),(100,22,4096),(100,25,3221225472),(101,23,250.5),(101,24,0),"
		"(101,26,0),(100,24,0),(999,20,1),(101,7,1);");
	assert_int_equal(l.tables[ART_KERNEL_DETAILS]->nrows, 2);		/* by start; the scheduler of a collective is no operator */
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_NAME, 0), "MatMul_1");
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_TYPE, 0), "MatMulV2");
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_CORE, 0), "AI_CORE");
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_STATE, 0), "dynamic");
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_HF32, 0), "NO");
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_INPUT_SHAPES, 0), "\"8,16;16,4\"");
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_OUTPUT_TYPES, 0), "FLOAT16;FLOAT16");
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_INPUT_SHAPES, 1), "");
	assert_int_equal(db_loaded_int(&l, ART_KERNEL_DETAILS, COL_START, 0), 1000);
	assert_int_equal(db_loaded_int(&l, ART_KERNEL_DETAILS, COL_DURATION, 0), 3000);
	assert_int_equal(db_loaded_int(&l, ART_KERNEL_DETAILS, COL_WAIT, 0), 0);
	assert_int_equal(db_loaded_int(&l, ART_KERNEL_DETAILS, COL_WAIT, 1), 1000);
	assert_int_equal(db_loaded_int(&l, ART_KERNEL_DETAILS, COL_BLOCK_DIM, 0), 24);	/* blockNum, not the threads in blockDim */
	assert_int_equal(db_loaded_int(&l, ART_KERNEL_DETAILS, COL_MIX_BLOCK_DIM, 1), NO_INT);
	assert_int_equal(db_loaded_int(&l, ART_KERNEL_DETAILS, COL_MODEL_ID, 1), 4294967295);
	assert_int_equal(db_loaded_int(&l, ART_KERNEL_DETAILS, COL_CONTEXT_ID, 0), NO_INT);
	assert_int_equal(db_loaded_int(&l, ART_KERNEL_DETAILS, COL_CONTEXT_ID, 1), 0);
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_STEP, 0), "");
	/* ns to us, bytes per second to GB/s */
	assert_true(near(db_loaded_metric(&l, ART_KERNEL_DETAILS, "aicore_time", 0), 2.5));
	assert_true(near(db_loaded_metric(&l, ART_KERNEL_DETAILS, "aic_mac_ratio", 0), 0.5));
	assert_true(near(db_loaded_metric(&l, ART_KERNEL_DETAILS, "aic_total_cycles", 0), 4096));
	assert_true(near(db_loaded_metric(&l, ART_KERNEL_DETAILS, "aic_main_mem_read_bw", 0), 3));
	assert_true(near(db_loaded_metric(&l, ART_KERNEL_DETAILS, "aiv_time", 1), 0.2505));
	assert_true(isnan(db_loaded_metric(&l, ART_KERNEL_DETAILS, "aiv_time", 0)));
	/* units that the core does not have: all zero, left out as in the text export */
	assert_null(table_metric(l.tables[ART_KERNEL_DETAILS], &l.names, "aiv_mte1_time"));
	assert_null(table_metric(l.tables[ART_KERNEL_DETAILS], &l.names, "aiv_mac_ratio"));
	assert_string_equal(names_text(&l.names, l.info.aic_metrics), "Memory");
	db_loaded_done(&l);
}

/* A graph runs the same task again: one row of COMPUTE_TASK_INFO, two of TASK, two values of each counter. */
static void test_kernel_runs_again(void **state)
{
	struct db_loaded l;

	(void)state;
	load(&l, STRINGS KERNEL_TEXTS TASK COMPUTE "INSERT INTO COMPUTE_TASK_INFO(name,globalTaskId,taskType,opType) VALUES(1,100,2,3),"
		"(10,101,11,12);"
		"INSERT INTO TASK VALUES(1000,2000,0,1,100,3,0,4294967295,2,7,1),(3000,3500,0,1,101,3,0,4294967295,2,8,1),"
		"(4000,4700,0,1,100,3,0,4294967295,2,7,1);"
		"CREATE TABLE TASK_PMU_INFO(globalTaskId INTEGER, name INTEGER, value NUMERIC);"
		"INSERT INTO TASK_PMU_INFO VALUES(100,21,0.25),(101,21,0.5),(100,21,0.75),(100,22,11),(100,22,12),(100,22,13);");
	assert_int_equal(l.tables[ART_KERNEL_DETAILS]->nrows, 3);
	assert_true(near(db_loaded_metric(&l, ART_KERNEL_DETAILS, "aic_mac_ratio", 0), 0.25));
	assert_true(near(db_loaded_metric(&l, ART_KERNEL_DETAILS, "aic_mac_ratio", 1), 0.5));
	assert_true(near(db_loaded_metric(&l, ART_KERNEL_DETAILS, "aic_mac_ratio", 2), 0.75));
	assert_true(near(db_loaded_metric(&l, ART_KERNEL_DETAILS, "aic_total_cycles", 0), 11));
	assert_true(near(db_loaded_metric(&l, ART_KERNEL_DETAILS, "aic_total_cycles", 2), 12));
	/* op_statistic: MatMulV2 2 runs, 1700 ns of 2200; Add 500 */
	assert_int_equal(l.tables[ART_OP_STATISTIC]->nrows, 2);
	assert_string_equal(db_loaded_text(&l, ART_OP_STATISTIC, COL_TYPE, 0), "MatMulV2");
	assert_string_equal(db_loaded_text(&l, ART_OP_STATISTIC, COL_CORE, 0), "AI_CORE");
	assert_int_equal(db_loaded_int(&l, ART_OP_STATISTIC, COL_COUNT, 0), 2);
	assert_int_equal(db_loaded_int(&l, ART_OP_STATISTIC, COL_TOTAL_TIME, 0), 1700);
	assert_int_equal(db_loaded_int(&l, ART_OP_STATISTIC, COL_MIN_TIME, 0), 700);
	assert_int_equal(db_loaded_int(&l, ART_OP_STATISTIC, COL_AVG_TIME, 0), 850);
	assert_int_equal(db_loaded_int(&l, ART_OP_STATISTIC, COL_MAX_TIME, 0), 1000);
	assert_true(near(db_loaded_num(&l, ART_OP_STATISTIC, COL_RATIO, 0), 77.273));
	assert_true(near(db_loaded_num(&l, ART_OP_STATISTIC, COL_RATIO, 1), 22.727));
	db_loaded_done(&l);
}

/* 10 007 kernels on two devices, 1 000 ns apart and i % 700 ns long, handed over backwards; the third of every ten has no shapes. */
static void test_many_kernels(void **state)
{
	const size_t n = 10007;
	struct db_loaded l;
	int64_t sum = 0;

	(void)state;
	load(&l, STRINGS KERNEL_TEXTS TASK COMPUTE
		"INSERT INTO COMPUTE_TASK_INFO(name,globalTaskId,taskType,opType,inputShapes,"
		"blockNum) WITH RECURSIVE c(x) AS (SELECT 0 UNION ALL "
		"SELECT x+1 FROM c WHERE x<10006) SELECT 1, x, 2, 3, CASE WHEN x%10=3 THEN NULL ELSE 6 END, x FROM c;"
		"INSERT INTO TASK WITH RECURSIVE c(x) AS (SELECT 10006 UNION ALL SELECT x-1 FROM c WHERE x>0) "
		"SELECT 1000000+x*1000, 1000000+x*1000+x%700, x/5000%2, x, x, 3, 0, 4294967295, 2, x%65536, 1 FROM c;"
		"CREATE TABLE TASK_PMU_INFO(globalTaskId INTEGER, name INTEGER, value NUMERIC);"
		"INSERT INTO TASK_PMU_INFO SELECT globalTaskId, 22, globalTaskId*2 FROM COMPUTE_TASK_INFO;");
	assert_int_equal(l.tables[ART_KERNEL_DETAILS]->nrows, n);
	assert_int_equal(l.tables[ART_KERNEL_DETAILS]->account.kept, n);
	for (size_t row = 0; row < n; row++) {
		size_t i = row < 5007 ? row < 5000 ? row : row + 5000 : row - 7;	/* device 0: 0 to 4999, 10000 to 10006 */
		int64_t wait = i == 0 || i == 5000 ? 0 : i == 10000 ? 5001 * 1000 - 4999 % 700 : (int64_t)(1000 - (i - 1) % 700);

		assert_int_equal(db_loaded_int(&l, ART_KERNEL_DETAILS, COL_START, row), 1000000 + i * 1000);
		assert_int_equal(db_loaded_int(&l, ART_KERNEL_DETAILS, COL_DURATION, row), i % 700);
		assert_int_equal(db_loaded_int(&l, ART_KERNEL_DETAILS, COL_WAIT, row), wait);
		assert_int_equal(db_loaded_int(&l, ART_KERNEL_DETAILS, COL_DEVICE_ID, row), i / 5000 % 2);
		assert_int_equal(db_loaded_int(&l, ART_KERNEL_DETAILS, COL_BLOCK_DIM, row), i);
		assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_INPUT_SHAPES, row), i % 10 == 3 ? "" : "\"8,16;16,4\"");
		assert_true(near(db_loaded_metric(&l, ART_KERNEL_DETAILS, "aic_total_cycles", row), (double)i * 2));
		sum += i < 5000 || i >= 10000 ? (int64_t)(i % 700) : 0;
	}
	assert_int_equal(l.tables[ART_OP_STATISTIC]->nrows, 2);
	assert_int_equal(db_loaded_int(&l, ART_OP_STATISTIC, COL_COUNT, 0), 5007);
	assert_int_equal(db_loaded_int(&l, ART_OP_STATISTIC, COL_TOTAL_TIME, 0), sum);
	assert_true(near(db_loaded_num(&l, ART_OP_STATISTIC, COL_RATIO, 1), 100));
	db_loaded_done(&l);
}

/* Step 5 launches 1 and 2, step 6 launches 3; the device runs late: 2 begins when step 6 has begun on the host. */
static void test_kernel_steps(void **state)
{
	struct db_loaded l;

	(void)state;
	load(&l, STRINGS KERNEL_TEXTS TASK COMPUTE "INSERT INTO COMPUTE_TASK_INFO(name,globalTaskId,taskType,opType) VALUES(1,100,2,3),"
		"(1,101,2,3),(1,102,2,3),(1,103,2,3);"
		"CREATE TABLE STEP_TIME(id INTEGER, startNs INTEGER, endNs INTEGER); INSERT INTO STEP_TIME VALUES(6,2000,3000),"
		"(5,1000,2000);"
		"CREATE TABLE CANN_API(startNs,endNs,type,globalTid,connectionId,name); INSERT INTO CANN_API VALUES(1100,1110,10000,1,1,"
		"30),(1200,1210,10000,1,2,30),(2100,2110,10000,1,3,30),"
		"(1300,1310,5000,1,4,30);"
		"INSERT INTO TASK VALUES(1500,1600,0,1,100,3,0,4294967295,2,7,1),(2500,2600,0,2,101,3,0,4294967295,2,8,1),"
		"(2700,2800,0,3,102,3,0,4294967295,2,9,1),"
		"(500,600,0,4,103,3,0,4294967295,2,10,1);");
	assert_int_equal(l.tables[ART_KERNEL_DETAILS]->nrows, 4);
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_STEP, 0), "");
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_STEP, 1), "5");
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_STEP, 2), "5");
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_STEP, 3), "6");
	db_loaded_done(&l);
}

/* A text export of the same run came first: its rows stay, and are not there twice. */
static void test_tables_there_already(void **state)
{
	struct names names;
	struct table *tables[ART_MAX] = { 0 };
	struct table full = { .kind = ART_MEMORY_RECORD, .nrows = 3 }, none = { .kind = ART_NPU_MODULE_MEM };
	struct db_target t = { .names = &names, .tables = tables };

	(void)state;
	db_make(dir, "x.db", STRINGS "INSERT INTO STRING_IDS VALUES(1,'PTA');"
		"CREATE TABLE MEMORY_RECORD(component,timestamp,totalAllocated,totalReserved,totalActive,streamPtr,"
		"deviceId); INSERT INTO MEMORY_RECORD VALUES(1,5,6,7,8,9,0);"
		"CREATE TABLE NPU_MODULE_MEM(moduleId,timestampNs,totalReserved,deviceId); INSERT INTO NPU_MODULE_MEM VALUES(3,5,6,0);",
		path, sizeof path);
	names_init(&names);
	tables[ART_MEMORY_RECORD] = &full;
	tables[ART_NPU_MODULE_MEM] = &none;
	assert_int_equal(db_load_profiler(path, &t, NULL, NULL), ERR_OK);
	assert_ptr_equal(tables[ART_MEMORY_RECORD], &full);
	assert_int_equal(full.nrows, 3);
	assert_ptr_equal(tables[ART_NPU_MODULE_MEM], &none);
	assert_int_equal(none.nrows, 1);
	table_done(&none);
	names_done(&names);
}

/* ---- memory ---- */

static void test_memory(void **state)
{
	struct db_loaded l;

	(void)state;
	load(&l, STRINGS "INSERT INTO STRING_IDS VALUES(536870912,'GE'),(536870913,'PTA'),(536870914,'PTA+GE'),(536870915,'aten::empty'),"
		"(3,'app'),(4,'device');"
		"CREATE TABLE NPU_MEM(type,ddr,hbm,timestampNs,deviceId); INSERT INTO NPU_MEM VALUES(3,1,2048,10,1),(4,0,4096,11,1);"
		"CREATE TABLE MEMORY_RECORD(component,timestamp,totalAllocated,totalReserved,totalActive,streamPtr,deviceId);"
		"INSERT INTO MEMORY_RECORD VALUES(536870913,20,981462016,1522532352,981462016,897461056,1),"
		"(536870912,21,51511296,78381056,0,NULL,1),(536870914,22,1,2,0,5,1);"
		"CREATE TABLE OP_MEMORY(name,size,allocationTime,releaseTime,activeReleaseTime,duration,activeDuration,"
		"allocationTotalAllocated,allocationTotalReserved,"
		"allocationTotalActive,releaseTotalAllocated,releaseTotalReserved,releaseTotalActive,streamPtr,deviceId);"
		"INSERT INTO OP_MEMORY VALUES(536870915,512,100,NULL,NULL,NULL,NULL,1000,2000,3000,NULL,NULL,NULL,7,1),"
		"(536870915,1024,100,150,140,50,40,1,2,3,4,5,6,7,1);"
		"CREATE TABLE ENUM_MODULE(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO ENUM_MODULE VALUES(3,'HCCL');"
		"CREATE TABLE NPU_MODULE_MEM(moduleId,timestampNs,totalReserved,deviceId); INSERT INTO NPU_MODULE_MEM VALUES(3,30,"
		"423690240,1),(99,31,0,1);");
	assert_int_equal(l.tables[ART_MEMORY_RECORD]->nrows, 4);
	assert_string_equal(db_loaded_text(&l, ART_MEMORY_RECORD, COL_COMPONENT, 0), "APP");
	assert_int_equal(db_loaded_int(&l, ART_MEMORY_RECORD, COL_RESERVED, 0), 2049);
	assert_int_equal(db_loaded_int(&l, ART_MEMORY_RECORD, COL_ALLOCATED, 0), NO_INT);
	assert_string_equal(db_loaded_text(&l, ART_MEMORY_RECORD, COL_COMPONENT, 1), "PTA");
	assert_int_equal(db_loaded_int(&l, ART_MEMORY_RECORD, COL_START, 1), 20);
	assert_int_equal(db_loaded_int(&l, ART_MEMORY_RECORD, COL_ACTIVE, 1), 981462016);
	assert_string_equal(db_loaded_text(&l, ART_MEMORY_RECORD, COL_STREAM_PTR, 1), "897461056");
	assert_string_equal(db_loaded_text(&l, ART_MEMORY_RECORD, COL_DEVICE, 1), "NPU:1");
	assert_int_equal(db_loaded_int(&l, ART_MEMORY_RECORD, COL_ACTIVE, 2), NO_INT);	/* GE */
	assert_int_equal(db_loaded_int(&l, ART_MEMORY_RECORD, COL_ACTIVE, 3), 0);
	assert_int_equal(l.tables[ART_OPERATOR_MEMORY]->nrows, 2);
	assert_string_equal(db_loaded_text(&l, ART_OPERATOR_MEMORY, COL_NAME, 0), "aten::empty");
	assert_int_equal(db_loaded_int(&l, ART_OPERATOR_MEMORY, COL_SIZE, 0), 512);
	assert_int_equal(db_loaded_int(&l, ART_OPERATOR_MEMORY, COL_RELEASE_TIME, 0), NO_INT);
	assert_int_equal(db_loaded_int(&l, ART_OPERATOR_MEMORY, COL_DURATION, 1), 50);
	assert_int_equal(db_loaded_int(&l, ART_OPERATOR_MEMORY, COL_ACTIVE_DURATION, 1), 40);
	assert_int_equal(db_loaded_int(&l, ART_OPERATOR_MEMORY, COL_REL_ACTIVE, 1), 6);
	assert_int_equal(l.tables[ART_NPU_MODULE_MEM]->nrows, 2);
	assert_string_equal(db_loaded_text(&l, ART_NPU_MODULE_MEM, COL_COMPONENT, 0), "HCCL");
	assert_string_equal(db_loaded_text(&l, ART_NPU_MODULE_MEM, COL_COMPONENT, 1), "99");
	assert_int_equal(db_loaded_int(&l, ART_NPU_MODULE_MEM, COL_RESERVED, 0), 423690240);
	db_loaded_done(&l);
}

/* ---- analysis.db ---- */

static const struct comm_op *op_named(const struct db_loaded *l, const char *name, int rank)
{
	for (size_t i = 0; i < l->comm.nops; i++)
		if (!strcmp(names_text(&l->names, l->comm.ops[i].name), name) && l->comm.ops[i].rank == rank)
			return &l->comm.ops[i];
	return NULL;
}

static void test_analysis(void **state)
{
	struct db_loaded l;
	const struct comm_op *op;
	const struct comm_transport *t;

	(void)state;
	load(&l, "CREATE TABLE StepTraceTime(deviceId INTEGER, step TEXT, computing NUMERIC, communication_not_overlapped NUMERIC,"
		" free NUMERIC, preparing NUMERIC);"
		"INSERT INTO StepTraceTime VALUES(3,'13',158558.00000000032,0,12.5,NULL);"
		"CREATE TABLE CommAnalyzerTime(hccl_op_name TEXT, group_name TEXT, start_timestamp NUMERIC, elapse_time NUMERIC,"
		" transit_time NUMERIC, wait_time NUMERIC,"
		"synchronization_time NUMERIC, idle_time NUMERIC, step TEXT, type TEXT);"
		"INSERT INTO CommAnalyzerTime VALUES('a__1','11978775601474615865',1736408883732241.5,79.08952021875,0.25,5.5,1e-05,0,"
		"'step13','collective'),"
		"('s__2','22',1736410576520400,1,1,1,1,NULL,'step13','p2p'),('Total Op Info','11',0,80,0.25,5.5,0,0,'step13','');"
		"CREATE TABLE CommAnalyzerBandwidth(hccl_op_name TEXT, group_name TEXT, transport_type TEXT, transit_size NUMERIC,"
		" transit_time NUMERIC, bandwidth NUMERIC,"
		"large_packet_ratio NUMERIC, package_size NUMERIC, count NUMERIC, total_duration NUMERIC, step TEXT, type TEXT);"
		"INSERT INTO CommAnalyzerBandwidth VALUES('s__2','22','HCCS',1,0.5,2,0,8.388608,1,0.5,'step13','p2p'),"
		"('a__1','11978775601474615865','HCCS',28.5,1.5,15.7,0.25,2.064384,12,1.25,'step13','collective'),"
		"('a__1','11978775601474615865','SDMA',28.5,1.5,15.7,0,0,0,0,'step13','collective'),"
		"('a__1','11978775601474615865','HCCS',28.5,1.5,15.7,0.25,4e-06,2,0.24,'step13','collective'),"
		"('zzz','11','HCCS',1,1,1,1,1,1,1,'step13','collective'),"
		"('a__1','11978775601474615865','HCCS',1,1,1,1,1,1,1,'step14','collective');"
		"CREATE TABLE CommAnalyzerMatrix(hccl_op_name TEXT, group_name TEXT, src_rank TEXT, dst_rank TEXT, transport_type TEXT,"
		" transit_size NUMERIC, transit_time NUMERIC,"
		"bandwidth NUMERIC, step TEXT, type TEXT, op_name TEXT);"
		"INSERT INTO CommAnalyzerMatrix VALUES('allreduce-top1','11','0','11','HCCS',37.5,2.25,16.9,'step13','collective','a__1'),"
		"('send','22','x','4294967295','HCCS',1,1,1,'step13','p2p',NULL);");
	assert_int_equal(l.tables[ART_STEP_TRACE_TIME]->nrows, 1);
	assert_string_equal(db_loaded_text(&l, ART_STEP_TRACE_TIME, COL_STEP, 0), "13");
	assert_int_equal(db_loaded_int(&l, ART_STEP_TRACE_TIME, COL_DEVICE_ID, 0), 3);
	assert_true(near(db_loaded_num(&l, ART_STEP_TRACE_TIME, COL_COMPUTING, 0), 158558.00000000032));
	assert_true(isnan(db_loaded_num(&l, ART_STEP_TRACE_TIME, COL_PREPARING, 0)));
	assert_int_equal(l.comm.nops, 3);
	assert_int_equal(l.comm.skipped, 2);			/* bandwidth of no operator */
	op = op_named(&l, "a__1", -1);
	assert_non_null(op);
	assert_int_equal(op->start_ns, 1736408883732241500);
	assert_int_equal(op->elapse_ns, 79089520);
	assert_int_equal(op->sync_ns, 10);
	assert_int_equal(op->idle_ns, 0);
	assert_false(op->p2p);
	assert_string_equal(names_text(&l.names, op->group), "11978775601474615865");
	assert_string_equal(names_text(&l.names, op->step), "step13");
	assert_int_equal(op->ntransports, 2);
	t = &l.comm.transports[op->first_transport];
	assert_string_equal(names_text(&l.names, t->kind), "HCCS");
	assert_true(near(t->size_mb, 28.5));
	assert_int_equal(t->transit_ns, 1500000);
	assert_int_equal(t->npackets, 2);
	assert_int_equal(l.comm.packets[t->first_packet].count, 12);
	assert_int_equal(l.comm.packets[t->first_packet].total_ns, 1250000);
	assert_true(near(l.comm.packets[t->first_packet + 1].size_mb, 4e-06));
	assert_int_equal(t[1].npackets, 0);
	op = op_named(&l, "s__2", -1);
	assert_true(op->p2p);
	assert_int_equal(op->idle_ns, NO_TIME);
	assert_int_equal(op->ntransports, 1);
	op = op_named(&l, "Total Op Info", -1);
	assert_true(op->total);
	assert_int_equal(op->start_ns, NO_TIME);
	assert_int_equal(l.comm.nedges, 2);
	assert_int_equal(l.comm.edges[0].src, 0);
	assert_int_equal(l.comm.edges[0].dst, 11);
	assert_int_equal(l.comm.edges[0].transit_ns, 2250000);
	assert_string_equal(names_text(&l.names, l.comm.edges[0].op_name), "a__1");
	assert_int_equal(l.comm.edges[1].src, -1);
	assert_int_equal(l.comm.edges[1].dst, -1);
	assert_true(l.comm.edges[1].p2p);
	assert_string_equal(names_text(&l.names, l.comm.edges[1].op_name), "send");
	db_loaded_done(&l);
}

static void test_cluster(void **state)
{
	struct db_loaded l;
	const struct comm_op *op;

	(void)state;
	load(&l, "CREATE TABLE ClusterStepTraceTime(step TEXT, type TEXT, \"index\" TEXT, computing NUMERIC, communication NUMERIC,"
		" free NUMERIC);"
		"INSERT INTO ClusterStepTraceTime VALUES('5','rank','0',1.5,2,3),('5','stage','(0, 1)',4,5,6);"
		"CREATE TABLE ClusterCommAnalyzerTime(rank_set TEXT, step TEXT, rank_id INTEGER, hccl_op_name TEXT, group_name TEXT,"
		" start_timestamp NUMERIC, elapsed_time NUMERIC,"
		"transit_time NUMERIC, wait_time NUMERIC, synchronization_time NUMERIC, idle_time NUMERIC, synchronization_time_ratio,"
		" wait_time_ratio);"
		"INSERT INTO ClusterCommAnalyzerTime VALUES('(0,1)','step5',0,'hcom_allReduce_','77',1000,2,1,1,1,1,0,0),('(0,1)','step5',"
		"1,'hcom_allReduce_','77',1000,3,1,1,1,1,0,0),"
		"('p2p','step5',1,'hcom_send__1','88',1000,4,1,1,1,1,0,0),('(2,3)','step5',2,'x','',1,4,1,1,1,1,0,0);"
		"CREATE TABLE ClusterCommAnalyzerBandwidth(rank_set TEXT, step TEXT, rank_id INTEGER, hccl_op_name TEXT, group_name TEXT,"
		" band_type TEXT, transit_size, transit_time, bandwidth,"
		"large_packet_ratio, package_size, count, total_duration);"
		"INSERT INTO ClusterCommAnalyzerBandwidth VALUES('(0,1)','step5',1,'hcom_allReduce_','77','RDMA',1,2,3,4,5,6,7);"
		"CREATE TABLE CommunicationGroup(type TEXT, rank_set TEXT); INSERT INTO CommunicationGroup VALUES('collective','(0,1)'),"
		"('p2p','(0,2)');");
	assert_int_equal(l.tables[ART_CLUSTER_STEP]->nrows, 2);
	assert_string_equal(db_loaded_text(&l, ART_CLUSTER_STEP, COL_TYPE, 1), "stage");
	assert_string_equal(db_loaded_text(&l, ART_CLUSTER_STEP, COL_INDEX, 1), "(0, 1)");
	assert_true(near(db_loaded_num(&l, ART_CLUSTER_STEP, COL_FREE, 1), 6));
	assert_int_equal(l.comm.nops, 4);
	op = op_named(&l, "hcom_allReduce_", 1);
	assert_int_equal(op->elapse_ns, 3000000);
	assert_int_equal(op->ntransports, 1);
	assert_string_equal(names_text(&l.names, l.comm.transports[op->first_transport].kind), "RDMA");
	assert_int_equal(op_named(&l, "hcom_allReduce_", 0)->ntransports, 0);
	assert_true(op_named(&l, "hcom_send__1", 1)->p2p);
	assert_string_equal(names_text(&l.names, op_named(&l, "x", 2)->group), "(2, 3)");
	assert_true(l.comm.ngroups >= 3);
	db_loaded_done(&l);
	remove(path);

	/* the words of newer tools */
	load(&l, "CREATE TABLE ClusterCommunicationTime(step TEXT, rank_id INTEGER, hccl_op_name TEXT, group_name TEXT,"
		" start_timestamp REAL,"
		"elapsed_time REAL); INSERT INTO ClusterCommunicationTime VALUES('step5',3,'a','77',2.5,1.5);"
		"CREATE TABLE ClusterCommunicationMatrix(step, hccl_op_name, group_name, src_rank, dst_rank, transport_type, transit_size,"
		" transit_time,"
		"bandwidth); INSERT INTO ClusterCommunicationMatrix VALUES('step5','a','77',0,3,'HCCS',1,2,3);"
		"CREATE TABLE CommunicationGroupMapping(type TEXT, rank_set TEXT, group_name TEXT, group_id TEXT, pg_name TEXT);"
		"INSERT INTO CommunicationGroupMapping VALUES('collective','(0,1,2,3)','77','g','tp'),('collective','(0,1)','78','h','');");
	assert_int_equal(op_named(&l, "a", 3)->start_ns, 2500);
	assert_int_equal(op_named(&l, "a", 3)->elapse_ns, 1500000);
	assert_int_equal(l.comm.nedges, 1);
	assert_int_equal(l.comm.edges[0].dst, 3);
	assert_int_equal(l.comm.ngroups, 2);
	assert_int_equal(l.comm.groups[0].nranks, 4);
	assert_string_equal(names_text(&l.names, l.comm.groups[0].name), "77");
	assert_string_equal(names_text(&l.names, l.comm.groups[0].type), "tp");
	db_loaded_done(&l);
}

/* ---- the rest of an event ---- */

static void args_are(const struct db_loaded *l, size_t event, const char *const want[][2], size_t n)
{
	struct args a;

	assert_int_not_equal(event, SIZE_MAX);
	assert_int_equal(l->events.span_len[event], 1);
	assert_int_equal(db_event_args(path, l->events.span[event] - l->target.span_base, &a, NULL), ERR_OK);
	for (size_t i = 0; i < n; i++) {
		struct str s = args_find(&a, want[i][0]);

		if (s.n != strlen(want[i][1]) || memcmp(s.p, want[i][1], s.n) != 0)
			fail_msg("%s is \"%.*s\", not \"%s\"", want[i][0], (int)s.n, s.p, want[i][1]);
	}
	args_done(&a);
}

static void test_args(void **state)
{
	static const char *const task[][2] = { { "Model Id", "4294967295" }, { "Task Type", "KERNEL_AICORE" }, { "Physic Stream Id",
			"2" }, { "Task Id", "7" },
		{ "Subtask Id", "4294967295" }, { "connection_id", "1" }, { "Op Type", "MatMulV2" }, { "Block Num", "24" }, {
				"Input Shapes", "\"8,16;16,4\"" },
		{ "Mix Block Num", "" } };
	static const char *const copy[][2] = { { "size(B)", "4096" }, { "operation", "host to device" }, { "Op Type", "" } };
	static const char *const plane[][2] = { { "notify_id", "8589934656" }, { "src rank", "1" }, { "dst rank", "2" }, {
			"transport type", "SDMA" }, { "link type", "77" },
		{ "size(Byte)", "0" }, { "op name", "MatMul_1" } };
	static const char *const group[][2] = { { "data_type", "FP32" }, { "count", "4097000" }, { "relay", "no" }, { "retry", "yes" }, {
			"alg_type", "MESH-RING" } };
	static const char *const call[][2] = { { "Thread Id", "9" }, { "level", "acl" }, { "connection_id", "1" } };
	static const char *const op[][2] = { { "Sequence number", "7" }, { "Fwd thread id", "0" }, { "Input Dims", "8,16;\r\n16" }, {
			"Input type", "float;\r\nfloat" },
		{ "Call stack", "c.py(3): h;\r\nb.py(2): g;\r\na.py(1): f" } };
	struct args none;
	struct diag d = { 0 };
	struct db_loaded l;

	(void)state;
	load(&l, STRINGS KERNEL_TEXTS "INSERT INTO STRING_IDS VALUES(40,'KERNEL_AICORE'),(41,'MEMCPY_ASYNC'),(42,'SDMA'),"
		"(43,'Notify_Record'),(44,'g'),(45,'MESH-RING'),"
		"(50,'8,16;' || char(13,10) || '16'),(51,'float;' || char(13,10) || 'float'),(52,'a.py(1): f'),(53,'b.py(2): g'),"
		"(54,'c.py(3): h'),(55,'aten::mm');"
		TASK COMPUTE "INSERT INTO COMPUTE_TASK_INFO VALUES(1,100,24,NULL,2,3,4,5,6,4,5,6,7,8,9,999);"
		"INSERT INTO TASK VALUES(1000,4000,0,1,100,3,40,4294967295,2,7,4294967295),(NULL,1,0,1,1,3,40,1,1,1,1),"
		"(5000,5500,0,2,101,3,41,4294967295,2,8,1),(6000,6100,0,3,102,3,42,0,4,9,1);"
		"CREATE TABLE MEMCPY_INFO(globalTaskId,size,memcpyOperation); INSERT INTO MEMCPY_INFO VALUES(101,4096,1);"
		"CREATE TABLE ENUM_MEMCPY_OPERATION(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO ENUM_MEMCPY_OPERATION VALUES(1,"
		"'host to device');"
		"CREATE TABLE ENUM_HCCL_TRANSPORT_TYPE(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO ENUM_HCCL_TRANSPORT_TYPE VALUES(0,"
		"'SDMA');"
		"CREATE TABLE ENUM_HCCL_DATA_TYPE(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO ENUM_HCCL_DATA_TYPE VALUES(4,'FP32');"
		"CREATE TABLE ENUM_API_TYPE(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO ENUM_API_TYPE VALUES(20000,'acl');"
		"CREATE TABLE COMMUNICATION_OP(opName,startNs,endNs,connectionId,groupName,opId,relay,retry,dataType,algType,count,"
		"opType); INSERT INTO COMMUNICATION_OP VALUES(10,6000,6100,3,44,1,0,1,4,45,4097000,12);"
		"CREATE TABLE COMMUNICATION_TASK_INFO(name,globalTaskId,taskType,planeId,groupName,notifyId,rdmaType,srcRank,dstRank,"
		"transportType,size,dataType,linkType,opId);"
		"INSERT INTO COMMUNICATION_TASK_INFO VALUES(1,102,43,1,44,8589934656,0,1,2,0,0,4,77,1);"
		"CREATE TABLE CANN_API(startNs,endNs,type,globalTid,connectionId,name); INSERT INTO CANN_API VALUES(10,20,20000,"
		"12884901897,1,30);"
		"CREATE TABLE PYTORCH_API(startNs TEXT,endNs TEXT,globalTid,connectionId,name,sequenceNumber,fwdThreadId,inputDtypes,"
		"inputShapes,callchainId,type);"
		"INSERT INTO PYTORCH_API VALUES('1','2',12884901897,NULL,55,7,0,50,51,3,50001);"
		"CREATE TABLE PYTORCH_CALLCHAINS(id,stack,stackDepth); INSERT INTO PYTORCH_CALLCHAINS VALUES(3,52,2),(3,53,1),(4,52,0),"
		"(3,54,0);");
	args_are(&l, db_loaded_find(&l, "Ascend Hardware", NULL, "MatMul_1"), task, ARRAY_LEN(task));
	args_are(&l, db_loaded_find(&l, "Ascend Hardware", NULL, "MEMCPY_ASYNC"), copy, ARRAY_LEN(copy));
	args_are(&l, db_loaded_find(&l, "Communication", "Plane 1", NULL), plane, ARRAY_LEN(plane));
	args_are(&l, db_loaded_find(&l, "Communication", "Group g Communication", NULL), group, ARRAY_LEN(group));
	args_are(&l, db_loaded_find(&l, "CANN", NULL, NULL), call, ARRAY_LEN(call));
	args_are(&l, db_loaded_find(&l, "Python", NULL, "aten::mm"), op, ARRAY_LEN(op));
	assert_int_equal(db_event_args(path, 1000000, &none, &d), ERR_FORMAT);
	assert_int_equal(none.n, 0);
	assert_non_null(strstr(d.text, "changed"));
	remove(path);
	assert_int_equal(db_event_args(path, 0, &none, &d), ERR_NO_INPUT);
	db_loaded_done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_kernels, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kernel_runs_again, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_kernels, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kernel_steps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tables_there_already, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_analysis, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cluster, setup, teardown),
		cmocka_unit_test_setup_teardown(test_args, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
