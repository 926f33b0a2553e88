/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/help/tmpdir.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void tmpdir_fail(const char *what, const char *path)
{
	fprintf(stderr, "tmpdir: %s %s: %s\n", what, path, strerror(errno));
	abort();
}

void tmpdir_make(char out[], size_t size)
{
	const char *base = getenv("TMPDIR");
	int n = snprintf(out, size, "%s/ascope-test-XXXXXX", base && base[0] ? base : "/tmp");

	if (n < 0 || (size_t)n >= size || !mkdtemp(out))
		tmpdir_fail("cannot make", out);
}

void tmpdir_write(const char *dir, const char *relpath, const void *data, size_t n)
{
	size_t head = strlen(dir) + 1, all = head + strlen(relpath) + 1;
	char *path = malloc(all);
	int fd;

	if (!path)
		abort();
	snprintf(path, all, "%s/%s", dir, relpath);
	for (char *slash = strchr(path + head, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			tmpdir_fail("cannot make", path);
		*slash = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		tmpdir_fail("cannot write", path);
	for (size_t done = 0; done < n;) {
		ssize_t r = write(fd, (const char *)data + done, n - done);

		if (r <= 0)
			tmpdir_fail("cannot write", path);
		done += (size_t)r;
	}
	close(fd);
	free(path);
}

static int open_folder(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)where;
	if (type == FTW_D || type == FTW_DNR)
		chmod(path, 0700);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)type, (void)where;
	if (remove(path) != 0)
		fprintf(stderr, "tmpdir: cannot remove %s: %s\n", path, strerror(errno));
	return 0;
}

void tmpdir_remove(const char *dir)
{
	nftw(dir, open_folder, 16, FTW_PHYS);
	nftw(dir, remove_one, 16, FTW_PHYS | FTW_DEPTH);
}
