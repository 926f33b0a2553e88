/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiler databases into the same model as the text exports. Columns are read by name and absent tables are normal. The file is never
 * changed: it is opened read-only, and as immutable when no -wal stands beside it.
 */
#ifndef ASCOPE_CORE_LOAD_DB_LOAD_H
#define ASCOPE_CORE_LOAD_DB_LOAD_H

#include "core/base/diag.h"
#include "core/base/progress.h"
#include "core/model/build.h"
#include "core/model/capture.h"

/* What is in a database, by its tables. */
enum db_kind { DB_EMPTY, DB_PROFILER, DB_ANALYSIS, DB_CLUSTER, DB_RAW_MSPROF, DB_UNKNOWN };

/* Says what the file is. ERR_FORMAT when it is no SQLite database; a zero-byte file is DB_EMPTY. */
enum err db_sniff(const char *path, enum db_kind *kind, struct diag *d);

/* Where a database reader puts what it finds; all members are the caller's. tables[ART_X] are made (calloc) where data for them is there. */
struct db_target {
	struct names *names;
	struct builder *build;		/* events; NULL: do not read events */
	struct account *account;	/* rows of the event tables: by_phase 'X' durations, 'C' counters, dropped by reason */
	struct table **tables;		/* [ART_MAX] */
	struct comm *comm;
	struct run_info *info;
	int rank;			/* out: RANK_DEVICE_MAP, -1 none; has_rank says whether the table was there with a rank >= 0 */
	bool has_rank;
	uint64_t span_base;		/* span of an event = span_base + its running number; see core/load/args.h */
};

enum err db_load_profiler(const char *path, struct db_target *t, struct progress *p, struct diag *d);
enum err db_load_analysis(const char *path, struct db_target *t, struct progress *p, struct diag *d);	/* analysis.db, cluster_analysis.db */

#endif
