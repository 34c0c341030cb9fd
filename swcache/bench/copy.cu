/* The device's copy bandwidth: one large copy by a kernel, 16 bytes per thread and step; bytes read plus bytes written.
 */
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

static __global__ void copy(const uint4 *from, uint4 *to, size_t count)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        to[i] = from[i];
}

int main()
{
    const size_t bytes = (size_t)2 << 30, count = bytes / sizeof(uint4);
    uint4 *from, *to;
    cudaEvent_t begin, end;
    cudaMalloc((void **)&from, bytes);
    cudaMalloc((void **)&to, bytes);
    cudaMemset(from, 7, bytes);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    std::vector<float> ms(21);
    for (auto &t : ms) {
        cudaEventRecord(begin);
        copy<<<4096, 512>>>(from, to, count);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&t, begin, end);
    }
    std::sort(ms.begin(), ms.end());
    cudaDeviceProp device;
    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess || cudaGetLastError() != cudaSuccess)
        return 1;
    printf("{\"device\": \"%s\", \"copy_gb_per_s\": %.0f}\n", device.name, 2e-6 * bytes / ms[ms.size() / 2]);
    return 0;
}
