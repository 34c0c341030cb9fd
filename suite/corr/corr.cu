/*
 * Correlation matrix of m variables over n observations.
 *
 * Origin: PolyBench/GPU 1.0, CORR. Means and standard deviations: one thread per variable; standardizing: one per element
 * (32 x 8); correlation: one thread per variable j1 < m, which loops over j2 > j1 and all observations. As in the
 * original, variables and observations count from 1, so rows have 2049 elements.
 * Original size 2048; "paper" has 680 observations, and each thread takes its first 32 values of j2, for the instruction
 * cap; "small" has 352 observations and 8 values.
 */
#include "../common/suite_polybench.h"

static const float EPS = 0.005f;

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

__global__ void deviations(const float *mean, float *dev, const float *data, float eps, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j <= m) {
        dev[j] = 0;
        for (int i = 1; i <= n; i++)
            dev[j] += (data[i * (m + 1) + j] - mean[j]) * (data[i * (m + 1) + j] - mean[j]);
        dev[j] /= (float)n;
        dev[j] = sqrtf(dev[j]);
        if (dev[j] <= eps)
            dev[j] = 1;
    }
}

__global__ void standardise(const float *mean, const float *dev, float *data, int m, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int i = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i <= n && j <= m) {
        data[i * (m + 1) + j] -= mean[j];
        data[i * (m + 1) + j] /= sqrtf((float)n) * dev[j];
    }
}

__global__ void correlation(float *corr, const float *data, int m, int n, int values)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j1 < m) {
        corr[j1 * (m + 1) + j1] = 1;
        for (int j2 = j1 + 1; j2 <= m && j2 <= j1 + values; j2++) {
            corr[j1 * (m + 1) + j2] = 0;
            for (int i = 1; i <= n; i++)
                corr[j1 * (m + 1) + j2] += data[i * (m + 1) + j1] * data[i * (m + 1) + j2];
            corr[j2 * (m + 1) + j1] = corr[j1 * (m + 1) + j2];
        }
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int m = suite_pick(size, 48, 2048, 2048), n = suite_pick(size, 48, 352, 680), values = suite_pick(size, 47, 8, 32);
    size_t pitch = (size_t)m + 1, all = pitch * pitch;
    std::vector<float> data = pb_matrix(pitch * (n + 1), 1), corr(all, 0.0f), got(all);
    float *dd = suite_to_device(data.data(), data.size()), *dm = suite_device<float>(pitch), *dv = suite_device<float>(pitch),
          *dc = suite_to_device(corr.data(), all), one = 1;
    means<<<pb_grid1(m), PB_1D>>>(dd, dm, m, n);
    deviations<<<pb_grid1(m), PB_1D>>>(dm, dv, dd, EPS, m, n);
    standardise<<<pb_grid2(m, n), pb_block2()>>>(dm, dv, dd, m, n);
    correlation<<<pb_grid1(m), PB_1D>>>(dc, dd, m, n, values);
    SUITE_LAUNCHED();
    SUITE_CUDA(cudaMemcpy(dc + all - 1, &one, sizeof one, cudaMemcpyHostToDevice));
    suite_to_host(got.data(), dc, all);
    std::vector<double> z(data.begin(), data.end());
    for (int j = 1; j <= m; j++) {
        double mean = 0, var = 0;
        for (int i = 1; i <= n; i++)
            mean += z[i * pitch + j] / n;
        for (int i = 1; i <= n; i++)
            var += (z[i * pitch + j] - mean) * (z[i * pitch + j] - mean) / n;
        double dev = sqrt(var) <= EPS ? 1 : sqrt(var);
        for (int i = 1; i <= n; i++)
            z[i * pitch + j] = (z[i * pitch + j] - mean) / (sqrt((double)n) * dev);
    }
    for (int a = 1; a <= m; a++) {
        corr[a * pitch + a] = 1;
        for (int b = a + 1; b <= m && b <= a + values; b++) {
            double s = 0;
            for (int i = 1; i <= n; i++)
                s += z[i * pitch + a] * z[i * pitch + b];
            corr[a * pitch + b] = corr[b * pitch + a] = (float)s;
        }
    }
    return suite_done("corr", argc, argv, suite_diff("corr", got.data(), corr.data(), all, 1e-3, 1e-4));
}
