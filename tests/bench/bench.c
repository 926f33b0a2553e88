/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures jobs against each other: bench REPEATS JOB... Every job runs REPEATS times in a process of its own, the jobs taking turns, so that
 * what else the machine does hits all alike. One line a job: name, median ms, median peak KiB, records.
 *
 * A job is KIND=FILE, KIND one of jobs[] below, or sh=COMMAND. The file should be in the page cache already.
 */
#include "core/base/mem.h"
#include "core/load/db/db_load.h"
#include "core/load/doc/doc_load.h"
#include "core/load/table/table_load.h"
#include "core/load/trace/trace.h"

#include <cjson/cJSON.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS_MAX = 99 };

struct sample {
	int64_t us, peak_kib;
};

/* ---- the jobs: each returns how many records it saw, or -1 after saying why -------------------------------------------------------------- */

static int64_t complain(const struct diag *d)
{
	char text[700];

	diag_format(d, text, sizeof text);
	fprintf(stderr, "bench: %s\n", text);
	return -1;
}

/* What a reader built on cJSON does at least: one event after the other, each parsed and thrown away. */
static int64_t job_cjson(const char *path)
{
	struct diag d = { 0 };
	struct file f;
	char *text, *end;
	const char *p;
	int64_t records = 0;
	size_t n;

	if (file_open(&f, path, &d) || file_read_all(&f, SIZE_MAX / 2, &text, &n, &d))
		return complain(&d);
	file_close(&f);
	end = text + n;
	p = memchr(text, '[', n);
	for (p = p ? p + 1 : end; p < end; records++) {
		cJSON *event;

		p += strspn(p, ", \t\r\n");
		if (p >= end || *p == ']')
			break;
		event = cJSON_ParseWithLengthOpts(p, (size_t)(end - p), &p, 0);
		if (!event) {
			fprintf(stderr, "bench: %s: cJSON stops at byte %td\n", path, p - text);
			return -1;
		}
		cJSON_Delete(event);
	}
	free(text);
	return records;
}

static int64_t load_trace(const char *path, unsigned threads)
{
	struct diag d = { 0 };
	struct trace_info info = { 0 };
	struct account account = { 0 };
	struct events events;
	struct names names;
	struct builder *b;
	struct file f;

	if (file_open(&f, path, &d))
		return complain(&d);
	names_init(&names);
	b = build_new(&names);
	if (trace_load(&f, 0, &names, b, &account, &info, threads, NULL, &d))
		return complain(&d);
	build_finish(b, &events, &account);
	events_done(&events);
	names_done(&names);
	file_close(&f);
	return (int64_t)account_total(&account);
}

static int64_t job_trace(const char *path)
{
	return load_trace(path, 0);
}

static int64_t job_trace_1(const char *path)
{
	return load_trace(path, 1);
}

static int64_t job_trace_2(const char *path)
{
	return load_trace(path, 2);
}

static int64_t job_csv(const char *path)
{
	struct diag d = { 0 };
	struct csv_info info = { 0 };
	struct table *t = NULL;
	struct names names;
	struct file f;
	int64_t rows;

	if (file_open(&f, path, &d))
		return complain(&d);
	names_init(&names);
	if (table_load_csv(&t, ART_KERNEL_DETAILS, &f, &names, &info, NULL, &d))
		return complain(&d);
	rows = (int64_t)t->nrows;
	table_done(t);
	free(t);
	names_done(&names);
	file_close(&f);
	return rows;
}

static int64_t job_db(const char *path)
{
	struct diag d = { 0 };
	struct table *tables[ART_MAX] = { 0 };
	struct account account = { 0 };
	struct comm comm = { 0 };
	struct run_info info;
	struct events events;
	struct names names;
	struct db_target target = { .names = &names, .account = &account, .tables = tables, .comm = &comm, .info = &info };

	run_info_init(&info);
	names_init(&names);
	target.build = build_new(&names);
	if (db_load_profiler(path, &target, NULL, &d))
		return complain(&d);
	build_finish(target.build, &events, &account);
	events_done(&events);
	for (size_t i = 0; i < ART_MAX; i++)
		if (tables[i]) {
			table_done(tables[i]);
			free(tables[i]);
		}
	comm_done(&comm);
	names_done(&names);
	return (int64_t)account_total(&account);
}

