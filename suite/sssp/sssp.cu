/*
 * Single-source shortest paths.
 *
 * Origin: LonestarGPU 2.0, sssp (its first, topology-driven variant). Every launch visits all edges of all vertices, one
 * thread per vertex, 1024 threads per block, and lowers the distance of an edge's end with atomicMin; launches repeat
 * until none changes a distance. The graph is that of the original: degree, an index (the identity) that leads to the first
 * edge, ends and weights; since distances may change in between, all of it is read again for every edge.
 * Inputs of the original's three kinds, one after the other: a road-like grid, a uniform random graph of degree 4 and an
 * R-MAT graph (a few vertices of very high degree). Original: the road network of the USA (24 million vertices), 2^23 and
 * 2^22 vertices; "paper" is 128 x 128, 2^16 and 2^15.
 */
#include "../common/suite_graph.h"

#include <queue>

enum { BLOCK = 1024 };
static const unsigned FAR = 1000000000;

struct graph {
    unsigned vertices, edges;
    const unsigned *degree, *index, *first, *end, *weight; /* edges are numbered from 1 */

    __device__ unsigned edge(unsigned v, unsigned i) const { return degree[v] > i ? first[index[v]] + i : 0; }
};

__global__ void initialize(unsigned *dist, unsigned n)
{
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        dist[v] = FAR;
}

__global__ void relax(unsigned *dist, graph g, bool *changed)
{
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.vertices)
        return;
    bool lowered = false;
    for (unsigned i = 0, n = g.degree[v]; i < n; i++) {
        unsigned e = g.edge(v, i);
        if (e == 0 || e > g.edges)
            continue;
        unsigned to = g.end[e], weight = g.weight[e];
        if (to >= g.vertices || weight >= FAR)
            continue;
        unsigned alt = dist[v] + weight;
        if (alt < dist[to] && alt < atomicMin(&dist[to], alt))
            lowered = true;
    }
    if (lowered)
        *changed = true;
}

static size_t run(const suite_graph &g)
{
    std::vector<unsigned> degree(g.n), index(g.n), first(g.n), end(g.m + 1), weight(g.m + 1), dist(g.n, FAR), got(g.n);
    for (int v = 0; v < g.n; v++) {
        degree[v] = (unsigned)(g.row[v + 1] - g.row[v]);
        index[v] = (unsigned)v;
        first[v] = (unsigned)g.row[v] + 1;
    }
    for (int i = 0; i < g.m; i++) {
        end[i + 1] = (unsigned)g.col[i];
        weight[i + 1] = (unsigned)g.weight[i];
    }
    graph d = {(unsigned)g.n,
               (unsigned)g.m,
               suite_to_device(degree.data(), degree.size()),
               suite_to_device(index.data(), index.size()),
               suite_to_device(first.data(), first.size()),
               suite_to_device(end.data(), end.size()),
               suite_to_device(weight.data(), weight.size())};
    unsigned *dd = suite_device<unsigned>(g.n), blocks = (unsigned)(g.n + BLOCK - 1) / BLOCK;
    bool *dch = suite_device<bool>(1), changed;
    initialize<<<blocks, BLOCK>>>(dd, d.vertices);
    SUITE_LAUNCHED();
    SUITE_CUDA(cudaMemset(dd, 0, sizeof *dd)); /* vertex 0 is the source */
    do {
        changed = false;
        SUITE_CUDA(cudaMemcpy(dch, &changed, sizeof changed, cudaMemcpyHostToDevice));
        relax<<<blocks, BLOCK>>>(dd, d, dch);
        SUITE_LAUNCHED();
        suite_to_host(&changed, dch, 1);
    } while (changed);
    suite_to_host(got.data(), dd, g.n);
    std::priority_queue<std::pair<long, int>> q;
    dist[0] = 0;
    q.push({0, 0});
    while (!q.empty()) {
        long so_far = -q.top().first;
        int v = q.top().second;
        q.pop();
        if (so_far > (long)dist[v])
            continue;
        for (int i = g.row[v]; i < g.row[v + 1]; i++)
            if (so_far + g.weight[i] < (long)dist[g.col[i]]) {
                dist[g.col[i]] = (unsigned)(so_far + g.weight[i]);
                q.push({-(long)dist[g.col[i]], g.col[i]});
            }
    }
    return suite_diff_exact("dist", got.data(), dist.data(), g.n);
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    size_t bad = run(suite_road(suite_pick(size, 16, 64, 128), 100, 89));
    bad += run(suite_uniform(1 << suite_pick(size, 8, 14, 16), 4, false, 100, 91));
    bad += run(suite_rmat(suite_pick(size, 8, 13, 15), 8, true, 100, 90));
    return suite_done("sssp", argc, argv, bad);
}
