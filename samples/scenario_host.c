/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host-schedule-bound and its repaired twin. Both run the same 20 decode steps
 * of eight layers with the same kernel times; the first issues every operator
 * from eager Python and leaves the device idle most of the time, the second
 * replays a captured graph with one launch per step.
 */
#include "samples/kernels.h"

static const struct kernel_desc embedding = EMBEDDING(7000, 190000, 150, "16", "5120");
static const struct kernel_desc norm = ADD_RMS_NORM(8000, 120000, 150, "16", "5120");
static const struct kernel_desc qkv = MATMUL(62000, 150000, 150, "16", "5120", "896", CUBE_STARVED);
static const struct kernel_desc rotary = ROTARY(6000, 105000, 150, "16");
static const struct kernel_desc cache = CACHE_WRITE(5000, 120000, 150, "16");
static const struct kernel_desc attention = ATTENTION(56000, 210000, 150, "16", "2048", 20);
static const struct kernel_desc out = MATMUL(46000, 150000, 150, "16", "640", "5120", CUBE_STARVED);
static const struct kernel_desc up = MATMUL(104000, 150000, 150, "16", "5120", "6912", CUBE_STARVED);
static const struct kernel_desc swiglu = SWIGLU(7000, 98000, 150, "16", "6912", "3456");
static const struct kernel_desc down = MATMUL(78000, 150000, 150, "16", "3456", "5120", CUBE_STARVED);
static const struct kernel_desc head = MATMUL(280000, 150000, 80, "16", "5120", "18992", CUBE_STARVED);
static const struct kernel_desc argmax = ARGMAX(12000, 150000, 120, "16");
static const struct comm_desc all_reduce = ALL_REDUCE(34000, 160000, 150, 163840, 81920, 2);
static const struct copy_desc token_copy = { true, "aten::copy_", 26000, 90000, 80, 128 };

static const struct host_desc execute_model = { "execute_model", 900000, 80, NULL, NULL };
static const struct host_desc prepare_inputs = { "_prepare_inputs", 1300000, 80, NULL, NULL };
static const struct host_desc attention_metadata = { "vllm::unified_attention_metadata", 800000, 80, NULL, NULL };
static const struct host_desc sampler = { "Sampler.forward", 1100000, 80, NULL, NULL };
static const struct host_desc view = { "aten::view", 7000, 300, NULL, NULL };
static const struct host_desc empty = { "aten::empty", 11000, 300, NULL, NULL };
static const struct host_desc strided = { "aten::as_strided", 8000, 300, NULL, NULL };
static const struct host_desc to_copy = { "aten::_to_copy", 30000, 250, "16;\r\n;\r\n", "int;\r\nScalar;\r\nNone" };
static const struct host_desc gather = { "vllm::block_table_gather", 42000, 250, NULL, NULL };
static const struct host_desc item = { "aten::item", 24000, 200, "1", "long int" };

static const struct item pre[] = {
	H(execute_model, 1), H(prepare_inputs, 1), H(gather, 8), H(to_copy, 12), H(attention_metadata, 1),
	H(empty, 24), K(embedding),
};

static const struct item layer[] = {
	K(norm), H(empty, 4), H(view, 3), K(qkv), H(strided, 3), H(view, 3), K(rotary), H(empty, 3), K(cache), K(attention),
	H(view, 3), K(out), C(all_reduce), H(empty, 2), K(norm), H(view, 2), K(up), K(swiglu), H(empty, 2), K(down),
	C(all_reduce),
};

static const struct item post[] = {
	K(norm), K(head), K(argmax), H(sampler, 1), H(to_copy, 6), COPY(token_copy), SYNC(item), SYNC(item),
};

static const struct host_desc graph_prepare = { "_prepare_inputs", 420000, 80, NULL, NULL };
static const struct host_desc graph_model = { "execute_model", 180000, 80, NULL, NULL };
static const struct host_desc graph_sampler = { "Sampler.forward", 240000, 80, NULL, NULL };

static const struct item graph_pre[] = {
	H(graph_model, 1), H(graph_prepare, 1), H(gather, 2), H(to_copy, 3), H(empty, 4), K(embedding),
};

static const struct item graph_layer[] = {
	K(norm), K(qkv), K(rotary), K(cache), K(attention), K(out), C(all_reduce), K(norm), K(up), K(swiglu), K(down),
	C(all_reduce),
};

static const struct item graph_post[] = {
	K(norm), K(head), K(argmax), H(graph_sampler, 1), COPY(token_copy), SYNC(item),
};

static const struct phase eager[] = {
	{ "decode", 20, 8, false, ITEMS(pre), ITEMS(layer), ITEMS(post) },
};

static const struct phase graph[] = {
	{ "decode", 20, 8, true, ITEMS(graph_pre), ITEMS(graph_layer), ITEMS(graph_post) },
};

const struct scenario scenario_host = {
	.name = "host-schedule-bound", .what = "eager Python dispatch, the device waits for the host",
	.seed = 13, .start_ns = 1764578401935600000, .flags = SF_NEST, .ranks = 1, .world = 8, .slow_rank = -1,
	.first_step = 100, .cost = { 3800, 46000, 9000, 5200, 240000 }, .phase = eager, .nphase = 1,
};

const struct scenario scenario_host_optimized = {
	.name = "host-schedule-bound-optimized", .what = "the same work replayed as a graph",
	.seed = 13, .start_ns = 1764579601215800000, .flags = SF_NEST, .ranks = 1, .world = 8, .slow_rank = -1,
	.first_step = 100, .cost = { 3800, 46000, 9000, 5200, 120000 }, .phase = graph, .nphase = 1,
};
