/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the layout share. */
#ifndef ASCOPE_CORE_LOAD_LAYOUT_PRIVATE_H
#define ASCOPE_CORE_LOAD_LAYOUT_PRIVATE_H

#include "core/load/layout.h"

struct str path_base(struct str path);

/* "op_summary_20240131120000.csv" -> seconds since 1970 as if UTC, 0 when the name has no 14 digits before its ending. */
int64_t stamp_of_name(struct str name);
/* "op_summary_slice_2_20240131120000.csv" -> 2, -1 none */
int slice_of_name(struct str name);

/* Marks the files of u that are not to be read: older export, a copy in a less preferred place, a table that another one contains. */
void layout_choose(struct layout *l, struct layout_unit *u, const struct tree *t);

/* Anything but a profiler_info: events, tables or communication. */
bool unit_has_data(const struct layout_unit *u);

#endif
