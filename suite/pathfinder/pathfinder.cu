/*
 * Cheapest path down a grid, one step left, right or straight per row.
 *
 * Origin: Rodinia 3.1, pathfinder. 256 threads per block, pyramid height 20: a block keeps its part of the row in shared
 * memory and advances 20 rows per launch, losing one column on either side per row.
 * Original 100,000 columns and 100 rows, which is "paper"; "small" has the first 41 rows.
 */
#include "../common/suite.h"

#include <algorithm>
#include <vector>

enum { BLOCK = 256, HEIGHT = 20 };

__global__ void path(int steps, const int *wall, const int *src, int *dst, int cols, int row)
{
    __shared__ int prev[BLOCK], result[BLOCK];
    int tx = threadIdx.x, small = BLOCK - steps * 2, x0 = small * blockIdx.x - steps, x = x0 + tx;
    int lo = x0 < 0 ? -x0 : 0, hi = x0 + BLOCK - 1 > cols - 1 ? BLOCK - 1 - (x0 + BLOCK - cols) : BLOCK - 1;
    int w = tx - 1 < lo ? lo : tx - 1, e = tx + 1 > hi ? hi : tx + 1;
    bool valid = tx >= lo && tx <= hi;
    if (x >= 0 && x < cols)
        prev[tx] = src[x];
    __syncthreads();
    bool computed = false;
    for (int i = 0; i < steps; i++) {
        computed = false;
        if (tx >= i + 1 && tx <= BLOCK - i - 2 && valid) {
            computed = true;
            int best = prev[tx];
            best = min(best, prev[w]);
            best = min(best, prev[e]);
            result[tx] = best + wall[cols * (row + i) + x];
        }
        __syncthreads();
        if (i == steps - 1)
            break;
        if (computed)
            prev[tx] = result[tx];
        __syncthreads();
    }
    if (computed)
        dst[x] = result[tx];
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    int cols = suite_pick(size, 2000, 100000, 100000), rows = suite_pick(size, 41, 41, 100);
    std::vector<int> wall((size_t)cols * rows), got(cols), row(cols), next(cols);
    suite_rng r(41);
    for (int &x : wall)
        x = (int)r.below(10);
    int *dwall = suite_to_device(wall.data() + cols, wall.size() - cols);
    int *d[2] = {suite_to_device(wall.data(), cols), suite_device<int>(cols)}, at = 0;
    for (int t = 0; t < rows - 1; t += HEIGHT, at ^= 1) {
        int steps = std::min<int>(HEIGHT, rows - t - 1), small = BLOCK - HEIGHT * 2;
        /* The last, shorter launch keeps the full halo's block count, as the original does. */
        int blocks = (cols + small - 1) / small;
        path<<<blocks, BLOCK>>>(steps, dwall, d[at], d[at ^ 1], cols, t);
    }
    SUITE_LAUNCHED();
    suite_to_host(got.data(), d[at], cols);
    std::copy(wall.begin(), wall.begin() + cols, row.begin());
    for (int t = 1; t < rows; t++) {
        for (int x = 0; x < cols; x++) {
            int best = row[x];
            if (x)
                best = std::min(best, row[x - 1]);
            if (x < cols - 1)
                best = std::min(best, row[x + 1]);
            next[x] = best + wall[(size_t)t * cols + x];
        }
        row.swap(next);
    }
    return suite_done("pathfinder", argc, argv, suite_diff_exact("cost", got.data(), row.data(), cols));
}
