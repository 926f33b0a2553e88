#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes docs/exit-codes.md to stdout, from core/base/err.def.
set -eu

cat <<'END'
# Exit codes

What `ascope` returns to the shell. Made by `tests/tools/exit-codes.sh` from `core/base/err.def`: change that list, not this page.

| status | means |
|---|---|
END
sed -nE 's/^ERR\((\w+), *([0-9]+), *"(.*)"\)$/\2\t\3/p' core/base/err.def |
	awk -F '\t' '
	{
		if (!($1 in text))
			order[n++] = $1
		text[$1] = text[$1] (text[$1] == "" ? "" : "; ") $2
	}
	END {
		for (i = 0; i < n; i++)
			printf "| %d | %s |\n", order[i], text[order[i]]
	}'
