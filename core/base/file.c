/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/file.h"

#include "core/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum err file_open(struct file *f, const char *path, struct diag *d)
{
	struct stat st;
	enum err err;

	/* O_NONBLOCK: a FIFO in a capture folder must not make us wait for a writer. */
	*f = (struct file){ .path = path, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) };
	if (f->fd < 0) {
		err = errno == ENOENT || errno == ENOTDIR ? ERR_NO_INPUT : ERR_UNREADABLE;
		return diag_set(d, err, path, -1, -1, "cannot be opened: %s", strerror(errno));
	}
	if (fstat(f->fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		file_close(f);
		return diag_set(d, ERR_UNREADABLE, path, -1, -1, "is no regular file");
	}
	f->size = st.st_size;
	return ERR_OK;
}

void file_close(struct file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

int64_t file_read_at(const struct file *f, int64_t offset, void *out, size_t n)
{
	size_t got = 0;

	while (got < n) {
		ssize_t r = pread(f->fd, (char *)out + got, n - got, (off_t)(offset + (int64_t)got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -1;
		if (r == 0)
			break;
		got += (size_t)r;
	}
	return (int64_t)got;
}

enum err file_read_all(const struct file *f, size_t most, char **out, size_t *n, struct diag *d)
{
	int64_t got;

	*out = NULL;
	*n = 0;
	if (f->size > (int64_t)most)
		return diag_set(d, ERR_LIMIT, f->path, -1, -1, "is %lld bytes; at most %zu are read for a file of this kind", (long long)f->size, most);
	*out = mem_alloc((size_t)f->size + 1, 1);
	got = file_read_at(f, 0, *out, (size_t)f->size);
	if (got < 0) {
		free(*out);
		*out = NULL;
		return diag_set(d, ERR_UNREADABLE, f->path, -1, -1, "cannot be read: %s", strerror(errno));
	}
	(*out)[got] = '\0';
	*n = (size_t)got;
	return ERR_OK;
}

static bool write_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t done = write(fd, text, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		text += done;
		n -= (size_t)done;
	}
	return true;
}

static enum err write_direct(const char *path, const char *text, size_t n, struct diag *d)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write_all(fd, text, n);
	int sys = errno;

	if (fd >= 0 && close(fd) != 0 && ok) {
		sys = errno;
		ok = false;
	}
	return ok ? ERR_OK : diag_set(d, ERR_OUTPUT, path, -1, -1, "cannot be written: %s", strerror(sys));
}

enum err file_write(const char *path, const char *text, size_t n, struct diag *d)
{
	size_t size = strlen(path) + 16;
	mode_t mask = umask(0);
	struct stat st;
	char *temp;
	bool ok;
	int fd, sys;

	umask(mask);
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return write_direct(path, text, n, d);
	temp = mem_alloc(size, 1);
	snprintf(temp, size, "%s.XXXXXX", path);
	fd = mkstemp(temp);
	ok = fd >= 0 && write_all(fd, text, n) && fchmod(fd, 0666 & ~mask) == 0 && fsync(fd) == 0;
	sys = errno;
	if (fd >= 0 && close(fd) != 0 && ok) {
		sys = errno;
		ok = false;
	}
	if (ok && rename(temp, path) != 0) {
		sys = errno;
		ok = false;
	}
	if (!ok && fd >= 0)
		unlink(temp);
	free(temp);
	return ok ? ERR_OK : diag_set(d, ERR_OUTPUT, path, -1, -1, "cannot be written: %s", strerror(sys));
}
