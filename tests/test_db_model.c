/* SPDX-License-Identifier: Apache-2.0 */
/* Profiler databases to events, lanes, links, counters and accounts: small databases whose result is worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/help/db_make.h"
#include "tests/help/tmpdir.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char dir[256];

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
	char path[512];

	db_make(dir, "x.db", sql, path, sizeof path);
	db_loaded_open(l, path);
	assert_int_equal(l->err, ERR_OK);
	remove(path);
}

static void account_holds(const struct db_loaded *l, size_t durations, size_t counters)
{
	assert_int_equal(l->account.by_phase['X'], durations);
	assert_int_equal(l->account.by_phase['C'], counters);
	assert_int_equal(l->account.kept + account_dropped(&l->account), durations + counters);
}

#define STRINGS "CREATE TABLE STRING_IDS(id INTEGER PRIMARY KEY, value TEXT);"
#define TASK "CREATE TABLE TASK(startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER," \
	"globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);"
#define COMPUTE "CREATE TABLE COMPUTE_TASK_INFO(name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockDim INTEGER, mixBlockDim INTEGER," \
	"taskType INTEGER, opType INTEGER, inputFormats INTEGER, inputDataTypes INTEGER, inputShapes INTEGER, outputFormats INTEGER," \
	"outputDataTypes INTEGER, outputShapes INTEGER, attrInfo INTEGER);"
#define CANN "CREATE TABLE CANN_API(startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, connectionId INTEGER PRIMARY KEY," \
	" name INTEGER);"
#define PYTORCH "CREATE TABLE PYTORCH_API(startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, name INTEGER," \
	"sequenceNumber INTEGER, fwdThreadId INTEGER, inputDtypes INTEGER, inputShapes INTEGER, callchainId INTEGER, type INTEGER);" \
	"CREATE TABLE CONNECTION_IDS(id INTEGER, connectionId INTEGER);"

/* pid 3, thread 9 */
#define TID "12884901897"
#define TID2 "12884901898"

/* ---- device ---- */

static void test_tasks(void **state)
{
	struct db_loaded l;
	size_t e;

	(void)state;
	load(&l, STRINGS "INSERT INTO STRING_IDS VALUES(0,'KERNEL_AICORE'),(1,'KERNEL_AIVEC'),(2,'EVENT_WAIT'),(3,'MatMul_1'),"
		"(4,'AI_CORE'),"
		"(5,'MatMulV2'),(6,'N/A'),(7,'sched'),(8,'AI_CPU'),(9,'KERNEL_AICPU');"
		TASK COMPUTE
		"INSERT INTO COMPUTE_TASK_INFO(name,globalTaskId,taskType,opType) VALUES(3,10,4,5),(6,11,6,6);"
		"CREATE TABLE COMMUNICATION_SCHEDULE_TASK_INFO(name,globalTaskId,taskType,"
		"opType); INSERT INTO COMMUNICATION_SCHEDULE_TASK_INFO VALUES(7,12,8,7);"
		"INSERT INTO TASK VALUES"
		"(100,200,0,41,10,3,0,4294967295,2,1,4294967295),"	/* a kernel: name and core of COMPUTE_TASK_INFO */
		"(200,250,0,-1,11,3,1,4294967295,2,2,4294967295),"	/* N/A there: the type in the text export's word */
		"(250,250,1,4294967295,12,3,9,4294967295,3,3,1),"	/* another device; scheduler of a collective */
		"(300,400,0,NULL,13,3,2,4294967295,2,4,1),"		/* no kernel */
		"(400,500,0,7,14,3,99,4294967295,65535,5,1);");		/* a text that is not there */
	account_holds(&l, 5, 0);
	assert_int_equal(l.account.kept, 5);
	e = db_loaded_find(&l, "Ascend Hardware", "Stream 2", "MatMul_1");
	assert_int_not_equal(e, SIZE_MAX);
	assert_int_equal(l.events.start[e], 100);
	assert_int_equal(l.events.dur[e], 100);
	assert_int_equal(l.events.connection[e], 41);
	assert_int_equal(l.events.span[e], 1000);
	assert_int_equal(l.events.span_len[e], 1);
	assert_string_equal(db_loaded_type(&l, e), "AI_CORE");
	e = db_loaded_find(&l, "Ascend Hardware", "Stream 2", "KERNEL_AIVEC");
	assert_string_equal(db_loaded_type(&l, e), "AI_VECTOR_CORE");
	assert_true(l.events.connection[e] == NO_CONNECTION);
	e = db_loaded_find(&l, "Ascend Hardware", "Stream 3", "sched");
	assert_string_equal(db_loaded_type(&l, e), "AI_CPU");
	assert_true(l.events.connection[e] == NO_CONNECTION);
	assert_int_equal(l.events.processes[events_lane(&l.events, e)->process].device, 1);
	e = db_loaded_find(&l, "Ascend Hardware", "Stream 2", "EVENT_WAIT");
	assert_string_equal(db_loaded_type(&l, e), "EVENT_WAIT");
	assert_true(l.events.connection[e] == NO_CONNECTION);
	assert_int_equal(db_loaded_count(&l, "Ascend Hardware", "Stream 65535", ""), 1);
	/* the exporter's pid: 3 << 10 | 14 << 5 | device */
	assert_string_equal(names_text(&l.names, l.events.processes[events_lane(&l.events, e)->process].pid), "3520");
	db_loaded_done(&l);
}

