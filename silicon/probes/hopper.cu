/*
 * What sm_90a adds, and what decides the time of its kernels: products of warpgroups (wgmma), tensor copies (TMA) and their
 * multicasts, mbarriers, clusters and their shared memory, setmaxnreg, and stores of parts of lines.
 *
 *     nvcc -O2 -gencode arch=compute_90a,code=sm_90a -std=c++17 -o hopper hopper.cu && ./hopper > hopper.tsv   # rows as probe.h says
 *
 * What is read stays in the L2. Values are cycles of one operation on one SM; bytes a cycle follow from the variant.
 */
#include "probe.h"

#include <cuda.h>
#include <cuda_fp16.h>

typedef unsigned long long u64;

__device__ __forceinline__ unsigned shared_at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* ---- stores ---- */

/*
 * Each warp fills lines with pieces of `piece` bytes, 128 / piece lines to an instruction; `apart` instructions lie
 * between the pieces of a line.
 */
template <unsigned piece, unsigned apart> __global__ void store_pieces(int n, unsigned room, stamp *s, char *data)
{
    constexpr unsigned lanes = piece / 4, pieces = 128 / piece; /* of a line, and lines of an instruction */
    const unsigned lane = threadIdx.x % 32, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    char *mine = data + (size_t)warp * room + lane / lanes * 128 + lane % lanes * 4;
    long long t = begin_timing();
    unsigned at = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (unsigned k = 0; k < pieces; k++)
#pragma unroll
            for (unsigned a = 0; a < apart; a++)
                asm volatile("st.global.u32 [%0], %1;" ::"l"(mine + at + a * pieces * 128 + k * piece), "r"(i)
                             : "memory");
        at = (at + pieces * apart * 128) & (room - 1);
    }
    end_timing(s, t);
}
/* A warp fills `lines` lines of 128 bytes in turn, sixteen bytes of one line with each instruction, `delay` cycles apart. */
__global__ void store_lines(int n, unsigned lines, unsigned delay, stamp *s, char *data)
{
    char *mine = data + (size_t)blockIdx.x * 65536 + threadIdx.x * 4;
    long long t = begin_timing();
    if (threadIdx.x < 4)
#pragma unroll 1
        for (int i = 0; i < n; i++)
#pragma unroll 1
            for (unsigned k = 0; k < 8; k++)
#pragma unroll 1
                for (unsigned l = 0; l < lines; l++) {
                    asm volatile("st.global.u32 [%0], %1;" ::"l"(mine + l * 128 + k * 16), "r"(i) : "memory");
                    if (delay)
                        for (long long end = clock64() + delay; clock64() < end;)
                            ;
                }
    end_timing(s, t);
}
/* A fragment of a product in halves, by columns: what a warpgroup holds of 64 rows and 16 columns a turn. */
__global__ void store_fragments(int n, stamp *s, char *data)
{
    const unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32;
    char *mine = data + (size_t)blockIdx.x * warps * 65536 + threadIdx.x / 128 * 65536 + threadIdx.x % 128 / 32 * 32 +
                 lane / 4 * 2 + lane % 4 * 256;
    long long t = begin_timing();
    unsigned at = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (unsigned k = 0; k < 8; k++) /* of two columns, two of eight rows, two of eight columns */
            asm volatile(
                "st.global.u16 [%0], %1;" ::"l"(mine + at + (k & 1) * 128 + (k >> 1 & 1) * 16 + (k >> 2) * 1024),
                "h"((short)i)
                : "memory");
        at = (at + 2048) & 65535;
    }
    end_timing(s, t);
}

/* ---- mbarriers ---- */

__device__ __forceinline__ void bar_init(unsigned b, unsigned count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b), "r"(count) : "memory");
}
__device__ __forceinline__ void bar_wait(unsigned b, unsigned parity)
{
    asm volatile(
        "{\n.reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(b),
        "r"(parity)
        : "memory");
}
__device__ __forceinline__ void bar_arrive(unsigned b)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(b) : "memory");
}
__device__ __forceinline__ void bar_expect(unsigned b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(b), "r"(bytes) : "memory");
}
__device__ __forceinline__ unsigned of_rank(unsigned at, unsigned rank)
{
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
    return there;
}
__device__ __forceinline__ void bar_arrive_at(unsigned there)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
}
__device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ __forceinline__ unsigned cluster_rank()
{
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ __forceinline__ unsigned cluster_size()
{
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(r));
    return r;
}

