/*
 * Covariance matrix of m variables over n observations.
 *
 * Origin: PolyBench/GPU 1.0, COVAR. Means: one thread per variable; centring: one per element (32 x 8); covariance: one
 * thread per variable j1, which loops over j2 >= j1 and all observations, accumulating in global memory.
 * Original size 2048; "paper" is 448 for the instruction cap.
 */
#include "../common/suite_polybench.h"

__global__ void means(const float *data, float *mean, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) {
        mean[j] = 0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i * m + j];
        mean[j] /= (float)n;
    }
}

__global__ void centre(const float *mean, float *data, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < m)
        data[i * m + j] -= mean[j];
}

__global__ void covariance(float *cov, const float *data, int m, int n)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (j1 < m)
        for (int j2 = j1; j2 < m; j2++) {
            cov[j1 * m + j2] = 0;
            for (int i = 0; i < n; i++)
                cov[j1 * m + j2] += data[i * m + j1] * data[i * m + j2];
            cov[j2 * m + j1] = cov[j1 * m + j2];
        }
}

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 48, 224, 448);
    size_t nn = (size_t)n * n;
    std::vector<float> data = pb_matrix(nn, 1), cov(nn), got(nn);
    float *dd = suite_to_device(data.data(), nn), *dm = suite_device<float>(n), *dc = suite_device<float>(nn);
    means<<<pb_grid1(n), PB_1D>>>(dd, dm, n, n);
    centre<<<pb_grid2(n, n), pb_block2()>>>(dm, dd, n, n);
    covariance<<<pb_grid1(n), PB_1D>>>(dc, dd, n, n);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dc, nn);
    std::vector<double> mean(n, 0.0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            mean[j] += (double)data[(size_t)i * n + j] / n;
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++) {
            double s = 0;
            for (int i = 0; i < n; i++)
                s += (data[(size_t)i * n + a] - mean[a]) * (data[(size_t)i * n + b] - mean[b]);
            cov[(size_t)a * n + b] = cov[(size_t)b * n + a] = (float)s;
        }
    return suite_done("covar", argc, argv, suite_diff("cov", got.data(), cov.data(), nn, 1e-3, 1e-3));
}
