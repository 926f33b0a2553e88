/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiler_info*.json. All writers use much the same keys in different places, so every key is looked for in every section:
 *	torch_npu	config.common_config, config.experimental_config, and the top; 2023 with a leading '_' on more keys
 *	MindSpore	profiler_parameters, ms_profiler_info, and the top; 2023 everything at the top
 *	unofficial	flat, keys in words: "Rank ID", "vllm version"
 */
#include "core/load/doc/doc_part.h"

#include <cjson/cJSON.h>
#include <limits.h>

void run_info_init(struct run_info *info)
{
	*info = (struct run_info){ .wait = -1, .active = -1, .warmup = -1, .repeat = -1, .skip_first = -1,
		.world_size = -1, .tp = -1, .pp = -1, .dp = -1, .ep = -1, .cp = -1 };
}

/* ---- spellings ---- */

struct spelling {
	const char *text;		/* compared without case */
	const char *means;
};

static const struct spelling level_spellings[] = {
	{ "Level0", "Level0" }, { "Level1", "Level1" }, { "Level2", "Level2" }, { "0", "Level0" }, { "1", "Level1" }, { "2", "Level2" },
	{ "l0", "Level0" }, { "l1", "Level1" }, { "l2", "Level2" },
	{ "Level_none", "none" }, { "LevelNone", "none" }, { "none", "none" }, { "-1", "none" },
};

/* The numbers are those of the AscendCL enumeration aclprofAicoreMetrics. */
static const struct spelling metrics_spellings[] = {
	{ "ACL_AICORE_ARITHMETIC_UTILIZATION", "ArithmeticUtilization" }, { "ArithmeticUtilization", "ArithmeticUtilization" },
	{ "0", "ArithmeticUtilization" },
	{ "ACL_AICORE_PIPE_UTILIZATION", "PipeUtilization" }, { "PipeUtilization", "PipeUtilization" }, { "1", "PipeUtilization" },
	{ "ACL_AICORE_MEMORY_BANDWIDTH", "Memory" }, { "Memory", "Memory" }, { "2", "Memory" },
	{ "ACL_AICORE_L0B_AND_WIDTH", "MemoryL0" }, { "MemoryL0", "MemoryL0" }, { "3", "MemoryL0" },
	{ "ACL_AICORE_RESOURCE_CONFLICT_RATIO", "ResourceConflictRatio" }, { "ResourceConflictRatio", "ResourceConflictRatio" },
	{ "4", "ResourceConflictRatio" },
	{ "ACL_AICORE_MEMORY_UB", "MemoryUB" }, { "MemoryUB", "MemoryUB" }, { "5", "MemoryUB" },
	{ "ACL_AICORE_L2_CACHE", "L2Cache" }, { "L2Cache", "L2Cache" }, { "6", "L2Cache" },
	{ "ACL_AICORE_PIPE_EXECUTE_UTILIZATION", "PipelineExecuteUtilization" },
	{ "PipelineExecuteUtilization", "PipelineExecuteUtilization" }, { "PipeExecuteUtilization", "PipelineExecuteUtilization" },
	{ "7", "PipelineExecuteUtilization" },
	{ "ACL_AICORE_MEMORY_ACCESS", "MemoryAccess" }, { "MemoryAccess", "MemoryAccess" }, { "8", "MemoryAccess" },
	{ "ACL_AICORE_NONE", "none" }, { "AiCoreNone", "none" }, { "None", "none" }, { "255", "none" }, { "-1", "none" },
};

static const struct spelling export_spellings[] = { { "text", "text" }, { "db", "db" } };

/* "ProfilerLevel.Level1" -> "Level1": some writers print the enumeration's name too. An unknown spelling stays as it is. */
static struct str spelling_of(const struct spelling *list, size_t n, struct str s)
{
	const char *dot = memrchr(s.p, '.', s.n);

	s = str_trim(dot ? (struct str){ dot + 1, (size_t)(s.p + s.n - dot - 1) } : s);
	for (size_t i = 0; i < n; i++)
		if (str_is_nocase(s, str_of(list[i].text)))
			return str_of(list[i].means);
	return s;
}

/* ---- what to do with a key ---- */

struct reader {
	struct names *names;
	struct run_info *info;
	struct rank_hint *hint;
	bool no_schedule;		/* MindSpore notes a schedule that nobody set */
	struct buf framework;
	size_t known;
};

struct field;
static void field_text(struct reader *r, const struct field *f, const struct cJSON *item);
static void field_level(struct reader *r, const struct field *f, const struct cJSON *item);
static void field_metrics(struct reader *r, const struct field *f, const struct cJSON *item);
static void field_export(struct reader *r, const struct field *f, const struct cJSON *item);
static void field_tri(struct reader *r, const struct field *f, const struct cJSON *item);
static void field_any(struct reader *r, const struct field *f, const struct cJSON *item);
static void field_gc(struct reader *r, const struct field *f, const struct cJSON *item);
static void field_size(struct reader *r, const struct field *f, const struct cJSON *item);
static void field_rank(struct reader *r, const struct field *f, const struct cJSON *item);
static void field_parallel(struct reader *r, const struct field *f, const struct cJSON *item);
static void field_schedule(struct reader *r, const struct field *f, const struct cJSON *item);
static void field_is_schedule(struct reader *r, const struct field *f, const struct cJSON *item);

