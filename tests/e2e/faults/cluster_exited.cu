// A block of a cluster reads the shared memory of one that has exited.
// flags: -gencode=arch=compute_90a,code=compute_90a
// fails: read of the shared memory of the cluster's CTA 1, which has exited; a cluster barrier
#include "fault.h"

__global__ void late(int *out)
{
    __shared__ int mine;
    unsigned rank, there;
    int v;
    mine = 1;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    if (rank == 1)
        return;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(&mine)));
    asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(v) : "r"(there) : "memory");
    *out = v;
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
    CUDA(cudaLaunchKernelEx(&c, late, p));
    return finish();
}
