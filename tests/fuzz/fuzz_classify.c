/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names from files, whatever they hold. Input: one byte for the layer, then lane, type and name with zero bytes between. Answers stay within
 * the tables, are the same when asked again, and words hold nothing but small letters, digits and single blanks.
 */
#include "core/model/classify.h"
#include "core/model/opname.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct classifier *c;		/* made once: the tables are the same for every input */

static void check(bool ok)
{
	if (!ok)
		abort();
}

static struct str part(struct str *rest)
{
	const char *zero = rest->n ? memchr(rest->p, 0, rest->n) : NULL;
	struct str s = { rest->p, zero ? (size_t)(zero - rest->p) : rest->n };

	rest->p += s.n + (zero != NULL);
	rest->n -= s.n + (zero != NULL);
	return s;
}

static void check_words(struct str name, size_t room)
{
	char out[300];
	size_t n;

	memset(out, '#', sizeof out);
	n = op_words(name, out, room);
	check(room == 0 || (n < room && out[n] == '\0'));
	check(out[room] == '#');
	for (size_t i = 0; i < n && room; i++) {
		bool blank = out[i] == ' ';

		check(blank || (out[i] >= 'a' && out[i] <= 'z') || (out[i] >= '0' && out[i] <= '9'));
		check(!blank || (i > 0 && i + 1 < n && out[i - 1] != ' '));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = { (const char *)data + 1, size ? size - 1 : 0 }, lane, type, name;
	struct work_kind w, again;
	struct op_class op, same;

	if (!c)
		c = classifier_new(NULL);
	if (!size || !c)
		return 0;
	lane = part(&rest);
	type = part(&rest);
	name = part(&rest);
	w = classify_work(c, (enum layer)data[0], lane, type, name);
	again = classify_work(c, (enum layer)data[0], lane, type, name);
	check(w.kind < WORK_MAX && w.covered < WORK_MAX && w.alone < WORK_MAX && w.flags <= (WORK_OF_COMM | WORK_UNNAMED));
	check(w.kind == again.kind && w.covered == again.covered && w.alone == again.alone && w.flags == again.flags);
	op = classify_op(c, name, type, lane);
	same = classify_op(c, name, type, lane);
	check(op.class < CLASS_MAX && op.subtype < SUB_MAX && subtype_class(op.subtype) == op.class);
	check(op.class == same.class && op.subtype == same.subtype);
	check(classify_core(c, lane, op) < CORE_MAX);
	check_words(name, size % 256);
	check_words(type, 255);
	return 0;
}
