/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture of two steps, small enough to damage on purpose: the hostile
 * databases, archives and folders are made from it.
 */
#include "samples/kernels.h"

static const struct kernel_desc norm = RMS_NORM(9000, 14000, 100, "32", "1024");
static const struct kernel_desc matmul = MATMUL(52000, 18000, 100, "32", "1024", "4096", CUBE_STARVED);
static const struct kernel_desc attention = ATTENTION(40000, 20000, 100, "32", "512", 20);
static const struct comm_desc all_reduce = ALL_REDUCE(30000, 16000, 100, 65536, 32768, 2);
static const struct copy_desc token_copy = { true, "aten::copy_", 12000, 14000, 0, 256 };
static const struct host_desc item = { "aten::item", 9000, 200, "32", "long int" };
static const struct host_desc empty = { "aten::empty", 4000, 200, NULL, NULL };

static const struct item pre[] = { H(empty, 3) };
static const struct item layer[] = { K(norm), K(matmul), K(attention), C(all_reduce) };
static const struct item post[] = { COPY(token_copy), SYNC(item) };

static const struct phase phases[] = { { "decode", 2, 3, false, ITEMS(pre), ITEMS(layer), ITEMS(post) } };

const struct scenario scenario_tiny = {
	.name = "tiny", .what = "two small steps", .seed = 17, .start_ns = 1764584401044000000, .flags = 0, .ranks = 1,
	.world = 2, .slow_rank = -1, .first_step = 2, .cost = { 900, 9000, 2000, 700, 30000 },
	.phase = phases, .nphase = 1,
};
