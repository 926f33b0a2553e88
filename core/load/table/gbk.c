/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/table/gbk.h"

#include "core/base/utf8.h"

#include <errno.h>
#include <iconv.h>

bool text_is_ascii(struct str s)
{
	uint64_t all = 0, w = 0;

	for (; s.n >= 8; s.p += 8, s.n -= 8) {
		memcpy(&w, s.p, 8);
		all |= w;
	}
	w = 0;
	for (size_t i = 0; i < s.n; i++)
		w |= (unsigned char)s.p[i];
	return !((all | w) & 0x8080808080808080u);
}

bool text_is_utf8(struct str s)
{
	while (s.n) {
		uint32_t cp;
		size_t n = utf8_next(s, &cp);

		if (n == 1 && cp == 0xfffd)
			return false;
		s.p += n, s.n -= n;
	}
	return true;
}

static bool gbk_open(struct gbk *g)
{
	if (!g->tried) {
		iconv_t converter = iconv_open("UTF-8", "GBK");

		g->tried = true;
		if (converter != (iconv_t)-1)
			g->converter = converter;
	}
	return g->converter != NULL;
}

bool gbk_to_utf8(struct gbk *g, struct str s, struct buf *out)
{
	char *in = (char *)(uintptr_t)s.p, piece[512];
	size_t left = s.n;

	out->n = 0;
	if (!gbk_open(g))
		return false;
	iconv(g->converter, NULL, NULL, NULL, NULL);
	while (left) {
		char *to = piece;
		size_t room = sizeof piece;
		size_t r = iconv(g->converter, &in, &left, &to, &room);

		if (r == (size_t)-1 && errno != E2BIG)
			return false;
		buf_add(out, piece, sizeof piece - room);
	}
	return true;
}

void gbk_done(struct gbk *g)
{
	if (g->converter)
		iconv_close(g->converter);
	*g = (struct gbk){ 0 };
}
