/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-trace: large inputs for speed tests, at the event mix and density of real
 * captures (about 220 bytes per event). The trace is written in sections like
 * the exporter's, one pass over all cycles per section; a cycle is one launched
 * kernel with everything around it. Everything about cycle i follows from i, so
 * sections agree without memory, and any size has the same bytes every time.
 */
#include "samples/emit.h"
#include "samples/rng.h"

#include <sqlite3.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	CYCLE_NS = 96000, CALIBRATION = 2000, PLANES = 7, COMM_EVERY = 12, STEP_EVERY = 400,
	FRAMES = 4, HOST_PID = 3096504, ACL_TID = 3099702,
};

static const int64_t base_ns = 1764576000000000000;
static const int64_t pid_cann = (int64_t)HOST_PID << 10 | 7 << 5 | 31, pid_task = (int64_t)HOST_PID << 10 | 13 << 5;
static const int64_t pid_comm = (int64_t)HOST_PID << 10 | 15 << 5, pid_overlap = (int64_t)HOST_PID << 10 | 29 << 5;
static const int64_t pid_freq = (int64_t)HOST_PID << 10 | 14 << 5;

struct kind {
	const char *op, *acl, *kernel, *type, *core, *dims, *types, *shapes, *cann_types;
	int64_t ns;
};

static const struct kind kinds[] = {
	{ "aten::linear", "aclnnMatmul", "aclnnMatmul_MatMulV2AiCore_MatMulV2", "MatMulV2", "AI_CORE", "32,5120;\\r\\n6912,5120;\\r\\n",
		"c10::BFloat16;\\r\\nc10::BFloat16;\\r\\nNone", "32,5120;6912,5120", "DT_BF16;DT_BF16", 52000 },
	{ "npu::npu_rms_norm", "aclnnRmsNorm", "aclnnRmsNorm_RmsNormAiCore_RmsNorm", "RmsNorm", "AI_VECTOR_CORE",
		"32,5120;\\r\\n5120;\\r\\n", "c10::BFloat16;\\r\\nc10::BFloat16;\\r\\nScalar", "32,5120;5120", "DT_BF16;DT_BF16", 9000 },
	{ "npu::npu_fused_infer_attention_score", "aclnnFusedInferAttentionScoreV3",
		"aclnnFusedInferAttentionScoreV3_FusedInferAttentionScore_FusedInferAttentionScore", "FusedInferAttentionScore", "MIX_AIC",
		"32,5,128;\\r\\n512,128,128;\\r\\n512,128,128;\\r\\n;\\r\\n", "c10::BFloat16;\\r\\nc10::BFloat16;\\r\\nc10::BFloat16;\\r\\nNone;\\r\\nNone",
		"32,5,128;512,128,128;512,128,128", "DT_BF16;DT_BF16;DT_BF16", 41000 },
	{ "npu::npu_swiglu", "aclnnSwiGlu", "aclnnSwiGlu_SwiGluAiCore_SwiGlu", "SwiGlu", "AI_VECTOR_CORE", "32,6912;\\r\\n",
		"c10::BFloat16;\\r\\nScalar", "32,6912", "DT_BF16", 7000 },
};

static const char stack[] =
	"vllm_ascend/ops/linear.py(318): forward;\\r\\nvllm/model_executor/models/qwen2.py(104): forward;\\r\\n"
	"vllm_ascend/worker/model_runner_v1.py(2214): execute_model;\\r\\nvllm/v1/worker/worker_base.py(97): <lambda>";

/* The instants of cycle i. */
struct cycle {
	int64_t n, op, op_end, enqueue, dequeue, launch, task, task_end, conn;
	const struct kind *kind;
	struct rng rng;
};

static struct cycle cycle_at(int64_t n)
{
	struct cycle c = { .n = n, .op = base_ns + n * CYCLE_NS };

