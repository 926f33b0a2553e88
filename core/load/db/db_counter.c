/* SPDX-License-Identifier: Apache-2.0 */
/* Sampled values as counters, under the names and in the units of the text export: MB/s, KB, MHz where the database has bytes. */
#include "core/load/db/db_read.h"

#include <inttypes.h>

enum { SERIES_MAX = 8 };

#define MB (1.0 / 1048576)
#define KB (1.0 / 1024)

/* In texts: %n is the number of the instance, %d the same as " Die 0", %k its word as stored, %K the word as people write it. */
struct series {
	const char *column, *name, *key;
	double scale;
};

static const struct counter_table {
	const char *table, *process;
	uint8_t sort;			/* 0: the host's */
	const char *number, *word;	/* columns of %n and %k, NULL when there are none */
	struct series series[SERIES_MAX];
} counter_tables[] = {
	{ "AICORE_FREQ", "AI Core Freq", 15, "dieId", NULL, { { "freq", "AI Core Freq%d", "MHz", 1 } } },
	{ "NPU_MEM", "NPU MEM", 18, NULL, "type", { { "ddr", "%K/DDR", "KB", KB }, { "hbm", "%K/HBM", "KB", KB } } },
	{ "DDR", "DDR", 19, NULL, NULL, { { "read", "DDR/Read", "Read(MB/s)", 1 }, { "write", "DDR/Write", "Write(MB/s)", 1 } } },
	{ "ACC_PMU", "Acc PMU", 20, NULL, NULL, {
		{ "readBwLevel", "read_bandwidth", "value", 1 }, { "accId", "read_bandwidth", "acc_id", 1 },
		{ "writeBwLevel", "write_band_width", "value", 1 }, { "accId", "write_band_width", "acc_id", 1 },
		{ "readOstLevel", "read_ost", "value", 1 }, { "accId", "read_ost", "acc_id", 1 },
		{ "writeOstLevel", "write_ost", "value", 1 }, { "accId", "write_ost", "acc_id", 1 } } },
	{ "HCCS", "HCCS", 21, NULL, NULL, { { "rxThroughput", "Rx", "Rx(MB/s)", MB }, { "txThroughput", "Tx", "Tx(MB/s)", MB } } },
	{ "NIC", "NIC", 22, "funcId", NULL, {
		{ "rxPacketRate", "Port %n/Rx", "Rx Packets", 1 }, { "rxByteRate", "Port %n/Rx", "Rx Bytes", 1 },
		{ "txPacketRate", "Port %n/Tx", "Tx Packets", 1 }, { "txByteRate", "Port %n/Tx", "Tx Bytes", 1 } } },
	{ "ROCE", "RoCE", 23, "funcId", NULL, {
		{ "rxPacketRate", "Port %n/Rx", "Rx Packets", 1 }, { "rxByteRate", "Port %n/Rx", "Rx Bytes", 1 },
		{ "txPacketRate", "Port %n/Tx", "Tx Packets", 1 }, { "txByteRate", "Port %n/Tx", "Tx Bytes", 1 } } },
	{ "PCIE", "PCIe", 24, NULL, NULL, { { "txCplAvg", "PCIe_cpl", "Tx", MB }, { "rxCplAvg", "PCIe_cpl", "Rx", MB },
		{ "txNonpostAvg", "PCIe_nonpost", "Tx", MB }, { "rxNonpostAvg", "PCIe_nonpost", "Rx", MB },
		{ "txNonpostLatencyAvg", "PCIe_nonpost_latency", "Tx", 0.001 }, { "txPostAvg", "PCIe_post", "Tx", MB },
		{ "rxPostAvg", "PCIe_post", "Rx", MB } } },
	{ "HBM", "HBM", 25, "hbmId", "type", { { "bandwidth", "HBM %n/%K", "%K(MB/s)", MB } } },
	{ "SOC_BANDWIDTH_LEVEL", "Stars Soc Info", 26, NULL, NULL, { { "l2BufferBwLevel", "L2 Buffer Bw Level", "L2 Buffer Bw Level", 1 },
		{ "mataBwLevel", "Mata Bw Level", "Mata Bw Level", 1 } } },
	{ "LLC", "LLC", 28, "llcId", "mode", { { "hitRate", "LLC %n %K/Hit Rate", "Hit Rate(%)", 0.01 },
		{ "throughput", "LLC %n %K/Throughput", "Throughput(MB/s)", MB } } },
	{ "SIO", "SIO", 29, NULL, "name", {
		{ "rxReq", "req_rx", "%k", MB }, { "rxRsp", "rsp_rx", "%k", MB }, { "rxSnp", "snp_rx", "%k", MB },
		{ "rxDat", "dat_rx", "%k", MB }, { "txReq", "req_tx", "%k", MB }, { "txRsp", "rsp_tx", "%k", MB },
		{ "txSnp", "snp_tx", "%k", MB }, { "txDat", "dat_tx", "%k", MB },
	} },
	{ "QOS", "QoS", 30, NULL, "eventName", { { "bandwidth", "%k", "value", MB } } },
	{ "UB", "UB", 33, "portId", NULL, { { "rxUdmaBind", "Port %n/Rx", "Rx", 1 }, { "txUdmaBind", "Port %n/Tx", "Tx", 1 } } },
	{ "CPU_USAGE", "CPU Usage", 0, "cpuId", NULL, { { "usage", "CPU %n", "Usage(%)", 1 } } },
	{ "HOST_MEM_USAGE", "Memory Usage", 0, NULL, NULL, { { "usage", "Memory Usage", "Usage(%)", 1 } } },
	{ "HOST_DISK_USAGE", "Disk Usage", 0, NULL, NULL, { { "usage", "Disk Usage", "Usage(%)", 1 } } },
	{ "HOST_NETWORK_USAGE", "Network Usage", 0, NULL, NULL, { { "usage", "Network Usage", "Usage(%)", 1 } } },
};

