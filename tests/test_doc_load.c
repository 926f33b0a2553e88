/* SPDX-License-Identifier: Apache-2.0 */
/* JSON documents into the model: every form a writer has, and what is done with parts of the wrong shape. Figures are worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/load/doc/doc_load.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct fixture {
	struct names names;
	struct comm comm;
	struct run_info info;
	struct rank_hint hint;
	struct diag d;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	names_init(&f->names);
	run_info_init(&f->info);
}

static void end(struct fixture *f)
{
	comm_done(&f->comm);
	names_done(&f->names);
}

static const char *name(const struct fixture *f, uint32_t id)
{
	return names_text(&f->names, id);
}

static enum err info_of(struct fixture *f, const char *text)
{
	begin(f);
	return doc_load_profiler_info(str_of(text), &f->names, &f->info, &f->hint, &f->d);
}

static enum err comm_of(struct fixture *f, const char *text)
{
	begin(f);
	return doc_load_communication(str_of(text), &f->names, &f->comm, &f->d);
}

static enum err matrix_of(struct fixture *f, bool cluster, const char *text)
{
	begin(f);
	return doc_load_matrix(str_of(text), cluster, &f->names, &f->comm, &f->d);
}

/* ---- profiler_info ---- */

static void test_info_2023(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(info_of(&f, "{\"config\":{\"common_config\":{\"activities\":[\"ProfilerActivity.NPU\"],\"_schedule\":{\"_wait\":1,"
		"\"_active\":2,\"_warmup\":3,\"_repeat\":4,\"_skip_first\":5},\"record_shapes\":true,\"profile_memory\":false,\"with_stack\":true,"
		"\"with_flops\":true,\"with_modules\":false},\"experimental_config\":{\"_profiler_level\":\"Level1\","
		"\"_aic_metrics\":\"ACL_AICORE_ARITHMETIC_UTILIZATION\",\"_l2_cache\":true,\"_msprof_tx\":true,\"_data_simplification\":true}},"
		"\"rank_id\":7}"), ERR_OK);
	assert_true(f.info.known && f.info.has_schedule && f.hint.has_rank && f.hint.rank == 7);
	assert_true(f.info.wait == 1 && f.info.active == 2 && f.info.warmup == 3 && f.info.repeat == 4 && f.info.skip_first == 5);
	assert_true(f.info.shapes == TRI_YES && f.info.memory == TRI_NO && f.info.stacks == TRI_YES && f.info.flops == TRI_YES);
	assert_true(f.info.modules == TRI_NO && f.info.l2_cache == TRI_YES && f.info.mstx == TRI_YES && f.info.gc == TRI_UNKNOWN);
	assert_string_equal(name(&f, f.info.aic_metrics), "ArithmeticUtilization");
	assert_int_equal(f.info.export_type, 0);
	end(&f);
}

static void test_info_newest(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(info_of(&f, "\xef\xbb\xbf{\"config\":{\"common_config\":{\"schedule\":{}},\"experimental_config\":{"
		"\"_profiler_level\":\"Level_none\",\"_aic_metrics\":\"ACL_AICORE_NONE\",\"_msprof_tx\":false,\"_mstx\":true,"
		"\"_export_type\":[\"text\",\"db\"],\"_gc_detect_threshold\":0.5,\"_sys_io\":true}},\"torch_npu_version\":\"2.7.1\","
		"\"cann_version\":\"8.3.RC1\",\"rank_id\":\"12\"}"), ERR_OK);
	assert_true(f.info.known && !f.info.has_schedule && f.info.active == -1 && f.hint.rank == 12);
	assert_true(f.info.mstx == TRI_YES && f.info.gc == TRI_YES && f.info.sys_io == TRI_YES && f.info.stacks == TRI_UNKNOWN);
	assert_string_equal(name(&f, f.info.level), "none");
	assert_string_equal(name(&f, f.info.aic_metrics), "none");
	assert_string_equal(name(&f, f.info.export_type), "text,db");
	assert_string_equal(name(&f, f.info.torch_npu), "2.7.1");
	end(&f);
}

