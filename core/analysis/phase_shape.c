/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phases from the shape of the steps, when nobody declares them. Three things may tell: which attention kernels a step has, how many tokens
 * its matrix products take (kernel table), and how long it is. Lengths alone are weak: a long step may have another reason.
 */
#include "core/analysis/steps_private.h"

#include "core/base/index_map.h"
#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

enum sign { SIGN_NONE, SIGN_PREFILL, SIGN_DECODE, SIGN_BOTH, SIGN_TRAINING, SIGN_MAX };
enum { TOKENS_DECODE_MAX = 256, TOKENS_PREFILL_MIN = 1024, TWO_MODES_MIN = 4, UNIFORM_MIN = 8, ROUNDS_MAX = 64 };

#define MODE_DISTANCE 0.35		/* between the means of log10 */
#define UNIFORM_SPREAD 0.25		/* standard deviation over mean */
#define SHORT_STEP ((int64_t)100000000)	/* ns */

struct shape {
	size_t signs[SIGN_MAX];		/* kernels */
	int64_t tokens;			/* median over the step's matrix products; 0 unknown */
	int64_t length;			/* ns */
	enum phase vote[3];		/* by attention, by tokens, by length */
};

struct shapes {
	const struct work_model *m;
	struct steps *s;
	struct shape *items;
	size_t signs[SIGN_MAX], kernels;
	double low, high;		/* means of the last two modes, in the unit of the values */
};

/* ---- attention ----------------------------------------------------------------------------------------------------------------------- */

static enum sign sign_of_name(struct str name)
{
	static const struct {
		const char *part;
		enum sign sign;
	} signs[] = {
#define ATTENTION(part, sign) { part, SIGN_##sign },
#include "core/analysis/phase_attention.def"
	};
	char letters[192];
	struct str s = { letters, 0 };

	for (size_t i = 0; i < name.n && s.n < sizeof letters; i++) {
		char ch = name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] + 32) : name.p[i];

		if (ch >= 'a' && ch <= 'z')
			letters[s.n++] = ch;
	}
	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (str_has(s, str_of(signs[i].part)))
			return signs[i].sign;
	return SIGN_NONE;
}

static void count_signs(struct shapes *x)
{
	struct index_map known = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < x->m->nspans; i++) {
		const struct span *p = &x->m->spans[i];
		uint32_t *slot;

		while (at < x->s->n && p->start >= x->s->items[at].end)
			at++;
		if (at == x->s->n || p->start < x->s->items[at].start || p->kind != WORK_COMPUTE)
			continue;
		slot = index_map_slot(&known, p->name);
		if (!*slot)
			*slot = 1 + (uint32_t)sign_of_name(names_str(&x->m->c->names, p->name));
		x->items[at].signs[*slot - 1]++;
		x->signs[*slot - 1]++;
		x->kernels++;
	}
	index_map_done(&known);
}

/* A step that does both (chunked prefill) is a prefill step when its prompts are more than a trifle. */
static size_t vote_attention(struct shapes *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->s->n; i++) {
		struct shape *p = &x->items[i];

		if (p->signs[SIGN_PREFILL] && 4 * p->signs[SIGN_PREFILL] >= p->signs[SIGN_DECODE])
			p->vote[0] = PHASE_PREFILL;
		else if (p->signs[SIGN_DECODE])
			p->vote[0] = PHASE_DECODE;
		n += p->vote[0] != PHASE_UNKNOWN;
	}
	return n;
}

/* ---- tokens -------------------------------------------------------------------------------------------------------------------------- */

static bool is_product(struct str type)
{
	char low[32];
	struct str s = { low, MIN(type.n, sizeof low) };

	for (size_t i = 0; i < s.n; i++)
		low[i] = type.p[i] >= 'A' && type.p[i] <= 'Z' ? (char)(type.p[i] + 32) : type.p[i];
	return str_begins(s, STR("matmul")) || str_begins(s, STR("quantbatchmatmul")) || str_begins(s, STR("quantmatmul"))
		|| str_begins(s, STR("weightquantbatchmatmul")) || str_begins(s, STR("mm")) || str_begins(s, STR("groupedmatmul"));
}

