/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole capture: ranks with their events, tables and communication, and what was said about every file. Made by capture_load() in
 * core/load/load.h, immutable afterwards, freed by capture_free(). Ranks stay apart: nothing here is merged over ranks.
 */
#ifndef ASCOPE_CORE_MODEL_CAPTURE_H
#define ASCOPE_CORE_MODEL_CAPTURE_H

#include "core/base/arena.h"
#include "core/base/diag.h"
#include "core/model/comm.h"
#include "core/model/events.h"
#include "core/model/table.h"

struct span_sources;
struct args;

enum tri { TRI_UNKNOWN, TRI_NO, TRI_YES };

/* An environment variable of the profiled process, as the profiler wrote it. An empty value: it was not set. */
struct env_var {
	uint32_t name, value;
};

enum { ENV_MAX = 32 };

/* How the capture was taken, from profiler_info*.json or META_DATA. Texts are name ids, 0 unknown. */
struct run_info {
	uint32_t torch_npu, cann, mindspore, device_type;
	uint32_t level, aic_metrics, export_type, parallel, framework;	/* framework: "vllm 0.9.1" and the like */
	enum tri stacks, shapes, memory, modules, flops, l2_cache, mstx, sys_io, gc;
	bool known;			/* a profiler_info or META_DATA was there */
	bool has_schedule;		/* a schedule with active > 0 */
	int64_t wait, active, warmup, repeat, skip_first;	/* -1 not given */
	struct env_var env[ENV_MAX];
	size_t nenv;
	int64_t world_size, tp, pp, dp, ep, cp;			/* -1 not given */
};

/* What was found about one file. Paths are relative to what the user named. */
struct file_finding {
	enum artifact kind;		/* ART_NONE when not recognised */
	const char *path, *reason;
	bool accepted;
	int rank;			/* index into ranks, -1 none */
	int64_t bytes, records;		/* records: events or rows, -1 not counted */
};

struct unit_finding {
	const char *artifact;		/* path */
	const char *unit;		/* "us", "ms", "ns", "s" */
	const char *evidence;
	bool assumed;			/* nothing to compare with: the writers' unit was taken */
};

enum health_state { HEALTH_OK, HEALTH_PARTIAL, HEALTH_MISSING, HEALTH_UNKNOWN };

struct health {
	const char *id;			/* stable key, from health.def */
	enum health_state state;
	const char *why, *recollect;	/* recollect "" when nothing is to be done */
};

struct rank;

/* Reads the args of one event again: see core/model/args.h. */
typedef enum err args_reader(const struct rank *r, size_t event, struct args *out, struct diag *d);

struct rank {
	int id;				/* -1: single card without rank information */
	const char *id_from;		/* where the id was read: "profiler_info", "database", "folder name", "none" */
	const char *folder;		/* relative to what the user named */
	const char *writer;		/* "torch_npu", "MindSpore", "msprof", "unknown" */
	struct run_info info;
	struct events events;
	struct account account;		/* of the event source */
	struct table *tables[ART_MAX];	/* NULL when absent */
	struct comm comm;
	/* Multiply a raw number of the step table by this to get ns; 0 when there is no step table. */
	double step_unit_ns;
	struct span_sources *sources;	/* where spans of events point: core/load/args.h */
	args_reader *read_args;		/* set by the loader; NULL: nothing to read from */
};

struct capture {
	struct arena arena;
	struct names names;
	const char *root;		/* as the user named it */
	struct rank *ranks;		/* sorted by id, folder */
	size_t nranks;
	struct rank cluster;		/* tables and comm of a cluster_analysis_output folder */
	bool has_cluster;
	struct file_finding *findings;
	size_t nfindings, cap_findings;
	struct unit_finding *units;
	size_t nunits, cap_units;
	struct health *health;
	size_t nhealth, cap_health;
	const char **notes;		/* sentences about the whole: two generations, ranks missing, ... */
	size_t nnotes, cap_notes;
	void *owned;			/* what core/load keeps open for spans; freed with the capture */
};

const struct table *rank_kernels(const struct rank *r);	/* kernel_details, else op_summary, else NULL */

#endif
