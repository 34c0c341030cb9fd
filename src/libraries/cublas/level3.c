/* Level 3 beside the general product: products with one half of a matrix, solutions, sums of matrices. */
#include "cublas/blas.h"

static const char file[] = "cublas/matrix.cu";

static void set_scalars(struct gemm_params *p, const struct scalar *alpha, const struct scalar *beta)
{
    p->alpha_at = alpha->at;
    p->alpha[0] = alpha->re;
    p->alpha[1] = alpha->im;
    p->beta_at = beta->at;
    p->beta[0] = beta->re;
    p->beta[1] = beta->im;
}

/* A grid of CTAs over m x n elements; more columns than a grid has are taken in turns. */
static dim3 over(int m, int n)
{
    return (dim3){blas_ctas(m, 1 << 20), n < 65535 ? (unsigned)n : 65535, 1};
}

/* ---- products with a matrix of which one half is stored: it is written out whole first ---- */
enum { SYMMETRIC, HERMITIAN, TRIANGULAR, UNIT_TRIANGULAR };

static cublasStatus_t half_times(cublasHandle_t h, char letter, int kind, cublasSideMode_t side, cublasFillMode_t uplo,
                                 cublasOperation_t op, int m, int n, const void *alpha, const void *a, int lda,
                                 const void *b, int ldb, const void *beta, void *c, int ldc)
{
    int order = side == CUBLAS_SIDE_LEFT ? m : n, upper = uplo == CUBLAS_FILL_MODE_UPPER;
    NEEDS(alpha && m >= 0 && n >= 0 && side <= CUBLAS_SIDE_RIGHT && uplo <= CUBLAS_FILL_MODE_UPPER &&
          op <= CUBLAS_OP_C && lda >= (order > 1 ? order : 1) && ldb >= (m > 1 ? m : 1) && ldc >= (m > 1 ? m : 1));
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    const size_t element = blas_element_bytes(letter), copied = b == c ? element * (size_t)ldb * (size_t)n : 0;
    size_t bytes, room;
    char *whole = NULL;
    if (!__builtin_mul_overflow(element * (size_t)order, (size_t)order, &bytes) &&
        !__builtin_add_overflow(bytes, copied, &room))
        whole = blas_work(h, room);
    if (!whole)
        return CUBLAS_STATUS_ALLOC_FAILED;
    cublasStatus_t s = blas_launch_letter(h, file, letter, "expand", over(order, order),
                                          ARGS(&kind, &upper, &order, &a, &lda, &whole));
    if (!s && copied) { /* B is overwritten by C */
        s = blas_status(cudaMemcpyAsync(whole + bytes, b, copied, cudaMemcpyDeviceToDevice, h->stream));
        b = whole + bytes;
    }
    const struct scalar f = blas_scalar(h, letter, alpha), g = beta ? blas_scalar(h, letter, beta) : blas_number(0);
    struct gemm_params p = {.m = m, .n = n, .k = order, .batch = 1, .c = c, .d = c, .ldc = ldc, .ldd = ldc};
    set_scalars(&p, &f, &g);
    p.a = side == CUBLAS_SIDE_LEFT ? whole : b;
    p.b = side == CUBLAS_SIDE_LEFT ? b : whole;
    p.lda = side == CUBLAS_SIDE_LEFT ? order : ldb;
    p.ldb = side == CUBLAS_SIDE_LEFT ? ldb : order;
    return s ? s
             : gemm_run(h, (struct gemm_types){letter, letter}, side == CUBLAS_SIDE_LEFT ? op : CUBLAS_OP_N,
                        side == CUBLAS_SIDE_LEFT ? CUBLAS_OP_N : op, &p, false);
}

/* ---- one half of A A' or A B' ---- */
static cublasStatus_t half_of(cublasHandle_t h, char letter, char of, bool hermitian, cublasFillMode_t uplo,
                              cublasOperation_t op, int n, int k, const void *alpha, const void *a, int lda,
                              const void *b, int ldb, const void *beta, void *c, int ldc)
{
    const int rows = op == CUBLAS_OP_N ? n : k;
    NEEDS(alpha && n >= 0 && k >= 0 && uplo <= CUBLAS_FILL_MODE_UPPER && op <= CUBLAS_OP_C && ldc >= (n > 1 ? n : 1) &&
          lda >= (rows > 1 ? rows : 1) && ldb >= (rows > 1 ? rows : 1));
    const cublasOperation_t turned = hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
    const struct scalar f = blas_scalar(h, of, alpha), g = beta ? blas_scalar(h, of, beta) : blas_number(1);
    if ((f.at || g.at) && of != letter)
        return CUBLAS_STATUS_NOT_SUPPORTED; /* real numbers in device memory, where the kernel reads complex ones */
    struct gemm_params p = {.m = n, .n = n, .k = k, .batch = 1, .a = a, .b = b, .lda = lda, .ldb = ldb};
    p.c = p.d = c;
    p.ldc = p.ldd = ldc;
    p.half_upper = uplo == CUBLAS_FILL_MODE_UPPER;
    p.hermitian = hermitian;
    set_scalars(&p, &f, &g);
    return gemm_run(h, (struct gemm_types){letter, letter}, op == CUBLAS_OP_N ? CUBLAS_OP_N : turned,
                    op == CUBLAS_OP_N ? turned : CUBLAS_OP_N, &p, true);
}

