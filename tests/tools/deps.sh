#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what building and testing need and this machine lacks: deps.sh [build|test]   (test, the default, is the whole list)
# Quick and silent when nothing is missing; never asks. Exit 1, with one message that says what to install, when it may not or cannot.
# CC: the compiler that will be used.
# shellcheck disable=SC2086	# lists of words are split on purpose
set -u

scope=${1:-test}
CC=${CC:-cc}
case ${CC%% *} in
*clang*) cc_apt=clang,libc6-dev cc_dnf=clang ;;
*) cc_apt=gcc,libc6-dev cc_dnf=gcc ;;
esac

# What to look for, its name, when it is needed, and what brings it by apt and by dnf. "more": tests skip what needs it.
list="cc   ${CC%% *}  build $cc_apt         $cc_dnf
tool make        build make             make
tool pkg-config  build pkg-config       /usr/bin/pkg-config
lib  ncursesw    build libncurses-dev   pkgconfig(ncursesw)
lib  libcjson    build libcjson-dev     pkgconfig(libcjson)
lib  libpcre2-8  build libpcre2-dev     pkgconfig(libpcre2-8)
lib  sqlite3     build libsqlite3-dev   pkgconfig(sqlite3)
lib  libarchive  build libarchive-dev   pkgconfig(libarchive)
lib  zlib        build zlib1g-dev       pkgconfig(zlib)
lib  cmocka      test  libcmocka-dev    pkgconfig(cmocka)
tool msgfmt      more  gettext          gettext
lib  vterm       more  libvterm-dev     pkgconfig(vterm)
tool tmux        more  tmux             tmux"

has_tool() {
	command -v "$1" >/dev/null 2>&1
}

# A compiler without the C library's headers is of no use.
has_cc() {
	has_tool "$1" && echo '#include <stdio.h>' | "$1" -E - >/dev/null 2>&1
}

# Sets need (without it nothing works), more, apt and dnf from what is not there.
probe() {
	need='' more='' apt='' dnf=''
	while read -r kind name when by_apt by_dnf; do
		[ "$scope" = build ] && [ "$when" != build ] && continue
		case $kind in
		cc) has_cc "$name" && continue ;;
		tool) has_tool "$name" && continue ;;
		lib) has_tool pkg-config && pkg-config --exists "$name" 2>/dev/null && continue ;;
		esac
		if [ "$when" = more ]; then
			more="$more $name"
		else
			need="$need $name"
		fi
		apt="$apt $(echo "$by_apt" | tr , ' ')" dnf="$dnf $by_dnf"
	done <<-END
	$list
	END
}

# Ends here because of $1: with status 1 when something is missing without which nothing works.
stop() {
	if [ -z "$need" ]; then
		echo "deps: tests will skip what needs:$more ($1)" >&2
		exit 0
	fi
	{
		echo "deps: missing:$need$more ($1). To install:"
		echo "  Debian, Ubuntu:   apt-get install$apt"
		echo "  openEuler, RHEL:  dnf install$(quote_brackets "$dnf")      (RHEL: from EPEL and CRB)"
	} >&2
	exit 1
}

quote_brackets() {
	echo "$1" | sed "s/pkgconfig([^)]*)/'&'/g"
}

install_apt() {
	patience='-o DPkg::Lock::Timeout=300 -o Acquire::Retries=1 -o Acquire::http::Timeout=30'
	apt_get="$as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l apt-get -q -y $patience"
	# Package lists may be absent (containers) or old: fetched only when installing fails.
	$apt_get --no-install-recommends install $apt || {
		$apt_get update && $apt_get --no-install-recommends install $apt
	}
}

install_all() {
	case $by in
	apt) install_apt ;;
	dnf) $as_root dnf -y -q install $dnf ;;
	esac
}

probe
[ -z "$need$more" ] && exit 0

if [ "$(id -u)" = 0 ]; then
	as_root=''
elif has_tool sudo && sudo -n true 2>/dev/null; then
	as_root='sudo -n'
else
	stop "not root, and no sudo without a password"
fi
if has_tool apt-get; then
	by=apt
elif has_tool dnf; then
	by=dnf
else
	stop "no apt-get or dnf here"
fi

echo "  DEPS    installing:$need$more" >&2
log=$(mktemp) || stop "no temporary file"
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM
install_all >"$log" 2>&1 </dev/null || tail -n 5 "$log" >&2
probe
[ -z "$need$more" ] && exit 0
stop "$by could not install all of it"
