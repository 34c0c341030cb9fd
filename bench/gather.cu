// Irregular: each warp touches up to 32 lines per load. arguments: threads, table entries
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void gather(const int *where, const float *table, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < 4; k++)
        sum += table[where[k * n + i]];
    out[i] = sum;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 17, entries = argc > 2 ? atoi(argv[2]) : 1 << 20;
    int *where = (int *)malloc(4u * n * sizeof *where), *dev_where;
    float *table = (float *)malloc(entries * sizeof *table), *out = (float *)malloc(n * sizeof *out);
    float *dev_table, *dev_out;
    unsigned long long seed = 1;
    for (int i = 0; i < 4 * n; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        where[i] = (int)((seed >> 33) % (unsigned)entries);
    }
    for (int i = 0; i < entries; i++)
        table[i] = (float)(i % 128);
    cudaMalloc((void **)&dev_where, 4u * n * sizeof *where);
    cudaMalloc((void **)&dev_table, entries * sizeof *table);
    cudaMalloc((void **)&dev_out, n * sizeof *out);
    cudaMemcpy(dev_where, where, 4u * n * sizeof *where, cudaMemcpyHostToDevice);
    cudaMemcpy(dev_table, table, entries * sizeof *table, cudaMemcpyHostToDevice);
    gather<<<(n + 255) / 256, 256>>>(dev_where, dev_table, dev_out, n);
    cudaMemcpy(out, dev_out, n * sizeof *out, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < 4; k++)
            sum += table[where[k * n + i]];
        wrong += sum != out[i];
    }
    printf("gather %d %d: %d wrong\n", n, entries, wrong);
    return wrong != 0;
}
