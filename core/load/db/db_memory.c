/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory tables: sizes in bytes, times in ns, as stored. The driver's view of the process (NPU_MEM "app") is a component, as in the text
 * export.
 */
#include "core/load/db/db_read.h"

#include "core/load/table/table_load.h"

#include <inttypes.h>
#include <stdio.h>

struct cell {
	enum col id;
	int column;			/* of the query */
};

static void ints_set(struct table_builder *b, const struct db_rows *rows, const struct cell *cells, size_t n)
{
	int64_t v;

	for (size_t i = 0; i < n; i++)
		if (db_int(rows, cells[i].column, &v))
			table_set_int(b, cells[i].id, v);
}

static void number_set(struct table_builder *b, enum col id, const struct db_rows *rows, int column, const char *head)
{
	char text[48];
	int64_t v;

	if (!db_int(rows, column, &v) || v < 0)
		return;
	snprintf(text, sizeof text, "%s%" PRId64, head, v);
	table_set_text(b, id, str_of(text));
}

/* Rows of two tables go into one. */
struct lazy {
	struct db_reader *r;
	enum artifact kind;
	struct table *table;
	struct table_builder *b;
};

static struct table_builder *lazy_row(struct lazy *l)
{
	if (!l->b) {
		l->table = table_wanted(l->r, l->kind);
		l->b = l->table ? table_build(l->table, l->kind, l->r->t->names) : NULL;
	}
	if (l->b)
		table_row(l->b);
	return l->b;
}

static void lazy_done(struct lazy *l)
{
	if (l->b)
		table_built(l->b);
}

/* GE knows no active memory: the 0 there means nothing. */
static void record_read(struct db_reader *r, struct lazy *l)
{
	static const struct cell cells[] = { { COL_START, 1 }, { COL_ALLOCATED, 2 }, { COL_RESERVED, 3 } };
	static const char columns[] = "component timestamp totalAllocated totalReserved totalActive streamPtr deviceId";
	struct db_rows rows;
	int64_t active;

	if (!db_rows_open(&rows, &r->db, "MEMORY_RECORD", columns))
		return;
	while (db_rows_next(&rows)) {
		struct str component = names_str(r->t->names, text_column(r, &rows, 0));
		struct table_builder *b = lazy_row(l);

		if (!b) {
			db_rows_close(&rows);
			return;
		}
		table_set_text(b, COL_COMPONENT, component);
		ints_set(b, &rows, cells, ARRAY_LEN(cells));
		if (db_int(&rows, 4, &active) && (active || !str_is(component, STR("GE"))))
			table_set_int(b, COL_ACTIVE, active);
		number_set(b, COL_STREAM_PTR, &rows, 5, "");
		number_set(b, COL_DEVICE, &rows, 6, "NPU:");
	}
}

static void app_read(struct db_reader *r, struct lazy *l)
{
	struct db_rows rows;
	int64_t ddr, hbm, time;

	if (!db_rows_open(&rows, &r->db, "NPU_MEM", "type timestampNs ddr hbm deviceId"))
		return;
	while (db_rows_next(&rows)) {
		struct table_builder *b;

		if (!str_is(names_str(r->t->names, text_column(r, &rows, 0)), STR("app")) || !db_int(&rows, 1, &time))
			continue;
		b = lazy_row(l);
		if (!b) {
			db_rows_close(&rows);
			return;
		}
		ddr = hbm = 0;
		table_set_text(b, COL_COMPONENT, STR("APP"));
		table_set_int(b, COL_START, time);
		if (db_int(&rows, 2, &ddr) + db_int(&rows, 3, &hbm) && ddr >= 0 && hbm >= 0 && ddr < INT64_MAX / 2 && hbm < INT64_MAX / 2)
			table_set_int(b, COL_RESERVED, ddr + hbm);
		number_set(b, COL_DEVICE, &rows, 4, "NPU:");
	}
}

static void blocks_read(struct db_reader *r)
{
	static const struct cell cells[] = {
		{ COL_SIZE, 1 }, { COL_ALLOC_TIME, 2 }, { COL_RELEASE_TIME, 3 }, { COL_ACTIVE_RELEASE, 4 }, { COL_DURATION, 5 },
		{ COL_ACTIVE_DURATION, 6 }, { COL_ALLOC_ALLOCATED, 7 }, { COL_ALLOC_RESERVED, 8 }, { COL_ALLOC_ACTIVE, 9 },
		{ COL_REL_ALLOCATED, 10 }, { COL_REL_RESERVED, 11 }, { COL_REL_ACTIVE, 12 },
	};
	static const char columns[] = "name size allocationTime releaseTime activeReleaseTime duration activeDuration "
		"allocationTotalAllocated allocationTotalReserved allocationTotalActive releaseTotalAllocated releaseTotalReserved "
		"releaseTotalActive streamPtr deviceId";
	struct lazy l = { .r = r, .kind = ART_OPERATOR_MEMORY };
	struct db_rows rows;

	if (!db_rows_open(&rows, &r->db, "OP_MEMORY", columns))
		return;
	while (db_rows_next(&rows)) {
		struct table_builder *b = lazy_row(&l);

		if (!b) {
			db_rows_close(&rows);
			return;
		}
		table_set_text(b, COL_NAME, names_str(r->t->names, text_column(r, &rows, 0)));
		ints_set(b, &rows, cells, ARRAY_LEN(cells));
		number_set(b, COL_STREAM_PTR, &rows, 13, "");
		number_set(b, COL_DEVICE, &rows, 14, "NPU:");
	}
	lazy_done(&l);
}

enum { MODULES = 512 };

static void modules_read(struct db_reader *r)
{
	static const struct cell cells[] = { { COL_START, 1 }, { COL_RESERVED, 2 } };
	struct lazy l = { .r = r, .kind = ART_NPU_MODULE_MEM };
	uint32_t names[MODULES] = { 0 };
	struct db_rows rows;
	int64_t id;

	if (db_rows_open(&rows, &r->db, "ENUM_MODULE", "id name"))
		while (db_rows_next(&rows))
			if (db_int(&rows, 0, &id) && id >= 0 && id < MODULES)
				names[id] = names_add(r->t->names, db_text(&rows, 1));
	if (!db_rows_open(&rows, &r->db, "NPU_MODULE_MEM", "moduleId timestampNs totalReserved deviceId"))
		return;
	while (db_rows_next(&rows)) {
		struct table_builder *b = lazy_row(&l);

		if (!b) {
			db_rows_close(&rows);
			return;
		}
		if (db_int(&rows, 0, &id) && id >= 0 && id < MODULES && names[id])
			table_set_text(b, COL_COMPONENT, names_str(r->t->names, names[id]));
		else
			number_set(b, COL_COMPONENT, &rows, 0, "");
		ints_set(b, &rows, cells, ARRAY_LEN(cells));
		number_set(b, COL_DEVICE, &rows, 3, "NPU:");
	}
	lazy_done(&l);
}

void memory_read(struct db_reader *r)
{
	struct lazy records = { .r = r, .kind = ART_MEMORY_RECORD };

	if (!r->t->tables)
		return;
	progress_stage(r->db.progress, "memory");
	app_read(r, &records);
	record_read(r, &records);
	lazy_done(&records);
	blocks_read(r);
	modules_read(r);
}
