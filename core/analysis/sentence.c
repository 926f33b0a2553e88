/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict in one or two sentences, with the figures that make it. */
#include "core/analysis/analysis_private.h"

#include <math.h>

static const char *host_sentence(struct arena *a, const struct thresholds *t, const double *v)
{
	if (v[IND_HOST_ONLY_PCT] < t->v[TH_HOST_ONLY] / 2 && v[IND_HOST_BUSY_PCT] < t->v[TH_HOST_BUSY])
		return arena_printf(a, "Nobody works most of the time: the device is idle %.1f %% of the window, and the host is busy only %.1f %% of it. Requests, data"
			" or another process are waited for.", v[IND_IDLE_PCT], v[IND_HOST_BUSY_PCT]);
	return arena_printf(a, "The host sets the pace: the device is busy %.1f %% of the window and idle %.1f %%, while the host alone works %.1f %%.",
		v[IND_DEVICE_BUSY_PCT], v[IND_IDLE_PCT], v[IND_HOST_ONLY_PCT]);
}

static const char *compute_sentence(struct arena *a, const double *v)
{
	return arena_printf(a, "The kernels are the limit: the device is busy %.1f %% of the window, and %.1f %% of that is compute.",
		v[IND_DEVICE_BUSY_PCT], v[IND_COMPUTE_OF_DEVICE]);
}

static const char *comm_sentence(struct arena *a, const struct unit *u, const double *v)
{
	const char *what = u->colls.verdict == COMM_LATE_RANK ? "it is waiting for a peer, not moving data"
		: u->colls.verdict == COMM_SLOW_LINK ? "a link is slow" : u->colls.verdict == COMM_LATENCY ? "the messages are small and pay latency"
		: "no kernel runs meanwhile";

	return arena_printf(a, "Communication is the limit: %.1f %% of the window is exposed collectives (%.1f %% of the device's time); %s.",
		v[IND_EXPOSED_PCT], v[IND_COMM_OF_DEVICE], what);
}

static const char *copy_sentence(struct arena *a, const double *v)
{
	return arena_printf(a, "Copies are the limit: %.1f %% of the window is memory copies of the device.", v[IND_COPY_PCT]);
}

static const char *balanced_sentence(struct arena *a, const double *v)
{
	if (!isfinite(v[IND_WALL]))
		return "There is no device time in this capture to judge.";
	if (!isfinite(v[IND_HOST_BUSY_PCT]))
		return arena_printf(a, "No bottleneck stands out; without host events the %.1f %% of idle device time cannot be explained.", v[IND_IDLE_PCT]);
	return arena_printf(a, "No bottleneck stands out: device busy %.1f %%, exposed communication %.1f %%, copies %.1f %%, host alone %.1f %%.",
		v[IND_DEVICE_BUSY_PCT], v[IND_EXPOSED_PCT], v[IND_COPY_PCT], v[IND_HOST_ONLY_PCT]);
}

void sentence_make(struct analysis *a)
{
	const struct unit *u = analysis_headline(a);
	const double *v;

	a->sentence = "There is no timeline and no kernel table in this capture: nothing can be judged.";
	if (!u)
		return;
	v = u->scopes[0].v;
	switch (u->verdicts[0].headline) {
	case BN_HOST:
		a->sentence = host_sentence(&a->arena, &a->options.thresholds, v);
		break;
	case BN_COMPUTE:
		a->sentence = compute_sentence(&a->arena, v);
		break;
	case BN_COMM:
		a->sentence = comm_sentence(&a->arena, u, v);
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
