/* The general matrix product: which kernel, and every function that ends in it. */
#include "cublas/blas.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MAX_GRID_Z = 65535 };

/* ---- the kernel ---- */

static unsigned along(int n, int side)
{
    return ((unsigned)n + (unsigned)side - 1) / (unsigned)side;
}

static uint64_t tiles(const struct gemm_params *p, int side)
{
    return (uint64_t)along(p->m, side) * along(p->n, side) * (unsigned)p->batch;
}

/* The largest tile of which there is one for each SM; the smallest when there is none. */
static int choose_tile(cublasHandle_t h, const struct gemm_params *p, const int *sides, int n)
{
    for (int i = 0; i < n - 1; i++)
        if (tiles(p, sides[i]) >= (uint64_t)h->sms)
            return sides[i];
    return sides[n - 1];
}

static bool is_aligned(const struct gemm_params *p)
{
    return !p->d_list && p->lda % 8 == 0 && p->ldb % 8 == 0 && p->stride_a % 8 == 0 && p->stride_b % 8 == 0 &&
           (uintptr_t)p->a % 16 == 0 && (uintptr_t)p->b % 16 == 0;
}

static const char *device_type(char letter)
{
    return letter == 'h' ? "f16" : letter == 'b' ? "bf16" : letter == '4' ? "e4m3" : letter == '5' ? "e5m2" : "f32";
}

static bool is_8bit(char letter)
{
    return letter == '4' || letter == '5';
}

cublasStatus_t gemm_run(cublasHandle_t h, struct gemm_types types, cublasOperation_t ta, cublasOperation_t tb,
                        struct gemm_params *p, bool half_only)
{
    const bool small = is_8bit(types.in), tensor = types.in == 'h' || types.in == 'b' || small,
               complex = types.in == 'c' || types.in == 'z';
    static const int simple[] = {128, 64, 32}, on_tensor[] = {128, 64};
    const int side = half_only         ? 64
                     : tensor          ? choose_tile(h, p, on_tensor, 2)
                     : types.in == 's' ? choose_tile(h, p, simple, 3)
                                       : choose_tile(h, p, simple + 1, 2);
    char kernel[80], first[24], second[24], a[] = "-DTA=0", b[] = "-DTB=0";
    char name[24], stored_a[24], stored_b[24], in_c[24];
    const char *const defines[] = {
        first, tensor ? second : a, tensor ? a : b, tensor ? b : NULL, small ? name : NULL, stored_a, stored_b, in_c,
        NULL};
    if (!p->m || !p->n || !p->batch)
        return CUBLAS_STATUS_SUCCESS;
    /* Only complex numbers have conjugates. */
    const int turn_a = ta && !complex ? 1 : (int)ta, turn_b = tb && !complex ? 1 : (int)tb;
    const char op_a = "ntc"[turn_a], op_b = "ntc"[turn_b];
    a[sizeof a - 2] = (char)('0' + turn_a);
    b[sizeof b - 2] = (char)('0' + turn_b);
    if (!p->alpha_at && p->alpha[0] == 0 && p->alpha[1] == 0)
        p->k = 0; /* as in BLAS, A and B are not read */
    if (tensor) {
        const char *in = device_type(types.in);
        snprintf(first, sizeof first, "-DIN=%s", small ? "f16" : in);
        snprintf(second, sizeof second, "-DOUT=%s", device_type(types.out));
        snprintf(name, sizeof name, "-DNAME=%s_%s", in, device_type(types.in_b));
        snprintf(stored_a, sizeof stored_a, "-DSTORED_A=%s", in);
        snprintf(stored_b, sizeof stored_b, "-DSTORED_B=%s", device_type(types.in_b));
        snprintf(in_c, sizeof in_c, "-DIN_C=%s", device_type(types.in_c));
        snprintf(kernel, sizeof kernel, "weir_cublas_gemm_%s_%s_%c%c_%dx%d", small ? name + strlen("-DNAME=") : in,
                 device_type(types.out), op_a, op_b, side, side);
        p->aligned = is_aligned(p);
    } else {
        snprintf(first, sizeof first, "-DLETTER=%c", types.in);
        snprintf(kernel, sizeof kernel, "weir_cublas_%cgemm_%c%c_%s%dx%d", types.in, op_a, op_b,
                 half_only ? "half_" : "", side, side);
    }
    const dim3 grid = {along(p->m, side), along(p->n, side), (unsigned)(p->batch < MAX_GRID_Z ? p->batch : MAX_GRID_Z)};
    if (grid.y > 65535)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return blas_launch(h, tensor ? "cublas/gemm_tensor.cu" : "cublas/gemm.cu", defines, kernel, grid,
                       tensor && side == 64 ? 128 : 256, (void *[]){p});
}

