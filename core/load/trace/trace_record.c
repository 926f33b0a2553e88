/* SPDX-License-Identifier: Apache-2.0 */
/* What an event means: decoded, checked, counted, and put where the builder will find it. */
#include "core/load/trace/trace_private.h"

#include "core/base/decimal.h"
#include "core/base/mem.h"
#include "core/load/trace/json_scan.h"

/* Times beyond +-146 years of the epoch are refused, so that sums and differences of two never overflow. */
#define TIME_LIMIT ((int64_t)1 << 62)

static struct str member_str(const struct member *m)
{
	return (struct str){ m->p ? m->p : "", m->n };
}

static void list_add(struct id_list *l, uint32_t id)
{
	ARRAY_PUSH(l, items, n, cap) = id;
}

/* Notes a name as used by this chunk, once. */
static void name_seen(struct worker *w, struct chunk *c, uint32_t id)
{
	if (id >= w->cap_name_stamp) {
		size_t cap = MAX((size_t)id + 1, w->cap_name_stamp * 2 + 256);

		w->name_stamp = mem_resize(w->name_stamp, cap, sizeof *w->name_stamp);
		memset(w->name_stamp + w->cap_name_stamp, 0, (cap - w->cap_name_stamp) * sizeof *w->name_stamp);
		w->cap_name_stamp = cap;
	}
	if (w->name_stamp[id] != c->stamp) {
		w->name_stamp[id] = c->stamp;
		list_add(&c->names, id);
	}
}

static uint32_t own_name(struct worker *w, struct chunk *c, const struct member *m)
{
	struct str s = member_str(m);
	uint32_t id;

	if (!s.n)
		return 0;
	if (m->escaped) {
		w->scratch.n = 0;
		json_unescape(s, &w->scratch);
		s = (struct str){ w->scratch.p, w->scratch.n };
	}
	id = names_add(&w->names, s);
	name_seen(w, c, id);
	return id;
}

/* ---- lanes -------------------------------------------------------------------------------------------------------------------------- */

static uint32_t own_lane_slow(struct worker *w, struct chunk *c, const struct trace_event *e)
{
	uint32_t pid = own_name(w, c, &e->pid), tid = own_name(w, c, &e->tid);
	uint32_t *slot;

	slot = index_map_slot(&w->lane_of_ids, (uint64_t)pid << 32 | tid);
	if (!*slot) {
		ARRAY_PUSH(w, lanes, nlanes, cap_lanes) = (struct own_lane){ pid, tid };
		*slot = (uint32_t)w->nlanes;
	}
	return *slot - 1;
}

static void lane_seen(struct worker *w, struct chunk *c, uint32_t lane)
{
	if (lane >= w->cap_lane_stamp) {
		size_t cap = w->cap_lane_stamp * 2 + 64;

		w->lane_stamp = mem_resize(w->lane_stamp, cap, sizeof *w->lane_stamp);
		memset(w->lane_stamp + w->cap_lane_stamp, 0, (cap - w->cap_lane_stamp) * sizeof *w->lane_stamp);
		w->cap_lane_stamp = cap;
	}
	if (w->lane_stamp[lane] == c->stamp)
		return;
	w->lane_stamp[lane] = c->stamp;
	name_seen(w, c, w->lanes[lane].pid);
	name_seen(w, c, w->lanes[lane].tid);
	list_add(&c->lanes, lane);
}

/* Ids are a few characters: compares that stay inline. */
static inline bool same_bytes(const char *a, const char *b, size_t n)
{
	uint64_t x, y;

	for (; n >= 8; a += 8, b += 8, n -= 8) {
		memcpy(&x, a, 8);
		memcpy(&y, b, 8);
		if (x != y)
			return false;
	}
	while (n && *a == *b)
		a++, b++, n--;
	return n == 0;
}

