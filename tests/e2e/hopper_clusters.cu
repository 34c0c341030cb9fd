// Clusters of up to 16 CTAs: ranks, barriers, each other's shared memory by mapa, by generic pointers and by flipping bit
// 24, atomics, asynchronous stores and reductions, remote arrivals, multicast copies, copies between CTAs, occupancy.
// flags: -gencode=arch=compute_90a,code=compute_90a
#include "hopper.h"

static cudaLaunchConfig_t config_of(dim3 grid, dim3 block, size_t shared, cudaLaunchAttribute *a, dim3 cluster)
{
    cudaLaunchConfig_t c = {};
    c.gridDim = grid;
    c.blockDim = block;
    c.dynamicSmemBytes = shared;
    a->id = cudaLaunchAttributeClusterDimension;
    a->val.clusterDim.x = cluster.x;
    a->val.clusterDim.y = cluster.y;
    a->val.clusterDim.z = cluster.z;
    c.attrs = a;
    c.numAttrs = 1;
    return c;
}

#define SREG(name)                                                                                                     \
    static __device__ uint32_t name(void)                                                                              \
    {                                                                                                                  \
        uint32_t v;                                                                                                    \
        asm volatile("mov.u32 %0, %%" #name ";" : "=r"(v));                                                            \
        return v;                                                                                                      \
    }
#define SREG3(stem)                                                                                                    \
    static __device__ uint3 stem(void)                                                                                 \
    {                                                                                                                  \
        uint3 v;                                                                                                       \
        asm volatile("mov.u32 %0, %%" #stem ".x;\nmov.u32 %1, %%" #stem ".y;\nmov.u32 %2, %%" #stem ".z;"              \
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z));                                                               \
        return v;                                                                                                      \
    }
SREG(cluster_nctarank)
SREG3(clusterid)
SREG3(nclusterid)
SREG3(cluster_ctaid)
SREG3(cluster_nctaid)

/* Who am I? */
__global__ void ranks(int *bad, int cx, int cy, int cz)
{
    const uint3 id = clusterid(), n = nclusterid(), in = cluster_ctaid(), dims = cluster_nctaid();
    int wrong = dims.x != cx || dims.y != cy || dims.z != cz || cluster_nctarank() != cx * cy * cz;
    wrong += in.x != blockIdx.x % cx || in.y != blockIdx.y % cy || in.z != blockIdx.z % cz;
    wrong += id.x != blockIdx.x / cx || id.y != blockIdx.y / cy || id.z != blockIdx.z / cz;
    wrong += n.x != gridDim.x / cx || n.y != gridDim.y / cy || n.z != gridDim.z / cz;
    wrong += cluster_rank() != in.x + cx * (in.y + cy * in.z);
    if (wrong)
        atomicAdd(bad, wrong);
}

static __device__ uint32_t map(uint32_t at, uint32_t rank)
{
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
    return there;
}

/* Each CTA shows a value; all read all, in three ways, and add to all. */
__global__ void exchange(int *out, int *flipped)
{
    __shared__ int mine, sum;
    const int rank = cluster_rank(), n = cluster_nctarank();
    if (threadIdx.x == 0) {
        mine = 100 * clusterid().x + rank;
        sum = 0;
    }
    cluster_arrive();
    cluster_wait();
    if (threadIdx.x < n) {
        int a, b, c, d;
        const uint32_t there = map(smem(&mine), threadIdx.x);
        asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(a) : "r"(there) : "memory");
        int *generic;
        asm volatile("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(&mine), "r"(threadIdx.x));
        b = *(volatile int *)generic;
        uint32_t owner;
        asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(owner) : "r"(there));
        c = owner == threadIdx.x;
        asm volatile("red.relaxed.cluster.shared::cluster.add.s32 [%0], %1;" ::"r"(map(smem(&sum), threadIdx.x)), "r"(rank + 1)
                     : "memory");
        asm volatile("atom.relaxed.cluster.shared::cluster.add.s32 %0, [%1], 1000;"
                     : "=r"(d)
                     : "r"(map(smem(&sum), threadIdx.x))
                     : "memory");
        out[blockIdx.x * 16 + threadIdx.x] = a == b && c && d >= rank + 1 ? a : -1;
    }
    if (threadIdx.x == 0) {
        int v;
        asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(v) : "r"(smem(&mine) ^ 1u << 24) : "memory");
        flipped[blockIdx.x] = v;
    }
    cluster_arrive();
    cluster_wait();
    if (threadIdx.x == 0)
        out[blockIdx.x * 16 + 15] = sum;
    (void)n;
}

