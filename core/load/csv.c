/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/csv.h"

#include "core/base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BYTES(c) (0x0101010101010101u * (unsigned char)(c))

enum { BUFFER_DEFAULT = 1 << 20, BUFFER_LEAST = 16 };

/* Eight bytes with the first in the lowest place. */
static inline uint64_t word_at(const char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof w);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

/* The top bit of each byte of w that is c. A byte above a match may be marked wrongly; the lowest mark is always right. */
static inline uint64_t mark_byte(uint64_t w, char c)
{
	uint64_t x = w ^ BYTES(c);

	return (x - BYTES(1)) & ~x & BYTES(0x80);
}

/* The first comma or line break at or behind p. There always is one: see csv_fence(). */
static inline char *field_end(char *p)
{
	for (;; p += 8) {
		uint64_t w = word_at(p), marks = mark_byte(w, ',') | mark_byte(w, '\n') | mark_byte(w, '\r');

		if (marks)
			return p + (__builtin_ctzll(marks) >> 3);
	}
}

static inline char *quote_at(char *p)
{
	for (;; p += 8) {
		uint64_t marks = mark_byte(word_at(p), '"');

		if (marks)
			return p + (__builtin_ctzll(marks) >> 3);
	}
}

/* Both scans stop here at the latest: a line break, then a quote, behind the bytes held. */
static void csv_fence(struct csv *c)
{
	memset(c->buf + c->n, 0, CSV_PAD);
	c->buf[c->n] = '\n';
	c->buf[c->n + 1] = '"';
}

static enum err csv_read(struct csv *c, struct diag *d)
{
	int64_t got = file_read_at(c->file, c->base + (int64_t)c->n, c->buf + c->n, c->cap - c->n);

	if (got < 0)
		return diag_set(d, ERR_UNREADABLE, c->file->path, c->base + (int64_t)c->n, -1, "cannot be read: %s", strerror(errno));
	c->at_end = (size_t)got < c->cap - c->n;
	c->n += (size_t)got;
	csv_fence(c);
	return ERR_OK;
}

/* Text in two or four bytes a character, by its mark or, without one, by the NULs that ASCII letters have there. */
static bool is_wide(const char *p, size_t n)
{
	if (n < 2)
		return false;
	if (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0)
		return true;
	if (n >= 4 && memcmp(p, "\0\0\xfe\xff", 4) == 0)
		return true;
	return n >= 8 && ((p[0] && !p[1] && p[2] && !p[3] && p[4] && !p[5]) || (!p[0] && p[1] && !p[2] && p[3] && !p[4] && p[5]));
}

enum err csv_open(struct csv *c, const struct file *f, size_t buffer, struct diag *d)
{
	enum err err;

	*c = (struct csv){ .file = f, .line = 1, .row_max = CSV_ROW_MAX };
	c->cap = buffer ? MAX(buffer, (size_t)BUFFER_LEAST) : (size_t)MAX(BUFFER_LEAST, MIN(f->size + 1, (int64_t)BUFFER_DEFAULT));
	c->buf = mem_alloc(c->cap + CSV_PAD, 1);
	err = csv_read(c, d);
	if (!err && is_wide(c->buf, c->n))
		err = diag_set(d, ERR_FORMAT, f->path, 0, -1, "is UTF-16 or UTF-32 text; save it as UTF-8 to read it here");
	if (err) {
		csv_close(c);
		return err;
	}
	c->has_bom = c->n >= 3 && memcmp(c->buf, "\xef\xbb\xbf", 3) == 0;
	c->at = c->has_bom ? 3 : 0;
	return ERR_OK;
}

void csv_close(struct csv *c)
{
	free(c->buf);
	free(c->fields);
	free(c->escaped);
	*c = (struct csv){ 0 };
}

/* Slides the row at c->at to the front and reads on; a row as long as the buffer makes the buffer larger. */
static enum err csv_more(struct csv *c, struct diag *d)
{
	size_t rest = c->n - c->at;

	memmove(c->buf, c->buf + c->at, rest);
	c->base += (int64_t)c->at;
	c->at = 0;
	c->n = rest;
	if (rest == c->cap && c->cap >= c->row_max)
		return diag_set(d, ERR_LIMIT, c->file->path, c->base, c->line, "a row is longer than %zu bytes", c->row_max);
	if (rest > c->cap / 2 && c->cap < c->row_max) {
		c->cap = MIN(c->cap * 2, c->row_max);
		c->buf = mem_resize(c->buf, c->cap + CSV_PAD, 1);
	}
	return csv_read(c, d);
}

static inline void csv_push(struct csv *c, char *p, size_t n)
{
	if (UNLIKELY(c->nfields == c->cap_fields)) {
		if (c->nfields == CSV_FIELDS_MAX)
			return;
		c->fields = array_grow(c->fields, c->nfields, &c->cap_fields, sizeof *c->fields);
	}
	c->fields[c->nfields++] = (struct str){ p, n };
}

/*
 * The end of a field that opens with a quote at p, NULL when the buffer ends first. The quotes inside stay until the row is whole, because
 * a row cut by the end of the buffer is scanned again.
 */
