/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that both exports spell alike: names of host events, Input Dims and
 * Input type of a framework operator, call stacks. Each fills a caller's buffer
 * or returns a constant.
 */
#ifndef ASCOPE_SAMPLES_NAMES_H
#define ASCOPE_SAMPLES_NAMES_H

#include "samples/model.h"

enum { NAME_SIZE = 256 };

const char *host_name(const struct host_ev *e, char *text, size_t size);

/* False when the event records no shapes. */
bool host_dims(const struct host_ev *e, char *dims, char *types, size_t size);

/* "AscendCL@aclnnMatmul", "Node@launch" */
void api_name(const struct api_ev *e, char *text, size_t size);

/* NULL without stacks in this scenario. Frames are separated by ";\r\n". */
const char *host_stack(const struct capture *c, const struct host_ev *e);

#endif
