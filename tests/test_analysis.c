/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole analysis on samples and real captures: it equals the exporter's own split of every step, says the same for text and database,
 * twenty times in a row, twice and on one thread; and what it says about the captures we know.
 */
#include "tests/help/analysis_run.h"
#include "tests/help/tmpdir.h"

#include "core/report/analysis_report.h"

#include <cjson/cJSON.h>

static const char *const samples[] = { "copy-bound", "decode-comm-bound", "host-schedule-bound", "host-schedule-bound-optimized", "mixed-phases",
	"prefill-compute-bound", "ranks4-slow-rank" };

/* ---- the exporter's split of each step -------------------------------------------------------------------------------------------------------- */

/* Every row of every rank's step table: four figures each, all within 0.1 %. Returns the number of rows. */
static size_t check_split(const struct judged *j, const char *path)
{
	size_t rows = 0, found = 0;

	for (size_t r = 0; r < j->c->nranks; r++) {
		const struct table *t = j->c->ranks[r].tables[ART_STEP_TRACE_TIME];
		bool has_time = j->c->ranks[r].events.n || rank_kernels(&j->c->ranks[r]);

		rows += t && has_time ? t->nrows : 0;
	}
	for (size_t i = 0; i < j->a->nchecks; i++) {
		const struct cross_check *c = &j->a->checks[i];

		if (strcmp(c->artifact, artifact_key(ART_STEP_TRACE_TIME)) != 0)
			continue;
		found++;
		if (!(fabs(c->deviation_pct) <= 0.1))
			fail_msg("%s, rank %d, step %s: %s is %.3f, the exporter says %.3f (%.4f %%)", path, j->c->ranks[c->rank].id,
			c->step, c->metric, c->ours_us,
				c->exporter_us, c->deviation_pct);
	}
	if (found != 4 * rows)
		fail_msg("%s: %zu figures of %zu rows were compared", path, found, rows);
	return rows;
}

static void test_split_of_samples(void **state)
{
	static const size_t steps[] = { 12, 24, 20, 20, 24, 6, 32 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(samples); i++)
		for (int db = 0; db < 2; db++) {
			struct judged j;
			char path[600], name[100];

			snprintf(name, sizeof name, "%s%s", samples[i], db ? "-db" : "");
			if (!sample_of(path, name))
				skip();
			judged_open(&j, path, NULL);
			assert_int_equal(check_split(&j, path), steps[i]);
			judged_done(&j);
		}
}

static void test_split_of_real_captures(void **state)
{
	static const struct {
		const char *name;
		size_t rows;
	} captures[] = { { "pytorch-910b-level1", 2 }, { "pytorch-910b-level1-db", 2 }, { "pytorch-cann83-pp2dp2-4ranks", 2 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(captures); i++) {
		struct judged j;
		char path[600], name[100];

		snprintf(name, sizeof name, "real/%s", captures[i].name);
		if (!capture_of(path, name))
			skip();
		judged_open(&j, path, NULL);
		assert_int_equal(check_split(&j, path), captures[i].rows);
		judged_done(&j);
	}
}

/* ---- two exports of one run ------------------------------------------------------------------------------------------------------------------- */

static bool listed(const char *const *ids, const char *id)
{
	for (; ids && *ids; ids++)
		if (strcmp(*ids, id) == 0)
			return true;
	return false;
}

/* What only a text export has the file for. */
static const char *const text_only[] = {
	"config.environment",		/* profiler_metadata.json */
	NULL,
};

/* Each finding of a is in b with the same stake; ids in `only` may be missing there. share < 0: stakes are not compared. */
static void same_findings(const struct findings *a, const struct findings *b, const char *const *only, double share, const char *what)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct finding *f = &a->items[i], *g = NULL;

		for (size_t k = 0; k < b->n && !g; k++)
			if (strcmp(b->items[k].id, f->id) == 0 && (share < 0 || strcmp(b->items[k].title, f->title) == 0))
				g = &b->items[k];
		if (!g && !listed(only, f->id))
			fail_msg("%s: %s (%s) is in one only", what, f->id, f->title);
		if (g && share >= 0 && (!near_share(f->stake_us, g->stake_us, share) || f->severity != g->severity))
			fail_msg("%s: %s is %.3f us in one, %.3f us in the other", what, f->id, f->stake_us, g->stake_us);
		if (g && share >= 0 && !near_share(f->benefit.estimate_pct, g->benefit.estimate_pct, share))
			fail_msg("%s: %s gains %.3f %% in one, %.3f %% in the other", what, f->id, f->benefit.estimate_pct, g->benefit.estimate_pct);
	}
}

