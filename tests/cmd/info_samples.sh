#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The founding case's facts in text and database, and the same answer twice, on one thread, and from an archive.
# shellcheck source=tests/cmd/lib.sh
. "${0%/*}/lib.sh"
[ -d "$ASCOPE_SAMPLES" ] || skip "no samples: make samples"

run info "$ASCOPE_SAMPLES/prefill-compute-bound"
expect_status 0
expect_out 'X 6 742'
expect_out 'Python 5 194 in 2 lanes; CANN 774 in 1 lane; Ascend Hardware 582'
expect_out 'framework op -> device task: 774 links'
expect_no_err

run info "$ASCOPE_SAMPLES/prefill-compute-bound-db"
expect_status 0
expect_out 'X 6 742'
expect_out 'framework op -> device task: 774 links'
expect_out 'CANN launch -> device task: 774 links'

# 80 columns, whatever the path is called
run info "$ASCOPE_SAMPLES/ranks4-slow-rank"
expect_status 0
expect_out '4 ranks'
if awk 'length($0) > 80 { exit 1 }' "$out"; then :; else fail "a line is longer than 80 columns"; fi

capture=$ASCOPE_SAMPLES/mixed-phases
run_to "$tmp/a" info --json "$capture"
expect_status 0
run_to "$tmp/b" info --json "$capture"
expect_status 0
run_to "$tmp/c" info --json --threads 1 "$capture"
expect_status 0
cmp -s "$tmp/a" "$tmp/b" || fail "two runs differ"
cmp -s "$tmp/a" "$tmp/c" || fail "one thread and many differ"

if command -v tar >/dev/null && command -v gzip >/dev/null; then
	(cd "$capture" && tar cf - .) | gzip >"$tmp/capture.tgz"
	run_to "$tmp/d" info --json "$tmp/capture.tgz"
	expect_status 0
	grep -v '"path"\|"bytes"\|"folder"\|"artifact"' "$tmp/a" >"$tmp/a.short"
	grep -v '"path"\|"bytes"\|"folder"\|"artifact"' "$tmp/d" >"$tmp/d.short"
	cmp -s "$tmp/a.short" "$tmp/d.short" || fail "folder and archive differ"
fi
exit 0
