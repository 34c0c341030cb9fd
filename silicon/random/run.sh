#!/bin/sh
# Compiles random kernels (silicon/random/random_gen.c) with weir cc, runs them and compares every variable of every
# thread, hashed, with what an H200 computed.
# Usage: run.sh WEIR GENERATOR FOLDER-OF-RANDOM_MAIN ANSWERS FIRST COUNT [weir cc's OPTION...]
weir=$1 gen=$2 tools=$3 answers=$4 first=$5 count=$6
shift 6
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
"$gen" "$first" "$count" >"$dir/kernels.cu" || exit 1
"$weir" cc -w -arch=sm_80 -I"$tools" "$@" "$dir/kernels.cu" "$tools/random_main.cu" -o "$dir/run" || exit 1
"$weir" run --functional --quiet "$dir/run" >"$dir/got" || exit 1
awk -v first="$first" -v count="$count" '$1 >= first && $1 < first + count' "$answers" >"$dir/want"
[ "$(wc -l <"$dir/want")" = "$count" ] || { echo "$answers lacks some of $count kernels from $first"; exit 1; }
# A kernel without an answer is only run.
awk 'NR == FNR { answer[$1] = $3; next } { if (answer[$1] == "-") $3 = "-"; print }' "$dir/want" "$dir/got" >"$dir/got2"
mv "$dir/got2" "$dir/got"
cmp -s "$dir/got" "$dir/want" && exit 0
# Which kernel, and which of its variables: four digits each, in the order of random_gen.c's types.
paste -d ' ' "$dir/want" "$dir/got" | awk '
    $2 != $5 { print "kernel " $1 ": its text has changed; ask the GPU again (silicon/random/ask.sh)"; next }
    {
        n = split("i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 bool array shared global own", name, " ")
        for (i = 0; i < n; i++)
            if (substr($3, 4 * i + 1, 4) != substr($6, 4 * i + 1, 4)) print "kernel " $1 ": " name[i + 1] " differs from the H200"
    }'
exit 1
