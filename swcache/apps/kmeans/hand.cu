#include "problem.h"
#include <swcache.cuh>

using Lines = swcache::Cache<swcache::ReadOnly>;

static __global__ void assign(const float *__restrict__ points, const float *__restrict__ centers, int count,
                              int dimensions, int per_thread, int *__restrict__ nearest)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * per_thread, last = min(first + per_thread, count);
    Lines cache;
    cache.within<0>(points, (size_t)count * dimensions * sizeof(float));
    const swcache::Id<0> points_;
    float best = 3.4e38f;
    int point = first, c = 0, best_center = 0;
    swcache::run(cache, point < last, [&](auto &memory) {
        float distance = 0;
        for (int d = 0; d < dimensions; d++) {
            float difference =
                memory.load(points_, &points[(long)point * dimensions + d]) - centers[c * dimensions + d];
            distance += difference * difference;
        }
        if (distance < best) {
            best = distance;
            best_center = c;
        }
        if (++c == CENTERS) {
            nearest[point++] = best_center;
            best = 3.4e38f;
            c = best_center = 0;
        }
        return point < last;
    });
}

static void launch(const problem &p)
{
    int threads = (p.count + p.per_thread - 1) / p.per_thread;
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            assign<<<(threads + 255) / 256, 256, swcache::shared_bytes<Lines>(assign, 256)>>>(
                p.points, p.centers, p.count, p.dimensions, p.per_thread, p.nearest);
        });
}
APP_VARIANT("hand", launch);
