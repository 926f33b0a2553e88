/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader on real captures. The expected numbers were computed by a separate Python program: exact fractions, lanes sorted by the keys
 * that events.h names, every flow compared with every event of its lane. The hashes (FNV-1a, 64 bits) cover each event of the result in
 * order, as "start dur name\n", and each link as "kind from to\n".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/help/trace_text.h"

#include <inttypes.h>

struct process_sum {
	const char *process;
	size_t n;
	int64_t dur;			/* ns, summed over its events */
};

struct real_trace {
	const char *path;
	size_t x, m, c, s, f, t;	/* events by phase */
	size_t lanes, processes, samples, series;
	int64_t first, last;		/* ns */
	uint64_t events_hash, links_hash;
	size_t links[LINK_MAX], unmatched[LINK_MAX];
	struct process_sum sums[6];
};

static const struct real_trace traces[] = {
	{
		.path = "real/msprof-910b/mindstudio_profiler_output/msprof_20260511093035.json",
		.x = 177, .m = 28, .c = 2, .s = 11, .f = 11, .t = 0,
		.lanes = 9, .processes = 4, .samples = 2, .series = 1,
		.first = INT64_C(1778463028384811770), .last = INT64_C(1778463028799351312),
		.events_hash = UINT64_C(0x4d5bdd3e401a0c8f), .links_hash = UINT64_C(0xc1c153e076af534b),
		.links = { 0, 0, 11, 0, 0, 0, 0 }, .unmatched = { 0, 0, 0, 0, 0, 0, 0 },
		.sums = {
			{ "CANN", 145, INT64_C(167736150) },
			{ "Ascend Hardware", 14, INT64_C(119966) },
			{ "Overlap Analysis", 18, INT64_C(352689228) },
		},
	},
	{
		.path = "real/msprof-950-db/mindstudio_profiler_output/msprof_20260523022641.json",
		.x = 46, .m = 26, .c = 26, .s = 1, .f = 1, .t = 0,
		.lanes = 8, .processes = 4, .samples = 26, .series = 2,
		.first = INT64_C(1779503195225491205), .last = INT64_C(1779503198642582924),
		.events_hash = UINT64_C(0x1a27cc863b315bb5), .links_hash = UINT64_C(0x93ae2b5ecf1ed102),
		.links = { 0, 0, 1, 0, 0, 0, 0 }, .unmatched = { 0, 0, 0, 0, 0, 0, 0 },
		.sums = {
			{ "CANN", 39, INT64_C(6820083409) },
			{ "Ascend Hardware", 4, INT64_C(6385) },
			{ "Overlap Analysis", 3, INT64_C(8357684) },
		},
	},
	{
		.path = "real/pytorch-910b-level1/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json",
		.x = 4384, .m = 80, .c = 4431, .s = 606, .f = 611, .t = 0,
		.lanes = 31, .processes = 12, .samples = 7183, .series = 30,
		.first = INT64_C(1736408883674584732), .last = INT64_C(1736408883852217921),
		.events_hash = UINT64_C(0x8ae9c13a75550137), .links_hash = UINT64_C(0xd6fd23420dd300c1),
		.links = { 210, 159, 215, 27, 0, 0, 0 }, .unmatched = { 0, 0, 0, 0, 0, 0, 0 },
		.sums = {
			{ "Python", 2460, INT64_C(2769226040) },
			{ "CANN", 707, INT64_C(123965130) },
			{ "Ascend Hardware", 535, INT64_C(241788256) },
			{ "HCCL", 300, INT64_C(246078780) },
			{ "Overlap Analysis", 382, INT64_C(242572887) },
		},
	},
	{
		.path = "real/pytorch-910b-level1/rank1_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json",
		.x = 4385, .m = 80, .c = 4287, .s = 606, .f = 611, .t = 0,
		.lanes = 31, .processes = 12, .samples = 6867, .series = 30,
		.first = INT64_C(1736408883676317851), .last = INT64_C(1736408883853308267),
		.events_hash = UINT64_C(0x0de16200a4e1b827), .links_hash = UINT64_C(0x703e8206770340e2),
		.links = { 210, 159, 215, 27, 0, 0, 0 }, .unmatched = { 0, 0, 0, 0, 0, 0, 0 },
		.sums = {
			{ "Python", 2460, INT64_C(2731313530) },
			{ "CANN", 708, INT64_C(120842880) },
			{ "Ascend Hardware", 535, INT64_C(220354646) },
			{ "HCCL", 300, INT64_C(224703371) },
			{ "Overlap Analysis", 382, INT64_C(232287902) },
		},
	},
	{
		.path = "real/pytorch-timeline-2023/trace_view.json",
		.x = 2212, .m = 32, .c = 0, .s = 713, .f = 713, .t = 0,
		.lanes = 12, .processes = 4, .samples = 0, .series = 0,
		.first = INT64_C(1704161511420289011), .last = INT64_C(1704161511434422441),
		.events_hash = UINT64_C(0x329b3bb0c0f05de6), .links_hash = UINT64_C(0x12779278f5078f4a),
		.links = { 274, 148, 274, 17, 0, 0, 0 }, .unmatched = { 0, 0, 0, 0, 0, 0, 0 },
		.sums = {
			{ "Python", 1007, INT64_C(45526600) },
			{ "CANN", 382, INT64_C(10883721) },
			{ "Ascend Hardware", 276, INT64_C(1790457) },
			{ "Overlap Analysis", 547, INT64_C(11269966) },
		},
	},
	{
		.path = "reference/decode-comm-bound/trace_view.json",
		.x = 10023, .m = 4, .c = 0, .s = 0, .f = 0, .t = 0,
		.lanes = 7, .processes = 3, .samples = 0, .series = 0,
		.first = INT64_C(1704161511420000000), .last = INT64_C(1704161511707047850),
		.events_hash = UINT64_C(0xe00c98a97dbbdbd8), .links_hash = UINT64_C(0xcbf29ce484222325),
		.links = { 0, 0, 0, 0, 0, 0, 0 }, .unmatched = { 0, 0, 0, 0, 0, 0, 0 },
		.sums = {
			{ "Python", 6927, INT64_C(149035709) },
			{ "Ascend Hardware", 3096, INT64_C(258160350) },
		},
	},
	{
		.path = "reference/host-schedule-bound-optimized/trace_view.json",
		.x = 16320, .m = 4, .c = 0, .s = 0, .f = 0, .t = 0,
		.lanes = 7, .processes = 3, .samples = 0, .series = 0,
		.first = INT64_C(1704161511420000000), .last = INT64_C(1704161511656604892),
		.events_hash = UINT64_C(0xe2ed0d1f67b224f3), .links_hash = UINT64_C(0xcbf29ce484222325),
		.links = { 0, 0, 0, 0, 0, 0, 0 }, .unmatched = { 0, 0, 0, 0, 0, 0, 0 },
		.sums = {
			{ "Python", 13740, INT64_C(323778950) },
			{ "Ascend Hardware", 2580, INT64_C(163594117) },
		},
	},
	{
		.path = "reference/host-schedule-bound/trace_view.json",
		.x = 35713, .m = 4, .c = 0, .s = 0, .f = 0, .t = 0,
		.lanes = 7, .processes = 3, .samples = 0, .series = 0,
		.first = INT64_C(1704161511420000000), .last = INT64_C(1704161511851800000),
		.events_hash = UINT64_C(0x16c08f42c1db953e), .links_hash = UINT64_C(0xcbf29ce484222325),
		.links = { 0, 0, 0, 0, 0, 0, 0 }, .unmatched = { 0, 0, 0, 0, 0, 0, 0 },
		.sums = {
			{ "Python", 33133, INT64_C(796189484) },
			{ "Ascend Hardware", 2580, INT64_C(164106534) },
		},
	},
	{
		.path = "reference/prefill-compute-bound/trace_view.json",
		.x = 6742, .m = 4, .c = 0, .s = 0, .f = 0, .t = 0,
		.lanes = 7, .processes = 3, .samples = 0, .series = 0,
		.first = INT64_C(1704161511420000000), .last = INT64_C(1704161512777060697),
		.events_hash = UINT64_C(0x876b888db6f361c2), .links_hash = UINT64_C(0xcbf29ce484222325),
		.links = { 0, 0, 0, 0, 0, 0, 0 }, .unmatched = { 0, 0, 0, 0, 0, 0, 0 },
		.sums = {
			{ "Python", 5968, INT64_C(163975458) },
			{ "Ascend Hardware", 774, INT64_C(1383905399) },
		},
	},
};

