/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives, their split and verdict, and the vote for the late rank: on models made by hand and on small timelines written here.
 */
#include "core/analysis/collectives.h"
#include "core/base/mem.h"
#include "core/load/load.h"
#include "tests/help/tmpdir.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static void near_num(double a, double b, double within, int line)
{
	if (!(fabs(a - b) <= within))
		fail_msg("line %d: %.9g, not %.9g", line, a, b);
}

#define assert_near(a, b, within) near_num(a, b, within, __LINE__)

static bool says(const char *reason, const char *part)
{
	if (!strstr(reason, part))
		print_message("not there: \"%s\" in \"%s\"\n", part, reason);
	return strstr(reason, part) != NULL;
}

/* ---- models made by hand --------------------------------------------------------------------------------------------------------- */

struct made {
	struct capture c;
	struct rank r;
	struct work_model m;
};

static void made_init(struct made *x)
{
	*x = (struct made){ 0 };
	names_init(&x->c.names);
	names_add(&x->c.names, STR("allReduce"));
	x->c.ranks = &x->r;
	x->c.nranks = 1;
	x->m = (struct work_model){ .c = &x->c, .r = &x->r, .device = -1, .first = NO_TIME, .last = NO_TIME };
}

static void made_done(struct made *x)
{
	comm_done(&x->r.comm);
	names_done(&x->c.names);
}

static uint32_t name(struct made *x, const char *text)
{
	return names_add(&x->c.names, str_of(text));
}

/* us; the transport gets size_mb in link_us. */
static void op(struct made *x, const char *text, int64_t start, int64_t elapse, int64_t transit, int64_t wait, double size_mb,
		int64_t link_us)
{
	struct comm *comm = &x->r.comm;

	ARRAY_PUSH(comm, ops, nops, cap_ops) = (struct comm_op){ .name = name(x, text), .group = name(x, "77001122334455"), .rank = -1,
		.start_ns = start * 1000, .elapse_ns = elapse * 1000, .transit_ns = transit * 1000, .wait_ns = wait * 1000, .sync_ns = 0,
		.idle_ns = (elapse - transit - wait) * 1000, .size_bytes = -1, .count = -1, .first_transport = comm->ntransports,
		.ntransports = 2 };
	for (int i = 0; i < 2; i++)
		ARRAY_PUSH(comm, transports, ntransports, cap_transports) = (struct comm_transport){ .kind = name(x, i ? "SDMA" : "HCCS"),
			.size_mb = size_mb, .bandwidth_gbs = (double)NAN, .large_packet_ratio = (double)NAN, .transit_ns = link_us * 1000 };
}

static void edge(struct made *x, int src, int dst, double size_mb, int64_t us)
{
	struct comm *comm = &x->r.comm;

	ARRAY_PUSH(comm, edges, nedges, cap_edges) = (struct comm_edge){ .op = name(x, "allreduce-total"), .transport = name(x, "HCCS"),
		.src = src, .dst = dst, .size_mb = size_mb, .bandwidth_gbs = (double)NAN, .transit_ns = us * 1000 };
}

static void nothing_is_none(void **state)
{
	struct made x;
	struct collectives c;

	(void)state;
	made_init(&x);
	collectives_find(&x.m, NULL, NULL, &c);
	assert_int_equal(c.n, 0);
	assert_int_equal(c.verdict, COMM_NONE);
	assert_true(isnan(c.bandwidth_gbs) && isnan(c.small_share));
	assert_true(c.median_ns == NO_TIME);
	assert_string_equal(comm_verdict_key(c.verdict), "none");
	collectives_done(&c);
	assert_string_equal(comm_verdict_key((enum comm_verdict)99), "?");
	made_done(&x);
}

