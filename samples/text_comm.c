/* SPDX-License-Identifier: Apache-2.0 */
/*
 * communication.json and communication_matrix.json of one capture. Start times
 * are microseconds, every other time milliseconds, sizes MB of 10^6 bytes and
 * bandwidths GB/s, as the exporter mixes them.
 */
#include "samples/text.h"

#include "samples/comm.h"

#include <string.h>

static void pair(struct out *o, const char *key, int64_t v, int digits)
{
	out_char(o, '"');
	out_str(o, key);
	out_str(o, "\": ");
	if (v == 0)
		out_char(o, '0');
	else
		out_short(o, v, digits);
}

static void time_info(struct out *o, const struct comm_sum *s, int64_t start)
{
	int64_t idle = s->elapse - s->transit - s->wait;

	out_str(o, "{\"Communication Time Info\": {");
	if (start) {
		pair(o, "Start Timestamp(us)", start, 3);
		out_str(o, ", ");
	}
	pair(o, "Elapse Time(ms)", s->elapse, 6);
	out_str(o, ", ");
	pair(o, "Transit Time(ms)", s->transit, 6);
	out_str(o, ", ");
	pair(o, "Wait Time(ms)", s->wait, 6);
	out_str(o, ", ");
	pair(o, "Synchronization Time(ms)", s->sync, 6);
	out_str(o, ", ");
	pair(o, "Idle Time(ms)", idle > 0 ? idle : 0, 6);
	out_str(o, ", ");
	pair(o, "Wait Time Ratio", s->wait * 10000 / (s->wait + s->transit), 4);
	out_str(o, ", ");
	pair(o, "Synchronization Time Ratio", s->sync * 10000 / (s->sync + s->transit), 4);
	out_str(o, "}, \"Communication Bandwidth Info\": {");
}

static void link_info(struct out *o, const char *name, const struct comm_sum *s, bool packets)
{
	out_char(o, '"');
	out_str(o, name);
	out_str(o, "\": {");
	pair(o, "Transit Size(MB)", s ? s->bytes : 0, 6);
	out_str(o, ", ");
	pair(o, "Transit Time(ms)", s ? s->transit : 0, 6);
	out_str(o, ", ");
	pair(o, "Bandwidth(GB/s)", s ? s->bytes * 10000 / s->transit : 0, 4);
	out_str(o, ", ");
	pair(o, "Large Packet Ratio", 0, 1);
	out_str(o, ", \"Size Distribution\": {");
	if (s && packets) {
		out_char(o, '"');
		out_short(o, s->bytes / s->count / 8, 6);
		out_str(o, "\": [");
		out_i64(o, s->count * 8);
		out_str(o, ", ");
		out_short(o, s->transit, 6);
		out_char(o, ']');
	}
	out_str(o, "}}");
}

static void leaf(struct out *o, const struct comm_sum *s, int64_t start)
{
	time_info(o, s, start);
	link_info(o, "RDMA", NULL, false);
	out_str(o, ", ");
	link_info(o, "HCCS", s, true);
	out_str(o, ", ");
	link_info(o, "PCIE", NULL, false);
	out_str(o, ", ");
	link_info(o, "SDMA", s, false);
	out_str(o, ", ");
	link_info(o, "SIO", NULL, false);
	out_str(o, "}}");
}

static void step_open(struct out *o, const struct capture *c, size_t i)
{
	out_str(o, i ? ", \"step" : "\"step");
	out_i64(o, c->step.at[i].number);
	out_str(o, "\": {\"p2p\": {}, \"collective\": {");
}

void text_comm(const struct capture *c, struct out *o)
{
	char name[64];
	size_t j = 0;

	out_char(o, '{');
	for (size_t i = 0; i < c->step.n; i++) {
		struct comm_sum all = { 0 };
		step_open(o, c, i);
		for (; j < c->comm.n && c->comm.at[j].step == c->step.at[i].number; j++) {
			const struct comm_ev *e = &c->comm.at[j];
			struct comm_sum one = { 0 };
			comm_add(&one, e);
			comm_add(&all, e);
			comm_name(e, c->group, name, sizeof(name));
			out_char(o, '"');
			out_str(o, name);
			out_char(o, '@');
			out_u64(o, c->group);
			out_str(o, "\": ");
			leaf(o, &one, e->start);
			out_str(o, ", ");
		}
		out_str(o, "\"Total Op Info\": ");
		if (all.count)
			leaf(o, &all, 0);
		else
			out_str(o, "{}");
		out_str(o, "}}");
	}
	out_char(o, '}');
}

static void matrix_links(struct out *o, const struct capture *c, const struct comm_sum *s, const char *name)
{
	for (int peer = 0; peer < c->scenario->world; peer++) {
		struct comm_link link = comm_link_make(c, s, peer);
		out_str(o, peer ? ", \"" : "\"");
		out_i64(o, c->rank);
		out_char(o, '-');
		out_i64(o, peer);
		out_str(o, "\": {\"Transport Type\": \"");
		out_str(o, link.transport);
		out_str(o, "\", ");
		pair(o, "Transit Size(MB)", link.bytes, 6);
		out_str(o, ", ");
		pair(o, "Transit Time(ms)", link.transit, 6);
		out_str(o, ", ");
		pair(o, "Bandwidth(GB/s)", link.bytes * 10000 / link.transit, 4);
		if (name) {
			out_str(o, ", \"Op Name\": \"");
			out_str(o, name);
			out_char(o, '"');
		}
		out_char(o, '}');
	}
}

static void matrix_entry(struct out *o, const struct capture *c, const char *suffix, const struct comm_sum *s,
	const struct comm_ev *e)
{
	char name[64];

	comm_name(e, c->group, name, sizeof(name));
	out_char(o, '"');
	out_str(o, e->desc->matrix);
	out_str(o, suffix);
	out_char(o, '@');
	out_u64(o, c->group);
	out_str(o, "\": {");
	matrix_links(o, c, s, strcmp(suffix, "-total") == 0 ? NULL : name);
	out_char(o, '}');
}

void text_comm_matrix(const struct capture *c, struct out *o)
{
	size_t j = 0;

	out_char(o, '{');
	for (size_t i = 0; i < c->step.n; i++) {
		struct comm_sum all, top;
		const struct comm_ev *best = comm_step(c, c->step.at[i].number, &j, &all, &top);
		step_open(o, c, i);
		if (best) {
			matrix_entry(o, c, "-top1", &top, best);
			out_str(o, ", ");
			matrix_entry(o, c, "-total", &all, best);
		}
		out_str(o, "}}");
	}
	out_char(o, '}');
}
