/* SPDX-License-Identifier: Apache-2.0 */
#include "core/analysis/ops_private.h"

#include "core/base/mem.h"
#include "core/base/sort.h"

#include <stdlib.h>

/* ---- rows ---------------------------------------------------------------------------------------------------------------------------- */

uint32_t ops_row(struct op_build *b, enum work kind, uint32_t name)
{
	uint32_t *slot = index_map_slot(&b->row_of_name, (uint64_t)kind << 32 | name);
	bool host = kind == WORK_HOST_OP || kind == WORK_HOST_RUNTIME;
	struct op_row row = { .name = name, .side = host ? SIDE_HOST : SIDE_DEVICE, .kind = kind, .wait_ns = NO_TIME };

	if (*slot)
		return *slot - 1;
	if (kind == WORK_HOST_OP)
		row.class = classify_op(b->cl, names_str(b->names, name), STR(""), STR(""));
	else
		row.class = (struct op_class){ CLASS_OTHER, SUB_OTHER_UNKNOWN };
	row.core = CORE_NONE;
	*slot = (uint32_t)b->out->n + 1;
	ARRAY_PUSH(b->out, rows, n, cap) = row;
	return (uint32_t)b->out->n - 1;
}

uint32_t ops_normal(struct op_build *b, uint32_t name)
{
	if (name >= b->nnormal)
		return op_normal_name(b->names, name);
	if (b->normal[name] == NO_INDEX)
		b->normal[name] = op_normal_name(b->names, name);
	return b->normal[name];
}

static void row_add(struct op_row *row, int64_t ns)
{
	row->min_ns = row->count ? MIN(row->min_ns, ns) : ns;
	row->max_ns = row->count ? MAX(row->max_ns, ns) : ns;
	row->total_ns = ns_add(row->total_ns, ns);
	row->count++;
}

/* ---- device -------------------------------------------------------------------------------------------------------------------------- */

/* What stands in a Type column without naming an operator: nothing, or (in unofficial tables) the core. */
static const char *const no_types[] = {
	"", "N/A", "NULL", "AI_CORE", "AI_VECTOR_CORE", "AI_CPU", "MIX_AIC", "MIX_AIV", "HCCL", "COMMUNICATION", "DSA_SQE",
};

static bool is_type(struct str s)
{
	for (size_t i = 0; i < ARRAY_LEN(no_types); i++)
		if (str_is_nocase(str_trim(s), str_of(no_types[i])))
			return false;
	return true;
}

static struct str copy_name(enum subtype_id direction)
{
	switch ((int)direction) {
	case SUB_COPY_H2D: return STR("Memcpy H2D");
	case SUB_COPY_D2H: return STR("Memcpy D2H");
	case SUB_COPY_D2D: return STR("Memcpy D2D");
	case SUB_COPY_P2P: return STR("Memcpy P2P");
	default:	   return STR("Memcpy");	/* no direction told */
	}
}

static uint32_t copy_row(struct op_build *b, struct variant *v, struct str name, struct str core)
{
	v->class = classify_op(b->cl, name, STR(""), core);
	if (v->class.class != CLASS_COPY)
		v->class = (struct op_class){ CLASS_COPY, SUB_COPY_OTHER };
	return ops_row(b, WORK_COPY, names_add(b->names, copy_name(v->class.subtype)));
}

static uint32_t collective_row(struct op_build *b, struct variant *v, uint32_t name, struct str type)
{
	v->class = classify_op(b->cl, names_str(b->names, name), type, STR("COMMUNICATION"));
	if (v->class.subtype == SUB_COLLECTIVE_OTHER)
		return ops_row(b, WORK_COMMUNICATION, name);
	return ops_row(b, WORK_COMMUNICATION, names_add(b->names, str_of(subtype_title(v->class.subtype))));
}

static struct variant variant_make(struct op_build *b, enum work kind, uint32_t name, uint32_t type, uint32_t core)
{
	struct str name_text = names_str(b->names, name), type_text = names_str(b->names, type), core_text = names_str(b->names, core);
	struct variant v = { .core = CORE_NONE };

	if (kind == WORK_COPY) {
		v.row = copy_row(b, &v, name_text, core_text);
		return v;
	}
	if (kind == WORK_COMMUNICATION) {
		v.row = collective_row(b, &v, name, type_text);
		v.core = CORE_COMM;
		return v;
	}
	v.class = classify_op(b->cl, name_text, type_text, core_text);
	v.core = classify_core(b->cl, core_text, v.class);
	v.row = ops_row(b, kind, is_type(type_text) ? type : op_type_of_name(b->names, name));
	return v;
}

