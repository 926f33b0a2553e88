/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The samples' own random numbers: splitmix64, integers only, so that every
 * machine and C library makes the same bytes from the same seed.
 */
#ifndef ASCOPE_SAMPLES_RNG_H
#define ASCOPE_SAMPLES_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

void rng_init(struct rng *r, uint64_t seed);
uint64_t rng_next(struct rng *r);

/* A number in [0, n); n must not be 0. */
uint64_t rng_below(struct rng *r, uint64_t n);

/* mean +- permille/1000 of it, never under 1. */
int64_t rng_around(struct rng *r, int64_t mean, int permille);

/* Fills part[0..n) with positive jittered parts that add up to total exactly. */
void rng_split(struct rng *r, int64_t total, int permille, int64_t *part, size_t n);

#endif
