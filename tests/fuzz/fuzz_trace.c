/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace reader and the event builder. The first byte is the size of a chunk; the rest is the file. It is read in chunks by one thread,
 * by two, and whole: the three must agree, and each must be consistent in itself. Then every event is read again from where it stands.
 */
#include "core/base/mem.h"
#include "core/load/trace/json_scan.h"
#include "core/load/trace/trace_event.h"
#include "tests/help/trace_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(const char *wrong)
{
	if (!wrong)
		return;
	fprintf(stderr, "fuzz_trace: %s\n", wrong);
	abort();
}

/* The text of each event is an object by itself, in memory of its own size. */
static void read_spans(const struct loaded *l, struct str text)
{
	for (size_t i = 0; i < l->events.n; i++) {
		size_t n = l->events.span_len[i];
		char *copy = mem_alloc(n + JSON_PAD + 1, 1);
		struct trace_event e;

		memcpy(copy, text.p + l->events.span[i], n);
		copy[n] = '\n';
		json_pad(copy + n + 1);
		if (trace_event_read(copy, copy + n + 1, &e) != copy + n)
			must("a span is no event");
		free(copy);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct loaded one, two, whole;
	struct file f;
	size_t chunk;

	if (!size)
		return 0;
	chunk = (size_t)data[0] + 1;
	f = text_file((struct str){ (const char *)data + 1, size - 1 });
	must(trace_sniff(&f) && size < 8 ? "an event of seven bytes" : NULL);
	loaded_from(&one, &f, chunk, 1);
	loaded_from(&two, &f, chunk, 2);
	loaded_from(&whole, &f, 0, 1);
	file_close(&f);
	must(loaded_broken(&one, (int64_t)size - 1));
	must(loaded_differ(&one, &two));
	must(loaded_differ(&one, &whole));
	read_spans(&one, (struct str){ (const char *)data + 1, size - 1 });
	loaded_done(&one);
	loaded_done(&two);
	loaded_done(&whole);
	return 0;
}
