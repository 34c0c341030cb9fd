// Four-bit numbers: from every half, and from float and double, to e2m1 and back, on the host and on the device.
#include "check.h"
#include <cuda_fp4.h>

static const double value[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

// By its definition: the nearest, of two the even one.
static unsigned nearest(double d)
{
    if (d != d)
        return 7;
    unsigned best = 0;
    for (unsigned k = 1; k < 8; k++) {
        const double now = std::fabs(value[k] - std::fabs(d)), before = std::fabs(value[best] - std::fabs(d));
        if (now < before || (now == before && k % 2 == 0))
            best = k;
    }
    return (std::fabs(d) > 6 ? 7 : best) | (std::signbit(d) ? 8 : 0); // differences of large numbers would all be equal
}

__host__ __device__ static unsigned all_of(unsigned short bits, float f, double d)
{
    __half_raw h;
    __nv_bfloat16_raw b;
    __half2_raw h2;
    h.x = bits, b.x = bits, h2.x = bits, h2.y = (unsigned short)(bits + 1);
    const auto near = cudaRoundNearest;
    return __nv_cvt_halfraw_to_fp4(h, __NV_E2M1, near) | __nv_cvt_halfraw2_to_fp4x2(h2, __NV_E2M1, near) << 4 |
           __nv_cvt_bfloat16raw_to_fp4(b, __NV_E2M1, near) << 12 | __nv_cvt_float_to_fp4(f, __NV_E2M1, near) << 16 |
           __nv_cvt_double_to_fp4(d, __NV_E2M1, near) << 20 | __nv_cvt_float2_to_fp4x2(make_float2(f, -f), __NV_E2M1, near) << 24;
}
__global__ void convert(unsigned *out, unsigned short *back)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = all_of((unsigned short)i, ((int)i - 32768) / 4096.0f, ((int)i - 32768) / 4096.0);
    if (i < 16)
        back[i] = __half_raw(__nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)i, __NV_E2M1)).x;
}

int main()
{
    dev<unsigned> out(65536);
    dev<unsigned short> back(16);
    convert<<<256, 256>>>(out, back);
    RAN();
    std::vector<unsigned> want(65536), host(65536);
    auto half = [](unsigned bits) { return (double)__half2float(__half(__half_raw{(unsigned short)bits})); };
    for (unsigned i = 0; i < 65536; i++) {
        const double d = ((int)i - 32768) / 4096.0;
        uint32_t wide = i << 16;
        float bf;
        memcpy(&bf, &wide, 4);
        want[i] = nearest(half(i)) | nearest(half(i)) << 4 | nearest(half(i + 1)) << 8 | nearest(bf) << 12 | nearest(d) << 16 |
                  nearest(d) << 20 | nearest(d) << 24 | nearest(-d) << 28;
        host[i] = all_of((unsigned short)i, (float)d, d);
    }
    check_equal("device", out.get(), want);
    check_equal("host", host, want);
    auto halves = back.get();
    for (unsigned i = 0; i < 16; i++)
        CHECK(half(halves[i]) == (i & 8 ? -value[i & 7] : value[i & 7]));
    return check_result();
}