static void test_info_mindspore(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(info_of(&f, "{\"profiler_parameters\":{\"is_set_schedule\":false,\"profiler_level\":\"Level1\",\"activities\":[\"CPU\"],"
		"\"aic_metrics\":\"PipeUtilization\",\"with_stack\":false,\"profile_memory\":true,\"l2_cache\":false,\"sys_io\":false,"
		"\"record_shapes\":false,\"export_type\":[\"text\"],\"mstx\":false,\"schedule\":{\"wait\":0,\"active\":1,\"warmup\":0}},"
		"\"ms_profiler_info\":{\"context_mode\":\"graph\",\"rank_id\":\"3\",\"device_id\":\"5\"},\"cann_profiler_info\":{},"
		"\"ms_version\":\"2.4.1\",\"cann_version\":\"8.0.RC3\",\"jit_level\":\"O0\"}"), ERR_OK);
	assert_true(f.info.known && f.hint.rank == 3);
	assert_false(f.info.has_schedule);
	assert_true(f.info.memory == TRI_YES && f.info.stacks == TRI_NO && f.info.mstx == TRI_NO);
	assert_string_equal(name(&f, f.info.mindspore), "2.4.1");
	assert_string_equal(name(&f, f.info.cann), "8.0.RC3");
	assert_string_equal(name(&f, f.info.level), "Level1");
	assert_string_equal(name(&f, f.info.export_type), "text");
	end(&f);

	assert_int_equal(info_of(&f, "{\"context_mode\":\"graph\",\"rank_id\":2,\"device_id\":2,\"rank_size\":8,"
		"\"parallel_mode\":\"data_parallel\",\"graph_ids\":[1,2]}"), ERR_OK);
	assert_true(f.info.known && f.hint.rank == 2 && f.info.world_size == 8 && f.info.tp == -1 && f.info.dp == -1);
	assert_string_equal(name(&f, f.info.parallel), "data_parallel");
	end(&f);
}

static void test_info_spellings(void **state)
{
	static const struct {
		const char *in, *metrics;
	} metrics[] = {
		{ "\"ACL_AICORE_PIPE_UTILIZATION\"", "PipeUtilization" }, { "\"PipeUtilization\"", "PipeUtilization" },
		{ "\"AicoreMetrics.PipeUtilization\"", "PipeUtilization" }, { "\"pipeutilization\"", "PipeUtilization" }, { "1", "PipeUtilization" },
		{ "\"ACL_AICORE_MEMORY_BANDWIDTH\"", "Memory" }, { "\"ACL_AICORE_L0B_AND_WIDTH\"", "MemoryL0" },
		{ "\"ACL_AICORE_MEMORY_UB\"", "MemoryUB" }, { "\"ACL_AICORE_RESOURCE_CONFLICT_RATIO\"", "ResourceConflictRatio" },
		{ "\"ACL_AICORE_L2_CACHE\"", "L2Cache" }, { "\"ACL_AICORE_MEMORY_ACCESS\"", "MemoryAccess" }, { "\"AiCoreNone\"", "none" },
		{ "-1", "none" }, { "\"SomethingNew\"", "SomethingNew" }, { "null", "" }, { "[1]", "" },
	};
	static const struct {
		const char *in, *level;
	} levels[] = {
		{ "\"Level0\"", "Level0" }, { "\"level2\"", "Level2" }, { "\"ProfilerLevel.Level1\"", "Level1" }, { "\"LevelNone\"", "none" },
		{ "\"Level_none\"", "none" }, { "\"none\"", "none" }, { "2", "Level2" }, { "\"l0\"", "Level0" }, { "\"Level9\"", "Level9" },
		{ "{}", "" },
	};
	struct fixture f;
	char text[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
		snprintf(text, sizeof text, "{\"config\":{\"experimental_config\":{\"_aic_metrics\":%s}}}", metrics[i].in);
		assert_int_equal(info_of(&f, text), ERR_OK);
		assert_string_equal(name(&f, f.info.aic_metrics), metrics[i].metrics);
		end(&f);
	}
	for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
		snprintf(text, sizeof text, "{\"profiler_parameters\":{\"profiler_level\":%s}}", levels[i].in);
		assert_int_equal(info_of(&f, text), ERR_OK);
		assert_string_equal(name(&f, f.info.level), levels[i].level);
		end(&f);
	}
}

