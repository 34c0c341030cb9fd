/*
 * C = A B^T in bf16 with f32 sums, in the steps that a product for sm_90a is usually built in. A is m x k, B is n x k,
 * both row by row.
 *
 * Origin: new. The steps follow P. Shah, "Outperforming cuBLAS on H100: a worklog" (2024).
 *
 *   tiles      CUDA cores; 32 x 32 tiles through shared memory
 *   wgmma      a warpgroup: the TMA brings 64 x 64 tiles of A and B, wgmma multiplies them, one after the other
 *   pipeline   a producer warp keeps a queue of tiles full, two consumer warpgroups empty it; registers move to them
 *   persistent the same with a CTA for each SM, which takes tile after tile: the producer is at the next one's operands
 *              while the consumers write the last one
 *   cluster    two CTAs share a tile of B, which each of them loads half of, for both; the TMA stores C
 */
#include "../common/suite_hopper.h"

#include <vector>

typedef __nv_bfloat16 bf16;
enum { TILE = 64, TILE_BYTES = TILE * TILE * 2, STAGES_MAX = 4, CONSUMERS = 2 };

__global__ void tiles(const bf16 *a, const bf16 *b, bf16 *c, int n, int k)
{
    __shared__ float ta[32][33], tb[32][33];
    const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int at = 0; at < k; at += 32) {
        ta[threadIdx.y][threadIdx.x] = __bfloat162float(a[(size_t)row * k + at + threadIdx.x]);
        tb[threadIdx.y][threadIdx.x] = __bfloat162float(b[(size_t)(blockIdx.x * 32 + threadIdx.y) * k + at + threadIdx.x]);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; i++)
            sum += ta[threadIdx.y][i] * tb[threadIdx.x][i];
        __syncthreads();
    }
    c[(size_t)row * n + col] = __float2bfloat16(sum);
}

/* D of a warpgroup to memory: rows `row` on of C. */
static __device__ void write_tile(const float (&d)[32], bf16 *c, int row, int col, int n)
{
    const int t = threadIdx.x % 128, r = row + t / 32 * 16 + t % 32 / 4, x = col + t % 4 * 2;
    for (int j = 0; j < 8; j++) {
        *(__nv_bfloat162 *)&c[(size_t)r * n + x + j * 8] = __floats2bfloat162_rn(d[4 * j], d[4 * j + 1]);
        *(__nv_bfloat162 *)&c[(size_t)(r + 8) * n + x + j * 8] = __floats2bfloat162_rn(d[4 * j + 2], d[4 * j + 3]);
    }
}

/* One tile of A times one of B. */
static __device__ void multiply(float (&d)[32], uint32_t a, uint32_t b, int add)
{
    wgmma_begin();
    for (int k = 0; k < TILE / 16; k++)
        wgmma_64x64x16_bf16(d, tile_descriptor(a + k * 32), tile_descriptor(b + k * 32), add || k);
    wgmma_end();
}

__global__ void __launch_bounds__(128)
    wgmma(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, bf16 *c, int n, int k)
{
    __shared__ __align__(8) uint64_t full;
    const uint32_t a = hopper_address(hopper_smem), b = a + TILE_BYTES, bar = hopper_address(&full);
    const int row = blockIdx.y * TILE, col = blockIdx.x * TILE;
    if (threadIdx.x == 0) {
        bar_init(bar, 1);
        bar_publish();
    }
    __syncthreads();
    float d[32];
    for (int at = 0, turn = 0; at < k; at += TILE, turn++) {
        if (threadIdx.x == 0) {
            bar_expect(bar, 2 * TILE_BYTES);
            tma_load(a, &ma, at, row, bar);
            tma_load(b, &mb, at, col, bar);
        }
        bar_wait(bar, turn & 1);
        multiply(d, a, b, turn);
        __syncthreads(); /* the tiles are free */
    }
    write_tile(d, c, row, col, n);
}

/* A stage: a tile of A for each consumer, then one of B. */
enum { STAGE_BYTES = (CONSUMERS + 1) * TILE_BYTES };

