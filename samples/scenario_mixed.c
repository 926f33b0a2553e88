/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mixed-phases: one capture that starts with 4 prefill steps (4096 tokens,
 * FusedInferAttentionScore) and goes on with 20 decode steps (48 tokens,
 * IncreFlashAttention). Judging it as one lump hides that each phase has a
 * different limit.
 */
#include "samples/kernels.h"

static const struct kernel_desc p_norm = ADD_RMS_NORM(196000, 30000, 100, "4096", "5120");
static const struct kernel_desc p_qkv = MATMUL(1240000, 36000, 80, "4096", "5120", "896", CUBE_BUSY);
static const struct kernel_desc p_rotary = ROTARY(88000, 24000, 100, "4096");
static const struct kernel_desc p_attention = ATTENTION(2150000, 46000, 90, "4096", "4096", 24);
static const struct kernel_desc p_out = MATMUL(880000, 36000, 80, "4096", "640", "5120", CUBE_BUSY);
static const struct kernel_desc p_up = MATMUL(2620000, 36000, 80, "4096", "5120", "6912", CUBE_BUSY);
static const struct kernel_desc p_swiglu = SWIGLU(170000, 24000, 100, "4096", "6912", "3456");
static const struct kernel_desc p_down = MATMUL(1310000, 36000, 80, "4096", "3456", "5120", CUBE_BUSY);
static const struct comm_desc p_reduce = ALL_REDUCE(640000, 40000, 90, 41943040, 20971520, 4);

static const struct kernel_desc d_norm = ADD_RMS_NORM(8000, 13000, 120, "48", "5120");
static const struct kernel_desc d_qkv = MATMUL(34000, 15000, 110, "48", "5120", "896", CUBE_STARVED);
static const struct kernel_desc d_rotary = ROTARY(6000, 11000, 120, "48");
static const struct kernel_desc d_attention = INCRE_ATTENTION(62000, 18000, 130, "48", "4096");
static const struct kernel_desc d_out = MATMUL(24000, 15000, 110, "48", "640", "5120", CUBE_STARVED);
static const struct kernel_desc d_up = MATMUL(74000, 15000, 110, "48", "5120", "6912", CUBE_STARVED);
static const struct kernel_desc d_swiglu = SWIGLU(7000, 11000, 120, "48", "6912", "3456");
static const struct kernel_desc d_down = MATMUL(46000, 15000, 110, "48", "3456", "5120", CUBE_STARVED);
static const struct comm_desc d_reduce = ALL_REDUCE(41000, 16000, 150, 491520, 245760, 2);
static const struct copy_desc token_copy = { true, "aten::copy_", 20000, 16000, 80, 512 };

static const struct host_desc execute_model = { "execute_model", 90000, 80, NULL, NULL };
static const struct host_desc prepare_inputs = { "_prepare_inputs", 110000, 80, NULL, NULL };
static const struct host_desc sampler = { "Sampler.forward", 80000, 80, NULL, NULL };
static const struct host_desc view = { "aten::view", 2600, 250, NULL, NULL };
static const struct host_desc empty = { "aten::empty", 4200, 300, NULL, NULL };
static const struct host_desc item = { "aten::item", 9000, 200, "48", "long int" };

static const struct item pre[] = {
	H(execute_model, 1), H(prepare_inputs, 1), H(empty, 6),
};

static const struct item prefill[] = {
	K(p_norm), H(empty, 1), K(p_qkv), K(p_rotary), H(view, 2), K(p_attention), K(p_out), C_BESIDE(p_reduce), K(p_norm),
	K(p_up), K(p_swiglu), K(p_down), C(p_reduce),
};

static const struct item decode[] = {
	K(d_norm), H(empty, 1), K(d_qkv), K(d_rotary), H(view, 2), K(d_attention), K(d_out), C(d_reduce), K(d_norm),
	K(d_up), K(d_swiglu), K(d_down), C(d_reduce),
};

static const struct item prefill_post[] = {
	K(p_norm), H(sampler, 1), COPY(token_copy), SYNC(item),
};

static const struct item decode_post[] = {
	K(d_norm), H(sampler, 1), COPY(token_copy), SYNC(item),
};

static const struct phase phases[] = {
	{ "prefill", 4, 8, false, ITEMS(pre), ITEMS(prefill), ITEMS(prefill_post) },
	{ "decode", 20, 8, false, ITEMS(pre), ITEMS(decode), ITEMS(decode_post) },
};

const struct scenario scenario_mixed = {
	.name = "mixed-phases", .what = "4 prefill steps, then 20 decode steps",
	.seed = 15, .start_ns = 1764582001070600000, .flags = SF_FRAMES, .ranks = 1, .world = 8, .slow_rank = -1,
	.first_step = 7, .cost = { 900, 9400, 2100, 800, 70000 }, .phase = phases, .nphase = 2,
};