static char *quoted_end(struct csv *c, char *p, bool *plain)
{
	char *end = c->buf + c->n;

	*plain = true;
	for (p++;; p += 2) {
		p = quote_at(p);
		if (p >= end) {
			c->unterminated_quote = c->at_end;
			return c->at_end ? end : NULL;
		}
		if (p + 1 == end && !c->at_end)
			return NULL;
		if (p + 1 == end || p[1] != '"')
			break;
		*plain = false;
	}
	if (p[1] == ',' || p[1] == '\n' || p[1] == '\r')
		return p + 1;
	*plain = false;
	return field_end(p + 1);
}

/* Cleans a quoted field in place: outer quotes off, "" to ", and what stands behind the closing quote stays. */
static struct str field_unquote(struct str field)
{
	char *to = (char *)(uintptr_t)field.p;
	const char *p = field.p + 1, *end = field.p + field.n;
	bool quoted = true;
	struct str out = { to, 0 };

	for (; p < end; p++) {
		if (quoted && *p == '"') {
			if (p + 1 < end && p[1] == '"')
				p++;
			else {
				quoted = false;
				continue;
			}
		}
		*to++ = *p;
	}
	out.n = (size_t)(to - out.p);
	return out;
}

static int64_t count_lines(const char *p, const char *end)
{
	int64_t n = 0;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p))))
		n++, p++;
	return n;
}

/* One quoted field of the row; returns its end or NULL. */
static char *scan_quoted(struct csv *c, char *p)
{
	bool plain;
	char *end = quoted_end(c, p, &plain);

	if (!end)
		return NULL;
	if (plain && !c->unterminated_quote) {
		csv_push(c, p + 1, (size_t)(end - p) - 2);
		return end;
	}
	if (c->nfields < CSV_FIELDS_MAX) {
		c->escaped = array_grow(c->escaped, c->nescaped, &c->cap_escaped, sizeof *c->escaped);
		c->escaped[c->nescaped++] = c->nfields;
	}
	csv_push(c, p, (size_t)(end - p));
	return end;
}

/*
 * The fields of the row at c->at. Returns the end of its last field, or NULL when the buffer ends before that is known; *open is the field
 * begun last then.
 */
static char *scan_row(struct csv *c, char **open)
{
	char *p = c->buf + c->at, *end = c->buf + c->n, *q;

	c->nfields = c->nescaped = 0;
	for (;; p = q + 1) {
		*open = p;
		if (*p == '"' && p < end) {
			q = scan_quoted(c, p);
			if (!q)
				return NULL;
		} else {
			q = field_end(p);
			csv_push(c, p, (size_t)(q - p));
		}
		if (*q != ',')
			break;
	}
	/* A line break may be the fence, or a CR whose LF is not read yet. */
	return q + 2 >= end && !c->at_end ? NULL : q;
}

/* Behind the line break at q: LF, CR, CRLF, or the CRCRLF of writers that had CRLF turned into line ends once more. */
static char *skip_break(char *q, char *end)
{
	size_t n = 1;

	if (*q == '\r' && q + 1 < end && q[1] == '\n')
		n = 2;
	else if (*q == '\r' && q + 2 < end && q[1] == '\r' && q[2] == '\n')
		n = 3;
	return MIN(q + n, end);
}

static enum err row_too_long(struct csv *c, const char *p, struct diag *d)
{
	int64_t at = c->base + (p - c->buf);

	return diag_set(d, ERR_LIMIT, c->file->path, at, c->line + count_lines(c->buf + c->at, p),
		"a field is longer than 16 MiB; is a closing quote missing?");
}

/* Finishes the row that ends at q: quotes off, places noted, the next row found. */
static enum err row_done(struct csv *c, char *q, struct diag *d)
{
	char *start = c->buf + c->at, *next;

	if (UNLIKELY(q - start > CSV_FIELD_MAX))
		for (size_t i = 0; i < c->nfields; i++)
			if (c->fields[i].n > CSV_FIELD_MAX)
				return row_too_long(c, c->fields[i].p, d);
	c->row_line = c->line;
	c->row_byte = c->base + (int64_t)c->at;
	next = skip_break(q, c->buf + c->n);
	c->line += 1 + count_lines(start, q);
	for (size_t i = 0; i < c->nescaped; i++)
		c->fields[c->escaped[i]] = field_unquote(c->fields[c->escaped[i]]);
	if (q == start)
		c->nfields = 0;
	c->at = (size_t)(next - c->buf);
	return ERR_OK;
}

enum err csv_next(struct csv *c, bool *has_row, struct diag *d)
{
	for (;;) {
		enum err err;
		char *q, *open;

		*has_row = false;
		c->nfields = 0;
		if (c->at >= c->n && c->at_end)
			return ERR_OK;
		q = scan_row(c, &open);
		if (LIKELY(q != NULL)) {
			*has_row = true;
			return row_done(c, q, d);
		}
		if (c->buf + c->n - open > CSV_FIELD_MAX)
			return row_too_long(c, open, d);
		err = csv_more(c, d);
		if (err)
			return err;
	}
}