static void test_info_parallel(void **state)
{
	static const struct {
		const char *in;
		int64_t tp, pp, dp, ep, cp;
	} parallels[] = {
		{ "tp8", 8, -1, -1, -1, -1 }, { "TP4-PP2", 4, 2, -1, -1, -1 }, { "dp=2, ep=16", -1, -1, 2, 16, -1 }, { "tp2pp3dp4ep5cp6", 2, 3, 4, 5, 6 },
		{ "tp", -1, -1, -1, -1, -1 }, { "tp0", -1, -1, -1, -1, -1 }, { "http2 step3", -1, -1, -1, -1, -1 },
		{ "tp99999999999999999999", -1, -1, -1, -1, -1 },
	};
	struct fixture f;
	char text[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(parallels); i++) {
		snprintf(text, sizeof text, "{\"Parallel\": \"%s\"}", parallels[i].in);
		assert_int_equal(info_of(&f, text), ERR_OK);
		assert_string_equal(name(&f, f.info.parallel), parallels[i].in);
		assert_int_equal(f.info.tp, parallels[i].tp);
		assert_int_equal(f.info.pp, parallels[i].pp);
		assert_int_equal(f.info.dp, parallels[i].dp);
		assert_int_equal(f.info.ep, parallels[i].ep);
		assert_int_equal(f.info.cp, parallels[i].cp);
		end(&f);
	}
}

static void test_info_odd(void **state)
{
	static const char *const ranks[] = { "-1", "\"-1\"", "null", "\"\"", "\"rank0\"", "[0]", "true", "1.5e300", "99999999999" };
	struct fixture f;
	char text[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ranks); i++) {
		snprintf(text, sizeof text, "{\"rank_id\":%s}", ranks[i]);
		assert_int_equal(info_of(&f, text), ERR_OK);
		assert_false(f.hint.has_rank);
		assert_int_equal(f.hint.rank, -1);
		end(&f);
	}
	assert_int_equal(info_of(&f, "{}"), ERR_OK);
	assert_false(f.info.known);
	end(&f);
	assert_int_equal(info_of(&f, "{\"traceEvents\":[]}"), ERR_FORMAT);
	end(&f);
	assert_int_equal(info_of(&f, "[1]"), ERR_FORMAT);
	assert_int_equal(f.d.byte, 0);
	end(&f);
	assert_int_equal(info_of(&f, "{\"config\": {\"common_config\""), ERR_FORMAT);
	assert_int_equal(f.d.byte, 27);
	assert_false(f.info.known || f.hint.has_rank);
	end(&f);
	assert_int_equal(info_of(&f, "{\"config\":[],\"profiler_parameters\":3,\"rank_id\":{},\"World Size\":-4,\"schedule\":[1],"
		"\"with_stack\":\"maybe\"}"), ERR_OK);
	assert_true(f.info.known && f.info.world_size == -1 && f.info.stacks == TRI_UNKNOWN && !f.info.has_schedule);
	end(&f);
}

/* ---- profiler_metadata ---- */

static void test_metadata(void **state)
{
	struct fixture f;
	const char *text = "{\"ENV_VARIABLES\":{\"HCCL_ALGO\":\"\"},\"role\":\"actor\",\"distributed_args\":{\"tensor_model_parallel_size\":2,"
		"\"pipeline_parallel_size\":\"4\",\"data_parallel_size\":0,\"expert_model_parallel_size\":8,\"context_parallel_size\":null,"
		"\"world_size\":16,\"rank\":3},\"parallel_group_info\":{\"100%eth0_55000_0_17\":{\"group_name\":\"t\\u0070\",\"group_rank\":0,"
		"\"global_ranks\":[0,\"1\",2.5,-1,4294967296]},\"no ranks\":{\"group_name\":\"dp\"},\"bad\":[0,1]}}";

	(void)state;
	begin(&f);
	assert_int_equal(doc_load_metadata(str_of(text), &f.names, &f.info, &f.comm, &f.d), ERR_OK);
	assert_true(f.info.tp == 2 && f.info.pp == 4 && f.info.dp == -1 && f.info.ep == 8 && f.info.cp == -1 && f.info.world_size == 16);
	assert_false(f.info.known);
	assert_int_equal(f.comm.ngroups, 1);
	assert_string_equal(name(&f, f.comm.groups[0].name), "100%eth0_55000_0_17");
	assert_string_equal(name(&f, f.comm.groups[0].type), "tp");
	assert_int_equal(f.comm.groups[0].nranks, 2);
	assert_true(f.comm.groups[0].ranks[0] == 0 && f.comm.groups[0].ranks[1] == 1);
	/* dp 0, cp null; three ranks that are none; two groups that are none */
	assert_int_equal(f.comm.skipped, 7);
	end(&f);
}

