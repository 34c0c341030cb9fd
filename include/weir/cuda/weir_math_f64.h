/*
 * The device library, part four: double-precision math. The same designs as in single precision with longer
 * polynomials; errors of 1 to 2 units in the last place for most functions, within CUDA's documented bounds for all.
 */
#ifndef WEIR_CUDA_MATH_F64_H
#define WEIR_CUDA_MATH_F64_H

WEIR_HELPER double weir_bits_d(long long i)
{
    return __builtin_bit_cast(double, i);
}
WEIR_HELPER long long weir_d_bits(double d)
{
    return __builtin_bit_cast(long long, d);
}
WEIR_HELPER int weir_d_high(double d)
{
    return (int)(weir_d_bits(d) >> 32);
}
WEIR_HELPER double weir_fma_d(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
WEIR_HELPER double weir_pow2_d(int n)
{
    return weir_bits_d((long long)(n + 1023) << 52);
}
WEIR_HELPER double weir_scale_d(double v, int n)
{
    int half = n >> 1;
    return v * weir_pow2_d(half) * weir_pow2_d(n - half);
}

/* ---- trigonometry ---- */

/* Payne and Hanek again, with 192 bits of 2/pi and 128 bits of the fraction. */
static __device__ __attribute__((noinline)) double weir_reduce_far_d(double x, int *quadrant)
{
    const unsigned long long two_over_pi[21] = {0,
                                                0xa2f9836e4e441529ull,
                                                0xfc2757d1f534ddc0ull,
                                                0xdb6295993c439041ull,
                                                0xfe5163abdebbc561ull,
                                                0xb7246e3a424dd2e0ull,
                                                0x06492eea09d1921cull,
                                                0xfe1deb1cb129a73eull,
                                                0xe88235f52ebb4484ull,
                                                0xe99c7026b45f7e41ull,
                                                0x3991d639835339f4ull,
                                                0x9c845f8bbdf9283bull,
                                                0x1ff897ffde05980full,
                                                0xef2f118b5a0a6d1full,
                                                0x6d367ecf27cb09b7ull,
                                                0x4f463f669e5fea2dull,
                                                0x7527bac7ebe5f17bull,
                                                0x3d0739f78a5292eaull,
                                                0x6bfb5fb11f8d5d08ull,
                                                0x56033046fc7b6babull,
                                                0xf0cfbc209af4361dull};
    long long bits = weir_d_bits(x) & 0x7fffffffffffffffll;
    if (bits >= 0x7ff0000000000000ll) {
        *quadrant = 0;
        return x - x;
    }
    unsigned long long m = ((unsigned long long)bits & 0xfffffffffffffull) | 0x10000000000000ull;
    int position = (int)(bits >> 52) - 1075 - 2 + 64;
    int word = position >> 6, shift = position & 63;
    unsigned long long y[3];
    for (int i = 0; i < 3; i++) {
        y[i] = two_over_pi[word + i];
        if (shift)
            y[i] = y[i] << shift | two_over_pi[word + i + 1] >> (64 - shift);
    }
    unsigned long long low = m * y[2];
    unsigned long long middle = m * y[1] + __nvvm_mulhi_ull(m, y[2]);
    unsigned long long carry = middle < m * y[1];
    unsigned long long high = m * y[0] + __nvvm_mulhi_ull(m, y[1]) + carry;
    *quadrant = (int)(high >> 62);
    long long fraction = (long long)(high << 2 | middle >> 62);
    unsigned long long rest = middle << 2 | low >> 62;
    if (fraction < 0)
        (*quadrant)++;
    double f = (double)fraction * 0x1p-64 + (double)rest * 0x1p-128;
    double r = f * 0x1.921fb54442d18p0 + f * 0x1.1a62633145c07p-54;
    if (x < 0) {
        *quadrant = -*quadrant;
        r = -r;
    }
    return r;
}

WEIR_HELPER double weir_reduce_d(double x, int *quadrant)
{
    if (__builtin_fabs(x) < 1.0e6) {
        *quadrant = __nvvm_d2i_rn(x * 0x1.45f306dc9c883p-1);
        double j = (double)*quadrant;
        double r = weir_fma_d(j, -0x1.921fb54442d18p0, x);
        r = weir_fma_d(j, -0x1.1a62633145c06p-54, r);
        return weir_fma_d(j, -0x1.c1cd129024e00p-107, r);
    }
    return weir_reduce_far_d(x, quadrant);
}

WEIR_HELPER double weir_sin_poly_d(double r)
{
    double z = r * r;
    double p = weir_fma_d(0x1.5d8b5a83403b9p-33, z, -0x1.ae5e4b935bf97p-26);
    p = weir_fma_d(p, z, 0x1.71de35553c913p-19);
    p = weir_fma_d(p, z, -0x1.a01a019be9317p-13);
    p = weir_fma_d(p, z, 0x1.111111110f730p-7);
    p = weir_fma_d(p, z, -0x1.5555555555548p-3);
    return r == 0.0 ? r : weir_fma_d(p * z, r, r); /* -0 stays -0 */
}
WEIR_HELPER double weir_cos_poly_d(double r)
{
    double z = r * r;
    double p = weir_fma_d(-0x1.8fa5ebe015618p-37, z, 0x1.1ee9daca50f37p-29);
    p = weir_fma_d(p, z, -0x1.27e4f7f04e709p-22);
    p = weir_fma_d(p, z, 0x1.a01a019c8dcfep-16);
    p = weir_fma_d(p, z, -0x1.6c16c16c1500dp-10);
    p = weir_fma_d(p, z, 0x1.555555555554bp-5);
    p = weir_fma_d(p, z, -0.5);
    return weir_fma_d(p, z, 1.0);
}
WEIR_HELPER double weir_sincos_d(double r, int quadrant)
{
    double v = quadrant & 1 ? weir_cos_poly_d(r) : weir_sin_poly_d(r);
    return quadrant & 2 ? -v : v;
}

WEIR_M double __nv_sin(double x)
{
    int q;
    double r = weir_reduce_d(x, &q);
    return weir_sincos_d(r, q);
}
WEIR_M double __nv_cos(double x)
{
    int q;
    double r = weir_reduce_d(x, &q);
    return weir_sincos_d(r, q + 1);
}
WEIR_M void __nv_sincos(double x, double *s, double *c)
{
    int q;
    double r = weir_reduce_d(x, &q), sine = weir_sin_poly_d(r), cosine = weir_cos_poly_d(r);
    *s = q & 1 ? cosine : sine;
    *c = q & 1 ? sine : cosine;
    *s = q & 2 ? -*s : *s;
    *c = (q + 1) & 2 ? -*c : *c;
}
WEIR_M double __nv_tan(double x)
{
    int q;
    double r = weir_reduce_d(x, &q), s = weir_sin_poly_d(r), c = weir_cos_poly_d(r);
    return q & 1 ? -c / s : s / c;
}

WEIR_HELPER double weir_reduce_pi_d(double x, int *quadrant)
{
    double twice = x + x;
    double j = __builtin_rint(twice);
    *quadrant = __builtin_fabs(twice) < 9007199254740992.0 ? (int)(long long)j : 0;
    double r = weir_fma_d(j, -0.5, x);
    return weir_fma_d(r, 0x1.921fb54442d18p1, r * 0x1.1a62633145c07p-53);
}
WEIR_M double __nv_sinpi(double x)
{
    int q;
    double r = weir_reduce_pi_d(x, &q);
    double v = weir_sincos_d(r, q);
    return x == __builtin_trunc(x) ? __builtin_copysign(x - x, x) : v;
}
WEIR_M double __nv_cospi(double x)
{
    int q;
    double r = weir_reduce_pi_d(x, &q);
    return weir_sincos_d(r, q + 1);
}
WEIR_M void __nv_sincospi(double x, double *s, double *c)
{
    *s = __nv_sinpi(x);
    *c = __nv_cospi(x);
}

#define WEIR_PI_2_HIGH 0x1.921fb54442d18p0
#define WEIR_PI_2_LOW  0x1.1a62633145c07p-54

WEIR_HELPER double weir_atan_poly_d(double t)
{
    double z = t * t;
    double p = weir_fma_d(0x1.bbec4015ef772p-17, z, -0x1.3f355f1831b8cp-13);
    p = weir_fma_d(p, z, 0x1.b3f9a116a9d68p-11);
    p = weir_fma_d(p, z, -0x1.7a38b4ef4ae47p-9);
    p = weir_fma_d(p, z, 0x1.d7b834bf3ac40p-8);
    p = weir_fma_d(p, z, -0x1.c78f126063e1dp-7);
    p = weir_fma_d(p, z, 0x1.683c5d3867041p-6);
    p = weir_fma_d(p, z, -0x1.e9f9ad47f9809p-6);
    p = weir_fma_d(p, z, 0x1.2c2e3b839e8c3p-5);
    p = weir_fma_d(p, z, -0x1.59a3ed38173bcp-5);
    p = weir_fma_d(p, z, 0x1.82dad013ad8c6p-5);
    p = weir_fma_d(p, z, -0x1.ae5e704ddc0c5p-5);
    p = weir_fma_d(p, z, 0x1.e1bba5d058decp-5);
    p = weir_fma_d(p, z, -0x1.110e51187ddfbp-4);
    p = weir_fma_d(p, z, 0x1.3b1366983378dp-4);
    p = weir_fma_d(p, z, -0x1.745d11ae45738p-4);
    p = weir_fma_d(p, z, 0x1.c71c717fcc944p-4);
    p = weir_fma_d(p, z, -0x1.249249237f4b0p-3);
    p = weir_fma_d(p, z, 0x1.99999999955b1p-3);
    p = weir_fma_d(p, z, -0x1.5555555555526p-2);
    return weir_fma_d(p * z, t, t);
}
WEIR_M double __nv_atan(double x)
{
    double a = __builtin_fabs(x);
    double r = weir_atan_poly_d(a > 1.0 ? 1.0 / a : a);
    if (a > 1.0)
        r = WEIR_PI_2_HIGH - (r - WEIR_PI_2_LOW);
    return __builtin_copysign(r, x);
}
WEIR_M double __nv_atan2(double y, double x)
{
    double ax = __builtin_fabs(x), ay = __builtin_fabs(y);
    if (x != x || y != y)
        return x + y;
    double big = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
    double t = big == 0.0 ? 0.0 : small == __builtin_inf() ? 1.0 : small / big;
    double r = weir_atan_poly_d(t);
    if (ay > ax)
        r = WEIR_PI_2_HIGH - (r - WEIR_PI_2_LOW);
    if (weir_d_high(x) < 0)
        r = 2.0 * WEIR_PI_2_HIGH - (r - 2.0 * WEIR_PI_2_LOW);
    return __builtin_copysign(r, y);
}

WEIR_HELPER double weir_asin_poly_d(double t, double z)
{
    double p = weir_fma_d(0x1.0d58bb5a5c4a9p-5, z, -0x1.5e74eb2a4728cp-6);
    p = weir_fma_d(p, z, 0x1.681179131465dp-6);
    p = weir_fma_d(p, z, 0x1.d7af87bcfc1c3p-9);
    p = weir_fma_d(p, z, 0x1.6227aec40d475p-7);
    p = weir_fma_d(p, z, 0x1.755cd6034be1ep-7);
    p = weir_fma_d(p, z, 0x1.ca245dce2a0efp-7);
    p = weir_fma_d(p, z, 0x1.1c49bec801f6ap-6);
    p = weir_fma_d(p, z, 0x1.6e8be18717939p-6);
    p = weir_fma_d(p, z, 0x1.f1c71a7dec09dp-6);
    p = weir_fma_d(p, z, 0x1.6db6db724cb80p-5);
    p = weir_fma_d(p, z, 0x1.333333332dc98p-4);
    p = weir_fma_d(p, z, 0x1.5555555555579p-3);
    return weir_fma_d(p * z, t, t);
}
WEIR_M double __nv_asin(double x)
{
    double a = __builtin_fabs(x), r;
    if (a > 0.5) {
        double z = weir_fma_d(-0.5, a, 0.5), s = __builtin_sqrt(z);
        r = WEIR_PI_2_HIGH - (2.0 * weir_asin_poly_d(s, z) - WEIR_PI_2_LOW);
    } else {
        r = weir_asin_poly_d(a, a * a);
    }
    return __builtin_copysign(r, x);
}
WEIR_M double __nv_acos(double x)
{
    double a = __builtin_fabs(x);
    if (a > 0.5) {
        double z = weir_fma_d(-0.5, a, 0.5), s = __builtin_sqrt(z);
        double r = 2.0 * weir_asin_poly_d(s, z);
        return x < 0 ? 2.0 * WEIR_PI_2_HIGH - (r - 2.0 * WEIR_PI_2_LOW) : r;
    }
    double r = __builtin_copysign(weir_asin_poly_d(a, a * a), x);
    return WEIR_PI_2_HIGH - (r - WEIR_PI_2_LOW);
}

/* ---- exponentials ---- */

/* e^f, |f| <= ln(2)/2. */
WEIR_HELPER double weir_exp_poly_d(double f)
{
    double p = weir_fma_d(0x1.af85ee04dc3f4p-26, f, 0x1.28b089035d0aep-22);
    p = weir_fma_d(p, f, 0x1.71dddf8e30565p-19);
    p = weir_fma_d(p, f, 0x1.a019965630846p-16);
    p = weir_fma_d(p, f, 0x1.a01a01bafc35ep-13);
    p = weir_fma_d(p, f, 0x1.6c16c185ba609p-10);
    p = weir_fma_d(p, f, 0x1.111111110d5f3p-7);
    p = weir_fma_d(p, f, 0x1.555555554fff1p-5);
    p = weir_fma_d(p, f, 0x1.5555555555561p-3);
    p = weir_fma_d(p, f, 0x1.000000000000bp-1);
    return weir_fma_d(p * f, f, f) + 1.0;
}
WEIR_HELPER double weir_clamp_d(double x, double low, double high)
{
    x = x > high ? high : x; /* comparisons, so that a NaN passes */
    return x < low ? low : x;
}
WEIR_M double __nv_exp(double x)
{
    x = weir_clamp_d(x, -760.0, 720.0);
    double j = __builtin_rint(x * 0x1.71547652b82fep0);
    double f = weir_fma_d(j, -0x1.62e42fefa39efp-1, x);
    f = weir_fma_d(j, -0x1.abc9e3b39803fp-56, f);
    return weir_scale_d(weir_exp_poly_d(f), (int)j);
}
WEIR_M double __nv_exp2(double x)
{
    x = weir_clamp_d(x, -1100.0, 1030.0);
    double j = __builtin_rint(x), f = x - j;
    f = weir_fma_d(f, 0x1.62e42fefa39efp-1, f * 0x1.abc9e3b39803fp-56);
    return weir_scale_d(weir_exp_poly_d(f), (int)j);
}
WEIR_M double __nv_exp10(double x)
{
    x = weir_clamp_d(x, -330.0, 310.0);
    double j = __builtin_rint(x * 0x1.a934f0979a371p1);
    double f = weir_fma_d(j, -0x1.34413509f79ffp-2, x);
    f = weir_fma_d(j, 0x1.9dc1da994fd21p-59, f);
    f = weir_fma_d(f, 0x1.26bb1bbb55516p1, f * -0x1.f48ad494ea3e9p-53);
    return weir_scale_d(weir_exp_poly_d(f), (int)j);
}
WEIR_M double __nv_expm1(double x)
{
    double c = weir_clamp_d(x, -50.0, 709.9);
    double j = __builtin_rint(c * 0x1.71547652b82fep0);
    double f = weir_fma_d(j, -0x1.62e42fefa39efp-1, c);
    f = weir_fma_d(j, -0x1.abc9e3b39803fp-56, f);
    double p = weir_fma_d(0x1.1f95a2bec10a7p-29, f, 0x1.af5f3079a5d8bp-26);
    p = weir_fma_d(p, f, 0x1.27e4c57872347p-22);
    p = weir_fma_d(p, f, 0x1.71ddf817f97e8p-19);
    p = weir_fma_d(p, f, 0x1.a01a01b0c990bp-16);
    p = weir_fma_d(p, f, 0x1.a01a01affa78cp-13);
    p = weir_fma_d(p, f, 0x1.6c16c16c14416p-10);
    p = weir_fma_d(p, f, 0x1.111111110f67fp-7);
    p = weir_fma_d(p, f, 0x1.555555555555ap-5);
    p = weir_fma_d(p, f, 0x1.5555555555559p-3);
    p = weir_fma_d(p, f, 0.5);
    p = weir_fma_d(p * f, f, f);
    double s = weir_pow2_d((int)j - 1);
    double r = 2.0 * weir_fma_d(s, p, s - 0.5);
    return x == 0.0 ? x : r;
}
WEIR_M double __nv_sinh(double x)
{
    double a = __builtin_fabs(x), r;
    if (a < 1.0) {
        double e = __nv_expm1(a);
        r = 0.5 * (e + e / (e + 1.0));
    } else if (a < 709.0) {
        double e = __nv_exp(a);
        r = 0.5 * e - 0.5 / e;
    } else {
        double h = __nv_exp(0.5 * a);
        r = 0.5 * h * h;
    }
    return __builtin_copysign(r, x);
}
WEIR_M double __nv_cosh(double x)
{
    double a = __builtin_fabs(x);
    if (a < 709.0) {
        double e = __nv_exp(a);
        return 0.5 * e + 0.5 / e;
    }
    double h = __nv_exp(0.5 * a);
    return 0.5 * h * h;
}
WEIR_M double __nv_tanh(double x)
{
    double a = __builtin_fabs(x), r;
    if (a < 0.55) {
        double e = __nv_expm1(2.0 * a);
        r = e / (e + 2.0);
    } else {
        r = weir_fma_d(-2.0, 1.0 / (__nv_exp(2.0 * a) + 1.0), 1.0);
    }
    return __builtin_copysign(r, x);
}

/* ---- logarithms ---- */

/* 2 atanh(q / 2) - q: what log(1 + f) has beyond q = 2 f / (2 + f); |q| <= 0.344. */
WEIR_HELPER double weir_log_rest_d(double q)
{
    double z = 0.25 * q * q;
    double p = weir_fma_d(0x1.2f25e7e805103p-4, z, 0x1.399eab29ba8dbp-4);
    p = weir_fma_d(p, z, 0x1.74665b8bebc71p-4);
    p = weir_fma_d(p, z, 0x1.c71c5186a1ebep-4);
    p = weir_fma_d(p, z, 0x1.24924942867f6p-3);
    p = weir_fma_d(p, z, 0x1.999999997f408p-3);
    p = weir_fma_d(p, z, 0x1.5555555555594p-2);
    return p * z * q;
}
/* q and, in *low, the rest of log(1 + f). */
WEIR_HELPER double weir_log1p_pair_d(double f, double *low)
{
    double r = 1.0 / (f + 2.0), q = 2.0 * f * r;
    *low = weir_fma_d(weir_fma_d(-q, f, 2.0 * (f - q)), r, weir_log_rest_d(q));
    return q;
}
/* x = 2^e (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), for x > 0 and finite. */
WEIR_HELPER double weir_split_log_d(double x, double *e)
{
    int bias = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        bias = -54;
    }
    int high = weir_d_high(x), shift = (high - 0x3fe6a09e) & 0xfff00000;
    *e = (double)((shift >> 20) + bias);
    return weir_bits_d(weir_d_bits(x) - ((long long)shift << 32)) - 1.0;
}
WEIR_HELPER double weir_log_special_d(double x)
{
    return x == 0.0 ? -__builtin_inf() : x < 0.0 ? __builtin_nan("") : x;
}
WEIR_HELPER bool weir_log_plain_d(double x)
{
    return x > 0.0 && x < __builtin_inf();
}

