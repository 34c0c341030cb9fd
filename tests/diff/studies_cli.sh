#!/bin/sh
# Folders of plans and sweeps of one's own, over a small recording: which folders are taken, what reports and errors say.
# Usage: studies_cli.sh WEIR RECORDING
weir=$(realpath "$1") wt=$(realpath "$2")
. "$(dirname "$0")/cli.sh"

# A folder is one whether it is named with a slash or not; its name is the report's.
mkdir "$dir/study" "$dir/study/empty"
cp "$wt" "$dir/study/mine.wt"
cat >"$dir/study/fig1.ini" <<'INI'
[figure]
number    = 1
title     = shares of a whole, and above it
programs  = mine
machine   = small.ini
metric    = l1.misses / l1.accesses
axis      = miss rate
draw      = area
published = published.ini
[program mine]
run = mine.wt
[variant lrr]
with = lrr
[variant gto]
with = gto
INI
printf 'base = gtx480\n[machine]\nsms = 1\n' >"$dir/study/small.ini"
cat >"$dir/study/published.ini" <<'INI'
[claim least]
figure    = 1
kind      = least
of        = gto
over      = lrr
published = -99%
says      = no less
[claim mean]
figure    = 1
kind      = mean
of        = gto
published = 30%
says      = so much
INI
cd "$dir/study" || exit 1
for name in . ./ ../study ../study/ "$dir/study"; do
    expect 0 "$weir" reproduce "$name" -o "$dir/report"
    says out "Figure 1: shares"
    [ "$(head -n 1 "$dir/report/report.md")" = "# study" ] || fail "$name: the title is $(head -n 1 "$dir/report/report.md")"
    [ -s "$dir/report/fig1.svg" ] || fail "$name: no picture"
done
# Columns of the verdicts' lines stand below each other, whatever the characters before them.
python3 - "$dir/out" <<'PY' || fail "verdicts out of line: $(cat "$dir/out")"
import sys
lines = [l for l in open(sys.argv[1], encoding="utf-8") if " published " in l]
assert len(lines) == 2 and len({l.index(" weir ") for l in lines}) == 1 and "≥ -99%" in lines[0], lines
PY
cd .. || exit 1
expect 0 "$weir" reproduce study
[ -s weir-study/report.html ] || fail "the report of a folder is not called as it"
expect 0 "$weir" report study/ -o "$dir/report"
expect 2 "$weir" reproduce study/empty -o "$dir/none"
says err "study/empty: there is no plan in this folder; plans of a folder are called fig*.ini"
expect 2 "$weir" reproduce .
says err "there is no plan in this folder"
expect 2 "$weir" reproduce studdy
says err "papers: apcm"
exit 0
