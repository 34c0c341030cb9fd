#!/bin/sh
# The correlation with the board: runs the suite's programs on the simulated H200 and compares them with the counters of
# h200_suite_SIZE.tsv. Prints the tables of docs/correlation.md, writes the kernels' table and, at size small, draws
# docs/correlation.svg.
#
#     [NVCC=nvcc] [SIZE=tiny|small|paper] [SUITE=FOLDER] [SAMPLED=yes] silicon/probes/correlation.sh [FOLDER [PROGRAM...]]
#
# The board ran what nvcc compiled. With NVCC=nvcc it is compiled in the same way here, as for docs/correlation.md, else by
# weir cc: some loads and loops are then where the board's code has them elsewhere. At paper the board ran the suite of commit
# 5139050: git archive 5139050 suite | tar x -C OLD, and SUITE=OLD/suite. SAMPLED=yes simulates samples.
# FOLDER keeps recordings and statistics, so that what is there is not made again (default: a folder under TMPDIR).
# All 80 programs of small take about five minutes of CPU time, with nvcc ten; those of paper twenty.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
weir=${WEIR:-$root/build/weir}
size=${SIZE:-small}
suite=${SUITE:-$root/suite}
board=$here/h200_suite_$size.tsv
folder=${1:-${TMPDIR:-/tmp}/weir-correlation-$size}
[ $# -gt 0 ] && shift
mkdir -p "$folder"
[ $# -gt 0 ] || set -- $(sed -n 's/^\([a-z0-9_]*\)\t.*/\1/p' "$board" | grep -vx program | sort -u)
for p; do
    [ -s "$folder/$p.wt" ] || {
        if [ "${NVCC:-}" ]; then
            "$NVCC" -O2 -w -cudart shared -gencode arch=compute_90,code=compute_90 "$suite/$p/$p.cu" -o "$folder/$p.bin"
        else
            "$weir" cc -O2 "$suite/$p/$p.cu" -o "$folder/$p.bin"
        fi
        case $size/$p in small/alexnet | small/resnet | small/squeezenet) of=part ;; *) of=$size ;; esac # a part of each layer
        "$weir" record -o "$folder/$p.wt" "$folder/$p.bin" $of > /dev/null
    }
    [ -s "$folder/$p.json" ] || "$weir" replay -q --gpu h200 ${SAMPLED:+--sampled} --json "$folder/$p.json" "$folder/$p.wt"
done
"$weir" correlate "$board" "$folder"/*.json --held-out --markdown --plot "$folder/correlation" >"$folder/tables.md"
[ "$size" != small ] || cp "$folder/correlation.svg" "$root/docs/correlation.svg"
sed -n '/^| | n /,$p' "$folder/tables.md"
table=$folder/h200_correlation_$size.tsv
{
    echo "# The suite at $size, kernel by kernel: an H200 (Nsight Compute) beside --gpu h200. Made by correlation.sh."
    echo "program kernel runs gpu_cycles weir_cycles ratio l1_hit_percent_gpu l1_hit_percent_weir l2_hit_percent_gpu" \
        "l2_hit_percent_weir dram_mb_gpu dram_mb_weir" | tr ' ' '\t'
    sed '/^| | n /,$d' "$folder/tables.md" | grep '^| ' | grep -v '^| program' |
        sed 's/^| //; s/ |$//; s/`//g; s/ | /\t/g' |
        awk -F '\t' -v OFS='\t' '{
            for (i = 7; i <= 8; i++) if (!sub(/, /, "\t", $i)) $i = "-\t-"
            print
        }'
} >"$table"
echo "kernel by kernel: $table (kept in $here)"
