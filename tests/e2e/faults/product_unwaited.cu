// The result of a product is read before wgmma.wait_group: once at once, once while its group may be pending; and A's
// registers are written while a product reads them. Two kernels that wait as they should are not told of.
// flags: -gencode=arch=compute_90a,code=compute_90a
// warns: undefined behavior in kernel at_once\(float\*\).*is used before wgmma.wait_group.*product_unwaited.cu
// warns: undefined behavior in kernel one_too_few\(float\*\)
// warns: undefined behavior in kernel overwrites_a\(float\*\)
#include "fault.h"

#define PRODUCT                                                                                                        \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\n"
#define SETUP                                                                                                          \
    __shared__ __align__(1024) char tile[8192];                                                                        \
    float d[4] = {0, 0, 0, 0};                                                                                         \
    const unsigned long long at = (unsigned)__cvta_generic_to_shared(tile) >> 4 | 8ull << 16 | 8ull << 32;             \
    asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
#define START(d)                                                                                                       \
    asm volatile(PRODUCT : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(at), "l"(at) : "memory");
#define COMMIT  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
#define WAIT(n) asm volatile("wgmma.wait_group.sync.aligned " #n ";\n" ::: "memory");

__global__ void at_once(float *out)
{
    SETUP START(d) COMMIT
    const float early = d[0] + 1;
    WAIT(0)
    out[threadIdx.x] = early;
}

__global__ void one_too_few(float *out)
{
    SETUP
    float e[4] = {0, 0, 0, 0};
    START(d) COMMIT START(e) COMMIT WAIT(1)
    out[threadIdx.x] = d[0] + e[0];
    WAIT(0)
}

__global__ void overwrites_a(float *out)
{
    SETUP
    asm volatile("{\n.reg .b32 a<4>;\nmov.b32 a0, 0;\nmov.b32 a1, 0;\nmov.b32 a2, 0;\nmov.b32 a3, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {a0, a1, a2, a3}, %4, 1, 1, 1, 0;\n"
                 "wgmma.commit_group.sync.aligned;\nadd.u32 a3, a3, 1;\nwgmma.wait_group.sync.aligned 0;\n}\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(at)
                 : "memory");
    out[threadIdx.x] = d[0];
}

/* A pipeline: the group before the last one is used, and the sums go around a loop. */
__global__ void pipeline(float *out, int n)
{
    SETUP
    float e[4] = {0, 0, 0, 0}, sum = 0;
    START(d) COMMIT
    for (int i = 0; i < n; i++) {
        START(e) COMMIT WAIT(1)
        sum += d[0];
        START(d) COMMIT WAIT(1)
        sum += e[1];
    }
    WAIT(0)
    out[threadIdx.x] = sum + d[0] + e[0];
}

__global__ void accumulates(float *out, int n)
{
    SETUP
    for (int i = 0; i < n; i++) {
        START(d) START(d) COMMIT
    }
    WAIT(0)
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

int main()
{
    float *p;
    CUDA(cudaMalloc(&p, 512));
    at_once<<<1, 128>>>(p);
    one_too_few<<<1, 128>>>(p);
    overwrites_a<<<1, 128>>>(p);
    pipeline<<<1, 128>>>(p, 3);
    accumulates<<<1, 128>>>(p, 3);
    return finish();
}
