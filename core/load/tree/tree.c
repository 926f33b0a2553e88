/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/tree/tree.h"

#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/str.h"
#include "core/base/utf8.h"
#include "core/load/tree/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	ENTRIES_MAX = 4000000		/* files and folders of a folder: more is no capture but a whole disk */
};

/* ---- order --------------------------------------------------------------------------------------------------------------------------- */

struct numbered {
	struct tree_entry e;
	size_t i;
};

static int entry_order(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	int order = strcmp(x->e.path, y->e.path);

	return order ? order : (x->i > y->i) - (x->i < y->i);
}

/* By path; members of the same name keep their order. */
static void tree_sort(struct tree *t)
{
	struct numbered *list = mem_alloc(t->n, sizeof *list);

	for (size_t i = 0; i < t->n; i++)
		list[i] = (struct numbered){ t->entries[i], i };
	qsort(list, t->n, sizeof *list, entry_order);
	for (size_t i = 0; i < t->n; i++)
		t->entries[i] = list[i].e;
	free(list);
}

static int text_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void tree_sort_folders(struct tree *t)
{
	size_t n = 0;

	if (t->nfolders)
		qsort(t->folders, t->nfolders, sizeof *t->folders, text_order);
	for (size_t i = 0; i < t->nfolders; i++)
		if (!n || strcmp(t->folders[n - 1], t->folders[i]) != 0)
			t->folders[n++] = t->folders[i];
	t->nfolders = n;
}

/* ---- an archive's list --------------------------------------------------------------------------------------------------------------- */

/* Of members with one name the last whole one stays: that is what unpacking would leave. Entries are sorted. */
static void tree_keep_last(struct tree *t)
{
	struct tree_entry *kept = NULL;

	for (size_t i = t->n; i-- > 0;) {
		struct tree_entry *e = &t->entries[i];

		if (e->refused)
			continue;
		if (!kept || strcmp(kept->path, e->path) != 0) {
			kept = e;
			continue;
		}
		close(e->fd);
		e->fd = -1;
		e->real = "";
		e->refused = "a later member of the archive has the same name and replaces it";
	}
}

/* Adds the folders above path that are not above prev too. In sorted lists all paths below one folder stand together: none comes twice. */
static enum err tree_add_parents(struct tree *t, const char *path, const char *prev, size_t most)
{
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		size_t n = (size_t)(slash - path);

		if (strncmp(path, prev, n + 1) == 0)
			continue;
		if (t->nfolders >= most)
			return ERR_LIMIT;
		ARRAY_PUSH(t, folders, nfolders, cap_folders) = arena_copy(&t->arena, path, n);
	}
	return ERR_OK;
}

/* Folders of an archive are named by members of their own, or only by the paths of files. */
static enum err tree_settle_archive(struct tree *t, const struct tree_limits *limits, struct diag *d)
{
	size_t named, most = limits->members;
	const char *prev = "";
	enum err err = ERR_OK;

	tree_keep_last(t);
	tree_sort_folders(t);
	named = t->nfolders;
	for (size_t i = 0; i < t->n && !err; i++) {
		if (path_fault(t->entries[i].path))
			continue;
		err = tree_add_parents(t, t->entries[i].path, prev, most);
		prev = t->entries[i].path;
	}
	prev = "";
	for (size_t i = 0; i < named && !err; i++) {
		err = tree_add_parents(t, t->folders[i], prev, most);
		prev = t->folders[i];
	}
	tree_sort_folders(t);
	return err ? diag_set(d, err, t->root, -1, -1, "holds more than %zu folders, the limit for an archive", most) : ERR_OK;
}

/* ---- what a file is ---------------------------------------------------------------------------------------------------------------- */

static const struct {
	const char *bytes;
	size_t n;
	enum pack kind;			/* PACK_NONE: not read */
	const char *text;
} magics[] = {
	{ "PK\003\004", 4, PACK_ZIP, "zip" },
	{ "PK\005\006", 4, PACK_ZIP, "zip" },
	{ "PK\007\010", 4, PACK_ZIP, "zip" },
	{ "\037\213", 2, PACK_GZIP, "gzip" },
	{ "7z\274\257\047\034", 6, PACK_NONE, "a 7z archive" },
	{ "\3757zXZ", 6, PACK_NONE, "xz data" },
	{ "\050\265\057\375", 4, PACK_NONE, "zstd data" },
	{ "BZh", 3, PACK_NONE, "bzip2 data" },
	{ "Rar!\032\007", 6, PACK_NONE, "a rar archive" },
	{ "\004\042\115\030", 4, PACK_NONE, "lz4 data" },
	{ "LZIP", 4, PACK_NONE, "lzip data" },
	{ "\037\235", 2, PACK_NONE, "compress (.Z) data" },
	{ "MSCF", 4, PACK_NONE, "a cabinet archive" },
};

