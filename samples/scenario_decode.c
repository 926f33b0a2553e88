/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode-comm-bound: 24 decode steps of 10 layers under tensor parallelism 8.
 * Every layer ends twice in a small all-reduce that nothing overlaps, so the
 * exposed communication is what limits the step; the host is well ahead.
 */
#include "samples/kernels.h"

static const struct kernel_desc embedding = EMBEDDING(9000, 15000, 120, "64", "5120");
static const struct kernel_desc rms_norm = RMS_NORM(8000, 11000, 120, "64", "5120");
static const struct kernel_desc add_norm = ADD_RMS_NORM(8600, 11000, 120, "64", "5120");
static const struct kernel_desc qkv = MATMUL(36000, 12000, 110, "64", "5120", "896", CUBE_STARVED);
static const struct kernel_desc attention = ATTENTION(28000, 14000, 130, "64", "4096", 20);
static const struct kernel_desc out = MATMUL(22000, 12000, 110, "64", "640", "5120", CUBE_STARVED);
static const struct kernel_desc mlp = MATMUL(48000, 12000, 110, "64", "5120", "3456", CUBE_STARVED);
static const struct kernel_desc head = MATMUL(190000, 12000, 60, "64", "5120", "18992", CUBE_STARVED);
static const struct kernel_desc argmax = ARGMAX(14000, 14000, 90, "64");
static const struct comm_desc all_reduce = ALL_REDUCE(58000, 13000, 260, 655360, 327680, 2);
static const struct copy_desc token_copy = { true, "aten::copy_", 18000, 14000, 80, 512 };

static const struct host_desc execute_model = { "execute_model", 62000, 80, NULL, NULL };
static const struct host_desc prepare_inputs = { "_prepare_inputs", 54000, 80, NULL, NULL };
static const struct host_desc attention_metadata = { "vllm::unified_attention_metadata", 41000, 80, NULL, NULL };
static const struct host_desc sampler = { "Sampler.forward", 60000, 80, NULL, NULL };
static const struct host_desc view = { "aten::view", 2600, 250, "64,5120;\r\n", "c10::BFloat16;\r\nScalarList" };
static const struct host_desc empty = { "aten::empty", 4200, 300, NULL, NULL };
static const struct host_desc item = { "aten::item", 6000, 200, "64", "long int" };

static const struct item pre[] = {
	H(execute_model, 1), H(prepare_inputs, 1), H(attention_metadata, 1), H(empty, 4), K(embedding),
};

static const struct item layer[] = {
	K(rms_norm), K(qkv), H(view, 2), H(empty, 1), K(attention), K(out), C(all_reduce), K(add_norm), H(view, 1),
	K(mlp), C(all_reduce),
};

static const struct item post[] = {
	K(rms_norm), K(head), K(argmax), H(sampler, 1), COPY(token_copy), SYNC(item),
};

static const struct phase phases[] = {
	{ "decode", 24, 10, false, ITEMS(pre), ITEMS(layer), ITEMS(post) },
};

const struct scenario scenario_decode = {
	.name = "decode-comm-bound", .what = "small all-reduces after every half layer, nothing hides them",
	.seed = 12, .start_ns = 1764577201480200000, .flags = 0, .ranks = 1, .world = 8, .slow_rank = -1,
	.first_step = 40, .cost = { 900, 8200, 1900, 700, 60000 }, .phase = phases, .nphase = 1,
};
