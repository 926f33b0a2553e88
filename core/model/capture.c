/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/capture.h"

const struct table *rank_kernels(const struct rank *r)
{
	return r->tables[ART_KERNEL_DETAILS] ? r->tables[ART_KERNEL_DETAILS] : r->tables[ART_OP_SUMMARY];
}
