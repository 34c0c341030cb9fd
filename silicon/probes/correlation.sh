#!/bin/sh
# The correlation with the board: runs the suite's programs on the simulated H200 and compares them with the counters of
# h200_suite_small.tsv. Prints the tables of docs/correlation.md and draws docs/correlation.svg.
#
#     silicon/probes/correlation.sh [FOLDER [PROGRAM...]]
#
# FOLDER keeps recordings and statistics, so that what is there is not made again (default: a folder under TMPDIR).
# All 80 programs take about ten minutes of CPU time.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
weir=${WEIR:-$root/build/weir}
folder=${1:-${TMPDIR:-/tmp}/weir-correlation}
[ $# -gt 0 ] && shift
mkdir -p "$folder"
[ $# -gt 0 ] || set -- $(sed -n 's/^\([a-z0-9_]*\)\t.*/\1/p' "$here/h200_suite_small.tsv" | grep -vx program | sort -u)
for p; do
    [ -s "$folder/$p.wt" ] || {
        "$weir" cc -O2 "$root/suite/$p/$p.cu" -o "$folder/$p.bin"
        "$weir" record -o "$folder/$p.wt" "$folder/$p.bin" small > /dev/null
    }
    [ -s "$folder/$p.json" ] || "$weir" replay -q --gpu h200 --json "$folder/$p.json" "$folder/$p.wt"
done
"$weir" correlate "$here/h200_suite_small.tsv" "$folder"/*.json --held-out --markdown --plot "$root/docs/correlation"
rm -f "$root/docs/correlation.gp"
