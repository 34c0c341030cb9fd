// A scalar in shared memory, written by one thread and read by all after a barrier. Its address is never taken, so an
// optimizer that takes a barrier for a function without effect on it would read it too early.
#include "check.h"

template <int KIND> __device__ void barrier()
{
    if (KIND == 0)
        __syncthreads();
    else if (KIND == 1)
        __syncthreads_count(1);
    else if (KIND == 2)
        __syncthreads_and(1);
    else
        __syncthreads_or(1);
}

template <int KIND> __global__ void spread(const int *in, int *out)
{
    __shared__ int value;
    if (threadIdx.x == 0)
        value = in[blockIdx.x];
    barrier<KIND>();
    int first = value;
    barrier<KIND>();
    if (threadIdx.x == blockDim.x - 1)
        value = first + 1;
    barrier<KIND>();
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1000 * first + value;
}

template <int KIND> static void run(const int *in, int *out, const std::vector<int> &expect)
{
    std::vector<int> got(expect.size());
    CUDA(cudaMemset(out, 0, expect.size() * sizeof(int)));
    spread<KIND><<<8, 128>>>(in, out);
    RAN();
    CUDA(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(got == expect);
}

int main()
{
    std::vector<int> in(8), expect(8 * 128);
    for (int b = 0; b < 8; b++) {
        in[b] = 17 * b + 3;
        for (int t = 0; t < 128; t++)
            expect[b * 128 + t] = 1000 * in[b] + in[b] + 1;
    }
    int *din, *dout;
    CUDA(cudaMalloc(&din, in.size() * sizeof(int)));
    CUDA(cudaMalloc(&dout, expect.size() * sizeof(int)));
    CUDA(cudaMemcpy(din, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
    run<0>(din, dout, expect);
    run<1>(din, dout, expect);
    run<2>(din, dout, expect);
    run<3>(din, dout, expect);
    return check_result();
}
