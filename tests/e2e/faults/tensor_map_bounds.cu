// A tensor map of 64 rows over memory that has 32.
// flags: -gencode=arch=compute_90a,code=compute_90a
// fails: invalid global read of 64 bytes.*past the end of the 2048-byte allocation.*cp\.async\.bulk\.tensor\.2d
#include "fault.h"
#include <cuda.h>

__global__ void outside(const __grid_constant__ CUtensorMap m)
{
    __shared__ __align__(128) float tile[16 * 16];
    __shared__ __align__(8) unsigned long long arrived;
    const unsigned bar = (unsigned)__cvta_generic_to_shared(&arrived), to = (unsigned)__cvta_generic_to_shared(tile);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                 "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%1], [%2, {%3, %4}], "
                 "[%0];" ::"r"(bar),
                 "r"(to), "l"(&m), "r"(0), "r"(40)
                 : "memory");
}

int main()
{
    void *p;
    CUtensorMap m;
    const cuuint64_t dim[] = {16, 64}, stride[] = {64};
    const cuuint32_t box[] = {16, 16}, ones[] = {1, 1};
    CUDA(cudaMalloc(&p, 2048));
    void *found;
    cudaDriverEntryPointQueryResult status;
    CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status));
    if (((decltype(&cuTensorMapEncodeTiled))found)(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, p, dim, stride, box, ones,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return 2;
    outside<<<1, 1>>>(m);
    return finish();
}
