#!/bin/sh
# Which compiler weir cc takes, and what it leaves behind.
# usage: cc_cli.sh WEIR
weir=$(realpath "$1")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
say() { echo "FAIL: $*"; failed=1; }
fake() { # fake NAME VERSION: a clang that only tells its version, and sleeps when asked to compile
    printf '#!/bin/sh\n[ "$1" = -dumpversion ] && { echo %s; exit 0; }\nexec sleep 60\n' "$2" >"$dir/bin/$1"
    chmod +x "$dir/bin/$1"
}
mkdir "$dir/bin" "$dir/tmp"
for tool in sh sleep rm; do ln -s "$(command -v $tool)" "$dir/bin/$tool"; done
cat >"$dir/a.cu" <<'CU'
#include <iostream>
#include <string>
#include <vector>
__device__ __noinline__ int twice(int x) { return 2 * x; }
__global__ void k(int *p) { p[threadIdx.x] = twice(threadIdx.x); }
int main()
{
    int *p;
    cudaMallocManaged(&p, 32 * sizeof *p);
    k<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    std::vector<std::string> words{"result", std::to_string(p[31])};
    for (auto &w : words)
        std::cout << w << ' ';
    std::cout << std::endl;
}
CU
unset WEIR_CLANG

# The newest, whatever clang++ is; 14 is refused unless it is named.
fake clang++-14 14.0.6
fake clang++ 14.0.6
PATH=$dir/bin "$weir" cc --dry-run "$dir/a.cu" 2>"$dir/said" && say "clang 14 was taken"
grep -q 'version 14, which miscompiles some device code; install a newer one' "$dir/said" || say "no word about clang 14: $(cat "$dir/said")"
PATH=$dir/bin WEIR_CLANG=clang++-14 "$weir" cc --dry-run "$dir/a.cu" 2>"$dir/said" || say "clang 14 by name was refused"
grep -q 'warning: clang++-14 is version 14' "$dir/said" || say "no warning about clang 14"
fake clang++-15 15.0.7
fake clang++-23 23.1.0
PATH=$dir/bin "$weir" cc --dry-run "$dir/a.cu" 2>"$dir/said" || say "no clang was found"
grep -q '^clang++-23 ' "$dir/said" || say "not the newest clang: $(head -n 1 "$dir/said")"
fake clang++ 24.0.0
PATH=$dir/bin "$weir" cc --dry-run "$dir/a.cu" 2>"$dir/said" || say "no clang was found"
grep -q '^clang++ ' "$dir/said" || say "clang++ is newer: $(head -n 1 "$dir/said")"

# A name is data: no shell reads it.
fake "it's a clang" 19.0.0
WEIR_CLANG="$dir/bin/it's a clang" "$weir" cc --dry-run "$dir/a.cu" 2>"$dir/said" || say "a quote in a name: $(cat "$dir/said")"
WEIR_CLANG="x'; touch $dir/ran; '" "$weir" cc --dry-run "$dir/a.cu" 2>"$dir/said" && say "a clang that is none was taken"
[ -e "$dir/ran" ] && say "a shell read WEIR_CLANG"

# What the headers' functions do is reported at the line that calls them.
cat >"$dir/lines.cu" <<'CU'
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void k(__half *a, __nv_bfloat16 *c, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto warp = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
    b[i] = __half2float(__hadd(a[i], a[i + 1])) + warp.shfl_xor(b[i], 1) + __bfloat162float(c[i]) + round(b[i]);
}
CU
"$weir" cc -ptx "$dir/lines.cu" -o "$dir/lines.ptx" 2>"$dir/said" || say "lines.cu: $(cat "$dir/said")"
[ "$(grep -c '^[[:space:]]*\.file' "$dir/lines.ptx")" = 1 ] || say "lines of headers: $(grep '\.file' "$dir/lines.ptx")"

# nvcc's -Werror has a kind behind it, gcc's has none.
for words in "-Werror all-warnings" "-Werror" "--Werror=all-warnings"; do
    "$weir" cc --dry-run $words "$dir/a.cu" >"$dir/said" 2>&1 || say "$words: $(cat "$dir/said")"
