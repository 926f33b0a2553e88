/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/sort.h"

#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS, FEW = 64 };

/* Below some size the buckets cost more than the items: a capture may have very many short lanes. */
static void sort_few(const uint64_t *keys, uint32_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = i;

		for (; at > 0 && keys[order[at - 1]] > keys[i]; at--)
			order[at] = order[at - 1];
		order[at] = (uint32_t)i;
	}
}

static void radix_pass(const uint64_t *keys, const uint32_t *from, uint32_t *to, size_t n, int shift)
{
	size_t count[RADIX + 1] = { 0 };

	for (size_t i = 0; i < n; i++)
		count[(keys[i] >> shift & (RADIX - 1)) + 1]++;
	for (size_t i = 0; i < RADIX; i++)
		count[i + 1] += count[i];
	for (size_t i = 0; i < n; i++)
		to[count[keys[from[i]] >> shift & (RADIX - 1)]++] = from[i];
}

void sort_by_key(uint64_t *keys, uint32_t *order, size_t n)
{
	uint32_t *spare, *from = order, *to;
	uint64_t low = UINT64_MAX, high = 0;

	if (n <= FEW) {
		sort_few(keys, order, n);
		return;
	}
	to = spare = scratch_alloc(n, sizeof *spare);
	for (size_t i = 0; i < n; i++) {
		order[i] = (uint32_t)i;
		low = MIN(low, keys[i]);
		high = MAX(high, keys[i]);
	}
	for (size_t i = 0; i < n; i++)
		keys[i] -= low;
	high -= low;
	for (int shift = 0; shift < 64 && high >> shift; shift += RADIX_BITS) {
		uint32_t *swap = from;

		radix_pass(keys, from, to, n, shift);
		from = to;
		to = swap;
	}
	if (from != order)
		memcpy(order, from, n * sizeof *order);
	scratch_free(spare, n, sizeof *spare);
}
