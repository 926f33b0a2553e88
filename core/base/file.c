/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/file.h"

#include "core/base/mem.h"

#include <errno.h>
#include <fcntl.h>
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
