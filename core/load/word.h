/* SPDX-License-Identifier: Apache-2.0 */
/* Eight bytes of text at a time in one 64-bit word, the first in the lowest place whatever the machine's byte order. */
#ifndef ASCOPE_CORE_LOAD_WORD_H
#define ASCOPE_CORE_LOAD_WORD_H

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

/* One bit for each of the 64 bytes at p that is a comma, a line feed or a carriage return, the first in the lowest place; exact. */
static inline uint64_t word_breaks(const char *p)
{
	const uint64_t low = WORD_OF(0x7f);
	uint64_t bits = 0;

	for (unsigned i = 0; i < 8; i++) {
		uint64_t w = word_at(p + 8 * i), a = w ^ WORD_OF(','), b = w ^ WORD_OF('\n'), c = w ^ WORD_OF('\r');
		uint64_t others = (((a & low) + low) | a) & (((b & low) + low) | b) & (((c & low) + low) | c);

		/* The product gathers the top bits of the bytes in the top byte. */
		bits |= (~others & WORD_OF(0x80)) * 0x0002040810204081u >> 56 << 8 * i;
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