	rng_init(&c.rng, (uint64_t)n * 0x632BE59BD9B4E019u);
	c.kind = &kinds[rng_below(&c.rng, sizeof(kinds) / sizeof(kinds[0]))];
	c.op += (int64_t)rng_below(&c.rng, 900) * 10;
	c.op_end = c.op + 30000 + (int64_t)rng_below(&c.rng, 2000) * 10;
	c.enqueue = c.op_end - 6000;
	c.dequeue = c.enqueue + 5200;
	c.launch = c.dequeue + 4100;
	c.task = c.launch + 9020;
	c.task_end = c.task + rng_around(&c.rng, c.kind->ns, 150);
	if (c.task_end > base_ns + (n + 1) * CYCLE_NS + 40000)
		c.task_end = base_ns + (n + 1) * CYCLE_NS + 40000;
	c.conn = 1000 + n * 3;
	return c;
}

static void place(struct out *o, int64_t pid, int64_t tid, int64_t ts)
{
	out_str(o, "\", \"pid\": ");
	out_i64(o, pid);
	out_str(o, ", \"tid\": ");
	out_i64(o, tid);
	out_str(o, ", \"ts\": \"");
	out_fixed(o, ts, 3);
	out_char(o, '"');
}

static void span(struct out *o, const char *name, int64_t pid, int64_t tid, int64_t start, int64_t end)
{
	out_str(o, ", {\"ph\": \"X\", \"name\": \"");
	out_str(o, name);
	place(o, pid, tid, start);
	out_str(o, ", \"dur\": ");
	out_short(o, end - start, 3);
}

static void flow(struct out *o, const char *head, int64_t id, int64_t pid, int64_t tid, int64_t ts, const char *tail)
{
	out_str(o, head);
	out_i64(o, id);
	out_str(o, ", \"pid\": ");
	out_i64(o, pid);
	out_str(o, ", \"tid\": ");
	out_i64(o, tid);
	out_str(o, ", \"ts\": \"");
	out_fixed(o, ts, 3);
	out_str(o, tail);
}

static void operators(struct out *o, struct cycle *c)
{
	bool stacked = rng_below(&c->rng, 16) == 0;

	span(o, c->kind->op, HOST_PID, HOST_PID, c->op, c->op_end);
	out_str(o, ", \"cat\": \"cpu_op\", \"args\": {\"Sequence number\": -1, \"Fwd thread id\": 0, \"Input Dims\": \"");
	out_str(o, c->kind->dims);
	out_str(o, "\", \"Input type\": \"");
	out_str(o, c->kind->types);
	if (stacked) {
		out_str(o, "\", \"Call stack\": \"");
		out_str(o, stack);
	}
	out_str(o, "\"}}");
	span(o, "aten::view", HOST_PID, HOST_PID, c->op + 1200, c->op + 3400);
	out_str(o, ", \"cat\": \"cpu_op\", \"args\": {\"Sequence number\": -1, \"Fwd thread id\": 0}}");
	if (c->n % STEP_EVERY == 0) {
		out_str(o, ", {\"ph\": \"X\", \"name\": \"ProfilerStep#");
		out_i64(o, c->n / STEP_EVERY);
		place(o, HOST_PID, HOST_PID, base_ns + c->n * CYCLE_NS);
		out_str(o, ", \"dur\": ");
		out_short(o, (int64_t)STEP_EVERY * CYCLE_NS - 500, 3);
		out_str(o, ", \"cat\": \"cpu_op\", \"args\": {\"Sequence number\": -1, \"Fwd thread id\": 0}}");
	}
}

