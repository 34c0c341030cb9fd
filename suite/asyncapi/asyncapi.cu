/*
 * Adding a constant to an array, with asynchronous copies and an event.
 *
 * Origin: CUDA SDK, asyncAPI. One thread per element, 512 threads per block: one coalesced load and store each.
 * Original 16 Mi integers, which is "paper".
 */
#include "../common/suite.h"

__global__ void increment(int *data, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = data[i] + value;
}

int main(int argc, char **argv)
{
    size_t n = suite_pick<size_t>(suite_parse_size(argc, argv), 32768, 8 << 20, 16 << 20);
    int *host, *dev = suite_device<int>(n);
    SUITE_CUDA(cudaMallocHost((void **)&host, n * sizeof(int)));
    for (size_t i = 0; i < n; i++)
        host[i] = (int)(i * 7);
    cudaEvent_t stop;
    SUITE_CUDA(cudaEventCreate(&stop));
    SUITE_CUDA(cudaMemcpyAsync(dev, host, n * sizeof(int), cudaMemcpyHostToDevice, 0));
    increment<<<(unsigned)(n / 512), 512>>>(dev, 26);
    SUITE_CUDA(cudaMemcpyAsync(host, dev, n * sizeof(int), cudaMemcpyDeviceToHost, 0));
    SUITE_CUDA(cudaEventRecord(stop, 0));
    while (cudaEventQuery(stop) == cudaErrorNotReady)
        ;
    SUITE_CUDA(cudaGetLastError());
    size_t bad = 0;
    for (size_t i = 0; i < n; i++)
        bad += host[i] != (int)(i * 7) + 26;
    SUITE_CUDA(cudaFreeHost(host));
    return suite_done("asyncapi", argc, argv, bad);
}
