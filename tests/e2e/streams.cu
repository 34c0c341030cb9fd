// Streams and events: order within a stream, waits between streams, host functions, queries, elapsed time.
#include "check.h"

__global__ void append(int *log, int *length, int value) { log[atomicAdd(length, 1)] = value; }
__global__ void fill(int *p, int n, int v)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = v;
}

static int host_calls;
static void CUDART_CB on_host(void *user) { host_calls += *(int *)user; }
static void CUDART_CB on_stream(cudaStream_t, cudaError_t status, void *user)
{
    if (status == cudaSuccess)
        *(int *)user += 1;
}

int main()
{
    cudaStream_t a, b;
    cudaEvent_t ready, start, stop;
    CUDA(cudaStreamCreate(&a));
    CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    dev<int> log(16), length(1), data(5000);
    length.fill(0);

    CUDA(cudaEventRecord(start, a));
    append<<<1, 1, 0, a>>>(log, length, 1);
    fill<<<4, 128, 0, a>>>(data, 5000, 9);
    append<<<1, 1, 0, a>>>(log, length, 2);
    CUDA(cudaEventRecord(ready, a));
    CUDA(cudaStreamWaitEvent(b, ready, 0));
    append<<<1, 1, 0, b>>>(log, length, 3);
    CUDA(cudaEventRecord(stop, b));
    CUDA(cudaStreamWaitEvent(a, stop, 0));
    append<<<1, 1, 0, a>>>(log, length, 4);
    int weight = 5, callbacks = 0;
    CUDA(cudaLaunchHostFunc(a, on_host, &weight));
    CUDA(cudaStreamAddCallback(b, on_stream, &callbacks, 0));
    std::vector<int> back(5000);
    CUDA(cudaMemcpyAsync(back.data(), data, 5000 * sizeof(int), cudaMemcpyDeviceToHost, a));
    CUDA(cudaStreamSynchronize(a));
    CUDA(cudaStreamSynchronize(b));
    CHECK(cudaStreamQuery(a) == cudaSuccess && cudaEventQuery(stop) == cudaSuccess);
    CHECK(host_calls == 5 && callbacks == 1);
    std::vector<int> order = log.get();
    for (int i = 0; i < 4; i++)
        CHECK(order[i] == i + 1);
    check_equal("filled", back, std::vector<int>(5000, 9));
    float ms = -1;
    CUDA(cudaEventElapsedTime(&ms, start, stop));
    CHECK(ms >= 0);
    CHECK(cudaEventElapsedTime(&ms, start, ready) == cudaErrorInvalidResourceHandle);
    int least, greatest, priority;
    CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t c;
    CUDA(cudaStreamCreateWithPriority(&c, cudaStreamDefault, greatest));
    CUDA(cudaStreamGetPriority(c, &priority));
    CHECK(priority == greatest);
    CUDA(cudaStreamDestroy(a));
    CUDA(cudaStreamDestroy(b));
    CUDA(cudaStreamDestroy(c));
    CUDA(cudaEventDestroy(ready));
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(stop));
    cudaGetLastError();
    return check_result();
}
