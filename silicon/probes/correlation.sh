#!/bin/sh
# The correlation with the board: runs the suite's programs on the simulated H200 and compares them with the counters of
# h200_suite_small.tsv. Prints the tables of docs/correlation.md, draws docs/correlation.svg and writes the kernels' table.
#
#     silicon/probes/correlation.sh [FOLDER [PROGRAM...]]
#
# The board ran what nvcc compiled. With NVCC=nvcc it is compiled in the same way here, else by weir cc: some loads and
# loops are then where the board's code has them elsewhere.
# FOLDER keeps recordings and statistics, so that what is there is not made again (default: a folder under TMPDIR).
# All 80 programs take about ten minutes of CPU time, with nvcc fifteen.
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
        if [ "${NVCC:-}" ]; then
            "$NVCC" -O2 -cudart shared -gencode arch=compute_90,code=compute_90 "$root/suite/$p/$p.cu" -o "$folder/$p.bin"
        else
            "$weir" cc -O2 "$root/suite/$p/$p.cu" -o "$folder/$p.bin"
        fi
        case $p in alexnet | resnet | squeezenet) size=part ;; *) size=small ;; esac # the board ran a part of each layer
        "$weir" record -o "$folder/$p.wt" "$folder/$p.bin" $size > /dev/null
    }
    [ -s "$folder/$p.json" ] || "$weir" replay -q --gpu h200 --json "$folder/$p.json" "$folder/$p.wt"
done
"$weir" correlate "$here/h200_suite_small.tsv" "$folder"/*.json --held-out --markdown --plot "$root/docs/correlation" >"$folder/tables.md"
rm -f "$root/docs/correlation.gp"
sed -n '/^| | n /,$p' "$folder/tables.md"
{
    echo "# The suite at small, kernel by kernel: an H200 (Nsight Compute) beside --gpu h200. Made by correlation.sh."
    echo "program kernel runs gpu_cycles weir_cycles ratio l1_hit_percent_gpu l1_hit_percent_weir l2_hit_percent_gpu" \
        "l2_hit_percent_weir dram_mb_gpu dram_mb_weir" | tr ' ' '\t'
    sed '/^| | n /,$d' "$folder/tables.md" | grep '^| ' | grep -v '^| program' |
        sed 's/^| //; s/ |$//; s/`//g; s/ | /\t/g' |
        awk -F '\t' -v OFS='\t' '{
            for (i = 7; i <= 8; i++) if (!sub(/, /, "\t", $i)) $i = "-\t-"
            print
        }'
} >"$folder/h200_correlation_small.tsv"
echo "kernel by kernel: $folder/h200_correlation_small.tsv (kept in $here)"