static const struct op_row *row_of(const struct unit *u, const char *name, const struct op_row *like, const struct capture *c)
{
	for (size_t i = 0; i < u->ops.n; i++)
		if (u->ops.rows[i].side == like->side && u->ops.rows[i].kind == like->kind && strcmp(names_text(&c->names, u->ops.rows[i].name), name) == 0)
			return &u->ops.rows[i];
	return NULL;
}

static void same_operators(const struct judged *a, const struct judged *b, const char *what)
{
	assert_int_equal(a->a->nunits, b->a->nunits);
	for (size_t k = 0; k < a->a->nunits; k++) {
		const struct unit *u = &a->a->units[k], *v = &b->a->units[k];

		assert_int_equal(u->ops.ndevice, v->ops.ndevice);
		for (size_t i = 0; i < u->ops.n; i++) {
			const struct op_row *o = &u->ops.rows[i];
			const char *name = names_text(&a->c->names, o->name);
			const struct op_row *p = row_of(v, name, o, b->c);

			if (!p) {
				fail_msg("%s: no operator %s", what, name);
				return;
			}
			if (o->count != p->count || !near_share((double)o->total_ns, (double)p->total_ns, 0.001) || o->class.class != p->class.class
				|| !near_share((double)o->p95_ns, (double)p->p95_ns, 0.001))
				fail_msg("%s: %s is %zu calls, %lld ns in one, %zu, %lld in the other", what, name, o->count, (long long)o->total_ns, p->count,
					(long long)p->total_ns);
		}
	}
}

static void same_verdicts(const struct judged *a, const struct judged *b, const char *what)
{
	for (size_t k = 0; k < a->a->nunits; k++) {
		const struct unit *u = &a->a->units[k], *v = &b->a->units[k];

		assert_int_equal(u->nscopes, v->nscopes);
		for (size_t s = 0; s < u->nscopes; s++) {
			assert_int_equal(u->verdicts[s].headline, v->verdicts[s].headline);
			for (int t = 0; t < BN_MAX; t++)
				if (fabs(u->verdicts[s].scores[t].score - v->verdicts[s].scores[t].score) > 0.11)
					fail_msg("%s: %s is %.1f in one, %.1f in the other", what, bottleneck_key((enum bottleneck)t),
					u->verdicts[s].scores[t].score,
						v->verdicts[s].scores[t].score);
			for (int i = 0; i < IND_MAX; i++)
				if (!near_share(u->scopes[s].v[i], v->scopes[s].v[i], 0.001))
					fail_msg("%s: %s is %.6g in one, %.6g in the other", what, indicator_key((enum indicator)i),
					u->scopes[s].v[i], v->scopes[s].v[i]);
		}
	}
	assert_int_equal(a->a->headline, b->a->headline);
	assert_string_equal(a->a->sentence, b->a->sentence);
}

static void test_text_is_database(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct judged a, b;
		char path[600], name[100];

		if (!sample_of(path, samples[i]))
			skip();
		judged_open(&a, path, NULL);
		snprintf(name, sizeof name, "%s-db", samples[i]);
		assert_non_null(sample_of(path, name));
		judged_open(&b, path, NULL);
		same_verdicts(&a, &b, samples[i]);
		same_findings(&a.a->findings, &b.a->findings, text_only, 0.001, samples[i]);
		same_findings(&b.a->findings, &a.a->findings, NULL, 0.001, samples[i]);
		same_findings(&a.a->advice, &b.a->advice, NULL, 0.001, samples[i]);
		same_findings(&b.a->advice, &a.a->advice, NULL, 0.001, samples[i]);
		same_findings(&a.a->silent, &b.a->silent, NULL, 0.001, samples[i]);
		same_findings(&b.a->silent, &a.a->silent, text_only, 0.001, samples[i]);
		same_operators(&a, &b, samples[i]);
		judged_done(&a);
		judged_done(&b);
	}
}

/* msprof wrote text and database of one run side by side. */
static void test_msprof_text_and_database(void **state)
{
	struct judged a, b;
	char text[600], db[600];

	(void)state;
	if (!capture_of(text, "real/msprof-950-db/mindstudio_profiler_output") || !capture_of(db, "real/msprof-950-db/msprof_20260523022641.db"))
		skip();
	judged_open(&a, text, NULL);
	judged_open(&b, db, NULL);
	assert_int_equal(a.a->units[0].verdicts[0].headline, b.a->units[0].verdicts[0].headline);
	same_findings(&a.a->findings, &b.a->findings, NULL, 0.001, "msprof-950");
	same_findings(&b.a->findings, &a.a->findings, NULL, 0.001, "msprof-950");
	same_findings(&a.a->advice, &b.a->advice, NULL, 0.001, "msprof-950");
	same_findings(&b.a->advice, &a.a->advice, NULL, 0.001, "msprof-950");
	judged_done(&a);
	judged_done(&b);
}

