/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/opname.h"

enum { HASH_DIGITS = 32 };		/* of a compiled kernel's name */

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct str tail(struct str s, size_t from)
{
	return (struct str){ s.p + from, s.n - from };
}

/* Index after the last c, 0 when there is none. */
static size_t after_last(struct str s, char c)
{
	for (size_t i = s.n; i > 0; i--)
		if (s.p[i - 1] == c)
			return i;
	return 0;
}

static bool all_digits(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_digit(s.p[i]))
			return false;
	return true;
}

/* "_Z14scatter_customIfi..." and "_ZN2ns3fooE..." give the last plain identifier. */
static struct str unmangled(struct str s)
{
	struct str found = s;
	size_t i = 2;

	if (!str_begins(s, STR("_Z")))
		return s;
	while (i < s.n && (s.p[i] == 'N' || s.p[i] == 'K' || s.p[i] == 'L'))
		i++;
	while (i < s.n && is_digit(s.p[i])) {
		size_t len = 0;

		for (; i < s.n && is_digit(s.p[i]) && len < s.n; i++)
			len = len * 10 + (size_t)(s.p[i] - '0');
		if (len == 0 || len > s.n - i)
			break;
		found = (struct str){ s.p + i, len };
		i += len;
	}
	return found;
}

/* Cuts "_<32 hex digits>..." that the kernel compiler appends. */
static struct str without_hash(struct str s)
{
	size_t run = 0;

	for (size_t i = 1; i < s.n; i++) {
		bool hex = is_digit(s.p[i]) || (s.p[i] >= 'a' && s.p[i] <= 'f');

		run = hex ? run + 1 : 0;
		if (run == HASH_DIGITS && i > run && s.p[i - run] == '_' && (i + 1 == s.n || s.p[i + 1] == '_'))
			return (struct str){ s.p, i - run };
	}
	return s;
}

/* The last part of "aclnnApi_Kernel_Type" that is not only a number. */
static struct str last_part(struct str s)
{
	for (;;) {
		size_t at = after_last(s, '_');

		if (at == 0)
			return s;
		if (!all_digits(tail(s, at)))
			return tail(s, at);
		s.n = at - 1;
	}
}

struct str op_part(struct str s)
{
	size_t at;

	s = str_trim(s);
	at = after_last(s, '@');
	if (at && all_digits(tail(s, at)))	/* hcom_x@<group> */
		s.n = at - 1;
	else if (at)				/* AscendCL@aclnnX */
		s = tail(s, at);
	at = after_last(s, '/');
	if (at && at < s.n)
		s = tail(s, at);
	at = after_last(s, ':');
	if (at > 1 && at < s.n && s.p[at - 2] == ':')
		s = tail(s, at);
	s = without_hash(unmangled(s));
	return str_begins(s, STR("aclnn")) ? last_part(s) : s;
}

/* Whether a word begins at i, given that s.p[i] and s.p[i - 1] are letters or digits. */
static bool word_begins(struct str s, size_t i)
{
	char c = s.p[i], before = s.p[i - 1];
	bool lower_next = i + 1 < s.n && is_lower(s.p[i + 1]);

	if (!is_upper(c))
		return false;
	if (c == 'V' && i + 1 < s.n && is_digit(s.p[i + 1]))
		return true;				/* MatMul|V2 */
	return is_lower(before) || lower_next;		/* mat|Mul, NLL|Loss, Conv2D|Backprop */
}

static bool is_version(struct str w)
{
	return w.n > 1 && (w.p[0] == 'V' || w.p[0] == 'v') && all_digits(tail(w, 1));
}

struct writer {
	char *out;
	size_t n, size;
};

static void write_word(struct writer *w, struct str word)
{
	if (word.n == 0 || all_digits(word) || is_version(word))
		return;
	if (w->n && w->n + 1 < w->size)
		w->out[w->n++] = ' ';
	for (size_t i = 0; i < word.n && w->n + 1 < w->size; i++)
		w->out[w->n++] = (char)(is_upper(word.p[i]) ? word.p[i] + 32 : word.p[i]);
}

size_t name_words(struct str s, char *out, size_t size)
{
	struct writer w = { out, 0, size };
	size_t from = 0;

	if (size == 0)
		return 0;
	if (str_begins(s, STR("aclnn")))
		s = tail(s, 5);
	for (size_t i = 0; i <= s.n && w.n + 1 < size; i++) {
		bool part = i < s.n && (is_lower(s.p[i]) || is_upper(s.p[i]) || is_digit(s.p[i]));

		if (part && (i == from || !word_begins(s, i)))
			continue;
		write_word(&w, (struct str){ s.p + from, i - from });
		from = part ? i : i + 1;
	}
	while (w.n && out[w.n - 1] == ' ')
		w.n--;
	out[w.n] = '\0';
	return w.n;
}

size_t op_words(struct str name, char *out, size_t size)
{
	struct str part = op_part(name);

	if (str_ends(part, STR("GetWorkspaceSize")))
		part.n -= strlen("GetWorkspaceSize");
	return name_words(part, out, size);
}
