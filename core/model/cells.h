/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for the cells of one table column: grown and shrunk without a second copy of large blocks, and given back to the system at once
 * when freed. Private to core/model/table.c and core/load/table_build.c.
 */
#ifndef ASCOPE_CORE_MODEL_CELLS_H
#define ASCOPE_CORE_MODEL_CELLS_H

#include "core/base/base.h"

/* Moves a block from old_bytes to new_bytes, keeping what fits. old 0: a new block (p is NULL); new 0: frees it, gives NULL. Never NULL else. */
void *cells_resize(void *p, size_t old_bytes, size_t new_bytes);

#endif
