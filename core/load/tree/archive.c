/* SPDX-License-Identifier: Apache-2.0 */
#include "core/load/tree/archive.h"

#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/utf8.h"
#include "core/load/tree/archive_source.h"
#include "core/load/tree/archive_spool.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	NAME_BYTES_KEPT = 255		/* of a name that is too long */
};

#define RATIO_FREE_BYTES ((int64_t)64 << 20)
#define WHAT_ELSE        "unpack it and open the folder"

/* Members whose name ends so are spooled. Others tell only by their names. */
static const char *const readable[] = { ".json", ".csv", ".db", ".db-wal" };

bool archive_is_mac_litter(const char *path)
{
	return strncmp(path_last(path), "._", 2) == 0 || strncmp(path, "__MACOSX/", 9) == 0;
}

bool archive_is_tar_header(const unsigned char *h, int64_t n)
{
	unsigned sum = 0, said = 0;

	if (n < ARCHIVE_TAR_BLOCK || !h[0])
		return false;
	for (size_t i = 0; i < ARCHIVE_TAR_BLOCK; i++)
		sum += i >= 148 && i < 156 ? ' ' : h[i];
	for (size_t i = 148; i < 156; i++) {
		if (h[i] >= '0' && h[i] <= '7')
			said = said * 8 + (unsigned)(h[i] - '0');
		else if (h[i] != ' ' && h[i] != '\0')
			return false;
	}
	return sum == said;
}

static bool is_readable_name(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(readable); i++)
		if (path_ends(path, readable[i]))
			return true;
	return false;
}

struct unpack {
	struct tree *t;
	struct archive *a;
	struct source src;
	struct spool spool;
	struct tree_limits lim;
	struct progress *p;
	struct diag *d;
	enum pack kind;
	size_t root_len, members, spooled;
	int64_t unpacked, mtime_ns;	/* mtime_ns: of the archive, for members that have none */
	const char *last;		/* the last whole member */
	const char *fd_dir;
	bool encrypted, broken;
	char trouble[160];		/* libarchive's words for what broke */
};

/* What became of a member. */
enum step {
	STEP_WHOLE,
	STEP_DAMAGED,			/* this member is of no use, the next may be */
	STEP_BROKEN,			/* nothing after this can be read */
	STEP_STOP			/* the call ends; u->d says why */
};

static const char *unpack_trouble(struct unpack *u)
{
	const char *text = u->src.fault ? u->src.fault : archive_error_string(u->a);

	utf8_clean(str_of(text && text[0] ? text : "damaged"), u->trouble, sizeof u->trouble);
	return u->trouble;
}

static enum step unpack_stop(struct unpack *u, enum err err, const char *text)
{
	diag_set(u->d, err, u->t->root, -1, -1, "%s", text);
	return STEP_STOP;
}

/* Counts unpacked bytes and says stop when they pass a limit; `more` may be announced (then they are not counted yet). */
static enum step unpack_count(struct unpack *u, int64_t more, bool announced)
{
	int64_t seen = u->src.out, sum;

	if (more > u->lim.total_bytes - u->unpacked || seen > u->lim.total_bytes) {
		diag_set(u->d, ERR_LIMIT, u->t->root, -1, -1, "unpacks to more than %lld bytes, the limit for an archive: " WHAT_ELSE,
			 (long long)u->lim.total_bytes);
		return STEP_STOP;
	}
	sum = MAX(u->unpacked + more, seen);
	if (sum > RATIO_FREE_BYTES && sum / u->lim.ratio > u->src.file.size) {
		diag_set(u->d, ERR_LIMIT, u->t->root, -1, -1,
			 "unpacks to more than %lld times its size, like an archive made to fill disks: if it is not, " WHAT_ELSE,
			 (long long)u->lim.ratio);
		return STEP_STOP;
	}
	u->unpacked += announced ? 0 : more;
	return STEP_WHOLE;
}

static bool unpack_write(struct unpack *u, int *fd, const void *block, size_t n, int64_t offset, int64_t have)
{
	if (spool_write(&u->spool, fd, block, n, offset, have))
		return true;
	diag_set(u->d, ERR_UNREADABLE, u->t->root, -1, -1,
		 "cannot be unpacked into %s: %s after %lld bytes; set TMPDIR to a folder with more room, or " WHAT_ELSE,
		 spool_place(&u->spool), strerror(errno), (long long)u->unpacked);
	return false;
}

