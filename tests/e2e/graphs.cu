// Graphs: captured from streams, built by hand, launched many times, updated.
#include "check.h"

__global__ void axpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}
__global__ void square(float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] *= y[i];
}

static int calls;
static void count(void *) { calls++; }

int main()
{
    const int n = 500;
    std::vector<float> x(n), zero(n), want(n);
    for (int i = 0; i < n; i++)
        x[i] = (float)(i % 17);
    dev<float> dx(n), dy(n);
    cudaStream_t s, t;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaStreamCreate(&t));

    // Captured: copy in, two kernels on two streams, copy out.
    std::vector<float> out(n);
    cudaEvent_t fork, join;
    CUDA(cudaEventCreate(&fork));
    CUDA(cudaEventCreate(&join));
    cudaGraph_t graph;
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CUDA(cudaMemcpyAsync(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice, s));
    CUDA(cudaMemsetAsync(dy, 0, n * sizeof(float), s));
    axpy<<<4, 128, 0, s>>>(dy, dx, 2.0f, n);
    CUDA(cudaEventRecord(fork, s));
    CUDA(cudaStreamWaitEvent(t, fork, 0));
    square<<<4, 128, 0, t>>>(dy, n);
    CUDA(cudaEventRecord(join, t));
    CUDA(cudaStreamWaitEvent(s, join, 0));
    CUDA(cudaMemcpyAsync(out.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost, s));
    CUDA(cudaStreamEndCapture(s, &graph));
    size_t nodes = 0;
    CUDA(cudaGraphGetNodes(graph, NULL, &nodes));
    CHECK(nodes == 5);
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < n; i++)
        want[i] = 4 * x[i] * x[i];
    for (int round = 0; round < 3; round++) {
        std::fill(out.begin(), out.end(), -1.0f);
        CUDA(cudaGraphLaunch(exec, s));
        CUDA(cudaStreamSynchronize(s));
        check_equal("captured", out, want);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));

    // By hand: a memset, a kernel twice, a host function.
    CUDA(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t set, first, second, host;
    cudaMemsetParams m = {};
    m.dst = (float *)dy;
    m.elementSize = 4;
    m.width = n;
    m.height = 1;
    CUDA(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &m));
    float a = 3.0f;
    int count_n = n;
    float *py = dy, *px = dx;
    void *args[] = {&py, &px, &a, &count_n};
    cudaKernelNodeParams k = {};
    k.func = (void *)axpy;
    k.gridDim = dim3(4);
    k.blockDim = dim3(128);
    k.kernelParams = args;
    CUDA(cudaGraphAddKernelNode(&first, graph, &set, 1, &k));
    CUDA(cudaGraphAddKernelNode(&second, graph, &first, 1, &k));
    cudaHostNodeParams h = {count, NULL};
    CUDA(cudaGraphAddHostNode(&host, graph, &second, 1, &h));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, s));
    CUDA(cudaGraphLaunch(exec, s));
    CUDA(cudaStreamSynchronize(s));
    for (int i = 0; i < n; i++)
        want[i] = 6 * x[i];
    check_equal("built", dy.get(), want);
    CHECK(calls == 2);
    a = 10.0f;
    CUDA(cudaGraphExecKernelNodeSetParams(exec, second, &k));
    CUDA(cudaGraphLaunch(exec, s));
    CUDA(cudaStreamSynchronize(s));
    for (int i = 0; i < n; i++)
        want[i] = 13 * x[i];
    check_equal("updated", dy.get(), want);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    return check_result();
}
