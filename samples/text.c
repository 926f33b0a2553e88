/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One text export on disk: which file holds what, and the small JSON files that
 * describe the run. With more than one rank profiler_info carries its number.
 */
#include "samples/text.h"

#include <stdio.h>

struct text_file {
	const char *name;
	void (*write)(const struct capture *c, struct out *o);
};

static const struct text_file text_files[] = {
	{ "trace_view.json", text_trace },
	{ "kernel_details.csv", text_kernel_details },
	{ "op_statistic.csv", text_op_statistic },
	{ "operator_details.csv", text_operator_details },
	{ "api_statistic.csv", text_api_statistic },
	{ "step_trace_time.csv", text_step_trace },
	{ "communication.json", text_comm },
	{ "communication_matrix.json", text_comm_matrix },
	{ "memory_record.csv", text_memory_record },
	{ "operator_memory.csv", text_operator_memory },
	{ "npu_module_mem.csv", text_module_memory },
};

static void number(struct out *o, const char *key, int64_t v)
{
	out_str(o, key);
	out_i64(o, v);
}

static void info_config(const struct capture *c, struct out *o, bool database)
{
	bool stack = c->scenario->flags & SF_FRAMES;

	out_str(o, "{\n    \"config\": {\n        \"common_config\": {\n            \"activities\": [\n"
		   "                \"ProfilerActivity.CPU\",\n                \"ProfilerActivity.NPU\"\n            ],\n"
		   "            \"schedule\": {\n                \"wait\": 0,\n");
	number(o, "                \"active\": ", (int64_t)c->step.n);
	number(o, ",\n                \"warmup\": 1,\n                \"repeat\": 1,\n                \"skip_first\": ",
		c->step.n ? c->step.at[0].number - 1 : 0);
	out_str(o, "\n            },\n            \"record_shapes\": true,\n            \"profile_memory\": true,\n"
		   "            \"with_stack\": ");
	out_str(o, stack ? "true" : "false");
	out_str(o, ",\n            \"with_flops\": false,\n            \"with_modules\": ");
	out_str(o, stack ? "true" : "false");
	out_str(o, "\n        },\n        \"experimental_config\": {\n            \"_profiler_level\": \"Level1\",\n"
		   "            \"_aic_metrics\": \"ACL_AICORE_PIPE_UTILIZATION\",\n            \"_l2_cache\": false,\n"
		   "            \"_msprof_tx\": false,\n            \"_mstx\": false,\n            \"_data_simplification\": true,\n"
		   "            \"record_op_args\": false,\n            \"_export_type\": [\n                \"");
	out_str(o, database ? "db" : "text");
	out_str(o, "\"\n            ],\n            \"_host_sys\": [],\n            \"_op_attr\": false,\n"
		   "            \"_gc_detect_threshold\": null,\n            \"_mstx_domain_include\": [],\n"
		   "            \"_mstx_domain_exclude\": [],\n            \"_sys_io\": false,\n"
		   "            \"_sys_interconnection\": false\n        }\n    },\n");
}

static void info_times(const struct capture *c, struct out *o)
{
	struct span all = capture_span(c);
	int64_t boot = c->scenario->start_ns - 4699801002845430;

	number(o, "    \"start_info\": {\n        \"syscnt_enable\": true,\n        \"freq\": 100,\n        \"start_cnt\": ",
		(all.start - boot) / 10);
	number(o, ",\n        \"start_monotonic\": ", all.start - boot);
	number(o, "\n    },\n    \"end_info\": {\n        \"collectionTimeEnd\": ", all.end + 5000000);
	number(o, ",\n        \"MonotonicTimeEnd\": ", all.end + 5000000 - boot);
	out_str(o, "\n    },\n    \"torch_npu_version\": \"2.7.1\",\n    \"cann_version\": \"8.3.RC1\",\n");
	number(o, "    \"rank_id\": \"", c->rank);
	out_str(o, "\"\n}");
}

int text_write_info(const struct capture *c, const char *dir, bool database)
{
	char path[4096];
	struct out o;

	snprintf(path, sizeof(path), "%s/profiler_info_%d.json", dir, c->rank);
	if (out_open(&o, path) != 0)
		return -1;
	info_config(c, &o, database);
	info_times(c, &o);
	return out_close(&o);
}

static int write_metadata(const struct capture *c, const char *dir)
{
	char path[4096];
	struct out o;

	snprintf(path, sizeof(path), "%s/profiler_metadata.json", dir);
	if (out_open(&o, path) != 0)
		return -1;
	number(&o, "{\"distributed_args\": {\"tensor_model_parallel_size\": ", c->scenario->world);
	number(&o, ", \"pipeline_model_parallel_size\": 1, \"data_parallel_size\": 1, \"rank\": ", c->rank);
	number(&o, ", \"world_size\": ", c->scenario->world);
	out_str(&o, "}, \"ENV_VARIABLES\": {\"ASCEND_GLOBAL_LOG_LEVEL\": \"3\", \"HCCL_RDMA_TC\": \"\", \"HCCL_RDMA_SL\": \"\", "
		    "\"ACLNN_CACHE_LIMIT\": \"\", \"HOST_CACHE_CAPACITY\": \"\", \"ASCEND_ENHANCE_ENABLE\": \"\", "
		    "\"PYTORCH_NPU_ALLOC_CONF\": \"expandable_segments:True\", \"ASCEND_LAUNCH_BLOCKING\": \"\", \"HCCL_ALGO\": \"\"}, "
		    "\"parallel_group_info\": {\"");
	out_u64(&o, c->group);
	number(&o, "\": {\"group_name\": \"tp\", \"group_rank\": ", c->rank);
	out_str(&o, ", \"global_ranks\": [");
	for (int i = 0; i < c->scenario->world; i++)
		number(&o, i ? ", " : "", i);
	out_str(&o, "]}}}");
	return out_close(&o);
}

int text_write(const struct capture *c, const char *dir)
{
	char path[4096];
	struct out o;

	snprintf(path, sizeof(path), "%s/ASCEND_PROFILER_OUTPUT", dir);
	if (dir_make(path) != 0)
		return -1;
	for (size_t i = 0; i < sizeof(text_files) / sizeof(text_files[0]); i++) {
		snprintf(path, sizeof(path), "%s/ASCEND_PROFILER_OUTPUT/%s", dir, text_files[i].name);
		if (out_open(&o, path) != 0)
			return -1;
		text_files[i].write(c, &o);
		if (out_close(&o) != 0)
			return -1;
	}
	return text_write_info(c, dir, false) != 0 ? -1 : write_metadata(c, dir);
}
