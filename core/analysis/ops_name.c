/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names brought to what people call the operator. Of a host operator: one scope before it goes ("aten::", ...), then, as often as they are
 * there, what stands after it: "(x3)", "#12", a compiler's digest ("_1c45ab09"), counters ("_123_0"), an overload (".Tensor"). After a
 * scope anything behind the last dot is an overload; else only well-known ones are, for "Optimizer.step" is a name. A collective becomes
 * its kind: "hcom_allReduce__123_0_1@7" is AllReduce.
 */
#include "core/analysis/ops_private.h"

#include "core/model/opname.h"

enum { DIGEST_MIN = 8 };

static const char *const scopes[] = {
	"aten::", "torch_npu::", "torch::", "vllm::", "npu::", "c10::", "nn.Module: ", "nn.modules.", "nn.module.",
};

static const char *const overloads[] = {
	"default", "out", "input", "Tensor", "Scalar", "self", "dim", "Tensor_out", "Scalar_out", "Tensor_Tensor",
};

/* Longer ones first where one begins like another. */
static const struct {
	const char *word, *title;
} collectives[] = {
	{ "alltoallv", "AlltoAllV" }, { "alltoall", "AlltoAll" }, { "allreduce", "AllReduce" }, { "allgather", "AllGather" },
	{ "reducescatter", "ReduceScatter" }, { "broadcast", "Broadcast" }, { "batchsendrecv", "BatchSendRecv" }, { "send", "Send" },
	{ "receive", "Receive" }, { "recv", "Receive" }, { "scatter", "Scatter" }, { "gather", "Gather" }, { "reduce", "Reduce" },
	{ "barrier", "Barrier" },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static struct str head_of(struct str s, size_t n)
{
	return (struct str){ s.p, n };
}

static struct str tail_of(struct str s, size_t from)
{
	return (struct str){ s.p + from, s.n - from };
}

/* Whether s begins with the lower-case word; '_' and '-' in s do not count. */
static bool begins_like(struct str s, const char *word)
{
	size_t i = 0;

	while (*word && i < s.n) {
		if (s.p[i] != '_' && s.p[i] != '-' && lower(s.p[i]) != *word++)
			return false;
		i++;
	}
	return !*word;
}

/* What follows "hcom_", "HcclX" and the like; all of s when it is no collective. */
static struct str after_comm_prefix(struct str s)
{
	struct str rest;

	if (!begins_like(s, "hcom") && !begins_like(s, "hccl"))
		return s;
	rest = tail_of(s, 4);
	if (rest.n > 1 && (rest.p[0] == '_' || rest.p[0] == '-'))
		return tail_of(rest, 1);
	return rest.n && rest.p[0] >= 'A' && rest.p[0] <= 'Z' ? rest : s;
}

/* "@<digits>" of a group. */
static struct str without_group(struct str s)
{
	size_t n = s.n;

	while (n && is_digit(s.p[n - 1]))
		n--;
	return n > 1 && n < s.n && s.p[n - 1] == '@' ? head_of(s, n - 1) : s;
}

/* "(x3)", "(3)", "#3" and signs that hold nothing. */
static struct str without_repeat(struct str s)
{
	size_t n = s.n;

	if (n > 1 && (s.p[n - 1] == ',' || s.p[n - 1] == ' '))
		return head_of(s, n - 1);
	if (n && s.p[n - 1] == ')') {
		for (n--; n && is_digit(s.p[n - 1]); n--)
			;
		if (n && n < s.n - 1 && s.p[n - 1] == 'x')
			n--;
		return n > 1 && n < s.n - 1 && s.p[n - 1] == '(' ? head_of(s, n - 1) : s;
	}
	while (n && is_digit(s.p[n - 1]))
		n--;
	return n > 1 && n < s.n && s.p[n - 1] == '#' ? head_of(s, n - 1) : s;
}

/* "_123" and "__123". */
static struct str without_counter(struct str s)
{
	size_t n = s.n;

	while (n && is_digit(s.p[n - 1]))
		n--;
	if (n < 2 || n == s.n || s.p[n - 1] != '_')
		return s;
	while (n > 1 && s.p[n - 1] == '_')
		n--;
	return head_of(s, n);
}

/* "_1c45ab09": hexadecimal digits, some of them decimal. */
static struct str without_digest(struct str s)
{
	size_t n = s.n, decimal = 0;

	for (; n && (is_digit(s.p[n - 1]) || (s.p[n - 1] >= 'a' && s.p[n - 1] <= 'f')); n--)
		decimal += is_digit(s.p[n - 1]);
	return n > 1 && s.p[n - 1] == '_' && s.n - n >= DIGEST_MIN && decimal ? head_of(s, n - 1) : s;
}

static struct str without_overload(struct str s, bool scoped)
{
	struct str word;
	size_t n = s.n;

	while (n && s.p[n - 1] != '.')
		n--;
	if (n < 2 || n == s.n)
		return s;
	word = tail_of(s, n);
	if (scoped)
		return head_of(s, n - 1);
	for (size_t i = 0; i < ARRAY_LEN(overloads); i++)
		if (str_is(word, str_of(overloads[i])))
			return head_of(s, n - 1);
	return s;
}

static struct str without_scope(struct str s, bool *scoped)
{
	for (size_t i = 0; i < ARRAY_LEN(scopes); i++) {
		struct str scope = str_of(scopes[i]);

		if (s.n > scope.n && str_is_nocase(head_of(s, scope.n), scope)) {
			*scoped = scope.p[scope.n - 1] == ':';
			return tail_of(s, scope.n);
		}
	}
	*scoped = false;
	return s;
}

static uint32_t add_name(struct names *names, struct str s)
{
	return names_add(names, s.n ? s : STR("(unnamed)"));
}

uint32_t op_normal_name(struct names *names, uint32_t name)
{
	struct str s = without_group(str_trim(names_str(names, name))), comm = after_comm_prefix(s);
	bool scoped = false;
	size_t before;

	if (comm.p != s.p) {
		for (size_t i = 0; i < ARRAY_LEN(collectives); i++)
			if (begins_like(comm, collectives[i].word))
				return names_add(names, str_of(collectives[i].title));
		s = comm;
	} else {
		s = without_scope(s, &scoped);
	}
	do {
		before = s.n;
		s = without_counter(without_digest(without_repeat(s)));
		s = without_overload(s, scoped);
		scoped &= s.n == before;	/* one overload, whatever comes off besides */
	} while (s.n < before);
	return add_name(names, s);
}

uint32_t op_type_of_name(struct names *names, uint32_t name)
{
	struct str s = op_part(names_str(names, name));
	size_t before, n;

	if (s.n > 6 && str_begins(s, STR("trans_")) && s.p[6] >= 'A' && s.p[6] <= 'Z')	/* put in by the graph compiler: trans_TransData_4 */
		s = tail_of(s, 6);
	do {
		before = s.n;
		s = without_counter(s);
		for (n = s.n; n && is_digit(s.p[n - 1]); n--)
			;
		if (n > 3 && n < s.n && str_ends(head_of(s, n), STR("-op")))	/* graph nodes: MatMul-op12 */
			s.n = n - 3;
	} while (s.n < before);
	return add_name(names, s);
}
