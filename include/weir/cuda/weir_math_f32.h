/*
 * The device library, part three: single-precision math, in the instructions a GPU would spend on it. Fused
 * multiply-adds, the special-function unit's ex2 and lg2 where their error fits, no double precision on the usual
 * paths.
 *
 * Errors stay within the bounds CUDA documents for each function (1 to 4 units in the last place for most). The
 * polynomials are minimax fits, computed for these intervals with the coefficients' rounding taken into account.
 */
#ifndef WEIR_CUDA_MATH_F32_H
#define WEIR_CUDA_MATH_F32_H

#define WEIR_M      extern "C" __device__ inline
#define WEIR_HELPER static __device__ inline __attribute__((always_inline))

WEIR_HELPER float weir_bits_f(int i)
{
    return __builtin_bit_cast(float, i);
}
WEIR_HELPER int weir_f_bits(float f)
{
    return __builtin_bit_cast(int, f);
}
WEIR_HELPER float weir_fma_f(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
/* 2^n for -126 <= n <= 127. */
WEIR_HELPER float weir_pow2_f(int n)
{
    return weir_bits_f((n + 127) << 23);
}
/* v * 2^n with one rounding for any sensible n: two steps keep each factor in range. */
WEIR_HELPER float weir_scale_f(float v, int n)
{
    int half = n >> 1;
    return v * weir_pow2_f(half) * weir_pow2_f(n - half);
}

/* ---- trigonometry ---- */

/*
 * Large arguments: multiply the 24-bit significand by the 96 bits of 2/pi that matter, drop whole periods, and keep 64
 * bits of the fraction (Payne and Hanek).
 */
static __device__ __attribute__((noinline)) float weir_reduce_far_f(float x, int *quadrant)
{
    const unsigned two_over_pi[8] = {0,           0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                     0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};
    int bits = weir_f_bits(x) & 0x7fffffff;
    if (bits >= 0x7f800000) {
        *quadrant = 0;
        return x - x;
    }
    unsigned m = (unsigned)(bits & 0x7fffff) | 0x800000u;
    int position = (bits >> 23) - 150 - 2 + 32;
    int word = position >> 5, shift = position & 31;
    unsigned w[4];
    for (int i = 0; i < 4; i++)
        w[i] = two_over_pi[word + i];
    unsigned long long high = (unsigned long long)w[0] << 32 | w[1], low = (unsigned long long)w[2] << 32 | w[3];
    if (shift) {
        high = high << shift | low >> (64 - shift);
        low <<= shift;
    }
    unsigned y2 = (unsigned)(low >> 32);
    unsigned long long p = (unsigned long long)m * y2;
    unsigned long long product = m * high + (p >> 32);
    *quadrant = (int)(product >> 62);
    long long fraction = (long long)(product << 2 | (unsigned)p >> 30);
    /* The nearest quadrant, not the one below: the fraction is signed then. */
    if (fraction < 0)
        (*quadrant)++;
    float r = (float)((double)fraction * 0x1.921fb54442d18p-64);
    if (x < 0) {
        *quadrant = -*quadrant;
        r = -r;
    }
    return r;
}

/* x minus the nearest multiple of pi/2; which multiple, modulo 4, in *quadrant. */
WEIR_HELPER float weir_reduce_f(float x, int *quadrant)
{
    if (__builtin_fabsf(x) < 105615.0f) {
        /* The three parts of pi/2 have one sign, so that -0 stays -0. */
        *quadrant = __nvvm_f2i_rn(x * 0.636619747f);
        float j = (float)*quadrant;
        float r = weir_fma_f(j, -1.57079625f, x);
        r = weir_fma_f(j, -7.54978942e-8f, r);
        return weir_fma_f(j, -5.39030295e-15f, r);
    }
    return weir_reduce_far_f(x, quadrant);
}

/* sin(r) or, in odd quadrants, cos(r), |r| <= pi/4; one polynomial whose coefficients are selected, without a branch.
 */
WEIR_HELPER float weir_sincos_poly_f(float r, int quadrant)
{
    bool odd = quadrant & 1;
    float z = r * r;
    float p = odd ? 2.44323273e-5f : -1.95184053e-4f;
    p = weir_fma_f(p, z, odd ? -1.38873095e-3f : 8.33219010e-3f);
    p = weir_fma_f(p, z, odd ? 4.16666456e-2f : -1.66666552e-1f);
    p = weir_fma_f(p, z, odd ? -0.5f : 0.0f);
    float lead = odd ? 1.0f : r;
    float v = weir_fma_f(p, odd ? z : r, lead);
    return quadrant & 2 ? -v : v;
}

WEIR_M float __nv_sinf(float x)
{
    int q;
    float r = weir_reduce_f(x, &q);
    return weir_sincos_poly_f(r, q);
}

WEIR_M float __nv_cosf(float x)
{
    int q;
    float r = weir_reduce_f(x, &q);
    return weir_sincos_poly_f(r, q + 1);
}

WEIR_M void __nv_sincosf(float x, float *s, float *c)
{
    int q;
    float r = weir_reduce_f(x, &q);
    *s = weir_sincos_poly_f(r, q);
    *c = weir_sincos_poly_f(r, q + 1);
}

WEIR_M float __nv_tanf(float x)
{
    int q;
    float r = weir_reduce_f(x, &q), z = r * r;
    float p = weir_fma_f(9.39652603e-3f, z, 3.10148229e-3f);
    p = weir_fma_f(p, z, 2.44413912e-2f);
    p = weir_fma_f(p, z, 5.34082018e-2f);
    p = weir_fma_f(p, z, 1.33388355e-1f);
    p = weir_fma_f(p, z, 3.33331555e-1f);
    float t = weir_fma_f(p * z, r, r);
    return q & 1 ? -1.0f / t : t;
}

/* sin(pi x): whole turns drop out exactly. */
WEIR_HELPER float weir_reduce_pi_f(float x, int *quadrant)
{
    float twice = x + x;
    float j = __builtin_rintf(twice);
    /* From 2^24 on every number is even. */
    *quadrant = __builtin_fabsf(twice) < 2147483648.0f ? (int)j : 0;
    float r = weir_fma_f(j, -0.5f, x);
    return r * 3.14159274f + r * -8.74227766e-8f;
}

WEIR_M float __nv_sinpif(float x)
{
    int q;
    float r = weir_reduce_pi_f(x, &q);
    float v = weir_sincos_poly_f(r, q);
    return x == __builtin_truncf(x) ? __builtin_copysignf(x - x, x) : v;
}

WEIR_M float __nv_cospif(float x)
{
    int q;
    float r = weir_reduce_pi_f(x, &q);
    return weir_sincos_poly_f(r, q + 1);
}

WEIR_M void __nv_sincospif(float x, float *s, float *c)
{
    *s = __nv_sinpif(x);
    *c = __nv_cospif(x);
}

/* atan(t), 0 <= t <= 1. */
WEIR_HELPER float weir_atan_poly_f(float t)
{
    float z = t * t;
    float p = weir_fma_f(2.92079221e-3f, z, -1.63675454e-2f);
    p = weir_fma_f(p, z, 4.32099588e-2f);
    p = weir_fma_f(p, z, -7.55195096e-2f);
    p = weir_fma_f(p, z, 1.06658414e-1f);
    p = weir_fma_f(p, z, -1.42110080e-1f);
    p = weir_fma_f(p, z, 1.99937671e-1f);
    p = weir_fma_f(p, z, -3.33331525e-1f);
    return weir_fma_f(p * z, t, t);
}

WEIR_M float __nv_atanf(float x)
{
    float a = __builtin_fabsf(x);
    float r = weir_atan_poly_f(a > 1.0f ? 1.0f / a : a);
    if (a > 1.0f)
        r = weir_fma_f(0.933189452f, 1.68325555f, -r); /* pi/2 as a product, for its extra bits */
    return __builtin_copysignf(r, x);
}

WEIR_M float __nv_atan2f(float y, float x)
{
    float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y);
    if (x != x || y != y)
        return x + y;
    float big = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
    float t = big == 0.0f ? 0.0f : small == __builtin_inff() ? 1.0f : small / big;
    float r = weir_atan_poly_f(t);
    if (ay > ax)
        r = weir_fma_f(0.933189452f, 1.68325555f, -r);
    if (weir_f_bits(x) < 0)
        r = weir_fma_f(1.86637890f, 1.68325555f, -r);
    return __builtin_copysignf(r, y);
}

