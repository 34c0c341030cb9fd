/*
 * weir's BLAS of levels 1 and 2 for s, d, c and z. Not NVIDIA's.
 *
 * Sums: of a vector, each of the grid's threads adds every N-th product in ascending order (N: the threads of the grid),
 * then the CTA's threads add pairwise, from a distance of 128 to 1, then one CTA does the same with the CTAs' sums. A
 * matrix times a vector sums each row in ascending order; a transposed one adds as a CTA of 128 threads does.
 */
#include "element.cuh"

/* BLAS begins a vector with a negative increment at its end. */
__device__ inline long long place(int i, int n, int inc)
{
    return inc >= 0 ? (long long)i * inc : (long long)(i - n + 1) * inc;
}
#define EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)

/* ---- level 1: element by element ---- */
KERNEL(axpy)(int n, scalar alpha, const element *x, int incx, element *y, int incy)
{
    const element a = value(alpha);
    EACH(i, n)
        y[place(i, n, incy)] = fused(a, x[place(i, n, incx)], y[place(i, n, incy)]);
}
KERNEL(scal)(int n, scalar alpha, element *x, int incx)
{
    const element a = value(alpha);
    EACH(i, n)
        x[place(i, n, incx)] = times(a, x[place(i, n, incx)]);
}
KERNEL(copy)(int n, const element *x, int incx, element *y, int incy)
{
    EACH(i, n)
        y[place(i, n, incy)] = x[place(i, n, incx)];
}
KERNEL(swap)(int n, element *x, int incx, element *y, int incy)
{
    EACH(i, n) {
        const element v = x[place(i, n, incx)];
        x[place(i, n, incx)] = y[place(i, n, incy)];
        y[place(i, n, incy)] = v;
    }
}
KERNEL(rot)(int n, element *x, int incx, element *y, int incy, scalar cosine, scalar sine)
{
    const element c = value(cosine), s = value(sine);
    EACH(i, n) {
        const element a = x[place(i, n, incx)], b = y[place(i, n, incy)];
        x[place(i, n, incx)] = fused(s, b, times(c, a));
        y[place(i, n, incy)] = fused(c, b, minus(times(conjugate(s), a)));
    }
}

/* ---- level 1: sums ---- */
enum { CTA = 256 };

struct best {
    real size;
    int at; /* from 1, as BLAS counts; 0 = none */
};
__device__ inline best better(best a, best b, bool least)
{
    if (!a.at || !b.at)
        return a.at ? a : b;
    if (a.size == b.size)
        return a.at < b.at ? a : b;
    return (a.size > b.size) != least ? a : b;
}
__device__ inline element join(element a, element b, int) { return add(a, b); }
__device__ inline best join(best a, best b, int least) { return better(a, b, least); }

/* Pairwise within the CTA; thread 0 has the result. */
template <typename T> __device__ __forceinline__ T gather(T v, int how)
{
    __shared__ T all[CTA];
    all[threadIdx.x] = v;
    for (int far = blockDim.x / 2; far; far /= 2) {
        __syncthreads();
        if (threadIdx.x < far)
            all[threadIdx.x] = join(all[threadIdx.x], all[threadIdx.x + far], how);
    }
    return all[0];
}
struct wide {
    double v;
};
__device__ inline wide join(wide a, wide b, int) { return wide{a.v + b.v}; }