/* ---- communication ---- */

#define LEAF "{\"Communication Time Info\":{\"Start Timestamp(us)\":\"1764246877082702.440\\t\",\"Elapse Time(ms)\":1.5," \
	"\"Transit Time(ms)\":1e-05,\"Wait Time(ms)\":0,\"Idle Time(ms)\":1.49999}," \
	"\"Communication Bandwidth Info\":{\"HCCS\":{\"Transit Size(MB)\":8.388608,\"Transit Time(ms)\":0.5,\"Size Distribution\":" \
	"{\"4e-06\":[3,0.25],\"8.388608\":[1,0.25]}},\"SDMA\":{}}}"

static void test_comm_steps(void **state)
{
	struct fixture f;
	const struct comm_op *op;

	(void)state;
	assert_int_equal(comm_of(&f, "{\"step\":{\"p2p\":{\"hcom_send__1_0@18446744073709551615\":" LEAF ",\"Total Op Info\":" LEAF "},"
		"\"collective\":{}},\"step7\":{\"collective\":{\"a@b@12\":" LEAF ",\"plain\":" LEAF "}}}"), ERR_OK);
	assert_int_equal(f.comm.nops, 4);
	assert_int_equal(f.comm.skipped, 0);
	assert_int_equal(f.comm.ntransports, 8);
	assert_int_equal(f.comm.npackets, 8);
	op = &f.comm.ops[0];
	assert_true(op->p2p && !op->total && op->rank == -1);
	assert_string_equal(name(&f, op->name), "hcom_send__1_0");
	assert_string_equal(name(&f, op->group), "18446744073709551615");
	assert_string_equal(name(&f, op->step), "step");
	assert_int_equal(op->start_ns, 1764246877082702440);
	assert_int_equal(op->elapse_ns, 1500000);
	assert_int_equal(op->transit_ns, 10);
	assert_int_equal(op->wait_ns, 0);
	assert_int_equal(op->idle_ns, 1499990);
	assert_true(op->sync_ns == NO_TIME && op->size_bytes == -1 && op->count == -1);
	assert_true(f.comm.packets[0].count == 3 && f.comm.packets[0].total_ns == 250000);
	assert_true(fabs(f.comm.packets[0].size_mb - 4e-6) < 1e-15);
	assert_true(isnan(f.comm.transports[0].bandwidth_gbs) && isnan(f.comm.transports[1].size_mb));
	assert_true(f.comm.transports[1].transit_ns == NO_TIME && f.comm.transports[1].npackets == 0);
	assert_true(f.comm.ops[1].total && f.comm.ops[1].p2p && f.comm.ops[1].group == 0);
	op = &f.comm.ops[2];
	assert_string_equal(name(&f, op->name), "a@b");
	assert_string_equal(name(&f, op->group), "12");
	assert_string_equal(name(&f, op->step), "step7");
	assert_true(!op->p2p && op->first_transport == 4 && op->ntransports == 2);
	assert_int_equal(f.comm.ops[3].group, 0);
	assert_false(f.comm.unofficial);
	end(&f);
}

/* msprof's own file has no steps. */
static void test_comm_without_steps(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(comm_of(&f, "{\"HCOM_RECEIVE__1@5\":" LEAF ",\"hcom_allReduce__2@6\":" LEAF ",\"Total Op Info\":" LEAF "}"), ERR_OK);
	assert_int_equal(f.comm.nops, 3);
	assert_true(f.comm.ops[0].p2p && !f.comm.ops[1].p2p && f.comm.ops[2].total);
	assert_int_equal(f.comm.ops[0].step, 0);
	end(&f);
}

