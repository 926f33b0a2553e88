/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders that are no plain PyTorch capture (see hostile.def): raw data that was
 * never analysed, two exports in one folder, sliced tables, and the layouts of
 * MindSpore and of the operator profiler.
 */
#include "samples/hostile_other.h"

#include <string.h>

#define PROF "PROF_000001_20251201102001044_00021034QWERTYUI"
#define SUMMARY_HEAD \
	"Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task Duration(us)," \
	"Task Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,Output Shapes," \
	"Output Data Types,Output Formats,Context ID\n"
#define SUMMARY(task, name, us, dur) \
	"0,4294967295," task ",2," name ",MatMulV2,dynamic,AI_CORE,1764584401000" us ".500\t," dur ",0,24,0,NO," \
	"\"\"\"32,1024;4096,1024\"\"\",DT_BF16;DT_BF16,ND;ND,\"\"\"32,4096\"\"\",DT_BF16,ND,N/A\n"
#define MSPROF(name, us) \
	"[{\"name\":\"process_name\",\"pid\":1024416,\"tid\":0,\"args\":{\"name\":\"Ascend Hardware\"},\"ph\":\"M\"}," \
	"{\"name\":\"process_labels\",\"pid\":1024416,\"tid\":0,\"args\":{\"labels\":\"NPU 0\"},\"ph\":\"M\"}," \
	"{\"name\":\"" name "\",\"pid\":1024416,\"tid\":2,\"ts\":\"1764584401000" us ".500\",\"dur\":60.25,\"ph\":\"X\",\"args\":{" \
	"\"Model Id\":4294967295,\"Task Type\":\"AI_CORE\",\"Physic Stream Id\":2,\"Task Id\":7,\"Batch Id\":0," \
	"\"Subtask Id\":4294967295,\"connection_id\":12}}]"

struct text_file {
	const char *name, *text;
};

static int write_files(const char *dir, const struct text_file *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (hostile_file(dir, f[i].name, f[i].text) != 0)
			return -1;
	return 0;
}

#define WRITE_FILES(dir, list) write_files((dir), (list), sizeof(list) / sizeof((list)[0]))

int dir_raw(const char *path, const char *seed)
{
	static const struct text_file files[] = {
		{ "atlas800_21034_20251201102001044_ascend_pt/profiler_info_0.json",
			"{\"config\":{\"common_config\":{\"schedule\":{}},\"experimental_config\":{\"_profiler_level\":\"Level1\","
			"\"_export_type\":[\"text\"]}},\"rank_id\":\"0\",\"cann_version\":\"8.3.RC1\"}" },
		{ "atlas800_21034_20251201102001044_ascend_pt/FRAMEWORK/torch.op_range", "\x01\x02raw\x03" },
		{ "atlas800_21034_20251201102001044_ascend_pt/FRAMEWORK/torch.op_mark", "\x01\x02raw\x03" },
		{ "atlas800_21034_20251201102001044_ascend_pt/FRAMEWORK/torch.memory_usage", "" },
		{ "atlas800_21034_20251201102001044_ascend_pt/" PROF "/host/data/unaging.api_event.data.slice_0", "\x5a\x5araw" },
		{ "atlas800_21034_20251201102001044_ascend_pt/" PROF "/host/info.json", "{\"hostname\":\"atlas800\"}" },
		{ "atlas800_21034_20251201102001044_ascend_pt/" PROF "/device_0/data/stars_soc.data.0.slice_0", "\x5a\x5araw" },
		{ "atlas800_21034_20251201102001044_ascend_pt/" PROF "/device_0/info.json.0", "{\"platform_version\":\"5\"}" },
	};

	(void)seed;
	return WRITE_FILES(path, files);
}

int dir_generations(const char *path, const char *seed)
{
	static const struct text_file files[] = {
		{ PROF "/mindstudio_profiler_output/msprof_20251201102041.json", MSPROF("old_kernel", "200") },
		{ PROF "/mindstudio_profiler_output/op_summary_20251201102042.csv", SUMMARY_HEAD SUMMARY("7", "old_kernel", "200", "60.250") },
		{ PROF "/mindstudio_profiler_output/op_statistic_20251201102042.csv",
			"Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)\n"
			"0,MatMulV2,AI_CORE,1,60.25,60.25,60.25,60.25,100.0\n" },
		{ PROF "/mindstudio_profiler_output/msprof_20251202113005.json", MSPROF("new_kernel", "300") },
		{ PROF "/mindstudio_profiler_output/op_summary_20251202113006.csv",
			SUMMARY_HEAD SUMMARY("7", "new_kernel", "300", "60.250") SUMMARY("8", "new_kernel", "400", "60.250") },
		{ PROF "/mindstudio_profiler_output/op_statistic_20251202113006.csv",
			"Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)\n"
			"0,MatMulV2,AI_CORE,2,120.5,60.25,60.25,60.25,100.0\n" },
		{ PROF "/mindstudio_profiler_output/README.txt", "The columns are explained in the profiler guide.\n" },
	};

	(void)seed;
	return WRITE_FILES(path, files);
}

