#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every hostile sample ends in time with a result or a one-line error, leaves no control character in the output and changes nothing.
# shellcheck source=tests/cmd/lib.sh
. "${0%/*}/lib.sh"
[ -d "$ASCOPE_SAMPLES/hostile" ] || skip "no samples: make samples"

tab=$(printf '\t')
before=$(cd "$ASCOPE_SAMPLES/hostile" && find . -type f -exec cksum {} + | sort)
tail -n +2 "$ASCOPE_SAMPLES/hostile/EXPECT.tsv" >"$tmp/expect"
while IFS=$tab read -r name outcome remark; do
	for format in --text --json; do
		run info $format "$ASCOPE_SAMPLES/hostile/$name"
		case $outcome in
		ok) expect_status 0 ;;
		damaged)
			case $status in
			0 | 4) ;;
			*) fail "$remark" ;;
			esac
			;;
		reject)
			case $status in
			3 | 4) ;;
			*) fail "$remark" ;;
			esac
			;;
		*) fail "what does '$outcome' mean?" ;;
		esac
		if [ "$status" = 0 ]; then
			expect_no_err
		else
			expect_no_out
			expect_one_line "$err"
			expect_err "$(basename "$name")"
		fi
		for stream in "$out" "$err"; do
			if LC_ALL=C tr -d '\n' <"$stream" | LC_ALL=C grep -q '[[:cntrl:]]'; then
				fail "a control character is let through"
			fi
		done
	done
done <"$tmp/expect"
after=$(cd "$ASCOPE_SAMPLES/hostile" && find . -type f -exec cksum {} + | sort)
[ "$before" = "$after" ] || fail "a file of the captures was changed"
exit 0
