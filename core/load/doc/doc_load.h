/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON documents (not event traces) into the model, through cJSON. Each call takes the document's text, so it can be fuzzed without
 * files. ERR_FORMAT says with byte offset what is wrong; parts of the wrong shape are skipped and counted in comm->skipped, never a
 * crash. A document without members is fine and adds nothing; one that has members but none that its name promises is ERR_FORMAT.
 * Calls only add: several documents can go into one struct comm, and nothing was added when a text is no JSON. Not from two threads at
 * once (see core/base/doc.h).
 */
#ifndef ASCOPE_CORE_LOAD_DOC_DOC_LOAD_H
#define ASCOPE_CORE_LOAD_DOC_DOC_LOAD_H

#include "core/base/diag.h"
#include "core/base/str.h"
#include "core/model/capture.h"

/* Documents larger than this are refused (512 MiB), deeper than 256 levels too. */
#define DOC_BYTES_MAX ((size_t)512 << 20)

struct rank_hint {
	int rank;			/* -1 not given */
	bool has_rank;
};

/*
 * profiler_info*.json of torch_npu (all versions), MindSpore, and the unofficial flat form ("Rank ID", "World Size", ...). Fills what the
 * document gives into an info from run_info_init(); hint is always set. Level becomes "Level0".."Level2" or "none", AI Core metrics
 * "PipeUtilization", "Memory", ... or "none", the export type "text", "db" or "text,db"; an unknown spelling stays as it is.
 */
enum err doc_load_profiler_info(struct str text, struct names *names, struct run_info *info, struct rank_hint *hint, struct diag *d);

/* profiler_metadata.json: parallel sizes into info, groups into comm (name: the key, type: "tp", "dp", ...). Other keys are the user's. */
enum err doc_load_metadata(struct str text, struct names *names, struct run_info *info, struct comm *comm, struct diag *d);

/*
 * communication.json (torch_npu, MindSpore, msprof's own without steps, unofficial) and cluster_communication.json. "Total Op Info"
 * rows have total set. Transports stay as listed: SDMA is the sum of HCCS, PCIE and SIO. Each operator type of the unofficial form
 * gives one total row with its count and time, then the operators it lists, which may be fewer. In cluster documents a group gets the
 * ranks of its set; a row without a hash has the set's text as group.
 */
enum err doc_load_communication(struct str text, struct names *names, struct comm *comm, struct diag *d);
enum err doc_load_cluster_communication(struct str text, struct names *names, struct comm *comm, struct diag *d);

/*
 * communication_matrix.json and cluster_communication_matrix.json. The op of an edge keeps its suffix: "allreduce-top1", -middle,
 * -bottom1 to 3 are samples and -total their sum, so never add them up; the 2023 form has the operator itself, then op_name is the
 * same, and a sum named "Total Op Info". src = dst is a LOCAL copy.
 */
enum err doc_load_matrix(struct str text, bool cluster, struct names *names, struct comm *comm, struct diag *d);

/*
 * communication_group.json: one group for each list, named by its rank set as cluster_communication.json writes it: "(0, 1)", and one
 * for each entry of comm_group_parallel_info, named by its hash, with the parallel dimension as type where that is known.
 */
enum err doc_load_groups(struct str text, struct names *names, struct comm *comm, struct diag *d);

void run_info_init(struct run_info *info);	/* nothing known */

#endif