done

# What no file defines is an error when compiling; with -rdc=true another file may define it.
cat >"$dir/undefined.cu" <<'CU'
__device__ int elsewhere(int);
extern __device__ int table[4];
__global__ void k(int *p) { *p = elsewhere(*p) + table[0]; }
int main() { return 0; }
CU
"$weir" cc "$dir/undefined.cu" -o "$dir/undefined" 2>"$dir/said" && say "an undefined device function was taken"
grep -q 'undefined.cu: undefined device function elsewhere(int); define it' "$dir/said" || say "undefined function: $(cat "$dir/said")"
grep -q 'undefined device variable table' "$dir/said" || say "undefined variable: $(cat "$dir/said")"
[ -e "$dir/undefined" ] && say "a program with an undefined device function was written"
"$weir" cc -dc "$dir/undefined.cu" -o "$dir/undefined.o" 2>"$dir/said" || say "-dc: $(cat "$dir/said")"

# A fat binary is loaded as PTX text is.
cat >"$dir/load.cu" <<'CU'
#include <cstdio>
#include <cuda.h>
int main(int argc, char **argv)
{
    CUmodule m;
    CUfunction f;
    cudaFree(0);
    cuInit(0);
    printf("%d\n", cuModuleLoad(&m, argv[1]) || cuModuleGetFunction(&f, m, "inside"));
}
CU
echo 'extern "C" __global__ void inside(int *p) { *p = 1; }' >"$dir/inside.cu"
"$weir" cc -fatbin "$dir/inside.cu" -o "$dir/inside.fatbin" || say "-fatbin"
"$weir" cc "$dir/load.cu" -lcuda -o "$dir/load" || say "load.cu"
[ "$("$weir" run -q --functional "$dir/load" "$dir/inside.fatbin" 2>"$dir/said")" = 0 ] || say "-fatbin: $(cat "$dir/said")"

# A launch from device code names its kernel; how is said where clang cannot tell.
cat >"$dir/deduced.cu" <<'CU'
template <typename T> __global__ void child(T *p) { *p = 1; }
__global__ void parent(int *p) { child<<<1, 1>>>(p); }
int main() { return 0; }
CU
"$weir" cc "$dir/deduced.cu" -o "$dir/deduced" 2>"$dir/said" && say "a launch without template arguments was taken"
grep -q 'names its kernel with all template arguments' "$dir/said" || say "a launch from device code: $(cat "$dir/said")"
sed -i 's/child<<</child<int><<</' "$dir/deduced.cu"
"$weir" cc "$dir/deduced.cu" -o "$dir/deduced" 2>"$dir/said" || say "a launch from device code: $(cat "$dir/said")"
"$weir" cc -ptx "$dir/deduced.cu" -o "$dir/deduced.ptx" 2>"$dir/said" || say "-ptx: $(cat "$dir/said")"
[ -s "$dir/said" ] && say "the first attempt was not kept to itself: $(cat "$dir/said")"

# With -rdc=true a static library's files are taken for their device code alone, and only those that are wanted.
mkdir "$dir/lib"
cat >"$dir/lib/main.cu" <<'CU'
#include <cstdio>
__device__ int far(int);
extern __device__ int table[2];
__global__ void k(int *p) { *p = far(*p) + table[1]; }
int main()
{
    int *p;
    cudaMallocManaged(&p, sizeof *p);
    *p = 5;
    k<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    printf("result %d\n", *p);
}
CU
echo '__device__ int farther(int); __device__ int far(int x) { return farther(x); }' >"$dir/lib/far.cu"
echo '__device__ int farther(int x) { return 3 * x; }' >"$dir/lib/farther.cu"
echo '__device__ int table[2] = {1, 70};' >"$dir/lib/table.cu"
echo '__device__ int spare(int x) { return x; } int nowhere(); int calls() { return nowhere(); }' >"$dir/lib/spare.cu"
(cd "$dir/lib" && "$weir" cc -rdc=true -lib farther.cu far.cu table.cu spare.cu -o libfar.a && "$weir" cc -rdc=true main.cu -L. -lfar -o main && ./main) \
    >"$dir/said" 2>&1