/* A copy between host and device has its direction as type, one within the device keeps its own. */
static void test_copies(void **state)
{
	struct db_loaded l;

	(void)state;
	load(&l, STRINGS "INSERT INTO STRING_IDS VALUES(1,'MEMCPY_ASYNC');"
		TASK "INSERT INTO TASK VALUES(1,2,0,1,10,3,1,4294967295,2,1,1),(3,4,0,2,11,3,1,4294967295,2,2,1),(5,6,0,3,12,3,1,"
			"4294967295,2,3,1);"
		"CREATE TABLE MEMCPY_INFO(globalTaskId, size, memcpyOperation); INSERT INTO MEMCPY_INFO VALUES(10,64,1),(11,64,3),(12,64,"
		"99);"
		"CREATE TABLE ENUM_MEMCPY_OPERATION(id INTEGER PRIMARY KEY, name TEXT);"
		"INSERT INTO ENUM_MEMCPY_OPERATION VALUES(1,'host to device'),(3,'device to device');");
	assert_int_equal(db_loaded_count(&l, "Ascend Hardware", "Stream 2", "MEMCPY_ASYNC"), 3);
	assert_string_equal(db_loaded_type(&l, 0), "host to device");
	assert_string_equal(db_loaded_type(&l, 1), "MEMCPY_ASYNC");
	assert_string_equal(db_loaded_type(&l, 2), "MEMCPY_ASYNC");
	db_loaded_done(&l);
}

static void test_rows_dropped(void **state)
{
	struct db_loaded l;

	(void)state;
	load(&l, TASK "INSERT INTO TASK(startNs,endNs,streamId) VALUES(10,20,1),(NULL,20,1),(10,NULL,1),('x',20,1),(-5,20,1),(30,20,1),"
		"(1e30,2e30,1),"
		"('40','50',1),(60.0,70.4,1);");
	account_holds(&l, 9, 0);
	assert_int_equal(l.account.kept, 3);
	assert_int_equal(l.account.dropped[DROP_NO_TIME].count, 4);
	assert_int_equal(l.account.dropped[DROP_NO_TIME].first_at, 1);
	assert_int_equal(l.account.dropped[DROP_TIME_RANGE].count, 1);
	assert_int_equal(l.account.dropped[DROP_END_BEFORE].count, 1);
	assert_int_equal(l.account.dropped[DROP_END_BEFORE].first_at, 5);
	assert_int_equal(l.events.start[0], 10);
	assert_int_equal(l.events.start[1], 40);
	assert_int_equal(l.events.start[2], 60);
	assert_int_equal(l.events.dur[2], 10);
	db_loaded_done(&l);
}

/* A whole (no context) whose parts (context 0, 1) have rows: left out. The same task number later on without parts: kept. */
static void test_wholes(void **state)
{
	struct db_loaded l;

	(void)state;
	load(&l, TASK "INSERT INTO TASK VALUES"
		"(100,200,0,1,0,3,0,4294967295,2,7,1),(110,150,0,1,1,3,0,0,2,7,1),(150,190,0,1,2,3,0,1,2,7,1),"
		"(300,400,0,2,3,3,0,4294967295,2,7,1),"		/* number 7 again, no part in its time */
		"(100,200,0,1,4,3,0,4294967295,3,7,1),"		/* another stream */
		"(100,200,1,1,5,3,0,4294967295,2,7,1),"		/* another device */
		"(190,250,0,1,6,3,0,4294967295,2,7,1);");		/* begins after every part began */
	account_holds(&l, 7, 0);
	assert_int_equal(l.account.dropped[DROP_WHOLE].count, 1);
	assert_int_equal(l.account.dropped[DROP_WHOLE].first_at, 0);
	assert_int_equal(l.events.n, 6);
	db_loaded_done(&l);
}