static const struct {
	const char *suffix;
	enum pack kind;
} suffixes[] = {
	{ ".zip", PACK_ZIP },
	{ ".tar", PACK_TAR },
	{ ".tgz", PACK_GZIP },
	{ ".gz", PACK_GZIP },
};

static enum pack pack_of_name(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++)
		if (path_ends(path, suffixes[i].suffix))
			return suffixes[i].kind;
	return PACK_NONE;
}

/*
 * By the first bytes, then by the name. PACK_NONE for any file that is no archive; ERR_FORMAT for archives of kinds that are not read, and
 * for files that only have an archive's name.
 */
static enum err tree_sniff(const struct file *f, enum pack *kind, struct diag *d)
{
	unsigned char head[ARCHIVE_TAR_BLOCK];
	int64_t n = file_read_at(f, 0, head, sizeof head);

	*kind = PACK_NONE;
	if (n < 0)
		return diag_set(d, ERR_UNREADABLE, f->path, 0, -1, "cannot be read: %s", strerror(errno));
	for (size_t i = 0; i < ARRAY_LEN(magics); i++) {
		if ((size_t)n < magics[i].n || memcmp(head, magics[i].bytes, magics[i].n) != 0)
			continue;
		*kind = magics[i].kind;
		if (*kind != PACK_NONE)
			return ERR_OK;
		return diag_set(d, ERR_FORMAT, f->path, -1, -1,
				"looks like %s, which is not read: repack as zip or tar.gz, or unpack it and open the folder",
				magics[i].text);
	}
	*kind = archive_is_tar_header(head, n) ? PACK_TAR : pack_of_name(f->path);
	if (*kind != PACK_NONE && n == 0)
		return diag_set(d, ERR_FORMAT, f->path, -1, -1, "is empty, though named like an archive: copy it again");
	if (*kind == PACK_GZIP)
		return diag_set(d, ERR_FORMAT, f->path, -1, -1,
				"is named like gzip data but holds none: copy it again, or rename it if it is plain");
	return ERR_OK;
}

/* ---- a folder ------------------------------------------------------------------------------------------------------------------------ */

struct walk {
	struct tree *t;
	struct progress *p;
	struct diag *d;
	struct buf path;		/* the entry in hand, from the root as named */
	size_t root_len;		/* bytes of path before the relative part, slash included */
	char *real_root;
	int depth;			/* the folder in hand; -1 when done */
	struct {
		DIR *dir;
		size_t len;		/* of its path with a slash at the end */
	} level[PATH_DEPTH_MAX + 1];
};

static struct tree_entry *walk_add(struct walk *w, const struct stat *st)
{
	char *real = arena_copy(&w->t->arena, w->path.p, w->path.n);
	struct tree_entry *e = &ARRAY_PUSH(w->t, entries, n, cap);

