#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds every tests/fuzz/fuzz_*.c with libFuzzer and sanitizers and runs each for a while. Exit 1 when one finds a crash, a hang or a leak.
# New inputs go to $O/fuzz-corpus/NAME, crashes to $O/fuzz-crashes; the source tree is left alone.
# Environment: O (build folder), FUZZ_SECONDS (each, 30), FUZZ_ONLY (names, all), FUZZ_MAX_LEN (bytes, 65536).
set -u

O=${O:-build}
seconds=${FUZZ_SECONDS:-30}
most=${FUZZ_MAX_LEN:-65536}
F=$O/fuzzbuild
sanitizers=address,undefined

if ! command -v clang >/dev/null 2>&1; then
	echo "fuzz: needs clang with libFuzzer (Debian, Ubuntu: clang; openEuler, RHEL: clang compiler-rt)" >&2
	exit 1
fi

names=''
for f in tests/fuzz/fuzz_*.c; do
	[ -f "$f" ] || continue
	name=${f##*/fuzz_}
	names="$names ${name%.c}"
done
names=${FUZZ_ONLY:-$names}
if [ -z "$names" ]; then
	echo "fuzz: no target in tests/fuzz" >&2
	exit 1
fi

# The same makefile with another folder and other flags: objects are kept and follow their headers.
objects=''
for name in $names; do
	objects="$objects $F/obj/tests/fuzz/fuzz_$name.o"
done
unset MAKEFLAGS MFLAGS MAKELEVEL
# shellcheck disable=SC2086	# words on purpose
make -j"$(nproc 2>/dev/null || echo 2)" O="$F" CC=clang SAN=fuzzer-no-link,$sanitizers "$F/libascope.a" $objects >"$O/fuzz-build.log" 2>&1 || {
	grep -E 'error|warning|\*\*\*' "$O/fuzz-build.log" >&2
	echo "fuzz: does not build, see $O/fuzz-build.log" >&2
	exit 1
}

libs=$(pkg-config --libs libcjson libpcre2-8 sqlite3 libarchive zlib)
mkdir -p "$O/fuzz-crashes" "$O/fuzz-logs" || exit 1
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
failed=0 child=''
trap '[ -n "$child" ] && kill "$child" 2>/dev/null; exit 130' INT TERM HUP

# value NAME LOG: of libFuzzer's closing statistics
value() {
	sed -nE "s/^stat::$1: *([0-9]+).*/\\1/p" "$2"
}

fuzz_one() {
	name=$1
	program=$F/fuzz_$name
	log=$O/fuzz-logs/$name.log
	# shellcheck disable=SC2086
	clang -pthread -fsanitize=fuzzer,$sanitizers -o "$program" "$F/obj/tests/fuzz/fuzz_$name.o" "$F/libascope.a" $libs -lm || return 1
	corpus=$O/fuzz-corpus/$name
	mkdir -p "$corpus"
	set -- "$corpus"
	[ -d "tests/fuzz/corpus/$name" ] && set -- "$@" "tests/fuzz/corpus/$name"
	[ -f "tests/fuzz/$name.dict" ] && set -- "$@" "-dict=tests/fuzz/$name.dict"
	"$program" "$@" -max_total_time="$seconds" -max_len="$most" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$O/fuzz-crashes/$name-" >"$log" 2>&1 </dev/null &
	child=$!
	wait "$child"
	status=$?
	child=''
	coverage=$(sed -nE 's/.* cov: ([0-9]+) .*/\1/p' "$log" | tail -n 1)
	if [ "$status" -eq 0 ]; then
		printf '  ok      %-16s %s runs, %s edges, %s new inputs\n' "$name" "$(value number_of_executed_units "$log")" "${coverage:-?}" \
			"$(value new_units_added "$log")"
		return 0
	fi
	printf '  FAILED  %-16s exit status %s; %s:\n' "$name" "$status" "$log"
	grep -E 'ERROR: |SUMMARY: |runtime error: ' "$log" | head -n 5 | sed 's/^/          | /'
	input=$(sed -nE 's/.*Test unit written to (.*)/\1/p' "$log" | tail -n 1)
	if [ -n "$input" ]; then
		echo "          again: $program $input"
		echo "          without clang: make tests-only && $O/fuzz/fuzz_$name $input"
		echo "          keep it: cp $input tests/fuzz/corpus/$name/"
	fi
	return 1
}

for name in $names; do
	fuzz_one "$name" || failed=$((failed + 1))
done
if [ "$failed" -ne 0 ]; then
	echo "fuzz: $failed failed"
	exit 1
fi
echo "fuzz: nothing found in $seconds s each"
