#!/bin/sh
# share.cu on a GPU, with Nsight Compute's counters where it is installed, and where programs that share words wait.
#
#     silicon/probes/share.sh OUT
#
# Needs nvcc and the GPU; takes three to four minutes. Leaves in OUT: share.tsv (rows of probe.h), share.tgz with counters of
# each launch (store_ncu.csv, red_ncu.csv, sweep_ncu.csv), samples by instruction of programs of the suite at size small
# (source_PROGRAM.csv), the code of share.cu and of the programs (sass_*.txt) and the names of the counters that there are.
set -u
here=$(cd "$(dirname "$0")" && pwd)
suite=${SUITE:-$here/../../suite}
out=${1:?usage: share.sh OUT}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
PATH=$PATH:$(dirname "$nvcc")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/left"

"$nvcc" -O2 -arch="${ARCH:-sm_90}" -std=c++17 -o "$work/share" "$here/share.cu" &
for p in histo bfs_ispass squeezenet streamcluster stencil; do
    "$nvcc" -w -O2 -arch="${ARCH:-sm_90}" -o "$work/$p" "$suite/$p/$p.cu" &
done
wait
timeout 60 "$work/share" > "$out/share.tsv" || echo "share ended with $?"
for p in share histo bfs_ispass squeezenet streamcluster stencil; do
    cuobjdump -sass "$work/$p" > "$work/left/sass_$p.txt" 2> /dev/null
done

# The counters of a list that this ncu knows, separated by commas.
known() {
    for m; do grep -q "^${m%%.*} " "$work/left/metrics.txt" && echo "$m"; done | paste -sd,
}
if command -v ncu > /dev/null; then
    quiet="--clock-control none --cache-control none --csv --page raw --print-units base"
    ncu --query-metrics --chip gh100 > "$work/left/metrics.txt" 2> /dev/null
    # shellcheck disable=SC2086 # a list of words
    timeout 40 ncu $quiet --kernel-name regex:store_ --metrics "$(known lts__t_requests_srcunit_tex_op_write.sum \
        lts__t_sectors_srcunit_tex_op_write.sum l1tex__m_l1tex2xbar_write_sectors.sum sm__cycles_elapsed.max)" \
        "$work/share" --model --only store_ > "$work/left/store_ncu.csv" 2> "$work/err" || tail -3 "$work/err"
    # shellcheck disable=SC2086 # a list of words
    timeout 40 ncu $quiet --kernel-name regex:red_ --metrics "$(known lts__t_requests_srcunit_tex_op_red.sum \
        lts__t_sectors_srcunit_tex_op_red.sum lts__t_requests_srcunit_tex.sum lts__d_sectors.sum \
        l1tex__m_l1tex2xbar_write_sectors.sum sm__cycles_elapsed.max)" \
        "$work/share" --model --only red_ > "$work/left/red_ncu.csv" 2> "$work/err" || tail -3 "$work/err"
    # shellcheck disable=SC2086 # a list of words
    timeout 40 ncu $quiet --kernel-name regex:sweep --metrics "$(known lts__t_sectors_op_read.sum \
        lts__t_sectors_op_read_lookup_hit.sum lts__t_sectors_op_write.sum lts__t_sectors_srcunit_ltcfabric.sum \
        dram__bytes_read.sum dram__bytes_write.sum sm__cycles_elapsed.max)" \
        "$work/share" --model --only sweep > "$work/left/sweep_ncu.csv" 2> "$work/err" || tail -3 "$work/err"
    for p in histo:finish:0 bfs_ispass:expand:4 squeezenet:convolve:2 streamcluster:.:4 stencil:.:1; do
        IFS=: read -r name kernel skip <<EOF
$p
EOF
        timeout 30 ncu --clock-control none --cache-control none --section SourceCounters --section WarpStateStats --page source \
            --csv --kernel-name "regex:$kernel" --launch-skip "$skip" --launch-count 1 "$work/$name" small \
            > "$work/left/source_$name.csv" 2> "$work/err" || tail -3 "$work/err"
    done
else
    echo "no ncu: no counters"
fi
tar -C "$work/left" -czf "$out/share.tgz" .