static void waiting_is_a_late_rank(void **state)
{
	struct made x;
	struct collectives c;

	(void)state;
	made_init(&x);
	op(&x, "hcom_allReduce__455_0_1", 5000, 1000, 100, 800, 10, 500);
	op(&x, "hcom_allGather__455_1_1", 1000, 2000, 300, 1500, 30, 1500);
	op(&x, "Total Op Info", 0, 3000, 400, 2300, 40, 2000);
	x.r.comm.ops[2].total = true;
	collectives_find(&x.m, NULL, NULL, &c);
	assert_int_equal(c.n, 2);
	assert_true(c.from_file && c.has_split);
	assert_int_equal(c.items[0].start, 1000000);
	assert_int_equal(c.items[0].kind, SUB_COLLECTIVE_ALL_GATHER);
	assert_int_equal(c.items[1].kind, SUB_COLLECTIVE_ALL_REDUCE);
	assert_int_equal(c.elapse, 3000000);
	assert_int_equal(c.transit, 400000);
	assert_int_equal(c.wait, 2300000);
	assert_int_equal(c.idle, 300000);
	assert_near(c.size_mb, 40, 1e-9);		/* HCCS is part of SDMA */
	assert_near(c.bandwidth_gbs, 20, 1e-9);		/* 40 MB in 2 ms of links */
	assert_near(c.small_share, 0.5, 1e-9);
	assert_int_equal(c.median_ns, 1000000);
	assert_int_equal(c.verdict, COMM_LATE_RANK);
	assert_true(says(c.reason, "20.0 GB/s") && says(c.reason, "13.3 %"));
	collectives_done(&c);
	made_done(&x);
}

static void steps_and_unknown_times(void **state)
{
	struct step list[] = { { .start = 0, .end = 1500000 }, { .start = 2000000, .end = 9000000 } };
	struct steps steps = { .items = list, .n = 2 };
	struct made x;
	struct collectives c;

	(void)state;
	made_init(&x);
	op(&x, "hcom_allReduce__455_0_1", 1000, 1000, 900, 50, 10, 500);
	op(&x, "hcom_allReduce__455_1_1", 1600, 1000, 900, 50, 10, 500);
	op(&x, "hcom_allReduce__455_2_1", 2000, 1000, 900, 50, 10, 500);
	op(&x, "hcom_allReduce__455_3_1", 0, 1000, 900, 50, 10, 500);
	x.r.comm.ops[3].start_ns = NO_TIME;
	x.r.comm.ops[3].elapse_ns = x.r.comm.ops[3].idle_ns = NO_TIME;
	collectives_find(&x.m, &steps, NULL, &c);
	assert_int_equal(c.items[0].step, UINT32_MAX);
	assert_true(c.items[0].start == NO_TIME);
	assert_int_equal(c.items[1].step, 0);
	assert_int_equal(c.items[2].step, UINT32_MAX);
	assert_int_equal(c.items[3].step, 1);
	assert_int_equal(c.elapse, 3000000);
	assert_int_equal(c.verdict, COMM_TRANSFER);
	collectives_done(&c);
	made_done(&x);
}

static void short_ones_are_latency(void **state)
{
	struct made x;
	struct collectives c;

	(void)state;
	made_init(&x);
	for (int i = 0; i < 9; i++)
		op(&x, "hcom_allReduce__455_0_1", 1000 * i, 40, i % 2 ? 30 : 3, 2, 0.1, 30);
	collectives_find(&x.m, NULL, NULL, &c);
	assert_int_equal(c.median_ns, 40000);
	assert_int_equal(c.verdict, COMM_LATENCY);		/* transit is below half, but nobody was late: 40 us is start-up */
	assert_true(says(c.reason, "median 40.0 us"));
	collectives_done(&c);
	made_done(&x);
}

static void slow_link_needs_a_pair(void **state)
{
	struct made x, other;
	struct rank both[2];
	struct collectives c;

	(void)state;
	made_init(&x);
	made_init(&other);
	for (int i = 0; i < 4; i++)
		op(&x, "hcom_allReduce__455_0_1", 10000 * i, 2000, 1900, 50, 20, i ? 2000 : 1000);
	collectives_find(&x.m, NULL, NULL, &c);
	assert_int_equal(c.verdict, COMM_TRANSFER);
	assert_near(c.best_ratio, 4000.0 / 7000.0, 1e-9);	/* one of 20 GB/s, three of 10 */
	assert_true(says(c.reason, "no link can be named"));
	collectives_done(&c);

	edge(&x, 0, 1, 20, 1000);
	edge(&x, 0, 2, 20, 1100);
	edge(&x, 0, 0, 20, 10);				/* a copy on the chip is no link */
	collectives_find(&x.m, NULL, NULL, &c);
	assert_int_equal(c.verdict, COMM_TRANSFER);
	collectives_done(&c);

	edge(&x, 0, 3, 20, 2500);
	collectives_find(&x.m, NULL, NULL, &c);
	assert_int_equal(c.verdict, COMM_SLOW_LINK);
	assert_int_equal(c.slow_src, 0);
	assert_int_equal(c.slow_dst, 3);
	assert_true(says(c.reason, "rank 0 to rank 3") && says(c.reason, "40 %"));
	collectives_done(&c);

	/* All links of this rank equally slow: another rank of the capture tells. */
	x.r.comm.nedges = 2;
	both[0] = x.r;
	both[1] = (struct rank){ .id = 1 };
	ARRAY_PUSH(&both[1].comm, edges, nedges, cap_edges) = x.r.comm.edges[0];
	both[1].comm.edges[0].transit_ns = 500000;
	x.c.ranks = both;
	x.c.nranks = 2;
	collectives_find(&x.m, NULL, NULL, &c);
	assert_int_equal(c.verdict, COMM_SLOW_LINK);
	collectives_done(&c);
	comm_done(&both[1].comm);
	made_done(&x);
	made_done(&other);
}