/* Keys are compared without case and without leading underscores. */
static const struct field {
	const char *key;
	void (*read)(struct reader *r, const struct field *f, const struct cJSON *item);
	size_t at;			/* in struct run_info */
} fields[] = {
#define FIELD(key, how, member) { key, field_##how, offsetof(struct run_info, member) }
	FIELD("torch_npu_version", text, torch_npu), FIELD("torch_npu version", text, torch_npu),
	FIELD("cann_version", text, cann), FIELD("CANN version", text, cann),
	FIELD("ms_version", text, mindspore), FIELD("MindSpore version", text, mindspore),
	FIELD("Device Type", text, device_type),
	FIELD("profiler_level", level, level), FIELD("Profiler Level", level, level),
	FIELD("aic_metrics", metrics, aic_metrics), FIELD("aicore_metrics", metrics, aic_metrics),
	FIELD("AI Core Metrics", metrics, aic_metrics),
	FIELD("export_type", export, export_type),
	FIELD("with_stack", tri, stacks), FIELD("record_shapes", tri, shapes), FIELD("profile_memory", tri, memory),
	FIELD("with_modules", tri, modules), FIELD("with_flops", tri, flops), FIELD("l2_cache", tri, l2_cache),
	FIELD("sys_io", tri, sys_io),
	FIELD("mstx", any, mstx), FIELD("msprof_tx", any, mstx),
	FIELD("gc_detect_threshold", gc, gc),
	FIELD("schedule", schedule, has_schedule), FIELD("is_set_schedule", is_schedule, has_schedule),
	FIELD("rank_id", rank, known), FIELD("Rank ID", rank, known),
	FIELD("World Size", size, world_size), FIELD("world_size", size, world_size), FIELD("rank_size", size, world_size),
	FIELD("Parallel", parallel, parallel), FIELD("parallel_mode", text, parallel),
#undef FIELD
};

static void *field_at(struct reader *r, const struct field *f)
{
	return (char *)r->info + f->at;
}

static void field_text(struct reader *r, const struct field *f, const struct cJSON *item)
{
	struct str s;

	if (doc_text(item, &s) && str_trim(s).n)
		*(uint32_t *)field_at(r, f) = names_add(r->names, str_trim(s));
}

static void field_level(struct reader *r, const struct field *f, const struct cJSON *item)
{
	struct str s;

	if (doc_text(item, &s))
		*(uint32_t *)field_at(r, f) = names_add(r->names, spelling_of(level_spellings, ARRAY_LEN(level_spellings), s));
}

static void field_metrics(struct reader *r, const struct field *f, const struct cJSON *item)
{
	struct str s;

	if (doc_text(item, &s))
		*(uint32_t *)field_at(r, f) = names_add(r->names, spelling_of(metrics_spellings, ARRAY_LEN(metrics_spellings), s));
}

/* One text, or a list of them: "text", "db", "text,db". */
static void field_export(struct reader *r, const struct field *f, const struct cJSON *item)
{
	const struct cJSON *one = cJSON_IsArray(item) ? item->child : item;
	struct buf b = { 0 };
	struct str s;

	for (; one; one = cJSON_IsArray(item) ? one->next : NULL) {
		if (!doc_str(one, &s))
			continue;
		s = spelling_of(export_spellings, ARRAY_LEN(export_spellings), s);
		if (b.n)
			buf_char(&b, ',');
		buf_add(&b, s.p, s.n);
	}
	if (b.n)
		*(uint32_t *)field_at(r, f) = names_add(r->names, (struct str){ b.p, b.n });
	buf_done(&b);
}

static void field_tri(struct reader *r, const struct field *f, const struct cJSON *item)
{
	bool on;

	if (doc_bool(item, &on))
		*(enum tri *)field_at(r, f) = on ? TRI_YES : TRI_NO;
}

/* Two switches for one thing: on if either is. */
static void field_any(struct reader *r, const struct field *f, const struct cJSON *item)
{
	if (*(enum tri *)field_at(r, f) != TRI_YES)
		field_tri(r, f, item);
}

/* A threshold in ms, null when not collected. */
static void field_gc(struct reader *r, const struct field *f, const struct cJSON *item)
{
	double ms;

	if (cJSON_IsNull(item))
		*(enum tri *)field_at(r, f) = TRI_NO;
	else if (doc_num(item, &ms))
		*(enum tri *)field_at(r, f) = ms >= 0 ? TRI_YES : TRI_NO;
}

static void field_size(struct reader *r, const struct field *f, const struct cJSON *item)
{
	int64_t v;

	if (doc_int(item, 0, &v) && v >= 1)
		*(int64_t *)field_at(r, f) = v;
}

