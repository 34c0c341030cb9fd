/*
 * Connected components by hooking and pointer jumping.
 *
 * Origin: the component-labelling kernels of graph suites (GraphBIG, Lonestar): per round, one thread per vertex hooks the
 * roots of its neighbours onto smaller ones with atomicMin, a second kernel shortens all chains to their roots.
 * CSR graph, 256 threads per block. Input: road-like grid plus isolated parts. "paper" is 1024 x 1024 vertices.
 */
#include "../common/suite_graph.h"

__global__ void hook(const int *row, const int *col, int *label, int *changed, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    for (int i = row[v]; i < row[v + 1]; i++) {
        int a = label[v], b = label[col[i]];
        if (a == b)
            continue;
        int hi = max(a, b), lo = min(a, b);
        if (atomicMin(&label[hi], lo) > lo)
            *changed = 1;
    }
}

__global__ void jump(int *label, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int r = label[v];
    while (label[r] != r)
        r = label[r];
    label[v] = r;
}

int main(int argc, char **argv)
{
    suite_graph g = suite_road(suite_pick(suite_parse_size(argc, argv), 48, 448, 1024), 1, 103);
    std::vector<int> label(g.n), got(g.n);
    for (int v = 0; v < g.n; v++)
        label[v] = v;
    int *drow = suite_to_device(g.row.data(), g.row.size()), *dcol = suite_to_device(g.col.data(), g.m),
        *dl = suite_to_device(label.data(), g.n), *dch = suite_device<int>(1), changed;
    do {
        changed = 0;
        SUITE_CUDA(cudaMemcpy(dch, &changed, sizeof changed, cudaMemcpyHostToDevice));
        hook<<<(g.n + 255) / 256, 256>>>(drow, dcol, dl, dch, g.n);
        jump<<<(g.n + 255) / 256, 256>>>(dl, g.n);
        SUITE_LAUNCHED();
        suite_to_host(&changed, dch, 1);
    } while (changed);
    suite_to_host(got.data(), dl, g.n);
    std::vector<int> stack;
    std::vector<char> done(g.n, 0);
    for (int s = 0; s < g.n; s++) { /* a component's label is its smallest vertex */
        if (done[s])
            continue;
        stack.push_back(s);
        done[s] = 1;
        while (!stack.empty()) {
            int v = stack.back();
            stack.pop_back();
            label[v] = s;
            for (int i = g.row[v]; i < g.row[v + 1]; i++)
                if (!done[g.col[i]]) {
                    done[g.col[i]] = 1;
                    stack.push_back(g.col[i]);
                }
        }
    }
    return suite_done("ccl", argc, argv, suite_diff_exact("label", got.data(), label.data(), g.n));
}