/* The exporter looked at a plane that moves nothing: seen on CANN 8.3, reduceScatter of 440 MB: transit 0, links 23.5656 of 26.30914 ms. */
static void a_transit_of_zero_is_put_right(void **state)
{
	struct made x;
	struct collectives c;

	(void)state;
	made_init(&x);
	op(&x, "hcom_reduceScatter__455_4_1", 0, 26309, 0, 0, 440.466432, 23566);
	collectives_find(&x.m, NULL, NULL, &c);
	assert_int_equal(c.items[0].transit, 23566000);
	assert_int_equal(c.items[0].idle, 26309000 - 23566000);
	assert_int_equal(c.verdict, COMM_TRANSFER);
	collectives_done(&c);
	edge(&x, 0, 1, 20, 1000);		/* three links that work at the same time */
	edge(&x, 0, 2, 20, 1000);
	edge(&x, 0, 3, 20, 1000);
	for (size_t i = 0; i < 3; i++)
		x.r.comm.edges[i].group = x.r.comm.ops[0].group;
	collectives_find(&x.m, NULL, NULL, &c);
	assert_int_equal(c.items[0].transit, 23566000 / 3);
	collectives_done(&c);
	x.r.comm.nedges = 0;
	x.r.comm.ops[0].wait_ns = 20000000;
	collectives_find(&x.m, NULL, NULL, &c);
	assert_int_equal(c.items[0].transit, 6309000);
	assert_int_equal(c.items[0].idle, 0);
	collectives_done(&c);
	made_done(&x);
}

static void hostile_numbers(void **state)
{
	struct made x;
	struct collectives c;

	(void)state;
	made_init(&x);
	for (int i = 0; i < 4; i++)
		op(&x, "x", 1, 2, 1, 1, 1, 1);
	x.r.comm.ops[0].elapse_ns = x.r.comm.ops[0].wait_ns = x.r.comm.ops[0].transit_ns = INT64_MAX;
	x.r.comm.ops[1].elapse_ns = x.r.comm.ops[1].transit_ns = INT64_MAX;
	x.r.comm.ops[1].start_ns = INT64_MAX;
	x.r.comm.ops[2].elapse_ns = -5;
	x.r.comm.ops[2].first_transport = SIZE_MAX - 1;
	x.r.comm.ops[3].ntransports = 1000;
	x.r.comm.transports[0].size_mb = INFINITY;
	x.r.comm.transports[1].transit_ns = INT64_MAX;
	collectives_find(&x.m, NULL, NULL, &c);
	assert_int_equal(c.n, 4);
	assert_true(c.elapse == INT64_MAX);
	assert_non_null(c.reason);
	collectives_done(&c);
	made_done(&x);
}

/* ---- the vote -------------------------------------------------------------------------------------------------------------------- */

enum { RANKS_MOST = 200 };

struct job {
	struct made x;			/* names */
	struct rank ranks[RANKS_MOST];
	struct work_model m[RANKS_MOST];
	struct collectives c[RANKS_MOST];
	struct late_rank late;
};

static struct job *job_new(void)
{
	struct job *j = mem_zalloc(1, sizeof *j);

	made_init(&j->x);
	return j;
}

