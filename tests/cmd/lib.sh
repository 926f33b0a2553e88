# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# What command tests share. A test is an executable script tests/cmd/NAME.sh:
#
#	# shellcheck source=tests/cmd/lib.sh
#	. "${0%/*}/lib.sh"
#	run info "$tmp/capture"		runs the program: $status, $out and $err (files) are set
#	run_to FILE info ...		the same with stdout to FILE
#	expect_status 0			ends the test with what the program printed when it isn't so
#	expect_out 'some text'		stdout holds the text; expect_err: stderr; expect_no_out, expect_no_err: nothing printed there
#	expect_one_line FILE		exactly one line
#	skip 'why'			ends the test as skipped
#
# $tmp is an empty folder that goes away at the end. ASCOPE is the program to test.
set -u

ASCOPE=${ASCOPE:-build/ascope}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ascope-cmd-XXXXXX") || exit 1
out=$tmp/.out err=$tmp/.err status='' command=''
trap 'chmod -R u+rwX "$tmp" 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

fail() {
	echo "FAILED: $*"
	echo "command: $command"
	echo "status:  $status"
	echo "stdout:" && sed 's/^/  /' "$out"
	echo "stderr:" && sed 's/^/  /' "$err"
	exit 1
}

skip() {
	echo "$*"
	exit 77
}

run() {
	run_to "$out" "$@"
}

run_to() {
	to=$1
	shift
	command="ascope $*"
	: >"$out"
	"$ASCOPE" "$@" >"$to" 2>"$err" </dev/null
	status=$?
}

expect_status() {
	[ "$status" = "$1" ] || fail "exit status is $status, not $1"
}

expect_out() {
	grep -qF -e "$1" "$out" || fail "stdout does not hold: $1"
}

expect_err() {
	grep -qF -e "$1" "$err" || fail "stderr does not hold: $1"
}

expect_no_out() {
	[ ! -s "$out" ] || fail "something on stdout"
}

expect_no_err() {
	[ ! -s "$err" ] || fail "something on stderr"
}

expect_one_line() {
	[ "$(wc -l <"$1")" -eq 1 ] || fail "not one line: ${1##*/.}"
}

[ -x "$ASCOPE" ] || {
	echo "no program to test: $ASCOPE"
	exit 1
}