static uint32_t variant_of(struct op_build *b, enum work kind, uint32_t name, uint32_t type, uint32_t core)
{
	uint32_t *pair = index_map_slot(&b->pairs, (uint64_t)type << 32 | core), *slot;
	struct variant v;

	_Static_assert((int)WORK_WAIT < 8, "kinds of spans share a key with the pair's number");
	if (!*pair)
		*pair = ++b->npairs;
	slot = index_map_slot(&b->variant_of, (uint64_t)name << 32 | (uint64_t)(*pair & 0x1fffffff) << 3 | kind);
	if (*slot)
		return *slot - 1;
	*slot = (uint32_t)b->nvariants + 1;
	v = variant_make(b, kind, name, type, core);
	ARRAY_PUSH(b, variants, nvariants, cap_variants) = v;
	return (uint32_t)b->nvariants - 1;
}

struct kernel_columns {
	const struct column *type, *core, *dur, *wait;
	uint32_t *row_by_name;
	size_t nnames;
};

/* The row that tells a span's type: its own, else any of its name. */
static uint32_t telling_row(const struct kernel_columns *k, const struct span *s, uint32_t kernel)
{
	if (kernel != NO_INDEX || !k->row_by_name || s->name >= k->nnames)
		return kernel;
	return k->row_by_name[s->name];
}

static int64_t span_ns(const struct kernel_columns *k, const struct span *s, uint32_t kernel)
{
	int64_t ns = kernel != NO_INDEX && k->dur ? k->dur->num[kernel] : NO_TIME;

	/* A row whose duration is far from the timeline's is no finer answer: the timeline has shown what it was. */
	return ns >= 0 && MAX(ns_between(s->dur, ns), ns_between(ns, s->dur)) <= 1000 ? ns : MAX(s->dur, 0);
}

static void add_span(struct op_build *b, const struct kernel_columns *k, uint32_t i)
{
	const struct span *s = &b->m->spans[i];
	uint32_t kernel = b->out->kernel_of_span[i], teller = telling_row(k, s, kernel);
	uint32_t type = teller != NO_INDEX && k->type ? k->type->text[teller] : 0;
	uint32_t core = teller != NO_INDEX && k->core ? k->core->text[teller] : 0;
	int64_t ns = span_ns(k, s, kernel), wait = kernel != NO_INDEX && k->wait ? k->wait->num[kernel] : NO_TIME;
	struct op_row *row;
	struct variant *v;

	if (!core && !b->m->from_table)
		core = b->m->r->events.type[s->source];
	/* Every collective has a name of its own: by their normal names they are few. */
	b->variant_of_span[i] = variant_of(b, s->kind, s->kind == WORK_COMMUNICATION ? ops_normal(b, s->name) : s->name, type, core);
	v = &b->variants[b->variant_of_span[i]];
	v->ns = ns_add(v->ns, ns);
	row = &b->out->rows[v->row];
	if (wait >= 0)
		row->wait_ns = ns_add(row->wait_ns == NO_TIME ? 0 : row->wait_ns, wait);
	b->members[b->nmembers++] = (struct member){ ns, i, v->row };
}

static void add_device(struct op_build *b)
{
	const struct table *t = b->kernels;
	struct kernel_columns k = { .nnames = b->m->c->names.n };

	ops_match(b->m, t, b->out->kernel_of_span);
	k.row_by_name = ops_rows_by_name(b->m, t);
	if (t) {
		k.type = table_col(t, COL_TYPE);
		k.core = table_col(t, COL_CORE);
		k.dur = table_col(t, COL_DURATION);
		k.wait = table_col(t, COL_WAIT);
	}
	for (size_t i = 0; i < b->m->nspans; i++)
		if (b->m->spans[i].kind != WORK_WAIT)
			add_span(b, &k, (uint32_t)i);
	free(k.row_by_name);
}

