/* SPDX-License-Identifier: Apache-2.0 */
#include "core/analysis/indicator.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

#define UP   DIR_UP
#define DOWN DIR_DOWN
#define NONE DIR_NONE
static const struct {
	const char *key, *unit, *formula, *source;
	enum direction better;
} info[IND_MAX] = {
#define INDICATOR(id, key, unit, better, formula, source) [IND_##id] = { key, unit, formula, source, better },
#include "core/analysis/indicator.def"
#undef INDICATOR
};
#undef UP
#undef DOWN
#undef NONE

const char *indicator_key(enum indicator i)
{
	return info[i].key;
}

const char *indicator_unit(enum indicator i)
{
	return info[i].unit;
}

const char *indicator_formula(enum indicator i)
{
	return info[i].formula;
}

const char *indicator_source(enum indicator i)
{
	return info[i].source;
}

enum direction indicator_direction(enum indicator i)
{
	return info[i].better;
}

bool indicator_find(const char *key, enum indicator *out)
{
	for (int i = 0; i < IND_MAX; i++)
		if (strcmp(info[i].key, key) == 0) {
			*out = (enum indicator)i;
			return true;
		}
	return false;
}

/* ---- the window ------------------------------------------------------------------------------------------------------------------------- */

/* A whole capture: from the first step's beginning (on whichever side) to the last one's end; without steps all there is. */
static void window_of_all(const struct facts *f, struct intervals *out)
{
	const struct steps *st = f->steps;
	const struct events *e = &f->work->r->events;
	int64_t from = f->work->first, to = f->work->last;

	if (st->n && st->source != STEPS_WHOLE) {
		const struct step *a = &st->items[0], *z = &st->items[st->n - 1];

		from = a->host_start != NO_TIME ? MIN(a->start, a->host_start) : a->start;
		to = z->host_end != NO_TIME ? MAX(z->end, z->host_end) : z->end;
	} else if (e->n && e->first_start != NO_TIME && !f->work->from_table) {
		from = e->first_start;
		to = e->last_end;
	}
	if (from != NO_TIME)
		intervals_add(out, from, to);
}

static void window_of_phase(const struct facts *f, enum phase phase, struct scope *s)
{
	for (size_t i = 0; i < f->steps->n; i++) {
		const struct step *p = &f->steps->items[i];

		if (p->phase == phase && !p->partial) {
			intervals_add(&s->window, p->start, p->end);
			s->nsteps++;
		}
	}
}

static void make_window(const struct facts *f, enum phase phase, struct scope *s)
{
	s->phase = phase;
	if (phase != PHASE_UNKNOWN) {
		window_of_phase(f, phase, s);
	} else {
		window_of_all(f, &s->window);
		s->nsteps = f->steps->source == STEPS_WHOLE ? 0 : f->steps->n;
	}
	intervals_normalise(&s->window);
	intervals_index(&s->window);
}

/* ---- measuring -------------------------------------------------------------------------------------------------------------------------- */

