// Single-precision math functions against the C library in double precision, within CUDA's documented errors.
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
    X(atanh, 3, -0.99f, 0.99f)                                                                                         \
    X(exp, 3, -80, 80)                                                                                                 \
    X(exp2, 3, -100, 100)                                                                                              \
    X(expm1, 2, -2, 2)                                                                                                 \
    X(log, 2, 1e-6f, 1e6f)                                                                                             \
    X(log2, 2, 1e-6f, 1e6f)                                                                                            \
    X(log10, 3, 1e-6f, 1e6f)                                                                                           \
    X(log1p, 2, -0.9f, 10)                                                                                             \
    X(sqrt, 0.5, 0, 1e6f)                                                                                              \
    X(cbrt, 1, -1000, 1000)                                                                                            \
    X(erf, 2, -3, 3)                                                                                                   \
    X(erfc, 5, -3, 8)                                                                                                  \
    X(tgamma, 11, 0.5f, 20)                                                                                            \
    X(lgamma, 6, 3, 50)                                                                                                \
    X(j0, 1000, 0, 8)                                                                                                  \
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

__global__ void evaluate(const float *x, float *y, int n)
{
    int i = threadIdx.x;
    switch (blockIdx.x) {
#define X(name, ulps, lo, hi)                                                                                          \
    case F_##name:                                                                                                     \
        for (; i < n; i += blockDim.x)                                                                                 \
            y[F_##name * n + i] = name##f(x[F_##name * n + i]);                                                        \
        break;
        FUNCTIONS(X)
#undef X
    }
}

__global__ void binary(const float *x, const float *y, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float *o = out + i * 8;
    o[0] = powf(fabsf(x[i]), y[i]);
    o[1] = atan2f(x[i], y[i]);
    o[2] = fmodf(x[i], y[i]);
    o[3] = hypotf(x[i], y[i]);
    o[4] = remainderf(x[i], y[i]);
    o[5] = fmaf(x[i], y[i], x[i]);
    int e;
    float m = frexpf(x[i], &e);
    o[6] = m * 0.5f + e;
    float s, c;
    sincosf(x[i], &s, &c);
    o[7] = s * s + c * c;
}

static double ulps(float got, double want)
{
    if (want != want)
        return got != got ? 0 : 1e9;
    if ((float)want == got)
        return 0;
    int e;
    frexp(want, &e);
    return std::fabs(got - want) / ldexp(1.0, (e < -125 ? -125 : e) - 24);
}

int main()
{
    const int n = 400;
    const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 1e-30f, 1e-40f, 1e30f, INFINITY, -INFINITY, NAN};
    rng r(21);
    std::vector<float> x(F_COUNT * n);
    auto fill = [&](int f, float lo, float hi) {
        for (int i = 0; i < n; i++)
            x[f * n + i] = i < 11 ? special[i] : r.uniform(lo, hi);
    };
#define X(name, ulps, lo, hi) fill(F_##name, lo, hi);
    FUNCTIONS(X)
#undef X
    dev<float> dx(x), dy(F_COUNT * n);
    evaluate<<<F_COUNT, 64>>>(dx, dy, n);
    RAN();
    std::vector<float> y = dy.get();
    auto check = [&](int f, const char *name, double limit, double (*reference)(double)) {
        double worst = 0;
        float at = 0;
        for (int i = 0; i < n; i++) {
            double u = ulps(y[f * n + i], reference((double)x[f * n + i]));
            if (u > worst) {
                worst = u;
                at = x[f * n + i];
            }
        }
        if (worst > limit) {
            check_failures++;
            fprintf(stderr, "%sf(%.9g): off by %.2f ulp, %.2f allowed\n", name, at, worst, limit);
        }
    };
#define X(name, limit, lo, hi) check(F_##name, #name, limit, [](double v) { return name(v); });
    FUNCTIONS(X)
#undef X

    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = r.uniform(-20, 20);
        b[i] = r.uniform(-5, 5);
    }
    dev<float> da(a), db(b), out(n * 8);
    binary<<<(n + 63) / 64, 64>>>(da, db, out, n);
    RAN();
    std::vector<float> o = out.get();
    for (int i = 0; i < n; i++) {
        double p = a[i], q = b[i];
        int e;
        float m = frexpf(a[i], &e);
        CHECK(ulps(o[i * 8], pow(std::fabs(p), q)) <= 8);
        CHECK(ulps(o[i * 8 + 1], atan2(p, q)) <= 3);
        CHECK(o[i * 8 + 2] == fmodf(a[i], b[i]));
        CHECK(ulps(o[i * 8 + 3], hypot(p, q)) <= 3);
        CHECK(o[i * 8 + 4] == remainderf(a[i], b[i]));
        CHECK(o[i * 8 + 5] == fmaf(a[i], b[i], a[i]));
        CHECK(o[i * 8 + 6] == m * 0.5f + e);
        CHECK(std::fabs(o[i * 8 + 7] - 1) < 1e-6f);
    }
    return check_result();
}