WEIR_M double __nv_log(double x)
{
    double e, low, f = weir_split_log_d(x, &e), q = weir_log1p_pair_d(f, &low);
    low = weir_fma_d(e, 0x1.abc9e3b39803fp-56, low);
    double r = weir_fma_d(e, 0x1.62e42fefa39efp-1, q);
    /* What the sum above rounded away. */
    double lost = weir_fma_d(e, 0x1.62e42fefa39efp-1, -r) + q;
    r += low + lost;
    return weir_log_plain_d(x) ? r : weir_log_special_d(x);
}
WEIR_M double __nv_log2(double x)
{
    double e, low, f = weir_split_log_d(x, &e), q = weir_log1p_pair_d(f, &low);
    double h = q * 0x1.71547652b82fep0;
    double l = weir_fma_d(q, 0x1.71547652b82fep0, -h) + weir_fma_d(q, 0x1.777d0ffda0d24p-56, low * 0x1.71547652b82fep0);
    double r = e + h;
    r += e - r + h + l;
    return weir_log_plain_d(x) ? r : weir_log_special_d(x);
}
WEIR_M double __nv_log10(double x)
{
    double e, low, f = weir_split_log_d(x, &e), q = weir_log1p_pair_d(f, &low);
    double h = q * 0x1.bcb7b1526e50ep-2;
    double l =
        weir_fma_d(q, 0x1.bcb7b1526e50ep-2, -h) + weir_fma_d(q, 0x1.95355baaafad3p-57, low * 0x1.bcb7b1526e50ep-2);
    double r = weir_fma_d(e, 0x1.34413509f79ffp-2, h);
    double lost = weir_fma_d(e, 0x1.34413509f79ffp-2, -r) + h;
    r += lost + weir_fma_d(e, -0x1.9dc1da994fd21p-59, l);
    return weir_log_plain_d(x) ? r : weir_log_special_d(x);
}
WEIR_M double __nv_log1p(double x)
{
    if (x > 1.0e20)
        return __nv_log(x);
    double u = 1.0 + x;
    int shift = (weir_d_high(u) - 0x3fe6a09e) & 0xfff00000;
    double s = weir_bits_d((long long)(0x3ff00000 - shift) << 32);
    double low, f = weir_fma_d(s, x, s - 1.0), q = weir_log1p_pair_d(f, &low);
    /* What f lost to rounding; it matters when 1 + f is far from 1 + x in scale. */
    double e = (double)(shift >> 20);
    low = weir_fma_d(e, 0x1.abc9e3b39803fp-56, low);
    double r = weir_fma_d(e, 0x1.62e42fefa39efp-1, q) + low;
    if (!(x > -1.0 && x < __builtin_inf()))
        return x == -1.0 ? -__builtin_inf() : x < -1.0 ? __builtin_nan("") : x;
    return x == 0.0 ? x : r;
}
WEIR_M double __nv_asinh(double x)
{
    double a = __builtin_fabs(x), r;
    if (a > 1.0e100)
        r = __nv_log(a) + 0x1.62e42fefa39efp-1;
    else
        r = __nv_log1p(a + a * (a / (1.0 + __builtin_sqrt(weir_fma_d(a, a, 1.0)))));
    return __builtin_copysign(r, x);
}
WEIR_M double __nv_acosh(double x)
{
    if (x > 1.0e100)
        return __nv_log(x) + 0x1.62e42fefa39efp-1;
    double t = x - 1.0;
    return t < 0.0 ? __builtin_nan("") : __nv_log1p(t + __builtin_sqrt(weir_fma_d(t, t, 2.0 * t)));
}
WEIR_M double __nv_atanh(double x)
{
    double a = __builtin_fabs(x);
    return __builtin_copysign(0.5 * __nv_log1p(2.0 * a / (1.0 - a)), x);
}

