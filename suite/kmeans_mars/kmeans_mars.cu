/*
 * k-means as MapReduce.
 *
 * Origin: Mars, Kmeans. A map task is one point, stored as a record of `dim` integers (array of structures, so a warp's
 * threads walk 32 records); it computes the squared distance to each of k centres and emits the nearest one. Reduce: one
 * thread per centre averages its points, walking the points of the emitted list in order.
 * 256 threads per block, a fixed number of iterations. Original: 32 Ki to 256 Ki points; "paper" is 256 Ki.
 * Simplified: Mars sorts the emitted pairs by centre; here points are counted into per-centre sums by atomics.
 */
#include "../common/suite.h"

#include <vector>

enum { DIM = 8, K = 24 };

__global__ void map_points(const int *point, const int *centre, int *nearest, int *sum, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int *p = point + i * DIM;
    int best = 0, best_d = 0x7fffffff;
    for (int c = 0; c < K; c++) {
        int d = 0;
        for (int k = 0; k < DIM; k++) {
            int x = p[k] - centre[c * DIM + k];
            d += x * x;
        }
        if (d < best_d) {
            best_d = d;
            best = c;
        }
    }
    nearest[i] = best;
    for (int k = 0; k < DIM; k++)
        atomicAdd(&sum[best * DIM + k], p[k]);
    atomicAdd(&count[best], 1);
}

__global__ void reduce_centres(int *centre, const int *sum, const int *count)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < K && count[c])
        for (int k = 0; k < DIM; k++)
            centre[c * DIM + k] = sum[c * DIM + k] / count[c];
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 1024, 32768, 262144), iterations = suite_pick(size, 2, 3, 3);
    std::vector<int> point((size_t)n * DIM), centre(K * DIM), nearest(n), got(n), got_centre(K * DIM);
    suite_rng r(73);
    for (int i = 0; i < n; i++) {
        int blob = (int)r.below(K); /* points come in blobs, with noise */
        for (int k = 0; k < DIM; k++)
            point[(size_t)i * DIM + k] = (blob * 37 + k * 11) % 200 + (int)r.below(60);
    }
    for (int c = 0; c < K; c++)
        for (int k = 0; k < DIM; k++)
            centre[c * DIM + k] = point[(size_t)(c * (n / K)) * DIM + k];
    int *dp = suite_to_device(point.data(), point.size()), *dc = suite_to_device(centre.data(), centre.size()),
        *dn = suite_device<int>(n), *ds = suite_device<int>(K * DIM), *dk = suite_device<int>(K);
    for (int it = 0; it < iterations; it++) {
        SUITE_CUDA(cudaMemset(ds, 0, K * DIM * sizeof(int)));
        SUITE_CUDA(cudaMemset(dk, 0, K * sizeof(int)));
        map_points<<<(n + 255) / 256, 256>>>(dp, dc, dn, ds, dk, n);
        reduce_centres<<<1, 32>>>(dc, ds, dk);
        SUITE_LAUNCHED();
        std::vector<int> sum(K * DIM, 0), count(K, 0);
        for (int i = 0; i < n; i++) {
            int best = 0, best_d = 0x7fffffff;
            for (int c = 0; c < K; c++) {
                int d = 0;
                for (int k = 0; k < DIM; k++) {
                    int x = point[(size_t)i * DIM + k] - centre[c * DIM + k];
                    d += x * x;
                }
                if (d < best_d) {
                    best_d = d;
                    best = c;
                }
            }
            nearest[i] = best;
            count[best]++;
            for (int k = 0; k < DIM; k++)
                sum[best * DIM + k] += point[(size_t)i * DIM + k];
        }
        for (int c = 0; c < K; c++)
            for (int k = 0; k < DIM && count[c]; k++)
                centre[c * DIM + k] = sum[c * DIM + k] / count[c];
    }
    suite_to_host(got.data(), dn, n);
    suite_to_host(got_centre.data(), dc, K * DIM);
    size_t bad = suite_diff_exact("nearest", got.data(), nearest.data(), n) +
                 suite_diff_exact("centre", got_centre.data(), centre.data(), K * DIM);
    return suite_done("kmeans_mars", argc, argv, bad);
}
