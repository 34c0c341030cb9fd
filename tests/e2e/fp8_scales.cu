// Scales of eight bits (e8m0): every one to wider types, and wider ones to the power of two above or below, against their definition.
#include "check.h"
#include <cuda_fp8.h>
#include <limits>

static unsigned char scale_of(double v, bool up, bool saturate)
{
    const double a = fabs(v);
    if (v != v)
        return 255;
    if (a <= ldexp(1, -127))
        return 0;
    int code = 0; // the largest power of two that is not above it
    while (code < 255 && ldexp(1, code + 1 - 127) <= a)
        code++;
    if (up && code < 255 && ldexp(1, code - 127) < a)
        code++;
    return (unsigned char)(code < 255 ? code : saturate ? 254 : 255);
}

struct four {
    unsigned char up, up_whole, down, down_whole;
    bool operator==(const four &o) const { return !memcmp(this, &o, sizeof o); }
    bool operator!=(const four &o) const { return !(*this == o); }
};

__host__ __device__ static four of(float f)
{
    return {__nv_cvt_float_to_e8m0(f, __NV_NOSAT, cudaRoundPosInf), __nv_fp8_e8m0(f).__x, __nv_cvt_float_to_e8m0(f, __NV_NOSAT, cudaRoundZero),
            __nv_cvt_float_to_e8m0(f, __NV_SATFINITE, cudaRoundZero)};
}
static four want_of(double v) { return {scale_of(v, true, false), scale_of(v, true, true), scale_of(v, false, false), scale_of(v, false, true)}; }

__global__ void narrow(const float *in, four *out, four *pairs, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = of(in[i]);
    const __nv_fp8x2_e8m0 two(make_float2(in[i], in[(i + 1) % n]));
    const __nv_fp8x4_e8m0 fours(make_float4(in[i], 1, in[(i + 1) % n], 2));
    pairs[i] = {(unsigned char)two.__x, (unsigned char)(two.__x >> 8), (unsigned char)fours.__x, (unsigned char)(fours.__x >> 16)};
}
__global__ void widen(float *f, double *d, unsigned short *b, long long *l, float4 *fours)
{
    __nv_fp8_e8m0 x;
    __nv_fp8x4_e8m0 y;
    x.__x = threadIdx.x;
    y.__x = 0x01010101u * threadIdx.x ^ 0x80000000u;
    f[threadIdx.x] = (float)x;
    d[threadIdx.x] = (double)x;
    b[threadIdx.x] = __bfloat16_as_ushort((__nv_bfloat16)x);
    l[threadIdx.x] = (long long)x;
    fours[threadIdx.x] = (float4)y;
}

int main()
{
    std::vector<float> in = {0, -0.0f, INFINITY, -INFINITY, NAN, 1, -1, 3, 1.0000001f, 0.99999994f, 1.99f, std::numeric_limits<float>::max()};
    for (int e = -149; e < 128; e++)
        for (float m : {1.0f, 1.0000001f, 1.5f, 1.9999999f})
            in.push_back(ldexpf(e & 1 ? -m : m, e));
    const int n = (int)in.size();
    dev<float> d(in);
    dev<four> out(n), pairs(n);
    narrow<<<(n + 127) / 128, 128>>>(d, out, pairs, n);
    RAN();
    std::vector<four> want(n), got = out.get(), two = pairs.get();
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        want[i] = want_of(in[i]);
        const unsigned char next = want_of(in[(i + 1) % n]).up_whole;
        wrong += got[i] != want[i] || of(in[i]) != want[i] || two[i] != four{want[i].up_whole, next, want[i].up_whole, next};
        if (wrong == 1)
            fprintf(stderr, "%a: %d %d %d %d\n", in[i], got[i].up, got[i].up_whole, got[i].down, got[i].down_whole), wrong++;
    }
    CHECK(wrong == 0);

    // On the host: wider types, whose own rounding must not show, and integers.
    for (double v : {1e-300, 1.0 + 1e-15, 2.0 - 1e-15, 4.0, 1e38, -3e30}) {
        CHECK(__nv_fp8_e8m0(v).__x == scale_of(v, true, true));
        CHECK(__nv_cvt_double_to_e8m0(v, __NV_NOSAT, cudaRoundZero) == scale_of(v, false, false));
        CHECK(__nv_cvt_double2_to_e8m0x2(make_double2(1, v), __NV_NOSAT, cudaRoundPosInf) == (127 | scale_of(v, true, false) << 8));
    }
    CHECK(__nv_fp8_e8m0(INT_MAX).__x == 127 + 31 && __nv_fp8_e8m0(-5).__x == 130 && __nv_fp8_e8m0(1u << 31).__x == 127 + 31);
    CHECK(__nv_fp8_e8m0((1ull << 63) + 1).__x == 127 + 64 && __nv_fp8_e8m0((1ll << 40) - 1).__x == 127 + 40);
    CHECK(__nv_fp8_e8m0(__float2half(3)).__x == 129 && __nv_fp8_e8m0(__float2bfloat16(2)).__x == 128);
    CHECK(__nv_fp8x4_e8m0(make_double4_16a(1, 2, 3, 4)).__x == 0x8181807fu);

    dev<float> f(256);
    dev<double> df(256);
    dev<unsigned short> b(256);
    dev<long long> l(256);
    dev<float4> fours(256);
    widen<<<1, 256>>>(f, df, b, l, fours);
    RAN();
    std::vector<float> fs = f.get();
    std::vector<double> ds = df.get();
    std::vector<unsigned short> bs = b.get();
    std::vector<long long> ls = l.get();
    std::vector<float4> qs = fours.get();
    for (int i = 0; i < 255; i++) {
        const double v = ldexp(1, i - 127);
        CHECK(fs[i] == v && ds[i] == v && bs[i] == (i ? i << 7 : 0x40));
        CHECK(ls[i] == (i < 127 ? 0 : i < 127 + 63 ? 1ll << (i - 127) : std::numeric_limits<long long>::max()));
        CHECK(qs[i].x == v && qs[i].y == v && qs[i].z == v && (i == 127 ? qs[i].w != qs[i].w : qs[i].w == ldexp(1, (i ^ 0x80) - 127)));
    }
    CHECK(fs[255] != fs[255] && ds[255] != ds[255] && bs[255] == 0x7fff);
    return check_result();
}
