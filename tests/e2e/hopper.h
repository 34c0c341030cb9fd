/*
 * What the programs for sm_90a share: the instructions of the asynchronous proxy as functions, and tensor maps. Barriers
 * and tiles are named by their addresses in shared memory.
 */
#ifndef E2E_HOPPER_H
#define E2E_HOPPER_H

#include "check.h"
#include <cuda.h>

/* Dynamic shared memory in which tiles start on the 1024 bytes of a swizzle pattern. */
extern __shared__ __align__(1024) unsigned char shared_bytes[];

static __device__ inline uint32_t smem(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}
static __device__ inline void mbar_init(uint32_t bar, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}
static __device__ inline void mbar_expect(uint32_t bar, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
static __device__ inline void mbar_arrive(uint32_t bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}
/* Arrives at the barrier of the same name in another CTA of the cluster. */
static __device__ inline void mbar_arrive_at(uint32_t bar, uint32_t rank)
{
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}\n" ::"r"(bar),
                 "r"(rank)
                 : "memory");
}
static __device__ inline void mbar_wait(uint32_t bar, uint32_t parity)
{
    asm volatile("{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra DONE;\nbra AGAIN;\nDONE:\n}\n" ::"r"(bar),
                 "r"(parity)
                 : "memory");
}
static __device__ inline void load_2d(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                 "[%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(bar)
                 : "memory");
}
static __device__ inline void load_2d_multicast(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t bar,
                                                uint16_t ctas)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(bar), "h"(ctas)
                 : "memory");
}
static __device__ inline void store_2d(const CUtensorMap *map, int x, int y, uint32_t from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x),
                 "r"(y), "r"(from)
                 : "memory");
}
static __device__ inline void store_wait(void)
{
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}
static __device__ inline void fence_async(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
static __device__ inline void fence_init(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
static __device__ inline void cluster_arrive(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
static __device__ inline void cluster_wait(void)
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
static __device__ inline uint32_t cluster_rank(void)
{
    uint32_t r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

/* ---- products of a warpgroup ---- */

static __device__ inline void wgmma_fence(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
static __device__ inline void wgmma_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int N> static __device__ inline void wgmma_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
/* A descriptor: offsets in bytes; swizzle 0 none, 1 128, 2 64, 3 32 bytes. */
static __device__ inline uint64_t descriptor(uint32_t at, uint32_t leading, uint32_t stride, uint32_t swizzle)
{
    return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
           (uint64_t)swizzle << 62;
}

/* ---- tensor maps ---- */

/* The driver's encoder, as libraries ask for it: then nothing but the runtime needs to be linked. */
static inline decltype(&cuTensorMapEncodeTiled) tiled_encoder(void)
{
    void *found = nullptr;
    cudaDriverEntryPointQueryResult status;
    CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status));
    CHECK(status == cudaDriverEntryPointSuccess);
    return (decltype(&cuTensorMapEncodeTiled))found;
}

static inline CUtensorMap tensor_map(CUtensorMapDataType type, unsigned element, unsigned rank, void *p,
                                     const uint64_t *dim, const uint32_t *box, CUtensorMapSwizzle swizzle,
                                     const uint32_t *step = nullptr,
                                     CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
{
    CUtensorMap map;
    cuuint64_t sizes[5], strides[4], bytes = element;
    cuuint32_t boxes[5], steps[5];
    for (unsigned d = 0; d < rank; d++) {
        sizes[d] = dim[d];
        boxes[d] = box[d];
        steps[d] = step ? step[d] : 1;
        bytes *= dim[d];
        if (d + 1 < rank)
            strides[d] = bytes;
    }
    CHECK(tiled_encoder()(&map, type, rank, p, sizes, strides, boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill) == CUDA_SUCCESS);
    return map;
}

#endif
