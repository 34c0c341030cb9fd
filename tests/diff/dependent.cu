// Programmatic dependent launch, for dependent.sh: kernels that compute, let others begin, wait for the one before, and
// compute again, on a machine of four SMs. Prints what cudaEventElapsedTime says of the whole, after checking that each
// kernel read what the one before wrote, as it does here in all modes: work is executed in order.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#ifdef DRIVER
#include <cuda.h>
#endif

#define OK(x)                                                                                                          \
    do {                                                                                                               \
        int e_ = (x);                                                                                                  \
        if (e_) {                                                                                                      \
            printf("%s: %d\n", #x, e_);                                                                                \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static __device__ float compute(float x, int n)
{
    for (int i = 0; i < n; i++)
        x = x * 1.0001f + 0.5f;
    return x;
}

enum { LETS = 1, WAITS = 2 };
// `before` iterations, the two instructions, `after` iterations. Adds one to what the kernel before wrote. Only one
// thread lets others begin, in the CTA `slow` only behind so many iterations more.
template <int does> __global__ void work(const int *from, int *to, int before, int after, int slow)
{
    float x = compute(threadIdx.x, before);
    if ((does & LETS) && threadIdx.x == 7) {
        if (blockIdx.x == 1)
            x = compute(x, slow);
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    }
    if (does & WAITS)
        asm volatile("griddepcontrol.wait;" ::: "memory");
    x = compute(x, after);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] + 1 + (x == 0.25f);
}

enum { CTAS = 4, MANY = 160, THREADS = 64, N = MANY * THREADS, LONG = 1200 };
static int *data[5];
static int n_run;
static cudaStream_t stream;

template <int does> static void run(bool attribute, int before, int after, int slow = 0, int ctas = CTAS, int value = 1)
{
    const int *from = data[n_run];
    int *to = data[++n_run];
#ifdef DRIVER
    CUfunction f;
    CUlaunchAttribute a = {};
    a.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    a.value.programmaticStreamSerializationAllowed = value;
    CUlaunchConfig c = {(unsigned)ctas, 1, 1, THREADS, 1, 1, 0, stream, &a, attribute};
    void *args[] = {&from, &to, &before, &after, &slow};
    OK(cudaGetFuncBySymbol(&f, (const void *)work<does>));
    OK(cuLaunchKernelEx(&c, f, args, nullptr));
#else
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = value;
    cudaLaunchConfig_t c = {};
    c.gridDim = ctas;
    c.blockDim = THREADS;
    c.stream = stream;
    c.attrs = &a;
    c.numAttrs = attribute;
    OK(cudaLaunchKernelEx(&c, work<does>, from, to, before, after, slow));
#endif
}

// As a graph: captured with the attribute, or without it and then given such an edge.
static void captured(bool attribute)
{
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    stream = s;
    run<LETS>(false, 0, LONG);
    run<WAITS>(attribute, LONG, 0);
    OK(cudaStreamEndCapture(s, &g));
    cudaGraphNode_t from, to;
    cudaGraphEdgeData edge = {}, got = {};
    size_t one = 1;
    OK(cudaGraphGetEdges(g, &from, &to, &got, &one));
    OK(one != 1 || got.type != attribute || got.from_port != attribute);
    edge.from_port = cudaGraphKernelNodePortProgrammatic;
    edge.type = cudaGraphDependencyTypeProgrammatic;
    if (!attribute) {
        OK(cudaGraphRemoveDependencies(g, &from, &to, &got, 1));
        OK(cudaGraphAddDependencies(g, &from, &to, &edge, 1));
        OK(cudaGraphGetEdges(g, &from, &to, &got, &one));
        OK(got.type != cudaGraphDependencyTypeProgrammatic);
    }
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphLaunch(x, s));
}

int main(int argc, char **argv)
{
    const std::string mode = argc > 1 ? argv[1] : "off";
    cudaEvent_t begin, middle, end;
    for (auto &p : data) {
        OK(cudaMalloc(&p, N * sizeof(int)));
        OK(cudaMemset(p, 0, N * sizeof(int)));
    }
    OK(cudaDeviceSynchronize());
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&middle));
    OK(cudaEventCreate(&end));
    if (mode == "stream" || mode == "pairs")
        OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    if (mode != "captured" && mode != "edges")
        OK(cudaEventRecord(begin, stream));
    if (mode == "off") { // no attribute
        run<LETS>(false, 0, LONG);
        run<WAITS>(false, LONG, 0);
    } else if (mode == "zero") { // it says no
        run<LETS>(false, 0, LONG);
        run<WAITS>(true, LONG, 0, 0, CTAS, 0);
    } else if (mode == "untriggered") { // nobody lets the second begin
        run<0>(false, 0, LONG);
        run<WAITS>(true, LONG, 0);
    } else if (mode == "on" || mode == "stream") {
        run<LETS>(false, 0, LONG);
        run<WAITS>(true, LONG, 0);
    } else if (mode == "late") { // half of the first is before it
        run<LETS>(false, LONG / 2, LONG / 2);
        run<WAITS>(true, LONG, 0);
    } else if (mode == "slow") { // one CTA lets it late
        run<LETS>(false, 0, LONG, LONG / 2);
        run<WAITS>(true, LONG, 0);
    } else if (mode == "waits") { // all of the second is behind the wait
        run<LETS>(false, 0, LONG);
        run<WAITS>(true, 0, LONG);
    } else if (mode == "careless") { // the second does not wait
        run<LETS>(false, 0, LONG);
        run<0>(true, LONG / 4, 0);
    } else if (mode == "chain") {
        run<LETS>(false, 0, LONG);
        run<LETS | WAITS>(true, LONG, 0);
        run<WAITS>(true, LONG, 0);
    } else if (mode == "overtaken") { // the second ends before the first; the third waits for both
        run<LETS>(false, 0, LONG);
        run<LETS>(true, 0, 0);
        run<WAITS>(true, 0, LONG);
        run<0>(false, 0, 0);
    } else if (mode == "full") { // the first has more CTAs than fit at once
        run<LETS>(false, 0, LONG / 4, 0, MANY);
        run<WAITS>(true, LONG, 0);
    } else if (mode == "event") { // something is between them
        run<LETS>(false, 0, LONG);
        OK(cudaEventRecord(middle, stream));
        run<WAITS>(true, LONG, 0);
    } else if (mode == "host") { // the host has waited
        run<LETS>(false, 0, LONG);
        OK(cudaDeviceSynchronize());
        run<WAITS>(true, LONG, 0);
    } else if (mode == "timed") { // the host has asked for a time
        float ms;
        OK(cudaEventRecord(middle, stream));
        run<LETS>(false, 0, LONG);
        OK(cudaEventElapsedTime(&ms, begin, middle));
        run<WAITS>(true, LONG, 0);
    } else if (mode == "last") { // nothing comes behind it
        run<LETS>(false, 0, LONG);
    } else if (mode == "pairs") { // in two streams, by turns
        cudaStream_t first = stream, second;
        OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
        run<LETS>(false, 0, LONG);
        stream = second;
        run<LETS>(false, 0, LONG);
        stream = first;
        run<WAITS>(true, LONG, 0);
        stream = second;
        run<WAITS>(true, LONG, 0);
        stream = first;
    } else if (mode == "captured" || mode == "edges") {
        captured(mode == "captured");
    } else {
        printf("%s: no such mode\n", mode.c_str());
        return 1;
    }
    float ms = 0;
    if (mode != "captured" && mode != "edges") {
        OK(cudaEventRecord(end, stream));
        OK(cudaEventSynchronize(end));
        OK(cudaEventElapsedTime(&ms, begin, end));
    }
    OK(cudaDeviceSynchronize());
    static int got[N];
    OK(cudaMemcpy(got, data[n_run], sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < CTAS * THREADS; i++)
        if (got[i] != n_run) {
            printf("%d: %d, not %d\n", i, got[i], n_run);
            return 1;
        }
    printf("%.9g\n", ms);
    return 0;
}
