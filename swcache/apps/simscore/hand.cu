#include "problem.h"
#include <swcache.cuh>

static __global__ void compare(const unsigned char *__restrict__ documents, const unsigned char *__restrict__ query,
                               int count, int features, score *__restrict__ scores)
{
    int document = blockIdx.x * blockDim.x + threadIdx.x;
    if (document >= count)
        return;
    const unsigned char *features_of = documents + (long)document * features;
    unsigned difference = 0, equal = 0;
    swcache::scan(features_of, features_of + features, [&](unsigned char feature, const unsigned char *at) {
        int d = feature - query[at - features_of];
        difference += abs(d);
        equal += d == 0;
    });
    scores[document].difference = difference;
    scores[document].equal = equal;
}

static void launch(const problem &p)
{
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] { compare<<<(p.count + 255) / 256, 256>>>(p.documents, p.query, p.count, p.features, p.scores); });
}
APP_VARIANT("hand", launch);
