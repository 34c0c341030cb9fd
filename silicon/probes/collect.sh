#!/bin/sh
# Runs the microbenchmarks on a GPU and, where Nsight Compute is installed, takes its counters beside them.
#
#     silicon/probes/collect.sh OUT [SECONDS]
#
# Needs nvcc and the GPU; takes about two minutes, and with Nsight Compute up to SECONDS (default 300) more for counters
# of the suite's programs at size small. Leaves in OUT: device.tsv (what the device tells of itself), inst.tsv memory.tsv launch.tsv (the rows of probe.h; weir calibrate reads these),
# launch_ncu.csv l1_ncu.csv (counters of each launch of the probes), l2_latency.tsv, l2_dram_ncu.csv l2_ncu.csv l2_labels.txt
# (l2.cu: DRAM and L2 counters, and what each launch is), suite_ncu.csv (counters of the suite), sass.txt.gz.
# TABLE=yes takes only the counters that h200_suite_*.tsv has, of the first 60 launches of every program; summarize.py makes
# the table of them. SIZE=tiny: at another size.
set -u
here=$(cd "$(dirname "$0")" && pwd)
suite=${SUITE:-$here/../../suite}
out=${1:?usage: collect.sh OUT [SECONDS]}
limit=${2:-300}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

for p in device inst memory launch l2; do
    "$nvcc" -O2 -arch="${ARCH:-sm_90}" -std=c++17 -o "$work/$p" "$here/$p.cu" &
done
wait
"$work/device" > "$out/device.tsv" || echo "device ended with $?"
for p in inst memory launch; do
    echo "$p"
    timeout 60 "$work/$p" > "$out/$p.tsv" || echo "$p ended with $?"
done
timeout 60 "$work/l2" latency > "$out/l2_latency.tsv" || echo "l2 ended with $?"
for p in inst memory launch; do cuobjdump -sass "$work/$p"; done 2>/dev/null | gzip -9 > "$out/sass.txt.gz"

command -v ncu > /dev/null || { echo "no ncu: no counters"; exit 0; }
quiet="--clock-control none --cache-control none --csv --page raw --print-units base"
ncu --query-metrics --chip gh100 > "$work/metrics" 2>/dev/null
# The counters of a list that this ncu knows, separated by commas.
known() {
    for m; do
        case $m in launch__*) echo "$m" ;; *) grep -q "^${m%%.*} " "$work/metrics" && echo "$m" ;; esac
    done | paste -sd,
}
cycles="sm__cycles_elapsed.max sm__cycles_active.max sm__cycles_active.avg gpc__cycles_elapsed.max gpu__time_duration.sum"
l1="l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
    l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum
    l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum l1tex__data_bank_conflicts_pipe_lsu.sum
    l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum l1tex__t_set_conflicts_pipe_lsu_mem_global_op_ld.sum
    l1tex__data_pipe_lsu_wavefronts.sum l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
    l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum l1tex__m_xbar2l1tex_read_sectors.sum
    l1tex__t_sectors_pipe_tex.sum l1tex__t_sectors_pipe_tex_lookup_hit.sum l1tex__lsuin_requests.sum"
# shellcheck disable=SC2086 # lists of words
timeout 70 ncu $quiet --metrics "$(known $cycles launch__shared_mem_config_size dram__bytes_read.sum lts__t_sectors_op_read.sum lts__t_sectors_op_read_lookup_hit.sum)" --launch-count 400 "$work/launch" \
    > "$out/launch_ncu.csv" 2> "$work/err" || tail -3 "$work/err"
# shellcheck disable=SC2086
timeout 90 ncu $quiet --metrics "$(known $cycles launch__shared_mem_config_size $l1)" --kernel-name regex:'chase|lanes|gather|walk' \
    --launch-count 400 "$work/memory" --model > "$out/l1_ncu.csv" 2> "$work/err" || tail -3 "$work/err"
# shellcheck disable=SC2086
timeout 60 ncu $quiet --metrics dram__bytes_read.sum,dram__bytes_write.sum,sm__cycles_elapsed.max "$work/l2" counters "$out/l2_labels.txt" \
    > "$out/l2_dram_ncu.csv" 2> "$work/err" || tail -3 "$work/err"
