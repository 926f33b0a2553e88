/* SPDX-License-Identifier: Apache-2.0 */
/* The operator table on small captures made here: names, self times, percentiles, matching, ratios, bounds. Expected values by hand. */
#include "core/analysis/ops.h"
#include "core/load/load.h"
#include "tests/help/tmpdir.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char dir[256];
static struct classifier *cl;

static int setup_all(void **state)
{
	(void)state;
	cl = classifier_new(NULL);
	return cl ? 0 : -1;
}

static int teardown_all(void **state)
{
	(void)state;
	classifier_free(cl);
	return 0;
}

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

/* ---- names --------------------------------------------------------------------------------------------------------------------------- */

static void test_normal_names(void **state)
{
	static const char *const pairs[][2] = {
		{ "aten::add.Tensor", "add" }, { "aten::add", "add" }, { "aten::add_", "add_" }, { "torch_npu::npu_rms_norm", "npu_rms_norm" },
		{ "npu::npu_fused_infer_attention_score.default", "npu_fused_infer_attention_score" }, { "vllm::reshape_and_cache", "reshape_and_cache" },
		{ "aten::max.dim_max", "max" }, { "c10::foo.out", "foo" }, { "torch::autograd.x", "autograd" }, { "nn.Module: Linear_0", "Linear" },
		{ "Optimizer.step", "Optimizer.step" }, { "Optimizer.step#SGD.step", "Optimizer.step#SGD.step" }, { "add.out", "add" },
		{ "mul.Tensor", "mul" }, { "hcom_allReduce__123_0_1", "AllReduce" }, { "hcom_allReduce__210_0_1@13943234", "AllReduce" },
		{ "hcom_all_gather_", "AllGather" }, { "HcclAlltoAllV", "AlltoAllV" }, { "hcom_reduceScatter__1_2_3", "ReduceScatter" },
		{ "hcom_batchSendRecv__77_3_1", "BatchSendRecv" }, { "hccl_world_9", "world" }, { "hccltest", "hccltest" },
		{ "fused_kernel_1c45ab0912", "fused_kernel" }, { "triton_poi_0_1_2_3", "triton_poi" }, { "deadbeef", "deadbeef" },
		{ "a_facadefacade", "a_facadefacade" }, { "MatMul (x3)", "MatMul" }, { "MatMul(12)", "MatMul" }, { "step#12", "step" }, { "(3)", "(3)" },
		{ "", "(unnamed)" }, { "  ", "(unnamed)" }, { "_", "_" }, { "_1", "_1" }, { "7", "7" }, { "@5", "@5" }, { "a@5", "a" }, { "x.", "x." },
		{ "aten::", "aten::" }, { ".Tensor", ".Tensor" }, { "aclnnMatmul", "aclnnMatmul" }, { "MatMulV2", "MatMulV2" }, { "hcom_", "hcom_" },
		{ "AscendCL@aclrtMalloc", "AscendCL@aclrtMalloc" }, { "aten::pow.Tensor_Scalar", "pow" }, { "model.layers.0", "model.layers.0" },
	};
	struct names names;

	(void)state;
	names_init(&names);
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		uint32_t id = op_normal_name(&names, names_add(&names, str_of(pairs[i][0])));

		assert_string_equal(names_text(&names, id), pairs[i][1]);
		assert_int_equal(op_normal_name(&names, id), id);	/* normal names stay */
	}
	names_done(&names);
}

/* ---- captures made here -------------------------------------------------------------------------------------------------------------- */

struct made {
	struct capture *c;
	struct work_model *models;
	size_t n;
	struct op_table t;
};

#define HEAD "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"Python\"}}," \
	"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":2,\"tid\":0,\"args\":{\"name\":\"Ascend Hardware\"}}," \
	"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":3,\"tid\":0,\"args\":{\"name\":\"CANN\"}}," \
	"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":4,\"tid\":0,\"args\":{\"name\":\"Communication\"}}," \
	"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":4,\"tid\":1,\"args\":{\"name\":\"Group 0 Communication\"}}"
#define HOST(name, ts, dur) ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"pid\":1,\"tid\":1,\"name\":\"" name "\",\"ts\":\"" ts "\",\"dur\":" dur "}"
#define CALL(name, ts, dur) ",{\"ph\":\"X\",\"pid\":3,\"tid\":1,\"name\":\"" name "\",\"ts\":\"" ts "\",\"dur\":" dur "}"
#define TASK(name, type, ts, dur) ",{\"ph\":\"X\",\"pid\":2,\"tid\":1,\"name\":\"" name "\",\"ts\":\"" ts "\",\"dur\":" dur \
	",\"args\":{\"Task Type\":\"" type "\"}}"