/* ---- solutions ---- */
static cublasStatus_t solve(cublasHandle_t h, char letter, cublasSideMode_t side, cublasFillMode_t uplo,
                            cublasOperation_t op, cublasDiagType_t diag, int m, int n, const void *alpha, const void *a,
                            int lda, const void *b, int ldb, const void *const *a_list, void *const *b_list, int batch)
{
    int order = side == CUBLAS_SIDE_LEFT ? m : n, lines = side == CUBLAS_SIDE_LEFT ? n : m;
    NEEDS(alpha && m >= 0 && n >= 0 && batch >= 0 && batch <= 65535 && side <= CUBLAS_SIDE_RIGHT &&
          uplo <= CUBLAS_FILL_MODE_UPPER && op <= CUBLAS_OP_C && diag <= CUBLAS_DIAG_UNIT &&
          lda >= (order > 1 ? order : 1) && ldb >= (m > 1 ? m : 1));
    if (!m || !n || !batch)
        return CUBLAS_STATUS_SUCCESS;
    int right = side == CUBLAS_SIDE_RIGHT, upper = uplo == CUBLAS_FILL_MODE_UPPER, o = (int)op,
        unit = diag == CUBLAS_DIAG_UNIT;
    struct scalar f = blas_scalar(h, letter, alpha);
    return blas_launch_letter(h, file, letter, "trsm", (dim3){(unsigned)lines, (unsigned)batch, 1},
                              ARGS(&right, &upper, &o, &unit, &order, &f, &a, &lda, &b, &ldb, &a_list, &b_list));
}

/* A vector is a row where its elements are apart. */
static cublasStatus_t trsv(cublasHandle_t h, char letter, cublasFillMode_t uplo, cublasOperation_t op,
                           cublasDiagType_t diag, int n, const void *a, int lda, void *x, int incx)
{
    NEEDS(n >= 0 && uplo <= CUBLAS_FILL_MODE_UPPER && op <= CUBLAS_OP_C && diag <= CUBLAS_DIAG_UNIT && incx &&
          lda >= (n > 1 ? n : 1));
    if (incx < 0)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!n)
        return CUBLAS_STATUS_SUCCESS;
    /* On the right the kernel means op(A) transposed; so it is asked for the other one, of the elements as they are. */
    int right = incx != 1, upper = uplo == CUBLAS_FILL_MODE_UPPER, unit = diag == CUBLAS_DIAG_UNIT;
    int o = (int)op;
    if (right && op == CUBLAS_OP_C && (letter == 'c' || letter == 'z'))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (right)
        o = op == CUBLAS_OP_N ? 1 : 0;
    struct scalar one = blas_number(1);
    const void *none = NULL;
    return blas_launch_letter(h, file, letter, "trsm", (dim3){1, 1, 1},
                              ARGS(&right, &upper, &o, &unit, &n, &one, &a, &lda, &x, &incx, &none, &none));
}

