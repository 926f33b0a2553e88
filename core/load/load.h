/* SPDX-License-Identifier: Apache-2.0 */
/* The one door: from what the user named to a whole capture. */
#ifndef ASCOPE_CORE_LOAD_LOAD_H
#define ASCOPE_CORE_LOAD_LOAD_H

#include "core/base/diag.h"
#include "core/base/progress.h"
#include "core/model/capture.h"

struct load_options {
	unsigned threads;		/* 0: par_threads() */
};

/*
 * Loads a capture: folder, job root, file, database or archive. On ERR_OK the caller frees *out with capture_free(). Otherwise *out is NULL:
 * ERR_NO_INPUT nothing there or nothing that is a capture, ERR_FORMAT / ERR_UNREADABLE / ERR_LIMIT the one file that was named is not to be
 * read, ERR_CANCELLED. Files that cannot be read inside a folder are no error: they are findings with accepted = false.
 */
enum err capture_load(const char *path, const struct load_options *options, struct progress *p, struct capture **out, struct diag *d);

void capture_free(struct capture *c);

/* What a health entry is needed for, in a few words, by its id; "" when unknown. */
const char *health_use(const char *id);

#endif
