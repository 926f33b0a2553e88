/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small capture with files taken away, every subset of them: nothing that is left may become a wrong number, and every rule whose input is
 * gone says so, no other. And the same capture twenty times in a row: the same verdict, the same findings, the same advice.
 */
#include "tests/help/analysis_run.h"
#include "tests/help/tmpdir.h"

#include "core/base/decimal.h"
#include "core/report/analysis_report.h"

#include <glob.h>

enum file { TRACE, KERNELS, STEPS, STATISTIC, COMM, MATRIX, INFO, METADATA, FILES };

static const char *const file_names[FILES] = { "ASCEND_PROFILER_OUTPUT/trace_view.json", "ASCEND_PROFILER_OUTPUT/kernel_details.csv",
	"ASCEND_PROFILER_OUTPUT/step_trace_time.csv", "ASCEND_PROFILER_OUTPUT/op_statistic.csv", "ASCEND_PROFILER_OUTPUT/communication.json",
	"ASCEND_PROFILER_OUTPUT/communication_matrix.json", "profiler_info_0.json", "profiler_metadata.json" };

static struct buf contents[FILES];

static bool read_all(const char *path, struct buf *b)
{
	char block[65536];
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		return false;
	while ((n = fread(block, 1, sizeof block, f)) > 0)
		buf_add(b, block, n);
	fclose(f);
	return true;
}

/* The sample's text files, once. */
static int setup(void **state)
{
	char path[600], file[900];
	glob_t g;
	size_t n = 0;

	(void)state;
	if (!sample_of(path, "hostile/healthy"))
		return 0;
	strcat(path, "/*_ascend_pt");
	if (glob(path, 0, NULL, &g))
		return 0;
	for (int i = 0; i < FILES; i++) {
		snprintf(file, sizeof file, "%s/%s", g.gl_pathv[0], file_names[i]);
		n += read_all(file, &contents[i]);
	}
	globfree(&g);
	return n == FILES ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < FILES; i++)
		buf_done(&contents[i]);
	return 0;
}

static void need_sample(void)
{
	if (contents[TRACE].n)
		return;
	print_message("no samples\n");
	skip();
}

#define FOLDER "host_1_20251201102001044_ascend_pt/"

static void write_subset(const char *dir, unsigned set)
{
	for (int i = 0; i < FILES; i++) {
		char name[200];

		snprintf(name, sizeof name, FOLDER "%s", file_names[i]);
		if (set >> i & 1)
			tmpdir_write(dir, name, contents[i].p, contents[i].n);
	}
}

/* ---- rules ---------------------------------------------------------------------------------------------------------------------------------- */

#define HAS(file) (set >> (file) & 1)

static bool has_work(unsigned set)
{
	return HAS(TRACE) || HAS(KERNELS);
}

static bool has_collectives(unsigned set)
{
	return has_work(set) || HAS(COMM);
}

static bool lacks_host(unsigned set)        { return !HAS(TRACE); }
static bool lacks_kernels(unsigned set)     { return !HAS(KERNELS); }
static bool lacks_work(unsigned set)        { return !has_work(set); }
/* The planes of this capture show waits and no transfers: what they moved stands in the communication file only. */
static bool lacks_split(unsigned set)       { return has_collectives(set) && !HAS(COMM); }
static bool lacks_ranks(unsigned set)       { return has_collectives(set); }
static bool lacks_always(unsigned set)      { (void)set; return true; }
static bool lacks_metadata(unsigned set)    { return !HAS(METADATA); }

static const struct {
	const char *id;
	bool (*lacks)(unsigned set);
} rules[] = {
	{ "gap.host-late", lacks_host }, { "gap.launch", lacks_host }, { "gap.sync", lacks_host }, { "gap.host-idle", lacks_host },
	{ "comm.wait-or-link", lacks_split }, { "comm.slow-rank", lacks_ranks }, { "compute.aicpu", lacks_work }, { "compute.bound", lacks_kernels },
	{ "compute.shape-affinity", lacks_kernels }, { "compute.block-dim", lacks_kernels }, { "compute.small-sequences", lacks_work },
	{ "host.runtime-compile", lacks_host }, { "host.allocator", lacks_host }, { "host.blocking-launch", lacks_host }, { "host.gc", lacks_always },
	{ "config.environment", lacks_metadata }, { "compute.frequency", lacks_host }, { "comm.contention", lacks_split },
	{ "comm.message-size", lacks_split }, { "copy.d2h", lacks_host }, { "copy.h2d", lacks_host },
};