static void queue(struct out *o, struct cycle *c)
{
	span(o, "Enqueue", HOST_PID, HOST_PID, c->enqueue, c->enqueue + 3100);
	out_str(o, ", \"cat\": \"enqueue\", \"args\": {\"correlation_id\": ");
	out_i64(o, c->n + 1);
	flow(o, "}}, {\"ph\": \"s\", \"bp\": \"e\", \"name\": \"enqueue_to_dequeue\", \"id\": ", c->n + 1, HOST_PID, HOST_PID, c->enqueue,
		"\", \"cat\": \"async_task_queue\"}");
	out_str(o, ", {\"ph\": \"X\", \"name\": \"Dequeue@");
	out_str(o, c->kind->acl);
	place(o, HOST_PID, ACL_TID, c->dequeue);
	out_str(o, ", \"dur\": 16.2, \"cat\": \"dequeue\", \"args\": {\"correlation_id\": ");
	out_i64(o, c->n + 1);
	flow(o, "}}, {\"ph\": \"f\", \"bp\": \"e\", \"name\": \"enqueue_to_dequeue\", \"id\": ", c->n + 1, HOST_PID, ACL_TID, c->dequeue,
		"\", \"cat\": \"async_task_queue\"}");
}

static void frames(struct out *o, struct cycle *c)
{
	static const char *const name[FRAMES] = { "vllm/model_executor/models/qwen2.py(104): forward", "nn.Module: RowParallelLinear_17",
		"vllm_ascend/ops/linear.py(318): forward", "<built-in method linear of PyCapsule object>" };

	for (int i = 0; i < FRAMES; i++) {
		span(o, name[i], HOST_PID, HOST_PID, c->op - 4000 + i * 900, c->op_end + 4000 - i * 900);
		out_str(o, ", \"cat\": \"python_function\", \"args\": {\"Python id\": ");
		out_i64(o, c->n * FRAMES + i + 1);
		out_str(o, ", \"Python parent id\": ");
		out_i64(o, c->n * FRAMES + i);
		out_str(o, "}}");
	}
}

static void cann_call(struct out *o, const char *head, const char *name, const char *args, const char *item,
	int64_t start, int64_t took, int64_t conn)
{
	out_str(o, head);
	out_str(o, name);
	place(o, pid_cann, ACL_TID, start);
	out_str(o, ", \"dur\": ");
	out_short(o, took, 3);
	out_str(o, ", \"args\": {\"Thread Id\": 3099702, ");
	out_str(o, args);
	out_str(o, item);
	out_str(o, "\", \"connection_id\": ");
	out_i64(o, conn);
	out_str(o, "}, \"ph\": \"X\"}");
}

static void launch_flow(struct out *o, char ph, int64_t conn, int64_t pid, int64_t tid, int64_t ts)
{
	out_str(o, ", {\"name\": \"HostToDevice");
	out_i64(o, conn << 32);
	out_str(o, ph == 's' ? "\", \"ph\": \"s\", \"cat\": \"HostToDevice\", \"id\": \"" : "\", \"ph\": \"f\", \"cat\": \"HostToDevice\", \"id\": \"");
	out_i64(o, conn << 32);
	place(o, pid, tid, ts);
	out_str(o, ph == 's' ? "}" : ", \"bp\": \"e\"}");
}

static void cann(struct out *o, struct cycle *c)
{
	cann_call(o, ", {\"name\": \"AscendCL@", c->kind->acl, "\"Mode\": \"ACL_NN\", \"level\": \"acl\", \"id\": \"", c->kind->acl,
		c->dequeue + 900, 13100, c->conn - 1);
	cann_call(o, ", {\"name\": \"Node@", "launch", "\"Mode\": \"launch\", \"level\": \"node\", \"id\": \"0\", \"item_id\": \"", c->kind->kernel,
		c->launch, 5020, c->conn);
	launch_flow(o, 's', c->conn, pid_cann, ACL_TID, c->launch);
}