/* ---- powers and roots ---- */

/* log(x) as an unevaluated sum, to about 2^-65 of its size. */
WEIR_HELPER double weir_log_pair_d(double x, double *low)
{
    double e, f = weir_split_log_d(x, &e);
    double r = 1.0 / (f + 2.0), q = 2.0 * f * r;
    double ql = weir_fma_d(-q, f, 2.0 * (f - q)) * r;
    /* z = (q/2)^2 in two parts; log = q + q (z/3 + z^2 (1/5 + ...)), of which z/3 needs both parts. */
    double s = 0.5 * q, zh = s * s, zl = weir_fma_d(s, s, -zh) + s * ql;
    double p = weir_fma_d(0x1.0897a1333ae30p-4, zh, 0x1.10161d2992495p-4);
    p = weir_fma_d(p, zh, 0x1.3b18cd2c5941cp-4);
    p = weir_fma_d(p, zh, 0x1.745d09a749775p-4);
    p = weir_fma_d(p, zh, 0x1.c71c71d85e9e4p-4);
    p = weir_fma_d(p, zh, 0x1.249249248e303p-3);
    p = weir_fma_d(p, zh, 0x1.999999999999fp-3);
    double b = p * zh * zh;
    double ah = zh * 0x1.5555555555555p-2;
    double al =
        weir_fma_d(zh, 0x1.5555555555555p-2, -ah) + weir_fma_d(zh, 0x1.5555555555555p-56, zl * 0x1.5555555555555p-2);
    double uh = ah + b, ul = ah - uh + b + al;
    double vh = q * uh, vl = weir_fma_d(q, uh, -vh) + weir_fma_d(q, ul, ql * uh);
    double h = q + vh, l = q - h + vh + (ql + vl);
    double eh = e * 0x1.62e42fefa39efp-1, el = weir_fma_d(e, 0x1.62e42fefa39efp-1, -eh) + e * 0x1.abc9e3b39803fp-56;
    double sum = eh + h;
    *low = eh - sum + h + (l + el);
    return sum;
}
WEIR_M double __nv_pow(double x, double y)
{
    double a = __builtin_fabs(x), low;
    double log_x = weir_log_pair_d(a, &low);
    double high = y * log_x;
    double rest = weir_fma_d(y, log_x, -high) + y * low;
    double r = __nv_exp(high);
    if (__builtin_fabs(high) < 1000.0 && r < __builtin_inf())
        r = weir_fma_d(r, rest, r);

    if (x == 1.0 || y == 0.0)
        return 1.0;
    if (x != x || y != y)
        return x + y;
    bool whole = y == __builtin_trunc(y);
    double half = 0.5 * y;
    bool odd = whole && half != __builtin_trunc(half);
    if (a == 0.0 || a == __builtin_inf() || __builtin_fabs(y) == __builtin_inf()) {
        if (__builtin_fabs(y) == __builtin_inf())
            return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? __builtin_inf() : 0.0;
        r = (a == 0.0) == (y > 0.0) ? 0.0 : __builtin_inf();
    } else if (x < 0.0 && !whole) {
        return __builtin_nan("");
    }
    return odd ? __builtin_copysign(r, x) : r;
}
WEIR_M double __nv_powi(double x, int n)
{
    unsigned k = n < 0 ? -(unsigned)n : (unsigned)n;
    double r = 1.0;
    for (double b = x; k; k >>= 1, b *= b)
        if (k & 1)
            r *= b;
    return n < 0 ? 1.0 / r : r;
}
WEIR_M double __nv_rsqrt(double x)
{
    double r;
    if (!(x > 0x1p-1000 && x < __builtin_inf()))
        return 1.0 / __builtin_sqrt(x);
    /* The machine's approximation to 20 bits, then two steps. */
    r = __nvvm_rsqrt_approx_d(x);
    double e = weir_fma_d(-x * r, r, 1.0);
    r = weir_fma_d(weir_fma_d(0.375, e, 0.5) * e, r, r);
    e = weir_fma_d(-x * r, r, 1.0);
    return weir_fma_d(0.5 * e, r, r);
}
WEIR_M double __nv_cbrt(double x)
{
    double a = __builtin_fabs(x);
    if (!(a > 0.0 && a < __builtin_inf()))
        return x + x;
    int down = 0;
    if (a < 0x1p-1022) {
        a *= 0x1p54;
        down = -18;
    }
    /* A third of the exponent by hand, a first guess in single precision, one step of Halley's. */
    int e = (weir_d_high(a) >> 20) - 1023, third = (e + 3000) / 3 - 1000;
    double m = weir_bits_d(weir_d_bits(a) - ((long long)(3 * third) << 52));
    double t = (double)__nvvm_ex2_approx_ftz_f(__nvvm_lg2_approx_ftz_f((float)m) * 0.333333343f);
    double cube = t * t * t, error = weir_fma_d(-t * t, t, m);
    t = weir_fma_d(t, error / (2.0 * cube + m), t);
    error = weir_fma_d(-t * t, t, m);
    t = weir_fma_d(error / (t * t), 0x1.5555555555555p-2, t);
    return __builtin_copysign(t * weir_pow2_d(third + down), x);
}
WEIR_M double __nv_rcbrt(double x)
{
    return 1.0 / __nv_cbrt(x);
}

