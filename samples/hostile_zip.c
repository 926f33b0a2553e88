/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile archives (see hostile.def): names that leave the folder, a symbolic
 * link, an archive in an archive, a small file that unpacks to a large one, and
 * a healthy one to compare with. The healthy member is a trace of three events.
 */
#include "samples/hostile_other.h"

#include "samples/tar.h"
#include "samples/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char small_trace[] =
	"[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1024416,\"tid\":0,\"args\":{\"name\":\"Ascend Hardware\"}},"
	"{\"name\":\"MatMulV2_1\",\"pid\":1024416,\"tid\":2,\"ts\":\"1764584401000200.500\",\"dur\":60.25,\"args\":{\"Task Type\":\"AI_CORE\"},"
	"\"ph\":\"X\"},{\"name\":\"MatMulV2_2\",\"pid\":1024416,\"tid\":2,\"ts\":\"1764584401000300.500\",\"dur\":60.25,"
	"\"args\":{\"Task Type\":\"AI_CORE\"},\"ph\":\"X\"}]";

#define FOLDER "atlas800_21034_20251201102001044_ascend_pt/"

static int make_folder(const char *path)
{
	char dir[HOSTILE_PATH];

	snprintf(dir, sizeof(dir), "%s", path);
	*strrchr(dir, '/') = '\0';
	return dir_make(dir);
}

static int begin(struct zip *z, const char *path)
{
	return make_folder(path) != 0 ? -1 : zip_open(z, path);
}

static int with_member(const char *path, const char *name, const char *data, uint32_t mode)
{
	struct zip z;

	if (begin(&z, path) != 0)
		return -1;
	zip_store(&z, FOLDER "ASCEND_PROFILER_OUTPUT/trace_view.json", small_trace, sizeof(small_trace) - 1, ZIP_FILE_MODE);
	zip_store(&z, name, data, strlen(data), mode);
	return zip_close(&z, true);
}

int zip_healthy(const char *path, const char *seed)
{
	static const char *const name[] = { "profiler_info_0.json", "profiler_metadata.json",
		"ASCEND_PROFILER_OUTPUT/trace_view.json", "ASCEND_PROFILER_OUTPUT/kernel_details.csv",
		"ASCEND_PROFILER_OUTPUT/op_statistic.csv", "ASCEND_PROFILER_OUTPUT/step_trace_time.csv",
		"ASCEND_PROFILER_OUTPUT/communication.json" };
	char from[HOSTILE_PATH], member[ZIP_NAME];
	struct zip z;
	int rc = 0;

	if (begin(&z, path) != 0)
		return -1;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		snprintf(from, sizeof(from), "%s/%s", seed, name[i]);
		snprintf(member, sizeof(member), "%s%s", FOLDER, name[i]);
		rc |= zip_store_file(&z, member, from);
	}
	return zip_close(&z, true) | rc;
}

int zip_parent(const char *path, const char *seed)
{
	(void)seed;
	return with_member(path, "../evil.json", small_trace, ZIP_FILE_MODE);
}

int zip_absolute(const char *path, const char *seed)
{
	(void)seed;
	return with_member(path, "/tmp/ascope-evil.json", small_trace, ZIP_FILE_MODE);
}

int zip_symlink(const char *path, const char *seed)
{
	(void)seed;
	return with_member(path, FOLDER "ASCEND_PROFILER_OUTPUT/kernel_details.csv", "/etc/passwd", ZIP_LINK_MODE);
}

int zip_cut(const char *path, const char *seed)
{
	struct zip z;

	(void)seed;
	if (begin(&z, path) != 0)
		return -1;
	zip_store(&z, FOLDER "ASCEND_PROFILER_OUTPUT/trace_view.json", small_trace, sizeof(small_trace) - 1, ZIP_FILE_MODE);
	return zip_close(&z, false);
}

int zip_nested(const char *path, const char *seed)
{
	struct zip z;
	char inner[HOSTILE_PATH];
	int rc;

	snprintf(inner, sizeof(inner), "%s.inner", path);
	if (zip_healthy(inner, seed) != 0 || begin(&z, path) != 0)
		return -1;
	rc = zip_store_file(&z, "inner.zip", inner);
	remove(inner);
	return zip_close(&z, true) | rc;
}

struct bits {
	unsigned char *at;
	size_t n;	/* bits */
};

/* Huffman codes go in from their top bit, everything else from the bottom. */
static void push_code(struct bits *b, unsigned code, int length)
{
	while (length-- > 0) {
		if (code >> length & 1)
			b->at[b->n / 8] |= (unsigned char)(1 << b->n % 8);
		b->n++;
	}
}

/* One deflate block with fixed codes: '[', a space, then matches of 258 spaces. */
int zip_bomb(const char *path, const char *seed)
{
	enum { MATCHES = 64 * 1024 * 1024 / 258 };
	struct bits b = { calloc(MATCHES * 13 / 8 + 64, 1), 0 };
	char spaces[258];
	uint32_t crc = crc32_more(0, "[ ", 2);
	struct zip z;

	(void)seed;
	if (!b.at || begin(&z, path) != 0) {
		free(b.at);
		return -1;
	}
	memset(spaces, ' ', sizeof(spaces));
	push_code(&b, 1, 1);			/* last block */
	push_code(&b, 2, 2);			/* fixed codes: 01, low bit first */
	push_code(&b, 0x30 + '[', 8);
	push_code(&b, 0x30 + ' ', 8);
	for (int i = 0; i < MATCHES; i++) {
		push_code(&b, 0xC5, 8);		/* length 258 */
		push_code(&b, 0, 5);		/* distance 1 */
		crc = crc32_more(crc, spaces, sizeof(spaces));
	}
	push_code(&b, 0x30 + ']', 8);
	crc = crc32_more(crc, "]", 1);
	push_code(&b, 0, 7);			/* end of block */
	zip_deflated(&z, "trace_view.json", b.at, (b.n + 7) / 8, 3 + MATCHES * 258, crc);
	free(b.at);
	return zip_close(&z, true);
}

int gz_healthy(const char *path, const char *seed)
{
	(void)seed;
	return make_folder(path) != 0 ? -1 : gzip_write(path, small_trace, sizeof(small_trace) - 1, 0);
}

int gz_cut(const char *path, const char *seed)
{
	(void)seed;
	return make_folder(path) != 0 ? -1 : gzip_write(path, small_trace, sizeof(small_trace) - 1, 120);
}

/* A healthy trace, and behind it one more member when name is given. */
static int tgz(const char *path, const char *name, char type, const char *link)
{
	struct tar t = { 0 };
	int rc;

	tar_add(&t, FOLDER "ASCEND_PROFILER_OUTPUT/trace_view.json", TAR_FILE, "", small_trace, sizeof(small_trace) - 1);
	if (name)
		tar_add(&t, name, type, link, small_trace, type == TAR_FILE ? sizeof(small_trace) - 1 : 0);
	tar_end(&t);
	rc = make_folder(path) != 0 ? -1 : gzip_write(path, t.at, t.n, 0);
	tar_done(&t);
	return rc;
}

int tgz_healthy(const char *path, const char *seed)
{
	(void)seed;
	return tgz(path, NULL, TAR_FILE, "");
}

int tgz_parent(const char *path, const char *seed)
{
	(void)seed;
	return tgz(path, "../../evil.json", TAR_FILE, "");
}

int tgz_symlink(const char *path, const char *seed)
{
	(void)seed;
	return tgz(path, FOLDER "ASCEND_PROFILER_OUTPUT/kernel_details.csv", TAR_LINK, "/etc/passwd");
}
