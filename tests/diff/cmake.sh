#!/bin/sh
# A CMake project with CUDA as one of its languages: device code in a static library, in a shared library and in programs, one of
# several files; linked by the C++ compiler and by weir's nvcc.
# usage: cmake.sh WEIR
weir=$(realpath "$1")
command -v cmake >/dev/null || { echo "cmake is not installed"; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAIL: $*"; exit 1; }
cat >"$dir/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(mixed LANGUAGES CXX CUDA)
set(CMAKE_CUDA_STANDARD 17)
add_library(part STATIC part.cu)
set_target_properties(part PROPERTIES CUDA_SEPARABLE_COMPILATION ON POSITION_INDEPENDENT_CODE ON)
add_library(other SHARED other.cu)
add_executable(mixed main.cpp plus.cu)
target_link_libraries(mixed PRIVATE part other)
target_compile_options(mixed PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda -lineinfo>)
add_executable(pure pure.cu twice.cu)
set_target_properties(pure PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
find_package(CUDAToolkit REQUIRED)
add_executable(libraries libraries.cpp)
target_link_libraries(libraries PRIVATE CUDA::cudart CUDA::cublas CUDA::cufft CUDA::curand CUDA::nvrtc CUDA::cuda_driver)
CMAKE
echo '__device__ int twice(int x) { return 2 * x; }' >"$dir/twice.cu"
cat >"$dir/part.cu" <<'CU'
__global__ void scale(int *p) { p[threadIdx.x] *= 2; }
void part(int *p) { scale<<<1, 32>>>(p); }
CU
cat >"$dir/plus.cu" <<'CU'
__global__ void add(int *p) { p[threadIdx.x] += 1; }
void plus_one(int *p) { add<<<1, 32>>>(p); }
int *words() { int *p; return cudaMallocManaged(&p, 128) ? nullptr : p; }
void wait() { cudaDeviceSynchronize(); }
CU
cat >"$dir/other.cu" <<'CU'
__global__ void negate(int *p) { p[threadIdx.x] = -p[threadIdx.x]; }
void other(int *p) { negate<<<1, 32>>>(p); }
CU
cat >"$dir/main.cpp" <<'CPP'
#include <cstdio>
void part(int *), plus_one(int *), other(int *), wait();
int *words();
int main()
{
    int *p = words();
    for (int i = 0; i < 32; i++)
        p[i] = i;
    part(p), plus_one(p), other(p), wait();
    printf("mixed %d\n", p[31]);
}
CPP
cat >"$dir/pure.cu" <<'CU'
#include <cstdio>
extern __device__ int twice(int x);
__global__ void hello() { printf("pure %d\n", twice(21)); }
int main() { hello<<<1, 1>>>(); return cudaDeviceSynchronize(); }
CU
cat >"$dir/libraries.cpp" <<'CPP'
#include <cstdio>
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <cufft.h>
#include <curand.h>
#include <memory>
#include <nvrtc.h>
int main()
{
    cublasHandle_t h;
    curandGenerator_t g;
    cufftHandle f;
    int major, minor, n = 0;
    bool bad = cudaFree(0) || cublasCreate(&h) || curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    bad |= cufftPlan1d(&f, 8, CUFFT_C2C, 1) || nvrtcVersion(&major, &minor) || cuDeviceGetCount(&n);
    printf("libraries %d\n", bad ? -1 : n);
}
CPP
cmake -S "$dir" -B "$dir/build" -DCMAKE_CUDA_COMPILER="$(dirname "$weir")/nvcc" >"$dir/said" 2>&1 || fail "not configured: $(cat "$dir/said")"
cmake --build "$dir/build" >"$dir/said" 2>&1 || fail "not built: $(cat "$dir/said")"
for program in "mixed -63" "pure 42" "libraries 1"; do
    got=$("$weir" run --functional --quiet "$dir/build/${program% *}" 2>&1)
    [ "$got" = "$program" ] || fail "wanted '$program', got '$got'"
done
