/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an archive: as the file's content says, or else as if its name said so. Holds: entries in order, each either refused or of
 * the size that it tells, no descriptor left open. Limits are tight, so that a run is short.
 */
#include "core/base/path.h"
#include "core/load/tree/archive.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct tree_limits limits = { .members = 200, .total_bytes = 4 << 20, .ratio = 400 };

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_entries(const struct tree *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct tree_entry *e = &t->entries[i];
		struct file f;
		struct stat st;

		require(e->path && e->real && e->path[0]);
		require(i == 0 || strcmp(t->entries[i - 1].path, e->path) <= 0);
		if (tree_file(t, i, &f, NULL) != ERR_OK) {
			require(e->refused && e->fd < 0);
			continue;
		}
		require(!e->refused && f.size == e->size && fstat(f.fd, &st) == 0 && st.st_size == e->size);
		require(!t->is_archive || !path_fault(e->path));
		file_close(&f);
	}
	for (size_t i = 1; i < t->nfolders; i++)
		require(strcmp(t->folders[i - 1], t->folders[i]) < 0);
}

/* What tree_open() would do with such a name. */
static void unpack_as(int fd, enum pack kind, const char *name)
{
	struct tree t = { .root = name, .name = name, .is_archive = true };
	struct diag d;

	archive_unpack(&t, fd, kind, &limits, NULL, &d);
	tree_close(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", 0), again;
	struct tree t;
	struct diag d;
	char path[32];

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (tree_open(&t, path, &limits, NULL, &d) == ERR_OK) {
		check_entries(&t);
		if (!t.is_archive)
			unpack_as(fd, size % 2 ? PACK_ZIP : PACK_TAR, size % 2 ? "x.zip" : "x.tar");
		tree_close(&t);
	}
	if (size > 2 && data[0] == 0x1f && data[1] == 0x8b)
		unpack_as(fd, PACK_GZIP, "x.json.gz");
	close(fd);
	again = dup(0);
	require(again == fd);
	close(again);
	return 0;
}
