/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors are values: a call returns ERR_OK or another code and fills a caller-owned struct diag with the file, the place and a sentence.
 * core/ and kernels/ never print and never exit.
 */
#ifndef ASCOPE_CORE_BASE_DIAG_H
#define ASCOPE_CORE_BASE_DIAG_H

#include "core/base/base.h"

enum err {
#define ERR(id, exit_status, text) ERR_##id,
#include "core/base/err.def"
#undef ERR
	ERR_MAX
};

struct diag {
	enum err err;
	char file[256];			/* may be empty; long paths keep their end */
	int64_t byte;			/* offset in the file, -1 unknown */
	int64_t line;			/* from 1, -1 unknown */
	char text[320];			/* what is wrong and what to do */
};

/* Fills d (NULL is allowed) and returns err. byte or line is -1 where unknown. */
enum err diag_set(struct diag *d, enum err err, const char *file, int64_t byte, int64_t line, const char *fmt, ...) PRINTF_LIKE(6, 7);

const char *err_text(enum err err);
int         err_exit_status(enum err err);

/* One line "file:line: text" or "file (byte N): text", always NUL-terminated; control characters are shown as escapes. */
void diag_format(const struct diag *d, char *out, size_t size);

#endif