/* Rows of the first input: the product of all its dimensions but the last. "4096,5120;896,5120" and "[[1,1024],[1024,4096]]"; 0 unknown. */
static int64_t tokens_of(struct str shapes)
{
	int64_t rows = 1, dim = 0;
	size_t i = 0, dims = 0;

	while (i < shapes.n && (shapes.p[i] == '"' || shapes.p[i] == '[' || shapes.p[i] == ' ' || shapes.p[i] == '('))
		i++;
	for (; i < shapes.n && shapes.p[i] >= '0' && shapes.p[i] <= '9'; i++) {
		if (dims++)
			rows = rows < INT32_MAX ? rows * dim : rows;
		for (dim = 0; i < shapes.n && shapes.p[i] >= '0' && shapes.p[i] <= '9' && dim < INT32_MAX / 10; i++)
			dim = dim * 10 + (shapes.p[i] - '0');
		while (i < shapes.n && shapes.p[i] == ' ')
			i++;
		if (i == shapes.n || shapes.p[i] != ',')
			break;
		while (i + 1 < shapes.n && shapes.p[i + 1] == ' ')
			i++;
	}
	return dims >= 2 && dims <= 3 && rows < INT32_MAX ? rows : 0;
}

struct row_tokens {
	size_t step;
	int64_t tokens;
};

struct token_list {
	struct row_tokens *items;
	size_t n, cap;
};

static int tokens_compare(const void *x, const void *y)
{
	const struct row_tokens *a = x, *b = y;

	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	return (a->tokens > b->tokens) - (a->tokens < b->tokens);
}

static void collect_tokens(const struct shapes *x, const struct table *t, struct token_list *l)
{
	const struct column *start = table_col(t, COL_START), *type = table_col(t, COL_TYPE), *shape = table_col(t, COL_INPUT_SHAPES);
	const struct column *device = table_col(t, COL_DEVICE_ID);
	struct index_map known = { 0 };

	for (size_t i = 0; start && type && shape && i < t->nrows; i++) {
		uint32_t *slot;
		size_t step;

		if (start->num[i] == NO_TIME || (device && x->m->device >= 0 && device->num[i] != NO_INT && device->num[i] != x->m->device))
			continue;
		step = step_of_time(x->s, start->num[i]);
		if (step == x->s->n)
			continue;
		slot = index_map_slot(&known, (uint64_t)type->text[i] << 32 | shape->text[i]);
		if (!*slot)
			*slot = 1 + (is_product(names_str(&x->m->c->names, type->text[i]))
				? (uint32_t)tokens_of(names_str(&x->m->c->names, shape->text[i])) : 0);
		if (*slot > 1)
			ARRAY_PUSH(l, items, n, cap) = (struct row_tokens){ step, *slot - 1 };
	}
	index_map_done(&known);
	if (l->n)
		qsort(l->items, l->n, sizeof *l->items, tokens_compare);
}

/* ---- two modes ----------------------------------------------------------------------------------------------------------------------- */

/* Two groups of positive values on a logarithmic axis; *limit is between them. False when there is only one. */
static bool two_modes(const double *values, size_t n, struct shapes *x, double *limit)
{
	double low = INFINITY, high = -INFINITY, before = 0;

	for (size_t i = 0; i < n; i++) {
		low = fmin(low, values[i]);
		high = fmax(high, values[i]);
	}
	if (n < TWO_MODES_MIN || high - low < MODE_DISTANCE)
		return false;
	for (int round = 0; round < ROUNDS_MAX; round++) {
		double sums[2] = { 0, 0 }, mid = (low + high) / 2;
		size_t counts[2] = { 0, 0 };

		for (size_t i = 0; i < n; i++) {
			sums[values[i] > mid] += values[i];
			counts[values[i] > mid]++;
		}
		if (!counts[0] || !counts[1])
			return false;
		low = sums[0] / (double)counts[0];
		high = sums[1] / (double)counts[1];
		if (round && fabs((low + high) / 2 - before) < 1e-6)
			break;
		before = (low + high) / 2;
	}
	x->low = pow(10, low);
	x->high = pow(10, high);
	*limit = pow(10, (low + high) / 2);
	return high - low >= MODE_DISTANCE;
}