static void task(struct out *o, struct cycle *c)
{
	out_str(o, ", {\"name\": \"");
	out_str(o, c->kind->kernel);
	place(o, pid_task, 2, c->task);
	out_str(o, ", \"dur\": ");
	out_short(o, c->task_end - c->task, 3);
	out_str(o, ", \"args\": {\"Model Id\": 4294967295, \"Task Type\": \"");
	out_str(o, c->kind->core);
	out_str(o, "\", \"Physic Stream Id\": 2, \"Task Id\": ");
	out_i64(o, c->n & 0xffff);
	out_str(o, ", \"Batch Id\": 0, \"Subtask Id\": 4294967295, \"connection_id\": ");
	out_i64(o, c->conn);
	out_str(o, "}, \"ph\": \"X\"}");
	launch_flow(o, 'f', c->conn, pid_task, 2, c->task);
}

static void planes(struct out *o, const struct cycle *c)
{
	static const char *const part[] = { "Notify_Record", "Notify_Wait", "Memcpy" };

	for (int i = 0; i < PLANES * 3; i++) {
		bool move = i % 3 == 2;
		out_str(o, ", {\"name\": \"");
		out_str(o, part[i % 3]);
		place(o, pid_comm, 1 + i / 3, c->task + 400 + i % 3 * 9000);
		out_str(o, ", \"dur\": ");
		out_short(o, 20 + i % 3 * 4100, 3);
		out_str(o, ", \"args\": {\"notify_id\": \"");
		out_i64(o, (int64_t)(i / 3) << 32 | 84);
		out_str(o, "\", \"duration estimated(us)\": 0.25, \"stream id\": 4, \"task id\": ");
		out_i64(o, (c->n + i) & 0xffff);
		out_str(o, ", \"context id\": 1, \"task type\": \"");
		out_str(o, part[i % 3]);
		out_str(o, "\", \"src rank\": 0, \"dst rank\": ");
		out_i64(o, 1 + i / 3);
		out_str(o, move ? ", \"transport type\": \"SDMA\", \"size(Byte)\": 2064384, \"data type\": \"INVALID_TYPE\", \"link type\": \"HCCS\", "
				  "\"bandwidth(GB/s)\": 17.5452, \"model id\": 4294967295}, \"ph\": \"X\"}"
				: ", \"transport type\": \"LOCAL\", \"size(Byte)\": 0, \"data type\": \"INVALID_TYPE\", \"link type\": \"INVALID_TYPE\", "
				  "\"bandwidth(GB/s)\": 0, \"model id\": 4294967295}, \"ph\": \"X\"}");
	}
}

static void collective(struct out *o, struct cycle *c)
{
	if (c->n % COMM_EVERY)
		return;
	out_str(o, ", {\"name\": \"hcom_allReduce__586_");
	out_i64(o, c->n / COMM_EVERY);
	out_str(o, "_1");
	place(o, pid_comm, 0, c->task + 300);
	out_str(o, ", \"dur\": 34.1, \"args\": {\"connection_id\": ");
	out_i64(o, c->conn + 1);
	out_str(o, ", \"model id\": 4294967295, \"data_type\": \"BFP16\", \"alg_type\": \"MESH-RING\", \"count\": 163840, \"relay\": \"no\", "
		   "\"retry\": \"no\"}, \"ph\": \"X\"}");
	planes(o, c);
}

static void overlap(struct out *o, struct cycle *c)
{
	out_str(o, ", {\"name\": \"Computing");
	place(o, pid_overlap, 0, c->task);
	out_str(o, ", \"dur\": ");
	out_short(o, c->task_end - c->task, 3);
	out_str(o, ", \"ph\": \"X\"}, {\"name\": \"Free");
	place(o, pid_overlap, 3, c->task_end);
	struct cycle next = cycle_at(c->n + 1);
	out_str(o, ", \"dur\": ");
	out_short(o, next.task > c->task_end ? next.task - c->task_end : 0, 3);
	out_str(o, ", \"ph\": \"X\"}");
}

static void counters(struct out *o, struct cycle *c)
{
	out_str(o, ", {\"name\": \"AI Core Freq\", \"ts\": \"");
	out_fixed(o, c->task, 3);
	out_str(o, "\", \"pid\": ");
	out_i64(o, pid_freq);
	out_str(o, ", \"tid\": 0, \"args\": {\"MHz\": 1800}, \"ph\": \"C\"}");
}