/* ---- collectives ---- */

static void test_collectives(void **state)
{
	struct db_loaded l;
	size_t e;

	(void)state;
	load(&l, STRINGS "INSERT INTO STRING_IDS VALUES(0,'hcom_allReduce__1_0_1'),(1,'group%1'),(2,'Memcpy'),(3,'Notify_Wait'),"
		"(4,'SDMA'),(5,'N/A'),"
		"(6,'hcom_allReduce_'),(7,'hcom_send__2');"
		TASK "INSERT INTO TASK VALUES(100,150,4,9,20,3,4,0,5,1,1),(150,190,4,9,21,3,4,1,5,1,1),(300,310,4,9,20,3,4,0,5,1,1);"
		"CREATE TABLE COMMUNICATION_TASK_INFO(name,globalTaskId,taskType,planeId,groupName,notifyId,rdmaType,srcRank,dstRank,"
		"transportType,size,dataType,linkType,opId);"
		"INSERT INTO COMMUNICATION_TASK_INFO(name,globalTaskId,taskType,planeId,groupName,opId) VALUES(0,20,2,0,1,1),"
		"(0,21,3,3,1,1),(0,20,2,0,1,2),(0,20,2,0,1,2),(0,77,2,0,1,1);"
		"CREATE TABLE COMMUNICATION_OP(opName,startNs,endNs,connectionId,groupName,opId,relay,retry,dataType,algType,count,opType);"
		"INSERT INTO COMMUNICATION_OP(opName,startNs,endNs,connectionId,groupName,opId,opType) VALUES(0,100,190,9,1,1,6),"
		"(7,300,310,-1,5,2,6);");
	account_holds(&l, 3 + 5 + 2, 0);
	/* one row more for task 20 than it ran, and one for a task that never ran */
	assert_int_equal(l.account.dropped[DROP_NO_TIME].count, 2);
	assert_int_equal(l.account.dropped[DROP_NO_TIME].first_at, 3 + 2 + 3);
	e = db_loaded_find(&l, "Communication", "Group group%1 Communication", "hcom_allReduce__1_0_1");
	assert_int_not_equal(e, SIZE_MAX);
	assert_int_equal(l.events.dur[e], 90);
	assert_int_equal(l.events.connection[e], 9);
	/* deviceId is not in the table: the tasks tell */
	assert_int_equal(l.events.processes[events_lane(&l.events, e)->process].device, 4);
	assert_int_equal(db_loaded_count(&l, "Communication", "Communication", "hcom_send__2"), 1);
	assert_int_equal(db_loaded_count(&l, "Communication", "Plane 0", "Memcpy"), 2);
	e = db_loaded_find(&l, "Communication", "Plane 0", "Memcpy");
	assert_int_equal(l.events.start[e], 100);
	assert_int_equal(l.events.start[e + 1], 300);
	assert_int_equal(l.events.dur[e + 1], 10);
	assert_true(l.events.connection[e] == NO_CONNECTION);
	e = db_loaded_find(&l, "Communication", "Plane 3", "Notify_Wait");
	assert_int_equal(l.events.start[e], 150);
	assert_int_equal(db_loaded_count(&l, "Ascend Hardware", "Stream 5", "SDMA"), 3);
	/* collectives are rows of kernel_details, without a task number */
	assert_int_equal(l.tables[ART_KERNEL_DETAILS]->nrows, 2);
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_CORE, 0), "COMMUNICATION");
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_TYPE, 0), "hcom_allReduce_");
	assert_null(table_col(l.tables[ART_KERNEL_DETAILS], COL_TASK_ID));
	assert_int_equal(db_loaded_int(&l, ART_KERNEL_DETAILS, COL_WAIT, 1), 110);
	db_loaded_done(&l);
}

/* ---- host ---- */