int dir_mindspore(const char *path, const char *seed)
{
	static const struct text_file files[] = {
		{ "atlas800_21034_20251201102001044_ascend_ms/profiler_info_0.json",
			"{\"profiler_parameters\":{\"profiler_level\":\"Level1\",\"with_stack\":false},\"ms_profiler_info\":{\"context_mode\":\"graph\","
			"\"rank_id\":0,\"device_id\":0},\"cann_profiler_info\":{},\"ms_version\":\"2.6.0\","
			"\"cann_version\":\"8.1.RC1\",\"jit_level\":\"O1\"}" },
		{ "atlas800_21034_20251201102001044_ascend_ms/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
			"Step ID,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,"
			"Mix Block Dim,HF32 Eligible,Input Shapes\r\n"
			"1,4294967295,7,2,Default/network/MatMul-op1,MatMulV2,static,AI_CORE,1764584401000200.500\t,60.250,0,24,0,NO,\"\"\"32,1024\"\"\"\r\n"
			"2,4294967295,8,2,Default/network/MatMul-op1,MatMulV2,static,AI_CORE,1764584401001200.500\t,60.250,"
			"939.750000,24,0,NO,\"\"\"32,1024\"\"\"\r\n" },
		{ "atlas800_21034_20251201102001044_ascend_ms/ASCEND_PROFILER_OUTPUT/step_trace_time.csv",
			"Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
			"Communication(Not Overlapped and Exclude Receive),Preparing\r\n"
			"1,60.25,0.0,0.0,0.0,0.0,60.25,0,0.0,12.5\r\n2,60.25,0.0,0.0,0.0,0.0,60.25,0,0.0,12.5\r\n" },
		{ "atlas800_21034_20251201102001044_ascend_ms/ASCEND_PROFILER_OUTPUT/trace_view.json",
			"[{\"name\":\"process_name\",\"pid\":2,\"tid\":0,\"args\":{\"name\":\"CPU OP\"},\"ph\":\"M\"},"
			"{\"name\":\"launch MatMul\",\"pid\":2,\"tid\":1,"
			"\"ts\":\"1764584401000150.500\",\"dur\":20.5,\"ph\":\"X\",\"args\":{}},"
			"{\"name\":\"mindspore_to_npu\",\"ph\":\"s\",\"cat\":\"async_npu\",\"id\":\"1\",\"pid\":2,\"tid\":1,\"ts\":\"1764584401000150.500\"},"
			"{\"name\":\"process_name\",\"pid\":1024416,\"tid\":0,\"args\":{\"name\":\"Ascend Hardware\"},\"ph\":\"M\"},"
			"{\"name\":\"Default/network/MatMul-op1\",\"pid\":1024416,\"tid\":2,\"ts\":\"1764584401000200.500\",\"dur\":60.25,\"ph\":\"X\","
			"\"args\":{\"Task Type\":\"AI_CORE\",\"Physic Stream Id\":2,\"Task Id\":7}},"
			"{\"name\":\"mindspore_to_npu\",\"ph\":\"f\",\"cat\":\"async_npu\",\"id\":\"1\",\"pid\":1024416,\"tid\":2,"
			"\"ts\":\"1764584401000200.500\","
			"\"bp\":\"e\"},{\"name\":\"Default/network/MatMul-op1\",\"pid\":1024416,\"tid\":2,\"ts\":\"1764584401001200.500\",\"dur\":60.25,"
			"\"ph\":\"X\",\"args\":{\"Task Type\":\"AI_CORE\",\"Physic Stream Id\":2,\"Task Id\":8}}]" },
	};

	(void)seed;
	return WRITE_FILES(path, files);
}

int dir_opprof(const char *path, const char *seed)
{
	static const struct text_file files[] = {
		{ "OPPROF_20251201102001_ABCDEFGHIJKLMNOP/OpBasicInfo.csv",
			"Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,Rated Freq,\n"
			"rms_norm_custom,vector,18.32,40,0,0,21034,1800,1800,\n" },
		{ "OPPROF_20251201102001_ABCDEFGHIJKLMNOP/PipeUtilization.csv",
			"block_id,sub_block_id,aiv_time(us),aiv_total_cycles,aiv_vec_time(us),aiv_vec_ratio,aiv_scalar_time(us),aiv_scalar_ratio,"
			"aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte3_time(us),aiv_mte3_ratio,aiv_icache_miss_rate,\n"
			"0,vector0,17.9,32220,6.1,0.340782,1.2,0.067039,11.4,0.636872,7.2,0.402235,0.01,\n"
			"1,vector0,17.7,31860,6.0,0.338983,1.2,0.067797,11.2,0.632768,7.1,0.40113,0.01,\n" },
		{ "OPPROF_20251201102001_ABCDEFGHIJKLMNOP/simulator/core0.veccore0/core0.veccore0_instr_exe.csv",
			"instr,addr,pipe,call_count,cycles,running_time(us)\nMOV_OUT_TO_UB,0x10d07000,MTE2,8,4096,2.27\n"
			"VMUL,0x10d07040,VECTOR,8,512,0.28\n" },
	};

	(void)seed;
	return WRITE_FILES(path, files);
}

int dir_slices(const char *path, const char *seed)
{
	static const struct text_file files[] = {
		{ PROF "/mindstudio_profiler_output/op_summary_slice_0_20251201102042.csv",
			SUMMARY_HEAD SUMMARY("7", "a", "200", "60.250") SUMMARY("8", "b", "300", "60.250") },
		{ PROF "/mindstudio_profiler_output/op_summary_slice_1_20251201102042.csv",
			SUMMARY_HEAD SUMMARY("9", "c", "400", "60.250") SUMMARY("10", "d", "500", "60.250") },
		{ PROF "/mindstudio_profiler_output/msprof_slice_0_20251201102041.json", MSPROF("a", "200") },
		{ PROF "/mindstudio_profiler_output/msprof_slice_1_20251201102041.json", MSPROF("b", "300") },
	};

	(void)seed;
	return WRITE_FILES(path, files);
}
