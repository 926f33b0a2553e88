/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/db/db_vfs.h"

#include "core/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct db_vfs {
	struct sqlite3_vfs vfs;
	char name[40];
	char *path, *wal;		/* wal: NULL when it is not read */
};

struct open_file {
	struct sqlite3_file base;
	int fd;
	bool immutable;
};

/* ---- a file ---- */

static int file_shut(sqlite3_file *f)
{
	close(((struct open_file *)(void *)f)->fd);
	return SQLITE_OK;
}

static int file_read(sqlite3_file *f, void *out, int n, sqlite3_int64 at)
{
	int fd = ((struct open_file *)(void *)f)->fd;
	char *p = out;
	size_t left = n > 0 ? (size_t)n : 0;

	while (left) {
		ssize_t got = pread(fd, p, left, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return SQLITE_IOERR_READ;
		if (got == 0) {
			memset(p, 0, left);
			return SQLITE_IOERR_SHORT_READ;
		}
		p += got;
		at += got;
		left -= (size_t)got;
	}
	return SQLITE_OK;
}

static int file_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	(void)f, (void)p, (void)n, (void)at;
	return SQLITE_READONLY;
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 n)
{
	(void)f, (void)n;
	return SQLITE_READONLY;
}

static int file_nothing(sqlite3_file *f, int n)		/* sync, lock, unlock */
{
	(void)f, (void)n;
	return SQLITE_OK;
}

static int file_bytes(sqlite3_file *f, sqlite3_int64 *n)
{
	struct stat st;

	if (fstat(((struct open_file *)(void *)f)->fd, &st))
		return SQLITE_IOERR_FSTAT;
	*n = st.st_size;
	return SQLITE_OK;
}

static int file_reserved(sqlite3_file *f, int *out)
{
	(void)f;
	*out = 0;
	return SQLITE_OK;
}

static int file_control(sqlite3_file *f, int op, void *arg)
{
	(void)f, (void)op, (void)arg;
	return SQLITE_NOTFOUND;
}

static int file_sector(sqlite3_file *f)
{
	(void)f;
	return 4096;
}

static int file_traits(sqlite3_file *f)
{
	return ((struct open_file *)(void *)f)->immutable ? SQLITE_IOCAP_IMMUTABLE : 0;
}

/* Version 1: no shared memory, so the index of a write-ahead log stays in this process. */
static const struct sqlite3_io_methods methods = {
	.iVersion = 1, .xClose = file_shut, .xRead = file_read, .xWrite = file_write, .xTruncate = file_truncate, .xSync = file_nothing,
	.xFileSize = file_bytes, .xLock = file_nothing, .xUnlock = file_nothing, .xCheckReservedLock = file_reserved,
	.xFileControl = file_control, .xSectorSize = file_sector, .xDeviceCharacteristics = file_traits,
};

/* ---- the file system: one database and perhaps its log ---- */

static struct db_vfs *self(sqlite3_vfs *v)
{
	return v->pAppData;
}

static int vfs_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out_flags)
{
	struct open_file *file = (struct open_file *)(void *)f;
	const char *path = flags & SQLITE_OPEN_MAIN_DB ? self(v)->path : flags & SQLITE_OPEN_WAL ? self(v)->wal : NULL;

	(void)name;
	*file = (struct open_file){ .fd = -1 };
	if (!path)
		return SQLITE_CANTOPEN;
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (file->fd < 0)
		return SQLITE_CANTOPEN;
	file->immutable = !self(v)->wal;
	file->base.pMethods = &methods;
	if (out_flags)
		*out_flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
	return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *v, const char *name, int sync_dir)
{
	(void)v, (void)name, (void)sync_dir;
	return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *v, const char *name, int flags, int *out)
{
	size_t n = name ? strlen(name) : 0;

	(void)flags;
	*out = self(v)->wal && n > 4 && !strcmp(name + n - 4, "-wal");
	return SQLITE_OK;
}

static int vfs_full(sqlite3_vfs *v, const char *name, int size, char *out)
{
	(void)v;
	snprintf(out, size > 0 ? (size_t)size : 0, "%s", name);
	return SQLITE_OK;
}

static int vfs_random(sqlite3_vfs *v, int n, char *out)
{
	(void)v;
	memset(out, 0x5a, n > 0 ? (size_t)n : 0);
	return n;
}

static int vfs_sleep(sqlite3_vfs *v, int us)
{
	(void)v;
	return us;
}

static int vfs_now(sqlite3_vfs *v, double *day)
{
	(void)v;
	*day = 2440587.5;
	return SQLITE_OK;
}

static int vfs_error(sqlite3_vfs *v, int n, char *out)
{
	(void)v, (void)n, (void)out;
	return errno;
}

bool db_has_wal(const char *path)
{
	char *wal = mem_alloc(strlen(path) + 5, 1);
	struct stat st;
	bool has;

	memcpy(wal, path, strlen(path) + 1);
	strcat(wal, "-wal");
	has = stat(wal, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
	free(wal);
	return has;
}

struct db_vfs *db_vfs_new(const char *path, bool with_wal)
{
	struct db_vfs *v = mem_zalloc(1, sizeof *v);
	size_t n = strlen(path);

	v->path = mem_strdup(path);
	if (with_wal) {
		v->wal = mem_alloc(n + 5, 1);
		memcpy(v->wal, path, n);
		memcpy(v->wal + n, "-wal", 5);
	}
	snprintf(v->name, sizeof v->name, "ascope-%" PRIxPTR, (uintptr_t)v);
	v->vfs = (struct sqlite3_vfs){
		.iVersion = 1, .szOsFile = (int)sizeof(struct open_file), .mxPathname = 512, .zName = v->name, .pAppData = v,
		.xOpen = vfs_open, .xDelete = vfs_delete, .xAccess = vfs_access, .xFullPathname = vfs_full, .xRandomness = vfs_random,
		.xSleep = vfs_sleep, .xCurrentTime = vfs_now, .xGetLastError = vfs_error,
	};
	sqlite3_vfs_register(&v->vfs, 0);
	return v;
}

void db_vfs_free(struct db_vfs *v)
{
	if (!v)
		return;
	sqlite3_vfs_unregister(&v->vfs);
	free(v->path);
	free(v->wal);
	free(v);
}

const char *db_vfs_name(const struct db_vfs *v)
{
	return v->name;
}