	*e = (struct tree_entry){ .path = real[w->root_len] ? real + w->root_len : ".", .real = real, .fd = -1 };
	if (st) {
		e->size = st->st_size;
		e->mtime_ns = path_time_ns(st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	}
	return e;
}

static void walk_refuse(struct walk *w, const char *what, int e)
{
	walk_add(w, NULL)->refused = arena_printf(&w->t->arena, "%s: %s", what, strerror(e));
}

static void walk_folder(struct walk *w, int fd_above, const char *name)
{
	int fd = -1;
	DIR *dir;

	if (w->depth == PATH_DEPTH_MAX) {
		walk_add(w, NULL)->refused = "a folder more than 64 folders deep: not looked into";
		return;
	}
	fd = openat(fd_above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (!dir) {
		walk_refuse(w, "the folder cannot be opened", errno);
		if (fd >= 0)
			close(fd);
		return;
	}
	buf_char(&w->path, '/');
	w->depth++;
	w->level[w->depth].dir = dir;
	w->level[w->depth].len = w->path.n;
}

/* Where a symbolic link leads: NULL with *st of the file, or why it is not to be read. */
static const char *walk_link(struct walk *w, int fd_above, const char *name, struct stat *st)
{
	char *target, shown[256];
	const char *refused = NULL;

	if (fstatat(fd_above, name, st, 0) != 0)
		return errno == ENOENT ? "a symbolic link to nothing" : arena_printf(&w->t->arena, "a symbolic link: %s", strerror(errno));
	if (!S_ISREG(st->st_mode))
		return arena_printf(&w->t->arena, "a symbolic link to %s: not followed", path_kind(st->st_mode));
	target = realpath(w->path.p, NULL);
	if (!target)
		return arena_printf(&w->t->arena, "a symbolic link: %s", strerror(errno));
	if (!path_is_below(target, w->real_root)) {
		utf8_clean(str_of(target), shown, sizeof shown);
		refused = arena_printf(&w->t->arena, "a symbolic link out of the capture, to %s: not followed", shown);
	}
	free(target);
	return refused;
}

static void walk_entry(struct walk *w, const char *name)
{
	int fd_above = dirfd(w->level[w->depth].dir);
	struct arena *a = &w->t->arena;
	const char *refused = NULL;
	struct stat st;

	w->path.n = w->level[w->depth].len;
	buf_str(&w->path, name);
	if (fstatat(fd_above, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		walk_refuse(w, "cannot be looked at", errno);
		return;
	}
	if (S_ISDIR(st.st_mode)) {
		ARRAY_PUSH(w->t, folders, nfolders, cap_folders) = arena_copy(a, w->path.p + w->root_len, w->path.n - w->root_len);
		walk_folder(w, fd_above, name);
		return;
	}
	if (S_ISLNK(st.st_mode))
		refused = walk_link(w, fd_above, name, &st);
	else if (!S_ISREG(st.st_mode))
		refused = arena_printf(a, "%s, not a file with data", path_kind(st.st_mode));
	if (!refused && w->path.n >= PATH_BYTES_MAX)
		refused = "its whole path is longer than 4096 bytes: open the capture from a folder nearer to it";
	if (!refused && archive_is_mac_litter(w->path.p + w->root_len))
		refused = "made by macOS, not a part of the capture";
	if (!refused && faccessat(fd_above, name, R_OK, AT_EACCESS) != 0)
		refused = arena_printf(a, "cannot be opened: %s", strerror(errno));
	walk_add(w, &st)->refused = refused;
}

/* One step: an entry of the folder in hand, or its end. */
static void walk_step(struct walk *w)
{
	DIR *dir = w->level[w->depth].dir;
	struct dirent *e;

	errno = 0;
	e = readdir(dir);
	if (e) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			walk_entry(w, e->d_name);
		return;
	}
	if (errno) {
		int trouble = errno;

		w->path.n = w->level[w->depth].len - (w->depth > 0);
		w->path.p[w->path.n] = '\0';
		walk_refuse(w, "the folder cannot be read to its end", trouble);
	}
	closedir(dir);
	w->depth--;
}

static enum err walk_all(struct walk *w)
{
	while (w->depth >= 0) {
		if (progress_cancelled(w->p))
			return diag_set(w->d, ERR_CANCELLED, w->t->root, -1, -1, "listing the folder was cancelled");
		if (w->t->n + w->t->nfolders > ENTRIES_MAX)
			return diag_set(w->d, ERR_LIMIT, w->t->root, -1, -1, "holds more than %d files: name the folder of one capture",
					ENTRIES_MAX);
		walk_step(w);
	}
	return ERR_OK;
}

static enum err tree_walk(struct tree *t, struct progress *p, struct diag *d)
{
	DIR *dir = opendir(t->root);
	struct walk *w;
	enum err err;

	if (!dir)
		return diag_set(d, ERR_UNREADABLE, t->root, -1, -1, "the folder cannot be opened: %s", strerror(errno));
	progress_stage(p, "listing the folder");
	w = mem_zalloc(1, sizeof *w);
	w->t = t, w->p = p, w->d = d;
	buf_str(&w->path, t->root);
	while (w->path.n && w->path.p[w->path.n - 1] == '/')
		w->path.n--;
	buf_char(&w->path, '/');
	w->root_len = w->path.n;
	w->level[0].dir = dir;
	w->level[0].len = w->root_len;
	w->real_root = realpath(t->root, NULL);
	if (!w->real_root)
		w->real_root = mem_strdup(t->root);
	err = walk_all(w);
	for (; w->depth >= 0; w->depth--)
		closedir(w->level[w->depth].dir);
	free(w->real_root);
	buf_done(&w->path);
	free(w);
	tree_sort_folders(t);
	return err;
}

/* ---- the calls ----------------------------------------------------------------------------------------------------------------------- */

static void tree_add_file(struct tree *t, const struct stat *st)
{
	t->is_file = true;
	ARRAY_PUSH(t, entries, n, cap) = (struct tree_entry){
		.path = t->name,
		.real = t->root,
		.size = st->st_size,
		.mtime_ns = path_time_ns(st->st_mtim.tv_sec, st->st_mtim.tv_nsec),
		.fd = -1,
	};
}

static enum err tree_open_file(struct tree *t, const struct stat *st, const struct tree_limits *limits, struct progress *p, struct diag *d)
{
	enum pack kind = PACK_NONE;
	struct file f;
	enum err err = file_open(&f, t->root, d);

	if (err)
		return err;
	err = tree_sniff(&f, &kind, d);
	if (!err && kind == PACK_NONE)
		tree_add_file(t, st);
	if (!err && kind != PACK_NONE) {
		t->is_archive = true;
		err = archive_unpack(t, f.fd, kind, limits, p, d);
	}
	file_close(&f);
	return err;
}

static enum err tree_fill(struct tree *t, const struct tree_limits *limits, struct progress *p, struct diag *d)
{
	struct stat st;
	enum err err;

	if (stat(t->root, &st) != 0) {
		err = errno == ENOENT || errno == ENOTDIR ? ERR_NO_INPUT : ERR_UNREADABLE;
		return diag_set(d, err, t->root, -1, -1, "cannot be opened: %s", strerror(errno));
	}
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return diag_set(d, ERR_UNREADABLE, t->root, -1, -1, "is %s: name a folder, a file or an archive", path_kind(st.st_mode));
	err = S_ISDIR(st.st_mode) ? tree_walk(t, p, d) : tree_open_file(t, &st, limits, p, d);
	if (err)
		return err;
	tree_sort(t);
	return t->is_archive ? tree_settle_archive(t, limits, d) : ERR_OK;
}

enum err tree_open(struct tree *t, const char *path, const struct tree_limits *limits, struct progress *p, struct diag *d)
{
	struct tree_limits lim = limits ? *limits : (struct tree_limits){ 0 };
	enum err err;

	lim.members = lim.members ? lim.members : 100000;
	lim.total_bytes = lim.total_bytes ? lim.total_bytes : (int64_t)256 << 30;
	lim.ratio = lim.ratio ? lim.ratio : 400;
	*t = (struct tree){ 0 };
	t->root = arena_copy(&t->arena, path, strlen(path));
	t->name = path_name(&t->arena, path);
	err = tree_fill(t, &lim, p, d);
	if (err)
		tree_close(t);
	return err;
}

void tree_close(struct tree *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->entries[i].fd >= 0)
			close(t->entries[i].fd);
	free(t->entries);
	free(t->folders);
	arena_done(&t->arena);
	*t = (struct tree){ 0 };
}

enum err tree_file(const struct tree *t, size_t i, struct file *f, struct diag *d)
{
	const struct tree_entry *e = &t->entries[i];

	*f = (struct file){ .path = e->path, .fd = -1 };
	if (e->refused)
		return diag_set(d, ERR_UNREADABLE, e->path, -1, -1, "is not read: %s", e->refused);
	if (e->fd < 0)
		return file_open(f, e->real, d);
	/* archive_unpack() puts "root!" before the path of each member that it spools. */
	*f = (struct file){ .path = e->path - strlen(t->root) - 1, .fd = fcntl(e->fd, F_DUPFD_CLOEXEC, 3), .size = e->size };
	if (f->fd < 0)
		return diag_set(d, ERR_UNREADABLE, f->path, -1, -1, "cannot be opened: %s", strerror(errno));
	return ERR_OK;
}
