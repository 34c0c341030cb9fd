// bfloat16: conversions and arithmetic against the definition, the upper half of a float.
#include "check.h"
#include <cuda_bf16.h>

__global__ void run(const float *a, const float *b, unsigned short *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __nv_bfloat16 x = __float2bfloat16(a[i]), y = __float2bfloat16(b[i]);
    out[i] = __bfloat16_as_ushort(x);
    out[n + i] = __bfloat16_as_ushort(__hadd(x, y));
    out[2 * n + i] = __bfloat16_as_ushort(__hmul(x, y));
    out[3 * n + i] = __bfloat16_as_ushort(__hsub(x, y));
    out[4 * n + i] = (unsigned short)((__bfloat162float(x) < __bfloat162float(y)) | __hgt(x, y) << 1);
    __nv_bfloat162 v = __floats2bfloat162_rn(a[i], b[i]);
    float2 f = __bfloat1622float2(v);
    out[5 * n + i] = __bfloat16_as_ushort(__float2bfloat16(f.x + f.y));
}

static unsigned short round_bf(float f)
{
    unsigned u;
    memcpy(&u, &f, 4);
    u += 0x7fff + (u >> 16 & 1);
    return (unsigned short)(u >> 16);
}
static float widen(unsigned short b)
{
    unsigned u = (unsigned)b << 16;
    float f;
    memcpy(&f, &u, 4);
    return f;
}

int main()
{
    const int n = 800;
    rng r(19);
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = i % 7 ? r.uniform(-100, 100) : r.uniform(-1e-30f, 1e30f);
        b[i] = r.uniform(-100, 100);
    }
    dev<float> da(a), db(b);
    dev<unsigned short> out(6 * n);
    run<<<(n + 127) / 128, 128>>>(da, db, out, n);
    RAN();
    std::vector<unsigned short> want(6 * n);
    for (int i = 0; i < n; i++) {
        float x = widen(round_bf(a[i])), y = widen(round_bf(b[i]));
        want[i] = round_bf(a[i]);
        want[n + i] = want[5 * n + i] = round_bf(x + y);
        want[2 * n + i] = round_bf(x * y);
        want[3 * n + i] = round_bf(x - y);
        want[4 * n + i] = (unsigned short)((x < y) | (x > y) << 1);
    }
    check_equal("bfloat16", out.get(), want);
    return check_result();
}
