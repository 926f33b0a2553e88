/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every JSON document of the real captures against figures that a separate program (Python, exact decimals, each time rounded half up
 * to ns) took from the same files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/base/file.h"
#include "core/load/doc/doc_load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *captures_root(void)
{
	const char *env = getenv("ASCOPE_CAPTURES");

	if (env && access(env, R_OK) == 0)
		return env;
	return access("../shared/captures", R_OK) == 0 ? "../shared/captures" : NULL;
}

/* The text of a file below the captures; skips the test when there are none. The caller frees. */
static struct str capture_text(const char *path)
{
	const char *root = captures_root();
	char full[4096];
	struct file f;
	struct diag d;
	char *text = NULL;
	size_t n = 0;

	if (!root) {
		print_message("no captures here (ASCOPE_CAPTURES): skipped\n");
		skip();
	}
	snprintf(full, sizeof full, "%s/%s", root, path);
	if (file_open(&f, full, &d) || file_read_all(&f, DOC_BYTES_MAX, &text, &n, &d))
		fail_msg("%s: %s", full, d.text);
	file_close(&f);
	return (struct str){ text, n };
}

static void capture_done(struct str text)
{
	free((char *)(uintptr_t)text.p);
}

#define L1  "real/pytorch-910b-level1/"
#define DB  "real/pytorch-910b-level1-db/"
#define PP  "real/pytorch-cann83-pp2dp2-4ranks/"
#define OUT "ASCEND_PROFILER_OUTPUT/"

/* ---- communication ---- */

static const struct {
	const char *path;
	size_t ops, p2p, totals, groups, transports, packets;
	int64_t packet_count;
	int64_t sums[5];		/* elapse, transit, wait, synchronization, idle */
	int64_t total_elapse, first_start, packet_ns;
} communications[] = {
	{ "real/cluster-16ranks/cluster_communication.json", 6, 2, 2, 2, 32, 9, 20,
		{ 16800315, 1732715, 9397156, 9397156, 5670444 }, 1793067, 1695115378711707000, 3482027 },
	{ L1 "rank0_ascend_pt/" OUT "communication.json", 4, 0, 1, 1, 25, 16, 112,
		{ 105991878, 3683354, 5940619, 5615712, 96367906 }, 105991878, 1736408883732241500, 54631414 },
	{ L1 "rank1_ascend_pt/" OUT "communication.json", 4, 0, 1, 1, 25, 16, 112,
		{ 100375286, 3859677, 191384, 20900, 96324225 }, 100375285, 1736408883737849200, 55167940 },
	{ PP "rank_0_ascend_pt/" OUT "communication.json", 15, 3, 2, 5, 85, 21, 44,
		{ 420174260, 0, 164143540, 164143540, 256030720 }, 420174260, 1764246877147674500, 185946840 },
	{ PP "rank_1_ascend_pt/" OUT "communication.json", 15, 3, 2, 5, 85, 25, 56,
		{ 441708380, 6580, 170786740, 169598780, 270915060 }, 441708380, 1764246877150725000, 185868840 },
	{ PP "rank_2_ascend_pt/" OUT "communication.json", 23, 3, 2, 7, 125, 28, 68,
		{ 277649660, 12560, 12347880, 10811440, 265289220 }, 277649660, 1764246877076689800, 186047400 },
	{ PP "rank_3_ascend_pt/" OUT "communication.json", 23, 3, 2, 7, 125, 31, 76,
		{ 261498440, 16660, 835500, 807380, 260646280 }, 261498440, 1764246877077439000, 185963800 },
};

static size_t distinct_groups(const struct comm *c, const struct names *names)
{
	size_t n = 0;
	char *seen = calloc(names->n, 1);

	for (size_t i = 0; i < c->nops; i++) {
		if (!c->ops[i].total && !seen[c->ops[i].group])
			n++;
		seen[c->ops[i].group] |= !c->ops[i].total;
	}
	free(seen);
	return n;
}