/* ---- sums of matrices, products with diagonals ---- */
static cublasStatus_t geam(cublasHandle_t h, char letter, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                           const void *alpha, const void *a, int lda, const void *beta, const void *b, int ldb, void *c,
                           int ldc)
{
    NEEDS(alpha && beta && m >= 0 && n >= 0 && ta <= CUBLAS_OP_C && tb <= CUBLAS_OP_C && ldc >= (m > 1 ? m : 1));
    int op_a = (int)ta, op_b = (int)tb;
    struct scalar f = blas_scalar(h, letter, alpha), g = blas_scalar(h, letter, beta);
    return m && n ? blas_launch_letter(h, file, letter, "geam", over(m, n),
                                       ARGS(&m, &n, &op_a, &op_b, &f, &a, &lda, &g, &b, &ldb, &c, &ldc))
                  : CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t dgmm(cublasHandle_t h, char letter, cublasSideMode_t side, int m, int n, const void *a, int lda,
                           const void *x, int incx, void *c, int ldc)
{
    NEEDS(m >= 0 && n >= 0 && side <= CUBLAS_SIDE_RIGHT && lda >= (m > 1 ? m : 1) && ldc >= (m > 1 ? m : 1));
    int right = side == CUBLAS_SIDE_RIGHT;
    return m && n ? blas_launch_letter(h, file, letter, "dgmm", over(m, n),
                                       ARGS(&right, &m, &n, &a, &lda, &x, &incx, &c, &ldc))
                  : CUBLAS_STATUS_SUCCESS;
}

/* ---- the functions for each type ---- */
#define LEVEL3(L, l, T)                                                                                                \
    API cublasStatus_t cublas##L##symm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m,       \
                                          int n, const T *alpha, const T *a, int lda, const T *b, int ldb,             \
                                          const T *beta, T *c, int ldc)                                                \
    {                                                                                                                  \
        NEEDS(beta);                                                                                                   \
        return half_times(h, l, SYMMETRIC, side, uplo, CUBLAS_OP_N, m, n, alpha, a, lda, b, ldb, beta, c, ldc);        \
    }                                                                                                                  \
    API cublasStatus_t cublas##L##trmm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,              \
                                          cublasOperation_t op, cublasDiagType_t diag, int m, int n, const T *alpha,   \
                                          const T *a, int lda, const T *b, int ldb, T *c, int ldc)                     \
    {                                                                                                                  \
        return half_times(h, l, diag == CUBLAS_DIAG_UNIT ? UNIT_TRIANGULAR : TRIANGULAR, side, uplo, op, m, n, alpha,  \
                          a, lda, b, ldb, NULL, c, ldc);                                                               \
    }                                                                                                                  \
    API cublasStatus_t cublas##L##syrk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k, \
                                          const T *alpha, const T *a, int lda, const T *beta, T *c, int ldc)           \
    {                                                                                                                  \
        NEEDS(beta);                                                                                                   \
        return half_of(h, l, l, false, uplo, op, n, k, alpha, a, lda, a, lda, beta, c, ldc);                           \
    }                                                                                                                  \
    API cublasStatus_t cublas##L##trsm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,              \
                                          cublasOperation_t op, cublasDiagType_t diag, int m, int n, const T *alpha,   \
                                          const T *a, int lda, T *b, int ldb)                                          \
    {                                                                                                                  \
        return solve(h, l, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb, NULL, NULL, 1);                          \
    }                                                                                                                  \
    API cublasStatus_t cublas##L##trsmBatched(                                                                         \
        cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag,   \
        int m, int n, const T *alpha, const T *const a[], int lda, T *const b[], int ldb, int batch)                   \
    {                                                                                                                  \
        NEEDS(!batch || (a && b));                                                                                     \
        return solve(h, l, side, uplo, op, diag, m, n, alpha, NULL, lda, NULL, ldb, (const void *const *)a,            \
                     (void *const *)b, batch);                                                                         \
    }                                                                                                                  \
    API cublasStatus_t cublas##L##trsv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,               \
                                          cublasDiagType_t diag, int n, const T *a, int lda, T *x, int incx)           \
    {                                                                                                                  \
        return trsv(h, l, uplo, op, diag, n, a, lda, x, incx);                                                         \
    }                                                                                                                  \
    API cublasStatus_t cublas##L##geam(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,     \
                                       const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c,  \
                                       int ldc)                                                                        \
    {                                                                                                                  \
        return geam(h, l, ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                                          \
    }                                                                                                                  \
    API cublasStatus_t cublas##L##dgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n, const T *a, int lda,     \
                                       const T *x, int incx, T *c, int ldc)                                            \
    {                                                                                                                  \
        return dgmm(h, l, side, m, n, a, lda, x, incx, c, ldc);                                                        \
    }
LEVEL3(S, 's', float)
LEVEL3(D, 'd', double)
LEVEL3(C, 'c', cuComplex)
LEVEL3(Z, 'z', cuDoubleComplex)

#define HERMITIAN3(L, l, r, T, R)                                                                                      \
    API cublasStatus_t cublas##L##hemm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m,       \
                                          int n, const T *alpha, const T *a, int lda, const T *b, int ldb,             \
                                          const T *beta, T *c, int ldc)                                                \
    {                                                                                                                  \
        NEEDS(beta);                                                                                                   \
        return half_times(h, l, HERMITIAN, side, uplo, CUBLAS_OP_N, m, n, alpha, a, lda, b, ldb, beta, c, ldc);        \
    }                                                                                                                  \
    API cublasStatus_t cublas##L##herk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k, \
                                          const R *alpha, const T *a, int lda, const R *beta, T *c, int ldc)           \
    {                                                                                                                  \
        NEEDS(beta);                                                                                                   \
        return half_of(h, l, r, true, uplo, op, n, k, alpha, a, lda, a, lda, beta, c, ldc);                            \
    }
HERMITIAN3(C, 'c', 's', cuComplex, float)
HERMITIAN3(Z, 'z', 'd', cuDoubleComplex, double)

/* alpha A B' + beta C, then alpha B A' on top. */
#define SYR2K(L, l, T)                                                                                                 \
    API cublasStatus_t cublas##L##syr2k_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n,       \
                                           int k, const T *alpha, const T *a, int lda, const T *b, int ldb,            \
                                           const T *beta, T *c, int ldc)                                               \
    {                                                                                                                  \
        NEEDS(beta);                                                                                                   \
        cublasStatus_t s = half_of(h, l, l, false, uplo, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc);               \
        return s ? s : half_of(h, l, l, false, uplo, op, n, k, alpha, b, ldb, a, lda, NULL, c, ldc);                   \
    }
SYR2K(S, 's', float)
SYR2K(D, 'd', double)
