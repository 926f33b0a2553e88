/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host event texts shared by the text and database writers (see names.h). The
 * profiler writes framework shapes with ";\r\n" between tensors and C++ type
 * names, unlike the ";" and CANN types of the kernel tables.
 */
#include "samples/names.h"

#include <stdio.h>
#include <string.h>

const char *host_name(const struct host_ev *e, char *text, size_t size)
{
	switch (e->kind) {
	case HOST_STEP:
		snprintf(text, size, "ProfilerStep#%d", e->step);
		return text;
	case HOST_FRAME:
		if (e->module < 0)
			return e->name;
		snprintf(text, size, "%s_%d", e->name, e->module);
		return text;
	case HOST_ENQUEUE:
		return "Enqueue";
	case HOST_DEQUEUE:
		snprintf(text, size, "Dequeue@%s", e->name);
		return text;
	default:
		return e->name;
	}
}

static const char *framework_type(const char *cann, size_t n)
{
	static const struct {
		const char *cann, *name;
	} map[] = {
		{ "DT_BF16", "c10::BFloat16" }, { "FLOAT16", "c10::Half" }, { "FLOAT", "float" },
		{ "INT64", "long int" }, { "INT32", "int" }, { "INT8", "signed char" },
	};

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		if (strlen(map[i].cann) == n && memcmp(map[i].cann, cann, n) == 0)
			return map[i].name;
	return "Scalar";
}

static void append(char *text, size_t size, const char *part, size_t n)
{
	size_t used = strlen(text);

	if (used + n + 1 > size)
		n = size - used - 1;
	memcpy(text + used, part, n);
	text[used + n] = '\0';
}

static void translate(const char *from, bool type, char *text, size_t size)
{
	text[0] = '\0';
	if (*from == '"')
		from++;
	for (;;) {
		size_t n = strcspn(from, ";\"");
		if (type) {
			const char *name = framework_type(from, n);
			append(text, size, name, strlen(name));
		} else {
			append(text, size, from, n);
		}
		from += n;
		if (*from != ';')
			return;
		append(text, size, ";\r\n", 3);
		from++;
	}
}

bool host_dims(const struct host_ev *e, char *dims, char *types, size_t size)
{
	if (e->kind != HOST_OP || !e->dims)
		return false;
	if (e->kernel_dims) {
		translate(e->dims, false, dims, size);
		translate(e->types, true, types, size);
	} else {
		snprintf(dims, size, "%s", e->dims);
		snprintf(types, size, "%s", e->types);
	}
	return true;
}

void api_name(const struct api_ev *e, char *text, size_t size)
{
	static const char *const layer[] = { "AscendCL", "Node", "AscendCL", "Hccl" };

	snprintf(text, size, "%s@%s", layer[e->level], e->name);
}

const char *host_stack(const struct capture *c, const struct host_ev *e)
{
	if (!(c->scenario->flags & SF_FRAMES) || e->kind != HOST_OP)
		return NULL;
	return "vllm_ascend/ops/linear.py(318): forward;\r\n"
	       "vllm_ascend/worker/model_runner_v1.py(2214): execute_model;\r\n"
	       "vllm/v1/worker/worker_base.py(97): <lambda>";
}