static enum phase phase_of_tokens(int64_t tokens)
{
	return tokens >= TOKENS_PREFILL_MIN ? PHASE_PREFILL : tokens > 0 && tokens <= TOKENS_DECODE_MAX ? PHASE_DECODE : PHASE_UNKNOWN;
}

static size_t vote_tokens(struct shapes *x)
{
	const struct table *t = rank_kernels(x->m->r);
	double *values = mem_alloc(x->s->n, sizeof *values), limit = 0;
	struct token_list l = { 0 };
	size_t n = 0, votes = 0;
	bool two;

	if (t)
		collect_tokens(x, t, &l);
	for (size_t i = 0, k; i < l.n; i = k) {
		for (k = i; k < l.n && l.items[k].step == l.items[i].step; k++)
			;
		x->items[l.items[i].step].tokens = l.items[i + (k - i) / 2].tokens;
		values[n++] = log10((double)l.items[i + (k - i) / 2].tokens);
	}
	two = two_modes(values, n, x, &limit) && x->high >= TOKENS_DECODE_MAX && x->low < TOKENS_PREFILL_MIN;
	for (size_t i = 0; i < x->s->n; i++) {
		int64_t tokens = x->items[i].tokens;

		if (tokens)
			x->items[i].vote[1] = !two ? phase_of_tokens(tokens) : (double)tokens > limit ? PHASE_PREFILL : PHASE_DECODE;
		votes += x->items[i].vote[1] != PHASE_UNKNOWN;
	}
	free(l.items);
	free(values);
	return votes;
}

static size_t vote_length(struct shapes *x)
{
	double *values = mem_alloc(x->s->n, sizeof *values), limit = 0;
	size_t n = 0, votes = 0, whole = x->s->n - (x->s->source == STEPS_MARKS ? 0 : 1);	/* the last may be cut by the end */

	for (size_t i = 0; i < whole; i++)
		if (x->items[i].length > 0)
			values[n++] = log10((double)x->items[i].length);
	if (two_modes(values, n, x, &limit))
		for (size_t i = 0; i < x->s->n; i++, votes++)
			x->items[i].vote[2] = (double)x->items[i].length > limit ? PHASE_PREFILL : PHASE_DECODE;
	free(values);
	return votes;
}

/* ---- the answer ---------------------------------------------------------------------------------------------------------------------- */

static bool is_uniform(const struct shapes *x, double *mean)
{
	double sum = 0, square = 0, n = (double)x->s->n;

	for (size_t i = 0; i < x->s->n; i++) {
		double v = (double)x->items[i].length;

		sum += v;
		square += v * v;
	}
	*mean = sum / n;
	return x->s->n >= UNIFORM_MIN && sum > 0 && sqrt(fmax(square / n - *mean * *mean, 0)) < UNIFORM_SPREAD * *mean
		&& *mean <= (double)SHORT_STEP;
}

static void say_unknown(struct steps *s, const char *why)
{
	s->phase_confidence = CONF_LOW;
	s->phase_reason = why;
}

/* Attention decides, then tokens, then length; *against counts steps in which two that vote differ. */
static size_t settle_votes(struct shapes *x, size_t *against)
{
	size_t both = 0;

	*against = 0;
	for (size_t i = 0; i < x->s->n; i++) {
		const enum phase *v = x->items[i].vote;
		enum phase first = v[0] != PHASE_UNKNOWN ? v[0] : v[1] != PHASE_UNKNOWN ? v[1] : v[2];

		x->s->items[i].phase = first;
		both += v[0] != PHASE_UNKNOWN && v[1] != PHASE_UNKNOWN;
		for (size_t k = 0; k < 2; k++)
			if (v[k] != PHASE_UNKNOWN && v[k] != first) {
				++*against;
				break;
			}
	}
	return both;
}