/* asin(t), 0 <= t <= 1/2. */
WEIR_HELPER float weir_asin_poly_f(float t, float z)
{
    float p = weir_fma_f(4.23183851e-2f, z, 2.40952764e-2f);
    p = weir_fma_f(p, z, 4.54862677e-2f);
    p = weir_fma_f(p, z, 7.49518126e-2f);
    p = weir_fma_f(p, z, 1.66667551e-1f);
    return weir_fma_f(p * z, t, t);
}

WEIR_M float __nv_asinf(float x)
{
    float a = __builtin_fabsf(x), r;
    if (a > 0.5f) {
        float z = weir_fma_f(-0.5f, a, 0.5f), s = __builtin_sqrtf(z);
        r = weir_fma_f(0.933189452f, 1.68325555f, -2.0f * weir_asin_poly_f(s, z));
    } else {
        r = weir_asin_poly_f(a, a * a);
    }
    return __builtin_copysignf(r, x);
}

WEIR_M float __nv_acosf(float x)
{
    float a = __builtin_fabsf(x);
    if (a > 0.5f) {
        float z = weir_fma_f(-0.5f, a, 0.5f), s = __builtin_sqrtf(z);
        float r = 2.0f * weir_asin_poly_f(s, z);
        return x < 0 ? weir_fma_f(1.86637890f, 1.68325555f, -r) : r;
    }
    float r = __builtin_copysignf(weir_asin_poly_f(a, a * a), x);
    return weir_fma_f(0.933189452f, 1.68325555f, -r);
}

