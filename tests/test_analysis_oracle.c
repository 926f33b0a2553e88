/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our figures beside those of the reference system, where its captures and its numbers are there. Everything that differs is listed here with
 * the reason; an entry of a list that is not needed any more fails too.
 */
#include "tests/help/analysis_run.h"

#include <cjson/cJSON.h>

static const struct {
	const char *name, *type;
	double score;
} scenarios[] = {
	{ "host-schedule-bound", "host", 93.6 },
	{ "host-schedule-bound-optimized", "host", 85.6 },
	{ "decode-comm-bound", "communication", 90.0 },
	{ "prefill-compute-bound", "compute", 94.7 },
};

#define SIZES   "the reference never reads message sizes and reports 0"
#define NESTED  "the reference adds nested calls up; a union counts the time once"
#define OUTER   "outermost calls only: item, scalar and synchronise of one wait are one synchronisation"
#define COPIES  "every host operator that copies, as a union, not one name of them"
#define ALL_OPS "every framework operator is dispatched, those that copy or synchronise too"
#define LEAD    "the first step begins with its first work on the device; the host's lead before it belongs to no step"
#define WINDOW  "a phase is the union of its whole steps, not the stretch from its first to its last event"
#define AXIS    "steps stand on the axis of the timeline; the reference lays the step table from 0 on"

struct difference {
	const char *key;
	bool overall, phases;		/* scopes in which it may differ */
	const char *reason;
	bool used;
};

static struct difference differences[] = {
	{ "commSizeMedianMb",   true,  true, SIZES, false },
	{ "hostScheduleUs",     true,  true, NESTED, false },
	{ "hostSyncUs",         true,  true, NESTED, false },
	{ "hostSyncCount",      true,  true, OUTER, false },
	{ "hostSyncPerStep",    true,  true, OUTER, false },
	{ "hostCopyUs",         true,  true, COPIES, false },
	{ "hostCopyPct",        true,  true, COPIES, false },
	{ "hostCopyPctOfHost",  true,  true, COPIES, false },
	{ "dispatchEventCount", true,  true, ALL_OPS, false },
	{ "dispatchPerStep",    true,  true, ALL_OPS, false },
	{ "hostOnlyUs",         true,  true, LEAD, false },
	{ "hostOnlyPct",        true,  true, LEAD, false },
	{ "hostExclusivePerStepUs", true, true, LEAD, false },
	{ "gapCount",           true,  true, LEAD, false },
	{ "meanGapUs",          true,  true, LEAD, false },
	{ "avgStepUs",          false, true, AXIS, false },
	{ "wallUs",             false, true, WINDOW, false },
	{ "eventCount",         false, true, WINDOW, false },
	{ "hostEventCount",     false, true, WINDOW, false },
	{ "deviceBusyPct",      false, true, WINDOW, false },
	{ "hostBusyUs",         false, true, WINDOW, false },
	{ "hostBusyPct",        false, true, WINDOW, false },
	{ "idleUs",             false, true, WINDOW, false },
	{ "idlePct",            false, true, WINDOW, false },
	{ "deviceOnlyPct",      false, true, WINDOW, false },
	{ "commUs",             false, true, AXIS, false },
	{ "commPct",            false, true, WINDOW, false },
	{ "commPctOfDevice",    false, true, AXIS, false },
	{ "commExposedUs",      false, true, AXIS, false },
	{ "commExposedPct",     false, true, WINDOW, false },
	{ "commOverlapPct",     false, true, AXIS, false },
	{ "commEventCount",     false, true, AXIS, false },
	{ "commPerStep",        false, true, AXIS, false },
	{ "commUsPerStep",      false, true, AXIS, false },
	{ "computePct",         false, true, WINDOW, false },
	{ "copyPct",            false, true, WINDOW, false },
	{ "maxGapUs",           false, true, WINDOW, false },
	{ "maxGapPct",          false, true, WINDOW, false },
};

static cJSON *oracle_of(const char *name)
{
	char path[600];
	const char *base = getenv("ASCOPE_CAPTURES");
	FILE *f;
	char *text;
	long n;
	cJSON *json;

	snprintf(path, sizeof path, "%s/../oracle/%s.json", base && *base ? base : "../shared/captures", name);
	f = fopen(path, "rb");
	if (!f) {
		print_message("no %s\n", path);
		return NULL;
	}
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	rewind(f);
	text = malloc((size_t)n + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)n, f), n);
	text[n] = '\0';
	fclose(f);
	json = cJSON_Parse(text);
	free(text);
	assert_non_null(json);
	return json;
}

static bool scenario_open(struct judged *j, const char *name)
{
	char path[600], rest[200];

	snprintf(rest, sizeof rest, "reference/%s", name);
	if (!capture_of(path, rest))
		return false;
	judged_open(j, path, NULL);
	return true;
}

static struct difference *difference_of(const char *key, bool overall)
{
	for (size_t i = 0; i < ARRAY_LEN(differences); i++)
		if (strcmp(differences[i].key, key) == 0 && (overall ? differences[i].overall : differences[i].phases))
			return &differences[i];
	return NULL;
}

