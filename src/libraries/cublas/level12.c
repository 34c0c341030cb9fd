/* Levels 1 and 2: one function for each type, one kernel of vector.cu behind them. */
#include "cublas/blas.h"

#include <stdint.h>

static const char file[] = "cublas/vector.cu";

static dim3 over(cublasHandle_t h, long long n)
{
    return (dim3){blas_ctas(n, (unsigned)h->sms * 8), 1, 1};
}

/* ---- element by element ---- */
#define ELEMENTWISE(L, l, T)                                                                                           \
    API cublasStatus_t cublas##L##axpy_v2(cublasHandle_t h, int n, const T *alpha, const T *x, int incx, T *y,         \
                                          int incy)                                                                    \
    {                                                                                                                  \
        NEEDS(alpha && (n <= 0 || (x && y)));                                                                          \
        struct scalar a = blas_scalar(h, l, alpha);                                                                    \
        return n <= 0 ? CUBLAS_STATUS_SUCCESS                                                                          \
                      : blas_launch_letter(h, file, l, "axpy", over(h, n), ARGS(&n, &a, &x, &incx, &y, &incy));        \
    }                                                                                                                  \
    API cublasStatus_t cublas##L##scal_v2(cublasHandle_t h, int n, const T *alpha, T *x, int incx)                     \
    {                                                                                                                  \
        NEEDS(alpha && (n <= 0 || x));                                                                                 \
        struct scalar a = blas_scalar(h, l, alpha);                                                                    \
        return n <= 0 || incx <= 0 ? CUBLAS_STATUS_SUCCESS                                                             \
                                   : blas_launch_letter(h, file, l, "scal", over(h, n), ARGS(&n, &a, &x, &incx));      \
    }                                                                                                                  \
    API cublasStatus_t cublas##L##copy_v2(cublasHandle_t h, int n, const T *x, int incx, T *y, int incy)               \
    {                                                                                                                  \
        NEEDS(n <= 0 || (x && y));                                                                                     \
        return n <= 0 ? CUBLAS_STATUS_SUCCESS                                                                          \
                      : blas_launch_letter(h, file, l, "copy", over(h, n), ARGS(&n, &x, &incx, &y, &incy));            \
    }                                                                                                                  \
    API cublasStatus_t cublas##L##swap_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy)                     \
    {                                                                                                                  \
        NEEDS(n <= 0 || (x && y));                                                                                     \
        return n <= 0 ? CUBLAS_STATUS_SUCCESS                                                                          \
                      : blas_launch_letter(h, file, l, "swap", over(h, n), ARGS(&n, &x, &incx, &y, &incy));            \
    }
ELEMENTWISE(S, 's', float)
ELEMENTWISE(D, 'd', double)
ELEMENTWISE(C, 'c', cuComplex)
ELEMENTWISE(Z, 'z', cuDoubleComplex)

/* A complex vector by a real number: its real and imaginary parts one by one. */
#define REAL_SCAL(function, r, R, T)                                                                                   \
    API cublasStatus_t function(cublasHandle_t h, int n, const R *alpha, T *x, int incx)                               \
    {                                                                                                                  \
        NEEDS(alpha && (n <= 0 || x) && incx <= INT32_MAX / 2);                                                        \
        struct scalar a = blas_scalar(h, r, alpha);                                                                    \
        cublasStatus_t s = CUBLAS_STATUS_SUCCESS;                                                                      \
        for (int part = 0; part < 2 && n > 0 && incx > 0 && !s; part++) {                                              \
            R *p = (R *)x + part;                                                                                      \
            int step = 2 * incx;                                                                                       \
            s = blas_launch_letter(h, file, r, "scal", over(h, n), ARGS(&n, &a, &p, &step));                           \
        }                                                                                                              \
        return s;                                                                                                      \
    }
REAL_SCAL(cublasCsscal_v2, 's', float, cuComplex)
REAL_SCAL(cublasZdscal_v2, 'd', double, cuDoubleComplex)

