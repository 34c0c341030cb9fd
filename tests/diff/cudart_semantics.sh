#!/bin/sh
# The runtime's answers to wrong and right calls are those of CUDA 13 on a GPU: builds cudart_semantics.cu with weir cc,
# runs each of its sections, and compares with what an H200 answered.
# usage: cudart_semantics.sh WEIR SOURCE EXPECTED; exit 77 = skipped, no clang here
weir=$1 source=$2 expected=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
if ! "$weir" cc --dry-run "$source" 2>/dev/null; then
    echo "no clang that weir cc accepts: skipped"
    exit 77
fi
"$weir" cc "$source" -o "$dir/semantics" || exit 1
for section in $("$weir" run --functional "$dir/semantics" 2>/dev/null); do
    echo "== $section"
    "$weir" run --functional "$dir/semantics" "$section" 2>"$dir/stderr"
    status=$?
    # The fault sections end normally in spite of their fault: 1. All others: 0.
    case $section in fault-*) want=1 ;; *) want=0 ;; esac
    [ $status = $want ] || { echo "exit status $status"; sed 's/^/    /' "$dir/stderr"; }
done >"$dir/got"
diff "$expected" "$dir/got" && echo "$(wc -l <"$expected") answers equal"