/* A row's class and core are those of the variant with most time in it; the earlier of equals. */
static void settle_classes(struct op_build *b)
{
	uint32_t *best = mem_alloc(b->out->n, sizeof *best);

	for (size_t i = 0; i < b->out->n; i++)
		best[i] = NO_INDEX;
	for (size_t i = 0; i < b->nvariants; i++) {
		uint32_t *top = &best[b->variants[i].row];

		if (*top == NO_INDEX || b->variants[i].ns > b->variants[*top].ns)
			*top = (uint32_t)i;
	}
	for (size_t i = 0; i < b->out->n; i++) {
		if (best[i] == NO_INDEX)
			continue;
		b->out->rows[i].class = b->variants[best[i]].class;
		b->out->rows[i].core = b->variants[best[i]].core;
	}
	free(best);
}

/* ---- order --------------------------------------------------------------------------------------------------------------------------- */

struct rank_key {
	enum op_side side;
	int64_t total;
	struct str name;
	enum work kind;
	uint32_t row;
};

static int rank_compare(const void *x, const void *y)
{
	const struct rank_key *a = x, *b = y;
	int order;

	if (a->side != b->side)
		return a->side < b->side ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	order = memcmp(a->name.p, b->name.p, MIN(a->name.n, b->name.n));
	if (order == 0)
		order = (a->name.n > b->name.n) - (a->name.n < b->name.n);
	return order ? order : (a->kind > b->kind) - (a->kind < b->kind);
}

static void sort_rows(struct op_build *b)
{
	struct op_table *t = b->out;
	struct rank_key *keys = mem_alloc(t->n, sizeof *keys);
	struct op_row *sorted = mem_alloc(t->n, sizeof *sorted);
	uint32_t *place = mem_alloc(t->n, sizeof *place);

	for (size_t i = 0; i < t->n; i++)
		keys[i] = (struct rank_key){ t->rows[i].side, t->rows[i].total_ns, names_str(b->names, t->rows[i].name), t->rows[i].kind, (uint32_t)i };
	if (t->n)
		qsort(keys, t->n, sizeof *keys, rank_compare);
	for (size_t i = 0; i < t->n; i++) {
		sorted[i] = t->rows[keys[i].row];
		place[keys[i].row] = (uint32_t)i;
		t->ndevice += keys[i].side == SIDE_DEVICE;
	}
	for (size_t i = 0; i < b->nmembers; i++)
		b->members[i].row = place[b->members[i].row];
	free(t->rows);
	t->rows = sorted;
	t->cap = t->n;
	free(place);
	free(keys);
}

/* Runs of members, row after row; at[row] is where the next one goes. */
static size_t *run_starts(struct op_table *t)
{
	size_t *at = mem_alloc(t->n, sizeof *at), sum = 0;

	for (size_t i = 0; i < t->n; i++) {
		at[i] = t->rows[i].first = sum;
		t->rows[i].n = t->rows[i].count;
		sum += t->rows[i].n;
	}
	return at;
}

static void list_members(struct op_build *b)
{
	struct op_table *t = b->out;
	size_t *at = run_starts(t);

	t->nmembers = b->nmembers;
	t->members = mem_alloc(t->nmembers, sizeof *t->members);
	for (size_t i = 0; i < b->nmembers; i++) {
		const struct member *p = &b->members[i];

		t->members[at[p->row]++] = p->id;
		if (t->rows[p->row].side == SIDE_DEVICE)
			t->row_of_span[p->id] = p->row;
	}
	free(at);
}

/* Nearest rank: the smallest value that at least p percent of the values do not exceed. */
static int64_t percentile(const int64_t *sorted, size_t n, unsigned p)
{
	size_t rank = n / 100 * p + (n % 100 * p + 99) / 100;

	return n ? sorted[rank ? rank - 1 : 0] : 0;
}

/* One sort over all members, then dealt out to the rows: linear however many rows there are. */
static void add_percentiles(struct op_build *b)
{
	struct op_table *t = b->out;
	uint64_t *keys = mem_alloc(b->nmembers, sizeof *keys);
	uint32_t *order = mem_alloc(b->nmembers, sizeof *order);
	int64_t *sorted = mem_alloc(b->nmembers, sizeof *sorted);
	size_t *at = run_starts(t);

	for (size_t i = 0; i < b->nmembers; i++)
		keys[i] = sort_key(b->members[i].ns);
	sort_by_key(keys, order, b->nmembers);
	for (size_t i = 0; i < b->nmembers; i++)
		sorted[at[b->members[order[i]].row]++] = b->members[order[i]].ns;
	for (size_t i = 0; i < t->n; i++) {
		t->rows[i].p50_ns = percentile(sorted + t->rows[i].first, t->rows[i].n, 50);
		t->rows[i].p95_ns = percentile(sorted + t->rows[i].first, t->rows[i].n, 95);
	}
	free(at);
	free(sorted);
	free(order);
	free(keys);
}