/* Returns how many figures were compared. */
static int compare_scope(const char *name, const struct scope *s, const cJSON *theirs)
{
	bool overall = s->phase == PHASE_UNKNOWN;
	const cJSON *item;
	int n = 0;

	cJSON_ArrayForEach(item, theirs) {
		enum indicator ind;
		struct difference *known;

		if (!cJSON_IsNumber(item) || !indicator_find(item->string, &ind))
			continue;
		n++;
		/* The reference rounds to two decimals. */
		if (fabs(s->v[ind] - item->valuedouble) <= MAX(0.01 * fabs(item->valuedouble), 0.006))
			continue;
		known = difference_of(item->string, overall);
		if (!known)
			fail_msg("%s, %s: %s is %.6g, the reference says %.6g", name, overall ? "overall" : phase_key(s->phase), item->string, s->v[ind],
				item->valuedouble);
		else
			known->used = true;
	}
	return n;
}

static void test_indicators(void **state)
{
	int n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scenarios); i++) {
		cJSON *oracle = oracle_of(scenarios[i].name), *metrics;
		struct judged j;

		if (!oracle)
			skip();
		if (!scenario_open(&j, scenarios[i].name)) {
			cJSON_Delete(oracle);
			skip();
		}
		metrics = cJSON_GetObjectItem(oracle, "metrics");
		assert_int_equal(j.a->nunits, 1);
		for (size_t s = 0; s < j.a->units[0].nscopes; s++) {
			const struct scope *scope = &j.a->units[0].scopes[s];
			const cJSON *theirs = cJSON_GetObjectItem(metrics, scope->phase == PHASE_UNKNOWN ? "overall" : phase_key(scope->phase));

			if (theirs)
				n += compare_scope(scenarios[i].name, scope, theirs);
		}
		judged_done(&j);
		cJSON_Delete(oracle);
	}
	assert_true(n > 4 * 3 * 40);
	for (size_t i = 0; i < ARRAY_LEN(differences); i++)
		if (!differences[i].used)
			fail_msg("%s does not differ any more: take it from the list", differences[i].key);
}

/* The reference's utilisation uses its 40 longest rows; ours is the mean over all rows, which it gives as context too. */
static void test_utilisation(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scenarios); i++) {
		cJSON *oracle = oracle_of(scenarios[i].name), *context;
		struct judged j;

		if (!oracle)
			skip();
		assert_true(scenario_open(&j, scenarios[i].name));
		context = cJSON_GetObjectItem(oracle, "context");
		assert_true(near_share(j.a->units[0].scopes[0].v[IND_MAC], cJSON_GetObjectItem(context, "macRatio")->valuedouble, 0.05));
		assert_true(near_share(j.a->units[0].scopes[0].v[IND_MTE2], cJSON_GetObjectItem(context, "mte2Ratio")->valuedouble, 0.05));
		judged_done(&j);
		cJSON_Delete(oracle);
	}
}

/* ---- scores --------------------------------------------------------------------------------------------------------------------------------- */

static const struct {
	const char *scenario, *scope, *type;	/* scenario NULL: all; scope "": all */
	const char *reason;
} other_scores[] = {
	{ NULL, "", "copy", "copies of the device are asked for, not conversions on the host; a copy to the host counts from 1 % of the step on" },
	{ NULL, "prefill", "host", WINDOW },
	{ "decode-comm-bound", "prefill", "compute", WINDOW },
};

static bool score_differs(const char *scenario, const char *scope, const char *type)
{
	for (size_t i = 0; i < ARRAY_LEN(other_scores); i++)
		if ((!other_scores[i].scenario || strcmp(other_scores[i].scenario, scenario) == 0) && strcmp(other_scores[i].type, type) == 0
			&& (!other_scores[i].scope[0] || strcmp(other_scores[i].scope, scope) == 0))
			return true;
	return false;
}

static enum bottleneck type_of(const char *theirs)
{
	return strcmp(theirs, "host") == 0 ? BN_HOST : strcmp(theirs, "compute") == 0 ? BN_COMPUTE : strcmp(theirs, "comm") == 0 ? BN_COMM : BN_COPY;
}

static void test_headline(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scenarios); i++) {
		struct judged j;
		const struct verdict *v;

		if (!scenario_open(&j, scenarios[i].name))
			skip();
		v = &analysis_headline(j.a)->verdicts[0];
		assert_string_equal(bottleneck_key(v->headline), scenarios[i].type);
		if (fabs(v->scores[v->headline].score - scenarios[i].score) > 1.5)
			fail_msg("%s: %.1f, not %.1f", scenarios[i].name, v->scores[v->headline].score, scenarios[i].score);
		judged_done(&j);
	}
}

