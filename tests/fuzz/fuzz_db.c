/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiler databases. The first byte chooses: 'S' SQL text that makes a database (the way to reach what lies behind SQLite), 'R' the bytes
 * of a database file; anything else is the bytes of a file from there on. Whatever it is, it is sniffed, loaded as what it may be, and the
 * model must hold together: rows kept and dropped add up, events lie in their lanes, every event can be asked for.
 */
#include "core/load/db/db_load.h"
#include "core/load/doc/doc_load.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static int enough(void *left)
{
	return --*(int *)left < 0;
}

static void write_all(int fd, const void *data, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t r = write(fd, (const char *)data + done, n - done);

		must(r > 0);
		done += (size_t)r;
	}
}

/* Runs each statement that can be run, in memory, and writes the database to fd. */
static void sql_write(int fd, char *sql)
{
	sqlite3 *db;
	sqlite3_int64 n = 0;
	unsigned char *bytes;
	int left = 200;

	must(sqlite3_open(":memory:", &db) == SQLITE_OK);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_progress_handler(db, 10000, enough, &left);
	for (char *one = strtok(sql, ";"); one; one = strtok(NULL, ";"))
		sqlite3_exec(db, one, NULL, NULL, NULL);
	bytes = sqlite3_serialize(db, "main", &n, 0);
	if (bytes && n < 4 << 20)
		write_all(fd, bytes, (size_t)n);
	sqlite3_free(bytes);
	sqlite3_close(db);
}

static void events_check(const struct events *e, const struct names *names, const char *path)
{
	size_t n = 0;

	for (size_t l = 0; l < e->nlanes; l++) {
		const struct lane *at = &e->lanes[l];

		must(at->first == n && at->process < e->nprocesses && at->name < names->n);
		n += at->n;
		for (size_t i = at->first; i < n; i++) {
			must(e->start[i] >= 0 && e->dur[i] >= 0 && e->start[i] <= INT64_MAX - e->dur[i]);
			must(e->name[i] < names->n && e->type[i] < names->n && e->span_len[i] == 1);
			must(i == at->first || e->start[i - 1] <= e->start[i]);
		}
	}
	must(n == e->n);
	for (size_t i = 0; i < e->nlinks; i++)
		must(e->links[i].from < e->n && e->links[i].to < e->n);
	for (size_t i = 0; i < e->n && i < 200; i += 1 + e->n / 8) {
		struct args a;

		if (db_event_args(path, e->span[i], &a, NULL) == ERR_OK)
			args_done(&a);
		else
			must(a.n == 0);
	}
}

static void comm_check(const struct comm *c)
{
	for (size_t i = 0; i < c->nops; i++)
		must(c->ops[i].first_transport <= c->ntransports && c->ops[i].ntransports <= c->ntransports - c->ops[i].first_transport);
	for (size_t i = 0; i < c->ntransports; i++) {
		const struct comm_transport *t = &c->transports[i];

		must(t->first_packet <= c->npackets && t->npackets <= c->npackets - t->first_packet);
	}
}

static void load(const char *path, bool analysis)
{
	struct table *tables[ART_MAX] = { 0 };
	struct account account = { 0 };
	struct run_info info;
	struct comm comm = { 0 };
	struct events events;
	struct names names;
	struct diag d = { 0 };
	struct db_target t = { .names = &names, .account = &account, .tables = tables, .comm = &comm, .info = &info };
	enum err err;

	names_init(&names);
	run_info_init(&info);
	t.build = build_new(&names);
	err = analysis ? db_load_analysis(path, &t, NULL, &d) : db_load_profiler(path, &t, NULL, &d);
	must(err == ERR_OK || (d.err == err && d.text[0]));
	must(account.kept + account_dropped(&account) == account_total(&account));
	if (err) {
		build_free(t.build);
	} else {
		build_finish(t.build, &events, &account);
		events_check(&events, &names, path);
		events_done(&events);
	}
	comm_check(&comm);
	for (size_t i = 0; i < ART_MAX; i++)
		if (tables[i]) {
			table_done(tables[i]);
			free(tables[i]);
		}
	comm_done(&comm);
	names_done(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	enum db_kind kind;
	struct diag d;
	char path[64], *sql;

	must(fd >= 0);
	setenv("ASCOPE_THREADS", "1", 0);	/* threads cost more than the loads here */
	if (size && data[0] == 'S') {
		sql = malloc(size);
		must(sql != NULL);
		memcpy(sql, data + 1, size - 1);
		sql[size - 1] = '\0';
		sql_write(fd, sql);
		free(sql);
	} else {
		write_all(fd, data + (size && data[0] == 'R'), size - (size && data[0] == 'R'));
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	db_sniff(path, &kind, &d);
	if (kind != DB_ANALYSIS && kind != DB_CLUSTER)
		load(path, false);
	if (kind != DB_PROFILER)
		load(path, true);
	close(fd);
	return 0;
}
