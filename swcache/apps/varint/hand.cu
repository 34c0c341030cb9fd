#include "problem.h"
#include <swcache.cuh>

using Lines = swcache::Cache<swcache::Window, swcache::ReadWrite>;

static __global__ void decode(const unsigned char *__restrict__ coded, const long *__restrict__ offsets, int blocks,
                              int per_block, unsigned *__restrict__ values)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= blocks)
        return;
    long from = offsets[thread], to = (long)thread * per_block;
    Lines cache;
    cache.within<0>(coded, offsets[blocks]);
    cache.within<1>(values, (size_t)blocks * per_block * sizeof(unsigned));
    const swcache::Id<0> coded_;
    const swcache::Id<1> values_;
    int k = 0;
    swcache::run(cache, true, [&](auto &memory) {
        unsigned value = 0, byte;
        int shift = 0;
        do {
            byte = memory.load(coded_, &coded[from]);
            from++;
            value |= (byte & 127) << shift;
            shift += 7;
        } while (byte & 128);
        memory.store(values_, &values[to + k], value);
        return ++k < per_block;
    });
}

static void launch(const problem &p)
{
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            decode<<<(p.blocks + 255) / 256, 256, swcache::shared_bytes<Lines>(decode, 256)>>>(
                p.coded, p.offsets, p.blocks, p.per_block, p.values);
        });
}
APP_VARIANT("hand", launch);