/* Reads the member's data to its end, into *fd unless that is -1. *size is what it came to. */
static enum step unpack_data(struct unpack *u, int *fd, int64_t *size)
{
	for (*size = 0;;) {
		const void *block = NULL;
		size_t n = 0;
		la_int64_t offset = 0, end;
		int r = archive_read_data_block(u->a, &block, &n, &offset);

		if (progress_cancelled(u->p))
			return unpack_stop(u, ERR_CANCELLED, "unpacking was cancelled");
		if (r != ARCHIVE_OK && r != ARCHIVE_EOF && r != ARCHIVE_WARN)
			return r == ARCHIVE_FATAL ? STEP_BROKEN : STEP_DAMAGED;
		if (r == ARCHIVE_EOF)
			n = 0;
		if (offset < 0 || offset > INT64_MAX - (int64_t)n)
			return STEP_DAMAGED;
		end = MAX(*size, offset + (int64_t)n);
		if (unpack_count(u, end - *size, false) == STEP_STOP || (n && *fd >= 0 && !unpack_write(u, fd, block, n, offset, *size)))
			return STEP_STOP;
		*size = end;
		if (r == ARCHIVE_WARN)		/* a wrong checksum, said with the last block */
			return STEP_DAMAGED;
		if (r == ARCHIVE_EOF)
			return *fd < 0 || ftruncate(*fd, (off_t)end) == 0 ? STEP_WHOLE : unpack_stop(u, ERR_UNREADABLE, strerror(errno));
	}
}

/* A data member that is not wanted. In compressed tar it has to be read all the same: by our loop, which counts and can stop. */
static enum step unpack_skip(struct unpack *u)
{
	int none = -1;
	int64_t size;

	if (u->kind == PACK_GZIP)
		return unpack_data(u, &none, &size);
	return archive_read_data_skip(u->a) == ARCHIVE_FATAL ? STEP_BROKEN : STEP_WHOLE;
}

/* What one file that was packed by gzip is called. */
static const char *unpacked_name(struct unpack *u)
{
	size_t n = strlen(u->t->name);

	return arena_copy(&u->t->arena, u->t->name, n > 3 && path_ends(u->t->name, ".gz") ? n - 3 : n);
}

static const char *member_name(struct unpack *u, struct archive_entry *e)
{
	const char *name = archive_entry_pathname(e);

	if (archive_format(u->a) == ARCHIVE_FORMAT_RAW)
		return unpacked_name(u);
	if (!name)
		name = archive_entry_pathname_utf8(e);
	return name ? name : "";
}

/* Why a member is not to be read, or NULL. */
static const char *member_refusal(struct unpack *u, struct archive_entry *e, const char *path)
{
	if (archive_entry_hardlink(e) || archive_entry_hardlink_utf8(e))
		return "a hard link; links in archives are not followed";
	if (archive_entry_filetype(e) == AE_IFLNK)
		return "a symbolic link; links in archives are not followed";
	if (archive_entry_filetype(e) != AE_IFREG)
		return arena_printf(&u->t->arena, "%s, not a file with data", path_kind(archive_entry_filetype(e)));
	if (archive_is_mac_litter(path))
		return "made by macOS, not a part of the capture";
	if (!is_readable_name(path))
		return "not a file any reader takes";
	if (archive_entry_is_encrypted(e)) {
		u->encrypted = true;
		return "encrypted";
	}
	return NULL;
}

/* Adds an entry for the member; its path is tidied in place, or it is refused. The bytes before it make it "archive.zip!member". */
static struct tree_entry *member_add(struct unpack *u, const char *name)
{
	char *shown = arena_printf(&u->t->arena, "%s!%s", u->t->root, name);
	char *path = shown + u->root_len + 1;
	const char *fault = path_tidy(path);
	struct tree_entry *m = &ARRAY_PUSH(u->t, entries, n, cap);

	*m = (struct tree_entry){ .path = path, .real = "", .fd = -1 };
	if (!fault)
		return m;
	m->refused = arena_printf(&u->t->arena, "its path %s", fault);
	if (strlen(path) > PATH_BYTES_MAX) {
		path = shown + u->root_len + 1 + (path_last(path) - path);
		path[strnlen(path, NAME_BYTES_KEPT)] = '\0';
		m->path = path;
	}
	if (!m->path[0])
		m->path = "(no name)";
	return m;
}

/* An entry that stands for the archive itself: what is wrong with it. */
static void unpack_note(struct unpack *u, const char *text)
{
	member_add(u, u->t->name)->refused = text;
}

static void unpack_broke(struct unpack *u)
{
	char last[256];

	u->broken = true;
	if (!u->last)
		return;
	utf8_clean(str_of(u->last), last, sizeof last);
	unpack_note(u, arena_printf(&u->t->arena, "the archive breaks off after \"%s\" (%s): what follows is lost, copy it again", last,
				    unpack_trouble(u)));
}

