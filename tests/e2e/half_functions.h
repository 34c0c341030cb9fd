// Every function of cuda_fp16.h and cuda_bf16.h that has an exact result, against it: NaNs, infinities, both zeros, subnormals, random numbers.
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <limits>

#ifdef __clang__
#define MADE_BY_CLANG 1
#else
#define MADE_BY_CLANG 0
#endif

#define FLOAT           __half
#define PAIR            __half2
#define TO(from, how)   __##from##2half_##how
#define FROM(to, how)   __half2##to##_##how
#define MANTISSA        10
#define LOWEST          -14
#define ABOUT           about_half
#define rounded_one()   0x3c00
#include "half_check.h"
#undef FLOAT
#undef PAIR
#undef TO
#undef FROM
#undef MANTISSA
#undef LOWEST
#undef ABOUT
#undef rounded_one

#define FLOAT           __nv_bfloat16
#define PAIR            __nv_bfloat162
#define TO(from, how)   __##from##2bfloat16_##how
#define FROM(to, how)   __bfloat162##to##_##how
#define MANTISSA        7
#define LOWEST          -126
#define ABOUT           about_bfloat16
#define rounded_one()   0x3f80
#include "half_check.h"

// Complex products, lanes, and functions without an exact result.
__global__ void rest(float *out)
{
    const __half2 a = __floats2half2_rn(1.5f, -2), b = __floats2half2_rn(0.25f, 3), c = __floats2half2_rn(10, -20);
    const __nv_bfloat162 d = __floats2bfloat162_rn(1.5f, -2), e = __floats2bfloat162_rn(0.25f, 3), f = __floats2bfloat162_rn(10, -20);
    int n = 0;
    out[n++] = __low2float(__hcmadd(a, b, c)), out[n++] = __high2float(__hcmadd(a, b, c));
    out[n++] = __low2float(__hcmadd(d, e, f)), out[n++] = __high2float(__hcmadd(d, e, f));
    out[n++] = __high2float(__lows2bfloat162(d, e)), out[n++] = __low2float(__highs2bfloat162(d, e));
    out[n++] = __high2float(__low2bfloat162(e)), out[n++] = __low2float(__high2bfloat162(e));
    out[n++] = __low2float(__lowhigh2highlow(e));
    const __half x = __float2half(0.5f);
    const __nv_bfloat16 y = __float2bfloat16(0.5f);
#define TRY(name)                                                                                                      \
    out[n++] = __half2float(h##name(x)), out[n++] = __bfloat162float(h##name(y));                                      \
    out[n++] = __high2float(h2##name(__half2half2(x))), out[n++] = __high2float(h2##name(__bfloat162bfloat162(y)));
    TRY(exp) TRY(exp2) TRY(exp10) TRY(log) TRY(log2) TRY(log10) TRY(sin) TRY(cos) TRY(tanh) TRY(tanh_approx) TRY(sqrt) TRY(rsqrt)
    TRY(rcp) TRY(ceil) TRY(floor) TRY(trunc) TRY(rint)
}

int main()
{
    about_half::run();
    about_bfloat16::run();
    const float first[] = {16.375f, -16, 16.375f, -16, 0.25f, -2, 0.25f, 3, 3};
    const double then[] = {exp(0.5), exp2(0.5), exp(0.5 * log(10.0)), log(0.5), -1, log10(0.5), sin(0.5), cos(0.5), tanh(0.5), tanh(0.5), sqrt(0.5), sqrt(2.0), 2, 1, 0, 0, 0};
    const int n = 17;
    dev<float> out(9 + 4 * n);
    rest<<<1, 1>>>(out);
    RAN();
    std::vector<float> got = out.get();
    for (int i = 0; i < 9; i++)
        CHECK(got[i] == first[i]);
    for (int i = 0; i < 4 * n; i++)
        CHECK(fabs(got[9 + i] - then[i / 4]) <= fabs(then[i / 4]) * (i % 2 ? 0.005 : 0.001));
    CHECK(__bfloat162float(__nv_bfloat16(__float2half(0.75f))) == 0.75f && __half2float(__half(__float2bfloat16(0.75f))) == 0.75f);
    return check_result();
}
