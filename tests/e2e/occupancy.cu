// Properties, attributes, occupancy: what the device says of itself is consistent.
#include "check.h"

__global__ void plain(float *p) { p[threadIdx.x] *= 2; }
__global__ void __launch_bounds__(128) bounded(float *p)
{
    __shared__ float s[1024];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[127 - threadIdx.x];
}

int main()
{
    int count = 0, device = -1, value = 0;
    CUDA(cudaGetDeviceCount(&count));
    CUDA(cudaGetDevice(&device));
    CHECK(count >= 1 && device == 0);
    cudaDeviceProp p;
    CUDA(cudaGetDeviceProperties(&p, 0));
    CHECK(p.warpSize == 32 && p.multiProcessorCount > 0 && p.maxThreadsPerBlock >= 512 && strlen(p.name) > 0);
    CHECK(p.totalGlobalMem > 0 && p.sharedMemPerBlock >= 16384 && p.maxGridSize[0] >= 65535 && p.major >= 2);
    CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == p.multiProcessorCount);
    CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
    CHECK(value == p.maxThreadsPerBlock);
    CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(value == p.major);
    size_t free_bytes, total_bytes;
    CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
    CHECK(free_bytes <= total_bytes && total_bytes == p.totalGlobalMem);

    cudaFuncAttributes a;
    CUDA(cudaFuncGetAttributes(&a, bounded));
    CHECK(a.sharedSizeBytes == 4096 && a.numRegs > 0 && a.maxThreadsPerBlock == 128);
    int few, many, grid, block;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&many, bounded, 128, 0));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, bounded, 128, p.sharedMemPerBlock - 4096));
    CHECK(many >= 1 && few >= 1 && few <= many);
    CHECK((size_t)many * 4096 <= p.sharedMemPerMultiprocessor && many * 128 <= p.maxThreadsPerMultiProcessor);
    CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 0));
    CHECK(block >= 32 && block <= p.maxThreadsPerBlock && block % 32 == 0 && grid >= p.multiProcessorCount);
    dev<float> d(1024);
    d.fill(0);
    plain<<<grid, block < 1024 ? block : 1024>>>(d);
    bounded<<<1, 128>>>(d);
    RAN();
    CUDA(cudaFuncSetCacheConfig(plain, cudaFuncCachePreferL1));
    int version;
    CUDA(cudaRuntimeGetVersion(&version));
    CHECK(version >= 12000);
    return check_result();
}