/* Waits for a phase that is complete. */
__global__ void bar_poll(int n, stamp *s, unsigned *out)
{
    __shared__ u64 bar;
    unsigned b = shared_at(&bar);
    if (threadIdx.x == 0)
        bar_init(b, 1), bar_arrive(b);
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            asm volatile(
                "{\n.reg .pred p;\n.reg .b32 x;\nmbarrier.try_wait.parity.shared.b64 p, [%0], 0;\nselp.b32 x, 0, 8, "
                "p;\nadd.u32 %0, %0, x;\n}"
                : "+r"(b));
    end_timing(s, t);
    out[threadIdx.x] = b;
}
/* Arrivals of `lanes` lanes of each warp at one barrier. */
__global__ void bar_arrivals(int n, unsigned lanes, stamp *s)
{
    __shared__ u64 bar;
    const unsigned b = shared_at(&bar);
    if (threadIdx.x == 0)
        bar_init(b, 1000000);
    long long t = begin_timing();
    if (threadIdx.x % 32 < lanes)
#pragma unroll 1
        for (int i = 0; i < n; i++)
#pragma unroll
            for (int k = 0; k < 8; k++)
                bar_arrive(b);
    end_timing(s, t);
}
/* All threads arrive and wait: a barrier of the CTA. */
__global__ void bar_all(int n, stamp *s)
{
    __shared__ u64 bar;
    const unsigned b = shared_at(&bar);
    if (threadIdx.x == 0)
        bar_init(b, blockDim.x);
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
        bar_arrive(b), bar_wait(b, i & 1);
    end_timing(s, t);
}
__device__ __forceinline__ void bar_spin(unsigned b, unsigned parity)
{
    asm volatile(
        "{\n.reg .pred p;\nagain: mbarrier.test_wait.parity.shared.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(b),
        "r"(parity)
        : "memory");
}
/* Two warps wake each other: of one CTA, or of two CTAs of a cluster; they sleep until then, or ask again and again. */
template <bool remote, bool spin> __global__ void bar_ping(int n, stamp *s)
{
    __shared__ u64 bar[2];
    const unsigned me = remote ? cluster_rank() & 1 : threadIdx.x / 32, b = shared_at(bar);
    if (threadIdx.x == 0)
        bar_init(b, 1), bar_init(b + 8, 1);
    if (remote)
        cluster_sync();
    long long t = begin_timing();
    const unsigned other = remote ? of_rank(b, cluster_rank() ^ 1) : b + 8 * (me ^ 1), own = remote ? b : b + 8 * me;
    if (threadIdx.x % 32 == 0 && (!remote || threadIdx.x == 0))
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            if (me)
                spin ? bar_spin(own, i & 1) : bar_wait(own, i & 1);
            if (remote)
                bar_arrive_at(other);
            else
                bar_arrive(other);
            if (!me)
                spin ? bar_spin(own, i & 1) : bar_wait(own, i & 1);
        }
    end_timing(s, t);
    if (remote)
        cluster_sync();
}
__global__ void proxy_fence(int n, stamp *s)
{
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 4; k++)
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    end_timing(s, t);
}

/* ---- clusters ---- */

__global__ void cluster_barrier(int n, stamp *s)
{
    cluster_sync();
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
        cluster_sync();
    end_timing(s, t);
    cluster_sync();
}
/* A chain of loads from the shared memory of the CTA `away` ranks on. */
__global__ void remote_chase(int n, unsigned away, stamp *s, unsigned *out)
{
    __shared__ unsigned word[32];
    word[threadIdx.x] = 0;
    cluster_sync();
    const unsigned base = of_rank(shared_at(word), (cluster_rank() + away) % cluster_size());
    unsigned x = 0;
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int k = 0; k < 8; k++)
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(base + x) : "memory");
    end_timing(s, t);
    out[threadIdx.x] = x;
    cluster_sync();
}
/* ---- the TMA ---- */

struct copy_shape {
    unsigned box_bytes, box_rows, columns,
        inner;      /* boxes of a row before it starts again, a power of two; bytes of a row of the box */
    unsigned share; /* CTAs that read the same boxes */
};
enum { STAGES_MOST = 8, TILE_ALIGN = 1024 };

__device__ __forceinline__ void tensor_copy(unsigned to, const CUtensorMap *map, int x, int y, unsigned bar)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            to),
        "l"(map), "r"(x), "r"(y), "r"(bar)
        : "memory");
}
/* One copy after the other. */
__global__ void tensor_chain(int n, copy_shape c, const __grid_constant__ CUtensorMap map, stamp *s)
{
    extern __shared__ char tile[];
    __shared__ u64 full;
    const unsigned at = (shared_at(tile) + TILE_ALIGN - 1) & ~(TILE_ALIGN - 1u), f = shared_at(&full);
    if (threadIdx.x == 0)
        bar_init(f, 1);
    long long t = begin_timing();
    const int y = blockIdx.x * c.box_rows;
    if (threadIdx.x == 0)
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            bar_expect(f, c.box_bytes);
            tensor_copy(at, &map, (i & (c.columns - 1)) * c.inner, y, f);
            bar_wait(f, i & 1);
        }
    end_timing(s, t);
}
/* One warp keeps `stages` boxes in flight, another releases them; of a cluster, each CTA sends its part of a box to all. */
template <int stages>
__global__ void tensor_stream(int n, copy_shape c, const __grid_constant__ CUtensorMap map, stamp *s)
{
    extern __shared__ char tile[];
    __shared__ u64 full[STAGES_MOST], empty[STAGES_MOST];
    const unsigned ctas = cluster_size(), rank = cluster_rank(),
                   at = (shared_at(tile) + TILE_ALIGN - 1) & ~(TILE_ALIGN - 1u);
    if (threadIdx.x == 0)
        for (int i = 0; i < stages; i++)
            bar_init(shared_at(full + i), 1), bar_init(shared_at(empty + i), ctas);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    cluster_sync();
    const unsigned group = blockIdx.x / (c.share > ctas ? c.share : ctas), part = c.box_bytes / ctas;
    const int y = group * c.box_rows + rank * (c.box_rows / ctas);
    unsigned k = 0, parity = 0;
    long long t = begin_timing();
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            const unsigned f = shared_at(full + k);
            bar_wait(shared_at(empty + k), parity ^ 1);
            bar_expect(f, c.box_bytes);
            const int x = (i & (c.columns - 1)) * c.inner;
            if (ctas > 1)
                asm volatile(
                    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                    "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(at + k * c.box_bytes + rank * part),
                    "l"(&map), "r"(x), "r"(y), "r"(f), "h"((unsigned short)((1u << ctas) - 1))
                    : "memory");
            else
                tensor_copy(at + k * c.box_bytes, &map, x, y, f);
            if (++k == stages)
                k = 0, parity ^= 1;
        }
    } else if (threadIdx.x == 32) {
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            bar_wait(shared_at(full + k), parity);
            if (ctas > 1)
                for (unsigned r = 0; r < ctas; r++)
                    bar_arrive_at(of_rank(shared_at(empty + k), r));
            else
                bar_arrive(shared_at(empty + k));
            if (++k == stages)
                k = 0, parity ^= 1;
        }
    }
    end_timing(s, t);
    cluster_sync();
}
template <int pending>
__global__ void tensor_store(int n, copy_shape c, const __grid_constant__ CUtensorMap map, stamp *s)
{
    extern __shared__ char tile[];
    const unsigned at = (shared_at(tile) + TILE_ALIGN - 1) & ~(TILE_ALIGN - 1u);
    long long t = begin_timing();
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            const int x = (i & (c.columns - 1)) * c.inner, y = blockIdx.x * c.box_rows;
            asm volatile(
                "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], "
                "[%3];\ncp.async.bulk.commit_group;" ::"l"(&map),
                "r"(x), "r"(y), "r"(at + (i & 3) * c.box_bytes)
                : "memory");
            asm volatile("cp.async.bulk.wait_group %0;" ::"n"(pending) : "memory");
        }
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    end_timing(s, t);
}
/* Bulk copies without a tensor map, one after the other. */
__global__ void bulk_chain(int n, unsigned bytes, unsigned room, stamp *s, const char *data)
{
    extern __shared__ char tile[];
    __shared__ u64 full;
    const unsigned f = shared_at(&full), to = (shared_at(tile) + TILE_ALIGN - 1) & ~(TILE_ALIGN - 1u);
    if (threadIdx.x == 0)
        bar_init(f, 1);
    long long t = begin_timing();
    if (threadIdx.x == 0)
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            bar_expect(f, bytes);
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                "l"(data + (size_t)blockIdx.x * room + (i * bytes & (room - 1))), "r"(bytes), "r"(f)
                : "memory");
            bar_wait(f, i & 1);
        }
    end_timing(s, t);
}

