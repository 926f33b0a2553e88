/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of raw records in small blocks that are given back one by one while they are used up: the peak of a load is then about one copy of
 * the events, not two. Blocks are cut from slabs of one huge page, because touching fresh memory page by page costs as much as scanning.
 * Used by readers to collect and by the builder to take over. A pool and its lists belong to one thread while they grow.
 */
#ifndef ASCOPE_CORE_MODEL_BLOCKS_H
#define ASCOPE_CORE_MODEL_BLOCKS_H

#include "core/base/base.h"

struct slab;

struct block {
	struct block *next;
	struct slab *slab;		/* freed with its last block */
	size_t n, cap;
	max_align_t items[];
};

/* Where the blocks of one thread come from. A zeroed struct is an empty pool. */
struct block_pool {
	struct slab *slab;
	size_t used;			/* bytes of it */
};

struct blocks {
	struct block *first, *last;
	size_t n;			/* items over all blocks */
};

void *blocks_more(struct block_pool *pool, struct blocks *l, size_t size);	/* a fresh block, then its first item */
void  blocks_move(struct blocks *to, struct blocks *from);			/* appends all of from, leaves it empty */
void  blocks_free(struct blocks *l);
struct block *block_free(struct block *b);					/* frees one, returns the next */
void  block_pool_done(struct block_pool *pool);					/* blocks handed out live on */

/* Room for one more item of a list whose items all have this size. */
static inline void *blocks_push(struct block_pool *pool, struct blocks *l, size_t size)
{
	struct block *b = l->last;

	if (UNLIKELY(!b || b->n == b->cap))
		return blocks_more(pool, l, size);
	l->n++;
	return (char *)b->items + b->n++ * size;
}

#endif
