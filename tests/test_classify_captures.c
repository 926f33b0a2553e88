/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/model/classify.c on real captures: every name falls into a class, and the union of what is called compute and collective is what the
 * exporter wrote into its step table or its own summary lanes. Reads the files by itself (cJSON, SQLite, a few lines for CSV), so that it
 * does not depend on the loaders.
 */
#include "core/model/classify.h"

#include "core/base/decimal.h"
#include "core/base/mem.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define L1  "real/pytorch-910b-level1/"
#define RUN "ASCEND_PROFILER_OUTPUT/"

static struct classifier *c;
static const char *root;		/* of the captures, NULL when there are none */

static int setup(void **state)
{
	struct stat st;

	(void)state;
	c = classifier_new(NULL);
	root = getenv("ASCOPE_CAPTURES");
	if (!root || stat(root, &st) != 0)
		root = "../shared/captures";
	if (stat(root, &st) != 0)
		root = NULL;
	return c ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	classifier_free(c);
	return 0;
}

static void need_captures(void)
{
	if (root)
		return;
	print_message("skipped: no captures (ASCOPE_CAPTURES)\n");
	skip();
}

static char *path_of(const char *relative)
{
	static char path[1024];

	snprintf(path, sizeof path, "%s/%s", root, relative);
	return path;
}

static char *file_text(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct buf b = { 0 };
	char block[65536];
	size_t n;

	if (!f)
		fail_msg("%s", path);
	buf_str(&b, "");
	while ((n = fread(block, 1, sizeof block, f)) > 0)
		buf_add(&b, block, n);
	fclose(f);
	return b.p;
}

/* ---- spans --------------------------------------------------------------------------------------------------------------------- */

struct span {
	int64_t start, end;
};

struct spans {
	struct span *at;
	size_t n, cap;
};

static void span_add(struct spans *s, int64_t start, int64_t end)
{
	ARRAY_PUSH(s, at, n, cap) = (struct span){ start, end };
}

static int span_compare(const void *x, const void *y)
{
	const struct span *a = x, *b = y;

	return (a->start > b->start) - (a->start < b->start);
}

static int64_t union_of(struct spans *s)
{
	int64_t sum = 0, end = INT64_MIN;

	if (s->n)
		qsort(s->at, s->n, sizeof *s->at, span_compare);
	for (size_t i = 0; i < s->n; i++) {
		if (s->at[i].end > end)
			sum += s->at[i].end - MAX(s->at[i].start, end);
		end = MAX(end, s->at[i].end);
	}
	return sum;
}

static void assert_within_a_thousandth(const char *what, int64_t ours, double theirs_ns)
{
	double off = (double)ours - theirs_ns;

	if (off > theirs_ns / 1000 || off < -theirs_ns / 1000)
		fail_msg("%s: %lld ns, the exporter says %.0f", what, (long long)ours, theirs_ns);
}

/* ---- a trace ------------------------------------------------------------------------------------------------------------------- */

static const char *text_at(const cJSON *o, const char *key)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);

	return cJSON_IsString(v) ? v->valuestring : "";
}

/* The meta data "process_name" or "thread_name" of an event's pid (and tid). */
static const char *meta(const cJSON *events, const cJSON *e, const char *what)
{
	const cJSON *m;

	cJSON_ArrayForEach(m, events) {
		if (strcmp(text_at(m, "ph"), "M") != 0 || strcmp(text_at(m, "name"), what) != 0)
			continue;
		if (!cJSON_Compare(cJSON_GetObjectItem(m, "pid"), cJSON_GetObjectItem(e, "pid"), true))
			continue;
		if (*what == 't' && !cJSON_Compare(cJSON_GetObjectItem(m, "tid"), cJSON_GetObjectItem(e, "tid"), true))
			continue;
		return text_at(cJSON_GetObjectItem(m, "args"), "name");
	}
	return "";
}

static enum layer layer_of(const char *process)
{
	static const struct {
		const char *process;
		enum layer layer;
	} known[] = {
		{ "Python", LAYER_PYTHON }, { "CANN", LAYER_CANN }, { "Ascend Hardware", LAYER_HARDWARE }, { "HCCL", LAYER_COMMUNICATION },
		{ "Communication", LAYER_COMMUNICATION }, { "Overlap Analysis", LAYER_OVERLAP },
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(process, known[i].process) == 0)
			return known[i].layer;
	return LAYER_OTHER;
}

struct trace {
	struct spans by_work[WORK_MAX];
	struct spans computing, communication;	/* the exporter's own lanes */
	size_t nameless;			/* compute that falls into no class */
};

