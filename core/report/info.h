/* SPDX-License-Identifier: Apache-2.0 */
/* What a capture holds, as text for people (80 columns) and as JSON for scripts (docs/info.md). */
#ifndef ASCOPE_CORE_REPORT_INFO_H
#define ASCOPE_CORE_REPORT_INFO_H

#include "core/base/str.h"
#include "core/model/capture.h"

void info_write_text(const struct capture *c, struct buf *out);
void info_write_json(const struct capture *c, struct buf *out);

const char *health_state_key(enum health_state s);	/* "ok", "partial", "missing", "unknown" */

#endif
