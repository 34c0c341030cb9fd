/*
 * 2-D finite-difference time domain: fields ex, ey, hz on one grid.
 *
 * Origin: PolyBench/GPU 1.0, FDTD-2D. Three kernels per time step, one thread per cell, 32 x 8 threads per block.
 * Original 2048 x 2048 cells and 500 steps; "paper" is the first 1024 rows and 4 steps, for the instruction cap, "small" 256
 * rows and 4 steps.
 */
#include "../common/suite_polybench.h"

__global__ void step_ey(const float *source, float *ey, const float *hz, int t, int rows, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < n)
        ey[i * n + j] = i == 0 ? source[t] : ey[i * n + j] - 0.5f * (hz[i * n + j] - hz[(i - 1) * n + j]);
}

__global__ void step_ex(float *ex, const float *hz, int rows, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < n && j > 0)
        ex[i * (n + 1) + j] -= 0.5f * (hz[i * n + j] - hz[i * n + (j - 1)]);
}

__global__ void step_hz(const float *ex, const float *ey, float *hz, int rows, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < n)
        hz[i * n + j] -= 0.7f * (ex[i * (n + 1) + (j + 1)] - ex[i * (n + 1) + j] + ey[(i + 1) * n + j] - ey[i * n + j]);
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 64, 2048, 2048), rows = suite_pick(size, 64, 256, 1024), steps = suite_pick(size, 3, 4, 4);
    std::vector<float> source = pb_matrix(steps, 1), ex = pb_matrix((size_t)rows * (n + 1), 2),
                       ey = pb_matrix((size_t)(rows + 1) * n, 3), hz = pb_matrix((size_t)rows * n, 4), got(hz.size());
    float *ds = suite_to_device(source.data(), source.size()), *dex = suite_to_device(ex.data(), ex.size()),
          *dey = suite_to_device(ey.data(), ey.size()), *dhz = suite_to_device(hz.data(), hz.size());
    for (int t = 0; t < steps; t++) {
        step_ey<<<pb_grid2(n, rows), pb_block2()>>>(ds, dey, dhz, t, rows, n);
        step_ex<<<pb_grid2(n, rows), pb_block2()>>>(dex, dhz, rows, n);
        step_hz<<<pb_grid2(n, rows), pb_block2()>>>(dex, dey, dhz, rows, n);
    }
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dhz, got.size());
    for (int t = 0; t < steps; t++) {
        for (int j = 0; j < n; j++)
            ey[j] = source[t];
        for (int i = 1; i < rows; i++)
            for (int j = 0; j < n; j++)
                ey[(size_t)i * n + j] -= 0.5f * (hz[(size_t)i * n + j] - hz[(size_t)(i - 1) * n + j]);
        for (int i = 0; i < rows; i++)
            for (int j = 1; j < n; j++)
                ex[(size_t)i * (n + 1) + j] -= 0.5f * (hz[(size_t)i * n + j] - hz[(size_t)i * n + j - 1]);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < n; j++)
                hz[(size_t)i * n + j] -= 0.7f * (ex[(size_t)i * (n + 1) + j + 1] - ex[(size_t)i * (n + 1) + j] +
                                                 ey[(size_t)(i + 1) * n + j] - ey[(size_t)i * n + j]);
    }
    return suite_done("fdtd2d", argc, argv, suite_diff("hz", got.data(), hz.data(), hz.size(), 1e-4, 1e-4));
}
