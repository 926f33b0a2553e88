/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of operators as writers spell them, brought to one form that rules can be written for. Used by classify.c; no memory, no state.
 * Spellings met: CamelCase types (MatMulV2), snake case (batch_matmul), kernels of an API (aclnnMm_MatMulCommon_MatMulV2), compiled kernels
 * (OnesLike_1c45...f062_high_performance_210000000), graph nodes (trans_TransData_12, Conv2D1, Default/net/MatMul-op12), collectives
 * (hcom_allReduce__210_0_1@1394...), C++ symbols (_Z14scatter_customIfi...), qualified operators (aten::mul_).
 */
#ifndef ASCOPE_CORE_MODEL_OPNAME_H
#define ASCOPE_CORE_MODEL_OPNAME_H

#include "core/base/str.h"

/*
 * Words: lower case, one blank between. Words begin at capitals, '_' and other signs; numbers by themselves, version suffixes (V2) and the
 * prefix "aclnn" are left out. Both fill out[size], NUL-terminated, cut where it is full, and return the length.
 *
 * op_words() takes the part of a name that says the operator: of "aclnnMm_MatMulCommon_MatMulV2" the last part, "mat mul".
 * name_words() takes all: "mm mat mul common mat mul".
 */
size_t op_words(struct str name, char *out, size_t size);
size_t name_words(struct str name, char *out, size_t size);

/* The part of `name` that op_words() looks at: a slice of it. */
struct str op_part(struct str name);

#endif