static void torch_flows(struct out *o, struct cycle *c)
{
	flow(o, ", {\"ph\": \"s\", \"bp\": \"e\", \"name\": \"torch_to_npu\", \"id\": ", c->task, HOST_PID, HOST_PID, c->op,
		"\", \"cat\": \"async_npu\"}");
	flow(o, ", {\"ph\": \"f\", \"bp\": \"e\", \"name\": \"torch_to_npu\", \"id\": ", c->task, pid_task, 2, c->task,
		"\", \"cat\": \"async_npu\"}");
}

static void name_layer(struct out *o, int64_t pid, const char *name, const char *label)
{
	out_str(o, ", {\"name\": \"process_name\", \"pid\": ");
	out_i64(o, pid);
	out_str(o, ", \"tid\": 0, \"args\": {\"name\": \"");
	out_str(o, name);
	out_str(o, "\"}, \"ph\": \"M\"}, {\"name\": \"process_labels\", \"pid\": ");
	out_i64(o, pid);
	out_str(o, ", \"tid\": 0, \"args\": {\"labels\": \"");
	out_str(o, label);
	out_str(o, "\"}, \"ph\": \"M\"}");
}

static void name_thread(struct out *o, int64_t pid, int64_t tid, const char *name, int number)
{
	out_str(o, ", {\"name\": \"thread_name\", \"pid\": ");
	out_i64(o, pid);
	out_str(o, ", \"tid\": ");
	out_i64(o, tid);
	out_str(o, ", \"args\": {\"name\": \"");
	out_str(o, name);
	if (number >= 0)
		out_i64(o, number);
	out_str(o, "\"}, \"ph\": \"M\"}");
}

static void names(struct out *o)
{
	name_layer(o, pid_cann, "CANN", "CPU");
	name_layer(o, pid_task, "Ascend Hardware", "NPU 0");
	name_layer(o, pid_comm, "Communication", "NPU 0");
	name_layer(o, pid_overlap, "Overlap Analysis", "NPU 0");
	name_layer(o, pid_freq, "AI Core Freq", "NPU 0");
	name_thread(o, pid_cann, ACL_TID, "Thread ", ACL_TID);
	name_thread(o, pid_task, 2, "Stream ", 2);
	name_thread(o, pid_comm, 0, "Group 0 Communication", -1);
	for (int i = 0; i < PLANES; i++)
		name_thread(o, pid_comm, i + 1, "Plane ", i);
	name_thread(o, pid_overlap, 0, "Computing", -1);
	name_thread(o, pid_overlap, 3, "Free", -1);
}

static void write_trace(struct out *o, int64_t cycles)
{
	static void (*const section[])(struct out *, struct cycle *) = { operators, queue, frames, cann, task, collective, overlap,
		counters, torch_flows };

	out_str(o, "[{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 3096504, \"tid\": 0, \"args\": {\"name\": \"Python\"}}");
	names(o);
	for (size_t s = 0; s < sizeof(section) / sizeof(section[0]); s++)
		for (int64_t i = 0; i < cycles; i++) {
			struct cycle c = cycle_at(i);
			section[s](o, &c);
		}
	out_char(o, ']');
}

static int make_trace(const char *path, int64_t size)
{
	struct out o;

	if (out_open(&o, "/dev/null") != 0)
		return -1;
	write_trace(&o, CALIBRATION);
	int64_t per_cycle = (int64_t)out_bytes(&o) / CALIBRATION;
	if (out_close(&o) != 0 || out_open(&o, path) != 0)
		return -1;
	write_trace(&o, size / per_cycle > 0 ? size / per_cycle : 1);
	return out_close(&o);
}