static void test_cann_calls(void **state)
{
	struct db_loaded l;
	size_t e;

	(void)state;
	load(&l, STRINGS "INSERT INTO STRING_IDS VALUES(0,'aclrtMalloc'),(1,'launch'),(2,'KernelLaunch'),(3,'infer'),(4,'Launch'),"
		"(5,'odd');"
		CANN "INSERT INTO CANN_API VALUES(10,20," "20000," TID ",1,0),(11,19,10000," TID ",2,1),(12,18,5000," TID ",3,2),"
			"(13,17,15000," TID ",4,3),"
		"(14,16,5500," TID2 ",5,4),(15,15,123," TID2 ",6,5),(30,33,20000," TID2 ",7,0),(40,44,20000," TID2 ",8,0);");
	account_holds(&l, 8, 0);
	assert_int_equal(db_loaded_count(&l, "CANN", "Thread 9", "AscendCL@aclrtMalloc"), 1);
	assert_int_equal(db_loaded_count(&l, "CANN", "Thread 9", "Node@launch"), 1);
	assert_int_equal(db_loaded_count(&l, "CANN", "Thread 9", "Runtime@KernelLaunch"), 1);
	assert_int_equal(db_loaded_count(&l, "CANN", "Thread 9", "Model@infer"), 1);
	assert_int_equal(db_loaded_count(&l, "CANN", "Thread 10", "Communication@Launch"), 1);
	assert_int_equal(db_loaded_count(&l, "CANN", "Thread 10", "Api@odd"), 1);
	e = db_loaded_find(&l, "CANN", NULL, "Node@launch");
	assert_int_equal(l.events.connection[e], 2);
	assert_string_equal(db_loaded_type(&l, e), "");
	assert_string_equal(names_text(&l.names, l.events.processes[0].pid), "3327");	/* 3 << 10 | 7 << 5 | 31 */
	/* api_statistic: aclrtMalloc took 10, 3 and 4 ns: mean 17 / 3 -> 6, squares around it 16 + 9 + 4, over 3,
			in us^2 to three decimals: 0 */
	assert_int_equal(l.tables[ART_API_STATISTIC]->nrows, 6);
	assert_string_equal(db_loaded_text(&l, ART_API_STATISTIC, COL_NAME, 2), "aclrtMalloc");
	assert_string_equal(db_loaded_text(&l, ART_API_STATISTIC, COL_LEVEL, 2), "acl");
	assert_int_equal(db_loaded_int(&l, ART_API_STATISTIC, COL_COUNT, 2), 3);
	assert_int_equal(db_loaded_int(&l, ART_API_STATISTIC, COL_TOTAL_TIME, 2), 17);
	assert_int_equal(db_loaded_int(&l, ART_API_STATISTIC, COL_AVG_TIME, 2), 6);
	assert_int_equal(db_loaded_int(&l, ART_API_STATISTIC, COL_MIN_TIME, 2), 3);
	assert_int_equal(db_loaded_int(&l, ART_API_STATISTIC, COL_MAX_TIME, 2), 10);
	db_loaded_done(&l);
}

static void test_older_words(void **state)
{
	struct db_loaded l;

	(void)state;
	load(&l, STRINGS "INSERT INTO STRING_IDS VALUES(0,'Launch_Ffts'),(1,'hcom'),(2,'hcom_');"
		"CREATE TABLE ENUM_API_TYPE(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO ENUM_API_TYPE VALUES(5500,'hccl'),"
		"(20000,'acl');"
		"CREATE TABLE API(startNs, endNs, type, globalTid, connectionId, name); INSERT INTO API VALUES(1,2,5500," TID ",1,0);"
		"CREATE TABLE COMMUNICATION_OP(opName,startNs,endNs,connectionId,groupName,opId,"
		"opType); INSERT INTO COMMUNICATION_OP VALUES(1,5,9,1,2,1,2);");
	assert_int_equal(db_loaded_count(&l, "CANN", "Thread 9", "Hccl@Launch_Ffts"), 1);
	assert_string_equal(db_loaded_text(&l, ART_KERNEL_DETAILS, COL_CORE, 0), "HCCL");
	assert_int_equal(db_loaded_links(&l, LINK_LAUNCH, "Hccl@Launch_Ffts", "hcom"), 1);
	db_loaded_done(&l);
}

/*
 * One operator with a queue: Enqueue in the operator's thread, Dequeue in another, in it a launch (connection 1,
		known to CONNECTION_IDS) and
 * a copy (connection 2, known by time only). A second operator without a queue launches 3 itself. Connection 4 is launched outside of all.
 */