static void test_comm_wrong_shapes(void **state)
{
	static const struct {
		const char *leaf;
		size_t ops, transports, packets, skipped;
	} cases[] = {
		{ "null", 0, 0, 0, 1 }, { "[]", 0, 0, 0, 1 }, { "{}", 0, 0, 0, 1 }, { "3", 0, 0, 0, 1 },
		{ "{\"Communication Time Info\":null}", 0, 0, 0, 1 },
		{ "{\"Communication Time Info\":{}}", 1, 0, 0, 0 },
		{ "{\"Communication Bandwidth Info\":{}}", 1, 0, 0, 0 },
		{ "{\"Communication Time Info\":[],\"Communication Bandwidth Info\":{}}", 1, 0, 0, 1 },
		{ "{\"Communication Time Info\":{},\"Communication Bandwidth Info\":[{}]}", 1, 0, 0, 1 },
		{ "{\"Communication Time Info\":{\"Elapse Time(ms)\":null,\"Wait Time(ms)\":\"N/A\",\"Idle Time(ms)\":[1],"
			"\"Transit Time(ms)\":1e300,\"Synchronization Time(ms)\":NaN}}", 1, 0, 0, 5 },
		{ "{\"Communication Bandwidth Info\":{\"HCCS\":null,\"SDMA\":{\"Transit Size(MB)\":{},\"Size Distribution\":[]}}}", 1, 1, 0, 3 },
		{ "{\"Communication Bandwidth Info\":{\"RDMA\":{\"Size Distribution\":{\"x\":[1,2],\"1\":[1],\"2\":[1,2,3],\"3\":null,\"4\":[1,null],"
			"\"5\":[1e30,1],\"6\":[\"2\",\"0.5\"]}}}}", 1, 1, 1, 6 },
	};
	char text[512];
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		snprintf(text, sizeof text, "{\"step1\":{\"collective\":{\"op@1\":%s}}}", cases[i].leaf);
		assert_int_equal(comm_of(&f, text), ERR_OK);
		if (f.comm.nops != cases[i].ops || f.comm.ntransports != cases[i].transports || f.comm.npackets != cases[i].packets ||
				f.comm.skipped != cases[i].skipped)
			fail_msg("case %zu: %zu ops %zu transports %zu packets %zu skipped", i, f.comm.nops, f.comm.ntransports, f.comm.npackets,
				f.comm.skipped);
		if (f.comm.nops)
			assert_true(f.comm.ops[0].elapse_ns == NO_TIME && f.comm.ops[0].start_ns == NO_TIME);
		end(&f);
	}
}

static void test_comm_not_one(void **state)
{
	static const struct {
		const char *text;
		enum err err;
		size_t skipped;
	} cases[] = {
		{ "{}", ERR_OK, 0 }, { "{\"step1\":{}}", ERR_OK, 0 }, { "{\"step1\":{\"p2p\":{},\"collective\":{}}}", ERR_OK, 0 },
		{ "{\"step1\":{\"p2p\":[],\"collective\":null,\"other\":{}}}", ERR_OK, 3 },
		{ "", ERR_FORMAT, 0 }, { "[]", ERR_FORMAT, 0 }, { "null", ERR_FORMAT, 0 }, { "{\"step1\":{\"p2p\":{", ERR_FORMAT, 0 },
		{ "{\"a\":1,\"b\":[]}", ERR_FORMAT, 2 }, { "{\"schemaVersion\":1,\"deviceProperties\":{\"x\":{}}}", ERR_FORMAT, 2 },
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (comm_of(&f, cases[i].text) != cases[i].err || f.comm.skipped != cases[i].skipped)
			fail_msg("case %zu: %s, skipped %zu", i, f.d.text, f.comm.skipped);
		assert_int_equal(f.comm.nops, 0);
		end(&f);
	}
}

