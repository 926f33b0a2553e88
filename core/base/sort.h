/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting large arrays by a 64-bit key, linear in their length. */
#ifndef ASCOPE_CORE_BASE_SORT_H
#define ASCOPE_CORE_BASE_SORT_H

#include "core/base/base.h"

/*
 * Fills order[n] with the indexes of keys in rising order; equal keys stay in the order they were in. The keys are changed. A radix sort
 * over the bits that differ.
 */
void sort_by_key(uint64_t *keys, uint32_t *order, size_t n);

/* A signed time as a key of the same order. */
static inline uint64_t sort_key(int64_t t)
{
	return (uint64_t)t ^ (uint64_t)1 << 63;
}

#endif
