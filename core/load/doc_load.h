/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON documents (not event traces) into the model, through cJSON. Each call takes the document's text, so it can be fuzzed without files.
 * ERR_FORMAT says with byte offset what is wrong; parts of the wrong shape are skipped and counted, never a crash.
 */
#ifndef ASCOPE_CORE_LOAD_DOC_LOAD_H
#define ASCOPE_CORE_LOAD_DOC_LOAD_H

#include "core/base/diag.h"
#include "core/base/str.h"
#include "core/model/capture.h"

/* Documents larger than this are refused (512 MiB), deeper than 256 levels too. */
#define DOC_BYTES_MAX ((size_t)512 << 20)

struct rank_hint {
	int rank;			/* -1 not given */
	bool has_rank;
};

/* profiler_info*.json of torch_npu (all versions), MindSpore, and the unofficial flat form ("Rank ID", "World Size", ...). */
enum err doc_load_profiler_info(struct str text, struct names *names, struct run_info *info, struct rank_hint *hint, struct diag *d);

/* profiler_metadata.json: parallel sizes into info, groups into comm. */
enum err doc_load_metadata(struct str text, struct names *names, struct run_info *info, struct comm *comm, struct diag *d);

/* communication.json (official and unofficial forms) and cluster_communication.json. */
enum err doc_load_communication(struct str text, struct names *names, struct comm *comm, struct diag *d);
enum err doc_load_cluster_communication(struct str text, struct names *names, struct comm *comm, struct diag *d);

/* communication_matrix.json and cluster_communication_matrix.json. */
enum err doc_load_matrix(struct str text, bool cluster, struct names *names, struct comm *comm, struct diag *d);

/* communication_group.json */
enum err doc_load_groups(struct str text, struct names *names, struct comm *comm, struct diag *d);

void run_info_init(struct run_info *info);	/* nothing known */

#endif
