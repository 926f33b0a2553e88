/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that is not UTF-8: profilers on Chinese systems and spreadsheets write GBK. Cells that are valid GBK are converted, others keep
 * their bytes. One converter per reader; a zeroed struct is ready, gbk_done() ends it.
 */
#ifndef ASCOPE_CORE_LOAD_TABLE_GBK_H
#define ASCOPE_CORE_LOAD_TABLE_GBK_H

#include "core/base/str.h"

struct gbk {
	void *converter;		/* iconv_t; NULL before the first use and where the C library cannot do it */
	bool tried;
};

bool text_is_ascii(struct str s);
bool text_is_utf8(struct str s);

/* The UTF-8 of s into out (emptied first); false when s is no GBK or the C library has no converter. */
bool gbk_to_utf8(struct gbk *g, struct str s, struct buf *out);
void gbk_done(struct gbk *g);

#endif