static uint64_t fnv(uint64_t h, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
	return h;
}

static uint64_t events_hash(const struct loaded *l)
{
	const struct events *e = &l->events;
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < e->n; i++) {
		struct str name = names_str(&l->names, e->name[i]);
		char text[64];
		int n = snprintf(text, sizeof text, "%" PRId64 " %" PRId64 " ", e->start[i], e->dur[i]);

		h = fnv(h, text, (size_t)n);
		h = fnv(h, name.p, name.n);
		h = fnv(h, "\n", 1);
	}
	return h;
}

static uint64_t links_hash(const struct events *e)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (int k = 0; k < LINK_MAX; k++)
		for (size_t i = e->link_counts[k].first; i < e->link_counts[k].first + e->link_counts[k].n; i++) {
			char text[64];
			int n = snprintf(text, sizeof text, "%d %u %u\n", k, e->links[i].from, e->links[i].to);

			h = fnv(h, text, (size_t)n);
		}
	return h;
}

static void check_sums(const struct loaded *l, const struct real_trace *want)
{
	const struct events *e = &l->events;
	size_t n = 0;

	for (size_t k = 0; k < ARRAY_LEN(want->sums) && want->sums[k].process; k++) {
		struct process_sum got = { want->sums[k].process, 0, 0 };

		for (size_t i = 0; i < e->nlanes; i++) {
			const struct lane *lane = &e->lanes[i];

			if (!str_is(names_str(&l->names, e->processes[lane->process].name), str_of(got.process)))
				continue;
			got.n += lane->n;
			for (size_t at = lane->first; at < lane->first + lane->n; at++)
				got.dur += e->dur[at];
		}
		if (got.n != want->sums[k].n || got.dur != want->sums[k].dur)
			fail_msg("%s: %s: %zu events, %" PRId64 " ns", want->path, got.process, got.n, got.dur);
		n += got.n;
	}
	assert_int_equal(n, e->n);
}

