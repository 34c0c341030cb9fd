#include "problem.h"
#include <swcache.cuh>

using Lines = swcache::Cache<swcache::ReadOnly, swcache::ReadOnly>;

static __global__ void multiply(const float *__restrict__ a, const float *__restrict__ b, int n, float *__restrict__ c)
{
    __shared__ float as[TILE][DEEP + 1], bs[DEEP][TILE];
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum[4] = {0, 0, 0, 0};
    Lines cache;
    cache.within<0>(a, (size_t)n * n * sizeof(float));
    cache.within<1>(b, (size_t)n * n * sizeof(float));
    const swcache::Id<0> a_;
    const swcache::Id<1> b_;
    int deep = 0;
    // The barriers inside are met by whole warps: all lanes of a warp make the same number of accesses.
    swcache::run(cache, true, [&](auto &memory) {
        for (int r = 0; r < TILE; r += 8)
            for (int k = threadIdx.x; k < DEEP; k += TILE)
                as[threadIdx.y + r][k] = deep + k < n ? memory.load(a_, &a[(row + r) * n + deep + k]) : 0;
        for (int k = threadIdx.y; k < DEEP; k += 8)
            bs[k][threadIdx.x] = deep + k < n ? memory.load(b_, &b[(deep + k) * n + column]) : 0;
        __syncthreads();
        for (int k = 0; k < DEEP; k++)
            for (int r = 0; r < 4; r++)
                sum[r] += as[threadIdx.y + 8 * r][k] * bs[k][threadIdx.x];
        __syncthreads();
        deep += DEEP;
        return deep < n;
    });
    for (int r = 0; r < 4; r++)
        c[(row + 8 * r) * n + column] = sum[r];
}

static void launch(const problem &p)
{
    static swcache::Tuner tuner;
    tuner.launch(
        0, [&] { app_plain(p); },
        [&] {
            multiply<<<dim3(p.n / TILE, p.n / TILE), dim3(TILE, 8),
                       swcache::shared_bytes<Lines>(multiply, dim3(TILE, 8))>>>(p.a, p.b, p.n, p.c);
        });
}
APP_VARIANT("hand", launch);