static const char *set_text(unsigned set)
{
	static char text[400];

	text[0] = '\0';
	for (int i = 0; i < FILES; i++)
		if (HAS(i)) {
			const char *slash = strrchr(file_names[i], '/');

			strcat(strcat(text, slash ? slash + 1 : file_names[i]), " ");
		}
	return text;
}

static void check_silent(const struct judged *j, unsigned set)
{
	size_t expected = 0;

	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		const struct finding *f = finding_of(&j->a->silent, rules[i].id);
		bool lacks = rules[i].lacks(set);

		expected += lacks;
		if (lacks != (f != NULL))
			fail_msg("%s: %s %s", set_text(set), rules[i].id, f ? f->missing : "does not say what it lacks");
		if (f)
			assert_true(f->missing[0] && f->recollect[0]);
		if (f && finding_of(&j->a->findings, rules[i].id))
			fail_msg("%s: %s is a finding and lacks its input", set_text(set), rules[i].id);
	}
	assert_int_equal(j->a->silent.n, expected);
}

/* ---- figures -------------------------------------------------------------------------------------------------------------------------------- */

/* What does not depend on the window: equal whatever is missing, or unknown. */
static const enum indicator fixed[] = { IND_COMPUTE, IND_COMM, IND_EXPOSED, IND_COMM_OVERLAP, IND_COMM_COUNT, IND_COMM_MEDIAN, IND_COMPUTE_MEDIAN, IND_MAC,
	IND_MTE2, IND_VEC, IND_COMM_SIZE, IND_COMM_TRANSIT, IND_D2H, IND_H2D, IND_COPY, IND_HOST_BUSY, IND_HOST_EVENTS, IND_DISPATCHES, IND_SYNCS,
	IND_HOST_SCHEDULE, IND_HOST_COPY };

static bool from_comm(size_t i)
{
	return i == IND_COMM_SIZE || i == IND_COMM_TRANSIT || i == IND_COMM_WAIT_STEP;
}

/*
 * With the timeline all figures stand, whatever else is gone. Without it the window is the device's own, from its first to its last kernel, and
 * busy time is that of kernels and collectives: shares of the window and idle time are of that.
 */
static void check_figures(const struct unit *u, const struct unit *full, unsigned set)
{
	const double *v = u->scopes[0].v, *w = full->scopes[0].v;

	for (int i = 0; HAS(TRACE) && i < IND_MAX; i++)
		if (!isnan(v[i]) && !near_share(v[i], w[i], 1e-4))
			fail_msg("%s: %s is %.6g, not %.6g", set_text(set), indicator_key((enum indicator)i), v[i], w[i]);
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		if (!isnan(v[fixed[i]]) && !near_share(v[fixed[i]], w[fixed[i]], 1e-4))
			fail_msg("%s: %s is %.6g, not %.6g", set_text(set), indicator_key(fixed[i]), v[fixed[i]], w[fixed[i]]);
	if (has_work(set)) {
		assert_true(isfinite(v[IND_COMPUTE]));
		assert_true(isfinite(v[IND_DEVICE_BUSY_PCT]));
	}
	if (HAS(TRACE))
		for (size_t i = 0; i < IND_MAX; i++)
			if (isnan(v[i]) && !isnan(w[i]) && i != IND_MAC && i != IND_MTE2 && i != IND_VEC && !(lacks_split(set) && from_comm(i)))
				fail_msg("%s: %s is unknown", set_text(set), indicator_key((enum indicator)i));
	if (!HAS(TRACE))
		assert_true(isnan(v[IND_HOST_BUSY]) && isnan(v[IND_DISPATCH]) && isnan(v[IND_COPY_PCT]) && isnan(v[IND_HOST_ONLY_PCT]));
	if (!HAS(KERNELS))
		assert_true(isnan(v[IND_MAC]) && isnan(v[IND_VEC]));
	if (!has_work(set))
		assert_true(isnan(v[IND_COMPUTE]) && isnan(v[IND_DEVICE_BUSY]));
}

