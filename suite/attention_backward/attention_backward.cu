/*
 * Attention, backward: from dO, the gradient of O = softmax(Q K^T / 8) V, to dQ, dK and dV; heads of 64 in f16.
 *
 * Origin: new. The products are those of FlashAttention's backward pass (arXiv 2205.14135, algorithm 4; 2407.08608). A
 * warpgroup keeps 64 rows of K and V and goes over the rows of Q and dO, which the TMA brings two tiles at a time:
 *
 *   S^T = K Q^T,  P^T = exp(S^T / 8 - L),  dP^T = V dO^T,  dS^T = P^T (dP^T - D)
 *   dV += P^T dO,  dK += dS^T Q: A from registers      dQ += dS K: A from shared memory, transposed
 *
 * L, the logarithm of each row's sum, and D, each row's dO . O, come from a kernel of their own. Parts of dQ leave by
 * bulk reductions of f32.
 */
#include "../common/suite_hopper.h"

#include <vector>

enum { HEAD = 64, ROWS = 64, TILE_BYTES = ROWS * HEAD * 2, STAGES_MAX = 2 };
/* Shared memory: K, V, dS^T, the stages of Q and dO. A stage that has been used takes the part of dQ. */
enum { DS_AT = 2 * TILE_BYTES, STAGE_AT = 3 * TILE_BYTES, STAGE_BYTES = 2 * TILE_BYTES };

/* A warp for each row of Q: L in powers of two, and D. */
__global__ void rows_before(const __half *q, const __half *k, const __half *o, const __half *d_o, float *l, float *d,
                            int length)
{
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    const __half2 *k_rows = (const __half2 *)(k + (size_t)(row / length) * length * HEAD);
    float2 mine[HEAD / 2];
    for (int i = 0; i < HEAD / 2; i++)
        mine[i] = __half22float2(((const __half2 *)(q + (size_t)row * HEAD))[i]);
    float top = -INFINITY, sum = 0;
    for (int j = lane; j < length; j += 32) {
        float s = 0;
        for (int i = 0; i < HEAD / 2; i++) {
            const float2 x = __half22float2(k_rows[j * (HEAD / 2) + i]);
            s += mine[i].x * x.x + mine[i].y * x.y;
        }
        s *= 0.125f * 1.4426950408889634f;
        const float m = fmaxf(top, s);
        sum = sum * exp2f(top - m) + exp2f(s - m);
        top = m;
    }
    const float2 a = __half22float2(((const __half2 *)(o + (size_t)row * HEAD))[lane]);
    const float2 b = __half22float2(((const __half2 *)(d_o + (size_t)row * HEAD))[lane]);
    float dot = a.x * b.x + a.y * b.y;
    for (int by = 16; by; by /= 2) {
        const float other = __shfl_xor_sync(~0u, top, by), m = fmaxf(top, other);
        sum = sum * exp2f(top - m) + __shfl_xor_sync(~0u, sum, by) * exp2f(other - m);
        top = m;
        dot += __shfl_xor_sync(~0u, dot, by);
    }
    if (lane == 0) {
        l[row] = top + log2f(sum);
        d[row] = dot;
    }
}

/* D (64 x 64) += A B with A, 64 rows of K, the other way round, and B with N along its rows. */
static __device__ void multiply_transposed(float (&d)[32], uint32_t a, uint32_t b)
{
    for (int k = 0; k < 4; k++) {
        const uint64_t da = tile_descriptor_n(a + k * 2048, TILE_BYTES), db = tile_descriptor_n(b + k * 2048, TILE_BYTES);
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " HOPPER_R32 ", %32, %33, p, 1, 1, 1, 1;\n}\n"
                     : HOPPER_D32(d)
                     : "l"(da), "l"(db), "r"(k));
    }
}

static __device__ void as_operand(uint32_t (&a)[4][4], const float (&p)[32])
{
    for (int i = 0; i < 32; i += 2) {
        const __half2 h = __floats2half2_rn(p[i], p[i + 1]);
        memcpy(&a[i / 8][i / 2 % 4], &h, 4);
    }
}