static void test_scores(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scenarios); i++) {
		cJSON *oracle = oracle_of(scenarios[i].name), *scopes, *theirs, *candidate;
		struct judged j;
		int compared = 0;

		if (!oracle)
			skip();
		assert_true(scenario_open(&j, scenarios[i].name));
		scopes = cJSON_GetObjectItem(cJSON_GetObjectItem(oracle, "bottleneck"), "scopes");
		cJSON_ArrayForEach(theirs, scopes)
			cJSON_ArrayForEach(candidate, cJSON_GetObjectItem(theirs, "candidates")) {
				const char *scope = cJSON_GetObjectItem(theirs, "scope")->valuestring;
				enum bottleneck type = type_of(cJSON_GetObjectItem(candidate, "id")->valuestring);
				double score = cJSON_GetObjectItem(candidate, "score")->valuedouble;
				const struct unit *u = &j.a->units[0];

				for (size_t s = 0; s < u->nscopes; s++) {
					const char *ours = u->scopes[s].phase == PHASE_UNKNOWN ? "overall" : phase_key(u->scopes[s].phase);

					if (strcmp(ours, scope) != 0)
						continue;
					compared++;
					if (fabs(u->verdicts[s].scores[type].score - score) > 1.5 && !score_differs(scenarios[i].name,
						scope, bottleneck_key(type)))
						fail_msg("%s, %s, %s: %.1f, the reference says %.1f", scenarios[i].name, scope, bottleneck_key(type),
							u->verdicts[s].scores[type].score, score);
				}
			}
		assert_int_equal(compared, 12);
		judged_done(&j);
		cJSON_Delete(oracle);
	}
}

/* ---- causes and advice ------------------------------------------------------------------------------------------------------------------------ */

#define NO_COPY "copy is no bottleneck there: conversions on the host move nothing between host and device"

static const struct {
	const char *scenario, *id, *reason;
} absent[] = {
	{ "host-schedule-bound", "host.launch-gaps", "the gaps are host idle time (gap.host-idle), not launches" },
	{ "host-schedule-bound-optimized", "host.launch-gaps", "the gaps are host idle time (gap.host-idle), not launches" },
	{ "decode-comm-bound", "copy.d2h-sync-sampling", NO_COPY },
	{ "prefill-compute-bound", "copy.d2h-sync-sampling", NO_COPY },
	{ "prefill-compute-bound", "compute.generic", "a cause that only says \"look on site\" is none" },
};

static const char *absent_reason(const char *scenario, const char *id)
{
	for (size_t i = 0; i < ARRAY_LEN(absent); i++)
		if (strcmp(absent[i].scenario, scenario) == 0 && strcmp(absent[i].id, id) == 0)
			return absent[i].reason;
	return NULL;
}

static void all_there(const char *scenario, const cJSON *theirs, const struct findings *ours)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, theirs) {
		const char *id = cJSON_GetObjectItem(item, "id")->valuestring, *reason = absent_reason(scenario, id);

		if (!finding_of(ours, id) && !reason)
			fail_msg("%s: no %s", scenario, id);
		if (finding_of(ours, id) && reason)
			fail_msg("%s: %s is there: take it from the list", scenario, id);
	}
}

/* Gains in percent that differ by more than 0.5 points. */
static const struct {
	const char *scenario, *id, *reason;
} other_gains[] = {
	{ "host-schedule-bound", "host.async-sampling", "only synchronising while the device is idle can be gained, each moment once" },
	{ "host-schedule-bound-optimized", "host.async-sampling", "only synchronising while the device is idle can be gained, each moment once" },
	{ "host-schedule-bound", "host.reduce-dispatch", "of the whole window; the reference takes a phase whose window is cut short" },
};

static void test_causes_and_advice(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scenarios); i++) {
		cJSON *oracle = oracle_of(scenarios[i].name), *item;
		struct judged j;

		if (!oracle)
			skip();
		assert_true(scenario_open(&j, scenarios[i].name));
		all_there(scenarios[i].name, cJSON_GetObjectItem(oracle, "rootCauses"), &j.a->findings);
		all_there(scenarios[i].name, cJSON_GetObjectItem(oracle, "advice"), &j.a->advice);
		cJSON_ArrayForEach(item, cJSON_GetObjectItem(oracle, "advice")) {
			const char *id = cJSON_GetObjectItem(item, "id")->valuestring;
			const struct finding *f = finding_of(&j.a->advice, id);
			double theirs = cJSON_GetObjectItem(cJSON_GetObjectItem(item, "gain"), "estimatePct")->valuedouble;
			bool known = false;

			for (size_t k = 0; k < ARRAY_LEN(other_gains); k++)
				known |= strcmp(other_gains[k].scenario, scenarios[i].name) == 0 && strcmp(other_gains[k].id, id) == 0;
			if (f && (fabs(f->benefit.estimate_pct - theirs) > 0.5) != known)
				fail_msg("%s, %s: gains %.2f %%, the reference says %.2f %%", scenarios[i].name, id, f->benefit.estimate_pct, theirs);
		}
		judged_done(&j);
		cJSON_Delete(oracle);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headline),
		cmocka_unit_test(test_indicators),
		cmocka_unit_test(test_utilisation),
		cmocka_unit_test(test_scores),
		cmocka_unit_test(test_causes_and_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
