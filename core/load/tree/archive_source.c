/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/tree/archive_source.h"

#include <errno.h>
#include <string.h>

bool source_open(struct source *s, const struct file *f, bool is_gzip, struct progress *p)
{
	memset(s, 0, sizeof *s);
	s->file = *f;
	s->p = p;
	s->is_gzip = is_gzip;
	return !is_gzip || inflateInit2(&s->z, 16 + MAX_WBITS) == Z_OK;
}

void source_close(struct source *s)
{
	if (s->is_gzip)
		inflateEnd(&s->z);
}

void source_tell(struct source *s, int64_t n)
{
	n = MIN(n, s->file.size - s->told);
	s->told += n;
	progress_add(s->p, n, 0);
}

/* The next bytes of the file; -1 with errno. */
static int64_t source_bytes(struct source *s, void *out)
{
	int64_t n;

	if (progress_cancelled(s->p)) {
		errno = ECANCELED;
		return -1;
	}
	n = file_read_at(&s->file, s->at, out, SOURCE_BYTES);
	if (n > 0) {
		s->at += n;
		source_tell(s, n);
	}
	return n;
}

/* Makes sure that there is input inside of a gzip member; false with s->done at the end, or -1's errno and s->done unset. */
static bool source_gzip_input(struct source *s)
{
	int64_t n = s->z.avail_in;

	if (!n) {
		n = source_bytes(s, s->in);
		if (n < 0)
			return false;
		s->z.next_in = s->in;
		s->z.avail_in = (uInt)n;
	}
	if (!n && s->in_gzip)
		s->fault = "the gzip data is cut short";
	/* A file may hold several gzip members; what else follows one is padding. */
	if (!n || (!s->in_gzip && s->z.next_in[0] != 0x1f)) {
		s->done = true;
		return false;
	}
	if (!s->in_gzip)
		inflateReset(&s->z);
	s->in_gzip = true;
	return true;
}

int64_t source_inflate(struct source *s)
{
	int64_t n;

	s->z.next_out = s->buf;
	s->z.avail_out = SOURCE_BYTES;
	while (!s->done && s->z.avail_out) {
		int r;

		if (!source_gzip_input(s)) {
			if (!s->done)
				return -1;
			break;
		}
		r = inflate(&s->z, Z_NO_FLUSH);
		if (r == Z_STREAM_END)
			s->in_gzip = false;
		else if (r != Z_OK) {
			s->fault = r == Z_DATA_ERROR && s->z.msg ? s->z.msg : "the gzip data is damaged";
			s->done = true;
		}
	}
	n = SOURCE_BYTES - (int64_t)s->z.avail_out;
	s->out += n;
	return n;
}

int64_t source_look_ahead(struct source *s)
{
	return s->ahead = source_inflate(s);
}

la_ssize_t source_read(struct archive *a, void *data, const void **out)
{
	struct source *s = data;
	int64_t n = s->ahead;

	if (n <= 0)
		n = s->is_gzip ? source_inflate(s) : source_bytes(s, s->buf);
	s->ahead = 0;
	*out = s->buf;
	if (n < 0)
		archive_set_error(a, errno, "cannot be read: %s", strerror(errno));
	return n < 0 ? ARCHIVE_FATAL : (la_ssize_t)n;
}

la_int64_t source_skip(struct archive *a, void *data, la_int64_t n)
{
	struct source *s = data;
	int64_t left = s->at < s->file.size ? s->file.size - s->at : 0;

	(void)a;
	n = MAX(0, MIN(n, left));
	s->at += n;
	source_tell(s, n);
	return n;
}

la_int64_t source_seek(struct archive *a, void *data, la_int64_t offset, int whence)
{
	struct source *s = data;
	int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? s->at : s->file.size;

	if (offset < -from || offset > INT64_MAX - from) {
		archive_set_error(a, EINVAL, "points outside the file");
		return ARCHIVE_FATAL;
	}
	return s->at = from + offset;
}
