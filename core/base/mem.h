/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory. Allocation never returns NULL: out of memory calls the program's one exit door (mem_set_fail), which gives the terminal back
 * first. Growable arrays are a pointer, a length and a capacity in the owner's struct, grown by array_grow().
 */
#ifndef ASCOPE_CORE_BASE_MEM_H
#define ASCOPE_CORE_BASE_MEM_H

#include "core/base/base.h"

/* What to do when memory is out; must not return. Default: abort(). */
void mem_set_fail(void (*fail)(void));

/* Each returns memory the caller frees with free(); count * size is checked for overflow. */
void *mem_alloc(size_t count, size_t size);
void *mem_zalloc(size_t count, size_t size);
void *mem_resize(void *p, size_t count, size_t size);
char *mem_strdup(const char *s);

/* Makes room for one more element: returns the (moved) array, doubling *cap when *n has reached it. */
void *array_grow(void *items, size_t n, size_t *cap, size_t size);

/* Appends to an array held as (items, n, cap) members of `o`; yields an lvalue to fill. */
#define ARRAY_PUSH(o, items, n, cap) \
	(*((o)->items = array_grow((o)->items, (o)->n, &(o)->cap, sizeof *(o)->items), &(o)->items[(o)->n++]))

/*
 * Big blocks straight from the system, given back to it at once when freed: columns of events must not linger in the heap's free lists.
 * The memory reads as zero. big_free() takes the size given to big_alloc().
 */
void *big_alloc(size_t count, size_t size);
void  big_free(void *p, size_t count, size_t size);

/*
 * The same for working space of any size: a big block when it is big, else heap. There may be very many small ones, and for each a system
 * call would be most of the time.
 */
void *scratch_alloc(size_t count, size_t size);
void  scratch_free(void *p, size_t count, size_t size);

#endif
