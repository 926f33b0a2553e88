/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bump allocator: many small things with one moment of death. Pointers stay valid until arena_done(). A zeroed struct is an empty arena.
 */
#ifndef ASCOPE_CORE_BASE_ARENA_H
#define ASCOPE_CORE_BASE_ARENA_H

#include "core/base/base.h"

struct arena_block;

struct arena {
	struct arena_block *head;
	size_t used, size;		/* bytes of the head block */
	size_t total;			/* bytes taken from the heap so far */
};

void *arena_alloc(struct arena *a, size_t bytes);			/* aligned for any type, zeroed */
char *arena_copy(struct arena *a, const char *text, size_t len);	/* adds a terminating NUL */
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
void  arena_done(struct arena *a);					/* frees all, leaves an empty arena */

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))

#endif