/* -1 is a single process without ranks. */
static void field_rank(struct reader *r, const struct field *f, const struct cJSON *item)
{
	int64_t v;

	(void)f;
	if (!r->hint->has_rank && doc_int(item, 0, &v) && v >= 0 && v <= INT_MAX)
		*r->hint = (struct rank_hint){ (int)v, true };
}

/* "tp8", "tp4-pp2", "DP=2 EP=8": sizes by their two letters. */
static void parallel_sizes(struct run_info *info, struct str s)
{
	const struct {
		struct str name;
		int64_t *out;
	} sizes[] = {
		{ STR("tp"), &info->tp }, { STR("pp"), &info->pp }, { STR("dp"), &info->dp }, { STR("ep"), &info->ep },
		{ STR("cp"), &info->cp },
	};

	for (size_t i = 0; i + 2 < s.n; i++) {
		size_t from = i + 2 + (s.p[i + 2] == '=' || s.p[i + 2] == ':'), to = from;
		bool inside_word = i && (s.p[i - 1] | 0x20) >= 'a' && (s.p[i - 1] | 0x20) <= 'z';
		uint64_t v;

		while (!inside_word && to < s.n && s.p[to] >= '0' && s.p[to] <= '9')
			to++;
		for (size_t k = 0; k < ARRAY_LEN(sizes); k++)
			if (str_is_nocase((struct str){ s.p + i, 2 }, sizes[k].name) &&
					str_to_u64((struct str){ s.p + from, to - from }, &v) && v >= 1 && v <= INT_MAX)
				*sizes[k].out = (int64_t)v;
	}
}

static void field_parallel(struct reader *r, const struct field *f, const struct cJSON *item)
{
	struct str s;

	field_text(r, f, item);
	if (doc_str(item, &s))
		parallel_sizes(r->info, s);
}

/* {} when no schedule was set. */
static void field_schedule(struct reader *r, const struct field *f, const struct cJSON *item)
{
	const struct {
		const char *key;
		int64_t *out;
	} counts[] = {
		{ "wait", &r->info->wait }, { "active", &r->info->active }, { "warmup", &r->info->warmup }, { "repeat", &r->info->repeat },
		{ "skip_first", &r->info->skip_first },
	};

	(void)f;
	if (!cJSON_IsObject(item))
		return;
	for (const struct cJSON *one = item->child; one; one = one->next) {
		const char *key = one->string + strspn(one->string, "_");
		int64_t v;

		for (size_t i = 0; i < ARRAY_LEN(counts); i++)
			if (strcmp(key, counts[i].key) == 0 && doc_int(one, 0, &v) && v >= 0)
				*counts[i].out = v;
	}
}

static void field_is_schedule(struct reader *r, const struct field *f, const struct cJSON *item)
{
	bool set;

	(void)f;
	if (doc_bool(item, &set))
		r->no_schedule = !set;
}

/* "vllm version": "0.9.1" of a flat document. */
static void framework_add(struct reader *r, struct str key, const struct cJSON *item)
{
	struct str s, tail = STR(" version");

	if (!str_ends(key, tail) || key.n == tail.n || !doc_text(item, &s))
		return;
	buf_str(&r->framework, r->framework.n ? ", " : "");
	buf_add(&r->framework, key.p, key.n - tail.n);
	buf_char(&r->framework, ' ');
	buf_add(&r->framework, s.p, s.n);
	r->known++;
}

static void section_read(struct reader *r, const struct cJSON *section, bool top)
{
	if (!cJSON_IsObject(section))
		return;
	for (const struct cJSON *item = section->child; item; item = item->next) {
		struct str key = str_of(item->string + strspn(item->string, "_"));
		bool known = false;

		for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
			if (!str_is_nocase(key, str_of(fields[i].key)))
				continue;
			fields[i].read(r, &fields[i], item);
			known = true;
		}
		if (!known && top)
			framework_add(r, key, item);
		r->known += known;
	}
}

enum err doc_load_profiler_info(struct str text, struct names *names, struct run_info *info, struct rank_hint *hint, struct diag *d)
{
	static const char *const sections[] = {
		"config", "config.common_config", "config.experimental_config", "profiler_parameters", "ms_profiler_info", "",
	};
	struct reader r = { .names = names, .info = info, .hint = hint };
	struct str top;
	struct doc doc;
	bool empty;
	enum err err = doc_top(text, &top, d);

	*hint = (struct rank_hint){ -1, false };
	if (!err)
		err = doc_open(&doc, top, d);
	if (err)
		return err;
	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		section_read(&r, doc_at(doc.root, sections[i]), !*sections[i]);
	if (r.framework.n)
		info->framework = names_add(names, (struct str){ r.framework.p, r.framework.n });
	if (r.known) {
		info->known = true;
		info->has_schedule = info->active > 0 && !r.no_schedule;
	}
	empty = !doc.root->child;
	buf_done(&r.framework);
	doc_close(&doc);
	return r.known || empty ? ERR_OK : doc_nothing_known("a setting of a profiler", d);
}
