/* SPDX-License-Identifier: Apache-2.0 */
/* Rules over what the host does: compilation, allocation, blocking launches, garbage collection, environment. */
#include "core/analysis/rules.h"

#include "core/base/decimal.h"

#include <math.h>

/* Calls whose name holds one of the words: count, and the union of their time inside the scope. */
struct calls {
	size_t n;
	double us;
	int64_t first, first_end;
};

static bool has_any(struct str name, const char *const *words)
{
	for (; *words; words++)
		if (str_has(name, str_of(*words)))
			return true;
	return false;
}

static struct calls calls_named(const struct rule_call *r, enum work kind, const char *const *words)
{
	const struct events *e = &r->u->work->r->events;
	struct calls c = { .first = NO_TIME };
	struct intervals set = { 0 };
	uint32_t last_name = UINT32_MAX;
	bool last_hit = false;

	for (size_t i = 0; r->u->work->kind && i < e->n; i++) {
		if (r->u->work->kind[i] != kind || !intervals_has(&r->s->window, e->start[i]))
			continue;
		if (e->name[i] != last_name) {
			last_name = e->name[i];
			last_hit = has_any(names_str(&r->a->c->names, last_name), words);
		}
		if (!last_hit)
			continue;
		if (c.n++ == 0) {
			c.first = e->start[i];
			c.first_end = event_end(e, i);
		}
		intervals_add(&set, e->start[i], event_end(e, i));
	}
	intervals_normalise(&set);
	c.us = (double)intervals_total(&set) / 1e3;
	intervals_done(&set);
	return c;
}

static bool has_runtime(struct rule_call *r)
{
	if (r->u->work->counts[WORK_HOST_RUNTIME])
		return true;
	rule_lacks(r, "CANN calls on the host", "profiler_level Level1 with ProfilerActivity.CPU (msprof: --ascendcl=on --runtime-api=on)");
	return false;
}

void rule_COMPILE(struct rule_call *r)
{
	static const char *const words[] = { "aclopCompileAndExecute", "aclopCompile", NULL };
	struct calls c;
	struct finding *f;

	if (!has_runtime(r))
		return;
	c = calls_named(r, WORK_HOST_RUNTIME, words);
	f = (double)c.n / r->steps >= 1 ? rule_notes(r, c.us / r->steps) : NULL;
	if (!f)
		return;
	f->text = rule_text(r, "%.1f compilations a step, %.1f us a step.", (double)c.n / r->steps, c.us / r->steps);
	finding_figure(f, "aclopCompileAndExecute", (double)c.n / r->steps, "/step", "calls / steps", "timeline: CANN");
	rule_place(r, f, c.first, c.first_end, "aclopCompileAndExecute");
}

void rule_ALLOCATOR(struct rule_call *r)
{
	static const char *const words[] = { "aclrtMalloc", "aclMalloc", "aclrtFree", "DevMalloc", "DevFree", "aclrtMallocPhysical",
		"aclrtFreePhysical", NULL };
	struct calls c;
	struct finding *f;

	if (!has_runtime(r))
		return;
	c = calls_named(r, WORK_HOST_RUNTIME, words);
	if (c.us / r->steps < r->a->options.thresholds.v[TH_ALLOC_PER_STEP])
		return;
	f = rule_finds(r, c.us / r->steps);
	if (!f)
		return;
	f->text = rule_text(r, "%.1f driver memory calls a step take %.1f us a step.", (double)c.n / r->steps, c.us / r->steps);
	finding_figure(f, "driver memory calls", c.us / r->steps, "us/step", "union of aclrtMalloc, aclrtFree and relatives / steps", "timeline: CANN");
	rule_place(r, f, c.first, c.first_end, "driver memory call");
}

