/*
 * Batch of 512-point complex FFTs.
 *
 * Origin: SHOC 1.1.5, level 1, FFT (after Volkov and Kazian, 2008). A block of 64 threads transforms 512 points in
 * place; a thread holds eight points, 64 apart, in registers: three radix-8 steps with twiddles from __sinf and __cosf,
 * between them two exchanges through shared memory, first of the real and then of the imaginary parts, at strides 66
 * and 72 to spread them over the banks. Points of radix-8 steps stay in bit-reversed order until they are stored.
 * Simplified: single precision, forward transform only.
 * Original 1 to 256 MB (256 to 65536 transforms); "paper" is 128 MB (32768).
 */
#include "../common/suite.h"

#include <complex>
#include <vector>

enum { POINTS = 512, THREADS = 64 };

static __device__ inline float2 add(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}
static __device__ inline float2 sub(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}
static __device__ inline float2 mul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
/* Times exp(-i pi/2), exp(-i pi/4) and exp(-3 i pi/4). */
static __device__ inline float2 turn90(float2 a)
{
    return make_float2(a.y, -a.x);
}
static __device__ inline float2 turn45(float2 a)
{
    return make_float2(0.70710678f * (a.x + a.y), 0.70710678f * (a.y - a.x));
}
static __device__ inline float2 turn135(float2 a)
{
    return make_float2(0.70710678f * (a.y - a.x), -0.70710678f * (a.x + a.y));
}
static __device__ inline void butterfly(float2 &a, float2 &b)
{
    const float2 t = a;
    a = add(t, b);
    b = sub(t, b);
}

/* Eight points; output k is found at index reversed(k). */
static __device__ inline void fft8(float2 a[8])
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        butterfly(a[i], a[i + 4]);
    a[5] = turn45(a[5]);
    a[6] = turn90(a[6]);
    a[7] = turn135(a[7]);
#pragma unroll
    for (int h = 0; h < 8; h += 4) {
        butterfly(a[h], a[h + 2]);
        butterfly(a[h + 1], a[h + 3]);
        a[h + 3] = turn90(a[h + 3]);
        butterfly(a[h], a[h + 1]);
        butterfly(a[h + 2], a[h + 3]);
    }
}

static __host__ __device__ constexpr int reversed(int i)
{
    return (i & 1) << 2 | (i & 2) | i >> 2;
}

/* Output k of the step is turned by k * i / n of a circle. */
static __device__ inline void twiddle(float2 a[8], int i, int n)
{
#pragma unroll
    for (int k = 1; k < 8; k++) {
        const float angle = -6.2831853f * (float)k / (float)n * (float)i;
        a[reversed(k)] = mul(a[reversed(k)], make_float2(__cosf(angle), __sinf(angle)));
    }
}

/* Output k goes to put + k * put_stride; the new point k comes from get + k * get_stride. */
static __device__ inline void exchange(float2 a[8], float *s, int put, int put_stride, int get, int get_stride)
{
#pragma unroll
    for (int k = 0; k < 8; k++)
        s[put + k * put_stride] = a[reversed(k)].x;
    __syncthreads();
    float x[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        x[k] = s[get + k * get_stride];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++)
        s[put + k * put_stride] = a[reversed(k)].y;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++)
        a[k] = make_float2(x[k], s[get + k * get_stride]);
    __syncthreads();
}

__global__ void fft512(float2 *data)
{
    __shared__ float s[8 * 72];
    const int t = threadIdx.x, hi = t >> 3, lo = t & 7;
    data += (size_t)blockIdx.x * POINTS + t;
    float2 a[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        a[k] = data[k * THREADS];
    fft8(a);
    twiddle(a, t, POINTS);
    exchange(a, s, t, 66, lo * 66 + hi, 8);
    fft8(a);
    twiddle(a, hi, THREADS);
    exchange(a, s, t, 72, hi * 72 + lo, 8);
    fft8(a);
#pragma unroll
    for (int k = 0; k < 8; k++)
        data[k * THREADS] = a[reversed(k)];
}

/* Recursive, in double precision. */
static void reference(std::vector<std::complex<double>> &a)
{
    const size_t n = a.size();
    if (n == 1)
        return;
    std::vector<std::complex<double>> even(n / 2), odd(n / 2);
    for (size_t i = 0; i < n / 2; i++) {
        even[i] = a[2 * i];
        odd[i] = a[2 * i + 1];
    }
    reference(even);
    reference(odd);
    for (size_t k = 0; k < n / 2; k++) {
        const std::complex<double> t = std::polar(1.0, -2 * M_PI * (double)k / (double)n) * odd[k];
        a[k] = even[k] + t;
        a[k + n / 2] = even[k] - t;
    }
}

int main(int argc, char **argv)
{
    const size_t batch = suite_pick<size_t>(suite_parse_size(argc, argv), 16, 3072, 32768), n = batch * POINTS;
    std::vector<float2> in(n), got(n);
    suite_rng r(41);
    for (float2 &x : in)
        x = make_float2(r.range(-1, 1), r.range(-1, 1));
    float2 *data = suite_to_device(in.data(), n);
    fft512<<<(unsigned)batch, THREADS>>>(data);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), data, n);
    std::vector<float> part(2 * POINTS), expect(2 * POINTS);
    size_t bad = 0;
    for (size_t b = 0; b < batch; b++) {
        std::vector<std::complex<double>> a(POINTS);
        for (int i = 0; i < POINTS; i++)
            a[i] = {in[b * POINTS + i].x, in[b * POINTS + i].y};
        reference(a);
        for (int i = 0; i < POINTS; i++) {
            expect[2 * i] = (float)a[i].real();
            expect[2 * i + 1] = (float)a[i].imag();
            part[2 * i] = got[b * POINTS + i].x;
            part[2 * i + 1] = got[b * POINTS + i].y;
        }
        bad += suite_diff("spectrum", part.data(), expect.data(), part.size(), 1e-3, 2e-3);
    }
    return suite_done("fft", argc, argv, bad);
}