/* Gives the member a file; false when there is none to give, and then m->refused or u->d says why. */
static bool member_open(struct unpack *u, struct tree_entry *m)
{
	m->fd = spool_file(&u->spool);
	if (m->fd >= 0)
		return true;
	if (spool_lacks_descriptors(errno)) {
		m->refused = arena_printf(&u->t->arena,
					  "out of file descriptors (limit %llu): raise it with \"ulimit -n\", or unpack the archive",
					  (unsigned long long)u->spool.descriptors);
		return false;
	}
	diag_set(u->d, ERR_UNREADABLE, u->t->root, -1, -1, "cannot be unpacked: no file can be made in TMPDIR, /tmp or /var/tmp (%s)",
		 strerror(errno));
	return false;
}

static void member_lost(struct unpack *u, struct tree_entry *m, int64_t got)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
	if (!m->refused)
		m->refused = arena_printf(&u->t->arena, "damaged in the archive after %lld bytes (%s)", (long long)got, unpack_trouble(u));
}

static enum step member_spool(struct unpack *u, struct tree_entry *m)
{
	int64_t got = 0;
	enum step step;

	if (m->size && unpack_count(u, m->size, true) == STEP_STOP)
		return STEP_STOP;
	if (!member_open(u, m))
		return m->refused ? unpack_skip(u) : STEP_STOP;
	step = unpack_data(u, &m->fd, &got);
	if (step == STEP_WHOLE && u->src.fault && archive_format(u->a) == ARCHIVE_FORMAT_RAW)
		step = STEP_BROKEN;
	if (step == STEP_DAMAGED || step == STEP_BROKEN)
		member_lost(u, m, got);
	if (step != STEP_WHOLE)
		return step;
	m->size = got;
	m->real = arena_printf(&u->t->arena, "%s/%d", u->fd_dir, m->fd);
	u->spooled++;
	return STEP_WHOLE;
}

static enum step unpack_member(struct unpack *u, struct archive_entry *e)
{
	struct tree_entry *m = member_add(u, member_name(u, e));
	enum step step;

	m->size = archive_entry_size_is_set(e) ? MAX(0, archive_entry_size(e)) : 0;
	m->mtime_ns = u->mtime_ns;
	if (archive_entry_mtime_is_set(e))
		m->mtime_ns = path_time_ns(archive_entry_mtime(e), archive_entry_mtime_nsec(e));
	if (archive_entry_filetype(e) == AE_IFDIR && !archive_entry_hardlink(e)) {
		if (!m->refused)
			ARRAY_PUSH(u->t, folders, nfolders, cap_folders) = m->path;
		if (!m->refused || strcmp(m->refused, "its path is empty") == 0)		/* "./", the root itself */
			u->t->n--;
		return unpack_skip(u);
	}
	if (!m->refused)
		m->refused = member_refusal(u, e, m->path);
	step = m->refused ? unpack_skip(u) : member_spool(u, m);
	if (step == STEP_WHOLE)
		u->last = m->path;
	return step;
}

/* Compressed tar: the checksum stands behind the end mark, where libarchive does not go. */
static enum step unpack_check_gzip(struct unpack *u)
{
	int64_t n;

	while ((n = source_inflate(&u->src)) > 0)
		if (unpack_count(u, 0, true) == STEP_STOP)
			return STEP_STOP;
	if (progress_cancelled(u->p))
		return unpack_stop(u, ERR_CANCELLED, "unpacking was cancelled");
	if (n < 0)
		archive_set_error(u->a, errno, "cannot be read: %s", strerror(errno));
	if (n == 0 && !u->src.fault)
		return STEP_WHOLE;
	if (!u->spooled)
		return STEP_BROKEN;
	unpack_note(u, arena_printf(&u->t->arena, "its gzip data is damaged (%s): files in it may be wrong or absent, copy it again",
				    unpack_trouble(u)));
	return STEP_WHOLE;
}

/* tar has no count of its members: one that was cut between two of them lacks only the blank blocks at the end. */
static enum step unpack_check_end(struct unpack *u)
{
	unsigned char tail[ARCHIVE_TAR_BLOCK];

	if (u->kind == PACK_GZIP)
		return unpack_check_gzip(u);
	if (u->kind != PACK_TAR || file_read_at(&u->src.file, u->src.file.size - (int64_t)sizeof tail, tail, sizeof tail) != sizeof tail)
		return STEP_WHOLE;
	for (size_t i = 0; i < sizeof tail; i++) {
		if (!tail[i])
			continue;
		archive_set_error(u->a, EILSEQ, "the end mark is missing");
		return STEP_BROKEN;
	}
	return STEP_WHOLE;
}

static enum step unpack_members(struct unpack *u)
{
	for (;;) {
		struct archive_entry *e = NULL;
		int r = archive_read_next_header(u->a, &e);
		enum step step;

		if (progress_cancelled(u->p))
			return unpack_stop(u, ERR_CANCELLED, "unpacking was cancelled");
		if (r == ARCHIVE_EOF)
			return unpack_check_end(u);
		if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
			return STEP_BROKEN;
		if (++u->members > u->lim.members) {
			diag_set(u->d, ERR_LIMIT, u->t->root, -1, -1, "holds more than %zu files, the limit for an archive: " WHAT_ELSE,
				 u->lim.members);
			return STEP_STOP;
		}
		step = unpack_member(u, e);
		if (step == STEP_BROKEN || step == STEP_STOP || unpack_count(u, 0, true) == STEP_STOP)
			return step == STEP_BROKEN ? step : STEP_STOP;
	}
}

