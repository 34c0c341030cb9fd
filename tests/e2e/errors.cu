// Errors that do not end the program: bad launches, bad arguments, what is reported when, and how it is cleared.
#include "check.h"

// Older runtimes say "invalid configuration argument", newer ones "invalid argument".
static bool refused(cudaError_t e) { return e == cudaErrorInvalidConfiguration || e == cudaErrorInvalidValue; }

__global__ void nothing() {}
__global__ void __launch_bounds__(64) small_blocks() {}

int main()
{
    CHECK(cudaGetLastError() == cudaSuccess);
    // Too many threads, an empty grid, too much shared memory.
    nothing<<<1, 4096>>>();
    CHECK(refused(cudaPeekAtLastError()));
    CHECK(refused(cudaGetLastError()));
    CHECK(cudaGetLastError() == cudaSuccess);
    nothing<<<0, 32>>>();
    CHECK(refused(cudaGetLastError()));
    nothing<<<1, dim3(1, 1, 65)>>>();
    CHECK(refused(cudaGetLastError()));
    nothing<<<1, 32, 1 << 24>>>();
    CHECK(refused(cudaGetLastError()));
    small_blocks<<<1, 128>>>();
    cudaError_t e = cudaGetLastError();
    CHECK(refused(e) || e == cudaErrorLaunchOutOfResources);
    // The device still works.
    nothing<<<1, 32>>>();
    RAN();

    void *p = NULL;
    CHECK(cudaMalloc(&p, (size_t)1 << 60) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    CUDA(cudaMalloc(&p, 100));
    int host[32] = {0};
    CHECK(cudaMemcpy(p, host, 100, (cudaMemcpyKind)77) == cudaErrorInvalidMemcpyDirection);
    CHECK(cudaFree((char *)p + 4) == cudaErrorInvalidValue);
    CUDA(cudaFree(p));
    CHECK(cudaFree(p) == cudaErrorInvalidValue);
    CUDA(cudaFree(NULL));
    CHECK(cudaSetDevice(1000) == cudaErrorInvalidDevice);
    int value;
    CHECK(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)100000, 0) == cudaErrorInvalidValue);
    CHECK(cudaMemcpyToSymbol((const void *)host, host, 4) == cudaErrorInvalidSymbol);
    CHECK(cudaEventQuery((cudaEvent_t)0) == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    CHECK(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
    CHECK(strlen(cudaGetErrorString(cudaErrorIllegalAddress)) > 0);
    CHECK(cudaGetErrorName((cudaError_t)123456) != NULL);
    CUDA(cudaDeviceSynchronize());
    return check_result();
}
