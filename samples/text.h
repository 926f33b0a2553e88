/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text export of one capture, in the layout and spelling of the PyTorch
 * profiler of CANN 8.3: trace_view.json, the CSV tables, the communication
 * JSON files, profiler_info and profiler_metadata.
 */
#ifndef ASCOPE_SAMPLES_TEXT_H
#define ASCOPE_SAMPLES_TEXT_H

#include "samples/emit.h"
#include "samples/model.h"

/* Writes everything under dir (a *_ascend_pt folder). 0, or -1 with errno. */
int text_write(const struct capture *c, const char *dir);

/* profiler_info[_<rank>].json; database says which export it describes. */
int text_write_info(const struct capture *c, const char *dir, bool database);

/* Parts of text_write(), one per file family; out is an open file. */
void text_trace(const struct capture *c, struct out *o);
void text_device_events(const struct capture *c, struct out *o);
void text_comm(const struct capture *c, struct out *o);
void text_comm_matrix(const struct capture *c, struct out *o);
void text_kernel_details(const struct capture *c, struct out *o);
void text_op_statistic(const struct capture *c, struct out *o);
void text_api_statistic(const struct capture *c, struct out *o);
void text_operator_details(const struct capture *c, struct out *o);
void text_step_trace(const struct capture *c, struct out *o);
void text_operator_memory(const struct capture *c, struct out *o);
void text_memory_record(const struct capture *c, struct out *o);
void text_module_memory(const struct capture *c, struct out *o);

/* ", " before every event but the first. */
void text_next(struct out *o);

enum { LAYER_CANN = 7, LAYER_HARDWARE = 13, LAYER_FREQ = 14, LAYER_COMM = 15, LAYER_OVERLAP = 29 };

#endif
