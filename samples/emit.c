/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The byte writer behind every sample file (see emit.h). A failed write is
 * remembered and reported once, by out_close(), so the writers in between need
 * no error paths of their own.
 */
#include "samples/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void out_flush(struct out *o)
{
	size_t done = 0;

	while (done < o->used && !o->failed) {
		ssize_t n = write(o->fd, o->buf + done, o->used - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			o->failed = true;
		else
			done += (size_t)n;
	}
	o->flushed += o->used;
	o->used = 0;
}

int out_open(struct out *o, const char *path)
{
	memset(o, 0, sizeof(*o));
	o->fd = strcmp(path, "-") == 0 ? STDOUT_FILENO
				       : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (o->fd < 0) {
		o->failed = true;
		return -1;
	}
	o->buf = malloc(OUT_CAPACITY);
	if (!o->buf) {
		o->failed = true;
		return -1;
	}
	return 0;
}

int out_close(struct out *o)
{
	if (o->buf)
		out_flush(o);
	if (o->fd > STDERR_FILENO && close(o->fd) != 0)
		o->failed = true;
	free(o->buf);
	o->buf = NULL;
	return o->failed ? -1 : 0;
}

uint64_t out_bytes(const struct out *o)
{
	return o->flushed + o->used;
}

void out_mem(struct out *o, const void *data, size_t n)
{
	const char *p = data;

	if (!o->buf)
		return;
	while (n > OUT_CAPACITY - o->used) {
		size_t part = OUT_CAPACITY - o->used;
		memcpy(o->buf + o->used, p, part);
		o->used += part;
		p += part;
		n -= part;
		out_flush(o);
	}
	memcpy(o->buf + o->used, p, n);
	o->used += n;
}

void out_str(struct out *o, const char *s)
{
	out_mem(o, s, strlen(s));
}

void out_char(struct out *o, char c)
{
	out_mem(o, &c, 1);
}

void out_fill(struct out *o, char c, size_t n)
{
	char block[256];

	memset(block, c, sizeof(block));
	for (; n > sizeof(block); n -= sizeof(block))
		out_mem(o, block, sizeof(block));
	out_mem(o, block, n);
}

void out_u64(struct out *o, uint64_t v)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + v % 10);
	while ((v /= 10) != 0);
	out_mem(o, digits + at, sizeof(digits) - at);
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? 0u - (uint64_t)v : (uint64_t)v;
}

void out_i64(struct out *o, int64_t v)
{
	if (v < 0)
		out_char(o, '-');
	out_u64(o, magnitude(v));
}

static size_t fraction(char *text, uint64_t part, int digits)
{
	for (int i = digits; i-- > 0; part /= 10)
		text[i] = (char)('0' + part % 10);
	return (size_t)digits;
}

static uint64_t power10(int digits)
{
	uint64_t p = 1;

	while (digits-- > 0)
		p *= 10;
	return p;
}

void out_fixed(struct out *o, int64_t v, int digits)
{
	char text[20];
	uint64_t unit = power10(digits), m = magnitude(v);

	if (v < 0)
		out_char(o, '-');
	out_u64(o, m / unit);
	out_char(o, '.');
	out_mem(o, text, fraction(text, m % unit, digits));
}

void out_short(struct out *o, int64_t v, int digits)
{
	char text[20];
	uint64_t unit = power10(digits), m = magnitude(v);
	size_t n = fraction(text, m % unit, digits);

	while (n > 1 && text[n - 1] == '0')
		n--;
	if (v < 0)
		out_char(o, '-');
	out_u64(o, m / unit);
	out_char(o, '.');
	out_mem(o, text, n);
}

static void json_escape(struct out *o, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	char text[6] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };

	switch (c) {
	case '"': out_str(o, "\\\""); break;
	case '\\': out_str(o, "\\\\"); break;
	case '\n': out_str(o, "\\n"); break;
	case '\r': out_str(o, "\\r"); break;
	case '\t': out_str(o, "\\t"); break;
	default: out_mem(o, text, sizeof(text)); break;
	}
}

void out_json(struct out *o, const char *s)
{
	for (;;) {
		size_t n = 0;
		while ((unsigned char)s[n] >= ' ' && s[n] != '"' && s[n] != '\\')
			n++;
		out_mem(o, s, n);
		if (!s[n])
			return;
		json_escape(o, (unsigned char)s[n]);
		s += n + 1;
	}
}

int dir_make(const char *path)
{
	char part[4096];
	size_t n = strlen(path);

	if (n == 0 || n >= sizeof(part)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(part, path, n + 1);
	for (size_t i = 1; i <= n; i++) {
		if (part[i] != '/' && part[i] != '\0')
			continue;
		char kept = part[i];
		part[i] = '\0';
		if (mkdir(part, 0755) != 0 && errno != EEXIST)
			return -1;
		part[i] = kept;
	}
	return 0;
}
