/*
 * All-pairs shortest paths (Floyd-Warshall).
 *
 * Origin: Pannotia, fw. One launch per intermediate vertex k, 16 x 16 threads per block, one thread per element of the
 * distance matrix. Original 256 to 512 vertices; "paper" is 256.
 */
#include "../common/suite.h"

#include <algorithm>
#include <vector>

__global__ void through(int *dist, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        int alt = dist[i * n + k] + dist[k * n + j];
        if (alt < dist[i * n + j])
            dist[i * n + j] = alt;
    }
}

int main(int argc, char **argv)
{
    int n = suite_pick(suite_parse_size(argc, argv), 32, 176, 256);
    std::vector<int> d((size_t)n * n), got(d.size());
    suite_rng r(107);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            d[(size_t)i * n + j] = i == j ? 0 : r.below(10) ? 1000000 : 1 + (int)r.below(100);
    int *dd = suite_to_device(d.data(), d.size());
    for (int k = 0; k < n; k++)
        through<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(dd, n, k);
    SUITE_LAUNCHED();
    suite_to_host(got.data(), dd, got.size());
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                d[(size_t)i * n + j] = std::min(d[(size_t)i * n + j], d[(size_t)i * n + k] + d[(size_t)k * n + j]);
    return suite_done("apsp", argc, argv, suite_diff_exact("dist", got.data(), d.data(), d.size()));
}
