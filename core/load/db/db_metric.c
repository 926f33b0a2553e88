/* SPDX-License-Identifier: Apache-2.0 */
/* TASK_PMU_INFO: hardware counters, one row per task and counter, as columns by kernel. */
#include "core/load/db/db_kernel.h"

#include "core/base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { METRICS_KEPT = 256 };

/* Times are ns and bandwidths bytes per second in the database, us and GB/s (2^30) in the text export, where two times have other names. */
static struct metric metric_of(struct db_reader *r, uint32_t name)
{
	struct str text = names_str(r->t->names, name);
	struct metric m = { .name = name, .shown = name, .scale = 1 };

	if (str_is(text, STR("aic_total_time")))
		m.shown = name_of(r, "aicore_time");
	else if (str_is(text, STR("aiv_total_time")))
		m.shown = name_of(r, "aiv_time");
	if (str_ends(text, STR("_time")))
		m.scale = 0.001;
	else if (str_has(text, STR("_bw")))
		m.scale = 1.0 / (1 << 30);
	return m;
}

static struct metric *metric_get(struct db_reader *r, struct metrics *all, uint32_t name)
{
	uint32_t *slot = index_map_slot(&all->by_name, name);
	struct metric *m;

	if (*slot)
		return *slot <= all->n ? &all->items[*slot - 1] : NULL;
	*slot = UINT32_MAX;
	if (all->n == METRICS_KEPT || name_is_nothing(r, name))
		return NULL;
	ARRAY_PUSH(all, items, n, cap) = metric_of(r, name);
	ARRAY_PUSH(&r->metrics, items, n, cap) = name;
	*slot = (uint32_t)all->n;
	m = &all->items[all->n - 1];
	m->values = mem_alloc(r->kernels.n, sizeof *m->values);
	for (size_t i = 0; i < r->kernels.n; i++)
		m->values[i] = (double)NAN;
	if (all->repeats) {
		m->next = mem_alloc(r->computes.n, sizeof *m->next);
		for (size_t i = 0; i < r->computes.n; i++)
			m->next[i] = r->computes.items[i].first_kernel;
	}
	return m;
}

/* Kernels of the same compute row in the order in which they ran. */
static bool kernels_chain(struct db_reader *r)
{
	uint32_t *last = mem_zalloc(r->computes.n, sizeof *last);
	bool repeats = false;

	for (size_t i = 0; i < r->kernels.n; i++) {
		uint32_t c = r->kernels.items[i].compute;

		if (last[c])
			r->kernels.items[last[c] - 1].next = (uint32_t)i + 1;
		else
			r->computes.items[c].first_kernel = (uint32_t)i + 1;
		repeats = repeats || last[c];
		last[c] = (uint32_t)i + 1;
	}
	free(last);
	return repeats;
}

void metrics_read(struct db_reader *r, struct metrics *all)
{
	struct db_rows rows;
	int64_t id;
	double v;

	all->repeats = kernels_chain(r);
	if (!r->kernels.n || !db_rows_open(&rows, &r->db, "TASK_PMU_INFO", "globalTaskId name value"))
		return;
	progress_stage(r->db.progress, "hardware counters");
	while (db_rows_next(&rows)) {
		uint32_t compute = db_int(&rows, 0, &id) ? ids_get(&r->compute_of, id) : 0;
		struct metric *m = compute && db_num(&rows, 2, &v) ? metric_get(r, all, text_column(r, &rows, 1)) : NULL;
		uint32_t kernel = !m ? 0 : m->next ? m->next[compute - 1] : r->computes.items[compute - 1].first_kernel;

		if (!kernel)
			continue;
		m->values[kernel - 1] = v * m->scale;
		m->any = m->any || v > 0 || v < 0;
		if (m->next)
			m->next[compute - 1] = r->kernels.items[kernel - 1].next;
	}
}

/* The database also has counters of units that a core does not have; text exports leave them out. */
bool metric_is_void(const struct db_reader *r, const struct metric *m)
{
	static const char *const without[] = { "aic_vec_*", "aiv_mac_*", "aiv_mte1_*", "aiv_fixpipe_*" };

	for (size_t i = 0; i < ARRAY_LEN(without) && !m->any; i++)
		if (str_like(names_str(r->t->names, m->name), without[i]))
			return true;
	return false;
}

void metrics_done(struct metrics *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->items[i].values);
		free(all->items[i].next);
	}
	free(all->items);
	index_map_done(&all->by_name);
}