#define COLL(name, ts, dur) ",{\"ph\":\"X\",\"pid\":4,\"tid\":1,\"name\":\"" name "\",\"ts\":\"" ts "\",\"dur\":" dur "}"
#define KERNELS "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,"

static void make(struct made *m, const char *trace, const char *kernels)
{
	char path[600];
	struct diag d;

	if (trace)
		tmpdir_write(dir, "x_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", trace, strlen(trace));
	if (kernels)
		tmpdir_write(dir, "x_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", kernels, strlen(kernels));
	snprintf(path, sizeof path, "%s/x_ascend_pt", dir);
	if (capture_load(path, NULL, NULL, &m->c, &d))
		fail_msg("%s", d.text);
	m->models = work_new(m->c, &m->c->ranks[0], cl, &m->n);
	ops_find(&m->models[0], cl, &m->t);
}

static void made_done(struct made *m)
{
	ops_done(&m->t);
	work_free(m->models, m->n);
	capture_free(m->c);
}

static const struct op_row *row(const struct made *m, enum op_side side, const char *name)
{
	for (size_t i = 0; i < m->t.n; i++)
		if (m->t.rows[i].side == side && strcmp(names_text(&m->c->names, m->t.rows[i].name), name) == 0)
			return &m->t.rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

#define NEAR(x, y) assert_true(fabs((x) - (y)) < 1e-9)

/* outer 100..200 holds mm 110..140 (with mm inside 120..130) and add 150..160; late 190..230 begins in outer and outlives it. */
static void test_self_times(void **state)
{
	struct made m;
	const struct op_row *r;

	(void)state;
	make(&m, HEAD HOST("aten::outer", "100", "100") HOST("aten::mm", "110", "30") HOST("aten::mm.out", "120", "10")
		HOST("aten::add", "150", "10") HOST("late", "190", "40") HOST("again", "300", "5") CALL("AscendCL@aclnnMm", "111", "20")
		CALL("Node@launch", "112", "4") TASK("k", "AI_CORE", "400", "1") "]", NULL);
	r = row(&m, SIDE_HOST, "outer");
	assert_int_equal(r->total_ns, 50000);		/* 100..110, 140..150, 160..190 */
	assert_int_equal(r->inclusive_ns, 100000);
	r = row(&m, SIDE_HOST, "mm");
	assert_int_equal(r->count, 2);
	assert_int_equal(r->total_ns, 30000);
	assert_int_equal(r->inclusive_ns, 30000);	/* the inner call is inside the outer one */
	assert_int_equal(r->min_ns, 10000);
	assert_int_equal(r->max_ns, 20000);
	assert_int_equal(row(&m, SIDE_HOST, "late")->total_ns, 40000);
	r = row(&m, SIDE_HOST, "AscendCL@aclnnMm");
	assert_int_equal(r->kind, WORK_HOST_RUNTIME);
	assert_int_equal(r->total_ns, 16000);
	assert_int_equal(r->inclusive_ns, 20000);
	assert_int_equal(m.t.host_ns, 135000);		/* 100..230 and 300..305 */
	assert_int_equal(m.t.runtime_ns, 20000);
	assert_int_equal(m.t.device_ns, 1000);
	made_done(&m);
}

static void test_percentiles(void **state)
{
	struct buf b = { 0 };
	struct made m;
	const struct op_row *r;

	(void)state;
	buf_str(&b, HEAD);
	for (int i = 1; i <= 40; i++)	/* 1..40 us, in no order of length */
		buf_printf(&b, ",{\"ph\":\"X\","
			"\"pid\":2,\"tid\":1,\"name\":\"Mul\",\"ts\":\"%d\",\"dur\":%d,\"args\":{\"Task Type\":\"AI_VECTOR_CORE\"}}",
			i * 100, i * 7 % 41);
	buf_str(&b, "]");
	make(&m, b.p, NULL);
	r = row(&m, SIDE_DEVICE, "Mul");
	assert_int_equal(r->count, 40);
	assert_int_equal(r->p50_ns, 20000);
	assert_int_equal(r->p95_ns, 38000);
	assert_int_equal(r->max_ns, 40000);
	assert_int_equal(r->total_ns, 820000);
	assert_int_equal(r->wait_ns, NO_TIME);
	assert_int_equal(r->bound, BOUND_UNKNOWN);
	made_done(&m);
	buf_done(&b);
}

/* ---- matching ------------------------------------------------------------------------------------------------------------------------ */

static void test_matching(void **state)
{
	struct made m;
	const struct op_row *r;

	(void)state;
	make(&m, HEAD TASK("Mul3", "AI_CORE", "1764576001000100.000", "10.001")
		TASK("Mul3", "AI_CORE", "1764576001000200.001", "10")
		TASK("Mul3", "AI_CORE", "1764576001000900.000", "77")		/* not in the table: its type is known all the same */
		TASK("aclnnAdd_AddAiCore_Add", "AI_CORE", "1764576001000300.000", "5")	/* no row of this name */
		TASK("trans_TransData_7", "AI_CORE", "1764576001000400.000", "5")
		TASK("Other9", "AI_CORE", "1764576001000500.000", "6")		/* on another clock, but one of one */
		TASK("MEMCPY_ASYNC", "MEMCPY_ASYNC", "1764576001000600.000", "60")
		TASK("EVENT_WAIT", "EVENT_WAIT", "1764576001000700.000", "60")
		COLL("hcom_allReduce__123_0_1", "1764576001000800.000", "20") "]",
		KERNELS "aiv_vec_ratio\n"
		"Mul3,Mul,AI_VECTOR_CORE,1764576001000200.000\t,10.000,2.5,1,0.5\n"
		"Mul3,Mul,AI_VECTOR_CORE,1764576001000100.000\t,10.000,0,1,0.5\n"
		"Other9,Sub,AI_VECTOR_CORE,1764576009000500.000\t,6.000,1,1,0.5\n"
		"hcom_allReduce__123_0_1,hcom_allReduce_,HCCL,1764576001000799.999\t,20.000,7,0,N/A\n");
	r = row(&m, SIDE_DEVICE, "Mul");
	assert_int_equal(r->count, 3);
	assert_int_equal(r->total_ns, 97000);		/* 10 + 10 from the table, 77 from the timeline */
	assert_int_equal(r->wait_ns, 2500);
	assert_int_equal(r->core, CORE_VECTOR);
	NEAR(r->vector, 0.5);
	assert_int_equal(row(&m, SIDE_DEVICE, "Add")->count, 1);
	assert_int_equal(row(&m, SIDE_DEVICE, "TransData")->count, 1);
	r = row(&m, SIDE_DEVICE, "Sub");
	assert_int_equal(r->wait_ns, 1000);
	r = row(&m, SIDE_DEVICE, "AllReduce");
	assert_int_equal(r->class.class, CLASS_COLLECTIVE);
	assert_int_equal(r->total_ns, 20000);
	assert_int_equal(r->wait_ns, 7000);
	assert_int_equal(row(&m, SIDE_DEVICE, "Memcpy")->class.class, CLASS_COPY);
	assert_int_equal(m.t.ndevice, 6);
	for (size_t i = 0; i < m.models[0].nspans; i++)
		assert_int_equal(m.t.row_of_span[i] == UINT32_MAX, m.models[0].spans[i].kind == WORK_WAIT);
	assert_int_equal(m.t.classes[CLASS_ELEMENTWISE].count, 5);
	assert_int_equal(intervals_total(&m.t.classes[CLASS_ELEMENTWISE].set), 108001);	/* the timeline's intervals */
	made_done(&m);
}

/* Two streams: sums exceed the union of the class. */
static void test_union_is_no_sum(void **state)
{
	struct made m;

	(void)state;
	make(&m, HEAD TASK("Mul", "AI_VECTOR_CORE", "100", "10")
		",{\"ph\":\"X\",\"pid\":2,\"tid\":2,\"name\":\"Add\",\"ts\":\"105\",\"dur\":10,\"args\":{\"Task Type\":\"AI_VECTOR_CORE\"}}]", NULL);
	assert_int_equal(m.t.classes[CLASS_ELEMENTWISE].total_ns, 20000);
	assert_int_equal(intervals_total(&m.t.classes[CLASS_ELEMENTWISE].set), 15000);
	made_done(&m);
}

/* No timeline, no types (Level0): names tell. */
static void test_table_without_types(void **state)
{
	struct made m;

	(void)state;
	make(&m, NULL, KERNELS "x\n"
		"aclnnMatmul_MatMulV2AiCore_MatMulV2,N/A,N/A,1764576001000200.000\t,10.000,0,0,\n"
		"MatMulV2,AI_CORE,AI_CORE,1764576001000300.000\t,12.000,0,0,\n"
		"hcom_allGather__1_0_1,N/A,N/A,1764576001000400.000\t,12.000,0,0,\n");
	assert_true(m.models[0].from_table);
	assert_int_equal(row(&m, SIDE_DEVICE, "MatMulV2")->count, 2);
	assert_int_equal(row(&m, SIDE_DEVICE, "AllGather")->kind, WORK_COMMUNICATION);
	assert_false(m.t.has_metrics);
	assert_true(isnan(m.t.aic_mac));
	made_done(&m);
}

/* ---- ratios -------------------------------------------------------------------------------------------------------------------------- */

#define METRICS "aicore_time(us),aic_mac_ratio,aic_mte2_ratio,aiv_time(us),aiv_vec_ratio,aiv_mte2_ratio,cube_utilization(%)\n"

static void test_ratios(void **state)
{
	struct made m;
	const struct op_row *r;

	(void)state;
	make(&m, NULL, KERNELS METRICS
		"a,MatMulV2,AI_CORE,1764576001000100.000,30,0,24,29,0.9,0.4,0,0,0,50\n"
		"b,MatMulV2,AI_CORE,1764576001000200.000,10,0,20,9,50,0.8,0,0,0,0.9\n"	/* 50 %, and 0.9 % of the cube */
		"c,FlashAttentionScore,MIX_AIC,1764576001000300.000,40,0,48,30,0.2,0.9,10,0.8,0.1,N/A\n"
		"d,Mul,AI_VECTOR_CORE,1764576001000400.000,20,0,48,0,0,0,19,0.1,0.75,0\n"
		"e,Mul,AI_VECTOR_CORE,1764576001000500.000,20,0,40,0,0,0,19,0.1,N/A,0\n"
		"f,Sub,AI_CPU,1764576001000600.000,99,0,1,N/A,N/A,N/A,N/A,N/A,N/A,N/A\n");
	r = row(&m, SIDE_DEVICE, "MatMulV2");
	NEAR(r->cube, (0.9 * 30 + 0.5 * 10) / 40);
	NEAR(r->mte2, (0.4 * 30 + 0.8 * 10) / 40);
	NEAR(r->cube_use, (0.5 * 30 + 0.009 * 10) / 40);
	NEAR(r->block_fill, 0.0);			/* the largest block dim of a cube kernel is 48: assumed */
	assert_true(isnan(r->vector) && isnan(r->aiv_mte2));
	assert_int_equal(r->bound, BOUND_CUBE);
	r = row(&m, SIDE_DEVICE, "FlashAttentionScore");
	NEAR(r->mte2, (0.9 * 30 + 0.1 * 10) / 40);	/* by the time on each core */
	NEAR(r->aic_mte2, 0.9);
	NEAR(r->aiv_mte2, 0.1);
	assert_int_equal(r->bound, BOUND_MIXED);	/* reads of the cube side, and the vector unit */
	r = row(&m, SIDE_DEVICE, "Mul");
	NEAR(r->mte2, 0.75);				/* only where it is given */
	NEAR(r->vector, 0.1);
	assert_true(isnan(r->cube));			/* the zeros of the core that it does not use */
	assert_int_equal(r->bound, BOUND_MTE2);
	assert_int_equal(row(&m, SIDE_DEVICE, "Sub")->bound, BOUND_UNKNOWN);
	assert_true(isnan(row(&m, SIDE_DEVICE, "Sub")->block_fill));
	assert_true(m.t.cores_assumed && m.t.cube_cores == 48 && m.t.vector_cores == 96);
	NEAR(m.t.aic_mac, (0.9 * 30 + 0.5 * 10 + 0.2 * 40) / 80);
	NEAR(m.t.aiv_mte2, (0.1 * 40 + 0.75 * 20) / 60);
	NEAR(m.t.aiv_vec, (0.8 * 40 + 0.1 * 40) / 80);
	made_done(&m);
}

/* Tables with one kind of core, and unofficial ones: the kernel's core kind tells whose ratio it is. */
static void test_single_core_ratios(void **state)
{
	struct made m;

	(void)state;
	make(&m, NULL, KERNELS "mac_ratio,mte2_ratio,vec_ratio\n"
		"a,MatMulV2,AI_CORE,1764576001000100.000,30,0,24,0.72,0.38,0.1\n"
		"b,RmsNorm,AI_VECTOR_CORE,1764576001000200.000,10,0,24,0.05,0.3,0.6\n");
	NEAR(m.t.aic_mac, 0.72);
	NEAR(m.t.aic_mte2, 0.38);
	NEAR(m.t.aiv_mte2, 0.3);
	NEAR(m.t.aiv_vec, 0.6);
	assert_int_equal(row(&m, SIDE_DEVICE, "RmsNorm")->bound, BOUND_MIXED);	/* 0.6 + 0.3 */
	NEAR(row(&m, SIDE_DEVICE, "MatMulV2")->block_fill, 1.0);
	NEAR(row(&m, SIDE_DEVICE, "RmsNorm")->block_fill, 0.0);		/* 24 of 48 */
	made_done(&m);
}

/* Values that are no ratios are not used; nothing else breaks. */
static void test_bad_metrics(void **state)
{
	struct made m;

	(void)state;
	make(&m, NULL, KERNELS METRICS
		"a,MatMulV2,AI_CORE,1764576001000100.000,30,0,-24,29,-0.5,1e300,0,0,0,1e9\n"
		"b,MatMulV2,AI_CORE,1764576001000200.000,0,-1,9223372036854775807,9,0.5,0.8,0,0,0,N/A\n");
	assert_true(isnan(row(&m, SIDE_DEVICE, "MatMulV2")->cube));	/* only the kernel without time has one */
	assert_int_equal(row(&m, SIDE_DEVICE, "MatMulV2")->bound, BOUND_UNKNOWN);
	assert_int_equal(row(&m, SIDE_DEVICE, "MatMulV2")->total_ns, 30000);
	made_done(&m);
}

/* ---- bounds -------------------------------------------------------------------------------------------------------------------------- */

#define NONE ((double)NAN)

static void test_bounds(void **state)
{
	/* class; cube, vector, mte1, fixpipe; scalar, mte2, mte3 of the cube core; the same of the vector core */
	static const struct {
		enum class_id class;
		double cube, vector, mte1, fixpipe, aic[3], aiv[3];
		enum bound bound;
	} cases[] = {
		{ CLASS_MATMUL, 0.8, NONE, 0.3, 0.2, { 0.2, 0.94, NONE }, { NONE, NONE, NONE }, BOUND_CUBE },
		{ CLASS_MATMUL, 0.79, NONE, 0.3, 0.2, { 0.2, 0.94, NONE }, { NONE, NONE, NONE }, BOUND_NONE },
		{ CLASS_MATMUL, 0.3, NONE, 0.3, 0.2, { 0.2, 0.95, NONE }, { NONE, NONE, NONE }, BOUND_MTE2 },
		{ CLASS_MATMUL, 0.85, NONE, 0.3, 0.2, { 0.2, 0.97, NONE }, { NONE, NONE, NONE }, BOUND_MIXED },
		{ CLASS_MATMUL, 0.1, NONE, 0.3, 0.2, { 0.9, 0.1, NONE }, { NONE, NONE, NONE }, BOUND_SCALAR },
		{ CLASS_MATMUL, 0.1, NONE, 0.81, 0.2, { 0.1, 0.1, NONE }, { NONE, NONE, NONE }, BOUND_MTE1 },
		{ CLASS_MATMUL, 0.1, NONE, 0.1, 0.8, { 0.1, 0.1, NONE }, { NONE, NONE, NONE }, BOUND_FIXPIPE },
		{ CLASS_NORM, NONE, 0.7, NONE, NONE, { NONE, NONE, NONE }, { 0.1, 0.2, 0.3 }, BOUND_VECTOR },
		{ CLASS_NORM, NONE, 0.1, NONE, NONE, { NONE, NONE, NONE }, { 0.1, 0.7, 0.69 }, BOUND_MTE2 },
		{ CLASS_NORM, NONE, 0.1, NONE, NONE, { NONE, NONE, NONE }, { 0.1, 0.2, 0.71 }, BOUND_MTE3 },
		{ CLASS_NORM, NONE, 0.3, NONE, NONE, { NONE, NONE, NONE }, { 0.1, 0.3, 0.3 }, BOUND_MIXED },
		{ CLASS_NORM, NONE, 0.3, NONE, NONE, { NONE, NONE, NONE }, { 0.1, 0.3, 0.29 }, BOUND_NONE },
		{ CLASS_NORM, NONE, 0.1, NONE, NONE, { NONE, NONE, NONE }, { 0.7, 0.1, 0.1 }, BOUND_SCALAR },
		{ CLASS_NORM, NONE, 0.1, NONE, NONE, { NONE, NONE, NONE }, { 0.1, 0.9, 0.8 }, BOUND_MIXED },
		{ CLASS_ATTENTION, 0.3, 0.75, 0.3, 0.3, { 0.1, 0.79, NONE }, { 0.1, 0.1, 0.1 }, BOUND_VECTOR },
		{ CLASS_ATTENTION, 0.3, 0.74, 0.3, 0.3, { 0.1, 0.80, NONE }, { 0.1, 0.1, 0.1 }, BOUND_MTE2 },
		{ CLASS_ATTENTION, 0.3, 0.3, 0.3, 0.76, { 0.1, 0.1, NONE }, { 0.1, 0.1, 0.1 }, BOUND_FIXPIPE },
		{ CLASS_ATTENTION, 0.3, 0.74, 0.3, 0.3, { 0.1, 0.79, NONE }, { 0.1, 0.3, 0.3 }, BOUND_NONE },
		{ CLASS_MOE, NONE, NONE, NONE, NONE, { NONE, NONE, NONE }, { NONE, NONE, NONE }, BOUND_UNKNOWN },
	};
	struct thresholds th;

	(void)state;
	thresholds_init(&th);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct op_row r = { .cube = cases[i].cube, .vector = cases[i].vector, .mte1 = cases[i].mte1, .fixpipe = cases[i].fixpipe,
			.aic_scalar = cases[i].aic[0], .aic_mte2 = cases[i].aic[1], .aic_mte3 = cases[i].aic[2], .aiv_scalar = cases[i].aiv[0],
			.aiv_mte2 = cases[i].aiv[1], .aiv_mte3 = cases[i].aiv[2], .class = { cases[i].class, SUB_OTHER_UNKNOWN } };

		if (op_bound(&r, &th) != cases[i].bound)
			fail_msg("case %zu: %s", i, bound_key(op_bound(&r, &th)));
	}
	assert_string_equal(bound_key(BOUND_MTE2), "mte2");
	assert_string_equal(bound_title(BOUND_NONE), "nothing: latency or too little work");
	assert_string_equal(bound_key(BOUND_MAX), "?");
}

