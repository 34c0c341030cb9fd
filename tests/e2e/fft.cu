// A fast Fourier transform of 256 points per block, radix two, in shared memory, forth and back.
#include "check.h"

__global__ void fft(float2 *data, bool inverse)
{
    __shared__ float2 s[256];
    int t = threadIdx.x;
    float2 *x = data + blockIdx.x * 256;
    for (int k = t; k < 256; k += 128)
        s[__brev(k) >> 24] = x[k];
    __syncthreads();
    for (int half = 1; half < 256; half *= 2) {
        int k = t & (half - 1), i = 2 * (t - k) + k;
        float angle = (inverse ? 1 : -1) * 3.14159265358979f * k / half, c, w;
        sincosf(angle, &w, &c);
        float2 a = s[i], b = s[i + half];
        float2 r = make_float2(b.x * c - b.y * w, b.x * w + b.y * c);
        s[i] = make_float2(a.x + r.x, a.y + r.y);
        s[i + half] = make_float2(a.x - r.x, a.y - r.y);
        __syncthreads();
    }
    float f = inverse ? 1.0f / 256 : 1;
    for (int k = t; k < 256; k += 128)
        x[k] = make_float2(s[k].x * f, s[k].y * f);
}

int main()
{
    const int blocks = 6;
    rng r(33);
    std::vector<float2> in(256 * blocks);
    for (auto &v : in)
        v = make_float2(r.uniform(-1, 1), r.uniform(-1, 1));
    dev<float2> d(in);
    fft<<<blocks, 128>>>(d, false);
    RAN();
    std::vector<float2> f = d.get();
    std::vector<float> got, want;
    for (int k = 0; k < 256; k += 17) {
        double re = 0, im = 0;
        for (int n = 0; n < 256; n++) {
            double a = -2 * 3.14159265358979323846 * k * n / 256;
            re += in[256 + n].x * cos(a) - in[256 + n].y * sin(a);
            im += in[256 + n].x * sin(a) + in[256 + n].y * cos(a);
        }
        got.insert(got.end(), {f[256 + k].x, f[256 + k].y});
        want.insert(want.end(), {(float)re, (float)im});
    }
    check_close("spectrum", got, want, 1e-4);
    fft<<<blocks, 128>>>(d, true);
    RAN();
    f = d.get();
    got.clear();
    want.clear();
    for (int i = 0; i < 256 * blocks; i++) {
        got.insert(got.end(), {f[i].x, f[i].y});
        want.insert(want.end(), {in[i].x, in[i].y});
    }
    check_close("back", got, want, 1e-5);
    return check_result();
}