/* ---- products of warpgroups ---- */

#define R4(a)    "d" #a "0,d" #a "1,d" #a "2,d" #a "3,"
#define R8(a)    R4(a) "d" #a "4,d" #a "5,d" #a "6,d" #a "7,"
#define LAST4(a) "d" #a "0,d" #a "1,d" #a "2,d" #a "3"
#define LAST8(a) R4(a) "d" #a "4,d" #a "5,d" #a "6,d" #a "7"
#define D8       LAST4(0)
#define D16      LAST8(0)
#define D32      R8(0) LAST8(1)
#define D64      R8(0) R8(1) R8(2) LAST8(3)
#define D128     R8(0) R8(1) R8(2) R8(3) R8(4) R8(5) R8(6) LAST8(7)
#define D192     R8(0) R8(1) R8(2) R8(3) R8(4) R8(5) R8(6) R8(7) R8(8) R8(9) R8(10) LAST8(11)
#define D256     R8(0) R8(1) R8(2) R8(3) R8(4) R8(5) R8(6) R8(7) R8(8) R8(9) R8(10) R8(11) R8(12) R8(13) R8(14) LAST8(15)
#define ALL      ".reg .f32 " D256 ";\n"

/* A turn of the loop: `batch` products, then a wait until `pending` groups are left. */
template <int columns, bool registers, int batch, int pending, bool b_transposed = false>
__device__ __forceinline__ unsigned multiply(int n, u64 a, u64 b)
{
    unsigned x = 0;
#define PRODUCT_A(N, A, T)                                                                                             \
    "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.f16.f16 {" D##N "}, " A ", %2, p, 1, 1, " T ";\n"
#define LOOP(BODY)                                                                                                     \
    asm volatile("{\n" ALL                                                                                             \
                 ".reg .pred p, q;\n.reg .b32 i, a0, a1, a2, a3;\nmov.b32 a0, 0;\nmov.b32 a1, 0;\nmov.b32 a2, "        \
                 "0;\nmov.b32 a3, 0;\nmov.b32 i, 0;\n"                                                                 \
                 "again: setp.ne.b32 p, i, 0;\nwgmma.fence.sync.aligned;\n" BODY                                       \
                 "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned %4;\nadd.u32 i, i, 1;\n"             \
                 "setp.lt.u32 q, i, %3;\n@q bra again;\nwgmma.wait_group.sync.aligned 0;\nmov.b32 %0, d00;\n}"         \
                 : "=r"(x)                                                                                             \
                 : "l"(a), "l"(b), "r"(n), "n"(pending)                                                                \
                 : "memory")
#define TIMES(P)                                                                                                       \
    if constexpr (batch == 1) {                                                                                        \
        LOOP(P);                                                                                                       \
    } else if constexpr (batch == 4) {                                                                                 \
        LOOP(P P P P);                                                                                                 \
    } else {                                                                                                           \
        LOOP(P P P P P P P P);                                                                                         \
    }
#define OF(N)                                                                                                          \
    else if constexpr (columns == N && registers)                                                                      \
    {                                                                                                                  \
        TIMES(PRODUCT_A(N, "{a0,a1,a2,a3}", "0"))                                                                      \
    }                                                                                                                  \
    else if constexpr (columns == N && b_transposed)                                                                   \
    {                                                                                                                  \
        TIMES(PRODUCT_A(N, "%1", "0, 1"))                                                                              \
    }                                                                                                                  \
    else if constexpr (columns == N)                                                                                   \
    {                                                                                                                  \
        TIMES(PRODUCT_A(N, "%1", "0, 0"))                                                                              \
    }
    if constexpr (columns == 0) {
    }
    OF(8) OF(16) OF(32) OF(64) OF(128) OF(192) OF(256) return x;
}
__device__ __forceinline__ u64 operands(char *tile)
{
    for (unsigned i = threadIdx.x; i < 16384; i += blockDim.x)
        ((unsigned *)tile)[i] = 0;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    return ((shared_at(tile) + 1023) & ~1023u) >> 4;
}
template <int columns, bool registers, int batch, int pending, bool b_transposed = false>
__global__ void __launch_bounds__(256, 1) products(int n, u64 a, u64 b, u64 a_group, stamp *s, unsigned *out)
{
    extern __shared__ __align__(1024) char tile[];
    const u64 at = operands(tile);
    long long t = begin_timing();
    const unsigned x =
        multiply<columns, registers, batch, pending, b_transposed>(n, a + at + threadIdx.x / 128 * a_group, b + at);
    end_timing(s, t);
    out[threadIdx.x] = x;
}
/* The same, while one more warp loads `boxes` boxes a turn into other shared memory, four of them in flight. */
enum { BESIDE_STAGES = 4, BESIDE_AT = 72 << 10 };
template <int columns>
__global__ void __launch_bounds__(288, 1)
    products_beside_copies(int n, u64 a, u64 b, unsigned boxes, copy_shape c, const __grid_constant__ CUtensorMap map,
                           stamp *s, unsigned *out)
{
    extern __shared__ __align__(1024) char tile[];
    __shared__ u64 full[BESIDE_STAGES];
    const u64 at = operands(tile);
    const unsigned to = (unsigned)(at << 4) + BESIDE_AT, f = shared_at(full);
    if (threadIdx.x == 0)
        for (int i = 0; i < BESIDE_STAGES; i++)
            bar_init(f + 8 * i, 1);
    unsigned x = 0;
    long long t = begin_timing();
    if (threadIdx.x < blockDim.x - 32) {
        x = multiply<columns, false, 8, 1>(n, a + at + threadIdx.x / 128 * (8192 >> 4), b + at);
    } else if (threadIdx.x == blockDim.x - 32) {
        const int all = n * boxes;
#pragma unroll 1
        for (int i = 0; i < all + BESIDE_STAGES; i++) {
            const unsigned k = i % BESIDE_STAGES, turn = i / BESIDE_STAGES;
            if (turn && i - BESIDE_STAGES < all)
                bar_wait(f + 8 * k, (turn - 1) & 1);
            if (i < all) {
                bar_expect(f + 8 * k, c.box_bytes);
                tensor_copy(to + k * c.box_bytes, &map, (i & (c.columns - 1)) * c.inner, 0, f + 8 * k);
            }
        }
    }
    end_timing(s, t);
    out[threadIdx.x] = x;
}

