/*
 * Black-Scholes prices of European call and put options.
 *
 * Origin: CUDA SDK, BlackScholes. Structure of arrays, 128 threads per block, every thread handles options at the stride
 * of the grid. The cumulative normal distribution is the usual fifth-order polynomial (Abramowitz and Stegun 26.2.17).
 * Original: 4 million options, priced 512 times; "paper" prices 4 million once.
 */
#include "../common/suite.h"

#include <vector>

static __host__ __device__ inline float cnd(float d)
{
    const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f, a5 = 1.330274429f;
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228040143267794f * expf(-0.5f * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
    return d > 0 ? 1.0f - c : c;
}

static __host__ __device__ inline void price(float &call, float &put, float s, float x, float t, float r, float v)
{
    float root = sqrtf(t);
    float d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
    float n1 = cnd(d1), n2 = cnd(d2), discount = expf(-r * t);
    call = s * n1 - x * discount * n2;
    put = x * discount * (1.0f - n2) - s * (1.0f - n1);
}

__global__ void black_scholes(float *call, float *put, const float *s, const float *x, const float *t, float r, float v,
                              int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        price(call[i], put[i], s[i], x[i], t[i], r, v);
}

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 16384, 786432, 4000000);
    suite_rng rng(5347);
    std::vector<float> s(n), x(n), t(n), call(n), put(n), got_call(n), got_put(n);
    for (int i = 0; i < n; i++) {
        s[i] = rng.range(5, 30);
        x[i] = rng.range(1, 100);
        t[i] = rng.range(0.25f, 10);
    }
    float *ds = suite_to_device(s.data(), n), *dx = suite_to_device(x.data(), n), *dt = suite_to_device(t.data(), n),
          *dc = suite_device<float>(n), *dp = suite_device<float>(n);
    black_scholes<<<480, 128>>>(dc, dp, ds, dx, dt, 0.02f, 0.30f, n);
    SUITE_LAUNCHED();
    suite_to_host(got_call.data(), dc, n);
    suite_to_host(got_put.data(), dp, n);
    for (int i = 0; i < n; i++)
        price(call[i], put[i], s[i], x[i], t[i], 0.02f, 0.30f);
    size_t bad = suite_diff("call", got_call.data(), call.data(), n, 1e-4, 1e-4) +
                 suite_diff("put", got_put.data(), put.data(), n, 1e-4, 1e-4);
    return suite_done("blackscholes", argc, argv, bad);
}
