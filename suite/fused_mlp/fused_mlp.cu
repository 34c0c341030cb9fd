/*
 * Two layers of a network in one kernel: Y = relu(X W1^T + b) W2 in f16, where the hidden layer never leaves the SM.
 *
 * Origin: new. As in attention, a producer warp brings tiles of both weights by the TMA, and each of two consumer
 * warpgroups keeps 64 rows of X. It multiplies them with 64 hidden units, adds the bias, cuts off what is negative, and
 * multiplies the result, from registers, with those units' rows of W2. X and Y have 64 columns.
 */
#include "../common/suite_hopper.h"

#include <vector>

enum { WIDTH = 64, ROWS = 64, HIDDEN = 64, CONSUMERS = 2, TILE_BYTES = 64 * 64 * 2, STAGES_MAX = 2 };
enum { STAGE_BYTES = 2 * TILE_BYTES }; /* of W1, then of W2 */

__global__ void __launch_bounds__(128 * (CONSUMERS + 1))
    mlp(const __grid_constant__ CUtensorMap mx, const __grid_constant__ CUtensorMap m1, const __grid_constant__ CUtensorMap m2,
        const float *bias, __half *y, int hidden, int stages)
{
    __shared__ __align__(8) uint64_t bars[1 + 2 * STAGES_MAX];
    const uint32_t x = hopper_address(hopper_smem), queue = x + CONSUMERS * TILE_BYTES;
    const uint32_t x_full = hopper_address(bars), full = x_full + 8, empty = full + STAGES_MAX * 8;
    const int group = threadIdx.x / 128, first = blockIdx.x * ROWS * CONSUMERS, turns = hidden / HIDDEN;
    if (threadIdx.x == 0) {
        bar_init(x_full, 1);
        for (int s = 0; s < stages; s++) {
            bar_init(full + s * 8, 1);
            bar_init(empty + s * 8, CONSUMERS);
        }
        bar_publish();
    }
    __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            bar_expect(x_full, CONSUMERS * TILE_BYTES);
            for (int i = 0; i < CONSUMERS; i++)
                tma_load(x + i * TILE_BYTES, &mx, 0, first + i * ROWS, x_full);
            for (int turn = 0; turn < turns; turn++) {
                const uint32_t s = turn % stages, at = queue + s * STAGE_BYTES, bar = full + s * 8;
                bar_wait(empty + s * 8, turn / stages & 1 ^ 1);
                bar_expect(bar, STAGE_BYTES);
                tma_load(at, &m1, 0, turn * HIDDEN, bar);
                tma_load(at + TILE_BYTES, &m2, 0, turn * HIDDEN, bar);
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int t = threadIdx.x % 128, row = first + (group - 1) * ROWS + t / 32 * 16 + t % 32 / 4;
    const uint32_t my_x = x + (group - 1) * TILE_BYTES;
    float out[32];
    for (int i = 0; i < 32; i++)
        out[i] = 0;
    bar_wait(x_full, 0);
    for (int turn = 0; turn < turns; turn++) {
        const uint32_t s = turn % stages, at = queue + s * STAGE_BYTES;
        float p[32];
        bar_wait(full + s * 8, turn / stages & 1);
        wgmma_begin();
        for (int k = 0; k < WIDTH / 16; k++)
            wgmma_64x64x16_f16(p, tile_descriptor(my_x + k * 32), tile_descriptor(at + k * 32), k);
        wgmma_end();
        uint32_t a[HIDDEN / 16][4];
        for (int i = 0; i < 32; i += 2) {
            const float2 b = *(const float2 *)&bias[turn * HIDDEN + i / 4 * 8 + t % 4 * 2];
            const __half2 h = __floats2half2_rn(fmaxf(p[i] + b.x, 0), fmaxf(p[i + 1] + b.y, 0));
            memcpy(&a[i / 8][i / 2 % 4], &h, 4);
        }
        wgmma_begin();
        for (int k = 0; k < HIDDEN / 16; k++)
            wgmma_64x64x16_f16_rs(out, a[k], tile_descriptor_n(at + TILE_BYTES + k * 2048, TILE_BYTES));
        wgmma_end();
        if (t == 0)
            bar_arrive(empty + s * 8);
    }
    for (int i = 0; i < 32; i += 2)
        *(__half2 *)&y[(size_t)(row + i / 2 % 2 * 8) * WIDTH + i / 4 * 8 + t % 4 * 2] = __floats2half2_rn(out[i], out[i + 1]);
}

int main(int argc, char **argv)
{
    const suite_size size = suite_parse_size(argc, argv);
    const int rows = suite_pick(size, 256, 8192, 24576), hidden = suite_pick(size, 256, 1024, 2048);
    std::vector<__half> x((size_t)rows * WIDTH), w1((size_t)hidden * WIDTH), w2(w1.size()), got(x.size());
    std::vector<float> bias(hidden);
    suite_rng r(23);
    for (__half &v : x)
        v = __float2half(r.range(-1, 1));
    for (size_t i = 0; i < w1.size(); i++) {
        w1[i] = __float2half(r.range(-0.2f, 0.2f));
        w2[i] = __float2half(r.range(-0.2f, 0.2f));
    }
    for (float &v : bias)
        v = r.range(-0.5f, 0.5f);
    __half *dx = suite_to_device(x.data(), x.size()), *d1 = suite_to_device(w1.data(), w1.size());
    __half *d2 = suite_to_device(w2.data(), w2.size()), *dy = suite_device<__half>(x.size());
    float *db = suite_to_device(bias.data(), bias.size());
    const CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    const CUtensorMap mx = hopper_map(dx, type, rows, WIDTH, ROWS), m1 = hopper_map(d1, type, hidden, WIDTH, HIDDEN),
                      m2 = hopper_map(d2, type, hidden, WIDTH, HIDDEN);
    cudaDeviceProp prop;
    SUITE_CUDA(cudaGetDeviceProperties(&prop, 0));
    const int room = ((int)prop.sharedMemPerBlockOptin - 1024 - CONSUMERS * TILE_BYTES) / STAGE_BYTES;
    const int stages = room < STAGES_MAX ? room : STAGES_MAX, smem = CONSUMERS * TILE_BYTES + stages * STAGE_BYTES;
    SUITE_CUDA(cudaFuncSetAttribute((const void *)mlp, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
    mlp<<<rows / ROWS / CONSUMERS, 128 * (CONSUMERS + 1), smem>>>(mx, m1, m2, db, dy, hidden, stages);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dy, got.size());
    std::vector<float> f1(w1.size()), f2(w2.size()), want, have;
    for (size_t i = 0; i < w1.size(); i++) {
        f1[i] = __half2float(w1[i]);
        f2[i] = __half2float(w2[i]);
    }
    for (int i = 0; i < rows; i += size == SUITE_TINY ? 1 : 41) { /* some rows of the larger sizes */
        float sum[WIDTH] = {0};
        for (int u = 0; u < hidden; u++) {
            float h = bias[u];
            for (int d = 0; d < WIDTH; d++)
                h += __half2float(x[(size_t)i * WIDTH + d]) * f1[(size_t)u * WIDTH + d];
            h = __half2float(__float2half(h > 0 ? h : 0));
            for (int d = 0; d < WIDTH; d++)
                sum[d] += h * f2[(size_t)u * WIDTH + d];
        }
        for (int d = 0; d < WIDTH; d++) {
            want.push_back(sum[d]);
            have.push_back(__half2float(got[(size_t)i * WIDTH + d]));
        }
    }
    return suite_done("fused_mlp", argc, argv, suite_diff("Y", have.data(), want.data(), want.size(), 0.01, 0.02));
}
