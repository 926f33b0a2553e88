/* SPDX-License-Identifier: Apache-2.0 */
/* Process groups: profiler_metadata.json of one rank and communication_group.json of a cluster. */
#include "core/load/doc/doc_part.h"

#include "core/base/mem.h"

#include <cjson/cJSON.h>

/* ---- profiler_metadata.json ---- */

/* Spellings of the trainers (Megatron and its kin) and of the servers (vLLM). */
static const struct {
	const char *key;
	size_t at;
} size_fields[] = {
	{ "world_size", offsetof(struct run_info, world_size) },
	{ "tensor_model_parallel_size", offsetof(struct run_info, tp) },
	{ "tensor_parallel_size", offsetof(struct run_info, tp) },
	{ "pipeline_model_parallel_size", offsetof(struct run_info, pp) },
	{ "pipeline_parallel_size", offsetof(struct run_info, pp) },
	{ "data_parallel_size", offsetof(struct run_info, dp) },
	{ "expert_model_parallel_size", offsetof(struct run_info, ep) },
	{ "expert_parallel_size", offsetof(struct run_info, ep) },
	{ "context_parallel_size", offsetof(struct run_info, cp) },
};

static void sizes_read(struct str value, struct run_info *info, struct comm *comm)
{
	struct doc doc;

	if (doc_kind(value) != '{' || doc_open(&doc, value, NULL)) {
		comm->skipped++;
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(size_fields); i++) {
		const struct cJSON *item = doc_get(doc.root, size_fields[i].key);
		int64_t v;

		if (!item)
			continue;
		if (doc_int(item, 0, &v) && v >= 1)
			*(int64_t *)(void *)((char *)info + size_fields[i].at) = v;
		else
			comm->skipped++;
	}
	doc_close(&doc);
}

/* { "<group id>": { "group_name": "tp", "group_rank": 0, "global_ranks": [0, 1] } }: one member. */
static bool parallel_group_read(struct str id, struct str value, struct names *names, struct comm *comm)
{
	struct ranks ranks = { 0 };
	struct buf b = { 0 };
	struct doc_walk w;
	struct str key, item, type;
	uint32_t type_id = 0;
	bool has_ranks = false;

	if (!doc_walk_start(&w, value, '{'))
		return false;
	while (doc_walk_next(&w, &key, &item)) {
		if (str_is(key, STR("group_name")) && doc_raw_text(item, &b, &type)) {
			type_id = names_add(names, type);
		} else if (str_is(key, STR("global_ranks")) && !has_ranks) {
			has_ranks = ranks_read(comm, item, &ranks);
		}
	}
	doc_walk_done(&w);
	buf_done(&b);
	if (has_ranks)
		comm_group_add(comm, names_add(names, id), type_id, &ranks);
	return has_ranks;
}

static void parallel_groups_read(struct str value, struct names *names, struct comm *comm)
{
	struct doc_walk w;
	struct str id, item;

	if (!doc_walk_start(&w, value, '{'))
		comm->skipped++;
	while (doc_walk_next(&w, &id, &item))
		if (!parallel_group_read(id, item, names, comm))
			comm->skipped++;
	doc_walk_done(&w);
}

static void environment_read(struct str value, struct names *names, struct run_info *info)
{
	struct buf decoded = { 0 };
	struct str key, item, set;
	struct doc_walk w;

	doc_walk_start(&w, value, '{');
	while (doc_walk_next(&w, &key, &item))
		if (doc_raw_text(item, &decoded, &set) && info->nenv < ENV_MAX)
			info->env[info->nenv++] = (struct env_var){ names_add(names, key), names_add(names, set) };
	doc_walk_done(&w);
	buf_done(&decoded);
}

enum err doc_load_metadata(struct str text, struct names *names, struct run_info *info, struct comm *comm, struct diag *d)
{
	struct str top, key, value;
	struct doc_walk w;
	enum err err = doc_top(text, &top, d);

	if (err)
		return err;
	doc_walk_start(&w, top, '{');
	while (doc_walk_next(&w, &key, &value)) {
		if (str_is(key, STR("distributed_args")))
			sizes_read(value, info, comm);
		else if (str_is(key, STR("parallel_group_info")))
			parallel_groups_read(value, names, comm);
		else if (str_is(key, STR("ENV_VARIABLES")))
			environment_read(value, names, info);
	}
	doc_walk_done(&w);
	return ERR_OK;
}

