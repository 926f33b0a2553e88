/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs that broke or could break a reader, made under OUTDIR/hostile together
 * with EXPECT.tsv (path, outcome, remark). hostile.def is the list; the writers
 * live in hostile_trace.c, hostile_table.c and hostile_other.c.
 */
#ifndef ASCOPE_SAMPLES_HOSTILE_H
#define ASCOPE_SAMPLES_HOSTILE_H

#include "samples/emit.h"

enum { HOSTILE_PATH = 4096 };

struct hostile_case {
	const char *path, *outcome, *remark;
	void (*text)(struct out *o);			/* one file, or */
	int (*place)(const char *path, const char *seed);	/* anything else; seed: the tiny capture's folder */
};

struct hostile_list {
	const struct hostile_case *at;
	size_t n;
};

struct hostile_list hostile_traces(void);
struct hostile_list hostile_tables(void);
struct hostile_list hostile_others(void);

/* Everything under root/hostile. 0, or -1 with errno. */
int hostile_write(const char *root);

/* dir/name holds text; its folders are made. 0 or -1. */
int hostile_file(const char *dir, const char *name, const char *text);

#endif
