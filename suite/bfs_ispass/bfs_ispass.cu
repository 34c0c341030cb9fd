/*
 * Breadth-first search, one kernel per level.
 *
 * Origin: ISPASS-2009 (BFS, after Harish and Narayanan). One thread per vertex, 256 threads per block, a single kernel
 * per level: a vertex of the frontier leaves it, visits its neighbors, writes their costs, puts them on the frontier
 * and raises the "go on" flag itself (Rodinia's version has a second kernel for that). Vertices are {first edge, number
 * of edges} pairs; masks are one byte each. Changed: the original has one mask and marks a vertex as visited when it
 * leaves the frontier, so that its costs depend on which warp runs first; here a vertex is marked when found, and two
 * masks take turns, which makes the levels exact. Input: a uniform random graph with an average degree of 6, as the
 * original's. Original 65536 vertices; "paper" is a million.
 */
#include "../common/suite_graph.h"

enum { BLOCK = 256 };

struct node {
    int first, count;
};

__global__ void expand(const node *nodes, const int *edges, bool *frontier, bool *next, bool *visited, int *cost,
                       bool *again, int n)
{
    int v = blockIdx.x * BLOCK + threadIdx.x;
    if (v < n && frontier[v]) {
        frontier[v] = false;
        for (int i = nodes[v].first; i < nodes[v].count + nodes[v].first; i++) {
            int to = edges[i];
            if (!visited[to]) {
                cost[to] = cost[v] + 1;
                visited[to] = true;
                next[to] = true;
                *again = true;
            }
        }
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    suite_graph g = suite_uniform(suite_pick(size, 2048, 81920, 1 << 20), 6, true, 10, 337);
    std::vector<node> nodes(g.n);
    for (int v = 0; v < g.n; v++)
        nodes[v] = {g.row[v], g.row[v + 1] - g.row[v]};
    int source = 0;
    std::vector<char> start(g.n, 0), none(g.n, 0);
    std::vector<int> cost(g.n, -1), got(g.n);
    start[source] = 1;
    cost[source] = 0;
    node *d_nodes = suite_to_device(nodes.data(), nodes.size());
    int *d_edges = suite_to_device(g.col.data(), g.col.size()), *d_cost = suite_to_device(cost.data(), g.n);
    bool *d_frontier = suite_to_device((bool *)start.data(), g.n), *d_next = suite_to_device((bool *)none.data(), g.n),
         *d_visited = suite_to_device((bool *)start.data(), g.n), *d_again = suite_device<bool>(1);
    bool again;
    do {
        again = false;
        SUITE_CUDA(cudaMemcpy(d_again, &again, sizeof again, cudaMemcpyHostToDevice));
        expand<<<(g.n + BLOCK - 1) / BLOCK, BLOCK>>>(d_nodes, d_edges, d_frontier, d_next, d_visited, d_cost, d_again,
                                                     g.n);
        SUITE_LAUNCHED();
        SUITE_CUDA(cudaMemcpy(&again, d_again, sizeof again, cudaMemcpyDeviceToHost));
        std::swap(d_frontier, d_next);
    } while (again);
    suite_to_host(got.data(), d_cost, g.n);
    suite_bfs_host(g, source, cost);
    return suite_done("bfs_ispass", argc, argv, suite_diff_exact("cost", got.data(), cost.data(), g.n));
}
