/* SPDX-License-Identifier: Apache-2.0 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/base/pattern.h"

#include "core/base/mem.h"
#include "core/base/utf8.h"

#include <pcre2.h>
#include <stdatomic.h>
#include <stdlib.h>

/*
 * What one match may cost. Names are short, so these are far above any honest use: (a+)+$ on 40 letters stops after a few milliseconds.
 */
enum {
	MATCH_STEPS = 500000,		/* backtracking steps */
	MATCH_DEPTH = 20000,		/* backtracking points at once */
	MATCH_HEAP_KIB = 8192,
	NEST_MAX = 100,			/* parentheses in parentheses */
	SPARE = 4,			/* match blocks kept for reuse */
};

struct pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
	_Atomic(pcre2_match_data *) *spare;	/* [SPARE], NULL when taken: so that matching allocates nothing as a rule */
	bool jit, caseless, whole;
};

static void *pattern_alloc(size_t bytes, void *unused)
{
	(void)unused;
	return mem_alloc(bytes, 1);
}

static void pattern_release(void *p, void *unused)
{
	(void)unused;
	free(p);
}

/* Skips what follows a backslash at s[i]: a class like \W or \x{1F} asks for no capital letter although it holds one. */
static size_t escape_end(struct str s, size_t i)
{
	char c;

	if (++i >= s.n)
		return i;
	c = s.p[i++];
	if (strchr("pPkgNxo", c) && i < s.n && (s.p[i] == '{' || s.p[i] == '<' || s.p[i] == '\'')) {
		char close = s.p[i] == '{' ? '}' : s.p[i] == '<' ? '>' : '\'';

		for (i++; i < s.n && s.p[i] != close; i++)
			;
		return i < s.n ? i + 1 : i;
	}
	if (c == 'p' || c == 'P' || c == 'c')
		return MIN(i + 1, s.n);
	if (c == 'x')
		for (size_t k = 0; k < 2 && i < s.n && strchr("0123456789abcdefABCDEF", s.p[i]) && s.p[i]; k++)
			i++;
	return i;
}

/* Skips the name of a group "(?<Name>", "(?P<Name>", "(?'Name'" or of a verb "(*VERB)" that begins at s[i] == '('. */
static size_t group_name_end(struct str s, size_t i)
{
	char close;

	if (++i < s.n && s.p[i] == '*') {
		close = ')';
	} else {
		if (i >= s.n || s.p[i] != '?')
			return i;
		if (++i < s.n && s.p[i] == 'P')
			i++;
		if (i >= s.n || (s.p[i] != '<' && s.p[i] != '\''))
			return i;
		close = s.p[i] == '<' ? '>' : '\'';
		if (close == '>' && i + 1 < s.n && (s.p[i + 1] == '=' || s.p[i + 1] == '!'))
			return i + 2;		/* a look behind, not a name */
	}
	for (i++; i < s.n && s.p[i] != close; i++)
		;
	return i;
}

static bool is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool asks_for_capital(struct str s, bool literal)
{
	bool quoted = literal;

	for (size_t i = 0; i < s.n;) {
		if (!literal && s.p[i] == '\\' && i + 1 < s.n && s.p[i + 1] == (quoted ? 'E' : 'Q')) {
			quoted = !quoted;
			i += 2;
		} else if (!quoted && s.p[i] == '\\') {
			i = escape_end(s, i);
		} else if (!quoted && s.p[i] == '(') {
			i = group_name_end(s, i);
		} else if (is_capital(s.p[i++])) {
			return true;
		}
	}
	return false;
}

static uint32_t compile_options(unsigned flags, bool caseless)
{
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_DOLLAR_ENDONLY;

	if (caseless)
		options |= PCRE2_CASELESS;
	if (flags & PATTERN_LITERAL)	/* PCRE2 takes few other options with it */
		options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_LITERAL | (options & PCRE2_CASELESS);
	if (flags & PATTERN_WHOLE)
		options |= PCRE2_ANCHORED | PCRE2_ENDANCHORED;
	return options;
}

static enum err compile_failed(int error, size_t at, struct str text, struct diag *d)
{
	PCRE2_UCHAR why[128];
	char shown[120];

	if (pcre2_get_error_message(error, why, sizeof why) < 0)
		memcpy(why, "not a regular expression", sizeof "not a regular expression");
	utf8_clean(text, shown, sizeof shown);
	return diag_set(d, ERR_USAGE, NULL, (int64_t)MIN(at, text.n), -1, "pattern \"%s\": %s (after %zu bytes)", shown,
		(const char *)why, MIN(at, text.n));
}

static struct pattern *pattern_new(pcre2_code *code, pcre2_general_context *memory)
{
	struct pattern *p = mem_zalloc(1, sizeof *p);

	p->code = code;
	p->limits = pcre2_match_context_create(memory);
	pcre2_set_match_limit(p->limits, MATCH_STEPS);
	pcre2_set_depth_limit(p->limits, MATCH_DEPTH);
	pcre2_set_heap_limit(p->limits, MATCH_HEAP_KIB);
	p->spare = mem_alloc(SPARE, sizeof *p->spare);
	for (size_t i = 0; i < SPARE; i++)
		atomic_init(&p->spare[i], NULL);
	return p;
}

