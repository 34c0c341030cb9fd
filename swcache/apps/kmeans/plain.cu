#include "problem.h"

static __global__ void assign(const float *__restrict__ points, const float *__restrict__ centers, int count,
                              int dimensions, int per_thread, int *__restrict__ nearest)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * per_thread, last = min(first + per_thread, count);
    for (int point = first; point < last; point++) {
        float best = 3.4e38f;
        int best_center = 0;
        for (int c = 0; c < CENTERS; c++) {
            float distance = 0;
            for (int d = 0; d < dimensions; d++) {
                float difference = points[(long)point * dimensions + d] - centers[c * dimensions + d];
                distance += difference * difference;
            }
            if (distance < best) {
                best = distance;
                best_center = c;
            }
        }
        nearest[point] = best_center;
    }
}

static void launch(const problem &p)
{
    int threads = (p.count + p.per_thread - 1) / p.per_thread;
    assign<<<(threads + 255) / 256, 256>>>(p.points, p.centers, p.count, p.dimensions, p.per_thread, p.nearest);
}
APP_VARIANT("plain", launch);
