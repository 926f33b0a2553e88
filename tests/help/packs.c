/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/help/packs.h"

#include "core/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

void tar_add(struct buf *b, const char *name, char type, const char *link, const void *data, size_t n)
{
	unsigned char h[512] = { 0 };
	unsigned sum = 0;

	snprintf((char *)h, 101, "%s", name);
	snprintf((char *)h + 100, 8, "%07o", type == '5' ? 0755u : 0644u);
	snprintf((char *)h + 124, 12, "%011zo", n);
	snprintf((char *)h + 136, 12, "%011o", 1700000000u);
	h[156] = (unsigned char)type;
	if (link)
		snprintf((char *)h + 157, 100, "%s", link);
	memcpy(h + 257, "ustar\00000", 8);
	memset(h + 148, ' ', 8);
	for (size_t i = 0; i < sizeof h; i++)
		sum += h[i];
	snprintf((char *)h + 148, 8, "%06o", sum);
	buf_add(b, (char *)h, sizeof h);
	buf_add(b, data, n);
	while (b->n % 512)
		buf_char(b, '\0');
}

void tar_text(struct buf *b, const char *name, const char *text)
{
	tar_add(b, name, '0', NULL, text, strlen(text));
}

void tar_end(struct buf *b)
{
	static const char zeros[1024];

	buf_add(b, zeros, sizeof zeros);
}

static void le(struct buf *b, unsigned bytes, uint64_t v)
{
	for (; bytes; bytes--, v >>= 8)
		buf_char(b, (char)(v & 0xff));
}

/* The fields that a member's header and its line in the index share. */
static void zip_fields(struct buf *b, const char *name, size_t n, unsigned flags, uint32_t crc)
{
	le(b, 2, 20);
	le(b, 2, flags);
	le(b, 2, 0);
	le(b, 4, 0x58210000);
	le(b, 4, crc);
	le(b, 4, n);
	le(b, 4, n);
	le(b, 2, strlen(name));
	le(b, 2, 0);
}

void zip_add(struct zip *z, const char *name, const char *text, unsigned mode, unsigned flags, uint32_t crc_xor)
{
	size_t n = strlen(text), at = z->data.n;
	uint32_t crc = (uint32_t)crc32(0, (const Bytef *)text, (uInt)n) ^ crc_xor;

	le(&z->data, 4, 0x04034b50);
	zip_fields(&z->data, name, n, flags, crc);
	buf_str(&z->data, name);
	buf_add(&z->data, text, n);
	le(&z->index, 4, 0x02014b50);
	le(&z->index, 2, 3 << 8 | 20);
	zip_fields(&z->index, name, n, flags, crc);
	le(&z->index, 6, 0);
	le(&z->index, 4, (uint64_t)mode << 16);
	le(&z->index, 4, at);
	buf_str(&z->index, name);
	z->n++;
}

void zip_text(struct zip *z, const char *name, const char *text)
{
	zip_add(z, name, text, S_IFREG | 0644, 0, 0);
}

void zip_end(struct zip *z)
{
	size_t start = z->data.n, n = z->index.n;

	buf_add(&z->data, n ? z->index.p : "", n);
	le(&z->data, 4, 0x06054b50);
	le(&z->data, 4, 0);
	le(&z->data, 2, z->n);
	le(&z->data, 2, z->n);
	le(&z->data, 4, n);
	le(&z->data, 4, start);
	le(&z->data, 2, 0);
	buf_done(&z->index);
}

struct buf gzip_of(const char *p, size_t n)
{
	z_stream z = { 0 };
	struct buf out = { 0 };

	if (deflateInit2(&z, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	out.cap = deflateBound(&z, n) + 64;
	out.p = mem_alloc(out.cap, 1);
	z.next_in = (Bytef *)(uintptr_t)p;
	z.avail_in = (uInt)n;
	z.next_out = (Bytef *)out.p;
	z.avail_out = (uInt)out.cap;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	out.n = z.total_out;
	deflateEnd(&z);
	return out;
}
