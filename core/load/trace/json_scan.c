/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/trace/json_scan.h"

#include "core/base/utf8.h"

/* The kind of each open bracket, one bit a level, the innermost lowest: 1 object, 0 array. */
struct nest {
	uint64_t kinds;
	unsigned depth;
};

static bool nest_push(struct nest *n, bool object)
{
	_Static_assert(JSON_DEPTH <= 64, "one bit a level");
	if (n->depth == JSON_DEPTH)
		return false;
	n->kinds = n->kinds << 1 | object;
	n->depth++;
	return true;
}

static void nest_pop(struct nest *n)
{
	n->kinds >>= 1;
	n->depth--;
}

static bool nest_is_object(const struct nest *n)
{
	return n->kinds & 1;
}

/* "key" : */
static const char *skip_key(const char *p, const char *end)
{
	bool escaped = false;

	if (*p != '"')
		return NULL;
	p = json_string_end(p + 1, end, &escaped);
	if (p >= end)
		return p;
	p = json_blank(p + 1);
	return *p == ':' ? json_blank(p + 1) : p >= end ? p : NULL;
}

/* A string or scalar; NULL when there is none. */
static const char *skip_flat(const char *p, const char *end)
{
	const char *at = p;
	bool escaped = false;

	if (*p == '"') {
		p = json_string_end(p + 1, end, &escaped);
		return p >= end ? p : p + 1;
	}
	p = json_scalar_end(p);
	return p > at ? p : NULL;
}

/* After a value inside brackets: closes as many as end here, steps over a comma. NULL when neither stands there. */
static const char *skip_after(const char *p, const char *end, struct nest *n)
{
	for (;;) {
		p = json_blank(p);
		if (p >= end || n->depth == 0)
			return p;
		if (*p == ',')
			return json_blank(p + 1);
		if (*p != (nest_is_object(n) ? '}' : ']'))
			return NULL;
		nest_pop(n);
		p++;
		if (n->depth == 0)
			return p;
	}
}

const char *json_skip(const char *p, const char *end)
{
	struct nest n = { 0 };

	do {
		if (n.depth && nest_is_object(&n) && !(p = skip_key(p, end)))
			return NULL;
		if (p >= end)
			return p;
		if (*p == '{' || *p == '[') {
			char closer = *p == '{' ? '}' : ']';

			if (!nest_push(&n, *p == '{'))
				return NULL;
			p = json_blank(p + 1);
			if (*p != closer)
				continue;
			nest_pop(&n);
			p++;
			if (n.depth == 0)
				return p;
		} else if (!(p = skip_flat(p, end))) {
			return NULL;
		}
		if (p >= end || n.depth == 0)
			return p;
		p = skip_after(p, end, &n);
		if (!p)
			return NULL;
	} while (n.depth && p < end);
	return p;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The four hex digits of \uXXXX at p, or -1. */
static int32_t hex_unit(const char *p, const char *end)
{
	int32_t v = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int d = hex_digit(p[i]);

		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

/* \uXXXX, with a second one when the first is a high surrogate; p is after the 'u'. Returns the position after it. */
static const char *unescape_unicode(const char *p, const char *end, struct buf *out)
{
	int32_t unit = hex_unit(p, end), low;
	char bytes[4];
	uint32_t cp;

	if (unit < 0) {
		buf_str(out, "\\u");
		return p;
	}
	p += 4;
	cp = (uint32_t)unit;
	if (unit >= 0xd800 && unit < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
		low = hex_unit(p + 2, end);
		if (low >= 0xdc00 && low < 0xe000) {
			cp = 0x10000 + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
			p += 6;
		}
	}
	buf_add(out, bytes, utf8_put(cp, bytes));
	return p;
}

void json_unescape(struct str raw, struct buf *out)
{
	static const char letter[] = "bfnrt", plain[] = "\b\f\n\r\t";
	const char *p = raw.p, *end = raw.p + raw.n;

	while (p < end) {
		const char *slash = memchr(p, '\\', (size_t)(end - p));
		const char *found;

		buf_add(out, p, (size_t)((slash ? slash : end) - p));
		if (!slash || slash + 1 == end)
			return;
		p = slash + 2;
		if (slash[1] == 'u') {
			p = unescape_unicode(p, end, out);
			continue;
		}
		found = slash[1] ? strchr(letter, slash[1]) : NULL;
		buf_char(out, found ? plain[found - letter] : slash[1]);
	}
}