enum err pattern_compile(struct str text, unsigned flags, struct pattern **out, struct diag *d)
{
	pcre2_general_context *memory;
	pcre2_compile_context *context;
	pcre2_code *code;
	int error = 0;
	PCRE2_SIZE at = 0;
	bool caseless = (flags & PATTERN_CASELESS) ||
		((flags & PATTERN_SMART_CASE) && !asks_for_capital(text, (flags & PATTERN_LITERAL) != 0));

	*out = NULL;
	if (text.n > PATTERN_MAX_BYTES)
		return diag_set(d, ERR_LIMIT, NULL, -1, -1, "the pattern has %zu bytes; at most %d are taken", text.n, PATTERN_MAX_BYTES);
	memory = pcre2_general_context_create(pattern_alloc, pattern_release, NULL);
	context = pcre2_compile_context_create(memory);
	pcre2_set_parens_nest_limit(context, NEST_MAX);
	code = pcre2_compile((PCRE2_SPTR)(text.p ? text.p : ""), text.n, compile_options(flags, caseless), &error, &at, context);
	if (code) {
		*out = pattern_new(code, memory);
		(*out)->caseless = caseless;
		(*out)->whole = (flags & PATTERN_WHOLE) != 0;
		/* Machine code is a bonus: where it may not be made, the interpreter gives the same answers. */
		(*out)->jit = !(flags & PATTERN_PLAIN) && pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0;
	}
	pcre2_compile_context_free(context);
	pcre2_general_context_free(memory);
	return code ? ERR_OK : compile_failed(error, at, text, d);
}

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < SPARE; i++)
		pcre2_match_data_free(atomic_load(&p->spare[i]));
	free(p->spare);
	pcre2_match_context_free(p->limits);
	pcre2_code_free(p->code);
	free(p);
}

static pcre2_match_data *match_take(const struct pattern *p)
{
	for (size_t i = 0; i < SPARE; i++) {
		pcre2_match_data *m = atomic_exchange(&p->spare[i], NULL);

		if (m)
			return m;
	}
	return pcre2_match_data_create_from_pattern(p->code, NULL);	/* from the memory of the code: never NULL */
}

static void match_give(const struct pattern *p, pcre2_match_data *m)
{
	for (size_t i = 0; i < SPARE; i++) {
		pcre2_match_data *none = NULL;

		if (atomic_compare_exchange_strong(&p->spare[i], &none, m))
			return;
	}
	pcre2_match_data_free(m);
}

static bool is_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

static bool is_well_formed(struct str s)
{
	uint32_t cp;
	size_t used;

	if (is_ascii(s))
		return true;
	for (; s.n; s.p += used, s.n -= used) {
		used = utf8_next(s, &cp);
		if (used == 1 && (unsigned char)s.p[0] >= 0x80)
			return false;
	}
	return true;
}

/* The first place not before `from` where a character can begin. */
static size_t character_from(struct str s, size_t from)
{
	while (from < s.n && ((unsigned char)s.p[from] & 0xc0) == 0x80)
		from++;
	return from;
}

/*
 * Machine code and interpreter differ in the places of empty matches beside malformed bytes, so such text is left to the interpreter: the
 * answer must not depend on the machine. What needs more than the 32 KiB stack of machine code goes there too; it has our own limits.
 */
static int match(const struct pattern *p, struct str s, size_t from, pcre2_match_data *m)
{
	PCRE2_SPTR text = (PCRE2_SPTR)(s.p ? s.p : "");
	bool jit = p->jit && is_well_formed(s);
	int got = pcre2_match(p->code, text, s.n, from, jit ? 0 : PCRE2_NO_JIT, m, p->limits);

	if (got == PCRE2_ERROR_JIT_STACKLIMIT)
		got = pcre2_match(p->code, text, s.n, from, PCRE2_NO_JIT, m, p->limits);
	return got;
}

enum pattern_hit pattern_find(const struct pattern *p, struct str s, size_t from, struct pattern_span *span)
{
	struct pattern_span at = { 0, 0 };
	pcre2_match_data *m;
	int got;

	if (from > s.n)
		return PATTERN_MISS;
	from = character_from(s, from);
	m = match_take(p);
	got = match(p, s, from, m);
	if (got >= 0) {
		const PCRE2_SIZE *o = pcre2_get_ovector_pointer(m);

		/* \K in a look ahead can put the start behind the end */
		at = (struct pattern_span){ MIN(o[0], o[1]), MAX(o[0], o[1]) };
	}
	match_give(p, m);
	if (got < 0)
		return got == PCRE2_ERROR_NOMATCH ? PATTERN_MISS : PATTERN_GAVE_UP;
	if (p->whole && (at.end != s.n || from != 0))	/* the library takes a malformed byte for an end */
		return PATTERN_MISS;
	if (span)
		*span = at;
	return PATTERN_HIT;
}

bool pattern_has(const struct pattern *p, struct str s)
{
	return pattern_find(p, s, 0, NULL) == PATTERN_HIT;
}

size_t pattern_after(struct str s, struct pattern_span span)
{
	uint32_t cp;

	if (span.end > span.start)
		return span.end;
	if (span.end >= s.n)
		return s.n + 1;
	return span.end + utf8_next((struct str){ s.p + span.end, s.n - span.end }, &cp);
}

bool pattern_is_caseless(const struct pattern *p)
{
	return p->caseless;
}