/* The last characters tell lanes apart. */
static inline uint32_t lane_hash(struct str pid, struct str tid)
{
	uint32_t a = 0, b = 0;

	if (pid.n >= 4)
		memcpy(&a, pid.p + pid.n - 4, 4);
	if (tid.n >= 4)
		memcpy(&b, tid.p + tid.n - 4, 4);
	else if (tid.n)
		b = (uint32_t)(unsigned char)tid.p[0] << 8 | (unsigned char)tid.p[tid.n - 1];
	return (a * 0x9e3779b1u + b * 0x85ebca6bu) >> 20;
}

static uint32_t own_lane(struct worker *w, struct chunk *c, const struct trace_event *e)
{
	struct str pid = member_str(&e->pid), tid = member_str(&e->tid);
	struct lane_slot *s;
	uint32_t lane;

	if (pid.n + tid.n > sizeof s->text || e->pid.escaped || e->tid.escaped) {
		lane = own_lane_slow(w, c, e);
		lane_seen(w, c, lane);
		return lane;
	}
	s = &w->slots[lane_hash(pid, tid) % LANE_SLOTS];
	if (!s->lane || s->npid != pid.n || s->ntid != tid.n || !same_bytes(s->text, pid.p, pid.n)
			|| !same_bytes(s->text + pid.n, tid.p, tid.n)) {
		s->lane = own_lane_slow(w, c, e) + 1;
		s->npid = (uint8_t)pid.n;
		s->ntid = (uint8_t)tid.n;
		memcpy(s->text, pid.p, pid.n);
		memcpy(s->text + pid.n, tid.p, tid.n);
	}
	lane_seen(w, c, s->lane - 1);
	return s->lane - 1;
}

/* ---- numbers ------------------------------------------------------------------------------------------------------------------------ */

