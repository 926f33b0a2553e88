/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make-samples OUTDIR: writes every sample capture, each as text and as
 * database from one event list, and the hostile inputs. Deterministic: the same
 * bytes on every run and machine. Called by `make samples` and by the tests.
 */
#include "samples/build.h"
#include "samples/db.h"
#include "samples/emit.h"
#include "samples/hostile.h"
#include "samples/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct scenario *const scenarios[] = {
	&scenario_prefill, &scenario_decode, &scenario_host, &scenario_host_optimized, &scenario_copy, &scenario_mixed,
	&scenario_ranks,
};

/* "<host>_<pid>_<YYYYMMDDhhmmssmmm>_ascend_pt", in UTC. */
static void folder_name(const struct capture *c, char *text, size_t size)
{
	time_t sec = (time_t)(c->scenario->start_ns / 1000000000);
	struct tm tm;

	gmtime_r(&sec, &tm);
	snprintf(text, size, "atlas800_%lld_%04d%02d%02d%02d%02d%02d%03d_ascend_pt", (long long)c->host_pid,
		tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		(int)(c->scenario->start_ns / 1000000 % 1000));
}

static int write_scenario(const struct scenario *s, const char *root)
{
	struct capture cap[MAX_RANKS];
	char folder[128], dir[4096];
	int rc = 0;

	scenario_build(s, cap);
	for (int r = 0; r < s->ranks; r++) {
		folder_name(&cap[r], folder, sizeof(folder));
		snprintf(dir, sizeof(dir), "%s/%s/%s", root, s->name, folder);
		rc |= text_write(&cap[r], dir);
		snprintf(dir, sizeof(dir), "%s/%s-db/%s", root, s->name, folder);
		rc |= db_write(&cap[r], dir);
		capture_done(&cap[r]);
	}
	return rc;
}

int main(int argc, char **argv)
{
	if (argc != 2 || argv[1][0] == '-') {
		fputs("usage: make-samples OUTDIR\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (write_scenario(scenarios[i], argv[1]) != 0) {
			fprintf(stderr, "make-samples: %s: %s\n", scenarios[i]->name, strerror(errno));
			return 1;
		}
	if (hostile_write(argv[1]) != 0) {
		fprintf(stderr, "make-samples: hostile: %s\n", strerror(errno));
		return 1;
	}
	return 0;
}
