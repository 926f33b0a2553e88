/* SPDX-License-Identifier: Apache-2.0 */
/* Communication as the exporter measured it: per collective, per transport and per pair of ranks. Times in ns, sizes in bytes. */
#ifndef ASCOPE_CORE_MODEL_COMM_H
#define ASCOPE_CORE_MODEL_COMM_H

#include "core/base/base.h"

struct comm_packet {
	double size_mb;			/* packet size, MB (10^6 bytes), as in the file */
	int64_t count, total_ns;
};

struct comm_transport {
	uint32_t kind;			/* "RDMA", "HCCS", "PCIE", "SDMA", "SIO" */
	double size_mb, bandwidth_gbs, large_packet_ratio;	/* NaN when not given */
	int64_t transit_ns;
	size_t first_packet, npackets;
};

struct comm_op {
	uint32_t name, group, step;	/* step: "step13", "step" when there was no schedule, "" unknown */
	int rank;			/* -1: the capture's own rank; else from a cluster file */
	bool p2p, total;		/* total: the exporter's "Total Op Info" row, never summed with the others */
	int64_t start_ns;		/* NO_TIME when not given */
	int64_t elapse_ns, transit_ns, wait_ns, sync_ns, idle_ns;	/* NO_TIME when not given */
	int64_t size_bytes, count;	/* unofficial form only; -1 when not given */
	size_t first_transport, ntransports;
};

struct comm_edge {
	uint32_t op, group, step, transport, op_name;
	int src, dst;			/* ranks; -1 unknown */
	bool p2p;
	double size_mb, bandwidth_gbs;
	int64_t transit_ns;
};

struct comm_group {
	uint32_t name, type;		/* type: "collective", "p2p" or a group name such as "tp" */
	int *ranks;
	size_t nranks;
};

struct comm {
	struct comm_op *ops;
	size_t nops, cap_ops;
	struct comm_transport *transports;
	size_t ntransports, cap_transports;
	struct comm_packet *packets;
	size_t npackets, cap_packets;
	struct comm_edge *edges;
	size_t nedges, cap_edges;
	struct comm_group *groups;
	size_t ngroups, cap_groups;
	bool unofficial;		/* filled from a form that no official writer makes */
	size_t skipped;			/* entries of the wrong shape, not read */
};

size_t comm_count(const struct comm *c);	/* collectives, without the exporter's totals */
void comm_done(struct comm *c);

#endif
