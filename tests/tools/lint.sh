#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rules that a compiler does not check, as "file:line: what": who may include whom, headers, sizes, blanks, words, lists, scripts.
# Run from the project's folder. CC: the compiler that headers are tried with. Exit 1 when anything was found.
# shellcheck disable=SC2016,SC2129	# patterns hold $; what is found is gathered step by step
set -u
LC_ALL=C
export LC_ALL

CC=${CC:-cc}
here=tests/tools
list=$(mktemp -d) || exit 1
trap 'rm -rf "$list"' EXIT
trap 'exit 130' INT TERM HUP

folders=''
for f in core kernels tui samples tests themes docs .ci; do
	[ -d "$f" ] && folders="$folders $f"
done
# shellcheck disable=SC2086	# words on purpose
find $folders -type f ! -path 'tests/fuzz/corpus/*' | sort >"$list/all"
grep -E '\.[ch]$' "$list/all" >"$list/c"
grep -E '\.h$' "$list/all" >"$list/h"
grep -E '\.([ch]|def)$' "$list/all" >"$list/code"
{
	grep -E '\.(sh|awk)$|^\.ci/' "$list/all"
	echo Makefile
} >"$list/scripts"
find . -maxdepth 1 -type f | sed 's|^\./||' | sort | cat - "$list/all" >"$list/text"

# over LIST COMMAND...: the command with the files of a list as arguments
over() {
	files=$1
	shift
	tr '\n' '\0' <"$list/$files" | xargs -0 "$@"
}

# ---- what the C files look like: one pass over all ----------------------------------------------------------------------------------
over code awk -f "$here/lint.awk" >"$list/found"

# ---- width, blanks, words -----------------------------------------------------------------------------------------------------------
sort -u "$list/code" "$list/scripts" >"$list/narrow"
over narrow awk '
	FNR == 1 { spdx = 0 }
	/SPDX-License-Identifier: Apache-2\.0/ { spdx = 1 }
	FNR == 3 && !spdx { print FILENAME ":1: no SPDX line" }
	{
		wide = $0
		while ((t = index(wide, "\t")) > 0)
			wide = substr(wide, 1, t - 1) substr("        ", 1, 8 - (t - 1) % 8) substr(wide, t + 1)
		gsub(/[\200-\277]/, "", wide)
		most = FILENAME ~ /\.def$/ ? 200 : 160
		if (length(wide) > most)
			print FILENAME ":" FNR ": line of " length(wide) " columns, " most " at most"
	}' >>"$list/found"

words='TO''DO|FIX''ME|XX''X|HA''CK'
paths='(^|[^A-Za-z0-9_.~*])/(wo''rk|ro''ot|ho''me|Us''ers)/'
over text grep -nIE '[ 	]+$' | sed -E 's/^([^:]*:[0-9]+):.*/\1: blank at the end of the line/' >>"$list/found"
over text grep -nIE "\\<($words)\\>" | sed -E "s/^([^:]*:[0-9]+):.*\\<($words)\\>.*/\\1: word \\2: do it, or write down what is so/" >>"$list/found"
over text grep -nIE "$paths" | sed -E 's/^([^:]*:[0-9]+):.*/\1: path of one machine/' >>"$list/found"

# ---- headers stand on their own ---------------------------------------------------------------------------------------------------------
cflags=$(pkg-config --cflags libcjson libpcre2-8 sqlite3 libarchive zlib ncursesw cmocka 2>/dev/null)
# shellcheck disable=SC2086	# words on purpose
tr '\n' '\0' <"$list/h" | xargs -0 -n 16 -P 2 $CC -std=c11 -D_GNU_SOURCE -I. $cflags -Wall -Wextra -Werror -fsyntax-only \
	>"$list/headers" 2>&1
grep -E '^[^ ]+:[0-9]+(:[0-9]+)?: (fatal )?error:' "$list/headers" | sed -E 's/^([^:]*:[0-9]+):([0-9]+:)? /\1: not self-contained: /' >>"$list/found"

# ---- lists: entries nobody uses -----------------------------------------------------------------------------------------------------------
# entries FILE MACRO PREFIX: each MACRO(ID, ...) of the list must be named PREFIX_ID somewhere in the program.
entries() {
	[ -f "$1" ] || return
	sed -nE "s/^$2\\((\\w+),.*/$3_\\1/p" "$1" | sort -u >"$list/ids"
	grep -E '^(core|kernels|tui)/' "$list/c" | tr '\n' '\0' | xargs -0 grep -ohE "\\<$3_[A-Z0-9_]+\\>" | sort -u >"$list/used"
	comm -23 "$list/ids" "$list/used" | while read -r id; do
		echo "$1:$(grep -nE "^$2\\(${id#"$3"_}," "$1" | head -n 1 | cut -d: -f1): $id is used nowhere"
	done >>"$list/found"
}

entries core/base/err.def ERR ERR
entries core/model/drop.def DROP DROP

# ---- documents made from lists --------------------------------------------------------------------------------------------------------------
if ! sh $here/exit-codes.sh | cmp -s - docs/exit-codes.md; then
	echo "docs/exit-codes.md:1: not what $here/exit-codes.sh writes" >>"$list/found"
fi

# ---- shell scripts --------------------------------------------------------------------------------------------------------------------------
while read -r script; do
	case $script in
	*.awk | Makefile) continue ;;
	esac
	case $(head -n 1 "$script") in
	*bash) check=bash ;;
	*) check='sh' ;;
	esac
	$check -n "$script" 2>&1 | sed -E "s|^[^:]*: ([0-9]+): |$script:\\1: |; s|^[^:]*: line ([0-9]+): |$script:\\1: |" >>"$list/found"
done <"$list/scripts"
if command -v shellcheck >/dev/null 2>&1; then
	grep -vE '\.awk$|^Makefile$' "$list/scripts" | tr '\n' '\0' | xargs -0 shellcheck -x -f gcc 2>&1 | cut -d: -f1,2,4- >>"$list/found"
fi

sort -t: -k1,1 -k2,2n "$list/found" | uniq >"$list/sorted"
if [ -s "$list/sorted" ]; then
	cat "$list/sorted"
	echo "lint: $(wc -l <"$list/sorted") found"
	exit 1
fi
echo "lint: nothing found in $(wc -l <"$list/text") files"
