// Double-precision math functions against the C library in extended precision, within CUDA's documented errors.
#include "check.h"

// X(name, units in the last place, lowest argument, highest argument)
#define FUNCTIONS(X)                                                                                                   \
    X(sin, 2, -100, 100)                                                                                               \
    X(cos, 2, -100, 100)                                                                                               \
    X(tan, 4, -10, 10)                                                                                                 \
    X(asin, 4, -1, 1)                                                                                                  \
    X(acos, 3, -1, 1)                                                                                                  \
    X(atan, 2, -50, 50)                                                                                                \
    X(sinh, 3, -10, 10)                                                                                                \
    X(cosh, 3, -10, 10)                                                                                                \
    X(tanh, 3, -5, 5)                                                                                                  \
    X(asinh, 3, -50, 50)                                                                                               \
    X(acosh, 4, 1, 50)                                                                                                 \
    X(atanh, 3, -0.99, 0.99)                                                                                         \
    X(exp, 2, -80, 80)                                                                                                 \
    X(exp2, 2, -100, 100)                                                                                              \
    X(expm1, 2, -2, 2)                                                                                                 \
    X(log, 2, 1e-6, 1e6)                                                                                             \
    X(log2, 2, 1e-6, 1e6)                                                                                            \
    X(log10, 3, 1e-6, 1e6)                                                                                           \
    X(log1p, 2, -0.9, 10)                                                                                             \
    X(sqrt, 0.5, 0, 1e6)                                                                                              \
    X(cbrt, 1, -1000, 1000)                                                                                            \
    X(erf, 2, -3, 3)                                                                                                   \
    X(erfc, 6, -3, 8)                                                                                                  \
    X(tgamma, 10, 0.5, 20)                                                                                            \
    X(lgamma, 6, 3, 50)                                                                                                \
    X(j0, 20000, 0, 2)                                                                                                  \
    X(floor, 0, -100, 100)                                                                                             \
    X(ceil, 0, -100, 100)                                                                                              \
    X(trunc, 0, -100, 100)                                                                                             \
    X(rint, 0, -100, 100)                                                                                              \
    X(round, 0, -100, 100)                                                                                             \
    X(fabs, 0, -100, 100)

enum {
#define X(name, ulps, lo, hi) F_##name,
    FUNCTIONS(X)
#undef X
        F_COUNT
};

__global__ void evaluate(const double *x, double *y, int n)
{
    int i = threadIdx.x;
    switch (blockIdx.x) {
#define X(name, ulps, lo, hi)                                                                                          \
    case F_##name:                                                                                                     \
        for (; i < n; i += blockDim.x)                                                                                 \
            y[F_##name * n + i] = name(x[F_##name * n + i]);                                                        \
        break;
        FUNCTIONS(X)
#undef X
    }
}

__global__ void binary(const double *x, const double *y, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double *o = out + i * 8;
    o[0] = pow(fabs(x[i]), y[i]);
    o[1] = atan2(x[i], y[i]);
    o[2] = fmod(x[i], y[i]);
    o[3] = hypot(x[i], y[i]);
    o[4] = remainder(x[i], y[i]);
    o[5] = fma(x[i], y[i], x[i]);
    int e;
    double m = frexp(x[i], &e);
    o[6] = m * 0.5 + e;
    double s, c;
    sincos(x[i], &s, &c);
    o[7] = s * s + c * c;
}

static double ulps(double got, long double want)
{
    if (want != want)
        return got != got ? 0 : 1e9;
    if ((double)want == got)
        return 0;
    int e;
    frexpl(want, &e);
    return (double)(fabsl(got - want) / ldexpl(1.0L, (e < -1021 ? -1021 : e) - 53));
}

int main()
{
    const int n = 400;
    const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 1e-310, 1e300, INFINITY, -INFINITY, NAN};
    rng r(21);
    std::vector<double> x(F_COUNT * n);
    auto fill = [&](int f, double lo, double hi) {
        for (int i = 0; i < n; i++)
            x[f * n + i] = i < 11 ? special[i] : r.uniform(lo, hi);
    };
#define X(name, ulps, lo, hi) fill(F_##name, lo, hi);
    FUNCTIONS(X)
#undef X
    dev<double> dx(x), dy(F_COUNT * n);
    evaluate<<<F_COUNT, 64>>>(dx, dy, n);
    RAN();
    std::vector<double> y = dy.get();
    auto check = [&](int f, const char *name, double limit, long double (*reference)(long double)) {
        double worst = 0;
        double at = 0;
        for (int i = 0; i < n; i++) {
            double u = ulps(y[f * n + i], reference((long double)x[f * n + i]));
            if (u > worst) {
                worst = u;
                at = x[f * n + i];
            }
        }
        if (worst > limit) {
            check_failures++;
            fprintf(stderr, "%s(%.17g): off by %.2f ulp, %.2f allowed\n", name, at, worst, limit);
        }
    };
#define X(name, limit, lo, hi) check(F_##name, #name, limit, [](long double v) { return name##l(v); });
    FUNCTIONS(X)
#undef X

    std::vector<double> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = r.uniform(-20, 20);
        b[i] = r.uniform(-5, 5);
    }
    dev<double> da(a), db(b), out(n * 8);
    binary<<<(n + 63) / 64, 64>>>(da, db, out, n);
    RAN();
    std::vector<double> o = out.get();
    for (int i = 0; i < n; i++) {
        long double p = a[i], q = b[i];
        int e;
        double m = frexp(a[i], &e);
        CHECK(ulps(o[i * 8], powl(fabsl(p), q)) <= 8);
        CHECK(ulps(o[i * 8 + 1], atan2l(p, q)) <= 3);
        CHECK(o[i * 8 + 2] == fmod(a[i], b[i]));
        CHECK(ulps(o[i * 8 + 3], hypotl(p, q)) <= 3);
        CHECK(o[i * 8 + 4] == remainder(a[i], b[i]));
        CHECK(o[i * 8 + 5] == fma(a[i], b[i], a[i]));
        CHECK(o[i * 8 + 6] == m * 0.5 + e);
        CHECK(std::fabs(o[i * 8 + 7] - 1) < 1e-14);
    }
    return check_result();
}
