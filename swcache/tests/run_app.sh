#!/bin/sh
# usage: run_app.sh WEIR OUT SOURCE_ROOT APP [FLAG...]
# Builds one software-cache application with all its variants and runs it at its smallest size: every variant must leave
# what the CPU computes, bit for bit what the plain kernel leaves. Flags are for the compiler (line sizes).
set -e
weir=$1 out=$2 root=$3 app=$4
shift 4
dir=$root/swcache/apps/$app
mkdir -p "$out"
program=$out/$app$(echo "$*" | tr -dc 'A-Z0-9')
# The launch must not choose the plain kernel, which would test nothing.
"$weir" cc -O1 -I"$root/swcache" -DSWCACHE_TUNE=0 "$@" "$dir/app.cu" "$dir/plain.cu" "$dir/hand.cu" -o "$program"
"$weir" run --functional "$program" --size tiny
