/*
 * Fast Walsh-Hadamard transform.
 *
 * Origin: CUDA SDK, fastWalshTransform. Strides larger than a block's 2048 elements are done by radix-4 butterflies in
 * global memory (256 threads per block), the rest in shared memory by 512 threads per block.
 * Original 2^23 elements; "paper" is 2^22.
 */
#include "../common/suite.h"

#include <vector>

enum { LOG_BLOCK = 11, BLOCK_DATA = 1 << LOG_BLOCK };

__global__ void butterflies(float *data, int n, int stride)
{
    int pos = blockIdx.x * blockDim.x + threadIdx.x;
    int lo = pos & (stride - 1), i0 = ((pos - lo) << 2) + lo, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
    if (i3 >= n)
        return;
    float d0 = data[i0], d1 = data[i1], d2 = data[i2], d3 = data[i3], t;
    t = d0;
    d0 = d0 + d2;
    d2 = t - d2;
    t = d1;
    d1 = d1 + d3;
    d3 = t - d3;
    data[i0] = d0 + d1;
    data[i1] = d0 - d1;
    data[i2] = d2 + d3;
    data[i3] = d2 - d3;
}

__global__ void in_block(float *data, int log_n)
{
    extern __shared__ float s[];
    int n = 1 << log_n, base = blockIdx.x << log_n;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = data[base + i];
    int pos = threadIdx.x;
    for (int stride = n >> 2; stride > 0; stride >>= 2) {
        int lo = pos & (stride - 1), i0 = ((pos - lo) << 2) + lo, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
        __syncthreads();
        float d0 = s[i0], d1 = s[i1], d2 = s[i2], d3 = s[i3], t;
        t = d0;
        d0 = d0 + d2;
        d2 = t - d2;
        t = d1;
        d1 = d1 + d3;
        d3 = t - d3;
        s[i0] = d0 + d1;
        s[i1] = d0 - d1;
        s[i2] = d2 + d3;
        s[i3] = d2 - d3;
    }
    if (log_n & 1) { /* an odd power leaves one radix-2 step */
        __syncthreads();
        for (int p = threadIdx.x; p < n / 2; p += blockDim.x) {
            int i0 = p << 1, i1 = i0 + 1;
            float d0 = s[i0], d1 = s[i1];
            s[i0] = d0 + d1;
            s[i1] = d0 - d1;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        data[base + i] = s[i];
}

int main(int argc, char **argv)
{
    int log_n = suite_pick(suite_parse_size(argc, argv), 13, 20, 22), n = 1 << log_n;
    std::vector<float> data(n), got(n);
    suite_rng r(11);
    for (float &x : data)
        x = (float)(int)r.below(16) - 8; /* small integers: sums stay exact in float */
    float *d = suite_to_device(data.data(), n);
    int log_left = log_n;
    for (; log_left > LOG_BLOCK; log_left -= 2) {
        int stride = 1 << (log_left - 2);
        butterflies<<<(n / 4 + 255) / 256, 256>>>(d, n, stride);
    }
    in_block<<<n >> log_left, (1 << log_left) / 4, (1 << log_left) * sizeof(float)>>>(d, log_left);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), d, n);
    for (int h = 1; h < n; h *= 2)
        for (int i = 0; i < n; i += 2 * h)
            for (int j = i; j < i + h; j++) {
                float x = data[j], y = data[j + h];
                data[j] = x + y;
                data[j + h] = x - y;
            }
    return suite_done("fwt", argc, argv, suite_diff_exact("fwt", got.data(), data.data(), n));
}
