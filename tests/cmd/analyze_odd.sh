#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Captures with little in them: no crash, no blame, and the reason said.
# shellcheck source=tests/cmd/lib.sh
. "${0%/*}/lib.sh"

mkdir "$tmp/empty" "$tmp/host" "$tmp/device"
run analyze "$tmp/empty"
[ "$status" != 0 ] || fail "an empty folder is no capture"
expect_no_out
run analyze "$tmp/nowhere"
[ "$status" != 0 ] || fail "nothing there"
expect_no_out

cat >"$tmp/host/trace_view.json" <<'J'
[{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"Python"}},
{"ph":"X","name":"aten::add","cat":"cpu_op","pid":1,"tid":1,"ts":"1764584401044000.000","dur":900},
{"ph":"X","name":"aten::mul","cat":"cpu_op","pid":1,"tid":1,"ts":"1764584401045000.000","dur":900}]
J
run analyze "$tmp/host"
expect_status 0
expect_out 'no device work in this capture'
run analyze --json "$tmp/host"
expect_status 0
grep -q '"deviceBusyPct": *[0-9]' "$out" && fail "a figure of a device that was not recorded"

cat >"$tmp/device/trace_view.json" <<'J'
[{"ph":"M","name":"process_name","pid":2,"tid":0,"args":{"name":"Ascend Hardware"}},
{"ph":"X","name":"Add","pid":2,"tid":1,"ts":"1764584401044000.000","dur":100,"args":{"Task Type":"AI_VECTOR_CORE"}},
{"ph":"X","name":"Mul","pid":2,"tid":1,"ts":"1764584401045000.000","dur":100,"args":{"Task Type":"AI_VECTOR_CORE"}}]
J
run analyze "$tmp/device"
expect_status 0
expect_out 'without host events'
expect_out 'ProfilerActivity.CPU'
exit 0
