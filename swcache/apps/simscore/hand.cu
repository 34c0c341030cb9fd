#include "problem.h"
#include <swcache.cuh>

using Lines = swcache::Cache<swcache::Always, swcache::ReadOnlyLine<16>>;

static __global__ void compare(const unsigned char *__restrict__ documents, const unsigned char *__restrict__ query,
                               int count, int features, score *__restrict__ scores)
{
    int document = blockIdx.x * blockDim.x + threadIdx.x;
    if (document >= count)
        return;
    const unsigned char *features_of = documents + (long)document * features;
    unsigned difference = 0, equal = 0;
    Lines cache;
    cache.within<0>(documents, (size_t)count * features);
    const swcache::Id<0> documents_;
    int f = 0;
    swcache::run(cache, f < features, [&](auto &memory) {
        int d = memory.load(documents_, &features_of[f]) - query[f];
        difference += abs(d);
        equal += d == 0;
        return ++f < features;
    });
    scores[document].difference = difference;
    scores[document].equal = equal;
}

static void launch(const problem &p)
{
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            compare<<<(p.count + 255) / 256, 256, swcache::shared_bytes<Lines>(compare, 256)>>>(
                p.documents, p.query, p.count, p.features, p.scores);
        });
}
APP_VARIANT("hand", launch);
