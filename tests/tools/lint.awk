# SPDX-License-Identifier: Apache-2.0
# The part of lint.sh that reads C: layers, headers, sizes, indentation, calls that a library must not make.

function found(text) {
	print FILENAME ":" FNR ": " text
}

# The layer a path belongs to, by its folder.
function layer(path, part, n) {
	n = split(path, part, "/")
	return part[1] == "core" && n > 2 ? part[1] "/" part[2] : part[1]
}

# What a layer may include, as prefixes. Files in tests/ may include anything; tui/main.c is where all meets.
BEGIN {
	may["core/base"]     = "core/base/"
	may["core/model"]    = "core/base/ core/model/"
	may["core/load"]     = "core/base/ core/model/ core/load/"
	may["core/analysis"] = "core/base/ core/model/ core/analysis/"
	may["core/handoff"]  = "core/base/ core/model/ core/analysis/ core/handoff/"
	may["core/report"]   = "core/"
	may["kernels"]       = "core/ kernels/"
	may["tui"]           = "core/ kernels/ tui/"
	may["samples"]       = "samples/"
	FUNCTION_LINES = 100
	FILE_LINES = 700
}

FNR == 1 {
	if (file != "")
		end_of_file()
	file = FILENAME
	mine = layer(FILENAME)
	is_header = FILENAME ~ /\.h$/
	is_c = FILENAME ~ /\.[ch]$/
	guard = toupper("ascope_" FILENAME)
	gsub(/[\/.-]/, "_", guard)
	guards = body = in_comment = 0
	library = FILENAME ~ /^(core|kernels)\//
	if ($0 != "/* SPDX-License-Identifier: Apache-2.0 */")
		found("the first line is not /* SPDX-License-Identifier: Apache-2.0 */")
	if (mine !~ /^tests/ && !(mine in may))
		found("folder without a line in the table of layers (tests/tools/lint.awk)")
}

function end_of_file() {
	if (lines > FILE_LINES)
		print file ":" lines ": file of " lines " lines, " FILE_LINES " at most"
	if (was_header && guards != 2)
		print file ":1: no guard " guard_of_file
}

{ lines = FNR; was_header = is_header; guard_of_file = guard }

is_header && FNR == 2 && !/^\/\*/ { found("a header starts with what it is for") }
is_header && ($0 == "#ifndef " guard || $0 == "#define " guard) { guards++ }

/^#[ \t]*include[ \t]+"/ {
	split($0, quoted, "\"")
	ok = mine == "tests" || FILENAME == "tui/main.c"
	n = split(may[mine], prefix, " ")
	for (i = 1; i <= n && !ok; i++)
		ok = index(quoted[2], prefix[i]) == 1
	if (!ok)
		found(mine " does not include \"" quoted[2] "\"")
}
/^#[ \t]*include[ \t]+<(ncursesw?\/)?(n?curses|term|panel|form|menu)\.h>/ && FILENAME != "tui/term.c" { found("curses is for tui/term.c alone") }
mine == "samples" && /^#[ \t]*include[ \t]+</ && /cJSON|pcre2/ { found("samples must not use the readers' libraries") }

is_c && /^ +[^ *]/ && !in_comment { found("spaces for indentation") }

is_c && /^\{/ { body = FNR }
is_c && /^\}/ {
	if (body && FNR - body - 1 > FUNCTION_LINES)
		found("function of " (FNR - body - 1) " lines, " FUNCTION_LINES " at most")
	body = 0
}

# The line without comments, texts and characters.
function bare(line, out, c, i, n) {
	out = ""
	n = length(line)
	for (i = 1; i <= n; i++) {
		c = substr(line, i, 2)
		if (in_comment) {
			if (c == "*/") {
				in_comment = 0
				i++
			}
		} else if (c == "/*") {
			in_comment = 1
			i++
		} else if (c == "//") {
			break
		} else {
			c = substr(c, 1, 1)
			if (c == "\"" || c == "'") {
				for (i++; i <= n && substr(line, i, 1) != c; i++)
					if (substr(line, i, 1) == "\\")
						i++
				out = out "0"
			} else {
				out = out c
			}
		}
	}
	return out
}

is_c {
	code = index($0, "/*") || index($0, "*/") || index($0, "\"") || index($0, "'") || index($0, "//") || in_comment ? bare($0) : $0
	if (library) {
		if (code ~ /(^|[^A-Za-z0-9_>.])(printf|puts|putchar|vprintf|perror|psignal|err|errx|warn|warnx|verr|vwarn|syslog)[ \t]*\(/)
			found("core and kernels do not print")
		if (code ~ /(^|[^A-Za-z0-9_])(stdout|stderr)([^A-Za-z0-9_]|$)/)
			found("core and kernels do not know stdout and stderr")
		if (code ~ /(^|[^A-Za-z0-9_>.])(exit|_exit|_Exit|quick_exit|assert)[ \t]*\(/)
			found("core and kernels do not end the program")
		if (code ~ /(^|[^A-Za-z0-9_>.])abort[ \t]*\(/ && FILENAME !~ /^core\/base\//)
			found("abort is for core/base: no memory, or a contract broken")
		if (code ~ /(^|[^A-Za-z0-9_>.])(strtod|strtof|strtold|atof|setlocale)[ \t]*\(/ && FILENAME !~ /^core\/base\//)
			found("depends on the locale: core/base/decimal.h does not")
	}
	if (code ~ /(^|[^A-Za-z0-9_>.])(gets|sprintf|vsprintf|strtok|alloca|atoi|atol|atoll|system|popen)[ \t]*\(/ && FILENAME !~ /^tests\//)
		found("unsafe call")
}

END { end_of_file() }
