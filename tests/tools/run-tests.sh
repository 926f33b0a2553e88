#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs test programs, then the fuzz corpora, then the command tests: run-tests.sh PROGRAM...
# One line each; what they print goes to $O/test-logs. The last line counts single tests: "N passed, N failed, N skipped".
# Environment: O (build folder), ASCOPE (the program), ASCOPE_CAPTURES (real captures), TEST_SECONDS (limit for one program).
set -u

O=${O:-build}
limit=${TEST_SECONDS:-600}
logs=$O/test-logs
passed=0 failed=0 skipped=0
child=''

absolute() {
	case $1 in
	/*) echo "$1" ;;
	*) echo "$PWD/$1" ;;
	esac
}

ASCOPE=$(absolute "${ASCOPE:-$O/ascope}")
ASCOPE_SAMPLES=$(absolute "$O/samples")
if [ -z "${ASCOPE_CAPTURES:-}" ] && [ -d ../shared/captures ]; then
	ASCOPE_CAPTURES=$(cd ../shared/captures && pwd)
fi
[ -n "${ASCOPE_CAPTURES:-}" ] && export ASCOPE_CAPTURES
export O ASCOPE ASCOPE_SAMPLES

if command -v timeout >/dev/null 2>&1; then
	bounded="timeout -k 10 $limit"
else
	bounded=''
fi

# In the background, so that an interrupt reaches this script and not only the program.
run() {
	# shellcheck disable=SC2086	# words on purpose
	$bounded "$@" >"$log" 2>&1 </dev/null &
	child=$!
	wait "$child" 2>/dev/null		# the shell would name the signal
	status=$?
	child=''
}

# "passed failed skipped" of a cmocka log: the sums of its closing lines, one set for each group of tests.
count_tests() {
	awk '
	/^\[  (PASSED|FAILED|SKIPPED) +\].* test\(s\)/ {
		for (i = 3; i <= NF; i++)
			if ($i ~ /^test\(s\)/)
				n[$2] += $(i - 1)
	}
	END { print n["PASSED"] + 0, n["FAILED"] + 0, n["SKIPPED"] + 0 }' "$log"
}

# What tests printed before they skipped, each sentence once.
skip_words() {
	awk '
	/^\[  SKIPPED \] [^ ]+$/ && before !~ /^\[/ && !seen[before]++ { all = all (all == "" ? "" : "; ") before }
	{ before = $0 }
	END { print all }' "$log"
}

# line WORD NAME DETAIL
line() {
	printf '  %-7s %-28s %s\n' "$1" "$2" "$3"
}

why() {
	case $status in
	124 | 137) [ -n "$bounded" ] && echo "stopped after $limit s or killed" || echo "killed" ;;
	1[3-5][0-9]) echo "died of signal $((status - 128))" ;;
	*) echo "exit status $status" ;;
	esac
}

# tally NAME P F S: adds up and prints the line of one program.
tally() {
	passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
	if [ "$3" -ne 0 ]; then
		line FAILED "$1" "$2 passed, $3 failed, $4 skipped; $(why); $log:"
		grep -E '^\[ +FAILED +\] [^ ]+$|^\[ +LINE +\]' "$log" | sort -u | head -n 20 | sed 's/^/          /'
		tail -n 12 "$log" | sed 's/^/          | /'
	elif [ "$4" -ne 0 ]; then
		word=ok
		[ "$2" -eq 0 ] && word=skipped
		line $word "$1" "$2 passed, $4 skipped: $(skip_words)"
	else
		line ok "$1" "$2 passed"
	fi
}

run_program() {
	name=${1#"$O"/tests/}
	log=$logs/$(echo "$name" | tr / _).log
	run "$1"
	# shellcheck disable=SC2046	# three words on purpose
	set -- "$name" $(count_tests)
	if [ "$status" -ne 0 ] && [ "$3" -eq 0 ]; then
		set -- "$1" "$2" 1 "$4"
	elif [ $(($2 + $3 + $4)) -eq 0 ]; then
		set -- "$1" 1 0 0
	fi
	tally "$@"
}

# One test each: a corpus replay or a script. Exit status 77 means skipped; the last line of the log says why.
run_single() {
	name=$1
	log=$logs/$(echo "$name" | tr / _).log
	shift
	run "$@"
	case $status in
	0) tally "$name" 1 0 0 ;;
	77)
		skipped=$((skipped + 1))
		line skipped "$name" "$(tail -n 1 "$log")"
		;;
	*) tally "$name" 0 1 0 ;;
	esac
}

stop() {
	[ -n "$child" ] && kill "$child" 2>/dev/null
	echo "interrupted" >&2
	exit 130
}

trap stop INT TERM HUP
rm -rf "$logs"
mkdir -p "$logs" || exit 1

for program; do
	run_program "$program"
done
for program in "$O"/fuzz/fuzz_*; do
	[ -x "$program" ] || continue
	name=${program##*/fuzz_}
	[ -f "tests/fuzz/fuzz_$name.c" ] || continue		# left by an earlier build
	if [ -d "tests/fuzz/corpus/$name" ]; then
		run_single "corpus/$name" "$program" "tests/fuzz/corpus/$name"
	else
		skipped=$((skipped + 1))
		line skipped "corpus/$name" "no tests/fuzz/corpus/$name"
	fi
done
for script in tests/cmd/*.sh; do
	if [ -x "$script" ] && [ "${script##*/}" != lib.sh ]; then
		name=${script##*/}
		run_single "cmd/${name%.sh}" sh "$script"
	fi
done

printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
