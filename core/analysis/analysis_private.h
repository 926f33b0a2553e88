/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that analysis_run() calls one after the other. Each fills its members of the analysis. */
#ifndef ASCOPE_CORE_ANALYSIS_ANALYSIS_PRIVATE_H
#define ASCOPE_CORE_ANALYSIS_ANALYSIS_PRIVATE_H

#include "core/analysis/analysis.h"

void checks_run(struct analysis *a);	/* checks.c: against the exporter's step table and operator statistic */
void rules_run(struct analysis *a);	/* rules.c: every rule of rule.def over all units */
void advice_run(struct analysis *a);	/* advice.c: causes and advice for every located bottleneck */
void sentence_make(struct analysis *a);	/* sentence.c */

#endif
