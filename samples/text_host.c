/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host side of the CSV export: operator_details.csv (LF, quoted fields with
 * line breaks), api_statistic.csv, and the three memory tables. Times are
 * microseconds, memory is MB or KB of 1024 as the header says.
 */
#include "samples/text.h"

#include "samples/names.h"

#include <stdlib.h>
#include <string.h>

/* CSV field in quotes; carriage returns are dropped as the exporter drops them. */
static void quoted(struct out *o, const char *s)
{
	out_char(o, '"');
	for (; *s; s++) {
		if (*s == '\r')
			continue;
		if (*s == '"')
			out_char(o, '"');
		out_char(o, *s);
	}
	out_char(o, '"');
}

static void micro(struct out *o, int64_t ns)
{
	out_char(o, ',');
	out_short(o, ns, 3);
}

static void stamp(struct out *o, int64_t ns)
{
	out_char(o, ',');
	out_fixed(o, ns, 3);
	out_char(o, '\t');
}

/* Bytes as MB with ten decimals: exact, 1/1048576 needs at most twenty. */
static void mega(struct out *o, int64_t bytes)
{
	int64_t kb = bytes / 1024;

	out_char(o, ',');
	out_short(o, kb / 1024 * 10000000000 + kb % 1024 * 9765625, 10);
}

static void operator_row(const struct capture *c, const struct host_ev *e, const struct host_ev *inner, struct out *o)
{
	char text[NAME_SIZE], dims[NAME_SIZE], types[NAME_SIZE];
	const char *stack = host_stack(c, e);
	int64_t total = e->end - e->start;

	out_str(o, host_name(e, text, sizeof(text)));
	out_char(o, ',');
	if (host_dims(e, dims, types, sizeof(dims)))
		quoted(o, dims);
	if (stack) {
		out_char(o, ',');
		quoted(o, stack);
	}
	micro(o, total - e->child_ns);
	micro(o, total);
	micro(o, e->device_ns);
	micro(o, inner ? inner->device_ns : e->device_ns);
	micro(o, e->aicore_ns);
	micro(o, inner ? inner->aicore_ns : e->aicore_ns);
	out_char(o, '\n');
}

void text_operator_details(const struct capture *c, struct out *o)
{
	bool stack = c->scenario->flags & SF_FRAMES;

	out_str(o, stack ? "Name,Input Shapes,Call Stack," : "Name,Input Shapes,");
	out_str(o, "Host Self Duration(us),Host Total Duration(us),Device Self Duration(us),Device Total Duration(us),"
		   "Device Self Duration With AICore(us),Device Total Duration With AICore(us)\n");
	for (size_t i = 0; i < c->host.n; i++) {
		const struct host_ev *e = &c->host.at[i];
		if (e->kind == HOST_OP)
			operator_row(c, e, e->child_ns && i + 1 < c->host.n ? e + 1 : NULL, o);
	}
}

struct api_sum {
	const char *name;
	enum api_level level;
	int64_t count, total, min, max, mean;
	uint64_t squares;	/* of the distance from the mean, ns^2 */
};

enum { MAX_APIS = 128 };

static struct api_sum *api_find(struct api_sum *sum, size_t *n, const struct api_ev *e)
{
	for (size_t i = 0; i < *n; i++)
		if (sum[i].level == e->level && strcmp(sum[i].name, e->name) == 0)
			return &sum[i];
	if (*n == MAX_APIS)
		return NULL;
	sum[*n] = (struct api_sum){ .name = e->name, .level = e->level, .min = INT64_MAX };
	return &sum[(*n)++];
}

