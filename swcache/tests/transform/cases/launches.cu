// Launches: configurations in variables, streams, templates, a kernel declared before it is defined, an empty grid's
// worth of different block sizes.
#include "common.h"

__global__ void later(const unsigned char *__restrict__ in, unsigned *__restrict__ out, int n);

template <int SCALE> __global__ void scaled(const unsigned char *__restrict__ in, unsigned *__restrict__ out, int n)
{
    unsigned sum = 0;
    int t = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; i++)
        sum = sum * SCALE + in[t * n + i];
    out[t] = sum;
}

static int block_size(int n)
{
    return n < 10 ? 32 : 64;
}

#define RUN(...)                                                                                                       \
    do {                                                                                                               \
        __VA_ARGS__;                                                                                                   \
        OK(cudaGetLastError());                                                                                        \
    } while (0)

template <int SCALE> static void run_scaled(const unsigned char *in, unsigned *out, int n, cudaStream_t stream)
{
    dim3 block(8, 4);
    scaled<SCALE><<<4, block, 0, stream>>>(in, out, n);
}

int main()
{
    const int threads = 128, n = 70;
    unsigned char *in = filled<unsigned char>(threads * n, 1, 3);
    unsigned *out = filled<unsigned>(threads, 2);
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    dim3 grid(2), block(64);
    later<<<grid, block>>>(in, out, n);
    print_hash("variables", out, threads);
    later<<<2, block_size(n), 0, stream>>>(in, out, n - 1);
    print_hash("a function", out, threads);
    later<<<dim3(4), dim3(16, 2), 0, stream>>>(in, out, n);
    print_hash("dim3", out, threads);
    later<<<2, 64, 1024>>>(in, out, n - 2);
    print_hash("asks for memory", out, threads);
    RUN(later<<<2, 64>>>(in, out, n - 3));
    print_hash("in a macro", out, threads);
    run_scaled<31>(in, out, n, stream);
    print_hash("template", out, threads);
    run_scaled<33>(in, out, n, stream);
    print_hash("template", out, threads);
    later /* a comment */<<<2, 64>>>(in, out, n - 5); // says: the kernel's name does not stand right before its configuration
    print_hash("a comment", out, threads);
    const unsigned char *moving = in;
    later<<<2, 64>>>(moving++, out, n - 4);
    print_hash("changes", out, threads);
    later<<<2, 64>>>(moving, out, n - 4);
    print_hash("changed", out, threads);
}

__global__ void later(const unsigned char *__restrict__ in, unsigned *__restrict__ out, int n)
{
    unsigned hash = 2166136261u;
    int t = blockIdx.x * (blockDim.x * blockDim.y) + threadIdx.y * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; i++)
        hash = (hash ^ in[t * n + i]) * 16777619u;
    out[t] = hash;
}