#define ROT(L, l, T)                                                                                                   \
    API cublasStatus_t cublas##L##rot_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy, const T *c,          \
                                         const T *s)                                                                   \
    {                                                                                                                  \
        NEEDS(c &&s && (n <= 0 || (x && y)));                                                                          \
        struct scalar cosine = blas_scalar(h, l, c), sine = blas_scalar(h, l, s);                                      \
        return n <= 0 ? CUBLAS_STATUS_SUCCESS                                                                          \
                      : blas_launch_letter(h, file, l, "rot", over(h, n),                                              \
                                           ARGS(&n, &x, &incx, &y, &incy, &cosine, &sine));                            \
    }
ROT(S, 's', float)
ROT(D, 'd', double)

/* ---- sums ---- */

/* Where the last kernel writes a result of the caller's, and how it gets from there to the host. */
static void *result_place(cublasHandle_t h, void *result)
{
    return h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE ? result : (char *)h->parts + MAX_PARTS * PART_BYTES;
}
static cublasStatus_t deliver(cublasHandle_t h, void *result, size_t bytes, cublasStatus_t s)
{
    if (s || h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        return s;
    cudaError_t e = cudaMemcpyAsync(result, result_place(h, result), bytes, cudaMemcpyDeviceToHost, h->stream);
    return blas_status(e ? e : cudaStreamSynchronize(h->stream));
}
static cublasStatus_t nothing(cublasHandle_t h, void *result, size_t bytes)
{
    if (h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        return blas_status(cudaMemsetAsync(result, 0, bytes, h->stream));
    __builtin_memset(result, 0, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t dot(cublasHandle_t h, char letter, int n, const void *x, int incx, const void *y, int incy,
                          int conjugated, void *result)
{
    NEEDS(result && (n <= 0 || (x && y)));
    const size_t bytes = blas_element_bytes(letter);
    if (n <= 0)
        return nothing(h, result, bytes);
    int parts = (int)blas_ctas(n, MAX_PARTS);
    void *out = result_place(h, result);
    cublasStatus_t s = blas_launch_letter(h, file, letter, "dot", (dim3){(unsigned)parts, 1, 1},
                                          ARGS(&n, &x, &incx, &y, &incy, &conjugated, &h->parts));
    if (!s)
        s = blas_launch_letter(h, file, letter, "dot_end", (dim3){1, 1, 1}, ARGS(&parts, &h->parts, &out));
    return deliver(h, result, bytes, s);
}
#define DOT(function, l, T, conjugated)                                                                                \
    API cublasStatus_t function(cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy, T *result)        \
    {                                                                                                                  \
        return dot(h, l, n, x, incx, y, incy, conjugated, result);                                                     \
    }
DOT(cublasSdot_v2, 's', float, 0)
DOT(cublasDdot_v2, 'd', double, 0)
DOT(cublasCdotu_v2, 'c', cuComplex, 0)
DOT(cublasZdotu_v2, 'z', cuDoubleComplex, 0)
DOT(cublasCdotc_v2, 'c', cuComplex, 1)
DOT(cublasZdotc_v2, 'z', cuDoubleComplex, 1)

static cublasStatus_t norm(cublasHandle_t h, char letter, int n, const void *x, int incx, int squares, void *result,
                           size_t bytes)
{
    NEEDS(result && (n <= 0 || x));
    if (n <= 0 || incx <= 0)
        return nothing(h, result, bytes);
    int parts = (int)blas_ctas(n, MAX_PARTS);
    void *out = result_place(h, result);
    cublasStatus_t s = blas_launch_letter(h, file, letter, "norm", (dim3){(unsigned)parts, 1, 1},
                                          ARGS(&n, &x, &incx, &squares, &h->parts));
    if (!s)
        s = blas_launch_letter(h, file, letter, "norm_end", (dim3){1, 1, 1}, ARGS(&parts, &h->parts, &squares, &out));
    return deliver(h, result, bytes, s);
}
#define NORM(function, l, T, R, squares)                                                                               \
    API cublasStatus_t function(cublasHandle_t h, int n, const T *x, int incx, R *result)                              \
    {                                                                                                                  \
        return norm(h, l, n, x, incx, squares, result, sizeof(R));                                                     \
    }
NORM(cublasSnrm2_v2, 's', float, float, 1)
NORM(cublasDnrm2_v2, 'd', double, double, 1)
NORM(cublasScnrm2_v2, 'c', cuComplex, float, 1)
NORM(cublasDznrm2_v2, 'z', cuDoubleComplex, double, 1)
NORM(cublasSasum_v2, 's', float, float, 0)
NORM(cublasDasum_v2, 'd', double, double, 0)
NORM(cublasScasum_v2, 'c', cuComplex, float, 0)
NORM(cublasDzasum_v2, 'z', cuDoubleComplex, double, 0)

static cublasStatus_t extreme(cublasHandle_t h, char letter, int n, const void *x, int incx, int least, int *result)
{
    NEEDS(result && (n <= 0 || x));
    if (n <= 0 || incx <= 0)
        return nothing(h, result, sizeof *result);
    int parts = (int)blas_ctas(n, MAX_PARTS);
    void *out = result_place(h, result);
    cublasStatus_t s = blas_launch_letter(h, file, letter, "extreme", (dim3){(unsigned)parts, 1, 1},
                                          ARGS(&n, &x, &incx, &least, &h->parts));
    if (!s)
        s = blas_launch_letter(h, file, letter, "extreme_end", (dim3){1, 1, 1}, ARGS(&parts, &h->parts, &least, &out));
    return deliver(h, result, sizeof *result, s);
}
#define EXTREME(l, T)                                                                                                  \
    API cublasStatus_t cublasI##l##amax_v2(cublasHandle_t h, int n, const T *x, int incx, int *result)                 \
    {                                                                                                                  \
        return extreme(h, #l[0], n, x, incx, 0, result);                                                               \
    }                                                                                                                  \
    API cublasStatus_t cublasI##l##amin_v2(cublasHandle_t h, int n, const T *x, int incx, int *result)                 \
    {                                                                                                                  \
        return extreme(h, #l[0], n, x, incx, 1, result);                                                               \
    }
EXTREME(s, float)
EXTREME(d, double)
EXTREME(c, cuComplex)
EXTREME(z, cuDoubleComplex)

/* ---- level 2 ---- */
static cublasStatus_t gemv(cublasHandle_t h, char letter, cublasOperation_t op, int m, int n, const void *alpha,
                           const void *a, int lda, const void *x, int incx, const void *beta, void *y, int incy)
{
    NEEDS(alpha && beta && m >= 0 && n >= 0 && lda >= (m > 1 ? m : 1) && incx && incy && op <= CUBLAS_OP_C);
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    struct scalar f = blas_scalar(h, letter, alpha), g = blas_scalar(h, letter, beta);
    int conjugated = op == CUBLAS_OP_C;
    if (op == CUBLAS_OP_N)
        return blas_launch_letter(h, file, letter, "gemv_n", (dim3){blas_ctas(m, 1 << 20), 1, 1},
                                  ARGS(&m, &n, &f, &a, &lda, &x, &incx, &g, &y, &incy));
    return blas_launch_letter(h, file, letter, "gemv_t", (dim3){(unsigned)n, 1, 1},
                              ARGS(&m, &n, &conjugated, &f, &a, &lda, &x, &incx, &g, &y, &incy));
}

static cublasStatus_t symv(cublasHandle_t h, char letter, int hermitian, cublasFillMode_t uplo, int n,
                           const void *alpha, const void *a, int lda, const void *x, int incx, const void *beta,
                           void *y, int incy)
{
    NEEDS(alpha && beta && n >= 0 && lda >= (n > 1 ? n : 1) && incx && incy && uplo <= CUBLAS_FILL_MODE_UPPER);
    struct scalar f = blas_scalar(h, letter, alpha), g = blas_scalar(h, letter, beta);
    int upper = uplo == CUBLAS_FILL_MODE_UPPER;
    return n ? blas_launch_letter(h, file, letter, "symv", (dim3){blas_ctas(n, 1 << 20), 1, 1},
                                  ARGS(&upper, &hermitian, &n, &f, &a, &lda, &x, &incx, &g, &y, &incy))
             : CUBLAS_STATUS_SUCCESS;
}

/* half: 0 all of A, 1 its upper, 2 its lower half. alpha is of type `of`. */
static cublasStatus_t rank(cublasHandle_t h, char letter, char of, int half, int both, int conjugated, int m, int n,
                           const void *alpha, const void *x, int incx, const void *y, int incy, void *a, int lda)
{
    NEEDS(alpha && m >= 0 && n >= 0 && lda >= (m > 1 ? m : 1) && incx && incy);
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    struct scalar f = blas_scalar(h, of, alpha);
    if (f.at && of != letter) /* a real number in device memory, where the kernel reads a complex one */
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return blas_launch_letter(h, file, letter, "rank",
                              (dim3){blas_ctas(m, 1 << 20), n < 65535 ? (unsigned)n : 65535, 1},
                              ARGS(&m, &n, &half, &both, &conjugated, &f, &x, &incx, &y, &incy, &a, &lda));
}

#define HALF(uplo) (uplo == CUBLAS_FILL_MODE_UPPER ? 1 : 2)
#define LEVEL2(L, l, T)                                                                                                \
    API cublasStatus_t cublas##L##gemv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n, const T *alpha,        \
                                          const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy)    \
    {                                                                                                                  \
        return gemv(h, l, op, m, n, alpha, a, lda, x, incx, beta, y, incy);                                            \
    }                                                                                                                  \
    API cublasStatus_t cublas##L##symv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *a,  \
                                          int lda, const T *x, int incx, const T *beta, T *y, int incy)                \
    {                                                                                                                  \
        return symv(h, l, 0, uplo, n, alpha, a, lda, x, incx, beta, y, incy);                                          \
    }
#define RANK1(function, l, T, conjugated)                                                                              \
    API cublasStatus_t function(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int incx, const T *y,      \
                                int incy, T *a, int lda)                                                               \
    {                                                                                                                  \
        return rank(h, l, l, 0, 0, conjugated, m, n, alpha, x, incx, y, incy, a, lda);                                 \
    }
#define RANK_HALF(one, two, l, r, T, R, conjugated)                                                                    \
    API cublasStatus_t one(cublasHandle_t h, cublasFillMode_t uplo, int n, const R *alpha, const T *x, int incx, T *a, \
                           int lda)                                                                                    \
    {                                                                                                                  \
        return rank(h, l, r, HALF(uplo), 0, conjugated, n, n, alpha, x, incx, x, incx, a, lda);                        \
    }                                                                                                                  \
    API cublasStatus_t two(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx,       \
                           const T *y, int incy, T *a, int lda)                                                        \
    {                                                                                                                  \
        return rank(h, l, l, HALF(uplo), 1, conjugated, n, n, alpha, x, incx, y, incy, a, lda);                        \
    }
LEVEL2(S, 's', float)
LEVEL2(D, 'd', double)
LEVEL2(C, 'c', cuComplex)
LEVEL2(Z, 'z', cuDoubleComplex)
RANK1(cublasSger_v2, 's', float, 0)
RANK1(cublasDger_v2, 'd', double, 0)
RANK1(cublasCgeru_v2, 'c', cuComplex, 0)
RANK1(cublasZgeru_v2, 'z', cuDoubleComplex, 0)
RANK1(cublasCgerc_v2, 'c', cuComplex, 1)
RANK1(cublasZgerc_v2, 'z', cuDoubleComplex, 1)
RANK_HALF(cublasSsyr_v2, cublasSsyr2_v2, 's', 's', float, float, 0)
RANK_HALF(cublasDsyr_v2, cublasDsyr2_v2, 'd', 'd', double, double, 0)
RANK_HALF(cublasCher_v2, cublasCher2_v2, 'c', 's', cuComplex, float, 1)
RANK_HALF(cublasZher_v2, cublasZher2_v2, 'z', 'd', cuDoubleComplex, double, 1)
#define HEMV(L, l, T)                                                                                                  \
    API cublasStatus_t cublas##L##hemv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *a,  \
                                          int lda, const T *x, int incx, const T *beta, T *y, int incy)                \
    {                                                                                                                  \
        return symv(h, l, 1, uplo, n, alpha, a, lda, x, incx, beta, y, incy);                                          \
    }
HEMV(C, 'c', cuComplex)
HEMV(Z, 'z', cuDoubleComplex)