static void check_communication(size_t row, const struct comm *c, const struct names *names)
{
	size_t totals = 0, p2p = 0;
	int64_t sums[5] = { 0 }, total_elapse = 0, first = INT64_MAX, count = 0, packet_ns = 0;

	for (size_t i = 0; i < c->nops; i++) {
		const struct comm_op *op = &c->ops[i];

		if (op->total) {
			totals++;
			total_elapse += op->elapse_ns;
			assert_true(op->start_ns == NO_TIME);
			continue;
		}
		p2p += op->p2p;
		first = MIN(first, op->start_ns);
		sums[0] += op->elapse_ns, sums[1] += op->transit_ns, sums[2] += op->wait_ns, sums[3] += op->sync_ns, sums[4] += op->idle_ns;
	}
	for (size_t i = 0; i < c->npackets; i++) {
		count += c->packets[i].count;
		packet_ns += c->packets[i].total_ns;
	}
	assert_int_equal(c->skipped, 0);
	assert_false(c->unofficial);
	assert_int_equal(c->nops, communications[row].ops + communications[row].totals);
	assert_int_equal(totals, communications[row].totals);
	assert_int_equal(p2p, communications[row].p2p);
	assert_int_equal(distinct_groups(c, names), communications[row].groups);
	assert_int_equal(c->ntransports, communications[row].transports);
	assert_int_equal(c->npackets, communications[row].packets);
	assert_int_equal(count, communications[row].packet_count);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(sums[i], communications[row].sums[i]);
	assert_int_equal(total_elapse, communications[row].total_elapse);
	assert_int_equal(first, communications[row].first_start);
	assert_int_equal(packet_ns, communications[row].packet_ns);
}

static void test_communication(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(communications); i++) {
		bool cluster = strstr(communications[i].path, "cluster_communication") != NULL;
		struct str text = capture_text(communications[i].path);
		struct names names;
		struct comm comm = { 0 };
		struct diag d = { 0 };

		names_init(&names);
		assert_int_equal((cluster ? doc_load_cluster_communication : doc_load_communication)(text, &names, &comm, &d), ERR_OK);
		check_communication(i, &comm, &names);
		comm_done(&comm);
		names_done(&names);
		capture_done(text);
	}
}

/* One collective of the capture, member by member as the file has it. */
static void test_one_collective(void **state)
{
	struct str text = capture_text(L1 "rank0_ascend_pt/" OUT "communication.json");
	struct names names;
	struct comm comm = { 0 };
	const struct comm_op *op;
	const struct comm_transport *t;

	(void)state;
	names_init(&names);
	assert_int_equal(doc_load_communication(text, &names, &comm, NULL), ERR_OK);
	op = &comm.ops[0];
	assert_string_equal(names_text(&names, op->name), "hcom_allReduce__586_0_1");
	assert_string_equal(names_text(&names, op->group), "17522688603477080586");
	assert_string_equal(names_text(&names, op->step), "step50");
	assert_int_equal(op->rank, -1);
	assert_int_equal(op->start_ns, 1736408883732241500);
	assert_int_equal(op->elapse_ns, 79089520);
	assert_int_equal(op->ntransports, 5);
	t = &comm.transports[op->first_transport + 1];
	assert_string_equal(names_text(&names, t->kind), "HCCS");
	assert_true(fabs(t->size_mb - 28.647232) < 1e-9 && fabs(t->bandwidth_gbs - 15.7676) < 1e-9);
	assert_int_equal(t->transit_ns, 1816836);
	assert_int_equal(t->npackets, 2);
	assert_int_equal(comm.packets[t->first_packet].count, 12);
	assert_int_equal(comm.packets[t->first_packet].total_ns, 1578892);
	assert_true(fabs(comm.packets[t->first_packet + 1].size_mb - 1.937312) < 1e-9);
	comm_done(&comm);
	names_done(&names);
	capture_done(text);
}

/* ---- matrix ---- */

static const struct {
	const char *path;
	bool cluster;
	size_t edges, local, p2p, no_op_name, groups;
	int64_t links;			/* sum of 100 * src + dst */
	int64_t transit_ns;
	double size_mb;
} matrices[] = {
	{ "real/cluster-16ranks/cluster_communication_matrix.json", true, 10, 6, 6, 10, 2, 1840, 1847621, 125.975792 },
	{ L1 "rank0_ascend_pt/" OUT "communication_matrix.json", false, 48, 6, 0, 8, 1, 168, 56215764, 1032.662215999999975 },
	{ L1 "rank1_ascend_pt/" OUT "communication_matrix.json", false, 48, 6, 0, 8, 1, 4968, 56730629, 1032.662215999999975 },
	{ PP "rank_0_ascend_pt/" OUT "communication_matrix.json", false, 67, 36, 11, 14, 5, 43, 394430840, 15268.27117600000021899992 },
	{ PP "rank_1_ascend_pt/" OUT "communication_matrix.json", false, 73, 36, 11, 15, 5, 4849, 394337860, 15268.27117600000021899992 },
	{ PP "rank_2_ascend_pt/" OUT "communication_matrix.json", false, 90, 47, 11, 18, 7, 8762, 395146220, 15259.910448000000177999896 },
	{ PP "rank_3_ascend_pt/" OUT "communication_matrix.json", false, 95, 47, 11, 19, 7, 14573, 394940740, 15259.910448000000177999914 },
};

