/* SPDX-License-Identifier: Apache-2.0 */
#include "core/report/info.h"

#include "core/base/wrap.h"
#include "core/load/load.h"

/* Folders can hold thousands of files that are not read; people see the first ones and a count. */
enum { REJECTS_SHOWN = 12 };

static void heading(struct buf *out, const char *text)
{
	buf_printf(out, "\n%s\n", text);
}

static void add_name(struct buf *out, const struct capture *c, const char *before, uint32_t id)
{
	if (!id)
		return;
	buf_str(out, before);
	buf_add(out, names_str(&c->names, id).p, names_str(&c->names, id).n);
}

static size_t rank_event_total(const struct capture *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nranks; i++)
		n += account_total(&c->ranks[i].account);
	return n;
}

static void write_title(const struct capture *c, struct buf *out)
{
	struct buf line = { 0 };

	buf_printf(&line, "%s: ", c->root);
	if (c->nranks)
		buf_printf(&line, "%zu rank%s, ", c->nranks, c->nranks == 1 ? "" : "s");
	if (c->has_cluster)
		buf_str(&line, "cluster analysis, ");
	wrap_count(&line, (int64_t)rank_event_total(c));
	buf_str(&line, " events");
	if (c->nranks) {
		const struct run_info *i = &c->ranks[0].info;

		buf_printf(&line, "; written by %s", c->ranks[0].writer);
		add_name(&line, c, " ", i->torch_npu ? i->torch_npu : i->mindspore);
		add_name(&line, c, ", CANN ", i->cann);
		add_name(&line, c, ", ", i->framework);
		add_name(&line, c, ", ", i->device_type);
		add_name(&line, c, ", ", i->level);
		add_name(&line, c, " ", i->aic_metrics);
	}
	wrap_text(out, (struct str){ line.p, line.n }, 0, 0, TEXT_COLUMNS);
	buf_done(&line);
}

static void write_file(const struct file_finding *f, struct buf *out)
{
	struct buf size = { 0 };

	buf_str(out, "  ");
	wrap_fit(out, str_of(f->path), 66);
	wrap_bytes(&size, f->bytes);
	buf_printf(out, "%10s\n", size.p);
	wrap_text(out, str_of(f->reason), 6, 0, TEXT_COLUMNS);
	buf_done(&size);
}

static void write_files(const struct capture *c, struct buf *out, bool accepted)
{
	size_t n = 0, most = accepted ? SIZE_MAX : REJECTS_SHOWN;

	for (size_t i = 0; i < c->nfindings; i++) {
		if (c->findings[i].accepted != accepted)
			continue;
		if (n == 0)
			heading(out, accepted ? "Files read" : "Files not read");
		if (n++ < most)
			write_file(&c->findings[i], out);
	}
	if (n > most)
		buf_printf(out, "  and %zu more (--json lists all)\n", n - most);
}

static void write_layers(const struct events *e, struct buf *out)
{
	struct buf line = { 0 };

	for (int l = 0; l < LAYER_MAX; l++) {
		size_t lanes = 0, events = 0;

		for (size_t i = 0; i < e->nlanes; i++)
			if (e->processes[e->lanes[i].process].layer == (enum layer)l && e->lanes[i].n) {
				lanes++;
				events += e->lanes[i].n;
			}
		if (!events)
			continue;
		buf_printf(&line, "%s%s ", line.n ? "; " : "", layer_title((enum layer)l));
		wrap_count(&line, (int64_t)events);
		buf_printf(&line, " in %zu lane%s", lanes, lanes == 1 ? "" : "s");
	}
	if (line.n)
		wrap_text(out, (struct str){ line.p, line.n }, 6, 0, TEXT_COLUMNS);
	buf_done(&line);
}

static void write_phases(const struct account *a, struct buf *out)
{
	struct buf line = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(a->by_phase); i++) {
		if (!a->by_phase[i])
			continue;
		buf_str(&line, line.n ? ", " : "");
		if (i)
			buf_char(&line, (char)i);
		else
			buf_str(&line, "none");
		buf_char(&line, ' ');
		wrap_count(&line, (int64_t)a->by_phase[i]);
	}
	buf_str(&line, "; kept ");
	wrap_count(&line, (int64_t)a->kept);
	buf_str(&line, ", dropped ");
	wrap_count(&line, (int64_t)account_dropped(a));
	wrap_text(out, (struct str){ line.p, line.n }, 6, 0, TEXT_COLUMNS);
	buf_done(&line);
}