/* Launches directly followed by a synchronisation of the stream, on the same thread. */
void rule_LAUNCH_SYNC(struct rule_call *r)
{
	const struct events *e = &r->u->work->r->events;
	size_t launches = 0, blocked = 0;
	double us = 0, share;
	struct finding *f;

	if (!has_runtime(r))
		return;
	for (size_t l = 0; l < e->nlanes; l++) {
		const struct lane *lane = &e->lanes[l];
		bool after_launch = false;

		if (e->processes[lane->process].layer != LAYER_CANN)
			continue;
		for (size_t i = lane->first; i < lane->first + lane->n; i++) {
			struct str name = names_str(&r->a->c->names, e->name[i]);

			if (str_has(name, STR("@launch"))) {
				launches++;
				after_launch = true;
			} else if (str_has(name, STR("aclrtSynchronizeStream"))) {
				blocked += after_launch;
				us += after_launch ? (double)e->dur[i] / 1e3 : 0;
				after_launch = false;
			} else if (str_begins(name, STR("AscendCL@"))) {
				after_launch = false;
			}
		}
	}
	share = launches ? (double)blocked / (double)launches : 0;
	f = share > 0.5 ? rule_finds(r, us / r->steps) : NULL;
	if (f) {
		f->text = rule_text(r, "%.0f %% of %zu launches are followed at once by a synchronisation of the stream.", 100 * share, launches);
		finding_figure(f, "launches followed by a synchronisation", 100 * share, "%", "blocked launches / launches", "timeline: CANN");
	}
}

void rule_GC(struct rule_call *r)
{
	const struct events *e = &r->u->work->r->events;
	double us = 0, longest = 0;
	size_t n = 0;
	struct finding *f;

	if (!r->u->work->counts[WORK_HOST_GC]) {
		rule_lacks(r, "garbage collection events", "experimental_config: gc_detect_threshold=1");
		return;
	}
	for (size_t i = 0; i < e->n; i++)
		if (r->u->work->kind[i] == WORK_HOST_GC) {
			us += (double)e->dur[i] / 1e3;
			longest = MAX(longest, (double)e->dur[i] / 1e3);
			n++;
		}
	f = rule_finds(r, us / r->steps);
	if (f)
		f->text = rule_text(r, "%zu collections, %.1f us a step, the longest %.1f us.", n, us / r->steps, longest);
}

/* ---- environment ----------------------------------------------------------------------------------------------------------------------- */

enum wish { WISH_UNSET, WISH_VALUE, WISH_AT_LEAST, WISH_HOLDS };

/* VARIABLE, what it should be, why. */
static const struct {
	const char *name;
	enum wish wish;
	const char *value, *why;
} variables[] = {
	{ "ASCEND_LAUNCH_BLOCKING", WISH_UNSET, "", "every launch waits for the device" },
	{ "ASCEND_GLOBAL_LOG_LEVEL", WISH_VALUE, "3", "lower levels write logs in the step" },
	{ "PYTORCH_NPU_ALLOC_CONF", WISH_HOLDS, "expandable_segments:True", "less fragmentation, fewer driver calls" },
	{ "ACLNN_CACHE_LIMIT", WISH_AT_LEAST, "10000", "operators are looked up again when the cache is small" },
	{ "HOST_CACHE_CAPACITY", WISH_AT_LEAST, "1", "operators are prepared again without a cache on the host" },
};

static bool wish_is_met(enum wish wish, const char *wanted, struct str set)
{
	int64_t have, want;

	switch (wish) {
	case WISH_UNSET:
		return !set.n || str_is(set, STR("0"));
	case WISH_VALUE:
		return !set.n || str_is(set, str_of(wanted));
	case WISH_HOLDS:
		return str_has(set, str_of(wanted));
	default:
		return decimal_to_int(set, 0, &have) && decimal_to_int(str_of(wanted), 0, &want) && have >= want;
	}
}

void rule_ENVIRONMENT(struct rule_call *r)
{
	const struct run_info *info = &r->u->work->r->info;
	const struct names *names = &r->a->c->names;
	const char *text = "";
	struct finding *f;

	if (!info->nenv) {
		rule_lacks(r, "profiler_metadata.json with ENV_VARIABLES", "a torch_npu that writes profiler_metadata.json; keep it beside the capture");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		for (size_t k = 0; k < info->nenv; k++) {
			struct str set = names_str(names, info->env[k].value);

			if (!str_is(names_str(names, info->env[k].name), str_of(variables[i].name)) || wish_is_met(variables[i].wish, variables[i].value, set))
				continue;
			text = rule_text(r, "%s%s%s is %s%s%s: %s", text, *text ? "; " : "", variables[i].name, set.n ? "\"" : "not set", set.n ? set.p : "",
				set.n ? "\"" : "", variables[i].why);
		}
	if (!*text)
		return;
	f = rule_notes(r, NAN);
	f->severity = SEV_INFO;
	f->text = text;
}
