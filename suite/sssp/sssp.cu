/*
 * Single-source shortest paths.
 *
 * Origin: LonestarGPU, sssp (topology-driven variant). Every launch visits all vertices, one thread each; a vertex
 * whose distance fell since its last visit relaxes its outgoing edges with atomicMin. CSR graph with integer weights,
 * 256 threads per block. Inputs of the original's two kinds, one after the other: a road-like grid (many rounds, low
 * degree) and an R-MAT graph (few rounds, a few vertices of very high degree). Original: road networks of up to 24
 * million vertices and R-MAT graphs of up to 4 million; "paper" is 224 x 224 and 2^17, at which the rounds near the
 * instruction cap.
 */
#include "../common/suite_graph.h"

#include <queue>

__global__ void relax(const int *row, const int *col, const int *weight, unsigned *dist, unsigned *seen, int *changed,
                      int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    unsigned d = dist[v];
    if (d >= seen[v])
        return;
    seen[v] = d;
    for (int i = row[v]; i < row[v + 1]; i++) {
        unsigned alt = d + (unsigned)weight[i];
        if (alt < dist[col[i]] && alt < atomicMin(&dist[col[i]], alt))
            *changed = 1;
    }
}

static size_t run(const suite_graph &g)
{
    const unsigned far = 0x7fffffff;
    int source = g.n / 2 + 1;
    while (g.row[source + 1] == g.row[source])
        source++;
    std::vector<unsigned> dist(g.n, far), seen(g.n, far), got(g.n);
    dist[source] = 0;
    int *drow = suite_to_device(g.row.data(), g.row.size()), *dcol = suite_to_device(g.col.data(), g.m),
        *dw = suite_to_device(g.weight.data(), g.m), *dch = suite_device<int>(1);
    unsigned *dd = suite_to_device(dist.data(), g.n), *ds = suite_to_device(seen.data(), g.n);
    int changed;
    do {
        changed = 0;
        SUITE_CUDA(cudaMemcpy(dch, &changed, sizeof changed, cudaMemcpyHostToDevice));
        relax<<<(g.n + 255) / 256, 256>>>(drow, dcol, dw, dd, ds, dch, g.n);
        SUITE_LAUNCHED();
        suite_to_host(&changed, dch, 1);
    } while (changed);
    suite_to_host(got.data(), dd, g.n);
    std::priority_queue<std::pair<long, int>> q;
    q.push({0, source});
    while (!q.empty()) {
        long d = -q.top().first;
        int v = q.top().second;
        q.pop();
        if (d > (long)dist[v])
            continue;
        for (int i = g.row[v]; i < g.row[v + 1]; i++)
            if (d + g.weight[i] < (long)dist[g.col[i]]) {
                dist[g.col[i]] = (unsigned)(d + g.weight[i]);
                q.push({-(long)dist[g.col[i]], g.col[i]});
            }
    }
    return suite_diff_exact("dist", got.data(), dist.data(), g.n);
}

int main(int argc, char **argv)
{
    const suite_size size = suite_parse_size(argc, argv);
    const size_t bad = run(suite_road(suite_pick(size, 24, 96, 224), 100, 89)) +
                       run(suite_rmat(suite_pick(size, 8, 13, 17), 8, true, 100, 90));
    return suite_done("sssp", argc, argv, bad);
}
