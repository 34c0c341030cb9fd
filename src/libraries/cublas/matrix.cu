/*
 * What weir's BLAS of level 3 needs beside the product, for s, d, c and z. Not NVIDIA's.
 */
#include "element.cuh"

__device__ inline element turned(const element *a, int i, int j, int lda, int op)
{
    const element v = op ? a[j + (long long)i * lda] : a[i + (long long)j * lda];
    return op == 2 ? conjugate(v) : v;
}
#define EACH_ELEMENT(i, j, m, n)                                                                                       \
    for (int j = blockIdx.y; j < (n); j += gridDim.y)                                                                  \
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (m); i += gridDim.x * blockDim.x)

/* C = alpha op(A) + beta op(B). */
KERNEL(geam)(int m, int n, int op_a, int op_b, scalar alpha, const element *a, int lda, scalar beta, const element *b,
             int ldb, element *c, int ldc)
{
    const element f = value(alpha), g = value(beta);
    EACH_ELEMENT(i, j, m, n) {
        element v = make(0, 0);
        if (!is_zero(f))
            v = times(f, turned(a, i, j, lda, op_a));
        if (!is_zero(g))
            v = fused(g, turned(b, i, j, ldb, op_b), v);
        c[i + (long long)j * ldc] = v;
    }
}
/* C = diag(x) A, or A diag(x). */
KERNEL(dgmm)(int right, int m, int n, const element *a, int lda, const element *x, int incx, element *c, int ldc)
{
    const int count = right ? n : m;
    EACH_ELEMENT(i, j, m, n) {
        const int k = right ? j : i;
        const long long at = incx >= 0 ? (long long)k * incx : (long long)(k - count + 1) * incx;
        c[i + (long long)j * ldc] = times(a[i + (long long)j * lda], x[at]);
    }
}
/* The whole of a matrix of which one half is stored. kind: 0 symmetric, 1 Hermitian, 2 triangular, 3 with ones on the
 * diagonal. */
KERNEL(expand)(int kind, int upper, int n, const element *a, int lda, element *out)
{
    EACH_ELEMENT(i, j, n, n) {
        const bool other = upper ? i > j : i < j;
        element v = kind == 3 && i == j ? make(1, 0) : kind >= 2 && other ? make(0, 0) : turned(a, i, j, lda, other);
#if COMPLEX
        if (kind == 1)
            v.im = i == j ? 0 : other ? -v.im : v.im;
#endif
        out[i + (long long)j * n] = v;
    }
}
/*
 * Solves op(A) x = alpha b for each line b of B, which x replaces: a column (left), or a row of which op(A) is then meant
 * transposed (right). A CTA for each line takes the unknowns one by one and subtracts each from all that follow.
 */
KERNEL(trsm)(int right, int upper, int op, int unit, int n, scalar alpha, const element *a, int lda, element *b, int ldb,
             const element *const *a_list, element *const *b_list)
{
    if (a_list) {
        a = a_list[blockIdx.y];
        b = b_list[blockIdx.y];
    }
    element *line = right ? b + blockIdx.x : b + (long long)blockIdx.x * ldb;
    const long long step = right ? ldb : 1;
    const element f = value(alpha);
    /* op(A), transposed once more on the right: reading rows for columns, without conjugation for op 1. */
    const bool across = (op != 0) != (right != 0);
    const bool forward = (upper != 0) == across;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        line[i * step] = times(f, line[i * step]);
    for (int done = 0; done < n; done++) {
        const int k = forward ? done : n - 1 - done;
        __syncthreads();
        element pivot = a[k + (long long)k * lda], x = line[k * step];
        if (!unit)
            x = divide(x, op == 2 ? conjugate(pivot) : pivot);
        __syncthreads();
        if (!threadIdx.x)
            line[k * step] = x;
        for (int r = threadIdx.x; r < n - 1 - done; r += blockDim.x) {
            const int i = forward ? k + 1 + r : k - 1 - r;
            element v = across ? a[k + (long long)i * lda] : a[i + (long long)k * lda];
            v = op == 2 ? conjugate(v) : v;
            line[i * step] = fused(minus(v), x, line[i * step]);
        }
    }
}
