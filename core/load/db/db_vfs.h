/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file layer under SQLite for captures: it can only read. No file is made, locked, changed or removed, whatever the database's journal
 * mode is, and the path goes to open() as it is. Private to core/load/db/db.c; the memory is freed by db_vfs_free(), after sqlite3_close().
 */
#ifndef ASCOPE_CORE_LOAD_DB_DB_VFS_H
#define ASCOPE_CORE_LOAD_DB_DB_VFS_H

#include "core/base/base.h"

struct db_vfs;

/* with_wal: a write-ahead log that stands beside the file is read too; otherwise the file counts as immutable. */
struct db_vfs *db_vfs_new(const char *path, bool with_wal);
void           db_vfs_free(struct db_vfs *v);
const char    *db_vfs_name(const struct db_vfs *v);	/* for sqlite3_open_v2(), together with DB_VFS_FILE as the file */

#define DB_VFS_FILE "capture"

/* Whether path + "-wal" is a file that holds something. */
bool db_has_wal(const char *path);

#endif
