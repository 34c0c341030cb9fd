#!/bin/sh
# Asks a GPU for its answers to random kernels (random_gen.c). Needs nvcc, gcc and the GPU; about a minute.
# Usage: silicon/random/ask.sh OUTPUT [COUNT]
# OUTPUT becomes silicon/random/h200.txt when the GPU is an H200; NVCC and ARCH name another compiler or architecture.
set -e
here=$(cd "$(dirname "$0")" && pwd)
output=${1:?usage: random.sh OUTPUT [COUNT]}
count=${2:-600}
each=25
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
gcc -O1 "$here/random_gen.c" -o "$folder/gen"
first=0
while [ "$first" -lt "$count" ]; do
    "$folder/gen" "$first" "$each" >"$folder/$first.cu"
    first=$((first + each))
done
cp "$here/random_main.cu" "$folder/main.cu"
ls "$folder"/*.cu | xargs -P "$(nproc)" -I{} "$nvcc" -w -arch="${ARCH:-sm_90}" -I"$here" -c {} -o {}.o
"$nvcc" -arch="${ARCH:-sm_90}" "$folder"/*.o -o "$folder/run"
# A fault ends a CUDA program for good: the next one takes over after it. Such a kernel has no answer.
: >"$output"
next=0
while status=0 && { "$folder/run" from "$next" >>"$output" || status=$?; } && [ "$status" = 3 ]; do
    next=$(($(tail -n 1 "$output" | cut -d ' ' -f 1) + 1))
done
[ "$status" = 0 ] || exit 1
grep fault "$output" || true
echo "$(wc -l <"$output") kernels answered, $(wc -c <"$output") bytes in $output"
