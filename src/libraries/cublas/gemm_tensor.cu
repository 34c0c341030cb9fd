/*
 * weir's matrix product for half, bfloat16 and 8-bit floats on tensor cores: tiles in shared memory, 16 x 16 x 16 products of a warp,
 * sums in f32. Not NVIDIA's: neither its tiles nor its speed.
 *
 * A sum runs over k in ascending order in steps of 16; within a step it is the tensor core's. alpha, beta, bias and
 * activation are applied in f32, and the result is rounded once.
 *
 * IN: the type of A and B. OUT: of C and D. TA, TB: 1 = transposed. 8-bit A and B (STORED_A, STORED_B) become halves, which hold
 * all of their values, in shared memory; C is then IN_C, as the bias.
 */
#include "gemm_params.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

using namespace nvcuda;

#ifndef STORED_A
#define STORED_A IN
#define STORED_B IN
#define IN_C     OUT
#define NAME     IN
#endif
#define OP_0                       n
#define OP_1                       t
#define OP_(x)                     OP_##x
#define OP(x)                      OP_(x)
#define JOIN_(in, out, a, b, tile) weir_cublas_gemm_##in##_##out##_##a##b##_##tile
#define JOIN(in, out, a, b, tile)  JOIN_(in, out, a, b, tile)
#define KERNEL(tile)               extern "C" __global__ void JOIN(NAME, OUT, OP(TA), OP(TB), tile)

typedef __half f16;
typedef __nv_bfloat16 bf16;
typedef float f32;
typedef __nv_fp8_e4m3 e4m3;
typedef __nv_fp8_e5m2 e5m2;

__device__ inline float wide(f16 v) { return __half2float(v); }
__device__ inline float wide(bf16 v) { return __bfloat162float(v); }
__device__ inline float wide(f32 v) { return v; }
__device__ inline void store(f16 *p, float v) { *p = __float2half_rn(v); }
__device__ inline void store(bf16 *p, float v) { *p = __float2bfloat16_rn(v); }
__device__ inline void store(f32 *p, float v) { *p = v; }
__device__ inline void store(e4m3 *p, float v) { *p = e4m3(v); }
__device__ inline void store(e5m2 *p, float v) { *p = e5m2(v); }

/* Elements as they are stored, and as the tensor cores take them. */
template <class T> __device__ inline T taken(T v) { return v; }
__device__ inline f16 taken(e4m3 v) { return __float2half_rn(float(v)); }
__device__ inline f16 taken(e5m2 v) { return __float2half_rn(float(v)); }
__device__ inline void eight(f16 *to, const f16 *from) { *(uint4 *)to = *(const uint4 *)from; }
__device__ inline void eight(bf16 *to, const bf16 *from) { *(uint4 *)to = *(const uint4 *)from; }
template <class S> __device__ inline void eight(f16 *to, const S *from)
{
    const __nv_fp8_interpretation_t kind = std::is_same_v<S, e4m3> ? __NV_E4M3 : __NV_E5M2;
    const uint2 two = *(const uint2 *)from;
    for (int i = 0; i < 4; i++) {
        const unsigned word = i < 2 ? two.x : two.y;
        *(__half2_raw *)(to + 2 * i) = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(word >> i % 2 * 16), kind);
    }
}

/*
 * A tile of `across` x `along` elements, where memory runs along: 8 elements at a time, beyond the matrix zeros.
 * `to` has rows of ALONG + 8 elements: so rows begin in different banks.
 */
template <int ACROSS, int ALONG, int THREADS, class S>
__device__ __forceinline__ void load_tile(IN *to, const S *from, int ld, int first_across, int across, int first_along, int along,
                                 bool aligned)
{
    for (int at = threadIdx.x; at < ACROSS * ALONG / 8; at += THREADS) {
        const int row = at / (ALONG / 8), column = at % (ALONG / 8) * 8;
        const int y = first_across + row, x = first_along + column;
        IN *place = to + row * (ALONG + 8) + column;
        const S *p = from + (long long)y * ld + x;
        if (aligned && y < across && x + 8 <= along) {
            eight(place, p);
        } else {
            for (int i = 0; i < 8; i++)
                place[i] = y < across && x + i < along ? taken(p[i]) : IN(0.0f);
        }
    }
}

__device__ inline float scalar_at(const void *at, double value, int type)
{
    return !at                  ? (float)value
           : type == SCALAR_F16 ? __half2float(*(const __half *)at)
                                : *(const float *)at;
}

enum { EIGHT_BITS = !std::is_same_v<STORED_A, IN> }; /* only these have scales */
__device__ inline float scale(const float *at) { return EIGHT_BITS && at ? *at : 1.0f; }

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
        const STORED_A *a = (const STORED_A *)p.a + problem * p.stride_a;
        const STORED_B *b = (const STORED_B *)p.b + problem * p.stride_b;
        const IN_C *c = (const IN_C *)p.c + problem * p.stride_c;
        OUT *d = (OUT *)p.d + problem * p.stride_d;
        if (p.d_list) {
            a = (const STORED_A *)p.a_list[problem];
            b = (const STORED_B *)p.b_list[problem];
            d = (OUT *)p.d_list[problem];
            c = (const IN_C *)d;
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
        const float alpha = scalar_at(p.alpha_at, p.alpha[0], p.scalar) * scale(p.scale_a) * scale(p.scale_b);
        const float beta = scalar_at(p.beta_at, p.beta[0], p.scalar) * scale(p.scale_c), scale_d = scale(p.scale_d);
        float largest = 0;
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
                        v += wide(((const IN_C *)p.bias)[i]);
                    IN_C *aux = (IN_C *)p.aux + problem * p.stride_aux + i + (long long)j * p.ld_aux;
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
                    if (EIGHT_BITS)
                        largest = fmaxf(largest, fabsf(v));
                    store(d + i + (long long)j * p.ldd, v * scale_d);
                }
                __syncwarp();
            }
        if (EIGHT_BITS && p.amax)
            atomicMax((int *)p.amax, __float_as_int(largest));
    }
}

KERNEL(64x64)(const gemm_params p) { product<2, 2, 2, 2>(p); }
KERNEL(128x128)(const gemm_params p) { product<4, 2, 2, 4>(p); }
