// CUDA's math names without f take floats as they are: the float function is called, and its type is float.
#include "check.h"

#include <cmath>

#define ONE(X)                                                                                                         \
    X(acos)                                                                                                            \
    X(acosh)                                                                                                           \
    X(asin)                                                                                                            \
    X(asinh)                                                                                                           \
    X(atan)                                                                                                            \
    X(atanh)                                                                                                           \
    X(cbrt)                                                                                                            \
    X(ceil)                                                                                                            \
    X(cos)                                                                                                             \
    X(cosh)                                                                                                            \
    X(erf)                                                                                                             \
    X(erfc)                                                                                                            \
    X(exp)                                                                                                             \
    X(exp2)                                                                                                            \
    X(expm1)                                                                                                           \
    X(fabs)                                                                                                            \
    X(floor)                                                                                                           \
    X(lgamma)                                                                                                          \
    X(log)                                                                                                             \
    X(log10)                                                                                                           \
    X(log1p)                                                                                                           \
    X(log2)                                                                                                            \
    X(logb)                                                                                                            \
    X(nearbyint)                                                                                                       \
    X(rint)                                                                                                            \
    X(round)                                                                                                           \
    X(sin)                                                                                                             \
    X(sinh)                                                                                                            \
    X(sqrt)                                                                                                            \
    X(tan)                                                                                                             \
    X(tanh)                                                                                                            \
    X(tgamma)                                                                                                          \
    X(trunc)
#define CUDAS_OWN(X)                                                                                                   \
    X(rsqrt)                                                                                                           \
    X(rcbrt)                                                                                                           \
    X(sinpi)                                                                                                           \
    X(cospi)                                                                                                           \
    X(exp10)                                                                                                           \
    X(j0)                                                                                                              \
    X(j1)                                                                                                              \
    X(y0)                                                                                                              \
    X(y1)                                                                                                              \
    X(cyl_bessel_i0)                                                                                                   \
    X(cyl_bessel_i1)                                                                                                   \
    X(erfinv)                                                                                                          \
    X(erfcinv)                                                                                                         \
    X(erfcx)                                                                                                           \
    X(normcdf)                                                                                                         \
    X(normcdfinv)
#define TWO(X)                                                                                                         \
    X(atan2)                                                                                                           \
    X(copysign)                                                                                                        \
    X(fdim)                                                                                                            \
    X(fmax)                                                                                                            \
    X(fmin)                                                                                                            \
    X(fmod)                                                                                                            \
    X(hypot)                                                                                                           \
    X(nextafter)                                                                                                       \
    X(pow)                                                                                                             \
    X(remainder)
#define TO_INTEGER(X)                                                                                                  \
    X(ilogb)                                                                                                           \
    X(lrint)                                                                                                           \
    X(llrint)                                                                                                          \
    X(lround)                                                                                                          \
    X(llround)

template <class A, class B> struct same {
    static const bool value = false;
};
template <class A> struct same<A, A> {
    static const bool value = true;
};

__device__ bool alike(float a, float b)
{
    return __float_as_int(a) == __float_as_int(b) || (a != a && b != b);
}

__global__ void compare(float x, float y, int *wrong)
{
    int *at = wrong;
#define FLOAT(call, expect)                                                                                            \
    static_assert(same<decltype(call), float>::value, #call);                                                          \
    *at++ = !alike(call, expect);
#define X(name) FLOAT(name(x), name##f(x)) FLOAT(std::name(x), name##f(x))
    ONE(X)
#undef X
#define X(name) FLOAT(name(x), name##f(x))
    CUDAS_OWN(X)
#undef X
#define X(name) FLOAT(name(x, y), name##f(x, y)) FLOAT(std::name(x, y), name##f(x, y))
    TWO(X)
#undef X
#define X(name) *at++ = name(x) != name##f(x) || std::name(x) != name##f(x);
    TO_INTEGER(X)
#undef X
    FLOAT(fma(x, y, x), fmaf(x, y, x))
    FLOAT(std::fma(x, y, x), fmaf(x, y, x))
    FLOAT(scalbn(x, 3), x * 8)
    FLOAT(scalbln(x, 3l), x * 8)
    FLOAT(ldexp(x, 3), x * 8)
    FLOAT(jn(2, x), jnf(2, x))
    FLOAT(yn(2, x), ynf(2, x))
    int q, qf;
    float s, c, sf, cf;
    FLOAT(remquo(x, y, &q), remquof(x, y, &qf))
    sincos(x, &s, &c);
    sincosf(x, &sf, &cf);
    *at++ = q != qf || !alike(s, sf) || !alike(c, cf);
    sincospi(x, &s, &c);
    sincospif(x, &sf, &cf);
    *at++ = !alike(s, sf) || !alike(c, cf);
    double d = nan("");
    float f = nanf("");
    *at++ = d == d || f == f;
}

enum { MOST = 256 };

static bool near(double a, double b)
{
    return std::fabs(a - b) <= 1e-6 * std::fabs(b) + 1e-12;
}

int main()
{
    for (float x : {0.375f, 1.5f, 2.5f, -0.75f}) {
        dev<int> wrong(MOST);
        wrong.fill(0);
        compare<<<1, 1>>>(x, 0.7f, wrong);
        RAN();
        check_equal("float functions", wrong.get(), std::vector<int>(MOST));
    }
    /* The host has CUDA's own names, too. */
    for (double x : {0.3, 1.25, 7.75}) {
        const double pi = 3.14159265358979323846;
        double s, c;
        sincospi(x, &s, &c);
        CHECK(near(s, sin(pi * x)) && near(sinpi(x), s));
        CHECK(near(c, cos(pi * x)) && near(cospif((float)x), c));
        CHECK(near(rsqrt(x), 1 / sqrt(x)) && near(rsqrtf((float)x), 1 / sqrt(x)) && near(rsqrt((float)x), 1 / sqrt(x)));
        CHECK(near(rcbrt(x), 1 / cbrt(x)) && near(rcbrtf((float)x), 1 / cbrt(x)));
        CHECK(near(normcdf(x), 0.5 * erfc(-x / sqrt(2.0))));
    }
    return check_result();
}
