/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deterministic random numbers for the sample writers (see rng.h). No state is
 * shared between streams: each scenario and rank owns one generator, so adding
 * a sample never changes the bytes of another.
 */
#include "samples/rng.h"

void rng_init(struct rng *r, uint64_t seed)
{
	r->state = seed;
}

uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9E3779B97F4A7C15u;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	return rng_next(r) % n;
}

int64_t rng_around(struct rng *r, int64_t mean, int permille)
{
	int64_t reach = mean * permille / 1000;
	int64_t v = mean;

	if (reach > 0)
		v += (int64_t)rng_below(r, (uint64_t)(2 * reach + 1)) - reach;
	return v > 0 ? v : 1;
}

void rng_split(struct rng *r, int64_t total, int permille, int64_t *part, size_t n)
{
	int64_t count = (int64_t)n, sum = 0;

	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		part[i] = rng_around(r, total / count, permille);
		sum += part[i];
	}
	/* What jitter left over goes back in equal shares, the rest one by one. */
	int64_t share = (total - sum) / count, rest = (total - sum) % count;
	for (size_t i = 0; i < n; i++) {
		part[i] += share;
		if (rest > 0)
			part[i]++, rest--;
		else if (rest < 0)
			part[i]--, rest++;
	}
}
