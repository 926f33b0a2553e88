/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/cells.h"

#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Below this a block lives in the heap: a page for each column of a seven-row table would be waste. */
enum { CELLS_HEAP = 64 * 1024 };

static bool is_mapped(size_t bytes)
{
	return bytes >= CELLS_HEAP;
}

static void cells_free(void *p, size_t bytes)
{
	if (is_mapped(bytes))
		big_free(p, bytes, 1);
	else
		free(p);
}

/* Pages are moved, not copied: the peak is what the column holds. */
static void *cells_remap(void *p, size_t old_bytes, size_t new_bytes)
{
	void *q = mremap(p, old_bytes, new_bytes, MREMAP_MAYMOVE);

	if (q != MAP_FAILED)
		return q;
	q = big_alloc(new_bytes, 1);
	memcpy(q, p, MIN(old_bytes, new_bytes));
	big_free(p, old_bytes, 1);
	return q;
}

void *cells_resize(void *p, size_t old_bytes, size_t new_bytes)
{
	void *q;

	if (old_bytes == new_bytes)
		return p;
	if (!new_bytes) {
		cells_free(p, old_bytes);
		return NULL;
	}
	if (is_mapped(old_bytes) && is_mapped(new_bytes))
		return cells_remap(p, old_bytes, new_bytes);
	if (!is_mapped(old_bytes) && !is_mapped(new_bytes))
		return mem_resize(p, new_bytes, 1);
	q = is_mapped(new_bytes) ? big_alloc(new_bytes, 1) : mem_alloc(new_bytes, 1);
	if (p)
		memcpy(q, p, MIN(old_bytes, new_bytes));
	cells_free(p, old_bytes);
	return q;
}