/*
 * One warpgroup multiplies; the warps beside it compute. One of the two sides repeats a turn n times and is timed, the other goes on until
 * that is done. So each side's time shows what the other one takes from it: issue slots, ports of the registers, the tensor cores.
 */
enum work { WORK_NONE, WORK_FMA, WORK_ADD, WORK_MAX, WORK_EX2, WORK_LOGIC, WORK_SOFTMAX, WORK_PRODUCT };
static const char *const work_names[] = {"none", "fma", "add", "max", "ex2", "logic", "softmax", "product"};
enum { WORK_VALUES = 16 };

/* Each of 16 independent values once. */
template <work kind>
__device__ __forceinline__ void compute(float (&x)[WORK_VALUES], unsigned (&h)[WORK_VALUES], float a, float b)
{
#pragma unroll
    for (int k = 0; k < WORK_VALUES; k++) {
        const int next = (k + 1) % WORK_VALUES;
        if (kind == WORK_FMA)
            asm volatile("fma.rn.ftz.f32 %0, %0, %1, %2;" : "+f"(x[k]) : "f"(a), "f"(b));
        if (kind == WORK_ADD)
            asm volatile("add.ftz.f32 %0, %0, %1;" : "+f"(x[k]) : "f"(b));
        if (kind == WORK_MAX)
            asm volatile("max.ftz.f32 %0, %0, %1;" : "+f"(x[k]) : "f"(x[next]));
        if (kind == WORK_EX2)
            asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[k]));
        if (kind == WORK_LOGIC)
            asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(h[k]) : "r"(h[next]), "r"(__float_as_uint(a)));
    }
    if (kind == WORK_SOFTMAX) { /* of 16 elements: the largest, exponentials of scaled differences, their sum, halves */
        float most = b, sum = 0;
#pragma unroll
        for (int k = 0; k < WORK_VALUES; k++)
            asm volatile("max.ftz.f32 %0, %0, %1;" : "+f"(most) : "f"(x[k]));
        most *= a;
#pragma unroll
        for (int k = 0; k < WORK_VALUES; k++) {
            asm volatile("fma.rn.ftz.f32 %0, %0, %1, %2;" : "+f"(x[k]) : "f"(a), "f"(-most));
            asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[k]));
        }
#pragma unroll
        for (int k = 0; k < WORK_VALUES; k++)
            asm volatile("add.ftz.f32 %0, %0, %1;" : "+f"(sum) : "f"(x[k]));
