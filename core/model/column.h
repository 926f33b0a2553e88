/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a CSV header says beyond its column: the unit in its last parentheses, and whether it is a hardware metric. Used by col_of_header()
 * and by the CSV reader; nothing to free.
 */
#ifndef ASCOPE_CORE_MODEL_COLUMN_H
#define ASCOPE_CORE_MODEL_COLUMN_H

#include "core/model/table.h"

enum { NO_SCALE = -1, METRIC_NAME_MAX = 64, NEEDED_MAX = 4 };

struct unit_info {
	const char *text;
	int time_scale;			/* ns = unit * 10^time_scale; NO_SCALE when it is no time */
	int64_t bytes;			/* bytes of one unit; 0 when it is no size */
};

/* The unit with this text ("us", "KB", "GB/s", "%"), letters in any case; NULL when it is none. */
const struct unit_info *unit_of(struct str text);

/* The header without blanks around it and without its unit; *unit is the unit's text, empty when there is none. */
struct str header_name(struct str header, struct str *unit);

/* Header spellings are compared without case, blanks and '_' equal. */
bool header_is(struct str a, struct str b);

/* The metric a bare header names: lower case, '_' for blanks, in out; false when it names none or is METRIC_NAME_MAX bytes or longer. */
bool metric_of_name(struct str name, char out[METRIC_NAME_MAX]);

/* The columns without which a table of this kind is not what its name says; returns how many, at most NEEDED_MAX. */
size_t artifact_needed(enum artifact a, enum col out[NEEDED_MAX]);

#endif