__global__ void __launch_bounds__(128 * (CONSUMERS + 1))
    pipeline(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, bf16 *c, int n, int k, int n_tile,
             int stages)
{
    __shared__ __align__(8) uint64_t full[STAGES_MAX], empty[STAGES_MAX];
    const uint32_t queue = hopper_address(hopper_smem), f = hopper_address(full), e = hopper_address(empty);
    const int group = threadIdx.x / 128, across = n / TILE, steps = k / TILE;
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; s++) {
            bar_init(f + s * 8, 1);
            bar_init(e + s * 8, CONSUMERS);
        }
        bar_publish();
    }
    __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0)
            for (int tile = blockIdx.x, turn = 0; tile < n_tile; tile += gridDim.x)
                for (int step = 0; step < steps; step++, turn++) {
                    const uint32_t s = turn % stages, at = queue + s * STAGE_BYTES, bar = f + s * 8;
                    bar_wait(e + s * 8, turn / stages & 1 ^ 1);
                    bar_expect(bar, STAGE_BYTES);
                    for (int i = 0; i < CONSUMERS; i++)
                        tma_load(at + i * TILE_BYTES, &ma, step * TILE, (tile / across * CONSUMERS + i) * TILE, bar);
                    tma_load(at + CONSUMERS * TILE_BYTES, &mb, step * TILE, tile % across * TILE, bar);
                }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        float d[32];
        for (int tile = blockIdx.x, turn = 0; tile < n_tile; tile += gridDim.x) {
            for (int step = 0; step < steps; step++, turn++) {
                const uint32_t s = turn % stages, at = queue + s * STAGE_BYTES;
                bar_wait(f + s * 8, turn / stages & 1);
                multiply(d, at + (group - 1) * TILE_BYTES, at + CONSUMERS * TILE_BYTES, step);
                if (threadIdx.x % 128 == 0)
                    bar_arrive(e + s * 8);
            }
            write_tile(d, c, (tile / across * CONSUMERS + group - 1) * TILE, tile % across * TILE, n);
        }
    }
}

/* Two CTAs above each other in a cluster: both need the same tile of B. */
__global__ void __launch_bounds__(128 * (CONSUMERS + 1))
    cluster(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb,
            const __grid_constant__ CUtensorMap mc, int k, int stages)
{
    __shared__ __align__(8) uint64_t full[STAGES_MAX], empty[STAGES_MAX];
    const uint32_t queue = hopper_address(hopper_smem), f = hopper_address(full), e = hopper_address(empty);
    const int group = threadIdx.x / 128, row = blockIdx.x * TILE * CONSUMERS, col = blockIdx.y * TILE, turns = k / TILE;
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; s++) {
            bar_init(f + s * 8, 1);
            bar_init(e + s * 8, CONSUMERS * 2); /* a stage is free when the consumers of both CTAs have read it */
        }
        bar_publish();
    }
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0)
            for (int turn = 0; turn < turns; turn++) {
                const uint32_t s = turn % stages, at = queue + s * STAGE_BYTES, bar = f + s * 8;
                const uint32_t half = CONSUMERS * TILE_BYTES + rank * TILE_BYTES / 2;
                bar_wait(e + s * 8, turn / stages & 1 ^ 1);
                bar_expect(bar, STAGE_BYTES);
                for (int i = 0; i < CONSUMERS; i++)
                    tma_load(at + i * TILE_BYTES, &ma, turn * TILE, row + i * TILE, bar);
                tma_load_multicast(at + half, &mb, turn * TILE, col + rank * TILE / 2, bar, 3);
            }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        float d[32];
        for (int turn = 0; turn < turns; turn++) {
            const uint32_t s = turn % stages, at = queue + s * STAGE_BYTES;
            bar_wait(f + s * 8, turn / stages & 1);
            multiply(d, at + (group - 1) * TILE_BYTES, at + CONSUMERS * TILE_BYTES, turn);
            if (threadIdx.x % 128 < 2)
                bar_arrive_at(e + s * 8, threadIdx.x % 128);
        }
        /* Every stage has been read, so its first tile takes the result, with the swizzle that the map undoes. */
        asm volatile("bar.sync %0, %1;" ::"r"(1), "n"(128 * CONSUMERS) : "memory");
        unsigned char *out = hopper_smem + (group - 1) * TILE_BYTES;
        const int t = threadIdx.x % 128, r = t / 32 * 16 + t % 32 / 4;
        for (int j = 0; j < 32; j += 2) {
            const int y = r + j / 2 % 2 * 8, byte = (y * TILE + j / 4 * 8 + t % 4 * 2) * 2;
            *(__nv_bfloat162 *)(out + (byte ^ (byte >> 7 & 7) << 4)) = __floats2bfloat162_rn(d[j], d[j + 1]);
        }
        asm volatile("fence.proxy.async.shared::cta;\nbar.sync %0, 128;" ::"r"(1 + group) : "memory");
        if (t == 0)
            tma_store(&mc, col, row + (group - 1) * TILE, hopper_address(out));
    }
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

