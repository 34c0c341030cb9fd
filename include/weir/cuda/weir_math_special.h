/*
 * The device library, part five: error functions, gamma functions, Bessel functions and the normal distribution.
 *
 * Rare in kernels, so they are written for accuracy and brevity, not speed; the single-precision twins of most go
 * through double precision.
 */
#ifndef WEIR_CUDA_MATH_SPECIAL_H
#define WEIR_CUDA_MATH_SPECIAL_H

/* c[0] + c[1] t + ... + c[n-1] t^(n-1), unrolled, so that the coefficients become immediates. */
template <int weir_N> WEIR_HELPER double weir_poly_d(const double (&c)[weir_N], double t)
{
    double p = c[weir_N - 1];
#pragma unroll
    for (int i = weir_N - 2; i >= 0; i--)
        p = weir_fma_d(p, t, c[i]);
    return p;
}
template <int weir_N> WEIR_HELPER float weir_poly_f(const float (&c)[weir_N], float t)
{
    float p = c[weir_N - 1];
#pragma unroll
    for (int i = weir_N - 2; i >= 0; i--)
        p = weir_fma_f(p, t, c[i]);
    return p;
}

/* ---- error functions ---- */

/* (1 + 2x) e^(x^2) erfc(x) is smooth from 0 to infinity; as a polynomial in t = (x - 4)/(x + 4) it is short. */
WEIR_HELPER float weir_erfcx_f(float x)
{
    const float c[13] = {1.23299515e+0f,  -1.39621124e-1f, 1.53796198e-2f, 6.80971220e-2f,  -1.01038076e-1f,
                         9.37324315e-2f,  -6.63413331e-2f, 3.71615067e-2f, -1.61482766e-2f, 5.09504369e-3f,
                         -8.21855036e-4f, -3.54895164e-4f, 8.48922355e-5f};
    float r = 1.0f / (x + 4.0f), q = (x - 4.0f) * r;
    q = weir_fma_f(weir_fma_f(-4.0f, q + 1.0f, weir_fma_f(-q, x, x)), r, q);
    float d = 1.0f / weir_fma_f(2.0f, x, 1.0f), p = weir_poly_f(c, q), v = p * d;
    /* One step of division, with the remainder. */
    return weir_fma_f(weir_fma_f(-v, weir_fma_f(2.0f, x, 1.0f), p), d, v);
}
WEIR_HELPER double weir_erfcx_d(double x)
{
    const double c[24] = {
        0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a12ep-3,  0x1.f7f5df66fb2a0p-7,   0x1.16ecefcf91179p-4,
        -0x1.9ddb23c3db856p-4,  0x1.7fee0050cbcb0p-4,   -0x1.0fb06dfeded7dp-4,  0x1.3079ed9f70decp-5,
        -0x1.0962389661ca5p-6,  0x1.49c68a8751370p-8,   -0x1.8d4a566e8431fp-11, -0x1.a1ef126015816p-13,
        0x1.3bd723aa3c543p-13,  -0x1.97b40ccc9ab64p-16, -0x1.75f405806b816p-17, 0x1.71b42e6b52839p-18,
        0x1.86d232e07ed58p-24,  -0x1.3bf3ecac9bb76p-21, 0x1.9fb8dc328f41ep-22,  -0x1.08e7aff42a17bp-26,
        -0x1.2d4f8e3e8d2b9p-22, -0x1.e922d616da3f9p-26, 0x1.979093c5c67c1p-24,  0x1.20286cb30aa16p-25};
    double r = 1.0 / (x + 4.0), q = (x - 4.0) * r;
    q = weir_fma_d(weir_fma_d(-4.0, q + 1.0, weir_fma_d(-q, x, x)), r, q);
    double d = 1.0 / weir_fma_d(2.0, x, 1.0), p = weir_poly_d(c, q), v = p * d;
    return weir_fma_d(weir_fma_d(-v, weir_fma_d(2.0, x, 1.0), p), d, v);
}

