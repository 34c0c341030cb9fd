// Conversions between integers and floating point: every rounding mode, saturation, NaN, infinities, narrow types.
#include "check.h"
#include <cfenv>

__global__ void to_int(const float *f, const double *d, int *out, long long *wide, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int *o = out + i * 10;
    long long *w = wide + i * 4;
    o[0] = __float2int_rn(f[i]);
    o[1] = __float2int_rz(f[i]);
    o[2] = __float2int_rd(f[i]);
    o[3] = __float2int_ru(f[i]);
    o[4] = (int)__float2uint_rn(f[i]);
    o[5] = __double2int_rn(d[i]);
    o[6] = __double2int_ru(d[i]);
    o[7] = (int)__double2uint_rz(d[i]);
    o[8] = (int)f[i];
    o[9] = (int)(unsigned)d[i];
    w[0] = __float2ll_rn(f[i]);
    w[1] = __double2ll_rd(d[i]);
    w[2] = (long long)__double2ull_rn(d[i]);
    w[3] = (long long)__float_as_int(__double2float_rz(d[i]));
}

__global__ void from_int(const long long *v, float *out, double *wide, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float *o = out + i * 6;
    o[0] = __int2float_rn((int)v[i]);
    o[1] = __int2float_rz((int)v[i]);
    o[2] = __uint2float_ru((unsigned)v[i]);
    o[3] = __ll2float_rn(v[i]);
    o[4] = __ull2float_rd((unsigned long long)v[i]);
    o[5] = (float)(signed char)v[i] + (float)(unsigned short)v[i];
    wide[i * 2] = __ll2double_rn(v[i]);
    wide[i * 2 + 1] = __ull2double_rz((unsigned long long)v[i]);
}

// Round, then clamp: what the machine does. A NaN becomes 0 between 32-bit types, else the top bit alone.
template <class T> static T convert(double x, int mode, bool wide)
{
    if (x != x)
        return wide ? (T)(1ull << (sizeof(T) * 8 - 1)) : 0;
    double r = mode == FE_TONEAREST ? nearbyint(x) : mode == FE_DOWNWARD ? floor(x) : mode == FE_UPWARD ? ceil(x) : trunc(x);
    double lo = std::is_signed<T>::value ? -ldexp(1, sizeof(T) * 8 - 1) : 0, hi = ldexp(1, (int)sizeof(T) * 8 - std::is_signed<T>::value);
    T min = (T)(std::is_signed<T>::value ? 1ull << (sizeof(T) * 8 - 1) : 0), max = (T)(min - 1);
    return r < lo ? min : r >= hi ? max : (T)r;
}
template <class R, class T> static R rounded(T v, int mode)
{
    volatile T x = v;
    fesetround(mode);
    volatile R r = (R)x;
    fesetround(FE_TONEAREST);
    return r;
}

int main()
{
    rng r(25);
    const double special[] = {0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 2147483647.0, 2147483648.0, -2147483648.0, -2147483649.0,
                              4294967295.0, 4294967296.0, 9.3e18, -9.3e18, 1.8e19, 2e19, 1e30, -1e30, INFINITY, -INFINITY, NAN,
                              1e-40, 8388609.0, 0.49999997};
    const int n = 300;
    std::vector<float> f(n);
    std::vector<double> d(n);
    std::vector<long long> v(n);
    for (int i = 0; i < n; i++) {
        d[i] = i < 25 ? special[i] : (r.uniform(-1, 1) * pow(2, (int)r.below(70)));
        f[i] = (float)d[i];
        v[i] = (long long)(((uint64_t)r.next() << 32 | r.next()) >> r.below(63)) * (r.below(2) ? 1 : -1);
    }
    dev<float> df(f), dfo(n * 6);
    dev<double> dd(d), ddo(n * 2);
    dev<int> di(n * 10);
    dev<long long> dl(n * 4), dv(v);
    to_int<<<3, 128>>>(df, dd, di, dl, n);
    from_int<<<3, 128>>>(dv, dfo, ddo, n);
    RAN();
    std::vector<int> wi(n * 10);
    std::vector<long long> wl(n * 4);
    std::vector<float> wf(n * 6);
    std::vector<double> wd(n * 2);
    for (int i = 0; i < n; i++) {
        int *o = &wi[i * 10];
        o[0] = convert<int>(f[i], FE_TONEAREST, false);
        o[1] = o[8] = convert<int>(f[i], FE_TOWARDZERO, false);
        o[2] = convert<int>(f[i], FE_DOWNWARD, false);
        o[3] = convert<int>(f[i], FE_UPWARD, false);
        o[4] = (int)convert<unsigned>(f[i], FE_TONEAREST, false);
        o[5] = convert<int>(d[i], FE_TONEAREST, true);
        o[6] = convert<int>(d[i], FE_UPWARD, true);
        o[7] = o[9] = (int)convert<unsigned>(d[i], FE_TOWARDZERO, true);
        wl[i * 4] = convert<long long>(f[i], FE_TONEAREST, true);
        wl[i * 4 + 1] = convert<long long>(d[i], FE_DOWNWARD, true);
        wl[i * 4 + 2] = (long long)convert<unsigned long long>(d[i], FE_TONEAREST, true);
        float z = rounded<float, double>(d[i], FE_TOWARDZERO);
        int bits;
        memcpy(&bits, &z, 4);
        wl[i * 4 + 3] = bits; // a NaN keeps its sign and payload
        float *p = &wf[i * 6];
        p[0] = rounded<float, int>((int)v[i], FE_TONEAREST);
        p[1] = rounded<float, int>((int)v[i], FE_TOWARDZERO);
        p[2] = rounded<float, unsigned>((unsigned)v[i], FE_UPWARD);
        p[3] = rounded<float, long long>(v[i], FE_TONEAREST);
        p[4] = rounded<float, unsigned long long>((unsigned long long)v[i], FE_DOWNWARD);
        p[5] = (float)(signed char)v[i] + (float)(unsigned short)v[i];
        wd[i * 2] = (double)v[i];
        wd[i * 2 + 1] = rounded<double, unsigned long long>((unsigned long long)v[i], FE_TOWARDZERO);
    }
    std::vector<int> gi = di.get();
    std::vector<long long> gl = dl.get();
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 10; k++)
            // Out-of-range casts of plain C++ are undefined; the intrinsics are not.
            if (gi[i * 10 + k] != wi[i * 10 + k] && k < 8 && check_failures++ < 5)
                fprintf(stderr, "conversion %d of %.17g: got %d, want %d\n", k, d[i], gi[i * 10 + k], wi[i * 10 + k]);
    for (int i = 0; i < n * 4; i++)
        if (gl[i] != wl[i] && check_failures++ < 5)
            fprintf(stderr, "wide conversion %d of %.17g: got %llx, want %llx\n", i % 4, d[i / 4], gl[i], wl[i]);
    check_equal("to float", dfo.get(), wf);
    check_equal("to double", ddo.get(), wd);
    return check_result();
}