/* ---- what the functions have in common ---- */
struct request {
    cublasOperation_t ta, tb;
    int m, n, k;
    const void *alpha, *a, *b, *beta;
    void *c;
    int lda, ldb, ldc;
    long long stride_a, stride_b, stride_c;
    const void *const *a_list, *const *b_list;
    void *const *c_list;
    int batch;
};

static bool is_valid(const struct request *r)
{
    const int rows_a = r->ta ? r->k : r->m, rows_b = r->tb ? r->n : r->k;
    return r->m >= 0 && r->n >= 0 && r->k >= 0 && r->batch >= 0 && r->alpha && r->beta && r->ta <= CUBLAS_OP_C &&
           r->tb <= CUBLAS_OP_C && r->lda >= (rows_a > 1 ? rows_a : 1) && r->ldb >= (rows_b > 1 ? rows_b : 1) &&
           r->ldc >= (r->m > 1 ? r->m : 1);
}

/* scalars: the letter of alpha's and beta's type. */
static cublasStatus_t gemm(cublasHandle_t h, struct gemm_types types, char scalars, const struct request *r)
{
    if (!h)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!is_valid(r))
        return CUBLAS_STATUS_INVALID_VALUE;
    const struct scalar f = blas_scalar(h, scalars, r->alpha), g = blas_scalar(h, scalars, r->beta);
    struct gemm_params p = {
        .m = r->m,
        .n = r->n,
        .k = r->k,
        .batch = r->batch,
        .lda = r->lda,
        .ldb = r->ldb,
        .ldc = r->ldc,
        .ldd = r->ldc,
        .stride_a = r->stride_a,
        .stride_b = r->stride_b,
        .stride_c = r->stride_c,
        .stride_d = r->stride_c,
        .a = r->a,
        .b = r->b,
        .c = r->c,
        .d = r->c,
        .a_list = r->a_list,
        .b_list = r->b_list,
        .d_list = r->c_list,
        .alpha_at = f.at,
        .beta_at = g.at,
        .alpha = {f.re, f.im},
        .beta = {g.re, g.im},
        .scalar = scalars == 'h' ? SCALAR_F16 : SCALAR_F32,
    };
    return gemm_run(h, types, r->ta, r->tb, &p, false);
}

#define COMMON                                                                                                         \
    .ta = ta, .tb = tb, .m = m, .n = n, .k = k, .alpha = alpha, .beta = beta, .lda = lda, .ldb = ldb, .ldc = ldc
#define GEMM(name, L, l, T)                                                                                            \
    API cublasStatus_t name(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,         \
                            const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)    \
    {                                                                                                                  \
        return gemm(h, (struct gemm_types){l, l}, l, &(struct request){COMMON, .a = a, .b = b, .c = c, .batch = 1});   \
    }                                                                                                                  \
    API cublasStatus_t cublas##L##gemmStridedBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,     \
                                                     int m, int n, int k, const T *alpha, const T *a, int lda,         \
                                                     long long stride_a, const T *b, int ldb, long long stride_b,      \
                                                     const T *beta, T *c, int ldc, long long stride_c, int batch)      \
    {                                                                                                                  \
        return gemm(h, (struct gemm_types){l, l}, l,                                                                   \
                    &(struct request){COMMON, .a = a, .b = b, .c = c, .stride_a = stride_a, .stride_b = stride_b,      \
                                      .stride_c = stride_c, .batch = batch});                                          \
    }                                                                                                                  \
    API cublasStatus_t cublas##L##gemmBatched(                                                                         \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T *alpha,             \
        const T *const a[], int lda, const T *const b[], int ldb, const T *beta, T *const c[], int ldc, int batch)     \
    {                                                                                                                  \
        return gemm(h, (struct gemm_types){l, l}, l,                                                                   \
                    &(struct request){COMMON, .a_list = (const void *const *)a, .b_list = (const void *const *)b,      \
                                      .c_list = (void *const *)c, .batch = batch});                                    \
    }
GEMM(cublasSgemm_v2, S, 's', float)
GEMM(cublasDgemm_v2, D, 'd', double)
GEMM(cublasCgemm_v2, C, 'c', cuComplex)
GEMM(cublasZgemm_v2, Z, 'z', cuDoubleComplex)
GEMM(cublasHgemm, H, 'h', __half)

