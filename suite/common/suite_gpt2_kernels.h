/*
 * The kernels of a GPT-2 model (Radford and others, 2019): products on tensor cores, causal attention, layer norm,
 * cross entropy, each with its backward pass, and AdamW (arXiv 1711.05101).
 *
 * Products multiply bf16 and sum f32 (mma.sync m16n8k16, operands by cp.async and ldmatrix). Weights have an f32 master and
 * a bf16 copy; the residual stream and its gradient are f32, all else that lies in memory between kernels is bf16, but for
 * gradients of weights and of what a layer norm returned. Every sum has one order: no atomics, so results repeat bit for bit.
 * Shapes: rows, positions and products' dimensions in multiples of 64, channels of 128, heads of 64.
 */
#ifndef WEIR_SUITE_GPT2_KERNELS_H
#define WEIR_SUITE_GPT2_KERNELS_H

#include "suite.h"

#include <cuda_bf16.h>

typedef __nv_bfloat16 bf16;
typedef __nv_bfloat162 bf162;
enum {
    HEAD = 64,
    PAD = 8
}; /* PAD: bf16 behind each row of a tile, so that the eight rows of an ldmatrix meet all banks */
#define LOG2E 1.4426950408889634f

/* ---- tiles, fragments, products ---- */

static __device__ inline uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}
static __device__ inline void fetch_commit(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int PENDING> static __device__ inline void fetch_wait(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}
/* What a thread copies of tiles with ROWS rows of COLS bf16: 16 bytes in each of some rows. */
template <int ROWS, int COLS, int THREADS> struct tile_copy {
    enum { STRIDE = COLS + PAD, BYTES = ROWS * STRIDE * 2, ROWS_AT_ONCE = THREADS * 8 / COLS };
    const bf16 *from;
    size_t step; /* from one of its rows to the next */
    uint32_t to;

    __device__ tile_copy(uint32_t tile, const bf16 *matrix, size_t stride)
        : from(matrix + threadIdx.x / (COLS / 8) * stride + threadIdx.x % (COLS / 8) * 8), step(ROWS_AT_ONCE * stride),
          to(tile + (threadIdx.x / (COLS / 8) * STRIDE + threadIdx.x % (COLS / 8) * 8) * 2)
    {
    }
    __device__ void fetch(uint32_t stage, size_t offset) const
    {
#pragma unroll
        for (int i = 0; i < ROWS / ROWS_AT_ONCE; i++)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + stage + i * ROWS_AT_ONCE * STRIDE * 2),
                         "l"(from + offset + i * step)
                         : "memory");
    }
};

/* Four matrices of 8 x 8; each lane names a row. */
template <bool TRANSPOSED> static __device__ inline void load_matrices(uint32_t (&f)[4], uint32_t row)
{
    if (TRANSPOSED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
                     : "r"(row)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
                     : "r"(row)
                     : "memory");
}
/* Operands of products in a tile of so many columns: 16 rows of A by 16 of k, and 16 columns of B by 16 of k. K_ROWS: the
   tile's rows are k. `lane` is where a lane's part begins, `place` the distance of a fragment. */
template <bool K_ROWS, int COLS> struct operand_a {
    enum { STRIDE = COLS + PAD };
    static __device__ uint32_t lane()
    {
        const int l = threadIdx.x % 32;
        return 2 * (K_ROWS ? (l % 8 + l / 16 * 8) * STRIDE + l / 8 % 2 * 8 : l % 16 * STRIDE + l / 16 * 8);
    }
    static __device__ uint32_t place(int row, int k) { return 2 * (K_ROWS ? k * STRIDE + row : row * STRIDE + k); }
};
template <bool K_ROWS, int COLS> struct operand_b {
    enum { STRIDE = COLS + PAD };
    static __device__ uint32_t lane()
    {
        const int l = threadIdx.x % 32;
        return 2 * (K_ROWS ? l % 16 * STRIDE + l / 16 * 8 : (l % 8 + l / 16 * 8) * STRIDE + l / 8 % 2 * 8);
    }
    static __device__ uint32_t place(int col, int k) { return 2 * (K_ROWS ? k * STRIDE + col : col * STRIDE + k); }
};
static __device__ inline void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    float e[4];
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, "
        "%12, %13};"
        : "=f"(e[0]), "=f"(e[1]), "=f"(e[2]), "=f"(e[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]));
    for (int i = 0; i < 4; i++)
        d[i] = e[i];
}
/* 2^x, as fast as the unit does it. */
static __device__ inline float power_of_2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static __device__ inline float warp_sum(float x)
{
    for (int by = 16; by; by /= 2)
        x += __shfl_xor_sync(~0u, x, by);
    return x;
}
static __device__ inline float warp_max(float x)
{
    for (int by = 16; by; by /= 2)
        x = fmaxf(x, __shfl_xor_sync(~0u, x, by));
    return x;
}
/* Of a CTA's threads, for all of them. */
static __device__ inline float block_sum(float x)
{
    __shared__ float part[32];
    x = warp_sum(x);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    x = 0;
    for (int i = 0; i < blockDim.x / 32; i++)
        x += part[i];
    return x;
}
static __device__ inline float block_max(float x)
{
    __shared__ float part[32];
    x = warp_max(x);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    for (int i = 0; i < blockDim.x / 32; i++)
        x = fmaxf(x, part[i]);
    return x;
}