static void test_other_thresholds(void **state)
{
	struct thresholds th;
	struct made m;

	(void)state;
	make(&m, NULL, KERNELS METRICS "a,MatMulV2,AI_CORE,1764576001000100.000,30,0,24,29,0.7,0.4,0,0,0,50\n");
	assert_int_equal(m.t.rows[0].bound, BOUND_NONE);
	thresholds_init(&th);
	assert_true(threshold_set(&th, "cubeBoundRatio", 0.6));
	ops_set_bounds(&m.t, &th);
	assert_int_equal(m.t.rows[0].bound, BOUND_CUBE);
	made_done(&m);
}

static void test_nothing(void **state)
{
	struct names names;
	struct capture c = { .nranks = 0 };
	struct rank r = { .id = -1 };
	struct work_model *models;
	struct op_table t;
	size_t n;

	(void)state;
	names_init(&c.names);
	names = c.names;
	models = work_new(&c, &r, cl, &n);
	ops_find(&models[0], cl, &t);
	assert_int_equal(t.n, 0);
	assert_int_equal(t.nmembers, 0);
	assert_int_equal(t.device_ns, 0);
	assert_true(isnan(t.aic_mac));
	assert_int_equal(names.n, c.names.n);
	ops_done(&t);
	work_free(models, n);
	names_done(&c.names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_normal_names),
		cmocka_unit_test_setup_teardown(test_self_times, setup, teardown),
		cmocka_unit_test_setup_teardown(test_percentiles, setup, teardown),
		cmocka_unit_test_setup_teardown(test_matching, setup, teardown),
		cmocka_unit_test_setup_teardown(test_union_is_no_sum, setup, teardown),
		cmocka_unit_test_setup_teardown(test_table_without_types, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ratios, setup, teardown),
		cmocka_unit_test_setup_teardown(test_single_core_ratios, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_metrics, setup, teardown),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test_setup_teardown(test_other_thresholds, setup, teardown),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, setup_all, teardown_all);
}
