// Intrinsics and -use_fast_math: the approximate instructions, within the errors the PTX manual gives.
// flags: -use_fast_math
#include "check.h"

__global__ void approximate(const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i], *o = out + i * 12;
    o[0] = __sinf(v);
    o[1] = __cosf(v);
    o[2] = __expf(v);
    o[3] = __logf(v);
    o[4] = __powf(v, 1.5f);
    o[5] = __fdividef(1.0f, v);
    o[6] = rsqrtf(v);
    o[7] = sqrtf(v);
    o[8] = sinf(v);
    o[9] = 3.0f / v;
    o[10] = __saturatef(v - 1);
    o[11] = v * 1e-38f * 0.01f; // a denormal, which this mode flushes
}

int main()
{
    const int n = 500;
    rng r(22);
    std::vector<float> x(n);
    for (auto &v : x)
        v = r.uniform(0.1f, 3);
    dev<float> dx(x), out(n * 12);
    approximate<<<(n + 127) / 128, 128>>>(dx, out, n);
    RAN();
    std::vector<float> o = out.get();
    auto near = [](float got, double want, double relative, double absolute) {
        return std::fabs(got - want) <= relative * std::fabs(want) + absolute;
    };
    for (int i = 0; i < n; i++) {
        double v = x[i];
        const float *p = &o[i * 12];
        CHECK(near(p[0], sin(v), 0, 1e-6) && near(p[1], cos(v), 0, 1e-6) && near(p[8], sin(v), 0, 1e-6));
        CHECK(near(p[2], exp(v), 1e-6, 0));
        CHECK(near(p[3], log(v), 1e-6, 1e-6));
        CHECK(near(p[4], pow(v, 1.5), 2e-6, 0));
        CHECK(near(p[5], 1 / v, 3e-7, 0) && near(p[9], 3 / v, 3e-7, 0));
        CHECK(near(p[6], 1 / sqrt(v), 3e-7, 0) && near(p[7], sqrt(v), 3e-7, 0));
        CHECK(p[10] == (v < 1 ? 0.0f : v > 2 ? 1.0f : x[i] - 1));
        CHECK(p[11] == 0);
    }
    return check_result();
}
