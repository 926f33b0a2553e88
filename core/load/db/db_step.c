/* SPDX-License-Identifier: Apache-2.0 */
/* STEP_TIME: steps on the host. The device's share of a step begins and ends with what calls inside the step launched. */
#include "core/load/db/db_read.h"

#include "core/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

static int step_compare(const void *x, const void *y)
{
	const struct step *a = x, *b = y;

	return (a->start > b->start) - (a->start < b->start);
}

void steps_read(struct db_reader *r)
{
	struct db_rows rows;
	int64_t id;

	if (!db_rows_open(&rows, &r->db, "STEP_TIME", "id startNs endNs"))
		return;
	while (db_rows_next(&rows)) {
		struct step s = { .device_start = INT64_MAX, .device_end = INT64_MIN };

		if (!db_int(&rows, 0, &id) || !db_int(&rows, 1, &s.start) || !db_int(&rows, 2, &s.end) || s.start < 0 || s.end < s.start)
			continue;
		s.name = name_printf(r, "%" PRId64, id);
		ARRAY_PUSH(&r->steps, items, n, cap) = s;
	}
	if (r->steps.n)
		qsort(r->steps.items, r->steps.n, sizeof *r->steps.items, step_compare);
}

/* As the exporter: a step in which nothing was launched has the host's times. */
void steps_settle(struct db_reader *r)
{
	int64_t later = INT64_MAX;

	for (size_t i = r->steps.n; i-- > 0;) {
		struct step *s = &r->steps.items[i];

		if (s->device_start == INT64_MAX)
			s->device_start = s->start;
		s->device_end = MAX(s->device_end, s->end);
		later = MIN(later, s->device_start);
		s->later_start = later;
	}
}
