/*
 * All-pairs shortest paths (Floyd-Warshall).
 *
 * Origin: Pannotia, fw. One launch per intermediate vertex k, 16 x 16 threads per block, one thread per element of the
 * distance matrix. As in the original, neighboring threads have neighboring rows, not columns, so a half warp touches
 * 16 lines; a shorter way also enters k into a second matrix. Input: a quarter of the pairs are edges to begin with.
 * Original 256 vertices with 16384 edges (also 512); "small" performs the first 96 of its 256 launches, "paper" all.
 */
#include "../common/suite.h"

#include <vector>

__global__ void through(int *dist, int *next, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n && dist[i * n + k] + dist[k * n + j] < dist[i * n + j]) {
        dist[i * n + j] = dist[i * n + k] + dist[k * n + j];
        next[i * n + j] = k;
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int n = suite_pick(size, 64, 256, 256), launches = suite_pick(size, 16, 96, 256);
    std::vector<int> d((size_t)n * n), next(d.size(), -1), got(d.size()), got_next(d.size());
    suite_rng r(107);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            d[(size_t)i * n + j] = i == j ? 0 : r.below(4) ? 1000000 : 1 + (int)r.below(100);
    int *dd = suite_to_device(d.data(), d.size()), *dn = suite_to_device(next.data(), next.size());
    for (int k = 0; k < launches; k++)
        through<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(dd, dn, n, k);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dd, got.size());
    suite_to_host(got_next.data(), dn, got_next.size());
    for (int k = 0; k < launches; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int alt = d[(size_t)i * n + k] + d[(size_t)k * n + j];
                if (alt < d[(size_t)i * n + j]) {
                    d[(size_t)i * n + j] = alt;
                    next[(size_t)i * n + j] = k;
                }
            }
    return suite_done("apsp", argc, argv,
                      suite_diff_exact("dist", got.data(), d.data(), d.size()) +
                          suite_diff_exact("next", got_next.data(), next.data(), next.size()));
}
