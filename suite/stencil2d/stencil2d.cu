/*
 * 9-point stencil on a 2-D grid.
 *
 * Origin: SHOC, Stencil2D. Blocks of 256 threads compute 8 rows of 256 columns: all ten rows that they need are loaded into
 * shared memory, then those of the first and last thread the columns beside them, then, after one barrier, all rows are
 * computed. Blocks are numbered down the rows first. Rows are padded to whole 64 bytes. Weights: center, cardinal, diagonal.
 * Original 512 x 512 to 4096 x 4096 and 1000 iterations; "paper" is 2048 x 2048, 6 iterations.
 */
#include "../common/suite.h"

#include <vector>

enum { WIDTH = 256, ROWS = 8, PAD = 16 };

__global__ void nine_points(const float *in, float *out, int pitch, float wc, float wn, float wd)
{
    __shared__ float s[ROWS + 2][WIDTH + 2];
    int t = threadIdx.y, x = blockIdx.y * WIDTH + t + 1, y0 = blockIdx.x * ROWS;
    for (int r = 0; r < ROWS + 2; r++)
        s[r][t + 1] = in[(y0 + r) * pitch + x];
    if (t == 0) {
        for (int r = 0; r < ROWS + 2; r++)
            s[r][0] = in[(y0 + r) * pitch + x - 1];
    } else if (t == WIDTH - 1) {
        for (int r = 0; r < ROWS + 2; r++)
            s[r][WIDTH + 1] = in[(y0 + r) * pitch + x + 1];
    }
    __syncthreads();
    for (int r = 0; r < ROWS; r++) {
        const float *a = &s[r][t], *b = &s[r + 1][t], *c = &s[r + 2][t];
        out[(y0 + r + 1) * pitch + x] = wc * b[1] + wn * (a[1] + c[1] + b[2] + b[0]) + wd * (a[2] + c[2] + a[0] + c[0]);
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 256, 1024, 2048), pitch = (n + 2 + PAD - 1) / PAD * PAD, iterations = suite_pick(size, 2, 2, 6);
    const float wc = 0.25f, wn = 0.15f, wd = 0.05f;
    size_t total = (size_t)pitch * (n + 2);
    std::vector<float> a(total), b, got(total);
    suite_rng r(157);
    for (float &x : a)
        x = r.unit();
    b = a; /* the border keeps its values */
    float *d[2] = {suite_to_device(a.data(), total), suite_to_device(a.data(), total)};
    int at = 0;
    for (int it = 0; it < iterations; it++, at ^= 1)
        nine_points<<<dim3(n / ROWS, n / WIDTH), dim3(1, WIDTH)>>>(d[at], d[at ^ 1], pitch, wc, wn, wd);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), d[at], total);
    for (int it = 0; it < iterations; it++) {
        for (int y = 1; y <= n; y++)
            for (int x = 1; x <= n; x++) {
                const float *c = &a[(size_t)y * pitch + x];
                b[(size_t)y * pitch + x] = wc * c[0] + wn * (c[-pitch] + c[pitch] + c[-1] + c[1]) +
                                           wd * (c[-pitch - 1] + c[-pitch + 1] + c[pitch - 1] + c[pitch + 1]);
            }
        a.swap(b);
    }
    return suite_done("stencil2d", argc, argv, suite_diff("a", got.data(), a.data(), total, 1e-5, 1e-6));
}
