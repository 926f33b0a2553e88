/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes zip archives by hand (see zip.h): local headers, data, the central
 * directory and its end record. No zip64, no data descriptors.
 */
#include "samples/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ZIP_DATE = 0x5b81, ZIP_TIME = 0x5000 };	/* 2025-12-01 10:00 */

uint32_t crc32_more(uint32_t crc, const void *data, size_t n)
{
	static uint32_t table[256];
	const unsigned char *p = data;

	if (!table[1])
		for (uint32_t i = 0; i < 256; i++) {
			uint32_t v = i;
			for (int k = 0; k < 8; k++)
				v = v & 1 ? 0xEDB88320u ^ v >> 1 : v >> 1;
			table[i] = v;
		}
	crc = ~crc;
	for (size_t i = 0; i < n; i++)
		crc = table[(crc ^ p[i]) & 255] ^ crc >> 8;
	return ~crc;
}

static void put(struct out *o, uint32_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		out_char(o, (char)(v >> (8 * i) & 255));
}

int zip_open(struct zip *z, const char *path)
{
	z->n = 0;
	return out_open(&z->out, path);
}

/* The fields local and central headers share, from "version needed" on. */
static void member_fields(struct out *o, const struct zip_member *m)
{
	put(o, 20, 2);
	put(o, 0x0800, 2);	/* names are UTF-8 */
	put(o, m->method, 2);
	put(o, ZIP_TIME, 2);
	put(o, ZIP_DATE, 2);
	put(o, m->crc, 4);
	put(o, m->packed, 4);
	put(o, m->size, 4);
	put(o, (uint32_t)strlen(m->name), 2);
	put(o, 0, 2);
}

static void add(struct zip *z, struct zip_member m, const char *name, const void *data)
{
	if (z->n == ZIP_MEMBERS)
		return;
	snprintf(m.name, sizeof(m.name), "%s", name);
	m.offset = (uint32_t)out_bytes(&z->out);
	put(&z->out, 0x04034b50, 4);
	member_fields(&z->out, &m);
	out_str(&z->out, m.name);
	out_mem(&z->out, data, m.packed);
	z->member[z->n++] = m;
}

void zip_store(struct zip *z, const char *name, const void *data, size_t n, uint32_t mode)
{
	add(z, (struct zip_member){ .crc = crc32_more(0, data, n), .packed = (uint32_t)n, .size = (uint32_t)n, .mode = mode },
		name, data);
}

void zip_deflated(struct zip *z, const char *name, const void *data, size_t n, uint32_t size, uint32_t crc)
{
	add(z, (struct zip_member){ .crc = crc, .packed = (uint32_t)n, .size = size, .mode = ZIP_FILE_MODE, .method = 8 }, name,
		data);
}

int zip_store_file(struct zip *z, const char *name, const char *path)
{
	FILE *f = fopen(path, "rb");
	char *data = NULL;
	size_t n = 0, room = 1 << 16, got = 1;

	if (!f)
		return -1;
	while (got > 0) {
		room *= 2;
		char *more = realloc(data, room);
		if (!more)
			break;
		data = more;
		got = fread(data + n, 1, room - n, f);
		n += got;
		if (n < room)
			break;
	}
	int rc = ferror(f) || !data ? -1 : 0;
	fclose(f);
	if (rc == 0)
		zip_store(z, name, data, n, ZIP_FILE_MODE);
	free(data);
	return rc;
}

int zip_close(struct zip *z, bool directory)
{
	struct out *o = &z->out;
	uint32_t start = (uint32_t)out_bytes(o);

	for (size_t i = 0; i < z->n && directory; i++) {
		const struct zip_member *m = &z->member[i];
		put(o, 0x02014b50, 4);
		put(o, 3 << 8 | 20, 2);	/* made on Unix: the mode is valid */
		member_fields(o, m);
		put(o, 0, 2);
		put(o, 0, 2);
		put(o, 0, 2);
		put(o, m->mode << 16, 4);
		put(o, m->offset, 4);
		out_str(o, m->name);
	}
	if (directory) {
		uint32_t size = (uint32_t)out_bytes(o) - start;
		put(o, 0x06054b50, 4);
		put(o, 0, 4);
		put(o, (uint32_t)z->n, 2);
		put(o, (uint32_t)z->n, 2);
		put(o, size, 4);
		put(o, start, 4);
		put(o, 0, 2);
	}
	return out_close(o);
}