WEIR_M float __nv_erfcf(float x)
{
    float a = __builtin_fabsf(x), c = a < 10.5f ? a : 10.5f;
    float s = c * c, low = weir_fma_f(c, c, -s), e = __nv_expf(-s);
    e = weir_fma_f(-e, low, e);
    float r = a < 10.5f ? weir_erfcx_f(c) * e : 0.0f;
    r = x < 0.0f ? 2.0f - r : r;
    return x != x ? x : r;
}
WEIR_M double __nv_erfc(double x)
{
    double a = __builtin_fabs(x), c = a < 27.5 ? a : 27.5;
    double s = c * c, low = weir_fma_d(c, c, -s), e = __nv_exp(-s);
    e = weir_fma_d(-e, low, e);
    double r = a < 27.5 ? weir_erfcx_d(c) * e : 0.0;
    r = x < 0.0 ? 2.0 - r : r;
    return x != x ? x : r;
}
WEIR_M float __nv_erff(float x)
{
    float a = __builtin_fabsf(x);
    if (a >= 1.0f)
        return __builtin_copysignf(1.0f - __nv_erfcf(a), x);
    const float c[6] = {1.28379121e-1f,  -3.76123190e-1f, 1.12801135e-1f,
                        -2.67092176e-2f, 4.91491612e-3f,  -5.61997353e-4f};
    return x != x ? x : weir_fma_f(weir_poly_f(c, x * x), x, x);
}
WEIR_M double __nv_erf(double x)
{
    double a = __builtin_fabs(x);
    if (a >= 1.0)
        return __builtin_copysign(1.0 - __nv_erfc(a), x);
    const double c[13] = {0x1.06eba8214db69p-3,  -0x1.812746b037a25p-2,  0x1.ce2f21a045957p-4,  -0x1.b82ce313582f8p-6,
                          0x1.565bcd2d0cb0bp-8,  -0x1.c02db9580dee4p-11, 0x1.f9a3be3b70edep-14, -0x1.f4dd5c586db03p-17,
                          0x1.ba6f0bc756cb2p-20, -0x1.63c835c86c707p-23, 0x1.1463b28aa1165p-26, -0x1.cd190e346169ap-30,
                          0x1.47af664e47f40p-33};
    return x != x ? x : weir_fma_d(weir_poly_d(c, x * x), x, x);
}
WEIR_M double __nv_erfcx(double x)
{
    if (x < 0.0) {
        double s = x * x, low = weir_fma_d(x, x, -s), e = __nv_exp(s);
        return 2.0 * weir_fma_d(e, low, e) - weir_erfcx_d(-x);
    }
    if (x > 28.0) {
        const double c[7] = {1.0, -0.5, 0.75, -1.875, 6.5625, -29.53125, 162.421875};
        double r = 1.0 / x;
        return 0x1.20dd750429b6dp-1 * r * weir_poly_d(c, r * r);
    }
    return weir_erfcx_d(x);
}
WEIR_M float __nv_erfcxf(float x)
{
    return (float)__nv_erfcx((double)x);
}

/*
 * Inverses by Newton's method with the second-order term, on a start from the asymptotic form: with w = erfc(y) - x the
 * derivative is -2/sqrt(pi) e^(-y^2) and the ratio of the second derivative to it is -2y.
 */
WEIR_HELPER double weir_erfcinv_d(double x) /* 0 < x <= 1 */
{
    double t = __builtin_sqrt(-2.0 * __nv_log(0.5 * x));
    double y = 0.70711 * (t - (2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)));
    for (int i = 0; i < 3; i++) {
        double s = y * y;
        /* erfc(y) - x relative to the density; erfcx keeps the tail from underflowing. */
        double excess =
            (y > 1.0 ? weir_erfcx_d(y) - x * __nv_exp(s) : (__nv_erfc(y) - x) * __nv_exp(s)) * 0x1.c5bf891b4ef6bp-1;
        y += excess / (1.0 - y * excess);
    }
    return y;
}
WEIR_M double __nv_erfcinv(double x)
{
    if (!(x > 0.0 && x < 2.0))
        return x == 0.0 ? __builtin_inf() : x == 2.0 ? -__builtin_inf() : __builtin_nan("");
    return x <= 1.0 ? weir_erfcinv_d(x) : -weir_erfcinv_d(2.0 - x);
}
WEIR_M double __nv_erfinv(double x)
{
    double a = __builtin_fabs(x);
    if (!(a < 1.0))
        return a == 1.0 ? __builtin_copysign(__builtin_inf(), x) : __builtin_nan("");
    if (a > 0.5)
        return __builtin_copysign(weir_erfcinv_d(1.0 - a), x);
    if (a < 1.0e-9)
        return x * 0x1.c5bf891b4ef6bp-1;
    double y = a * 0.8862 * (1.0 + 0.2618 * a * a);
    for (int i = 0; i < 3; i++) {
        double w = (__nv_erf(y) - a) * 0x1.c5bf891b4ef6bp-1 * __nv_exp(y * y);
        y -= w / (1.0 + y * w);
    }
    return __builtin_copysign(y, x);
}
WEIR_M float __nv_erfinvf(float x)
{
    return (float)__nv_erfinv((double)x);
}
WEIR_M float __nv_erfcinvf(float x)
{
    return (float)__nv_erfcinv((double)x);
}