grep -q '^result 85$' "$dir/said" || say "device functions of a static library: $(cat "$dir/said")"
(cd "$dir/lib" && "$weir" cc -rdc=true -shared farther.cu far.cu table.cu -o libshared.so && "$weir" cc -rdc=true main.cu ./libshared.so -o main && ./main) \
    >"$dir/said" 2>&1
[ "$(cat "$dir/said")" = 'result 85' ] || say "device functions of a shared library: $(cat "$dir/said")"
"$weir" cc -rdc=true "$dir/lib/main.cu" "$dir/lib/table.cu" "$dir/lib/far.cu" -o "$dir/lib/less" >"$dir/said" 2>&1 && say "linked without farther.cu"
grep -q '^weir: no file or library defines the device symbol farther(int)$' "$dir/said" || say "a device function that is missing: $(cat "$dir/said")"
[ "$(grep -c '^weir:' "$dir/said")" = 1 ] || say "missing device functions: $(cat "$dir/said")"

# A kernel that host code launches is no device code's want: its file need not be compiled with -rdc=true.
echo '__global__ void fill(int *p) { *p = 7; }' >"$dir/lib/fill.cu"
cat >"$dir/lib/launch.cu" <<'CU'
#include <cstdio>
__global__ void fill(int *p);
int main()
{
    int *p;
    cudaMallocManaged(&p, sizeof *p);
    fill<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    printf("result %d\n", *p);
}
CU
for words in "" -rdc=true; do
    (cd "$dir/lib" && "$weir" cc -c $words fill.cu -o fill.o && "$weir" cc -rdc=true launch.cu fill.o -o launch && ./launch) >"$dir/said" 2>&1
    grep -q '^result 7$' "$dir/said" || say "a kernel of another file${words:+, $words}: $(cat "$dir/said")"
done

# A library of NVIDIA's that weir has not is named as such, by its header and when it is linked; a header of one's own is not.
echo '#include <cusparse.h>' >"$dir/library.cu"
"$weir" cc "$dir/library.cu" -o "$dir/library" 2>"$dir/said" && say "cuSPARSE was found"
grep -q "weir: cusparse.h: weir has no cuSPARSE" "$dir/said" || say "cuSPARSE: $(cat "$dir/said")"
echo '#include <cuda_gl_interop.h>' >"$dir/library.cu"
"$weir" cc "$dir/library.cu" -o "$dir/library" 2>"$dir/said" && say "cuda_gl_interop.h was found"
grep -q "weir: cuda_gl_interop.h: kernels cannot share buffers with OpenGL" "$dir/said" || say "OpenGL: $(cat "$dir/said")"
echo 'int main() {}' >"$dir/library.cu"
"$weir" cc "$dir/library.cu" -o "$dir/library" -lcusparse 2>"$dir/said" && say "cuSPARSE was found"
grep -q "weir: -lcusparse: weir has no cuSPARSE" "$dir/said" || say "cuSPARSE: $(cat "$dir/said")"
"$weir" cc "$dir/library.cu" -o "$dir/library" -lcublas_static -lculibos -lcuda -lnvToolsExt 2>"$dir/said" || say "cuBLAS as a static library: $(cat "$dir/said")"
echo '#include "mine.h"' >"$dir/library.cu"
"$weir" cc "$dir/library.cu" -o "$dir/library" 2>"$dir/said" && say "mine.h was found"
grep -q "NVIDIA" "$dir/said" && say "mine.h: $(cat "$dir/said")"

# An option that is misspelled is named, though what begins with -f is clang's.
echo 'int main() { return 0; }' >"$dir/plain.cpp"
for file in a.cu plain.cpp; do
    "$weir" cc -fno-whole-vector "$dir/$file" -o "$dir/a" 2>"$dir/said" && say "-fno-whole-vector was taken"
    grep -q "^weir: -fno-whole-vector: no such option; did you mean '-fno-whole-vectors'?" "$dir/said" || say "$file, misspelled: $(cat "$dir/said")"
    "$weir" cc -fno-misspelled "$dir/$file" -o "$dir/a" 2>"$dir/said" && say "-fno-misspelled was taken"
    grep -q "^weir: -fno-misspelled: unknown option of weir cc and clang" "$dir/said" || say "$file, unknown: $(cat "$dir/said")"
