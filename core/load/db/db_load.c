/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/db/db_read.h"

#include <stdlib.h>

/* Tables that tell a kind apart; the first kind with one of its tables there wins. */
static const struct {
	enum db_kind kind;
	const char *tables[12];
} tells[] = {
	{ DB_CLUSTER, { "ClusterStepTraceTime", "ClusterCommAnalyzerTime", "ClusterCommAnalyzerBandwidth", "ClusterCommAnalyzerMatrix",
		"ClusterCommunicationTime", "ClusterCommunicationBandwidth", "ClusterCommunicationMatrix", "CommunicationGroup",
		"CommunicationGroupMapping" } },
	{ DB_ANALYSIS, { "StepTraceTime", "CommAnalyzerTime", "CommAnalyzerBandwidth", "CommAnalyzerMatrix" } },
	{ DB_PROFILER, { "TASK", "CANN_API", "API", "PYTORCH_API", "COMMUNICATION_OP", "COMPUTE_TASK_INFO", "MSTX_EVENTS", "STRING_IDS",
		"SESSION_TIME_INFO", "NPU_INFO", "HOST_INFO", "MEMORY_RECORD" } },
	{ DB_RAW_MSPROF, { "AscendTask", "ge_summary", "ai_core_metrics", "ge_task_merge", "ApiData", "TaskInfo", "GeHashInfo", "TaskTrack",
		"HostTask", "AcsqTask", "LowPower", "EventData" } },
};

enum err db_sniff(const char *path, enum db_kind *kind, struct diag *d)
{
	struct db db;
	enum err err = db_open(&db, path, NULL, d);

	*kind = DB_UNKNOWN;
	if (err)
		return err;
	if (db.tables.n <= 1)
		*kind = DB_EMPTY;
	for (size_t i = 0; i < ARRAY_LEN(tells) && *kind == DB_UNKNOWN; i++)
		for (size_t k = 0; k < ARRAY_LEN(tells[i].tables) && tells[i].tables[k]; k++)
			if (db_has(&db, tells[i].tables[k]))
				*kind = tells[i].kind;
	db_close(&db);
	return ERR_OK;
}

/*
 * Each part leaves what later ones need: steps and calls for tasks, calls for the framework's ids, marks and the tasks of collectives for
 * tasks, tasks for collectives, all of it for links and kernels.
 */
static void read_all(struct db_reader *r)
{
	static void (*const parts[])(struct db_reader *) = {
		texts_read, basics_read, steps_read, cann_read, python_read, marks_read, computes_read, plane_tasks_find, tasks_read,
		collectives_read, host_rest_read, counters_read, links_make, steps_settle, kernels_make, memory_read, info_read,
	};

	for (size_t i = 0; i < ARRAY_LEN(parts) && !r->db.err; i++)
		parts[i](r);
}

static void reader_done(struct db_reader *r)
{
	ids_done(&r->strings);
	index_map_done(&r->groups);
	ids_done(&r->compute_of);
	ids_done(&r->runs_of);
	ids_done(&r->step_of);
	ids_done(&r->mark_of);
	free(r->computes.items);
	free(r->kernels.items);
	free(r->collectives.items);
	free(r->runs.items);
	free(r->run_lists.items);
	free(r->steps.items);
	free(r->metrics.items);
	free(r->calls.items);
	free(r->ids.items);
	free(r->ops.items);
	free(r->enqueues.items);
	free(r->dequeues.items);
	free(r->device_ends.items);
	free(r->marks.items);
}

enum err db_load_profiler(const char *path, struct db_target *t, struct progress *p, struct diag *d)
{
	struct db_reader r = { .t = t };
	enum err err;

	t->rank = -1;
	t->has_rank = false;
	progress_stage(p, "database");
	err = db_open(&r.db, path, p, d);
	if (err)
		return err;
	r.wants_kernels = t->tables && !(t->tables[ART_KERNEL_DETAILS] && t->tables[ART_KERNEL_DETAILS]->nrows) &&
		!(t->tables[ART_OP_SUMMARY] && t->tables[ART_OP_SUMMARY]->nrows);
	read_all(&r);
	err = db_failed(&r.db, d);
	reader_done(&r);
	db_close(&r.db);
	return err;
}
