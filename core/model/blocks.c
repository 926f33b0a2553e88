/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/blocks.h"

#include "core/base/mem.h"

#include <stdatomic.h>

enum { SLAB_BYTES = 2 << 20, BLOCK_BYTES = 32 << 10 };

/*
 * The head of a slab; blocks follow. `live` counts its blocks in use, and the pool while it still cuts blocks from it; several threads may
 * give blocks back.
 */
struct slab {
	atomic_size_t live;
	max_align_t blocks[];
};

static void slab_release(struct slab *s)
{
	if (s && atomic_fetch_sub(&s->live, 1) == 1)
		big_free(s, 1, SLAB_BYTES);
}

static struct block *block_cut(struct block_pool *pool)
{
	struct block *b;

	if (!pool->slab || pool->used + BLOCK_BYTES > SLAB_BYTES) {
		slab_release(pool->slab);
		pool->slab = big_alloc(1, SLAB_BYTES);
		atomic_init(&pool->slab->live, 1);
		pool->used = sizeof *pool->slab;
	}
	b = (void *)((char *)pool->slab + pool->used);
	pool->used += BLOCK_BYTES;
	atomic_fetch_add(&pool->slab->live, 1);
	*b = (struct block){ .slab = pool->slab };
	return b;
}

void *blocks_more(struct block_pool *pool, struct blocks *l, size_t size)
{
	struct block *b = block_cut(pool);

	b->cap = (BLOCK_BYTES - sizeof *b) / size;
	if (l->last)
		l->last->next = b;
	else
		l->first = b;
	l->last = b;
	l->n++;
	b->n = 1;
	return b->items;
}

void blocks_move(struct blocks *to, struct blocks *from)
{
	if (!from->first)
		return;
	if (to->last)
		to->last->next = from->first;
	else
		to->first = from->first;
	to->last = from->last;
	to->n += from->n;
	*from = (struct blocks){ 0 };
}

struct block *block_free(struct block *b)
{
	struct block *next = b->next;

	slab_release(b->slab);
	return next;
}

void blocks_free(struct blocks *l)
{
	for (struct block *b = l->first; b;)
		b = block_free(b);
	*l = (struct blocks){ 0 };
}

void block_pool_done(struct block_pool *pool)
{
	slab_release(pool->slab);
	*pool = (struct block_pool){ 0 };
}
