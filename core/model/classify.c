/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/classify.h"

#include "core/base/mem.h"
#include "core/base/pattern.h"
#include "core/model/opname.h"

#include <stdlib.h>

enum {
	HW = 1 << LAYER_HARDWARE,
	COMM = 1 << LAYER_COMMUNICATION,
	PY = 1 << LAYER_PYTHON,
	FW = 1 << LAYER_FRAMEWORK,
	CANN = 1 << LAYER_CANN,
	GC = 1 << LAYER_GC,
	OVL = 1 << LAYER_OVERLAP,
	STEP = 1 << LAYER_STEP_TRACE,
	CNT = 1 << LAYER_COUNTER,
	OTH = 1 << LAYER_OTHER,
	ANY = (1 << LAYER_MAX) - 1,
	WORDS_MAX = 256,		/* bytes of a name in words; longer ones are cut */
};

struct work_rule {
	int layers;
	const char *lane, *type, *name;
	enum work kind, covered, alone;
	unsigned flags;
};

static const struct work_rule work_rules[] = {
#define WORK_IF(layers, lane, type, name, kind, covered, alone, flags) \
	{ layers, lane, type, name, WORK_##kind, WORK_##covered, WORK_##alone, flags },
#include "core/model/work.def"
};

struct op_rule {
	enum class_id class;
	enum subtype_id subtype;
	const char *words;
};

static const struct op_rule op_rules[] = {
#define OP_RULE(cl, sub, words) { CLASS_##cl, SUB_##cl##_##sub, words },
#include "core/model/class.def"
};

static const struct op_rule comm_rules[] = {
#define COMM_RULE(sub, words) { CLASS_COLLECTIVE, SUB_COLLECTIVE_##sub, words },
#include "core/model/class.def"
};

static const struct op_rule copy_rules[] = {
#define COPY_RULE(sub, words) { CLASS_COPY, SUB_COPY_##sub, words },
#include "core/model/class.def"
};

static const struct op_rule task_rules[] = {
#define TASK_RULE(cl, sub, pattern) { CLASS_##cl, SUB_##cl##_##sub, pattern },
#include "core/model/class.def"
};

static const char *const comm_names[] = {
#define COMM_NAME(pattern) pattern,
#include "core/model/class.def"
};

static const struct refine {
	struct op_class from;
	const char *api;
	struct op_class to;
} refines[] = {
#define OP_REFINE(cl, sub, api, to_cl, to_sub) { { CLASS_##cl, SUB_##cl##_##sub }, api, { CLASS_##to_cl, SUB_##to_cl##_##to_sub } },
#include "core/model/class.def"
};

static const struct core_rule {
	enum core_kind core;
	const char *pattern;
} core_rules[] = {
#define CORE_RULE(core, pattern) { CORE_##core, pattern },
#include "core/model/class.def"
};

struct classifier {
	struct pattern *lane[ARRAY_LEN(work_rules)], *type[ARRAY_LEN(work_rules)], *name[ARRAY_LEN(work_rules)];
	struct pattern *op[ARRAY_LEN(op_rules)], *comm[ARRAY_LEN(comm_rules)], *copy[ARRAY_LEN(copy_rules)];
	struct pattern *task[ARRAY_LEN(task_rules)];
	struct pattern *comm_name[ARRAY_LEN(comm_names)], *refine[ARRAY_LEN(refines)], *core[ARRAY_LEN(core_rules)];
	struct pattern *task_name;	/* a name that only says which kind of task it is */
	struct pattern *comm_task;	/* a task type of collectives */
};

static const char task_name_text[] = "^(kernel_(ai\\w*|mix_?ai[cv])|ai_?core|ai_?cpu|ai_?vector_?core|ai[cv](_sqe)?|mix_?ai[cv]|dsa(_sqe)?"
	"|ffts(_plus)?|stars_common|other|invalid)$";
static const char comm_task_text[] = "^(hccl|communication|hcom)$";

static bool compile_one(struct pattern **p, const char *text, unsigned flags, const char *table, size_t row, struct diag *d)
{
	struct diag why;

	if (!text)
		return true;
	if (pattern_compile(str_of(text), flags | PATTERN_PLAIN, p, &why) == ERR_OK)
		return true;
	diag_set(d, ERR_FAILED, table, -1, -1, "rule %zu: %s", row + 1, why.text);
	return false;
}

static bool compile_rules(struct pattern **p, const struct op_rule *rule, size_t n, unsigned flags, struct diag *d)
{
	for (size_t i = 0; i < n; i++)
		if (!compile_one(&p[i], rule[i].words, flags, "class.def", i, d))
			return false;
	return true;
}

static bool compile_work(struct classifier *c, struct diag *d)
{
	for (size_t i = 0; i < ARRAY_LEN(work_rules); i++) {
		const struct work_rule *r = &work_rules[i];

		if (!compile_one(&c->lane[i], r->lane, PATTERN_CASELESS, "work.def", i, d) ||
			!compile_one(&c->type[i], r->type, PATTERN_CASELESS, "work.def", i, d) ||
			!compile_one(&c->name[i], r->name, PATTERN_CASELESS, "work.def", i, d))
			return false;
	}
	return true;
}

static bool compile_all(struct classifier *c, struct diag *d)
{
	for (size_t i = 0; i < ARRAY_LEN(comm_names); i++)
		if (!compile_one(&c->comm_name[i], comm_names[i], 0, "class.def", i, d))
			return false;
	for (size_t i = 0; i < ARRAY_LEN(refines); i++)
		if (!compile_one(&c->refine[i], refines[i].api, 0, "class.def", i, d))
			return false;
	for (size_t i = 0; i < ARRAY_LEN(core_rules); i++)
		if (!compile_one(&c->core[i], core_rules[i].pattern, PATTERN_CASELESS, "class.def", i, d))
			return false;
	return compile_work(c, d) && compile_rules(c->op, op_rules, ARRAY_LEN(op_rules), 0, d) &&
		compile_rules(c->comm, comm_rules, ARRAY_LEN(comm_rules), 0, d) &&
		compile_rules(c->copy, copy_rules, ARRAY_LEN(copy_rules), 0, d) &&
		compile_rules(c->task, task_rules, ARRAY_LEN(task_rules), PATTERN_CASELESS, d) &&
		compile_one(&c->task_name, task_name_text, PATTERN_CASELESS, "classify.c", 0, d) &&
		compile_one(&c->comm_task, comm_task_text, PATTERN_CASELESS, "classify.c", 1, d);
}

struct classifier *classifier_new(struct diag *d)
{
	struct classifier *c = mem_zalloc(1, sizeof *c);

	if (compile_all(c, d))
		return c;
	classifier_free(c);
	return NULL;
}

static void free_list(struct pattern **p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pattern_free(p[i]);
}

void classifier_free(struct classifier *c)
{
	if (!c)
		return;
	free_list(c->lane, ARRAY_LEN(c->lane));
	free_list(c->type, ARRAY_LEN(c->type));
	free_list(c->name, ARRAY_LEN(c->name));
	free_list(c->op, ARRAY_LEN(c->op));
	free_list(c->comm, ARRAY_LEN(c->comm));
	free_list(c->copy, ARRAY_LEN(c->copy));
	free_list(c->task, ARRAY_LEN(c->task));
	free_list(c->comm_name, ARRAY_LEN(c->comm_name));
	free_list(c->refine, ARRAY_LEN(c->refine));
	free_list(c->core, ARRAY_LEN(c->core));
	pattern_free(c->task_name);
	pattern_free(c->comm_task);
	free(c);
}

/* Trimmed, and empty when it stands for nothing. */
static struct str given(struct str s)
{
	static const struct str nothing[] = { { "N/A", 3 }, { "NA", 2 }, { "none", 4 }, { "null", 4 }, { "-", 1 }, { "unknown", 7 } };

	s = str_trim(s);
	for (size_t i = 0; i < ARRAY_LEN(nothing); i++)
		if (str_is_nocase(s, nothing[i]))
			return (struct str){ "", 0 };
	return s;
}

static bool fits(const struct pattern *p, struct str s)
{
	return !p || pattern_has(p, s);
}

struct work_kind classify_work(const struct classifier *c, enum layer layer, struct str lane, struct str type, struct str name)
{
	int bit = (int)layer >= 0 && layer < LAYER_MAX ? 1 << layer : OTH;

	type = given(type);
	name = given(name);
	if (bit & (HW | OTH) && (pattern_has(c->task_name, name) || str_is(name, type)))
		name.n = 0;
	for (size_t i = 0; i < ARRAY_LEN(work_rules); i++) {
		const struct work_rule *r = &work_rules[i];

		if (r->layers & bit && fits(c->type[i], type) && fits(c->name[i], name) && fits(c->lane[i], lane))
			return (struct work_kind){ r->kind, r->covered, r->alone, r->flags };
	}
	return (struct work_kind){ WORK_OTHER, WORK_OTHER, WORK_OTHER, 0 };
}

static bool match_rules(struct pattern *const *p, const struct op_rule *rule, size_t n, struct str words, struct op_class *out)
{
	for (size_t i = 0; i < n; i++) {
		if (pattern_has(p[i], words)) {
			*out = (struct op_class){ rule[i].class, rule[i].subtype };
			return true;
		}
	}
	return false;
}

static bool is_comm_name(const struct classifier *c, struct str s)
{
	for (size_t i = 0; i < ARRAY_LEN(comm_names); i++)
		if (pattern_has(c->comm_name[i], s))
			return true;
	return false;
}

static struct str words_of(struct str s, char *buf)
{
	return (struct str){ buf, op_words(s, buf, WORDS_MAX) };
}

static struct op_class classify_comm(const struct classifier *c, struct str name, struct str type)
{
	struct op_class out = { CLASS_COLLECTIVE, SUB_COLLECTIVE_OTHER };
	char buf[WORDS_MAX];

	if (type.n)
		match_rules(c->comm, comm_rules, ARRAY_LEN(comm_rules), words_of(type, buf), &out);
	if (out.subtype == SUB_COLLECTIVE_OTHER && name.n)
		match_rules(c->comm, comm_rules, ARRAY_LEN(comm_rules), words_of(name, buf), &out);
	return out;
}

/* The words of the API in a kernel's name: "aclnnEmbedding_GatherV2AiCore_GatherV2" gives "embedding". */
static struct str api_words(struct str name, char *buf)
{
	const char *end = name.n ? memchr(name.p, '_', name.n) : NULL;

	if (!end || !str_begins(name, STR("aclnn")))
		return (struct str){ "", 0 };
	return words_of((struct str){ name.p, (size_t)(end - name.p) }, buf);
}

static struct op_class refined(const struct classifier *c, struct op_class op, struct str name)
{
	char buf[WORDS_MAX];

	for (size_t i = 0; i < ARRAY_LEN(refines); i++)
		if (op.class == refines[i].from.class && op.subtype == refines[i].from.subtype &&
			pattern_has(c->refine[i], api_words(name, buf)))
			return refines[i].to;
	return op;
}

/* All words of a kernel's name, the API's too: the last place where a class can come from. */
static bool match_whole_name(const struct classifier *c, struct str name, struct op_class *out)
{
	char buf[WORDS_MAX];
	size_t n = name_words(name, buf, sizeof buf);

	return match_rules(c->op, op_rules, ARRAY_LEN(op_rules), (struct str){ buf, n }, out);
}

static struct op_class class_of_task(const struct classifier *c, struct str task_type)
{
	struct op_class out = { CLASS_OTHER, SUB_OTHER_UNKNOWN };

	match_rules(c->task, task_rules, ARRAY_LEN(task_rules), task_type, &out);
	return out;
}

static bool match_op(const struct classifier *c, struct str s, struct op_class *out)
{
	char buf[WORDS_MAX];
	struct str words = words_of(s, buf);

	return words.n && (match_rules(c->copy, copy_rules, ARRAY_LEN(copy_rules), words, out) ||
		match_rules(c->op, op_rules, ARRAY_LEN(op_rules), words, out));
}

/* A copy whose type does not tell from where to where: its name may, and what carries it out. */
static struct op_class copy_direction(const struct classifier *c, struct str name, struct str task_type)
{
	struct op_class out;

	if (match_op(c, name, &out) && out.class == CLASS_COPY && out.subtype != SUB_COPY_OTHER)
		return out;
	out = class_of_task(c, task_type);
	return out.class == CLASS_COPY ? out : (struct op_class){ CLASS_COPY, SUB_COPY_OTHER };
}

struct op_class classify_op(const struct classifier *c, struct str name, struct str type, struct str task_type)
{
	struct op_class out;

	name = given(name);
	type = given(type);
	task_type = given(task_type);
	if (pattern_has(c->task_name, type))
		type.n = 0;
	if (pattern_has(c->task_name, name))
		name.n = 0;
	if (pattern_has(c->comm_task, task_type) || is_comm_name(c, type) || is_comm_name(c, name))
		return classify_comm(c, name, type);
	if (!match_op(c, type, &out) && !match_op(c, name, &out) && !match_whole_name(c, name, &out))
		return class_of_task(c, task_type);
	if (out.class == CLASS_COPY && out.subtype == SUB_COPY_OTHER)
		return copy_direction(c, name, task_type);
	return refined(c, out, name);
}

static const enum core_kind class_cores[CLASS_MAX] = {
#define CLASS(id, key, title, core) CORE_##core,
#include "core/model/class.def"
};

enum core_kind classify_core(const struct classifier *c, struct str task_type, struct op_class op)
{
	enum core_kind by_class = (int)op.class >= 0 && op.class < CLASS_MAX ? class_cores[op.class] : CORE_NONE;

	task_type = given(task_type);
	if (op.class == CLASS_COPY || op.class == CLASS_COLLECTIVE || !task_type.n)
		return by_class;
	for (size_t i = 0; i < ARRAY_LEN(core_rules); i++) {
		if (!pattern_has(c->core[i], task_type))
			continue;
		/* Timelines write AI_CORE for kernels of every kind of core. */
		if (core_rules[i].core == CORE_CUBE && (by_class == CORE_VECTOR || by_class == CORE_MIX))
			return by_class;
		return core_rules[i].core;
	}
	return by_class;
}

static const struct text {
	const char *key, *title;
} work_texts[WORK_MAX] = {
#define WORK(id, key, title) { key, title },
#include "core/model/work.def"
}, class_texts[CLASS_MAX] = {
#define CLASS(id, key, title, core) { key, title },
#include "core/model/class.def"
}, subtype_texts[SUB_MAX] = {
#define CLASS_SUB(cl, id, key, title) { key, title },
#include "core/model/class.def"
}, core_texts[CORE_MAX] = {
#define CORE(id, key, title) { key, title },
#include "core/model/class.def"
};

static const enum class_id subtype_classes[SUB_MAX] = {
#define CLASS_SUB(cl, id, key, title) CLASS_##cl,
#include "core/model/class.def"
};

static const struct text *text_at(const struct text *list, int i, int max)
{
	static const struct text none = { "?", "?" };

	return i >= 0 && i < max ? &list[i] : &none;
}

const char *work_key(enum work w)
{
	return text_at(work_texts, (int)w, WORK_MAX)->key;
}

const char *work_title(enum work w)
{
	return text_at(work_texts, (int)w, WORK_MAX)->title;
}

const char *class_key(enum class_id c)
{
	return text_at(class_texts, (int)c, CLASS_MAX)->key;
}

const char *class_title(enum class_id c)
{
	return text_at(class_texts, (int)c, CLASS_MAX)->title;
}

const char *subtype_key(enum subtype_id s)
{
	return text_at(subtype_texts, (int)s, SUB_MAX)->key;
}

const char *subtype_title(enum subtype_id s)
{
	return text_at(subtype_texts, (int)s, SUB_MAX)->title;
}

enum class_id subtype_class(enum subtype_id s)
{
	return (int)s >= 0 && s < SUB_MAX ? subtype_classes[s] : CLASS_OTHER;
}

const char *core_key(enum core_kind c)
{
	return text_at(core_texts, (int)c, CORE_MAX)->key;
}

const char *core_title(enum core_kind c)
{
	return text_at(core_texts, (int)c, CORE_MAX)->title;
}

bool class_find(struct str key, enum class_id *out)
{
	for (int i = 0; i < CLASS_MAX; i++) {
		if (str_is_nocase(key, str_of(class_texts[i].key))) {
			*out = (enum class_id)i;
			return true;
		}
	}
	return false;
}

bool subtype_find(enum class_id c, struct str key, enum subtype_id *out)
{
	for (int i = 0; i < SUB_MAX; i++) {
		if (subtype_classes[i] == c && str_is_nocase(key, str_of(subtype_texts[i].key))) {
			*out = (enum subtype_id)i;
			return true;
		}
	}
	return false;
}