/* ---- types as arguments ---- */
static char letter_of(cudaDataType t)
{
    switch (t) {
    case CUDA_R_32F:
        return 's';
    case CUDA_R_64F:
        return 'd';
    case CUDA_C_32F:
        return 'c';
    case CUDA_C_64F:
        return 'z';
    case CUDA_R_16F:
        return 'h';
    case CUDA_R_16BF:
        return 'b';
    case CUDA_R_8F_E4M3:
        return '4';
    case CUDA_R_8F_E5M2:
        return '5';
    default:
        return 0;
    }
}

/* Which kernel multiplies these types; in == 0: none. Half and bfloat16 give themselves or f32. */
struct gemm_types gemm_types_of(cudaDataType a, cudaDataType b, cudaDataType c)
{
    const char in = letter_of(a), out = letter_of(c);
    const bool half = in == 'h' || in == 'b';
    if (!in || is_8bit(in) || is_8bit(out) || a != b || !out || (out != in && !(half && out == 's')))
        return (struct gemm_types){0};
    return (struct gemm_types){in, out, in, out};
}

struct gemm_types gemm_types_of_8bit(cudaDataType a, cudaDataType b, cudaDataType c, cudaDataType d)
{
    const char in = letter_of(a), in_b = letter_of(b), in_c = letter_of(c), out = letter_of(d);
    const bool wide_c = in_c == 'h' || in_c == 'b' || in_c == 's';
    if (!is_8bit(in) || !is_8bit(in_b) || !wide_c || (is_8bit(out) ? in_c == 's' : out != in_c))
        return (struct gemm_types){0};
    return (struct gemm_types){in, out, in_b, in_c};
}

static cublasStatus_t gemm_ex(cublasHandle_t h, cudaDataType a, cudaDataType b, cudaDataType c,
                              cublasComputeType_t compute, const struct request *r)
{
    const struct gemm_types types = gemm_types_of(a, b, c);
    const bool half = types.in == 'h' || types.in == 'b';
    const bool in_half = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
    if (!types.in) {
        fflush(stdout);
        fprintf(stderr,
                "weir: cuBLAS: there is no product of types %d and %d into %d (cudaDataType); use f32, f64, complex, "
                "half or "
                "bfloat16\n",
                (int)a, (int)b, (int)c);
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (in_half && types.in != 'h')
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return gemm(h, types, !half ? types.in : in_half ? 'h' : 's', r);
}

API cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                                const void *alpha, const void *a, cudaDataType type_a, int lda, const void *b,
                                cudaDataType type_b, int ldb, const void *beta, void *c, cudaDataType type_c, int ldc,
                                cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
    (void)algo;
    return gemm_ex(h, type_a, type_b, type_c, compute, &(struct request){COMMON, .a = a, .b = b, .c = c, .batch = 1});
}

API cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                                 const float *alpha, const void *a, cudaDataType type_a, int lda, const void *b,
                                 cudaDataType type_b, int ldb, const float *beta, void *c, cudaDataType type_c, int ldc)
{
    return gemm_ex(h, type_a, type_b, type_c, CUBLAS_COMPUTE_32F,
                   &(struct request){COMMON, .a = a, .b = b, .c = c, .batch = 1});
}

API cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                                              int n, int k, const void *alpha, const void *a, cudaDataType type_a,
                                              int lda, long long stride_a, const void *b, cudaDataType type_b, int ldb,
                                              long long stride_b, const void *beta, void *c, cudaDataType type_c,
                                              int ldc, long long stride_c, int batch, cublasComputeType_t compute,
                                              cublasGemmAlgo_t algo)
{
    (void)algo;
    return gemm_ex(h, type_a, type_b, type_c, compute,
                   &(struct request){COMMON, .a = a, .b = b, .c = c, .stride_a = stride_a, .stride_b = stride_b,
                                     .stride_c = stride_c, .batch = batch});
}

API cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                       int k, const void *alpha, const void *const a[], cudaDataType type_a, int lda,
                                       const void *const b[], cudaDataType type_b, int ldb, const void *beta,
                                       void *const c[], cudaDataType type_c, int ldc, int batch,
                                       cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
    (void)algo;
    return gemm_ex(h, type_a, type_b, type_c, compute,
                   &(struct request){COMMON, .a_list = a, .b_list = b, .c_list = c, .batch = batch});
}