static void add(struct job *j, size_t rank, const char *text, int64_t start, int64_t elapse)
{
	struct collectives *c = &j->c[rank];

	ARRAY_PUSH(c, items, n, cap) = (struct collective){ .name = name(&j->x, text), .group = name(&j->x, "77001122334455"),
		.kind = SUB_COLLECTIVE_ALL_REDUCE, .start = start, .elapse = elapse, .transit = 1, .wait = elapse - 1, .sync = NO_TIME,
		.idle = NO_TIME, .peer = -1 };
}

static const struct late_rank *job_vote(struct job *j, size_t n)
{
	const struct work_model *works[RANKS_MOST];
	const struct collectives *colls[RANKS_MOST];

	for (size_t i = 0; i < n; i++) {
		j->ranks[i].id = (int)i;
		j->m[i].c = &j->x.c;
		j->m[i].r = &j->ranks[i];
		works[i] = &j->m[i];
		colls[i] = &j->c[i];
	}
	late_rank_done(&j->late);
	late_rank_find(works, colls, n, NULL, &j->late);
	return &j->late;
}

static void job_free(struct job *j)
{
	late_rank_done(&j->late);
	for (size_t i = 0; i < RANKS_MOST; i++) {
		free(j->c[i].items);
		intervals_done(&j->m[i].sets.compute);
	}
	made_done(&j->x);
	free(j);
}

static void vote_of_few(void **state)
{
	struct job *j = job_new();
	const struct late_rank *l = job_vote(j, 0);

	(void)state;
	assert_int_equal(l->late, -1);
	assert_true(says(l->reason, "there is no rank"));
	add(j, 0, "a", 0, 10);
	l = job_vote(j, 1);
	assert_int_equal(l->late, -1);
	assert_true(says(l->reason, "one rank only"));
	l = job_vote(j, 2);
	assert_int_equal(l->ncollectives, 0);
	assert_int_equal(l->nunmatched, 1);
	assert_true(says(l->reason, "no collective in common"));
	add(j, 1, "a", 5, 5);
	l = job_vote(j, 2);
	assert_int_equal(l->ncollectives, 1);
	assert_int_equal(l->ranks[1].votes, 1);
	assert_int_equal(l->late, -1);		/* one collective is chance */
	job_free(j);
}

static void vote_by_majority(void **state)
{
	struct job *j = job_new();
	const struct late_rank *l;

	(void)state;
	for (int k = 0; k < 10; k++)		/* rank 2 last in 6, rank 0 in 2, nobody in 2 */
		for (size_t r = 0; r < 3; r++)
			add(j, r, "a", k * 1000, k < 6 ? (r == 2 ? 10 : 100) : k < 8 ? (r == 0 ? 10 : 100) : 100 - (int64_t)r);
	l = job_vote(j, 3);
	assert_int_equal(l->ncollectives, 10);
	assert_int_equal(l->nties, 2);
	assert_int_equal(l->ranks[2].votes, 6);
	assert_int_equal(l->ranks[0].votes, 2);
	assert_int_equal(l->ranks[2].late_by, 6 * 90);
	assert_int_equal(l->late, -1);		/* 60 %, and compute is not known */
	assert_true(isnan(l->spread_pct));
	for (size_t r = 0; r < 3; r++)
		intervals_add(&j->m[r].sets.compute, 0, r == 2 ? 1040 : 1000);
	l = job_vote(j, 3);
	assert_near(l->spread_pct, 100.0 * 40 / (3040.0 / 3), 1e-9);
	assert_int_equal(l->late, -1);		/* 60 %, compute differs by 3.9 % */
	intervals_add(&j->m[2].sets.compute, 2000, 2200);
	l = job_vote(j, 3);
	assert_int_equal(l->late, 2);
	assert_true(says(l->reason, "rank 2") && says(l->reason, "6 of 10") && says(l->reason, "24.0 % more"));
	job_free(j);
}

