/*
 * Breadth-first search.
 *
 * Origin: Rodinia 3.1, bfs. One thread per vertex, 512 threads per block, two kernels per level: the first expands the
 * vertices of the frontier (mask), writing costs of unvisited neighbors and marking them in a second mask; the second
 * turns that mask into the next frontier and raises the "go on" flag. Vertices are {first edge, number of edges} pairs,
 * masks are one byte each, as in the original.
 * Input: a uniform random graph with an average degree of 6, as the original's generated ones. Original 4 Ki to 1 Mi
 * vertices; "paper" is 1 Mi.
 * Simplified: nothing in the kernels.
 */
#include "../common/suite.h"
#include "../common/suite_graph.h"

struct node {
    int first, count;
};

__global__ void expand(const node *nodes, const int *edges, bool *frontier, bool *updating, const bool *visited,
                       int *cost, int n)
{
    int v = blockIdx.x * 512 + threadIdx.x;
    if (v < n && frontier[v]) {
        frontier[v] = false;
        for (int i = nodes[v].first; i < nodes[v].first + nodes[v].count; i++) {
            int to = edges[i];
            if (!visited[to]) {
                cost[to] = cost[v] + 1;
                updating[to] = true;
            }
        }
    }
}

__global__ void advance(bool *frontier, bool *updating, bool *visited, bool *again, int n)
{
    int v = blockIdx.x * 512 + threadIdx.x;
    if (v < n && updating[v]) {
        frontier[v] = true;
        visited[v] = true;
        *again = true;
        updating[v] = false;
    }
}

int main(int argc, char **argv)
{
    suite_size size = suite_parse_size(argc, argv);
    suite_graph g = suite_uniform(1 << suite_pick(size, 11, 17, 20), 6, true, 10, 1);
    std::vector<node> nodes(g.n);
    for (int v = 0; v < g.n; v++)
        nodes[v] = {g.row[v], g.row[v + 1] - g.row[v]};
    int source = 0;
    std::vector<char> frontier(g.n, 0), none(g.n, 0);
    std::vector<int> cost(g.n, -1);
    frontier[source] = 1;
    cost[source] = 0;

    node *d_nodes = suite_to_device(nodes.data(), nodes.size());
    int *d_edges = suite_to_device(g.col.data(), g.col.size());
    bool *d_frontier = suite_to_device((bool *)frontier.data(), g.n);
    bool *d_updating = suite_to_device((bool *)none.data(), g.n);
    bool *d_visited = suite_to_device((bool *)frontier.data(), g.n);
    int *d_cost = suite_to_device(cost.data(), g.n);
    bool *d_again = suite_device<bool>(1);

    int blocks = (g.n + 511) / 512;
    bool again;
    do {
        again = false;
        SUITE_CUDA(cudaMemcpy(d_again, &again, sizeof again, cudaMemcpyHostToDevice));
        expand<<<blocks, 512>>>(d_nodes, d_edges, d_frontier, d_updating, d_visited, d_cost, g.n);
        advance<<<blocks, 512>>>(d_frontier, d_updating, d_visited, d_again, g.n);
        SUITE_LAUNCHED();
        SUITE_CUDA(cudaMemcpy(&again, d_again, sizeof again, cudaMemcpyDeviceToHost));
    } while (again);
    std::vector<int> got(g.n);
    suite_to_host(got.data(), d_cost, g.n);
    suite_bfs_host(g, source, cost);
    return suite_done("bfs", argc, argv, suite_diff_exact("cost", got.data(), cost.data(), g.n));
}
