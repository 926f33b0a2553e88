/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of the hostile databases, archives and folders: hostile.def turned
 * into rows. Their makers are in hostile_db.c, hostile_zip.c and hostile_dir.c.
 */
#include "samples/hostile_other.h"

#include <stddef.h>

static const struct hostile_case cases[] = {
#define OTHER(id, path, outcome, remark) { path, outcome, remark, NULL, id },
#include "samples/hostile.def"
};

struct hostile_list hostile_others(void)
{
	return (struct hostile_list){ cases, sizeof(cases) / sizeof(cases[0]) };
}
