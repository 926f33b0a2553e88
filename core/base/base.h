/* SPDX-License-Identifier: Apache-2.0 */
/* The few macros every file may use. No function, no state. */
#ifndef ASCOPE_CORE_BASE_BASE_H
#define ASCOPE_CORE_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)    ((a) < (b) ? (a) : (b))
#define MAX(a, b)    ((a) > (b) ? (a) : (b))

#if defined(__GNUC__)
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define PRINTF_LIKE(fmt, args)
#define LIKELY(x)   (x)
#define UNLIKELY(x) (x)
#endif

/* A time that the file does not give: no valid time has this value. */
#define NO_TIME INT64_MIN

#endif
