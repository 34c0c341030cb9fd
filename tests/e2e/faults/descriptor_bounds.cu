// A matrix descriptor that points behind the block's shared memory.
// flags: -gencode=arch=compute_90a,code=compute_90a
// fails: a matrix descriptor reaches byte \d+ of shared memory, and the CTA has 1024: start 512,.*stride offset 128
#include "fault.h"

__global__ void outside(float *out)
{
    __shared__ __align__(1024) char tile[1024];
    float d[4] = {0, 0, 0, 0};
    const unsigned long long at = (unsigned)__cvta_generic_to_shared(tile) >> 4;
    const unsigned long long b = at | 8ull << 16 | 8ull << 32, a = b + 32;
    asm volatile("wgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\n"
                 "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(b)
                 : "memory");
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

int main()
{
    float *p;
    CUDA(cudaMalloc(&p, 512));
    outside<<<1, 128>>>(p);
    return finish();
}
