#!/bin/sh
# Usage: include_rule.sh ROOT: tools/check_includes.sh accepts the tree and notices each kind of violation, and
# CONTRIBUTING.md writes the same hierarchy.
root=$1
check=$root/tools/check_includes.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAIL: $*" >&2; exit 1; }
"$check" "$root/src" || fail "the tree breaks the rule"
refuses() { # refuses FOLDER/FILE INCLUDE
    mkdir -p "$dir/src/$(dirname "$1")"
    echo "#include \"$2\"" >"$dir/src/$1"
    "$check" "$dir/src" >"$dir/out" && fail "$1 may include $2"
    grep -qF "$1" "$dir/out" || fail "$1 is not named: $(cat "$dir/out")"
    rm -r "$dir/src"
}
refuses base/x.c engine/port.h
refuses trace/x.c engine/port.h
refuses machine/l1/x.c l2/l2.h
refuses machine/l1/management/x.c sm/sm.h
refuses machine/gpu/x.h emu/emu.h
refuses machine/sm/x.def ptx/ir.h
refuses machine/sm/x.c coalesce.h
refuses frontend/emu/x.c sm/sm.h
refuses frontend/cudart/x.c gpu/gpu.h
refuses nowhere/x.c base/mem.h
"$check" --table | while read -r folder allowed; do
    grep -qF "| \`$folder\` | $allowed |" "$root/CONTRIBUTING.md" || fail "CONTRIBUTING.md does not say: $folder may include: $allowed"
done
