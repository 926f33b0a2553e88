/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target over files instead of under libFuzzer: replay FILE|FOLDER... So the corpus is a regression test with any compiler.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replayed;

static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t n = 0, got;

	if (!f) {
		perror(path);
		return 1;
	}
	do {
		uint8_t *more = realloc(data, n + 65536);

		if (!more)
			abort();
		data = more;
		got = fread(data + n, 1, 65536, f);
		n += got;
	} while (got);
	fclose(f);
	LLVMFuzzerTestOneInput(data, n);
	free(data);
	replayed++;
	return 0;
}

static int replay_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	int failed = 0;

	if (!dir)
		return 1;
	while ((e = readdir(dir))) {
		char full[4096];

		if (e->d_name[0] == '.')
			continue;
		snprintf(full, sizeof full, "%s/%s", path, e->d_name);
		failed |= replay_file(full);
	}
	closedir(dir);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		struct stat st;

		failed |= stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode) ? replay_folder(argv[i]) : replay_file(argv[i]);
	}
	printf("replayed %zu inputs\n", replayed);
	return failed || replayed == 0;
}
