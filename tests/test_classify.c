/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/classify.c and opname.c: words of names, classes of a thousand names, kinds of work, execution units, the tables. */
#include "core/model/classify.h"

#include "core/base/par.h"
#include "core/model/opname.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NAMES "tests/data/operator-names.tsv"

static struct classifier *c;

static int setup(void **state)
{
	struct diag d;

	(void)state;
	c = classifier_new(&d);
	if (!c)
		print_error("%s: %s\n", d.file, d.text);
	return c ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	classifier_free(c);
	return 0;
}

/* ---- names to words ------------------------------------------------------------------------------------------------------------ */

static void words(void **state)
{
	static const char *const cases[][2] = {
		{ "MatMulV2", "mat mul" }, { "batch_matmul", "batch matmul" }, { "MoeGatingTopKSoftmaxV2", "moe gating top k softmax" },
		{ "aclnnMm_MatMulCommon_MatMulV2", "mat mul" }, { "aclnnCast_CastAiCpu_Cast", "cast" },
		{ "aclnnGroupedMatmulV5", "grouped matmul" },
		{ "aclnnInplaceCopyGetWorkspaceSize", "inplace copy" }, { "AscendCL@aclnnMm", "mm" },
		{ "Dequeue@HcclAllreduce", "hccl allreduce" },
		{ "OnesLike_1c4543fdfe7149b6b0717bd88f061562_high_performance_210000000", "ones like" },
		{ "GroupedMatmul_0d2d43751f81d7f29646a862147967c9_102439707", "grouped matmul" },
		{ "trans_TransData_12", "trans trans data" }, { "Conv2D1", "conv2d1" },
		{ "Conv2DBackpropFilter6", "conv2d backprop filter6" },
		{ "MaxPoolWithArgmaxV12", "max pool with argmax" }, { "hcom_allReduce__210_0_1", "hcom all reduce" },
		{ "hcom_send__822_0@13337953553061386822", "hcom send" }, { "Default/network-Net/MatMul-op12", "mat mul op12" },
		{ "_Z14scatter_customIfiEvPT_PKS0_PKT0_jj", "scatter custom" }, { "_ZN3foo7my_gemmEv", "my gemm" },
		{ "_ZL8rms_normPv", "rms norm" },
		{ "aten::mul_", "mul" }, { "torch_npu::npu_rms_norm", "npu rms norm" }, { "NLLLossGrad", "nll loss grad" },
		{ "BNTrainingReduce", "bn training reduce" }, { "DSAGenBitMask", "dsa gen bit mask" },
		{ "allgatherAicpuKernel", "allgather aicpu kernel" },
		{ "TopKTopPSample", "top k top p sample" }, { "memcpyH2D", "memcpy h2d" }, { "LpNormV2", "lp norm" },
		{ "SwiGlu", "swi glu" },
		{ "ApplyAdamWV2", "apply adam w" }, { "MEMCPY_ASYNC", "memcpy async" }, { "bn_training_update_v2", "bn training update" },
		{ "", "" }, { "_", "" }, { "123", "" }, { "V2", "" }, { "@", "" }, { "a@", "a" }, { "::", "" }, { "/", "" }, { "x/", "x" },
		{ "_Z", "z" }, { "_Z99x", "z99x" }, { "_Z3", "z3" }, { "_Z0", "z0" },
		{ "_Z18446744073709551617ab", "z18446744073709551617ab" },
		{ "aclnn", "" }, { "aclnn_", "" }, { "aclnn_1_2", "" }, { "aclnnMm_3", "mm" }, { "\xe7\x9f\xa9MatMul\xff", "mat mul" },
		{ "  Add  ", "add" }, { "0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef" },
		{ "_0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef" },
	};
	char out[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t n = op_words(str_of(cases[i][0]), out, sizeof out);

		assert_string_equal(out, cases[i][1]);
		assert_int_equal(n, strlen(out));
	}
	name_words(STR("aclnnMm_MatMulCommon_MatMulV2"), out, sizeof out);
	assert_string_equal(out, "mm mat mul common mat mul");
}

