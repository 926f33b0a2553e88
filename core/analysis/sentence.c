/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict in one or two sentences, with the figures that make it. */
#include "core/analysis/analysis_private.h"

#include <math.h>

static const char *host_sentence(struct arena *a, const struct thresholds *t, const double *v)
{
	if (v[IND_HOST_ONLY_PCT] < t->v[TH_HOST_ONLY] / 2 && v[IND_HOST_BUSY_PCT] < t->v[TH_HOST_BUSY])
		return arena_printf(a, "Nobody works most of the time: the device is idle %.1f %% of the window, and the host is busy"
		" only %.1f %% of it. Requests, data"
			" or another process are waited for.", v[IND_IDLE_PCT], v[IND_HOST_BUSY_PCT]);
	return arena_printf(a, "The host sets the pace: the device is busy %.1f %% of the window and idle %.1f %%, while the host alone works %.1f %%.",
		v[IND_DEVICE_BUSY_PCT], v[IND_IDLE_PCT], v[IND_HOST_ONLY_PCT]);
}

static const char *compute_sentence(struct arena *a, const double *v)
{
	return arena_printf(a, "The kernels are the limit: the device is busy %.1f %% of the window, and %.1f %% of that is compute.",
		v[IND_DEVICE_BUSY_PCT], v[IND_COMPUTE_OF_DEVICE]);
}

/* "it is waiting for rank 2, not moving data" where the others show who is late. */
static const char *waits_for(struct analysis *a, const struct unit *u)
{
	const struct late_rank *l = &a->late;

	if (l->late < 0 || (size_t)l->late >= l->nranks || l->ranks[l->late].id == a->c->ranks[u->rank].id)
		return "it is waiting for a peer, not moving data";
	return arena_printf(&a->arena, "it is waiting for rank %d, not moving data", l->ranks[l->late].id);
}

static const char *comm_sentence(struct analysis *a, const struct unit *u, const double *v)
{
	const char *what = u->colls.verdict == COMM_LATE_RANK ? waits_for(a, u)
		: u->colls.verdict == COMM_SLOW_LINK ? "a link is slow" : u->colls.verdict == COMM_LATENCY ? "the messages are small and pay latency"
		: "no kernel runs meanwhile";

	return arena_printf(&a->arena, "Communication is the limit: %.1f %% of the window is exposed collectives (%.1f %% of the device's time); %s.",
		v[IND_EXPOSED_PCT], v[IND_COMM_OF_DEVICE], what);
}

static const char *copy_sentence(struct arena *a, const double *v)
{
	return arena_printf(a, "Copies are the limit: %.1f %% of the window is memory copies of the device.", v[IND_COPY_PCT]);
}

static const char *balanced_sentence(struct arena *a, const double *v)
{
	if (!isfinite(v[IND_DEVICE_BUSY_PCT]))
		return "There is no device work in this capture: what limits it cannot be judged.";
	if (!isfinite(v[IND_HOST_BUSY_PCT]) && v[IND_IDLE_PCT] < 1)
		return arena_printf(a, "No bottleneck stands out: device busy %.1f %%, exposed communication %.1f %%; the host was not recorded.",
			v[IND_DEVICE_BUSY_PCT], v[IND_EXPOSED_PCT]);
	if (!isfinite(v[IND_HOST_BUSY_PCT]))
		return arena_printf(a, "No bottleneck stands out; without host events the %.1f %% of idle device time cannot be explained.", v[IND_IDLE_PCT]);
	return arena_printf(a, "No bottleneck stands out: device busy %.1f %%, exposed communication %.1f %%%s, host alone %.1f %%.", v[IND_DEVICE_BUSY_PCT],
		v[IND_EXPOSED_PCT], isfinite(v[IND_COPY_PCT]) ? arena_printf(a, ", copies %.1f %%", v[IND_COPY_PCT]) : "", v[IND_HOST_ONLY_PCT]);
}

/* What a host verdict hides when the capture has no steps: start-up and shut-down of the process in it. */
static const char *edges_sentence(struct analysis *a, const struct unit *u, const double *v)
{
	double edge = v[IND_WALL] > 0 && !u->scopes[0].nsteps ? 100 * (double)u->gaps.by_cause[GAP_EDGE].total_ns / 1e3 / v[IND_WALL] : 0;

	if (edge < 50)
		return "";
	return arena_printf(&a->arena, " But %.1f %% of the window lies before the first or after the last device work: start-up and end"
		" of the process, not steady"
		" work. Profile some steps with a schedule.", MIN(100, edge));
}

static const char *without_units(struct analysis *a)
{
	if (a->c->has_cluster && a->late.reason && *a->late.reason)
		return arena_printf(&a->arena, "A cluster summary alone, without timelines and kernels: only ranks can be compared. By"
		" it, %s.", a->late.reason);
	for (size_t i = 0; i < a->nunits; i++)
		if (a->units[i].work->r->events.n || a->units[i].work->nspans)
			return "No event of this capture takes any time: nothing can be judged.";
	return "There is no timeline and no kernel table in this capture: nothing can be judged.";
}

void sentence_make(struct analysis *a)
{
	const struct unit *u = analysis_headline(a);
	const double *v;

	a->sentence = without_units(a);
	if (!u || !u->scopes[0].window.n)
		return;
	v = u->scopes[0].v;
	switch (u->verdicts[0].headline) {
	case BN_HOST:
		a->sentence = arena_printf(&a->arena, "%s%s", host_sentence(&a->arena, &a->options.thresholds, v), edges_sentence(a, u, v));
		break;
	case BN_COMPUTE:
		a->sentence = compute_sentence(&a->arena, v);
		break;
	case BN_COMM:
		a->sentence = comm_sentence(a, u, v);
		break;
	case BN_COPY:
		a->sentence = copy_sentence(&a->arena, v);
		break;
	default:
		a->sentence = balanced_sentence(&a->arena, v);
	}
	if (a->nunits > 1 && u->verdicts[0].headline != BN_NONE)
		a->sentence = arena_printf(&a->arena, "%s (rank %d of %zu)", a->sentence, a->c->ranks[u->rank].id, a->nunits);
}
