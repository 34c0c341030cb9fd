#include "problem.h"
#include <swcache.cuh>

static __global__ void assign(const float *__restrict__ points, const float *__restrict__ centres, int count,
                              int dimensions, int per_thread, int *__restrict__ nearest)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * per_thread, last = min(first + per_thread, count);
    for (int point = first; point < last; point++) {
        const float *mine = &points[(long)point * dimensions];
        float best = 3.4e38f;
        int best_centre = 0;
        for (int c = 0; c < CENTRES; c++) {
            const float *centre = &centres[c * dimensions];
            float distance = 0;
            swcache::scan(mine, mine + dimensions, [&](float x, const float *at) {
                float difference = x - centre[at - mine];
                distance += difference * difference;
            });
            if (distance < best) {
                best = distance;
                best_centre = c;
            }
        }
        nearest[point] = best_centre;
    }
}

static void launch(const problem &p)
{
    int threads = (p.count + p.per_thread - 1) / p.per_thread;
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            assign<<<(threads + 255) / 256, 256>>>(p.points, p.centres, p.count, p.dimensions, p.per_thread, p.nearest);
        });
}
APP_VARIANT("hand", launch);
