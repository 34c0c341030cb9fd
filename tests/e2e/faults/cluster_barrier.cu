// A cluster barrier at which only half of the threads arrive, and the others wait at another barrier.
// flags: -gencode=arch=compute_90a,code=compute_90a
// fails: barrier 1 can never complete: it expects 64 threads, 32 have arrived, and the CTA has 32 running threads
#include "fault.h"

__global__ void apart(int *out)
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (rank == 0)
        asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    else
        asm volatile("bar.sync 1, 64;" ::: "memory");
    *out = 1;
}

int main()
{
    int *p;
    CUDA(cudaMalloc(&p, 256));
    cudaLaunchAttribute a;
    cudaLaunchConfig_t c = {};
    c.gridDim = 2;
    c.blockDim = 32;
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = 2;
    a.val.clusterDim.y = a.val.clusterDim.z = 1;
    c.attrs = &a;
    c.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&c, apart, p));
    return finish();
}
