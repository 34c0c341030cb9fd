// Shared memory has addresses of 32 bits: a 64-bit sum that goes beyond comes round again, as on a GPU.
#include "check.h"

__global__ void run(int *out, unsigned minus_one)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x + 100;
    __syncthreads();
    const int *q = s + threadIdx.x + 1;
    out[threadIdx.x] = q[minus_one]; // 16 GiB further on: its neighbor below
    unsigned long long at = __cvta_generic_to_shared(s + threadIdx.x) | 5ull << 34;
    int v;
    asm volatile("atom.shared.add.u32 %0, [%1], 7;" : "=r"(v) : "l"(at) : "memory");
    asm volatile("st.shared.u32 [%0], %1;" ::"l"(at), "r"(v * 2) : "memory");
    __syncthreads();
    out[64 + threadIdx.x] = s[threadIdx.x];
}

int main()
{
    int *out;
    CUDA(cudaMallocManaged(&out, 128 * sizeof *out));
    run<<<1, 64>>>(out, ~0u);
    RAN();
    for (int i = 0; i < 64; i++) {
        CHECK(out[i] == i + 100);
        CHECK(out[64 + i] == 2 * (i + 100));
    }
    return check_result();
}