static const char csv_header[] =
	"Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),"
	"Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,Output Shapes,"
	"Output Data Types,Output Formats,Context ID,aicore_time(us),aic_total_cycles,aic_mac_time(us),aic_mac_ratio,"
	"aic_scalar_time(us),aic_scalar_ratio,aic_mte1_time(us),aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,"
	"aic_fixpipe_time(us),aic_fixpipe_ratio,aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,aiv_vec_time(us),"
	"aiv_vec_ratio,aiv_scalar_time(us),aiv_scalar_ratio,aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte3_time(us),"
	"aiv_mte3_ratio,aiv_icache_miss_rate,cube_utilization(%)\r\n";

static void csv_metrics(struct out *o, const struct cycle *c)
{
	int64_t ns = c->task_end - c->task, used = ns - ns / 64;

	for (int half = 0; half < 2; half++) {
		bool on = half == 0 ? c->kind->core[3] == 'C' || c->kind->core[0] == 'M' : c->kind->core[3] != 'C';
		out_char(o, ',');
		out_short(o, on ? used : 0, 3);
		out_char(o, ',');
		out_i64(o, on ? used * 43 : 0);
		for (int i = half; i < 5; i++) {
			out_char(o, ',');
			out_short(o, on ? used * (90 + 140 * i) / 1000 : 0, 3);
			out_char(o, ',');
			out_short(o, on ? 90 + 140 * i : 0, 3);
		}
		out_str(o, on ? ",0.004" : ",0.0");
	}
	out_str(o, ",61.000\r\n");
}

static void csv_row(struct out *o, int64_t n)
{
	struct cycle c = cycle_at(n);
	int64_t wait = n ? c.task - cycle_at(n - 1).task_end : 0;

	out_i64(o, n / STEP_EVERY);
	out_str(o, ",0,4294967295,");
	out_i64(o, n & 0xffff);
	out_str(o, ",2,");
	out_str(o, c.kind->kernel);
	out_char(o, ',');
	out_str(o, c.kind->type);
	out_str(o, ",dynamic,");
	out_str(o, c.kind->core);
	out_char(o, ',');
	out_fixed(o, c.task, 3);
	out_str(o, "\t,");
	out_fixed(o, c.task_end - c.task, 3);
	out_char(o, ',');
	if (wait > 0)
		out_fixed(o, wait * 1000, 6);
	else
		out_char(o, '0');
	out_str(o, c.kind->core[0] == 'M' ? ",24,48,NO,\"\"\"" : ",24,0,NO,\"\"\"");
	out_str(o, c.kind->shapes);
	out_str(o, "\"\"\",");
	out_str(o, c.kind->cann_types);
	out_str(o, ",ND;ND,\"\"\"32,5120\"\"\",DT_BF16,ND,N/A");
	csv_metrics(o, &c);
}

static int make_csv(const char *path, int64_t size)
{
	struct out o;

	if (out_open(&o, path) != 0)
		return -1;
	out_str(&o, csv_header);
	for (int64_t i = 0; i == 0 || (int64_t)out_bytes(&o) < size; i++)
		csv_row(&o, i);
	return out_close(&o);
}

