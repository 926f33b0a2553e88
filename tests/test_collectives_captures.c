/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives and the late rank on the samples and real captures. Numbers of real captures were computed apart from this program, from
 * their JSON and databases.
 */
#include "core/analysis/collectives.h"
#include "core/load/load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* The same without what the exporter measured. */
static void again_without_file(struct loaded *l)
{
	for (size_t i = 0; i < l->n; i++) {
		comm_done(&l->c->ranks[i].comm);
		collectives_done(&l->colls[i]);
		collectives_find(&l->w[i][0], NULL, NULL, &l->colls[i]);
	}
}

static void loaded_late(const struct loaded *l, struct late_rank *out)
{
	const struct work_model *works[8];
	const struct collectives *colls[8];

	for (size_t i = 0; i < l->n; i++) {
		works[i] = &l->w[i][0];
		colls[i] = &l->colls[i];
	}
	late_rank_find(works, colls, l->n, NULL, out);
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

/* ---- samples and captures -------------------------------------------------------------------------------------------------------- */

static const char *place(char out[600], const char *variable, const char *otherwise, const char *rest)
{
	const char *base = getenv(variable);

	snprintf(out, 600, "%s/%s", base && base[0] ? base : otherwise, rest);
	return out;
}

static bool sample_open(struct loaded *l, const char *which)
{
	char path[600];
	bool ok = loaded_open(l, place(path, "ASCOPE_SAMPLES", "build/samples", which));

	if (!ok)
		print_message("no %s\n", path);
	return ok;
}

static bool real_open(struct loaded *l, const char *which)
{
	char path[600], rest[300];
	bool ok;

	snprintf(rest, sizeof rest, "real/%s", which);
	ok = loaded_open(l, place(path, "ASCOPE_CAPTURES", "../shared/captures", rest));
	if (!ok)
		print_message("no %s\n", path);
	return ok;
}

static void near_ns(int64_t ours, double ms, double within_ns)
{
	if (fabs((double)ours - ms * 1e6) > within_ns)
		fail_msg("%lld ns, not %.6f ms", (long long)ours, ms);
}

/* "Total Op Info" of both ranks; for databases the sum of CommAnalyzerTime. */
static const struct {
	const char *capture;
	double elapse[2], transit[2], wait[2], sync[2], idle[2], gbs[2];
	int peer;
} level1[] = {
	{ "pytorch-910b-level1", { 105.99187771875, 100.37528546875 }, { 3.6833535, 3.85967709375 }, { 5.94061871875, 0.1913838125 },
		{ 5.61571221875, 0.02090040625 }, { 96.3679055, 96.3242245625 },
		{ 427.596096 / 27.315705875, 427.596096 / 27.58397134375 }, 5 },
	{ "pytorch-910b-level1-db", { 102.1081, 98.59018971875 }, { 3.985659625, 4.02176065625 }, { 3.68957371875, 3.84153746875 },
		{ 3.51773028125, 3.65839309375 }, { 94.43286665625, 90.72689159375 }, { 14.9666, 14.8530 }, 6 },
};

static void check_level1(size_t which)
{
	struct loaded l;
	struct late_rank late;

	if (!real_open(&l, level1[which].capture))
		skip();
	for (int planes = 0; planes < 2; planes++) {		/* the exporter's figures, then ours from the plane tasks */
		double within = planes ? 10 : 5;

		if (planes)
			again_without_file(&l);
		assert_int_equal(l.n, 2);
		for (size_t r = 0; r < 2; r++) {
			const struct collectives *c = &l.colls[r];

			assert_int_equal(c->n, 4);
			assert_int_equal(c->from_file, !planes);
			near_ns(c->elapse, level1[which].elapse[r], within);
			near_ns(c->transit, level1[which].transit[r], within);
			near_ns(c->wait, level1[which].wait[r], within);
			near_ns(c->sync, level1[which].sync[r], within);
			near_ns(c->idle, level1[which].idle[r], within);
			assert_near(c->size_mb, 427.596096, 1e-6);
			assert_near(c->bandwidth_gbs, level1[which].gbs[r], 1e-3);
			assert_int_equal(c->verdict, COMM_LATE_RANK);
			assert_int_equal(c->peer, level1[which].peer);
			assert_true(says(c->reason, "the link is fine"));
			for (size_t i = 0; i < 4; i++)
				assert_int_not_equal(c->items[i].span, UINT32_MAX);
		}
		loaded_late(&l, &late);
		assert_int_equal(late.late, -1);	/* who is late is not among the two */
		assert_int_equal(late.outside, level1[which].peer);
		late_rank_done(&late);
	}
	loaded_done(&l);
}

static void real_level1(void **state)
{
	(void)state;
	check_level1(0);
}

static void real_level1_db(void **state)
{
	(void)state;
	check_level1(1);
}

/* Four ranks, PP2 x DP2, two of them without kernels: the exporter's transit is 0 although the links were busy for 92.97 ms. */
static void real_pp2dp2(void **state)
{
	static const double compute[] = { 231.2901, 230.90372, 400.44826, 401.1317 };
	static const double elapse[] = { 420.17426, 441.70838, 277.64966, 261.49844 };
	struct late_rank late;
	struct loaded l;

	(void)state;
	if (!real_open(&l, "pytorch-cann83-pp2dp2-4ranks"))
		skip();
	loaded_late(&l, &late);
	for (size_t i = 0; i < 4; i++) {
		near_ns(l.colls[i].elapse, elapse[i], 10);
		near_ns(late.ranks[i].compute, compute[i], 10);
		assert_int_equal(l.colls[i].verdict, COMM_LATE_RANK);
	}
	near_ns(l.colls[0].transit, 92.17104 + 0.80238 - 0.00276, 1e4);
	assert_true(says(l.colls[0].reason, "pipeline stages"));
	assert_int_equal(late.late, -1);
	assert_near(late.spread_pct, 53.88, 0.01);
	assert_true(late.ncollectives > 15);
	late_rank_done(&late);
	loaded_done(&l);
}

static void real_cluster(void **state)
{
	struct late_rank late;
	struct loaded l;

	(void)state;
	if (!real_open(&l, "cluster-16ranks"))
		skip();
	late_rank_of_cluster(l.c, NULL, &late);
	assert_int_equal(late.nranks, 2);		/* the file has the collectives of two */
	assert_int_equal(late.ncollectives, 2);
	assert_int_equal(late.ranks[0].votes, 2);	/* 4.97 against 8.67 ms, 0.54 against 0.83 */
	near_ns(late.ranks[0].late_by, 8.66528 - 4.96980784765625 + 0.83248 - 0.53967968359375, 4);
	near_ns(late.ranks[1].compute, 75.42222, 1);
	assert_int_equal(late.late, -1);
	late_rank_done(&late);
	loaded_done(&l);
}

static void sample_ranks(void **state)
{
	struct loaded text, db;
	struct late_rank late;

	(void)state;
	if (!sample_open(&text, "ranks4-slow-rank"))
		skip();
	loaded_late(&text, &late);
	assert_int_equal(late.late, 2);
	assert_int_equal(late.ranks[2].votes, 96);
	assert_true(says(late.reason, "rank 2"));
	late_rank_done(&late);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(text.colls[i].verdict, i == 2 ? COMM_TRANSFER : COMM_LATE_RANK);
	if (sample_open(&db, "ranks4-slow-rank-db")) {
		for (int planes = 0; planes < 2; planes++) {
			loaded_late(&db, &late);
			assert_int_equal(late.late, 2);
			late_rank_done(&late);
			for (size_t i = 0; i < 4; i++) {
				const struct collectives *a = &text.colls[i], *b = &db.colls[i];

				assert_int_equal(a->n, b->n);
				assert_near((double)a->elapse, (double)b->elapse, (double)a->elapse / 1000);
				assert_near((double)a->transit, (double)b->transit, (double)a->transit / 1000);
				assert_near((double)a->wait, (double)b->wait, (double)a->wait / 1000);
				assert_near((double)a->idle, (double)b->idle, (double)a->idle / 1000);
				assert_near(a->bandwidth_gbs, b->bandwidth_gbs, a->bandwidth_gbs / 1000);
				assert_int_equal(a->verdict, b->verdict);
			}
			again_without_file(&text);
			again_without_file(&db);
		}
		loaded_done(&db);
	}
	loaded_done(&text);
}

static void sample_verdicts(void **state)
{
	static const struct {
		const char *sample;
		enum comm_verdict verdict;
	} all[] = {
		{ "decode-comm-bound", COMM_LATENCY }, { "decode-comm-bound-db", COMM_LATENCY }, { "copy-bound", COMM_TRANSFER },
		{ "copy-bound-db", COMM_TRANSFER },
	};
	struct loaded l;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (!sample_open(&l, all[i].sample))
			skip();
		assert_int_equal(l.colls[0].verdict, all[i].verdict);
		loaded_done(&l);
	}
}

