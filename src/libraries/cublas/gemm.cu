/*
 * weir's matrix product for s, d, c and z: tiles of A and B in shared memory, a square of results in each thread's
 * registers. Not NVIDIA's: neither its tiles nor its speed.
 *
 * Each element of the product is one sum over k in ascending order, of fused multiply-adds that begin with 0. The result
 * is alpha times the sum, plus beta times C by one more fused operation. So it does not depend on the tile, and equals
 * a loop on the host bit by bit.
 *
 * TA, TB: 0 as it is, 1 transposed, 2 conjugated and transposed.
 */
#include "element.cuh"
#include "gemm_params.h"

/* HALF: only one half of a square result is wanted. R x R results in each of 16 x 16 threads. */
template <int R, int DEPTH, bool HALF> __device__ __forceinline__ void product(const gemm_params &p)
{
    enum { SIDE = 16 * R, THREADS = 256 };
    __shared__ element tile_a[DEPTH][SIDE + 1], tile_b[DEPTH][SIDE + 1];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const int first_i = blockIdx.x * SIDE, first_j = blockIdx.y * SIDE;
    /* A tile beyond the half that is wanted. */
    if (HALF && (p.half_upper ? first_i > first_j + SIDE - 1 : first_j > first_i + SIDE - 1))
        return;
    for (int problem = blockIdx.z; problem < p.batch; problem += gridDim.z) {
        const element *a = (const element *)p.a + problem * p.stride_a, *b = (const element *)p.b + problem * p.stride_b;
        const element *c = (const element *)p.c + problem * p.stride_c;
        element *d = (element *)p.d + problem * p.stride_d;
        if (p.d_list) {
            a = (const element *)p.a_list[problem];
            b = (const element *)p.b_list[problem];
            c = d = (element *)p.d_list[problem];
        }
        element sum[R][R];
        for (int r = 0; r < R; r++)
            for (int s = 0; s < R; s++)
                sum[r][s] = make(0, 0);
        for (int k0 = 0; k0 < p.k; k0 += DEPTH) {
            /* Neighbors in a warp read neighbors in memory, whichever way the matrix is stored. */
            for (int at = threadIdx.x; at < SIDE * DEPTH; at += THREADS) {
                const int i = TA ? at / DEPTH : at % SIDE, k = TA ? at % DEPTH : at / SIDE;
                element v = make(0, 0);
                if (first_i + i < p.m && k0 + k < p.k) {
                    v = TA ? a[k0 + k + (long long)(first_i + i) * p.lda] : a[first_i + i + (long long)(k0 + k) * p.lda];
                    v = TA == 2 ? conjugate(v) : v;
                }
                tile_a[k][i] = v;
            }
            for (int at = threadIdx.x; at < SIDE * DEPTH; at += THREADS) {
                const int j = TB ? at % SIDE : at / DEPTH, k = TB ? at / SIDE : at % DEPTH;
                element v = make(0, 0);
                if (first_j + j < p.n && k0 + k < p.k) {
                    v = TB ? b[first_j + j + (long long)(k0 + k) * p.ldb] : b[k0 + k + (long long)(first_j + j) * p.ldb];
                    v = TB == 2 ? conjugate(v) : v;
                }
                tile_b[k][j] = v;
            }
            __syncthreads();
#pragma unroll
            for (int k = 0; k < DEPTH; k++) {
                element left[R], right[R];
#pragma unroll
                for (int r = 0; r < R; r++) {
                    left[r] = tile_a[k][x + 16 * r];
                    right[r] = tile_b[k][y + 16 * r];
                }
#pragma unroll
                for (int r = 0; r < R; r++)
#pragma unroll
                    for (int s = 0; s < R; s++)
                        sum[r][s] = fused(left[r], right[s], sum[r][s]);
            }
            __syncthreads();
        }
        const element alpha = value({(const element *)p.alpha_at, p.alpha[0], p.alpha[1]});
        const element beta = value({(const element *)p.beta_at, p.beta[0], p.beta[1]});
        const bool adds = !is_zero(beta); /* C may hold anything when beta is 0 */
#pragma unroll
        for (int s = 0; s < R; s++)
#pragma unroll
            for (int r = 0; r < R; r++) {
                const int i = first_i + x + 16 * r, j = first_j + y + 16 * s;
                if (i >= p.m || j >= p.n || (HALF && (p.half_upper ? i > j : i < j)))
                    continue;
                element v = times(alpha, sum[r][s]);
                if (adds)
                    v = fused(beta, c[i + (long long)j * p.ldc], v);
#if COMPLEX
                if (HALF && p.hermitian && i == j)
                    v.im = 0;
#else
                if (p.epilogue & EPILOGUE_BIAS)
                    v += ((const element *)p.bias)[i];
                element *aux = (element *)p.aux + problem * p.stride_aux + i + (long long)j * p.ld_aux;
                if (p.epilogue & EPILOGUE_AUX && !(p.epilogue & EPILOGUE_DGELU))
                    *aux = v;
                if (p.epilogue & EPILOGUE_RELU)
                    v = v > 0 ? v : 0;
                if (p.epilogue & (EPILOGUE_GELU | EPILOGUE_DGELU)) {
                    const element g = p.epilogue & EPILOGUE_DGELU ? *aux : v;
                    const element t = tanh((element)0.7978845608028654 * (g + (element)0.044715 * g * g * g));
                    v = p.epilogue & EPILOGUE_GELU
                            ? (element)0.5 * g * (1 + t)
                            : v * ((element)0.5 * (1 + t) + (element)0.5 * g * (1 - t * t) * (element)0.7978845608028654 *
                                                                (1 + (element)0.134145 * g * g));
                }
#endif
                d[i + (long long)j * p.ldd] = v;
            }
    }
}

/* weir_cublas_sgemm_nt_64x64: what is done to A and to B is part of the name, so profiles tell them apart. */
#define OP_0                   n
#define OP_1                   t
#define OP_2                   c
#define OP_(x)                 OP_##x
#define OP(x)                  OP_(x)
#define JOIN_(l, g, a, b, t)   weir_cublas_##l##g##a##b##t
#define JOIN(l, g, a, b, t)    JOIN_(l, g, a, b, t)
#define TILED(tile, r, depth, half)                                                                                    \
    extern "C" __global__ void JOIN(LETTER, gemm_, OP(TA), OP(TB), tile)(const gemm_params p)                          \
    {                                                                                                                  \
        product<r, depth, half>(p);                                                                                    \
    }
TILED(_32x32, 2, 16, false)
TILED(_64x64, 4, 16, false)
#if IS_OF(LETTER) == 0 /* the others lack the registers */
TILED(_128x128, 8, 8, false)
#endif
TILED(_half_64x64, 4, 16, true)
