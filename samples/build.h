/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plays a scenario: a host thread that issues operators, a queue thread that
 * launches them, in-order device streams, and collectives that end for all
 * ranks at once. Fills one capture per rank.
 */
#ifndef ASCOPE_SAMPLES_BUILD_H
#define ASCOPE_SAMPLES_BUILD_H

#include "samples/model.h"

enum { MAX_RANKS = 8 };

/* cap[0 .. s->ranks) is initialised here; the caller frees each. */
void scenario_build(const struct scenario *s, struct capture *cap);

#endif