/* ---- exponentials ---- */

/* 2^(x * scale), where scale is given as the sum of two numbers: whole part by exponent, the rest by the special unit.
 */
WEIR_HELPER float weir_exp_f(float x, float scale, float scale_low, float limit)
{
    x = x > limit ? limit : x;
    x = x < -limit ? -limit : x;
    float j = __builtin_rintf(x * scale);
    float f = weir_fma_f(x, scale, -j);
    f = weir_fma_f(x, scale_low, f);
    return weir_scale_f(__nvvm_ex2_approx_ftz_f(f), (int)j);
}
WEIR_M float __nv_expf(float x)
{
    return weir_exp_f(x, 1.44269502f, 1.92596303e-8f, 110.0f);
}
WEIR_M float __nv_exp10f(float x)
{
    return weir_exp_f(x, 3.32192802f, 7.05953696e-8f, 47.0f);
}
WEIR_M float __nv_exp2f(float x)
{
    return weir_exp_f(x, 1.0f, 0.0f, 160.0f);
}

WEIR_M float __nv_expm1f(float x)
{
    float c = x > 89.0f ? 89.0f : x;
    c = c < -20.0f ? -20.0f : c;
    float j = __builtin_rintf(c * 1.44269502f);
    float f = weir_fma_f(j, -0.693147182f, c);
    f = weir_fma_f(j, 1.90465421e-9f, f);
    float p = weir_fma_f(1.39176380e-3f, f, 8.36709980e-3f);
    p = weir_fma_f(p, f, 4.16666120e-2f);
    p = weir_fma_f(p, f, 1.66665390e-1f);
    p = weir_fma_f(p, f, 0.5f);
    p = weir_fma_f(p * f, f, f); /* e^f - 1 */
    /* 2^j (1 + p) - 1; the last power that fits is half of 2^j when that overflows. */
    float s = weir_pow2_f((int)j - 1);
    float r = 2.0f * weir_fma_f(s, p, s - 0.5f);
    return x == 0.0f ? x : r;
}

WEIR_M float __nv_sinhf(float x)
{
    float a = __builtin_fabsf(x), r;
    if (a < 1.0f) {
        float e = __nv_expm1f(a);
        r = 0.5f * (e + e / (e + 1.0f));
    } else if (a < 88.0f) {
        float e = __nv_expf(a);
        r = 0.5f * e - 0.5f / e;
    } else {
        float h = __nv_expf(0.5f * a);
        r = 0.5f * h * h;
    }
    return __builtin_copysignf(r, x);
}

WEIR_M float __nv_coshf(float x)
{
    float a = __builtin_fabsf(x);
    if (a < 88.0f) {
        float e = __nv_expf(a);
        return 0.5f * e + 0.5f / e;
    }
    float h = __nv_expf(0.5f * a);
    return 0.5f * h * h;
}

