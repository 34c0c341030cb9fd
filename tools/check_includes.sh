#!/bin/sh
# The include rule: a folder of src/ may include only the folders listed for it here (its own is always allowed).
# Neighbours on the path of a request never include each other: they meet through engine/port.h and engine/request.h.
# Usage: tools/check_includes.sh [src-dir]; prints every violation, exits 1 if there is one.
src=${1:-$(dirname "$0")/../src}
bad=0
allow() {
    case $1 in
    base) echo "" ;;
    ptx) echo "base trace" ;;
    emu) echo "base ptx trace" ;;
    trace) echo "base" ;;
    cudart) echo "base ptx emu trace gpu locality weir" ;; # weir/: include/weir, the headers of weir cc
    engine) echo "base" ;;
    cache) echo "base engine" ;;
    locality) echo "base cache" ;;
    sm) echo "base engine trace" ;;
    l1) echo "base engine cache" ;;
    noc) echo "base engine" ;;
    l2) echo "base engine cache" ;;
    dram) echo "base engine" ;;
    gpu) echo "base engine trace sm cache l1 noc l2 dram locality" ;;
    lab) echo "base engine trace sm gpu locality" ;;
    cli) echo "base ptx emu trace engine gpu lab cudart locality swcache" ;;
    swcache) echo "base" ;;
    *) echo "" ;;
    esac
}
for dir in "$src"/*/; do
    name=$(basename "$dir")
    allowed=" $name $(allow "$name") "
    for f in $(find "$dir" -name '*.[ch]' -o -name '*.def'); do
        for inc in $(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([a-z0-9_]*\)\/.*/\1/p' "$f" | sort -u); do
            case $allowed in
            *" $inc "*) ;;
            *) echo "$f: includes $inc/, but $name/ may include only:$allowed"; bad=1 ;;
            esac
        done
        # Headers of weir are always named with their folder.
        grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^/"]+"' "$f" | sed "s|^|$f:|; s|\$|: name the folder|" | grep . && bad=1
    done
done
exit $bad
