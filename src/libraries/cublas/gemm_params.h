/*
 * What the host tells a matrix-product kernel: C = alpha op(A) op(B) + beta C, column-major, for a batch of problems, and
 * what happens to each element before it is stored. Plain C, read by both sides.
 */
#ifndef WEIR_CUBLAS_GEMM_PARAMS_H
#define WEIR_CUBLAS_GEMM_PARAMS_H

enum gemm_scalar { SCALAR_F32, SCALAR_F64, SCALAR_F16 }; /* of alpha and beta in device memory */
enum gemm_epilogue {
    EPILOGUE_RELU = 2,
    EPILOGUE_BIAS = 4,
    EPILOGUE_GELU = 32,
    EPILOGUE_DGELU = 64,
    EPILOGUE_AUX = 128
};

struct gemm_params {
    int m, n, k, batch;
    int lda, ldb, ldc, ldd;
    long long stride_a, stride_b, stride_c, stride_d; /* elements from one problem to the next */
    const void *a, *b, *c;
    void *d;
    const void *const *a_list, *const *b_list; /* not NULL: one pointer for each problem */
    void *const *d_list;                       /* C and D */
    const void *alpha_at, *beta_at;            /* not NULL: in device memory */
    double alpha[2], beta[2];                  /* real and imaginary part */
    int scalar;
    int half_upper, hermitian; /* of the kernel that writes one half: which; whether the diagonal is real */
    int aligned;               /* rows of A and B allow 16-byte loads */
    int epilogue;
    const void *bias; /* one value for each row, of D's type */
    void *aux;        /* of D's type: what the activation was given */
    int ld_aux;
    long long stride_aux;
    const float *scale_a, *scale_b, *scale_c, *scale_d; /* of 8-bit types, in device memory; NULL = 1 */
    float *amax;                                        /* of D before its scale; NULL = not wanted */
};

#endif
