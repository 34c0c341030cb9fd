// What nvcc brings in by itself, on the host and on the device: <math.h>'s names without an #include of it.
// expect: host 1 0 0 1, 0 0 1 0
// expect: device 1 0 0 1, 0 0 1 0
#include <stdio.h>

__global__ void classify(float x, double y)
{
    printf("device %d %d %d %d, %d %d %d %d\n", (int)isfinite(x), (int)isnan(x), (int)isinf(x), (int)(signbit(x) != 0), (int)isfinite(y), (int)isnan(y), (int)isinf(y), (int)(signbit(y) != 0));
}

int main(int argc, char **)
{
    float x = -1.5f * argc;
    double y = INFINITY * argc;
    printf("host %d %d %d %d, %d %d %d %d\n", (int)isfinite(x), (int)isnan(x), (int)isinf(x), (int)(signbit(x) != 0), (int)isfinite(y), (int)isnan(y), (int)isinf(y), (int)(signbit(y) != 0));
    classify<<<1, 1>>>(x, y);
    return cudaDeviceSynchronize() != cudaSuccess || fabsf(sqrtf(4.0f * argc) - hypot(2.0 * argc, 0.0)) > 0;
}
