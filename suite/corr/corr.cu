/*
 * Correlation matrix of m variables over n observations.
 *
 * Origin: PolyBench/GPU 1.0, CORR. Means and standard deviations: one thread per variable; standardising: one per element
 * (32 x 8); correlation: one thread per variable j1 < m - 1, which loops over j2 > j1 and all observations.
 * Original size 2048; "paper" is 448 for the instruction cap.
 */
#include "../common/suite_polybench.h"

static const float EPS = 0.005f;

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

__global__ void deviations(const float *mean, float *dev, const float *data, float eps, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) {
        dev[j] = 0;
        for (int i = 0; i < n; i++)
            dev[j] += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
        dev[j] /= (float)n;
        dev[j] = sqrtf(dev[j]);
        if (dev[j] <= eps)
            dev[j] = 1;
    }
}

__global__ void standardise(const float *mean, const float *dev, float *data, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < m) {
        data[i * m + j] -= mean[j];
        data[i * m + j] /= sqrtf((float)n) * dev[j];
    }
}

__global__ void correlation(float *corr, const float *data, int m, int n)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (j1 < m - 1) {
        corr[j1 * m + j1] = 1;
        for (int j2 = j1 + 1; j2 < m; j2++) {
            corr[j1 * m + j2] = 0;
            for (int i = 0; i < n; i++)
                corr[j1 * m + j2] += data[i * m + j1] * data[i * m + j2];
            corr[j2 * m + j1] = corr[j1 * m + j2];
        }
    }
}

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 48, 224, 448);
    size_t nn = (size_t)n * n;
    std::vector<float> data = pb_matrix(nn, 1), corr(nn), got(nn);
    float *dd = suite_to_device(data.data(), nn), *dm = suite_device<float>(n), *dv = suite_device<float>(n),
          *dc = suite_device<float>(nn), one = 1;
    means<<<pb_grid1(n), PB_1D>>>(dd, dm, n, n);
    deviations<<<pb_grid1(n), PB_1D>>>(dm, dv, dd, EPS, n, n);
    standardise<<<pb_grid2(n, n), pb_block2()>>>(dm, dv, dd, n, n);
    correlation<<<pb_grid1(n), PB_1D>>>(dc, dd, n, n);
    SUITE_LAUNCHED();
    SUITE_CUDA(cudaMemcpy(dc + nn - 1, &one, sizeof one, cudaMemcpyHostToDevice));
    suite_to_host(got.data(), dc, nn);
    std::vector<double> z(data.begin(), data.end());
    for (int j = 0; j < n; j++) {
        double mean = 0, var = 0;
        for (int i = 0; i < n; i++)
            mean += z[(size_t)i * n + j] / n;
        for (int i = 0; i < n; i++)
            var += (z[(size_t)i * n + j] - mean) * (z[(size_t)i * n + j] - mean) / n;
        double dev = sqrt(var) <= EPS ? 1 : sqrt(var);
        for (int i = 0; i < n; i++)
            z[(size_t)i * n + j] = (z[(size_t)i * n + j] - mean) / (sqrt((double)n) * dev);
    }
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++) {
            double s = a == b;
            for (int i = 0; a != b && i < n; i++)
                s += z[(size_t)i * n + a] * z[(size_t)i * n + b];
            corr[(size_t)a * n + b] = corr[(size_t)b * n + a] = (float)s;
        }
    return suite_done("corr", argc, argv, suite_diff("corr", got.data(), corr.data(), nn, 1e-3, 1e-4));
}
