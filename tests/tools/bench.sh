#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Speed and memory as ratios within one run, as Markdown on stdout and in $O/bench.md.
# Environment: O (build folder), BENCH_QUICK=1 (no 2 GB trace, 3 repeats), BENCH_REPEATS, BENCH_DIR (inputs; $O/bench-data, removed at the end).
set -u

O=${O:-build}
bench=$O/bench
make_input=$O/bench-trace
data=${BENCH_DIR:-$O/bench-data}
repeats=${BENCH_REPEATS:-5}
[ -n "${BENCH_QUICK:-}" ] && repeats=${BENCH_REPEATS:-3}
report=$O/bench.md

bytes() {
	wc -c <"$1" | tr -d ' '
}

# input NAME COMMAND...: makes a file if it is not there, and has it in the page cache.
input() {
	name=$1
	shift
	if [ ! -s "$data/$name" ] || [ -n "$(find "$make_input" -newer "$data/$name")" ]; then
		echo "  MAKE    $name" >&2
		"$@" || exit 1
	fi
	cat "$data/$name" >/dev/null
}

trace() {
	input "$1.json" "$make_input" "$1" -o "$data/$1.json"
}

measure() {
	echo "  BENCH   $*" >&2
	"$bench" "$@" || exit 1
}

free_mb() {
	df -Pk "$data" | awk 'NR == 2 { print int($4 / 1000) }'
}

mkdir -p "$data" || exit 1
trap '[ -n "${BENCH_KEEP:-}" ] || rm -rf "$data"' EXIT
trap 'exit 130' INT TERM HUP
if [ "$(free_mb)" -lt 1700 ]; then
	echo "bench: needs 1.7 GB in $data" >&2
	exit 1
fi