/* The approximation by tanh, and its derivative. */
static __device__ inline float gelu_tanh(float x)
{
    return 1 - 2 / (1 + power_of_2(2 * LOG2E * 0.7978845608f * (x + 0.044715f * x * x * x)));
}
static __device__ inline float gelu(float x)
{
    return 0.5f * x * (1 + gelu_tanh(x));
}
static __device__ inline float gelu_slope(float x)
{
    const float t = gelu_tanh(x);
    return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * 0.7978845608f * (1 + 3 * 0.044715f * x * x);
}

/* What becomes of two neighboring sums of a product; n: the length of the result's rows. */
struct to_f32 { /* gradients of weights, and of what a layer norm returned */
    float *out;
    int n;
    __device__ void operator()(int row, int col, float x, float y) const
    {
        *(float2 *)&out[(size_t)row * n + col] = make_float2(x, y);
    }
};
struct to_bf16 { /* logits, the gradient of attention's result */
    bf16 *out;
    int n;
    __device__ void operator()(int row, int col, float x, float y) const
    {
        *(bf162 *)&out[(size_t)row * n + col] = __floats2bfloat162_rn(x, y);
    }
};
struct plus_bias { /* queries, keys, values */
    bf16 *out;
    const float *bias;
    int n;
    __device__ void operator()(int row, int col, float x, float y) const
    {
        const float2 b = *(const float2 *)&bias[col];
        *(bf162 *)&out[(size_t)row * n + col] = __floats2bfloat162_rn(x + b.x, y + b.y);
    }
};
struct plus_residual { /* the end of attention and of the MLP */
    float *out;
    const float *residual, *bias;
    int n;
    __device__ void operator()(int row, int col, float x, float y) const
    {
        const size_t at = (size_t)row * n + col;
        const float2 b = *(const float2 *)&bias[col], r = *(const float2 *)&residual[at];
        *(float2 *)&out[at] = make_float2(r.x + (x + b.x), r.y + (y + b.y));
    }
};
struct through_gelu { /* the MLP's hidden units; `before` is kept for the backward pass */
    bf16 *out, *before;
    const float *bias;
    int n;
    __device__ void operator()(int row, int col, float x, float y) const
    {
        const size_t at = (size_t)row * n + col;
        const float2 b = *(const float2 *)&bias[col];
        const bf162 h = __floats2bfloat162_rn(x + b.x, y + b.y);
        if (before)
            *(bf162 *)&before[at] = h;
        *(bf162 *)&out[at] = __floats2bfloat162_rn(gelu(__low2float(h)), gelu(__high2float(h)));
    }
};
struct back_through_gelu {
    bf16 *out;
    const bf16 *before;
    int n;
    __device__ void operator()(int row, int col, float x, float y) const
    {
        const size_t at = (size_t)row * n + col;
        const float2 h = __bfloat1622float2(*(const bf162 *)&before[at]);
        *(bf162 *)&out[at] = __floats2bfloat162_rn(x * gelu_slope(h.x), y * gelu_slope(h.y));
    }
};

/* A product's tile: WM x WN warps with MT x NT tiles of 16 x 8 each, 32 of k at a time. */
template <int WARPS_M, int WARPS_N, int TILES_M, int TILES_N> struct tiling {
    enum {
        WM = WARPS_M,
        WN = WARPS_N,
        MT = TILES_M,
        NT = TILES_N,
        BM = WM * MT * 16,
        BN = WN * NT * 8,
        BK = 32,
        THREADS = WM * WN * 32
    };
};
typedef tiling<2, 2, 2, 4> small_tiles; /* 64 x 64 */
typedef tiling<2, 4, 4, 4> large_tiles; /* 128 x 128 */

