/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiler databases into the same model as the text exports. Columns are read by name and absent tables are normal. The file is never
 * changed, nor is anything made beside it; a write-ahead log (-wal) that holds something is read too.
 */
#ifndef ASCOPE_CORE_LOAD_DB_DB_LOAD_H
#define ASCOPE_CORE_LOAD_DB_DB_LOAD_H

#include "core/base/diag.h"
#include "core/base/progress.h"
#include "core/load/args.h"
#include "core/model/build.h"
#include "core/model/capture.h"

/* What is in a database, by its tables. */
enum db_kind { DB_EMPTY, DB_PROFILER, DB_ANALYSIS, DB_CLUSTER, DB_RAW_MSPROF, DB_UNKNOWN };

/* Says what the file is. ERR_FORMAT when it is no SQLite database; a file of zero bytes or without tables is DB_EMPTY. */
enum err db_sniff(const char *path, enum db_kind *kind, struct diag *d);

/*
 * Where a database reader puts what it finds; all members are the caller's. tables[ART_X] are made (calloc) where data for them is there;
 * one that has rows already, from the text export of the same run, is left as it is, and so is a comm that has operators.
 */
struct db_target {
	struct names *names;
	struct builder *build;		/* events; NULL: do not read events */
	struct account *account;	/* rows of the event tables: by_phase 'X' durations, 'C' counters, dropped by reason */
	struct table **tables;		/* [ART_MAX] */
	struct comm *comm;
	struct run_info *info;
	int rank;			/* out: RANK_DEVICE_MAP, -1 none; has_rank says whether the table was there with a rank >= 0 */
	bool has_rank;
	uint64_t span_base;		/* span of an event = span_base + its running number; see db_event_args() */
};

/*
 * build, tables, comm and info may be NULL: then nothing of that kind is read. After an error what was handed over is incomplete: throw it
 * away. When all is well but a write-ahead log could not be read, d tells so with ERR_OK. Profiler databases go to the first function,
 * analysis.db and cluster_analysis.db to the second.
 */
enum err db_load_profiler(const char *path, struct db_target *t, struct progress *p, struct diag *d);
enum err db_load_analysis(const char *path, struct db_target *t, struct progress *p, struct diag *d);

/*
 * The remaining columns of one event (task ids, sizes, shapes, call stack, ...), read again from the database, under the keys of the text
 * export. span: the event's span less the span_base it was loaded with. On success the caller frees with args_done(); on an error out is
 * empty.
 */
enum err db_event_args(const char *path, uint64_t span, struct args *out, struct diag *d);

#endif
