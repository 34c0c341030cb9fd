/*
 * weir's matrix product for half and bfloat16 on tensor cores: tiles in shared memory, 16 x 16 x 16 products of a warp,
 * sums in f32. Not NVIDIA's: neither its tiles nor its speed.
 *
 * A sum runs over k in ascending order in steps of 16; within a step it is the tensor core's. alpha, beta, bias and
 * activation are applied in f32, and the result is rounded once.
 *
 * IN: the type of A and B. OUT: of C and D. TA, TB: 1 = transposed.
 */
#include "gemm_params.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

#define OP_0                       n
#define OP_1                       t
#define OP_(x)                     OP_##x
#define OP(x)                      OP_(x)
#define JOIN_(in, out, a, b, tile) weir_cublas_gemm_##in##_##out##_##a##b##_##tile
#define JOIN(in, out, a, b, tile)  JOIN_(in, out, a, b, tile)
#define KERNEL(tile)               extern "C" __global__ void JOIN(IN, OUT, OP(TA), OP(TB), tile)

typedef __half f16;
typedef __nv_bfloat16 bf16;
typedef float f32;

__device__ inline float wide(f16 v) { return __half2float(v); }
__device__ inline float wide(bf16 v) { return __bfloat162float(v); }
__device__ inline float wide(f32 v) { return v; }
__device__ inline void store(f16 *p, float v) { *p = __float2half_rn(v); }
__device__ inline void store(bf16 *p, float v) { *p = __float2bfloat16_rn(v); }
__device__ inline void store(f32 *p, float v) { *p = v; }

/*
 * A tile of `across` x `along` elements, where memory runs along: 8 elements at a time, beyond the matrix zeros.
 * `to` has rows of ALONG + 8 elements: so rows begin in different banks.
 */
template <int ACROSS, int ALONG, int THREADS>
__device__ __forceinline__ void load_tile(IN *to, const IN *from, int ld, int first_across, int across, int first_along, int along,
                                 bool aligned)
{
    for (int at = threadIdx.x; at < ACROSS * ALONG / 8; at += THREADS) {
        const int row = at / (ALONG / 8), column = at % (ALONG / 8) * 8;
        const int y = first_across + row, x = first_along + column;
        IN *place = to + row * (ALONG + 8) + column;
        const IN *p = from + (long long)y * ld + x;
        if (aligned && y < across && x + 8 <= along) {
            *(uint4 *)place = *(const uint4 *)p;
        } else {
            for (int i = 0; i < 8; i++)
                place[i] = y < across && x + i < along ? p[i] : IN(0.0f);
        }
    }
}

__device__ inline float scalar_at(const void *at, double value, int type)
{
    return !at                  ? (float)value
           : type == SCALAR_F16 ? __half2float(*(const __half *)at)
                                : *(const float *)at;
}