/* Two runs of one job: the same is wrong with both, but for what only one has files for. */
static void test_two_runs(void **state)
{
	struct judged a, b;
	char path[600];

	(void)state;
	if (!capture_of(path, "real/pytorch-910b-level1"))
		skip();
	judged_open(&a, path, NULL);
	assert_non_null(capture_of(path, "real/pytorch-910b-level1-db"));
	judged_open(&b, path, NULL);
	same_findings(&a.a->findings, &b.a->findings, text_only, -1, "910b-level1");
	same_findings(&b.a->findings, &a.a->findings, NULL, -1, "910b-level1-db");
	same_findings(&a.a->advice, &b.a->advice, NULL, -1, "910b-level1");
	same_findings(&b.a->advice, &a.a->advice, NULL, -1, "910b-level1-db");
	assert_int_equal(a.a->units[0].verdicts[0].headline, BN_COMM);
	assert_int_equal(b.a->units[0].verdicts[0].headline, BN_COMM);
	judged_done(&a);
	judged_done(&b);
}

/* ---- what is known of the captures -------------------------------------------------------------------------------------------------------------- */

static double evidence_of(const struct finding *f, const char *metric)
{
	for (size_t i = 0; i < f->nevidence; i++)
		if (strcmp(f->evidence[i].metric, metric) == 0)
			return f->evidence[i].value;
	return NAN;
}

/* The figures are those of the exporter's "Total Op Info" of rank 0. */
static void test_level1_waits(void **state)
{
	struct judged j;
	const struct finding *f;
	struct buf text = { 0 };
	char path[600];

	(void)state;
	if (!capture_of(path, "real/pytorch-910b-level1"))
		skip();
	judged_open(&j, path, NULL);
	f = &j.a->findings.items[0];
	assert_string_equal(f->id, "comm.wait-or-link");
	assert_true(fabs(evidence_of(f, "elapsed") - 105991.88) < 1);
	assert_true(fabs(evidence_of(f, "transit") - 3683.35) < 1);
	assert_true(fabs(evidence_of(f, "wait") - 5940.62) < 1);
	assert_true(fabs(evidence_of(f, "idle") - 96367.91) < 1);
	assert_non_null(strstr(f->text, "105.99 ms"));
	assert_non_null(strstr(f->text, "3.68 ms"));
	assert_non_null(strstr(f->text, "the link is fine"));
	assert_true(f->severity == SEV_HIGH && f->stake_us > 100000 && f->stake_us < 103000);
	assert_non_null(strstr(j.a->sentence, "waiting for a peer, not moving data"));
	assert_string_equal(j.a->advice.items[0].id, "comm.balance-ranks");
	analysis_write_text(j.a, &text);
	assert_non_null(strstr(text.p, "the link is fine"));
	buf_done(&text);
	judged_done(&j);
}

static void test_headlines_of_samples(void **state)
{
	static const char *const types[] = { "copy", "communication", "host", NULL, "compute", "compute", "communication" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct judged j;
		char path[600];

		if (!sample_of(path, samples[i]))
			skip();
		judged_open(&j, path, NULL);
		if (types[i])
			assert_string_equal(bottleneck_key(analysis_headline(j.a)->verdicts[0].headline), types[i]);
		judged_done(&j);
	}
}

/* The late rank is named in the sentence and as a finding, and no link is blamed. */
static void test_slow_rank(void **state)
{
	struct judged j;
	const struct finding *f;
	char path[600];

	(void)state;
	if (!sample_of(path, "ranks4-slow-rank"))
		skip();
	judged_open(&j, path, NULL);
	assert_non_null(strstr(j.a->sentence, "waiting for rank 2"));
	f = finding_of(&j.a->findings, "comm.slow-rank");
	assert_non_null(f);
	assert_string_equal(f->title, "Rank 2 makes the others wait");
	assert_ptr_equal(f, &j.a->findings.items[0]);
	judged_done(&j);
}

