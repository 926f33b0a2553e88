/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/par.h"

#include "core/base/mem.h"
#include "core/base/str.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS_MAX = 256 };

unsigned par_threads(void)
{
	const char *set = getenv("ASCOPE_THREADS");
	uint64_t wanted;
	cpu_set_t cpus;
	long n;

	if (set && str_to_u64(str_of(set), &wanted) && wanted >= 1)
		return (unsigned)MIN(wanted, (uint64_t)THREADS_MAX);
	if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
		n = CPU_COUNT(&cpus);
	else
		n = sysconf(_SC_NPROCESSORS_ONLN);
	return (unsigned)MAX(1, MIN(n, THREADS_MAX));
}

struct par_job {
	void (*work)(void *arg, unsigned worker, size_t item);
	void *arg;
	size_t n;
	atomic_size_t next;
};

struct par_worker {
	struct par_job *job;
	unsigned id;
	pthread_t thread;
	bool running;
};

static void *par_run(void *p)
{
	struct par_worker *w = p;
	size_t item;

	while ((item = atomic_fetch_add(&w->job->next, 1)) < w->job->n)
		w->job->work(w->job->arg, w->id, item);
	return NULL;
}

void par_for(unsigned threads, size_t n, void (*work)(void *arg, unsigned worker, size_t item), void *arg)
{
	struct par_job job = { .work = work, .arg = arg, .n = n };
	unsigned count = (unsigned)MAX((size_t)1, MIN((size_t)threads, n));
	struct par_worker *workers = mem_zalloc(count, sizeof *workers);

	for (unsigned i = 0; i < count; i++)
		workers[i] = (struct par_worker){ .job = &job, .id = i };
	for (unsigned i = 1; i < count; i++)
		workers[i].running = pthread_create(&workers[i].thread, NULL, par_run, &workers[i]) == 0;
	par_run(&workers[0]);
	for (unsigned i = 1; i < count; i++)
		if (workers[i].running)
			pthread_join(workers[i].thread, NULL);
	free(workers);
}