/* Rank 1's capture begins two collectives later: in order, every vote would go wrong. */
static void vote_with_different_counts(void **state)
{
	struct job *j = job_new();
	const struct late_rank *l;

	(void)state;
	for (int k = 0; k < 12; k++)
		add(j, 0, "a", k * 1000 + 100, k % 2 ? 700 : 300);
	for (int k = 2; k < 12; k++)
		add(j, 1, "b", k * 1000 + 100 + (k % 2 ? 600 : 200), 100);
	l = job_vote(j, 2);
	assert_int_equal(l->ncollectives, 10);
	assert_int_equal(l->nunmatched, 2);
	assert_int_equal(l->ranks[1].votes, 10);
	assert_int_equal(l->ranks[1].late_by, 5 * 600 + 5 * 200);
	assert_int_equal(l->late, 1);
	for (size_t r = 0; r < 2; r++)		/* without times: in order, from the first */
		for (size_t i = 0; i < j->c[r].n; i++)
			j->c[r].items[i].start = NO_TIME;
	l = job_vote(j, 2);
	assert_int_equal(l->ncollectives, 10);
	assert_int_equal(l->nunmatched, 2);
	job_free(j);
}

static void sends_do_not_vote(void **state)
{
	struct job *j = job_new();
	const struct late_rank *l;

	(void)state;
	for (int k = 0; k < 5; k++)
		for (size_t r = 0; r < 2; r++) {
			add(j, r, "hcom_send", k * 1000, r ? 10 : 500);
			j->c[r].items[k].kind = k % 2 ? SUB_COLLECTIVE_SEND : SUB_COLLECTIVE_BATCH_SEND_RECV;
		}
	l = job_vote(j, 2);
	assert_int_equal(l->ncollectives, 0);
	job_free(j);
}

static void vote_of_a_large_job(void **state)
{
	enum { EACH = 10000 };
	struct job *j = job_new();
	const struct late_rank *l;
	clock_t t = clock();

	(void)state;
	for (size_t r = 0; r < RANKS_MOST; r++)
		for (int k = r == 150 ? 100 : 0; k < EACH; k++)		/* one of them begins later */
			add(j, r, "a", (int64_t)k * 1000, r == 77 ? 100 : 500);
	l = job_vote(j, RANKS_MOST);
	assert_int_equal(l->ncollectives, EACH - 100);
	assert_int_equal(l->late, 77);
	print_message("200 ranks x 10 000 collectives: %.2f s of processor\n", (double)(clock() - t) / CLOCKS_PER_SEC);
	job_free(j);
}

/* ---- timelines written here ------------------------------------------------------------------------------------------------------ */

static char dir[256];