static const char db_schema[] =
	"PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"
	"CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY,value TEXT);"
	"CREATE TABLE TASK (startNs INTEGER,endNs INTEGER,deviceId INTEGER,connectionId INTEGER,globalTaskId INTEGER,globalPid INTEGER,"
	"taskType INTEGER,contextId INTEGER,streamId INTEGER,taskId INTEGER,modelId INTEGER);"
	"CREATE TABLE COMPUTE_TASK_INFO (name INTEGER,globalTaskId INTEGER PRIMARY KEY,blockDim INTEGER,mixBlockDim INTEGER,taskType INTEGER,"
	"opType INTEGER,inputFormats INTEGER,inputDataTypes INTEGER,inputShapes INTEGER,outputFormats INTEGER,outputDataTypes INTEGER,"
	"outputShapes INTEGER,attrInfo INTEGER);"
	"CREATE TABLE CANN_API (startNs INTEGER,endNs INTEGER,type INTEGER,globalTid INTEGER,connectionId INTEGER PRIMARY KEY,name INTEGER);"
	"CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, name INTEGER, sequenceNumber INTEGER, "
	"fwdThreadId INTEGER, inputDtypes INTEGER, inputShapes INTEGER, callchainId INTEGER, type INTEGER);"
	"CREATE TABLE CONNECTION_IDS (id INTEGER, connectionId INTEGER);"
	"CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER);"
	"CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER); INSERT INTO RANK_DEVICE_MAP VALUES(0,0);"
	"CREATE TABLE META_DATA (name TEXT,value TEXT); INSERT INTO META_DATA VALUES('SCHEMA_VERSION','1.1.0');"
	"CREATE TABLE ENUM_API_TYPE (id INTEGER PRIMARY KEY,name TEXT);"
	"INSERT INTO ENUM_API_TYPE VALUES(5000,'runtime'),(5500,'communication'),(10000,'node'),(15000,'model'),(20000,'acl'),(50001,'op'),"
	"(50002,'queue'),(50003,'trace'),(50004,'mstx');";

enum { DB_PER_KIND = 7, DB_LAUNCH = 1000, DB_EMPTY, DB_FORMAT, DB_OUT };

/* String ids: 7 per kind, then the shared ones. */
static int64_t kind_id(const struct kind *k, int part)
{
	return (k - kinds) * DB_PER_KIND + part;
}

static void db_strings(sqlite3 *db)
{
	sqlite3_stmt *st = NULL;
	const char *const shared[] = { "launch", "", "ND;ND", "32,5120" };

	sqlite3_prepare_v2(db, "INSERT INTO STRING_IDS VALUES(?,?)", -1, &st, NULL);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		const struct kind *d = &kinds[k];
		const char *const text[DB_PER_KIND] = { d->op, d->acl, d->kernel, d->type, d->core, d->shapes, d->cann_types };
		for (int i = 0; i < DB_PER_KIND; i++) {
			sqlite3_bind_int64(st, 1, kind_id(d, i));
			sqlite3_bind_text(st, 2, text[i], -1, SQLITE_STATIC);
			sqlite3_step(st);
			sqlite3_reset(st);
		}
	}
	for (int i = 0; i < 4; i++) {
		sqlite3_bind_int64(st, 1, DB_LAUNCH + i);
		sqlite3_bind_text(st, 2, shared[i], -1, SQLITE_STATIC);
		sqlite3_step(st);
		sqlite3_reset(st);
	}
	sqlite3_finalize(st);
}

static void db_row(sqlite3_stmt *st, const int64_t *v, int n)
{
	for (int i = 0; i < n; i++)
		sqlite3_bind_int64(st, i + 1, v[i]);
	sqlite3_step(st);
	sqlite3_reset(st);
}

enum db_table { T_TASK, T_KERNEL, T_API, T_HOST, T_LINK, T_STEP, T_COUNT };

static void db_cycle(sqlite3_stmt *const *st, int64_t n)
{
	struct cycle c = cycle_at(n);
	int64_t tid = (int64_t)HOST_PID << 32;
	const struct kind *k = c.kind;
	const int64_t task_row[] = { c.task, c.task_end, 0, c.conn, n, HOST_PID, kind_id(k, 4), 4294967295, 2, n & 0xffff, 4294967295 };
	const int64_t kernel_row[] = { kind_id(k, 2), n, 24, 0, kind_id(k, 4), kind_id(k, 3), DB_FORMAT, kind_id(k, 6), kind_id(k, 5), DB_FORMAT,
		kind_id(k, 6), DB_OUT, DB_EMPTY };
	const int64_t acl_row[] = { c.dequeue + 900, c.dequeue + 14000, 20000, tid | ACL_TID, c.conn - 1, kind_id(k, 1) };
	const int64_t node_row[] = { c.launch, c.launch + 5020, 10000, tid | ACL_TID, c.conn, DB_LAUNCH };
	const int64_t host_row[] = { c.op, c.op_end, tid | HOST_PID, n, kind_id(k, 0), -1, 0, kind_id(k, 6), kind_id(k, 5) };
	const int64_t link_row[] = { n, c.conn }, step_row[] = { n / STEP_EVERY, base_ns + n * CYCLE_NS,
		base_ns + (n + STEP_EVERY) * CYCLE_NS - 500 };

	db_row(st[T_TASK], task_row, 11);
	db_row(st[T_KERNEL], kernel_row, 13);
	db_row(st[T_API], acl_row, 6);
	db_row(st[T_API], node_row, 6);
	db_row(st[T_HOST], host_row, 9);
	db_row(st[T_LINK], link_row, 2);
	if (n % STEP_EVERY == 0)
		db_row(st[T_STEP], step_row, 3);
}