WEIR_M float __nv_tanhf(float x)
{
    float a = __builtin_fabsf(x), r;
    if (a < 0.55f) {
        float e = __nv_expm1f(2.0f * a);
        r = e / (e + 2.0f);
    } else {
        float e = __nv_expf(2.0f * a);
        r = weir_fma_f(-2.0f, 1.0f / (e + 1.0f), 1.0f);
    }
    return __builtin_copysignf(r, x);
}

/* ---- logarithms ---- */

/* log(1 + f) - f, -1/3 <= f <= 1/3. */
WEIR_HELPER float weir_log1p_rest_f(float f)
{
    float p = weir_fma_f(1.42335355e-1f, f, -1.51254684e-1f);
    p = weir_fma_f(p, f, 1.39567509e-1f);
    p = weir_fma_f(p, f, -1.64718479e-1f);
    p = weir_fma_f(p, f, 2.00131491e-1f);
    p = weir_fma_f(p, f, -2.50042558e-1f);
    p = weir_fma_f(p, f, 3.33331794e-1f);
    p = weir_fma_f(p, f, -0.5f);
    return p * f * f;
}
WEIR_HELPER float weir_log1p_poly_f(float f)
{
    return weir_log1p_rest_f(f) + f;
}

/* x = 2^e (1 + f) with 2/3 <= 1 + f < 4/3, for x > 0 and finite. */
WEIR_HELPER float weir_split_log_f(float x, float *e)
{
    float bias = 0.0f;
    if (x < 1.17549435e-38f) {
        x *= 8388608.0f;
        bias = -23.0f;
    }
    int bits = weir_f_bits(x), shift = (bits - 0x3f2aaaab) & 0xff800000;
    *e = weir_fma_f((float)shift, 1.19209290e-7f, bias);
    return weir_bits_f(bits - shift) - 1.0f;
}
/* What the logarithm of such an x is that has none of its own kind. */
WEIR_HELPER float weir_log_special_f(float x)
{
    return x == 0.0f ? -__builtin_inff() : x < 0.0f ? __builtin_nanf("") : x;
}
WEIR_HELPER bool weir_log_plain_f(float x)
{
    return x > 0.0f && x < __builtin_inff();
}

WEIR_M float __nv_logf(float x)
{
    float e, f = weir_split_log_f(x, &e);
    float r = weir_fma_f(e, 0.693147182f, weir_log1p_poly_f(f));
    return weir_log_plain_f(x) ? r : weir_log_special_f(x);
}

WEIR_M float __nv_log2f(float x)
{
    float e, f = weir_split_log_f(x, &e);
    float l = weir_fma_f(weir_log1p_rest_f(f), 1.44269502f, f * 1.92596303e-8f);
    float r = weir_fma_f(f, 1.44269502f, l) + e;
    return weir_log_plain_f(x) ? r : weir_log_special_f(x);
}

WEIR_M float __nv_log10f(float x)
{
    float e, f = weir_split_log_f(x, &e);
    float l = weir_fma_f(weir_log1p_rest_f(f), 0.434294492f, f * -1.01030500e-8f);
    float r = weir_fma_f(e, 0.301029995f, weir_fma_f(f, 0.434294492f, l));
    return weir_log_plain_f(x) ? r : weir_log_special_f(x);
}

WEIR_M float __nv_log1pf(float x)
{
    if (x > 1.0e10f)
        return __nv_logf(x);
    float u = 1.0f + x;
    int shift = (weir_f_bits(u) - 0x3f2aaaab) & 0xff800000;
    float s = weir_bits_f(0x3f800000 - shift);
    /* (1 + x) / 2^e - 1, rounded once. */
    float f = weir_fma_f(s, x, s - 1.0f);
    float r = weir_fma_f((float)shift * 1.19209290e-7f, 0.693147182f, weir_log1p_poly_f(f));
    if (!(x > -1.0f && x < __builtin_inff()))
        return x == -1.0f ? -__builtin_inff() : x < -1.0f ? __builtin_nanf("") : x;
    return x == 0.0f ? x : r;
}

