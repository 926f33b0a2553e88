/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a long call tells and asks while it works. Written by the loading thread(s), read by whoever shows it: every member is atomic.
 * NULL is allowed wherever a struct progress * is taken.
 */
#ifndef ASCOPE_CORE_BASE_PROGRESS_H
#define ASCOPE_CORE_BASE_PROGRESS_H

#include "core/base/base.h"

#include <stdatomic.h>

struct progress {
	atomic_int cancel;		/* set from outside (a signal handler may): stop soon, return ERR_CANCELLED */
	atomic_llong bytes_done, bytes_total;
	atomic_llong events;		/* events and rows read so far */
	_Atomic(const char *) stage;	/* static text: what is being read */
};

static inline bool progress_cancelled(struct progress *p)
{
	return p && atomic_load_explicit(&p->cancel, memory_order_relaxed);
}

static inline void progress_add(struct progress *p, int64_t bytes, int64_t events)
{
	if (!p)
		return;
	atomic_fetch_add_explicit(&p->bytes_done, bytes, memory_order_relaxed);
	atomic_fetch_add_explicit(&p->events, events, memory_order_relaxed);
}

static inline void progress_stage(struct progress *p, const char *stage)
{
	if (p)
		atomic_store_explicit(&p->stage, stage, memory_order_relaxed);
}

#endif
