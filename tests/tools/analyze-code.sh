#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Static analysis of core/, kernels/ and tui/: gcc -fanalyzer, and cppcheck when it is there. Lists every warning; exit 1 when one of them
# is not in tests/tools/analyze-code.allow. Environment: O (build folder), GCC.
set -u

O=${O:-build}
GCC=${GCC:-gcc}
A=$O/analysis
allow=tests/tools/analyze-code.allow
jobs=$(nproc 2>/dev/null || echo 2)
ran=''

rm -rf "$A"
mkdir -p "$A" || exit 1
trap 'exit 130' INT TERM HUP
for d in core kernels tui; do
	[ -d "$d" ] && find "$d" -name '*.c'
done | sort >"$A/sources"

if echo 'int x;' | "$GCC" -fanalyzer -x c -c -o /dev/null - 2>/dev/null; then
	objects=$(sed "s|\\(.*\\)\\.c\$|$A/obj/\\1.o|" "$A/sources")
	unset MAKEFLAGS MFLAGS MAKELEVEL
	# shellcheck disable=SC2086	# words on purpose
	make -k -O -j"$jobs" O="$A" CC="$GCC" OPT='-O1 -g' CFLAGS='-fanalyzer -Wno-error' $objects >"$A/gcc.log" 2>&1 || {
		grep -E ' error: |\*\*\*' "$A/gcc.log" >&2
		echo "analyze-code: does not compile, see $A/gcc.log" >&2
		exit 1
	}
	grep -E '^[^ :]+:[0-9]+:[0-9]+: warning: ' "$A/gcc.log" | sed -E 's/^([^:]+:[0-9]+):[0-9]+: warning: /gcc \1: /' >>"$A/found"
	ran="$("$GCC" --version | head -n 1)"
fi

if command -v cppcheck >/dev/null 2>&1; then
	cppcheck -j "$jobs" --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --suppress=missingIncludeSystem \
		--template='{file}:{line}: {message} [{id}]' -I. -D_GNU_SOURCE -D__GNUC__ -DASCOPE_VERSION='""' \
		--file-list="$A/sources" >"$A/cppcheck.log" 2>&1
	grep -E '^[^ :]+:[0-9]+: ' "$A/cppcheck.log" | sed 's/^/cppcheck /' >>"$A/found"
	ran="$ran${ran:+, }$(cppcheck --version)"
fi

if [ -z "$ran" ]; then
	echo "analyze-code: neither a gcc with -fanalyzer nor cppcheck here" >&2
	exit 1
fi

# allow: FILE ID reason. The id is in the last brackets of a warning.
sort -u "$A/found" 2>/dev/null | awk -v allow="$allow" '
BEGIN {
	while ((getline line <allow) > 0)
		if (line !~ /^(#|$)/ && split(line, word, " ") > 2) {
			reason[word[1] " " word[2]] = line
			sub(/^[^ ]+ +[^ ]+ +/, "", reason[word[1] " " word[2]])
		}
}
{
	file = $2
	sub(/:.*/, "", file)
	id = $NF
	gsub(/[][]/, "", id)
	sub(/^-W/, "", id)
	key = file " " id
	text = $0
	sub(/^[^ ]+ /, "", text)
	if (key in reason) {
		used[key] = 1
		print "  known   " text "\n          " reason[key]
	} else {
		print "  FOUND   " text
		bad++
	}
}
END {
	for (key in reason)
		if (!(key in used))
			print "  unused  " key " in " allow " (with these tools)"
	exit bad > 0
}'
bad=$?
if [ "$bad" -eq 0 ]; then
	echo "analyze-code: nothing new in $(wc -l <"$A/sources") files ($ran)"
fi
exit $bad
