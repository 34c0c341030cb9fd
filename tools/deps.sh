#!/bin/sh
# Names the Debian packages weir needs that are not installed, and installs them (with sudo where not root).
# Usage: tools/deps.sh [--list]
need="gcc g++ clang-14 meson ninja-build pkg-config libzstd-dev liblz4-dev libinih-dev libjansson-dev libsqlite3-dev gnuplot-nox libcmocka-dev
libclang-rt-14-dev libclang-14-dev clang-format-14 python3 valgrind"
if [ "$1" = --list ]; then
    echo $need
    exit 0
fi
command -v dpkg-query >/dev/null || { echo "weir: this is no Debian-like system; install: $need" >&2; exit 0; }
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
fi
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
{ $as apt-get update && $as apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    echo "weir: could not install:$missing" >&2
    exit 1
}
rm -f "$log"