/* ---- sums ---------------------------------------------------------------------------------------------------------------------------- */

static void add_totals(struct op_build *b)
{
	for (size_t i = 0; i < b->nmembers; i++)
		row_add(&b->out->rows[b->members[i].row], b->members[i].ns);
	for (size_t i = 0; i < b->out->n; i++) {
		struct op_row *row = &b->out->rows[i];
		int64_t *sum = row->side == SIDE_DEVICE ? &b->out->device_ns : row->kind == WORK_HOST_OP ? &b->out->host_ns : &b->out->runtime_ns;

		*sum = ns_add(*sum, row->total_ns);
		if (row->side == SIDE_DEVICE)
			row->inclusive_ns = row->total_ns;
	}
}

static void sum_classes(struct op_build *b)
{
	struct op_table *t = b->out;

	for (size_t i = 0; i < CLASS_MAX; i++)
		t->classes[i].class = (enum class_id)i;
	for (size_t i = 0; i < t->ndevice; i++) {
		struct op_class_sum *sum = &t->classes[t->rows[i].class.class];

		sum->count += t->rows[i].count;
		sum->total_ns = ns_add(sum->total_ns, t->rows[i].total_ns);
	}
	for (size_t i = 0; i < b->m->nspans; i++) {
		const struct span *s = &b->m->spans[i];

		if (t->row_of_span[i] != NO_INDEX)
			intervals_add(&t->classes[t->rows[t->row_of_span[i]].class.class].set, s->start, ns_add(s->start, s->dur));
	}
	for (size_t i = 0; i < CLASS_MAX; i++) {
		intervals_normalise(&t->classes[i].set);
		intervals_index(&t->classes[i].set);
	}
}

/* ---- the table ----------------------------------------------------------------------------------------------------------------------- */

static size_t host_events(const struct work_model *m)
{
	size_t n = 0;

	for (size_t i = 0; m->kind && i < m->r->events.n; i++)
		n += m->kind[i] == WORK_HOST_OP || m->kind[i] == WORK_HOST_RUNTIME;
	return n;
}

static void build_start(struct op_build *b, const struct work_model *m, const struct classifier *cl, struct op_table *out)
{
	*out = (struct op_table){ 0 };
	*b = (struct op_build){ .m = m, .cl = cl, .out = out };
	b->names = (struct names *)&m->c->names;	/* names only grow: everybody's ids and texts stay */
	b->kernels = rank_kernels(m->r);
	b->nnormal = b->names->n;
	b->normal = mem_alloc(b->nnormal, sizeof *b->normal);
	memset(b->normal, 0xff, b->nnormal * sizeof *b->normal);
	b->members = mem_alloc(m->nspans + host_events(m), sizeof *b->members);
	b->variant_of_span = mem_alloc(m->nspans, sizeof *b->variant_of_span);
	out->row_of_span = mem_alloc(m->nspans, sizeof *out->row_of_span);
	out->kernel_of_span = mem_alloc(m->nspans, sizeof *out->kernel_of_span);
	memset(out->row_of_span, 0xff, m->nspans * sizeof *out->row_of_span);
}

static void build_done(struct op_build *b)
{
	index_map_done(&b->row_of_name);
	index_map_done(&b->pairs);
	index_map_done(&b->variant_of);
	free(b->variants);
	free(b->variant_of_span);
	free(b->covers);
	free(b->normal);
	free(b->members);
}

void ops_find(const struct work_model *m, const struct classifier *cl, struct op_table *out)
{
	struct thresholds th;
	struct op_build b;

	build_start(&b, m, cl, out);
	add_device(&b);
	settle_classes(&b);
	ops_add_host(&b);
	add_totals(&b);
	ops_add_ratios(&b);
	sort_rows(&b);
	list_members(&b);
	add_percentiles(&b);
	sum_classes(&b);
	thresholds_init(&th);
	ops_set_bounds(out, &th);
	build_done(&b);
}

void ops_done(struct op_table *t)
{
	for (size_t i = 0; i < CLASS_MAX; i++)
		intervals_done(&t->classes[i].set);
	free(t->rows);
	free(t->members);
	free(t->row_of_span);
	free(t->kernel_of_span);
	*t = (struct op_table){ 0 };
}