WEIR_HELPER double weir_norm_d(double sum_scaled, double big, double unscale, bool reciprocal)
{
    if (big == __builtin_inf())
        return reciprocal ? 0.0 : big;
    double r = __builtin_sqrt(sum_scaled);
    return reciprocal ? 1.0 / r / unscale : r * unscale;
}
WEIR_HELPER double weir_norm_scale_d(double big, double *unscale)
{
    int e = (weir_d_high(big) >> 20) - 1023;
    e = e < -1022 ? -1022 : e > 1022 ? 1022 : e;
    *unscale = weir_pow2_d(e);
    return weir_pow2_d(-e);
}
WEIR_HELPER double weir_norm4_d(double a, double b, double c, double d, bool reciprocal)
{
    a = __builtin_fabs(a), b = __builtin_fabs(b), c = __builtin_fabs(c), d = __builtin_fabs(d);
    double big = __nv_fmax(__nv_fmax(a, b), __nv_fmax(c, d)), unscale;
    double s = weir_norm_scale_d(big, &unscale);
    a *= s, b *= s, c *= s, d *= s;
    return weir_norm_d(weir_fma_d(a, a, weir_fma_d(b, b, weir_fma_d(c, c, d * d))), big, unscale, reciprocal);
}
WEIR_M double __nv_hypot(double x, double y)
{
    return weir_norm4_d(x, y, 0.0, 0.0, false);
}
WEIR_M double __nv_rhypot(double x, double y)
{
    return weir_norm4_d(x, y, 0.0, 0.0, true);
}
WEIR_M double __nv_norm3d(double a, double b, double c)
{
    return weir_norm4_d(a, b, c, 0.0, false);
}
WEIR_M double __nv_rnorm3d(double a, double b, double c)
{
    return weir_norm4_d(a, b, c, 0.0, true);
}
WEIR_M double __nv_norm4d(double a, double b, double c, double d)
{
    return weir_norm4_d(a, b, c, d, false);
}
WEIR_M double __nv_rnorm4d(double a, double b, double c, double d)
{
    return weir_norm4_d(a, b, c, d, true);
}
WEIR_HELPER double weir_norm_n_d(int n, const double *v, bool reciprocal)
{
    double big = 0.0, unscale, sum = 0.0;
    for (int i = 0; i < n; i++)
        big = __nv_fmax(big, __builtin_fabs(v[i]));
    double s = weir_norm_scale_d(big, &unscale);
    for (int i = 0; i < n; i++)
        sum = weir_fma_d(v[i] * s, v[i] * s, sum);
    return weir_norm_d(sum, big, unscale, reciprocal);
}
WEIR_M double __nv_norm(int n, const double *v)
{
    return weir_norm_n_d(n, v, false);
}
WEIR_M double __nv_rnorm(int n, const double *v)
{
    return weir_norm_n_d(n, v, true);
}

