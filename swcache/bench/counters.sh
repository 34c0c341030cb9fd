#!/bin/bash
# Hardware counters (ncu) and memory checks (compute-sanitizer) of the programs that swcache/bench/run.sh has built.
# usage: swcache/bench/counters.sh OUT
out=$1
build=${TMPDIR:-/tmp}/swcache-bench
export PATH=$PATH:/usr/local/cuda/bin
metrics=gpu__time_duration.sum,smsp__inst_executed.sum,smsp__thread_inst_executed_per_inst_executed.ratio
metrics+=,smsp__inst_executed.avg.per_cycle_active,sm__warps_active.avg.pct_of_peak_sustained_active
metrics+=,l1tex__data_pipe_lsu_wavefronts.sum,l1tex__t_sector_hit_rate.pct,lts__t_sectors_op_read.sum,dram__bytes_read.sum

# Prints what ncu found about one variant as a line of JSON.
counters() { # counters APP VARIANT
    timeout 60 ncu --clock-control none --launch-count 1 --csv --page raw --print-units base --metrics $metrics "$build/$1" --size full --variant "$2" 2>/dev/null |
        grep '^"' | python3 -c '
import csv, json, sys
rows = list(csv.reader(sys.stdin))
found = {n: float(v.replace(",", "")) for n, v in zip(rows[0], rows[2]) if n in sys.argv[3].split(",")}
print(json.dumps({"app": sys.argv[1], "variant": sys.argv[2], **found}))' "$1" "$2" "$metrics"
}

for app in $(cd "$build" && ls *.app.o | sed 's/.app.o//'); do
    for variant in cached auto-cached; do
        for tool in memcheck racecheck; do
            (timeout 200 compute-sanitizer --tool $tool "$build/$app" --size tiny --variant $variant 2>&1 |
                grep -E 'SUMMARY|passed|failed' | tr '\n' ' ' | sed "s/^/$app $variant $tool: /"
            echo) &
            while [ "$(jobs -r | wc -l)" -ge 12 ]; do sleep 0.1; done
        done
    done
done > "$out/sanitizer.txt"
wait
sort -o "$out/sanitizer.txt" "$out/sanitizer.txt"
for app in $(cd "$build" && ls *-lines | sed 's/-lines//'); do
    for variant in plain cached; do
        counters "$app" $variant
    done
done > "$out/counters.jsonl"
