/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/arena.h"

#include "core/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
	struct arena_block *next;
	max_align_t bytes[];
};

static void arena_more(struct arena *a, size_t need)
{
	size_t size = MAX(need, (size_t)64 * 1024);
	struct arena_block *b = mem_alloc(1, sizeof *b + size);

	b->next = a->head;
	a->head = b;
	a->used = 0;
	a->size = size;
	a->total += size;
}

/* Rounds up to the alignment; leaves the unaligned tail to text. */
static char *arena_take(struct arena *a, size_t bytes, size_t align)
{
	size_t at = (a->used + align - 1) & ~(align - 1);
	char *p;

	if (!a->head || at > a->size || bytes > a->size - at) {
		arena_more(a, bytes);
		at = 0;
	}
	p = (char *)a->head->bytes + at;
	a->used = at + bytes;
	return p;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
	return memset(arena_take(a, bytes, _Alignof(max_align_t)), 0, bytes);
}

char *arena_copy(struct arena *a, const char *text, size_t len)
{
	char *p = arena_take(a, len + 1, 1);

	if (len)
		memcpy(p, text, len);
	p[len] = '\0';
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	p = arena_take(a, (size_t)n + 1, 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

void arena_done(struct arena *a)
{
	while (a->head) {
		struct arena_block *next = a->head->next;

		free(a->head);
		a->head = next;
	}
	*a = (struct arena){ 0 };
}
