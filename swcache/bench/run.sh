#!/bin/bash
# The software cache on the GPU of this computer: builds every application with nvcc, runs all variants in turns, and writes one
# JSON line per application into OUT/main.jsonl, and others beside it. swcache/bench/table.py makes the tables from them.
#
# usage: swcache/bench/run.sh OUT [ARCH]      (ARCH: sm_90 unless told; -native for nvcc's own guess)
#
# Variants: plain; hand (chosen by its tuner); cached (the cached kernel, always, with its own monitoring); sure (the same without
# monitoring); off (the cached kernel's loops without lines); auto and auto-cached (what `weir swcache transform` made of the plain
# kernel, with and without its tuner, where OUT/auto/APP.cu exists); line4 ... line128 (cached, other lines).
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mkdir -p "$1" && cd "$1" && pwd)
arch=${2:-sm_90}
launches=${SWCACHE_LAUNCHES:-31}
build=${TMPDIR:-/tmp}/swcache-bench
mkdir -p "$build"
rm -f "$build"/*.o "$build"/errors
export PATH=$PATH:/usr/local/cuda/bin
nvcc="nvcc -arch=$arch -O3 -std=c++17 -lineinfo -I$root/swcache"
streaming="blackscholes crc csv example histogram invindex json kmeans pageview simscore strmatch varint wordcount"
others="gather saxpy tiles tiny vecadd"
cd "$root" || exit 1

jobs() {
    echo "$nvcc swcache/bench/copy.cu -o $build/copy"
    for app in $streaming $others; do
        dir=swcache/apps/$app
        variant() { echo "$nvcc -Xptxas -v '-DAPP_VARIANT_NAME=\"$1\"' $3 -c $2 -o $build/$app.$1.o 2>$build/$app.$1.log"; }
        echo "$nvcc -c $dir/app.cu -o $build/$app.app.o"
        variant plain $dir/plain.cu ""
        variant hand $dir/hand.cu ""
        variant cached $dir/hand.cu -DSWCACHE_TUNE=0
        variant sure $dir/hand.cu "-DSWCACHE_TUNE=0 -DSWCACHE_ALWAYS=1"
        variant off $dir/hand.cu "-DSWCACHE_TUNE=0 -DSWCACHE_OFF=1"
        if [ -f "$out/auto/$app.cu" ]; then
            variant auto "$out/auto/$app.cu" "-I$dir"
            variant auto-cached "$out/auto/$app.cu" "-I$dir -DSWCACHE_TUNE=0"
        fi
    done
    for app in $streaming; do
        for line in 4 8 16 64 128; do
            variant line$line swcache/apps/$app/hand.cu "-DSWCACHE_TUNE=0 -DSWCACHE_LINE_BYTES=$line"
        done
    done
}
jobs > "$build/jobs"
xargs -P "$(nproc)" -d '\n' -I{} bash -c '{}' < "$build/jobs" 2> "$build/errors"
for app in $streaming $others; do
    $nvcc $(ls "$build/$app".*.o | grep -v '\.line') -o "$build/$app" &
done
for app in $streaming; do
    $nvcc "$build/$app".app.o "$build/$app".plain.o "$build/$app".line*.o -o "$build/$app-lines" &
done
wait
grep -h error "$build/errors" "$build"/*.log | sort -u | head
"$build/copy" | tee "$out/copy.json"
rm -f "$out/main.jsonl" "$out/lines.jsonl"
measure() { # measure PROGRAM LAUNCHES NAME FILE
    timeout 60 "$build/$1" --size full --launches "$2" --json "$build/one.json" &&
        sed "s/{\"app\": \"[a-z]*\"/{\"app\": \"$3\"/" "$build/one.json" >> "$out/$4"
}
for app in $streaming $others; do
    count=$launches
    [ $app = tiny ] && count=301 # of a few microseconds each, which scatter
    measure $app "$count" $app main.jsonl
done
for dimensions in 8 64; do
    APP_DIMENSIONS=$dimensions measure kmeans "$launches" "kmeans D=$dimensions" main.jsonl
done
for app in $streaming; do
    measure $app-lines 9 $app lines.jsonl
done
for log in "$build"/*.log; do
    name=$(basename "$log" .log)
    echo "$name $(grep -o 'Used [0-9]* registers' "$log" | grep -o '[0-9]*')"
done > "$out/registers.txt"