static void test_comm_unofficial(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(comm_of(&f, "{\"AllReduce\":{\"count\":640,\"totalTimeUs\":1000.5004,\"op\":[{\"name\":\"AllReduce\",\"group\":\"tp-8\","
		"\"durationUs\":46.67294569686055,\"sizeBytes\":98304},{\"durationUs\":\"1\"},7]},\"Send\":{\"totalTimeUs\":null,\"op\":{}}}"),
		ERR_OK);
	assert_true(f.comm.unofficial);
	assert_int_equal(f.comm.nops, 4);
	assert_int_equal(f.comm.skipped, 3);
	assert_true(f.comm.ops[0].total && f.comm.ops[0].count == 640 && f.comm.ops[0].elapse_ns == 1000500);
	assert_true(!f.comm.ops[1].total && f.comm.ops[1].elapse_ns == 46673 && f.comm.ops[1].size_bytes == 98304);
	assert_string_equal(name(&f, f.comm.ops[1].group), "tp-8");
	assert_string_equal(name(&f, f.comm.ops[2].name), "AllReduce");
	assert_true(f.comm.ops[2].elapse_ns == 1000 && f.comm.ops[2].size_bytes == -1 && f.comm.ops[2].group == 0);
	assert_true(f.comm.ops[3].total && f.comm.ops[3].elapse_ns == NO_TIME && f.comm.ops[3].count == -1);
	end(&f);
}

static void test_cluster(void **state)
{
	const char *text = "{\"p2p\":{\"step2\":{\"hcom_send__1@9\":{\"0\":" LEAF ",\"15\":" LEAF "},\"Total Op Info\":{\"0\":" LEAF "}}},"
		"\"(0, 1, 15)\":{\"step2\":{\"hcom_x@77\":{\"1\":" LEAF ",\"x\":" LEAF ",\"-1\":" LEAF "},\"hcom_y@77\":{\"1\":" LEAF "},"
		"\"bare\":{\"15\":" LEAF "},\"Total Op Info\":{\"1\":" LEAF "},\"none\":[]},\"step3\":null},\"(8,)\":{},\"what\":{}}";
	struct fixture f;
	size_t totals = 0;

	(void)state;
	begin(&f);
	assert_int_equal(doc_load_cluster_communication(str_of(text), &f.names, &f.comm, &f.d), ERR_OK);
	assert_int_equal(f.comm.nops, 7);
	assert_true(f.comm.ops[0].p2p && f.comm.ops[0].rank == 0 && f.comm.ops[1].rank == 15);
	assert_true(f.comm.ops[2].total && f.comm.ops[2].group == 0);
	assert_true(!f.comm.ops[3].p2p && f.comm.ops[3].rank == 1);
	assert_string_equal(name(&f, f.comm.ops[3].step), "step2");
	assert_string_equal(name(&f, f.comm.ops[5].group), "(0, 1, 15)");
	for (size_t i = 0; i < f.comm.nops; i++)
		totals += f.comm.ops[i].total;
	assert_int_equal(totals, 2);
	/* two rank keys that are none, one operator, one step, one set */
	assert_int_equal(f.comm.skipped, 5);
	assert_int_equal(f.comm.ngroups, 2);
	assert_string_equal(name(&f, f.comm.groups[0].name), "77");
	assert_string_equal(name(&f, f.comm.groups[1].name), "(0, 1, 15)");
	assert_true(f.comm.groups[0].nranks == 3 && f.comm.groups[0].ranks[2] == 15);
	end(&f);
	begin(&f);
	assert_int_equal(doc_load_cluster_communication(STR("{\"step1\":{\"p2p\":{}}}"), &f.names, &f.comm, &f.d), ERR_FORMAT);
	end(&f);
}

/* ---- matrix ---- */

#define EDGE "{\"Transport Type\":\"HCCS\",\"Transit Size(MB)\":2.5,\"Transit Time(ms)\":0.0000015,\"Bandwidth(GB/s)\":17,\"Op Name\":\"hcom_r\"}"

