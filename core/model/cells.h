/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for the cells of one table column: grown and shrunk without a second copy of large blocks, and given back to the system at once
 * when freed. Room that is not written to costs nothing. Private to core/model/table.c and core/load/table/table_build.c.
 */
#ifndef ASCOPE_CORE_MODEL_CELLS_H
#define ASCOPE_CORE_MODEL_CELLS_H

#include "core/base/base.h"

/* Address space from which large blocks are cut, so that the columns of a table lie side by side. A zeroed struct is an empty one. */
struct cells_pool {
	char *next;
	size_t left;
};

/* A new block of zeros, a block of its own for cells_resize(); NULL for 0 bytes, never NULL else. */
void *cells_new(struct cells_pool *pool, size_t bytes);

/* Gives back what no block was cut from. */
void cells_pool_done(struct cells_pool *pool);

/* Moves a block from old_bytes (not 0) to new_bytes, keeping what fits; the rest is not set. new 0: frees it, gives NULL. */
void *cells_resize(void *p, size_t old_bytes, size_t new_bytes);

#endif