static void test_torch_links(void **state)
{
	struct db_loaded l;
	size_t e;

	(void)state;
	load(&l, STRINGS "INSERT INTO STRING_IDS VALUES(0,'launch'),(1,'MEMCPY_ASYNC'),(2,'KERNEL_AIVEC'),(268435456,'Enqueue'),"
		"(268435457,'Dequeue@add'),"
		"(268435458,'aten::add'),(268435459,'aten::inner'),(268435460,'aten::sync'),(268435461,'f.py(1): f'),(268435462,'mark');"
		CANN "INSERT INTO CANN_API VALUES(200,210,10000," TID2 ",1,0),(220,230,20000," TID2 ",2,0),(510,520,10000," TID ",3,0),"
			"(900,910,10000," TID ",4,0);"
		TASK "INSERT INTO TASK VALUES(1000,1100,0,1,0,3,2,4294967295,2,1,1),(1100,1200,0,2,1,3,1,4294967295,2,2,1),"
			"(1200,1300,0,3,2,3,2,4294967295,2,3,1),"
		"(1300,1400,0,4,3,3,2,4294967295,2,4,1),(1400,1500,0,1,4,3,2,4294967295,3,5,1);"
		PYTORCH "INSERT INTO PYTORCH_API VALUES('100','190'," TID ",NULL,268435458,-1,0,NULL,NULL,NULL,50001),"
		"('110','180'," TID ",5,268435459,-1,0,NULL,NULL,NULL,50001),('120','130'," TID ",6,268435456,NULL,NULL,NULL,NULL,NULL,"
		"50002),"
		"('195','240'," TID2 ",6,268435457,NULL,NULL,NULL,NULL,NULL,50002),('500','600'," TID ",NULL,268435460,-1,0,NULL,NULL,"
		"NULL,50001),"
		"('90','700'," TID ",NULL,268435461,NULL,NULL,NULL,NULL,NULL,50003),('650','660'," TID ",NULL,268435462,NULL,NULL,NULL,"
		"NULL,NULL,50004);"
		"INSERT INTO CONNECTION_IDS VALUES(5,1),(6,4711);");
	account_holds(&l, 4 + 5 + 7, 0);
	assert_int_equal(db_loaded_links(&l, LINK_TORCH, "aten::inner", "KERNEL_AIVEC"), 2);	/* both tasks of connection 1 */
	assert_int_equal(db_loaded_links(&l, LINK_TORCH, "aten::inner", "MEMCPY_ASYNC"), 1);
	assert_int_equal(db_loaded_links(&l, LINK_TORCH, "aten::sync", "KERNEL_AIVEC"), 1);
	assert_int_equal(db_loaded_links(&l, LINK_TORCH, NULL, NULL), 4);
	assert_int_equal(l.events.link_counts[LINK_TORCH].unmatched, 0);
	assert_int_equal(db_loaded_links(&l, LINK_QUEUE, "Enqueue", "Dequeue@add"), 1);
	assert_int_equal(db_loaded_links(&l, LINK_LAUNCH, "Node@launch", "KERNEL_AIVEC"), 4);
	assert_int_equal(db_loaded_links(&l, LINK_LAUNCH, "AscendCL@launch", "MEMCPY_ASYNC"), 1);
	e = db_loaded_find(&l, "Python", "Thread 9", "aten::inner");
	assert_string_equal(db_loaded_type(&l, e), "cpu_op");
	assert_int_equal(l.events.connection[e], 1);
	assert_string_equal(db_loaded_type(&l, db_loaded_find(&l, "Python", "Thread 9", "Enqueue")), "enqueue");
	assert_string_equal(db_loaded_type(&l, db_loaded_find(&l, "Python", "Thread 10", "Dequeue@add")), "dequeue");
	assert_string_equal(db_loaded_type(&l, db_loaded_find(&l, "Python", "Thread 9", "f.py(1): f")), "python_function");
	assert_string_equal(db_loaded_type(&l, db_loaded_find(&l, "Python", "Thread 9", "mark")), "mstx");
	db_loaded_done(&l);
}