static void test_matrix_suffixes(void **state)
{
	static const char *const ops[] = { "allreduce-top1", "reduce-middle", "allreduce-bottom1", "allreduce-bottom3", "allreduce-total" };
	struct fixture f;
	struct buf b = { 0 };

	(void)state;
	buf_str(&b, "{\"step5\":{\"p2p\":{\"batchsendrecv-top1@3\":{\"3-11\":" EDGE "}},\"collective\":{");
	for (size_t i = 0; i < ARRAY_LEN(ops); i++)
		buf_printf(&b, "%s\"%s@17522688603477080586\":{\"0-0\":{\"Transport Type\":\"LOCAL\"},\"0-4294967295\":" EDGE "}", i ? "," : "", ops[i]);
	buf_str(&b, "}}}");
	assert_int_equal(matrix_of(&f, false, b.p), ERR_OK);
	assert_int_equal(f.comm.nedges, 1 + 2 * ARRAY_LEN(ops));
	assert_int_equal(f.comm.skipped, 0);
	assert_true(f.comm.edges[0].p2p && f.comm.edges[0].src == 3 && f.comm.edges[0].dst == 11 && f.comm.edges[0].transit_ns == 2);
	assert_string_equal(name(&f, f.comm.edges[0].op_name), "hcom_r");
	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		const struct comm_edge *e = &f.comm.edges[1 + 2 * i];

		assert_string_equal(name(&f, e->op), ops[i]);
		assert_string_equal(name(&f, e->group), "17522688603477080586");
		assert_string_equal(name(&f, e->step), "step5");
		assert_true(!e->p2p && e->op_name == 0 && e->src == 0 && e->dst == 0 && isnan(e->size_mb) && e->transit_ns == NO_TIME);
		assert_true(e[1].dst == -1 && fabs(e[1].size_mb - 2.5) < 1e-12 && fabs(e[1].bandwidth_gbs - 17) < 1e-12);
	}
	end(&f);
	buf_done(&b);
}

static void test_matrix_plain_and_cluster(void **state)
{
	struct fixture f;

	(void)state;
	/* 2023 */
	assert_int_equal(matrix_of(&f, false, "{\"step2\":{\"collective\":{\"hcom_allReduce__1_0@5\":{\"0-1\":{\"Transport Type\":\"HCCS\"}},"
		"\"Total Op Info\":{\"0-1\":{}}}}}"), ERR_OK);
	assert_int_equal(f.comm.nedges, 2);
	assert_string_equal(name(&f, f.comm.edges[0].op_name), "hcom_allReduce__1_0");
	assert_string_equal(name(&f, f.comm.edges[1].op), "Total Op Info");
	assert_int_equal(f.comm.edges[1].op_name, 0);
	end(&f);
	/* msprof's own */
	assert_int_equal(matrix_of(&f, false, "{\"hcom_send__1_0@5\":{\"0-1\":" EDGE ",\"1-0\":" EDGE "}}"), ERR_OK);
	assert_int_equal(f.comm.nedges, 2);
	assert_true(f.comm.edges[0].p2p && f.comm.edges[0].step == 0);
	end(&f);
	assert_int_equal(matrix_of(&f, true, "{\"p2p\":{\"step2\":{\"hcom_send__1@9\":{\"0-8\":" EDGE "}}},\"(0, 8)\":{\"step2\":{"
		"\"Total Op Info\":{\"8-0\":" EDGE "}}},\"odd\":{\"s\":{}},\"(1,)\":3}"), ERR_OK);
	assert_int_equal(f.comm.nedges, 2);
	assert_int_equal(f.comm.skipped, 2);
	assert_true(f.comm.edges[0].p2p && !f.comm.edges[1].p2p && f.comm.edges[1].src == 8);
	assert_string_equal(name(&f, f.comm.edges[1].group), "(0, 8)");
	end(&f);
}

static void test_matrix_wrong_shapes(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(matrix_of(&f, false, "{\"step1\":{\"collective\":{\"a-top1@1\":{\"x\":{},\"-1\":{},\"1-\":{},\"0-1\":null,\"2-3\":[],"
		"\"N/A-4\":{\"Transit Time(ms)\":\"x\",\"Bandwidth(GB/s)\":null,\"Op Name\":[]}},\"b@1\":[],\"c@1\":null},\"p2p\":7,\"q\":{}},"
		"\"step2\":[]}"), ERR_OK);
	assert_int_equal(f.comm.nedges, 1);
	assert_true(f.comm.edges[0].src == -1 && f.comm.edges[0].dst == 4 && f.comm.edges[0].transit_ns == NO_TIME);
	assert_int_equal(f.comm.skipped, 5 + 3 + 2 + 2 + 1);
	end(&f);
	assert_int_equal(matrix_of(&f, false, "{\"a\":1}"), ERR_FORMAT);
	end(&f);
	assert_int_equal(matrix_of(&f, true, "{\"a\":{}}"), ERR_FORMAT);
	end(&f);
	assert_int_equal(matrix_of(&f, true, "{}"), ERR_OK);
	end(&f);
}

