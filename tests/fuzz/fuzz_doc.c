/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON documents: the first byte chooses the kind ('i' profiler info, 'm' metadata, 'c' communication, 'C' cluster communication, 'x' matrix,
 * 'X' cluster matrix, 'g' groups; anything else by its remainder), the rest is the text. What comes out must hold together.
 */
#include "core/base/doc.h"
#include "core/load/doc/doc_load.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void comm_check(const struct comm *c, const struct names *names)
{
	for (size_t i = 0; i < c->nops; i++) {
		must(c->ops[i].first_transport <= c->ntransports && c->ops[i].ntransports <= c->ntransports - c->ops[i].first_transport);
		must(c->ops[i].name < names->n && c->ops[i].group < names->n && c->ops[i].step < names->n && c->ops[i].rank >= -1);
	}
	for (size_t i = 0; i < c->ntransports; i++) {
		const struct comm_transport *t = &c->transports[i];

		must(t->first_packet <= c->npackets && t->npackets <= c->npackets - t->first_packet && t->kind < names->n);
	}
	for (size_t i = 0; i < c->nedges; i++)
		must(c->edges[i].src >= -1 && c->edges[i].dst >= -1 && c->edges[i].op < names->n && c->edges[i].op_name < names->n);
	for (size_t i = 0; i < c->ngroups; i++)
		for (size_t k = 0; k < c->groups[i].nranks; k++)
			must(c->groups[i].ranks[k] >= 0);
}

/* Walking and building must agree on how many values there are, and every number has its digits in the text. */
static size_t values_of(struct str value)
{
	struct doc_walk w;
	struct str key, item;
	size_t n = 1;

	if (doc_walk_start(&w, value, '{') || doc_walk_start(&w, value, '['))
		while (doc_walk_next(&w, &key, &item))
			n += values_of(item);
	doc_walk_done(&w);
	return n;
}

static size_t items_of(const struct cJSON *item, struct str text)
{
	size_t n = 1;
	struct str digits;

	if (cJSON_IsNumber(item)) {
		must(doc_text(item, &digits) && digits.p >= text.p && digits.n <= text.n && digits.p + digits.n <= text.p + text.n);
		must(doc_kind(digits) == '0' && (digits.p + digits.n == text.p + text.n || !memchr("0123456789.eE+-", digits.p[digits.n], 15)));
	}
	for (item = item->child; item; item = item->next)
		n += items_of(item, text);
	return n;
}

static void text_check(struct str text)
{
	struct diag d = { 0 };
	struct str value;
	struct doc doc;

	if (doc_check(text, DOC_BYTES_MAX, &value, &d)) {
		must(d.text[0] && d.byte >= -1 && d.byte <= (int64_t)text.n);
		return;
	}
	must(doc_open(&doc, value, &d) == ERR_OK);
	must(items_of(doc.root, value) == values_of(value));
	doc_close(&doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char kinds[] = "imcCxXg";
	const char *found;
	struct str text;
	struct names names;
	struct run_info info;
	struct rank_hint hint;
	struct comm comm = { 0 };
	struct diag d;
	size_t kind;

	if (!size)
		return 0;
	text = (struct str){ (const char *)data + 1, size - 1 };
	found = data[0] ? strchr(kinds, data[0]) : NULL;
	kind = found ? (size_t)(found - kinds) : data[0] % (sizeof kinds - 1);
	names_init(&names);
	run_info_init(&info);
	text_check(text);
	switch (kinds[kind]) {
	case 'i': doc_load_profiler_info(text, &names, &info, &hint, &d); break;
	case 'm': doc_load_metadata(text, &names, &info, &comm, &d); break;
	case 'c': doc_load_communication(text, &names, &comm, &d); break;
	case 'C': doc_load_cluster_communication(text, &names, &comm, &d); break;
	case 'x': doc_load_matrix(text, false, &names, &comm, &d); break;
	case 'X': doc_load_matrix(text, true, &names, &comm, &d); break;
	default:  doc_load_groups(text, &names, &comm, &d); break;
	}
	must(info.level < names.n && info.aic_metrics < names.n && info.export_type < names.n && info.framework < names.n);
	comm_check(&comm, &names);
	comm_done(&comm);
	names_done(&names);
	return 0;
}
