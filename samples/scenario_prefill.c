/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prefill-compute-bound, the founding case: six long prefill steps of 32 layers
 * on a device that is busy 99.5 % of the time. Counts and sums below are facts
 * other parts of the project are tested against (samples/README.md lists them);
 * the quota table makes them exact to the nanosecond.
 */
#include "samples/kernels.h"

static const struct kernel_desc matmul = MATMUL(4234423, 120000, 90, "4096", "5120", "6912", CUBE_BUSY);
static const struct kernel_desc attention = ATTENTION(2582574, 160000, 90, "4096", "2048", 24);
static const struct kernel_desc rms_norm = RMS_NORM(210043, 85000, 120, "4096", "5120");
static const struct comm_desc all_reduce = ALL_REDUCE(178925, 95000, 60, 41943040, 20971520, 0);
static const struct copy_desc token_copy = { true, "aten::copy_", 60000, 60000, 0, 16384 };

static const struct host_desc execute_model = { "execute_model", 150000, 50, NULL, NULL };
static const struct host_desc prepare_inputs = { "_prepare_inputs", 220000, 50, NULL, NULL };
static const struct host_desc attention_metadata = { "vllm::unified_attention_metadata", 180000, 50, NULL, NULL };
static const struct host_desc sampler = { "Sampler.forward", 450000, 50, NULL, NULL };
static const struct host_desc zeros = { "aten::zeros", 74000, 50, NULL, NULL };
static const struct host_desc empty = { "aten::empty", 22000, 300, NULL, NULL };
static const struct host_desc view = { "aten::view", 16000, 300, "4096,5120;\r\n", "c10::BFloat16;\r\nScalarList" };
static const struct host_desc strided = { "aten::as_strided", 17000, 300, NULL, NULL };
static const struct host_desc to_copy = { "aten::_to_copy", 45000, 200, NULL, NULL };
static const struct host_desc cache = { "vllm::reshape_and_cache", 65000, 200, NULL, NULL };
static const struct host_desc item = { "aten::item", 20000, 200, "1", "long int" };
static const struct host_desc scalar = { "aten::_local_scalar_dense", 21000, 200, "1", "long int" };

static const struct item pre[] = {
	H(execute_model, 1), H(prepare_inputs, 1), H_FIRST(zeros, 4), H(attention_metadata, 1), H(empty, 9),
};

static const struct item layer[] = {
	H(empty, 2), H(view, 2), H(strided, 1), K(matmul), H(empty, 2), H(view, 1), H(to_copy, 1), H(cache, 1),
	K(attention), H(empty, 1), H(view, 1), K(rms_norm), H(empty, 1), H(strided, 1), C_BESIDE(all_reduce),
};

static const struct item post[] = {
	H(sampler, 1), COPY(token_copy), WAIT(), H(item, 10), H(scalar, 6),
};

/* zeros are asked for in the first step only: 6 x 606 + 4 operators. */
static const struct phase phases[] = {
	{ "prefill", 6, 32, false, ITEMS(pre), ITEMS(layer), ITEMS(post) },
};

static const struct quota quotas[] = {
	{ &matmul, false, 813009180, 192 },
	{ &attention, false, 495854330, 192 },
	{ &rms_norm, false, 40328270, 192 },
	{ &all_reduce, false, 34353620, 192 },
	/* Host time, 163 400 us in all: with it MatMulV2 is 52.5 % of all operator time. */
	{ &matmul, true, 23040000, 192 },
	{ &attention, true, 30720000, 192 },
	{ &rms_norm, true, 16320000, 192 },
	{ &all_reduce, true, 18240000, 192 },
	{ &token_copy, true, 360000, 6 },
	{ &empty, true, 26532000, 1206 },
	{ &view, true, 12288000, 768 },
	{ &strided, true, 6528000, 384 },
	{ &to_copy, true, 8640000, 192 },
	{ &cache, true, 12480000, 192 },
	{ &execute_model, true, 900000, 6 },
	{ &prepare_inputs, true, 1320000, 6 },
	{ &attention_metadata, true, 1080000, 6 },
	{ &sampler, true, 2700000, 6 },
	{ &zeros, true, 296000, 4 },
	{ &item, true, 1200000, 60 },
	{ &scalar, true, 756000, 36 },
};

const struct scenario scenario_prefill = {
	.name = "prefill-compute-bound", .what = "long prompts, cube and attention kernels fill the device",
	.seed = 11, .start_ns = 1764576001120400000, .flags = SF_BARE, .ranks = 1, .world = 8, .slow_rank = -1,
	.first_step = 4, .cost = { 550, 1750, 950, 900, 24000 },
	.phase = phases, .nphase = 1, .quota = quotas, .nquota = sizeof(quotas) / sizeof(quotas[0]),
};