/* ---- groups ---- */

static void test_groups(void **state)
{
	const char *text = "{\"collective\":[[0,1],[8],[],3,[\"x\"]],\"p2p\":[[0,1]],\"comm_group_parallel_info\":[{\"type\":\"collective\","
		"\"rank_set\":[0,1],\"group_name\":\"11978775601474615865\",\"group_id\":\"id\",\"pg_name\":\"tp\"},{\"type\":\"p2p\","
		"\"rank_set\":\"(2, 3)\",\"group_name\":18446744073709551615,\"pg_name\":\"\"},{\"type\":\"p2p\"},null],\"other\":1}";
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(doc_load_groups(str_of(text), &f.names, &f.comm, &f.d), ERR_OK);
	assert_int_equal(f.comm.ngroups, 7);
	assert_string_equal(name(&f, f.comm.groups[0].name), "(0, 1)");
	assert_string_equal(name(&f, f.comm.groups[1].name), "(8,)");
	assert_string_equal(name(&f, f.comm.groups[2].name), "()");
	assert_string_equal(name(&f, f.comm.groups[4].type), "p2p");
	assert_string_equal(name(&f, f.comm.groups[5].name), "11978775601474615865");
	assert_string_equal(name(&f, f.comm.groups[5].type), "tp");
	assert_string_equal(name(&f, f.comm.groups[6].name), "18446744073709551615");
	assert_string_equal(name(&f, f.comm.groups[6].type), "p2p");
	assert_true(f.comm.groups[6].nranks == 2 && f.comm.groups[6].ranks[1] == 3);
	/* 3, "x", an entry without ranks, null, "other" */
	assert_int_equal(f.comm.skipped, 5);
	end(&f);
	begin(&f);
	assert_int_equal(doc_load_groups(STR("{\"collective\":[],\"p2p\":[],\"comm_group_parallel_info\":[]}"), &f.names, &f.comm, &f.d), ERR_OK);
	assert_int_equal(f.comm.ngroups, 0);
	end(&f);
	begin(&f);
	assert_int_equal(doc_load_groups(STR("{\"x\":[]}"), &f.names, &f.comm, &f.d), ERR_FORMAT);
	end(&f);
}

/* The hash of the operators and the dimension of the group list meet in one group, whichever document comes first. */
static void test_groups_meet(void **state)
{
	struct str cluster = STR("{\"(0, 1)\":{\"step1\":{\"hcom_x@77\":{\"0\":" LEAF "}}}}");
	struct str groups = STR("{\"comm_group_parallel_info\":[{\"type\":\"collective\",\"rank_set\":[0,1],\"group_name\":\"77\",\"pg_name\":\"dp\"}]}");
	struct fixture f;

	(void)state;
	for (int order = 0; order < 2; order++) {
		begin(&f);
		if (order)
			assert_int_equal(doc_load_groups(groups, &f.names, &f.comm, &f.d), ERR_OK);
		assert_int_equal(doc_load_cluster_communication(cluster, &f.names, &f.comm, &f.d), ERR_OK);
		if (!order)
			assert_int_equal(doc_load_groups(groups, &f.names, &f.comm, &f.d), ERR_OK);
		assert_int_equal(f.comm.ngroups, 1);
		assert_string_equal(name(&f, f.comm.groups[0].type), "dp");
		assert_int_equal(f.comm.ops[0].group, f.comm.groups[0].name);
		end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_info_2023), cmocka_unit_test(test_info_newest), cmocka_unit_test(test_info_mindspore),
		cmocka_unit_test(test_info_spellings), cmocka_unit_test(test_info_parallel), cmocka_unit_test(test_info_odd),
		cmocka_unit_test(test_metadata), cmocka_unit_test(test_comm_steps), cmocka_unit_test(test_comm_without_steps),
		cmocka_unit_test(test_comm_wrong_shapes), cmocka_unit_test(test_comm_not_one), cmocka_unit_test(test_comm_unofficial),
		cmocka_unit_test(test_cluster), cmocka_unit_test(test_matrix_suffixes), cmocka_unit_test(test_matrix_plain_and_cluster),
		cmocka_unit_test(test_matrix_wrong_shapes), cmocka_unit_test(test_groups), cmocka_unit_test(test_groups_meet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
