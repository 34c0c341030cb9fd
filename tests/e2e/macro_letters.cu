// Programs define single letters; the headers must not use them.
// flags: -DA=1 -DB=1 -DC=1 -DD=1 -DE=1 -DF=1 -DG=1 -DH=1 -DI=1 -DJ=1 -DK=1 -DL=1 -DM=1 -DN=64 -DO=1 -DP=1 -DQ=1 -DR=1 -DS=1 -DT=1 -DU=1 -DV=1 -DW=1 -DX=1 -DY=1 -DZ=1
// only: clang
#include <cstdio>

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <mma.h>

__global__ void fill(int *out)
{
    auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    out[threadIdx.x] = cooperative_groups::reduce(warp, (int)threadIdx.x, cooperative_groups::plus<int>());
}

int main()
{
    int *dev, host[N], wrong = 0;
    if (cudaMalloc(&dev, sizeof host))
        return 1;
    fill<<<1, N>>>(dev);
    if (cudaMemcpy(host, dev, sizeof host, cudaMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < N; i++)
        wrong += host[i] != (i < 32 ? 496 : 1520);
    printf("%d of %d wrong\n", wrong, N);
    return wrong != 0;
}
