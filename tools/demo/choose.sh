#!/bin/sh
# Which programs the demo shows, by its rule: of a study's programs that keep the machine busy and run for at most four
# million cycles without the system, the two that gain most and the one that loses most. Prints the ranking of every
# study. The software L1's programs are those of its library whose cached kernel is written by hand.
# Usage: choose.sh [JOBS]; it takes an hour or so on one core.
cd "$(dirname "$0")/../.." || exit 2
weir=${WEIR:-$PWD/build/weir} jobs=${1:-1} most=4000000
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
PATH=$out:$PATH

rank() { # rank TITLE: both columns of figS.txt are cycles, first without the system
    printf '\n%s\n' "$1"
    awk -v most=$most 'NF == 3 && $2 > 0 && $1 !~ /[*]$/ && $2 <= most { printf "  %-12s %.3f\n", $1, $2 / $3 }' \
        "$out/figS.txt" | sort -k2,2 -gr
}

for plan in tools/demo/fig[2-5].ini; do
    base=$(sed -n 's/^normalize *= *//p' "$plan")
    sed -e "s,^base *= *,&$PWD/tools/demo/," -e 's/^programs .*/programs = all/' -e '/^\[explain\]/,$d' \
        -e '/^normalize/d' -e 's/^metric .*/metric = cycles/' -e "s/^variants *= */&$base /" \
        -e 's/^\[figure\]/&\nnumber = S/' "$plan" >"$out/S.ini"
    nice "$weir" reproduce "$out/S.ini" --trust --size small -j "$jobs" -o "$out" >/dev/null || exit 1
    rank "$(sed -n 's/^title *= *//p' "$plan")"
done

sed -e '/^\[program/,$d' -e '/^normalize/d' -e 's/^metric .*/metric = cycles/' -e 's/^variants .*/variants = plain cached/' \
    -e 's/^\[figure\]/&\nnumber = S/' -e '/^programs/d' tools/demo/fig6.ini >"$out/S.ini"
for app in swcache/apps/*/; do
    name=$(basename "$app")
    "$weir" cc -DSWCACHE_TUNE=0 -Iswcache "$app"*.cu -o "$out/$name" || exit 1
    sed -i "s/^title .*/&\nprograms = $name-app/" "$out/S.ini" # further lines add to a list
    printf '\n[program %s-app]\nfirst = 1\nrun = %s --size small --variant plain\nrun cached = %s --size small --variant hand\n' \
        "$name" "$name" "$name" >>"$out/S.ini"
done
nice "$weir" reproduce "$out/S.ini" --trust -j "$jobs" -o "$out" >/dev/null || exit 1
rank "software L1"