#pragma unroll
        for (int k = 0; k < WORK_VALUES; k += 2)
            asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(h[k]) : "f"(x[k]), "f"(x[k + 1]));
        x[0] += sum;
    }
}
/* Whether a warpgroup that is not timed has to go on: the same for all its warps. */
__device__ __forceinline__ bool goes_on(const volatile unsigned *done, volatile unsigned *stops)
{
    const unsigned group = threadIdx.x / 128;
    if (threadIdx.x % 128 == 0)
        stops[group] = *done;
    asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory");
    const bool stop = stops[group];
    asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory");
    return !stop;
}
template <work kind, int columns, bool registers>
__global__ void __launch_bounds__(384, 1)
    products_beside_work(int n, bool products_timed, u64 a, u64 b, stamp *s, unsigned *out, float scale)
{
    extern __shared__ __align__(1024) char tile[];
    __shared__ volatile unsigned done, stops[3];
    const u64 at = operands(tile);
    const bool multiplies = threadIdx.x < 128, timed = multiplies == products_timed;
    if (threadIdx.x == 0)
        done = 0;
    __syncthreads();
    const long long t = clock64();
    unsigned x = 0;
    if (multiplies) {
        if constexpr (columns > 0)
#pragma unroll 1
            for (int i = 0; timed ? i < n : goes_on(&done, stops); i++)
                x += multiply<columns, registers, 8, 0>(8, a + at, b + at);
    } else if constexpr (kind == WORK_PRODUCT) {
#pragma unroll 1
        for (int i = 0; timed ? i < n : goes_on(&done, stops); i++)
            x += multiply<64, false, 1, 0>(8, a + at + (8192 >> 4), b + at);
    } else {
        float v[WORK_VALUES];
        unsigned h[WORK_VALUES];
        for (int k = 0; k < WORK_VALUES; k++)
            v[k] = scale * (threadIdx.x + k), h[k] = threadIdx.x * k;
#pragma unroll 1
        for (int i = 0; timed ? i < n : !done; i++) {
#pragma unroll
            for (int k = 0; k < 8; k++)
                compute<kind>(v, h, scale, scale + 1);
        }
        for (int k = 0; k < WORK_VALUES; k++)
            x += __float_as_uint(v[k]) + h[k];
    }
    if (timed) {
        asm volatile("bar.sync 5, %0;" ::"r"(products_timed ? 128 : blockDim.x - 128) : "memory");
        done = 1;
        if (threadIdx.x == (products_timed ? 0 : 128))
            s[blockIdx.x] = stamp{t, clock64(), my_sm()};
    }
    out[threadIdx.x] = x;
}
/*
 * How far a warp runs ahead of the tensor cores: cycles until `ahead` products have been issued, of which none is waited
 * for in between.
 */
template <int columns, bool registers, int ahead>
__global__ void __launch_bounds__(128, 1) issue_ahead(int n, u64 a, u64 b, stamp *s, unsigned *out)
{
    extern __shared__ __align__(1024) char tile[];
    const u64 at = operands(tile);
    unsigned x = 0, cycles = 0;
#define AHEAD(BODY)                                                                                                    \
    asm volatile("{\n" ALL                                                                                             \
                 ".reg .pred p, q;\n.reg .b32 i, t, u, a0, a1, a2, a3;\nmov.b32 a0, 0;\nmov.b32 a1, 0;\nmov.b32 a2, "  \
                 "0;\nmov.b32 a3, 0;\nmov.b32 i, 0;\nsetp.ge.u32 p, %4, 1;\n"                                          \
                 "again: wgmma.fence.sync.aligned;\nmov.u32 t, %%clock;\n" BODY                                        \
                 "mov.u32 u, %%clock;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"           \
                 "sub.u32 u, u, t;\nadd.u32 %1, %1, u;\nadd.u32 i, i, 1;\n"                                            \
                 "setp.lt.u32 q, i, %4;\n@q bra again;\nmov.b32 %0, d00;\n}"                                           \
                 : "=r"(x), "+r"(cycles)                                                                               \
                 : "l"(a + at), "l"(b + at), "r"(n)                                                                    \
                 : "memory")
#define AHEAD_TIMES(P)                                                                                                 \
    if constexpr (ahead == 1) {                                                                                        \
        AHEAD(P);                                                                                                      \
    } else if constexpr (ahead == 2) {                                                                                 \
        AHEAD(P P);                                                                                                    \
    } else if constexpr (ahead == 3) {                                                                                 \
        AHEAD(P P P);                                                                                                  \
    } else if constexpr (ahead == 4) {                                                                                 \
        AHEAD(P P P P);                                                                                                \
    } else if constexpr (ahead == 6) {                                                                                 \
        AHEAD(P P P P P P);                                                                                            \
    } else {                                                                                                           \
        AHEAD(P P P P P P P P);                                                                                        \
    }
#define AHEAD_PRODUCT(N, A, T)                                                                                         \
    "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32.f16.f16 {" D##N "}, " A ", %3, p, 1, 1, " T ";\n"
    if constexpr (columns == 64 && registers) {
        AHEAD_TIMES(AHEAD_PRODUCT(64, "{a0,a1,a2,a3}", "0"))
    } else if constexpr (columns == 64) {
        AHEAD_TIMES(AHEAD_PRODUCT(64, "%2", "0, 0"))
    } else if constexpr (columns == 128) {
        AHEAD_TIMES(AHEAD_PRODUCT(128, "%2", "0, 0"))
    } else {
        AHEAD_TIMES(AHEAD_PRODUCT(256, "%2", "0, 0"))
    }
    if (threadIdx.x == 0)
        s[blockIdx.x] = stamp{0, cycles, my_sm()};
    out[threadIdx.x] = x;
}
/* Warpgroups pass a turn on: each waits for its named barrier and arrives at the next one's. */
__global__ void pass_turns(int n, stamp *s)
{
    const unsigned groups = blockDim.x / 128, me = threadIdx.x / 128, next = (me + 1) % groups;
    long long t = begin_timing();
    if (me == 0)
        asm volatile("bar.arrive %0, 256;" ::"r"(1 + next) : "memory");
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (me != 0 || i != 0)
            asm volatile("bar.sync %0, 256;" ::"r"(1 + me) : "memory");
        if (me != 0 || i != 0)
            asm volatile("bar.arrive %0, 256;" ::"r"(1 + next) : "memory");
    }
    if (me == 0)
        asm volatile("bar.sync 1, 256;" ::: "memory");
    end_timing(s, t);
}

/* ---- setmaxnreg ---- */

__global__ void __maxnreg__(168) exchange_registers(int n, stamp *s)
{
    long long t = begin_timing();
#pragma unroll 1
    for (int i = 0; i < n; i++)
        asm volatile("setmaxnreg.dec.sync.aligned.u32 160;\nsetmaxnreg.inc.sync.aligned.u32 168;" ::: "memory");
    end_timing(s, t);
}

/* ---- the host's side ---- */

static decltype(cuTensorMapEncodeTiled) *encode;

