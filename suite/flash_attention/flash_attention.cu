/*
 * Attention, forward: O = softmax(Q K^T / sqrt(64)) V for each head, full and causal, heads of 64 in f16.
 *
 * Origin: new. The algorithm is that of FlashAttention-3 (Shah et al., arXiv 2407.08608) without its overlap of two
 * warpgroups' softmax: a producer warp brings tiles of K and V by the TMA, each of two consumer warpgroups keeps 64 rows
 * of Q, multiplies them with K, turns the scores into probabilities while it keeps the maximum and the sum of each row,
 * and multiplies these, from registers, with V.
 */
#include "../common/suite_hopper.h"

#include <vector>

enum { HEAD = 64, ROWS = 64, CONSUMERS = 2, TILE_BYTES = ROWS * HEAD * 2, STAGES_MAX = 2 };

static __device__ float row_max(float x)
{
    x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
    return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
static __device__ float row_sum(float x)
{
    x += __shfl_xor_sync(~0u, x, 1);
    return x + __shfl_xor_sync(~0u, x, 2);
}

/* Matrices of heads one below the other: row head * length + position. */
__global__ void __launch_bounds__(128 * (CONSUMERS + 1))
    attention(const __grid_constant__ CUtensorMap mq, const __grid_constant__ CUtensorMap mk,
              const __grid_constant__ CUtensorMap mv, __half *out, int length, int causal, int stages)
{
    __shared__ __align__(8) uint64_t bars[1 + 2 * STAGES_MAX];
    const uint32_t q = hopper_address(hopper_smem), kv = q + CONSUMERS * TILE_BYTES;
    const uint32_t q_full = hopper_address(bars), full = q_full + 8, empty = full + STAGES_MAX * 8;
    const int group = threadIdx.x / 128, head = blockIdx.y * length, first = blockIdx.x * ROWS * CONSUMERS;
    const int end = causal ? first + ROWS * CONSUMERS : length, turns = (end < length ? end : length) / ROWS;
    if (threadIdx.x == 0) {
        bar_init(q_full, 1);
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
            bar_expect(q_full, CONSUMERS * TILE_BYTES);
            for (int i = 0; i < CONSUMERS; i++)
                tma_load(q + i * TILE_BYTES, &mq, 0, head + first + i * ROWS, q_full);
            for (int turn = 0; turn < turns; turn++) {
                const uint32_t s = turn % stages, at = kv + s * 2 * TILE_BYTES;
                bar_wait(empty + s * 8, turn / stages & 1 ^ 1);
                bar_expect(full + s * 8, 2 * TILE_BYTES);
                tma_load(at, &mk, 0, head + turn * ROWS, full + s * 8);
                tma_load(at + TILE_BYTES, &mv, 0, head + turn * ROWS, full + s * 8);
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int t = threadIdx.x % 128, row = first + (group - 1) * ROWS + t / 32 * 16 + t % 32 / 4;
    const uint32_t my_q = q + (group - 1) * TILE_BYTES;
    const float scale = 0.125f * 1.4426950408889634f; /* 1 / sqrt(64), in powers of two */
    float o[32], top[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
    for (int i = 0; i < 32; i++)
        o[i] = 0;
    bar_wait(q_full, 0);
    for (int turn = 0; turn < turns; turn++) {
        const uint32_t s = turn % stages, at = kv + s * 2 * TILE_BYTES;
        float p[32];
        bar_wait(full + s * 8, turn / stages & 1);
        wgmma_begin();
        for (int k = 0; k < HEAD / 16; k++)
            wgmma_64x64x16_f16(p, tile_descriptor(my_q + k * 32), tile_descriptor(at + k * 32), k);
        wgmma_end();
        for (int i = 0; i < 32; i++) { /* element i: row + 8 for i % 4 >= 2, column i / 4 * 8 + t % 4 * 2 + i % 2 */
            const int column = turn * ROWS + i / 4 * 8 + t % 4 * 2 + i % 2;
            if (causal && column > row + i / 2 % 2 * 8)
                p[i] = -INFINITY;
        }
        for (int half = 0; half < 2; half++) {
            float m = top[half];
            for (int i = 0; i < 32; i += 4)
                m = fmaxf(m, fmaxf(p[i + 2 * half], p[i + 2 * half + 1]));
            m = row_max(m);
            const float from = m == -INFINITY ? 0 : m * scale, shrink = exp2f(top[half] * scale - from);
            float total = 0;
            for (int i = 0; i < 32; i += 4)
                for (int e = 0; e < 2; e++) {
                    const float x = exp2f(p[i + 2 * half + e] * scale - from);
                    p[i + 2 * half + e] = x;
                    total += x;
                    o[i + 2 * half + e] *= shrink;
                }
            sum[half] = sum[half] * shrink + row_sum(total);
            top[half] = m;
        }
        wgmma_begin();
        for (int k = 0; k < ROWS / 16; k++) {
            uint32_t a[4];
            for (int i = 0; i < 4; i++) {
                const __half2 h = __floats2half2_rn(p[k * 8 + i * 2], p[k * 8 + i * 2 + 1]);
                memcpy(&a[i], &h, 4);
            }
            wgmma_64x64x16_f16_rs(o, a, tile_descriptor_n(at + TILE_BYTES + k * 2048, TILE_BYTES));
        }
        wgmma_end();
        if (t == 0)
            bar_arrive(empty + s * 8);
    }
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < 32; i += 4) {
            __half *to = out + (size_t)(head + row + half * 8) * HEAD + i / 4 * 8 + t % 4 * 2;
            *(__half2 *)to = __floats2half2_rn(o[i + 2 * half] / sum[half], o[i + 2 * half + 1] / sum[half]);
        }
}

int main(int argc, char **argv)
{
    const suite_size size = suite_parse_size(argc, argv);
    const int length = suite_pick(size, 256, 1024, 1024), heads = suite_pick(size, 2, 6, 14);
    const size_t n = (size_t)length * heads * HEAD;
    std::vector<__half> q(n), k(n), v(n), got(n);
    suite_rng r(11);
    for (size_t i = 0; i < n; i++) {
        q[i] = __float2half(r.range(-2, 2));
        k[i] = __float2half(r.range(-2, 2));
        v[i] = __float2half(r.range(-1, 1));
    }
    __half *dq = suite_to_device(q.data(), n), *dk = suite_to_device(k.data(), n), *dv = suite_to_device(v.data(), n);
    __half *out = suite_device<__half>(n);
    const CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    const uint64_t rows = (uint64_t)length * heads;
    const CUtensorMap mq = hopper_map(dq, type, rows, HEAD, ROWS), mk = hopper_map(dk, type, rows, HEAD, ROWS),
                      mv = hopper_map(dv, type, rows, HEAD, ROWS);
    cudaDeviceProp prop;
    SUITE_CUDA(cudaGetDeviceProperties(&prop, 0));
    const int room = ((int)prop.sharedMemPerBlockOptin - 1024) / TILE_BYTES, fit = (room - CONSUMERS) / 2;
    const int stages = fit < STAGES_MAX ? fit : STAGES_MAX, smem = (CONSUMERS + 2 * stages) * TILE_BYTES;
    SUITE_CUDA(cudaFuncSetAttribute((const void *)attention, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
    size_t bad = 0;
    for (int causal = 0; causal < 2; causal++) {
        attention<<<dim3(length / ROWS / CONSUMERS, heads), 128 * (CONSUMERS + 1), smem>>>(mq, mk, mv, out, length,
                                                                                               causal, stages);
        SUITE_LAUNCHED();
        suite_to_host(got.data(), out, n);
        /* All rows of the small sizes, some of the large one. */
        std::vector<float> want, have;
        for (size_t row = 0; row < rows; row += size == SUITE_PAPER ? 509 : 1) {
            const size_t head = row / length * length, last = causal ? row - head + 1 : length;
            std::vector<double> score(last);
            double top = -1e30, sum = 0;
            for (size_t j = 0; j < last; j++) {
                double x = 0;
                for (int d = 0; d < HEAD; d++)
                    x += (double)__half2float(q[row * HEAD + d]) * __half2float(k[(head + j) * HEAD + d]);
                score[j] = x / 8;
                top = score[j] > top ? score[j] : top;
            }
            for (double &x : score)
                sum += x = exp(x - top);
            for (int d = 0; d < HEAD; d++) {
                double x = 0;
                for (size_t j = 0; j < last; j++)
                    x += score[j] * __half2float(v[(head + j) * HEAD + d]);
                want.push_back((float)(x / sum));
                have.push_back(__half2float(got[row * HEAD + d]));
            }
        }
        bad += suite_diff(causal ? "causal" : "full", have.data(), want.data(), want.size(), 0.01, 0.004);
    }
    return suite_done("flash_attention", argc, argv, bad);
}
