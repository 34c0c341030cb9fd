/*
 * C = A B^T of 8-bit floating-point numbers (e4m3) with scales: one for each row of A and 128 columns, one for each
 * 128 x 128 of B, as weights and activations of language models are quantized. C is bf16.
 *
 * Origin: new. The scheme is that of DeepGEMM: the tensor cores sum 128 products, then CUDA cores scale the sums and add
 * them up in f32. A producer warp keeps a queue of tiles full by the TMA, two consumer warpgroups of 64 rows empty it.
 */
#include "../common/suite_hopper.h"

#include <cuda_fp8.h>
#include <vector>

enum { ROWS = 64, COLS = 64, BLOCK = 128, CONSUMERS = 2, STAGES_MAX = 4 };
enum { A_BYTES = ROWS * BLOCK, STAGE_BYTES = CONSUMERS * A_BYTES + COLS * BLOCK };

__global__ void __launch_bounds__(128 * (CONSUMERS + 1))
    fp8_product(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mb, const float *scale_a,
                const float *scale_b, __nv_bfloat16 *c, int n, int k, int stages)
{
    __shared__ __align__(8) uint64_t bars[2 * STAGES_MAX];
    const uint32_t queue = hopper_address(hopper_smem), full = hopper_address(bars), empty = full + STAGES_MAX * 8;
    const int group = threadIdx.x / 128, row = blockIdx.y * ROWS * CONSUMERS, col = blockIdx.x * COLS, turns = k / BLOCK;
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; s++) {
            bar_init(full + s * 8, 1);
            bar_init(empty + s * 8, CONSUMERS);
        }
        bar_publish();
    }
    __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0)
            for (int turn = 0; turn < turns; turn++) {
                const uint32_t s = turn % stages, at = queue + s * STAGE_BYTES;
                bar_wait(empty + s * 8, turn / stages & 1 ^ 1);
                bar_expect(full + s * 8, STAGE_BYTES);
                for (int i = 0; i < CONSUMERS; i++)
                    tma_load(at + i * A_BYTES, &ma, turn * BLOCK, row + i * ROWS, full + s * 8);
                tma_load(at + CONSUMERS * A_BYTES, &mb, turn * BLOCK, col, full + s * 8);
            }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int t = threadIdx.x % 128, r = row + (group - 1) * ROWS + t / 32 * 16 + t % 32 / 4;
    float part[32], sum[32];
    for (int i = 0; i < 32; i++)
        sum[i] = 0;
    for (int turn = 0; turn < turns; turn++) {
        const uint32_t s = turn % stages, at = queue + s * STAGE_BYTES, a = at + (group - 1) * A_BYTES;
        const float b_scale = scale_b[col / BLOCK * turns + turn];
        const float scale[2] = {scale_a[(size_t)r * turns + turn] * b_scale, scale_a[(size_t)(r + 8) * turns + turn] * b_scale};
        bar_wait(full + s * 8, turn / stages & 1);
        wgmma_begin();
        for (int step = 0; step < BLOCK / 32; step++)
            wgmma_64x64x32_e4m3(part, tile_descriptor(a + step * 32),
                                tile_descriptor(at + CONSUMERS * A_BYTES + step * 32), step);
        wgmma_end();
        if (t == 0)
            bar_arrive(empty + s * 8);
        for (int i = 0; i < 32; i++)
            sum[i] += part[i] * scale[i / 2 % 2];
    }
    for (int i = 0; i < 32; i += 2)
        *(__nv_bfloat162 *)&c[(size_t)(r + i / 2 % 2 * 8) * n + col + i / 4 * 8 + t % 4 * 2] = __floats2bfloat162_rn(sum[i], sum[i + 1]);
}

int main(int argc, char **argv)
{
    const suite_size size = suite_parse_size(argc, argv);
    const int m = suite_pick(size, 256, 1024, 2048), n = suite_pick(size, 128, 1152, 1536), k = suite_pick(size, 256, 2048, 2048);
    const int turns = k / BLOCK;
    std::vector<__nv_fp8_e4m3> a((size_t)m * k), b((size_t)n * k);
    std::vector<float> sa((size_t)m * turns), sb((size_t)(n / BLOCK) * turns);
    suite_rng r(17);
    for (__nv_fp8_e4m3 &x : a)
        x = __nv_fp8_e4m3(r.range(-4, 4));
    for (__nv_fp8_e4m3 &x : b)
        x = __nv_fp8_e4m3(r.range(-4, 4));
    for (float &x : sa)
        x = r.range(0.01f, 0.05f);
    for (float &x : sb)
        x = r.range(0.01f, 0.05f);
    __nv_fp8_e4m3 *da = suite_to_device(a.data(), a.size()), *db = suite_to_device(b.data(), b.size());
    float *dsa = suite_to_device(sa.data(), sa.size()), *dsb = suite_to_device(sb.data(), sb.size());
    __nv_bfloat16 *dc = suite_device<__nv_bfloat16>((size_t)m * n);
    const CUtensorMap ma = hopper_map(da, CU_TENSOR_MAP_DATA_TYPE_UINT8, m, k, ROWS),
                      mb = hopper_map(db, CU_TENSOR_MAP_DATA_TYPE_UINT8, n, k, COLS);
    cudaDeviceProp prop;
    SUITE_CUDA(cudaGetDeviceProperties(&prop, 0));
    const int room = ((int)prop.sharedMemPerBlockOptin - 1024) / STAGE_BYTES, stages = room < STAGES_MAX ? room : STAGES_MAX;
    SUITE_CUDA(cudaFuncSetAttribute((const void *)fp8_product, cudaFuncAttributeMaxDynamicSharedMemorySize, stages * STAGE_BYTES));
    fp8_product<<<dim3(n / COLS, m / ROWS / CONSUMERS), 128 * (CONSUMERS + 1), stages * STAGE_BYTES>>>(ma, mb, dsa, dsb, dc, n, k,
                                                                                                     stages);
    SUITE_LAUNCHED();
    std::vector<__nv_bfloat16> got((size_t)m * n);
    suite_to_host(got.data(), dc, got.size());
    std::vector<float> fa(a.size()), fb(b.size()), want, have;
    for (size_t i = 0; i < a.size(); i++)
        fa[i] = float(a[i]);
    for (size_t i = 0; i < b.size(); i++)
        fb[i] = float(b[i]);
    for (int i = 0; i < m; i += size == SUITE_TINY ? 1 : 37) /* some rows of the larger sizes */
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int q = 0; q < turns; q++) {
                float part = 0;
                for (int x = q * BLOCK; x < (q + 1) * BLOCK; x++)
                    part += fa[(size_t)i * k + x] * fb[(size_t)j * k + x];
                sum += part * sa[(size_t)i * turns + q] * sb[(size_t)(j / BLOCK) * turns + q];
            }
            want.push_back(sum);
            have.push_back(__bfloat162float(got[(size_t)i * n + j]));
        }
    return suite_done("fp8_gemm", argc, argv, suite_diff("C", have.data(), want.data(), want.size(), 0.01, 0.01));
}