/* A ring: stores and reductions that pay into the next CTA's barrier, arrivals from there. */
__global__ void ring(int *out)
{
    __shared__ __align__(16) int box[8];
    __shared__ __align__(8) uint64_t full, seen;
    const uint32_t rank = cluster_rank(), n = cluster_nctarank(), next = (rank + 1) % n;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 8; i++)
            box[i] = 10;
        mbar_init(smem(&full), 1);
        mbar_init(smem(&seen), n);
        fence_init();
        mbar_expect(smem(&full), 4 + 16 + 4 + 8);
    }
    cluster_arrive();
    cluster_wait();
    if (threadIdx.x == 0) {
        const uint32_t to = map(smem(box), next), bar = map(smem(&full), next);
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to), "r"(rank), "r"(bar)
                     : "memory");
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to + 16),
                     "r"(rank + 1), "r"(rank + 2), "r"(rank + 3), "r"(rank + 4), "r"(bar)
                     : "memory");
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%0], %1, [%2];" ::"r"(to + 4),
                     "r"(rank + 8), "r"(bar)
                     : "memory");
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::"r"(to + 8),
                     "l"(1ull << 32 | rank), "r"(bar)
                     : "memory");
        mbar_wait(smem(&full), 0);
        for (uint32_t r = 0; r < n; r++)
            mbar_arrive_at(smem(&seen), r);
        mbar_wait(smem(&seen), 0);
        for (int i = 0; i < 8; i++)
            out[blockIdx.x * 8 + i] = box[i];
    }
    cluster_arrive();
    cluster_wait();
}

/* CTA 0 loads a tile once for the CTAs of the mask; then each pushes its part to the next one. */
__global__ void multicast(const __grid_constant__ CUtensorMap m, uint16_t ctas, int *out)
{
    __shared__ __align__(8) uint64_t bar, pushed;
    int *tile = (int *)shared_bytes;
    const uint32_t rank = cluster_rank(), n = cluster_nctarank();
    tile[threadIdx.x] = -1;
    tile[256 + threadIdx.x] = -2;
    if (threadIdx.x == 0) {
        mbar_init(smem(&bar), 1);
        mbar_init(smem(&pushed), 1);
        fence_init();
        mbar_expect(smem(&pushed), 512);
        if (ctas >> rank & 1)
            mbar_expect(smem(&bar), 512);
    }
    fence_async();
    cluster_arrive();
    cluster_wait();
    if (threadIdx.x == 0 && rank == 0)
        load_2d_multicast(smem(tile), &m, 0, 8 * clusterid().x, smem(&bar), ctas);
    if (ctas >> rank & 1)
        mbar_wait(smem(&bar), 0);
    if (threadIdx.x == 0) {
        const uint32_t next = (rank + 1) % n;
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(
                         map(smem(tile) + 1024, next)),
                     "r"(smem(tile)), "r"(map(smem(&pushed), next))
                     : "memory");
    }
    mbar_wait(smem(&pushed), 0);
    out[blockIdx.x * 256 + threadIdx.x] = tile[threadIdx.x];
    out[blockIdx.x * 256 + 128 + threadIdx.x] = tile[256 + threadIdx.x];
    cluster_arrive();
    cluster_wait();
}

/* Barriers with work between arriving and waiting, and threads that have left. */
__global__ void phases(int *order, int n)
{
    __shared__ int seen;
    if (threadIdx.x == 0)
        seen = 0;
    if (threadIdx.x >= 64)
        return;
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    for (int i = 0; i < n; i++) {
        const uint32_t next = map(smem(&seen), (cluster_rank() + 1) % cluster_nctarank());
        if (threadIdx.x == 0)
            asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(next), "r"(i + 1) : "memory");
        asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
        asm volatile("barrier.cluster.wait;" ::: "memory");
        if (*(volatile int *)&seen != i + 1)
            atomicAdd(order, 1);
        asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait.acquire;" ::: "memory");
    }
}

