#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An interrupt while loading ends with status 130, one line, and no output.
# shellcheck source=tests/cmd/lib.sh
. "${0%/*}/lib.sh"

# A trace that takes a while: one event written a million times.
{
	printf '['
	awk 'BEGIN { for (i = 0; i < 1000000; i++)
		printf "{\"ph\":\"X\",\"name\":\"op%d\",\"pid\":1,\"tid\":1,\"ts\":\"17364088837%08d.000\",\"dur\":1},", i % 1000, i }'
	printf '{"ph":"M"}]'
} >"$tmp/trace_view.json"

command="ascope info (interrupted)"
tries=0
status=0
while [ $tries -lt 20 ] && [ "$status" != 130 ]; do
	ASCOPE_THREADS=1 "$ASCOPE" info "$tmp/trace_view.json" >"$out" 2>"$err" &
	child=$!
	sleep "0.0$((tries % 9 + 1))"
	kill -TERM $child 2>/dev/null
	wait $child
	status=$?
	# Too early: the program had not set its handlers yet; too late: it was done.
	tries=$((tries + 1))
done
[ "$status" = 130 ] || [ "$status" = 143 ] || [ "$status" = 0 ] || fail "status $status"
[ "$status" = 130 ] || skip "no interrupt met the program while it loaded"
expect_no_out
expect_one_line "$err"
expect_err 'cancelled'
exit 0
