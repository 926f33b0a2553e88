/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STRING_IDS as an array: the id in the database to the name id in the capture. Writers hand ids out in ranges (CANN from 0, framework from
 * 1 << 28, memory from 2 << 28), so each range is an array; ids out of line go to a map. Freed by strings_done().
 */
#ifndef ASCOPE_CORE_LOAD_DB_STRINGS_H
#define ASCOPE_CORE_LOAD_DB_STRINGS_H

#include "core/base/index_map.h"
#include "core/load/db.h"

enum { STRING_RANGES = 8, STRING_RANGE_BITS = 28 };

struct strings {
	struct string_range {
		uint32_t *ids;
		size_t n, cap;
	} ranges[STRING_RANGES];
	struct index_map others;	/* name id + 1 */
	size_t rows;
};

void     strings_load(struct strings *s, struct db *db, struct names *names);
void     strings_done(struct strings *s);
uint32_t strings_name(const struct strings *s, int64_t id);		/* 0, the empty text, for an unknown id */
uint32_t strings_column(const struct strings *s, const struct db_rows *r, int column);	/* of the id in a column */

#endif