/* Nothing is found with less that was not found with all; with the timeline at the same stake. */
static void check_findings(const struct judged *j, const struct judged *full, unsigned set)
{
	for (size_t i = 0; i < j->a->findings.n; i++) {
		const struct finding *f = &j->a->findings.items[i], *g = finding_of(&full->a->findings, f->id);

		if (!g)
			fail_msg("%s: %s is not found in the whole capture", set_text(set), f->id);
		else if (HAS(TRACE) && !near_share(f->stake_us, g->stake_us, 1e-4))
			fail_msg("%s: %s is %.3f us, not %.3f", set_text(set), f->id, f->stake_us, g->stake_us);
	}
	/* What is about kernels and collectives needs no host; "memory bound" and the like need the kernels' ratios. */
	if (HAS(TRACE) && HAS(KERNELS))
		for (size_t i = 0; i < full->a->findings.n; i++)
			if (!finding_of(&j->a->silent, full->a->findings.items[i].id) && !finding_of(&j->a->findings, full->a->findings.items[i].id))
				fail_msg("%s: %s is missing", set_text(set), full->a->findings.items[i].id);
}

/* Text and JSON of whatever is left: no NaN in words, no number out of nothing. */
static void check_faces(const struct judged *j, unsigned set)
{
	struct buf b = { 0 };

	analysis_write_text(j->a, &b);
	if (strstr(b.p, " nan") || strstr(b.p, "-nan") || strstr(b.p, " inf ") || strstr(b.p, "(null)"))
		fail_msg("%s: %s", set_text(set), b.p);
	buf_done(&b);
	analysis_write_json(j->a, &b);
	if (strstr(b.p, ": nan") || strstr(b.p, ":nan") || strstr(b.p, "inf,"))
		fail_msg("%s: no JSON", set_text(set));
	buf_done(&b);
	assert_null(strstr(j->a->sentence, "nan"));
}

static void test_subsets(void **state)
{
	struct judged full;
	char dir[300];
	size_t judged = 0, refused = 0;

	(void)state;
	need_sample();
	setenv("ASCOPE_THREADS", "1", 1);
	tmpdir_make(dir, sizeof dir);
	write_subset(dir, (1u << FILES) - 1);
	judged_open(&full, dir, NULL);
	check_silent(&full, (1u << FILES) - 1);
	for (unsigned set = 0; set < 1u << FILES; set++) {
		struct judged j;
		struct diag d;
		char sub[300];

		tmpdir_make(sub, sizeof sub);
		write_subset(sub, set);
		if (judged_try(&j, sub, NULL, &d)) {
			judged++;
			assert_true(j.a->nunits <= 1);
			check_faces(&j, set);
			if (j.a->nunits) {
				check_silent(&j, set);
				check_figures(&j.a->units[0], &full.a->units[0], set);
				check_findings(&j, &full, set);
			}
		} else {
			refused++;
			if (has_work(set) || HAS(COMM) || HAS(STEPS))
				fail_msg("%s: refused, %s", set_text(set), d.text);
		}
		judged_done(&j);
		tmpdir_remove(sub);
	}
	assert_true(judged >= 240);
	assert_true(refused >= 1);
	judged_done(&full);
	tmpdir_remove(dir);
	unsetenv("ASCOPE_THREADS");
}

/* ---- twenty times ---------------------------------------------------------------------------------------------------------------------------- */

enum { STEPS_OF_SAMPLE = 2 };

