/*
 * Connected components by hooking and pointer jumping.
 *
 * Origin: GraphBIG, ConnectedComp (the algorithm of Soman and others, one thread per two edges, without atomics). Edges
 * know their source; all numbers have 64 bits. Per round: hooking compares the parents of an edge's ends and hooks one
 * onto the other in a second array (the smaller onto the larger in even rounds, the reverse in odd ones), or marks the
 * edge as done; jumping follows each vertex's parents to the root; after each, a kernel copies the second array over
 * the first. 1024 threads per block. Input: a road-like grid (one of the original's data sets is a road network).
 * "paper" is 640 x 640 vertices.
 */
#include "../common/suite_graph.h"

enum { BLOCK = 1024, CHUNK = 2 };

__global__ void initialize(const uint64_t *row, uint64_t *parent, uint64_t *shadow, bool *done, uint64_t *source,
                           uint64_t n)
{
    uint64_t v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    parent[v] = v;
    shadow[v] = v;
    for (uint64_t i = row[v], end = row[v + 1]; i < end; i++) {
        done[i] = false;
        source[i] = v;
    }
}

__global__ void hook(const uint64_t *source, const uint64_t *target, const uint64_t *parent, uint64_t *shadow, bool *done,
                     bool *over, unsigned round, uint64_t edges)
{
    uint64_t first = (uint64_t)(blockIdx.x * blockDim.x + threadIdx.x) * CHUNK;
    uint64_t end = first + CHUNK < edges ? first + CHUNK : edges;
    for (uint64_t i = first; i < end; i++) {
        if (done[i])
            continue;
        uint64_t a = parent[source[i]], b = parent[target[i]];
        if (a == b) {
            done[i] = true;
            continue;
        }
        uint64_t hi = a > b ? a : b, lo = a > b ? b : a;
        if (round % 2 == 0)
            shadow[lo] = hi;
        else
            shadow[hi] = lo;
        *over = false;
    }
}

__global__ void jump(const uint64_t *parent, uint64_t *shadow, unsigned n)
{
    uint64_t v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    uint64_t p = parent[v];
    while (parent[p] != p)
        p = parent[p];
    shadow[v] = p;
}

__global__ void update(uint64_t *parent, const uint64_t *shadow, unsigned n)
{
    uint64_t v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        parent[v] = shadow[v];
}

int main(int argc, char **argv)
{
    suite_graph g = suite_road(suite_pick(suite_parse_size(argc, argv), 48, 256, 640), 1, 103);
    std::vector<uint64_t> row(g.row.begin(), g.row.end()), target(g.col.begin(), g.col.end()), label(g.n);
    uint64_t *drow = suite_to_device(row.data(), row.size()), *dto = suite_to_device(target.data(), target.size()),
             *dfrom = suite_device<uint64_t>(g.m), *dp = suite_device<uint64_t>(g.n), *ds = suite_device<uint64_t>(g.n);
    bool *ddone = suite_device<bool>(g.m), *dover = suite_device<bool>(1), over;
    int blocks = (g.n + BLOCK - 1) / BLOCK, edge_blocks = ((g.m + CHUNK - 1) / CHUNK + BLOCK - 1) / BLOCK;
    initialize<<<blocks, BLOCK>>>(drow, dp, ds, ddone, dfrom, g.n);
    unsigned round = 0;
    do {
        over = true;
        SUITE_CUDA(cudaMemcpy(dover, &over, sizeof over, cudaMemcpyHostToDevice));
        hook<<<edge_blocks, BLOCK>>>(dfrom, dto, dp, ds, ddone, dover, round++, g.m);
        update<<<blocks, BLOCK>>>(dp, ds, g.n);
        SUITE_LAUNCHED();
        suite_to_host(&over, dover, 1);
        jump<<<blocks, BLOCK>>>(dp, ds, g.n);
        update<<<blocks, BLOCK>>>(dp, ds, g.n);
        SUITE_LAUNCHED();
    } while (!over);
    suite_to_host(label.data(), dp, g.n);
    /* Which vertex of a component its label is depends on the order of the threads, so: one label per component, of it. */
    std::vector<int> stack, component(g.n, -1);
    size_t bad = 0;
    for (int s = 0; s < g.n; s++) {
        if (component[s] >= 0)
            continue;
        stack.push_back(s);
        component[s] = s;
        while (!stack.empty()) {
            int v = stack.back();
            stack.pop_back();
            bad += label[v] != label[s];
            for (int i = g.row[v]; i < g.row[v + 1]; i++)
                if (component[g.col[i]] < 0) {
                    component[g.col[i]] = s;
                    stack.push_back(g.col[i]);
                }
        }
    }
    for (int v = 0; v < g.n; v++)
        bad += label[v] >= (uint64_t)g.n || component[label[v]] != component[v];
    return suite_done("ccl", argc, argv, bad);
}
