/*
 * Inside weir's cuBLAS: handles, scalars, launches. The library is a client of the CUDA runtime like any other: it loads
 * its kernels as PTX, compiled when one is first needed, and launches them into the handle's stream.
 */
#ifndef WEIR_CUBLAS_BLAS_H
#define WEIR_CUBLAS_BLAS_H

#include "cublas/gemm_params.h"
#include "weir/cuda/cublas_v2.h"
#include "weir/cuda/cuda_runtime_api.h"

#include <stdbool.h>
#include <stddef.h>

#define API __attribute__((visibility("default")))

struct cublasContext {
    cudaStream_t stream;
    cublasPointerMode_t pointer_mode;
    cublasAtomicsMode_t atomics;
    cublasMath_t math;
    void *parts; /* sums of CTAs, and a result on its way to the host */
    void *work;  /* grows with what was needed */
    size_t work_bytes;
    int sms;
};
enum { MAX_PARTS = 128, PART_BYTES = 16, CTA_THREADS = 256 };

/* A number of the caller: by value, or where it is in device memory. As vector.cu and matrix.cu have it. */
struct scalar {
    const void *at;
    double re, im;
};
/* letter: s, d, c, z, or h for half. In device pointer mode only the place is known. */
struct scalar blas_scalar(cublasHandle_t, char letter, const void *p);
/* One that is the library's own. */
struct scalar blas_number(double re);
/* Whether the number is known to be zero. */
bool blas_is_zero(const struct scalar *);
size_t blas_element_bytes(char letter);

cublasStatus_t blas_status(cudaError_t);
/* Memory of the handle, for one call; NULL when there is none. */
void *blas_work(cublasHandle_t, size_t bytes);

/* One of the files of device code, compiled for `defines`, and a kernel of it. */
cublasStatus_t blas_launch(cublasHandle_t, const char *file, const char *const *defines, const char *kernel, dim3 grid,
                           unsigned threads, void **args);
/* A kernel of vector.cu or matrix.cu: weir_cublas_<letter><name>. */
cublasStatus_t blas_launch_letter(cublasHandle_t, const char *file, char letter, const char *name, dim3 grid,
                                  void **args);
/* CTAs for n elements, at most `most`. */
unsigned blas_ctas(long long n, unsigned most);

/*
 * gemm.c: the kernels' parameters are in p; letter as above, or b for bfloat16; out: of C and D, f for float, or as `in`. 8-bit
 * types, 4 for e4m3 and 5 for e5m2, have B's and C's besides.
 */
struct gemm_types {
    char in, out, in_b, in_c;
};
/* Which kernel multiplies these types into themselves; in == 0: none. */
struct gemm_types gemm_types_of(cudaDataType a, cudaDataType b, cudaDataType c);
/* The same for 8-bit A and B. */
struct gemm_types gemm_types_of_8bit(cudaDataType a, cudaDataType b, cudaDataType c, cudaDataType d);
cublasStatus_t gemm_run(cublasHandle_t, struct gemm_types, cublasOperation_t ta, cublasOperation_t tb,
                        struct gemm_params *, bool half_only);

/* A function of the interface leaves with a status where the handle or an argument is wrong. */
#define NEEDS(condition)                                                                                               \
    do {                                                                                                               \
        if (!h)                                                                                                        \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                                      \
        if (!(condition))                                                                                              \
            return CUBLAS_STATUS_INVALID_VALUE;                                                                        \
    } while (0)
#define ARGS(...)                                                                                                      \
    (void *[])                                                                                                         \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

#endif
