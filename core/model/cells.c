/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/cells.h"

#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Below this a block lives in the heap: a page for each column of a seven-row table would be waste. */
enum { CELLS_HEAP = 64 * 1024 };

enum { POOL_BLOCKS = 16, POOL_MAX = 1 << 28 };

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

static size_t whole_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) & ~(page - 1);
}

/*
 * Large pages where the system has them: writing a small page for the first time can cost more than reading the text that fills it. They
 * pay only where blocks fill them, hence the pool.
 */
static void pool_more(struct cells_pool *pool, size_t bytes)
{
	cells_pool_done(pool);
	pool->left = whole_pages(MAX(bytes, MIN(bytes * POOL_BLOCKS, (size_t)POOL_MAX)));
	pool->next = big_alloc(pool->left, 1);
	madvise(pool->next, pool->left, MADV_HUGEPAGE);
}

void *cells_new(struct cells_pool *pool, size_t bytes)
{
	size_t whole = whole_pages(bytes);
	void *p;

	if (!bytes)
		return NULL;
	if (!is_mapped(bytes))
		return mem_zalloc(bytes, 1);
	if (pool->left < whole)
		pool_more(pool, bytes);
	p = pool->next;
	pool->next += whole;
	pool->left -= whole;
	return p;
}

void cells_pool_done(struct cells_pool *pool)
{
	big_free(pool->left ? pool->next : NULL, pool->left, 1);
	*pool = (struct cells_pool){ 0 };
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
	memcpy(q, p, MIN(old_bytes, new_bytes));
	cells_free(p, old_bytes);
	return q;
}