/* The normal distribution. */
WEIR_M double __nv_normcdf(double x)
{
    /* x / sqrt(2) in two parts: the tail's exponent doubles any error of the argument. */
    double y = x * -0x1.6a09e667f3bcdp-1;
    double low = weir_fma_d(x, -0x1.6a09e667f3bcdp-1, -y) + x * 0x1.bdd3413b26456p-55;
    double r = 0.5 * __nv_erfc(y);
    if (y > 0.0 && y < 27.0)
        r = weir_fma_d(-2.0 * y * low, r, r);
    return r;
}
WEIR_M float __nv_normcdff(float x)
{
    return (float)__nv_normcdf((double)x);
}
WEIR_M double __nv_normcdfinv(double p)
{
    return -0x1.6a09e667f3bcdp0 * __nv_erfcinv(2.0 * p);
}
WEIR_M float __nv_normcdfinvf(float p)
{
    return (float)__nv_normcdfinv((double)p);
}

/* ---- gamma functions ---- */

/* Stirling's series for log(gamma(x)) - ((x - 1/2) log(x) - x + log(2 pi)/2), x >= 8. */
WEIR_HELPER double weir_stirling_d(double x)
{
    const double c[8] = {1.0 / 12,   -1.0 / 360,        1.0 / 1260, -1.0 / 1680,
                         1.0 / 1188, -691.0 / 360360.0, 1.0 / 156,  -3617.0 / 122400.0};
    double r = 1.0 / x;
    return r * weir_poly_d(c, r * r);
}
WEIR_M double __nv_tgamma(double x)
{
    const double c[17] = {0x1.0000000000000p+0,   0x1.2788cfc6fb619p-1,  -0x1.4fcf4026afa2ep-1,
                          -0x1.5815e8fa27102p-5,  0x1.5512320b43fa9p-3,  -0x1.59af103c31a44p-5,
                          -0x1.3b4af2848019cp-7,  0x1.d919c5262f35ap-8,  -0x1.317112d07e2b2p-10,
                          -0x1.c364fba1298ddp-13, 0x1.0c8a797a8ecc1p-13, -0x1.51cf2c0d20e80p-16,
                          -0x1.4faee1b60482dp-20, 0x1.304e4f34813dcp-20, -0x1.b97dfa0da7e92p-23,
                          0x1.4a4d16e68ba7fp-28,  0x1.5800c7457b3d7p-28};
    if (x != x || x == __builtin_inf())
        return x;
    if (x == 0.0)
        return 1.0 / x;
    if (x < 0.0 && x == __builtin_trunc(x))
        return __builtin_nan("");
    double a = __builtin_fabs(x);
    if (a > 20.0) {
        /* x^(x - 1/2) e^-x sqrt(2 pi), the power in two halves against overflow. */
        if (a > 185.0)
            return x > 0.0 ? __builtin_inf() : 0.0 * __nv_sinpi(x);
        double h = __nv_pow(a, 0.5 * a - 0.25), g = 0x1.40d931ff62706p1 * h * __nv_exp(-a) * h;
        g *= __nv_exp(weir_stirling_d(a));
        return x > 0.0 ? g : -0x1.921fb54442d18p1 / (a * __nv_sinpi(a) * g);
    }
    /* Down or up to 1 + t, |t| <= 1/2, by gamma(x + 1) = x gamma(x). */
    double up = 1.0, down = 1.0;
    while (x > 1.5) {
        x -= 1.0;
        up *= x;
    }
    while (x < 0.5) {
        down *= x;
        x += 1.0;
    }
    return up / (down * weir_poly_d(c, x - 1.0));
}
WEIR_M float __nv_tgammaf(float x)
{
    return (float)__nv_tgamma((double)x);
}

