#!/bin/sh
# usage: run_lines.sh WEIR OUT SOURCE_ROOT
# Builds and runs lines.cu, the rules of the software cache one by one.
set -e
mkdir -p "$2"
"$1" cc -O1 -I"$3/swcache" -I"$3/tests/e2e" "$3/tests/swcache/lines.cu" -o "$2/lines"
"$1" run --functional "$2/lines"
