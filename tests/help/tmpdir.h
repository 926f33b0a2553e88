/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A temporary folder for a test: made under TMPDIR or /tmp, filled with small files, removed with all it holds. A failure to set up ends
 * the test program with a message, so callers need not check. Independent of the test framework.
 */
#ifndef ASCOPE_TESTS_HELP_TMPDIR_H
#define ASCOPE_TESTS_HELP_TMPDIR_H

#include <stddef.h>

/* Makes a new empty folder and puts its path (no trailing slash) into out[size]. */
void tmpdir_make(char out[], size_t size);

/* Writes n bytes to dir/relpath, replacing what was there and making the folders on the way. n may be 0 (data NULL then is fine). */
void tmpdir_write(const char *dir, const char *relpath, const void *data, size_t n);

/* Removes the folder and everything in it, without following links; folders without permissions are given them first. */
void tmpdir_remove(const char *dir);

#endif
