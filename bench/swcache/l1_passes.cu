/*
 * What a warp's load costs the L1 when all of it hits: cycles per load instruction and multiprocessor, for lanes that
 * are a given number of bytes apart. The software cache's decision rests on these numbers.
 */
#include <cstdio>
#include <cuda_runtime.h>

template <class T> __device__ unsigned once(const char *p);
template <> __device__ unsigned once<unsigned>(const char *p)
{
    unsigned v;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}
template <> __device__ unsigned once<unsigned char>(const char *p)
{
    unsigned v;
    asm volatile("ld.global.ca.u8 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}
template <> __device__ unsigned once<uint4>(const char *p)
{
    uint4 v;
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v.x ^ v.y ^ v.z ^ v.w;
}

template <class T> __global__ void passes(const char *data, int stride, int loads, long long *cycles)
{
    const char *p = data + threadIdx.x % 32 * stride;
    unsigned sum = once<T>(p);
    __syncthreads();
    long long start = clock64();
    for (int k = 0; k < loads; k += 4)
        sum += once<T>(p) + once<T>(p) + once<T>(p) + once<T>(p);
    __syncthreads();
    if (sum == 12345) /* never: all loads see the same bytes */
        cycles[1] = sum;
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - start;
}

int main()
{
    char *data;
    long long *cycles, host;
    cudaMalloc((void **)&data, 1 << 20);
    cudaMemset(data, 1, 1 << 20);
    cudaMalloc((void **)&cycles, 2 * sizeof(long long));
    const int strides[] = {0, 1, 4, 8, 16, 32, 64, 128, 132, 136, 144, 160, 256, 260, 512, 516, 1024, 4096, 4100, 4112};
    const int loads = 400, warps = 16;
    printf("| bytes between lanes | 1 byte | 4 bytes | 16 bytes |\n|---|---|---|---|\n");
    for (int stride : strides) {
        printf("| %d", stride);
        for (int width = 0; width < 3; width++) {
            if (width == 0)
                passes<unsigned char><<<1, warps * 32>>>(data, stride, loads, cycles);
            else if (width == 1)
                passes<unsigned><<<1, warps * 32>>>(data, stride & ~3, loads, cycles);
            else
                passes<uint4><<<1, warps * 32>>>(data, stride & ~15, loads, cycles);
            cudaMemcpy(&host, cycles, sizeof host, cudaMemcpyDeviceToHost);
            printf(" | %.1f", (double)host / (warps * loads));
        }
        printf(" |\n");
    }
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        fprintf(stderr, "%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
