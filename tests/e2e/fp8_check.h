// Eight-bit floating point: every value to wider types, and wider ones back, against the definition of the formats.
#include "check.h"
#include <cuda_fp8.h>
#include <limits>

static double value(int bits, bool e4m3)
{
    const int fraction = e4m3 ? 3 : 2, least = e4m3 ? -6 : -14, a = bits & 0x7f, e = a >> fraction, m = a & ((1 << fraction) - 1);
    double v = e ? ldexp(m + (1 << fraction), e - 1 + least - fraction) : ldexp(m, least - fraction);
    if (e4m3 ? a == 0x7f : a > 0x7c)
        return NAN;
    if (!e4m3 && a == 0x7c)
        v = INFINITY;
    return bits & 0x80 ? -v : v;
}

// The nearest of all numbers, of two the one that ends in 0; where the next number would be, if there were one, is where overflow begins.
static unsigned char nearest(double v, bool e4m3, bool saturate)
{
    if (v != v)
        return 0x7f;
    const unsigned char sign = std::signbit(v) ? 0x80 : 0, largest = e4m3 ? 0x7e : 0x7b;
    const double a = fabs(v), next = e4m3 ? 480 : 65536;
    int best = 0;
    for (int i = 1; i <= largest; i++) {
        const double was = fabs(value(best, e4m3) - a), is = fabs(value(i, e4m3) - a);
        if (is < was || (is == was && !(i & 1)))
            best = i;
    }
    const double half = (value(largest, e4m3) + next) / 2;
    if (a > half || (a == half && (largest & 1)))
        return sign | (saturate ? largest : largest + 1);
    return (unsigned char)(sign | best);
}

__host__ __device__ static inline unsigned short raw(__half h) { return __half_as_ushort(h); }
__host__ __device__ static inline unsigned of_float(float f)
{
    return (unsigned)__nv_fp8_e4m3(f).__x | (unsigned)__nv_fp8_e5m2(f).__x << 8 | (unsigned)__nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E4M3) << 16 |
           (unsigned)__nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E5M2) << 24;
}
static unsigned expected(double f)
{
    return nearest(f, true, true) | nearest(f, false, true) << 8 | nearest(f, true, false) << 16 | (unsigned)nearest(f, false, false) << 24;
}

__global__ void convert(const float *in, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = of_float(in[i]);
}
__global__ void widen(unsigned short *halves, float4 *fours, __nv_fp8x4_e4m3 *packed)
{
    const int i = threadIdx.x;
    __nv_fp8_e4m3 a;
    __nv_fp8_e5m2 b;
    __nv_fp8x4_e4m3 four;
    a.__x = b.__x = (unsigned char)i;
    four.__x = 0x01010101u * i ^ 0x00800001u;
    halves[i] = raw((__half)a);
    halves[256 + i] = raw((__half)b);
    fours[i] = (float4)four;
    packed[i] = __nv_fp8x4_e4m3(fours[i]);
}

template <class T> static T whole(double v)
{
    typedef std::numeric_limits<T> limits;
    return v != v ? (T)(sizeof(T) == 8 ? 1ull << 63 : 0) : v <= (double)limits::min() ? limits::min() : v >= (double)limits::max() ? limits::max() : (T)v;
}
template <class T> static void check_whole(double v, T got)
{
    CHECK(got == whole<T>(v));
}

int main()
{
    std::vector<float> in;
    rng r(8);
    for (int e4m3 = 0; e4m3 < 2; e4m3++)
        for (int i = 0; i < 256; i++) {
            const float v = (float)value(i, e4m3), w = (float)value(i + 1 & 0xff, e4m3), between = (v + w) / 2;
            for (float f : {v, between, nextafterf(between, 0), nextafterf(between, 1e30f), -nextafterf(between, -1e30f)})
                in.push_back(f);
        }
    for (int i = 0; i < 4000; i++)
        in.push_back(ldexpf(r.uniform(-1, 1), (int)r.below(48) - 28));
    for (float f : {448.0f, 464.0f, 464.1f, 480.0f, 57344.0f, 61439.0f, 61440.0f, 65536.0f, 1e30f, INFINITY, NAN, -NAN, 1e-40f, 0.0f, -0.0f})
        in.push_back(f), in.push_back(-f);
    const int n = (int)in.size();
    dev<float> din(in);
    dev<unsigned> out(n);
    convert<<<(n + 127) / 128, 128>>>(din, out, n);
    RAN();
    std::vector<unsigned> got = out.get(), want(n), host(n);
    for (int i = 0; i < n; i++) {
        want[i] = expected(in[i]);
        host[i] = of_float(in[i]);
        const __half h = __float2half(in[i]);
        const __nv_bfloat16 b = __float2bfloat16(in[i]);
        CHECK(__nv_fp8_e4m3(h).__x == nearest(__half2float(h), true, true));
        CHECK(__nv_fp8_e5m2(b).__x == nearest(__bfloat162float(b), false, true));
        const double d = (double)in[i] * (1 + 1e-12);
        if (d == d)
            CHECK(__nv_fp8_e4m3(d).__x == nearest(d, true, true) && __nv_fp8_e5m2(d).__x == nearest(d, false, true));
        else
            CHECK(__nv_fp8_e4m3(d).__x % 128 == 0x7f && __nv_fp8_e5m2(d).__x % 128 == 0x7e && __nv_fp8_e5m2(d).__x / 128 == std::signbit(d));
        const __nv_fp8x2_e5m2 two(make_float2(in[i], 1.0f));
        CHECK(two.__x == (nearest(in[i], false, true) | 0x3c << 8));
    }
    check_equal("host", host, want);
    check_equal("device", got, want);

    dev<unsigned short> halves(512);
    dev<float4> fours(256);
    dev<__nv_fp8x4_e4m3> packed(256);
    widen<<<1, 256>>>(halves, fours, packed);
    RAN();
    std::vector<unsigned short> h = halves.get();
    for (int i = 0; i < 256; i++) {
        __nv_fp8_e4m3 a;
        __nv_fp8_e5m2 b;
        a.__x = b.__x = (unsigned char)i;
        CHECK(h[i] == raw(__double2half(value(i, true))) && h[i] == raw((__half)a));
        CHECK(h[256 + i] == raw(__double2half(value(i, false))) && h[256 + i] == raw((__half)b));
        CHECK((float)a == (float)value(i, true) || a.__x % 128 == 127);
        CHECK((bool)b == (value(i, false) != 0));
        check_whole(value(i, true), (signed char)a), check_whole(value(i, false), (unsigned char)b);
        check_whole(value(i, true), (short)a), check_whole(value(i, false), (unsigned short)b);
        check_whole(value(i, true), (int)a), check_whole(value(i, false), (unsigned)b);
        check_whole(value(i, true), (long long)a), check_whole(value(i, false), (unsigned long long)b);
        const float4 f = fours.get()[i];
        const int x[] = {i ^ 1, i, i ^ 0x80, i};
        const float y[] = {f.x, f.y, f.z, f.w};
        unsigned again = 0;
        for (int k = 0; k < 4; k++) {
            CHECK(y[k] == (float)value(x[k], true) || x[k] % 128 == 127);
            again |= (unsigned)(x[k] % 128 == 127 ? 127 : x[k]) << 8 * k;
        }
        CHECK(packed.get()[i].__x == again);
    }
    CHECK(__nv_fp8_e4m3(3).__x == nearest(3, true, true) && __nv_fp8_e5m2(-100000ll).__x == nearest(-100000, false, true));
    return check_result();
}
