/* SPDX-License-Identifier: Apache-2.0 */
/* The text side of documents: tokens, the check of the whole text, and walks over checked values. */
#include "core/base/doc_scan.h"

#include "core/base/decimal.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* One escape at p (the backslash): its length, 0 when it is none. */
static size_t escape_length(const char *p, const char *end)
{
	if (end - p < 2)
		return 0;
	if (p[1] != 'u')
		return memchr("\"\\/bfnrt", p[1], 8) ? 2 : 0;
	if (end - p < 6)
		return 0;
	for (int i = 2; i < 6; i++)
		if (!is_hex(p[i]))
			return 0;
	return 6;
}

static void token_string(struct doc_token *t, const char *p, const char *end)
{
	size_t n;

	t->kind = DOC_STRING;
	for (p++;; p += n) {
		while (p < end && *p != '"' && *p != '\\')
			p++;
		if (p == end || *p == '"')
			break;
		t->escapes = true;
		n = escape_length(p, end);
		if (!n) {
			t->kind = end - p < 6 && !memchr(p, '"', (size_t)(end - p)) ? DOC_CUT : DOC_BAD_ESCAPE;
			t->text = (struct str){ p, 0 };
			return;
		}
	}
	if (p == end)
		t->kind = DOC_CUT;
	t->text.n = (size_t)(p - t->text.p) + (p < end);
}

static bool digits_skip(const char **p, const char *end)
{
	const char *from = *p;

	while (*p < end && is_digit(**p))
		++*p;
	return *p > from;
}

static bool number_skip(const char **p, const char *end)
{
	if (**p == '-')
		++*p;
	if (!digits_skip(p, end))
		return false;
	if (*p < end && **p == '.' && (++*p, !digits_skip(p, end)))
		return false;
	if (*p < end && (**p == 'e' || **p == 'E')) {
		++*p;
		if (*p < end && (**p == '+' || **p == '-'))
			++*p;
		return digits_skip(p, end);
	}
	return true;
}

static void token_word(struct doc_token *t, const char *p, const char *end)
{
	static const struct str words[] = {
		{ "true", 4 }, { "false", 5 }, { "null", 4 }, { "NaN", 3 }, { "Infinity", 8 }, { "-Infinity", 9 },
	};
	struct str rest = { p, (size_t)(end - p) };

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_begins(rest, words[i])) {
			t->kind = i < 3 ? DOC_WORD : DOC_NOT_FINITE;
			t->text.n = words[i].n;
			return;
		}
		/* The text ends inside the word: cut off, not wrong. */
		if (rest.n < words[i].n && str_begins(words[i], rest))
			t->kind = DOC_CUT;
	}
	t->text.n = 1;
}

static void token_number(struct doc_token *t, const char *p, const char *end)
{
	const char *q = p;

	if (*p == '-' && end - p > 1 && p[1] == 'I') {
		token_word(t, p, end);
		return;
	}
	t->kind = number_skip(&q, end) ? DOC_NUMBER : q == end ? DOC_CUT : DOC_BAD;
	t->text.n = (size_t)(q - p);
}

struct doc_token doc_token_next(const char **p, const char *end)
{
	struct doc_token t = { DOC_END, { end, 0 }, false };

	while (*p < end && is_blank(**p))
		++*p;
	if (*p == end)
		return t;
	t.text = (struct str){ *p, 1 };
	t.kind = DOC_BAD;
	switch (**p) {
	case '{': case '}': case '[': case ']': case ':': case ',':
		t.kind = (enum doc_token_kind)(unsigned char)**p;
		break;
	case '"':
		token_string(&t, *p, end);
		break;
	case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
		token_number(&t, *p, end);
		break;
	default:
		token_word(&t, *p, end);
		break;
	}
	*p = t.text.p + t.text.n;
	return t;
}

/* ---- values and walks: the text is known to be well formed, but nothing here runs past its end if it is not ---- */

char doc_kind(struct str value)
{
	char c = value.n ? value.p[0] : '\0';

	if (c == 'N' || c == 'I' || (c == '-' && value.n > 1 && value.p[1] == 'I'))
		return 'n';
	return is_digit(c) || c == '-' ? '0' : c;
}

static const char *string_end(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		if (*p == '\\')
			p++;
	return MIN(p + 1, end);
}

static const char *value_end(const char *p, const char *end)
{
	size_t depth = 0;

	if (p < end && *p == '"')
		return string_end(p, end);
	while (p < end && *p != ',' && *p != '}' && *p != ']' && !is_blank(*p)) {
		if (*p == '{' || *p == '[')
			break;
		p++;
	}
	if (p == end || (*p != '{' && *p != '['))
		return p;
	while (p < end) {
		switch (*p) {
		case '"':
			p = string_end(p, end);
			continue;
		case '{': case '[':
			depth++;
			break;
		case '}': case ']':
			if (!--depth)
				return p + 1;
			break;
		default:
			break;
		}
		p++;
	}
	return p;
}

static void walk_blanks(struct doc_walk *w, char also)
{
	while (w->p < w->end && (is_blank(*w->p) || *w->p == also))
		w->p++;
}

bool doc_walk_start(struct doc_walk *w, struct str value, char bracket)
{
	*w = (struct doc_walk){ 0 };
	if (value.n < 2 || value.p[0] != bracket)
		return false;
	*w = (struct doc_walk){ .p = value.p + 1, .end = value.p + value.n - 1, .object = bracket == '{' };
	return true;
}

bool doc_walk_next(struct doc_walk *w, struct str *key, struct str *value)
{
	const char *from;

	*key = STR("");
	walk_blanks(w, ',');
	if (w->p >= w->end)
		return false;
	if (w->object) {
		from = w->p;
		w->p = string_end(from, w->end);
		if (!doc_raw_text((struct str){ from, (size_t)(w->p - from) }, &w->key, key))
			*key = STR("");
		walk_blanks(w, ':');
	}
	from = w->p;
	w->p = value_end(from, w->end);
	*value = (struct str){ from, (size_t)(w->p - from) };
	return value->n > 0;
}

void doc_walk_done(struct doc_walk *w)
{
	buf_done(&w->key);
}

bool doc_raw_int(struct str value, int scale, int64_t *out)
{
	if (doc_kind(value) == '"' && value.n >= 2)
		value = str_trim((struct str){ value.p + 1, value.n - 2 });
	return decimal_to_int(value, scale, out);
}
