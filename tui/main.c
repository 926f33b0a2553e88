/* SPDX-License-Identifier: Apache-2.0 */
/* The program: command line in, text or JSON out, exit status by core/base/err.def. The only place that prints and exits. */
#include "core/analysis/analysis.h"
#include "core/base/diag.h"
#include "core/base/file.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/load/load.h"
#include "core/report/analysis_report.h"
#include "core/report/info.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum command {
#define COMMAND(id, name, args, text) CMD_##id,
#include "tui/option.def"
#undef COMMAND
	CMD_MAX
};

enum option {
#define OPTION(id, name, letter, arg, text) OPT_##id,
#include "tui/option.def"
#undef OPTION
	OPT_MAX
};

static const struct {
	const char *name, *args, *text;
} commands[CMD_MAX] = {
#define COMMAND(id, name, args, text) [CMD_##id] = { name, args, text },
#include "tui/option.def"
#undef COMMAND
};

static const struct {
	const char *name;
	char letter;
	const char *arg, *text;
} options[OPT_MAX] = {
#define OPTION(id, name, letter, arg, text) [OPT_##id] = { name, letter, arg, text },
#include "tui/option.def"
#undef OPTION
};

struct cli {
	enum command command;
	const char *path;
	const char *value[OPT_MAX];	/* NULL: not given; "" for one without argument */
};

static struct progress progress;

static void on_interrupt(int sig)
{
	(void)sig;
	atomic_store(&progress.cancel, 1);
}

static void out_of_memory(void)
{
	static const char text[] = "ascope: out of memory\n";

	(void)!write(STDERR_FILENO, text, sizeof text - 1);
	_exit(err_exit_status(ERR_LIMIT));
}

static void add_help(struct buf *out)
{
	buf_printf(out, "ascope %s: profiling captures of Ascend NPUs in the terminal\n\n", ASCOPE_VERSION);
	for (int i = 0; i < CMD_MAX; i++)
		buf_printf(out, "  ascope %s%s%-*s %s\n", commands[i].name, commands[i].name[0] ? " " : "",
			(int)(24 - strlen(commands[i].name) - (commands[i].name[0] != 0)), commands[i].args, commands[i].text);
	buf_str(out, "\nCAPTURE is a *_ascend_pt, *_ascend_ms or PROF_* folder, a job root with many\n"
		"ranks, one file or database, or a .zip, .tar, .tar.gz, .tgz or .json.gz. It is\n"
		"never written to.\n\n");
	for (int i = 0; i < OPT_MAX; i++)
		buf_printf(out, "  %c%c%c --%s %-*s %s\n", options[i].letter ? '-' : ' ', options[i].letter ? options[i].letter : ' ',
			options[i].letter ? ',' : ' ', options[i].name, (int)(12 - strlen(options[i].name)), options[i].arg, options[i].text);
	buf_str(out, "\nExit status: 0 done, 1 a check failed, 2 wrong command line, 3 no capture there,\n"
		"4 unreadable or not a capture, 130 cancelled.\n");
}

static int usage_error(const char *format, ...) PRINTF_LIKE(1, 2);

static int usage_error(const char *format, ...)
{
	char text[400], clean[800];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	utf8_clean(str_of(text), clean, sizeof clean);
	fprintf(stderr, "ascope: %s (ascope --help tells more)\n", clean);
	return err_exit_status(ERR_USAGE);
}

static enum option option_of(const char *arg, const char **value)
{
	for (int i = 0; i < OPT_MAX; i++) {
		size_t n = strlen(options[i].name);

		*value = "";
		if (arg[1] != '-' && arg[1] && arg[1] == options[i].letter && !arg[2])
			return (enum option)i;
		if (arg[1] != '-' || strncmp(arg + 2, options[i].name, n) != 0)
			continue;
		if (arg[2 + n] == '=')
			*value = arg + 3 + n;
		if (arg[2 + n] == '=' || !arg[2 + n])
			return (enum option)i;
	}
	return OPT_MAX;
}

static enum command command_of(const char *word)
{
	for (int i = 0; i < CMD_MAX; i++)
		if (commands[i].name[0] && strcmp(word, commands[i].name) == 0)
			return (enum command)i;
	return CMD_MAX;
}

/* Reads the command line; returns 0 or the exit status of a wrong one. */
static int cli_read(struct cli *c, int argc, char **argv)
{
	bool only_paths = false, have_command = false;

	*c = (struct cli){ .command = CMD_OPEN };
	for (int i = 1; i < argc; i++) {
		const char *value;
		enum option o;

		if (!only_paths && strcmp(argv[i], "--") == 0) {
			only_paths = true;
			continue;
		}
		if (only_paths || argv[i][0] != '-' || !argv[i][1]) {
			if (!only_paths && !have_command && !c->path && command_of(argv[i]) < CMD_MAX) {
				c->command = command_of(argv[i]);
				have_command = true;
				continue;
			}
			if (c->path)
				return usage_error("one capture at a time: what is \"%s\" for?", argv[i]);
			c->path = argv[i];
			continue;
		}
		o = option_of(argv[i], &value);
		if (o == OPT_MAX)
			return usage_error("unknown option \"%s\"", argv[i]);
		if (options[o].arg[0] && !value[0] && i + 1 < argc)
			value = argv[++i];
		if (options[o].arg[0] && !value[0])
			return usage_error("option --%s needs a value", options[o].name);
		if (!options[o].arg[0] && value[0])
			return usage_error("option --%s takes no value", options[o].name);
		c->value[o] = value;
	}
	return 0;
}

