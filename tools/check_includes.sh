#!/bin/sh
# The include rule: a folder of src/ may include only the folders listed for it here (its own is always allowed).
# Neighbours on the path of a request never include each other: they meet through engine/port.h and engine/request.h.
# Usage: tools/check_includes.sh [src-dir]; prints every violation, exits 1 if there is one.
#        tools/check_includes.sh --table; prints the table, which CONTRIBUTING.md explains.
table="
base
device
trace base
import base trace
ptx base trace
code base ptx trace
emu base code ptx trace
engine base
cache base engine
locality base cache
sm base engine trace
l1 base engine cache
noc base engine
l2 base engine cache
dram base engine
energy base engine
gpu base device engine trace sm cache l1 noc l2 dram energy locality weir
cudart base device ptx emu trace weir
live base trace gpu cudart
lab base engine trace sm energy gpu locality
swcache base
cli base code ptx emu trace engine energy gpu lab cudart import locality swcache
" # weir/: include/weir, the headers of weir cc and of plugins
if [ "$1" = --table ]; then
    echo "$table" | grep .
    exit
fi
src=${1:-$(dirname "$0")/../src}
cd "$src" || exit 2
find . -mindepth 2 \( -name '*.[ch]' -o -name '*.def' \) -exec grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' {} + |
    awk -v table="$table" -v src="$src" '
    BEGIN {
        n = split(table, line, "\n")
        for (i = 1; i <= n; i++) {
            folder = line[i]
            sub(/ .*/, "", folder)
            allowed[folder] = " " line[i] " "
        }
    }
    {
        sub(/^\.\//, "")
        file = name = $0
        sub(/:.*/, "", file)
        sub(/\/.*/, "", name)
        included = $0
        sub(/^[^"]*"/, "", included)
        sub(/".*/, "", included)
        if (included !~ /\//) {
            print src "/" $0 ": name the folder"
            bad = 1
            next
        }
        sub(/\/.*/, "", included)
        if (included != name && !index(allowed[name], " " included " ")) {
            print src "/" file ": includes " included "/, but " name "/ may include only:" allowed[name]
            bad = 1
        }
    }
    END { exit bad }'
