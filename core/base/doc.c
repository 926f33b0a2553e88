/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree side of documents. cJSON keeps a number as a double and an int, which loses digits of epoch times; so after parsing, each
 * number item is given its digits: valuestring points into the original text (cJSON_IsReference keeps cJSON from freeing it), valueint
 * is their count. Items and number tokens come in the same order, which makes that one linear pass.
 */
#include "core/base/doc_scan.h"

#include "core/base/decimal.h"
#include "core/base/mem.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

enum { NUMBER_PLAIN_MAX = 60 };		/* cJSON reads 63 characters of a number */

static bool token_ends_scan(const struct doc_token *t)
{
	return t->kind == DOC_END || t->kind == DOC_BAD || t->kind == DOC_BAD_ESCAPE || t->kind == DOC_CUT;
}

/* ---- text that cJSON refuses, made readable without moving anything ---- */

static int hex4(const char *p)
{
	int v = 0;

	for (int i = 0; i < 4; i++) {
		int c = p[i];

		v = v * 16 + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return v;
}

/* The next \u escape that is half of a surrogate pair without the other half, at or after p; NULL when there is none. */
static const char *lone_surrogate(const char *p, const char *end)
{
	while ((p = memchr(p, '\\', (size_t)(end - p)))) {
		int unit = end - p >= 6 && p[1] == 'u' ? hex4(p + 2) : 0;

		if (unit < 0xd800 || unit > 0xdfff) {
			p += 2;
			continue;
		}
		if (unit > 0xdbff || end - p < 12 || p[6] != '\\' || p[7] != 'u')
			return p;
		unit = hex4(p + 8);
		if (unit < 0xdc00 || unit > 0xdfff)
			return p;
		p += 12;
	}
	return NULL;
}

static bool token_is_regular(const struct doc_token *t)
{
	if (t->kind == DOC_NOT_FINITE)
		return false;
	if (t->kind == DOC_NUMBER)
		return t->text.n <= NUMBER_PLAIN_MAX;
	return !t->escapes || !lone_surrogate(t->text.p, t->text.p + t->text.n);
}

/* Overwrites a token: not finite -> "", a long number -> 0 (its digits come from the original), a lone surrogate -> U+FFFD. */
static void token_patch(char *at, const struct doc_token *t)
{
	const char *p = t->text.p, *end = p + t->text.n;

	if (t->kind != DOC_STRING) {
		memset(at, ' ', t->text.n);
		memcpy(at, t->kind == DOC_NUMBER ? "0 " : "\"\"", 2);
		return;
	}
	for (; (p = lone_surrogate(p, end)); p += 6)
		memcpy(at + (p - t->text.p), "\\ufffd", 6);
}

static char *text_regular(struct str value)
{
	const char *p = value.p, *end = p + value.n;
	char *copy = NULL;

	for (;;) {
		struct doc_token t = doc_token_next(&p, end);

		if (token_ends_scan(&t))
			return copy;
		if (token_is_regular(&t))
			continue;
		if (!copy)
			copy = memcpy(mem_alloc(value.n, 1), value.p, value.n);
		token_patch(copy + (t.text.p - value.p), &t);
	}
}

/* ---- numbers keep their digits ---- */

static bool number_next(const char **p, const char *end, struct str *out)
{
	for (;;) {
		struct doc_token t = doc_token_next(p, end);

		if (t.kind == DOC_NUMBER) {
			*out = t.text;
			return true;
		}
		if (token_ends_scan(&t))
			return false;
	}
}

static bool numbers_attach(struct cJSON *root, struct str value)
{
	struct cJSON *stack[DOC_DEPTH_MAX + 1], *item = root;
	const char *p = value.p, *end = p + value.n;
	struct str digits;
	int depth = 0;

	while (item) {
		if (cJSON_IsNumber(item)) {
			if (!number_next(&p, end, &digits))
				return false;
			item->type |= cJSON_IsReference;
			item->valuestring = (char *)(uintptr_t)digits.p;
			item->valueint = (int)digits.n;
		}
		if (item->child) {
			if (depth > DOC_DEPTH_MAX)
				return false;
			stack[depth++] = item;
			item = item->child;
			continue;
		}
		while (!item->next && depth)
			item = stack[--depth];
		item = depth ? item->next : NULL;
	}
	return true;
}

enum err doc_open(struct doc *doc, struct str value, struct diag *d)
{
	const char *stop = NULL, *text = value.p;

	*doc = (struct doc){ 0 };
	if (value.n > DOC_TREE_BYTES_MAX)
		return diag_set(d, ERR_LIMIT, NULL, -1, -1, "one part has %zu bytes, more than the %zu that are read", value.n,
			DOC_TREE_BYTES_MAX);
	doc->regular = text_regular(value);
	if (doc->regular)
		text = doc->regular;
	doc->root = cJSON_ParseWithLengthOpts(text, value.n, &stop, 0);
	if (doc->root && numbers_attach(doc->root, value))
		return ERR_OK;
	doc_close(doc);
	return diag_set(d, ERR_FORMAT, NULL, stop ? stop - text : -1, -1, "not JSON that can be read");
}

void doc_close(struct doc *doc)
{
	cJSON_Delete(doc->root);
	free(doc->regular);
	*doc = (struct doc){ 0 };
}

bool doc_raw_text(struct str value, struct buf *b, struct str *out)
{
	struct doc doc;
	bool ok;

	if (doc_kind(value) != '"' || value.n < 2)
		return false;
	*out = (struct str){ value.p + 1, value.n - 2 };
	if (!memchr(out->p, '\\', out->n))
		return true;
	ok = doc_open(&doc, value, NULL) == ERR_OK && doc_str(doc.root, out);
	if (ok) {
		b->n = 0;
		buf_add(b, out->p, out->n);
		*out = (struct str){ b->p, b->n };
	}
	doc_close(&doc);
	return ok;
}

/* ---- getters ---- */

const struct cJSON *doc_get(const struct cJSON *object, const char *key)
{
	if (!cJSON_IsObject(object))
		return NULL;
	for (const struct cJSON *item = object->child; item; item = item->next)
		if (item->string && strcmp(item->string, key) == 0)
			return item;
	return NULL;
}

const struct cJSON *doc_at(const struct cJSON *root, const char *path)
{
	char key[128];

	while (root && *path) {
		size_t n = strcspn(path, ".");

		if (n >= sizeof key)
			return NULL;
		memcpy(key, path, n);
		key[n] = '\0';
		root = doc_get(root, key);
		path += n + (path[n] == '.');
	}
	return root;
}

bool doc_str(const struct cJSON *item, struct str *out)
{
	if (!cJSON_IsString(item) || !item->valuestring)
		return false;
	*out = str_of(item->valuestring);
	return true;
}

bool doc_text(const struct cJSON *item, struct str *out)
{
	if (!cJSON_IsNumber(item))
		return doc_str(item, out);
	*out = (struct str){ item->valuestring, (size_t)item->valueint };
	return true;
}

bool doc_int(const struct cJSON *item, int scale, int64_t *out)
{
	struct str s;

	return doc_text(item, &s) && decimal_to_int(str_trim(s), scale, out);
}

bool doc_num(const struct cJSON *item, double *out)
{
	struct str s;

	return doc_text(item, &s) && decimal_to_double(str_trim(s), out);
}

bool doc_bool(const struct cJSON *item, bool *out)
{
	static const struct {
		struct str text;
		bool value;
	} words[] = {
		{ { "true", 4 }, true }, { { "1", 1 }, true }, { { "on", 2 }, true }, { { "false", 5 }, false }, { { "0", 1 }, false },
		{ { "off", 3 }, false },
	};
	struct str s;

	if (cJSON_IsBool(item)) {
		*out = cJSON_IsTrue(item);
		return true;
	}
	if (!doc_text(item, &s))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_is_nocase(s, words[i].text)) {
			*out = words[i].value;
			return true;
		}
	}
	return false;
}
