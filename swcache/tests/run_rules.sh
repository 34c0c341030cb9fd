#!/bin/sh
# usage: run_rules.sh WEIR OUT SOURCE_ROOT NAME
# Builds and runs NAME.cu: the rules of the software cache one by one.
set -e
mkdir -p "$2"
"$1" cc -O1 -I"$3/swcache" -I"$3/tests/e2e" "$3/swcache/tests/$4.cu" -o "$2/$4"
"$1" run --functional "$2/$4"
