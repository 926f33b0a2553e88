/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/account.h"

static const char *const drop_texts[DROP_MAX] = {
#define DROP(id, text) [DROP_##id] = text,
#include "core/model/drop.def"
#undef DROP
};

const char *drop_text(enum drop d)
{
	return d >= 0 && d < DROP_MAX ? drop_texts[d] : "unknown reason";
}

void account_drop(struct account *a, enum drop why, int64_t at)
{
	struct drop_count *d = &a->dropped[why];

	if (d->count++ == 0 || (at >= 0 && at < d->first_at))
		d->first_at = at;
}

void account_add(struct account *sum, const struct account *more)
{
	for (size_t i = 0; i < ARRAY_LEN(sum->by_phase); i++)
		sum->by_phase[i] += more->by_phase[i];
	sum->kept += more->kept;
	for (size_t i = 0; i < DROP_MAX; i++) {
		if (more->dropped[i].count && !sum->dropped[i].count)
			sum->dropped[i].first_at = more->dropped[i].first_at;
		sum->dropped[i].count += more->dropped[i].count;
	}
}

size_t account_total(const struct account *a)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(a->by_phase); i++)
		n += a->by_phase[i];
	return n;
}

size_t account_dropped(const struct account *a)
{
	size_t n = 0;

	for (size_t i = 0; i < DROP_MAX; i++)
		n += a->dropped[i].count;
	return n;
}