static void event_add(struct trace *t, const cJSON *e, enum layer layer, const char *thread)
{
	const cJSON *ts = cJSON_GetObjectItem(e, "ts"), *dur = cJSON_GetObjectItem(e, "dur"), *args = cJSON_GetObjectItem(e, "args");
	const char *name = text_at(e, "name"), *task = text_at(args, "Task Type"), *type = *task ? task : text_at(e, "cat");
	struct work_kind w = classify_work(c, layer, str_of(thread), str_of(type), str_of(name));
	int64_t start, end;

	if (cJSON_IsString(ts))
		assert_true(decimal_to_int(str_of(ts->valuestring), 3, &start));
	else
		start = (int64_t)(cJSON_GetNumberValue(ts) * 1000);
	end = start + (dur ? (int64_t)(cJSON_GetNumberValue(dur) * 1000 + 0.5) : 0);
	span_add(&t->by_work[w.kind], start, end);
	if (layer == LAYER_OVERLAP && strcmp(name, "Computing") == 0)
		span_add(&t->computing, start, end);
	if (layer == LAYER_OVERLAP && strcmp(name, "Communication") == 0)
		span_add(&t->communication, start, end);
	if (w.kind == WORK_COMPUTE && classify_op(c, str_of(name), STR(""), str_of(type)).class == CLASS_OTHER) {
		print_error("no class for %s\n", name);
		t->nameless++;
	}
}

/* A lane as told by (pid, tid), so that its names are looked up once. */
struct thread {
	const cJSON *pid, *tid;
	enum layer layer;
	const char *name;
};

static void trace_read(struct trace *t, const char *relative)
{
	char *text = file_text(path_of(relative));
	cJSON *all = cJSON_Parse(text), *e;
	const cJSON *events = cJSON_IsArray(all) ? all : cJSON_GetObjectItem(all, "traceEvents");
	struct thread threads[256];
	size_t n = 0;

	*t = (struct trace){ 0 };
	cJSON_ArrayForEach(e, events) {
		const cJSON *pid = cJSON_GetObjectItem(e, "pid"), *tid = cJSON_GetObjectItem(e, "tid");
		size_t i = 0;

		if (strcmp(text_at(e, "ph"), "X") != 0)
			continue;
		while (i < n && !(cJSON_Compare(threads[i].pid, pid, true) && cJSON_Compare(threads[i].tid, tid, true)))
			i++;
		assert_true(i < ARRAY_LEN(threads));
		if (i == n)
			threads[n++] = (struct thread){ pid, tid, layer_of(meta(events, e, "process_name")),
				meta(events, e, "thread_name") };
		event_add(t, e, threads[i].layer, threads[i].name);
	}
	cJSON_Delete(all);
	free(text);
}

static void trace_done(struct trace *t)
{
	for (int i = 0; i < WORK_MAX; i++)
		free(t->by_work[i].at);
	free(t->computing.at);
	free(t->communication.at);
}

/* Figures of step_trace_time.csv, in ns as the table's microseconds give them. */
static void pytorch_text(void **state)
{
	static const struct {
		const char *path;
		double computing, communication;
		size_t compute, collectives, detail, waits, copies, pseudo, frames;
	} runs[] = {
		{ L1 "rank0_ascend_pt/" RUN "trace_view.json", 8873756, 105991878, 187, 4, 184 + 184, 122 + 112, 24, 18, 1282 },
		{ L1 "rank1_ascend_pt/" RUN "trace_view.json", 8878295, 100375286, 187, 4, 184 + 184, 122 + 112, 24, 18, 1282 },
	};
	struct trace t;

	(void)state;
	need_captures();
	for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
		trace_read(&t, runs[i].path);
		assert_within_a_thousandth("computing", union_of(&t.by_work[WORK_COMPUTE]), runs[i].computing);
		assert_within_a_thousandth("communication", union_of(&t.by_work[WORK_COMMUNICATION]), runs[i].communication);
		assert_int_equal(t.by_work[WORK_COMPUTE].n, runs[i].compute);
		assert_int_equal(t.by_work[WORK_COMMUNICATION].n, runs[i].collectives);
		/* SDMA and Write Value; Memcpy, Reduce_Inline and Notify_Record */
		assert_int_equal(t.by_work[WORK_COMM_DETAIL].n, runs[i].detail);
		assert_int_equal(t.by_work[WORK_WAIT].n, runs[i].waits);
		assert_int_equal(t.by_work[WORK_COPY].n, runs[i].copies);
		assert_int_equal(t.by_work[WORK_PSEUDO].n, runs[i].pseudo);
		assert_int_equal(t.by_work[WORK_HOST_FRAME].n, runs[i].frames);
		assert_int_equal(t.by_work[WORK_HOST_QUEUE].n, 318);
		assert_int_equal(t.by_work[WORK_HOST_OP].n + t.by_work[WORK_STEP_MARK].n, 860);
		assert_int_equal(t.by_work[WORK_OTHER].n, 0);
		assert_int_equal(t.nameless, 0);
		trace_done(&t);
	}
}

