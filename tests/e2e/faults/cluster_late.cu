// An arrival at an mbarrier of a block of the cluster that has exited: it is lost, with a warning, and the kernel goes on.
// flags: -gencode=arch=compute_90a,code=compute_90a
// warns: undefined behavior in kernel late\(int\*\).*an arrival at an mbarrier of the cluster's CTA 1, which has exited, is lost.*by thread \(0,0,0\) of CTA \(0,0,0\)
// expect: 7
#include "fault.h"

__global__ void late(int *out)
{
    __shared__ __align__(8) unsigned long long bar;
    const unsigned at = (unsigned)__cvta_generic_to_shared(&bar);
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;" ::"r"(at) : "memory");
    if (rank == 1)
        return;
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, 1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}\n" ::"r"(at)
                 : "memory");
    *out = 7;
}

int main()
{
    int *p, v;
    CUDA(cudaMalloc(&p, 256));
    cudaLaunchAttribute a;
    cudaLaunchConfig_t c = {};
    c.gridDim = 2;
    c.blockDim = 1;
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = 2;
    a.val.clusterDim.y = a.val.clusterDim.z = 1;
    c.attrs = &a;
    c.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&c, late, p));
    CUDA(cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost));
    printf("%d\n", v);
    return finish();
}
