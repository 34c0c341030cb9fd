/*
 * Covariance matrix of m variables over n observations.
 *
 * Origin: PolyBench/GPU 1.0, COVAR. Means: one thread per variable; centering: one per element (32 x 8); covariance: one
 * thread per variable j1, which loops over j2 >= j1 and all observations, accumulating in global memory. As in the
 * original, variables and observations count from 1, so rows have 2049 elements.
 * Original size 2048; "paper" has 680 observations, and each thread takes its first 32 values of j2, for the instruction
 * cap; "small" has 352 observations and 8 values.
 */
#include "../common/suite_polybench.h"

__global__ void means(const float *data, float *mean, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j <= m) {
        mean[j] = 0;
        for (int i = 1; i <= n; i++)
            mean[j] += data[i * (m + 1) + j];
        mean[j] /= (float)n;
    }
}

__global__ void center(const float *mean, float *data, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int i = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i <= n && j <= m)
        data[i * (m + 1) + j] -= mean[j];
}

__global__ void covariance(float *cov, const float *data, int m, int n, int values)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j1 <= m)
        for (int j2 = j1; j2 <= m && j2 < j1 + values; j2++) {
            cov[j1 * (m + 1) + j2] = 0;
            for (int i = 1; i <= n; i++)
                cov[j1 * (m + 1) + j2] += data[i * (m + 1) + j1] * data[i * (m + 1) + j2];
            cov[j2 * (m + 1) + j1] = cov[j1 * (m + 1) + j2];
        }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int m = suite_pick(size, 48, 2048, 2048), n = suite_pick(size, 48, 352, 680), values = suite_pick(size, 48, 8, 32);
    size_t pitch = (size_t)m + 1, all = pitch * pitch;
    std::vector<float> data = pb_matrix(pitch * (n + 1), 1), cov(all, 0.0f), got(all);
    float *dd = suite_to_device(data.data(), data.size()), *dm = suite_device<float>(pitch),
          *dc = suite_to_device(cov.data(), all);
    means<<<pb_grid1(m), PB_1D>>>(dd, dm, m, n);
    center<<<pb_grid2(m, n), pb_block2()>>>(dm, dd, m, n);
    covariance<<<pb_grid1(m), PB_1D>>>(dc, dd, m, n, values);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dc, all);
    std::vector<double> mean(pitch, 0.0);
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++)
            mean[j] += (double)data[i * pitch + j] / n;
    for (int a = 1; a <= m; a++)
        for (int b = a; b <= m && b < a + values; b++) {
            double s = 0;
            for (int i = 1; i <= n; i++)
                s += (data[i * pitch + a] - mean[a]) * (data[i * pitch + b] - mean[b]);
            cov[a * pitch + b] = cov[b * pitch + a] = (float)s;
        }
    return suite_done("covar", argc, argv, suite_diff("cov", got.data(), cov.data(), all, 1e-3, 1e-3));
}
