/* Handles, modes, copies of vectors and matrices, and the way to a kernel. */
#include "cublas/blas.h"

#include "base/mem.h"
#include "compile/kernels.h"

#include <stdio.h>

enum { VERSION = CUBLAS_VERSION };

/* ---- statuses ---- */
static const struct {
    cublasStatus_t status;
    const char *name, *text;
} statuses[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was passed"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH", "the device lacks a required feature"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "access to device memory failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the program failed to execute"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the operation is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "a license is missing"},
};

API const char *cublasGetStatusName(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].status == status)
            return statuses[i].name;
    return "CUBLAS_STATUS unknown";
}

API const char *cublasGetStatusString(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].status == status)
            return statuses[i].text;
    return "unknown status";
}

cublasStatus_t blas_status(cudaError_t e)
{
    return e == cudaSuccess                 ? CUBLAS_STATUS_SUCCESS
           : e == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED
                                            : CUBLAS_STATUS_EXECUTION_FAILED;
}

/* ---- handles ---- */
API cublasStatus_t cublasCreate_v2(cublasHandle_t *out)
{
    if (!out)
        return CUBLAS_STATUS_INVALID_VALUE;
    struct cublasContext *h = xcalloc(1, sizeof *h);
    cudaError_t e = cudaMalloc(&h->parts, (MAX_PARTS + 1) * PART_BYTES);
    if (!e)
        e = cudaDeviceGetAttribute(&h->sms, cudaDevAttrMultiProcessorCount, 0);
    if (e) {
        free(h);
        return e == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_NOT_INITIALIZED;
    }
    *out = h;
    return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasDestroy_v2(cublasHandle_t h)
{
    if (!h)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    cudaFree(h->parts);
    cudaFree(h->work);
    free(h);
    return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasGetVersion_v2(cublasHandle_t h, int *version)
{
    (void)h;
    if (!version)
        return CUBLAS_STATUS_INVALID_VALUE;
    *version = VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    if (!value || type > PATCH_LEVEL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *value = type == MAJOR_VERSION ? CUBLAS_VER_MAJOR : type == MINOR_VERSION ? CUBLAS_VER_MINOR : CUBLAS_VER_PATCH;
    return CUBLAS_STATUS_SUCCESS;
}

/* The handle's own memory serves; a workspace of the caller is not needed. */
API cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t h, void *workspace, size_t bytes)
{
    (void)workspace, (void)bytes;
    return h ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

#define MODE(getter, setter, type, field, valid)                                                                       \
    API cublasStatus_t getter(cublasHandle_t h, type *value)                                                           \
    {                                                                                                                  \
        if (!h || !value)                                                                                              \
            return h ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;                                    \
        *value = h->field;                                                                                             \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }                                                                                                                  \
    API cublasStatus_t setter(cublasHandle_t h, type value)                                                            \
    {                                                                                                                  \
        if (!h || !(valid))                                                                                            \
            return h ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;                                    \
        h->field = value;                                                                                              \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }
MODE(cublasGetStream_v2, cublasSetStream_v2, cudaStream_t, stream, true)
MODE(cublasGetPointerMode_v2, cublasSetPointerMode_v2, cublasPointerMode_t, pointer_mode,
     value <= CUBLAS_POINTER_MODE_DEVICE)
MODE(cublasGetAtomicsMode, cublasSetAtomicsMode, cublasAtomicsMode_t, atomics, value <= CUBLAS_ATOMICS_ALLOWED)
MODE(cublasGetMathMode, cublasSetMathMode, cublasMath_t, math, value <= 31)

void *blas_work(cublasHandle_t h, size_t bytes)
{
    if (bytes > h->work_bytes) {
        cudaFree(h->work);
        h->work = NULL;
        h->work_bytes = cudaMalloc(&h->work, bytes) ? 0 : bytes;
    }
    return h->work;
}

/* ---- scalars ---- */
size_t blas_element_bytes(char letter)
{
    return letter == 'h' || letter == 'b' ? 2 : letter == 's' || letter == 'f' ? 4 : letter == 'z' ? 16 : 8;
}

/* Exact: every half is a float. */
static float from_half(unsigned short h)
{
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    const float sign = h & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 31)
        return fraction ? __builtin_nanf("") : sign * __builtin_inff();
    return sign *
           __builtin_ldexpf(exponent ? 1024.0f + (float)fraction : (float)fraction, (exponent ? exponent : 1) - 25);
}

struct scalar blas_scalar(cublasHandle_t h, char letter, const void *p)
{
    if (h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        return (struct scalar){.at = p};
    switch (letter) {
    case 'h':
        return (struct scalar){NULL, from_half(*(const unsigned short *)p), 0};
    case 's':
        return (struct scalar){NULL, *(const float *)p, 0};
    case 'd':
        return (struct scalar){NULL, *(const double *)p, 0};
    case 'c':
        return (struct scalar){NULL, ((const float *)p)[0], ((const float *)p)[1]};
    default:
        return (struct scalar){NULL, ((const double *)p)[0], ((const double *)p)[1]};
    }
}

struct scalar blas_number(double re)
{
    return (struct scalar){NULL, re, 0};
}

bool blas_is_zero(const struct scalar *s)
{
    return !s->at && s->re == 0 && s->im == 0;
}

/* ---- kernels ---- */

cublasStatus_t blas_launch(cublasHandle_t h, const char *file, const char *const *defines, const char *kernel,
                           dim3 grid, unsigned threads, void **args)
{
    cudaKernel_t k;
    cudaError_t e = kernel_find(file, defines, kernel, &k);
    if (!e)
        e = cudaLaunchKernel((const void *)k, grid, (dim3){threads, 1, 1}, args, 0, h->stream);
    return blas_status(e);
}

cublasStatus_t blas_launch_letter(cublasHandle_t h, const char *file, char letter, const char *name, dim3 grid,
                                  void **args)
{
    char define[] = "-DLETTER=?", kernel[64];
    define[sizeof define - 2] = letter;
    snprintf(kernel, sizeof kernel, "weir_cublas_%c%s", letter, name);
    return blas_launch(h, file, (const char *const[]){define, NULL}, kernel, grid, CTA_THREADS, args);
}

unsigned blas_ctas(long long n, unsigned most)
{
    const long long ctas = (n + CTA_THREADS - 1) / CTA_THREADS;
    return ctas < 1 ? 1 : ctas > most ? most : (unsigned)ctas;
}

/* ---- vectors and matrices between host and device ---- */
static cublasStatus_t move_rows(size_t rows, size_t row_bytes, const void *from, size_t from_step, void *to,
                                size_t to_step, cudaStream_t stream)
{
    if (!rows || !row_bytes)
        return CUBLAS_STATUS_SUCCESS;
    return cudaMemcpy2DAsync(to, to_step, from, from_step, row_bytes, rows, cudaMemcpyDefault, stream)
               ? CUBLAS_STATUS_MAPPING_ERROR
               : CUBLAS_STATUS_SUCCESS;
}

#define VECTOR(function, more, stream)                                                                                 \
    API cublasStatus_t function(int n, int bytes, const void *x, int incx, void *y, int incy more)                     \
    {                                                                                                                  \
        if (n < 0 || bytes <= 0 || incx <= 0 || incy <= 0)                                                             \
            return CUBLAS_STATUS_INVALID_VALUE;                                                                        \
        return move_rows((size_t)n, (size_t)bytes, x, (size_t)incx * (size_t)bytes, y, (size_t)incy * (size_t)bytes,   \
                         stream);                                                                                      \
    }
#define MATRIX(function, more, stream)                                                                                 \
    API cublasStatus_t function(int rows, int columns, int bytes, const void *a, int lda, void *b, int ldb more)       \
    {                                                                                                                  \
        if (rows < 0 || columns < 0 || bytes <= 0 || lda < rows || ldb < rows || !lda || !ldb)                         \
            return CUBLAS_STATUS_INVALID_VALUE;                                                                        \
        return move_rows((size_t)columns, (size_t)rows * (size_t)bytes, a, (size_t)lda * (size_t)bytes, b,             \
                         (size_t)ldb * (size_t)bytes, stream);                                                         \
    }
#define STREAM , cudaStream_t stream
VECTOR(cublasSetVector, , NULL)
VECTOR(cublasGetVector, , NULL)
VECTOR(cublasSetVectorAsync, STREAM, stream)
VECTOR(cublasGetVectorAsync, STREAM, stream)
MATRIX(cublasSetMatrix, , NULL)
MATRIX(cublasGetMatrix, , NULL)
MATRIX(cublasSetMatrixAsync, STREAM, stream)
MATRIX(cublasGetMatrixAsync, STREAM, stream)
