// Half precision: conversions in all rounding modes, scalar and packed arithmetic, comparisons.
#include "check.h"
#include <cuda_fp16.h>

__global__ void scalar(const float *a, const float *b, unsigned short *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half x = __float2half(a[i]), y = __float2half(b[i]);
    out[i] = __half_as_ushort(x + y);
    out[n + i] = __half_as_ushort(x * y);
    out[2 * n + i] = __half_as_ushort(x - y);
    out[3 * n + i] = __half_as_ushort(__hfma(x, y, x));
    out[4 * n + i] = __half_as_ushort(__hdiv(x, y));
    out[5 * n + i] = (unsigned short)((x < y) | __heq(x, y) << 1 | (x >= y) << 2 | __hisnan(x) << 3);
    out[6 * n + i] = __half_as_ushort(__float2half_rz(a[i]));
    out[7 * n + i] = __half_as_ushort(__float2half_ru(a[i]));
}

__global__ void packed(const __half2 *a, __half2 *out)
{
    int i = threadIdx.x;
    __half2 v = a[i];
    out[i] = __hfma2(v, __float2half2_rn(2.0f), __hneg2(v)) + __lowhigh2highlow(v);
}

__global__ void reduce(const __half *a, float *out)
{
    float v = __half2float(a[threadIdx.x]);
    for (int s = 16; s > 0; s /= 2)
        v += __shfl_xor_sync(0xffffffff, v, s);
    if (threadIdx.x == 0)
        *out = v;
}

int main()
{
    const int n = 1000;
    rng r(18);
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = i % 10 == 0 ? r.uniform(-1e-6f, 1e-6f) : i % 10 == 1 ? r.uniform(-70000, 70000) : r.uniform(-10, 10);
        b[i] = r.uniform(-10, 10);
    }
    dev<float> da(a), db(b);
    dev<unsigned short> out(8 * n);
    scalar<<<(n + 127) / 128, 128>>>(da, db, out, n);
    RAN();
    std::vector<unsigned short> want(8 * n);
    for (int i = 0; i < n; i++) {
        __half x = __float2half(a[i]), y = __float2half(b[i]);
        float fx = __half2float(x), fy = __half2float(y);
        want[i] = __half_as_ushort(__float2half(fx + fy));
        want[n + i] = __half_as_ushort(__float2half(fx * fy));
        want[2 * n + i] = __half_as_ushort(__float2half(fx - fy));
        want[3 * n + i] = __half_as_ushort(__double2half((double)fx * fy + fx));
        want[4 * n + i] = __half_as_ushort(__float2half(fx / fy));
        want[5 * n + i] = (unsigned short)((fx < fy) | (fx == fy) << 1 | (fx >= fy) << 2 | (fx != fx) << 3);
        want[6 * n + i] = __half_as_ushort(__float2half_rz(a[i]));
        want[7 * n + i] = __half_as_ushort(__float2half_ru(a[i]));
    }
    check_equal("scalar", out.get(), want);

    std::vector<__half2> p(64), wp(64);
    for (int i = 0; i < 64; i++) {
        p[i] = __floats2half2_rn((float)i, i * 0.5f);
        wp[i] = __floats2half2_rn(i + i * 0.5f, i * 0.5f + i);
    }
    dev<__half2> dp(p), dout(64);
    packed<<<1, 64>>>(dp, dout);
    RAN();
    check_equal("packed", dout.get(), wp);
    std::vector<__half> h(32);
    for (int i = 0; i < 32; i++)
        h[i] = __float2half(i * 0.125f);
    dev<__half> dh(h);
    dev<float> sum(1);
    reduce<<<1, 32>>>(dh, sum);
    RAN();
    CHECK(sum.get()[0] == 62.0f);
    return check_result();
}