static double us(int64_t ns)
{
	return (double)ns / 1e3;
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

static double percent(double part, double whole)
{
	return 100 * ratio(part, whole);
}

/* us of `set` inside the window */
static double inside(const struct scope *s, const struct intervals *set)
{
	struct intervals both = { 0 };
	int64_t total;

	intervals_intersect(&both, set, &s->window);
	total = intervals_total(&both);
	intervals_done(&both);
	return us(total);
}

static double overlap(const struct scope *s, const struct intervals *a, const struct intervals *b)
{
	struct intervals both = { 0 };
	double v;

	intervals_intersect(&both, a, b);
	v = inside(s, &both);
	intervals_done(&both);
	return v;
}

/* Durations in ns, for medians. */
struct lengths {
	int64_t *items;
	size_t n, cap;
};

static int length_compare(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

/* The ordinary median in us, NaN of none. Frees the list. */
static double median_us(struct lengths *l)
{
	double v = NAN;

	if (l->n) {
		qsort(l->items, l->n, sizeof *l->items, length_compare);
		v = us(l->items[(l->n - 1) / 2]) / 2 + us(l->items[l->n / 2]) / 2;
	}
	free(l->items);
	return v;
}

static bool starts_inside(const struct scope *s, int64_t start)
{
	return intervals_has(&s->window, start);
}

static bool host_was_recorded(const struct facts *f)
{
	return f->work->counts[WORK_HOST_OP] || f->work->counts[WORK_HOST_RUNTIME] || f->work->counts[WORK_HOST_QUEUE];
}

static void measure_time(const struct facts *f, struct scope *s)
{
	const struct work_sets *w = &f->work->sets;
	double *v = s->v, wall = us(intervals_total(&s->window)), device = inside(s, &w->busy), host = inside(s, &w->host);
	double both = overlap(s, &w->busy, &w->host);
	bool has_host = host_was_recorded(f);

	v[IND_WALL] = wall;
	v[IND_STEPS] = (double)s->nsteps;
	v[IND_AVG_STEP] = s->nsteps ? wall / (double)s->nsteps : NAN;
	v[IND_DEVICE_BUSY] = device;
	v[IND_DEVICE_BUSY_PCT] = percent(device, wall);
	v[IND_HOST_BUSY] = has_host ? host : NAN;
	v[IND_HOST_BUSY_PCT] = percent(v[IND_HOST_BUSY], wall);
	v[IND_HOST_ONLY] = has_host ? MAX(0, host - both) : NAN;
	v[IND_HOST_ONLY_PCT] = percent(v[IND_HOST_ONLY], wall);
	v[IND_DEVICE_ONLY] = has_host ? MAX(0, device - both) : NAN;
	v[IND_DEVICE_ONLY_PCT] = percent(v[IND_DEVICE_ONLY], wall);
	v[IND_HOST_EXCLUSIVE] = s->nsteps ? v[IND_HOST_ONLY] / (double)s->nsteps : NAN;
}

static void measure_work(const struct facts *f, struct scope *s)
{
	const struct work_sets *w = &f->work->sets;
	double *v = s->v, wall = v[IND_WALL], comm = inside(s, &w->comm), compute = inside(s, &w->compute), copy = inside(s, &w->copy);
	double exposed = inside(s, &w->exposed);

	v[IND_COMM] = comm;
	v[IND_COMM_PCT] = percent(comm, wall);
	v[IND_COMM_OF_DEVICE] = percent(comm, v[IND_DEVICE_BUSY]);
	v[IND_EXPOSED] = exposed;
	v[IND_EXPOSED_PCT] = percent(exposed, wall);
	v[IND_COMM_OVERLAP] = percent(comm - exposed, comm);
	v[IND_COMM_STEP_US] = s->nsteps ? comm / (double)s->nsteps : NAN;
	v[IND_COMPUTE] = compute;
	v[IND_COMPUTE_PCT] = percent(compute, wall);
	v[IND_COMPUTE_OF_DEVICE] = percent(compute, v[IND_DEVICE_BUSY]);
	v[IND_COPY] = copy;
	v[IND_COPY_PCT] = percent(copy, wall);
}

/* Gaps of the device set inside the window, its edges included, by the same floor as everywhere. */
static void measure_gaps(const struct facts *f, struct scope *s)
{
	struct intervals gaps = { 0 };
	double *v = s->v, floor = f->thresholds->v[TH_MIN_GAP], total = 0, longest = 0, n = 0;

	intervals_subtract(&gaps, &s->window, &f->work->sets.busy);
	for (size_t i = 0; i < gaps.n; i++) {
		double len = us(gaps.items[i].end - gaps.items[i].start);

		if (len <= floor)
			continue;
		total += len;
		longest = MAX(longest, len);
		n++;
	}
	intervals_done(&gaps);
	v[IND_IDLE] = total;
	v[IND_IDLE_PCT] = percent(total, v[IND_WALL]);
	v[IND_GAPS] = n;
	v[IND_MEAN_GAP] = n > 0 ? total / n : 0;
	v[IND_MAX_GAP] = longest;
	v[IND_MAX_GAP_PCT] = percent(longest, v[IND_WALL]);
}

/* The copy direction of a span by its operator row. */
static enum subtype_id subtype_of_span(const struct facts *f, size_t span)
{
	uint32_t row = f->ops->row_of_span ? f->ops->row_of_span[span] : UINT32_MAX;

	return row == UINT32_MAX ? SUB_OTHER_UNKNOWN : f->ops->rows[row].class.subtype;
}

static void measure_spans(const struct facts *f, struct scope *s)
{
	struct intervals d2h = { 0 }, h2d = { 0 };
	struct lengths kernels = { 0 }, colls = { 0 };
	double *v = s->v, steps = s->nsteps ? (double)s->nsteps : NAN, n = 0;

	for (size_t i = 0; i < f->work->nspans; i++) {
		const struct span *p = &f->work->spans[i];
		struct lengths *to = p->kind == WORK_COMPUTE ? &kernels : p->kind == WORK_COMMUNICATION ? &colls : NULL;

		if (p->kind == WORK_WAIT || !starts_inside(s, p->start))
			continue;
		n++;
		if (to)
			ARRAY_PUSH(to, items, n, cap) = p->dur;
		else if (subtype_of_span(f, i) == SUB_COPY_D2H)
			intervals_add(&d2h, p->start, span_end(p));
		else if (subtype_of_span(f, i) == SUB_COPY_H2D)
			intervals_add(&h2d, p->start, span_end(p));
	}
	intervals_normalise(&d2h);
	intervals_normalise(&h2d);
	v[IND_DEVICE_EVENTS] = n;
	v[IND_COMM_COUNT] = (double)colls.n;
	v[IND_COMM_PER_STEP] = (double)colls.n / steps;
	v[IND_D2H] = us(intervals_total(&d2h)) / steps;
	v[IND_H2D] = us(intervals_total(&h2d)) / steps;
	v[IND_COMM_MEDIAN] = median_us(&colls);
	v[IND_COMPUTE_MEDIAN] = median_us(&kernels);
	intervals_done(&d2h);
	intervals_done(&h2d);
}

/* ---- the host --------------------------------------------------------------------------------------------------------------------------- */

static const char *const sync_words[] = { "synchronize", "item", "tolist", "to_list", "local_scalar_dense", "numpy", "synchronizestream",
	"aclrtsynchronize" };
static const char *const copy_words[] = { "copy", "memcpy" };

static bool has_word(struct str name, const char *const *words, size_t n)
{
	char lower[160];
	size_t len = MIN(name.n, sizeof lower - 1);

	for (size_t i = 0; i < len; i++)
		lower[i] = (char)(name.p[i] >= 'A' && name.p[i] <= 'Z' ? name.p[i] + 32 : name.p[i]);
	lower[len] = '\0';
	for (size_t i = 0; i < n; i++)
		if (strstr(lower, words[i]))
			return true;
	return false;
}

/* Answers by name id, asked once each: 1 + flags. */
enum { NAME_SYNC = 1, NAME_COPY = 2 };

static uint8_t name_flags(const struct facts *f, uint8_t *cache, uint32_t name)
{
	if (!cache[name]) {
		struct str text = names_str(&f->work->c->names, name);

		cache[name] = (uint8_t)(4 | (has_word(text, sync_words, ARRAY_LEN(sync_words)) ? NAME_SYNC : 0)
			| (has_word(text, copy_words, ARRAY_LEN(copy_words)) ? NAME_COPY : 0));
	}
	return cache[name];
}

struct host_sums {
	struct intervals ops, sync, copy;
	double events, dispatches;
};

static void add_host_event(const struct facts *f, const struct scope *s, uint8_t *cache, size_t i, struct host_sums *h)
{
	const struct events *e = &f->work->r->events;
	enum work kind = (enum work)f->work->kind[i];
	bool starts = starts_inside(s, e->start[i]);
	uint8_t flags;

	if (kind != WORK_HOST_OP && kind != WORK_HOST_RUNTIME && kind != WORK_HOST_QUEUE)
		return;
	/* Counts are of what starts in the window; unions take in what reaches into it. */
	h->events += starts;
	flags = name_flags(f, cache, e->name[i]);
	if (kind == WORK_HOST_OP) {
		h->dispatches += starts;
		intervals_add(&h->ops, e->start[i], event_end(e, i));
		if (flags & NAME_COPY)
			intervals_add(&h->copy, e->start[i], event_end(e, i));
	}
	if (kind != WORK_HOST_QUEUE && (flags & NAME_SYNC))
		intervals_add(&h->sync, e->start[i], event_end(e, i));
}

static void measure_host(const struct facts *f, struct scope *s)
{
	const struct events *e = &f->work->r->events;
	struct host_sums h = { 0 };
	double *v = s->v, steps = s->nsteps ? (double)s->nsteps : NAN;
	uint8_t *cache;

	v[IND_EVENTS] = v[IND_DEVICE_EVENTS];
	if (!f->work->kind || !host_was_recorded(f))
		return;
	cache = mem_zalloc(f->work->c->names.n, sizeof *cache);
	for (size_t i = 0; i < e->n; i++)
		add_host_event(f, s, cache, i, &h);
	free(cache);
	intervals_normalise(&h.ops);
	intervals_normalise(&h.copy);
	intervals_normalise(&h.sync);
	v[IND_HOST_EVENTS] = h.events;
	v[IND_EVENTS] += h.events;
	/* Without framework operators in the capture nobody knows how many were dispatched. */
	if (f->work->counts[WORK_HOST_OP]) {
		v[IND_DISPATCHES] = h.dispatches;
		v[IND_DISPATCH] = h.dispatches / steps;
		v[IND_HOST_SCHEDULE] = inside(s, &h.ops);
		v[IND_HOST_COPY] = inside(s, &h.copy);
		v[IND_HOST_COPY_PCT] = percent(v[IND_HOST_COPY], v[IND_WALL]);
		v[IND_HOST_COPY_OF_HOST] = percent(v[IND_HOST_COPY], v[IND_HOST_BUSY]);
	}
	v[IND_SYNCS] = 0;
	for (size_t i = 0; i < h.sync.n; i++)
		v[IND_SYNCS] += starts_inside(s, h.sync.items[i].start);
	v[IND_SYNC] = v[IND_SYNCS] / steps;
	v[IND_SYNC_US] = inside(s, &h.sync);
	v[IND_SYNC_IDLE] = v[IND_SYNC_US] - overlap(s, &h.sync, &f->work->sets.busy);
	intervals_done(&h.ops);
	intervals_done(&h.copy);
	intervals_done(&h.sync);
}

/* ---- from files ------------------------------------------------------------------------------------------------------------------------- */

static int double_compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static void measure_collectives(const struct facts *f, struct scope *s)
{
	double *v = s->v, steps = s->nsteps ? (double)s->nsteps : NAN, *sizes = mem_alloc(f->colls->n, sizeof *sizes);
	int64_t elapse = 0, transit = 0;
	size_t n = 0;

	for (size_t i = 0; i < f->colls->n; i++) {
		const struct collective *c = &f->colls->items[i];

		if (c->start != NO_TIME && !starts_inside(s, c->start))
			continue;
		if (isfinite(c->size_mb))
			sizes[n++] = c->size_mb;
		if (c->transit != NO_TIME) {
			elapse += c->elapse;
			transit += c->transit;
		}
	}
	if (n) {
		qsort(sizes, n, sizeof *sizes, double_compare);
		v[IND_COMM_SIZE] = sizes[(n - 1) / 2] / 2 + sizes[n / 2] / 2;
	}
	if (elapse > 0) {
		v[IND_COMM_TRANSIT] = percent((double)transit, (double)elapse);
		v[IND_COMM_WAIT_STEP] = us(elapse - transit) / steps;
	}
	free(sizes);
}

static void measure_units(const struct facts *f, struct scope *s)
{
	s->v[IND_MAC] = f->ops->aic_mac;
	s->v[IND_MTE2] = f->ops->aic_mte2;
	s->v[IND_VEC] = f->ops->aiv_vec;
}

/* Figures of device time and of copies: unknown, not 0, where the capture holds nothing that would show them. */
static void forget_unseen(const struct facts *f, struct scope *s)
{
	static const enum indicator device[] = { IND_DEVICE_EVENTS, IND_DEVICE_BUSY, IND_DEVICE_BUSY_PCT, IND_IDLE, IND_IDLE_PCT, IND_GAPS, IND_MEAN_GAP,
		IND_MAX_GAP, IND_MAX_GAP_PCT, IND_HOST_ONLY, IND_HOST_ONLY_PCT, IND_DEVICE_ONLY, IND_DEVICE_ONLY_PCT, IND_COMM,
		IND_COMM_PCT, IND_COMM_OF_DEVICE,
		IND_COMM_OVERLAP, IND_EXPOSED, IND_EXPOSED_PCT, IND_COMM_COUNT, IND_COMM_PER_STEP, IND_COMM_STEP_US, IND_COMPUTE, IND_COMPUTE_PCT,
		IND_COMPUTE_OF_DEVICE, IND_SYNC_IDLE, IND_HOST_EXCLUSIVE };
	static const enum indicator copies[] = { IND_COPY, IND_COPY_PCT, IND_D2H, IND_H2D };
	bool no_device = f->work->first == NO_TIME;

	for (size_t i = 0; no_device && i < ARRAY_LEN(device); i++)
		s->v[device[i]] = NAN;
	/* Kernel tables list kernels and collectives; copies stand in the timeline. */
	for (size_t i = 0; (no_device || (f->work->from_table && !f->work->sets.copy.n)) && i < ARRAY_LEN(copies); i++)
		s->v[copies[i]] = NAN;
}

void scope_measure(const struct facts *f, enum phase phase, struct scope *s)
{
	*s = (struct scope){ 0 };
	for (int i = 0; i < IND_MAX; i++)
		s->v[i] = NAN;
	make_window(f, phase, s);
	if (!s->window.n)
		return;
	measure_time(f, s);
	measure_work(f, s);
	measure_gaps(f, s);
	measure_spans(f, s);
	measure_host(f, s);
	measure_collectives(f, s);
	measure_units(f, s);
	forget_unseen(f, s);
}

void scope_done(struct scope *s)
{
	intervals_done(&s->window);
}
