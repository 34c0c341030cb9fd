// The program behind rows-4096.wt: each thread walks a row of its own, one line long, so that a warp's load touches 32
// lines that the warp itself uses again; besides, every warp reads one table that all share. What management, throttling
// and protection live off.
#include <cuda_runtime.h>

__global__ void rows(const float *a, const float *table, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int j = 0; j < 32; j++)
        sum += a[32 * i + j] * table[32 * j + threadIdx.x % 32];
    out[i] = sum;
}

int main()
{
    const int n = 4096;
    float *a, *table, *out;
    cudaMalloc(&a, 32 * n * sizeof *a);
    cudaMalloc(&table, 1024 * sizeof *table);
    cudaMalloc(&out, n * sizeof *out);
    cudaMemset(a, 0, 32 * n * sizeof *a);
    cudaMemset(table, 0, 1024 * sizeof *table);
    rows<<<n / 128, 128>>>(a, table, out);
    float first = -1;
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
    return first != 0;
}