/* ---- communication_group.json ---- */

/* [[0, 1], [2, 3]]: named by the rank set, as the other cluster documents name it. */
static void lists_read(struct str value, struct str type, struct names *names, struct comm *comm)
{
	struct doc_walk w;
	struct str key, item;

	if (!doc_walk_start(&w, value, '['))
		comm->skipped++;
	while (doc_walk_next(&w, &key, &item)) {
		struct ranks ranks;

		if (ranks_read(comm, item, &ranks))
			comm_group_add(comm, ranks_name(&ranks, names), names_add(names, type), &ranks);
		else
			comm->skipped++;
	}
	doc_walk_done(&w);
}

/* One of comm_group_parallel_info, texts by key. */
struct parallel_info {
	struct ranks ranks;
	bool has_ranks;
	uint32_t type, group_name, group_id, pg_name;
};

static void parallel_info_field(struct parallel_info *p, struct str key, struct str value, struct names *names, struct comm *comm)
{
	const struct {
		struct str key;
		uint32_t *out;
	} fields[] = {
		{ STR("type"), &p->type }, { STR("group_name"), &p->group_name }, { STR("group_id"), &p->group_id },
		{ STR("pg_name"), &p->pg_name },
	};
	struct buf b = { 0 };
	struct str s;

	if (str_is(key, STR("rank_set")) && !p->has_ranks)
		p->has_ranks = ranks_read(comm, value, &p->ranks);
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		if (!str_is(key, fields[i].key))
			continue;
		/* A hash may come as a bare number: its digits are the name. */
		if (doc_kind(value) == '0')
			*fields[i].out = names_add(names, value);
		else if (doc_raw_text(value, &b, &s))
			*fields[i].out = names_add(names, s);
		else
			comm->skipped++;
	}
	buf_done(&b);
}

static bool parallel_info_read(struct str value, struct group_map *map, struct names *names, struct comm *comm)
{
	struct parallel_info p = { 0 };
	struct doc_walk w;
	struct str key, item;
	uint32_t name, type;
	size_t *known;

	if (!doc_walk_start(&w, value, '{'))
		return false;
	while (doc_walk_next(&w, &key, &item))
		parallel_info_field(&p, key, item, names, comm);
	doc_walk_done(&w);
	name = p.group_name ? p.group_name : p.group_id;
	type = p.pg_name ? p.pg_name : p.type;
	if (!p.has_ranks || !name) {
		ranks_done(&p.ranks);
		return false;
	}
	known = group_map_at(map, name);
	if (*known) {
		/* Already there from cluster_communication.json, which knows no better type than "collective". */
		if (p.pg_name)
			comm->groups[*known - 1].type = type;
		ranks_done(&p.ranks);
		return true;
	}
	comm_group_add(comm, name, type, &p.ranks);
	*known = comm->ngroups;
	return true;
}

static void parallel_infos_read(struct str value, struct names *names, struct comm *comm)
{
	struct group_map map;
	struct doc_walk w;
	struct str key, item;

	group_map_init(&map, comm);
	if (!doc_walk_start(&w, value, '['))
		comm->skipped++;
	while (doc_walk_next(&w, &key, &item))
		if (!parallel_info_read(item, &map, names, comm))
			comm->skipped++;
	doc_walk_done(&w);
	group_map_done(&map);
}

enum err doc_load_groups(struct str text, struct names *names, struct comm *comm, struct diag *d)
{
	struct str top, key, value;
	size_t members = 0, known = 0;
	struct doc_walk w;
	enum err err = doc_top(text, &top, d);

	if (err)
		return err;
	doc_walk_start(&w, top, '{');
	for (; doc_walk_next(&w, &key, &value); members++) {
		bool infos = str_is(key, STR("comm_group_parallel_info"));
		bool lists = str_is(key, STR("collective")) || str_is(key, STR("p2p"));

		known += infos || lists;
		comm->skipped += !infos && !lists;
		if (infos)
			parallel_infos_read(value, names, comm);
		else if (lists)
			lists_read(value, key, names, comm);
	}
	doc_walk_done(&w);
	return members && !known ? doc_nothing_known("a list of process groups", d) : ERR_OK;
}
