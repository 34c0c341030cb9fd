/*
 * What the suite's programs for sm_90a share: the tensor memory accelerator, mbarriers, warpgroup products and clusters
 * as functions. Shared memory is named by 32-bit addresses, tiles are kept with the 128-byte swizzle.
 */
#ifndef WEIR_SUITE_HOPPER_H
#define WEIR_SUITE_HOPPER_H

#include "suite.h"

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern __shared__ __align__(1024) unsigned char hopper_smem[];

static __device__ inline uint32_t hopper_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* ---- mbarriers ---- */

static __device__ inline void bar_init(uint32_t bar, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}
static __device__ inline void bar_expect(uint32_t bar, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
static __device__ inline void bar_arrive(uint32_t bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}
/* At the barrier of the same place in another CTA of the cluster. */
static __device__ inline void bar_arrive_at(uint32_t bar, uint32_t rank)
{
    asm volatile(
        "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n}\n" ::"r"(bar),
        "r"(rank)
        : "memory");
}
static __device__ inline void bar_wait(uint32_t bar, uint32_t parity)
{
    asm volatile(
        "{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@done bra DONE;\nbra AGAIN;\nDONE:\n}\n" ::"r"(bar),
        "r"(parity)
        : "memory");
}
/* After the barriers' initialization, for peers and the asynchronous proxy. */
static __device__ inline void bar_publish(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* ---- tensor copies ---- */

static __device__ inline void tma_load(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t bar)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(to),
        "l"(map), "r"(x), "r"(y), "r"(bar)
        : "memory");
}
static __device__ inline void tma_load_multicast(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t bar,
                                                 uint16_t ctas)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
        "l"(map), "r"(x), "r"(y), "r"(bar), "h"(ctas)
        : "memory");
}
static __device__ inline void tma_store(const CUtensorMap *map, int x, int y, uint32_t from)
{
    asm volatile(
        "fence.proxy.async.shared::cta;\n"
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];\n"
        "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(map),
        "r"(x), "r"(y), "r"(from)
        : "memory");
}

/* A map of a row-major matrix in boxes of `box_rows` rows of the swizzle's 128 bytes; elements have 16 bits, or 8. */
static inline CUtensorMap hopper_map(void *p, CUtensorMapDataType type, uint64_t rows, uint64_t cols, uint32_t box_rows)
{
    CUtensorMap map;
    const uint32_t bytes = type == CU_TENSOR_MAP_DATA_TYPE_UINT8 ? 1 : 2;
    const cuuint64_t dim[] = {cols, rows}, stride[] = {cols * bytes};
    const cuuint32_t box[] = {128 / bytes, box_rows}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, type, 2, p, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                               CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
        fprintf(stderr, "cuTensorMapEncodeTiled refuses a map of %llu x %llu\n", (unsigned long long)rows,
                (unsigned long long)cols);
        exit(1);
    }
    return map;
}

/* ---- products of a warpgroup ---- */

/* A tile of rows of 128 bytes, K along the rows. */
static __device__ inline uint64_t tile_descriptor(uint32_t at)
{
    return (uint64_t)((at & 0x3ffff) >> 4) | 1ull << 16 | (uint64_t)(1024 >> 4) << 32 | 1ull << 62;
}
/* The same where N runs along the rows: `leading` bytes to the next 64 columns. */
static __device__ inline uint64_t tile_descriptor_n(uint32_t at, uint32_t leading)
{
    return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(1024 >> 4) << 32 | 1ull << 62;
}
static __device__ inline void wgmma_begin(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
static __device__ inline void wgmma_end(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#define HOPPER_D32(d)                                                                                                  \
    "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),        \
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),         \
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),        \
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define HOPPER_R32                                                                                                     \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "  \
    "%24, %25, %26, %27, %28, %29, %30, %31}"

/* D (64 x 64) += A (64 x 16) B (16 x 64), both in shared memory, K along their rows; add = 0: D = A B. */
static __device__ inline void wgmma_64x64x16_bf16(float (&d)[32], uint64_t a, uint64_t b, int add)
{
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " HOPPER_R32 ", %32, %33, p, 1, 1, 0, 0;\n}\n"
        : HOPPER_D32(d)
        : "l"(a), "l"(b), "r"(add));
}
static __device__ inline void wgmma_64x64x16_f16(float (&d)[32], uint64_t a, uint64_t b, int add)
{
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " HOPPER_R32 ", %32, %33, p, 1, 1, 0, 0;\n}\n"
        : HOPPER_D32(d)
        : "l"(a), "l"(b), "r"(add));
}
static __device__ inline void wgmma_64x64x32_e4m3(float (&d)[32], uint64_t a, uint64_t b, int add)
{
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 " HOPPER_R32 ", %32, %33, p, 1, 1;\n}\n"
        : HOPPER_D32(d)
        : "l"(a), "l"(b), "r"(add));
}
/* A in registers; B with N along its rows. */
static __device__ inline void wgmma_64x64x16_f16_rs(float (&d)[32], const uint32_t (&a)[4], uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " HOPPER_R32
                 ", {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
                 : HOPPER_D32(d)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

#endif
