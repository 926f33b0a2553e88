/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a sample capture is made from: constant tables of kernels, host
 * operators, collectives and copies, and the order a step issues them in. The
 * tables carry no behaviour; build.c plays them into an event list, and the
 * text and the database writers both read only that list.
 */
#ifndef ASCOPE_SAMPLES_SCENARIO_H
#define ASCOPE_SAMPLES_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pipe use in 1/1000 of the kernel's own time. */
struct pipes {
	int mac, scalar, mte1, mte2, fixpipe;	/* cube half */
	int vec, vscalar, vmte2, vmte3;		/* vector half */
	int cube_util;				/* 1/1000 */
};

struct kernel_desc {
	const char *name;	/* kernel_details "Name" */
	const char *type;	/* "Type", "OP Type" */
	const char *core;	/* "Accelerator Core" */
	const char *op;		/* framework operator that issues it */
	const char *inner;	/* operator nested in it, or NULL */
	const char *acl;	/* CANN API that launches it */
	int64_t ns;		/* mean device time */
	int64_t host_ns;	/* mean time of the framework operator */
	int jitter;		/* 1/1000 of both */
	int blocks;
	const char *in_shapes, *in_types, *in_formats;
	const char *out_shapes, *out_types, *out_formats;
	struct pipes pipes;
};

struct host_desc {
	const char *name;
	int64_t ns;
	int jitter;
	const char *dims, *types;	/* Input Dims, Input type; NULL: not recorded */
};

struct comm_desc {
	const char *api;	/* "hcom_allReduce_" */
	const char *matrix;	/* "allreduce" */
	const char *op;		/* framework operator */
	int64_t ns;		/* mean duration; with more ranks: the transfer alone */
	int64_t host_ns;
	int jitter;
	int64_t bytes, count;
	const char *data_type;
	int plane_tasks;	/* per collective; 0: group level only */
};

struct copy_desc {
	bool to_host;
	const char *op;
	int64_t ns, host_ns;
	int jitter;
	int64_t bytes;
};

enum item_kind { IT_KERNEL, IT_COMM, IT_COPY, IT_HOST, IT_WAIT, IT_SYNC };

enum item_flag {
	IF_OVERLAP = 1,		/* the collective runs beside what follows */
	IF_FIRST = 2,		/* only in the first step of its phase */
};

struct item {
	enum item_kind kind;
	unsigned flags;
	int repeat;
	const struct kernel_desc *kernel;
	const struct comm_desc *comm;
	const struct copy_desc *copy;
	const struct host_desc *host;
};

#define K(k) { .kind = IT_KERNEL, .repeat = 1, .kernel = &(k) }
#define C(c) { .kind = IT_COMM, .repeat = 1, .comm = &(c) }
#define C_BESIDE(c) { .kind = IT_COMM, .flags = IF_OVERLAP, .repeat = 1, .comm = &(c) }
#define COPY(c) { .kind = IT_COPY, .repeat = 1, .copy = &(c) }
#define H(h, n) { .kind = IT_HOST, .repeat = (n), .host = &(h) }
#define H_FIRST(h, n) { .kind = IT_HOST, .flags = IF_FIRST, .repeat = (n), .host = &(h) }
#define WAIT() { .kind = IT_WAIT, .repeat = 1 }
#define SYNC(h) { .kind = IT_SYNC, .repeat = 1, .host = &(h) }

struct items {
	const struct item *item;
	size_t n;
};

#define ITEMS(a) { (a), sizeof(a) / sizeof((a)[0]) }

struct phase {
	const char *name;
	int steps, layers;
	bool graph;		/* the layers are replayed by one launch per step */
	struct items pre, layer, post;
};

/* Durations of one table entry that must add up to an exact sum. */
struct quota {
	const void *desc;	/* kernel_desc, comm_desc or host_desc */
	bool host;		/* the framework operator's time, not the device's */
	int64_t total_ns;
	size_t count;
};

struct host_cost {
	int64_t enqueue, dequeue, launch;	/* ns per launched task */
	int64_t between_ops, between_steps;
};

enum scenario_flag {
	SF_BARE = 1,		/* no overlap lanes, planes, waits or outer API events */
	SF_NEST = 2,		/* framework operators show the operator inside */
	SF_FRAMES = 4,		/* python_function events (with_stack) */
};

struct scenario {
	const char *name, *what;
	uint64_t seed;
	int64_t start_ns;	/* epoch */
	unsigned flags;
	int ranks, world;
	int slow_rank, slow_permille;	/* that rank's kernels take this much longer */
	int first_step;
	struct host_cost cost;
	const struct phase *phase;
	size_t nphase;
	const struct quota *quota;
	size_t nquota;
};

extern const struct scenario scenario_prefill, scenario_decode, scenario_host, scenario_host_optimized,
	scenario_copy, scenario_mixed, scenario_ranks, scenario_tiny;

#endif
