/* SPDX-License-Identifier: Apache-2.0 */
/* Communication tables of analysis.db and cluster_analysis.db into struct comm. Private to core/load/db_*.c. */
#ifndef ASCOPE_CORE_LOAD_DB_DB_COMM_H
#define ASCOPE_CORE_LOAD_DB_DB_COMM_H

#include "core/load/db/db.h"
#include "core/load/db/db_load.h"

/* Adds what is not there yet: a comm that has operators (from a text export of the same run) gets no second set of them. */
void comm_read(struct db *db, struct db_target *t);

#endif
