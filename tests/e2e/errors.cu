// Errors that do not end the program: bad launches, bad arguments, what is reported when, and how it is cleared.
#include "check.h"

// CUDA 13 says "invalid argument" (tests/diff/cudart_semantics.expected), where older runtimes said "invalid
// configuration argument".
static bool refused(cudaError_t e) { return e == cudaErrorInvalidValue; }

// Sizes, pitches and heights whose products do not fit in 64 bits: refused, and nothing is read or written.
static bool range_refused(cudaError_t e)
{
    cudaGetLastError();
    return e == cudaErrorInvalidValue || e == cudaErrorInvalidPitchValue;
}

static void sizes_that_overflow()
{
    const size_t huge[] = {(size_t)1 << 58, (size_t)1 << 62, (size_t)1 << 63, (size_t)-1};
    char host[64 * 8], *p;
    CUDA(cudaMalloc(&p, 64 * 8));
    for (size_t n : huge) {
        CHECK(range_refused(cudaMemcpy2D(p, n, host, 64, 8, 5, cudaMemcpyHostToDevice)));
        CHECK(range_refused(cudaMemcpy2D(p, 64, host, n, 8, 5, cudaMemcpyHostToDevice)));
        CHECK(range_refused(cudaMemcpy2D(p, 64, host, 64, 8, n, cudaMemcpyHostToDevice)));
        CHECK(range_refused(cudaMemcpy2D(p, n, host, n, n, 2, cudaMemcpyHostToDevice)));
        CHECK(range_refused(cudaMemcpy(p, host, n, cudaMemcpyHostToDevice)));
        CHECK(range_refused(cudaMemset(p, 0, n)));
        CHECK(range_refused(cudaMemset2D(p, n, 0, 64, 5)));
        CHECK(range_refused(cudaMemset2D(p, 64, 0, 8, n)));
        const cudaPitchedPtr tall = make_cudaPitchedPtr(p, 64, 64, n);
        CHECK(range_refused(cudaMemset3D(tall, 0, make_cudaExtent(64, 2, 2))));
        CHECK(range_refused(cudaMemset3D(make_cudaPitchedPtr(p, 64, 64, 1), 0, make_cudaExtent(64, 1, n))));
        cudaMemcpy3DParms c = {};
        c.srcPtr = make_cudaPitchedPtr(host, 64, 64, 2);
        c.dstPtr = tall;
        c.extent = make_cudaExtent(64, 2, 2);
        c.kind = cudaMemcpyHostToDevice;
        CHECK(range_refused(cudaMemcpy3D(&c)));
        c.dstPtr = make_cudaPitchedPtr(p, 64, 64, 2);
        c.dstPos = make_cudaPos(0, n, 0);
        CHECK(range_refused(cudaMemcpy3D(&c)));
        c.dstPos = make_cudaPos(0, 0, n);
        CHECK(range_refused(cudaMemcpy3D(&c)));
        cudaResourceDesc r = {};
        r.resType = cudaResourceTypePitch2D;
        r.res.pitch2D.devPtr = p;
        r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
        r.res.pitch2D.width = 4;
        r.res.pitch2D.height = 5;
        r.res.pitch2D.pitchInBytes = n / 64 * 64;
        cudaTextureDesc d = {};
        d.readMode = cudaReadModeElementType;
        cudaTextureObject_t t;
        CHECK(range_refused(cudaCreateTextureObject(&t, &r, &d, NULL)));
    }
    // A second slice that would begin inside the first.
    CHECK(range_refused(cudaMemset3D(make_cudaPitchedPtr(p, 64, 64, 0), 0, make_cudaExtent(64, 1, (size_t)1 << 40))));
    CUDA(cudaFree(p));
}

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
    CHECK(refused(e));
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
    sizes_that_overflow();
    CUDA(cudaDeviceSynchronize());
    return check_result();
}
