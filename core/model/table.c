/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/table.h"

#include "core/model/cells.h"

#include <stdlib.h>

static const struct {
	const char *key, *title;
	enum form form;
} artifact_info[ART_MAX] = {
#define ARTIFACT(id, name, aform, files, needed, text) [ART_##id] = { .key = name, .title = text, .form = FORM_##aform },
#include "core/model/artifact.def"
#undef ARTIFACT
};

const char *artifact_key(enum artifact a)
{
	return a < ART_MAX ? artifact_info[a].key : "unknown";
}

const char *artifact_title(enum artifact a)
{
	return a < ART_MAX ? artifact_info[a].title : "not recognised";
}

enum form artifact_form(enum artifact a)
{
	return a < ART_MAX ? artifact_info[a].form : FORM_DOC;
}

const struct column *table_col(const struct table *t, enum col id)
{
	for (size_t i = 0; t && i < t->ncolumns; i++)
		if (t->columns[i].id == id)
			return &t->columns[i];
	return NULL;
}

const struct column *table_metric(const struct table *t, const struct names *names, const char *metric)
{
	uint32_t name;

	if (!t || !names_find(names, str_of(metric), &name))
		return NULL;
	for (size_t i = 0; i < t->ncolumns; i++)
		if (t->columns[i].id == COL_METRIC && t->columns[i].metric == name)
			return &t->columns[i];
	return NULL;
}

void table_done(struct table *t)
{
	for (size_t i = 0; i < t->ncolumns; i++) {
		struct column *c = &t->columns[i];
		size_t width = c->type == CT_TEXT ? sizeof *c->text : sizeof *c->num;

		c->num = cells_resize(c->num, t->nrows * width, 0);
	}
	free(t->columns);
	*t = (struct table){ 0 };
}