static void check_result(const struct loaded *l, const struct real_trace *want)
{
	static const char phases[] = "XMCsft";
	const size_t counts[] = { want->x, want->m, want->c, want->s, want->f, want->t };
	const struct events *e = &l->events;
	size_t total = 0;

	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		assert_int_equal(l->account.by_phase[(unsigned char)phases[i]], counts[i]);
		total += counts[i];
	}
	assert_true(account_total(&l->account) == total && l->account.kept == total && account_dropped(&l->account) == 0);
	assert_true(l->info.nissues == 0 && !l->info.unclosed && !l->info.early_end && !l->info.is_object);
	assert_true(e->n == want->x && e->nlanes == want->lanes && e->nprocesses == want->processes);
	assert_true(e->nsamples == want->samples && e->ncounters == want->series && e->noutliers == 0);
	assert_true(e->first_start == want->first && e->last_end == want->last);
	assert_true(events_hash(l) == want->events_hash);
	for (int k = 0; k < LINK_MAX; k++) {
		assert_int_equal(e->link_counts[k].n, want->links[k]);
		assert_int_equal(e->link_counts[k].unmatched, want->unmatched[k]);
	}
	assert_true(links_hash(e) == want->links_hash);
	check_sums(l, want);
}

/* The folder that holds real/ and reference/, or NULL. */
static const char *captures(void)
{
	const char *set = getenv("ASCOPE_CAPTURES");
	const char *root = set && access(set, R_OK) == 0 ? set : "../shared/captures";

	return access(root, R_OK) == 0 ? root : NULL;
}

static void test_real_traces(void **state)
{
	static const size_t chunks[] = { 0, 997, 65536, 0, 300000 };
	const char *root = captures();
	size_t read = 0;

	(void)state;
	for (size_t i = 0; root && i < ARRAY_LEN(traces); i++) {
		struct loaded whole, l;
		struct file f;
		char path[4096];

		snprintf(path, sizeof path, "%s/%s", root, traces[i].path);
		if (file_open(&f, path, NULL) != ERR_OK)
			continue;
		read++;
		assert_true(trace_sniff(&f));
		loaded_from(&whole, &f, 0, 1);
		assert_int_equal(whole.err, ERR_OK);
		assert_null(loaded_broken(&whole, f.size));
		check_result(&whole, &traces[i]);
		for (size_t k = 1; k < ARRAY_LEN(chunks); k++) {
			loaded_from(&l, &f, chunks[k], 1 + (unsigned)k);
			if (loaded_differ(&whole, &l))
				fail_msg("%s: chunks of %zu: %s", path, chunks[k], loaded_differ(&whole, &l));
			loaded_done(&l);
		}
		loaded_done(&whole);
		file_close(&f);
	}
	if (!read) {
		print_message("no captures: set ASCOPE_CAPTURES\n");
		skip();
	}
}

/* What is lost when a trace is cut, or one of its bytes is another: what the damage touches, no more. */
static void check_damage(const struct loaded *whole, char *text, size_t n)
{
	static const char bytes[] = "\"}{,]x[:\\";
	uint64_t seed = 1;

	for (int i = 0; i < 40; i++) {
		size_t at = (seed = seed * 6364136223846793005u + 1442695040888963407u, seed >> 20) % n, want = 0;
		char was = text[at];
		struct loaded l;

		text[at] = bytes[(seed >> 50) % sizeof bytes];
		loaded_text(&l, (struct str){ text, n }, (size_t)1 << 16, 2);
		text[at] = was;
		assert_true(l.account.kept <= whole->account.kept && l.account.kept + 2 >= whole->account.kept && l.info.nissues <= 2);
		loaded_done(&l);
		for (size_t k = 0; k < whole->events.n; k++)
			want += whole->events.span[k] + whole->events.span_len[k] <= at;
		loaded_text(&l, (struct str){ text, at }, (size_t)1 << 16, 2);
		assert_true(l.events.n == want && l.info.nissues <= 1 && l.info.unclosed);
		loaded_done(&l);
	}
}

static void test_real_damage(void **state)
{
	const char *root = captures();
	struct loaded whole;
	char path[4096], *text;
	struct file f;
	size_t n;

	(void)state;
	snprintf(path, sizeof path, "%s/real/pytorch-timeline-2023/trace_view.json", root ? root : "");
	if (!root || file_open(&f, path, NULL) != ERR_OK) {
		print_message("no captures: set ASCOPE_CAPTURES\n");
		skip();
	}
	assert_int_equal(file_read_all(&f, (size_t)1 << 28, &text, &n, NULL), ERR_OK);
	loaded_from(&whole, &f, 0, 1);
	check_damage(&whole, text, n);
	loaded_done(&whole);
	file_close(&f);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_traces), cmocka_unit_test(test_real_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