/* Durations and sizes only, and fewer listed than there were: all collectives of the timeline, sizes where the file lists them. */
static void reference_form(void **state)
{
	char path[600];
	struct loaded l;
	size_t sized = 0;

	(void)state;
	if (!loaded_open(&l, place(path, "ASCOPE_CAPTURES", "../shared/captures", "reference/decode-comm-bound")))
		skip();
	assert_int_equal(l.colls[0].n, 768);
	near_ns(l.colls[0].elapse, 36.986459547543585, 1000);
	assert_int_equal(l.colls[0].verdict, COMM_UNKNOWN);
	assert_false(l.colls[0].has_split);
	for (size_t i = 0; i < l.colls[0].n; i++)
		if (!isnan(l.colls[0].items[i].size_mb)) {
			sized++;
			assert_near(l.colls[0].items[i].size_mb, 0.098304, 1e-9);
		}
	assert_int_equal(sized, 200);
	assert_true(says(l.colls[0].reason, "only durations and sizes"));
	loaded_done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_level1),
		cmocka_unit_test(real_level1_db),
		cmocka_unit_test(real_pp2dp2),
		cmocka_unit_test(real_cluster),
		cmocka_unit_test(sample_ranks),
		cmocka_unit_test(sample_verdicts),
		cmocka_unit_test(reference_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
