// A program whose loads have locality types, counts and iterations that can be told from the text. 8 CTAs of 4 warps;
// every array starts on a line of its own (256-byte allocations).
#include <cstdio>

enum { CTAS = 8, THREADS = 128, N = CTAS * THREADS };

__global__ void streaming(int *out, const int *in) // each warp one line, once: 32 streaming lines
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

__global__ void intra(int *out, const int *in) // each thread walks over its own 16 words: 64 B a thread, 16 lines a warp
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
#pragma unroll 1
    for (int k = 0; k < 16; k++)
        sum += in[16 * i + k];
    out[i] = sum;
}

__global__ void inter(int *out, const signed char *in) // bytes: the 4 warps of a CTA share one line, each uses it once
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

__global__ void both(int *out, const int *in) // all warps walk over the same 2 lines, 3 times
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
#pragma unroll 1
    for (int k = 0; k < 6; k++)
        sum += in[32 * (k % 2) + i % 32];
    out[i] = sum;
}

int main()
{
    int *in, *out;
    signed char *bytes;
    if (cudaMalloc(&in, 16 * N * sizeof *in) || cudaMalloc(&out, N * sizeof *out) || cudaMalloc(&bytes, N))
        return 1;
    cudaMemset(in, 0, 16 * N * sizeof *in);
    cudaMemset(bytes, 0, N);
    streaming<<<CTAS, THREADS>>>(out, in);
    intra<<<CTAS, THREADS>>>(out, in);
    inter<<<CTAS, THREADS>>>(out, bytes);
    both<<<CTAS, THREADS>>>(out, in);
    if (cudaDeviceSynchronize())
        return 1;
    puts("done");
    return 0;
}
