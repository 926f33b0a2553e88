/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTML report: every element closed, no markup from names, nothing loaded from elsewhere, the same bytes twice, the figures of the
 * analysis, exact columns, and its size for large captures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/base/wrap.h"
#include "core/load/load.h"
#include "core/report/analysis_report.h"
#include "tests/help/tmpdir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { SIZE_MOST = 1 << 20 };

struct report {
	struct capture *c;
	struct analysis *a;
	struct buf html;
};

static void report_open(struct report *r, const char *path)
{
	struct analysis_options o;
	struct diag d;

	*r = (struct report){ 0 };
	analysis_options_init(&o);
	assert_int_equal(capture_load(path, NULL, NULL, &r->c, &d), ERR_OK);
	assert_int_equal(analysis_run(r->c, &o, NULL, &r->a, &d), ERR_OK);
	analysis_write_html(r->a, &r->html);
}

static void report_done(struct report *r)
{
	analysis_free(r->a);
	capture_free(r->c);
	buf_done(&r->html);
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

static bool has(const struct report *r, const char *text)
{
	return strstr(r->html.p, text) != NULL;
}

/* ---- well formed -------------------------------------------------------------------------------------------------------------------------- */

static bool is_void(struct str name)
{
	static const char *const names[] = { "meta", "br", "hr", "img", "link", "input", "col", "source" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_is(name, str_of(names[i])))
			return true;
	return false;
}

/* All the attributes that the report uses: none runs anything or loads anything. */
static bool is_known_attribute(struct str name)
{
	static const char *const names[] = { "lang", "charset", "http-equiv", "content", "name", "id", "class", "style", "title", "href", "scope", "role",
		"aria-label", "viewBox", "preserveAspectRatio", "x", "y", "width", "height", "d" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_is(name, str_of(names[i])))
			return true;
	return false;
}

static size_t word_length(const char *p)
{
	return strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
}

/* Attributes of a start tag, each name="value", up to '>' or '/>'. Returns the end, or NULL. */
static const char *tag_end(const char *p, bool *closed)
{
	for (;;) {
		size_t n;

		p += strspn(p, " \n");
		*closed = p[0] == '/' && p[1] == '>';
		if (*closed || *p == '>')
			return p + 1 + *closed;
		n = word_length(p);
		if (!n || !is_known_attribute((struct str){ p, n }))
			return NULL;
		p += n;
		if (p[0] != '=' || p[1] != '"')
			return NULL;
		p += 2;
		n = strcspn(p, "\"<");
		if (p[n] != '"')
			return NULL;
		p += n + 1;
	}
}

/* '&' begins one of the references that the report uses. */
static bool is_reference(const char *p)
{
	static const char *const names[] = { "&lt;", "&gt;", "&amp;", "&quot;", "&#39;", "&ge;", "&le;", "&middot;" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strncmp(p, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* A strict reader of what the report may hold: balanced elements, quoted attributes, known references, no control characters. */
static void assert_well_formed(const struct buf *b)
{
	struct str open[64];
	size_t depth = 0, elements = 0;
	const char *p = b->p;

	assert_int_equal(strlen(p), b->n);
	assert_int_equal(strncmp(p, "<!DOCTYPE html>\n", 16), 0);
	for (p += 16; *p;) {
		bool closed;

		if (*p == '&')
			assert_true(is_reference(p));
		assert_false(((unsigned char)*p < ' ' && *p != '\n') || *p == 0x7f);
		if (*p != '<') {
			assert_true(*p != '>' || depth == 0 || str_is(open[depth - 1], STR("style")));
			p++;
			continue;
		}
		if (p[1] == '/') {
			size_t n = word_length(p + 2);

			assert_true(depth > 0);
			depth--;
			assert_true(str_is(open[depth], (struct str){ p + 2, n }));
			assert_true(p[2 + n] == '>');
			p += n + 3;
			continue;
		}
		open[depth] = (struct str){ p + 1, word_length(p + 1) };
		assert_true(open[depth].n > 0);
		elements++;
		p = tag_end(p + 1 + open[depth].n, &closed);
		assert_non_null(p);
		if (closed || is_void(open[depth]))
			continue;
		if (str_is(open[depth], STR("style")))
			p = strstr(p, "</style>");
		assert_non_null(p);
		depth++;
		assert_true(depth < ARRAY_LEN(open));
	}
	assert_int_equal(depth, 0);
	assert_true(elements > 20);
}

/* Nothing is run, and nothing comes from elsewhere. */
static void assert_self_contained(const struct report *r)
{
	static const char *const bad[] = { "<script", "<img", "<link", "<iframe", "<object", "@import", "url(", "http://", "https://" };

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(has(r, bad[i]));
}

static void check_report(const struct report *r)
{
	struct buf again = { 0 };

	assert_well_formed(&r->html);
	assert_self_contained(r);
	assert_true(r->html.n < SIZE_MOST);
	analysis_write_html(r->a, &again);
	assert_int_equal(again.n, r->html.n);
	assert_memory_equal(again.p, r->html.p, again.n);
	buf_done(&again);
}

static const char *const all_samples[] = { "mixed-phases", "mixed-phases-db", "host-schedule-bound", "ranks4-slow-rank", "copy-bound",
	"decode-comm-bound", "prefill-compute-bound", "hostile" };

static void test_samples(void **state)
{
	size_t seen = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all_samples); i++) {
		struct capture *c;
		struct report r;
		struct diag d;
		char path[512];

		if (!sample_path(path, sizeof path, all_samples[i]) || capture_load(path, NULL, NULL, &c, &d))
			continue;
		capture_free(c);
		report_open(&r, path);
		check_report(&r);
		report_done(&r);
		seen++;
	}
	if (!seen) {
		print_message("no samples: make samples\n");
		skip();
	}
}

static void test_real(void **state)
{
	static const char *const names[] = { "pytorch-910b-level1", "pytorch-910b-level1-db", "msprof-910b", "pytorch-timeline-2023",
		"cluster-16ranks", "pytorch-cann83-pp2dp2-4ranks", "msprof-950-db" };
	size_t seen = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct report r;
		char path[512];

		if (!real_path(path, sizeof path, names[i]))
			continue;
		report_open(&r, path);
		check_report(&r);
		report_done(&r);
		seen++;
	}
	if (!seen) {
		print_message("no captures: set ASCOPE_CAPTURES\n");
		skip();
	}
}

/* ---- figures ------------------------------------------------------------------------------------------------------------------------------ */

/* The row of the figures' table that begins with this indicator holds its value. */
static void assert_figure(const struct report *r, enum indicator i)
{
	const char *row = strstr(r->html.p, "<section id=\"figures\">"), *end, *cell;
	struct buf head = { 0 }, value = { 0 };

	assert_non_null(row);
	buf_printf(&head, "<th scope=\"row\">%s</th>", indicator_key(i));
	row = strstr(row, head.p);
	assert_non_null(row);
	end = strstr(row, "</tr>");
	buf_str(&value, "<td class=\"n\">");
	report_value(&value, analysis_headline(r->a)->scopes[0].v[i], indicator_unit(i));
	buf_str(&value, "</td>");
	cell = strstr(row, value.p);
	assert_true(cell && cell < end);
	buf_done(&head);
	buf_done(&value);
}

/* A figure of 0.02 % was shown as 0.0 %, 99.98 % as 100.0 %. */
static void test_percent_rounds_to_no_extreme(void **state)
{
	static const struct {
		double value;
		const char *text;
	} t[] = {
		{ 0, "0.0 %" }, { 0.0001, "under 0.1 %" }, { 0.0499, "under 0.1 %" }, { 0.051, "0.1 %" }, { 50, "50.0 %" }, { 99.94, "99.9 %" },
		{ 99.96, "over 99.9 %" }, { 100, "100.0 %" }, { 150, "150.0 %" }, { NAN, "-" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct buf b = { 0 };

		report_value(&b, t[i].value, "%");
		assert_string_equal(b.p, t[i].text);
		buf_done(&b);
	}
}

static void test_figures(void **state)
{
	static const enum indicator keys[] = { IND_WALL, IND_AVG_STEP, IND_DEVICE_BUSY_PCT, IND_COMPUTE, IND_COMPUTE_PCT, IND_EXPOSED_PCT,
		IND_COPY_PCT,
		IND_IDLE_PCT, IND_DISPATCH, IND_MAC };
	struct report r;
	char path[512];

	(void)state;
	if (!sample_path(path, sizeof path, "mixed-phases")) {
		print_message("no samples: make samples\n");
		skip();
	}
	report_open(&r, path);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		assert_figure(&r, keys[i]);
	for (int b = 0; b < BN_MAX; b++) {
		char text[64];

		snprintf(text, sizeof text, "<b>%.1f</b><span>of 100</span>", analysis_headline(r.a)->verdicts[0].scores[b].score);
		assert_true(has(&r, text));
	}
	assert_true(has(&r, "<h1>The kernels are the limit"));
	assert_true(has(&r, "<code>compute.quantize</code>"));
	assert_true(has(&r, ">ProfilerStep#8</text>"));
	report_done(&r);
}

/* ---- captures made here --------------------------------------------------------------------------------------------------------------------- */

static void add_event(struct buf *b, const char *name, int pid, int tid, double ts, double dur, const char *args)
{
	buf_printf(b, ",\n{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{%s}}", name, pid, tid, ts,
		dur, args);
}

static void add_heads(struct buf *b)
{
	buf_str(b, "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"Python\"}},\n"
		"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":2,\"tid\":0,\"args\":{\"name\":\"Ascend Hardware\"}},\n"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":2,\"tid\":3,\"args\":{\"name\":\"Stream 3\"}}");
}

static void write_trace(const char *dir, const char *rel, struct buf *b)
{
	buf_str(b, "]\n");
	tmpdir_write(dir, rel, b->p, b->n);
	buf_done(b);
}

static const char kernel_args[] = "\"Task Type\":\"AI_VECTOR_CORE\",\"Stream Id\":3";

/* Kernels of 100 us in [0, 100), [200, 300), ...: columns and shares that can be told by hand. */
static void test_columns(void **state)
{
	struct buf b = { 0 };
	struct report r;
	char dir[256], path[300];
	const char *lane;

	(void)state;
	tmpdir_make(dir, sizeof dir);
	add_heads(&b);
	for (int i = 0; i < 5; i++)
		add_event(&b, "aclnnAdd_AddAiCore_Add", 2, 3, 1e15 + 200 * i, i == 4 ? 280 : 100, kernel_args);
	write_trace(dir, "trace_view.json", &b);
	snprintf(path, sizeof path, "%s/trace_view.json", dir);
	report_open(&r, path);
	check_report(&r);
	/* 1080 us in 1080 columns: a column is 1 us, so heights are all or nothing. */
	assert_true(has(&r, "A column is 1.000 us wide"));
	lane = strstr(r.html.p, ">compute</text>");
	assert_non_null(lane);
	assert_non_null(strstr(lane,
		"<path class=\"comp\" d=\"M0 1000V0H100V1000H200V0H300V1000H400V0H500V1000H600V0H700V1000H800V0H1080V1000Z\"/>"));
	report_done(&r);
	tmpdir_remove(dir);
}

/* Half of every column: 21600 us, a kernel of 10 us at the beginning of each 20 us. */
static void test_half_columns(void **state)
{
	struct buf b = { 0 };
	struct report r;
	char dir[256], path[300];

	(void)state;
	tmpdir_make(dir, sizeof dir);
	add_heads(&b);
	for (int i = 0; i < 1080; i++)
		add_event(&b, "aclnnAdd_AddAiCore_Add", 2, 3, 1e15 + 20 * i, 10, kernel_args);
	add_event(&b, "aclrtEnd", 1, 1, 1e15 + 20 * 1080 - 1, 1, "");
	write_trace(dir, "trace_view.json", &b);
	snprintf(path, sizeof path, "%s/trace_view.json", dir);
	report_open(&r, path);
	check_report(&r);
	assert_true(has(&r, "A column is 20.00 us wide"));
	assert_true(has(&r, "<path class=\"comp\" d=\"M0 1000V500H1080V1000Z\"/>"));
	report_done(&r);
	tmpdir_remove(dir);
}

static void test_hostile_names(void **state)
{
	static const char *const names[] = { "</script><img src=x onerror=alert(1)>", "</title></style><svg onload=alert(1)>",
		"\\\" onmouseover=\\\"alert(1)",
		"' onfocus='x", "&lt;b&gt;", "a\\u001b[31mred", "a\\u202eb", "a\\u0000b", "<!--", "]]>", "\\ud83d\\ude00 wide \\u6c49\\u5b57" };
	struct buf b = { 0 };
	struct report r;
	char dir[256], label[40];

	(void)state;
	tmpdir_make(dir, sizeof dir);
	add_heads(&b);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(label, sizeof label, "ProfilerStep#%zu", i);
		add_event(&b, label, 1, 1, 1e15 + 1000.0 * (double)i, 990, "");
		add_event(&b, names[i], 1, 1, 1e15 + 1000.0 * (double)i + 10, 700, "");
		add_event(&b, names[i], 2, 3, 1e15 + 1000.0 * (double)i + 800, 20 + (double)i, kernel_args);
	}
	write_trace(dir, "x<b>\"&'/trace_view.json", &b);
	report_open(&r, dir);
	check_report(&r);
	assert_true(has(&r, "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"));
	assert_true(has(&r, "&quot; onmouseover=&quot;alert(1)"));
	assert_true(has(&r, "&#39; onfocus=&#39;x"));
	assert_true(has(&r, "&amp;lt;b&amp;gt;"));
	assert_true(has(&r, "a\\x1B[31mred"));
	assert_false(has(&r, "\x1b"));
	assert_false(has(&r, "\xe2\x80\xae"));
	report_done(&r);
	tmpdir_remove(dir);
}

/* Only a step table: no events, no operators. */
static void test_no_events(void **state)
{
	static const char steps[] = "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble\n"
		"0,1,100.0,20.0,5.0,25.0,10.0,130.0,0.0\n";
	struct report r;
	char dir[256];

	(void)state;
	tmpdir_make(dir, sizeof dir);
	tmpdir_write(dir, "ASCEND_PROFILER_OUTPUT/step_trace_time.csv", steps, sizeof steps - 1);
	report_open(&r, dir);
	check_report(&r);
	assert_true(has(&r, "id=\"silent\""));
	assert_true(has(&r, "id=\"thresholds\""));
	report_done(&r);
	tmpdir_remove(dir);
}

/* 200 ranks with many long names each: rows are capped, and what is left out is said. */
static void test_many(void **state)
{
	enum { RANKS = 200, KERNELS = 150 };
	struct report r;
	char dir[256];
	size_t rows = 0;

	(void)state;
	tmpdir_make(dir, sizeof dir);
	for (int k = 0; k < RANKS; k++) {
		struct buf b = { 0 };
		char rel[100], name[400];

		add_heads(&b);
		for (int i = 0; i < KERNELS; i++) {
			snprintf(name, sizeof name, "op%03d%0300d", i, i);
			add_event(&b, name, 1, 1, 1e15 + 100 * i, 40, "");
			add_event(&b, name, 2, 3, 1e15 + 100 * i + 20, 10 + i % 7, kernel_args);
		}
		snprintf(rel, sizeof rel, "rank_%d_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", k);
		write_trace(dir, rel, &b);
		snprintf(rel, sizeof rel, "rank_%d_ascend_pt/profiler_info_%d.json", k, k);
		tmpdir_write(dir, rel, "{}", 2);
	}
	report_open(&r, dir);
	assert_int_equal(r.c->nranks, RANKS);
	check_report(&r);
	for (const char *p = strstr(r.html.p, "<section id=\"ranks\">"); (p = strstr(p, "barcell")) && p < strstr(r.html.p,
		"<section id=\"timeline\">"); p++)
		rows++;
	assert_int_equal(rows, RANKS);
	assert_true(has(&r, "50 more device operators, "));
	assert_false(has(&r, "op149000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"));
	report_done(&r);
	tmpdir_remove(dir);
}

/* Thousands of steps are drawn as shares, and the page stays small. */
static void test_many_steps(void **state)
{
	struct buf b = { 0 };
	struct report r;
	char dir[256];

	(void)state;
	tmpdir_make(dir, sizeof dir);
	add_heads(&b);
	for (int i = 0; i < 3000; i++) {
		char name[40];

		snprintf(name, sizeof name, "ProfilerStep#%d", i);
		add_event(&b, name, 1, 1, 1e15 + 1000.0 * i, 1000, "");
		add_event(&b, "aclnnAdd_AddAiCore_Add", 2, 3, 1e15 + 1000.0 * i + 100, 300 + i % 200, kernel_args);
	}
	write_trace(dir, "trace_view.json", &b);
	report_open(&r, dir);
	assert_true(analysis_headline(r.a)->steps.n >= 2999);
	check_report(&r);
	assert_false(has(&r, ">ProfilerStep#8</text>"));
	assert_true(has(&r, ">steps</text>"));
	report_done(&r);
	tmpdir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_percent_rounds_to_no_extreme),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_half_columns),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_no_events),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_many_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
