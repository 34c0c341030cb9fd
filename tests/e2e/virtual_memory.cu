// Virtual memory of the driver API: a vector that grows in place, memory at two addresses, access that ends, misuse.
// flags: -lcuda
// only: clang
#include "check.h"

#include <cuda.h>
#include <unistd.h>

#define DO(call) CHECK((call) == CUDA_SUCCESS)

__global__ void add(int *p, int n, int by)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += by;
}

static CUmemAllocationProp prop;
static CUmemAccessDesc readable;

static CUmemGenericAllocationHandle map(CUdeviceptr p, size_t bytes)
{
    CUmemGenericAllocationHandle m = 0;
    DO(cuMemCreate(&m, bytes, &prop, 0));
    DO(cuMemMap(p, bytes, 0, m, 0));
    return m;
}

int main()
{
    size_t grain, before, now, total;
    CUdeviceptr p, twin;
    CUmemGenericAllocationHandle a, b, again;
    unsigned long long flags;
    int supported = 0;
    DO(cuInit(0)); /* memory needs no context */
    DO(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    CHECK(supported);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    prop.location.type = readable.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    readable.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    DO(cuMemGetAllocationGranularity(&grain, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    DO(cuMemAddressReserve(&p, 4 * grain, 0, 0, 0));
    CHECK(p % grain == 0);
    CUDA(cudaFree(0));
    DO(cuMemGetInfo(&before, &total));

    /* Two pieces, one after the other; copies and kernels go across. */
    a = map(p, grain);
    DO(cuMemSetAccess(p, grain, &readable, 1));
    DO(cuMemsetD32(p, 1, grain / 4));
    b = map(p + grain, 2 * grain);
    CHECK(cuMemsetD32(p, 2, grain / 4 + 1) == CUDA_ERROR_INVALID_VALUE); /* not accessible yet */
    DO(cuMemSetAccess(p + grain, 2 * grain, &readable, 1));
    DO(cuMemsetD32(p + grain, 2, 2 * grain / 4));
    const int n = (int)(3 * grain / 4);
    add<<<(n + 255) / 256, 256>>>((int *)p, n, 5);
    RAN();
    std::vector<int> got(n), want(n);
    DO(cuMemcpyDtoH(got.data(), p, 3 * grain));
    for (int i = 0; i < n; i++)
        want[i] = i < (int)(grain / 4) ? 6 : 7;
    check_equal("two pieces", got, want);
    DO(cuMemGetInfo(&now, &total));
    CHECK(before - now == 3 * grain);

    /* The same memory at a second address, which outlives the first and its handle. */
    DO(cuMemAddressReserve(&twin, grain, grain, 0, 0));
    DO(cuMemMap(twin, grain, 0, a, 0));
    DO(cuMemSetAccess(twin, grain, &readable, 1));
    DO(cuMemsetD32(twin, 9, 1));
    DO(cuMemcpyDtoH(got.data(), p, 4));
    CHECK(got[0] == 9);
    DO(cuMemRetainAllocationHandle(&again, (void *)(p + 4)));
    CHECK(again == a);
    DO(cuMemRelease(again));

    /* Once more as another process would have it, by its file. */
    int file = -1;
    CUdeviceptr third;
    DO(cuMemExportToShareableHandle(&file, a, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    DO(cuMemImportFromShareableHandle(&again, (void *)(uintptr_t)file, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(file);
    DO(cuMemRelease(a));
    DO(cuMemAddressReserve(&third, grain, 64 * grain, 0, 0));
    CHECK(third % (64 * grain) == 0);
    DO(cuMemMap(third, grain, 0, again, 0));
    DO(cuMemSetAccess(third, grain, &readable, 1));
    DO(cuMemcpyDtoH(got.data(), third, 4));
    CHECK(got[0] == 9);
    DO(cuMemUnmap(third, grain));
    DO(cuMemAddressFree(third, grain));
    DO(cuMemRelease(again));
    CHECK(cuMemImportFromShareableHandle(&again, (void *)1000, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == CUDA_ERROR_INVALID_VALUE);
    DO(cuMemUnmap(p, grain));
    CHECK(cuMemcpyDtoH(got.data(), p, 4) == CUDA_ERROR_INVALID_VALUE);
    DO(cuMemcpyDtoH(got.data(), twin, 4));
    CHECK(got[0] == 9);
    DO(cuMemGetAccess(&flags, &readable.location, twin));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    readable.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    DO(cuMemSetAccess(twin, grain, &readable, 1));
    CHECK(cuMemcpyDtoH(got.data(), twin, 4) == CUDA_ERROR_INVALID_VALUE);

    /* Misuse. */
    CHECK(cuMemCreate(&again, grain + 1, &prop, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemMap(p + grain, 2 * grain, 0, b, 0) == CUDA_ERROR_INVALID_VALUE); /* taken */
    CHECK(cuMemMap(p + 3 * grain, 2 * grain, 0, b, 0) == CUDA_ERROR_INVALID_VALUE); /* beyond the end */
    CHECK(cuMemUnmap(p + grain, grain) == CUDA_ERROR_INVALID_VALUE); /* half of it */
    CHECK(cuMemAddressFree(p, 4 * grain) == CUDA_ERROR_INVALID_VALUE); /* in use */
    CHECK(cuMemFree(p + grain) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemAddressReserve(&third, grain, 1ull << 63, 0, 0) == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(cuMemRelease(12345) == CUDA_ERROR_INVALID_VALUE);
    DO(cuMemUnmap(p + grain, 2 * grain));
    DO(cuMemRelease(b));
    DO(cuMemUnmap(twin, grain));
    DO(cuMemAddressFree(p, 4 * grain));
    DO(cuMemAddressFree(twin, grain));
    DO(cuMemGetInfo(&now, &total));
    CHECK(before == now);
    for (int i = 0; i < 100; i++) { /* more than there are addresses, were they not given back */
        DO(cuMemAddressReserve(&p, 512ull << 30, 0, 0, 0));
        DO(cuMemAddressFree(p, 512ull << 30));
    }
    return check_result();
}
