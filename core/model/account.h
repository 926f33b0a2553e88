/* SPDX-License-Identifier: Apache-2.0 */
/* Exact accounting: what a source held = what was kept + what was dropped, by reason, with the place of the first of each. */
#ifndef ASCOPE_CORE_MODEL_ACCOUNT_H
#define ASCOPE_CORE_MODEL_ACCOUNT_H

#include "core/base/base.h"

enum drop {
#define DROP(id, text) DROP_##id,
#include "core/model/drop.def"
#undef DROP
	DROP_MAX
};

const char *drop_text(enum drop d);

struct drop_count {
	size_t count;
	int64_t first_at;		/* byte offset (text) or row (tables) of the first one, -1 unknown */
};

struct account {
	size_t by_phase[256];		/* events in the file by phase character; [0] counts those without a phase */
	size_t kept;
	struct drop_count dropped[DROP_MAX];
};

void   account_drop(struct account *a, enum drop why, int64_t at);
void   account_add(struct account *sum, const struct account *more);	/* places: the lowest offset of sum is kept when it has one */
size_t account_total(const struct account *a);				/* sum over phases */
size_t account_dropped(const struct account *a);

#endif