__global__ void __launch_bounds__(128)
    backward(const __grid_constant__ CUtensorMap mq, const __grid_constant__ CUtensorMap mk, const __grid_constant__ CUtensorMap mv,
             const __grid_constant__ CUtensorMap mo, const float *l, const float *d, float *dq, __half *dk, __half *dv, int length,
             int stages)
{
    __shared__ __align__(8) uint64_t bars[1 + STAGES_MAX];
    const uint32_t k = hopper_address(hopper_smem), v = k + TILE_BYTES, stage = k + STAGE_AT, ds = k + DS_AT;
    const uint32_t kv_full = hopper_address(bars), full = kv_full + 8;
    const int head = blockIdx.y * length, first = blockIdx.x * ROWS, turns = length / ROWS, t = threadIdx.x;
    const int r = t / 32 * 16 + t % 32 / 4;
    if (t == 0) {
        for (int s = 0; s <= stages; s++)
            bar_init(kv_full + s * 8, 1);
        bar_publish();
        bar_expect(kv_full, 2 * TILE_BYTES);
        tma_load(k, &mk, 0, head + first, kv_full);
        tma_load(v, &mv, 0, head + first, kv_full);
    }
    __syncthreads();
    float sum_k[32], sum_v[32];
    for (int i = 0; i < 32; i++)
        sum_k[i] = sum_v[i] = 0;
    bar_wait(kv_full, 0);
    for (int turn = 1 - stages; turn < turns; turn++) {
        const int next = turn + stages - 1;
        if (t == 0 && next < turns) { /* when the part of dQ that was there has left */
            const uint32_t s = next % stages, at = stage + s * STAGE_BYTES;
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            bar_expect(full + s * 8, STAGE_BYTES);
            tma_load(at, &mq, 0, head + next * ROWS, full + s * 8);
            tma_load(at + TILE_BYTES, &mo, 0, head + next * ROWS, full + s * 8);
        }
        if (turn < 0)
            continue;
        const uint32_t s = turn % stages, q = stage + s * STAGE_BYTES, o = q + TILE_BYTES;
        float p[32], dp[32];
        uint32_t a[4][4], b[4][4];
        bar_wait(full + s * 8, turn / stages & 1);
        wgmma_begin();
        for (int i = 0; i < HEAD / 16; i++) {
            wgmma_64x64x16_f16(p, tile_descriptor(k + i * 32), tile_descriptor(q + i * 32), i);
            wgmma_64x64x16_f16(dp, tile_descriptor(v + i * 32), tile_descriptor(o + i * 32), i);
        }
        wgmma_end();
        for (int i = 0; i < 32; i += 2) { /* row r (+ 8) of K, columns x and x + 1 of Q */
            const int x = i / 4 * 8 + t % 4 * 2;
            const float2 lx = *(const float2 *)&l[head + turn * ROWS + x], dx = *(const float2 *)&d[head + turn * ROWS + x];
            p[i] = exp2f(p[i] * (0.125f * 1.4426950408889634f) - lx.x);
            p[i + 1] = exp2f(p[i + 1] * (0.125f * 1.4426950408889634f) - lx.y);
            dp[i] = p[i] * (dp[i] - dx.x) * 0.125f;
            dp[i + 1] = p[i + 1] * (dp[i + 1] - dx.y) * 0.125f;
            const int byte = ((r + i / 2 % 2 * 8) * ROWS + x) * 2;
            *(__half2 *)(hopper_smem + DS_AT + (byte ^ (byte >> 7 & 7) << 4)) = __floats2half2_rn(dp[i], dp[i + 1]);
        }
        as_operand(a, p);
        as_operand(b, dp);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        float sum_q[32];
        wgmma_begin();
        for (int i = 0; i < ROWS / 16; i++) {
            wgmma_64x64x16_f16_rs(sum_v, a[i], tile_descriptor_n(o + i * 2048, TILE_BYTES));
            wgmma_64x64x16_f16_rs(sum_k, b[i], tile_descriptor_n(q + i * 2048, TILE_BYTES));
        }
        multiply_transposed(sum_q, ds, k);
        wgmma_end();
        __syncthreads(); /* the stage has been read */
        for (int i = 0; i < 32; i += 2)
            *(float2 *)(hopper_smem + STAGE_AT + s * STAGE_BYTES + ((r + i / 2 % 2 * 8) * HEAD + i / 4 * 8 + t % 4 * 2) * 4) = make_float2(sum_q[i], sum_q[i + 1]);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0)
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;\n"
                         "cp.async.bulk.commit_group;" ::"l"(dq + (size_t)(head + turn * ROWS) * HEAD),
                         "r"(q), "r"((int)STAGE_BYTES)
                         : "memory");
    }
    for (int i = 0; i < 32; i += 2) {
        const size_t at = (size_t)(head + first + r + i / 2 % 2 * 8) * HEAD + i / 4 * 8 + t % 4 * 2;
        *(__half2 *)&dk[at] = __floats2half2_rn(sum_k[i], sum_k[i + 1]);
        *(__half2 *)&dv[at] = __floats2half2_rn(sum_v[i], sum_v[i + 1]);
    }
    if (t == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* One head on the CPU: O, and if they are wanted the gradients. */
struct on_cpu {
    std::vector<float> o, dq, dk, dv;
};

static on_cpu reference(const float *q, const float *k, const float *v, const float *g, int n, bool gradients)
{
    const size_t all = (size_t)n * HEAD;
    on_cpu r = {std::vector<float>(all), std::vector<float>(all), std::vector<float>(all), std::vector<float>(all)};
    std::vector<float> p(n);
    for (int i = 0; i < n; i++) {
        float top = -INFINITY, sum = 0, dot = 0;
        for (int j = 0; j < n; j++) {
            p[j] = 0;
            for (int x = 0; x < HEAD; x++)
                p[j] += q[i * HEAD + x] * k[j * HEAD + x];
            p[j] /= 8;
            top = p[j] > top ? p[j] : top;
        }
        for (int j = 0; j < n; j++)
            sum += p[j] = expf(p[j] - top);
        for (int j = 0; j < n; j++)
            for (int x = 0; x < HEAD; x++)
                r.o[i * HEAD + x] += p[j] / sum * v[j * HEAD + x];
        for (int x = 0; x < HEAD; x++)
            dot += g[i * HEAD + x] * r.o[i * HEAD + x];
        for (int j = 0; j < n && gradients; j++) {
            float dp = 0;
            for (int x = 0; x < HEAD; x++) {
                r.dv[j * HEAD + x] += p[j] / sum * g[i * HEAD + x];
                dp += g[i * HEAD + x] * v[j * HEAD + x];
            }
            const float ds = p[j] / sum * (dp - dot) / 8;
            for (int x = 0; x < HEAD; x++) {
                r.dq[i * HEAD + x] += ds * k[j * HEAD + x];
                r.dk[j * HEAD + x] += ds * q[i * HEAD + x];
            }
        }
    }
    return r;
}

int main(int argc, char **argv)
{
    const suite_size size = suite_parse_size(argc, argv);
    const int length = suite_pick(size, 128, 512, 1024), heads = 2;
    const size_t one = (size_t)length * HEAD, n = one * heads, rows = (size_t)length * heads;
    std::vector<__half> h[5]; /* Q, K, V, dO, O */
    std::vector<float> f[4];
    __half *dev[5];
    suite_rng r(29);
    for (int i = 0; i < 4; i++)
        for (size_t x = 0; x < n; x++) {
            h[i].push_back(__float2half(r.range(-1, 1)));
            f[i].push_back(__half2float(h[i][x]));
        }
    std::vector<float> want[3];
    for (int head = 0; head < heads; head++) {
        const size_t at = head * one;
        const bool checked = size == SUITE_TINY || head == heads - 1; /* the gradients of one head of the larger sizes */
        const on_cpu c = reference(&f[0][at], &f[1][at], &f[2][at], &f[3][at], length, checked);
        for (float x : c.o)
            h[4].push_back(__float2half(x));
        if (checked) {
            want[0].insert(want[0].end(), c.dq.begin(), c.dq.end());
            want[1].insert(want[1].end(), c.dk.begin(), c.dk.end());
            want[2].insert(want[2].end(), c.dv.begin(), c.dv.end());
        }
    }
    for (int i = 0; i < 5; i++)
        dev[i] = suite_to_device(h[i].data(), n);
    float *l = suite_device<float>(rows), *d = suite_device<float>(rows), *dq = suite_device<float>(n);
    __half *dk = suite_device<__half>(n), *dv = suite_device<__half>(n);
    SUITE_CUDA(cudaMemset(dq, 0, n * sizeof *dq));
    CUtensorMap map[4];
    for (int i = 0; i < 4; i++)
        map[i] = hopper_map(dev[i], CU_TENSOR_MAP_DATA_TYPE_FLOAT16, rows, HEAD, ROWS);
    cudaDeviceProp prop;
    SUITE_CUDA(cudaGetDeviceProperties(&prop, 0));
    const int room = ((int)prop.sharedMemPerBlockOptin - 1024 - STAGE_AT) / STAGE_BYTES;
    const int stages = room < STAGES_MAX ? room : STAGES_MAX, smem = STAGE_AT + stages * STAGE_BYTES;
    SUITE_CUDA(cudaFuncSetAttribute((const void *)backward, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
    rows_before<<<rows / 8, 256>>>(dev[0], dev[1], dev[4], dev[3], l, d, length);
    SUITE_LAUNCHED();
    backward<<<dim3(length / ROWS, heads), 128, smem>>>(map[0], map[1], map[2], map[3], l, d, dq, dk, dv, length,
                                                                stages);
    SUITE_LAUNCHED();
    std::vector<float> got[3] = {std::vector<float>(n), std::vector<float>(n), std::vector<float>(n)};
    suite_to_host(got[0].data(), dq, n);
    for (int i = 1; i < 3; i++) {
        std::vector<__half> raw(n);
        suite_to_host(raw.data(), i == 1 ? dk : dv, n);
        for (size_t x = 0; x < n; x++)
            got[i][x] = __half2float(raw[x]);
    }
    bool bad = false;
    static const char *const names[] = {"dQ", "dK", "dV"};
    for (int i = 0; i < 3; i++)
        bad |= suite_diff(names[i], got[i].data() + n - want[i].size(), want[i].data(), want[i].size(), 0.02, 0.002);
    return suite_done("attention_backward", argc, argv, bad);
}