static void check_matrix(size_t row, const struct comm *c, const struct names *names)
{
	size_t local = 0, p2p = 0, no_op_name = 0, groups = 0;
	int64_t links = 0, transit = 0;
	double size = 0;
	char *seen = calloc(names->n, 1);

	for (size_t i = 0; i < c->nedges; i++) {
		const struct comm_edge *e = &c->edges[i];
		const char *group = names_text(names, e->group);

		local += strcmp(names_text(names, e->transport), "LOCAL") == 0;
		p2p += e->p2p;
		no_op_name += !e->op_name || e->op_name == e->op;
		groups += !seen[e->group] && group[0] && group[0] != '(';
		seen[e->group] = 1;
		links += e->src * 100 + e->dst;
		transit += e->transit_ns;
		size += e->size_mb;
	}
	free(seen);
	assert_int_equal(c->skipped, 0);
	assert_int_equal(c->nedges, matrices[row].edges);
	assert_int_equal(local, matrices[row].local);
	assert_int_equal(p2p, matrices[row].p2p);
	assert_int_equal(no_op_name, matrices[row].no_op_name);
	assert_int_equal(groups, matrices[row].groups);
	assert_int_equal(links, matrices[row].links);
	assert_int_equal(transit, matrices[row].transit_ns);
	assert_true(fabs(size - matrices[row].size_mb) < 1e-6);
}

static void test_matrix(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(matrices); i++) {
		struct str text = capture_text(matrices[i].path);
		struct names names;
		struct comm comm = { 0 };

		names_init(&names);
		assert_int_equal(doc_load_matrix(text, matrices[i].cluster, &names, &comm, NULL), ERR_OK);
		check_matrix(i, &comm, &names);
		comm_done(&comm);
		names_done(&names);
		capture_done(text);
	}
}

/* ---- groups ---- */

static const struct {
	const char *path;
	size_t groups, ranks;
	int64_t rank_sum;
} metadatas[] = {
	{ L1 "rank0_ascend_pt/profiler_metadata.json", 0, 0, 0 },
	{ L1 "rank1_ascend_pt/profiler_metadata.json", 0, 0, 0 },
	{ PP "rank_0_ascend_pt/profiler_metadata.json", 6, 13, 13 },
	{ PP "rank_1_ascend_pt/profiler_metadata.json", 6, 13, 20 },
	{ PP "rank_2_ascend_pt/profiler_metadata.json", 7, 15, 24 },
	{ PP "rank_3_ascend_pt/profiler_metadata.json", 7, 15, 31 },
};

static void test_metadata(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(metadatas); i++) {
		struct str text = capture_text(metadatas[i].path);
		struct run_info info;
		struct names names;
		struct comm comm = { 0 };
		size_t ranks = 0;
		int64_t sum = 0;

		names_init(&names);
		run_info_init(&info);
		assert_int_equal(doc_load_metadata(text, &names, &info, &comm, NULL), ERR_OK);
		for (size_t g = 0; g < comm.ngroups; g++) {
			ranks += comm.groups[g].nranks;
			for (size_t k = 0; k < comm.groups[g].nranks; k++)
				sum += comm.groups[g].ranks[k];
		}
		assert_int_equal(comm.skipped, 0);
		assert_int_equal(comm.ngroups, metadatas[i].groups);
		assert_int_equal(ranks, metadatas[i].ranks);
		assert_int_equal(sum, metadatas[i].rank_sum);
		assert_int_equal(info.world_size, comm.ngroups ? 4 : -1);
		assert_int_equal(info.pp, comm.ngroups ? 2 : -1);
		assert_int_equal(info.dp, comm.ngroups ? 2 : -1);
		assert_int_equal(info.tp, comm.ngroups ? 1 : -1);
		if (comm.ngroups) {
			assert_string_equal(names_text(&names, comm.groups[0].name), "group_name_0");
			assert_string_equal(names_text(&names, comm.groups[0].type), "default_group");
		}
		comm_done(&comm);
		names_done(&names);
		capture_done(text);
	}
}

