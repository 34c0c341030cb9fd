/*
 * 9-point stencil on a 2-D grid.
 *
 * Origin: SHOC, Stencil2D. Blocks of 256 threads cover 256 columns and walk 16 rows; each step loads one new row with its
 * halo into a ring of three rows in shared memory. Weights: centre, cardinal, diagonal.
 * Original 4096 x 4096 and 1000 iterations; "paper" is 2048 x 2048, 2 iterations.
 */
#include "../common/suite.h"

#include <vector>

enum { WIDTH = 256, ROWS = 16 };

__global__ void nine_points(const float *in, float *out, int n, float wc, float wn, float wd)
{
    __shared__ float s[3][WIDTH + 2];
    int t = threadIdx.x, x = blockIdx.x * WIDTH + t + 1, y0 = blockIdx.y * ROWS + 1, pitch = n + 2;
    for (int r = 0; r < ROWS + 2; r++) {
        int y = y0 - 1 + r;
        float *row = s[r % 3];
        if (y < pitch && x < pitch - 1)
            row[t + 1] = in[y * pitch + x];
        if (y < pitch && t == 0)
            row[0] = in[y * pitch + x - 1];
        if (y < pitch && (t == WIDTH - 1 || x == n))
            row[t + 2] = in[y * pitch + x + 1];
        __syncthreads();
        if (r >= 2 && x <= n && y - 1 <= n) {
            const float *a = s[(r - 2) % 3], *b = s[(r - 1) % 3], *c = s[r % 3];
            out[(y - 1) * pitch + x] = wc * b[t + 1] + wn * (a[t + 1] + c[t + 1] + b[t] + b[t + 2]) +
                                       wd * (a[t] + a[t + 2] + c[t] + c[t + 2]);
        }
        __syncthreads();
    }
}

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 256, 1024, 2048), pitch = n + 2;
    const float wc = 0.25f, wn = 0.15f, wd = 0.05f;
    size_t total = (size_t)pitch * pitch;
    std::vector<float> a(total), b, got(total);
    suite_rng r(157);
    for (float &x : a)
        x = r.unit();
    b = a; /* the border keeps its values */
    float *d[2] = {suite_to_device(a.data(), total), suite_to_device(a.data(), total)};
    int at = 0;
    for (int it = 0; it < 2; it++, at ^= 1)
        nine_points<<<dim3((n + WIDTH - 1) / WIDTH, (n + ROWS - 1) / ROWS), WIDTH>>>(d[at], d[at ^ 1], n, wc, wn, wd);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), d[at], total);
    for (int it = 0; it < 2; it++) {
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
