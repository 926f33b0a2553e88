/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/table/csv.h"

#include "core/base/mem.h"
#include "core/load/table/word.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_DEFAULT = 1 << 18, BUFFER_LEAST = 16, FIELDS_FIRST = 64 };

static inline char *quote_at(char *p)
{
	for (;; p += 8) {
		uint64_t marks = word_mark(word_at(p), '"');

		if (marks)
			return p + word_first(marks);
	}
}

/* What both scans stop at when nothing else comes: a line break, then a quote, behind the bytes held. */
static void csv_fence(struct csv *c)
{
	c->block = NULL;
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
	c->cap_fields = FIELDS_FIRST;
	c->fields = mem_alloc(c->cap_fields, sizeof *c->fields);
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

/* A row that takes more than half of the buffer makes the buffer larger. */
enum err csv_more(struct csv *c, struct diag *d)
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

size_t csv_guess_rows(const struct csv *c)
{
	size_t rows = 0, sample = MIN(c->n, (size_t)64 * 1024), used = 0;
	bool quoted = false;

	for (size_t i = 0; i < sample; i++) {
		quoted ^= c->buf[i] == '"';
		if (c->buf[i] == '\n' && !quoted)
			rows++, used = i + 1;
	}
	return used ? (size_t)(c->file->size / (int64_t)used + 1) * rows : 0;
}

/* Room for one more field; false when the row has more than are kept. */
static bool fields_more(struct csv *c)
{
	if (c->cap_fields >= c->first + CSV_FIELDS_MAX)
		return false;
	c->fields = array_grow(c->fields, c->cap_fields, &c->cap_fields, sizeof *c->fields);
	return true;
}

/*
 * Behind the closing quote of the field that opens with one at p; NULL when the buffer ends first. The quotes inside stay until the row is
 * whole, because a row cut by the end of the buffer is scanned again.
 */
static char *quoted_end(struct csv *c, char *p, bool *plain)
{
	char *end = c->buf + c->n;

	*plain = true;
	for (p++;; p += 2) {
		p = quote_at(p);
		if (p >= end) {
			c->unterminated_quote = c->at_end;
			*plain = false;
			return c->at_end ? end : NULL;
		}
		if (p + 1 == end && !c->at_end)
			return NULL;
		if (p + 1 == end || p[1] != '"')
			return p + 1;
		*plain = false;
	}
}

/* Cleans a quoted field in place: outer quotes off, "" to ", and what stands behind the closing quote stays. */
static struct str field_unquote(struct str field)
{
	char *to = (char *)(uintptr_t)field.p;
	const char *p = field.p + 1, *end = field.p + field.n;
	struct str out = { to, 0 };

	while (p < end) {
		const char *quote = memchr(p, '"', (size_t)(end - p));
		size_t n = (size_t)((quote ? quote : end) - p);
		bool is_double = quote && quote + 1 < end && quote[1] == '"';

		memmove(to, p, n);
		to += n;
		p += n + (quote != NULL);
		if (is_double)
			*to++ = *p++;
		else
			break;
	}
	if (p < end)
		memmove(to, p, (size_t)(end - p));
	out.n = (size_t)(to - out.p) + (size_t)(end - p);
	return out;
}

static int64_t count_lines(const char *p, const char *end)
{
	int64_t n = 0;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p))))
		n++, p++;
	return n;
}

/* Where a scan is: 64 bytes, and those of their commas and line breaks that were not passed yet. */
struct scan {
	const char *block;
	uint64_t marks;
};

/* Goes to p, which is not before what was passed last. */
static inline void scan_seek(struct scan *s, const char *p)
{
	size_t into = (size_t)((uintptr_t)p - (uintptr_t)s->block);

	if (into < 64) {
		s->marks &= ~(uint64_t)0 << into;
	} else {
		s->block = p;
		s->marks = word_breaks(p);
	}
}

/* The next comma or line break, which is passed thereby. There always is one: see csv_fence(). */
static inline char *scan_next(struct scan *s)
{
	const char *p;

	while (UNLIKELY(!s->marks)) {
		s->block += 64;
		s->marks = word_breaks(s->block);
	}
	p = s->block + __builtin_ctzll(s->marks);
	s->marks &= s->marks - 1;
	return (char *)(uintptr_t)p;
}

/* A quoted field, to be c->fields[i] (SIZE_MAX: not kept); returns its end or NULL. */
static char *scan_quoted(struct csv *c, struct scan *s, char *p, size_t i, struct str *field)
{
	bool plain;
	char *close = quoted_end(c, p, &plain), *end;

	if (!close)
		return NULL;
	scan_seek(s, close);
	end = scan_next(s);
	if (plain && end == close) {
		*field = (struct str){ p + 1, (size_t)(end - p) - 2 };
		return end;
	}
	if (i != SIZE_MAX) {
		c->escaped = array_grow(c->escaped, c->nescaped, &c->cap_escaped, sizeof *c->escaped);
		c->escaped[c->nescaped++] = i;
	}
	*field = (struct str){ p, (size_t)(end - p) };
	return end;
}

/*
 * The fields of the row at c->at. Returns the end of its last field, or NULL when the buffer ends before that is known; *open is the field
 * begun last then.
 */
static char *scan_row(struct csv *c, char **open)
{
	char *p = c->buf + c->at, *end = c->buf + c->n, *q;
	struct scan s = { c->block, c->marks };
	struct str *out = c->fields + c->first, *last = c->fields + c->cap_fields, spill = { NULL, 0 };
	bool over = false;		/* the fields that come are not kept */

	c->nescaped = 0;
	scan_seek(&s, p);
	for (;; p = q + 1) {
		if (UNLIKELY(out == last)) {
			size_t n = c->cap_fields;

			over = over || !fields_more(c);
			out = over ? &spill : c->fields + n;
			last = over ? &spill + 1 : c->fields + c->cap_fields;
		}
		if (UNLIKELY(*p == '"')) {
			q = scan_quoted(c, &s, p, over ? SIZE_MAX : (size_t)(out - c->fields), out);
			*open = p;
			if (!q)
				return NULL;
		} else {
			q = scan_next(&s);
			*out = (struct str){ p, (size_t)(q - p) };
		}
		out++;
		if (*q != ',')
			break;
	}
	*open = p;
	c->block = s.block;
	c->marks = s.marks;
	c->nfields = (over ? c->cap_fields : (size_t)(out - c->fields)) - c->first;
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
		for (size_t i = c->first; i < c->first + c->nfields; i++)
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

enum csv_row csv_row(struct csv *c, enum err *err, struct diag *d)
{
	char *q, *open;

	*err = ERR_OK;
	c->nfields = 0;
	if (c->at >= c->n && c->at_end)
		return CSV_END;
	q = scan_row(c, &open);
	if (LIKELY(q != NULL)) {
		*err = row_done(c, q, d);
		return *err ? CSV_FAILED : CSV_ROW;
	}
	c->block = NULL;
	/* two quotes, or the line break behind it, may be counted here; row_done() is exact */
	if (c->buf + c->n - open > CSV_FIELD_MAX + 2)
		*err = row_too_long(c, open, d);
	return *err ? CSV_FAILED : CSV_MORE;
}

enum err csv_next(struct csv *c, bool *has_row, struct diag *d)
{
	enum csv_row got;
	enum err err;

	while ((got = csv_row(c, &err, d)) == CSV_MORE && !(err = csv_more(c, d)))
		;
	*has_row = got == CSV_ROW;
	return err;
}