WEIR_M float __nv_asinhf(float x)
{
    float a = __builtin_fabsf(x), r;
    if (a > 1.0e10f)
        r = __nv_logf(a) + 0.693147182f;
    else
        r = __nv_log1pf(a + a * (a / (1.0f + __builtin_sqrtf(weir_fma_f(a, a, 1.0f)))));
    return __builtin_copysignf(r, x);
}

WEIR_M float __nv_acoshf(float x)
{
    if (x > 1.0e10f)
        return __nv_logf(x) + 0.693147182f;
    float t = x - 1.0f;
    return t < 0.0f ? __builtin_nanf("") : __nv_log1pf(t + __builtin_sqrtf(weir_fma_f(t, t, 2.0f * t)));
}

WEIR_M float __nv_atanhf(float x)
{
    float a = __builtin_fabsf(x);
    return __builtin_copysignf(0.5f * __nv_log1pf(2.0f * a / (1.0f - a)), x);
}

/* ---- powers and roots ---- */

/* log(x) as an unevaluated sum of two numbers, about 32 bits in all. */
WEIR_HELPER float weir_log_pair_f(float x, float *low)
{
    float bias = 0.0f;
    if (x < 1.17549435e-38f) {
        x *= 16777216.0f;
        bias = -24.0f;
    }
    int bits = weir_f_bits(x), shift = (bits - 0x3f3504f4) & 0xff800000;
    float e = weir_fma_f((float)shift, 1.19209290e-7f, bias);
    float f = weir_bits_f(bits - shift) - 1.0f;
    /* q = 2 f / (2 + f) and what its rounding lost; log(1 + f) = q + q^3/12 + ... */
    float r = 1.0f / (f + 2.0f);
    float q = 2.0f * f * r;
    float q_low = weir_fma_f(-q, f, 2.0f * (f - q)) * r;
    float z = 0.25f * q * q;
    float p = weir_fma_f(1.49366125e-1f, z, 1.99887648e-1f);
    p = weir_fma_f(p, z, 3.33333880e-1f);
    p *= z * q;
    float h = q + p;
    float l = q - h + p + q_low;
    float eh = e * 0.693147182f;
    float el = weir_fma_f(e, 0.693147182f, -eh) + e * -1.90465421e-9f;
    float sum = eh + h;
    *low = eh - sum + h + (l + el);
    return sum;
}

WEIR_M float __nv_powf(float x, float y)
{
    float a = __builtin_fabsf(x), low;
    float log_x = weir_log_pair_f(a, &low);
    float high = y * log_x;
    float rest = weir_fma_f(y, log_x, -high) + y * low;
    float r = __nv_expf(high);
    if (__builtin_fabsf(high) < 200.0f && r < __builtin_inff())
        r = weir_fma_f(r, rest, r);

    if (x == 1.0f || y == 0.0f)
        return 1.0f;
    if (x != x || y != y)
        return x + y;
    /* Whole and odd? From 2^24 on all are even. */
    bool whole = y == __builtin_truncf(y);
    float half = 0.5f * y;
    bool odd = whole && half != __builtin_truncf(half);
    if (a == 0.0f || a == __builtin_inff() || __builtin_fabsf(y) == __builtin_inff()) {
        if (__builtin_fabsf(y) == __builtin_inff())
            return a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0.0f) ? __builtin_inff() : 0.0f;
        r = (a == 0.0f) == (y > 0.0f) ? 0.0f : __builtin_inff();
    } else if (x < 0.0f && !whole) {
        return __builtin_nanf("");
    }
    return odd ? __builtin_copysignf(r, x) : r;
}

WEIR_M float __nv_powif(float x, int n)
{
    unsigned k = n < 0 ? -(unsigned)n : (unsigned)n;
    float r = 1.0f;
    for (float b = x; k; k >>= 1, b *= b)
        if (k & 1)
            r *= b;
    return n < 0 ? 1.0f / r : r;
}

WEIR_M float __nv_cbrtf(float x)
{
    float a = __builtin_fabsf(x);
    if (!(a > 0.0f && a < __builtin_inff()))
        return x + x;
    float back = 1.0f;
    if (a < 1.17549435e-38f) {
        a *= 16777216.0f;
        back = 0.00390625f;
    }
    float t = __nvvm_ex2_approx_ftz_f(__nvvm_lg2_approx_ftz_f(a) * 0.333333343f);
    /* One Newton step; its correction is small, so plain arithmetic suffices for it. */
    t = weir_fma_f(weir_fma_f(-t * t, t, a) / (t * t), 0.333333343f, t);
    return __builtin_copysignf(t * back, x);
}

