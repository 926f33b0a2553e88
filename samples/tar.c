/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ustar headers and gzip framing by hand (see tar.h). A gzip member of stored
 * blocks is valid everywhere and needs no compressor.
 */
#include "samples/tar.h"

#include "samples/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STORED_MAX = 65535, GZIP_HEAD = 10, GZIP_TAIL = 8, BLOCK_HEAD = 5 };

static char *tar_room(struct tar *t, size_t n)
{
	if (t->n + n > t->room) {
		t->room = (t->n + n) * 2;
		t->at = realloc(t->at, t->room);
		if (!t->at)
			abort();
	}
	memset(t->at + t->n, 0, n);
	t->n += n;
	return t->at + t->n - n;
}

void tar_add(struct tar *t, const char *name, char type, const char *link, const void *data, size_t n)
{
	char *h = tar_room(t, TAR_BLOCK);
	unsigned sum = 0;

	snprintf(h, 100, "%s", name);
	memcpy(h + 100, "0000644\0" "0000000\0" "0000000\0", 24);
	snprintf(h + 124, 12, "%011o", (unsigned)n);
	memcpy(h + 136, "15113265141\0        ", 20);	/* mtime, then blanks for the checksum */
	h[156] = type;
	snprintf(h + 157, 100, "%s", link);
	memcpy(h + 257, "ustar\0" "00", 8);
	for (int i = 0; i < TAR_BLOCK; i++)
		sum += (unsigned char)h[i];
	snprintf(h + 148, 8, "%06o", sum);
	if (n)
		memcpy(tar_room(t, (n + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK), data, n);
}

void tar_end(struct tar *t)
{
	tar_room(t, 2 * TAR_BLOCK);
}

void tar_done(struct tar *t)
{
	free(t->at);
	memset(t, 0, sizeof(*t));
}

static void put(char **p, uint32_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		*(*p)++ = (char)(v >> (8 * i) & 255);
}

int gzip_write(const char *path, const void *data, size_t n, size_t cut)
{
	size_t blocks = n / STORED_MAX + 1, size = GZIP_HEAD + blocks * BLOCK_HEAD + n + GZIP_TAIL;
	char *file = malloc(size), *p = file;
	const char *from = data;
	struct out o;

	if (!file || out_open(&o, path) != 0) {
		free(file);
		return -1;
	}
	memcpy(p, "\x1f\x8b\x08\0\0\0\0\0\0\x03", GZIP_HEAD);
	p += GZIP_HEAD;
	for (size_t left = n, i = 0; i < blocks; i++) {
		uint32_t part = left < STORED_MAX ? (uint32_t)left : STORED_MAX;
		put(&p, i + 1 == blocks, 1);
		put(&p, part, 2);
		put(&p, ~part & 0xffff, 2);
		memcpy(p, from, part);
		p += part;
		from += part;
		left -= part;
	}
	put(&p, crc32_more(0, data, n), 4);
	put(&p, (uint32_t)n, 4);
	out_mem(&o, file, cut < size ? size - cut : 0);
	free(file);
	return out_close(&o);
}
