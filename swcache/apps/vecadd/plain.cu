#include "problem.h"

static __global__ void add(const float *__restrict__ a, const float *__restrict__ b, int count, float *__restrict__ sum)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        sum[i] = a[i] + b[i];
}

static void launch(const problem &p)
{
    add<<<min(2048, (p.count + 255) / 256), 256>>>(p.a, p.b, p.count, p.sum);
}
APP_VARIANT("plain", launch);
