// Boxes of tensor maps that no shared memory holds, whose bytes overflow 32 bits, must not be copied.
// flags: -gencode=arch=compute_90a,code=compute_90a
// fails: the tensor map's box has 4294967296 bytes, more than any CTA's shared memory
#include "../hopper.h"

__global__ void wrong(const __grid_constant__ CUtensorMap map)
{
    __shared__ __align__(8) uint64_t bar;
    mbar_init(smem(&bar), 1);
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
                 "[%1, {%2, %2, %2, %2}], [%3];" ::"r"(smem(shared_bytes)),
                 "l"(&map), "r"(0), "r"(smem(&bar))
                 : "memory");
}

int main()
{
    dev<unsigned char> p(1 << 20);
    const uint64_t dim[] = {256, 256, 16, 1};
    const uint32_t box[] = {256, 256, 256, 256};
    wrong<<<1, 1, 4096>>>(tensor_map(CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, 4, p.p, dim, box, CU_TENSOR_MAP_SWIZZLE_NONE));
    return cudaDeviceSynchronize() != cudaSuccess;
}
