/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/args.h"

#include "core/base/mem.h"

#include <stdlib.h>

void args_add(struct args *a, struct str key, struct str value)
{
	ARRAY_PUSH(a, list, n, cap) = (struct arg){
		{ arena_copy(&a->arena, key.p, key.n), key.n },
		{ arena_copy(&a->arena, value.p, value.n), value.n },
	};
}

struct str args_find(const struct args *a, const char *key)
{
	for (size_t i = 0; i < a->n; i++)
		if (str_is(a->list[i].key, str_of(key)))
			return a->list[i].value;
	return (struct str){ "", 0 };
}

void args_done(struct args *a)
{
	free(a->list);
	arena_done(&a->arena);
	*a = (struct args){ 0 };
}

enum err event_args(const struct rank *r, size_t i, struct args *out, struct diag *d)
{
	*out = (struct args){ 0 };
	return r->read_args && i < r->events.n ? r->read_args(r, i, out, d) : ERR_OK;
}
