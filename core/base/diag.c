/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/diag.h"

#include "core/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	int exit_status;
	const char *text;
} err_info[ERR_MAX] = {
#define ERR(id, status, words) [ERR_##id] = { status, words },
#include "core/base/err.def"
#undef ERR
};

enum err diag_set(struct diag *d, enum err err, const char *file, int64_t byte, int64_t line, const char *fmt, ...)
{
	va_list ap;

	if (!d)
		return err;
	*d = (struct diag){ .err = err, .byte = byte, .line = line };
	if (file) {
		size_t n = strlen(file);

		if (n < sizeof d->file)
			memcpy(d->file, file, n + 1);
		else
			snprintf(d->file, sizeof d->file, "...%s", file + (n - sizeof d->file + 4));
	}
	va_start(ap, fmt);
	vsnprintf(d->text, sizeof d->text, fmt, ap);
	va_end(ap);
	return err;
}

const char *err_text(enum err err)
{
	return err >= 0 && err < ERR_MAX ? err_info[err].text : "unknown error";
}

int err_exit_status(enum err err)
{
	return err >= 0 && err < ERR_MAX ? err_info[err].exit_status : 4;
}

void diag_format(const struct diag *d, char *out, size_t size)
{
	char raw[sizeof d->file + sizeof d->text + 64];
	const char *text = d->text[0] ? d->text : err_text(d->err);

	if (!d->file[0])
		snprintf(raw, sizeof raw, "%s", text);
	else if (d->line >= 0)
		snprintf(raw, sizeof raw, "%s:%lld: %s", d->file, (long long)d->line, text);
	else if (d->byte >= 0)
		snprintf(raw, sizeof raw, "%s (byte %lld): %s", d->file, (long long)d->byte, text);
	else
		snprintf(raw, sizeof raw, "%s: %s", d->file, text);
	utf8_clean(str_of(raw), out, size);
}
