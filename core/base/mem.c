/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void (*mem_fail)(void) = abort;

void mem_set_fail(void (*fail)(void))
{
	mem_fail = fail ? fail : abort;
}

static size_t mem_bytes(size_t count, size_t size)
{
	if (size && count > (size_t)PTRDIFF_MAX / size)
		mem_fail();
	return count * size;
}

static void *mem_check(void *p)
{
	if (!p)
		mem_fail();
	return p;
}

void *mem_alloc(size_t count, size_t size)
{
	size_t bytes = mem_bytes(count, size);

	return mem_check(malloc(bytes ? bytes : 1));
}

void *mem_zalloc(size_t count, size_t size)
{
	size_t bytes = mem_bytes(count, size);

	return mem_check(calloc(1, bytes ? bytes : 1));
}

void *mem_resize(void *p, size_t count, size_t size)
{
	size_t bytes = mem_bytes(count, size);

	return mem_check(realloc(p, bytes ? bytes : 1));
}

char *mem_strdup(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(mem_alloc(n, 1), s, n);
}

void *array_grow(void *items, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return items;
	*cap = *cap ? *cap * 2 : 8;
	return mem_resize(items, *cap, size);
}

enum { HUGE_PAGE = 2 << 20 };

static size_t page_round(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

static void *map_bytes(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return mem_check(p == MAP_FAILED ? NULL : p);
}

void *big_alloc(size_t count, size_t size)
{
	size_t bytes = mem_bytes(count, size), head;
	char *p;

	if (!bytes)
		return NULL;
	if (bytes < HUGE_PAGE)
		return map_bytes(bytes);
	/* Begin at a huge page's boundary, and ask for them: one fault instead of 512. Where there are none, nothing is lost. */
	bytes = page_round(bytes);
	p = map_bytes(bytes + HUGE_PAGE);
	head = (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
	if (head)
		munmap(p, head);
	if (HUGE_PAGE - head)
		munmap(p + head + bytes, HUGE_PAGE - head);
	madvise(p + head, bytes, MADV_HUGEPAGE);
	return p + head;
}

void big_free(void *p, size_t count, size_t size)
{
	if (p)
		munmap(p, page_round(mem_bytes(count, size)));
}

enum { SCRATCH_HEAP = 128 << 10 };

void *scratch_alloc(size_t count, size_t size)
{
	return mem_bytes(count, size) < SCRATCH_HEAP ? mem_zalloc(count, size) : big_alloc(count, size);
}

void scratch_free(void *p, size_t count, size_t size)
{
	if (mem_bytes(count, size) < SCRATCH_HEAP)
		free(p);
	else
		big_free(p, count, size);
}