KERNEL(dot)(int n, const element *x, int incx, const element *y, int incy, int conjugated, element *part)
{
    element sum = make(0, 0);
    EACH(i, n) {
        const element a = x[place(i, n, incx)];
        sum = fused(conjugated ? conjugate(a) : a, y[place(i, n, incy)], sum);
    }
    sum = gather(sum, 0);
    if (!threadIdx.x)
        part[blockIdx.x] = sum;
}
KERNEL(dot_end)(int n, const element *part, element *out)
{
    element sum = make(0, 0);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum = add(sum, part[i]);
    sum = gather(sum, 0);
    if (!threadIdx.x)
        *out = sum;
}
/* Sums of magnitudes or squares, in f64: the squares of f32 numbers cannot overflow there. */
KERNEL(norm)(int n, const element *x, int incx, int squares, double *part)
{
    wide sum = {0};
    EACH(i, n) {
        const element a = x[place(i, n, incx)];
#if COMPLEX
        const double re = a.re, im = a.im;
        sum.v = squares ? fma(im, im, fma(re, re, sum.v)) : sum.v + (fabs(re) + fabs(im));
#else
        const double re = a;
        sum.v = squares ? fma(re, re, sum.v) : sum.v + fabs(re);
#endif
    }
    sum = gather(sum, 0);
    if (!threadIdx.x)
        part[blockIdx.x] = sum.v;
}
KERNEL(norm_end)(int n, const double *part, int squares, real *out)
{
    wide sum = {0};
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum.v += part[i];
    sum = gather(sum, 0);
    if (!threadIdx.x)
        *out = (real)(squares ? sqrt(sum.v) : sum.v);
}
KERNEL(extreme)(int n, const element *x, int incx, int least, best *part)
{
    best b = {0, 0};
    EACH(i, n)
        b = better(b, best{magnitude(x[place(i, n, incx)]), i + 1}, least);
    b = gather(b, least);
    if (!threadIdx.x)
        part[blockIdx.x] = b;
}
KERNEL(extreme_end)(int n, const best *part, int least, int *out)
{
    best b = {0, 0};
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        b = better(b, part[i], least);
    b = gather(b, least);
    if (!threadIdx.x)
        *out = b.at;
}

/* ---- level 2 ---- */
__device__ __forceinline__ void finish(element *y, element sum, const scalar &alpha, const scalar &beta)
{
    const element b = value(beta), v = times(value(alpha), sum);
    *y = is_zero(b) ? v : fused(b, *y, v);
}

/* A thread for each row; neighbors read neighbors. */
KERNEL(gemv_n)(int m, int n, scalar alpha, const element *a, int lda, const element *x, int incx, scalar beta, element *y,
               int incy)
{
    EACH(i, m) {
        element sum = make(0, 0);
        for (int j = 0; j < n; j++)
            sum = fused(a[i + (long long)j * lda], x[place(j, n, incx)], sum);
        finish(&y[place(i, m, incy)], sum, alpha, beta);
    }
}
/* A CTA for each column. */
KERNEL(gemv_t)(int m, int n, int conjugated, scalar alpha, const element *a, int lda, const element *x, int incx,
               scalar beta, element *y, int incy)
{
    const element *column = a + (long long)blockIdx.x * lda;
    element sum = make(0, 0);
    for (int i = threadIdx.x; i < m; i += blockDim.x)
        sum = fused(conjugated ? conjugate(column[i]) : column[i], x[place(i, m, incx)], sum);
    sum = gather(sum, 0);
    if (!threadIdx.x)
        finish(&y[place(blockIdx.x, n, incy)], sum, alpha, beta);
}
/* A symmetric or Hermitian matrix of which one half is stored. */
KERNEL(symv)(int upper, int hermitian, int n, scalar alpha, const element *a, int lda, const element *x, int incx,
             scalar beta, element *y, int incy)
{
    EACH(i, n) {
        element sum = make(0, 0);
        for (int j = 0; j < n; j++) {
            const bool mirrored = upper ? i > j : i < j;
            element v = mirrored ? a[j + (long long)i * lda] : a[i + (long long)j * lda];
            if (hermitian)
                v = i == j ? real_part(v) : mirrored ? conjugate(v) : v;
            sum = fused(v, x[place(j, n, incx)], sum);
        }
        finish(&y[place(i, n, incy)], sum, alpha, beta);
    }
}
/* A += alpha x y', and with `both` also the same with x and y exchanged; half: 0 all of A, 1 its upper, 2 its lower half. */
KERNEL(rank)(int m, int n, int half, int both, int conjugated, scalar alpha, const element *x, int incx, const element *y,
             int incy, element *a, int lda)
{
    const element f = value(alpha), g = conjugated ? conjugate(f) : f;
    for (int j = blockIdx.y; j < n; j += gridDim.y) /* more columns than a grid has are taken in turns */
    EACH(i, m) {
        if ((half == 1 && i > j) || (half == 2 && i < j))
            continue;
        const element xi = x[place(i, m, incx)], yj = y[place(j, n, incy)];
        element v = fused(times(f, xi), conjugated ? conjugate(yj) : yj, a[i + (long long)j * lda]);
        if (both) {
            const element yi = y[place(i, n, incy)], xj = x[place(j, m, incx)];
            v = fused(times(g, yi), conjugated ? conjugate(xj) : xj, v);
        }
#if COMPLEX
        if (half && conjugated && i == j)
            v.im = 0;
#endif
        a[i + (long long)j * lda] = v;
    }
}
