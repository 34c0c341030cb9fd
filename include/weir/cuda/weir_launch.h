/*
 * Launches from device code, and what else device code may ask of the runtime (CUDA's device runtime, the version without
 * synchronization in kernels): what is launched runs when the launching grid has ended. The simulator serves the functions named
 * __cudaCDP2, as for code that nvcc has compiled.
 *
 * Left out: errors of a launch (cudaGetLastError in device code says success), launches of kernels of other files.
 */
#ifndef WEIR_CUDA_LAUNCH_H
#define WEIR_CUDA_LAUNCH_H

#define cudaStreamTailLaunch           ((cudaStream_t)0x3)
#define cudaStreamFireAndForget        ((cudaStream_t)0x4)
#define cudaStreamGraphTailLaunch      ((cudaStream_t)0x0100000000000000)
#define cudaStreamGraphFireAndForget   ((cudaStream_t)0x0200000000000000)

extern "C" {
__device__ void *__cudaCDP2GetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned int shared_bytes);
__device__ cudaError_t __cudaCDP2LaunchDeviceV2(void *buffer, cudaStream_t stream);

#define WEIR_DEVICE_RUNTIME(name, ...) __device__ cudaError_t cuda##name(__VA_ARGS__) __asm__("__cudaCDP2" #name)
WEIR_DEVICE_RUNTIME(StreamCreateWithFlags, cudaStream_t *stream, unsigned int flags);
WEIR_DEVICE_RUNTIME(StreamDestroy, cudaStream_t stream);
WEIR_DEVICE_RUNTIME(StreamWaitEvent, cudaStream_t stream, cudaEvent_t event, unsigned int flags);
WEIR_DEVICE_RUNTIME(EventCreateWithFlags, cudaEvent_t *event, unsigned int flags);
WEIR_DEVICE_RUNTIME(EventRecord, cudaEvent_t event, cudaStream_t stream);
WEIR_DEVICE_RUNTIME(EventDestroy, cudaEvent_t event);
WEIR_DEVICE_RUNTIME(GetLastError, void);
WEIR_DEVICE_RUNTIME(PeekAtLastError, void);
WEIR_DEVICE_RUNTIME(MemcpyAsync, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream);
WEIR_DEVICE_RUNTIME(MemsetAsync, void *to, int value, size_t bytes, cudaStream_t stream);
WEIR_DEVICE_RUNTIME(Malloc, void **at, size_t bytes);
WEIR_DEVICE_RUNTIME(Free, void *at);
WEIR_DEVICE_RUNTIME(GetDevice, int *device);
WEIR_DEVICE_RUNTIME(GetDeviceCount, int *devices);
WEIR_DEVICE_RUNTIME(DeviceGetAttribute, int *value, enum cudaDeviceAttr attribute, int device);
#undef WEIR_DEVICE_RUNTIME
__device__ const char *cudaGetErrorString(cudaError_t error) __asm__("__cudaCDP2GetErrorString");
__device__ const char *cudaGetErrorName(cudaError_t error) __asm__("__cudaCDP2GetErrorName");
}

/* weir cc writes weir_launched<decltype(&kernel), &kernel>(grid, block)(arguments) for kernel<<<grid, block>>>(arguments). */
template <class weir_F, weir_F weir_kernel> struct weir_launched;
template <class... weir_P, void (*weir_kernel)(weir_P...)> struct weir_launched<void (*)(weir_P...), weir_kernel> {
    static constexpr void (*address)(weir_P...) = weir_kernel; /* a constant: device code must not mention a kernel */
    dim3 grid, block;
    unsigned int shared_bytes;
    cudaStream_t stream;

    __device__ weir_launched(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = 0)
        : grid(grid), block(block), shared_bytes((unsigned int)shared_bytes), stream(stream)
    {
    }
    __device__ void operator()(weir_P... parameter) const
    {
        if (void *buffer = __cudaCDP2GetParameterBufferV2((void *)address, grid, block, shared_bytes)) {
            store((char *)buffer, 0, parameter...);
            __cudaCDP2LaunchDeviceV2(buffer, stream);
        }
    }

  private:
    __device__ static void store(char *, size_t)
    {
    }
    template <class weir_T, class... weir_R>
    __device__ static void store(char *buffer, size_t at, const weir_T &parameter, const weir_R &...rest)
    {
        at = (at + alignof(weir_T) - 1) & ~(alignof(weir_T) - 1);
        __builtin_memcpy(buffer + at, &parameter, sizeof parameter);
        store(buffer, at + sizeof parameter, rest...);
    }
};

#endif