/* Sequence 7: forward operators outer (100) and inner (110); the inner one starts last. Sequence 8 has no backward. */
static void test_backward_links(void **state)
{
	struct db_loaded l;

	(void)state;
	load(&l, STRINGS "INSERT INTO STRING_IDS VALUES(1,'outer'),(2,'inner'),(3,'Backward0'),(4,'lone');"
		PYTORCH "INSERT INTO PYTORCH_API VALUES('100','190'," TID ",NULL,1,7,0,NULL,NULL,NULL,50001),('110','180'," TID ",NULL,2,"
			"7,0,NULL,NULL,NULL,50001),"
		"('300','400'," TID2 ",NULL,3,7,1,NULL,NULL,NULL,50001),('200','210'," TID ",NULL,4,8,0,NULL,NULL,NULL,50001),"
		"('220','230'," TID ",NULL,4,-1,0,NULL,NULL,NULL,50001);");
	assert_int_equal(db_loaded_links(&l, LINK_BACKWARD, NULL, NULL), 1);
	assert_int_equal(db_loaded_links(&l, LINK_BACKWARD, "inner", "Backward0"), 1);
	assert_int_equal(l.events.link_counts[LINK_BACKWARD].unmatched, 0);
	db_loaded_done(&l);
}

static void test_marks_steps_and_the_rest(void **state)
{
	struct db_loaded l;
	size_t e;

	(void)state;
	load(&l, STRINGS "INSERT INTO STRING_IDS VALUES(1,'my range'),(2,'open64'),(3,'MsTx_1');"
		TASK "INSERT INTO TASK VALUES(500,500,0,4000000001,0,3,3,4294967295,2,1,1);"
		"CREATE TABLE MSTX_EVENTS(startNs,endNs,eventType,rangeId,category,message,globalTid,endGlobalTid,domainId,connectionId);"
		"INSERT INTO MSTX_EVENTS VALUES(100,200,2,1,0,1," TID "," TID ",0,4000000001),(300,300,0,1,0,1," TID "," TID ",0,"
		"4000000000),(1,NULL,0,1,0,1,1,1,0,1);"
		"CREATE TABLE STEP_TIME(id INTEGER, startNs INTEGER, endNs INTEGER); INSERT INTO STEP_TIME VALUES(5,90,400),(6,400,900);"
		"CREATE TABLE GC_RECORD(startNs,endNs,globalTid); INSERT INTO GC_RECORD VALUES(10,20," TID ");"
		"CREATE TABLE OSRT_API(name,globalTid,startNs,endNs); INSERT INTO OSRT_API VALUES(2," TID ",7,8);"
		"CREATE TABLE OVERLAP_ANALYSIS(id INTEGER PRIMARY KEY, deviceId, startNs, endNs,"
		" type); INSERT INTO OVERLAP_ANALYSIS VALUES(1,0,10,20,0),(2,0,20,30,1),(3,0,30,40,2),(4,0,40,50,3);");
	account_holds(&l, 1 + 3 + 2 + 1 + 1 + 4, 0);
	e = db_loaded_find(&l, "MSTX", "Thread 9", "my range");
	assert_string_equal(db_loaded_type(&l, e), "mstx");
	assert_int_equal(db_loaded_count(&l, "MSTX", "Thread 9", "my range"), 2);
	assert_int_equal(db_loaded_links(&l, LINK_MSTX, "my range", "MsTx_1"), 1);
	e = db_loaded_find(&l, "Python", "Steps", "ProfilerStep#5");
	assert_int_equal(l.events.dur[e], 310);
	assert_int_equal(db_loaded_count(&l, "Python", "Steps", NULL), 2);
	assert_int_equal(db_loaded_count(&l, "Python GC", "Python GC", "GC"), 1);
	assert_int_equal(db_loaded_count(&l, "OS Runtime API", "Thread 9", "open64"), 1);
	assert_int_equal(db_loaded_count(&l, "Overlap Analysis", "Communication(Not Overlapped)", "Communication(Not Overlapped)"), 1);
	assert_int_equal(db_loaded_count(&l, "Overlap Analysis", "Computing", "Computing"), 1);
	assert_int_equal(db_loaded_count(&l, "Overlap Analysis", "Free", "Free"), 1);
	assert_int_equal(l.info.mstx, TRI_YES);
	assert_int_equal(l.info.gc, TRI_YES);
	assert_int_equal(l.info.memory, TRI_UNKNOWN);
	db_loaded_done(&l);
}

