/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture with its whole analysis, for tests of the analysis; header only. judged_open() loads and analyses, judged_done() frees all.
 * Captures of the samples and real ones are found as every test finds them; when they are absent the word is printed and NULL returned.
 */
#ifndef ASCOPE_TESTS_HELP_ANALYSIS_RUN_H
#define ASCOPE_TESTS_HELP_ANALYSIS_RUN_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/analysis/analysis.h"
#include "core/load/load.h"

struct judged {
	struct capture *c;
	struct analysis *a;
};

/* False when the capture is refused; the reason is in *d. */
static inline bool judged_try(struct judged *j, const char *path, const struct analysis_options *o, struct diag *d)
{
	struct analysis_options plain;

	*j = (struct judged){ 0 };
	analysis_options_init(&plain);
	if (capture_load(path, NULL, NULL, &j->c, d))
		return false;
	if (analysis_run(j->c, o ? o : &plain, NULL, &j->a, d))
		fail_msg("%s: %s", path, d->text);
	return true;
}

static inline void judged_open(struct judged *j, const char *path, const struct analysis_options *o)
{
	struct diag d;

	if (!judged_try(j, path, o, &d))
		fail_msg("%s: %s", path, d.text);
}

static inline void judged_done(struct judged *j)
{
	analysis_free(j->a);
	capture_free(j->c);
	*j = (struct judged){ 0 };
}

static inline const char *place_of(char out[600], const char *variable, const char *otherwise, const char *rest)
{
	const char *base = getenv(variable);

	snprintf(out, 600, "%s/%s", base && base[0] ? base : otherwise, rest);
	if (access(out, F_OK) == 0)
		return out;
	print_message("no %s\n", out);
	return NULL;
}

static inline const char *sample_of(char out[600], const char *which)
{
	return place_of(out, "ASCOPE_SAMPLES", "build/samples", which);
}

static inline const char *capture_of(char out[600], const char *which)
{
	return place_of(out, "ASCOPE_CAPTURES", "../shared/captures", which);
}

static inline const struct finding *finding_of(const struct findings *l, const char *id)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->items[i].id, id) == 0)
			return &l->items[i];
	return NULL;
}

/* The n-th finding with this id. */
static inline const struct finding *finding_again(const struct findings *l, const char *id, size_t n)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->items[i].id, id) == 0 && n-- == 0)
			return &l->items[i];
	return NULL;
}

static inline bool near_share(double a, double b, double share)
{
	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b);
	return fabs(a - b) <= share * MAX(fabs(a), fabs(b)) + 1e-9;
}

#endif
