/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and lanes under the names that the text export of the same run gives them. */
#include "core/load/db/db_read.h"

#include <inttypes.h>
#include <stdio.h>

enum { HOST_DEVICE = 31 };		/* the exporter's pid is (host pid << 10) | (sort index << 5) | device; 31 for the host's own */

static const struct {
	const char *name;
	uint8_t sort;
	bool on_device;
} processes[PROC_MAX] = {
	[PROC_PYTHON] = { "Python", 0, false },
	[PROC_GC] = { "Python GC", 1, false },
	[PROC_MSTX] = { "MSTX", 6, false },
	[PROC_CANN] = { "CANN", 7, false },
	[PROC_OS] = { "OS Runtime API", 13, false },
	[PROC_HARDWARE] = { "Ascend Hardware", 14, true },
	[PROC_COMMUNICATION] = { "Communication", 17, true },
	[PROC_OVERLAP] = { "Overlap Analysis", 31, true },
};

static uint32_t pid_name(struct db_reader *r, int64_t host, unsigned sort, int64_t device)
{
	uint64_t pid = (uint64_t)host << 10 | sort << 5;

	if (device >= 0 && device <= HOST_DEVICE && sort < 32 && host >= 0 && host < INT64_MAX >> 10)
		return name_printf(r, "%" PRIu64, pid | (uint64_t)device);
	return name_printf(r, "%" PRId64 ".%u.%" PRId64, host, sort, device);
}

static void process_describe(struct db_reader *r, uint32_t pid, const char *name, unsigned sort, int64_t device)
{
	struct builder *b = r->t->build;

	build_process_name(b, pid, name_of(r, name));
	build_process_sort(b, pid, sort);
	if (device == HOST_DEVICE)
		build_process_labels(b, pid, name_of(r, "CPU"));
	else if (device >= 0)
		build_process_labels(b, pid, name_printf(r, "NPU %" PRId64, device));
	else
		build_process_labels(b, pid, name_of(r, "NPU"));
}

/* The pid of a process, named. Python's is the host's own pid. */
static uint32_t process_pid(struct db_reader *r, enum db_process p, int64_t owner)
{
	bool on_device = processes[p].on_device;
	int64_t host = on_device || owner <= 0 ? r->host_pid : owner;
	int64_t device = !on_device ? HOST_DEVICE : owner == HOST_DEVICE ? -HOST_DEVICE : owner;
	uint32_t pid = p == PROC_PYTHON ? name_printf(r, "%" PRId64, host) : pid_name(r, host, processes[p].sort, device);

	process_describe(r, pid, processes[p].name, processes[p].sort, device == -HOST_DEVICE ? -1 : device);
	return pid;
}

uint32_t counter_process(struct db_reader *r, const char *name, unsigned sort, int64_t device)
{
	int64_t d = device == NO_INT ? HOST_DEVICE : device == HOST_DEVICE ? -1 : device;
	uint32_t pid = pid_name(r, r->host_pid, sort, d);

	process_describe(r, pid, name, sort, d);
	return build_process(r->t->build, pid);
}

/* ---- lanes ---- */

static struct lane_entry *entry_at(struct db_reader *r, enum db_process p, int64_t owner, int64_t number)
{
	uint64_t h = ((uint64_t)owner * 0x9e3779b97f4a7c15u + (uint64_t)number + (uint64_t)p) * 0xff51afd7ed558ccdu;

	return &r->lanes[(h >> 40) % LANE_ENTRIES];
}

static uint32_t lane_name(struct db_reader *r, enum db_process p, int64_t number)
{
	static const char *const overlap[] = { "Computing", "Communication", "Communication(Not Overlapped)", "Free" };

	switch (p) {
	case PROC_HARDWARE:
		return number == NO_INT ? name_of(r, "Stream N/A") : name_printf(r, "Stream %" PRId64, number);
	case PROC_OVERLAP:
		if (number >= 0 && number < (int64_t)ARRAY_LEN(overlap))
			return name_of(r, overlap[number]);
		return name_printf(r, "%" PRId64, number);
	case PROC_GC:
		return name_of(r, "Python GC");
	case PROC_PYTHON:
		if (number == NO_INT)
			return name_of(r, "Steps");
		break;
	default:
		break;
	}
	return name_printf(r, "Thread %" PRId64, number);
}