/* Python: 27 collective and 2 p2p lists, 64 ranks in the collective ones, their sum 480. */
static void test_groups(void **state)
{
	struct str text = capture_text("real/cluster-16ranks/communication_group.json");
	struct str more = capture_text("real/cluster-16ranks/cluster_communication.json");
	struct names names;
	struct comm comm = { 0 };
	size_t p2p = 0, ranks = 0;
	int64_t sum = 0;

	(void)state;
	names_init(&names);
	assert_int_equal(doc_load_groups(text, &names, &comm, NULL), ERR_OK);
	assert_int_equal(comm.ngroups, 29);
	for (size_t g = 0; g < comm.ngroups; g++) {
		bool is_p2p = strcmp(names_text(&names, comm.groups[g].type), "p2p") == 0;

		p2p += is_p2p;
		ranks += is_p2p ? 0 : comm.groups[g].nranks;
		for (size_t k = 0; !is_p2p && k < comm.groups[g].nranks; k++)
			sum += comm.groups[g].ranks[k];
	}
	assert_int_equal(p2p, 2);
	assert_int_equal(ranks, 64);
	assert_int_equal(sum, 480);
	assert_string_equal(names_text(&names, comm.groups[0].name), "(0, 1, 2, 3, 4, 5, 6, 7)");
	assert_string_equal(names_text(&names, comm.groups[2].name), "(0,)");
	/* The cluster's operators then add the one group that has a hash. */
	assert_int_equal(doc_load_cluster_communication(more, &names, &comm, NULL), ERR_OK);
	assert_int_equal(comm.ngroups, 30);
	assert_string_equal(names_text(&names, comm.groups[29].name), "9350434047717501483");
	assert_int_equal(comm.groups[29].nranks, 8);
	comm_done(&comm);
	names_done(&names);
	capture_done(text);
	capture_done(more);
}

/* ---- how the captures were taken ---- */

static const struct {
	const char *path, *torch_npu, *cann, *level, *export_type;
	int rank;
	enum tri stacks, l2_cache, mstx, sys_io;
	int64_t warmup, skip_first;
} infos[] = {
	{ L1 "rank0_ascend_pt/profiler_info_0.json", "", "", "Level1", "text", 0, TRI_YES, TRI_YES, TRI_NO, TRI_UNKNOWN,
		10, 40 },
	{ L1 "rank1_ascend_pt/profiler_info_1.json", "", "", "Level1", "text", 1, TRI_YES, TRI_YES, TRI_NO, TRI_UNKNOWN,
		10, 40 },
	{ DB "rank0_ascend_pt/profiler_info_0.json", "", "", "Level1", "db", 0, TRI_YES, TRI_YES, TRI_NO, TRI_UNKNOWN,
		10, 40 },
	{ DB "rank1_ascend_pt/profiler_info_1.json", "", "", "Level1", "db", 1, TRI_YES, TRI_YES, TRI_NO, TRI_UNKNOWN,
		10, 40 },
	{ PP "rank_0_ascend_pt/profiler_info_0.json", "2.7.1", "8.3.RC1", "Level2", "text", 0, TRI_NO, TRI_NO,
		TRI_NO, TRI_NO, 1, 12 },
	{ PP "rank_1_ascend_pt/profiler_info_1.json", "2.7.1", "8.3.RC1", "Level2", "text", 1, TRI_NO, TRI_NO,
		TRI_NO, TRI_NO, 1, 12 },
	{ PP "rank_2_ascend_pt/profiler_info_2.json", "2.7.1", "8.3.RC1", "Level2", "text", 2, TRI_NO, TRI_NO,
		TRI_NO, TRI_NO, 1, 12 },
	{ PP "rank_3_ascend_pt/profiler_info_3.json", "2.7.1", "8.3.RC1", "Level2", "text", 3, TRI_NO, TRI_NO,
		TRI_NO, TRI_NO, 1, 12 },
};

static void test_profiler_info(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(infos); i++) {
		struct str text = capture_text(infos[i].path);
		struct run_info info;
		struct rank_hint hint;
		struct names names;

		names_init(&names);
		run_info_init(&info);
		assert_int_equal(doc_load_profiler_info(text, &names, &info, &hint, NULL), ERR_OK);
		assert_true(info.known && hint.has_rank && info.has_schedule);
		assert_int_equal(hint.rank, infos[i].rank);
		assert_string_equal(names_text(&names, info.torch_npu), infos[i].torch_npu);
		assert_string_equal(names_text(&names, info.cann), infos[i].cann);
		assert_string_equal(names_text(&names, info.level), infos[i].level);
		assert_string_equal(names_text(&names, info.export_type), infos[i].export_type);
		assert_string_equal(names_text(&names, info.aic_metrics), "PipeUtilization");
		assert_int_equal(info.stacks, infos[i].stacks);
		assert_int_equal(info.l2_cache, infos[i].l2_cache);
		assert_int_equal(info.mstx, infos[i].mstx);
		assert_int_equal(info.sys_io, infos[i].sys_io);
		assert_int_equal(info.gc, TRI_NO);
		assert_int_equal(info.shapes, TRI_YES);
		assert_int_equal(info.memory, TRI_YES);
		assert_int_equal(info.flops, TRI_NO);
		assert_int_equal(info.wait, 0);
		assert_int_equal(info.active, 1);
		assert_int_equal(info.warmup, infos[i].warmup);
		assert_int_equal(info.repeat, 1);
		assert_int_equal(info.skip_first, infos[i].skip_first);
		assert_int_equal(info.world_size, -1);
		names_done(&names);
		capture_done(text);
	}
}