/* ---- exact operations on the representation ---- */

WEIR_M int __nv_ilogb(double x)
{
    long long bits = weir_d_bits(x) & 0x7fffffffffffffffll;
    if (bits == 0)
        return -2147483647 - 1;
    if (bits >= 0x7ff0000000000000ll)
        return bits == 0x7ff0000000000000ll ? 2147483647 : -2147483647 - 1;
    return bits >= 0x10000000000000ll ? (int)(bits >> 52) - 1023 : -1011 - __builtin_clzll((unsigned long long)bits);
}
WEIR_M double __nv_logb(double x)
{
    if (x == 0.0)
        return -__builtin_inf();
    if (!(__builtin_fabs(x) < __builtin_inf()))
        return x * x;
    return (double)__nv_ilogb(x);
}
WEIR_M double __nv_ldexp(double x, int n)
{
    if (x == 0.0 || !(__builtin_fabs(x) < __builtin_inf()))
        return x + x;
    int bias = 1023;
    if ((weir_d_high(x) & 0x7ff00000) == 0) {
        x *= 0x1p54;
        bias += 54;
    }
    double m = weir_bits_d((weir_d_bits(x) & (long long)0x800fffffffffffffull) | 0x3ff0000000000000ll);
    n = n > 3000 ? 3000 : n < -3000 ? -3000 : n;
    n += ((weir_d_high(x) >> 20) & 2047) - bias;
    n = n > 1100 ? 1100 : n < -1100 ? -1100 : n;
    int first = n > 900 ? 512 : n < -900 ? -512 : 0;
    return m * weir_pow2_d(first) * weir_pow2_d(n - first);
}
WEIR_M double __nv_scalbn(double x, int n)
{
    return __nv_ldexp(x, n);
}
WEIR_M double __nv_frexp(double x, int *e)
{
    int bias = 1022;
    *e = 0;
    if (x == 0.0 || !(__builtin_fabs(x) < __builtin_inf()))
        return x + x;
    if ((weir_d_high(x) & 0x7ff00000) == 0) {
        x *= 0x1p54;
        bias += 54;
    }
    *e = ((weir_d_high(x) >> 20) & 2047) - bias;
    return weir_bits_d((weir_d_bits(x) & (long long)0x800fffffffffffffull) | 0x3fe0000000000000ll);
}
WEIR_M double __nv_modf(double x, double *whole)
{
    *whole = __builtin_trunc(x);
    return __builtin_copysign(__builtin_fabs(x) == __builtin_inf() ? 0.0 : x - *whole, x);
}
WEIR_M double __nv_nextafter(double x, double y)
{
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0.0)
        return __builtin_copysign(weir_bits_d(1), y);
    long long bits = weir_d_bits(x);
    return weir_bits_d((x < y) == (bits >= 0) ? bits + 1 : bits - 1);
}

