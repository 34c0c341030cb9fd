/*
 * Math functions of one precision against the C library in the next wider one. The including program says which:
 * `real` and REAL(name) for what is tested, `wide` and WIDE(name) for the reference, FUNCTIONS(X) with the limit and
 * the range of each function, SPECIAL (a small, a subnormal, a large number), UNITY (how far sin^2 + cos^2 may be from
 * 1).
 */
#pragma once

#include "check.h"

#include <limits>

enum {
#define X(name, ulps, lo, hi) F_##name,
    FUNCTIONS(X)
#undef X
        F_COUNT
};

__global__ void evaluate(const real *x, real *y, int n)
{
    int i = threadIdx.x;
    switch (blockIdx.x) {
#define X(name, ulps, lo, hi)                                                                                          \
    case F_##name:                                                                                                     \
        for (; i < n; i += blockDim.x)                                                                                 \
            y[F_##name * n + i] = REAL(name)(x[F_##name * n + i]);                                                     \
        break;
        FUNCTIONS(X)
#undef X
    }
}

__global__ void binary(const real *x, const real *y, real *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    real *o = out + i * 8;
    o[0] = REAL(pow)(REAL(fabs)(x[i]), y[i]);
    o[1] = REAL(atan2)(x[i], y[i]);
    o[2] = REAL(fmod)(x[i], y[i]);
    o[3] = REAL(hypot)(x[i], y[i]);
    o[4] = REAL(remainder)(x[i], y[i]);
    o[5] = REAL(fma)(x[i], y[i], x[i]);
    int e;
    real m = REAL(frexp)(x[i], &e);
    o[6] = m * (real)0.5 + e;
    real s, c;
    REAL(sincos)(x[i], &s, &c);
    o[7] = s * s + c * c;
}

/* Distance in units of the last place of `real`. */
static double ulps(real got, wide want)
{
    typedef std::numeric_limits<real> limits;
    if (want != want)
        return got != got ? 0 : 1e9;
    if ((real)want == got)
        return 0;
    int e;
    WIDE(frexp)(want, &e);
    if (e < limits::min_exponent)
        e = limits::min_exponent;
    return (double)(WIDE(fabs)(got - want) / WIDE(ldexp)(1, e - limits::digits));
}

int main()
{
    const int n = 400;
    const real special[] = {0.0, -0.0, 1.0, -1.0, 0.5, SPECIAL, INFINITY, -INFINITY, NAN};
    rng r(21);
    std::vector<real> x(F_COUNT * n);
    auto fill = [&](int f, real lo, real hi) {
        for (int i = 0; i < n; i++)
            x[f * n + i] = i < 11 ? special[i] : r.uniform(lo, hi);
    };
#define X(name, ulps, lo, hi) fill(F_##name, lo, hi);
    FUNCTIONS(X)
#undef X
    dev<real> dx(x), dy(F_COUNT * n);
    evaluate<<<F_COUNT, 64>>>(dx, dy, n);
    RAN();
    std::vector<real> y = dy.get();
    auto check = [&](int f, const char *name, double limit, wide (*reference)(wide)) {
        double worst = 0;
        real at = 0;
        for (int i = 0; i < n; i++) {
            double u = ulps(y[f * n + i], reference((wide)x[f * n + i]));
            if (u > worst) {
                worst = u;
                at = x[f * n + i];
            }
        }
        if (worst > limit) {
            check_failures++;
            fprintf(stderr, "%s(%.*g): off by %.2f ulp, %.2f allowed\n", name, std::numeric_limits<real>::max_digits10,
                    (double)at, worst, limit);
        }
    };
#define X(name, limit, lo, hi) check(F_##name, #name, limit, [](wide v) { return WIDE(name)(v); });
    FUNCTIONS(X)
#undef X

    std::vector<real> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = r.uniform(-20, 20);
        b[i] = r.uniform(-5, 5);
    }
    dev<real> da(a), db(b), out(n * 8);
    binary<<<(n + 63) / 64, 64>>>(da, db, out, n);
    RAN();
    std::vector<real> o = out.get();
    for (int i = 0; i < n; i++) {
        wide p = a[i], q = b[i];
        int e;
        real m = REAL(frexp)(a[i], &e);
        CHECK(ulps(o[i * 8], WIDE(pow)(WIDE(fabs)(p), q)) <= 8);
        CHECK(ulps(o[i * 8 + 1], WIDE(atan2)(p, q)) <= 3);
        CHECK(o[i * 8 + 2] == REAL(fmod)(a[i], b[i]));
        CHECK(ulps(o[i * 8 + 3], WIDE(hypot)(p, q)) <= 3);
        CHECK(o[i * 8 + 4] == REAL(remainder)(a[i], b[i]));
        CHECK(o[i * 8 + 5] == REAL(fma)(a[i], b[i], a[i]));
        CHECK(o[i * 8 + 6] == m * (real)0.5 + e);
        CHECK(std::fabs(o[i * 8 + 7] - 1) < (real)UNITY);
    }
    return check_result();
}