static void words_are_cut_where_the_room_ends(void **state)
{
	static const char whole[] = "moe gating top k softmax";
	char out[64], name[3000];

	(void)state;
	for (size_t size = 0; size <= sizeof whole; size++) {
		memset(out, '#', sizeof out);
		assert_true(op_words(STR("MoeGatingTopKSoftmaxV2"), out, size) < MAX(size, 1));
		if (size) {
			assert_int_equal(strlen(out), strcspn(out, "#"));
			assert_memory_equal(out, whole, strlen(out));
			assert_true(strlen(out) + 2 >= size);	/* a blank at the cut is taken off */
		}
		assert_int_equal(out[size], '#');
	}
	memset(name, 'A', sizeof name);
	assert_int_equal(op_words((struct str){ name, sizeof name }, out, sizeof out), sizeof out - 1);
}

/* ---- classes ------------------------------------------------------------------------------------------------------------------- */

struct line {
	char text[512];
	struct str field[5];		/* name, type, task type, class, subtype */
};

static bool line_next(FILE *f, struct line *l)
{
	while (fgets(l->text, sizeof l->text, f)) {
		char *p = l->text;

		p[strcspn(p, "\n")] = '\0';
		if (*p == '#')
			continue;
		for (size_t i = 0; i < ARRAY_LEN(l->field); i++) {
			size_t n = strcspn(p, "\t");

			l->field[i] = (struct str){ p, n };
			p += n + (p[n] == '\t');
		}
		return true;
	}
	return false;
}

static void every_name_of_the_list(void **state)
{
	bool used[SUB_MAX] = { false };
	size_t n = 0, wrong = 0;
	FILE *f = fopen(NAMES, "r");
	struct line l;

	(void)state;
	assert_non_null(f);
	while (line_next(f, &l)) {
		struct op_class got = classify_op(c, l.field[0], l.field[1], l.field[2]);

		n++;
		used[got.subtype] = true;
		assert_int_equal(subtype_class(got.subtype), got.class);
		if (str_is(str_of(class_key(got.class)), l.field[3]) && str_is(str_of(subtype_key(got.subtype)), l.field[4]))
			continue;
		wrong++;
		print_error("%.*s (%.*s, %.*s): %s/%s\n", (int)l.field[0].n, l.field[0].p, (int)l.field[1].n, l.field[1].p,
			(int)l.field[2].n, l.field[2].p, class_key(got.class), subtype_key(got.subtype));
	}
	fclose(f);
	assert_int_equal(wrong, 0);
	assert_true(n >= 1000);
	for (int s = 0; s < SUB_MAX; s++)
		if (!used[s])
			fail_msg("no name of %s/%s", class_key(subtype_class((enum subtype_id)s)), subtype_key((enum subtype_id)s));
}

static void assert_class(const char *name, const char *type, const char *task, enum class_id class, enum subtype_id sub)
{
	struct op_class got = classify_op(c, str_of(name), str_of(type), str_of(task));

	if (got.class != class || got.subtype != sub)
		fail_msg("%s (%s, %s): %s/%s", name, type, task, class_key(got.class), subtype_key(got.subtype));
}

