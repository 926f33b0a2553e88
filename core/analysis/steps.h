/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps and phases of one work model. A step is the interval from its beginning to the beginning of the next one. On the device it begins
 * with the first work that was launched in it, because the host runs ahead of the device.
 *
 * Sources, the first that tells: ProfilerStep#N marks, mstx marks, the step table (with times from kernels or markers), engine markers
 * (execute_model and relatives), a repeated kernel sequence, idle gaps, the whole capture as one step.
 */
#ifndef ASCOPE_CORE_ANALYSIS_STEPS_H
#define ASCOPE_CORE_ANALYSIS_STEPS_H

#include "core/analysis/work.h"

enum phase { PHASE_UNKNOWN, PHASE_PREFILL, PHASE_DECODE, PHASE_MAX };
enum confidence { CONF_LOW, CONF_MEDIUM, CONF_HIGH };
enum step_source { STEPS_MARKS, STEPS_MSTX, STEPS_TABLE, STEPS_ENGINE, STEPS_REPEAT, STEPS_GAPS, STEPS_WHOLE, STEPS_SOURCE_MAX };

struct step {
	uint32_t label;			/* name id: "ProfilerStep#50", "50", ...; 0 when it has none */
	int64_t start, end;		/* device axis, ns: spans that start in [start, end) are its own */
	int64_t host_start, host_end;	/* of the mark on the host; NO_TIME when there is none */
	int64_t first, last;		/* first start and last end of compute and collectives in it (the exporter's window); NO_TIME none */
	enum phase phase;
	bool partial;			/* begins before the capture or is cut by its end: left out of means */
};

struct steps {
	struct step *items;		/* by start, not overlapping */
	size_t n, cap;
	enum step_source source;
	enum confidence confidence, phase_confidence;
	const char *reason;		/* why this source, in a sentence */
	const char *phase_reason;	/* how phases were told, in a sentence */
	struct arena arena;		/* owns the sentences */
};

enum phase_choice { PHASES_AUTO, PHASES_PREFILL, PHASES_DECODE };	/* forced: every step is of that phase */

/* Finds the steps of m and their phases. *out is freed with steps_done(). Without any device work or event *out is empty. */
void steps_find(const struct work_model *m, enum phase_choice choice, struct steps *out);
void steps_done(struct steps *s);

const char *phase_key(enum phase p);			/* "prefill", "decode", "unknown" */
const char *step_source_key(enum step_source s);	/* "marks", "mstx", "table", "engine", "repeat", "gaps", "whole" */
const char *confidence_key(enum confidence c);		/* "low", "medium", "high" */

#endif
