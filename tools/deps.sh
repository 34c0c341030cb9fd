#!/bin/sh
# What weir needs that is not here.
# Usage: tools/deps.sh --check            names what a build lacks and what to type; installs nothing
#        tools/deps.sh [GROUP...]         installs the missing Debian packages of the groups (with sudo where not root)
#        tools/deps.sh --list [GROUP...]  prints the packages of the groups
# Groups: build, run (what weir calls: clang, its OpenMP and Thrust for weir cc, libclang for its transformer, gnuplot for figures), test.
# Without a group: build and run.
build="gcc libc6-dev meson ninja-build pkg-config libzstd-dev liblz4-dev liblzma-dev libinih-dev libjansson-dev libsqlite3-dev"
run="clang-19 g++ libclang-19-dev libomp-19-dev libthrust-dev gnuplot-nox"
test="libcmocka-dev libclang-rt-19-dev clang-format-14 python3 python3-pandas python3-matplotlib strace valgrind chromium fonts-dejavu-core slurm-wlm munge"

packages() { # packages GROUP...
    all=
    for group in "$@"; do
        case $group in
        build) all="$all $build" ;;
        run) all="$all $run" ;;
        test) all="$all $test" ;;
        *) echo "weir: tools/deps.sh: '$group' is not a group; choose build, run or test" >&2; exit 2 ;;
        esac
    done
    echo $all
}

# By what is there, not by who packaged it: a compiler or a Meson from elsewhere is as good.
check_build() {
    missing=
    for pair in "${CC:-cc}:gcc" meson:meson ninja:ninja-build pkg-config:pkg-config; do
        command -v "${pair%:*}" >/dev/null || missing="$missing ${pair#*:}"
    done
    if command -v pkg-config >/dev/null; then
        for pair in libzstd:libzstd-dev liblz4:liblz4-dev liblzma:liblzma-dev inih:libinih-dev jansson:libjansson-dev sqlite3:libsqlite3-dev; do
            pkg-config --exists "${pair%:*}" || missing="$missing ${pair#*:}"
        done
    else
        for p in $build; do
            case $p in lib*) missing="$missing $p" ;; esac
        done
    fi
    [ -n "$missing" ] || return 0
    echo "weir: the build needs what these Debian packages have:$missing" >&2
    echo "weir: 'make deps' installs them, and what weir uses at run time ($run)" >&2
    return 1
}

case $1 in
--check) check_build; exit ;;
--list) shift; packages ${*:-build run}; exit ;;
esac
need=$(packages ${*:-build run}) || exit
command -v dpkg-query >/dev/null || { echo "weir: this is not a Debian-like system; install: $need" >&2; exit 0; }
missing=
for p in $need; do
    case $(dpkg-query -W -f='${Status}' "$p" 2>/dev/null) in
    *"ok installed") ;;
    *) missing="$missing $p" ;;
    esac
done
[ -n "$missing" ] || exit 0
echo "weir needs these Debian packages:$missing"
as=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "weir: run as root: apt-get install$missing" >&2; exit 1; }
    as=sudo
    echo "installing them with sudo"
fi
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
{ $as apt-get update && $as apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    echo "weir: could not install:$missing" >&2
    exit 1
}
rm -f "$log"
