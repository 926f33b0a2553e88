/* SPDX-License-Identifier: Apache-2.0 */
/* Eight bytes of text at a time in one 64-bit word, the first in the lowest place whatever the machine's byte order. */
#ifndef ASCOPE_CORE_LOAD_TABLE_WORD_H
#define ASCOPE_CORE_LOAD_TABLE_WORD_H

#include "core/base/str.h"

#define WORD_OF(c) (0x0101010101010101u * (unsigned char)(c))

static inline uint64_t word_at(const char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof w);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

/* The top bit of each byte of w that is c. A byte above a match may be marked wrongly; the lowest mark is always right. */
static inline uint64_t word_mark(uint64_t w, unsigned char c)
{
	uint64_t x = w ^ WORD_OF(c);

	return (x - WORD_OF(1)) & ~x & WORD_OF(0x80);
}

/* Sixteen bytes for the compiler to compare at once, on machines that can; on others it makes loops of it. */
typedef unsigned char word_vector __attribute__((vector_size(16)));

/* One bit for each of the 64 bytes at p that is a comma, a line feed or a carriage return, the first in the lowest place. */
static inline uint64_t word_breaks(const char *p)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < 64; i += 16) {
		word_vector v, hits;
		uint64_t half[2];

		memcpy(&v, p + i, sizeof v);
		hits = (word_vector)(v == ',') | (word_vector)(v == '\n') | (word_vector)(v == '\r');
		half[0] = word_at((const char *)&hits);
		half[1] = word_at((const char *)&hits + 8);
		/* The product gathers one bit of each byte in the top byte. */
		bits |= (half[0] & WORD_OF(1)) * 0x0102040810204080u >> 56 << i;
		bits |= (half[1] & WORD_OF(1)) * 0x0102040810204080u >> 56 << (i + 8);
	}
	return bits;
}

/* Which byte (0..7) the lowest mark is in; marks is not 0. */
static inline size_t word_first(uint64_t marks)
{
	return (size_t)__builtin_ctzll(marks) >> 3;
}

/* Not 0 when a byte of w is more than 9. */
static inline uint64_t word_above_9(uint64_t w)
{
	return ((w + WORD_OF(0x76)) | w) & WORD_OF(0x80);
}

/* The number that eight digits 0..9, one a byte, make: pairs, then fours, then all. */
static inline uint64_t word_digits(uint64_t w)
{
	const uint64_t pairs = 0x000000ff000000ffu;

	w = w * 10 + (w >> 8);
	return ((w & pairs) * (100 + ((uint64_t)1000000 << 32)) + ((w >> 16 & pairs) * (1 + ((uint64_t)10000 << 32)))) >> 32;
}

#endif
