// The cluster of cooperative groups: a histogram whose bins are spread over the blocks of a cluster.
// flags: -gencode=arch=compute_90a,code=compute_90a
#include "check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
enum { BINS = 64, BLOCKS = 4, N = 4096 };

__global__ void histogram(const int *in, int *bins)
{
    __shared__ int mine[BINS / BLOCKS];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < BINS / BLOCKS; i += blockDim.x)
        mine[i] = 0;
    cluster.sync();
    for (int i = cluster.thread_rank(); i < N; i += cluster.num_threads()) {
        int *there = cluster.map_shared_rank(mine, in[i] / (BINS / BLOCKS));
        if (cluster.query_shared_rank(there) != in[i] / (BINS / BLOCKS))
            return;
        atomicAdd(there + in[i] % (BINS / BLOCKS), 1);
    }
    cluster.barrier_wait(cluster.barrier_arrive());
    for (int i = threadIdx.x; i < BINS / BLOCKS; i += blockDim.x)
        bins[cluster.block_rank() * (BINS / BLOCKS) + i] = mine[i];
}

int main()
{
    std::vector<int> in(N), want(BINS, 0);
    rng r(9);
    for (int &x : in)
        want[x = (int)r.below(BINS)]++;
    dev<int> di(in), bins(BINS);
    cudaLaunchAttribute a;
    cudaLaunchConfig_t c = {};
    c.gridDim = BLOCKS;
    c.blockDim = 128;
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = BLOCKS;
    a.val.clusterDim.y = a.val.clusterDim.z = 1;
    c.attrs = &a;
    c.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&c, histogram, (const int *)di.p, bins.p));
    RAN();
    check_equal("histogram", bins.get(), want);
    return check_result();
}
