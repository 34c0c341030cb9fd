// Kernels in streams, for streams.sh: chains of dependent additions, each CTA with all the shared memory of an SM, on a
// machine of four SMs. Prints what cudaEventElapsedTime says of the whole.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#define OK(x)                                                                                                          \
    do {                                                                                                               \
        cudaError_t e_ = (x);                                                                                          \
        if (e_) {                                                                                                      \
            printf("%s: %s\n", #x, cudaGetErrorString(e_));                                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

template <int name> __global__ void spin(float *out, int n)
{
    __shared__ float all[47 * 256];
    float x = threadIdx.x;
    for (int i = 0; i < n; i++)
        x = x * 1.0001f + 0.5f;
    all[threadIdx.x] = x;
    out[threadIdx.x] = all[threadIdx.x];
}

// For tests/golden/stats/streams.wt: reads and writes memory.
__global__ void walk(float *data, int n, int stride)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += data[(blockIdx.x * blockDim.x + threadIdx.x + i * stride) & 0x3fff];
    data[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static float *out;
static void a(cudaStream_t s, int ctas = 2) { spin<0><<<ctas, 32, 0, s>>>(out, 400); }
static void b(cudaStream_t s, int ctas = 2) { spin<1><<<ctas, 32, 0, s>>>(out + 64, 400); }
static void c(cudaStream_t s, int ctas = 2) { spin<2><<<ctas, 32, 0, s>>>(out + 128, 400); }

static void graph(cudaStream_t s, bool branches)
{
    void *args[] = {&out, new int(400)};
    cudaKernelNodeParams p = {};
    p.func = (void *)spin<0>;
    p.gridDim = dim3(2);
    p.blockDim = dim3(32);
    p.kernelParams = args;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t root, left, right, join, on[2];
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddKernelNode(&root, g, nullptr, 0, &p));
    OK(cudaGraphAddKernelNode(&left, g, &root, 1, &p));
    OK(cudaGraphAddKernelNode(&right, g, branches ? &root : &left, 1, &p));
    on[0] = left;
    on[1] = right;
    OK(cudaGraphAddKernelNode(&join, g, on, 2, &p));
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphLaunch(x, s));
}

int main(int argc, char **argv)
{
    const char *mode = argv[1];
    auto is = [&](const char *name) { return !strcmp(mode, name); };
    cudaStream_t s = nullptr, t = nullptr;
    cudaEvent_t begin, end, e;
    char *h, *pageable = (char *)malloc(1 << 16);
    OK(cudaMalloc(&out, 1 << 16));
    OK(cudaMallocHost(&h, 1 << 16));
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    const bool own = is("nonblocking") || is("copies") || is("pageable");
    if (!is("default") && !is("chain") && !is("branches")) {
        OK(cudaStreamCreateWithPriority(&s, own ? cudaStreamNonBlocking : 0, 0));
        OK(cudaStreamCreateWithPriority(&t, own ? cudaStreamNonBlocking : 0, is("priority") || is("mix") ? -1 : 0));
    }
    OK(cudaEventRecord(begin, s));
    if (is("two")) { // side by side
        a(s), b(t);
    } else if (is("same") || is("default")) { // one after the other
        a(s), b(s);
    } else if (is("event")) {
        a(s);
        OK(cudaEventRecord(e, s));
        OK(cudaStreamWaitEvent(t, e, 0));
        b(t);
    } else if (is("host")) { // the host waits for the first stream
        a(s);
        OK(cudaStreamSynchronize(s));
        b(t);
    } else if (is("legacy")) { // the default stream waits for the others, and they for it
        a(s), b(nullptr), c(t);
    } else if (is("nonblocking")) { // but not for those that do not block
        a(s), b(nullptr), c(t, 1);
    } else if (is("priority")) { // both fill the machine; the second goes first
        a(s, 4), b(t, 4);
    } else if (is("thread")) { // threads' own default streams
        std::thread one([] { a(cudaStreamPerThread); });
        one.join();
        std::thread two([] { b(cudaStreamPerThread); });
        two.join();
    } else if (is("copies")) { // a copy beside a kernel
        a(s);
        OK(cudaMemcpyAsync(out + 1024, h, 2500, cudaMemcpyHostToDevice, t));
        b(t);
    } else if (is("pageable")) { // the host waits for a copy of memory that is not pinned
        a(s);
        OK(cudaMemcpyAsync(pageable, out, 64, cudaMemcpyDeviceToHost, s));
        b(t);
    } else if (is("mix")) {
        for (int i = 0; i < 2; i++) {
            OK(cudaMemcpyAsync(out, h, 1 << 14, cudaMemcpyHostToDevice, t));
            walk<<<24, 96, 0, s>>>(out, 12, 1056);
            walk<<<40, 64, 0, t>>>(out, 8, 32);
            a(t, 3);
            OK(cudaEventRecord(e, t));
            b(s);
            OK(cudaMemcpyAsync(h, out, 1 << 12, cudaMemcpyDeviceToHost, s));
            walk<<<5, 256>>>(out, 4, 64);
            c(s);
        }
        graph(t, true);
    } else if (is("chain") || is("branches")) {
        graph(s, is("branches"));
    }
    if (t) {
        OK(cudaEventRecord(e, t));
        OK(cudaStreamWaitEvent(s, e, 0));
    }
    OK(cudaEventRecord(end, s));
    OK(cudaDeviceSynchronize());
    float ms = 0;
    OK(cudaEventElapsedTime(&ms, begin, end));
    printf("%.6f\n", ms);
    return 0;
}