/*
 * out(A B), A of M x K and B of K x N. A lies in memory as M rows, or transposed as K rows; B as N rows, or transposed as K
 * rows. CTAs that share B's columns are neighbors, because B is the larger matrix where A has few rows.
 */
template <class T, bool A_T, bool B_T, class OUT>
__global__ void __launch_bounds__(T::THREADS)
    product(const bf16 *a, int a_stride, const bf16 *b, int b_stride, int k, OUT out)
{
    typedef tile_copy<A_T ? T::BK : T::BM, A_T ? T::BM : T::BK, T::THREADS> copy_a;
    typedef tile_copy<B_T ? T::BK : T::BN, B_T ? T::BN : T::BK, T::THREADS> copy_b;
    typedef operand_a<A_T, A_T ? T::BM : T::BK> operands_a;
    typedef operand_b<B_T, B_T ? T::BN : T::BK> operands_b;
    constexpr int bytes = copy_a::BYTES + copy_b::BYTES, fit = 48 * 1024 / bytes, stages = fit > 3 ? 3 : fit;
    __shared__ __align__(16) char tiles[stages * bytes];
    const int m0 = blockIdx.x * T::BM, n0 = blockIdx.y * T::BN, steps = k / T::BK;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int m = warp % T::WM * T::MT * 16, n = warp / T::WM * T::NT * 8;
    const copy_a from_a(shared_address(tiles), a + (A_T ? m0 : (size_t)m0 * a_stride), a_stride);
    const copy_b from_b(shared_address(tiles) + copy_a::BYTES, b + (B_T ? n0 : (size_t)n0 * b_stride), b_stride);
    const size_t a_step = T::BK * (A_T ? (size_t)a_stride : 1), b_step = T::BK * (B_T ? (size_t)b_stride : 1);
    const uint32_t part_a = shared_address(tiles) + operands_a::lane() + operands_a::place(m, 0);
    const uint32_t part_b = shared_address(tiles) + copy_a::BYTES + operands_b::lane() + operands_b::place(n, 0);
    float sum[T::MT][T::NT][4] = {};
    for (int i = 0; i < stages - 1; i++) {
        if (i < steps) {
            from_a.fetch(i * bytes, i * a_step);
            from_b.fetch(i * bytes, i * b_step);
        }
        fetch_commit();
    }
    uint32_t full = 0, empty = (stages - 1) * bytes;
    for (int step = 0; step < steps; step++) {
        const int next = step + stages - 1;
        fetch_wait<stages - 2>();
        __syncthreads(); /* its tiles are there, and those of the last step have been used */
        if (next < steps) {
            from_a.fetch(empty, next * a_step);
            from_b.fetch(empty, next * b_step);
        }
        fetch_commit();
#pragma unroll
        for (int kk = 0; kk < T::BK; kk += 16) {
            uint32_t fa[T::MT][4], fb[T::NT / 2][4];
#pragma unroll
            for (int i = 0; i < T::MT; i++)
                load_matrices<A_T>(fa[i], part_a + full + operands_a::place(i * 16, kk));
#pragma unroll
            for (int j = 0; j < T::NT / 2; j++)
                load_matrices<B_T>(fb[j], part_b + full + operands_b::place(j * 16, kk));
#pragma unroll
            for (int i = 0; i < T::MT; i++)
#pragma unroll
                for (int j = 0; j < T::NT; j++)
                    multiply(sum[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
        }
        full = full + bytes == stages * bytes ? 0 : full + bytes;
        empty = empty + bytes == stages * bytes ? 0 : empty + bytes;
    }
#pragma unroll
    for (int i = 0; i < T::MT; i++)
#pragma unroll
        for (int j = 0; j < T::NT; j++) {
            const int row = m0 + m + i * 16 + lane / 4, col = n0 + n + j * 8 + lane % 4 * 2;
            out(row, col, sum[i][j][0], sum[i][j][1]);
            out(row + 8, col, sum[i][j][2], sum[i][j][3]);
        }
}

/* ---- attention: four warps with 16 rows each, against tiles of 64 ---- */

typedef tile_copy<64, HEAD, 128> head_copy;
enum { TILE = head_copy::BYTES };

/* d += A B, where the tile's rows are B's columns, or with K_ROWS its rows. */
template <bool K_ROWS>
static __device__ inline void multiply_tile(float (&d)[8][4], const uint32_t (&a)[4][4], uint32_t tile)
{
    const uint32_t part = tile + operand_b<K_ROWS, HEAD>::lane();
#pragma unroll
    for (int k = 0; k < 4; k++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            uint32_t b[4];
            load_matrices<K_ROWS>(b, part + operand_b<K_ROWS, HEAD>::place(j * 16, k * 16));
            multiply(d[2 * j], a[k], b[0], b[1]);
            multiply(d[2 * j + 1], a[k], b[2], b[3]);
        }
}
/* Sums as the A of the next product. */
static __device__ inline void as_operand(uint32_t (&a)[4][4], const float (&p)[8][4])
{
#pragma unroll
    for (int i = 0; i < 16; i++) {
        const bf162 h = __floats2bfloat162_rn(p[i / 2][i % 2 * 2], p[i / 2][i % 2 * 2 + 1]);
        memcpy(&a[i / 4][i % 4], &h, 4);
    }
}
/* A warp's 16 rows of a tile. */
static __device__ inline void load_operand(uint32_t (&a)[4][4], uint32_t tile)
{
    const uint32_t part =
        tile + operand_a<false, HEAD>::lane() + operand_a<false, HEAD>::place(threadIdx.x / 32 * 16, 0);
#pragma unroll
    for (int k = 0; k < 4; k++)
        load_matrices<false>(a[k], part + operand_a<false, HEAD>::place(0, k * 16));
}
static __device__ inline void clear(float (&x)[8][4])
{
#pragma unroll
    for (int i = 0; i < 32; i++)
        x[i / 4][i % 4] = 0;
}
static __device__ inline void store_rows(bf16 *out, size_t stride, const float (&x)[8][4], float upper, float lower)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        bf16 *at = out + lane / 4 * stride + j * 8 + lane % 4 * 2;
        *(bf162 *)at = __floats2bfloat162_rn(x[j][0] * upper, x[j][1] * upper);
        *(bf162 *)(at + 8 * stride) = __floats2bfloat162_rn(x[j][2] * lower, x[j][3] * lower);
    }
}
/* Softmax of scores so far as in FlashAttention (arXiv 2205.14135): maximum and sum of a row are corrected tile by tile. */
__global__ void __launch_bounds__(128) attention(const bf16 *qkv, bf16 *out, float *log_sums, int length, int channels)
{
    __shared__ __align__(16) char tiles[5 * TILE]; /* Q, then two stages of K and V */
    const int q_tile = gridDim.x - 1 - blockIdx.x, head = blockIdx.y, t = threadIdx.x,
              lane = t % 32; /* long rows first */
    const size_t stride = 3 * channels, first = (size_t)blockIdx.z * length, row = first + q_tile * 64 + t / 32 * 16;
    const uint32_t q_at = shared_address(tiles), kv_at = q_at + TILE;
    const head_copy k_copy(kv_at, qkv + first * stride + channels + head * HEAD, stride);
    head_copy(q_at, qkv + (first + q_tile * 64) * stride + head * HEAD, stride).fetch(0, 0);
    k_copy.fetch(0, 0);
    k_copy.fetch(TILE, channels); /* V */
    fetch_commit();
    uint32_t q[4][4], p[4][4];
    float o[8][4], top[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
    clear(o);
    for (int tile = 0; tile <= q_tile; tile++) {
        const uint32_t stage = tile % 2 * 2 * TILE;
        fetch_wait<0>();
        __syncthreads();
        if (tile < q_tile) {
            k_copy.fetch(2 * TILE - stage, (tile + 1) * 64 * stride);
            k_copy.fetch(3 * TILE - stage, (tile + 1) * 64 * stride + channels);
        }
        fetch_commit();
        if (tile == 0)
            load_operand(q, q_at);
        float s[8][4];
        clear(s);
        multiply_tile<false>(s, q, kv_at + stage);
#pragma unroll
        for (int half = 0; half < 2; half++) {
            float highest = top[half];
#pragma unroll
            for (int i = 0; i < 16; i++) {
                float &x = s[i / 2][half * 2 + i % 2];
                x *= 0.125f * LOG2E;
                if (tile == q_tile && i / 2 * 8 + lane % 4 * 2 + i % 2 > t / 32 * 16 + lane / 4 + half * 8)
                    x = -INFINITY;
                highest = fmaxf(highest, x);
            }
            highest = fmaxf(highest, __shfl_xor_sync(~0u, highest, 1));
            highest = fmaxf(highest, __shfl_xor_sync(~0u, highest, 2));
            const float scale = power_of_2(top[half] - highest);
            top[half] = highest;
            sum[half] *= scale;
#pragma unroll
            for (int i = 0; i < 16; i++) {
                float &x = s[i / 2][half * 2 + i % 2];
                o[i / 2][half * 2 + i % 2] *= scale;
                sum[half] += x = power_of_2(x - highest);
            }
        }
        as_operand(p, s);
        multiply_tile<true>(o, p, kv_at + stage + TILE);
    }
    for (int half = 0; half < 2; half++) {
        sum[half] += __shfl_xor_sync(~0u, sum[half], 1);
        sum[half] += __shfl_xor_sync(~0u, sum[half], 2);
        if (lane % 4 == 0)
            log_sums[(row + lane / 4 + half * 8) * gridDim.y + head] = top[half] + log2f(sum[half]);
    }
    store_rows(out + row * channels + head * HEAD, channels, o, 1 / sum[0], 1 / sum[1]);
}

/* For each row and head: the gradient times the result, which is the softmax's mean of its gradient. A warp each. */
__global__ void attention_means(const bf16 *d_out, const bf16 *out, float *means)
{
    const size_t i = (size_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    const float2 a = __bfloat1622float2(((const bf162 *)out)[i * 32 + lane]);
    const float2 b = __bfloat1622float2(((const bf162 *)d_out)[i * 32 + lane]);
    const float sum = warp_sum(a.x * b.x + a.y * b.y);
    if (lane == 0)
        means[i] = sum;
}

/* dS = P (dP - mean) / 8 of scores s; 0 right of the diagonal. p becomes P. */
static __device__ inline void back_through_softmax(float &p, float &dp, float log_sum, float mean, bool visible)
{
    p = visible ? power_of_2(p * (0.125f * LOG2E) - log_sum) : 0;
    dp = p * (dp - mean) * 0.125f;
}

/* dQ of 64 rows, over the keys before them: S = Q K^T, dP = dO V^T, dQ = dS K. */
__global__ void __launch_bounds__(128) attention_d_queries(const bf16 *qkv, const bf16 *d_out, const float *log_sums,
                                                           const float *means, bf16 *d_qkv, int length, int channels)
{
    __shared__ __align__(16) char tiles[4 * TILE]; /* Q, dO, K, V */
    const int q_tile = gridDim.x - 1 - blockIdx.x, head = blockIdx.y, t = threadIdx.x, lane = t % 32;
    const size_t stride = 3 * channels, first = (size_t)blockIdx.z * length, q_first = first + q_tile * 64,
                 row = q_first + t / 32 * 16;
    const uint32_t at = shared_address(tiles);
    const head_copy k_copy(at + 2 * TILE, qkv + first * stride + channels + head * HEAD, stride);
    head_copy(at, qkv + q_first * stride + head * HEAD, stride).fetch(0, 0);
    head_copy(at + TILE, d_out + q_first * channels + head * HEAD, channels).fetch(0, 0);
    uint32_t q[4][4], d_o[4][4], operand[4][4];
    float sum[8][4], log_sum[2], mean[2];
    clear(sum);
    for (int half = 0; half < 2; half++) {
        log_sum[half] = log_sums[(row + lane / 4 + half * 8) * gridDim.y + head];
        mean[half] = means[(row + lane / 4 + half * 8) * gridDim.y + head];
    }
    for (int tile = 0; tile <= q_tile; tile++) {
        __syncthreads(); /* the last tiles have been used */
        k_copy.fetch(0, tile * 64 * stride);
        k_copy.fetch(TILE, tile * 64 * stride + channels); /* V */
        fetch_commit();
        fetch_wait<0>();
        __syncthreads();
        if (tile == 0) {
            load_operand(q, at);
            load_operand(d_o, at + TILE);
        }
        float s[8][4], dp[8][4];
        clear(s);
        clear(dp);
        multiply_tile<false>(s, q, at + 2 * TILE);
        multiply_tile<false>(dp, d_o, at + 3 * TILE);
#pragma unroll
        for (int i = 0; i < 32; i++) {
            const int half = i / 2 % 2, key = i / 4 * 8 + lane % 4 * 2 + i % 2,
                      query = t / 32 * 16 + lane / 4 + half * 8;
            back_through_softmax(s[i / 4][i % 4], dp[i / 4][i % 4], log_sum[half], mean[half],
                                 tile < q_tile || key <= query);
        }
        as_operand(operand, dp);
        multiply_tile<true>(sum, operand, at + 2 * TILE);
    }
    store_rows(d_qkv + row * stride + head * HEAD, stride, sum, 1, 1);
}

/* dK and dV of 64 rows, over the queries behind them: S^T = K Q^T, dP^T = V dO^T, dV = P^T dO, dK = dS^T Q. */
__global__ void __launch_bounds__(128) attention_d_keys(const bf16 *qkv, const bf16 *d_out, const float *log_sums,
                                                        const float *means, bf16 *d_qkv, int length, int channels)
{
    __shared__ __align__(16) char tiles[4 * TILE]; /* K, V, Q, dO */
    const int k_tile = blockIdx.x, head = blockIdx.y, t = threadIdx.x, lane = t % 32;
    const size_t stride = 3 * channels, first = (size_t)blockIdx.z * length, k_first = first + k_tile * 64,
                 row = k_first + t / 32 * 16;
    const uint32_t at = shared_address(tiles);
    const head_copy k_copy(at, qkv + k_first * stride + channels + head * HEAD, stride);
    const head_copy q_copy(at + 2 * TILE, qkv + first * stride + head * HEAD, stride);
    const head_copy d_copy(at + 3 * TILE, d_out + first * channels + head * HEAD, channels);
    k_copy.fetch(0, 0);
    k_copy.fetch(TILE, channels); /* V */
    uint32_t k[4][4], v[4][4], operand[4][4];
    float sum_k[8][4], sum_v[8][4];
    clear(sum_k);
    clear(sum_v);
    for (int tile = k_tile; tile < length / 64; tile++) {
        const size_t q_first = first + tile * 64;
        __syncthreads();
        q_copy.fetch(0, tile * 64 * stride);
        d_copy.fetch(0, (size_t)tile * 64 * channels);
        fetch_commit();
        fetch_wait<0>();
        __syncthreads();
        if (tile == k_tile) {
            load_operand(k, at);
            load_operand(v, at + TILE);
        }
        float s[8][4], dp[8][4];
        clear(s);
        clear(dp);
        multiply_tile<false>(s, k, at + 2 * TILE);
        multiply_tile<false>(dp, v, at + 3 * TILE);
#pragma unroll
        for (int i = 0; i < 32; i++) {
            const int query = i / 4 * 8 + lane % 4 * 2 + i % 2, key = t / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
            const size_t of_query = (q_first + query) * gridDim.y + head;
            back_through_softmax(s[i / 4][i % 4], dp[i / 4][i % 4], log_sums[of_query], means[of_query],
                                 tile > k_tile || key <= query);
        }
        as_operand(operand, s);
        multiply_tile<true>(sum_v, operand, at + 3 * TILE);
        as_operand(operand, dp);
        multiply_tile<true>(sum_k, operand, at + 2 * TILE);
    }
    store_rows(d_qkv + row * stride + channels + head * HEAD, stride, sum_k, 1, 1);
    store_rows(d_qkv + row * stride + 2 * channels + head * HEAD, stride, sum_v, 1, 1);
}

/* ---- rows: embedding, layer norm, cross entropy ---- */

/* A thread for four channels. */
__global__ void embed(const int *tokens, const float *of_token, const float *of_position, float *x, int length,
                      int channels)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / (channels / 4), c = i % (channels / 4);
    const float4 a = ((const float4 *)of_token)[(size_t)tokens[row] * (channels / 4) + c];
    const float4 b = ((const float4 *)of_position)[row % length * (channels / 4) + c];
    ((float4 *)x)[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/* A warp for a row. */
__global__ void layer_norm(const float *x, const float *gain, const float *bias, bf16 *out, float2 *moments,
                           int channels)
{
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    const float4 *in = (const float4 *)(x + (size_t)row * channels);
    float sum = 0, square = 0;
    for (int i = lane; i < channels / 4; i += 32)
        sum += in[i].x + in[i].y + (in[i].z + in[i].w);
    const float mean = warp_sum(sum) / channels;
    for (int i = lane; i < channels / 4; i += 32) {
        const float4 d = make_float4(in[i].x - mean, in[i].y - mean, in[i].z - mean, in[i].w - mean);
        square += d.x * d.x + d.y * d.y + (d.z * d.z + d.w * d.w);
    }
    const float scale = rsqrtf(warp_sum(square) / channels + 1e-5f);
    for (int i = lane; i < channels / 4; i += 32) {
        const float4 v = in[i], g = ((const float4 *)gain)[i], b = ((const float4 *)bias)[i];
        bf162 *to = (bf162 *)(out + (size_t)row * channels) + i * 2;
        to[0] = __floats2bfloat162_rn((v.x - mean) * scale * g.x + b.x, (v.y - mean) * scale * g.y + b.y);
        to[1] = __floats2bfloat162_rn((v.z - mean) * scale * g.z + b.z, (v.w - mean) * scale * g.w + b.w);
    }
    if (moments && lane == 0)
        moments[row] = make_float2(mean, scale);
}

/* Adds the gradient of a layer norm's input to that of the residual stream, and rounds the sum for products. */
__global__ void layer_norm_d_input(const float *dy, const float *x, const float *gain, const float2 *moments, float *dx,
                                   bf16 *dx_rounded, int channels)
{
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t first = (size_t)row * channels;
    const float mean = moments[row].x, scale = moments[row].y;
    const float4 *ds = (const float4 *)(dy + first), *xs = (const float4 *)(x + first), *gains = (const float4 *)gain;
    float sum = 0, dot = 0;
    for (int i = lane; i < channels / 4; i += 32) {
        const float4 d = ds[i], g = gains[i], v = xs[i];
        sum += d.x * g.x + d.y * g.y + (d.z * g.z + d.w * g.w);
        dot +=
            d.x * g.x * (v.x - mean) + d.y * g.y * (v.y - mean) + (d.z * g.z * (v.z - mean) + d.w * g.w * (v.w - mean));
    }
    sum = warp_sum(sum) / channels;
    dot = warp_sum(dot) / channels * scale * scale;
    for (int i = lane; i < channels / 4; i += 32) {
        const float4 d = ds[i], g = gains[i], v = xs[i];
        float4 to = ((float4 *)(dx + first))[i];
        to.x += (d.x * g.x - sum - (v.x - mean) * dot) * scale;
        to.y += (d.y * g.y - sum - (v.y - mean) * dot) * scale;
        to.z += (d.z * g.z - sum - (v.z - mean) * dot) * scale;
        to.w += (d.w * g.w - sum - (v.w - mean) * dot) * scale;
        ((float4 *)(dx + first))[i] = to;
        bf162 *rounded = (bf162 *)(dx_rounded + first) + 2 * i;
        rounded[0] = __floats2bfloat162_rn(to.x, to.y);
        rounded[1] = __floats2bfloat162_rn(to.z, to.w);
    }
}

/* 32 columns, eight warps that take every eighth row; the first warp adds their sums. */
enum { COLUMN_WARPS = 8 };
static __device__ inline float column_sum(float mine)
{
    __shared__ float part[COLUMN_WARPS][32];
    __syncthreads();
    part[threadIdx.x / 32][threadIdx.x % 32] = mine;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < COLUMN_WARPS; i++)
        sum += part[i][threadIdx.x % 32];
    return sum;
}
__global__ void layer_norm_d_parameters(const float *dy, const float *x, const float2 *moments, float *d_gain,
                                        float *d_bias, int rows, int channels)
{
    const int c = blockIdx.x * 32 + threadIdx.x % 32;
    float gain = 0, bias = 0;
    for (int r = threadIdx.x / 32; r < rows; r += COLUMN_WARPS) {
        const float d = dy[(size_t)r * channels + c];
        const float2 m = moments[r];
        gain += d * (x[(size_t)r * channels + c] - m.x) * m.y;
        bias += d;
    }
    gain = column_sum(gain);
    bias = column_sum(bias);
    if (threadIdx.x < 32) {
        d_gain[c] = gain;
        d_bias[c] = bias;
    }
}
__global__ void bias_gradient(const bf16 *dy, float *d_bias, int rows, int columns)
{
    const int c = blockIdx.x * 32 + threadIdx.x % 32;
    float sum = 0;
    for (int r = threadIdx.x / 32; r < rows; r += COLUMN_WARPS)
        sum += __bfloat162float(dy[(size_t)r * columns + c]);
    sum = column_sum(sum);
    if (threadIdx.x < 32)
        d_bias[c] = sum;
}

/* The loss of each row, -log softmax of its target; with `backward` the logits become the gradient of the mean loss. */
__global__ void cross_entropy(bf16 *logits, const int *targets, float *losses, int words, int padded, bool backward)
{
    const int row = blockIdx.x, target = targets[row];
    bf162 *l = (bf162 *)(logits + (size_t)row * padded);
    __shared__ float of_target;
    float top = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < (words + 1) / 2; i += blockDim.x) {
        const float2 x = __bfloat1622float2(l[i]);
        top = fmaxf(top, 2 * i + 1 < words ? fmaxf(x.x, x.y) : x.x);
    }
    top = block_max(top);
    for (int i = threadIdx.x; i < (words + 1) / 2; i += blockDim.x) {
        const float2 x = __bfloat1622float2(l[i]);
        sum += power_of_2((x.x - top) * LOG2E) + (2 * i + 1 < words ? power_of_2((x.y - top) * LOG2E) : 0);
        if (i == target / 2)
            of_target = target % 2 ? x.y : x.x;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        losses[row] = top - of_target + log2f(sum) / LOG2E;
    if (!backward)
        return;
    const float scale = 1.0f / gridDim.x, share = scale / sum;
    for (int i = threadIdx.x; i < padded / 2; i += blockDim.x) {
        const float2 x = __bfloat1622float2(l[i]);
        const float p = 2 * i < words ? power_of_2((x.x - top) * LOG2E) * share : 0;
        const float q = 2 * i + 1 < words ? power_of_2((x.y - top) * LOG2E) * share : 0;
        l[i] = __floats2bfloat162_rn(p - (2 * i == target ? scale : 0), q - (2 * i + 1 == target ? scale : 0));
    }
}

/* Adds to the table of tokens, which has the gradient of its other use already: for each token the warp of its first row. */
__global__ void embed_d_tokens(const int *tokens, const float *dx, float *d_table, int rows, int channels)
{
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32, token = tokens[row];
    for (int r = 0; r < row; r += 32)
        if (__any_sync(~0u, r + lane < row && tokens[r + lane] == token))
            return;
    for (int c = lane; c < channels / 4; c += 32) {
        float4 *to = (float4 *)(d_table + (size_t)token * channels) + c;
        float4 sum = *to;
        for (int r = row; r < rows; r += 32)
            for (unsigned same = __ballot_sync(~0u, r + lane < rows && tokens[r + lane] == token); same;
                 same &= same - 1) {
                const float4 d = ((const float4 *)(dx + (size_t)(r + __ffs(same) - 1) * channels))[c];
                sum = make_float4(sum.x + d.x, sum.y + d.y, sum.z + d.z, sum.w + d.w);
            }
        *to = sum;
    }
}
/* A thread for a channel of a position, over the sequences. */
__global__ void embed_d_positions(const float *dx, float *d_table, int sequences, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int s = 0; s < sequences; s++)
        sum += dx[(size_t)s * n + i];
    d_table[i] = sum;
}

/* ---- the update ---- */

struct adamw {
    float rate, beta1, beta2, epsilon, decay, clip;
};
/* What a step makes of it: betas and 1 - beta, -rate / (1 - beta1^step), 1 / (1 - beta2^step), what decay leaves of a weight. */
struct adamw_step {
    float old1, new1, old2, new2, change, correct2, epsilon, kept;
    adamw_step(const adamw &o, int step)
        : old1(o.beta1), new1(1 - o.beta1), old2(o.beta2), new2(1 - o.beta2),
          change(-o.rate / (1 - powf(o.beta1, step))), correct2(1 / (1 - powf(o.beta2, step))), epsilon(o.epsilon),
          kept(1 - o.rate * o.decay)
    {
    }
};
enum { NORM_CTAS = 264, NORM_THREADS = 256 };
__global__ void square_sums(const float4 *gradient, int n, float *sums)
{
    float sum = 0;
    for (int i = blockIdx.x * NORM_THREADS + threadIdx.x; i < n; i += gridDim.x * NORM_THREADS) {
        const float4 g = gradient[i];
        sum += g.x * g.x + g.y * g.y + (g.z * g.z + g.w * g.w);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}
__global__ void clip_scale(const float *sums, int parts, float clip, float *scale)
{
    float sum = 0;
    for (int i = threadIdx.x; i < parts; i += NORM_THREADS)
        sum += sums[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *scale = fminf(1, clip / sqrtf(sum));
}
static __device__ inline void update(float &w, float &m, float &v, float g, float kept, const adamw_step &o)
{
    m = m * o.old1 + o.new1 * g;
    v = v * o.old2 + o.new2 * g * g;
    w = w * kept + m * o.change / (sqrtf(v * o.correct2) + o.epsilon);
}
/* A thread for four parameters; those before `decayed` are matrices. */
__global__ void update_parameters(float4 *w, bf162 *rounded, float4 *m, float4 *v, const float4 *gradient,
                                  const float *scale, int n, int decayed, adamw_step o)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 wi = w[i], mi = m[i], vi = v[i];
    const float4 g = gradient[i];
    const float s = *scale, kept = i < decayed ? o.kept : 1;
    update(wi.x, mi.x, vi.x, g.x * s, kept, o);
    update(wi.y, mi.y, vi.y, g.y * s, kept, o);
    update(wi.z, mi.z, vi.z, g.z * s, kept, o);
    update(wi.w, mi.w, vi.w, g.w * s, kept, o);
    w[i] = wi;
    m[i] = mi;
    v[i] = vi;
    rounded[2 * i] = __floats2bfloat162_rn(wi.x, wi.y);
    rounded[2 * i + 1] = __floats2bfloat162_rn(wi.z, wi.w);
}

#endif
