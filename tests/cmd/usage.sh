#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Version, help, and command lines that are wrong: what is printed where, and with which exit status.
# shellcheck source=tests/cmd/lib.sh
. "${0%/*}/lib.sh"

run --version
expect_status 0
expect_out 'ascope '
expect_one_line "$out"
expect_no_err

run --help
expect_status 0
expect_out 'ascope info'
expect_out '--json'
expect_no_err

for wrong in --no-such-option -Q --versionn; do
	run "$wrong"
	expect_status 2
	expect_err "$wrong"
	expect_no_out
done

run info
expect_status 2
expect_no_out
run info --no-such-option "$tmp"
expect_status 2
expect_err '--no-such-option'
expect_no_out

run info "$tmp/absent"
expect_status 3
expect_err 'absent'
expect_no_out

# Help that cannot be written is no success.
if [ -w /dev/full ]; then
	run_to /dev/full --help
	expect_status 4
fi
exit 0