static int make_db(const char *path, int64_t rows)
{
	static const char *const insert[T_COUNT] = { "INSERT INTO TASK VALUES(?,?,?,?,?,?,?,?,?,?,?)",
		"INSERT INTO COMPUTE_TASK_INFO VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)", "INSERT INTO CANN_API VALUES(?,?,?,?,?,?)",
		"INSERT INTO PYTORCH_API VALUES(?,?,?,?,?,?,?,?,?,NULL,50001)", "INSERT INTO CONNECTION_IDS VALUES(?,?)",
		"INSERT INTO STEP_TIME VALUES(?,?,?)" };
	sqlite3_stmt *st[T_COUNT] = { NULL };
	sqlite3 *db = NULL;
	int rc;

	unlink(path);
	rc = sqlite3_open(path, &db);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, db_schema, NULL, NULL, NULL);
	for (int i = 0; i < T_COUNT && rc == SQLITE_OK; i++)
		rc = sqlite3_prepare_v2(db, insert[i], -1, &st[i], NULL);
	if (rc == SQLITE_OK) {
		db_strings(db);
		for (int64_t i = 0; i < rows; i++)
			db_cycle(st, i);
	}
	for (int i = 0; i < T_COUNT; i++)
		sqlite3_finalize(st[i]);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "CREATE INDEX TaskIndex ON TASK (startNs,globalTaskId); COMMIT", NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		fprintf(stderr, "bench-trace: %s: %s\n", path, sqlite3_errmsg(db));
	sqlite3_close(db);
	return rc == SQLITE_OK ? 0 : -1;
}

/* "20M", "2G", "1000": a count with an optional decimal unit; 0 is an error. */
static int64_t parse_size(const char *text)
{
	char *end;
	long long v = strtoll(text, &end, 10);
	static const char unit[] = "kMG";
	const char *u = *end ? strchr(unit, *end) : NULL;

	if (v <= 0 || v > 1000000000000 || (*end && (!u || end[1])))
		return 0;
	for (const char *p = unit; u && p <= u; p++)
		v *= 1000;
	return v;
}

static int usage(void)
{
	fputs("usage: bench-trace SIZE [-o FILE] | --csv FILE SIZE | --db FILE ROWS\n"
	      "SIZE and ROWS take k, M, G (decimal)\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	const char *path = "-";
	int64_t size;
	int rc;

	if (argc == 4 && strcmp(argv[1], "--csv") == 0 && (size = parse_size(argv[3])) > 0)
		rc = make_csv(path = argv[2], size);
	else if (argc == 4 && strcmp(argv[1], "--db") == 0 && (size = parse_size(argv[3])) > 0)
		rc = make_db(path = argv[2], size);
	else if ((argc == 2 || (argc == 4 && strcmp(argv[2], "-o") == 0)) && (size = parse_size(argv[1])) > 0)
		rc = make_trace(path = argc == 4 ? argv[3] : "-", size);
	else
		return usage();
	if (rc != 0)
		perror(path);
	return rc != 0;
}