done

# OpenMP's library is a package of its own: the message names it when its header, or the library itself, is not there.
openmp() { # openmp FOLDER: a clang that compiles nothing and has the library in the folder, or nowhere
    printf '#!/bin/sh\ncase $1 in -dumpversion) echo 23.1.0 ;; -print-file-name=*) echo "%s${1#*=}" ;; *) echo "a.cu:1:10: fatal error: '"'omp.h'"' file not found" >&2; exit 1 ;; esac\n' "$1" >"$dir/bin/clang-omp"
    chmod +x "$dir/bin/clang-omp"
}
openmp ""
touch "$dir/host.cpp" "$dir/object.o"
for words in "$dir/a.cu" "-Xcompiler -fopenmp $dir/host.cpp" "-Xcompiler -fopenmp $dir/object.o"; do
    WEIR_CLANG=$dir/bin/clang-omp "$weir" cc $words -o "$dir/a" 2>"$dir/said" && say "$words: compiled by nothing"
    grep -q 'weir: OpenMP on the host needs .* libomp-23-dev' "$dir/said" || say "$words: $(cat "$dir/said")"
done
openmp /lib/
WEIR_CLANG=$dir/bin/clang-omp "$weir" cc -Xcompiler -fopenmp "$dir/object.o" -o "$dir/a" 2>"$dir/said" && say "compiled by nothing"
grep -q libomp "$dir/said" && say "a library that is there is missed: $(cat "$dir/said")"
WEIR_CLANG=$dir/bin/clang-omp "$weir" cc --dry-run "$dir/object.o" -lgomp -lz 2>"$dir/said"
grep -q ' -lomp -lz ' "$dir/said" || say "gcc's OpenMP library beside clang's: $(cat "$dir/said")"

# In the place of nvcc: what build systems ask of it, and options that they hand on.
nvcc=$(dirname "$weir")/nvcc
for ask in "$weir cc --version" "$nvcc --version" "$nvcc -V"; do
    $ask >"$dir/said" 2>&1 || say "$ask"
    grep -q '^nvcc: NVIDIA (R) Cuda compiler driver$' "$dir/said" && grep -q 'release 13.0, V13.0.0' "$dir/said" || say "$ask: $(cat "$dir/said")"
    grep -q "$("$weir" --version)" "$dir/said" || say "$ask does not tell weir's own version"
done
"$nvcc" -v there-is-no-such-file >"$dir/said" 2>&1 && say "a file that there is not was compiled"
for word in TOP INCLUDES LIBRARIES; do
    grep -q "^#\$ $word=.*/" "$dir/said" || say "nvcc -v does not say $word: $(cat "$dir/said")"
done
WEIR_CLANG=$dir/bin/clang++-23 "$weir" cc --dry-run -Xclang -disable-llvm-passes -mllvm -unroll-count=2 "$dir/a.cu" 2>"$dir/said" || say "-Xclang: $(cat "$dir/said")"
[ "$(grep -c -- '-Xclang -disable-llvm-passes -mllvm -unroll-count=2' "$dir/said")" = 2 ] || say "-Xclang is not for both passes: $(cat "$dir/said")"
"$weir" cc --dry-run --unheard-of "$dir/a.cu" 2>"$dir/said" && say "an unknown option was taken"
for forward in -forward-unknown-to-host-compiler -forward-unknown-opts; do
    WEIR_CLANG=$dir/bin/clang++-23 "$weir" cc --dry-run --unheard-of $forward "$dir/a.cu" 2>"$dir/said" || say "$forward: $(cat "$dir/said")"
    [ "$(grep -c -- ' --unheard-of ' "$dir/said")" = 1 ] || say "$forward: $(cat "$dir/said")"