int main(int argc, char **argv)
{
    const suite_size size = suite_parse_size(argc, argv);
    const int m = suite_pick(size, 256, 512, 512), n = suite_pick(size, 64, 256, 512), k = suite_pick(size, 128, 512, 768);
    std::vector<bf16> a((size_t)m * k), b((size_t)n * k);
    suite_rng r(5);
    for (bf16 &x : a)
        x = __float2bfloat16(r.unit() - 0.5f);
    for (bf16 &x : b)
        x = __float2bfloat16(r.unit() - 0.5f);
    bf16 *da = suite_to_device(a.data(), a.size()), *db = suite_to_device(b.data(), b.size());
    bf16 *dc = suite_device<bf16>((size_t)m * n);
    const CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    const CUtensorMap ma = hopper_map(da, type, m, k, TILE), mb = hopper_map(db, type, n, k, TILE);
    const CUtensorMap half = hopper_map(db, type, n, k, TILE / 2), mc = hopper_map(dc, type, m, n, TILE);
    cudaDeviceProp prop;
    SUITE_CUDA(cudaGetDeviceProperties(&prop, 0));
    const int room = ((int)prop.sharedMemPerBlockOptin - 1024) / STAGE_BYTES, stages = room < STAGES_MAX ? room : STAGES_MAX;
    const int n_tile = n / TILE * (m / TILE / CONSUMERS);
    const size_t queue = (size_t)stages * STAGE_BYTES;
    SUITE_CUDA(cudaFuncSetAttribute((const void *)pipeline, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)queue));
    SUITE_CUDA(cudaFuncSetAttribute((const void *)cluster, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)queue));

    /* A sample of rows is enough to check the large sizes. */
    const int checked = m < 512 ? m : 64;
    std::vector<float> want((size_t)checked * n), fa(k), got_rows(want.size());
    for (int i = 0; i < checked; i++) {
        const int row = (int)((long)i * m / checked);
        for (int x = 0; x < k; x++)
            fa[x] = __bfloat162float(a[(size_t)row * k + x]);
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int x = 0; x < k; x++)
                sum += fa[x] * __bfloat162float(b[(size_t)j * k + x]);
            want[(size_t)i * n + j] = sum;
        }
    }
    bool bad = false;
    for (int step = 0; step < 5; step++) {
        static const char *const names[] = {"tiles", "wgmma", "pipeline", "persistent", "cluster"};
        SUITE_CUDA(cudaMemset(dc, 0, (size_t)m * n * sizeof *dc));
        cudaLaunchAttribute attr;
        cudaLaunchConfig_t config = {};
        switch (step) {
        case 0:
            tiles<<<dim3(n / 32, m / 32), dim3(32, 32)>>>(da, db, dc, n, k);
            break;
        case 1:
            wgmma<<<dim3(n / TILE, m / TILE), 128, 2 * TILE_BYTES>>>(ma, mb, dc, n, k);
            break;
        case 2:
        case 3:
            pipeline<<<step == 2 || n_tile < prop.multiProcessorCount ? n_tile : prop.multiProcessorCount,
                       128 * (CONSUMERS + 1), queue>>>(ma, mb, dc, n, k, n_tile, stages);
            break;
        default:
            attr.id = cudaLaunchAttributeClusterDimension;
            attr.val.clusterDim.x = 2;
            attr.val.clusterDim.y = attr.val.clusterDim.z = 1;
            config.gridDim = dim3(m / TILE / CONSUMERS, n / TILE);
            config.blockDim = 128 * (CONSUMERS + 1);
            config.dynamicSmemBytes = queue;
            config.attrs = &attr;
            config.numAttrs = 1;
            SUITE_CUDA(cudaLaunchKernelEx(&config, cluster, ma, half, mc, k, stages));
        }
        SUITE_LAUNCHED();
        std::vector<bf16> got((size_t)m * n);
        suite_to_host(got.data(), dc, got.size());
        for (int i = 0; i < checked; i++)
            for (int j = 0; j < n; j++)
                got_rows[(size_t)i * n + j] = __bfloat162float(got[(size_t)((long)i * m / checked) * n + j]);
        bad |= suite_diff(names[step], got_rows.data(), want.data(), want.size(), 0.01, 0.01);
    }
    return suite_done("wgmma_gemm", argc, argv, bad);
}
