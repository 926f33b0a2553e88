/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of JSON text, shared by the check, the walks and the trees of core/base/doc.h. Nobody else includes this. */
#ifndef ASCOPE_CORE_BASE_DOC_SCAN_H
#define ASCOPE_CORE_BASE_DOC_SCAN_H

#include "core/base/doc.h"

/* Brackets, colon and comma are their own character. */
enum doc_token_kind {
	DOC_END, DOC_STRING, DOC_NUMBER, DOC_WORD,
	DOC_NOT_FINITE,			/* NaN, Infinity, -Infinity */
	DOC_BAD, DOC_BAD_ESCAPE,	/* text.p is the place */
	DOC_CUT,			/* the text ends inside the token */
	DOC_COLON = ':', DOC_COMMA = ',', DOC_OBJECT = '{', DOC_OBJECT_END = '}', DOC_ARRAY = '[', DOC_ARRAY_END = ']',
};

struct doc_token {
	enum doc_token_kind kind;
	struct str text;		/* strings with their quotes */
	bool escapes;			/* strings: holds a backslash */
};

/* The token at *p, which moves behind it. Never reads at or after end. */
struct doc_token doc_token_next(const char **p, const char *end);

#endif
