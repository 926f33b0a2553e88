/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps of whole captures: samples, their databases, and real ones with numbers that were counted outside of this program. */
#include "core/load/load.h"
#include "tests/help/gaps_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static struct classifier *classifier;

static int setup(void **state)
{
	struct diag d;

	(void)state;
	classifier = classifier_new(&d);
	return classifier ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	classifier_free(classifier);
	return 0;
}

struct found {
	struct capture *c;
	struct work_model *models;
	size_t n;
	struct gaps g;			/* of the model asked for */
};

static void found_done(struct found *f)
{
	gaps_done(&f->g);
	work_free(f->models, f->n);
	capture_free(f->c);
}

/* The first model of the first rank. */
static void find_in(struct found *f, const char *path)
{
	struct diag d;

	assert_int_equal(capture_load(path, NULL, NULL, &f->c, &d), ERR_OK);
	f->models = work_new(f->c, &f->c->ranks[0], classifier, &f->n);
	gaps_find(&f->models[0], NULL, -1, &f->g);
	check_sums(&f->models[0], &f->g);
}

static bool sample_path(char out[], size_t size, const char *name)
{
	const char *samples = getenv("ASCOPE_SAMPLES");
	struct stat st;

	snprintf(out, size, "%s/%s", samples && samples[0] ? samples : "build/samples", name);
	return stat(out, &st) == 0;
}

static bool real_path(char out[], size_t size, const char *name)
{
	const char *captures = getenv("ASCOPE_CAPTURES");
	struct stat st;

	snprintf(out, size, "%s/real/%s", captures && captures[0] ? captures : "../shared/captures", name);
	return stat(out, &st) == 0;
}

static const char *const samples[] = { "host-schedule-bound", "host-schedule-bound-optimized", "copy-bound", "decode-comm-bound",
	"prefill-compute-bound", "mixed-phases", "ranks4-slow-rank" };

static void test_samples(void **state)
{
	char path[600];

	(void)state;
	if (!sample_path(path, sizeof path, samples[0])) {
		print_message("no samples: skipped\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct found f;

		sample_path(path, sizeof path, samples[i]);
		find_in(&f, path);
		assert_true(f.g.all.count > 0);
		assert_int_equal(f.g.by_cause[GAP_UNKNOWN].count, 0);
		/* The host is late in every one of them: before each task, or at the beginning of each step. */
		assert_true(f.g.by_cause[GAP_HOST_LATE].total_ns > f.g.all.total_ns / 10 * 9);
		if (i == 0)	/* and there it is most of the window */
			assert_true(f.g.by_cause[GAP_HOST_LATE].total_ns > (f.models[0].last - f.models[0].first) / 10 * 7);
		found_done(&f);
	}
}

/* The text and the database of one run. */
static void test_text_and_database(void **state)
{
	char path[600], db[100];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct found a, b;

		snprintf(db, sizeof db, "%s-db", samples[i]);
		if (!sample_path(path, sizeof path, db)) {
			print_message("no sample %s: skipped\n", db);
			skip();
		}
		find_in(&b, path);
		sample_path(path, sizeof path, samples[i]);
		find_in(&a, path);
		assert_int_equal(a.g.n, b.g.n);
		for (size_t k = 0; k < a.g.n; k++) {
			const struct gap *x = &a.g.items[k], *y = &b.g.items[k];

			assert_int_equal(x->start, y->start);
			assert_int_equal(x->end, y->end);
			assert_int_equal(x->cause, y->cause);
			assert_int_equal(x->host_busy, y->host_busy);
		}
		assert_memory_equal(&a.g.below, &b.g.below, sizeof a.g.below);
		found_done(&a);
		found_done(&b);
	}
}

/*
 * Counted from the traces by a script that shares nothing with this program: all gaps over 50 us and their ns, and those whose next task
 * was launched (HostToDevice) by a call that began after the gap did.
 */
static void test_real(void **state)
{
	static const struct {
		const char *name;
		size_t gaps, late;
		int64_t ns;
	} known[] = {
		{ "pytorch-910b-level1/rank0_ascend_pt", 88, 41, 29465558 },
		{ "pytorch-910b-level1/rank1_ascend_pt", 88, 44, 30657564 },
	};
	char path[600];

	(void)state;
	if (!real_path(path, sizeof path, known[0].name)) {
		print_message("no real captures: skipped\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		struct found f;
		size_t late = 0;

		real_path(path, sizeof path, known[i].name);
		find_in(&f, path);
		assert_int_equal(f.g.all.count, known[i].gaps);
		assert_int_equal(f.g.all.total_ns, known[i].ns);
		for (size_t k = 0; k < f.g.n; k++) {
			const struct gap *x = &f.g.items[k];

			if (x->cause == GAP_EDGE || x->launch == NONE || f.models[0].r->events.start[x->launch] <= x->start)
				continue;
			late++;
			assert_true(x->cause != GAP_LAUNCH && x->cause != GAP_UNKNOWN);
		}
		assert_int_equal(late, known[i].late);
		found_done(&f);
	}
}

/* Whatever else there is: every model adds up. */
static void test_all_real(void **state)
{
	static const char *const names[] = { "msprof-910b", "msprof-950-db", "msprof-metric-groups", "pytorch-910b-level1",
		"pytorch-910b-level1-db", "pytorch-cann83-pp2dp2-4ranks", "pytorch-timeline-2023" };
	char path[600];
	size_t models = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct capture *c;
		struct diag d;

		if (!real_path(path, sizeof path, names[i])) {
			print_message("no real captures: skipped\n");
			skip();
		}
		assert_int_equal(capture_load(path, NULL, NULL, &c, &d), ERR_OK);
		for (size_t r = 0; r < c->nranks; r++) {
			size_t n;
			struct work_model *m = work_new(c, &c->ranks[r], classifier, &n);

			for (size_t k = 0; k < n; k++, models++) {
				struct gaps g;

				gaps_find(&m[k], NULL, 0, &g);
				check_sums(&m[k], &g);
				assert_int_equal(g.below.count, 0);
				gaps_done(&g);
			}
			work_free(m, n);
		}
		capture_free(c);
	}
	assert_true(models >= 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_text_and_database),
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_all_real),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
