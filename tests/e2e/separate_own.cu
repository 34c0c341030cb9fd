// Separate compilation: kernels and variables that only their file knows, static or in a namespace without a name. The other file has its
// own of the same names.
// files: separate/own.cu
// flags: -rdc=true
#include "check.h"
#include "separate/own.h"

static __device__ int bias = 3;
static __constant__ int scale[2] = {5, 7};
namespace {
__device__ int calls;
__constant__ int *const where = &calls;
__global__ void count(int) { atomicAdd(where, 1); }
} // namespace
template <class T> static __global__ void fill(T *out) { out[threadIdx.x] = own_mix(threadIdx.x * scale[1] + bias); }

int main()
{
    const int n = 64;
    dev<int> out(n);
    fill<<<1, n>>>((int *)out);
    RAN();
    std::vector<int> want(n);
    for (int i = 0; i < n; i++)
        want[i] = (i * 7 + 3) ^ 0x55;
    check_equal("this file's", out.get(), want);
    other_fill(out, n);
    RAN();
    for (int i = 0; i < n; i++)
        want[i] = (i * 11 + 1000) ^ 0x55;
    check_equal("the other file's", out.get(), want);

    const int b = 40, s[2] = {0, 2};
    CHECK(cudaMemcpyToSymbol(bias, &b, sizeof b) == cudaSuccess);
    CHECK(cudaMemcpyToSymbol(scale, s, sizeof s) == cudaSuccess);
    fill<<<1, n>>>((int *)out);
    count<<<2, 32>>>(0);
    RAN();
    for (int i = 0; i < n; i++)
        want[i] = (i * 2 + 40) ^ 0x55;
    check_equal("set by the host", out.get(), want);
    int c = -1;
    CHECK(cudaMemcpyFromSymbol(&c, calls, sizeof c) == cudaSuccess);
    CHECK(c == 64);
    CHECK(other_count() == 0);
    return check_result();
}
