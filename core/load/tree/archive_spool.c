/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/tree/archive_spool.h"

#include "core/base/file.h"
#include "core/base/mem.h"
#include "core/base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	MOVE_BYTES = 64 * 1024,
	DESCRIPTORS_KEPT = 64		/* left free for readers, databases and the terminal */
};

void spool_init(struct spool *s)
{
	const char *named = getenv("TMPDIR");
	struct rlimit lim;

	*s = (struct spool){ .descriptors = 1024 };
	if (named && named[0])
		s->dirs[s->n++] = named;
	s->dirs[s->n++] = "/tmp";
	s->dirs[s->n++] = "/var/tmp";
	if (getrlimit(RLIMIT_NOFILE, &lim) != 0)
		return;
	s->descriptors = lim.rlim_cur;
	lim.rlim_cur = lim.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &lim) == 0)
		s->descriptors = lim.rlim_cur;
}

bool spool_lacks_descriptors(int e)
{
	return e == EMFILE || e == ENFILE;
}

static bool is_out_of_room(int e)
{
	return e == ENOSPC || e == EDQUOT || e == EFBIG;
}

static int spool_file_in(const char *dir)
{
	char path[PATH_BYTES_MAX];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	int n;

	if (fd >= 0 || spool_lacks_descriptors(errno))
		return fd;
	n = snprintf(path, sizeof path, "%s/ascope-XXXXXX", dir);
	if (n < 0 || (size_t)n >= sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int spool_file(struct spool *s)
{
	int fd = -1;

	for (; s->at < s->n && fd < 0; s->at += fd < 0) {
		fd = spool_file_in(s->dirs[s->at]);
		if (fd < 0 && spool_lacks_descriptors(errno))
			return -1;
	}
	if (fd < 0 && !s->full)
		fd = memfd_create("ascope", MFD_CLOEXEC);
	if (fd >= 0 && (rlim_t)fd + DESCRIPTORS_KEPT >= s->descriptors) {
		close(fd);
		fd = -1;
		errno = EMFILE;
	}
	return fd;
}

static bool write_at(int fd, const char *p, size_t n, int64_t offset)
{
	while (n) {
		ssize_t r = pwrite(fd, p, n, (off_t)offset);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return false;
		p += r, n -= (size_t)r, offset += r;
	}
	return true;
}

static bool copy_start(int from, int to, int64_t n)
{
	struct file f = { .fd = from };
	char *buf = mem_alloc(MOVE_BYTES, 1);
	int64_t at = 0, got = 0;
	bool whole;

	while (at < n && (got = file_read_at(&f, at, buf, (size_t)MIN(n - at, MOVE_BYTES))) > 0 && write_at(to, buf, (size_t)got, at))
		at += got;
	whole = at >= n;
	free(buf);
	return whole;
}

static bool spool_move(struct spool *s, int *fd, int64_t have)
{
	while (s->at < s->n && ++s->at < s->n) {
		int to = spool_file_in(s->dirs[s->at]);

		if (to >= 0 && copy_start(*fd, to, have)) {
			close(*fd);
			*fd = to;
			return true;
		}
		if (to >= 0)
			close(to);
	}
	s->full = true;
	return false;
}

bool spool_write(struct spool *s, int *fd, const void *block, size_t n, int64_t offset, int64_t have)
{
	while (!write_at(*fd, block, n, offset)) {
		int e = errno;

		if (is_out_of_room(e) && spool_move(s, fd, have))
			continue;
		errno = e;
		return false;
	}
	return true;
}

const char *spool_place(const struct spool *s)
{
	return s->at < s->n ? s->dirs[s->at] : s->full ? s->dirs[s->n - 1] : "memory";
}