/* The digits (and point) at p, as ns of a time in us; *end is behind them. */
static int64_t time_at(const char *p, const char **end)
{
	size_t n = strspn(p, "0123456789.");
	int64_t ns = 0;

	assert_int_equal(decimal_to_int((struct str){ p, n }, 3, &ns), true);
	*end = p + n;
	return ns;
}

static void add_time(struct buf *b, int64_t ns)
{
	buf_printf(b, "%lld.%03lld", (long long)(ns / 1000), (long long)(ns % 1000));
}

/* From the beginning of the first step mark to the end of the second: the rounds follow one another without a pause. */
static int64_t period_of(const char *trace)
{
	const char *first = strstr(trace, "ProfilerStep#2"), *second = strstr(trace, "ProfilerStep#3"), *p;
	int64_t from, to;

	assert_true(first && second);
	from = time_at(strstr(first, "\"ts\": \"") + 7, &p);
	to = time_at(strstr(second, "\"ts\": \"") + 7, &p);
	return to + time_at(strstr(second, "\"dur\": ") + 7, &p) - from;
}

static bool starts(const char *p, const char *with)
{
	return strncmp(p, with, strlen(with)) == 0;
}

/* Copies JSON with times shifted, ids made unequal to those of other rounds, and step numbers moved on. */
static void add_round(struct buf *out, const char *p, size_t n, int64_t shift, int round)
{
	static const char *const times[] = { "\"ts\": \"", "\"Start Timestamp(us)\": " };
	static const char *const ids[] = { "\"id\": ", "\"id\": \"", "\"connection_id\": ", "\"correlation_id\": " };
	static const char *const steps[] = { "ProfilerStep#", "\"step" };
	const char *end = p + n;

	while (p < end) {
		size_t i, skip = 0;

		for (i = 0; i < ARRAY_LEN(times) && !skip; i++)
			if (starts(p, times[i])) {
				skip = strlen(times[i]);
				buf_add(out, p, skip);
				add_time(out, time_at(p + skip, &p) + shift);
			}
		for (i = 0; i < ARRAY_LEN(ids) && !skip; i++)
			if (starts(p, ids[i]) && p[strlen(ids[i])] >= '0' && p[strlen(ids[i])] <= '9') {
				skip = strlen(ids[i]) + strspn(p + strlen(ids[i]), "0123456789");
				buf_add(out, p, skip);
				buf_printf(out, "%02d", round);
				p += skip;
			}
		for (i = 0; i < ARRAY_LEN(steps) && !skip; i++)
			if (starts(p, steps[i]) && p[strlen(steps[i])] >= '0' && p[strlen(steps[i])] <= '9') {
				skip = strlen(steps[i]);
				buf_add(out, p, skip);
				buf_printf(out, "%d", atoi(p + skip) + STEPS_OF_SAMPLE * round);
				p += skip + strspn(p + skip, "0123456789");
			}
		if (!skip)
			buf_char(out, *p++);
	}
}

/* A JSON list or object `times` times in a row, as one. */
static struct buf repeat_json(const struct buf *in, int times, int64_t period)
{
	struct buf out = { 0 };
	size_t last = in->n - 1;

	while (in->p[last] != ']' && in->p[last] != '}')
		last--;
	buf_char(&out, in->p[0]);
	for (int k = 0; k < times; k++) {
		add_round(&out, in->p + 1, last - 1, k * period, k);
		buf_char(&out, k + 1 < times ? ',' : in->p[last]);
	}
	return out;
}

/* A CSV: the step number in one column, the start in another (-1: none). */
static struct buf repeat_csv(const struct buf *in, int times, int64_t period, int step_column, int time_column)
{
	struct buf out = { 0 };
	const char *body = strchr(in->p, '\n') + 1;

	buf_add(&out, in->p, (size_t)(body - in->p));
	for (int k = 0; k < times; k++) {
		int column = 0;

		for (const char *p = body; *p;) {
			bool begins = p == body || p[-1] == '\n' || p[-1] == ',';

			if (begins && column == step_column) {
				buf_printf(&out, "%d", atoi(p) + STEPS_OF_SAMPLE * k);
				p += strspn(p, "0123456789");
			} else if (begins && column == time_column) {
				add_time(&out, time_at(p, &p) + k * period);
			}
			column = *p == '\n' ? 0 : column + (*p == ',');
			buf_char(&out, *p++);
		}
	}
	return out;
}

