#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The verdict on every sample, as text within 80 columns and as JSON; the same twice, on one thread, and from an archive.
# shellcheck source=tests/cmd/lib.sh
. "${0%/*}/lib.sh"
[ -d "$ASCOPE_SAMPLES" ] || skip "no samples: make samples"

narrow() {
	if awk 'length($0) > 80 { exit 1 }' "$out"; then :; else fail "a line is longer than 80 columns"; fi
	if LC_ALL=C grep -q '[[:cntrl:]]' "$out"; then fail "control characters in the text"; fi
}

verdict() {
	run analyze "$ASCOPE_SAMPLES/$1"
	expect_status 0
	tr '\n' ' ' <"$out" | grep -qF -e "$2" || fail "the text does not say: $2"	# wherever the lines break
	expect_no_err
	narrow
}

verdict copy-bound 'Copies are the limit'
verdict decode-comm-bound 'Communication is the limit'
verdict host-schedule-bound 'The host sets the pace'
verdict mixed-phases 'The kernels are the limit'
verdict prefill-compute-bound 'The kernels are the limit'
verdict ranks4-slow-rank 'waiting for rank 2'
verdict prefill-compute-bound-db 'The kernels are the limit'
verdict ranks4-slow-rank-db 'waiting for rank 2'

capture=$ASCOPE_SAMPLES/ranks4-slow-rank
run_to "$tmp/a" analyze --json "$capture"
expect_status 0
run_to "$tmp/b" analyze --json "$capture"
run_to "$tmp/c" analyze --json --threads 1 "$capture"
cmp -s "$tmp/a" "$tmp/b" || fail "two runs differ"
cmp -s "$tmp/a" "$tmp/c" || fail "one thread and many differ"
if command -v python3 >/dev/null; then
	python3 -m json.tool "$tmp/a" >/dev/null || fail "no JSON"
fi

if command -v tar >/dev/null && command -v gzip >/dev/null; then
	(cd "$capture" && tar cf - .) | gzip >"$tmp/capture.tgz"
	run_to "$tmp/d" analyze --json "$tmp/capture.tgz"
	expect_status 0
	grep -v '"path"' "$tmp/a" >"$tmp/a.short"
	grep -v '"path"' "$tmp/d" >"$tmp/d.short"
	cmp -s "$tmp/a.short" "$tmp/d.short" || fail "folder and archive differ"
fi

run analyze --rank 2 "$capture"
expect_status 0
tr '\n' ' ' <"$out" | grep -qF '(rank 2 of 4)' || fail 'not rank 2'

run analyze --phase prefill "$ASCOPE_SAMPLES/decode-comm-bound"
expect_status 0
expect_out 'Scores, prefill'
exit 0