/* The entry table is a cache: whatever falls out of it is found again by the builder through the texts. */
uint32_t lane_of(struct db_reader *r, enum db_process p, int64_t owner, int64_t number)
{
	struct lane_entry *e = entry_at(r, p, owner, number);
	uint32_t pid, tid;

	if (LIKELY(e->used && e->process == p && e->owner == owner && e->number == number))
		return e->lane;
	pid = process_pid(r, p, owner);
	tid = number == NO_INT ? name_of(r, "steps") : name_printf(r, "%" PRId64, number);
	*e = (struct lane_entry){ .owner = owner, .number = number, .process = (uint8_t)p, .used = true };
	e->lane = build_lane(r->t->build, pid, tid);
	build_lane_name(r->t->build, pid, tid, lane_name(r, p, number));
	build_lane_sort(r->t->build, pid, tid, number == NO_INT ? -1 : number);
	return e->lane;
}

uint32_t lane_of_thread(struct db_reader *r, enum db_process p, int64_t global_tid)
{
	return lane_of(r, p, (int64_t)((uint64_t)global_tid >> 32), (int64_t)((uint64_t)global_tid & UINT32_MAX));
}

/* ---- collectives: one lane per group, then one per plane; numbered in order of appearance ---- */

static uint32_t group_number(struct db_reader *r, int64_t device, uint32_t group)
{
	uint32_t *slot = index_map_slot(&r->groups, ((uint64_t)device & UINT32_MAX) << 32 | group);

	if (!*slot)
		*slot = (uint32_t)r->groups.n;
	return *slot - 1;
}

static uint32_t lane_named(struct db_reader *r, int64_t device, uint32_t tid, uint32_t name, int64_t sort)
{
	uint32_t pid = process_pid(r, PROC_COMMUNICATION, device);
	uint32_t lane = build_lane(r->t->build, pid, tid);

	build_lane_name(r->t->build, pid, tid, name);
	build_lane_sort(r->t->build, pid, tid, sort);
	return lane;
}

uint32_t lane_of_group(struct db_reader *r, int64_t device, uint32_t group)
{
	uint32_t g = group_number(r, device, group);
	struct lane_entry *e = entry_at(r, PROC_COMMUNICATION, device, (int64_t)g << 32);
	uint32_t name;

	if (LIKELY(e->used && e->process == PROC_COMMUNICATION && e->owner == device && e->number == (int64_t)g << 32))
		return e->lane;
	name = name_is_nothing(r, group) ? name_of(r, "Communication")
					 : name_printf(r, "Group %s Communication", names_text(r->t->names, group));
	*e = (struct lane_entry){ .owner = device, .number = (int64_t)g << 32, .process = PROC_COMMUNICATION, .used = true };
	e->lane = lane_named(r, device, name_printf(r, "%u", g), name, (int64_t)g << 32);
	return e->lane;
}

uint32_t lane_of_plane(struct db_reader *r, int64_t device, uint32_t group, int64_t plane)
{
	uint32_t g = group_number(r, device, group), at = plane >= 0 && plane < UINT32_MAX ? (uint32_t)plane : 0;
	int64_t number = (int64_t)g << 32 | ((int64_t)at + 1);
	struct lane_entry *e = entry_at(r, PROC_COMMUNICATION, device, number);

	if (LIKELY(e->used && e->process == PROC_COMMUNICATION && e->owner == device && e->number == number))
		return e->lane;
	*e = (struct lane_entry){ .owner = device, .number = number, .process = PROC_COMMUNICATION, .used = true };
	e->lane = lane_named(r, device, name_printf(r, "%u.%u", g, at), name_printf(r, "Plane %u", at), number);
	return e->lane;
}
