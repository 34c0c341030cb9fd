/*
 * The element types of weir's cuBLAS kernels and their arithmetic. A file is compiled once for each type: LETTER is s, d,
 * c or z. Every multiplication that is added to something is one fused operation.
 */
#ifndef WEIR_CUBLAS_ELEMENT_CUH
#define WEIR_CUBLAS_ELEMENT_CUH

#define PASTE_(a, b, c) a##b##c
#define PASTE(a, b, c)  PASTE_(a, b, c)
#define KERNEL(name)    extern "C" __global__ void PASTE(weir_cublas_, LETTER, name)

#define IS_s 0
#define IS_d 1
#define IS_c 2
#define IS_z 3
#define IS_OF(letter)  IS_OF_(letter)
#define IS_OF_(letter) IS_##letter
#define COMPLEX (IS_OF(LETTER) >= 2)

#if IS_OF(LETTER) == 0 || IS_OF(LETTER) == 2
typedef float real;
#else
typedef double real;
#endif

#if COMPLEX
struct __align__(2 * sizeof(real)) element {
    real re, im;
};
__device__ inline element make(real re, real im)
{
    element e;
    e.re = re;
    e.im = im;
    return e;
}
/* c + a b: real products first. */
__device__ inline element fused(element a, element b, element c)
{
    c.re = fma(a.re, b.re, c.re);
    c.re = fma(-a.im, b.im, c.re);
    c.im = fma(a.re, b.im, c.im);
    c.im = fma(a.im, b.re, c.im);
    return c;
}
__device__ inline element conjugate(element a) { return make(a.re, -a.im); }
__device__ inline element real_part(element a) { return make(a.re, 0); }
__device__ inline element add(element a, element b) { return make(a.re + b.re, a.im + b.im); }
__device__ inline element minus(element a) { return make(-a.re, -a.im); }
__device__ inline bool is_zero(element a) { return a.re == 0 && a.im == 0; }
__device__ inline real magnitude(element a) { return fabs(a.re) + fabs(a.im); } /* the sum of the parts, as in BLAS */
__device__ inline real square(element a, real sum) { return fma(a.im, a.im, fma(a.re, a.re, sum)); }
__device__ inline element divide(element a, element b)
{
    const real n = fma(b.im, b.im, b.re * b.re);
    return make(fma(a.im, b.im, a.re * b.re) / n, fma(a.im, b.re, -(a.re * b.im)) / n);
}
#else
typedef real element;
__device__ inline element make(real re, real) { return re; }
__device__ inline element fused(element a, element b, element c) { return fma(a, b, c); }
__device__ inline element conjugate(element a) { return a; }
__device__ inline element real_part(element a) { return a; }
__device__ inline element add(element a, element b) { return a + b; }
__device__ inline element minus(element a) { return -a; }
__device__ inline bool is_zero(element a) { return a == 0; }
__device__ inline real magnitude(element a) { return fabs(a); }
__device__ inline real square(element a, real sum) { return fma(a, a, sum); }
__device__ inline element divide(element a, element b) { return a / b; }
#endif
__device__ inline element times(element a, element b) { return fused(a, b, make(0, 0)); }

/* A scalar of the caller: by value, or where it is in device memory. */
struct scalar {
    const element *at;
    double re, im;
};
__device__ inline element value(const scalar &s)
{
    return s.at ? *s.at : make((real)s.re, (real)s.im);
}

#endif
