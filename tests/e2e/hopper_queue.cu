// Two blocks take pieces of work from a counter: one has multiplied, the other has added. The one that is free first takes
// the first piece, though it has executed more instructions.
// flags: -gencode=arch=compute_90a,code=compute_90a
#include "check.h"
#include "hopper.h"

enum { PRODUCTS = 500, SUMS = 2000 };

__global__ void __launch_bounds__(128) work(unsigned *next, unsigned *order, float *out)
{
    __shared__ __align__(128) unsigned char tile[4096];
    __shared__ unsigned piece;
    for (int i = threadIdx.x; i < 1024; i += 128)
        ((unsigned *)tile)[i] = 0;
    fence_async();
    __syncthreads();
    float x = (float)threadIdx.x;
    if (blockIdx.x == 0) {
        const uint64_t d = descriptor(smem(tile), 128, 256, 0);
        unsigned r[16] = {};
        wgmma_fence();
        for (int i = 0; i < PRODUCTS; i++)
            asm volatile(
                "wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16 "
                "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %16, 1, 1, 1, 0, 0;"
                : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3]), "+r"(r[4]), "+r"(r[5]), "+r"(r[6]), "+r"(r[7]),
                  "+r"(r[8]), "+r"(r[9]), "+r"(r[10]), "+r"(r[11]), "+r"(r[12]), "+r"(r[13]), "+r"(r[14]), "+r"(r[15])
                : "l"(d));
        wgmma_commit();
        wgmma_wait<0>();
        x = (float)r[0];
    } else {
#pragma unroll 1
        for (int i = 0; i < SUMS; i++)
            x = x * 0.5f + (float)threadIdx.x;
    }
    if (threadIdx.x == 0) {
        piece = atomicAdd(next, 1);
        order[piece] = blockIdx.x;
    }
    out[blockIdx.x * 128 + threadIdx.x] = x;
}

int main()
{
    dev<unsigned> next(1), order(2);
    dev<float> out(256);
    next.put({0});
    work<<<2, 128>>>(next, order, out);
    RAN();
    check_equal("order", order.get(), std::vector<unsigned>{1, 0});
    return check_result();
}