static void token_range(const struct shapes *x, enum phase phase, int64_t range[2])
{
	range[0] = range[1] = 0;
	for (size_t i = 0; i < x->s->n; i++)
		if (x->s->items[i].phase == phase && x->items[i].tokens) {
			range[0] = range[0] ? MIN(range[0], x->items[i].tokens) : x->items[i].tokens;
			range[1] = MAX(range[1], x->items[i].tokens);
		}
}

static void say_votes(struct shapes *x, const size_t votes[3])
{
	struct steps *s = x->s;
	size_t against, both = settle_votes(x, &against), prefill = 0, decode = 0;
	struct buf b = { 0 };
	int64_t range[2];

	for (size_t i = 0; i < s->n; i++) {
		prefill += s->items[i].phase == PHASE_PREFILL;
		decode += s->items[i].phase == PHASE_DECODE;
	}
	buf_printf(&b, "%zu prefill and %zu decode of %zu steps", prefill, decode, s->n);
	if (votes[0])
		buf_printf(&b, "; attention kernels tell %zu (%zu for prompts, %zu for decode)", votes[0], x->signs[SIGN_PREFILL], x->signs[SIGN_DECODE]);
	if (votes[1])
		buf_printf(&b, "; tokens in matrix products tell %zu", votes[1]);
	for (enum phase p = PHASE_PREFILL; votes[1] && p <= PHASE_DECODE; p++) {
		token_range(x, p, range);
		if (range[0])
			buf_printf(&b, " (%s %lld to %lld)", phase_key(p), (long long)range[0], (long long)range[1]);
	}
	if (votes[2])
		buf_printf(&b, "; lengths have two modes, %.2f ms and %.2f ms", x->low / 1e6, x->high / 1e6);
	if (against)
		buf_printf(&b, "; in %zu steps attention and tokens differ, attention decides", against);
	buf_str(&b, ".");
	s->phase_confidence = !votes[0] && !votes[1] ? CONF_LOW : against * 10 > s->n ? CONF_LOW : both * 10 >= s->n * 9 ? CONF_HIGH : CONF_MEDIUM;
	s->phase_reason = arena_copy(&s->arena, b.p, b.n);
	buf_done(&b);
}

static void decide(struct shapes *x)
{
	size_t votes[3] = { vote_attention(x), vote_tokens(x), 0 };
	size_t attention = x->signs[SIGN_PREFILL] + x->signs[SIGN_DECODE] + x->signs[SIGN_BOTH];
	double mean = 0;

	if (x->signs[SIGN_TRAINING] * 100 > x->kernels) {
		say_unknown(x->s, arena_printf(&x->s->arena, "%zu of %zu kernels compute gradients or update weights: this is training, which has no"
			" prefill and decode.", x->signs[SIGN_TRAINING], x->kernels));
		return;
	}
	if (!attention && x->s->source != STEPS_ENGINE) {
		say_unknown(x->s, "No attention kernel and no engine call: nothing shows that this is language model inference.");
		return;
	}
	votes[2] = vote_length(x);
	if (votes[0] || votes[1] || votes[2]) {
		say_votes(x, votes);
		return;
	}
	if (!is_uniform(x, &mean)) {
		say_unknown(x->s, arena_printf(&x->s->arena, "%zu steps of %.2f ms on average: neither attention kernels nor token counts nor lengths"
			" tell the phase.", x->s->n, mean / 1e6));
		return;
	}
	for (size_t i = 0; i < x->s->n; i++)
		x->s->items[i].phase = PHASE_DECODE;
	x->s->phase_confidence = CONF_LOW;
	x->s->phase_reason = arena_printf(&x->s->arena, "%zu steps of nearly the same short length, %.2f ms on average, are taken as decode;"
		" nothing else tells.", x->s->n, mean / 1e6);
}

void phases_of_shape(const struct work_model *m, struct steps *s)
{
	struct shapes x = { .m = m, .s = s };

	x.items = mem_zalloc(s->n, sizeof *x.items);
	for (size_t i = 0; i < s->n; i++) {
		const struct step *p = &s->items[i];

		x.items[i].length = p->first != NO_TIME ? p->last - p->first : p->end - p->start;
	}
	count_signs(&x);
	decide(&x);
	free(x.items);
}
