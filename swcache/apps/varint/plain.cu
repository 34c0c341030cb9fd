#include "problem.h"

static __global__ void decode(const unsigned char *__restrict__ coded, const long *__restrict__ offsets, int blocks,
                              int per_block, unsigned *__restrict__ values)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= blocks)
        return;
    long from = offsets[thread], to = (long)thread * per_block;
    for (int k = 0; k < per_block; k++) {
        unsigned value = 0, byte;
        int shift = 0;
        do {
            byte = coded[from++];
            value |= (byte & 127) << shift;
            shift += 7;
        } while (byte & 128);
        values[to + k] = value;
    }
}

static void launch(const problem &p)
{
    decode<<<(p.blocks + 255) / 256, 256>>>(p.coded, p.offsets, p.blocks, p.per_block, p.values);
}
APP_VARIANT("plain", launch);
