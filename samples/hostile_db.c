/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile databases (see hostile.def): copies of the tiny capture's profiler
 * database, damaged with SQL or by changing bytes of the file.
 */
#include "samples/hostile_other.h"

#include "samples/db.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JOURNAL_VERSIONS = 18, LIMIT = 16 << 20 };	/* header bytes 18 and 19: 2 means WAL */

static int make_folder(const char *path)
{
	char dir[HOSTILE_PATH];

	snprintf(dir, sizeof(dir), "%s", path);
	*strrchr(dir, '/') = '\0';
	return dir_make(dir);
}

/* The first permille/1000 of the seed's database. */
static int copy_part(const char *path, const char *seed, size_t permille)
{
	char from[HOSTILE_PATH];
	char *data = malloc(LIMIT);
	struct out o;
	int rc = -1;

	snprintf(from, sizeof(from), "%s/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db", seed);
	FILE *f = fopen(from, "rb");
	if (f && data && make_folder(path) == 0 && out_open(&o, path) == 0) {
		size_t n = fread(data, 1, LIMIT, f);
		out_mem(&o, data, n * permille / 1000);
		rc = out_close(&o);
	}
	if (f)
		fclose(f);
	free(data);
	return rc;
}

static int edit(const char *path, const char *seed, const char *sql)
{
	return copy_part(path, seed, 1000) != 0 ? -1 : db_edit(path, sql);
}

static int mark_wal(const char *path)
{
	const unsigned char wal[2] = { 2, 2 };
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	ssize_t n = pwrite(fd, wal, sizeof(wal), JOURNAL_VERSIONS);
	return close(fd) != 0 || n != (ssize_t)sizeof(wal) ? -1 : 0;
}

static int fixed_file(const char *path, const char *text)
{
	struct out o;

	if (make_folder(path) != 0 || out_open(&o, path) != 0)
		return -1;
	out_str(&o, text);
	return out_close(&o);
}

int db_zero(const char *path, const char *seed)
{
	(void)seed;
	return fixed_file(path, "");
}

int db_text(const char *path, const char *seed)
{
	(void)seed;
	return fixed_file(path, "This is not a database.\nstartNs,endNs\n1,2\n");
}

int db_cut(const char *path, const char *seed)
{
	return copy_part(path, seed, 600);
}

int db_wal(const char *path, const char *seed)
{
	return copy_part(path, seed, 1000) != 0 ? -1 : mark_wal(path);
}

int db_no_tables(const char *path, const char *seed)
{
	return edit(path, seed,
		"DROP TABLE COMPUTE_TASK_INFO; DROP TABLE COMMUNICATION_OP; DROP TABLE COMMUNICATION_TASK_INFO; DROP TABLE CANN_API;"
		"DROP TABLE PYTORCH_API; DROP TABLE CONNECTION_IDS; DROP TABLE STEP_TIME; DROP TABLE TASK_PMU_INFO; DROP TABLE OP_MEMORY;"
		"DROP TABLE MEMORY_RECORD; DROP TABLE MEMCPY_INFO; DROP TABLE RANK_DEVICE_MAP; DROP TABLE META_DATA");
}

int db_no_columns(const char *path, const char *seed)
{
	return edit(path, seed,
		"CREATE TABLE T AS SELECT startNs,endNs,globalTaskId,taskType FROM TASK; DROP TABLE TASK; ALTER TABLE T RENAME TO TASK;"
		"CREATE TABLE A AS SELECT startNs,endNs,name FROM PYTORCH_API; DROP TABLE PYTORCH_API; ALTER TABLE A RENAME TO PYTORCH_API;"
		"CREATE TABLE K AS SELECT globalTaskId,opType FROM COMPUTE_TASK_INFO; DROP TABLE COMPUTE_TASK_INFO;"
		"ALTER TABLE K RENAME TO COMPUTE_TASK_INFO");
}

int db_types(const char *path, const char *seed)
{
	return edit(path, seed,
		"UPDATE TASK SET startNs='soon' WHERE globalTaskId=3; UPDATE TASK SET endNs=NULL WHERE globalTaskId=4;"
		"UPDATE TASK SET taskType=x'00ff' WHERE globalTaskId=5; UPDATE TASK SET taskType=99999 WHERE globalTaskId=6;"
		"UPDATE TASK SET endNs=startNs-5 WHERE globalTaskId=7; UPDATE TASK SET globalTaskId=NULL WHERE globalTaskId=8;"
		"UPDATE STRING_IDS SET value=NULL WHERE id=2; UPDATE STRING_IDS SET value=x'c328' WHERE id=3;"
		"UPDATE COMMUNICATION_OP SET startNs=1.5e300,groupName='g' WHERE opId=1; UPDATE PYTORCH_API SET startNs='1e400' WHERE rowid=2;"
		"UPDATE PYTORCH_API SET name=NULL WHERE rowid=3; UPDATE STEP_TIME SET endNs=NULL WHERE id=2;"
		"UPDATE RANK_DEVICE_MAP SET rankId='first'; INSERT INTO CONNECTION_IDS VALUES(NULL,NULL),('x','y')");
}

int db_insight(const char *path, const char *seed)
{
	int rc = edit(path, seed,
		"ALTER TABLE TASK ADD COLUMN depth integer; ALTER TABLE COMPUTE_TASK_INFO ADD COLUMN waitNs INTEGER;"
		"ALTER TABLE COMMUNICATION_OP ADD COLUMN waitNs INTEGER; ALTER TABLE COMMUNICATION_OP ADD COLUMN opConnectionId TEXT;"
		"ALTER TABLE CANN_API ADD COLUMN depth integer; ALTER TABLE PYTORCH_API ADD COLUMN depth integer;"
		"UPDATE TASK SET depth=0; UPDATE COMPUTE_TASK_INFO SET waitNs=240;"
		"CREATE TABLE OVERLAP_ANALYSIS (id INTEGER PRIMARY KEY AUTOINCREMENT, deviceId integer, startNs integer, endNs integer, "
		"type integer); INSERT INTO OVERLAP_ANALYSIS(deviceId,startNs,endNs,type) SELECT 0,startNs,endNs,1 FROM COMMUNICATION_OP;"
		"CREATE TABLE connectionCats(connectionId INT,cat); INSERT INTO connectionCats SELECT connectionId,'HostToDevice' FROM CANN_API;"
		"CREATE TABLE status_info(id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT, value TEXT);"
		"INSERT INTO status_info(key,value) VALUES('OVERLAP_ANALYSIS_STATUS','FINISH'),('WAIT_TIME_STATUS','NOT_FINISH');"
		"CREATE TABLE _COMPUTE_TASK_INFO_old_20251201 AS SELECT * FROM COMPUTE_TASK_INFO");

	return rc != 0 ? rc : mark_wal(path);
}