{
	echo "# Speed and memory"
	echo
	echo "One run on $(nproc 2>/dev/null || echo '?') processors ($(uname -m)), median of $repeats repeats that took turns, files in the page cache." \
		"Compare ratios, not seconds."

	# ---- a trace, against others in the same run
	trace 200M
	size=$(bytes "$data/200M.json")
	set -- "cjson=$data/200M.json" "trace1=$data/200M.json" "trace2=$data/200M.json"
	python=''
	if command -v python3 >/dev/null 2>&1; then
		python="python3 -c 'import json, sys; json.load(open(sys.argv[1], encoding=\"utf-8\"))' '$data/200M.json'"
		set -- "$@" "sh=$python"
	fi
	measure "$repeats" "$@" >"$data/out" || exit 1
	echo
	echo "## A trace of 200 MB"
	echo
	awk -F '\t' -v size="$size" '
	BEGIN {
		title["cjson"] = "cJSON, one event at a time, nothing kept (base)"
		title["trace1"] = "load and build, 1 thread"
		title["trace2"] = "load and build, 2 threads"
		title["sh"] = "python3 json.load"
		print "| | seconds | MB/s | times as fast as the base | peak memory / file | events |"
		print "|---|---|---|---|---|---|"
	}
	NR == 1 { base = $2 }
	{
		printf "| %s | %.2f | %.0f | %.2f | %.2f | %s |\n", title[$1], $2 / 1e3, size / $2 / 1e3, base / $2, $3 * 1024 / size,
			$1 == "sh" ? "" : $4
	}
	$1 ~ /^trace/ && $4 != events { wrong = 1 }
	$1 == "cjson" { events = $4 }
	END { exit wrong }' "$data/out" || {
		echo "bench: cJSON and the loader saw different numbers of events" >&2
		exit 1
	}
	base_rate=$(awk -F '\t' -v size="$size" '$1 == "cjson" { printf "%.3f", size / $2 / 1e3 }' "$data/out")

	# ---- growth
	sizes='20M 200M 509M'
	if [ -n "${BENCH_QUICK:-}" ]; then
		left_out="2 GB left out: BENCH_QUICK"
	elif [ "$(free_mb)" -lt 4000 ]; then
		left_out="2 GB left out: less than 4 GB of disk free"
	else
		left_out='' sizes="$sizes 2G"
	fi
	set --
	for s in $sizes; do
		trace "$s"
		set -- "$@" "trace=$data/$s.json"
	done
	measure "$repeats" "$@" >"$data/out" || exit 1
	echo
	echo "## From small to large, all processors"
	echo
	echo "| file | seconds | MB/s | peak memory / file | events |"
	echo "|---|---|---|---|---|"
	for s in $sizes; do
		bytes "$data/$s.json"
	done | paste - "$data/out" | awk -F '\t' '{
		printf "| %.0f MB | %.2f | %.0f | %.2f | %s |\n", $1 / 1e6, $3 / 1e3, $1 / $3 / 1e3, $4 * 1024 / $1, $5
	}'
	[ -n "$left_out" ] && echo && echo "$left_out."

	# ---- the whole command, with a kernel table beside the trace
	echo
	echo "## analyze against info, all processors"
	echo
	echo "| capture | info, seconds | analyze, seconds | analyze / info | peak memory / capture, info | analyze |"
	echo "|---|---|---|---|---|---|"
	input table.csv "$make_input" --csv "$data/table.csv" 20M
	for s in $sizes; do
		capture=$data/capture-$s
		mkdir -p "$capture" && ln -f "$data/$s.json" "$capture/trace_view.json" && ln -f "$data/table.csv" "$capture/kernel_details.csv" || exit 1
		measure "$repeats" "sh=$O/ascope info --json '$capture' >/dev/null" "one=$O/ascope analyze --json '$capture' >/dev/null" >"$data/out" || exit 1
		size=$(($(bytes "$data/$s.json") + $(bytes "$data/table.csv")))
		awk -F '\t' -v size="$size" '
		{ ms[$1] = $2; peak[$1] = $3 }
		END {
			printf "| %.0f MB | %.2f | %.2f | %.2f | %.2f | %.2f |\n", size / 1e6, ms["sh"] / 1e3, ms["one"] / 1e3, ms["one"] / ms["sh"],
				peak["sh"] * 1024 / size, peak["one"] * 1024 / size
		}' "$data/out"
		rm -rf "$capture"
	done
	rm -f "$data/2G.json" "$data/509M.json" "$data/table.csv"

	# ---- a table and a database
	input kernel_details.csv "$make_input" --csv "$data/kernel_details.csv" 100M
	measure "$repeats" "csv=$data/kernel_details.csv" >"$data/out" || exit 1
	echo
	echo "## A kernel_details.csv of 100 MB"
	echo
	echo "| seconds | MB/s | times the base's MB/s | peak memory / file | rows |"
	echo "|---|---|---|---|---|"
	awk -F '\t' -v size="$(bytes "$data/kernel_details.csv")" -v rate="$base_rate" '$1 == "csv" {
		printf "| %.2f | %.0f | %.2f | %.2f | %s |\n", $2 / 1e3, size / $2 / 1e3, size / $2 / 1e3 / rate, $3 * 1024 / size, $4
	}' "$data/out"
	echo
	echo "## A database with a million rows in TASK"
	echo
	input rows.db "$make_input" --db "$data/rows.db" 1M
	set -- "db=$data/rows.db"
	if command -v sqlite3 >/dev/null 2>&1; then
		select=''
		for table in TASK COMPUTE_TASK_INFO CANN_API PYTORCH_API CONNECTION_IDS STRING_IDS; do
			select="$select SELECT * FROM $table;"
		done
		set -- "$@" "sh=sqlite3 '$data/rows.db' '$select' >/dev/null" "one=sqlite3 '$data/rows.db' 'SELECT * FROM TASK' >/dev/null"
	fi
	measure "$repeats" "$@" >"$data/out" || exit 1
	echo "| | seconds | times sqlite3's time | peak memory / file | rows of all event tables |"
	echo "|---|---|---|---|---|"
	awk -F '\t' -v size="$(bytes "$data/rows.db")" '
	{ ms[$1] = $2; peak[$1] = $3; rows[$1] = $4 }
	END {
		printf "| all of it, loaded and built | %.2f | %s | %.2f | %s |\n", ms["db"] / 1e3,
			ms["sh"] ? sprintf("%.2f", ms["db"] / ms["sh"]) : "", peak["db"] * 1024 / size, rows["db"]
		if (ms["sh"]) {
			printf "| sqlite3, SELECT * of the tables that are read | %.2f | 1.00 | %.2f | |\n", ms["sh"] / 1e3, peak["sh"] * 1024 / size
			printf "| of these, SELECT * FROM TASK alone | %.2f | %.2f | | |\n", ms["one"] / 1e3, ms["one"] / ms["sh"]
		}
	}' "$data/out"
} >"$report.new" || exit 1
mv "$report.new" "$report"
cat "$report"
