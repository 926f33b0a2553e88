/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/events.h"

#include "core/base/mem.h"

#include <stdlib.h>

struct named_list {
	const char *title, *names;
};

static const struct named_list layers[LAYER_MAX] = {
#define LAYER(id, title, names) [LAYER_##id] = { title, names },
#include "core/model/layer.def"
#undef LAYER
};

static const struct named_list link_kinds[LINK_MAX] = {
#define LINK(id, names, title) [LINK_##id] = { title, names },
#include "core/model/link.def"
#undef LINK
};

/* The first entry one of whose '|'-separated globs matches. */
static size_t named_find(const struct named_list *list, size_t n, struct str text)
{
	for (size_t i = 0; i < n; i++) {
		const char *p = list[i].names;

		while (*p) {
			size_t len = strcspn(p, "|");
			char glob[64];

			memcpy(glob, p, MIN(len, sizeof glob - 1));
			glob[MIN(len, sizeof glob - 1)] = '\0';
			if (str_like(text, glob))
				return i;
			p += len + (p[len] == '|');
		}
	}
	return n - 1;
}

const char *layer_title(enum layer l)
{
	return l >= 0 && l < LAYER_MAX ? layers[l].title : "Other";
}

enum layer layer_of_process(struct str process_name)
{
	return (enum layer)named_find(layers, LAYER_MAX, process_name);
}

enum link_kind link_kind_of(struct str category)
{
	return (enum link_kind)named_find(link_kinds, LINK_MAX, category);
}

const char *link_title(enum link_kind k)
{
	return k >= 0 && k < LINK_MAX ? link_kinds[k].title : "other flow";
}

void events_done(struct events *e)
{
	big_free(e->start, e->n, sizeof *e->start);
	big_free(e->dur, e->n, sizeof *e->dur);
	big_free(e->name, e->n, sizeof *e->name);
	big_free(e->type, e->n, sizeof *e->type);
	big_free(e->connection, e->n, sizeof *e->connection);
	big_free(e->span, e->n, sizeof *e->span);
	big_free(e->span_len, e->n, sizeof *e->span_len);
	big_free(e->flags, e->n, sizeof *e->flags);
	big_free(e->counter_time, e->nsamples, sizeof *e->counter_time);
	big_free(e->counter_value, e->nsamples, sizeof *e->counter_value);
	free(e->counters);
	free(e->links);
	free(e->lanes);
	free(e->processes);
	*e = (struct events){ 0 };
}

const struct lane *events_lane(const struct events *e, size_t i)
{
	size_t lo = 0, hi = e->nlanes;

	/* Empty lanes share their neighbour's first index: the last lane that begins at or before i holds it. */
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (e->lanes[mid].first <= i)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo > 0 && e->lanes[lo - 1].n == 0)
		lo--;
	return lo ? &e->lanes[lo - 1] : NULL;
}
