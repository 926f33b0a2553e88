/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spellings shared by the scenario tables: one macro per kernel family gives the
 * name, type, core, issuing operator and pipe profile; a scenario only adds
 * shapes and times. Times are nanoseconds, pipe shares 1/1000.
 */
#ifndef ASCOPE_SAMPLES_KERNELS_H
#define ASCOPE_SAMPLES_KERNELS_H

#include "samples/scenario.h"

#define CUBE_BUSY { 720, 210, 470, 380, 150, 0, 0, 0, 0, 780 }
#define CUBE_STARVED { 180, 320, 240, 640, 90, 0, 0, 0, 0, 190 }
#define CUBE_ATTENTION { 560, 240, 390, 340, 120, 410, 180, 300, 90, 610 }
#define VECTOR_STREAM { 0, 0, 0, 0, 0, 290, 90, 640, 420, 0 }

#define MATMUL(time, host, jit, rows, inner_dim, cols, shares) { \
	.name = "aclnnMatmul_MatMulV2AiCore_MatMulV2", .type = "MatMulV2", .core = "AI_CORE", .op = "aten::linear", \
	.inner = "aten::matmul", .acl = "aclnnMatmul", .ns = (time), .host_ns = (host), .jitter = (jit), .blocks = 24, \
	.in_shapes = "\"" rows "," inner_dim ";" cols "," inner_dim "\"", .in_types = "DT_BF16;DT_BF16", \
	.in_formats = "ND;ND", .out_shapes = "\"" rows "," cols "\"", .out_types = "DT_BF16", .out_formats = "ND", \
	.pipes = shares }

#define ATTENTION(time, host, jit, rows, kv, blocks_n) { \
	.name = "aclnnFusedInferAttentionScoreV3_FusedInferAttentionScore_FusedInferAttentionScore", \
	.type = "FusedInferAttentionScore", .core = "MIX_AIC", .op = "npu::npu_fused_infer_attention_score", \
	.inner = NULL, .acl = "aclnnFusedInferAttentionScoreV3", .ns = (time), .host_ns = (host), .jitter = (jit), \
	.blocks = (blocks_n), .in_shapes = "\"" rows ",5,128;" kv ",128,128;" kv ",128,128;;2048,2048\"", \
	.in_types = "DT_BF16;DT_BF16;DT_BF16;DT_BF16;INT8", .in_formats = "ND;ND;ND;ND;ND", \
	.out_shapes = "\"" rows ",5,128;\"", .out_types = "DT_BF16;FLOAT", .out_formats = "ND;ND", \
	.pipes = CUBE_ATTENTION }

#define INCRE_ATTENTION(time, host, jit, rows, kv) { \
	.name = "aclnnIncreFlashAttentionV4_IncreFlashAttention_IncreFlashAttention", \
	.type = "IncreFlashAttention", .core = "MIX_AIC", .op = "npu::npu_incre_flash_attention", \
	.inner = NULL, .acl = "aclnnIncreFlashAttentionV4", .ns = (time), .host_ns = (host), .jitter = (jit), \
	.blocks = 20, .in_shapes = "\"" rows ",5,1,128;" kv ",128,128;" kv ",128,128\"", \
	.in_types = "DT_BF16;DT_BF16;DT_BF16", .in_formats = "ND;ND;ND", .out_shapes = "\"" rows ",5,1,128\"", \
	.out_types = "DT_BF16", .out_formats = "ND", .pipes = CUBE_STARVED }

#define VECTOR(kind, framework_op, api, time, host, jit, ins, types, outs) { \
	.name = api "_" kind "AiCore_" kind, .type = kind, .core = "AI_VECTOR_CORE", .op = framework_op, \
	.inner = NULL, .acl = api, .ns = (time), .host_ns = (host), .jitter = (jit), .blocks = 40, \
	.in_shapes = "\"" ins "\"", .in_types = types, .in_formats = "ND;ND", .out_shapes = "\"" outs "\"", \
	.out_types = "DT_BF16", .out_formats = "ND", .pipes = VECTOR_STREAM }

#define RMS_NORM(time, host, jit, rows, width) \
	VECTOR("RmsNorm", "npu::npu_rms_norm", "aclnnRmsNorm", time, host, jit, rows "," width ";" width, \
		"DT_BF16;DT_BF16", rows "," width ";" rows ",1")
#define ADD_RMS_NORM(time, host, jit, rows, width) \
	VECTOR("AddRmsNorm", "npu::npu_add_rms_norm", "aclnnAddRmsNorm", time, host, jit, \
		rows "," width ";" rows "," width ";" width, "DT_BF16;DT_BF16;DT_BF16", \
		rows "," width ";" rows ",1;" rows "," width)
#define SWIGLU(time, host, jit, rows, width, half) \
	VECTOR("SwiGlu", "npu::npu_swiglu", "aclnnSwiGlu", time, host, jit, rows "," width, "DT_BF16", rows "," half)
#define ROTARY(time, host, jit, rows) \
	VECTOR("RotaryMul", "npu::npu_rotary_mul", "aclnnRotaryPositionEmbedding", time, host, jit, \
		rows ",5,128;" rows ",1,128;" rows ",1,128", "DT_BF16;DT_BF16;DT_BF16", rows ",5,128")
#define CACHE_WRITE(time, host, jit, rows) \
	VECTOR("ScatterUpdate", "vllm::reshape_and_cache", "aclnnInplaceIndexCopy", time, host, jit, \
		"4096,128,1,128;" rows ";" rows ",1,128", "DT_BF16;INT32;DT_BF16", "4096,128,1,128")
#define EMBEDDING(time, host, jit, rows, width) \
	VECTOR("GatherV2", "aten::embedding", "aclnnEmbedding", time, host, jit, "151936," width ";" rows ";1", \
		"DT_BF16;INT64;INT64", rows "," width)
#define ARGMAX(time, host, jit, rows) \
	VECTOR("ArgMaxV2", "aten::argmax", "aclnnArgMax", time, host, jit, rows ",151936", "FLOAT", rows)

#define ALL_REDUCE(time, host, jit, size, elements, parts) { \
	.api = "hcom_allReduce_", .matrix = "allreduce", .op = "c10d::allreduce_", .ns = (time), .host_ns = (host), \
	.jitter = (jit), .bytes = (size), .count = (elements), .data_type = "BFP16", .plane_tasks = (parts) }

#endif