static void write_drops(const struct account *a, struct buf *out)
{
	for (int i = 0; i < DROP_MAX; i++) {
		struct buf line = { 0 };

		if (!a->dropped[i].count)
			continue;
		buf_str(&line, "dropped ");
		wrap_count(&line, (int64_t)a->dropped[i].count);
		buf_printf(&line, ": %s", drop_text((enum drop)i));
		if (a->dropped[i].first_at >= 0)
			buf_printf(&line, " (first at byte %lld)", (long long)a->dropped[i].first_at);
		wrap_text(out, (struct str){ line.p, line.n }, 6, 0, TEXT_COLUMNS);
		buf_done(&line);
	}
}

static void write_links(const struct events *e, struct buf *out)
{
	for (int k = 0; k < LINK_MAX; k++) {
		const struct link_count *n = &e->link_counts[k];
		struct buf line = { 0 };

		if (!n->starts && !n->finishes)
			continue;
		buf_printf(&line, "%s: ", link_title((enum link_kind)k));
		wrap_count(&line, (int64_t)n->n);
		buf_str(&line, " links");
		if (n->unmatched)
			buf_printf(&line, ", %zu ends without partner", n->unmatched);
		wrap_text(out, (struct str){ line.p, line.n }, 6, 0, TEXT_COLUMNS);
		buf_done(&line);
	}
}

static void write_rank(const struct rank *r, struct buf *out)
{
	struct buf line = { 0 };

	if (r->id >= 0)
		buf_printf(&line, "rank %d (from %s)", r->id, r->id_from);
	else
		buf_str(&line, "single card (no rank information)");
	if (r->folder[0])
		buf_printf(&line, " in %s", r->folder);
	if (r->events.n) {
		buf_str(&line, ", ");
		wrap_time(&line, r->events.last_end - r->events.first_start);
	}
	wrap_text(out, (struct str){ line.p, line.n }, 2, 0, TEXT_COLUMNS);
	buf_done(&line);
	if (!account_total(&r->account))
		return;
	write_layers(&r->events, out);
	write_phases(&r->account, out);
	write_drops(&r->account, out);
	if (r->events.noutliers)
		buf_printf(out, "      %zu events claim a time in 1970: left out of the time range\n", r->events.noutliers);
	write_links(&r->events, out);
}

static void write_units(const struct capture *c, struct buf *out)
{
	heading(out, "Time units");
	for (size_t i = 0; i < c->nunits; i++) {
		struct buf line = { 0 };

		buf_printf(&line, "%s: %s%s. %s", c->units[i].artifact, c->units[i].unit, c->units[i].assumed ? " (assumed)" : "", c->units[i].evidence);
		wrap_text(out, (struct str){ line.p, line.n }, 4, 2, TEXT_COLUMNS);
		buf_done(&line);
	}
}

static void write_health(const struct capture *c, struct buf *out, bool good)
{
	static const char marks[] = ".!-?";
	size_t n = 0;

	for (size_t i = 0; i < c->nhealth; i++) {
		const struct health *h = &c->health[i];
		struct buf line = { 0 };

		if ((h->state == HEALTH_OK) != good)
			continue;
		if (n++ == 0)
			heading(out, good ? "Can be concluded" : "Cannot be concluded, or only in part");
		buf_printf(out, "  %c ", marks[h->state]);
		buf_printf(&line, "%s: %s", health_use(h->id), h->why);
		wrap_text(out, (struct str){ line.p, line.n }, 4, 4, TEXT_COLUMNS);
		buf_done(&line);
		if (h->recollect[0]) {
			buf_str(out, "      re-collect: ");
			wrap_text(out, str_of(h->recollect), 18, 18, TEXT_COLUMNS);
		}
	}
}

void info_write_text(const struct capture *c, struct buf *out)
{
	write_title(c, out);
	for (size_t i = 0; i < c->nnotes; i++)
		wrap_text(out, str_of(c->notes[i]), 2, 0, TEXT_COLUMNS);
	if (c->nranks)
		heading(out, "Ranks");
	for (size_t i = 0; i < c->nranks; i++)
		write_rank(&c->ranks[i], out);
	write_health(c, out, false);
	write_health(c, out, true);
	if (c->nunits)
		write_units(c, out);
	write_files(c, out, true);
	write_files(c, out, false);
}