WEIR_M float __nv_rcbrtf(float x)
{
    return 1.0f / __nv_cbrtf(x);
}

/* sqrt(x^2 + y^2 + ...) without overflow on the way: scaled by the largest member's exponent. */
WEIR_HELPER float weir_norm_f(float sum_scaled, float big, float unscale, bool reciprocal)
{
    if (big == __builtin_inff())
        return reciprocal ? 0.0f : big;
    float r = __builtin_sqrtf(sum_scaled);
    return reciprocal ? 1.0f / r / unscale : r * unscale;
}
WEIR_HELPER float weir_norm_scale_f(float big, float *unscale)
{
    int e = (weir_f_bits(big) >> 23) - 127;
    e = e < -126 ? -126 : e > 126 ? 126 : e;
    *unscale = weir_pow2_f(e);
    return weir_pow2_f(-e);
}
WEIR_HELPER float weir_norm4_f(float a, float b, float c, float d, bool reciprocal)
{
    a = __builtin_fabsf(a), b = __builtin_fabsf(b), c = __builtin_fabsf(c), d = __builtin_fabsf(d);
    float big = __nv_fmaxf(__nv_fmaxf(a, b), __nv_fmaxf(c, d)), unscale;
    float s = weir_norm_scale_f(big, &unscale);
    a *= s, b *= s, c *= s, d *= s;
    return weir_norm_f(weir_fma_f(a, a, weir_fma_f(b, b, weir_fma_f(c, c, d * d))), big, unscale, reciprocal);
}
WEIR_M float __nv_hypotf(float x, float y)
{
    return weir_norm4_f(x, y, 0.0f, 0.0f, false);
}
WEIR_M float __nv_rhypotf(float x, float y)
{
    return weir_norm4_f(x, y, 0.0f, 0.0f, true);
}
WEIR_M float __nv_norm3df(float a, float b, float c)
{
    return weir_norm4_f(a, b, c, 0.0f, false);
}
WEIR_M float __nv_rnorm3df(float a, float b, float c)
{
    return weir_norm4_f(a, b, c, 0.0f, true);
}
WEIR_M float __nv_norm4df(float a, float b, float c, float d)
{
    return weir_norm4_f(a, b, c, d, false);
}
WEIR_M float __nv_rnorm4df(float a, float b, float c, float d)
{
    return weir_norm4_f(a, b, c, d, true);
}
WEIR_HELPER float weir_norm_n_f(int n, const float *v, bool reciprocal)
{
    float big = 0.0f, unscale, sum = 0.0f;
    for (int i = 0; i < n; i++)
        big = __nv_fmaxf(big, __builtin_fabsf(v[i]));
    float s = weir_norm_scale_f(big, &unscale);
    for (int i = 0; i < n; i++)
        sum = weir_fma_f(v[i] * s, v[i] * s, sum);
    return weir_norm_f(sum, big, unscale, reciprocal);
}
WEIR_M float __nv_normf(int n, const float *v)
{
    return weir_norm_n_f(n, v, false);
}
WEIR_M float __nv_rnormf(int n, const float *v)
{
    return weir_norm_n_f(n, v, true);
}

/* ---- exact operations on the representation ---- */

WEIR_M int __nv_ilogbf(float x)
{
    int bits = weir_f_bits(x) & 0x7fffffff;
    if (bits == 0)
        return -2147483647 - 1;
    if (bits >= 0x7f800000)
        return bits == 0x7f800000 ? 2147483647 : -2147483647 - 1;
    return bits >= 0x800000 ? (bits >> 23) - 127 : -118 - __builtin_clz((unsigned)bits);
}

WEIR_M float __nv_logbf(float x)
{
    if (x == 0.0f)
        return -__builtin_inff();
    if (!(__builtin_fabsf(x) < __builtin_inff()))
        return x * x;
    return (float)__nv_ilogbf(x);
}

