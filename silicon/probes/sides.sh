#!/bin/sh
# What share.sh left open, on a GPU: on which side of the L2 the SMs are, and launches of two programs of the suite one by one.
#
#     silicon/probes/sides.sh OUT
#
# Needs nvcc, Nsight Compute and the GPU; takes a minute. Leaves in OUT: sides.tsv (l2.cu), share.tsv (rows `sweep` of share.cu),
# histo_small.csv, histo_paper.csv and bfs_ispass.csv (counters of each launch).
set -u
here=$(cd "$(dirname "$0")" && pwd)
suite=${SUITE:-$here/../../suite}
out=${1:?usage: sides.sh OUT}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
PATH=$PATH:$(dirname "$nvcc")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
for p in l2 share; do "$nvcc" -O2 -arch="${ARCH:-sm_90}" -std=c++17 -o "$work/$p" "$here/$p.cu" & done
for p in histo bfs_ispass; do "$nvcc" -w -O2 -arch="${ARCH:-sm_90}" -o "$work/$p" "$suite/$p/$p.cu" & done
wait
timeout 40 "$work/l2" sides > "$out/sides.tsv" || echo "l2 ended with $?"
timeout 40 "$work/share" --only sweep > "$out/share.tsv" || echo "share ended with $?"
# Counters CSV PROGRAM SIZE KERNEL METRICS: one row for each launch, caches as the program leaves them.
counters() {
    timeout 60 ncu --clock-control none --cache-control none --replay-mode application --csv --page raw --print-units base \
        --kernel-name "regex:$4" --metrics "$5" "$work/$2" "$3" > "$out/$1" 2> "$work/err" || tail -3 "$work/err"
}
read=sm__cycles_elapsed.max,lts__t_sectors_op_read.sum,lts__t_sectors_op_read_lookup_hit.sum
counters histo_small.csv histo small finish "$read,lts__t_sectors_op_write.sum,lts__t_sectors_srcunit_ltcfabric.sum"
counters histo_paper.csv histo paper finish "$read,lts__t_sectors_op_write.sum,lts__t_sectors_srcunit_ltcfabric.sum"
counters bfs_ispass.csv bfs_ispass small expand "sm__cycles_elapsed.max,lts__t_requests_srcunit_tex_op_write,lts__t_requests_srcunit_tex_op_read"
