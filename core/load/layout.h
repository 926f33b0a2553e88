/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From files to ranks: which files belong together, what each is, and which to read where the same data stands in several. Decided by names
 * and folders, and by the content of files with odd names; nothing is loaded here.
 *
 * A unit is one rank's capture: a *_ascend_pt or *_ascend_ms folder, a PROF_* folder outside of such, a folder that holds
 * ASCEND_PROFILER_OUTPUT or mindstudio_profiler_output, or any folder with loose artifacts. Cluster files form one unit of their own.
 */
#ifndef ASCOPE_CORE_LOAD_LAYOUT_H
#define ASCOPE_CORE_LOAD_LAYOUT_H

#include "core/load/tree/tree.h"
#include "core/model/table.h"

struct layout_file {
	size_t entry;			/* index into the tree */
	enum artifact kind;
	int place;			/* 0 ASCEND_PROFILER_OUTPUT, 1 mindstudio_profiler_output, 2 elsewhere: lower is preferred */
	int64_t stamp;			/* seconds, from 14 digits at the end of the name; 0 none */
	int slice;			/* of *_slice_N_*; -1 none */
	const char *skip;		/* NULL: to be read; else why not */
};

struct layout_unit {
	const char *folder;		/* relative, "" is the root */
	bool is_cluster;
	const char *writer;		/* "torch_npu", "MindSpore", "msprof", "unknown" */
	struct layout_file *files;
	size_t nfiles, cap_files;
	bool never_analysed;		/* raw data is there, nothing exported */
	int rank_in_name;		/* from the folder's name, -1 none */
};

struct layout_reject {
	const char *path, *reason;
	int64_t bytes;
};

struct layout {
	struct arena arena;
	struct layout_unit *units;	/* sorted by folder, the cluster last */
	size_t n, cap;
	struct layout_reject *rejects;
	size_t nrejects, cap_rejects;
	const char **notes;
	size_t nnotes, cap_notes;
};

void layout_make(struct layout *l, const struct tree *t);
void layout_done(struct layout *l);

/* A rank in a folder's or file's name ("rank0_...", "..._rank_3", "rank-12_ascend_pt"), -1 none. */
int rank_of_name(struct str name);

/* The rank at the end of "profiler_info_3.json" or "ascend_pytorch_profiler_3.db", -1 none. */
int rank_of_suffix(struct str name);

#endif