# shellcheck disable=SC2086
timeout 90 ncu $quiet --replay-mode application --metrics "$(known lts__t_sectors_op_read.sum lts__t_sectors_op_read_lookup_hit.sum \
    lts__t_sectors_op_write.sum lts__t_sectors_srcunit_ltcfabric.sum)" "$work/l2" counters "$work/labels" \
    > "$out/l2_ncu.csv" 2> "$work/err" || tail -3 "$work/err"

[ -d "$suite" ] || exit 0
first="covar corr gesummv kmeans_mars sad sssp streamcluster md sgemm gemm spmv_shoc atax squeezenet nn jacobi1d apsp lbm
       reduction tpacf pathfinder wordcount srad stencil2d fdtd2d gramschm mrigridding bfs btree syrk asyncapi"
rest=$(for d in "$suite"/*/; do
    n=$(basename "$d")
    case " $(echo $first) common " in *" $n "*) ;; *) echo "$n" ;; esac
done)
# shellcheck disable=SC2086
echo $first $rest | tr ' ' '\n' |
    xargs -P "$(nproc)" -I{} sh -c "'$nvcc' -w -O2 -arch=${ARCH:-sm_90} -o '$work/s_{}' '$suite'/{}/*.cu 2>/dev/null"
stalls=$(sed -n 's/^\(smsp__average_warps_issue_stalled_[a-z_]*_per_issue_active\) .*/\1.ratio/p' "$work/metrics")
# shellcheck disable=SC2086
metrics=$(known $cycles $l1 $stalls smsp__inst_executed.sum launch__shared_mem_config_size launch__registers_per_thread \
    launch__occupancy_limit_blocks launch__occupancy_limit_registers launch__occupancy_limit_shared_mem \
    launch__occupancy_limit_warps launch__waves_per_multiprocessor sm__warps_active.avg.per_cycle_active \
    lts__t_sectors_op_read.sum lts__t_sectors_op_read_lookup_hit.sum lts__t_sectors_op_write.sum \
    lts__t_sectors_srcunit_tex_op_read.sum lts__t_sectors_srcunit_tex_op_write.sum lts__t_requests_srcunit_tex_op_read.sum \
    dram__bytes_read.sum dram__bytes_write.sum idc__requests.sum idc__requests_lookup_miss.sum \
    smsp__inst_executed_pipe_alu.sum smsp__inst_executed_pipe_fma.sum smsp__inst_executed_pipe_lsu.sum \
    smsp__inst_executed_pipe_uniform.sum smsp__inst_executed_pipe_xu.sum)
launches=5 replay=kernel
if [ "${TABLE:-no}" = yes ]; then
    launches=60 replay=application
    metrics=$(known sm__cycles_elapsed.max smsp__inst_executed.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum \
        l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum lts__t_sectors_op_read.sum \
        lts__t_sectors_op_read_lookup_hit.sum lts__t_sectors_op_write.sum dram__bytes_read.sum dram__bytes_write.sum \
        gpu__time_duration.sum)
fi
end=$(($(date +%s) + limit))
: > "$out/suite_ncu.csv"
# shellcheck disable=SC2086
for p in $first $rest; do
    [ "$(date +%s)" -lt "$end" ] || { echo "time is up at $p"; break; }
    [ -x "$work/s_$p" ] || { echo "$p did not compile"; continue; }
    echo "#program $p" >> "$out/suite_ncu.csv"
    timeout 40 ncu $quiet --metrics "$metrics" --replay-mode $replay --launch-count $launches \
        "$work/s_$p" "${SIZE:-small}" 2> /dev/null |
        grep '^"' >> "$out/suite_ncu.csv" || echo "$p: no counters"
done
gzip -9 -c "$out/suite_ncu.csv" > "$out/suite_ncu.csv.gz" && rm "$out/suite_ncu.csv"

[ "${TABLE:-no}" = yes ] || exit 0
# DRAM counters by themselves: for summarize.py --dram.
end=$(($(date +%s) + limit))
: > "$out/dram_ncu.csv"
# shellcheck disable=SC2086
for p in $first $rest; do
    [ "$(date +%s)" -lt "$end" ] || { echo "time is up at $p"; break; }
    [ -x "$work/s_$p" ] || continue
    echo "#program $p" >> "$out/dram_ncu.csv"
    timeout 40 ncu $quiet --metrics dram__bytes_read.sum,dram__bytes_write.sum --launch-count 60 "$work/s_$p" "${SIZE:-small}" \
        2> /dev/null | grep '^"' >> "$out/dram_ncu.csv" || echo "$p: no counters"
done
gzip -9 -f "$out/dram_ncu.csv"
