/*
 * 7-point stencil on a 3-D grid.
 *
 * Origin: Parboil, stencil (version cuda). 32 x 4 threads per block compute 64 x 4 cells of a plane, two per thread, 32
 * apart, and march along z: the cells below and above in registers, the current plane's tile in shared memory; neighbors
 * outside the tile come from global memory. Original 512 x 512 x 64, 100 iterations; "paper" is one iteration, "small"
 * the first 10 planes of one.
 */
#include "../common/suite.h"

#include <vector>

enum { BX = 32, BY = 4, CELLS = 2, WIDTH = CELLS * BX };

__global__ void step(float c0, float c1, const float *a0, float *anext, int nx, int ny, int nz)
{
    __shared__ float s[BY][WIDTH];
    int tx = threadIdx.x, ty = threadIdx.y, j = blockIdx.y * BY + ty, plane = nx * ny;
    float bottom[CELLS], top[CELLS];
#pragma unroll
    for (int c = 0; c < CELLS; c++) {
        int x = tx + c * BX, i = blockIdx.x * WIDTH + x;
        bool inside = i < nx && j < ny;
        bottom[c] = inside ? a0[j * nx + i] : 0;
        s[ty][x] = inside ? a0[plane + j * nx + i] : 0;
        top[c] = 0;
    }
    __syncthreads();
    for (int k = 1; k < nz - 1; k++) {
#pragma unroll
        for (int c = 0; c < CELLS; c++) {
            int x = tx + c * BX, i = blockIdx.x * WIDTH + x, at = k * plane + j * nx + i;
            if (i < nx && j < ny)
                top[c] = a0[at + plane];
            if (i > 0 && j > 0 && i < nx - 1 && j < ny - 1) {
                float up = ty == BY - 1 ? a0[at + nx] : s[ty + 1][x], down = ty == 0 ? a0[at - nx] : s[ty - 1][x];
                float left = x == 0 ? a0[at - 1] : s[ty][x - 1], right = x == WIDTH - 1 ? a0[at + 1] : s[ty][x + 1];
                anext[at] = (top[c] + bottom[c] + up + down + right + left) * c1 - s[ty][x] * c0;
            }
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < CELLS; c++) {
            bottom[c] = s[ty][tx + c * BX];
            s[ty][tx + c * BX] = top[c];
        }
        __syncthreads();
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int nx = suite_pick(size, 64, 512, 512), ny = nx, nz = suite_pick(size, 8, 10, 64), iterations = suite_pick(size, 2, 1, 1);
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
        step<<<dim3((nx + WIDTH - 1) / WIDTH, (ny + BY - 1) / BY), dim3(BX, BY)>>>(c0, c1, d[at], d[at ^ 1], nx, ny, nz);
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