/* ---- the unofficial form ---- */

static const struct {
	const char *path;
	size_t types;
	int64_t count, total_ns;
	size_t listed;
	int64_t listed_ns, listed_bytes;
} listed[] = {
	{ "reference/decode-comm-bound/communication.json", 1, 768, 36986460, 200, 9667876, 19660800 },
	{ "reference/host-schedule-bound/communication.json", 1, 640, 21826575, 200, 6819078, 19660800 },
	{ "reference/host-schedule-bound-optimized/communication.json", 1, 640, 21703657, 200, 6773534, 19660800 },
	{ "reference/prefill-compute-bound/communication.json", 1, 192, 34353615, 192, 34353619, 6442450944 },
};

static void test_unofficial(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(listed); i++) {
		struct str text = capture_text(listed[i].path);
		struct names names;
		struct comm comm = { 0 };
		size_t types = 0, n = 0;
		int64_t count = 0, total = 0, ns = 0, bytes = 0;

		names_init(&names);
		assert_int_equal(doc_load_communication(text, &names, &comm, NULL), ERR_OK);
		for (size_t k = 0; k < comm.nops; k++) {
			const struct comm_op *op = &comm.ops[k];

			assert_string_equal(names_text(&names, op->name), "AllReduce");
			if (op->total) {
				types++;
				count += op->count;
				total += op->elapse_ns;
				continue;
			}
			n++;
			ns += op->elapse_ns;
			bytes += op->size_bytes;
			assert_string_equal(names_text(&names, op->group), "tp-8");
			assert_true(op->start_ns == NO_TIME && op->transit_ns == NO_TIME && op->count == -1);
		}
		assert_true(comm.unofficial);
		assert_int_equal(comm.skipped, 0);
		assert_int_equal(types, listed[i].types);
		assert_int_equal(count, listed[i].count);
		assert_int_equal(total, listed[i].total_ns);
		assert_int_equal(n, listed[i].listed);
		assert_int_equal(ns, listed[i].listed_ns);
		assert_int_equal(bytes, listed[i].listed_bytes);
		comm_done(&comm);
		names_done(&names);
		capture_done(text);
	}
}

static void test_unofficial_info(void **state)
{
	struct str text = capture_text("reference/decode-comm-bound/profiler_info_0.json");
	struct run_info info;
	struct rank_hint hint;
	struct names names;

	(void)state;
	names_init(&names);
	run_info_init(&info);
	assert_int_equal(doc_load_profiler_info(text, &names, &info, &hint, NULL), ERR_OK);
	assert_true(info.known && hint.has_rank && hint.rank == 0 && !info.has_schedule);
	assert_int_equal(info.world_size, 8);
	assert_int_equal(info.tp, 8);
	assert_int_equal(info.pp, -1);
	assert_string_equal(names_text(&names, info.parallel), "tp8");
	assert_string_equal(names_text(&names, info.level), "Level1");
	assert_string_equal(names_text(&names, info.aic_metrics), "PipeUtilization");
	assert_string_equal(names_text(&names, info.device_type), "Ascend910B4");
	assert_string_equal(names_text(&names, info.framework), "vllm 0.9.1, vllm-ascend 0.9.1rc1");
	assert_string_equal(names_text(&names, info.torch_npu), "2.5.1");
	assert_string_equal(names_text(&names, info.cann), "8.1.RC1");
	assert_int_equal(info.stacks, TRI_UNKNOWN);
	names_done(&names);
	capture_done(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_communication), cmocka_unit_test(test_one_collective), cmocka_unit_test(test_matrix),
		cmocka_unit_test(test_metadata), cmocka_unit_test(test_groups), cmocka_unit_test(test_profiler_info),
		cmocka_unit_test(test_unofficial), cmocka_unit_test(test_unofficial_info),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
