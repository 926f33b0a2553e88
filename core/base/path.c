/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/path.h"

#include "core/base/str.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The next part between slashes, of no bytes at a doubled one; false at the end. */
static bool path_part(struct str *rest, struct str *part)
{
	const char *slash;

	if (!rest->p)
		return false;
	slash = memchr(rest->p, '/', rest->n);
	*part = (struct str){ rest->p, slash ? (size_t)(slash - rest->p) : rest->n };
	*rest = slash ? (struct str){ slash + 1, rest->n - part->n - 1 } : (struct str){ NULL, 0 };
	return true;
}

const char *path_fault(const char *path)
{
	struct str rest = str_of(path), part;
	int parts = 0;

	if (path[0] == '/')
		return "is absolute";
	if (rest.n > PATH_BYTES_MAX)
		return "is longer than 4096 bytes";
	while (path_part(&rest, &part)) {
		if (str_is(part, STR("..")))
			return "leads out by \"..\"";
		parts += part.n && !str_is(part, STR("."));
	}
	if (!parts)
		return "is empty";
	return parts > PATH_DEPTH_MAX + 1 ? "is more than 64 folders deep" : NULL;
}

const char *path_tidy(char *path)
{
	const char *fault = path_fault(path);
	struct str rest = str_of(path), part;
	char *out = path;

	if (fault)
		return fault;
	while (path_part(&rest, &part)) {
		if (!part.n || str_is(part, STR(".")))
			continue;
		if (out != path)
			*out++ = '/';
		memmove(out, part.p, part.n);
		out += part.n;
	}
	*out = '\0';
	return NULL;
}

const char *path_last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool path_ends(const char *path, const char *suffix)
{
	struct str s = str_of(path), tail = str_of(suffix);

	return s.n >= tail.n && str_is_nocase((struct str){ s.p + s.n - tail.n, tail.n }, tail);
}

bool path_is_below(const char *path, const char *folder)
{
	struct str p = str_of(path), f = str_of(folder);

	while (f.n && f.p[f.n - 1] == '/')
		f.n--;
	return str_begins(p, f) && (p.n == f.n || p.p[f.n] == '/');
}

static struct str last_part(struct str s)
{
	size_t from;

	while (s.n && s.p[s.n - 1] == '/')
		s.n--;
	for (from = s.n; from && s.p[from - 1] != '/'; from--)
		;
	return (struct str){ s.p + from, s.n - from };
}

char *path_name(struct arena *a, const char *path)
{
	struct str part = last_part(str_of(path));
	char *full = NULL, *name;

	if (!part.n || str_is(part, STR(".")) || str_is(part, STR(".."))) {
		full = realpath(path[0] ? path : ".", NULL);
		if (full)
			part = last_part(str_of(full));
		if (!part.n)
			part = STR("/");
	}
	name = arena_copy(a, part.p, part.n);
	free(full);
	return name;
}

const char *path_kind(unsigned mode)
{
	static const struct {
		unsigned type;
		const char *text;
	} kinds[] = {
		{ S_IFREG, "a regular file" },
		{ S_IFDIR, "a folder" },
		{ S_IFLNK, "a symbolic link" },
		{ S_IFIFO, "a named pipe" },
		{ S_IFSOCK, "a socket" },
		{ S_IFCHR, "a character device" },
		{ S_IFBLK, "a block device" },
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if ((mode & S_IFMT) == kinds[i].type)
			return kinds[i].text;
	return "a file of unknown kind";
}

int64_t path_time_ns(int64_t seconds, long ns)
{
	const int64_t most = INT64_MAX / 1000000000 - 1;

	return seconds > most || seconds < -most || ns < 0 || ns > 999999999 ? 0 : seconds * 1000000000 + ns;
}