static void write_repeated(const char *dir, int times)
{
	int64_t period = period_of(contents[TRACE].p);
	struct buf files[] = { repeat_json(&contents[TRACE], times, period), repeat_csv(&contents[KERNELS], times, period, 0, 9),
		repeat_csv(&contents[STEPS], times, period, 1, -1), repeat_json(&contents[COMM], times, period) };
	static const enum file which[] = { TRACE, KERNELS, STEPS, COMM };

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		char name[200];

		snprintf(name, sizeof name, FOLDER "%s", file_names[which[i]]);
		tmpdir_write(dir, name, files[i].p, files[i].n);
		buf_done(&files[i]);
	}
	tmpdir_write(dir, FOLDER "profiler_info_0.json", contents[INFO].p, contents[INFO].n);
	tmpdir_write(dir, FOLDER "profiler_metadata.json", contents[METADATA].p, contents[METADATA].n);
}

/* The pause between two rounds is a gap with a cause; in a single round it is the capture's edge, and nothing is said about it. */
static bool about_gaps(const char *id)
{
	return strncmp(id, "gap.", 4) == 0;
}

static void same_lists(const struct findings *a, const struct findings *b, const char *what)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct finding *f = &a->items[i], *g = finding_of(b, f->id);

		if (!g)
			fail_msg("%s: %s is in one only", what, f->id);
		else if (!about_gaps(f->id) && !near_share(f->stake_us, g->stake_us, 0.01))
			fail_msg("%s: %s is %.3f us a step in one, %.3f in the other", what, f->id, f->stake_us, g->stake_us);
		else if (!about_gaps(f->id) && !near_share(f->benefit.estimate_pct, g->benefit.estimate_pct, 0.01))
			fail_msg("%s: %s gains %.3f %% in one, %.3f %% in the other", what, f->id, f->benefit.estimate_pct, g->benefit.estimate_pct);
	}
}

static void test_twenty_times(void **state)
{
	struct judged once, often;
	char a[300], b[300];

	(void)state;
	need_sample();
	tmpdir_make(a, sizeof a);
	tmpdir_make(b, sizeof b);
	write_repeated(a, 5);		/* the edges of a capture weigh less in ten steps than in two */
	write_repeated(b, 5 * 20);
	judged_open(&once, a, NULL);
	judged_open(&often, b, NULL);
	assert_int_equal(once.a->units[0].steps.n, 10);
	assert_int_equal(often.a->units[0].steps.n, 200);
	assert_int_equal(often.a->nchecks, 200 * 4);
	for (size_t i = 0; i < often.a->nchecks; i++)
		assert_true(fabs(often.a->checks[i].deviation_pct) <= 0.1);
	assert_int_equal(once.a->units[0].nscopes, often.a->units[0].nscopes);
	for (size_t s = 0; s < once.a->units[0].nscopes; s++) {
		assert_int_equal(once.a->units[0].verdicts[s].headline, often.a->units[0].verdicts[s].headline);
		for (int t = 0; t < BN_MAX; t++)
			assert_int_equal(once.a->units[0].verdicts[s].scores[t].located, often.a->units[0].verdicts[s].scores[t].located);
	}
	same_lists(&once.a->findings, &often.a->findings, "findings");
	same_lists(&often.a->findings, &once.a->findings, "findings");
	same_lists(&once.a->advice, &often.a->advice, "advice");
	same_lists(&often.a->advice, &once.a->advice, "advice");
	same_lists(&once.a->silent, &often.a->silent, "silent");
	assert_int_equal(once.a->silent.n, often.a->silent.n);
	judged_done(&once);
	judged_done(&often);
	tmpdir_remove(a);
	tmpdir_remove(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_subsets),
		cmocka_unit_test(test_twenty_times),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