/* Eight digits at once; false when one of them is no digit. */
static inline bool eight_digits(const char *p, uint64_t *v)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t w;

	memcpy(&w, p, 8);
	if (((w & 0xf0f0f0f0f0f0f0f0u) | ((w + 0x0606060606060606u) & 0xf0f0f0f0f0f0f0f0u) >> 4) != 0x3333333333333333u)
		return false;
	w = (w & 0x0f0f0f0f0f0f0f0fu) * 2561 >> 8;		/* pairs, then fours, then eight */
	w = (w & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
	*v = (w & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
	return true;
#else
	*v = 0;
	for (int i = 0; i < 8; i++) {
		if ((unsigned)(p[i] - '0') > 9)
			return false;
		*v = *v * 10 + (unsigned)(p[i] - '0');
	}
	return true;
#endif
}

/* Microseconds as text to ns. The common form (digits, at most three decimals) inline, the rest by the exact decimal reader. */
static bool us_to_ns(const struct member *m, int64_t *out)
{
	static const uint64_t scale[] = { 1, 10, 100, 1000 };
	struct str s = member_str(m);
	const char *p = s.p, *end = p + s.n;
	uint64_t v = 0, low;
	unsigned decimals = 3, most = 19;	/* the longest text, by digits to come and a point, that cannot overflow */

	if (!s.n)
		return false;
	if (s.n > 20)
		return decimal_to_int(str_trim(s), 3, out);
	if (s.n >= 16 && eight_digits(p, &v) && eight_digits(p + 8, &low)) {
		v = v * 100000000 + low;
		p += 16;
	} else {
		v = 0;
	}
	while (p < end && (unsigned)(*p - '0') <= 9)
		v = v * 10 + (unsigned)(*p++ - '0');
	if (p < end && *p == '.' && p > s.p) {
		p++;
		most++;
		while (p < end && (unsigned)(*p - '0') <= 9 && decimals > 0) {
			v = v * 10 + (unsigned)(*p++ - '0');
			decimals--;
		}
	}
	if (p != end || s.n + decimals > most)
		return decimal_to_int(str_trim(s), 3, out);
	v *= scale[decimals];
	*out = (int64_t)v;
	return v <= (uint64_t)INT64_MAX;
}

static bool in_time_range(int64_t ns)
{
	return ns > -TIME_LIMIT && ns < TIME_LIMIT;
}

/* An id as a key: a plain decimal below 2^64 is itself, written as text or number; anything else is its text. */
static uint64_t opaque_id(struct worker *w, struct chunk *c, const struct member *m, bool *is_text)
{
	struct str s = member_str(m);
	uint64_t v;

	*is_text = false;
	if ((s.n == 1 || (s.n > 1 && s.p[0] != '0')) && str_to_u64(s, &v))
		return v;
	*is_text = true;
	return own_name(w, c, m);
}

/* 2^64-1, 2^32-1 and -1 stand for "none". */
static uint64_t connection_id(const struct member *m)
{
	uint64_t v;

	return m->n && str_to_u64(member_str(m), &v) && v != UINT32_MAX ? v : NO_CONNECTION;
}

/* ---- phases ------------------------------------------------------------------------------------------------------------------------- */

struct place {
	int64_t offset;
	uint32_t length;
};

static bool record_drop(struct chunk *c, enum drop why, struct place at)
{
	account_drop(&c->account, why, at.offset);
	return false;
}

static bool read_time(struct chunk *c, const struct trace_event *e, struct place at, int64_t *ns)
{
	if (!us_to_ns(&e->ts, ns)) {
		double far;

		return record_drop(c, decimal_to_double(str_trim(member_str(&e->ts)), &far) ? DROP_TIME_RANGE : DROP_NO_TIME, at);
	}
	c->text_times |= e->ts.is_string;
	return in_time_range(*ns) || record_drop(c, DROP_TIME_RANGE, at);
}

/* An absent or unreadable duration is 0 and flagged; a negative one too. */
static bool read_duration(struct chunk *c, const struct trace_event *e, struct place at, struct raw_event *r)
{
	if (!us_to_ns(&e->dur, &r->dur)) {
		double far;

		if (e->dur.n && decimal_to_double(str_trim(member_str(&e->dur)), &far))
			return record_drop(c, DROP_TIME_RANGE, at);
		r->flags |= EV_NO_DURATION;
		r->dur = 0;
	}
	if (r->dur < 0) {
		r->flags |= EV_NEGATIVE;
		r->dur = 0;
	}
	return in_time_range(r->dur) || record_drop(c, DROP_TIME_RANGE, at);
}

/*
 * What kind of task: the task type, else the category. For a copy between host and device its direction, which tells more; a copy within
 * the device may be a part of a collective, and keeps its type.
 */
static const struct member *type_member(const struct trace_event *e)
{
	if (e->direction.n && str_has(member_str(&e->direction), STR(" to ")) && str_has(member_str(&e->direction), STR("host")))
		return &e->direction;
	return e->task_type.n ? &e->task_type : &e->cat;
}

static bool record_span(struct worker *w, struct chunk *c, const struct trace_event *e, struct place at, char phase)
{
	struct raw_event r = { .phase = phase, .span = w->span_base + (uint64_t)at.offset, .span_len = at.length };

	if (!read_time(c, e, at, &r.start))
		return false;
	if (phase == 'X' && !read_duration(c, e, at, &r))
		return false;
	if (phase == 'i')
		r.flags |= EV_INSTANT;
	r.lane = own_lane(w, c, e);
	r.name = own_name(w, c, &e->name);
	r.type = own_name(w, c, type_member(e));
	r.connection = connection_id(&e->connection);
	*(struct raw_event *)blocks_push(&w->pool, phase == 'B' || phase == 'E' ? &c->raw.pairs : &c->raw.events, sizeof r) = r;
	return true;
}

static bool record_flow(struct worker *w, struct chunk *c, const struct trace_event *e, struct place at, char phase)
{
	struct raw_flow f = { .phase = phase };

	if (!read_time(c, e, at, &f.time))
		return false;
	if (!e->id.n)
		return record_drop(c, DROP_NO_FLOW_ID, at);
	f.id = opaque_id(w, c, &e->id, &f.id_is_text);
	f.lane = own_lane(w, c, e);
	f.category = own_name(w, c, &e->cat);
	*(struct raw_flow *)blocks_push(&w->pool, &c->raw.flows, sizeof f) = f;
	return true;
}

static bool record_counter(struct worker *w, struct chunk *c, const struct trace_event *e, struct place at)
{
	struct raw_sample s = { 0 };
	const char *p = member_str(&e->args).p, *end = p + e->args.n;
	struct str key;
	struct member value;
	size_t n = 0;

	if (!read_time(c, e, at, &s.time))
		return false;
	s.process = own_lane(w, c, e);		/* the lane for now: its process is known when merged */
	s.name = own_name(w, c, &e->name);
	while (p && (p = trace_arg_next(p, end, &key, &value))) {
		struct member name = { key.p, (uint32_t)key.n, true, memchr(key.p, '\\', key.n) != NULL };

		if (!decimal_to_double(str_trim(member_str(&value)), &s.value))
			continue;
		s.series = own_name(w, c, &name);
		*(struct raw_sample *)blocks_push(&w->pool, &c->raw.samples, sizeof s) = s;
		n++;
	}
	return n || record_drop(c, DROP_NO_VALUE, at);
}

static bool record_meta(struct worker *w, struct chunk *c, const struct trace_event *e)
{
	static const struct {
		struct str name, key;
	} kinds[META_OTHER] = {
		[META_PROCESS_NAME] = { STR("process_name"), STR("name") },
		[META_PROCESS_LABELS] = { STR("process_labels"), STR("labels") },
		[META_PROCESS_SORT] = { STR("process_sort_index"), STR("sort_index") },
		[META_THREAD_NAME] = { STR("thread_name"), STR("name") },
		[META_THREAD_SORT] = { STR("thread_sort_index"), STR("sort_index") },
	};
	struct meta m = { .kind = META_PROCESS_NAME, .lanes_before = c->lanes.n };
	const char *p = member_str(&e->args).p, *end = p + e->args.n;
	struct member value;
	struct str key;

	while (m.kind < META_OTHER && !str_is(member_str(&e->name), kinds[m.kind].name))
		m.kind++;
	if (m.kind == META_OTHER)
		return true;
	while (p && (p = trace_arg_next(p, end, &key, &value))) {
		if (!str_is(key, kinds[m.kind].key))
			continue;
		m.pid = own_name(w, c, &e->pid);
		m.tid = own_name(w, c, &e->tid);
		m.text = own_name(w, c, &value);
		if (!decimal_to_int(member_str(&value), 0, &m.number))
			m.number = INT64_MAX;
		ARRAY_PUSH(c, metas, nmetas, cap_metas) = m;
	}
	return true;
}

void chunk_record(struct worker *w, struct chunk *c, const struct trace_event *e, int64_t offset, uint32_t length)
{
	struct place at = { offset, length };
	char phase = e->ph.n == 1 ? e->ph.p[0] : '\0';
	bool kept;

	c->account.by_phase[(unsigned char)phase]++;
	switch (phase) {
	case 'X':
	case 'B':
	case 'E':
		kept = record_span(w, c, e, at, phase);
		break;
	case 'i':
	case 'I':
	case 'R':
		kept = record_span(w, c, e, at, 'i');
		break;
	case 's':
	case 't':
	case 'f':
		kept = record_flow(w, c, e, at, phase);
		break;
	case 'C':
		kept = record_counter(w, c, e, at);
		break;
	case 'M':
		kept = record_meta(w, c, e);
		break;
	default:
		kept = record_drop(c, phase ? DROP_UNKNOWN_PHASE : DROP_NO_PHASE, at);
	}
	c->account.kept += kept;
}
