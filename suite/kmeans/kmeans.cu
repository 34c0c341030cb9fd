/*
 * k-means clustering.
 *
 * Origin: Rodinia 3.1, kmeans. Two kernels, 256 threads per block, one thread per point. The first turns the records
 * (point-major, so that a warp's threads walk 32 records) into feature-major order; the second, once per iteration,
 * finds each point's nearest center: features through the texture path, centers in constant memory, all features read
 * again for each center. The host sums the points of each cluster and computes the new centers, as in the original.
 * Input: points in noisy clusters with 34 features (as the original's network records), 5 centers.
 * Simplified: a fixed number of iterations instead of a threshold.
 * Original 494020 points; "paper" is 205252 points, 2 iterations. A point's features lie one array of points apart, so
 * all sizes equal the original's modulo 1024: the features of a point fall into the same sets and start as far from the
 * beginning of a line.
 */
#include "../common/suite_texture.h"

#include <vector>

enum { FEATURES = 34, CENTERS = 5, BLOCK = 256 };

__constant__ float centers[CENTERS * FEATURES];

__global__ void invert(const float *in, float *out, int points, int features)
{
    int p = blockIdx.x * BLOCK + threadIdx.x;
    if (p < points)
        for (int f = 0; f < features; f++)
            out[p + points * f] = in[p * features + f];
}

__global__ void nearest(cudaTextureObject_t feature, int features, int points, int n_centers, int *member)
{
    int p = (gridDim.x * blockIdx.y + blockIdx.x) * BLOCK + threadIdx.x;
    if (p >= points)
        return;
    int best = -1;
    float best_d = 3.4e38f;
    for (int c = 0; c < n_centers; c++) {
        float d = 0;
        for (int f = 0; f < features; f++) {
            float x = tex1Dfetch<float>(feature, p + f * points) - centers[c * features + f];
            d += x * x;
        }
        if (d < best_d) {
            best_d = d;
            best = c;
        }
    }
    member[p] = best;
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 1476, 33220, 205252), iterations = 2;
    std::vector<float> feature((size_t)n * FEATURES), center(CENTERS * FEATURES);
    std::vector<int> member(n);
    suite_rng r(257);
    for (int i = 0; i < n; i++) {
        int blob = (int)r.below(CENTERS);
        for (int f = 0; f < FEATURES; f++)
            feature[(size_t)i * FEATURES + f] = (float)((blob * 41 + f * 17) % 64) + r.range(0, 64);
    }
    for (int c = 0; c < CENTERS; c++)
        for (int f = 0; f < FEATURES; f++)
            center[c * FEATURES + f] = feature[(size_t)c * FEATURES + f];

    float *d_in = suite_to_device(feature.data(), feature.size()), *d_feature = suite_device<float>(feature.size());
    int *d_member = suite_device<int>(n), blocks = (n + BLOCK - 1) / BLOCK, side = 1;
    cudaTextureObject_t t = suite_linear_texture(d_feature, feature.size());
    while (side * side < blocks)
        side++;
    invert<<<blocks, BLOCK>>>(d_in, d_feature, n, FEATURES);
    SUITE_LAUNCHED();
    size_t bad = 0;
    for (int it = 0; it < iterations; it++) {
        SUITE_CUDA(cudaMemcpyToSymbol(centers, center.data(), center.size() * sizeof(float)));
        nearest<<<dim3(side, side), BLOCK>>>(t, FEATURES, n, CENTERS, d_member);
        SUITE_LAUNCHED();
        suite_to_host(member.data(), d_member, n);
        std::vector<double> sum(CENTERS * FEATURES), count(CENTERS);
        for (int i = 0; i < n; i++) {
            /* A center as near as the nearest passes: two may tie within rounding. */
            double d[CENTERS] = {}, best = 1e300;
            const float *p = &feature[(size_t)i * FEATURES];
            for (int c = 0; c < CENTERS; c++) {
                for (int f = 0; f < FEATURES; f++)
                    d[c] += ((double)p[f] - center[c * FEATURES + f]) * ((double)p[f] - center[c * FEATURES + f]);
                best = d[c] < best ? d[c] : best;
            }
            int m = member[i];
            if (m < 0 || m >= CENTERS || d[m] > best * (1 + 1e-5)) {
                bad++;
                continue;
            }
            count[m]++;
            for (int f = 0; f < FEATURES; f++)
                sum[m * FEATURES + f] += p[f];
        }
        for (int c = 0; c < CENTERS; c++)
            for (int f = 0; f < FEATURES && count[c] > 0; f++)
                center[c * FEATURES + f] = (float)(sum[c * FEATURES + f] / count[c]);
    }
    return suite_done("kmeans", argc, argv, bad);
}