static const struct job {
	const char *kind;
	int64_t (*run)(const char *path);
} jobs[] = {
	{ "cjson", job_cjson }, { "trace", job_trace }, { "trace1", job_trace_1 }, { "trace2", job_trace_2 },
	{ "csv", job_csv }, { "db", job_db }, { "sh", NULL }, { "one", NULL },
};

/* ---- measuring ----------------------------------------------------------------------------------------------------------------------------- */

static const struct job *job_find(const char *spec, const char **arg)
{
	const char *eq = strchr(spec, '=');

	for (size_t i = 0; eq && i < ARRAY_LEN(jobs); i++)
		if (strlen(jobs[i].kind) == (size_t)(eq - spec) && strncmp(jobs[i].kind, spec, (size_t)(eq - spec)) == 0) {
			*arg = eq + 1;
			return &jobs[i];
		}
	return NULL;
}

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static _Noreturn void job_run(const struct job *job, const char *arg, int result)
{
	int64_t records;

	if (!job->run) {
		execl("/bin/sh", "sh", "-c", arg, (char *)NULL);
		_exit(127);
	}
	records = job->run(arg);
	_exit(records >= 0 && write(result, &records, sizeof records) == sizeof records ? 0 : 1);
}

/* From before the process is made until it is gone, so that freeing and starting count for all alike. */
static bool job_measure(const struct job *job, const char *arg, struct sample *s, int64_t *records)
{
	int pipe_fd[2], status;
	struct rusage usage;
	int64_t start = now_us();
	bool got;
	pid_t pid;

	if (pipe(pipe_fd) != 0 || (pid = fork()) < 0)
		return false;
	if (pid == 0) {
		close(pipe_fd[0]);
		job_run(job, arg, pipe_fd[1]);
	}
	close(pipe_fd[1]);
	if (wait4(pid, &status, 0, &usage) != pid)
		return false;
	s->us = now_us() - start;
	s->peak_kib = usage.ru_maxrss;
	got = read(pipe_fd[0], records, sizeof *records) == sizeof *records;
	close(pipe_fd[0]);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 && (got || !job->run);
}

static int compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t median(const struct sample *s, size_t n, bool peak)
{
	int64_t v[REPEATS_MAX];

	for (size_t i = 0; i < n; i++)
		v[i] = peak ? s[i].peak_kib : s[i].us;
	qsort(v, n, sizeof v[0], compare_numbers);
	return v[n / 2];
}

int main(int argc, char **argv)
{
	int repeats = argc > 2 ? (int)strtol(argv[1], NULL, 10) : 0;
	size_t njobs = argc > 2 ? (size_t)argc - 2 : 0;
	struct sample *samples;
	int64_t *records;

	if (repeats < 1 || repeats > REPEATS_MAX) {
		fputs("usage: bench REPEATS KIND=FILE|sh=COMMAND...\n", stderr);
		return 2;
	}
	samples = mem_zalloc(njobs * (size_t)repeats, sizeof *samples);
	records = mem_zalloc(njobs, sizeof *records);
	for (int r = 0; r < repeats; r++)
		for (size_t i = 0; i < njobs; i++) {
			const char *arg = NULL;
			const struct job *job = job_find(argv[i + 2], &arg);

			if (!job || !job_measure(job, arg, &samples[i * (size_t)repeats + (size_t)r], &records[i])) {
				fprintf(stderr, "bench: failed: %s\n", argv[i + 2]);
				return 1;
			}
		}
	for (size_t i = 0; i < njobs; i++) {
		const struct sample *s = &samples[i * (size_t)repeats];

		printf("%.*s\t%.3f\t%" PRId64 "\t%" PRId64 "\n", (int)strcspn(argv[i + 2], "="), argv[i + 2],
			(double)median(s, (size_t)repeats, false) / 1e3, median(s, (size_t)repeats, true), records[i]);
	}
	free(samples);
	free(records);
	return 0;
}
