/* SPDX-License-Identifier: Apache-2.0 */
/* Work split over threads. */
#ifndef ASCOPE_CORE_BASE_PAR_H
#define ASCOPE_CORE_BASE_PAR_H

#include "core/base/base.h"

/* How many threads to use: ASCOPE_THREADS (1..256) if set, else the processors this process may run on. */
unsigned par_threads(void);

/*
 * Calls work(arg, worker, item) for item = 0..n-1, items handed out in order, on up to `threads` threads (worker = 0..threads-1; the caller
 * is worker 0). Returns when all are done. Where a thread cannot be made the others do its share.
 */
void par_for(unsigned threads, size_t n, void (*work)(void *arg, unsigned worker, size_t item), void *arg);

#endif