/* Steps that stand among the operators are not drawn twice, nor counted. */
static void test_steps_among_operators(void **state)
{
	struct db_loaded l;

	(void)state;
	load(&l, STRINGS "INSERT INTO STRING_IDS VALUES(1,'ProfilerStep#5');"
		PYTORCH "INSERT INTO PYTORCH_API VALUES('90','400'," TID ",NULL,1,-1,0,NULL,NULL,NULL,50001);"
		"CREATE TABLE STEP_TIME(id INTEGER, startNs INTEGER, endNs INTEGER); INSERT INTO STEP_TIME VALUES(5,90,400);");
	account_holds(&l, 1, 0);
	assert_int_equal(l.events.n, 1);
	db_loaded_done(&l);
}

/* ---- counters ---- */

static double sample(const struct db_loaded *l, const char *process, const char *name, const char *series, size_t at, int64_t time)
{
	for (size_t i = 0; i < l->events.ncounters; i++) {
		const struct counter *c = &l->events.counters[i];

		if (strcmp(names_text(&l->names, l->events.processes[c->process].name), process) != 0 ||
				strcmp(names_text(&l->names, c->name), name) != 0 || strcmp(names_text(&l->names, c->series), series) != 0)
			continue;
		assert_true(at < c->n);
		assert_int_equal(l->events.counter_time[c->first + at], time);
		return l->events.counter_value[c->first + at];
	}
	fail_msg("no counter %s, %s, %s", process, name, series);
	return 0;
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

static void test_counters(void **state)
{
	struct db_loaded l;

	(void)state;
	load(&l, STRINGS "INSERT INTO STRING_IDS VALUES(1,'read'),(2,'write'),(3,'app'),(4,'device'),(5,'QoS OTHERS'),(6,'dat_x');"
		"CREATE TABLE NPU_INFO(id INTEGER, name TEXT); INSERT INTO NPU_INFO VALUES(2,'Ascend910B');"
		"CREATE TABLE AICORE_FREQ(deviceId, timestampNs NUMERIC, freq, dieId); INSERT INTO AICORE_FREQ VALUES(2,10,1800,NULL),"
		"(2,30,1650,1),(2,20,800,NULL);"
		"CREATE TABLE HBM(deviceId, timestampNs, bandwidth, hbmId, type); INSERT INTO HBM VALUES(2,10,3145728,0,1),"
		"(2,10,1048576,0,2),(2,11,0,1,1);"
		"CREATE TABLE LLC(deviceId, llcId, timestampNs, hitRate, throughput, mode); INSERT INTO LLC VALUES(2,0,10,90.2,2097152,1);"
		"CREATE TABLE NPU_MEM(type, ddr, hbm, timestampNs, deviceId); INSERT INTO NPU_MEM VALUES(3,0,2048,10,2),(4,1024,4096,10,2);"
		"CREATE TABLE ACC_PMU(accId, readBwLevel, writeBwLevel, readOstLevel, writeOstLevel, timestampNs,"
		" deviceId); INSERT INTO ACC_PMU VALUES(7,1,2,3,4,10,2);"
		"CREATE TABLE SOC_BANDWIDTH_LEVEL(l2BufferBwLevel, mataBwLevel, timestampNs,"
		" deviceId); INSERT INTO SOC_BANDWIDTH_LEVEL VALUES(5,NULL,10,2);"
		"CREATE TABLE QOS(deviceId, eventName, bandwidth, timestampNs); INSERT INTO QOS VALUES(2,5,1048576,10);"
		"CREATE TABLE HCCS(deviceId, timestampNs, txThroughput, rxThroughput); INSERT INTO HCCS VALUES(2,10,1048576,NULL),"
		"(2,NULL,1,1),(2,12,NULL,NULL),(2,-1,1,1);"
		"CREATE TABLE SIO(deviceId, name, timestampNs, rxReq, rxDat); INSERT INTO SIO VALUES(2,6,10,1048576,2097152);"
		"CREATE TABLE CPU_USAGE(timestampNs, cpuId, usage); INSERT INTO CPU_USAGE VALUES(10,3,55.5);");
	account_holds(&l, 0, 3 + 3 + 1 + 2 + 1 + 1 + 1 + 4 + 1 + 1);
	assert_int_equal(l.account.dropped[DROP_NO_TIME].count, 1);
	assert_int_equal(l.account.dropped[DROP_NO_VALUE].count, 1);
	assert_int_equal(l.account.dropped[DROP_TIME_RANGE].count, 1);
	assert_true(near(sample(&l, "AI Core Freq", "AI Core Freq", "MHz", 0, 10), 1800));
	assert_true(near(sample(&l, "AI Core Freq", "AI Core Freq", "MHz", 1, 20), 800));
	assert_true(near(sample(&l, "AI Core Freq", "AI Core Freq Die 1", "MHz", 0, 30), 1650));
	assert_true(near(sample(&l, "HBM", "HBM 0/Read", "Read(MB/s)", 0, 10), 3));
	assert_true(near(sample(&l, "HBM", "HBM 0/Write", "Write(MB/s)", 0, 10), 1));
	assert_true(near(sample(&l, "HBM", "HBM 1/Read", "Read(MB/s)", 0, 11), 0));
	assert_true(near(sample(&l, "LLC", "LLC 0 Read/Hit Rate", "Hit Rate(%)", 0, 10), 0.902));
	assert_true(near(sample(&l, "LLC", "LLC 0 Read/Throughput", "Throughput(MB/s)", 0, 10), 2));
	assert_true(near(sample(&l, "NPU MEM", "APP/HBM", "KB", 0, 10), 2));
	assert_true(near(sample(&l, "NPU MEM", "Device/DDR", "KB", 0, 10), 1));
	assert_true(near(sample(&l, "Acc PMU", "read_ost", "value", 0, 10), 3));
	assert_true(near(sample(&l, "Acc PMU", "write_ost", "acc_id", 0, 10), 7));
	assert_true(near(sample(&l, "Stars Soc Info", "L2 Buffer Bw Level", "L2 Buffer Bw Level", 0, 10), 5));
	assert_true(near(sample(&l, "QoS", "QoS OTHERS", "value", 0, 10), 1));
	assert_true(near(sample(&l, "HCCS", "Tx", "Tx(MB/s)", 0, 10), 1));
	assert_true(near(sample(&l, "SIO", "dat_rx", "dat_x", 0, 10), 2));
	assert_true(near(sample(&l, "CPU Usage", "CPU 3", "Usage(%)", 0, 10), 55.5));
	assert_string_equal(names_text(&l.names, l.info.device_type), "Ascend910B");
	for (size_t i = 0; i < l.events.nprocesses; i++)
		if (!strcmp(names_text(&l.names, l.events.processes[i].name), "HBM"))
			assert_int_equal(l.events.processes[i].device, 2);
	db_loaded_done(&l);
}

static void test_rank_and_metadata(void **state)
{
	struct db_loaded l;

	(void)state;
	load(&l, "CREATE TABLE RANK_DEVICE_MAP(rankId, deviceId); INSERT INTO RANK_DEVICE_MAP VALUES(13,5);"
		"CREATE TABLE META_DATA(name TEXT, value TEXT); INSERT INTO META_DATA VALUES('SCHEMA_VERSION','1.0.0'),"
		"('ENV_VARIABLES','{\"a\": \"b\"}'),"
		"('distributed_args','{\"world_size\": 16, \"tensor_model_parallel_size\": 4}'),"
		"('parallel_group_info','{\"123\": {\"group_name\": \"tp\", \"global_ranks\": [0, 1]}}');");
	assert_true(l.target.has_rank);
	assert_int_equal(l.target.rank, 13);
	assert_true(l.info.known);
	assert_int_equal(l.info.world_size, 16);
	assert_int_equal(l.info.tp, 4);
	assert_int_equal(l.info.pp, -1);
	assert_int_equal(l.comm.ngroups, 1);
	assert_int_equal(l.comm.groups[0].nranks, 2);
	db_loaded_done(&l);

	load(&l, "CREATE TABLE RANK_DEVICE_MAP(rankId, deviceId); INSERT INTO RANK_DEVICE_MAP VALUES(-1,5);"
		"CREATE TABLE META_DATA(name TEXT, value TEXT); INSERT INTO META_DATA VALUES('distributed_args','{broken');");
	assert_false(l.target.has_rank);
	assert_int_equal(l.target.rank, -1);
	assert_int_equal(l.info.world_size, -1);
	db_loaded_done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_tasks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_copies, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rows_dropped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wholes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_collectives, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cann_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(test_older_words, setup, teardown),
		cmocka_unit_test_setup_teardown(test_torch_links, setup, teardown),
		cmocka_unit_test_setup_teardown(test_backward_links, setup, teardown),
		cmocka_unit_test_setup_teardown(test_marks_steps_and_the_rest, setup, teardown),
		cmocka_unit_test_setup_teardown(test_steps_among_operators, setup, teardown),
		cmocka_unit_test_setup_teardown(test_counters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rank_and_metadata, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
