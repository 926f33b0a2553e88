/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random traces for the tests of the trace reader: everything a trace may hold, from few names, ids and times, so that things meet; and
 * damage to a text. The same seed gives the same text. Appends to a buf of the caller.
 */
#ifndef ASCOPE_TESTS_HELP_TRACE_GEN_H
#define ASCOPE_TESTS_HELP_TRACE_GEN_H

#include "core/base/str.h"

/*
 * A valid trace of n events. quoted: the same trace with every number as a text, for a reader that would round numbers. No member of an
 * event occurs twice, no text holds a NUL or a lone surrogate: readers differ there.
 */
void trace_gen(struct buf *out, uint64_t seed, size_t n, bool quoted);

/* Cuts, doubles, moves, overwrites or inserts something, one to four times. */
void trace_gen_damage(struct buf *text, uint64_t seed);

/* The next number of a sequence, 0..n-1. */
size_t gen_below(uint64_t *seed, size_t n);

#endif