/* WM x WN warps, each with FM x FN squares of 16 x 16. */
template <int WM, int WN, int FM, int FN> __device__ __forceinline__ void product(const gemm_params &p)
{
    enum { M = WM * FM * 16, N = WN * FN * 16, K = 32, THREADS = 32 * WM * WN };
    typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, IN, std::conditional_t<TA, wmma::row_major, wmma::col_major>> frag_a;
    typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, IN, std::conditional_t<TB, wmma::row_major, wmma::col_major>> frag_b;
    typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> frag_c;
    /* Each tile has the same layout in shared memory as in global memory: A is rows along k if transposed, B if not. */
    enum { LD_A = (TA ? K : M) + 8, LD_B = (TB ? N : K) + 8 };
    __shared__ __align__(16) IN tile_a[(TA ? M : K) * LD_A], tile_b[(TB ? K : N) * LD_B];
    __shared__ float square[WM * WN][16 * 16];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int warp_i = warp % WM * FM * 16, warp_j = warp / WM * FN * 16;
    const int first_i = blockIdx.x * M, first_j = blockIdx.y * N;
    for (int problem = blockIdx.z; problem < p.batch; problem += gridDim.z) {
        const IN *a = (const IN *)p.a + problem * p.stride_a, *b = (const IN *)p.b + problem * p.stride_b;
        const OUT *c = (const OUT *)p.c + problem * p.stride_c;
        OUT *d = (OUT *)p.d + problem * p.stride_d;
        if (p.d_list) {
            a = (const IN *)p.a_list[problem];
            b = (const IN *)p.b_list[problem];
            c = d = (OUT *)p.d_list[problem];
        }
        frag_c sum[FM][FN];
        for (int r = 0; r < FM; r++)
            for (int s = 0; s < FN; s++)
                wmma::fill_fragment(sum[r][s], 0.0f);
        for (int k0 = 0; k0 < p.k; k0 += K) {
            if (TA)
                load_tile<M, K, THREADS>(tile_a, a, p.lda, first_i, p.m, k0, p.k, p.aligned);
            else
                load_tile<K, M, THREADS>(tile_a, a, p.lda, k0, p.k, first_i, p.m, p.aligned);
            if (TB)
                load_tile<K, N, THREADS>(tile_b, b, p.ldb, k0, p.k, first_j, p.n, p.aligned);
            else
                load_tile<N, K, THREADS>(tile_b, b, p.ldb, first_j, p.n, k0, p.k, p.aligned);
            __syncthreads();
#pragma unroll
            for (int k = 0; k < K; k += 16) {
                frag_a left[FM];
                frag_b right[FN];
#pragma unroll
                for (int r = 0; r < FM; r++)
                    wmma::load_matrix_sync(
                        left[r], TA ? tile_a + (warp_i + 16 * r) * LD_A + k : tile_a + k * LD_A + warp_i + 16 * r, LD_A);
#pragma unroll
                for (int s = 0; s < FN; s++)
                    wmma::load_matrix_sync(
                        right[s], TB ? tile_b + k * LD_B + warp_j + 16 * s : tile_b + (warp_j + 16 * s) * LD_B + k, LD_B);
#pragma unroll
                for (int r = 0; r < FM; r++)
#pragma unroll
                    for (int s = 0; s < FN; s++)
                        wmma::mma_sync(sum[r][s], left[r], right[s], sum[r][s]);
            }
            __syncthreads();
        }
        const float alpha = scalar_at(p.alpha_at, p.alpha[0], p.scalar), beta = scalar_at(p.beta_at, p.beta[0], p.scalar);
#pragma unroll
        for (int r = 0; r < FM; r++)
#pragma unroll
            for (int s = 0; s < FN; s++) {
                wmma::store_matrix_sync(square[warp], sum[r][s], 16, wmma::mem_col_major);
                __syncwarp();
                for (int at = lane; at < 16 * 16; at += 32) {
                    const int i = first_i + warp_i + 16 * r + at % 16, j = first_j + warp_j + 16 * s + at / 16;
                    if (i >= p.m || j >= p.n)
                        continue;
                    float v = alpha * square[warp][at];
                    if (beta != 0)
                        v = fmaf(beta, wide(c[i + (long long)j * p.ldc]), v);
                    if (p.epilogue & EPILOGUE_BIAS)
                        v += wide(((const OUT *)p.bias)[i]);
                    OUT *aux = (OUT *)p.aux + problem * p.stride_aux + i + (long long)j * p.ld_aux;
                    if (p.epilogue & EPILOGUE_AUX && !(p.epilogue & EPILOGUE_DGELU))
                        store(aux, v);
                    if (p.epilogue & EPILOGUE_RELU)
                        v = v > 0 ? v : 0;
                    if (p.epilogue & (EPILOGUE_GELU | EPILOGUE_DGELU)) {
                        const float g = p.epilogue & EPILOGUE_DGELU ? wide(*aux) : v;
                        const float t = tanhf(0.79788456f * (g + 0.044715f * g * g * g));
                        v = p.epilogue & EPILOGUE_GELU
                                ? 0.5f * g * (1 + t)
                                : v * (0.5f * (1 + t) + 0.5f * g * (1 - t * t) * 0.79788456f * (1 + 0.134145f * g * g));
                    }
                    store(d + i + (long long)j * p.ldd, v);
                }
                __syncwarp();
            }
    }
}

KERNEL(64x64)(const gemm_params p) { product<2, 2, 2, 2>(p); }
KERNEL(128x128)(const gemm_params p) { product<4, 2, 2, 4>(p); }