/* What only informs comes after what costs; both parts by falling stake. Nothing claims more than a whole step. */
static void test_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct judged j;
		char path[600];

		if (!sample_of(path, samples[i]))
			skip();
		judged_open(&j, path, NULL);
		for (size_t k = 0; k < j.a->findings.n; k++) {
			const struct finding *f = &j.a->findings.items[k], *g = k ? f - 1 : NULL;

			assert_true(f->text[0] && f->title[0] && f->verify && f->actions[0]);
			assert_true(!(f->stake_pct > 100.0001));
			assert_true(!g || g->severity != SEV_INFO || f->severity == SEV_INFO);
			assert_true(!g || (g->severity == SEV_INFO) != (f->severity == SEV_INFO) || !(f->total_us > g->total_us));
		}
		for (size_t k = 0; k < j.a->advice.n; k++) {
			const struct finding *f = &j.a->advice.items[k];

			assert_true(f->actions[0] && f->verify[0] && f->ntargets);
			assert_true(!(f->benefit.low_pct > f->benefit.estimate_pct) && !(f->benefit.estimate_pct > f->benefit.high_pct));
			assert_true(!(f->benefit.high_pct > 100) && !(f->benefit.low_pct < 0));
			assert_true(k == 0 || f->priority <= (f - 1)->priority);
		}
		for (size_t k = 0; k < j.a->silent.n; k++)
			assert_true(j.a->silent.items[k].missing[0] && j.a->silent.items[k].recollect[0]);
		judged_done(&j);
	}
}

/* ---- the same twice ------------------------------------------------------------------------------------------------------------------------- */

static char *json_of(const char *path, const char *threads)
{
	struct judged j;
	struct buf b = { 0 };

	setenv("ASCOPE_THREADS", threads, 1);
	judged_open(&j, path, NULL);
	analysis_write_json(j.a, &b);
	judged_done(&j);
	unsetenv("ASCOPE_THREADS");
	return b.p;
}

static void test_same_answer(void **state)
{
	static const char *const which[] = { "mixed-phases", "ranks4-slow-rank", "decode-comm-bound-db" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(which); i++) {
		char path[600], *a, *b, *c;

		if (!sample_of(path, which[i]))
			skip();
		a = json_of(path, "1");
		b = json_of(path, "1");
		c = json_of(path, "7");
		assert_string_equal(a, b);
		assert_string_equal(a, c);
		free(a);
		free(b);
		free(c);
	}
}

/* ---- thresholds move verdicts ------------------------------------------------------------------------------------------------------------------- */

static void test_thresholds_reach_the_rules(void **state)
{
	static const struct {
		const char *sample, *key;
		double value;
		const char *id;		/* the finding or advice that goes */
	} cases[] = {
		{ "host-schedule-bound", "minGapUs", 1e6, "gap.host-late" },
		{ "host-schedule-bound", "triggerScore", 101, "host.enable-graph-mode" },
		{ "decode-comm-bound", "commLatencyBoundUs", 1, "comm.message-size" },
		{ "decode-comm-bound", "minStepSharePct", 99, "comm.wait-or-link" },
		{ "ranks4-slow-rank", "transitShareGate", 1, "comm.balance-ranks" },
		{ "host-schedule-bound-optimized", "syncPerStepGate", 1e9, "host.sampler-sync" },
		{ "host-schedule-bound-optimized", "commShareGate", 99, "comm.overlap-disabled" },
		{ "host-schedule-bound", "smallOpUs", 0.001, "compute.small-sequences" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct analysis_options o;
		struct judged plain, moved;
		char path[600];
		bool before, after;

		if (!sample_of(path, cases[i].sample))
			skip();
		analysis_options_init(&o);
		assert_true(threshold_set(&o.thresholds, cases[i].key, cases[i].value));
		judged_open(&plain, path, NULL);
		judged_open(&moved, path, &o);
		before = finding_of(&plain.a->findings, cases[i].id) || finding_of(&plain.a->advice, cases[i].id);
		after = finding_of(&moved.a->findings, cases[i].id) || finding_of(&moved.a->advice, cases[i].id);
		if (after)
			fail_msg("%s = %g: %s is still there", cases[i].key, cases[i].value, cases[i].id);
		if (!before)
			fail_msg("%s: %s is not there with the defaults", cases[i].sample, cases[i].id);
		judged_done(&plain);
		judged_done(&moved);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split_of_samples),
		cmocka_unit_test(test_split_of_real_captures),
		cmocka_unit_test(test_text_is_database),
		cmocka_unit_test(test_msprof_text_and_database),
		cmocka_unit_test(test_two_runs),
		cmocka_unit_test(test_level1_waits),
		cmocka_unit_test(test_headlines_of_samples),
		cmocka_unit_test(test_slow_rank),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_same_answer),
		cmocka_unit_test(test_thresholds_reach_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