WEIR_M float __nv_ldexpf(float x, int n)
{
    if (x == 0.0f || !(__builtin_fabsf(x) < __builtin_inff()))
        return x + x;
    int bits = weir_f_bits(x), bias = 127;
    if ((bits & 0x7f800000) == 0) {
        bits = weir_f_bits(x * 16777216.0f);
        bias += 24;
    }
    /* 1 <= |m| < 2, so that only the last multiplication can round. */
    float m = weir_bits_f((bits & 0x807fffff) | 0x3f800000);
    n = n > 500 ? 500 : n < -500 ? -500 : n;
    n += ((bits >> 23) & 255) - bias;
    n = n > 160 ? 160 : n < -160 ? -160 : n;
    int first = n > 100 ? 64 : n < -100 ? -64 : 0;
    return m * weir_pow2_f(first) * weir_pow2_f(n - first);
}
WEIR_M float __nv_scalbnf(float x, int n)
{
    return __nv_ldexpf(x, n);
}

WEIR_M float __nv_frexpf(float x, int *e)
{
    int bits = weir_f_bits(x), magnitude = bits & 0x7fffffff, bias = 126;
    *e = 0;
    if (magnitude == 0 || magnitude >= 0x7f800000)
        return x + x;
    if (magnitude < 0x800000) {
        bits = weir_f_bits(x * 16777216.0f);
        bias += 24;
    }
    *e = ((bits >> 23) & 255) - bias;
    return weir_bits_f((bits & 0x807fffff) | 0x3f000000);
}

WEIR_M float __nv_modff(float x, float *whole)
{
    *whole = __builtin_truncf(x);
    return __builtin_copysignf(__builtin_fabsf(x) == __builtin_inff() ? 0.0f : x - *whole, x);
}

WEIR_M float __nv_nextafterf(float x, float y)
{
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0.0f)
        return __builtin_copysignf(weir_bits_f(1), y);
    int bits = weir_f_bits(x);
    return weir_bits_f((x < y) == (bits >= 0) ? bits + 1 : bits - 1);
}

/* |x| mod |y| by long division on the significands, and the low bits of the quotient. Both finite, y not zero. */
static __device__ inline float weir_fmod_f(float x, float y, unsigned *quotient)
{
    float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y);
    *quotient = 0;
    if (ax < ay)
        return ax;
    int ex, ey;
    unsigned mx = (unsigned)(__nv_frexpf(ax, &ex) * 16777216.0f), my = (unsigned)(__nv_frexpf(ay, &ey) * 16777216.0f);
    unsigned q = mx >= my;
    mx -= q ? my : 0;
    for (int n = ex - ey; n > 0;) {
        int step = n < 8 ? n : 8;
        unsigned wide = mx << step;
        q = q << step | wide / my;
        mx = wide % my;
        n -= step;
    }
    *quotient = q;
    return __nv_ldexpf((float)mx, ey - 24);
}

WEIR_M float __nv_fmodf(float x, float y)
{
    if (!(__builtin_fabsf(x) < __builtin_inff()) || y == 0.0f || y != y)
        return __builtin_nanf("");
    if (__builtin_fabsf(y) == __builtin_inff())
        return x;
    unsigned q;
    return __builtin_copysignf(weir_fmod_f(x, y, &q), x);
}

WEIR_M float __nv_remquof(float x, float y, int *quotient)
{
    *quotient = 0;
    if (!(__builtin_fabsf(x) < __builtin_inff()) || y == 0.0f || y != y)
        return __builtin_nanf("");
    float ay = __builtin_fabsf(y), r;
    unsigned q = 0;
    if (ay == __builtin_inff()) {
        r = __builtin_fabsf(x);
    } else {
        r = weir_fmod_f(x, y, &q);
        /* To the nearest multiple, ties to the even one; r and ay - r are both exact. */
        float other = ay - r;
        if (r > other || (r == other && (q & 1))) {
            r = -other;
            q++;
        }
    }
    int low = (int)(q & 0x7fffffff);
    *quotient = (weir_f_bits(x) ^ weir_f_bits(y)) < 0 ? -low : low;
    return weir_f_bits(x) < 0 ? -r : r == 0.0f ? 0.0f : r;
}

WEIR_M float __nv_remainderf(float x, float y)
{
    int q;
    return __nv_remquof(x, y, &q);
}

#endif