WEIR_HELPER double weir_lgamma_d(double x) /* x > 0 */
{
    const double one[26] = {-0x1.2788cfc6fb61ap-1, 0x1.a51a6625307cap-1, -0x1.9a4d55beaaa50p-2, 0x1.151322ac7ef79p-2,
                            -0x1.a8b9c17b935dbp-3, 0x1.5b40cb0f12248p-3, -0x1.2703a18c12886p-3, 0x1.010b36cb79d1ep-3,
                            -0x1.c8068cf3f4241p-4, 0x1.9a01e4c69751ap-4, -0x1.748937696cdcdp-4, 0x1.5569f9168e594p-4,
                            -0x1.3b50958895c56p-4, 0x1.24ae3ac0261edp-4, -0x1.0ecf27dc25f86p-4, 0x1.fd607e5fda604p-5,
                            -0x1.026889e84687cp-4, 0x1.dea4d9b7e7c73p-5, -0x1.f23c3c9ee2cf8p-6, 0x1.11a3406afc60dp-5,
                            -0x1.fb1ca58db7395p-4, 0x1.b5cc60ac2831dp-4, 0x1.ddd9c6bf5a5a0p-4,  -0x1.86f0c7dc62a12p-4,
                            -0x1.b1a685ee386efp-3, 0x1.8b9de467862b9p-3};
    const double two[20] = {
        0x1.b0ee6072093cep-2,   0x1.4a34cc4a60f9ep-2,   -0x1.13e001a557521p-4,  0x1.51322ac7dff38p-6,
        -0x1.e404fc21eebaep-8,  0x1.7add6e9cca844p-9,   -0x1.38ac5bef18ecap-10, 0x1.0b36b801f36b0p-11,
        -0x1.d3fd73598045dp-13, 0x1.a12315e49aa83p-14,  -0x1.78d765951d2e6p-15, 0x1.58c9c80e2d1efp-16,
        -0x1.3d7754349340ap-17, 0x1.137b02e5e348dp-18,  -0x1.066172d032a45p-19, 0x1.04f83f2023039p-19,
        -0x1.4e1dfa1a72f56p-21, -0x1.dbbc836e58cc8p-20, 0x1.3932c208c0bedp-25,  0x1.d01a5aa8bc0a0p-20};
    if (x >= 8.0) {
        double l = __nv_log(x);
        /* log(2 pi)/2 - 1/2 */
        return weir_fma_d(x - 0.5, l - 1.0, weir_stirling_d(x) + 0x1.acfe390c97d69p-2);
    }
    if (x < 0.5)
        return x * weir_poly_d(one, x) - __nv_log(x);
    if (x <= 1.5)
        return (x - 1.0) * weir_poly_d(one, x - 1.0);
    /* gamma(x) = (x - 1)(x - 2) ... gamma(2 + t) */
    double product = 1.0;
    while (x > 2.5) {
        x -= 1.0;
        product *= x;
    }
    return (x - 2.0) * weir_poly_d(two, x - 2.0) + __nv_log(product);
}
WEIR_M double __nv_lgamma(double x)
{
    if (x != x)
        return x;
    if (__builtin_fabs(x) == __builtin_inf())
        return __builtin_inf();
    if (x > 0.0)
        return weir_lgamma_d(x);
    if (x == __builtin_trunc(x))
        return __builtin_inf();
    /* Reflection. */
    double a = -x;
    return __nv_log(0x1.921fb54442d18p1 / __builtin_fabs(a * __nv_sinpi(a))) - weir_lgamma_d(a);
}
WEIR_M float __nv_lgammaf(float x)
{
    return (float)__nv_lgamma((double)x);
}

/* ---- Bessel functions ---- */

/*
 * J and Y of order 0 and 1. Up to 25, Miller's backward recurrence, normalized by J0 + 2 (J2 + J4 + ...) = 1, and
 * Neumann's series for Y; beyond, Hankel's asymptotic series.
 */