/* The type column decides, the name only where the type tells nothing. */
static void type_first_name_second(void **state)
{
	(void)state;
	assert_class("aclnnMm_MatMulCommon_MemSet", "MemSet", "AI_VECTOR_CORE", CLASS_MOVE, SUB_MOVE_FILL);
	assert_class("my_softmax", "MatMulV2", "AI_CORE", CLASS_MATMUL, SUB_MATMUL_DENSE);
	assert_class("RmsNorm_7", "N/A", "N/A", CLASS_NORM, SUB_NORM_RMS);
	assert_class("RmsNorm_7", "", "", CLASS_NORM, SUB_NORM_RMS);
	assert_class("RmsNorm", "AI_VECTOR_CORE", "AI_VECTOR_CORE", CLASS_NORM, SUB_NORM_RMS);	/* the core as type */
	assert_class("MatMulV2", "AI_CORE", "AI_CORE", CLASS_MATMUL, SUB_MATMUL_DENSE);
	assert_class("aclnnSoftmax_FooAiCore_Foo", "Foo", "AI_VECTOR_CORE", CLASS_SOFTMAX, SUB_SOFTMAX_PLAIN);
	assert_class("foo", "MatMulV2", "HCCL", CLASS_COLLECTIVE, SUB_COLLECTIVE_OTHER);	/* the task type knows a collective */
	assert_class("Broadcast", "", "AI_VECTOR_CORE", CLASS_OTHER, SUB_OTHER_UNKNOWN);		/* one only where it says so */
	assert_class("BroadcastTo", "", "AI_VECTOR_CORE", CLASS_MOVE, SUB_MOVE_EXPAND);
	assert_class("Reduce", "", "COMMUNICATION", CLASS_COLLECTIVE, SUB_COLLECTIVE_REDUCE);
	assert_class("Scatter", "", "AI_VECTOR_CORE", CLASS_MOVE, SUB_MOVE_SCATTER);
	assert_class("", "", "", CLASS_OTHER, SUB_OTHER_UNKNOWN);
	assert_class("custom", "", "AI_CPU", CLASS_AICPU, SUB_AICPU_OTHER);
	assert_class("custom", "", "DSA_SQE", CLASS_RANDOM, SUB_RANDOM_GENERATE);
	/* names that other tools have put elsewhere */
	assert_class("Pad2d", "", "AI_VECTOR_CORE", CLASS_MOVE, SUB_MOVE_EXPAND);
	assert_class("MoeDistributeDispatchV2", "", "MIX_AIV", CLASS_MOE, SUB_MOE_DISPATCH);
	assert_class("allreduceAicpuKernel", "", "AI_CPU", CLASS_COLLECTIVE, SUB_COLLECTIVE_ALL_REDUCE);
	assert_class("hcom_reduceScatter__1_2_3", "hcom_reduceScatter_", "HCCL", CLASS_COLLECTIVE, SUB_COLLECTIVE_REDUCE_SCATTER);
	assert_class("aclrtMemcpyAsync_D2H", "aclrtMemcpyAsync", "AI_CPU", CLASS_COPY, SUB_COPY_D2H);
}

static void rows_without_names(void **state)
{
	(void)state;
	assert_class("", "MatMulV2", "AI_CORE", CLASS_MATMUL, SUB_MATMUL_DENSE);
	assert_class("", "hcom_allReduce_", "HCCL", CLASS_COLLECTIVE, SUB_COLLECTIVE_ALL_REDUCE);
	assert_class("N/A", "N/A", "MEMCPY_ASYNC", CLASS_COPY, SUB_COPY_OTHER);
}

/* ---- work ---------------------------------------------------------------------------------------------------------------------- */

