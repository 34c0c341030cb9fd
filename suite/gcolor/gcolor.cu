/*
 * Graph coloring by independent sets.
 *
 * Origin: Pannotia, color_max. Per round: one kernel finds, for every uncolored vertex, the largest priority among its
 * uncolored neighbors; a second one colors the vertices whose own priority is larger. One thread per vertex walks
 * its CSR row, 256 threads per block, and raises the "go on" flag at every uncolored neighbor. Input: a grid with four
 * neighbors, which is what the original's ecology1 is (1000 x 1000; its other input, G3_circuit, has 1.6 million
 * vertices). "paper" is 1000 x 1000. Simplified: priorities are distinct, where the original has 2048 values and gives
 * equal neighbors the same color.
 */
#include "../common/suite_graph.h"

__global__ void neighbors(const int *row, const int *col, const int *priority, const int *color, int *best, int *left,
                           int n, int edges)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && color[v] < 0) {
        int m = -1, end = v + 1 < n ? row[v + 1] : edges;
        for (int i = row[v]; i < end; i++)
            if (color[col[i]] < 0) {
                *left = 1;
                m = max(m, priority[col[i]]);
            }
        best[v] = m;
    }
}

__global__ void take(const int *priority, const int *best, int *color, int round, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && color[v] < 0 && priority[v] > best[v])
        color[v] = round;
}

int main(int argc, char **argv)
{
    suite_graph g = suite_grid(suite_pick(suite_parse_size(argc, argv), 32, 320, 1000));
    std::vector<int> priority(g.n), color(g.n, -1);
    suite_rng r(101);
    for (int i = 0; i < g.n; i++) /* a random permutation: priorities are distinct */
        priority[i] = i;
    for (int i = g.n - 1; i > 0; i--)
        std::swap(priority[i], priority[r.below((uint32_t)i + 1)]);
    int *drow = suite_to_device(g.row.data(), g.row.size()), *dcol = suite_to_device(g.col.data(), g.m),
        *dp = suite_to_device(priority.data(), g.n), *dc = suite_to_device(color.data(), g.n),
        *db = suite_device<int>(g.n), *dl = suite_device<int>(1);
    int rounds = 0;
    for (int left = 1; left; rounds++) {
        left = 0;
        SUITE_CUDA(cudaMemcpy(dl, &left, sizeof left, cudaMemcpyHostToDevice));
        neighbors<<<(g.n + 255) / 256, 256>>>(drow, dcol, dp, dc, db, dl, g.n, g.m);
        take<<<(g.n + 255) / 256, 256>>>(dp, db, dc, rounds, g.n);
        SUITE_LAUNCHED();
        suite_to_host(&left, dl, 1);
    }
    std::vector<int> got(g.n);
    suite_to_host(got.data(), dc, g.n);
    /* The same rounds on the host: the result does not depend on order. */
    for (int round = 0; round < rounds; round++) {
        std::vector<int> now;
        for (int v = 0; v < g.n; v++) {
            if (color[v] >= 0)
                continue;
            int m = -1;
            for (int i = g.row[v]; i < g.row[v + 1]; i++)
                if (color[g.col[i]] < 0)
                    m = std::max(m, priority[g.col[i]]);
            if (priority[v] > m)
                now.push_back(v);
        }
        for (int v : now)
            color[v] = round;
    }
    size_t bad = suite_diff_exact("color", got.data(), color.data(), g.n);
    for (int v = 0; v < g.n; v++)
        for (int i = g.row[v]; i < g.row[v + 1]; i++)
            bad += got[v] < 0 || got[v] == got[g.col[i]];
    return suite_done("gcolor", argc, argv, bad);
}
