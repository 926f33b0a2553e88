/* SPDX-License-Identifier: Apache-2.0 */
/* One linear pass over a document: is it well formed, and if not, where and why not. */
#include "core/base/doc_scan.h"

#include <stdio.h>

/* What may come next. */
enum expect { EXPECT_VALUE, EXPECT_ITEM_OR_END, EXPECT_KEY, EXPECT_KEY_OR_END, EXPECT_COLON, EXPECT_COMMA_OR_END, EXPECT_NOTHING };

static const char *const expect_text[] = {
	[EXPECT_VALUE] = "a value",
	[EXPECT_ITEM_OR_END] = "a value or ']'",
	[EXPECT_KEY] = "a key in quotes",
	[EXPECT_KEY_OR_END] = "a key in quotes or '}'",
	[EXPECT_COLON] = "':'",
	[EXPECT_COMMA_OR_END] = "',' or '}'",
	[EXPECT_NOTHING] = "nothing more",
};

struct check {
	struct str text;
	const char *p, *end;
	enum expect expect;
	int depth;
	char open[DOC_DEPTH_MAX];
	const char *opened[DOC_DEPTH_MAX];
	struct diag *d;
};

static int64_t line_of(const struct check *c, const char *at)
{
	int64_t line = 1;
	const char *p = c->text.p;

	while (p < at && (p = memchr(p, '\n', (size_t)(at - p))))
		p++, line++;
	return line;
}

static enum err check_fail(const struct check *c, enum err err, const char *at, const char *what)
{
	return diag_set(c->d, err, NULL, at - c->text.p, line_of(c, at), "%s", what);
}

static enum err check_cut(const struct check *c)
{
	char what[200];

	if (c->depth)
		snprintf(what, sizeof what, "the file is cut off: it ends inside the %s that opens at byte %lld; export it again",
			c->open[c->depth - 1] == '{' ? "object" : "array", (long long)(c->opened[c->depth - 1] - c->text.p));
	else
		snprintf(what, sizeof what, "the file is cut off in its only value; export it again");
	return check_fail(c, ERR_FORMAT, c->end, what);
}

static enum err check_unexpected(const struct check *c, struct doc_token t)
{
	char what[160];
	const char *expect = expect_text[c->expect];
	unsigned char byte = (unsigned char)*t.text.p;

	if (t.kind == DOC_BAD_ESCAPE)
		return check_fail(c, ERR_FORMAT, t.text.p, "not JSON: a backslash that starts no escape inside a text");
	if (c->expect == EXPECT_COMMA_OR_END && c->open[c->depth - 1] == '[')
		expect = "',' or ']'";
	if (byte > 0x20 && byte < 0x7f)
		snprintf(what, sizeof what, "not JSON: %s should come here, not '%c'", expect, byte);
	else
		snprintf(what, sizeof what, "not JSON: %s should come here, not byte 0x%02x", expect, byte);
	return check_fail(c, ERR_FORMAT, t.text.p, what);
}

static enum expect check_after_value(const struct check *c)
{
	return c->depth ? EXPECT_COMMA_OR_END : EXPECT_NOTHING;
}

static enum err check_open(struct check *c, struct doc_token t)
{
	if (c->depth == DOC_DEPTH_MAX)
		return check_fail(c, ERR_LIMIT, t.text.p, "more than 256 brackets inside one another; no profiler writes that");
	c->open[c->depth] = *t.text.p;
	c->opened[c->depth++] = t.text.p;
	c->expect = t.kind == DOC_OBJECT ? EXPECT_KEY_OR_END : EXPECT_ITEM_OR_END;
	return ERR_OK;
}

static bool check_close(struct check *c, struct doc_token t)
{
	char open = t.kind == DOC_OBJECT_END ? '{' : '[';

	if (!c->depth || c->open[c->depth - 1] != open)
		return false;
	if (c->expect != EXPECT_COMMA_OR_END && c->expect != (open == '{' ? EXPECT_KEY_OR_END : EXPECT_ITEM_OR_END))
		return false;
	c->depth--;
	c->expect = check_after_value(c);
	return true;
}

/* Takes one token that is neither the end nor damaged. */
static enum err check_token(struct check *c, struct doc_token t)
{
	bool value = c->expect == EXPECT_VALUE || c->expect == EXPECT_ITEM_OR_END;

	switch (t.kind) {
	case DOC_OBJECT:
	case DOC_ARRAY:
		return value ? check_open(c, t) : check_unexpected(c, t);
	case DOC_OBJECT_END:
	case DOC_ARRAY_END:
		return check_close(c, t) ? ERR_OK : check_unexpected(c, t);
	case DOC_COMMA:
		if (c->expect != EXPECT_COMMA_OR_END)
			return check_unexpected(c, t);
		c->expect = c->open[c->depth - 1] == '{' ? EXPECT_KEY : EXPECT_VALUE;
		return ERR_OK;
	case DOC_COLON:
		if (c->expect != EXPECT_COLON)
			return check_unexpected(c, t);
		c->expect = EXPECT_VALUE;
		return ERR_OK;
	default:
		break;
	}
	if (t.kind == DOC_STRING && (c->expect == EXPECT_KEY || c->expect == EXPECT_KEY_OR_END))
		c->expect = EXPECT_COLON;
	else if (value)
		c->expect = check_after_value(c);
	else
		return check_unexpected(c, t);
	return ERR_OK;
}

/* What a text editor or a shell may have made of the file. */
static enum err check_encoding(struct check *c)
{
	const char *p = c->p;
	size_t n = (size_t)(c->end - p);

	if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		c->p += 3;
	if (n >= 2 && (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0 || (!p[0] != !p[1])))
		return check_fail(c, ERR_FORMAT, p, "UTF-16 text, not UTF-8; convert it with iconv -f UTF-16 -t UTF-8");
	if (n && !p[0])
		return check_fail(c, ERR_FORMAT, p, "only NUL bytes at the start: the file was not written to the end");
	return ERR_OK;
}

enum err doc_check(struct str text, size_t most, struct str *value, struct diag *d)
{
	struct check c = { .text = text, .p = text.p, .end = text.p + text.n, .expect = EXPECT_VALUE, .d = d };
	enum err err;
	struct doc_token t;
	const char *from;

	if (text.n > most)
		return diag_set(d, ERR_LIMIT, NULL, -1, -1, "%zu bytes, more than the %zu that are read", text.n, most);
	while (c.end > c.p && !c.end[-1])
		c.end--;
	if (c.end == c.p)
		return diag_set(d, ERR_FORMAT, NULL, 0, -1, text.n ? "only NUL bytes" : "the file is empty");
	if ((err = check_encoding(&c)))
		return err;
	from = c.p;
	for (;;) {
		t = doc_token_next(&c.p, c.end);
		if (t.kind == DOC_END)
			break;
		if (t.kind == DOC_CUT)
			return check_cut(&c);
		err = t.kind == DOC_BAD || t.kind == DOC_BAD_ESCAPE ? check_unexpected(&c, t) : check_token(&c, t);
		if (err)
			return err;
	}
	*value = str_trim((struct str){ from, (size_t)(c.end - from) });
	if (!value->n)
		return diag_set(d, ERR_FORMAT, NULL, 0, -1, "nothing but blanks");
	return c.expect == EXPECT_NOTHING ? ERR_OK : check_cut(&c);
}