static const struct {
	enum layer layer;
	const char *lane, *type, *name;
	enum work kind, covered, alone;
	unsigned flags;
} works[] = {
#define SURE(layer, lane, type, name, kind, flags) { LAYER_##layer, lane, type, name, WORK_##kind, WORK_##kind, WORK_##kind, flags }
#define ASK(layer, lane, type, name, kind, covered, alone, flags) \
	{ LAYER_##layer, lane, type, name, WORK_##kind, WORK_##covered, WORK_##alone, flags }
	/* kernels of every writer and age */
	SURE(HARDWARE, "Stream 2", "AI_CORE", "aclnnMm_MatMulCommon_MatMulV2", COMPUTE, 0),
	SURE(HARDWARE, "Stream 2", "AI_VECTOR_CORE", "aclnnAdd_AddAiCore_Add", COMPUTE, 0),
	SURE(HARDWARE, "Stream 2", "MIX_AIC", "aclnnFlashAttentionScore_FlashAttentionScore_FlashAttentionScore", COMPUTE, 0),
	SURE(HARDWARE, "Stream 2", "MIX_AIV", "ReduceSum7", COMPUTE, 0),
	SURE(HARDWARE, "Stream 2", "AI_CPU", "aclnnCast_CastAiCpu_Cast", COMPUTE, 0),
	SURE(HARDWARE, "Stream 3", "DSA_SQE", "aclnnDropoutGenMaskV2_DSAGenBitMask_DSAGenBitMask", COMPUTE, 0),
	SURE(HARDWARE, "Stream 3", "STARS_COMMON", "aclnnDropoutGenMaskV2_DSAGenBitMask_DSAGenBitMask", COMPUTE, 0),
	SURE(HARDWARE, "Stream 3", "KERNEL_AICORE", "matmul_kernel", COMPUTE, 0),
	SURE(HARDWARE, "Stream 3", "KERNEL_AIVEC", "_Z14scatter_customIfiEvPT_PKS0_PKT0_jj", COMPUTE, 0),
	SURE(HARDWARE, "Stream 3", "KERNEL_MIX_AIC", "GroupedMatmul_0d2d43751f81d7f29646a862147967c9_102439707", COMPUTE, 0),
	SURE(HARDWARE, "Stream 3", "KERNEL_AICPU", "aclnnX_Y_Z", COMPUTE, 0),
	SURE(HARDWARE, "Stream 3", "FFTS_PLUS", "RmsNorm", COMPUTE, 0),
	SURE(HARDWARE, "Stream 3", "Other", "aclnnMm_MatMulCommon_MatMulV2", COMPUTE, 0),
	SURE(HARDWARE, "", "kernel", "MatMulV2", COMPUTE, 0),
	SURE(HARDWARE, "", "", "MatMulV2", COMPUTE, 0),
	SURE(HARDWARE, "", "N/A", "MatMulV2", COMPUTE, 0),
	SURE(HARDWARE, "", "AI_VECTOR_CORE", "MoeDistributeCombineV2", COMPUTE, 0),
	SURE(HARDWARE, "", "MIX_AIC", "aclnnMatmulAllReduceV2_MatmulAllReduce_MatmulAllReduce", COMPUTE, 0),
	SURE(HARDWARE, "", "AI_VECTOR_CORE", "AllReduceRmsNorm_custom", COMPUTE, 0),
	SURE(OTHER, "Stream 2", "AI_CORE", "aclnnMm_MatMulCommon_MatMulV2", COMPUTE, 0),
	/* shells */
	ASK(HARDWARE, "Stream 4", "AI_CORE", "AI_CORE", PSEUDO, COMM_DETAIL, PSEUDO, WORK_UNNAMED),
	ASK(HARDWARE, "Stream 4", "AI_CORE", "KERNEL_AICORE", PSEUDO, COMM_DETAIL, PSEUDO, WORK_UNNAMED),
	ASK(HARDWARE, "Stream 4", "KERNEL_MIX_AIC", "KERNEL_MIX_AIC", PSEUDO, COMM_DETAIL, PSEUDO, WORK_UNNAMED),
	ASK(HARDWARE, "Stream 4", "AI_CPU", "KERNEL_AICPU", PSEUDO, COMM_DETAIL, PSEUDO, WORK_UNNAMED),
	ASK(HARDWARE, "Stream 4", "FFTS_PLUS", "N/A", PSEUDO, COMM_DETAIL, PSEUDO, WORK_UNNAMED),
	ASK(HARDWARE, "Stream 4", "STARS_COMMON", "STARS_COMMON", PSEUDO, COMM_DETAIL, PSEUDO, WORK_UNNAMED),
	SURE(HARDWARE, "Stream 4", "", "", PSEUDO, WORK_UNNAMED),
	/* waits */
	SURE(HARDWARE, "Stream 2", "EVENT_WAIT_SQE", "EVENT_WAIT", WAIT, 0),
	SURE(HARDWARE, "Stream 2", "EVENT_WAIT", "EVENT_WAIT", WAIT, 0),
	SURE(HARDWARE, "Stream 2", "STREAM_WAIT_EVENT", "STREAM_WAIT_EVENT", WAIT, 0),
	SURE(HARDWARE, "Stream 2", "Other", "EVENT_WAIT", WAIT, 0),
	SURE(HARDWARE, "Stream 2", "CAPTURE_WAIT", "CAPTURE_WAIT", WAIT, 0),
	SURE(HARDWARE, "Stream 2", "MEM_WAIT_VALUE", "MEM_WAIT_VALUE", WAIT, 0),
	SURE(HARDWARE, "Stream 4", "Notify Wait", "Notify Wait", WAIT, WORK_OF_COMM),
	SURE(HARDWARE, "Stream 4", "NOTIFY_WAIT_SQE", "NOTIFY_WAIT", WAIT, WORK_OF_COMM),
	SURE(HARDWARE, "", "HCCL", "Notify Wait", WAIT, WORK_OF_COMM),
	SURE(COMMUNICATION, "Plane 3", "Notify_Wait", "Notify_Wait", WAIT, WORK_OF_COMM),
	SURE(COMMUNICATION, "Plane 3", "", "Notify_Wait", WAIT, WORK_OF_COMM),
	/* collectives and their parts */
	SURE(COMMUNICATION, "Group 0 Communication", "", "hcom_allReduce__210_0_1", COMMUNICATION, 0),
	SURE(COMMUNICATION, "Group 12 Communication", "", "anything", COMMUNICATION, 0),
	SURE(COMMUNICATION, "Communication OP", "", "hcom_allReduce__210_0_1", COMMUNICATION, 0),
	SURE(COMMUNICATION, "", "", "hcom_allReduce__210_0_1", COMMUNICATION, 0),
	SURE(COMMUNICATION, "", "", "AllGather", COMMUNICATION, 0),
	SURE(COMMUNICATION, "", "", "Memcpy", COMM_DETAIL, WORK_OF_COMM),
	SURE(COMMUNICATION, "Plane 0", "Memcpy", "Memcpy", COMM_DETAIL, WORK_OF_COMM),
	SURE(COMMUNICATION, "Plane 0", "Reduce_Inline", "Reduce_Inline", COMM_DETAIL, WORK_OF_COMM),
	SURE(COMMUNICATION, "Plane 10", "Notify_Record", "Notify_Record", COMM_DETAIL, WORK_OF_COMM),
	SURE(COMMUNICATION, "Plane 10", "RDMASend", "RDMASend", COMM_DETAIL, WORK_OF_COMM),
	SURE(COMMUNICATION, "", "", "RDMASend", COMM_DETAIL, WORK_OF_COMM),
	SURE(COMMUNICATION, "tid 7", "", "mystery", COMM_DETAIL, WORK_OF_COMM),
	SURE(OTHER, "Group 0 Communication", "", "hcom_allReduce__210_0_1", COMMUNICATION, 0),
	SURE(OTHER, "Plane 1", "Memcpy", "Memcpy", COMM_DETAIL, WORK_OF_COMM),
	SURE(HARDWARE, "", "HCCL", "AllReduce", COMMUNICATION, 0),
	SURE(HARDWARE, "", "hccl", "AllReduce", COMMUNICATION, 0),
	SURE(HARDWARE, "", "COMMUNICATION", "hcom_allGather__097_6_1", COMMUNICATION, 0),
	SURE(HARDWARE, "", "AI_CORE", "hcom_allGather__097_6_1", COMMUNICATION, 0),
	SURE(HARDWARE, "", "AI_VECTOR_CORE", "LcalAllReduce", COMMUNICATION, 0),
	ASK(HARDWARE, "Stream 9", "AI_CPU", "allgatherAicpuKernel", COMM_DETAIL, COMM_DETAIL, COMMUNICATION, WORK_OF_COMM),
	ASK(HARDWARE, "Stream 9", "AI_CPU", "reduce_scatterAicpuKernel", COMM_DETAIL, COMM_DETAIL, COMMUNICATION, WORK_OF_COMM),
	ASK(HARDWARE, "Stream 9", "KERNEL_AICPU", "RunAicpuKfcSrvLaunch", COMM_DETAIL, COMM_DETAIL, COMMUNICATION, WORK_OF_COMM),
	ASK(HARDWARE, "Stream 9", "AI_VECTOR_CORE", "aiv_all_reduce_910b_half", COMM_DETAIL, COMM_DETAIL, COMMUNICATION, WORK_OF_COMM),
	ASK(HARDWARE, "Stream 4", "SDMA", "SDMA", COMM_DETAIL, COMM_DETAIL, COPY, WORK_OF_COMM),
	ASK(HARDWARE, "Stream 4", "Write Value", "Write Value", COMM_DETAIL, COMM_DETAIL, PSEUDO, WORK_OF_COMM),
	ASK(HARDWARE, "Stream 4", "WRITE_VALUE_SQE", "WRITE_VALUE", COMM_DETAIL, COMM_DETAIL, PSEUDO, WORK_OF_COMM),
	ASK(HARDWARE, "Stream 4", "NOTIFY_RECORD_SQE", "NOTIFY_RECORD", COMM_DETAIL, COMM_DETAIL, PSEUDO, WORK_OF_COMM),
	SURE(HARDWARE, "Stream 4", "RDMA_SEND", "RDMA_SEND", COMM_DETAIL, WORK_OF_COMM),
	SURE(HARDWARE, "Stream 4", "CCU_LAUNCH", "CCU_LAUNCH", COMM_DETAIL, WORK_OF_COMM),
	/* copies */
	SURE(HARDWARE, "Stream 2", "PCIE_DMA_SQE", "MEMCPY_ASYNC", COPY, 0),
	ASK(HARDWARE, "Stream 2", "SDMA_SQE", "MEMCPY_ASYNC", COPY, COMM_DETAIL, COPY, 0),
	ASK(HARDWARE, "Stream 2", "MEMCPY_ASYNC", "MEMCPY_ASYNC", COPY, COMM_DETAIL, COPY, 0),
	ASK(HARDWARE, "Stream 2", "MEMCPY_ASYNC", "N/A", COPY, COMM_DETAIL, COPY, 0),
	ASK(HARDWARE, "Stream 2", "Other", "MEMCPY_ASYNC", COPY, COMM_DETAIL, COPY, 0),
	SURE(HARDWARE, "", "AI_CPU", "aclrtMemcpyAsync_D2H", COPY, 0),
	SURE(HARDWARE, "", "DeviceToHost", "x", COPY, 0),
	/* bookkeeping */
	SURE(HARDWARE, "Stream 2", "EVENT_RECORD_SQE", "EVENT_RECORD", PSEUDO, 0),
	SURE(HARDWARE, "Stream 65535", "PLACE_HOLDER_SQE", "PLACE_HOLDER_SQE", PSEUDO, 0),
	SURE(HARDWARE, "Stream 2", "PLACE_HOLDER_SQE", "EVENT_RECORD", PSEUDO, 0),
	SURE(HARDWARE, "Stream 0", "PLACE_HOLDER_SQE", "PROFILING_ENABLE", PSEUDO, 0),
	SURE(HARDWARE, "Stream 0", "PROFILING_DISABLE", "N/A", PSEUDO, 0),
	SURE(HARDWARE, "Stream 0", "TASK_TIMEOUT_SET", "TASK_TIMEOUT_SET", PSEUDO, 0),
	SURE(HARDWARE, "Stream 0", "MODEL_EXECUTE", "MODEL_EXECUTE", PSEUDO, 0),
	SURE(HARDWARE, "Stream 0", "Other", "MODEL_EXECUTE", PSEUDO, 0),
	SURE(HARDWARE, "Stream 0", "MODEL_MAINTAINCE", "MODEL_MAINTAINCE", PSEUDO, 0),
	SURE(HARDWARE, "Stream 0", "STREAM_ACTIVE", "STREAM_ACTIVE", PSEUDO, 0),
	SURE(HARDWARE, "Stream 0", "Invalidate Data Context", "Invalidate Data Context", PSEUDO, 0),
	SURE(HARDWARE, "Stream 0", "SOME_NEW_SQE", "SOME_NEW", PSEUDO, 0),
	SURE(HARDWARE, "Stream 0", "JPEGD_SQE", "JPEGD", OTHER, 0),
	/* what the exporter says about itself, counters, steps */
	SURE(OVERLAP, "Computing", "", "Computing", SUMMARY, 0),
	SURE(OVERLAP, "Free", "", "Free", SUMMARY, 0),
	SURE(OTHER, "Communication(Not Overlapped)", "", "Communication(Not Overlapped)", SUMMARY, 0),
	SURE(STEP_TRACE, "Step Trace(Model ID:2)", "", "Iteration 1", STEP_MARK, 0),
	SURE(COUNTER, "", "", "AI Core Freq", COUNTER, 0),
	/* host */
	SURE(PYTHON, "Thread 1", "cpu_op", "aten::mul", HOST_OP, 0),
	SURE(PYTHON, "MainThread", "cpu_op", "aclrtMemcpyAsync", HOST_OP, 0),
	SURE(PYTHON, "Thread 1", "cpu_op", "hcom_allReduce_", HOST_OP, 0),
	SURE(PYTHON, "Thread 1", "cpu_op", "ProfilerStep#50", STEP_MARK, 0),
	SURE(PYTHON, "Thread 1", "", "ProfilerStep#50", STEP_MARK, 0),
	SURE(PYTHON, "Thread 1", "python_function", "torch/nn/modules/module.py(1553): _call_impl", HOST_FRAME, 0),
	SURE(PYTHON, "Thread 1", "", "torch/nn/modules/module.py(1553): _call_impl", HOST_FRAME, 0),
	SURE(PYTHON, "Thread 1", "", "<built-in function len>", HOST_FRAME, 0),
	SURE(PYTHON, "Thread 1", "enqueue", "Enqueue", HOST_QUEUE, 0),
	SURE(PYTHON, "Thread 1", "dequeue", "Dequeue@aclnnMm", HOST_QUEUE, 0),
	SURE(PYTHON, "Thread 1", "", "Dequeue@HcclAllreduce", HOST_QUEUE, 0),
	SURE(FRAMEWORK, "Thread 1", "mstx", "prefill", MARK, 0),
	SURE(FRAMEWORK, "Thread 1", "", "MatMul-op1", HOST_OP, 0),
	SURE(GC, "Python GC", "GC", "GC", HOST_GC, 0),
	SURE(CANN, "Thread 7", "", "AscendCL@aclrtMemcpyAsync", HOST_RUNTIME, 0),
	SURE(CANN, "Thread 7", "", "Node@launch", HOST_RUNTIME, 0),
	SURE(CANN, "Thread 7", "", "Hccl@hcom_allReduce_", HOST_RUNTIME, 0),
	SURE(OTHER, "Thread 7", "", "AscendCL@aclnnMm", HOST_RUNTIME, 0),
	SURE(OTHER, "Thread 7", "cpu_op", "aten::mul", HOST_OP, 0),
	SURE(OTHER, "Thread 7", "", "aten::mul", OTHER, 0),
	SURE(OTHER, "", "", "", OTHER, 0),
};

static void kinds_of_work(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(works); i++) {
		struct work_kind w = classify_work(c, works[i].layer, str_of(works[i].lane), str_of(works[i].type), str_of(works[i].name));

		if (w.kind != works[i].kind || w.covered != works[i].covered || w.alone != works[i].alone || w.flags != works[i].flags)
			fail_msg("%s | %s | %s: %s, covered %s, alone %s, flags %u", works[i].lane, works[i].type, works[i].name,
				work_key(w.kind), work_key(w.covered), work_key(w.alone), w.flags);
		assert_int_equal(work_is_certain(w), works[i].kind == works[i].covered && works[i].kind == works[i].alone);
	}
}

