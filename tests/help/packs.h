/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Archives made by hand for tests, the sound and the hostile alike: no packing program would write most of them. Everything goes to a buf,
 * which the caller writes to a file and frees with buf_done().
 */
#ifndef ASCOPE_TESTS_HELP_PACKS_H
#define ASCOPE_TESTS_HELP_PACKS_H

#include "core/base/str.h"

/* A ustar member of any type: '0' file, '1' hard link, '2' symbolic link, '5' folder, ...; names of up to 100 bytes. */
void tar_add(struct buf *b, const char *name, char type, const char *link, const void *data, size_t n);
void tar_text(struct buf *b, const char *name, const char *text);
void tar_end(struct buf *b);

/* Zeroed to begin with. After zip_end() the archive is in data. */
struct zip {
	struct buf data, index;
	unsigned n;
};

/* A stored member. mode: st_mode with its type; flags: 1 encrypted, 0x800 the name is UTF-8; crc_xor: not 0 spoils the checksum. */
void zip_add(struct zip *z, const char *name, const char *text, unsigned mode, unsigned flags, uint32_t crc_xor);
void zip_text(struct zip *z, const char *name, const char *text);
void zip_end(struct zip *z);

struct buf gzip_of(const char *p, size_t n);

#endif
