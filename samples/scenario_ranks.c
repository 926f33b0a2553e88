/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranks4-slow-rank: a job of four ranks, tensor parallel. Rank 2 computes 35 %
 * slower than the others; every collective ends for all at once, so the fast
 * ranks show long communication that is really waiting for rank 2.
 */
#include "samples/kernels.h"

static const struct kernel_desc norm = ADD_RMS_NORM(24000, 16000, 100, "512", "5120");
static const struct kernel_desc qkv = MATMUL(180000, 20000, 90, "512", "5120", "1792", CUBE_BUSY);
static const struct kernel_desc attention = ATTENTION(260000, 24000, 100, "512", "4096", 24);
static const struct kernel_desc out = MATMUL(150000, 20000, 90, "512", "1280", "5120", CUBE_BUSY);
static const struct kernel_desc up = MATMUL(410000, 20000, 90, "512", "5120", "13824", CUBE_BUSY);
static const struct kernel_desc down = MATMUL(230000, 20000, 90, "512", "6912", "5120", CUBE_BUSY);
static const struct comm_desc all_reduce = ALL_REDUCE(88000, 22000, 80, 5242880, 2621440, 4);
static const struct copy_desc token_copy = { true, "aten::copy_", 22000, 18000, 80, 1024 };

static const struct host_desc execute_model = { "execute_model", 90000, 80, NULL, NULL };
static const struct host_desc prepare_inputs = { "_prepare_inputs", 120000, 80, NULL, NULL };
static const struct host_desc view = { "aten::view", 2600, 250, "512,5120;\r\n", "c10::BFloat16;\r\nScalarList" };
static const struct host_desc empty = { "aten::empty", 4200, 300, NULL, NULL };
static const struct host_desc item = { "aten::item", 9000, 200, "512", "long int" };

static const struct item pre[] = {
	H(execute_model, 1), H(prepare_inputs, 1), H(empty, 4),
};

static const struct item layer[] = {
	K(norm), K(qkv), H(view, 2), K(attention), K(out), C(all_reduce), K(norm), K(up), K(down), C(all_reduce),
};

static const struct item post[] = {
	K(norm), COPY(token_copy), SYNC(item),
};

static const struct phase phases[] = {
	{ "decode", 8, 6, false, ITEMS(pre), ITEMS(layer), ITEMS(post) },
};

const struct scenario scenario_ranks = {
	.name = "ranks4-slow-rank", .what = "4 ranks, rank 2 slow, the others wait in the collectives",
	.seed = 16, .start_ns = 1764583201311000000, .flags = SF_FRAMES, .ranks = 4, .world = 4, .slow_rank = 2,
	.slow_permille = 1350, .first_step = 30, .cost = { 1000, 10500, 2300, 900, 80000 }, .phase = phases, .nphase = 1,
};