static __device__ inline double weir_fmod_d(double x, double y, unsigned *quotient)
{
    double ax = __builtin_fabs(x), ay = __builtin_fabs(y);
    *quotient = 0;
    if (ax < ay)
        return ax;
    int ex, ey;
    unsigned long long mx = (unsigned long long)(__nv_frexp(ax, &ex) * 0x1p53);
    unsigned long long my = (unsigned long long)(__nv_frexp(ay, &ey) * 0x1p53);
    unsigned q = mx >= my;
    mx -= q ? my : 0;
    for (int n = ex - ey; n > 0;) {
        int step = n < 11 ? n : 11;
        unsigned long long wide = mx << step;
        q = q << step | (unsigned)(wide / my);
        mx = wide % my;
        n -= step;
    }
    *quotient = q;
    return __nv_ldexp((double)mx, ey - 53);
}
WEIR_M double __nv_fmod(double x, double y)
{
    if (!(__builtin_fabs(x) < __builtin_inf()) || y == 0.0 || y != y)
        return __builtin_nan("");
    if (__builtin_fabs(y) == __builtin_inf())
        return x;
    unsigned q;
    return __builtin_copysign(weir_fmod_d(x, y, &q), x);
}
WEIR_M double __nv_remquo(double x, double y, int *quotient)
{
    *quotient = 0;
    if (!(__builtin_fabs(x) < __builtin_inf()) || y == 0.0 || y != y)
        return __builtin_nan("");
    double ay = __builtin_fabs(y), r;
    unsigned q = 0;
    if (ay == __builtin_inf()) {
        r = __builtin_fabs(x);
    } else {
        r = weir_fmod_d(x, y, &q);
        double other = ay - r;
        if (r > other || (r == other && (q & 1))) {
            r = -other;
            q++;
        }
    }
    int low = (int)(q & 0x7fffffff);
    *quotient = (weir_d_high(x) ^ weir_d_high(y)) < 0 ? -low : low;
    return weir_d_high(x) < 0 ? -r : r == 0.0 ? 0.0 : r;
}
WEIR_M double __nv_remainder(double x, double y)
{
    int q;
    return __nv_remquo(x, y, &q);
}

#endif