done
(cd "$dir" && "$weir" cc --run a.cu -o ran) >"$dir/said" 2>&1 || say "--run: $(cat "$dir/said")"
grep -q '^result 62 ' "$dir/said" || say "--run: $(cat "$dir/said")"
PATH=$(dirname "$nvcc"):$PATH "$weir" cc --nvcc "$dir/a.cu" -o "$dir/a" 2>"$dir/said" && say "--nvcc took weir for nvcc"
grep -q 'the first nvcc in PATH is weir itself' "$dir/said" || say "--nvcc with weir's nvcc: $(cat "$dir/said")"

# Interrupted, it removes its folder and ends its compilers.
for pair in TERM:15 HUP:1 INT:2 QUIT:3; do
    signal=${pair%:*} number=${pair#*:}
    # A shell lets its background jobs ignore INT and QUIT; env gives them back.
    env --default-signal PATH="$dir/bin" TMPDIR="$dir/tmp" WEIR_CLANG=clang++-23 "$weir" cc "$dir/a.cu" -o "$dir/a" \
        2>"$dir/said" &
    pid=$!
    n=0
    until [ -e "$(echo "$dir"/tmp/weir-cc-*/0.device.txt)" ] || [ $n -gt 200 ]; do
        n=$((n + 1))
        sleep 0.05
    done
    kill -s $signal $pid
    wait $pid 2>/dev/null
    got=$?
    [ $got = $((128 + number)) ] || say "$signal: it ended with $got"
    [ "$(ls -A "$dir/tmp")" = "" ] || say "$signal left $(ls "$dir/tmp")"
    rm -rf "$dir"/tmp/*
done

# Killed, it leaves its folder, and a later one removes it: not a young one, nor one whose process lives.
folder() { # folder NAME AGE
    mkdir -m 700 "$dir/tmp/$1"
    touch "$dir/tmp/$1/0.ptx"
    touch -d "$2" "$dir/tmp/$1"
}
folder weir-cc-killed "2 hours ago"
folder weir-cc-living "2 hours ago"
folder weir-cc-abrand "now"
folder weir-cc-notmine-at-all "2 hours ago"
TMPDIR=$dir/tmp flock "$dir/tmp/weir-cc-living" env WEIR_CLANG="$dir/bin/clang++-23" "$weir" cc --dry-run "$dir/a.cu" 2>/dev/null
left=$(ls "$dir/tmp" | paste -sd' ')
[ "$left" = "weir-cc-abrand weir-cc-living weir-cc-notmine-at-all" ] || say "of folders of others there are left: $left"
rm -rf "$dir"/tmp/*

# A vector of which parts are used is one load, as with nvcc, and so is a copy; -fno-whole-vectors leaves that to clang.
cat >"$dir/vectors.cu" <<'CU'
__global__ void parts(const float4 *p, float *o) { const float4 v = p[threadIdx.x]; o[threadIdx.x] = v.x + v.z; }
__global__ void copy(const int4 *p, int4 *o) { __shared__ int4 s[32]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); o[threadIdx.x] = s[31 - threadIdx.x]; }
__global__ void halves(const double2 *p, double *o) { const double2 v = p[threadIdx.x]; o[threadIdx.x] = v.y; }
CU
loads() { # loads OPTION...: the loads of its PTX, in order
    "$weir" cc -ptx "$@" "$dir/vectors.cu" -o "$dir/vectors.ptx" || say "vectors.cu: not compiled"
    grep -oE "ld\.(global|shared)(\.nc)?(\.v[24])?" "$dir/vectors.ptx" | paste -sd' '
}
[ "$(loads)" = "ld.global.v4 ld.global.v4 ld.shared.v4 ld.global.v2" ] || say "vectors are loaded in parts: $(loads)"
[ "$(loads -fno-whole-vectors)" != "$(loads)" ] || say "-fno-whole-vectors does nothing"

# Arrays that loops of known length index are in registers, and not in local memory, as with nvcc.
cat >"$dir/tiles.cu" <<'CU'
__global__ void product(const float *a, const float *b, float *c, int n)
{
    float sum[8][16] = {}, x[8], y[16];
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 8; i++)
            x[i] = a[k * 256 + threadIdx.x / 16 * 8 + i];
        for (int j = 0; j < 16; j++)
            y[j] = b[k * 256 + threadIdx.x % 16 * 16 + j];
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 16; j++)
                sum[i][j] += x[i] * y[j];
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 16; j++)
            c[(threadIdx.x * 8 + i) * 16 + j] = sum[i][j];
}
CU
"$weir" cc -ptx "$dir/tiles.cu" -o "$dir/tiles.ptx" || say "tiles.cu: not compiled"
grep -q "__local_depot" "$dir/tiles.ptx" && say "a tile in registers became local memory"
for option in "-fno-unroll-loops" "-mllvm -unroll-threshold=1"; do # what was asked for is done, and nothing beyond
    "$weir" cc -ptx $option "$dir/tiles.cu" -o "$dir/tiles.ptx" || say "tiles.cu: not compiled"
    grep -q "__local_depot" "$dir/tiles.ptx" || say "$option: arrays are in registers"
done

# Both names of clang link C++.
major=$("$weir" cc --dry-run "$dir/a.cu" 2>&1 | sed -n '1s/^clang++-\([0-9]*\) .*/\1/p')
for name in clang-$major clang++-$major; do
    command -v "$name" >/dev/null || continue
    WEIR_CLANG=$name "$weir" cc "$dir/a.cu" -o "$dir/a" || say "$name does not link C++"
    [ "$("$weir" run --functional --quiet "$dir/a")" = "result 62 " ] || say "$name: wrong result"
done

# Without -arch the code is for the device that weir says it is; a kernel that is empty for an architecture has a warning.
cat >"$dir/arch.cu" <<'CU'
__global__ void newer(int *p)
{
#if __CUDA_ARCH__ >= 800
    *p = __CUDA_ARCH__;
#endif
}
__global__ void nothing() {}
CU
if [ "${major:-0}" -ge 18 ]; then
    "$weir" cc -ptx "$dir/arch.cu" -o "$dir/arch.ptx" 2>"$dir/err" || say "arch.cu: not compiled"
    grep -q '^.target sm_90' "$dir/arch.ptx" || say "the default architecture is $(grep ^.target "$dir/arch.ptx")"
    [ -s "$dir/err" ] && say "a warning without a cause: $(cat "$dir/err")"
fi
"$weir" cc -c -arch=sm_75 "$dir/arch.cu" -o "$dir/arch.o" 2>"$dir/err" || say "arch.cu: not compiled"
grep -q "warning: .*arch.cu: kernel newer(int\*) does nothing when it is compiled for sm_75" "$dir/err" || say "no word of an empty kernel"
grep -q "nothing()" "$dir/err" && say "a kernel that is meant to be empty is warned of"
for arch in sm_9999 sm_1 sm_ compute_-5 sm_90x sm90 "" hopper; do
    "$weir" cc -c "-arch=$arch" "$dir/arch.cu" -o "$dir/arch.o" 2>"$dir/err" && say "-arch=$arch: compiled"
    grep -q "$arch: there is no such architecture; name it as sm_75" "$dir/err" || say "-arch=$arch: $(cat "$dir/err")"
done
"$weir" cc -c -gencode 'arch=compute_75,code=[sm_75,compute_75]' -arch=native "$dir/arch.cu" -o "$dir/arch.o" 2>"$dir/err" || say "-gencode: $(cat "$dir/err")"
cat >"$dir/cluster.cu" <<'CU'
__global__ void __cluster_dims__(2, 1, 1) pair(int *p) { p[blockIdx.x] = 1; }
int main() { pair<<<4, 32>>>(0); }
CU
"$weir" cc -ptx -arch=sm_90a -maxrregcount=40 "$dir/cluster.cu" -o "$dir/cluster.ptx" 2>"$dir/err" || say "__cluster_dims__: $(head -3 "$dir/err")"
grep -q '^\.reqnctapercluster 2, 1, 1$' "$dir/cluster.ptx" || say "the cluster that a kernel declares is not in its PTX"
grep -q '^\.maxnreg 40$' "$dir/cluster.ptx" || say "-maxrregcount is not in the PTX of a kernel with a cluster"
exit $failed
