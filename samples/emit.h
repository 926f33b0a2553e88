/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffered byte writer for the sample files, fast enough for gigabytes:
 * numbers are written by hand, without printf and without a locale. All times
 * are int64 nanoseconds and leave as microseconds or milliseconds by moving
 * the decimal point, never through a double.
 */
#ifndef ASCOPE_SAMPLES_EMIT_H
#define ASCOPE_SAMPLES_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OUT_CAPACITY = 1 << 20 };

struct out {
	int fd;
	bool failed;
	size_t used;
	uint64_t flushed;	/* bytes already handed to the kernel */
	char *buf;
};

/* path "-" is stdout. 0, or -1 with errno set. */
int out_open(struct out *o, const char *path);
int out_close(struct out *o);
uint64_t out_bytes(const struct out *o);

void out_mem(struct out *o, const void *data, size_t n);
void out_str(struct out *o, const char *s);
void out_char(struct out *o, char c);
void out_fill(struct out *o, char c, size_t n);
void out_u64(struct out *o, uint64_t v);
void out_i64(struct out *o, int64_t v);

/* v / 10^digits: all digits kept, or trailing zeros cut down to one decimal. */
void out_fixed(struct out *o, int64_t v, int digits);
void out_short(struct out *o, int64_t v, int digits);

/* The inside of a JSON string: quotes, backslashes and controls escaped. */
void out_json(struct out *o, const char *s);

/* mkdir -p; every missing parent is made. 0 or -1. */
int dir_make(const char *path);

#endif