/* A matrix of bytes and its boxes. */
static CUtensorMap map_of(void *data, u64 width, u64 height, unsigned inner, unsigned rows, CUtensorMapSwizzle swizzle)
{
    CUtensorMap m;
    const cuuint64_t size[2] = {width, height}, pitch[1] = {width};
    const cuuint32_t box[2] = {inner, rows}, step[2] = {1, 1};
    if (encode(&m, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, data, size, pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
               swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
        fprintf(stderr, "no tensor map of %llu x %llu bytes with boxes of %u x %u\n", width, height, inner, rows);
        exit(1);
    }
    return m;
}

/* Rows of the matrix descriptor: bytes from one 16-byte column to the next (leading), from eight rows to the next (stride). */
static u64 descriptor(unsigned leading, unsigned stride, unsigned swizzle)
{
    return (u64)(leading >> 4) << 16 | (u64)(stride >> 4) << 32 | (u64)swizzle << 62;
}

template <class... P, class... A>
static void start_kernel(void (*kernel)(P...), unsigned ctas, unsigned threads, unsigned cluster, unsigned shared,
                         A... args)
{
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    if (cluster > 8)
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    cudaLaunchConfig_t c = {};
    c.gridDim = ctas, c.blockDim = threads, c.dynamicSmemBytes = shared;
    cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = cluster, a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    c.attrs = a, c.numAttrs = cluster > 1;
    CHECK(cudaLaunchKernelEx(&c, kernel, P(args)...));
}

static char *data;
static const size_t data_bytes = 320u << 20;

static const struct layout {
    const char *name;
    unsigned leading, stride, swizzle;
} layouts[] = {
    {"none", 128, 256, 0},       /* core matrices one behind the other */
    {"none_wide", 2048, 128, 0}, /* those of a column of 16 bytes one behind the other */
    {"32B", 16, 256, 3},         {"64B", 16, 512, 2}, {"128B", 16, 1024, 1},
};

template <int columns, bool registers, int batch, int pending, bool transposed = false>
static void products_of(const char *what, const struct layout &l, int groups, unsigned apart = 8192)
{
    const u64 d = descriptor(l.leading, l.stride, l.swizzle), b = d + (transposed ? 0 : 32768 >> 4);
    const u64 b_desc = transposed ? descriptor(4096, 1024, 1) + (32768 >> 4) : b;
    measure("wgmma",
            text("n=%d,a=%s,layout=%s,groups=%d%s", columns, registers ? "registers" : "shared", l.name, groups, what),
            64, 192, 1, batch, [&](int n) {
                start_kernel(products<columns, registers, batch, pending, transposed>, 1, groups * 128, 1, 100 << 10, n,
                             d, b_desc, (u64)apart >> 4, stamps, sink);
            });
}

template <int columns> static void products_of_width()
{
    constexpr int a_batch = columns < 192 ? 8 : 4,
                  a_pending = columns < 192; /* more, and ptxas has no registers left */
    for (const struct layout &l : layouts) {
        products_of<columns, false, 8, 1>("", l, 1);
        products_of<columns, true, a_batch, a_pending>("", l, 1);
    }
    products_of<columns, false, 8, 1>("", layouts[4], 2);
    products_of<columns, true, a_batch, a_pending>("", layouts[4], 2);
    products_of<columns, false, 1, 0>(",each waits", layouts[4], 1);
    products_of<columns, true, 1, 0>(",each waits", layouts[4], 1);
    products_of<columns, false, 4, 0>(",four wait", layouts[4], 1);
    products_of<columns, false, 4, 0>(",four wait", layouts[4], 2);
}

/* Eight products of each warpgroup, and so many boxes of 16 KB. */
template <int columns> static void products_beside(int groups)
{
    const u64 d = descriptor(16, 1024, 1);
    const copy_shape c = {128 * 128, 128, 8, 128, 1};
    const CUtensorMap m = map_of(data, 1024, data_bytes / 1024, 128, 128, CU_TENSOR_MAP_SWIZZLE_128B);
    const unsigned most = columns * groups * 8 / 2 / 128; /* 128 bytes a cycle of what the products take alone */
    for (unsigned quarters = 0; quarters <= 4; quarters++)
        if (most * quarters % 4 == 0)
            measure("wgmma_beside_tma", text("n=%d,groups=%d,boxes=%u", columns, groups, most * quarters / 4), 64, 192,
                    1, 1, [&](int n) {
                        start_kernel(products_beside_copies<columns>, 1, groups * 128 + 32, 1,
                                     BESIDE_AT + BESIDE_STAGES * 16384 + 1024, n, d, d + (32768 >> 4),
                                     most * quarters / 4, c, m, stamps, sink);
                    });
}

static const int CHAIN = 1; /* of stages: one copy after the other */

static void loads(const char *name, unsigned inner, unsigned rows, unsigned width, CUtensorMapSwizzle swizzle,
                  const char *swizzled, unsigned share, int stages, unsigned ctas, unsigned cluster)
{
    const copy_shape c = {inner * rows, rows, width / inner < 8 ? width / inner : 8, inner, share};
    const CUtensorMap m = map_of(data, width, data_bytes / width, inner, rows / cluster, swizzle);
    auto *kernel = stages == CHAIN ? tensor_chain
                   : stages == 2   ? tensor_stream<2>
                   : stages == 4   ? tensor_stream<4>
                                   : tensor_stream<8>;
    const int base = model ? 16 : 64;
    measure(name,
            text("box=%ux%u,pitch=%u,swizzle=%s,share=%u,stages=%d,cluster=%u,ctas=%u", inner, rows, width, swizzled,
                 share, stages, cluster, ctas),
            base, base * 3, ctas, 1, [&](int n) {
                start_kernel(kernel, ctas, 64, cluster, TILE_ALIGN + stages * inner * rows, n, c, m, stamps);
            });
}

template <unsigned piece, unsigned apart> static void stores_of()
{
    for (unsigned ctas : {1u, 132u})
        for (unsigned threads : {32u, 256u})
            measure("store_pieces", text("piece=%u,apart=%u,ctas=%u,threads=%u", piece, apart, ctas, threads), 32, 96,
                    ctas, 128 / piece * apart * threads / 32,
                    [&](int n) { store_pieces<piece, apart><<<ctas, threads>>>(n, 16384, stamps, data); });
}

/* Turns of 64 products of the one warpgroup, and turns of eight times 16 instructions of each other warp. */
template <work kind, int columns, bool registers> static void beside_work(const char *products)
{
    const u64 d = descriptor(16, 1024, 1);
    for (int groups : {1, 2}) {
        if (kind == WORK_PRODUCT && groups > 1)
            continue;
        const unsigned threads = 128 * (groups + 1);
        measure("work_beside_wgmma", text("work=%s,warps=%d,products=%s", work_names[kind], groups * 4, products), 16,
                48, 1, 8, [&](int n) {
                    start_kernel(products_beside_work<kind, columns, registers>, 1, threads, 1, 100 << 10, n, false, d,
                                 d + (32768 >> 4), stamps, sink, 0.001f);
                });
        if (columns)
            measure("wgmma_beside_work", text("work=%s,warps=%d,products=%s", work_names[kind], groups * 4, products),
                    16, 48, 1, 64, [&](int n) {
                        start_kernel(products_beside_work<kind, columns, registers>, 1, threads, 1, 100 << 10, n, true,
                                     d, d + (32768 >> 4), stamps, sink, 0.001f);
                    });
    }
}
template <work kind> static void beside_work_of()
{
    beside_work<kind, 0, false>("none");
    beside_work<kind, 128, false>("n=128,a=shared");
    beside_work<kind, 128, true>("n=128,a=registers");
    beside_work<kind, 256, false>("n=256,a=shared");
}

template <int columns, bool registers, int ahead> static void issued_ahead()
{
    const u64 d = descriptor(16, 1024, 1);
    measure("wgmma_issue", text("n=%d,a=%s,products=%d", columns, registers ? "registers" : "shared", ahead), 16, 48, 1,
            1, [&](int n) {
                start_kernel(issue_ahead<columns, registers, ahead>, 1, 128, 1, 100 << 10, n, d, d + (32768 >> 4),
                             stamps, sink);
            });
}
template <int columns, bool registers> static void issued_ahead_of()
{
    issued_ahead<columns, registers, 1>();
    issued_ahead<columns, registers, 2>();
    issued_ahead<columns, registers, 3>();
    issued_ahead<columns, registers, 4>();
    issued_ahead<columns, registers, 6>();
    issued_ahead<columns, registers, 8>();
}

int main(int argc, char **argv)
{
    start(argc, argv);
    cudaDriverEntryPointQueryResult found;
    CHECK(
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found));
    CHECK(cudaMalloc(&data, data_bytes));
    CHECK(cudaMemset(data, 0, data_bytes));

    stores_of<4, 1>();
    stores_of<8, 1>();
    stores_of<16, 1>();
    stores_of<16, 2>();
    stores_of<16, 4>();
    stores_of<16, 8>();
    stores_of<16, 16>();
    stores_of<32, 1>();
    stores_of<32, 4>();
    stores_of<64, 1>();
    stores_of<128, 1>();
    for (unsigned lines : {1u, 4u, 8u, 12u, 15u, 16u, 17u, 20u, 24u, 28u, 31u, 32u, 33u, 48u})
        measure("store_lines", text("lines=%u", lines), 4, 12, 1, 8 * lines,
                [&](int n) { store_lines<<<1, 32>>>(n, lines, 0, stamps, data); });
    for (unsigned delay : {50u, 100u, 200u, 500u, 1000u, 4000u, 20000u})
        measure("store_lines", text("lines=1,delay=%u", delay), 4, 12, 1, 8,
                [&](int n) { store_lines<<<1, 32>>>(n, 1, delay, stamps, data); });
    for (unsigned ctas : {1u, 132u})
        for (unsigned threads : {128u, 256u})
            measure("store_fragments", text("ctas=%u,threads=%u", ctas, threads), 32, 96, ctas, 8 * threads / 32,
                    [&](int n) { store_fragments<<<ctas, threads>>>(n, stamps, data); });

    measure("mbarrier_poll", "", 64, 192, 1, 8, [&](int n) { bar_poll<<<1, 1>>>(n, stamps, sink); });
    for (unsigned lanes : {1u, 32u})
        for (int warps : {1, 4, 8})
            measure("mbarrier_arrive", text("lanes=%u,warps=%d", lanes, warps), 64, 192, 1, 8,
                    [&](int n) { bar_arrivals<<<1, warps * 32>>>(n, lanes, stamps); });
    for (int threads : {32, 128, 256, 384, 1024})
        measure("mbarrier_all", text("threads=%d", threads), 64, 192, 1, 1,
                [&](int n) { bar_all<<<1, threads>>>(n, stamps); });
    measure("mbarrier_ping", "one CTA", 64, 192, 1, 2, [&](int n) { bar_ping<false, false><<<1, 64>>>(n, stamps); });
    measure("mbarrier_ping", "one CTA,test_wait", 64, 192, 1, 2,
            [&](int n) { bar_ping<false, true><<<1, 64>>>(n, stamps); });
    measure("mbarrier_ping", "two CTAs", 64, 192, 2, 2,
            [&](int n) { start_kernel(bar_ping<true, false>, 2, 32, 2, 0, n, stamps); });
    measure("mbarrier_ping", "two CTAs,test_wait", 64, 192, 2, 2,
            [&](int n) { start_kernel(bar_ping<true, true>, 2, 32, 2, 0, n, stamps); });
    measure("proxy_fence", "", 64, 192, 1, 4, [&](int n) { proxy_fence<<<1, 32>>>(n, stamps); });
    measure("setmaxnreg", "dec and inc", 64, 192, 1, 1, [&](int n) { exchange_registers<<<1, 128>>>(n, stamps); });

    for (unsigned cluster : {1u, 2u, 4u, 8u, 16u}) {
        for (unsigned threads : {32u, 384u})
            measure("cluster_barrier", text("ctas=%u,threads=%u", cluster, threads), 64, 192, cluster, 1,
                    [&](int n) { start_kernel(cluster_barrier, cluster, threads, cluster, 0, n, stamps); });
        if (cluster == 1)
            continue;
        for (unsigned away = 0; away < cluster; away = away ? away * 2 : 1)
            measure("remote_load", text("cluster=%u,away=%u", cluster, away), 64, 192, cluster, 8,
                    [&](int n) { start_kernel(remote_chase, cluster, 32, cluster, 0, n, away, stamps, sink); });
    }

    products_of_width<8>();
    products_of_width<16>();
    products_of_width<32>();
    products_of_width<64>();
    products_of_width<128>();
    products_of_width<192>();
    products_of_width<256>();
    products_of<256, false, 8, 1, true>(",b by columns", layouts[4], 1);
    products_of<64, false, 8, 1, true>(",b by columns", layouts[4], 1);
    products_of<64, false, 8, 1>(",one a", layouts[4], 2, 0);
    for (int groups : {1, 2}) {
        products_beside<64>(groups);
        products_beside<128>(groups);
        products_beside<256>(groups);
    }

    issued_ahead_of<64, false>();
    issued_ahead_of<64, true>();
    issued_ahead_of<128, false>();
    issued_ahead_of<256, false>();
    beside_work_of<WORK_FMA>();
    beside_work_of<WORK_ADD>();
    beside_work_of<WORK_MAX>();
    beside_work_of<WORK_EX2>();
    beside_work_of<WORK_LOGIC>();
    beside_work_of<WORK_SOFTMAX>();
    beside_work_of<WORK_PRODUCT>();
    for (int groups : {2, 3})
        measure("pass_turns", text("groups=%d", groups), 64, 192, 1, 1,
                [&](int n) { pass_turns<<<1, groups * 128>>>(n, stamps); });

    const auto none = CU_TENSOR_MAP_SWIZZLE_NONE, s32 = CU_TENSOR_MAP_SWIZZLE_32B, s64 = CU_TENSOR_MAP_SWIZZLE_64B,
               s128 = CU_TENSOR_MAP_SWIZZLE_128B;
    for (int stages : {CHAIN, 4, 8})
        for (unsigned ctas : {1u, 132u}) {
            if (stages < 8)
                for (unsigned rows : {1u, 8u, 64u})
                    loads("tma_load", 128, rows, 1024, s128, "128B", 1, stages, ctas, 1);
            loads("tma_load", 128, 128, 1024, s128, "128B", 1, stages, ctas, 1);
            loads("tma_load", 128, 128, 1024, none, "none", 1, stages, ctas, 1);
            loads("tma_load", 64, 128, 1024, s64, "64B", 1, stages, ctas, 1);
            loads("tma_load", 64, 128, 1024, none, "none", 1, stages, ctas, 1);
            loads("tma_load", 32, 128, 1024, s32, "32B", 1, stages, ctas, 1);
            loads("tma_load", 32, 128, 1024, none, "none", 1, stages, ctas, 1);
            loads("tma_load", 16, 128, 1024, none, "none", 1, stages, ctas, 1);
            loads("tma_load", 256, 64, 1024, none, "none", 1, stages, ctas, 1);
            loads("tma_load", 128, 128, 8192, s128, "128B", 1, stages, ctas, 1);
        }
    for (unsigned ctas : {1u, 132u})
        for (unsigned share : {1u, 132u}) {
            loads("tma_load", 128, 256, 1024, s128, "128B", share, 4, ctas, 1);
            loads("tma_load", 64, 256, 1024, s64, "64B", share, 4, ctas, 1);
            loads("tma_load", 32, 256, 1024, s32, "32B", share, 4, ctas, 1);
        }
    for (unsigned pitch : {1024u, 8192u})
        for (unsigned share : {2u, 4u, 8u, 16u, 132u})
            for (int stages : {4, 8})
                loads("tma_shared", 128, 128, pitch, s128, "128B", share, stages, 132, 1);
    for (unsigned cluster : {2u, 4u})
        for (unsigned ctas : {cluster, 128u})
            for (int stages : {4, 8})
                loads("tma_multicast", 128, 128, 1024, s128, "128B", cluster, stages, ctas, cluster);
    for (unsigned ctas : {1u, 132u})
        for (unsigned inner : {128u, 64u, 32u}) {
            const copy_shape c = {inner * 64, 64, 8, inner, 1};
            const CUtensorMap m = map_of(data, 1024, data_bytes / 1024, inner, 64,
                                         inner == 128  ? s128
                                         : inner == 64 ? s64
                                                       : s32);
            measure("tma_store", text("box=%ux64,waits,ctas=%u", inner, ctas), 16, 48, ctas, 1,
                    [&](int n) { start_kernel(tensor_store<0>, ctas, 32, 1, 40 << 10, n, c, m, stamps); });
            measure("tma_store", text("box=%ux64,three in flight,ctas=%u", inner, ctas), 16, 48, ctas, 1,
                    [&](int n) { start_kernel(tensor_store<3>, ctas, 32, 1, 40 << 10, n, c, m, stamps); });
        }
    for (unsigned bytes : {16u, 128u, 1024u, 16384u})
        measure("bulk_load", text("bytes=%u", bytes), 16, 48, 1, 1,
                [&](int n) { start_kernel(bulk_chain, 1, 32, 1, 20 << 10, n, bytes, 131072u, stamps, data); });
    return 0;
}
