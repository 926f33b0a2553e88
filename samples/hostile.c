/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the three lists of hostile inputs, gives each its folder, and writes
 * EXPECT.tsv beside them. A tiny healthy capture is made first: it is a sample
 * of its own (hostile/healthy) and the raw material of the damaged databases
 * and archives.
 */
#include "samples/hostile.h"

#include "samples/build.h"
#include "samples/db.h"
#include "samples/text.h"

#include <stdio.h>
#include <string.h>

int hostile_file(const char *dir, const char *name, const char *text)
{
	char path[HOSTILE_PATH];
	char *slash;
	struct out o;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path))
		return -1;
	slash = strrchr(path, '/');
	*slash = '\0';
	if (dir_make(path) != 0)
		return -1;
	*slash = '/';
	if (out_open(&o, path) != 0)
		return -1;
	out_str(&o, text);
	return out_close(&o);
}

static int write_case(const struct hostile_case *h, const char *dir, const char *seed)
{
	char path[HOSTILE_PATH];
	char *slash;
	struct out o;

	snprintf(path, sizeof(path), "%s/%s", dir, h->path);
	if (h->place)
		return h->place(path, seed);
	slash = strrchr(path, '/');
	*slash = '\0';
	if (dir_make(path) != 0)
		return -1;
	*slash = '/';
	if (out_open(&o, path) != 0)
		return -1;
	h->text(&o);
	return out_close(&o);
}

static int write_list(struct hostile_list list, const char *dir, const char *seed, struct out *expect)
{
	for (size_t i = 0; i < list.n; i++) {
		const struct hostile_case *h = &list.at[i];
		if (write_case(h, dir, seed) != 0) {
			fprintf(stderr, "make-samples: hostile %s failed\n", h->path);
			return -1;
		}
		out_str(expect, h->path);
		out_char(expect, '\t');
		out_str(expect, h->outcome);
		out_char(expect, '\t');
		out_str(expect, h->remark);
		out_char(expect, '\n');
	}
	return 0;
}

static int write_seed(const char *dir)
{
	struct capture cap[MAX_RANKS];
	int rc;

	scenario_build(&scenario_tiny, cap);
	rc = text_write(&cap[0], dir) | db_write(&cap[0], dir);
	capture_done(&cap[0]);
	return rc;
}

int hostile_write(const char *root)
{
	char dir[HOSTILE_PATH - 512], seed[HOSTILE_PATH - 256], path[HOSTILE_PATH];
	struct out expect;
	int rc;

	snprintf(dir, sizeof(dir), "%s/hostile", root);
	snprintf(seed, sizeof(seed), "%s/healthy/atlas800_21034_20251201102001044_ascend_pt", dir);
	if (write_seed(seed) != 0)
		return -1;
	snprintf(path, sizeof(path), "%s/EXPECT.tsv", dir);
	if (out_open(&expect, path) != 0)
		return -1;
	out_str(&expect, "name\toutcome\tremark\nhealthy\tok\ta small capture, text and database side by side\n");
	rc = write_list(hostile_traces(), dir, seed, &expect);
	rc |= write_list(hostile_tables(), dir, seed, &expect);
	rc |= write_list(hostile_others(), dir, seed, &expect);
	return out_close(&expect) | rc;
}