static int fail(const struct diag *d)
{
	char text[900];

	diag_format(d, text, sizeof text);
	fprintf(stderr, "ascope: %s\n", text);
	return err_exit_status(d->err);
}

static int write_out(const struct buf *out)
{
	struct diag d;

	if (fwrite(out->p, 1, out->n, stdout) == out->n && fflush(stdout) == 0)
		return 0;
	diag_set(&d, ERR_OUTPUT, "standard output", -1, -1, "cannot be written: %s", strerror(errno));
	return fail(&d);
}

/* Loads the capture that was named; 0 or the exit status. */
static int load_capture(const struct cli *cli, struct capture **c)
{
	struct load_options load = { 0 };
	struct diag d;
	uint64_t threads;

	if (!cli->path)
		return usage_error("name a capture");
	if (cli->value[OPT_THREADS]) {
		if (!str_to_u64(str_of(cli->value[OPT_THREADS]), &threads) || threads < 1 || threads > 256)
			return usage_error("--threads takes a number from 1 to 256, not \"%s\"", cli->value[OPT_THREADS]);
		load.threads = (unsigned)threads;
	}
	return capture_load(cli->path, &load, &progress, c, &d) ? fail(&d) : 0;
}

static int run_info(const struct cli *cli)
{
	struct buf out = { 0 };
	struct capture *c;
	int status = load_capture(cli, &c);

	if (status)
		return status;
	if (cli->value[OPT_JSON])
		info_write_json(c, &out);
	else
		info_write_text(c, &out);
	status = write_out(&out);
	buf_done(&out);
	capture_free(c);
	return status;
}

static int analysis_options_read(const struct cli *cli, struct analysis_options *o)
{
	const char *phase = cli->value[OPT_PHASE];
	uint64_t rank;

	analysis_options_init(o);
	if (phase && strcmp(phase, "auto") != 0) {
		if (strcmp(phase, "prefill") != 0 && strcmp(phase, "decode") != 0)
			return usage_error("--phase takes auto, prefill or decode, not \"%s\"", phase);
		o->phase = strcmp(phase, "prefill") == 0 ? PHASES_PREFILL : PHASES_DECODE;
	}
	if (cli->value[OPT_RANK]) {
		if (!str_to_u64(str_of(cli->value[OPT_RANK]), &rank) || rank > INT32_MAX)
			return usage_error("--rank takes a rank's number, not \"%s\"", cli->value[OPT_RANK]);
		o->rank = (int)rank;
	}
	return 0;
}

static bool has_rank(const struct capture *c, int rank)
{
	for (size_t i = 0; i < c->nranks; i++)
		if (c->ranks[i].id == rank)
			return true;
	return false;
}

static int write_report(const char *path, const struct buf *text)
{
	struct diag d;

	return file_write(path, text->p, text->n, &d) ? fail(&d) : 0;
}

static int write_analysis(const struct cli *cli, const struct analysis *a)
{
	struct buf out = { 0 };
	int status = 0;

	if (cli->value[OPT_MARKDOWN]) {
		analysis_write_markdown(a, &out);
		status = write_report(cli->value[OPT_MARKDOWN], &out);
		out.n = 0;
	}
	if (!status && cli->value[OPT_HTML]) {
		analysis_write_html(a, &out);
		status = write_report(cli->value[OPT_HTML], &out);
		out.n = 0;
	}
	if (cli->value[OPT_JSON])
		analysis_write_json(a, &out);
	else if ((!cli->value[OPT_MARKDOWN] && !cli->value[OPT_HTML]) || cli->value[OPT_TEXT])
		analysis_write_text(a, &out);
	if (!status && out.n)
		status = write_out(&out);
	buf_done(&out);
	return status;
}

static int run_analyze(const struct cli *cli)
{
	struct analysis_options o;
	struct analysis *a;
	struct capture *c;
	struct diag d;
	int status = analysis_options_read(cli, &o);

	if (!status)
		status = load_capture(cli, &c);
	if (status)
		return status;
	if (o.rank >= 0 && !has_rank(c, o.rank))
		status = usage_error("the capture has no rank %d", o.rank);
	else if (analysis_run(c, &o, &progress, &a, &d))
		status = fail(&d);
	else {
		status = write_analysis(cli, a);
		analysis_free(a);
	}
	capture_free(c);
	return status;
}

int main(int argc, char **argv)
{
	struct sigaction interrupt = { .sa_handler = on_interrupt };
	struct cli cli;
	int status;

	mem_set_fail(out_of_memory);
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGTERM, &interrupt, NULL);
	signal(SIGPIPE, SIG_IGN);
	status = cli_read(&cli, argc, argv);
	if (status)
		return status;
	if (cli.value[OPT_HELP] || cli.value[OPT_VERSION]) {
		struct buf out = { 0 };

		if (cli.value[OPT_HELP])
			add_help(&out);
		else
			buf_printf(&out, "ascope %s\n", ASCOPE_VERSION);
		status = write_out(&out);
		buf_done(&out);
		return status;
	}
	return cli.command == CMD_ANALYZE ? run_analyze(&cli) : run_info(&cli);
}
