/*
 * 7-point stencil on a 3-D grid.
 *
 * Origin: Parboil, stencil (the blocked CUDA version). 32 x 4 threads per block, each thread marches along z with the three
 * planes' values in registers and the current plane's tile in shared memory; x and y neighbours outside the tile come from
 * global memory. Original 512 x 512 x 64, 100 iterations; "paper" is 512 x 512 x 64, one iteration.
 */
#include "../common/suite.h"

#include <vector>

enum { BX = 32, BY = 4 };

__global__ void step(float c0, float c1, const float *a0, float *anext, int nx, int ny, int nz)
{
    __shared__ float s[BY][BX];
    int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.x * BX + tx, j = blockIdx.y * BY + ty;
    bool inside = i < nx && j < ny, inner = i > 0 && j > 0 && i < nx - 1 && j < ny - 1;
    int plane = nx * ny, at = j * nx + i;
    float bottom = inside ? a0[at] : 0, current = inside ? a0[at + plane] : 0;
    for (int k = 1; k < nz - 1; k++) {
        s[ty][tx] = current;
        float top = inside ? a0[at + (k + 1) * plane] : 0;
        __syncthreads();
        if (inner) {
            float w = tx > 0 ? s[ty][tx - 1] : a0[at + k * plane - 1], e = tx < BX - 1 ? s[ty][tx + 1] : a0[at + k * plane + 1];
            float n = ty > 0 ? s[ty - 1][tx] : a0[at + k * plane - nx], so = ty < BY - 1 ? s[ty + 1][tx] : a0[at + k * plane + nx];
            anext[at + k * plane] = (top + bottom + so + n + e + w) * c1 - current * c0;
        }
        bottom = current;
        current = top;
        __syncthreads();
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int nx = suite_pick(size, 64, 256, 512), ny = nx, nz = suite_pick(size, 8, 40, 64), iterations = suite_pick(size, 2, 2, 1);
    const float c0 = 1.0f / 6.0f, c1 = 1.0f / 36.0f;
    size_t n = (size_t)nx * ny * nz;
    std::vector<float> a(n), b, got(n);
    suite_rng r(151);
    for (float &x : a)
        x = r.unit();
    b = a;
    float *d[2] = {suite_to_device(a.data(), n), suite_to_device(a.data(), n)};
    int at = 0;
    for (int it = 0; it < iterations; it++, at ^= 1)
        step<<<dim3((nx + BX - 1) / BX, (ny + BY - 1) / BY), dim3(BX, BY)>>>(c0, c1, d[at], d[at ^ 1], nx, ny, nz);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), d[at], n);
    for (int it = 0; it < iterations; it++) {
        for (int k = 1; k < nz - 1; k++)
            for (int j = 1; j < ny - 1; j++)
                for (int i = 1; i < nx - 1; i++) {
                    size_t c = ((size_t)k * ny + j) * nx + i;
                    b[c] = (a[c + (size_t)nx * ny] + a[c - (size_t)nx * ny] + a[c + nx] + a[c - nx] + a[c + 1] + a[c - 1]) * c1 -
                           a[c] * c0;
                }
        a.swap(b);
    }
    return suite_done("stencil", argc, argv, suite_diff("a", got.data(), a.data(), n, 1e-4, 1e-6));
}
