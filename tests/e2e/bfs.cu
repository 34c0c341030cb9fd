// Breadth-first search: a frontier queue filled with atomics, one launch per level.
#include "check.h"
#include <queue>

__global__ void expand(const int *start, const int *edge, int *level, const int *frontier, int n, int *next, int *next_n, int depth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int u = frontier[i];
    for (int k = start[u]; k < start[u + 1]; k++) {
        int v = edge[k];
        if (atomicCAS(&level[v], -1, depth) == -1)
            next[atomicAdd(next_n, 1)] = v;
    }
}

int main()
{
    const int n = 3000;
    rng r(29);
    std::vector<int> start(1), edge;
    for (int u = 0; u < n; u++) {
        int degree = u % 50 == 0 ? 40 : 1 + (int)r.below(3);
        for (int k = 0; k < degree; k++)
            edge.push_back((u + 1 + (int)r.below(200)) % n);
        start.push_back((int)edge.size());
    }
    std::vector<int> want(n, -1);
    std::queue<int> q;
    q.push(0);
    want[0] = 0;
    while (!q.empty()) {
        int u = q.front();
        q.pop();
        for (int k = start[u]; k < start[u + 1]; k++)
            if (want[edge[k]] < 0) {
                want[edge[k]] = want[u] + 1;
                q.push(edge[k]);
            }
    }
    dev<int> ds(start), de(edge), level(n), a(n), b(n), count(1);
    level.fill(0xff);
    int zero = 0, size = 1;
    CUDA(cudaMemcpy(level, &zero, 4, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(a, &zero, 4, cudaMemcpyHostToDevice));
    int *frontier = a, *next = b;
    for (int depth = 1; size > 0; depth++) {
        count.fill(0);
        expand<<<(size + 127) / 128, 128>>>(ds, de, level, frontier, size, next, count, depth);
        RAN();
        size = count.get()[0];
        std::swap(frontier, next);
    }
    check_equal("levels", level.get(), want);
    return check_result();
}