/* A layer out of range is one that nothing is known of. */
static void layers_out_of_range(void **state)
{
	struct str none = { NULL, 0 };

	(void)state;
	assert_int_equal(classify_work(c, LAYER_MAX, STR(""), STR(""), STR("x")).kind, WORK_OTHER);
	assert_int_equal(classify_work(c, (enum layer)-1, STR(""), STR("cpu_op"), STR("x")).kind, WORK_HOST_OP);
	assert_int_equal(classify_work(c, LAYER_HARDWARE, none, none, none).kind, WORK_PSEUDO);
}

/* ---- units --------------------------------------------------------------------------------------------------------------------- */

static void execution_units(void **state)
{
	static const struct {
		const char *name, *task;
		enum core_kind core;
	} cases[] = {
		{ "MatMulV2", "AI_CORE", CORE_CUBE }, { "MatMulV2", "MIX_AIC", CORE_MIX }, { "MatMulV2", "", CORE_CUBE },
		{ "MatMulV2", "FFTS_PLUS", CORE_CUBE }, { "MatMulV2", "KERNEL_AICORE", CORE_CUBE },
		{ "RmsNorm", "AI_VECTOR_CORE", CORE_VECTOR }, { "RmsNorm", "KERNEL_AIVEC", CORE_VECTOR }, { "RmsNorm", "N/A", CORE_VECTOR },
		{ "RmsNorm", "AIV_SQE", CORE_VECTOR }, { "RmsNorm", "MIX_AIV", CORE_MIX }, { "RmsNorm", "KERNEL_MIX_AIV", CORE_MIX },
		{ "aclnnAdd_AddAiCore_Add", "AI_CORE", CORE_VECTOR },		/* as timelines write it */
		{ "FusedInferAttentionScore", "AI_CORE", CORE_MIX }, { "FusedInferAttentionScore", "Other", CORE_MIX },
		{ "my_kernel", "AI_CORE", CORE_CUBE }, { "my_kernel", "AI_VECTOR_CORE", CORE_VECTOR }, { "my_kernel", "", CORE_NONE },
		{ "aclnnCast_CastAiCpu_Cast", "AI_CPU", CORE_AICPU }, { "Cast", "KERNEL_AICPU", CORE_AICPU },
		{ "DSARandomNormal", "DSA_SQE", CORE_DSA }, { "hcom_allReduce__1_2_3", "HCCL", CORE_COMM },
		{ "hcom_allReduce__1_2_3", "N/A", CORE_COMM }, { "allgatherAicpuKernel", "AI_CPU", CORE_COMM },
		{ "aclrtMemcpyAsync_D2H", "AI_CPU", CORE_NONE }, { "MEMCPY_ASYNC", "SDMA_SQE", CORE_NONE },
		{ "EVENT_WAIT", "EVENT_WAIT_SQE", CORE_NONE }, { "Add", "EVENT_RECORD", CORE_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct op_class op = classify_op(c, str_of(cases[i].name), STR(""), str_of(cases[i].task));
		enum core_kind core = classify_core(c, str_of(cases[i].task), op);

		if (core != cases[i].core)
			fail_msg("%s on %s: %s", cases[i].name, cases[i].task, core_key(core));
	}
}

/* ---- tables -------------------------------------------------------------------------------------------------------------------- */

static void keys_are_unique_and_found(void **state)
{
	enum class_id class;
	enum subtype_id sub;
	bool has_sub[CLASS_MAX] = { false };

	(void)state;
	for (int i = 0; i < WORK_MAX; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(work_key((enum work)i), work_key((enum work)k));
	for (int i = 0; i < CORE_MAX; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(core_key((enum core_kind)i), core_key((enum core_kind)k));
	for (int i = 0; i < CLASS_MAX; i++) {
		assert_true(class_find(str_of(class_key((enum class_id)i)), &class));
		assert_int_equal(class, i);
		assert_true(*class_title((enum class_id)i));
	}
	for (int i = 0; i < SUB_MAX; i++) {
		class = subtype_class((enum subtype_id)i);
		assert_true(subtype_find(class, str_of(subtype_key((enum subtype_id)i)), &sub));
		assert_int_equal(sub, i);
		assert_true(*subtype_title((enum subtype_id)i));
		has_sub[class] = true;
	}
	for (int i = 0; i < CLASS_MAX; i++)
		assert_true(has_sub[i]);
	assert_true(class_find(STR("MatMul"), &class) && class == CLASS_MATMUL);
	assert_false(class_find(STR("nothing"), &class));
	assert_false(class_find(STR(""), &class));
	assert_false(subtype_find(CLASS_MATMUL, STR("rms"), &sub));
}

static void texts_out_of_range(void **state)
{
	(void)state;
	assert_string_equal(work_key(WORK_MAX), "?");
	assert_string_equal(work_title((enum work)-1), "?");
	assert_string_equal(class_key(CLASS_MAX), "?");
	assert_string_equal(class_title((enum class_id)1000), "?");
	assert_string_equal(subtype_key(SUB_MAX), "?");
	assert_string_equal(subtype_title((enum subtype_id)-5), "?");
	assert_string_equal(core_key(CORE_MAX), "?");
	assert_string_equal(core_title((enum core_kind)-1), "?");
	assert_int_equal(subtype_class(SUB_MAX), CLASS_OTHER);
	assert_string_equal(core_title(CORE_CUBE), "cube core");
	assert_int_equal(classify_core(c, STR(""), (struct op_class){ CLASS_MAX, SUB_MAX }), CORE_NONE);
}

/* ---- threads ------------------------------------------------------------------------------------------------------------------- */

static void ask_everything(void *arg, unsigned worker, size_t item)
{
	bool *good = arg;

	(void)worker;
	good[item] = true;
	for (size_t i = 0; i < ARRAY_LEN(works); i++) {
		struct work_kind w = classify_work(c, works[i].layer, str_of(works[i].lane), str_of(works[i].type), str_of(works[i].name));
		struct op_class op = classify_op(c, STR("aclnnMm_MatMulCommon_MatMulV2"), STR(""), str_of(works[i].type));

		good[item] = good[item] && w.kind == works[i].kind && (op.class == CLASS_MATMUL || op.class == CLASS_COLLECTIVE);
	}
}

static void one_classifier_for_many_threads(void **state)
{
	bool good[32];

	(void)state;
	par_for(8, ARRAY_LEN(good), ask_everything, good);
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		assert_true(good[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(words_are_cut_where_the_room_ends),
		cmocka_unit_test(every_name_of_the_list),
		cmocka_unit_test(type_first_name_second),
		cmocka_unit_test(rows_without_names),
		cmocka_unit_test(kinds_of_work),
		cmocka_unit_test(layers_out_of_range),
		cmocka_unit_test(execution_units),
		cmocka_unit_test(keys_are_unique_and_found),
		cmocka_unit_test(texts_out_of_range),
		cmocka_unit_test(one_classifier_for_many_threads),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
