// A barrier that expects more bytes than its copy brings: the report names it and what it waits for.
// flags: -gencode=arch=compute_90a,code=compute_90a
// fails: nobody is left to complete the mbarrier at byte \d+ of shared memory .*arrived.*: it has completed 0 phases.*waits for 64 bytes that no copy has brought.*mbarrier_bytes\.cu:1[0-9]
#include "fault.h"

__global__ void stuck(const int *p)
{
    __shared__ __align__(16) int tile[64];
    __shared__ __align__(8) unsigned long long arrived;
    const unsigned bar = (unsigned)__cvta_generic_to_shared(&arrived), to = (unsigned)__cvta_generic_to_shared(tile);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 192;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], 128, [%0];\n"
                 "{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra L;\n}\n" ::"r"(bar),
                 "r"(to), "l"(p)
                 : "memory");
}

int main()
{
    int *p;
    CUDA(cudaMalloc(&p, 256));
    stuck<<<1, 1>>>(p);
    return finish();
}