static int setup(void **state)
{
	(void)state;
	tmpdir_make(dir, sizeof dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tmpdir_remove(dir);
	return 0;
}

#define META(kind, pid, tid, name) \
	"{\"ph\":\"M\",\"name\":\"" kind "\",\"pid\":" #pid ",\"tid\":" #tid ",\"args\":{\"name\":\"" name "\"}},"
#define SORT(pid, tid) "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":" #pid ",\"tid\":" #tid ",\"args\":{\"sort_index\":" #tid "}},"
#define LANE(tid, name) META("thread_name", 7, tid, name) SORT(7, tid)
#define X(tid, name, ts, dur, args) \
	"{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":7,\"tid\":" #tid ",\"ts\":\"173641400000" ts "\"," \
	"\"dur\":" dur ",\"args\":{" args "}},"
#define TO(dst, size) "\"src rank\":0,\"dst rank\":" #dst ",\"size(Byte)\":" #size ",\"link type\":\"HCCS\""

static const char trace_head[] = "[" META("process_name", 7, 0, "Communication") LANE(0, "Group 0 Communication") LANE(1, "Plane 0")
	LANE(2, "Plane 1") LANE(3, "Plane 2") LANE(4, "Group 1 Communication") LANE(5, "Plane 0") LANE(6, "Plane 1");

struct loaded {
	struct capture *c;
	struct classifier *cl;
	struct work_model *w[8];
	size_t nw[8], n;
	struct collectives colls[8];
};

static bool loaded_open(struct loaded *l, const char *path)
{
	struct diag d;

	*l = (struct loaded){ 0 };
	if (access(path, F_OK))
		return false;
	if (capture_load(path, NULL, NULL, &l->c, &d)) {
		fail_msg("%s: %s", path, d.text);
		return false;
	}
	l->cl = classifier_new(NULL);
	for (size_t i = 0; i < l->c->nranks && i < 8; i++) {
		l->w[i] = work_new(l->c, &l->c->ranks[i], l->cl, &l->nw[i]);
		collectives_find(&l->w[i][0], NULL, NULL, &l->colls[i]);
		l->n++;
	}
	return true;
}

static void loaded_done(struct loaded *l)
{
	for (size_t i = 0; i < l->n; i++) {
		collectives_done(&l->colls[i]);
		work_free(l->w[i], l->nw[i]);
	}
	classifier_free(l->cl);
	capture_free(l->c);
}

static void trace_open(struct loaded *l, const char *events)
{
	char path[300], text[8192];

	snprintf(text, sizeof text, "%s%s{\"ph\":\"M\",\"name\":\"end\",\"pid\":7,\"tid\":0}]", trace_head, events);
	tmpdir_write(dir, "trace_view.json", text, strlen(text));
	snprintf(path, sizeof path, "%s/trace_view.json", dir);
	assert_true(loaded_open(l, path));
}

/* Plane 1 is the first that waits: wait 30 + 5, sync 30, transit 20 + 10. The wait of 80 on plane 2 is idle there, and names its peer. */
static void planes_split(void **state)
{
	struct loaded l;
	const struct collective *a, *b;

	(void)state;
	trace_open(&l,
		X(0, "hcom_allReduce__001_0_1", "1000.000", "100", "")
		X(1, "Memcpy", "1000.000", "2", "\"src rank\":0,\"dst rank\":0,\"size(Byte)\":900")
		X(2, "Notify_Wait", "1002.000", "30", TO(1, 0)) X(2, "Reduce_Inline", "1040.000", "20", TO(1, 2000000))
		X(2, "Notify_Wait", "1060.000", "5", TO(1, 0)) X(2, "Memcpy", "1070.000", "10", TO(1, 1000000))
		X(3, "Notify_Wait", "1003.000", "80", TO(2, 0)) X(3, "Memcpy", "1085.000", "15", TO(2, 3000000))
		X(4, "hcom_allGather__002_0_1", "1050.500", "40", "") X(5, "Notify_Wait", "1051.000", "8.5", TO(3, 0))
		X(5, "Memcpy", "1062.000", "20.25", TO(3, 5000000)));
	assert_int_equal(l.colls[0].n, 2);
	a = &l.colls[0].items[0];
	b = &l.colls[0].items[1];
	assert_int_equal(a->elapse, 100000);
	assert_int_equal(a->wait, 35000);
	assert_int_equal(a->sync, 30000);
	assert_int_equal(a->transit, 30000);
	assert_int_equal(a->idle, 35000);
	assert_near(a->size_mb, 6, 1e-9);		/* without the copy on the chip */
	assert_int_equal(a->link_ns, 45000);
	assert_int_equal(a->peer, 2);
	assert_int_equal(a->peer_wait, 80000);
	assert_int_equal(l.colls[0].peer, 2);
	assert_int_equal(b->kind, SUB_COLLECTIVE_ALL_GATHER);	/* the other group at the same time */
	assert_int_equal(b->wait, 8500);
	assert_int_equal(b->transit, 20250);
	assert_int_equal(b->idle, 11250);
	assert_int_equal(b->peer, -1);				/* one plane: a neighbour, whoever is late */
	assert_true(l.colls[0].has_split && !l.colls[0].from_file && !l.colls[0].sizes_skipped);
	loaded_done(&l);
}

static void planes_that_say_little(void **state)
{
	struct loaded l;

	(void)state;
	trace_open(&l, X(0, "hcom_allReduce__001_0_1", "1000.000", "100", "") X(2, "Notify_Wait", "1002.000", "10", TO(1, 0))
		X(3, "Notify_Record", "1003.000", "80", TO(2, 0)));
	assert_int_equal(l.colls[0].verdict, COMM_UNKNOWN);	/* 90 us unaccounted for */
	assert_true(says(l.colls[0].reason, "too few transfers"));
	loaded_done(&l);
	trace_open(&l, X(0, "hcom_allReduce__001_0_1", "1000.000", "100", "") X(2, "Notify_Wait", "1002.000", "60", TO(1, 0)));
	assert_int_equal(l.colls[0].items[0].transit, 0);	/* it only waited */
	assert_int_equal(l.colls[0].verdict, COMM_LATE_RANK);
	loaded_done(&l);
	trace_open(&l, X(0, "hcom_allReduce__001_0_1", "1000.000", "100", "") X(2, "Notify_Wait", "1001.000", "5", TO(1, 0))
		X(3, "Memcpy", "1010.000", "70", TO(1, 1000000)));
	assert_int_equal(l.colls[0].items[0].transit, 70000);	/* the plane that waits moves nothing, another does */
	loaded_done(&l);
	trace_open(&l, X(0, "hcom_allReduce__001_0_1", "1000.000", "100", ""));
	assert_int_equal(l.colls[0].verdict, COMM_UNKNOWN);
	assert_true(says(l.colls[0].reason, "no plane tasks"));
	loaded_done(&l);
}

#define LEAF(start, elapse, transit, wait) "{\"Communication Time Info\":{\"Start Timestamp(us)\":" start ",\"Elapse Time(ms)\":" elapse \
	",\"Transit Time(ms)\":" transit ",\"Wait Time(ms)\":" wait ",\"Idle Time(ms)\":0},\"Communication Bandwidth Info\":{}}"

/* The file has two of three collectives of one name, its times 13 us off, and one the timeline does not show. */
static void file_and_timeline(void **state)
{
	static const char trace[] = "[" META("process_name", 7, 0, "HCCL") LANE(0, "Group 0 Communication")
		META("process_name", 8, 0, "Ascend Hardware") META("thread_name", 8, 2, "Stream 2")
		"{\"ph\":\"X\",\"name\":\"hcom_allReduce_\",\"pid\":8,\"tid\":2,\"ts\":\"1736414000001005.000\",\"dur\":80,\"args\":{}},"
		X(0, "hcom_allReduce_", "1000.000", "100", "") X(0, "hcom_allReduce_", "2000.250", "100", "")
		X(0, "hcom_allReduce_", "3000.500", "100", "") "{\"ph\":\"M\",\"name\":\"end\",\"pid\":7,\"tid\":0}]";
	static const char comm[] = "{\"step\":{\"p2p\":{},\"collective\":{"
		"\"hcom_allReduce_@4711\":" LEAF("1736414000002013.250", "0.1", "0.06", "0.04")
		",\"hcom_allReduce_@4712\":" LEAF("1736414000003013.500", "0.1", "0.07", "0.03")
		",\"hcom_allGather_@4711\":" LEAF("1736414000009000", "0.2", "0.1", "0.1") "}}}";
	struct loaded l;
	const struct collective *i;

	(void)state;
	tmpdir_write(dir, "ASCEND_PROFILER_OUTPUT/trace_view.json", trace, strlen(trace));
	tmpdir_write(dir, "ASCEND_PROFILER_OUTPUT/communication.json", comm, strlen(comm));
	assert_true(loaded_open(&l, dir));
	assert_int_equal(l.colls[0].n, 4);		/* the task on the stream is the first one again */
	i = l.colls[0].items;
	assert_int_equal(i[0].start, 1736414000001000000);
	assert_true(i[0].transit == NO_TIME && i[0].span != UINT32_MAX);
	assert_int_equal(i[1].start, 1736414000002000250);
	assert_int_equal(i[1].transit, 60000);
	assert_int_equal(i[2].start, 1736414000003000500);
	assert_int_equal(i[2].transit, 70000);
	assert_string_equal(names_text(&l.c->names, i[2].group), "4712");
	assert_int_equal(i[3].kind, SUB_COLLECTIVE_ALL_GATHER);
	assert_int_equal(i[3].span, UINT32_MAX);
	assert_int_equal(l.colls[0].elapse, 500000);
	assert_int_equal(l.colls[0].transit, 230000);
	loaded_done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_none),
		cmocka_unit_test(waiting_is_a_late_rank),
		cmocka_unit_test(steps_and_unknown_times),
		cmocka_unit_test(short_ones_are_latency),
		cmocka_unit_test(slow_link_needs_a_pair),
		cmocka_unit_test(a_transit_of_zero_is_put_right),
		cmocka_unit_test(hostile_numbers),
		cmocka_unit_test(vote_of_few),
		cmocka_unit_test(vote_by_majority),
		cmocka_unit_test(vote_with_different_counts),
		cmocka_unit_test(sends_do_not_vote),
		cmocka_unit_test(vote_of_a_large_job),
		cmocka_unit_test_setup_teardown(planes_split, setup, teardown),
		cmocka_unit_test_setup_teardown(planes_that_say_little, setup, teardown),
		cmocka_unit_test_setup_teardown(file_and_timeline, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