/* gzip of nothing: libarchive sees no member, but a file of no bytes was packed. */
static enum step unpack_empty(struct unpack *u)
{
	struct tree_entry *m = member_add(u, unpacked_name(u));

	m->mtime_ns = u->mtime_ns;
	if (!is_readable_name(m->path))
		m->refused = "not a file any reader takes";
	else if (!member_open(u, m))
		return m->refused ? STEP_WHOLE : STEP_STOP;
	else
		m->real = arena_printf(&u->t->arena, "%s/%d", u->fd_dir, m->fd);
	return STEP_WHOLE;
}

static enum err unpack_result(struct unpack *u)
{
	if (u->broken && !u->spooled)
		return diag_set(u->d, ERR_FORMAT, u->t->root, u->src.at, -1,
				"is damaged or cut short, no file in it is whole (%s): copy it again", unpack_trouble(u));
	if (u->encrypted && !u->spooled)
		return diag_set(u->d, ERR_FORMAT, u->t->root, -1, -1, "is encrypted: unpack it with its password and open the folder");
	source_tell(&u->src, u->src.file.size - u->src.told);
	return ERR_OK;
}

/* One packed file, unless its first bytes or the name say tar: libarchive would take any run of zeros for an empty one. */
static bool is_one_file(struct unpack *u)
{
	return u->kind == PACK_GZIP && !archive_is_tar_header(u->src.buf, u->src.ahead) && !path_ends(u->t->name, ".tgz") &&
	       !path_ends(u->t->name, ".tar.gz");
}

static enum step unpack_archive(struct unpack *u)
{
	struct archive *a = u->a;

	if (u->kind == PACK_ZIP)
		archive_read_support_format_zip(a);
	else if (is_one_file(u))
		archive_read_support_format_raw(a);
	else
		archive_read_support_format_tar(a);
	if (u->kind != PACK_GZIP) {
		archive_read_set_skip_callback(a, source_skip);
		archive_read_set_seek_callback(a, source_seek);
	}
	archive_read_set_read_callback(a, source_read);
	archive_read_set_callback_data(a, &u->src);
	return archive_read_open1(a) == ARCHIVE_OK ? unpack_members(u) : STEP_BROKEN;
}

static enum err unpack_run(struct unpack *u)
{
	enum step step;

	if (u->kind == PACK_GZIP && source_look_ahead(&u->src) == 0)
		step = u->src.fault ? STEP_BROKEN : unpack_empty(u);
	else
		step = unpack_archive(u);
	if (progress_cancelled(u->p))
		step = unpack_stop(u, ERR_CANCELLED, "unpacking was cancelled");
	if (step == STEP_BROKEN)
		unpack_broke(u);
	return step == STEP_STOP ? u->d->err : unpack_result(u);
}

/* libarchive turns names into the locale's characters: where that is C, it would lose every name that is not ASCII. */
static enum err unpack_in_utf8(struct unpack *u)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = utf8 ? uselocale(utf8) : (locale_t)0;
	enum err err = unpack_run(u);

	if (utf8) {
		uselocale(before);
		freelocale(utf8);
	}
	return err;
}

enum err archive_unpack(struct tree *t, int fd, enum pack kind, const struct tree_limits *limits, struct progress *p, struct diag *d)
{
	struct unpack *u = mem_zalloc(1, sizeof *u);
	struct file packed = { .path = t->root, .fd = fd };
	struct diag own = { 0 };
	struct stat st;
	enum err err;

	u->t = t, u->p = p, u->d = d ? d : &own, u->kind = kind, u->lim = *limits;
	u->root_len = strlen(t->root);
	u->fd_dir = access("/proc/self/fd", X_OK) == 0 ? "/proc/self/fd" : "/dev/fd";
	if (fstat(fd, &st) == 0) {
		packed.size = st.st_size;
		u->mtime_ns = path_time_ns(st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	}
	progress_stage(p, "unpacking the archive");
	if (p)
		atomic_fetch_add(&p->bytes_total, packed.size);
	spool_init(&u->spool);
	u->a = archive_read_new();
	if (u->a && source_open(&u->src, &packed, kind == PACK_GZIP, p))
		err = unpack_in_utf8(u);
	else
		err = diag_set(d, ERR_UNREADABLE, t->root, -1, -1, "cannot be unpacked: out of memory");
	archive_read_free(u->a);
	source_close(&u->src);
	free(u);
	return err;
}
