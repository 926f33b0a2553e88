/* SPDX-License-Identifier: Apache-2.0 */
#include "core/analysis/threshold.h"

#include <string.h>

static const struct {
	const char *key, *unit, *reason;
	double value;
} info[TH_MAX] = {
#define THRESHOLD(id, key, value, unit, reason) [TH_##id] = { key, unit, reason, value },
#include "core/analysis/threshold.def"
#undef THRESHOLD
};

void thresholds_init(struct thresholds *t)
{
	for (int i = 0; i < TH_MAX; i++) {
		t->v[i] = info[i].value;
		t->changed[i] = false;
	}
}

void thresholds_choose(struct thresholds *t, const struct thresholds *given)
{
	if (given)
		*t = *given;
	else
		thresholds_init(t);
}

bool threshold_set(struct thresholds *t, const char *key, double value)
{
	for (int i = 0; i < TH_MAX; i++)
		if (strcmp(info[i].key, key) == 0) {
			t->v[i] = value;
			t->changed[i] = true;
			return true;
		}
	return false;
}

const char *threshold_key(enum threshold id)
{
	return info[id].key;
}

const char *threshold_unit(enum threshold id)
{
	return info[id].unit;
}

const char *threshold_reason(enum threshold id)
{
	return info[id].reason;
}

double threshold_default(enum threshold id)
{
	return info[id].value;
}