static size_t api_sums(const struct capture *c, struct api_sum *sum)
{
	size_t n = 0;

	for (size_t i = 0; i < c->api.n; i++) {
		struct api_sum *s = api_find(sum, &n, &c->api.at[i]);
		int64_t ns = c->api.at[i].end - c->api.at[i].start;
		if (!s)
			continue;
		s->count++;
		s->total += ns;
		s->min = ns < s->min ? ns : s->min;
		s->max = ns > s->max ? ns : s->max;
	}
	for (size_t i = 0; i < n; i++)
		sum[i].mean = sum[i].total / sum[i].count;
	for (size_t i = 0; i < c->api.n; i++) {
		struct api_sum *s = api_find(sum, &n, &c->api.at[i]);
		int64_t away = s ? c->api.at[i].end - c->api.at[i].start - s->mean : 0;
		if (s)
			s->squares += (uint64_t)(away * away);
	}
	return n;
}

void text_api_statistic(const struct capture *c, struct out *o)
{
	static const char *const level[] = { "acl", "node", "model", "communication" };
	struct api_sum sum[MAX_APIS] = { { 0 } };
	size_t n = api_sums(c, sum);

	out_str(o, "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\n");
	for (size_t i = 0; i < n; i++) {
		out_str(o, "host,");
		out_str(o, level[sum[i].level]);
		out_char(o, ',');
		out_str(o, sum[i].name);
		micro(o, sum[i].total);
		out_char(o, ',');
		out_i64(o, sum[i].count);
		micro(o, sum[i].mean);
		micro(o, sum[i].min);
		micro(o, sum[i].max);
		micro(o, (int64_t)(sum[i].squares / (uint64_t)sum[i].count / 1000));
		out_char(o, '\n');
	}
}

void text_operator_memory(const struct capture *c, struct out *o)
{
	out_str(o, "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),Active Duration(us),"
		   "Allocation Total Allocated(MB),Allocation Total Reserved(MB),Allocation Total Active(MB),"
		   "Release Total Allocated(MB),Release Total Reserved(MB),Release Total Active(MB),Stream Ptr,Device Type\r\n");
	for (size_t i = 0; i < c->mem.n; i++) {
		const struct mem_ev *e = &c->mem.at[i];
		out_str(o, e->name);
		out_char(o, ',');
		out_short(o, e->bytes / 512 * 5, 1);
		stamp(o, e->at);
		stamp(o, e->release);
		stamp(o, e->release);
		stamp(o, e->release - e->at);
		stamp(o, e->release - e->at);
		for (int half = 0; half < 2; half++) {
			mega(o, e->total - (half ? e->bytes : 0));
			mega(o, 13958643712);
			mega(o, e->total - (half ? e->bytes : 0));
		}
		out_str(o, ",281470681743360,NPU:");
		out_i64(o, c->device);
		out_str(o, "\r\n");
	}
}

void text_memory_record(const struct capture *c, struct out *o)
{
	static const char *const component[] = { "PTA", "PTA+GE" };

	out_str(o, "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,Device Type\r\n");
	for (size_t i = 0; i < c->mem.n; i++)
		for (int k = 0; k < 2; k++) {
			out_str(o, component[k]);
			stamp(o, c->mem.at[i].at);
			mega(o, c->mem.at[i].total);
			mega(o, 13958643712);
			mega(o, c->mem.at[i].total);
			out_str(o, ",281470681743360,NPU:");
			out_i64(o, c->device);
			out_str(o, "\r\n");
		}
}

void text_module_memory(const struct capture *c, struct out *o)
{
	static const struct {
		const char *name;
		int64_t bytes;
	} module[] = { { "SLOG", 166363136 }, { "HCCL", 423690240 }, { "RUNTIME", 90177536 }, { "APP", 14306770944 } };
	struct span all = capture_span(c);

	out_str(o, "Device_id,Component,Timestamp(us),Total Reserved(MB),Device\n");
	for (int64_t at = all.start; at < all.end; at += 20000000)
		for (size_t i = 0; i < sizeof(module) / sizeof(module[0]); i++) {
			out_i64(o, c->device);
			out_char(o, ',');
			out_str(o, module[i].name);
			stamp(o, at);
			mega(o, module[i].bytes);
			out_str(o, ",NPU:");
			out_i64(o, c->device);
			out_char(o, '\n');
		}
}
