// A copy through memory that holds no tensor map.
// flags: -gencode=arch=compute_90a,code=compute_90a
// fails: the 128 bytes at 0x[0-9a-f]+ are no valid tensor map: it was not made by cuTensorMapEncodeTiled
#include "fault.h"

__global__ void wrong(const int *p)
{
    __shared__ __align__(128) float tile[16 * 16];
    __shared__ __align__(8) unsigned long long arrived;
    const unsigned bar = (unsigned)__cvta_generic_to_shared(&arrived), to = (unsigned)__cvta_generic_to_shared(tile);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                 "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%1], [%2, {%3}], [%0];" ::"r"(bar),
                 "r"(to), "l"(p), "r"(0)
                 : "memory");
}

int main()
{
    int *p;
    CUDA(cudaMalloc(&p, 256));
    wrong<<<1, 1>>>(p);
    return finish();
}
