#include "problem.h"

static __global__ void saxpy(const float *__restrict__ x, float a, int count, float *__restrict__ y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        y[i] += a * x[i];
}

static void launch(const problem &p)
{
    saxpy<<<min(2048, (p.count + 255) / 256), 256>>>(p.x, p.a, p.count, p.y);
}
APP_VARIANT("plain", launch);
