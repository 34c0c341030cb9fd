/*
 * What the device tells of itself: a line "key <tab> value" for each, for weir calibrate.
 */
#include "check.h"

int main()
{
    cudaDeviceProp p;
    int core = 0, memory = 0;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaDeviceGetAttribute(&core, cudaDevAttrClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&memory, cudaDevAttrMemoryClockRate, 0));
    printf("name\t%s\n", p.name);
    printf("sms\t%d\n", p.multiProcessorCount);
    printf("core_khz\t%d\n", core);
    printf("memory_khz\t%d\n", memory);
    printf("bus_bits\t%d\n", p.memoryBusWidth);
    printf("memory_bytes\t%llu\n", (unsigned long long)p.totalGlobalMem);
    printf("l2_bytes\t%d\n", p.l2CacheSize);
    printf("warps_per_sm\t%d\n", p.maxThreadsPerMultiProcessor / p.warpSize);
    printf("ctas_per_sm\t%d\n", p.maxBlocksPerMultiProcessor);
    printf("threads_per_cta\t%d\n", p.maxThreadsPerBlock);
    printf("registers_per_sm\t%d\n", p.regsPerMultiprocessor);
    printf("shared_per_sm\t%llu\n", (unsigned long long)p.sharedMemPerMultiprocessor);
    printf("shared_per_cta\t%llu\n", (unsigned long long)p.sharedMemPerBlockOptin);
    printf("shared_reserved\t%llu\n", (unsigned long long)p.reservedSharedMemPerBlock);
    return 0;
}