/* ---- names ---- */

static struct str spoken(struct str word)
{
	static const char *const words[][2] = { { "read", "Read" }, { "write", "Write" }, { "app", "APP" }, { "device", "Device" } };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_is(word, str_of(words[i][0])))
			return str_of(words[i][1]);
	return word;
}

static uint32_t name_fill(struct db_reader *r, const char *pattern, bool has_number, int64_t number, struct str word)
{
	struct buf b = { 0 };
	struct str said = spoken(word);
	uint32_t id;

	for (const char *p = pattern; *p; p++) {
		char what = p[0] == '%' ? p[1] : '\0';

		if (what == 'k')
			buf_add(&b, word.p, word.n);
		else if (what == 'K')
			buf_add(&b, said.p, said.n);
		else if (what != 'n' && what != 'd')
			buf_char(&b, *p);
		else if (has_number)
			buf_printf(&b, what == 'd' ? " Die %" PRId64 : "%" PRId64, number);
		p += what == 'k' || what == 'K' || what == 'n' || what == 'd';
	}
	id = names_add(r->t->names, (struct str){ b.p, b.n });
	buf_done(&b);
	return id;
}

/* Names of an instance, made once: tables are sorted by nothing in particular, so a few are kept. */
struct instance {
	bool used, has_number;
	int64_t number, device;
	uint32_t word, process;
	uint32_t names[SERIES_MAX], keys[SERIES_MAX];
};

enum { INSTANCES = 64 };

static const struct instance *instance_of(struct db_reader *r, const struct counter_table *t, struct instance *cache,
		const struct db_rows *rows)
{
	struct instance want = { .used = true, .device = NO_INT }, *at;

	want.has_number = db_int(rows, 2, &want.number);
	want.word = text_column(r, rows, 3);
	if (t->sort && (!db_int(rows, 1, &want.device) || want.device < 0))
		want.device = r->device;
	at = &cache[((uint64_t)want.number + (uint64_t)want.device * 7 + want.word * 31) % INSTANCES];
	if (at->used && at->has_number == want.has_number && at->number == want.number && at->device == want.device &&
			at->word == want.word)
		return at;
	*at = want;
	at->process = counter_process(r, t->process, t->sort, want.device);
	for (size_t i = 0; i < SERIES_MAX && t->series[i].column; i++) {
		at->names[i] = name_fill(r, t->series[i].name, want.has_number, want.number, names_str(r->t->names, want.word));
		at->keys[i] = name_fill(r, t->series[i].key, want.has_number, want.number, names_str(r->t->names, want.word));
	}
	return at;
}

/* ---- rows ---- */

static void sample_read(struct db_reader *r, const struct counter_table *t, struct instance *cache, const struct db_rows *rows)
{
	struct account *a = r->t->account;
	const struct instance *in;
	bool any = false;
	int64_t time;
	double v;

	a->by_phase['C']++;
	if (!db_int(rows, 0, &time)) {
		account_drop(a, DROP_NO_TIME, -1);
		return;
	}
	if (time < 0) {
		account_drop(a, DROP_TIME_RANGE, -1);
		return;
	}
	in = instance_of(r, t, cache, rows);
	for (int i = 0; i < SERIES_MAX && t->series[i].column; i++) {
		if (!db_num(rows, 4 + i, &v))
			continue;
		build_sample(r->t->build, &(struct raw_sample){ .time = time, .value = v * t->series[i].scale, .process = in->process,
				.name = in->names[i], .series = in->keys[i] });
		any = true;
	}
	if (any)
		a->kept++;
	else
		account_drop(a, DROP_NO_VALUE, -1);
}

static void table_read(struct db_reader *r, const struct counter_table *t)
{
	struct instance cache[INSTANCES] = { 0 };
	struct buf columns = { 0 };
	struct db_rows rows;

	buf_printf(&columns, "timestampNs deviceId %s %s", t->number ? t->number : "-", t->word ? t->word : "-");
	for (size_t i = 0; i < SERIES_MAX && t->series[i].column; i++)
		buf_printf(&columns, " %s", t->series[i].column);
	if (db_rows_open(&rows, &r->db, t->table, columns.p))
		while (db_rows_next(&rows))
			sample_read(r, t, cache, &rows);
	buf_done(&columns);
}

void counters_read(struct db_reader *r)
{
	if (!r->t->build)
		return;
	progress_stage(r->db.progress, "counters");
	for (size_t i = 0; i < ARRAY_LEN(counter_tables); i++)
		table_read(r, &counter_tables[i]);
}
