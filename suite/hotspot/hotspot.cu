/*
 * Temperature of a chip under a power map: an explicit 5-point stencil.
 *
 * Origin: Rodinia 3.1, hotspot. 16 x 16 threads per block, pyramid height 2: a block loads a tile with its halo into shared
 * memory, advances it two steps and writes the cells that are still valid. Borders replicate the edge cell.
 * Original 512 x 512 and 2 steps, which is "small"; "paper" has 20 steps.
 */
#include "../common/suite.h"

#include <vector>

enum { BLOCK = 16, STEPS = 2 };

struct physics {
    float step_div_cap, rx1, ry1, rz1, ambient;
};

static __host__ __device__ inline float advance(float t, float p, float n, float s, float e, float w, physics c)
{
    return t + c.step_div_cap * (p + (s + n - 2.0f * t) * c.ry1 + (e + w - 2.0f * t) * c.rx1 + (c.ambient - t) * c.rz1);
}

__global__ void temperature(int steps, const float *power, const float *src, float *dst, int cols, int rows, physics c)
{
    __shared__ float t[BLOCK][BLOCK], p[BLOCK][BLOCK], next[BLOCK][BLOCK];
    int tx = threadIdx.x, ty = threadIdx.y;
    int small = BLOCK - steps * 2; /* cells per side that are valid at the end */
    int y0 = small * blockIdx.y - steps, x0 = small * blockIdx.x - steps;
    int y = y0 + ty, x = x0 + tx;
    bool inside = y >= 0 && y < rows && x >= 0 && x < cols;
    if (inside) {
        t[ty][tx] = src[cols * y + x];
        p[ty][tx] = power[cols * y + x];
    }
    __syncthreads();
    /* Valid range of the tile within the chip, and neighbors clamped to it. */
    int vy0 = y0 < 0 ? -y0 : 0, vy1 = y0 + BLOCK - 1 > rows - 1 ? BLOCK - 1 - (y0 + BLOCK - rows) : BLOCK - 1;
    int vx0 = x0 < 0 ? -x0 : 0, vx1 = x0 + BLOCK - 1 > cols - 1 ? BLOCK - 1 - (x0 + BLOCK - cols) : BLOCK - 1;
    int n = ty - 1 < vy0 ? vy0 : ty - 1, s = ty + 1 > vy1 ? vy1 : ty + 1;
    int w = tx - 1 < vx0 ? vx0 : tx - 1, e = tx + 1 > vx1 ? vx1 : tx + 1;
    bool computed = false;
    for (int i = 0; i < steps; i++) {
        computed = false;
        if (tx >= i + 1 && tx <= BLOCK - i - 2 && ty >= i + 1 && ty <= BLOCK - i - 2 && tx >= vx0 && tx <= vx1 &&
            ty >= vy0 && ty <= vy1) {
            computed = true;
            next[ty][tx] = advance(t[ty][tx], p[ty][tx], t[n][tx], t[s][tx], t[ty][e], t[ty][w], c);
        }
        __syncthreads();
        if (i == steps - 1)
            break;
        if (computed)
            t[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (computed)
        dst[cols * y + x] = next[ty][tx];
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 64, 512, 512), total = suite_pick(size, 4, 2, 20);
    size_t cells = (size_t)n * n;
    const float t_chip = 0.0005f, side = 0.016f, k_si = 100.0f;
    float grid = side / (float)n, cap = 0.5f * 1.75e6f * t_chip * grid * grid;
    float rx = grid / (2.0f * k_si * t_chip * grid), ry = rx, rz = t_chip / (k_si * grid * grid);
    float max_slope = 3.0e6f / (0.5f * t_chip * 1.75e6f), step = 0.001f / max_slope;
    physics c = {step / cap, 1.0f / rx, 1.0f / ry, 1.0f / rz, 80.0f};
    std::vector<float> t(cells), p(cells), got(cells), next(cells);
    suite_rng r(37);
    for (size_t i = 0; i < cells; i++) {
        t[i] = r.range(320, 340);
        p[i] = r.range(0, 0.002f);
    }
    float *dt[2] = {suite_to_device(t.data(), cells), suite_device<float>(cells)}, *dp = suite_to_device(p.data(), cells);
    int small = BLOCK - STEPS * 2, blocks = (n + small - 1) / small, at = 0;
    for (int i = 0; i < total; i += STEPS, at ^= 1)
        temperature<<<dim3(blocks, blocks), dim3(BLOCK, BLOCK)>>>(STEPS, dp, dt[at], dt[at ^ 1], n, n, c);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dt[at], cells);
    for (int i = 0; i < total; i++) {
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                auto cell = [&](int yy, int xx) { return t[(size_t)yy * n + xx]; };
                next[(size_t)y * n + x] = advance(cell(y, x), p[(size_t)y * n + x], cell(y ? y - 1 : 0, x),
                                                  cell(y < n - 1 ? y + 1 : y, x), cell(y, x < n - 1 ? x + 1 : x),
                                                  cell(y, x ? x - 1 : 0), c);
            }
        t.swap(next);
    }
    return suite_done("hotspot", argc, argv, suite_diff("t", got.data(), t.data(), cells, 1e-5, 0));
}