int main()
{
    cudaLaunchAttribute a;
    const dim3 shapes[] = {{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {1, 3, 2}, {8, 1, 1}, {4, 2, 2}};
    CUDA(cudaFuncSetAttribute((const void *)ranks, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    for (dim3 s : shapes) {
        dev<int> bad(1);
        bad.fill(0);
        cudaLaunchConfig_t c = config_of({s.x * 3, s.y * 2, s.z}, 64, 0, &a, s);
        CUDA(cudaLaunchKernelEx(&c, ranks, bad.p, (int)s.x, (int)s.y, (int)s.z));
        RAN();
        check_equal("ranks", bad.get(), std::vector<int>{0});
    }
    for (int n : {2, 4, 8}) {
        dev<int> out(3 * n * 16), flipped(3 * n);
        cudaLaunchConfig_t c = config_of(3 * n, 32, 0, &a, n);
        CUDA(cudaLaunchKernelEx(&c, exchange, out.p, flipped.p));
        RAN();
        const std::vector<int> got = out.get(), flip = flipped.get();
        for (int b = 0; b < 3 * n; b++) {
            for (int r = 0; r < n; r++)
                CHECK(got[b * 16 + r] == b / n * 100 + r);
            CHECK(got[b * 16 + 15] == n * 1000 + n * (n + 1) / 2);
            CHECK(flip[b] == b / n * 100 + (b % n ^ 1));
        }
        dev<int> boxes(2 * n * 8);
        c = config_of(2 * n, 32, 0, &a, n);
        CUDA(cudaLaunchKernelEx(&c, ring, boxes.p));
        RAN();
        const std::vector<int> box = boxes.get();
        for (int b = 0; b < 2 * n; b++) {
            const int from = (b % n + n - 1) % n;
            const int want[] = {from, from + 8 > 10 ? from + 8 : 10, 10 + from, 11, from + 1, from + 2, from + 3, from + 4};
            for (int i = 0; i < 8; i++)
                CHECK(box[b * 8 + i] == want[i]);
        }
        dev<int> order(1);
        order.fill(0);
        c = config_of(2 * n, 96, 0, &a, n);
        CUDA(cudaLaunchKernelEx(&c, phases, order.p, 5));
        RAN();
        check_equal("phases", order.get(), std::vector<int>{0});
    }
    {
        const int n = 4;
        std::vector<int> t(16 * 16);
        for (int i = 0; i < 256; i++)
            t[i] = i;
        dev<int> in(t), out(2 * n * 256);
        const uint64_t dim[] = {16, 16};
        const uint32_t box[] = {16, 8};
        const CUtensorMap m = tensor_map(CU_TENSOR_MAP_DATA_TYPE_INT32, 4, 2, in.p, dim, box, CU_TENSOR_MAP_SWIZZLE_NONE);
        cudaLaunchConfig_t c = config_of(2 * n, 128, 4096, &a, n);
        CUDA(cudaLaunchKernelEx(&c, multicast, m, (uint16_t)0xb, out.p));
        RAN();
        const std::vector<int> got = out.get();
        for (int b = 0; b < 2 * n; b++)
            for (int i = 0; i < 128; i++) {
                const int own = 0xb >> b % n & 1 ? b / n * 128 + i : -1, r = (b % n + n - 1) % n;
                CHECK(got[b * 256 + i] == own);
                CHECK(got[b * 256 + 128 + i] == (0xb >> r & 1 ? b / n * 128 + i : -1));
            }
    }
    /* What cannot be launched, and what fits. */
    dev<int> out(4096);
    cudaLaunchConfig_t c = config_of(6, 32, 0, &a, 4);
    CHECK(cudaLaunchKernelEx(&c, exchange, out.p, out.p) == cudaErrorInvalidClusterSize);
    c = config_of(16, 32, 0, &a, 16);
    CHECK(cudaLaunchKernelEx(&c, exchange, out.p, out.p) == cudaErrorInvalidClusterSize);
    cudaGetLastError();
    int clusters = 0, most = 0;
    cudaDeviceProp p;
    CUDA(cudaGetDeviceProperties(&p, 0));
    CHECK(p.clusterLaunch == 1);
    const int room = (int)p.sharedMemPerBlockOptin - 1024; /* one block on an SM */
    c = config_of(16, 1024, room, &a, 2);
    CUDA(cudaFuncSetAttribute((const void *)exchange, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
    CUDA(cudaOccupancyMaxActiveClusters(&clusters, exchange, &c));
    CUDA(cudaOccupancyMaxPotentialClusterSize(&most, exchange, &c));
    printf("%d clusters of 2 on %d SMs, clusters of up to %d\n", clusters, p.multiProcessorCount, most);
    CHECK(clusters == p.multiProcessorCount / 2 && most == 8);
    return check_result();
}
