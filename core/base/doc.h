/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON documents, read in two ways over the same text, which the caller keeps: a walk over the members of a value without building
 * anything (large outer levels), and a cJSON tree of one value (small leaves). doc_check() must have accepted the text first: it finds
 * every error with its place, so that the walks need not. Numbers keep their digits as text, nothing passes through a double unless
 * asked for. Loaders call this; trees are freed by doc_close(), walks by doc_walk_done().
 */
#ifndef ASCOPE_CORE_BASE_DOC_H
#define ASCOPE_CORE_BASE_DOC_H

#include "core/base/diag.h"
#include "core/base/str.h"

#define DOC_DEPTH_MAX      256				/* levels of brackets */
#define DOC_TREE_BYTES_MAX ((size_t)16 << 20)		/* a tree takes up to 40 times its text */

struct cJSON;

/*
 * Checks that text is one JSON value, at most DOC_DEPTH_MAX deep and `most` bytes long, and gives that value without byte order mark and
 * blanks. ERR_FORMAT or ERR_LIMIT with byte and line otherwise. More than JSON is accepted where writers in the field need it: NaN and
 * Infinity, lone surrogates, raw control characters inside texts, NULs after the end.
 */
enum err doc_check(struct str text, size_t most, struct str *value, struct diag *d);

/* ---- values as text ---- */

char doc_kind(struct str value);			/* '{' '[' '"', 't' true, 'f' false, 'n' null and NaN, '0' a number, '\0' nothing */
bool doc_raw_int(struct str value, int scale, int64_t *out);	/* of a number or a text that holds one; as decimal_to_int() */
bool doc_raw_text(struct str value, struct buf *b, struct str *out);	/* the decoded text, in b when it had escapes; false if no text */

/* The members of an object, or the items of an array (then key is empty), in file order; equal keys come as often as they are written. */
struct doc_walk {
	const char *p, *end;
	bool object;
	struct buf key;
};

bool doc_walk_start(struct doc_walk *w, struct str value, char bracket);	/* false when value is not of that kind */
bool doc_walk_next(struct doc_walk *w, struct str *key, struct str *value);	/* key is valid until the next call; "" when unreadable */
void doc_walk_done(struct doc_walk *w);						/* also fine after a failed start */

/* ---- values as trees ---- */

struct doc {
	struct cJSON *root;
	char *regular;			/* a copy of the text that cJSON can read, when the original is not such */
};

/*
 * Builds the tree of a value that comes from doc_check() or a walk, and points into it. ERR_LIMIT over DOC_TREE_BYTES_MAX; the byte of an
 * error counts from the value's start. Not from two threads at once: cJSON notes its last error in one place for all.
 */
enum err doc_open(struct doc *doc, struct str value, struct diag *d);
void     doc_close(struct doc *doc);

/* Every getter takes NULL for "not there", and is false when the item is not there or not of that kind: *out is then left alone. */
const struct cJSON *doc_get(const struct cJSON *object, const char *key);	/* NULL when there is none */
const struct cJSON *doc_at(const struct cJSON *root, const char *path);	/* keys joined by '.'; "" is the root itself */
bool doc_str(const struct cJSON *item, struct str *out);			/* a text, ended by its first NUL */
bool doc_text(const struct cJSON *item, struct str *out);			/* a text, or a number's digits as they are in the file */
bool doc_int(const struct cJSON *item, int scale, int64_t *out);		/* a number or a text holding one, as decimal_to_int() */
bool doc_num(const struct cJSON *item, double *out);				/* the same as a double; always finite */
bool doc_bool(const struct cJSON *item, bool *out);				/* true, false, 0, 1, "True", "false", ... */

#endif