struct weir_bessel {
    double j0, j1, y0, y1;
};
static __device__ inline void weir_bessel_d(double x, weir_bessel *b)
{
    if (x > 25.0) {
        /* P and Q for order n: products of (4n^2 - (2k-1)^2) / (k 8x). */
        double p[2], q[2], r = 1.0 / (8.0 * x);
        for (int n = 0; n < 2; n++) {
            double term = 1.0, mu = 4.0 * n * n;
            p[n] = 1.0, q[n] = 0.0;
            for (int k = 1; k < 24; k++) {
                double odd = 2.0 * k - 1.0, next = term * (mu - odd * odd) * r / k;
                if (__builtin_fabs(next) > __builtin_fabs(term))
                    break;
                term = next;
                if (k & 1)
                    q[n] += k & 2 ? -term : term;
                else
                    p[n] += k & 2 ? -term : term;
            }
        }
        double s, c, scale = __builtin_sqrt(0x1.45f306dc9c883p-1 / x);
        __nv_sincos(x, &s, &c);
        /* cos and sin of x - pi/4 and of x - 3 pi/4. */
        double cp = (c + s) * 0x1.6a09e667f3bcdp-1, sp = (s - c) * 0x1.6a09e667f3bcdp-1;
        b->j0 = scale * (p[0] * cp - q[0] * sp);
        b->y0 = scale * (p[0] * sp + q[0] * cp);
        b->j1 = scale * (p[1] * sp + q[1] * cp);
        b->y1 = scale * (q[1] * sp - p[1] * cp);
        return;
    }
    int n = 2 * (int)(0.75 * x + 14.0);
    double next = 0.0, here = 1.0e-280, sum = 0.0, even = 0.0, odd = 0.0, j1 = 0.0;
    for (int k = n; k > 0; k--) {
        double before = 2.0 * k / x * here - next;
        next = here;
        here = before; /* J of order k - 1 */
        if (k == 2)
            j1 = here;
        int order = k - 1, half = order / 2;
        double signed_here = half & 1 ? here : -here;
        if (half && !(order & 1)) {
            sum += here;
            even += signed_here / half;
        } else if (half) {
            odd += signed_here * order / ((double)half * (half + 1));
        }
    }
    double scale = 1.0 / (here + 2.0 * sum);
    b->j0 = here * scale;
    b->j1 = j1 * scale;
    double log_half = __nv_log(0.5 * x) + 0x1.2788cfc6fb619p-1;
    b->y0 = 0x1.45f306dc9c883p-1 * (log_half * b->j0 + 2.0 * even * scale);
    b->y1 = 0x1.45f306dc9c883p-1 * ((log_half - 1.0) * b->j1 - b->j0 / x + odd * scale);
}
WEIR_M double __nv_j0(double x)
{
    weir_bessel b;
    double a = __builtin_fabs(x);
    if (!(a > 1.0e-8 && a < __builtin_inf()))
        return a == __builtin_inf() ? 0.0 : x != x ? x : 1.0;
    weir_bessel_d(a, &b);
    return b.j0;
}
WEIR_M double __nv_j1(double x)
{
    weir_bessel b;
    double a = __builtin_fabs(x);
    if (!(a > 1.0e-8 && a < __builtin_inf()))
        return a == __builtin_inf() ? 0.0 : 0.5 * x;
    weir_bessel_d(a, &b);
    return __builtin_copysign(1.0, x) * b.j1;
}
WEIR_HELPER double weir_y_edge_d(double x)
{
    return x == 0.0 ? -__builtin_inf() : x == __builtin_inf() ? 0.0 : __builtin_nan("");
}
WEIR_M double __nv_y0(double x)
{
    weir_bessel b;
    if (!(x > 0.0 && x < __builtin_inf()))
        return weir_y_edge_d(x);
    if (x < 1.0e-8)
        return 0x1.45f306dc9c883p-1 * (__nv_log(0.5 * x) + 0x1.2788cfc6fb619p-1);
    weir_bessel_d(x, &b);
    return b.y0;
}
WEIR_M double __nv_y1(double x)
{
    weir_bessel b;
    if (!(x > 0.0 && x < __builtin_inf()))
        return weir_y_edge_d(x);
    if (x < 1.0e-8)
        return -0x1.45f306dc9c883p-1 / x;
    weir_bessel_d(x, &b);
    return b.y1;
}
WEIR_M double __nv_jn(int n, double x)
{
    if (n < 0)
        return n & 1 ? -__nv_jn(-n, x) : __nv_jn(-n, x);
    if (n < 2)
        return n ? __nv_j1(x) : __nv_j0(x);
    double a = __builtin_fabs(x), sign = x < 0.0 && (n & 1) ? -1.0 : 1.0;
    if (!(a > 0.0 && a < __builtin_inf()))
        return x != x ? x : 0.0;
    if ((double)n < a) {
        double before = __nv_j0(a), here = __nv_j1(a);
        for (int k = 1; k < n; k++) {
            double next = 2.0 * k / a * here - before;
            before = here;
            here = next;
        }
        return sign * here;
    }
    int top = 2 * ((n + 20 + (int)__builtin_sqrt(40.0 * n)) / 2);
    double next = 0.0, here = 1.0e-280, sum = 0.0, wanted = 0.0;
    for (int k = top; k > 0; k--) {
        double before = 2.0 * k / a * here - next;
        next = here;
        here = before;
        if (__builtin_fabs(here) > 1.0e200) {
            here *= 1.0e-200, next *= 1.0e-200, sum *= 1.0e-200, wanted *= 1.0e-200;
        }
        if (k - 1 == n)
            wanted = here;
        if ((k & 1) && k > 1)
            sum += here;
    }
    return sign * wanted / (here + 2.0 * sum);
}
WEIR_M double __nv_yn(int n, double x)
{
    if (n < 0)
        return n & 1 ? -__nv_yn(-n, x) : __nv_yn(-n, x);
    if (n < 2)
        return n ? __nv_y1(x) : __nv_y0(x);
    double before = __nv_y0(x), here = __nv_y1(x);
    if (!(x > 0.0 && x < __builtin_inf()))
        return here;
    for (int k = 1; k < n && here > -__builtin_inf(); k++) {
        double next = 2.0 * k / x * here - before;
        before = here;
        here = next;
    }
    return here;
}
WEIR_M float __nv_j0f(float x)
{
    return (float)__nv_j0((double)x);
}
WEIR_M float __nv_j1f(float x)
{
    return (float)__nv_j1((double)x);
}
WEIR_M float __nv_y0f(float x)
{
    return (float)__nv_y0((double)x);
}
WEIR_M float __nv_y1f(float x)
{
    return (float)__nv_y1((double)x);
}
WEIR_M float __nv_jnf(int n, float x)
{
    return (float)__nv_jn(n, (double)x);
}
WEIR_M float __nv_ynf(int n, float x)
{
    return (float)__nv_yn(n, (double)x);
}

