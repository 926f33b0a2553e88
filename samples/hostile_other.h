/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The place functions of the hostile databases, archives and folders, one per
 * OTHER entry of hostile.def: each makes path from nothing or from the tiny
 * capture in seed, and returns 0 or -1.
 */
#ifndef ASCOPE_SAMPLES_HOSTILE_OTHER_H
#define ASCOPE_SAMPLES_HOSTILE_OTHER_H

#include "samples/hostile.h"

#define OTHER(id, path, outcome, remark) int id(const char *, const char *);
#include "samples/hostile.def"

#endif
