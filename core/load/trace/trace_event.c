/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/trace/trace_event.h"

#include "core/load/trace/json_scan.h"

/* Reads the value at p into m (NULL: only skip). */
static inline const char *read_value(const char *p, const char *end, struct member *m)
{
	const char *at = p, *stop;
	bool escaped = false;

	if (LIKELY(*p == '"')) {
		at = p + 1;
		stop = json_string_end(at, end, &escaped);
		p = stop >= end ? end : stop + 1;
		*m = (struct member){ at, (uint32_t)(stop - at), true, escaped };
		return p;
	}
	if (json_is_scalar(*p)) {
		p = json_scalar_end(p);
		*m = (struct member){ at, (uint32_t)(p - at), false, false };
		return p;
	}
	p = json_skip(p, end);
	if (p)
		*m = (struct member){ at, (uint32_t)(p - at), false, false };
	return p;
}

/* "key" ':' value; p is the key's opening quote. */
static inline const char *read_key(const char *p, const char *end, struct str *key)
{
	bool escaped = false;
	const char *stop;

	if (p >= end)			/* the quote there is the padding's */
		return p;
	if (*p != '"')
		return NULL;
	stop = json_string_end(p + 1, end, &escaped);
	if (stop >= end)
		return end;
	*key = (struct str){ p + 1, (size_t)(stop - p - 1) };
	p = json_blank(stop + 1);
	if (*p != ':')
		return p >= end ? p : NULL;
	return json_blank(p + 1);
}

/* After a value of an object: over the comma to the next key, or to the closing '}'. */
static inline const char *read_separator(const char *p, const char *end)
{
	p = json_blank(p);
	if (*p == ',') {
		p = json_blank(p + 1);
		return *p == '"' || p >= end ? p : NULL;
	}
	return *p == '}' || p >= end ? p : NULL;
}

static inline bool key_is(struct str key, const char *text, size_t n)
{
	return key.n == n && memcmp(key.p, text, n) == 0;
}

/* The args are walked once for the three members that every load needs; the rest is read again on demand. */
static const char *read_args(const char *p, const char *end, struct trace_event *e)
{
	const char *at = p;
	struct member other;
	struct str key;

	if (*p != '{')
		return read_value(p, end, &e->args);
	p = json_blank(p + 1);
	if (*p == '}')
		p = p + 1;
	else for (;;) {
		struct member *to = &other;

		p = read_key(p, end, &key);
		if (!p || p >= end)
			return p;
		if (key.n == 9 && (key_is(key, "Task Type", 9) || key_is(key, "task type", 9)))
			to = &e->task_type;
		else if (key.n == 13 && key_is(key, "connection_id", 13))
			to = &e->connection;
		else if ((key.n == 16 && key_is(key, "memcpy direction", 16)) || (key.n == 9 && key_is(key, "operation", 9)))
			to = &e->direction;
		p = read_value(p, end, to);
		if (!p || p >= end)
			return p;
		p = read_separator(p, end);
		if (!p || p >= end)
			return p;
		if (*p == '}') {
			p++;
			break;
		}
	}
	e->args = (struct member){ at, (uint32_t)(p - at), false, false };
	return p;
}

/* The keys that official writers use, by their bytes: no search for the closing quote. NULL when it is another one. */
static inline struct member *known_key(const char **p, struct trace_event *e, struct member *other)
{
	const char *k = *p + 1;
	struct member *to = NULL;
	size_t n = 0;

	switch (k[0]) {
	case 'p':
		to = k[1] == 'h' && k[2] == '"' ? (n = 2, &e->ph) : k[1] == 'i' && k[2] == 'd' && k[3] == '"' ? (n = 3, &e->pid) : NULL;
		break;
	case 't':
		to = k[1] == 's' && k[2] == '"' ? (n = 2, &e->ts) : k[1] == 'i' && k[2] == 'd' && k[3] == '"' ? (n = 3, &e->tid) : NULL;
		break;
	case 'n':
		to = memcmp(k, "name\"", 5) == 0 ? (n = 4, &e->name) : NULL;
		break;
	case 'a':
		to = memcmp(k, "args\"", 5) == 0 ? (n = 4, &e->args) : NULL;
		break;
	case 'd':
		to = memcmp(k, "dur\"", 4) == 0 ? (n = 3, &e->dur) : NULL;
		break;
	case 'c':
		to = memcmp(k, "cat\"", 4) == 0 ? (n = 3, &e->cat) : NULL;
		break;
	case 'i':
		to = k[1] == 'd' && k[2] == '"' ? (n = 2, &e->id) : NULL;
		break;
	case 'b':
		to = k[1] == 'p' && k[2] == '"' ? (n = 2, other) : NULL;
		break;
	default:
		break;
	}
	*p += to ? n + 2 : 0;
	return to;
}

const char *trace_event_read(const char *p, const char *end, struct trace_event *e)
{
	struct member other;
	struct str key;

	memset(e, 0, sizeof *e);
	p = json_blank(p + 1);
	if (*p == '}')
		return p + 1;
	for (;;) {
		struct member *to = *p == '"' ? known_key(&p, e, &other) : NULL;

		if (LIKELY(to)) {
			p = json_blank(p);
			if (*p != ':')
				return p >= end ? p : NULL;
			p = json_blank(p + 1);
		} else {
			p = read_key(p, end, &key);
			to = &other;
		}
		if (!p || p >= end)
			return p;
		p = to == &e->args ? read_args(p, end, e) : read_value(p, end, to);
		if (!p || p >= end)
			return p;
		p = read_separator(p, end);
		if (!p || p >= end)
			return p;
		if (*p == '}')
			return p + 1;
	}
}

const char *trace_arg_next(const char *p, const char *end, struct str *key, struct member *value)
{
	p = json_blank(p);
	if (*p != '{' && *p != ',')
		return NULL;
	p = json_blank(p + 1);
	if (*p != '"' || !(p = read_key(p, end, key)) || p >= end)
		return NULL;
	p = read_value(p, end, value);
	return p && p < end ? p : NULL;
}

/* What stands before a '{' decides whether it can begin an element of an array: not a ':'. So many blanks, whatever the buffer holds. */
static bool may_begin(const char *begin, const char *p)
{
	begin = p - begin > TRACE_LOOK_BACK ? p - TRACE_LOOK_BACK : begin;
	while (p > begin && (p[-1] == ' ' || p[-1] == '\n' || p[-1] == '\r' || p[-1] == '\t'))
		p--;
	return p == begin || p[-1] != ':';
}

const char *trace_event_find(const char *begin, const char *p, const char *end)
{
	struct trace_event e;
	struct member other;

	while (p < end && (p = memchr(p, '{', (size_t)(end - p)))) {
		const char *q = json_blank(p + 1);

		if (*q == '"' && may_begin(begin, p) && known_key(&q, &e, &other)) {
			q = json_blank(q);
			if (*q == ':' && q < end)
				return p;
		}
		p++;
	}
	return NULL;
}