/* Against the lanes "Computing" and "Communication" of the same file. */
static void summary_lanes(void **state)
{
	static const struct {
		const char *path;
		size_t compute, copies, nameless;
	} files[] = {
		{ "real/msprof-910b/mindstudio_profiler_output/msprof_20260511093035.json", 9, 2, 0 },
		{ "real/msprof-950-db/mindstudio_profiler_output/msprof_20260523022641.json", 1, 0, 0 },
		{ "real/pytorch-timeline-2023/trace_view.json", 274, 2, 0 },
		{ L1 "rank0_ascend_pt/" RUN "trace_view.json", 187, 24, 0 },
	};
	struct trace t;

	(void)state;
	need_captures();
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		trace_read(&t, files[i].path);
		assert_true(t.computing.n > 0);
		assert_within_a_thousandth(files[i].path, union_of(&t.by_work[WORK_COMPUTE]), (double)union_of(&t.computing));
		assert_int_equal(union_of(&t.by_work[WORK_COMMUNICATION]), union_of(&t.communication));
		assert_int_equal(t.by_work[WORK_COMPUTE].n, files[i].compute);
		assert_int_equal(t.by_work[WORK_COPY].n, files[i].copies);
		assert_int_equal(t.by_work[WORK_OTHER].n, 0);
		assert_int_equal(t.nameless, files[i].nameless);
		trace_done(&t);
	}
}

/* The unofficial form: collectives and copies among the kernels of one process, told by task type, category and name. */
static void reference_traces(void **state)
{
	static const struct {
		const char *scenario;
		size_t compute, collectives, copies, host;
	} files[] = {
		{ "decode-comm-bound", 2304, 768, 24, 6927 }, { "host-schedule-bound", 1920, 640, 20, 33133 },
		{ "host-schedule-bound-optimized", 1920, 640, 20, 13740 }, { "prefill-compute-bound", 576, 192, 6, 5968 },
	};
	struct trace t;
	char path[128];

	(void)state;
	need_captures();
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		snprintf(path, sizeof path, "reference/%s/trace_view.json", files[i].scenario);
		trace_read(&t, path);
		assert_int_equal(t.by_work[WORK_COMPUTE].n, files[i].compute);
		assert_int_equal(t.by_work[WORK_COMMUNICATION].n, files[i].collectives);
		assert_int_equal(t.by_work[WORK_COPY].n, files[i].copies);
		assert_int_equal(t.by_work[WORK_HOST_OP].n, files[i].host);
		assert_int_equal(t.nameless, 0);
		trace_done(&t);
	}
}

/* ---- databases ----------------------------------------------------------------------------------------------------------------- */

static sqlite3 *db_open(const char *path)
{
	char uri[1100];
	sqlite3 *db;

	snprintf(uri, sizeof uri, "file:%s?mode=ro&immutable=1", path);
	assert_int_equal(sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL), SQLITE_OK);
	return db;
}

static struct str cell(sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	return str_of(text ? text : "");
}

/* Name and type are those of the operator where there is one, else both are the task's type: the same time as analysis.db's row in us. */
static void database_against_its_step_table(void **state)
{
	static const char tasks[] = "select t.startNs, t.endNs, n.value, k.value, ty.value from TASK t"
		" left join COMPUTE_TASK_INFO i on i.globalTaskId = t.globalTaskId left join STRING_IDS n on n.id = i.name"
		" left join STRING_IDS k on k.id = i.taskType left join STRING_IDS ty on ty.id = t.taskType";
	const char *const ranks[] = {
		"rank0_ascend_pt/" RUN "ascend_pytorch_profiler_0.db", "rank1_ascend_pt/" RUN "ascend_pytorch_profiler_1.db",
	};

	(void)state;
	need_captures();
	for (size_t r = 0; r < ARRAY_LEN(ranks); r++) {
		struct spans compute = { 0 };
		size_t unnamed = 0, inner = 0;
		char path[512];
		sqlite3_stmt *s;
		sqlite3 *db;

		snprintf(path, sizeof path, "real/pytorch-910b-level1-db/%s", ranks[r]);
		db = db_open(path_of(path));
		assert_int_equal(sqlite3_prepare_v2(db, tasks, -1, &s, NULL), SQLITE_OK);
		while (sqlite3_step(s) == SQLITE_ROW) {
			struct str name = cell(s, 2), type = cell(s, 4);
			struct work_kind by_launch = classify_work(c, LAYER_HARDWARE, STR(""), type, name.n ? name : type);
			struct work_kind w = classify_work(c, LAYER_HARDWARE, STR(""), name.n ? cell(s, 3) : type, name.n ? name : type);

			assert_int_equal(w.kind, by_launch.kind);	/* STARS_COMMON or DSA_SQE, KERNEL_AIVEC or AI_VECTOR_CORE */
			unnamed += (w.flags & WORK_UNNAMED) != 0;
			inner += w.kind == WORK_COMM_DETAIL;
			if (w.kind == WORK_COMPUTE)
				span_add(&compute, sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1));
		}
		sqlite3_finalize(s);
		sqlite3_close(db);
		assert_int_equal(compute.n, 187);
		assert_int_equal(unnamed, 17);		/* 9 AI_CORE, 4 of them whole collectives, and 8 KERNEL_AICORE */
		assert_int_equal(inner, 184);
		snprintf(path, sizeof path, "real/pytorch-910b-level1-db/rank%zu_ascend_pt/" RUN "analysis.db", r);
		db = db_open(path_of(path));
		assert_int_equal(sqlite3_prepare_v2(db, "select computing from StepTraceTime", -1, &s, NULL), SQLITE_OK);
		assert_int_equal(sqlite3_step(s), SQLITE_ROW);
		assert_within_a_thousandth(path, union_of(&compute), sqlite3_column_double(s, 0) * 1000);
		sqlite3_finalize(s);
		sqlite3_close(db);
		free(compute.at);
	}
}

