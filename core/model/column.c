/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/column.h"

#include <string.h>

enum { KEY_MAX = 24 };

/* Character i of a column id in lower case, as a constant expression: the keys are made by the compiler. */
#define KEY_AT(s, i)   ((s)[(i) < sizeof(s) ? (i) : sizeof(s) - 1])
#define KEY_CHAR(s, i) ((char)(KEY_AT(s, i) >= 'A' && KEY_AT(s, i) <= 'Z' ? KEY_AT(s, i) + 32 : KEY_AT(s, i)))
#define KEY_FOUR(s, i) KEY_CHAR(s, i), KEY_CHAR(s, (i) + 1), KEY_CHAR(s, (i) + 2), KEY_CHAR(s, (i) + 3)
#define KEY(s)         { KEY_FOUR(s, 0), KEY_FOUR(s, 4), KEY_FOUR(s, 8), KEY_FOUR(s, 12), KEY_FOUR(s, 16) }

static const char col_keys[COL_MAX][KEY_MAX] = {
#define COLUMN(id, ctype, words) [COL_##id] = KEY(#id),
#include "core/model/column.def"
#undef COLUMN
	[COL_METRIC] = "metric",
};

static const struct {
	const char *id;
	const char *spellings;		/* a NUL after each */
	size_t size;
	enum col_type type;
} col_info[COL_MAX] = {
#define COLUMN(name, ctype, words) [COL_##name] = { .id = #name, .spellings = words, .size = sizeof(words), .type = CT_##ctype },
#include "core/model/column.def"
#undef COLUMN
	[COL_METRIC] = { .id = "METRIC", .spellings = "hardware metrics", .size = 0, .type = CT_NUM },
};

static const struct unit_info units[] = {
	{ "ns", 0, 0 },			{ "us", 3, 0 },			{ "ms", 6, 0 },			{ "s", 9, 0 },
	{ "\xc2\xb5s", 3, 0 },		{ "\xce\xbcs", 3, 0 },		{ "B", NO_SCALE, 1 },		{ "Byte", NO_SCALE, 1 },
	{ "Bytes", NO_SCALE, 1 },	{ "KB", NO_SCALE, 1 << 10 },	{ "MB", NO_SCALE, 1 << 20 },	{ "GB", NO_SCALE, 1 << 30 },
	{ "KiB", NO_SCALE, 1 << 10 },	{ "MiB", NO_SCALE, 1 << 20 },	{ "GiB", NO_SCALE, 1 << 30 },	{ "%", NO_SCALE, 0 },
	{ "B/s", NO_SCALE, 0 },		{ "KB/s", NO_SCALE, 0 },	{ "MB/s", NO_SCALE, 0 },	{ "GB/s", NO_SCALE, 0 },
	{ "Hz", NO_SCALE, 0 },		{ "KHz", NO_SCALE, 0 },		{ "MHz", NO_SCALE, 0 },		{ "GHz", NO_SCALE, 0 },
};

/* Metric names by a glob over the lower-case name: the groups of aic-metrics, with and without the core's prefix. */
static const char *const metric_globs[] = {
	"aic_*", "aiv_*", "aicore_*", "*_ratio", "*_bw", "*_bw_cube", "*_bw_vector", "*_bw_scalar", "*_rate", "*_cache_hit",
	"*_cache_miss_allocate", "*_datas", "*_fops", "*_cycles", "cube_utilization", "mac_time", "vec_time", "scalar_time", "mte#_time",
	"fixpipe_time",
};

const char *col_key(enum col id)
{
	return id < COL_MAX ? col_keys[id] : "unknown";
}

const char *col_spelling(enum col id)
{
	return id < COL_MAX ? col_info[id].spellings : "unknown";
}

enum col_type col_type_of(enum col id)
{
	return id < COL_MAX ? col_info[id].type : CT_TEXT;
}

const struct unit_info *unit_of(struct str text)
{
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (str_is_nocase(text, str_of(units[i].text)))
			return &units[i];
	return NULL;
}

struct str header_name(struct str header, struct str *unit)
{
	struct str s = str_trim(header), inside;
	size_t at;

	*unit = (struct str){ "", 0 };
	if (s.n < 3 || s.p[s.n - 1] != ')')
		return s;
	for (at = s.n - 1; at > 0 && s.p[at] != '('; at--)
		;
	inside = str_trim((struct str){ s.p + at + 1, s.n - at - 2 });
	if (s.p[at] != '(' || !unit_of(inside))
		return s;
	*unit = inside;
	return str_trim((struct str){ s.p, at });
}

static char header_char(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c == ' ' ? '_' : c;
}

bool header_is(struct str a, struct str b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (header_char(a.p[i]) != header_char(b.p[i]))
			return false;
	return true;
}

static enum col col_of_name(struct str name)
{
	for (enum col id = 0; id < COL_MAX; id++) {
		const char *word = col_info[id].spellings, *end = word + col_info[id].size;

		for (; word < end; word += strlen(word) + 1)
			if (header_is(name, str_of(word)))
				return id;
	}
	return COL_UNKNOWN;
}

bool metric_of_name(struct str name, char out[METRIC_NAME_MAX])
{
	struct str s = { out, name.n };

	if (!name.n || name.n >= METRIC_NAME_MAX)
		return false;
	for (size_t i = 0; i < name.n; i++)
		out[i] = header_char(name.p[i]);
	out[name.n] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(metric_globs); i++)
		if (str_like(s, metric_globs[i]))
			return true;
	return false;
}

/* A time column counted in percent, or a size in GB/s, is another column that merely has the name. */
static bool unit_fits(enum col_type type, struct str unit)
{
	const struct unit_info *u = unit.n ? unit_of(unit) : NULL;

	if (!u)
		return true;
	if (type == CT_TIME)
		return u->time_scale != NO_SCALE;
	return type != CT_BYTES || u->bytes != 0;
}

enum col col_of_header(struct str header, struct str *unit)
{
	struct str name = header_name(header, unit);
	char metric[METRIC_NAME_MAX];
	enum col id = col_of_name(name);

	if (id == COL_UNKNOWN && metric_of_name(name, metric))
		id = COL_METRIC;
	return id != COL_UNKNOWN && unit_fits(col_info[id].type, *unit) ? id : COL_UNKNOWN;
}

static const char *const needed_ids[ART_MAX] = {
#define ARTIFACT(id, key, form, files, needed, text) [ART_##id] = needed,
#include "core/model/artifact.def"
#undef ARTIFACT
};

static enum col col_of_id(struct str id)
{
	for (enum col c = 0; c < COL_MAX; c++)
		if (str_is(id, str_of(col_info[c].id)))
			return c;
	return COL_UNKNOWN;
}

size_t artifact_needed(enum artifact a, enum col out[NEEDED_MAX])
{
	const char *at = a < ART_MAX ? needed_ids[a] : "";
	size_t n = 0;

	while (*at && n < NEEDED_MAX) {
		size_t len = strcspn(at, " ");
		enum col id = col_of_id((struct str){ at, len });

		if (id != COL_UNKNOWN)
			out[n++] = id;
		at += len;
		at += strspn(at, " ");
	}
	return n;
}
