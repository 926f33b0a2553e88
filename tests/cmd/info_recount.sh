#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every number of `ascope info` on every sample (and real capture, where they are) against an independent count.
# shellcheck source=tests/cmd/lib.sh
. "${0%/*}/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"

for capture in "$ASCOPE_SAMPLES"/*/ ${ASCOPE_CAPTURES:+"$ASCOPE_CAPTURES"/*/*/}; do
	case $capture in
	*/hostile/) continue ;;
	esac
	[ -d "$capture" ] || continue
	run_to "$tmp/info.json" info --json "$capture"
	expect_status 0
	expect_no_err
	command="recount $capture"
	python3 "${0%/*}/recount.py" "$capture" "$tmp/info.json" >"$out" 2>"$err" || fail "differs from the recount"
done
exit 0
