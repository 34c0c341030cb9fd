/* Generated graphs in CSR form: R-MAT (skewed degrees, like social and web graphs), grids (whole, and like road
 * networks), uniform. */
#ifndef WEIR_SUITE_GRAPH_H
#define WEIR_SUITE_GRAPH_H

#include "suite.h"

#include <algorithm>
#include <vector>

struct suite_graph {
    int n, m;
    std::vector<int> row;    /* n + 1 */
    std::vector<int> col;    /* m, ascending within a row */
    std::vector<int> weight; /* m, 1..max_weight */
};

static inline suite_graph suite_graph_from_edges(int n, std::vector<std::pair<int, int>> &edge, int max_weight,
                                                 uint64_t seed)
{
    std::sort(edge.begin(), edge.end());
    edge.erase(std::unique(edge.begin(), edge.end()), edge.end());
    suite_graph g;
    g.n = n;
    g.m = (int)edge.size();
    g.row.assign(n + 1, 0);
    g.col.resize(g.m);
    g.weight.resize(g.m);
    suite_rng r(seed);
    for (int i = 0; i < g.m; i++) {
        g.row[edge[i].first + 1]++;
        g.col[i] = edge[i].second;
        g.weight[i] = 1 + (int)r.below((uint32_t)max_weight);
    }
    for (int i = 0; i < n; i++)
        g.row[i + 1] += g.row[i];
    return g;
}

/* 2^scale vertices, about `degree` edges each (both directions when symmetric), quadrant weights .57 .19 .19 .05. */
static inline suite_graph suite_rmat(int scale, int degree, bool symmetric, int max_weight, uint64_t seed)
{
    int n = 1 << scale;
    suite_rng r(seed);
    std::vector<std::pair<int, int>> edge;
    size_t want = (size_t)n * (size_t)degree / (symmetric ? 2 : 1);
    edge.reserve(want * (symmetric ? 2 : 1));
    for (size_t k = 0; k < want; k++) {
        int u = 0, v = 0;
        for (int b = 0; b < scale; b++) {
            uint32_t x = r.below(100);
            u = u << 1 | (x >= 76); /* .57 + .19 */
            v = v << 1 | ((x >= 57 && x < 76) || x >= 95);
        }
        if (u == v)
            continue;
        edge.push_back({u, v});
        if (symmetric)
            edge.push_back({v, u});
    }
    return suite_graph_from_edges(n, edge, max_weight, seed + 1);
}

/* side x side grid, four neighbors, weights 1. */
static inline suite_graph suite_grid(int side)
{
    std::vector<std::pair<int, int>> edge;
    for (int u = 0; u < side * side; u++) {
        if (u % side + 1 < side)
            edge.insert(edge.end(), {{u, u + 1}, {u + 1, u}});
        if (u + side < side * side)
            edge.insert(edge.end(), {{u, u + side}, {u + side, u}});
    }
    return suite_graph_from_edges(side * side, edge, 1, 0);
}

/* side x side grid, four neighbors, one in ten edges missing, a few diagonals: degree near that of road networks. */
static inline suite_graph suite_road(int side, int max_weight, uint64_t seed)
{
    suite_rng r(seed);
    std::vector<std::pair<int, int>> edge;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            int u = y * side + x;
            auto link = [&](int v) {
                edge.push_back({u, v});
                edge.push_back({v, u});
            };
            if (x + 1 < side && r.below(10))
                link(u + 1);
            if (y + 1 < side && r.below(10))
                link(u + side);
            if (x + 1 < side && y + 1 < side && !r.below(12))
                link(u + side + 1);
        }
    return suite_graph_from_edges(side * side, edge, max_weight, seed + 1);
}

/* n vertices, about `degree` edges each between random ends. */
static inline suite_graph suite_uniform(int n, int degree, bool symmetric, int max_weight, uint64_t seed)
{
    suite_rng r(seed);
    std::vector<std::pair<int, int>> edge;
    for (size_t k = 0; k < (size_t)n * (size_t)degree / (symmetric ? 2 : 1); k++) {
        int u = (int)r.below((uint32_t)n), v = (int)r.below((uint32_t)n);
        if (u == v)
            continue;
        edge.push_back({u, v});
        if (symmetric)
            edge.push_back({v, u});
    }
    return suite_graph_from_edges(n, edge, max_weight, seed + 1);
}

/* Levels from the source by a queue, -1 for what it does not reach. */
static inline void suite_bfs_host(const suite_graph &g, int source, std::vector<int> &level)
{
    level.assign(g.n, -1);
    level[source] = 0;
    std::vector<int> queue{source};
    for (size_t head = 0; head < queue.size(); head++)
        for (int i = g.row[queue[head]]; i < g.row[queue[head] + 1]; i++)
            if (level[g.col[i]] < 0) {
                level[g.col[i]] = level[queue[head]] + 1;
                queue.push_back(g.col[i]);
            }
}

#endif