/* ---- tables -------------------------------------------------------------------------------------------------------------------- */

/* The next field of a CSV record at *p, which is moved behind its comma; *last when the record ends with it. Quotes are undone in place. */
static struct str csv_field(char **p, bool *last)
{
	char *from = *p, *to = from, *in = from;
	bool quoted = false;

	for (; *in && (quoted || (*in != ',' && *in != '\n')); in++) {
		if (*in == '"' && quoted && in[1] == '"')
			*to++ = *in++;
		else if (*in == '"')
			quoted = !quoted;
		else
			*to++ = *in;
	}
	*last = *in != ',';
	*p = *in ? in + 1 : in;
	return str_trim((struct str){ from, (size_t)(to - from) });
}

static bool is_one_of(struct str s, const char *const list[])
{
	for (; *list; list++)
		if (str_is(s, str_of(*list)))
			return true;
	return false;
}

static size_t table_check(const char *path)
{
	static const char *const names[] = { "Name", "Op Name", "kernel_name", NULL }, *const types[] = { "Type", "OP Type", NULL };
	static const char *const cores[] = { "Accelerator Core", "Task Type", "Core Type", "kernel_type", NULL };
	char *text = file_text(path), *p = text;
	int name_at = -1, type_at = -1, core_at = -1;
	size_t rows = 0;

	for (bool head = true; *p; head = false) {
		struct str name = { "", 0 }, type = name, core = name;
		bool last = false;

		for (int i = 0; !last; i++) {
			struct str f = csv_field(&p, &last);

			if (head) {
				name_at = is_one_of(f, names) ? i : name_at;
				type_at = is_one_of(f, types) ? i : type_at;
				core_at = is_one_of(f, cores) ? i : core_at;
			} else {
				name = i == name_at ? f : name;
				type = i == type_at ? f : type;
				core = i == core_at ? f : core;
			}
		}
		if (head || (!name.n && !type.n))
			continue;
		rows++;
		if (classify_op(c, name, type, core).class == CLASS_OTHER &&
			classify_work(c, LAYER_HARDWARE, STR(""), core, name.n ? name : type).kind == WORK_COMPUTE)
			fail_msg("%s: no class for %.*s (%.*s, %.*s)", path, (int)name.n, name.p, (int)type.n, type.p, (int)core.n, core.p);
	}
	free(text);
	return rows;
}

static bool is_table(const char *name)
{
	static const char *const globs[] = { "kernel_details*.csv", "op_summary*.csv", "op_statistic*.csv", "task_time*.csv" };

	for (size_t i = 0; i < ARRAY_LEN(globs); i++)
		if (str_like(str_of(name), globs[i]))
			return true;
	return false;
}

static void tables_below(const char *folder, int depth, size_t *files, size_t *rows)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	char path[2048];
	struct stat st;

	assert_non_null(dir);
	while ((e = readdir(dir))) {
		if (e->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path)
			continue;
		if (stat(path, &st) == 0 && S_ISDIR(st.st_mode) && depth < 8)
			tables_below(path, depth + 1, files, rows);
		else if (is_table(e->d_name))
			*rows += table_check(path), ++*files;
	}
	closedir(dir);
}

/* Every row of every table: what is compute falls into a class that has a name. */
static void every_table_row_has_a_class(void **state)
{
	size_t files = 0, rows = 0;

	(void)state;
	need_captures();
	tables_below(root, 0, &files, &rows);
	assert_true(files >= 20);
	assert_true(rows > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pytorch_text),
		cmocka_unit_test(summary_lanes),
		cmocka_unit_test(reference_traces),
		cmocka_unit_test(database_against_its_step_table),
		cmocka_unit_test(every_table_row_has_a_class),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
