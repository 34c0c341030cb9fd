// The asynchronous proxy: wgmma and bulk copies read shared memory that threads have written.
#include "cases.h"

static __device__ unsigned at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
#define FENCE asm volatile("fence.proxy.async.shared::cta;" ::: "memory")

/* Who fences: the threads that store, the one that copies, a thread that has nothing to do with it, nobody. */
enum who { STORES, COPIES, OTHER, NOBODY };
template <who W> __global__ void copy_out(int *out)
{
    __shared__ __align__(16) int s[128];
    s[threadIdx.x] = (int)threadIdx.x;
    if (W == STORES || (W == OTHER && threadIdx.x == 100 && out == nullptr))
        FENCE;
    __syncthreads();
    if (W == COPIES && threadIdx.x == 0)
        FENCE;
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;\ncp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group 0;" ::"l"(out),
                     "r"(at(s))
                     : "memory");
}
CASE(bulk_fence_of_stores, "clean") { copy_out<STORES><<<1, 128>>>(zeros<int>(128)); }
CASE(bulk_fence_of_copy, "clean") { copy_out<COPIES><<<1, 128>>>(zeros<int>(128)); }
CASE(bulk_other_fence, "proxy-fence") { copy_out<OTHER><<<1, 128>>>(zeros<int>(128)); }
CASE(bulk_no_fence, "proxy-fence") { copy_out<NOBODY><<<1, 128>>>(zeros<int>(128)); }

/* A fence of an earlier round does not help. */
template <bool EACH> __global__ void products(float *out)
{
    __shared__ __align__(1024) int tile[1024];
    float d[4] = {0, 0, 0, 0};
    const unsigned long long desc = at(tile) >> 4 | 8ull << 16 | 8ull << 32;
    for (int round = 0; round < 2; round++) {
        for (int i = threadIdx.x; i < 1024; i += 128)
            tile[i] = round;
        if (EACH || !round)
            FENCE;
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;\n"
                     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;\n"
                     "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "l"(desc)
                     : "memory");
        __syncthreads();
    }
    out[threadIdx.x] = d[0];
}
CASE(product_fences, "clean") { products<true><<<1, 128>>>(zeros<float>(128)); }
CASE(product_fence_once, "proxy-fence") { products<false><<<1, 128>>>(zeros<float>(128)); }

/* What a copy brings is there, and needs no fence. */
__global__ void copy_in(const int *in, int *out)
{
    __shared__ __align__(16) int s[128];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;\n"
                     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;\n"
                     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], 512, [%0];" ::"r"(at(&bar)),
                     "r"(at(s)), "l"(in)
                     : "memory");
    __syncthreads();
    asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra L;\n}\n" ::"r"(at(&bar))
                 : "memory");
    out[threadIdx.x] = s[threadIdx.x];
}
CASE(copied_in, "clean") { copy_in<<<1, 128>>>(zeros<int>(128), zeros<int>(128)); }