/* Modified Bessel functions of order n: the power series, whose terms are all positive; asymptotic beyond 30. */
WEIR_HELPER double weir_bessel_i_d(int n, double a)
{
    if (a > 30.0) {
        double term = 1.0, sum = 1.0, mu = 4.0 * n * n, r = 1.0 / (8.0 * a);
        for (int k = 1; k < 24; k++) {
            double odd = 2.0 * k - 1.0, next = -term * (mu - odd * odd) * r / k;
            if (__builtin_fabs(next) > __builtin_fabs(term))
                break;
            term = next;
            sum += term;
        }
        double h = __nv_exp(0.5 * a);
        return h * (sum * __builtin_sqrt(0x1.45f306dc9c883p-3 / a) * h);
    }
    double z = 0.25 * a * a, term = n ? 0.5 * a : 1.0, sum = term;
    for (int k = 1; term > sum * 1.0e-18; k++) {
        term *= z / ((double)k * (k + n));
        sum += term;
    }
    return sum;
}
WEIR_M double __nv_cyl_bessel_i0(double x)
{
    double a = __builtin_fabs(x);
    return !(a < __builtin_inf()) ? a : weir_bessel_i_d(0, a);
}
WEIR_M double __nv_cyl_bessel_i1(double x)
{
    double a = __builtin_fabs(x);
    return !(a < __builtin_inf()) ? x : __builtin_copysign(a == 0.0 ? 0.0 : weir_bessel_i_d(1, a), x);
}
WEIR_M float __nv_cyl_bessel_i0f(float x)
{
    return (float)__nv_cyl_bessel_i0((double)x);
}
WEIR_M float __nv_cyl_bessel_i1f(float x)
{
    return (float)__nv_cyl_bessel_i1((double)x);
}

#endif
