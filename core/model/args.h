/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rest of an event (its args), read again from the file or database it came from when someone looks. The model only knows the form; the
 * loader puts the reading function into the rank.
 */
#ifndef ASCOPE_CORE_MODEL_ARGS_H
#define ASCOPE_CORE_MODEL_ARGS_H

#include "core/base/arena.h"
#include "core/base/diag.h"
#include "core/base/str.h"
#include "core/model/capture.h"

struct arg {
	struct str key, value;		/* value: text decoded; numbers as written; nested values as their JSON text */
};

struct args {
	struct arena arena;		/* owns all text below; args_done() frees */
	struct arg *list;
	size_t n, cap;
};

void       args_add(struct args *a, struct str key, struct str value);	/* copies both */
struct str args_find(const struct args *a, const char *key);		/* empty when absent */
void       args_done(struct args *a);

/*
 * The args of event i of a rank. Fills *out (freed with args_done() also after an error); none when the capture has nothing to read them
 * from. ERR_UNREADABLE when the file changed or went away since it was loaded.
 */
enum err event_args(const struct rank *r, size_t i, struct args *out, struct diag *d);

#endif
