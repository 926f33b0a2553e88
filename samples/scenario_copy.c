/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy-bound: weights live in host memory. Every layer waits for a 48 MB copy
 * to the device before it computes and sends its KV block back after, on the
 * same stream, so no copy hides behind a kernel.
 */
#include "samples/kernels.h"

static const struct copy_desc weights = { false, "aten::copy_", 1980000, 70000, 60, 50331648 };
static const struct copy_desc kv_out = { true, "aten::copy_", 430000, 60000, 80, 8388608 };
static const struct copy_desc token_copy = { true, "aten::copy_", 24000, 40000, 80, 512 };
static const struct kernel_desc norm = RMS_NORM(21000, 45000, 120, "256", "5120");
static const struct kernel_desc qkv = MATMUL(210000, 52000, 90, "256", "5120", "7168", CUBE_BUSY);
static const struct kernel_desc attention = ATTENTION(160000, 64000, 120, "256", "2048", 24);
static const struct kernel_desc out = MATMUL(150000, 52000, 90, "256", "5120", "5120", CUBE_BUSY);
static const struct kernel_desc up = MATMUL(330000, 52000, 90, "256", "5120", "13824", CUBE_BUSY);
static const struct kernel_desc swiglu = SWIGLU(30000, 40000, 120, "256", "13824", "6912");
static const struct kernel_desc down = MATMUL(190000, 52000, 90, "256", "6912", "5120", CUBE_BUSY);
static const struct kernel_desc argmax = ARGMAX(18000, 40000, 100, "256");
static const struct comm_desc all_reduce = ALL_REDUCE(96000, 60000, 120, 2621440, 1310720, 4);

static const struct host_desc execute_model = { "execute_model", 160000, 80, NULL, NULL };
static const struct host_desc prepare_inputs = { "_prepare_inputs", 240000, 80, NULL, NULL };
static const struct host_desc pin = { "aten::pin_memory", 38000, 200, "5120,7168", "c10::BFloat16" };
static const struct host_desc empty = { "aten::empty", 9000, 300, NULL, NULL };
static const struct host_desc view = { "aten::view", 4000, 300, "256,5120;\r\n", "c10::BFloat16;\r\nScalarList" };
static const struct host_desc item = { "aten::item", 20000, 200, "256", "long int" };

static const struct item pre[] = {
	H(execute_model, 1), H(prepare_inputs, 1), H(empty, 6),
};

static const struct item layer[] = {
	H(pin, 1), H(empty, 2), COPY(weights), K(norm), K(qkv), H(view, 3), K(attention), K(out), C(all_reduce), K(norm),
	K(up), K(swiglu), H(empty, 1), K(down), C(all_reduce), COPY(kv_out),
};

static const struct item post[] = {
	K(argmax), COPY(token_copy), SYNC(item),
};

static const struct phase phases[] = {
	{ "decode", 12, 8, false, ITEMS(pre), ITEMS(layer), ITEMS(post) },
};

const struct scenario scenario_copy = {
	.name = "copy-bound", .what = "weights stream in from host memory in front of every layer",
	.seed = 14, .start_ns = 1764580801602400000, .flags = SF_FRAMES | SF_NEST, .ranks = 1, .world = 4, .slow_rank = -1,
	.first_step = 20, .cost = { 1600, 18000, 3600, 1500, 90000 }, .phase = phases, .nphase = 1,
};
